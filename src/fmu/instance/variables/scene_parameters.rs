//! Parameters of the scene that the author names.

use super::Table;
use crate::fmu::instance::parameter::{Place, Range};
use crate::fmu::instance::unit::DisplayUnit;
use crate::fmu::instance::variable::{Unit, Variability};
use crate::model::Model;
use crate::scene::error::Problem;
use crate::scene::spec::parameter::Parameter;

impl Table {
    pub(super) fn scene_parameters(&mut self, model: &Model) {
        for (i, parameter) in model.parameters.iter().enumerate() {
            let range = range_of(parameter);
            let variability = match parameter.is_tunable {
                true => Variability::Tunable,
                false => Variability::Fixed,
            };
            let unit = unit_of(parameter).unwrap_or(Unit::One);
            self.parameter(
                &parameter.name,
                description(parameter),
                variability,
                range.kind(unit),
                ([i, 0], Place::Scene(range)),
            );
            if let Some(row) = self.rows.last_mut() {
                row.display_unit = display_unit_of(parameter, unit);
            }
        }
    }
}

/// That of the author, or what the numbers allow that it is copied to.
fn range_of(parameter: &Parameter) -> Range {
    let copied = parameter.targets.iter();
    let copied = copied.filter(|target| target.factor == 1.0 && target.offset == 0.0);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for target in copied {
        low = if target.range.lower > low {
            target.range.lower
        } else {
            low
        };
        high = if target.range.upper < high {
            target.range.upper
        } else {
            high
        };
    }
    Range::Within(parameter.min.unwrap_or(low), parameter.max.unwrap_or(high))
}

fn description(parameter: &Parameter) -> String {
    if !parameter.description.is_empty() {
        return parameter.description.clone();
    }
    let paths: Vec<&str> = parameter
        .targets
        .iter()
        .map(|t| t.path.text.as_str())
        .collect();
    format!("sets {}", paths.join(", "))
}

/// `None`: the author wrote one that there is not.
fn unit_of(parameter: &Parameter) -> Option<Unit> {
    let of_target = || {
        let first = parameter.targets.first();
        let unit = first.map_or("", |target| target.unit.as_str());
        unit.replace('²', "2").replace(' ', ".")
    };
    match &parameter.unit {
        Some(written) => {
            let mut all = Unit::ALL.iter().copied();
            all.find(|unit| unit.name() == written.text)
        }
        None => Some(Unit::of_symbol(&of_target())),
    }
}

fn display_unit_of(parameter: &Parameter, unit: Unit) -> Option<DisplayUnit> {
    unit.display_unit(&parameter.display_unit.as_ref()?.text)
}

/// Parameters with a unit that there is not, or one for display that is not one of theirs.
pub(super) fn wrong_units(model: &Model) -> Vec<Problem> {
    let mut problems = Vec::new();
    for parameter in &model.parameters {
        let unit = unit_of(parameter);
        if let (None, Some(written)) = (unit, &parameter.unit) {
            let known: Vec<&str> = Unit::ALL.iter().map(|unit| unit.name()).collect();
            problems.push(Problem {
                place: written.place.clone(),
                key: format!("parameter[{}].unit", parameter.name),
                message: format!(
                    "\"{}\" is not a unit of the SI that is known here",
                    written.text
                ),
                hint: format!("possible are \"{}\"", known.join("\", \"")),
            });
        }
        if let (Some(unit), Some(written)) = (unit, &parameter.display_unit)
            && display_unit_of(parameter, unit).is_none()
        {
            let known: Vec<&str> = unit.display_units().collect();
            problems.push(Problem {
                place: written.place.clone(),
                key: format!("parameter[{}].display_unit", parameter.name),
                message: format!(
                    "\"{}\" is not a unit for a value in {}",
                    written.text,
                    unit.name()
                ),
                hint: format!("possible are \"{}\"", known.join("\", \"")),
            });
        }
    }
    problems
}
