//! What goes into an FMU: start values, and inputs from expressions or from a CSV file.

use crate::cli::CliError;
use crate::cli::args::RunOptions;
use crate::cli::compare::Table;
use exmex::{Express as _, FlatEx};
use stiction::check::description::{Causality, Description, Kind, Variable};
use stiction::fmi::import::{Slave, Status};
use stiction::scene::suggest::distance;

const OPERATORS: &str = "t is the time in s; there are + - * / ^, sin, cos, tan, exp, sqrt, abs, signum, PI and the like";

/// A value over time.
enum Source {
    Expression(Box<FlatEx<f64>>),
    /// Times and values, with straight lines between them.
    Rows(Vec<f64>, Vec<f64>),
}

/// What goes into an FMU.
pub struct Inputs {
    sources: Vec<(Variable, Source)>,
    starts: Vec<(Variable, f64)>,
}

impl Inputs {
    /// As the options say.
    pub fn new(description: &Description, options: &RunOptions) -> Result<Self, CliError> {
        let mut sources = Vec::new();
        if let Some(file) = &options.inputs {
            let table = Table::read(file)?;
            for (name, values) in table.columns() {
                let variable = input(description, name)?;
                sources.push((
                    variable,
                    Source::Rows(table.times().to_vec(), values.to_vec()),
                ));
            }
        }
        for text in &options.input {
            let (name, expression) = split(text, "--input", "push.force_x=6*cos(t)")?;
            let variable = input(description, name)?;
            sources.retain(|(other, _)| other.reference != variable.reference);
            sources.push((
                variable,
                Source::Expression(Box::new(parse(name, expression)?)),
            ));
        }
        let mut starts = Vec::new();
        for text in &options.set {
            let (name, value) = split(text, "--set", "contact.friction=0.5")?;
            let variable = settable(description, name)?;
            let value = value.trim().parse().map_err(|_| {
                let message = format!("the value of {name} is {value:?}, which is no number");
                CliError::usage(message, "write for example --set friction=0.5")
            })?;
            starts.push((variable, value));
        }
        Ok(Self { sources, starts })
    }

    /// For people.
    pub fn words(&self) -> String {
        if self.sources.is_empty() {
            return "none given".to_owned();
        }
        let names: Vec<&str> = self.sources.iter().map(|(v, _)| v.name.as_str()).collect();
        names.join(", ")
    }

    /// The value of an input at a time, if it is given.
    pub fn value(&self, name: &str, time: f64) -> Option<f64> {
        let (_, source) = self.sources.iter().find(|(v, _)| v.name == name)?;
        Some(source.value(time))
    }

    /// Sets start values, before the initialization.
    pub fn set_starts(&self, slave: &Slave) -> Result<(), String> {
        for (variable, value) in &self.starts {
            set(slave, variable, *value)?;
        }
        Ok(())
    }

    /// Sets inputs for the step that begins; with their mean rate up to `end` if it is given.
    pub fn set(&self, slave: &Slave, time: f64, end: Option<f64>) -> Result<(), String> {
        for (variable, source) in &self.sources {
            let value = source.value(time);
            if !value.is_finite() {
                return Err(format!("the input {} is {value}", variable.name));
            }
            set(slave, variable, value)?;
            if let (Some(end), Kind::Real) = (end, variable.kind) {
                let rate = (source.value(end) - value) / (end - time);
                if rate.is_finite() {
                    slave.set_input_derivatives(&[variable.reference], 1, &[rate]);
                }
            }
        }
        Ok(())
    }
}

impl Source {
    fn value(&self, time: f64) -> f64 {
        match self {
            Self::Expression(expression) => {
                let n = expression.var_names().len();
                expression.eval(&vec![time; n]).unwrap_or(f64::NAN)
            }
            Self::Rows(times, values) => interpolated(times, values, time),
        }
    }
}

/// On straight lines between rows, held before the first and after the last.
fn interpolated(times: &[f64], values: &[f64], time: f64) -> f64 {
    let next = times.partition_point(|t| *t <= time);
    if next == 0 {
        return values.first().copied().unwrap_or(f64::NAN);
    }
    if next == times.len() {
        return values[next - 1];
    }
    let part = (time - times[next - 1]) / (times[next] - times[next - 1]);
    values[next - 1] + part * (values[next] - values[next - 1])
}

