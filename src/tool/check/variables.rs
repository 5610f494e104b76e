//! Rules about variables.

use super::description::{
    Causality, Description, Initial, Kind, SimpleType, Start, Variability, Variable,
};
use super::general::{range, unit_is_declared};
use super::names::is_structured;
use super::rules::Rule;
use super::verdict::{Finding, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Applies all rules.
pub fn examine(description: &Description, report: &mut Report) {
    names(description, report);
    for variable in &description.variables {
        let mut add = |rule, message: String| report.add(at(variable, rule, message));
        causality(variable, &mut add);
        initial_and_start(variable, &mut add);
        declared_type(variable, description, &mut add);
        values(variable, description, &mut add);
    }
    independent(description, report);
    derivatives(description, report);
    aliases(description, report);
}

fn at(variable: &Variable, rule: Rule, message: impl Into<String>) -> Finding {
    Finding::new(rule, message)
        .line(variable.line)
        .variable(&variable.name)
}

fn names(description: &Description, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for variable in &description.variables {
        let name = variable.name.as_str();
        if name.trim().is_empty() {
            report.add(at(variable, Rule::NameEmpty, "a variable has no name"));
        } else if !seen.insert(name) {
            let message = "another variable has this name";
            report.add(at(variable, Rule::NameDuplicate, message));
        } else if name.contains(['\n', '\r', '\t']) {
            let message = "the name contains a line break or tab";
            report.add(at(variable, Rule::NameControl, message));
        } else if description.is_structured && !is_structured(name) {
            let message = "the name is not structured";
            report.add(at(variable, Rule::NameSyntax, message));
        }
    }
}

fn causality(variable: &Variable, add: &mut impl FnMut(Rule, String)) {
    let variability = variable.variability();
    let kind = variable.kind;
    if kind != Kind::Real {
        if variability == Variability::Continuous {
            let message = format!("the variable is of type {} and continuous", kind.name());
            add(Rule::VariabilityContinuous, message);
            return;
        }
        if variable.given_variability.is_none() {
            let message = format!("a variable of type {} without variability", kind.name());
            add(Rule::VariabilityDefault, message);
            return;
        }
    }
    use Variability::{Constant, Continuous, Discrete, Fixed, Tunable};
    let allowed: &[Variability] = match variable.causality {
        Causality::Parameter | Causality::CalculatedParameter => &[Fixed, Tunable],
        Causality::Input => &[Discrete, Continuous],
        Causality::Output => &[Constant, Discrete, Continuous],
        Causality::Local => &[Constant, Fixed, Tunable, Discrete, Continuous],
        Causality::Independent => &[Continuous],
    };
    if !allowed.contains(&variability) {
        let causality = variable.causality.word();
        let message = match variable.given_variability {
            Some(word) => format!("causality {causality} with variability {}", word.word()),
            None => {
                format!("causality {causality} without variability, whose default is continuous")
            }
        };
        add(Rule::VariabilityCausality, message);
    }
}

fn initial_and_start(variable: &Variable, add: &mut impl FnMut(Rule, String)) {
    use Initial::{Approx, Calculated, Exact};
    let allowed: &[Initial] = match (variable.causality, variable.variability()) {
        (Causality::Input | Causality::Independent, _) => &[],
        (Causality::Parameter, _) | (_, Variability::Constant) => &[Exact],
        (Causality::CalculatedParameter, _) | (_, Variability::Fixed | Variability::Tunable) => {
            &[Approx, Calculated]
        }
        (_, Variability::Discrete | Variability::Continuous) => &[Exact, Approx, Calculated],
    };
    if let Some(initial) = variable.given_initial
        && !allowed.contains(&initial)
    {
        let causality = variable.causality.word();
        let message = format!(
            "initial is {}, with causality {causality} and variability {}",
            initial.word(),
            variable.variability().word()
        );
        let rule = if allowed.is_empty() {
            Rule::InitialForbidden
        } else {
            Rule::InitialCombination
        };
        add(rule, message);
        return;
    }
    let what = match (variable.causality, variable.initial()) {
        (Causality::Input, _) => "an input".to_owned(),
        (Causality::Independent, _) => "the independent variable".to_owned(),
        (_, Some(initial)) => format!("a variable with initial {}", initial.word()),
        (_, None) => return,
    };
    let is_needed = variable.causality == Causality::Input
        || matches!(variable.initial(), Some(Exact | Approx));
    if is_needed && !variable.has_start {
        add(Rule::StartMissing, format!("{what} has no start value"));
    } else if !is_needed && variable.has_start {
        add(Rule::StartForbidden, format!("{what} has a start value"));
    }
}

fn type_of<'a>(variable: &Variable, description: &'a Description) -> Option<&'a SimpleType> {
    description.type_named(variable.declared_type.as_ref()?)
}

