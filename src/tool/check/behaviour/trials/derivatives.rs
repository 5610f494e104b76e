//! Derivatives that the capability flags promise.

use crate::tool::check::behaviour::bench::{Bench, Observation};
use crate::tool::check::description::{Causality, Kind, Unknown, Variability, Variable};
use crate::tool::check::rules::Rule;
use crate::tool::import::Status;
use std::time::Instant;

/// Maximum number of pairs of variables for directional derivatives.
const MAX_PAIRS: usize = 2000;

/// Number of steps after which the effect of inputs is checked again.
const MORE_STEPS: u32 = 200;

/// Fraction of the largest derivative that rounding explains.
const ROUNDING: f64 = 1e-9;

/// Checks all three kinds.
pub fn derivatives(bench: &Bench) {
    if bench.interface.directional {
        directional(bench);
    }
    if bench.interface.output_derivatives > 0 {
        of_outputs(bench);
    }
    if bench.interface.interpolates_inputs {
        of_inputs(bench);
    }
}

/// Unknowns of the model structure with respect to inputs and states: must be zero without a declared dependency.
fn directional(bench: &Bench) {
    let description = bench.description;
    let structure = &description.structure;
    let states = structure
        .derivatives
        .iter()
        .filter_map(|unknown| description.variable(unknown.index)?.derivative);
    let inputs = (1..).zip(&description.variables);
    let inputs = inputs.filter(|(_, v)| v.causality == Causality::Input && is_continuous(v));
    let mut knowns: Vec<u32> = inputs.map(|(index, _)| index).chain(states).collect();
    knowns.sort_unstable();
    knowns.dedup();
    let unknowns = structure.outputs.iter().chain(&structure.derivatives);
    let unknowns: Vec<&Unknown> = unknowns
        .filter(|u| description.variable(u.index).is_some_and(is_continuous))
        .collect();
    let Some(slave) = bench.ready() else { return };
    if bench.steps(&slave, 0, 1).is_none() {
        return;
    }
    let all = unknowns
        .iter()
        .flat_map(|unknown| knowns.iter().map(move |known| (unknown, *known)));
    let mut n_asked = 0;
    let mut largest = 0.0_f64;
    let mut undeclared = Vec::new();
    for (unknown, known) in all.take(MAX_PAIRS) {
        let (Some(of), Some(by)) = (
            description.variable(unknown.index),
            description.variable(known),
        ) else {
            continue;
        };
        n_asked += 1;
        let (status, value) = slave.directional_derivative(of.reference, by.reference);
        let by = &by.name;
        if !status.is_good() || !value.is_finite() {
            let what = if status.is_good() {
                value.to_string()
            } else {
                status.to_string()
            };
            let message = format!("its derivative with respect to {by:?} is {what}");
            bench
                .journal
                .find_in(Rule::DirectionalFailed, &of.name, message);
            if matches!(status, Status::Fatal | Status::Missing) {
                break;
            }
            continue;
        }
        largest = largest.max(value.abs());
        let declared = unknown.dependencies.as_ref();
        if declared.is_some_and(|list| !list.contains(&known)) {
            undeclared.push((&of.name, by, value));
        }
    }
    for (of, by, value) in undeclared {
        if value.abs() > ROUNDING * largest {
            let message = format!("its derivative with respect to {by:?} is {value}");
            let rule = Rule::DirectionalUndeclared;
            bench.journal.find_in(rule, of, message);
        }
    }
    if n_asked > 0 {
        let name = "directional derivatives";
        bench.journal.add_fact(name, n_asked.to_string());
    }
}

fn is_continuous(variable: &Variable) -> bool {
    variable.kind == Kind::Real && variable.variability() == Variability::Continuous
}

fn of_outputs(bench: &Bench) {
    let mut outputs = bench.variables(Causality::Output, Kind::Real);
    outputs.retain(|v| is_continuous(v));
    let Some(slave) = bench.ready() else { return };
    if outputs.is_empty() || bench.steps(&slave, 0, 1).is_none() {
        return;
    }
    let highest = i32::try_from(bench.interface.output_derivatives).unwrap_or(i32::MAX);
    for order in 1..=highest.min(20) {
        for output in &outputs {
            let (status, values) = slave.output_derivatives(&[output.reference], order);
            if !status.is_good() || values.iter().any(|x| x.is_nan()) {
                let what = if status.is_good() {
                    "NaN".to_owned()
                } else {
                    status.to_string()
                };
                let message = format!("its derivative of order {order} is {what}");
                let rule = Rule::OutputDerivativesFailed;
                bench.journal.find_in(rule, &output.name, message);
                if matches!(status, Status::Fatal | Status::Missing) {
                    return;
                }
            }
        }
    }
}

/// Derivatives of inputs must be accepted, and should have an effect.
fn of_inputs(bench: &Bench) {
    let mut inputs = bench.variables(Causality::Input, Kind::Real);
    inputs.retain(|v| is_continuous(v));
    if inputs.is_empty() || !bench.can_step() {
        return;
    }
    let references: Vec<u32> = inputs.iter().map(|v| v.reference).collect();
    // values after that many steps, each with this derivative
    let run = |n_steps: u32, value: f64| -> Option<Observation> {
        let slave = bench.ready()?;
        let values = vec![value; references.len()];
        let rule = Rule::InputDerivativesFailed;
        for step in 0..n_steps {
            let status = slave.set_input_derivatives(&references, 1, &values);
            if !status.is_good() {
                let message = format!("fmi2SetRealInputDerivatives of order 1 returns {status}");
                bench.journal.find(rule, message);
                return None;
            }
            if !slave
                .do_step(bench.plan.time(step), bench.plan.step)
                .is_good()
            {
                // an input may reach an inadmissible value, but not in a single step
                if n_steps == 1 {
                    let message = "a step with derivatives of inputs fails";
                    bench.journal.find(rule, message);
                }
                return None;
            }
        }
        Some(bench.observe(&slave))
    };
    let began = Instant::now();
    let mut tried = 0;
    // an input may have a delayed effect, such as a belt on which a body slides at first
    for n_steps in [1, bench.plan.n_short(), MORE_STEPS, bench.plan.n_steps] {
        let n_steps = n_steps.min(bench.plan.n_steps);
        if n_steps == tried || tried > 0 && began.elapsed() > bench.limit / 4 {
            continue;
        }
        let (Some(flat), Some(steep)) = (run(n_steps, 0.0), run(n_steps, 1.0 / bench.plan.step))
        else {
            return;
        };
        if flat != steep {
            return;
        }
        tried = n_steps;
    }
    let steps = if tried == 1 { "step" } else { "steps" };
    let message =
        format!("{tried} {steps} with and without derivatives of inputs give the same result");
    bench.journal.find(Rule::InputDerivativesIgnored, message);
}