fn set(slave: &Slave, variable: &Variable, value: f64) -> Result<(), String> {
    let status = match variable.kind {
        Kind::Real => slave.set_real(variable.reference, value),
        Kind::Integer | Kind::Enumeration => {
            slave.set_integer(variable.reference, value.round() as i32)
        }
        Kind::Boolean => slave.set_boolean(variable.reference, value != 0.0),
        Kind::Text => Status::Missing,
    };
    if status.is_good() {
        Ok(())
    } else {
        Err(format!(
            "setting {} to {value} gave {status}",
            variable.name
        ))
    }
}

fn split<'a>(text: &'a str, option: &str, example: &str) -> Result<(&'a str, &'a str), CliError> {
    let parts = text.split_once('=').map(|(a, b)| (a.trim(), b.trim()));
    parts
        .filter(|(a, b)| !a.is_empty() && !b.is_empty())
        .ok_or_else(|| {
            let message = format!("{option} {text:?} is not of the form NAME=VALUE");
            CliError::usage(message, format!("write for example {option} \"{example}\""))
        })
}

fn parse(name: &str, text: &str) -> Result<FlatEx<f64>, CliError> {
    let wrong = |reason: String| {
        let message = format!("the expression {text:?} for {name} cannot be read: {reason}");
        CliError::usage(message, OPERATORS)
    };
    let expression = exmex::parse::<f64>(text).map_err(|error| wrong(error.msg().to_owned()))?;
    let unknown = expression.var_names().iter().find(|name| {
        let is_time = name.as_str() == "t" || name.as_str() == "time";
        !is_time
    });
    match unknown {
        Some(unknown) => Err(wrong(format!("nobody knows what {unknown:?} is"))),
        None => Ok(expression),
    }
}

fn input(description: &Description, name: &str) -> Result<Variable, CliError> {
    let is_input = |v: &&Variable| v.causality == Causality::Input && v.kind != Kind::Text;
    find(description, name, is_input, "input")
}

fn settable(description: &Description, name: &str) -> Result<Variable, CliError> {
    let is_settable = |v: &&Variable| v.is_settable() && v.kind != Kind::Text;
    find(description, name, is_settable, "parameter or input")
}

fn find(
    description: &Description,
    name: &str,
    is_wanted: impl Fn(&&Variable) -> bool,
    what: &str,
) -> Result<Variable, CliError> {
    let wanted: Vec<&Variable> = description.variables.iter().filter(is_wanted).collect();
    if let Some(variable) = wanted.iter().find(|v| v.name == name) {
        return Ok((*variable).clone());
    }
    let message = if description.variables.iter().any(|v| v.name == name) {
        format!("{name:?} is no {what} of the FMU")
    } else {
        format!("the FMU has no {what} {name:?}")
    };
    let near = wanted.iter().min_by_key(|v| distance(&v.name, name));
    let hint = match near {
        None => format!("it has no {what} at all"),
        Some(near) if distance(&near.name, name) <= 1 + name.len() / 3 => {
            format!("did you mean {:?}?", near.name)
        }
        Some(_) => {
            let names: Vec<&str> = wanted.iter().take(6).map(|v| v.name.as_str()).collect();
            let more = if wanted.len() > names.len() {
                ", .."
            } else {
                ""
            };
            format!("it has {}{more}", names.join(", "))
        }
    };
    Err(CliError::usage(message, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_by_straight_lines_and_held_outside() {
        let (times, values) = ([1.0, 2.0, 4.0], [0.0, 10.0, 20.0]);
        for (t, x) in [
            (0.0, 0.0),
            (1.5, 5.0),
            (2.0, 10.0),
            (3.0, 15.0),
            (9.0, 20.0),
        ] {
            assert_eq!(interpolated(&times, &values, t), x);
        }
    }

    #[test]
    fn expressions_know_the_time_and_nothing_else() {
        let source = Source::Expression(Box::new(parse("u", "6*cos(2*PI*t)+t^2").unwrap()));
        assert!((source.value(1.0) - 7.0).abs() < 1e-12);
        assert!(parse("u", "6*cos(").is_err());
        assert!(parse("u", "x+1").is_err());
    }
}
