//! The trajectory as CSV: a header and one row per output time. Its columns are outputs of the variable table.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::CliError;
use super::output::Output;
use stiction::fmu::instance::variable::{Kind, Value, Variable};
use stiction::fmu::instance::variables::table;
use stiction::model::Model;
use stiction::simulation::Simulation;

/// Writes a trajectory.
pub struct Trajectory {
    out: Output,
    columns: Vec<Variable>,
    line: String,
    last_time: f64,
}

impl Trajectory {
    /// Writes the header.
    pub fn start(mut out: Output, model: &Model, units: bool) -> Result<Self, CliError> {
        let is_column = |v: &Variable| v.output().is_some_and(|output| output.is_column);
        let columns: Vec<Variable> = table(model).into_iter().filter(is_column).collect();
        let line = header(columns.iter().map(|v| (v.name.as_str(), unit(v))), units);
        out.write(&line)?;
        Ok(Self {
            out,
            columns,
            line,
            last_time: f64::NEG_INFINITY,
        })
    }

    /// Writes the current state, unless it has been written already.
    pub fn row(&mut self, simulation: &mut Simulation) -> Result<(), CliError> {
        let time = simulation.state().time;
        if time <= self.last_time {
            return Ok(());
        }
        self.last_time = time;
        self.line.clear();
        // writing to a string cannot fail
        let _ = write!(self.line, "{time:?}");
        for column in &self.columns {
            if let Some(output) = column.output() {
                let value = output.value(simulation);
                let _ = write!(self.line, ",{}", Field(value, &column.kind));
            }
        }
        self.line.push('\n');
        self.out.write(&self.line)
    }

    /// Flushes all rows.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.out.finish()
    }
}

/// Shortest decimal form that reads back as the same number; enumerations are written as item names.
struct Field<'a>(Value, &'a Kind);

impl std::fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let item = match (self.0, self.1) {
            (Value::Integer(n), Kind::Enumeration(enumeration)) => {
                let place = usize::try_from(n - 1).ok();
                place.and_then(|place| enumeration.items.get(place))
            }
            _ => None,
        };
        match item {
            Some((name, _)) => f.write_str(name),
            None => self.0.fmt(f),
        }
    }
}

fn unit(variable: &Variable) -> Option<&str> {
    match &variable.kind {
        Kind::Real { unit, .. } => Some(unit.name()),
        Kind::Integer { .. } | Kind::Boolean | Kind::Enumeration(_) => None,
    }
}

/// The header: time, then the variable names, optionally with units.
pub fn header<'a>(
    columns: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    units: bool,
) -> String {
    let mut line = String::new();
    for (name, unit) in [("time", Some("s"))].into_iter().chain(columns) {
        if !line.is_empty() {
            line.push(',');
        }
        match unit.filter(|_| units) {
            Some(unit) => line.push_str(&quoted(&format!("{name} [{unit}]"))),
            None => line.push_str(&quoted(name)),
        }
    }
    line.push('\n');
    line
}

/// A name as a CSV field.
pub fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\"")).into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_comma_is_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(
            quoted("contact.block.on.ground[1].gap"),
            "contact.block.on.ground[1].gap"
        );
    }
}
