//! Inputs over time from the command line, as expressions or columns of a CSV file, and their use in a scene.

use super::CliError;
use super::args::RunOptions;
use super::compare::Table;
use super::format::short;
use exmex::{Express as _, FlatEx};
use stiction::kinds::plane::force::Input;
use stiction::model::Model;
use stiction::scene::suggest::distance;
use stiction::simulation::Simulation;

const OPERATORS: &str = "t is the time in s; available are + - * / ^, sin, cos, tan, exp, sqrt, abs, signum, PI and others";

/// A value over time.
pub enum Source {
    /// Function of time.
    Expression(Box<FlatEx<f64>>),
    /// Times and values, interpolated linearly.
    Rows(Vec<f64>, Vec<f64>),
}

impl Source {
    /// The value at a time.
    pub fn value(&self, time: f64) -> f64 {
        match self {
            Self::Expression(expression) => {
                let n = expression.var_names().len();
                expression.eval(&vec![time; n]).unwrap_or(f64::NAN)
            }
            Self::Rows(times, values) => interpolated(times, values, time),
        }
    }
}

/// Inputs from `--inputs` and `--input`; an expression takes precedence over a column. `find` looks up an input by name.
pub fn sources<V>(
    options: &RunOptions,
    find: impl Fn(&str) -> Result<V, CliError>,
) -> Result<Vec<(V, Source)>, CliError> {
    let mut given: Vec<(String, Source)> = Vec::new();
    if let Some(file) = &options.inputs {
        let table = Table::read(file)?;
        for (name, values) in table.columns() {
            let rows = Source::Rows(table.times().to_vec(), values.to_vec());
            given.push((name.to_owned(), rows));
        }
    }
    for text in &options.input {
        let (name, expression) = split(text, "--input", "push.force_x=6*cos(t)")?;
        given.retain(|(other, _)| other != name);
        let source = Source::Expression(Box::new(parse(name, expression)?));
        given.push((name.to_owned(), source));
    }
    let found = given
        .into_iter()
        .map(|(name, source)| Ok((find(&name)?, source)));
    found.collect()
}

/// Splits `NAME=VALUE`.
pub fn split<'a>(
    text: &'a str,
    option: &str,
    example: &str,
) -> Result<(&'a str, &'a str), CliError> {
    let parts = text.split_once('=').map(|(a, b)| (a.trim(), b.trim()));
    parts
        .filter(|(a, b)| !a.is_empty() && !b.is_empty())
        .ok_or_else(|| {
            let message = format!("{option} {text:?} is not of the form NAME=VALUE");
            CliError::usage(message, format!("write for example {option} \"{example}\""))
        })
}

/// Suggests one of the `wanted` names for an unknown name, or returns `nothing` if there are none.
pub fn meant(name: &str, wanted: &[&str], nothing: &str) -> String {
    let near = wanted.iter().min_by_key(|known| distance(known, name));
    match near {
        None => nothing.to_owned(),
        Some(near) if distance(near, name) <= 1 + name.len() / 3 => {
            format!("did you mean {near:?}?")
        }
        Some(_) => {
            let names: Vec<&str> = wanted.iter().take(6).copied().collect();
            let more = if wanted.len() > names.len() {
                ", .."
            } else {
                ""
            };
            format!("it has {}{more}", names.join(", "))
        }
    }
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
        Some(unknown) => Err(wrong(format!("unknown name {unknown:?}"))),
        None => Ok(expression),
    }
}

/// Linear interpolation between rows, constant before the first and after the last.
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

/// Inputs of a scene, by index of the model's inputs.
pub struct SceneInputs(Vec<(usize, Source)>);

impl SceneInputs {
    /// From the command line options.
    pub fn new(model: &Model, options: &RunOptions) -> Result<Self, CliError> {
        let names: Vec<&str> = model.inputs.iter().map(|i| i.name.as_str()).collect();
        let find = |name: &str| {
            names.iter().position(|known| *known == name).ok_or_else(|| {
                let nothing = "it has no input at all: write `{ kind = \"input\" }` for a component of an applied force, or for the value of a motor";
                let hint = meant(name, &names, nothing);
                CliError::usage(format!("the scene has no input {name:?}"), hint)
            })
        };
        sources(options, find).map(Self)
    }

    /// Are there no inputs?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the initial values, before the initialization.
    pub fn start(&self, simulation: &mut Simulation) -> Result<(), CliError> {
        self.set(simulation, None)
    }

    /// Sets linear inputs from the current time to `end`.
    pub fn lead(&self, simulation: &mut Simulation, end: f64) -> Result<(), CliError> {
        self.set(simulation, Some(end))
    }

    fn set(&self, simulation: &mut Simulation, end: Option<f64>) -> Result<(), CliError> {
        let now = simulation.state().time;
        for (i, source) in &self.0 {
            let value = source.value(now);
            let next = end.map_or(value, |end| source.value(end));
            for (time, x) in [(now, value), (end.unwrap_or(now), next)] {
                if !x.is_finite() {
                    let name = &simulation.model().inputs[*i].name;
                    return Err(CliError::Drive {
                        message: format!("at t = {} s the input {name} is {x}", short(time)),
                        hint: "the input must be finite from 0 to the end of the run".to_owned(),
                    });
                }
            }
            let state = simulation.state_mut();
            // contact statuses were determined with the previous force
            state.statuses_known &= state.inputs[*i].value(now) == value;
            state.inputs[*i] = Input::held(now, value);
            state.inputs[*i].derivatives[1] = end.map_or(0.0, |end| (next - value) / (end - now));
        }
        Ok(())
    }
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
