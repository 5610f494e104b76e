//! The trajectory as CSV: one header, one row for each output time. `docs/CLI.md` has the columns.

mod space;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::CliError;
use super::output::Output;
use stiction::model::{Contact, ContactKind, Model};
use stiction::simulation::Simulation;

/// One column of the trajectory.
struct Column {
    name: String,
    /// Empty for words.
    unit: &'static str,
}

/// Writes a trajectory.
pub struct Trajectory {
    out: Output,
    line: String,
    last_time: f64,
}

impl Trajectory {
    /// Writes the header.
    pub fn start(mut out: Output, model: &Model, units: bool) -> Result<Self, CliError> {
        let mut line = String::new();
        for Column { name, unit } in columns(model) {
            if !line.is_empty() {
                line.push(',');
            }
            if units && !unit.is_empty() {
                line.push_str(&quoted(&format!("{name} [{unit}]")));
            } else {
                line.push_str(&quoted(&name));
            }
        }
        line.push('\n');
        out.write(&line)?;
        Ok(Self {
            out,
            line,
            last_time: f64::NEG_INFINITY,
        })
    }

    /// Writes the state as it is now; one that is written already is not written again.
    pub fn row(&mut self, simulation: &mut Simulation) -> Result<(), CliError> {
        if simulation.state().time <= self.last_time {
            return Ok(());
        }
        self.last_time = simulation.state().time;
        self.line.clear();
        // writing to a string cannot fail
        let _ = write_row(&mut self.line, simulation);
        self.out.write(&self.line)
    }

    /// Hands all rows to the system.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.out.finish()
    }
}

/// A name as a CSV field.
pub fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\"")).into()
    } else {
        name.into()
    }
}

fn columns(model: &Model) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut add = |name: String, unit| columns.push(Column { name, unit });
    add("time".to_owned(), "s");
    if model.is_spatial() {
        space::columns(model, &mut add);
        energies(&mut add);
        return columns;
    }
    for body in &model.bodies {
        let mut add = |suffix: &str, unit| add(format!("{}.{suffix}", body.name), unit);
        add("x", "m");
        add("y", "m");
        if body.n_dof == 3 {
            add("angle", "rad");
        }
        add("vx", "m/s");
        add("vy", "m/s");
        if body.n_dof == 3 {
            add("omega", "rad/s");
        }
    }
    for contact in &model.contacts {
        let (length, force) = contact_units(model, contact);
        add(format!("{}.gap", contact.name), length);
        add(format!("{}.normal_force", contact.name), force);
        if has_friction_column(contact) {
            add(format!("{}.friction_force", contact.name), force);
        }
        add(format!("{}.status", contact.name), "");
    }
    for link in &model.joints {
        for row in link.joint.row_names() {
            let unit = if *row == "angle" { "N m" } else { "N" };
            add(format!("{}.force.{row}", link.name), unit);
        }
    }
    energies(&mut add);
    columns
}

fn energies(add: &mut impl FnMut(String, &'static str)) {
    for energy in ["kinetic", "potential", "total"] {
        add(format!("energy.{energy}"), "J");
    }
}

// a stop of a joint has no tangent
fn has_friction_column(contact: &Contact) -> bool {
    !matches!(contact.kind, ContactKind::Limit(_))
}

fn contact_units(model: &Model, contact: &Contact) -> (&'static str, &'static str) {
    match contact.kind {
        ContactKind::Limit(stop)
            if model.joints[stop.joint]
                .joint
                .coordinate_turns(stop.coordinate) =>
        {
            ("rad", "N m")
        }
        ContactKind::Limit(_) | ContactKind::Feature(_) | ContactKind::Space(_) => ("m", "N"),
    }
}

// the shortest digits that read back as the same number
fn write_row(line: &mut String, simulation: &mut Simulation) -> fmt::Result {
    write!(line, "{:?}", simulation.state().time)?;
    if simulation.model().is_spatial() {
        space::write_row(line, simulation)?;
    } else {
        write_plane(line, simulation)?;
    }
    let energy = simulation.energy();
    for x in [energy.kinetic, energy.potential, energy.total()] {
        write!(line, ",{x:?}")?;
    }
    line.push('\n');
    Ok(())
}

fn write_plane(line: &mut String, simulation: &mut Simulation) -> fmt::Result {
    let velocity = simulation.reported_velocity().to_vec();
    let (model, state) = (simulation.model(), simulation.state());
    for body in &model.bodies {
        let range = body.first..body.first + body.n_dof;
        for x in state.position[range.clone()].iter().chain(&velocity[range]) {
            write!(line, ",{x:?}")?;
        }
    }
    for contact in 0..simulation.model().contacts.len() {
        let gap = simulation.gap(contact);
        let state = simulation.state();
        let friction = has_friction_column(&simulation.model().contacts[contact]);
        write!(line, ",{gap:?}")?;
        let [normal, tangential] = state.contact_force[contact];
        write!(line, ",{normal:?}")?;
        if friction {
            write!(line, ",{tangential:?}")?;
        }
        write!(line, ",{}", state.status[contact].name())?;
    }
    for force in &simulation.state().joint_force {
        write!(line, ",{force:?}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::Model;

    #[test]
    fn every_row_has_one_field_for_each_column() {
        let scene = r#"
            [[body]]
            name = "lever"
            kind = "rigid"
            mass = 1
            position = [0, 1]
            shape = [{ kind = "circle", radius = 0.1 }]
            [[body]]
            name = "weight"
            kind = "point"
            mass = 1
            position = [2, 1]
            shape = [{ kind = "point" }]
            [[ground.shape]]
            kind = "half_plane"
            normal = [0, 1]
            [[joint]]
            name = "pivot"
            kind = "revolute"
            bodies = ["ground", "lever"]
            at = [0, 1]
            limits = [-1, 1]
        "#;
        let model = Model::from_text("test", scene).unwrap();
        let n_columns = columns(&model).len();
        let mut simulation = Simulation::new(model);
        for time in [0.0, 0.01] {
            if time > 0.0 {
                simulation.advance_to(time).unwrap();
            }
            let mut line = String::new();
            write_row(&mut line, &mut simulation).unwrap();
            assert_eq!(line.trim_end().split(',').count(), n_columns, "{line}");
        }
    }

    #[test]
    fn a_name_with_a_comma_is_quoted() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("block-ground[1]"), "block-ground[1]");
    }
}
