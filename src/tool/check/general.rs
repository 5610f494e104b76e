//! Rules about everything before the variables: model, units, types, log categories, default experiment.

use super::description::{Description, Experiment, Interface, Kind};
use super::rules::Rule;
use super::verdict::{Finding, Report};
use std::collections::BTreeSet;

/// Applies all rules.
pub fn examine(description: &Description, report: &mut Report) {
    model(description, report);
    let exchange = description.model_exchange.iter();
    for interface in exchange.chain(&description.co_simulation) {
        examine_interface(interface, report);
    }
    units(description, report);
    types(description, report);
    let categories = description.log_categories.iter();
    let categories = categories.map(|(name, line)| (name.as_str(), *line));
    unique(categories, Rule::LogDuplicate, "the category", report);
    experiment(&description.experiment, report);
}

fn model(description: &Description, report: &mut Report) {
    let at = |rule, message: &str| Finding::new(rule, message).line(description.line);
    if description.guid.trim().is_empty() {
        report.add(at(Rule::ModelGuid, "the GUID is missing or empty"));
    }
    if description.model_name.trim().is_empty() {
        report.add(at(Rule::ModelName, "the model has no name"));
    }
    let (exchange, co_simulation) = (&description.model_exchange, &description.co_simulation);
    match (exchange.len(), co_simulation.len()) {
        (0, 0) => report.add(at(
            Rule::ModelKind,
            "there is neither CoSimulation nor ModelExchange",
        )),
        (_, 0) => report.add(at(
            Rule::ModelExchangeOnly,
            "this FMU is for model exchange only and cannot be run by this tool",
        )),
        (0, 1) => {}
        (1, 1) => report.add(at(
            Rule::ModelExchangeToo,
            "the FMU is for model exchange too, and that part was not run",
        )),
        _ => report.add(at(
            Rule::XmlRepeated,
            "CoSimulation or ModelExchange occurs twice",
        )),
    }
}

fn examine_interface(interface: &Interface, report: &mut Report) {
    let mut add = |rule, message: String| {
        report.add(Finding::new(rule, message).line(interface.line));
    };
    let name = &interface.model_identifier;
    if !is_c_identifier(name) {
        let message = format!("the modelIdentifier {name:?} is not a C identifier");
        add(Rule::ModelIdentifier, message);
    }
    if interface.serializes_state && !interface.saves_state {
        let message = "canSerializeFMUstate is true but canGetAndSetFMUstate is not";
        add(Rule::ModelFlags, message.into());
    }
    if interface.needs_tool {
        let message = "needsExecutionTool is true";
        add(Rule::ModelTool, message.into());
    }
}

/// Letters, digits and `_`, not starting with a digit.
pub fn is_c_identifier(name: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && name.chars().all(is_inside)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn unique<'a>(
    names: impl Iterator<Item = (&'a str, usize)>,
    rule: Rule,
    what: &str,
    report: &mut Report,
) {
    let mut seen = BTreeSet::new();
    for (name, line) in names {
        if !seen.insert(name) {
            let message = format!("{what} {name:?} is declared again");
            report.add(Finding::new(rule, message).line(line));
        }
    }
}

fn units(description: &Description, report: &mut Report) {
    let names = description.units.iter().map(|u| (u.name.as_str(), u.line));
    unique(names, Rule::UnitDuplicate, "the unit", report);
    for unit in &description.units {
        let names = unit.display.iter().map(|name| (name.as_str(), unit.line));
        unique(names, Rule::UnitDuplicate, "the display unit", report);
        for factor in &unit.factors {
            if *factor == 0.0 || !factor.is_finite() {
                let message = format!("a factor of the unit {:?} is {factor}", unit.name);
                report.add(Finding::new(Rule::UnitFactor, message).line(unit.line));
            }
        }
    }
}

fn types(description: &Description, report: &mut Report) {
    let names = description.types.iter().map(|t| (t.name.as_str(), t.line));
    unique(names, Rule::TypeDuplicate, "the type", report);
    let variables: BTreeSet<&str> = description
        .variables
        .iter()
        .map(|v| v.name.as_str())
        .collect();
    for declared in &description.types {
        let at = |rule, message: String| Finding::new(rule, message).line(declared.line);
        let name = &declared.name;
        if variables.contains(name.as_str()) {
            let message = format!("the type {name:?} has the name of a variable");
            report.add(at(Rule::TypeClash, message));
        }
        let mut seen = (BTreeSet::new(), BTreeSet::new());
        for (item, value) in &declared.items {
            if !(seen.0.insert(item) & seen.1.insert(value)) {
                let message = format!("the item {item:?} = {value} of {name:?} is repeated");
                report.add(at(Rule::TypeItems, message));
            }
        }
        range(
            declared.attributes.min,
            declared.attributes.max,
            declared.attributes.nominal,
            |rule, message| report.add(at(rule, message)),
        );
        if let (Kind::Real, Some(unit)) = (declared.kind, &declared.attributes.unit) {
            let display = declared.attributes.display_unit.as_deref();
            unit_is_declared(description, unit, display, |rule, message| {
                report.add(at(rule, message));
            });
        }
    }
}

/// Rules about min, max and nominal.
pub fn range(
    min: Option<f64>,
    max: Option<f64>,
    nominal: Option<f64>,
    mut add: impl FnMut(Rule, String),
) {
    if let (Some(min), Some(max)) = (min, max)
        && (min > max || min.is_nan() || max.is_nan())
    {
        let message = format!("the minimum {min} is above the maximum {max}");
        add(Rule::RangeEmpty, message);
    }
    if let Some(nominal) = nominal
        && !(nominal > 0.0 && nominal.is_finite())
    {
        add(Rule::RangeNominal, format!("nominal is {nominal}"));
    }
}

/// Rules about the use of units.
pub fn unit_is_declared(
    description: &Description,
    name: &str,
    display: Option<&str>,
    mut add: impl FnMut(Rule, String),
) {
    let Some(unit) = description.unit_named(name) else {
        let message = format!("the unit {name:?} is not declared");
        add(Rule::UnitUndeclared, message);
        return;
    };
    if let Some(display) = display
        && display != name
        && !unit.has_display(display)
    {
        let message = format!("{display:?} is not a display unit of {name:?}");
        add(Rule::UnitDisplay, message);
    }
}

fn experiment(experiment: &Experiment, report: &mut Report) {
    let mut add = |rule, message: String| {
        report.add(Finding::new(rule, message).line(experiment.line));
    };
    let times = [experiment.start, experiment.stop];
    if let Some(time) = times.into_iter().flatten().find(|t| !t.is_finite()) {
        add(Rule::ExperimentTimes, format!("a time is {time}"));
    }
    let start = experiment.start.unwrap_or(0.0);
    let length = experiment.stop.map(|stop| stop - start);
    if length.is_some_and(|length| length <= 0.0) {
        let message = "the stop time is not after the start time";
        add(Rule::ExperimentTimes, message.into());
    }
    if let Some(step) = experiment.step {
        if !(step > 0.0 && step.is_finite()) {
            add(Rule::ExperimentStep, format!("the step is {step}"));
        } else if length.is_some_and(|length| length > 0.0 && step > length) {
            add(
                Rule::ExperimentLongStep,
                format!("the step {step} is longer than the experiment"),
            );
        }
    }
    if let Some(tolerance) = experiment.tolerance
        && !(tolerance > 0.0 && tolerance.is_finite())
    {
        let message = format!("the tolerance is {tolerance}");
        add(Rule::ExperimentTolerance, message);
    }
}
