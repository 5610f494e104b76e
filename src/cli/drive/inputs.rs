//! Values for an FMU: start values, and inputs from expressions or from a CSV file.

use super::remote::Remote;
use crate::cli::CliError;
use crate::cli::args::RunOptions;
use crate::cli::inputs::{Source, meant, sources, split};
use stiction::tool::check::description::{Causality, Description, Kind, Variable};
use stiction::tool::import::Status;

/// Start values and inputs of an FMU.
#[derive(Default)]
pub struct Inputs {
    sources: Vec<(Variable, Source)>,
    starts: Vec<(Variable, f64)>,
}

impl Inputs {
    /// From the command line options.
    pub fn new(description: &Description, options: &RunOptions) -> Result<Self, CliError> {
        let sources = sources(options, |name| input(description, name))?;
        let mut starts = Vec::new();
        for text in &options.set {
            let (name, value) = split(text, "--set", "pair.block.on.ground.friction=0.5")?;
            let variable = settable(description, name)?;
            let value = value.trim().parse().map_err(|_| {
                let message = format!("the value of {name} is {value:?}, which is not a number");
                CliError::usage(
                    message,
                    "write for example --set pair.block.on.ground.friction=0.5",
                )
            })?;
            starts.push((variable, value));
        }
        Ok(Self { sources, starts })
    }

    /// Text for the summary.
    pub fn words(&self) -> String {
        if self.sources.is_empty() {
            return "none given".to_owned();
        }
        let names: Vec<&str> = self.sources.iter().map(|(v, _)| v.name.as_str()).collect();
        names.join(", ")
    }

    /// The value of an input at a time, if given.
    pub fn value(&self, name: &str, time: f64) -> Option<f64> {
        let (_, source) = self.sources.iter().find(|(v, _)| v.name == name)?;
        Some(source.value(time))
    }

    /// Sets start values, before the initialization.
    pub fn set_starts(&self, slave: &Remote) -> Result<(), String> {
        for (variable, value) in &self.starts {
            set(slave, variable, *value)?;
        }
        Ok(())
    }

    /// Sets inputs for the next step, with their mean rate up to `end` if that is given.
    pub fn set(&self, slave: &Remote, time: f64, end: Option<f64>) -> Result<(), String> {
        for (variable, source) in &self.sources {
            let value = source.value(time);
            if !value.is_finite() {
                return Err(format!("the input {} is {value}", variable.name));
            }
            set(slave, variable, value)?;
            if let (Some(end), Kind::Real) = (end, variable.kind) {
                let rate = (source.value(end) - value) / (end - time);
                if rate.is_finite() {
                    slave.set_input_derivative(variable.reference, rate);
                }
            }
        }
        Ok(())
    }
}

fn set(slave: &Remote, variable: &Variable, value: f64) -> Result<(), String> {
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
    let names: Vec<&str> = wanted.iter().map(|v| v.name.as_str()).collect();
    let hint = meant(name, &names, &format!("it has no {what} at all"));
    Err(CliError::usage(message, hint))
}
