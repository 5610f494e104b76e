//! Reading and setting variables. If one element of an array is invalid, nothing is set.

use super::error;
use crate::fmu::c_api::boundary::{Inside, array, enter, places};
use crate::fmu::c_api::types::{
    FALSE, fmi2Boolean, fmi2Component, fmi2Integer, fmi2Real, fmi2Status, fmi2String,
    fmi2ValueReference,
};
use crate::fmu::instance::lifecycle::Call;
use crate::fmu::instance::variable::{Kind, Value};
use crate::fmu::instance::{FmiError, Instance};

/// FMI types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Real,
    Integer,
    Boolean,
    String,
}

impl Type {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Real { .. } => Self::Real,
            Kind::Integer { .. } | Kind::Enumeration(_) => Self::Integer,
            Kind::Boolean => Self::Boolean,
        }
    }

    fn of_value(value: Value) -> Self {
        match value {
            Value::Real(_) => Self::Real,
            Value::Integer(_) => Self::Integer,
            Value::Boolean(_) => Self::Boolean,
        }
    }
}

/// Rejects variables of another type and unknown value references.
pub(super) fn must_be(
    wanted: Type,
    instance: &Instance,
    reference: fmi2ValueReference,
) -> Result<(), FmiError> {
    let Some(variable) = instance.variables().get(reference as usize) else {
        return error(format!(
            "there is no variable with value reference {reference}; there are {}",
            instance.variables().len()
        ));
    };
    let found = Type::of(&variable.kind);
    if found != wanted {
        return error(format!(
            "`{}` is of type {found:?}, not {wanted:?}",
            variable.name
        ));
    }
    Ok(())
}

// reads variables of one type
unsafe fn get<T>(
    c: fmi2Component,
    function: &str,
    wanted: Type,
    (vr, nvr, value): (*const fmi2ValueReference, usize, *mut T),
    convert: impl Fn(Value) -> Option<T>,
) -> fmi2Status {
    // SAFETY: handle and arrays as required by the standard
    unsafe {
        enter(c, function, None, |inside| {
            let references = array(vr, nvr, "value references")?;
            let mut places = places(value, nvr, "values")?;
            for reference in references {
                must_be(wanted, &inside.instance, *reference)?;
            }
            let mut outcome = Ok(());
            places.fill(references.iter().map_while(|reference| {
                match inside.instance.get(*reference) {
                    Ok(value) => convert(value),
                    Err(error_of_call) => {
                        outcome = Err(error_of_call);
                        None
                    }
                }
            }));
            outcome
        })
    }
}

fn set(
    inside: &mut Inside,
    references: &[fmi2ValueReference],
    values: impl Iterator<Item = Value> + Clone,
) -> Result<(), FmiError> {
    for (reference, value) in references.iter().zip(values.clone()) {
        must_be(Type::of_value(value), &inside.instance, *reference)?;
        inside.instance.check_set(*reference, value)?;
    }
    for (reference, value) in references.iter().zip(values) {
        inside.instance.set(*reference, value)?;
    }
    inside.instance.set_is_complete()
}

// reads variables of one type
macro_rules! getter {
    ($(#[$doc:meta])* $name:ident: $of:ident, $type:ty, $convert:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            c: fmi2Component,
            vr: *const fmi2ValueReference,
            nvr: usize,
            value: *mut $type,
        ) -> fmi2Status {
            // SAFETY: handle and arrays as required by the standard
            unsafe { get(c, stringify!($name), Type::$of, (vr, nvr, value), $convert) }
        }
    };
}

getter! {
    /// Reads Real variables.
    fmi2GetReal: Real, fmi2Real, |value| match value {
        Value::Real(x) => Some(x),
        Value::Integer(_) | Value::Boolean(_) => None,
    }
}

getter! {
    /// Reads Integer variables and enumerations.
    fmi2GetInteger: Integer, fmi2Integer, |value| match value {
        Value::Integer(x) => Some(x),
        Value::Real(_) | Value::Boolean(_) => None,
    }
}

getter! {
    /// Reads Boolean variables.
    fmi2GetBoolean: Boolean, fmi2Boolean, |value| match value {
        Value::Boolean(x) => Some(fmi2Boolean::from(x)),
        Value::Real(_) | Value::Integer(_) => None,
    }
}

getter! {
    /// There are no String variables: an error for any reference.
    fmi2GetString: String, fmi2String, |_| None
}

exported! {
    /// Sets Real variables.
    fn fmi2SetReal(vr: *const fmi2ValueReference, nvr: usize, value: *const fmi2Real), Some(Call::Set), |inside| {
        let references = array(vr, nvr, "value references")?;
        let values = array(value, nvr, "values")?;
        set(inside, references, values.iter().map(|x| Value::Real(*x)))
    }
}

exported! {
    /// Sets Integer variables and enumerations.
    fn fmi2SetInteger(vr: *const fmi2ValueReference, nvr: usize, value: *const fmi2Integer), Some(Call::Set), |inside| {
        let references = array(vr, nvr, "value references")?;
        let values = array(value, nvr, "values")?;
        set(
            inside,
            references,
            values.iter().map(|x| Value::Integer(*x)),
        )
    }
}

exported! {
    /// Sets Boolean variables; any value except 0 is true.
    fn fmi2SetBoolean(vr: *const fmi2ValueReference, nvr: usize, value: *const fmi2Boolean), Some(Call::Set), |inside| {
        let references = array(vr, nvr, "value references")?;
        let values = array(value, nvr, "values")?;
        let values = values.iter().map(|x| Value::Boolean(*x != FALSE));
        set(inside, references, values)
    }
}

exported! {
    /// There are no String variables: an error for any reference.
    fn fmi2SetString(vr: *const fmi2ValueReference, nvr: usize, value: *const fmi2String), Some(Call::Set), |inside| {
        let references = array(vr, nvr, "value references")?;
        array(value, nvr, "values")?;
        for reference in references {
            must_be(Type::String, &inside.instance, *reference)?;
        }
        Ok(())
    }
}
