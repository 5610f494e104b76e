//! Rules about `ModelStructure`.

use super::description::{Causality, Description, Initial, Kind, Unknown, Variability, Variable};
use super::rules::Rule;
use super::verdict::{Finding, Report};
use std::collections::BTreeSet;

/// Applies all rules.
pub fn examine(description: &Description, report: &mut Report) {
    let structure = &description.structure;
    let states = states(description);
    for (list, unknowns) in [
        ("Outputs", &structure.outputs),
        ("Derivatives", &structure.derivatives),
        ("InitialUnknowns", &structure.initial),
    ] {
        let mut seen = BTreeSet::new();
        for unknown in unknowns {
            if !seen.insert(unknown.index) {
                let message = format!("{list} repeats the index {}", unknown.index);
                report.add(Finding::new(Rule::StructureRepeated, message).line(unknown.line));
            }
            let is_initial = list == "InitialUnknowns";
            examine_unknown(unknown, list, is_initial, &states, description, report);
        }
    }
    outputs(description, report);
    derivatives(description, report);
    initial(description, &states, report);
}

/// Indices of the states, i.e. of the variables with a listed derivative.
fn states(description: &Description) -> BTreeSet<u32> {
    let listed = description.structure.derivatives.iter();
    listed
        .filter_map(|unknown| description.variable(unknown.index)?.derivative)
        .collect()
}

fn examine_unknown(
    unknown: &Unknown,
    list: &str,
    is_initial: bool,
    states: &BTreeSet<u32>,
    description: &Description,
    report: &mut Report,
) {
    let mut add = |rule, message: String| {
        let finding = Finding::new(rule, message).line(unknown.line);
        report.add(match description.variable(unknown.index) {
            Some(variable) => finding.variable(&variable.name),
            None => finding,
        });
    };
    if description.variable(unknown.index).is_none() {
        let n = description.variables.len();
        let message = format!("{list} has the index {}, of {n} variables", unknown.index);
        add(Rule::StructureIndex, message);
    }
    let n = unknown.dependencies.as_ref().map(Vec::len);
    if unknown.n_kinds.is_some() && unknown.n_kinds != n {
        let n_kinds = unknown.n_kinds.unwrap_or(0);
        let n = n.map_or("no".to_owned(), |n| n.to_string());
        let message = format!("there are {n_kinds} kinds for {n} dependencies");
        add(Rule::StructureKinds, message);
    }
    let dependencies = unknown.dependencies.as_deref().unwrap_or(&[]);
    if dependencies.windows(2).any(|pair| pair[0] >= pair[1]) {
        let message = format!("the dependencies in {list} are not in ascending order");
        add(Rule::StructureDependencyOrder, message);
    }
    for index in dependencies {
        let Some(variable) = description.variable(*index) else {
            let message = format!("a dependency in {list} has the index {index}");
            add(Rule::StructureIndex, message);
            continue;
        };
        let is_known = if is_initial {
            is_known_at_start(variable)
        } else {
            is_known(variable) || states.contains(index)
        };
        if !is_known {
            let name = &variable.name;
            let message =
                format!("{list} has a dependency on {name:?}, which is not among the knowns");
            add(Rule::StructureDependency, message);
        }
    }
}

fn is_known(variable: &Variable) -> bool {
    match variable.causality {
        Causality::Input | Causality::Independent | Causality::Parameter => true,
        Causality::CalculatedParameter => true,
        Causality::Output | Causality::Local => false,
    }
}

fn is_known_at_start(variable: &Variable) -> bool {
    match variable.causality {
        Causality::Input | Causality::Independent | Causality::Parameter => true,
        Causality::CalculatedParameter | Causality::Output | Causality::Local => {
            matches!(variable.initial(), Some(Initial::Exact))
        }
    }
}

fn outputs(description: &Description, report: &mut Report) {
    let listed: BTreeSet<u32> = indices(&description.structure.outputs);
    for (index, variable) in (1..).zip(&description.variables) {
        let is_output = variable.causality == Causality::Output;
        if is_output != listed.contains(&index) {
            let message = if is_output {
                "the output is not in Outputs"
            } else {
                "the variable is in Outputs but is not an output"
            };
            let finding = Finding::new(Rule::StructureOutputs, message);
            report.add(finding.line(variable.line).variable(&variable.name));
        }
    }
}

fn derivatives(description: &Description, report: &mut Report) {
    for unknown in &description.structure.derivatives {
        let Some(variable) = description.variable(unknown.index) else {
            continue;
        };
        if variable.derivative.is_none() {
            let message = "the variable is in Derivatives but is not a derivative";
            let finding = Finding::new(Rule::StructureDerivatives, message);
            report.add(finding.line(unknown.line).variable(&variable.name));
        }
    }
}

fn initial(description: &Description, states: &BTreeSet<u32>, report: &mut Report) {
    let structure = &description.structure;
    let listed = indices(&structure.initial);
    let derivatives = indices(&structure.derivatives);
    let address = |variable: &Variable| (variable.kind, variable.reference);
    let listed_addresses: BTreeSet<(Kind, u32)> = listed
        .iter()
        .filter_map(|index| description.variable(*index))
        .filter(|variable| variable.has_reference)
        .map(address)
        .collect();
    for (index, variable) in (1..).zip(&description.variables) {
        let is_open = matches!(
            variable.initial(),
            Some(Initial::Approx | Initial::Calculated)
        );
        let is_state = states.contains(&index) || derivatives.contains(&index);
        let is_expected = variable.causality == Causality::CalculatedParameter
            || is_open
                && (variable.causality == Causality::Output || is_state)
                && variable.variability() != Variability::Constant;
        let finding = |rule, message: &str| {
            Finding::new(rule, message)
                .line(variable.line)
                .variable(&variable.name)
        };
        // one variable of an alias set is enough
        let has_listed_alias =
            variable.has_reference && listed_addresses.contains(&address(variable));
        if is_expected && !listed.contains(&index) && !has_listed_alias {
            let message = "the variable is not in InitialUnknowns";
            report.add(finding(Rule::StructureInitialMissing, message));
        }
        if listed.contains(&index) && !is_expected {
            let message = "the variable is in InitialUnknowns and should not be";
            report.add(finding(Rule::StructureInitialExtra, message));
        }
    }
}

fn indices(unknowns: &[Unknown]) -> BTreeSet<u32> {
    unknowns.iter().map(|unknown| unknown.index).collect()
}
