//! Time derivatives of inputs and outputs, and directional derivatives of outputs with respect to inputs.

use super::error;
use super::values::{Type, must_be};
use crate::fmu::c_api::boundary::{array, enter, places};
use crate::fmu::c_api::types::{
    fmi2Component, fmi2Integer, fmi2Real, fmi2Status, fmi2ValueReference,
};
use crate::fmu::instance::lifecycle::Call;

exported! {
    /// Sets time derivatives of inputs for the next step.
    fn fmi2SetRealInputDerivatives(
        vr: *const fmi2ValueReference,
        nvr: usize,
        order: *const fmi2Integer,
        value: *const fmi2Real,
    ), Some(Call::SetInputDerivatives), |inside| {
        let references = array(vr, nvr, "value references")?;
        let orders = array(order, nvr, "orders")?;
        let values = array(value, nvr, "values")?;
        let rows = references.iter().zip(orders).zip(values);
        for ((reference, order), value) in rows.clone() {
            inside
                .instance
                .check_input_derivative(*reference, *order, *value)?;
        }
        for ((reference, order), value) in rows {
            inside
                .instance
                .set_input_derivative(*reference, *order, *value)?;
        }
        Ok(())
    }
}

exported! {
    /// First time derivatives of outputs at the communication point.
    fn fmi2GetRealOutputDerivatives(
        vr: *const fmi2ValueReference,
        nvr: usize,
        order: *const fmi2Integer,
        value: *mut fmi2Real,
    ), Some(Call::GetOutputDerivatives), |inside| {
        let references = array(vr, nvr, "value references")?;
        let orders = array(order, nvr, "orders")?;
        let mut places = places(value, nvr, "values")?;
        let mut values = Vec::new(); // not before the first reference is known to be valid
        for (reference, order) in references.iter().zip(orders) {
            must_be(Type::Real, &inside.instance, *reference)?;
            values.push(inside.instance.output_derivative(*reference, *order)?);
        }
        places.fill(values);
        Ok(())
    }
}

exported! {
    /// Directional derivatives of outputs with respect to inputs, with contact statuses fixed.
    fn fmi2GetDirectionalDerivative(
        vUnknown_ref: *const fmi2ValueReference,
        nUnknown: usize,
        vKnown_ref: *const fmi2ValueReference,
        nKnown: usize,
        dvKnown: *const fmi2Real,
        dvUnknown: *mut fmi2Real,
    ), Some(Call::DirectionalDerivative), |inside| {
        let unknowns = array(vUnknown_ref, nUnknown, "unknowns")?;
        let knowns = array(vKnown_ref, nKnown, "knowns")?;
        let seed = array(dvKnown, nKnown, "seed values")?;
        let mut places = places(dvUnknown, nUnknown, "derivatives")?;
        for reference in unknowns {
            must_be(Type::Real, &inside.instance, *reference)?;
        }
        for (reference, seed) in knowns.iter().zip(seed) {
            must_be(Type::Real, &inside.instance, *reference)?;
            if !seed.is_finite() {
                return error(format!("{seed} is not a valid seed value"));
            }
        }
        let mut result = vec![0.0; nUnknown];
        inside
            .instance
            .directional_derivative(unknowns, knowns, seed, &mut result)?;
        places.fill(result);
        Ok(())
    }
}
