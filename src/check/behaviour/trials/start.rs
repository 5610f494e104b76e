//! Start values: what the model description says against what the library has.

use crate::check::behaviour::bench::{Bench, Value};
use crate::check::description::{Causality, Initial, Start, Variability, Variable};
use crate::check::rules::Rule;

/// Relative difference that a start value with few digits has.
const ROUNDING: f64 = 1e-6;

/// After the initialization.
pub fn start(bench: &Bench) {
    let Some(slave) = bench.ready() else { return };
    let values = bench.observe(&slave);
    for (variable, value) in bench.description.variables.iter().zip(&values) {
        let name = &variable.name;
        match value {
            Value::Unreadable(status) => {
                let message = format!("reading it gives {status}");
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

/// Before it, where reading may be refused.
pub fn early(bench: &Bench) {
    let Some(slave) = bench.instance() else {
        return;
    };
    let values = bench.observe(&slave);
    for (variable, value) in bench.description.variables.iter().zip(&values) {
        let is_readable = !matches!(value, Value::Unreadable(_) | Value::Text(None));
        if is_readable && variable.is_settable() {
            compare(bench, variable, value);
        }
    }
}

fn compare(bench: &Bench, variable: &Variable, value: &Value) {
    let is_exact = variable.initial() == Some(Initial::Exact);
    let (Some(start), true) = (
        &variable.start,
        is_exact || variable.causality == Causality::Input,
    ) else {
        return;
    };
    let expected = match start {
        Start::Real(x) => Value::Real(x.to_bits()),
        Start::Whole(x) => Value::Whole(*x),
        Start::Truth(x) => Value::Whole(i32::from(*x)),
        Start::Text(x) => Value::Text(Some(x.clone())),
    };
    let is_same = match (&expected, value) {
        (Value::Real(a), Value::Real(b)) => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            a == b || a.is_nan() && b.is_nan()
        }
        // any number but 0 is true
        (Value::Whole(a), Value::Whole(b)) if matches!(start, Start::Truth(_)) => {
            (*a != 0) == (*b != 0)
        }
        _ => expected == *value,
    };
    if is_same {
        return;
    }
    let rule = if is_rounded(&expected, value) {
        Rule::StartRounded
    } else if variable.is_settable() || variable.variability() == Variability::Constant {
        Rule::StartDiffers
    } else {
        Rule::StartMoved
    };
    let (is, should) = (value.shown(), expected.shown());
    let message = format!("it is {is}; the model description says {should}");
    bench.journal.find_in(rule, &variable.name, message);
}

fn is_rounded(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Real(a), Value::Real(b)) => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            (a - b).abs() <= ROUNDING * a.abs()
        }
        _ => false,
    }
}
