//! Start values: model description against library.

use crate::tool::check::behaviour::bench::{Bench, Value};
use crate::tool::check::description::{Causality, Initial, Kind, Start, Variability, Variable};
use crate::tool::check::rules::Rule;

/// Relative difference of a start value written with few digits.
const ROUNDING: f64 = 1e-6;

/// Checks values after initialization.
pub fn start(bench: &Bench) {
    let Some(slave) = bench.ready() else { return };
    let values = bench.observe(&slave);
    for (variable, value) in bench.description.variables.iter().zip(&values) {
        let name = &variable.name;
        match value {
            Value::Unreadable(status) => {
                let message = format!("reading it returns {status}");
                bench.journal.find_in(Rule::GetFailed, name, message);
            }
            Value::Text(None) => {
                let message = "its value is null";
                bench.journal.find_in(Rule::GetText, name, message);
            }
            Value::Real(_) | Value::Whole(_) | Value::Text(Some(_)) => {
                compare(bench, variable, value);
            }
        }
    }
}

/// Checks values before initialization, when reading may be rejected.
pub fn early(bench: &Bench) {
    let Some(slave) = bench.instance() else {
        return;
    };
    let values = bench.observe(&slave);
    let mut others = Vec::new();
    for (variable, value) in bench.description.variables.iter().zip(&values) {
        let is_readable = !matches!(value, Value::Unreadable(_) | Value::Text(None));
        if is_readable
            && variable.is_settable()
            && let Some(expected) = expected(variable).filter(|e| !is_same(variable, e, value))
            && !is_rounded(&expected, value)
        {
            others.push((
                &variable.name,
                value.display_text(),
                expected.display_text(),
            ));
        }
    }
    if let Some((name, is, should)) = others.first() {
        let n = others.len();
        let message = format!(
            "before the initialization it is {is}; the model description says {should}; \
             variables with other values than their start: {n}"
        );
        bench.journal.find_in(Rule::StartEarly, name, message);
    }
}

/// The start value that the library must have, if defined.
fn expected(variable: &Variable) -> Option<Value> {
    let is_exact = variable.initial() == Some(Initial::Exact);
    let start = variable.start.as_ref()?;
    (is_exact || variable.causality == Causality::Input).then(|| match start {
        Start::Real(x) => Value::Real(x.to_bits()),
        Start::Whole(x) => Value::Whole(*x),
        Start::Truth(x) => Value::Whole(i32::from(*x)),
        Start::Text(x) => Value::Text(Some(x.clone())),
    })
}

fn is_same(variable: &Variable, expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Real(a), Value::Real(b)) => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            a == b || a.is_nan() && b.is_nan()
        }
        // any number except 0 is true
        (Value::Whole(a), Value::Whole(b)) if variable.kind == Kind::Boolean => {
            (*a != 0) == (*b != 0)
        }
        _ => expected == value,
    }
}

fn compare(bench: &Bench, variable: &Variable, value: &Value) {
    let Some(expected) = expected(variable) else {
        return;
    };
    if is_same(variable, &expected, value) {
        return;
    }
    let rule = if is_rounded(&expected, value) {
        Rule::StartRounded
    } else if variable.is_settable() || variable.variability() == Variability::Constant {
        Rule::StartDiffers
    } else {
        Rule::StartMoved
    };
    let (is, should) = (value.display_text(), expected.display_text());
    let message = format!("it is {is}; the model description says {should}");
    bench.journal.find_in(rule, &variable.name, message);
}

fn is_rounded(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Real(a), Value::Real(b)) => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            a.is_finite() && (a - b).abs() <= ROUNDING * a.abs()
        }
        _ => false,
    }
}