fn declared_type(
    variable: &Variable,
    description: &Description,
    add: &mut impl FnMut(Rule, String),
) {
    let Some(name) = &variable.declared_type else {
        return;
    };
    match type_of(variable, description) {
        None => add(
            Rule::TypeUndeclared,
            format!("the type {name:?} is not declared"),
        ),
        Some(found) if found.kind != variable.kind => {
            let (own, other) = (variable.kind.name(), found.kind.name());
            let message =
                format!("the variable is of type {own}, its declared type {name:?} of {other}");
            add(Rule::TypeMismatch, message);
        }
        Some(_) => {}
    }
}

fn values(variable: &Variable, description: &Description, add: &mut impl FnMut(Rule, String)) {
    let attributes = &variable.attributes;
    range(
        attributes.min,
        attributes.max,
        attributes.nominal,
        &mut *add,
    );
    if let (Kind::Real, Some(unit)) = (variable.kind, &attributes.unit) {
        unit_is_declared(
            description,
            unit,
            attributes.display_unit.as_deref(),
            &mut *add,
        );
    }
    let value = match &variable.start {
        Some(Start::Real(value)) => *value,
        Some(Start::Whole(value)) => f64::from(*value),
        Some(Start::Truth(_) | Start::Text(_)) | None => return,
    };
    if !value.is_finite() {
        add(Rule::StartNotFinite, format!("the start value is {value}"));
    }
    if attributes.min.is_some_and(|min| value < min) {
        let min = attributes.min.unwrap_or_default();
        let message = format!("the start value {value} is below the minimum {min}");
        add(Rule::StartOutside, message);
    }
    if attributes.max.is_some_and(|max| value > max) {
        let max = attributes.max.unwrap_or_default();
        let message = format!("the start value {value} is above the maximum {max}");
        add(Rule::StartOutside, message);
    }
    if let (Kind::Enumeration, Some(Start::Whole(value)), Some(of_type)) = (
        variable.kind,
        &variable.start,
        type_of(variable, description),
    ) && !of_type.has_value(*value)
    {
        let message = format!("no item of {:?} has the value {value}", of_type.name);
        add(Rule::StartItem, message);
    }
}

fn independent(description: &Description, report: &mut Report) {
    let variables = description.variables.iter();
    let found = variables.filter(|v| v.causality == Causality::Independent);
    for (i, variable) in found.enumerate() {
        if i > 0 {
            let message = "this is a second independent variable";
            report.add(at(variable, Rule::IndependentTwice, message));
        }
        if variable.kind != Kind::Real {
            let message = format!(
                "the independent variable is of type {}",
                variable.kind.name()
            );
            report.add(at(variable, Rule::IndependentType, message));
        }
    }
}

fn derivatives(description: &Description, report: &mut Report) {
    for variable in &description.variables {
        let Some(index) = variable.derivative else {
            continue;
        };
        let is_good = description.variable(index).is_some_and(|state| {
            state.kind == Kind::Real && state.variability() == Variability::Continuous
        });
        if !is_good {
            let message = format!("the variable is the derivative of index {index}");
            report.add(at(variable, Rule::DerivativeIndex, message));
        }
    }
}

/// The kind of the functions for this kind: enumerations are integers there.
fn space(kind: Kind) -> Kind {
    match kind {
        Kind::Enumeration => Kind::Integer,
        Kind::Real | Kind::Integer | Kind::Boolean | Kind::Text => kind,
    }
}

fn aliases(description: &Description, report: &mut Report) {
    let mut sets: BTreeMap<(Kind, u32), Vec<&Variable>> = BTreeMap::new();
    for variable in description.variables.iter().filter(|v| v.has_reference) {
        let key = (space(variable.kind), variable.reference);
        sets.entry(key).or_default().push(variable);
    }
    for set in sets.values().filter(|set| set.len() > 1) {
        let (first, others) = (set[0], &set[1..]);
        let is_constant = |v: &Variable| v.variability() == Variability::Constant;
        for other in others {
            let name = &first.name;
            let mut add = |rule, message| report.add(at(other, rule, message));
            if other.attributes.unit != first.attributes.unit {
                let message = format!("its alias {name:?} has another unit");
                add(Rule::AliasUnit, message);
            }
            if is_constant(other) != is_constant(first) {
                let message = format!("only one of it and its alias {name:?} is constant");
                add(Rule::AliasConstant, message);
            } else if is_constant(other) && other.start != first.start {
                let message = format!("its alias {name:?} is a different constant");
                add(Rule::AliasStart, message);
            }
        }
        let second = |test: fn(&Variable) -> bool| set.iter().filter(move |v| test(v)).nth(1);
        if let Some(other) = second(Variable::is_settable) {
            let message = "an alias of it is also an input or a parameter";
            report.add(at(other, Rule::AliasSettable, message));
        } else if let Some(other) =
            second(|v| v.has_start && v.variability() != Variability::Constant)
        {
            let message = "an alias of it also has a start value";
            report.add(at(other, Rule::AliasStart, message));
        }
    }
}
