//! Plots of a run as a picture: SVG, or PNG.

mod chart;
mod picture;

use super::CliError;
use super::record::{Group, Recording};
use chart::{Chart, Lines};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use stiction::model::Model;

/// Maximum number of lines per panel: those that change most.
const MOST_LINES: usize = 8;

/// Quantities that can be plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Quantity {
    /// Positions and angles of bodies
    Positions,
    /// Velocities of bodies
    Velocities,
    /// Normal and friction forces of contacts
    Forces,
    /// Status of contacts: stick, slip or open
    Status,
    /// Kinetic, potential and total energy, and losses
    Energy,
    /// Applied forces and inputs
    Inputs,
    /// Outputs of an FMU from another tool
    Outputs,
}

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SVG.
    Svg,
    /// PNG.
    Png,
}

/// The requested file, or one named after the model, and its format.
pub fn target(file: Option<&Path>, name: &str) -> Result<(PathBuf, Format), CliError> {
    let Some(file) = file else {
        return Ok((PathBuf::from(format!("{name}.svg")), Format::Svg));
    };
    let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    let format = match ending.as_deref() {
        Some("svg") => Format::Svg,
        Some("png") => Format::Png,
        _ => {
            let message = format!("{} is neither an SVG nor a PNG file", file.display());
            return Err(CliError::usage(
                message,
                "name a file that ends with .svg or .png",
            ));
        }
    };
    Ok((file.to_owned(), format))
}

/// Rejects, before the run, plots that time stepping cannot provide: apart from joint stops, its contacts have no names.
pub fn refuse_in_time_stepping(
    model: &Model,
    what: &[Quantity],
    is_fmu: bool,
) -> Result<(), CliError> {
    if model.time_stepping.is_none() || !model.contacts.is_empty() {
        return Ok(());
    }
    let is_absent = |what: &Quantity| match what {
        Quantity::Forces => true,
        Quantity::Status => is_fmu,
        Quantity::Positions
        | Quantity::Velocities
        | Quantity::Energy
        | Quantity::Inputs
        | Quantity::Outputs => false,
    };
    let Some(what) = what.iter().find(|what| is_absent(what)) else {
        return Ok(());
    };
    let name = &model.name;
    Err(if is_fmu {
        CliError::usage(
            format!(
                "{name} has no {} to plot: with time stepping, an FMU does not expose individual contacts",
                name_of(*what)
            ),
            "plot positions, velocities, energy or inputs; run the scene itself with `stiction run` to plot the status",
        )
    } else {
        CliError::usage(
            format!(
                "{name} has no {} to plot: with time stepping, contacts have no names",
                name_of(*what)
            ),
            "plot positions, velocities, status (numbers of contacts), energy or inputs; --report shows the forces as arrows",
        )
    })
}

fn name_of(what: Quantity) -> String {
    let value = what.to_possible_value();
    value.map_or(String::new(), |value| value.get_name().to_owned())
}

/// The picture, or an error if there is nothing to draw.
pub fn draw(recording: &Recording, what: &[Quantity], format: Format) -> Result<Vec<u8>, CliError> {
    let with_bands = what.iter().any(|what| matches!(what, Quantity::Status));
    let mut chart = Chart::new(recording, format, with_bands);
    for what in what {
        let group = match what {
            Quantity::Positions => Group::Position,
            Quantity::Velocities => Group::Velocity,
            Quantity::Forces => Group::Force,
            Quantity::Energy => Group::Energy,
            Quantity::Inputs => Group::Input,
            Quantity::Outputs => Group::Other,
            // with time stepping, contacts are counted
            Quantity::Status if recording.outcome.is_some() => Group::Count,
            Quantity::Status => {
                if recording.tracks.is_empty() {
                    return Err(nothing(recording, *what));
                }
                chart.bands();
                continue;
            }
        };
        let panels = panels(recording, group);
        if panels.is_empty() {
            return Err(nothing(recording, *what));
        }
        for lines in &panels {
            chart.lines(lines);
        }
    }
    chart.finish().ok_or_else(|| CliError::Io {
        what: "the plot".to_owned(),
        error: std::io::Error::other("the picture does not fit into memory"),
    })
}

fn nothing(recording: &Recording, what: Quantity) -> CliError {
    CliError::usage(
        format!("{} has no {} to plot", recording.name, name_of(what)),
        match what {
            Quantity::Forces if recording.outcome.is_some() => {
                "no joint stop closed in this run, and with time stepping other contacts have no names"
            }
            Quantity::Status | Quantity::Forces => "no contact closed in this run",
            Quantity::Inputs => "the model has neither applied forces nor inputs",
            Quantity::Outputs => {
                "for a scene, plot positions, velocities, forces, status, energy or inputs"
            }
            Quantity::Positions | Quantity::Velocities | Quantity::Energy => {
                "for an FMU from another tool, plot outputs or inputs"
            }
        },
    )
}

/// One panel per unit of a group.
fn panels(recording: &Recording, group: Group) -> Vec<Lines> {
    let mut panels: Vec<Lines> = Vec::new();
    for (i, channel) in recording.channels.iter().enumerate() {
        if channel.group != group {
            continue;
        }
        match panels.iter_mut().find(|panel| panel.unit == channel.unit) {
            Some(panel) => panel.channels.push(i),
            None => panels.push(Lines {
                title: title(group, &channel.unit).to_owned(),
                unit: channel.unit.clone(),
                channels: vec![i],
                n_hidden: 0,
            }),
        }
    }
    for panel in &mut panels {
        choose(recording, panel);
    }
    // a scene of point masses has no angles
    let moves = |panel: &Lines| panel.channels.iter().any(|c| is_moving(recording, *c));
    let any_moves = panels.iter().any(moves);
    panels.retain(|panel| !any_moves || moves(panel));
    panels
}

fn is_moving(recording: &Recording, channel: usize) -> bool {
    let [low, high] = recording.span(channel);
    high > low
}

// those that change most, in their original order
fn choose(recording: &Recording, panel: &mut Lines) {
    let span = |channel: &usize| {
        let [low, high] = recording.span(*channel);
        high - low
    };
    let any_moves = panel.channels.iter().any(|c| is_moving(recording, *c));
    if any_moves {
        panel.channels.retain(|c| is_moving(recording, *c));
    }
    let mut order = panel.channels.clone();
    order.sort_by(|a, b| span(b).total_cmp(&span(a)));
    order.truncate(MOST_LINES);
    panel.n_hidden = panel.channels.len() - order.len();
    panel.channels.retain(|channel| order.contains(channel));
}

fn title(group: Group, unit: &str) -> &'static str {
    match (group, unit) {
        (Group::Position, "rad") => "Angles",
        (Group::Position, _) => "Positions",
        (Group::Orientation, _) => "Orientations",
        (Group::Velocity, "rad/s") => "Angular velocities",
        (Group::Velocity, _) => "Velocities",
        (Group::Force, _) => "Contact forces",
        (Group::Energy, _) => "Energy",
        (Group::Count, _) => "Numbers",
        (Group::Input, _) => "Applied forces and inputs",
        (Group::Other, _) => "Outputs",
    }
}
