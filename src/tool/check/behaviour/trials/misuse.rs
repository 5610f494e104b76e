//! Invalid calls, which the library should reject and must survive.

use crate::tool::check::behaviour::bench::Bench;
use crate::tool::check::behaviour::journal::Line;
use crate::tool::check::description::{Kind, Variable};
use crate::tool::check::rules::Rule;
use crate::tool::import::Slave;

/// Maximum number of variables tested.
const MAX_VARIABLES: usize = 50;

/// Inputs and parameters outside their limits.
pub fn limits(bench: &Bench) {
    let variables = bench.description.variables.iter();
    let is_limited = |v: &&Variable| v.attributes.min.is_some() || v.attributes.max.is_some();
    let limited = variables.filter(|v| v.is_settable()).filter(is_limited);
    for variable in limited.take(MAX_VARIABLES) {
        // a new instance each time: it need not survive an invalid call
        let Some(slave) = bench.instance() else {
            return;
        };
        let beyond_max = variable.attributes.max.map(|max| beyond(max, 1.0));
        let beyond_min = variable.attributes.min.map(|min| beyond(min, -1.0));
        for value in [beyond_max, beyond_min].into_iter().flatten() {
            if set(&slave, variable, value) == Some(true) {
                let message = format!("the value {value} is accepted");
                let rule = Rule::LimitsUnguarded;
                bench.journal.find_in(rule, &variable.name, message);
                break;
            }
        }
    }
}

fn beyond(limit: f64, direction: f64) -> f64 {
    limit + direction * limit.abs().max(1.0)
}

/// Was the value accepted? `None` if there is no such value.
fn set(slave: &Slave, variable: &Variable, value: f64) -> Option<bool> {
    let status = match variable.kind {
        Kind::Real if value.is_finite() => slave.set_real(variable.reference, value),
        Kind::Integer | Kind::Enumeration => {
            let is_whole = f64::from(i32::MIN) <= value && value <= f64::from(i32::MAX);
            is_whole.then(|| slave.set_integer(variable.reference, value as i32))?
        }
        Kind::Real | Kind::Boolean | Kind::Text => return None,
    };
    Some(status.is_good())
}

/// Steps from a wrong time, of zero length, backwards.
pub fn steps(bench: &Bench) {
    let plan = &bench.plan;
    let next = plan.start + plan.step;
    for (rule, time, step, what) in [
        (
            Rule::StepWrongTime,
            next + 10.5 * plan.step,
            plan.step,
            "a step from a later time",
        ),
        (Rule::StepNan, next, f64::NAN, "a step of NaN s"),
        (Rule::StepNan, f64::NAN, plan.step, "a step from NaN s"),
        (Rule::StepBackwards, next, -plan.step, "a negative step"),
    ] {
        let Some(slave) = bench.ready() else { return };
        if !slave.do_step(plan.start, plan.step).is_good() {
            return;
        }
        bench.journal.write(&Line::Purpose(what.to_owned()));
        let status = slave.do_step(time, step);
        if status.is_good() {
            let message = format!("{what} returns {status}");
            bench.journal.find(rule, message);
        }
    }
}
