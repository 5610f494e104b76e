//! Columns of a scene in space, in the axes that the scene gives its bodies.

use std::fmt::{self, Write as _};

use super::contact_units;
use stiction::kinds::space::BODY_DOF;
use stiction::math::Vec3;
use stiction::model::{ContactKind, Model};
use stiction::simulation::{Simulation, observe};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Adds all but the time and the energies.
pub fn columns(model: &Model, add: &mut impl FnMut(String, &'static str)) {
    for body in &model.bodies {
        let mut add = |names: &[&str], unit| {
            for name in names {
                add(format!("{}.{name}", body.name), unit);
            }
        };
        add(&AXES, "m");
        if body.n_dof == BODY_DOF {
            add(&["qw", "qx", "qy", "qz"], "1");
        }
        add(&["vx", "vy", "vz"], "m/s");
        if body.n_dof == BODY_DOF {
            add(&["wx", "wy", "wz"], "rad/s");
        }
    }
    for (j, contact) in model.contacts.iter().enumerate() {
        if !observe::is_shown(model, j) {
            continue;
        }
        let (length, force) = contact_units(model, contact);
        add(format!("{}.gap", contact.name), length);
        add(format!("{}.normal_force", contact.name), force);
        if matches!(contact.kind, ContactKind::Space(_)) {
            for axis in AXES {
                add(format!("{}.friction_force.{axis}", contact.name), force);
            }
        }
        add(format!("{}.status", contact.name), "");
    }
    for pair in observe::shape_pairs(model) {
        let name = format!("pair.{}", model.pairs[pair]);
        add(format!("{name}.gap"), "m");
        add(format!("{name}.normal_force"), "N");
        for axis in AXES {
            add(format!("{name}.force.{axis}"), "N");
        }
        add(format!("{name}.n_closed"), "1");
    }
    for link in &model.joints {
        let names = link.joint.space().map(|j| j.coordinate_names());
        for (k, name) in names.unwrap_or_default().iter().enumerate() {
            let units = if link.joint.coordinate_turns(k) {
                ["rad", "rad/s"]
            } else {
                ["m", "m/s"]
            };
            add(format!("{}.coordinate.{name}", link.name), units[0]);
            add(format!("{}.rate.{name}", link.name), units[1]);
        }
    }
    for link in &model.joints {
        for (k, row) in link.joint.row_names().iter().enumerate() {
            let unit = effort(link.joint.row_is_moment(k));
            add(format!("{}.force.{row}", link.name), unit);
        }
    }
    for motor in &model.motors {
        let joint = &model.joints[motor.joint].joint;
        let unit = effort(joint.coordinate_turns(motor.coordinate));
        add(format!("{}.effort", motor.name), unit);
    }
}

fn effort(is_moment: bool) -> &'static str {
    if is_moment { "N m" } else { "N" }
}

fn write_all<'a>(line: &mut String, values: impl IntoIterator<Item = &'a f64>) -> fmt::Result {
    for x in values {
        write!(line, ",{x:?}")?;
    }
    Ok(())
}

/// Writes one field for each column.
pub fn write_row(line: &mut String, simulation: &mut Simulation) -> fmt::Result {
    let velocity = simulation.reported_velocity().to_vec();
    let (model, state) = (simulation.model(), simulation.state());
    for (i, body) in model.bodies.iter().enumerate() {
        let linear = body.first..body.first + 3;
        write_all(line, &state.position[linear.clone()])?;
        let turns = body.n_dof == BODY_DOF;
        if turns {
            write_all(line, &observe::orientation(model, state, i))?;
        }
        write_all(line, &velocity[linear])?;
        if turns {
            let spin = observe::rotational(model, &velocity, i);
            write_all(line, observe::in_world_axes(state, i, spin).iter())?;
        }
    }
    for j in 0..simulation.model().contacts.len() {
        if !observe::is_shown(simulation.model(), j) {
            continue;
        }
        let gap = simulation.gap(j);
        let normal = simulation.instant().contact_force[j][0];
        let state = simulation.state();
        write_all(line, &[gap, normal])?;
        let kind = &simulation.model().contacts[j].kind;
        if matches!(kind, ContactKind::Space(_)) {
            let force: &Vec3 = &state.friction_force[j];
            write_all(line, force.iter())?;
        }
        write!(line, ",{}", state.contact_status(j).name())?;
    }
    let pairs: Vec<usize> = observe::shape_pairs(simulation.model()).collect();
    for pair in pairs {
        let (gap, total) = (simulation.pair_gap(pair), simulation.pair_total(pair));
        write_all(line, &[gap, total.normal_force])?;
        write_all(line, total.force.iter())?;
        write!(line, ",{}", total.n_closed)?;
    }
    for joint in 0..simulation.model().joints.len() {
        let link = &simulation.model().joints[joint].joint;
        for k in 0..link.space().map_or(0, |j| j.n_coordinates()) {
            write_all(line, &simulation.joint_coordinate(joint, k))?;
        }
    }
    if simulation.state().joint_force.is_empty() {
        return Ok(());
    }
    write_all(line, &simulation.instant().joint_force)
}

#[cfg(test)]
mod tests {
    use super::super::{columns, write_row};
    use stiction::simulation::{Simulation, model_from_text};

    #[test]
    fn every_row_has_one_field_for_each_column() {
        for scene in [
            include_str!("../../../tests/data/space/stack.toml"),
            include_str!("../../../tests/data/space/workshop.toml"),
        ] {
            let model = model_from_text("test", scene).unwrap();
            let n_columns = columns(&model).len();
            let mut simulation = Simulation::new(model);
            simulation.initialize().unwrap();
            let mut line = String::new();
            write_row(&mut line, &mut simulation).unwrap();
            assert_eq!(line.trim_end().split(',').count(), n_columns, "{line}");
        }
    }
}
