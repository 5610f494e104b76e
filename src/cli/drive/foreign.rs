//! Recording of outputs and inputs of an FMU from any tool.

use super::remote::Remote;
use crate::cli::record::{Channel, Group, Recording, Row, RowSelector};
use stiction::tool::check::description::{Causality, Description, Kind, Variable};

/// Records outputs and inputs.
pub struct Foreign {
    variables: Vec<Variable>,
    recording: Recording,
    selector: RowSelector,
    channels: Vec<Channel>,
}

impl Foreign {
    /// For a run between two times. For an FMU without outputs, local variables are recorded.
    pub fn new(description: &Description, start: f64, until: f64) -> Self {
        let of = |wanted: &[Causality]| -> Vec<Variable> {
            let all = description.variables.iter();
            all.filter(|v| wanted.contains(&v.causality) && v.kind != Kind::Text)
                .cloned()
                .collect()
        };
        let mut variables = of(&[Causality::Output, Causality::Input]);
        if variables.iter().all(|v| v.causality == Causality::Input) {
            variables.extend(of(&[Causality::Local]));
        }
        let channel = |v: &Variable| Channel {
            name: v.name.clone(),
            unit: v.attributes.unit.clone().unwrap_or_default(),
            group: match v.causality {
                Causality::Input => Group::Input,
                Causality::Output
                | Causality::Local
                | Causality::Parameter
                | Causality::CalculatedParameter
                | Causality::Independent => Group::Other,
            },
        };
        let channels: Vec<Channel> = variables.iter().map(channel).collect();
        Self {
            selector: RowSelector::new(channels.len()),
            recording: Recording {
                name: description.model_name.clone(),
                start,
                until,
                ..Recording::default()
            },
            variables,
            channels,
        }
    }

    /// Samples the FMU.
    pub fn look(&mut self, slave: &Remote, time: f64) -> Result<(), String> {
        let mut row = Row {
            time,
            values: read(slave, &self.variables)?,
            ..Row::default()
        };
        self.selector
            .look(&mut self.recording, &self.channels, &mut row, false);
        Ok(())
    }

    /// The recording.
    pub fn finish(mut self) -> Recording {
        self.selector.finish(&mut self.recording);
        self.recording
    }
}

/// Values of variables, in their order.
pub fn read(slave: &Remote, variables: &[Variable]) -> Result<Vec<f64>, String> {
    let mut values = vec![f64::NAN; variables.len()];
    for group in [Kind::Real, Kind::Integer, Kind::Boolean] {
        let is_in =
            |v: &Variable| v.kind == group || v.kind == Kind::Enumeration && group == Kind::Integer;
        let places: Vec<usize> = (0..variables.len())
            .filter(|i| is_in(&variables[*i]))
            .collect();
        if places.is_empty() {
            continue;
        }
        let references: Vec<u32> = places.iter().map(|i| variables[*i].reference).collect();
        let whole = |(status, values): (_, Vec<i32>)| {
            (
                status,
                values.into_iter().map(f64::from).collect::<Vec<f64>>(),
            )
        };
        let (status, found) = match group {
            Kind::Real => slave.get_real(&references),
            Kind::Integer | Kind::Enumeration | Kind::Text => whole(slave.get_integer(&references)),
            Kind::Boolean => whole(slave.get_boolean(&references)),
        };
        if !status.is_good() {
            return Err(format!(
                "reading the {} variables gave {status}",
                group.name()
            ));
        }
        for (place, value) in places.into_iter().zip(found) {
            values[place] = value;
        }
    }
    Ok(values)
}
