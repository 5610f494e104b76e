//! Positions, velocities and accelerations of bodies.

use super::{ANGULAR, AXES, LINEAR, QUATERNION, Table, interface};
use crate::fmu::instance::variable::{Output, Plot, Unit};
use crate::kinds::space::BODY_DOF;
use crate::math::Vec3;
use crate::model::{Body, Model};
use crate::scene::spec::ReportedVelocity;
use crate::simulation::{Simulation, observe};

/// Coordinates of a body in the state, with their units; a body in space also has an orientation.
pub(super) fn coordinates(model: &Model, body: &Body) -> &'static [(&'static str, [Unit; 3])] {
    const PLANE: &[(&str, [Unit; 3])] = &[("x", LINEAR), ("y", LINEAR), ("angle", ANGULAR)];
    const SPACE: &[(&str, [Unit; 3])] = &[("x", LINEAR), ("y", LINEAR), ("z", LINEAR)];
    if model.is_spatial() {
        SPACE
    } else {
        &PLANE[..body.n_dof]
    }
}

pub(super) fn turns_in_space(model: &Model, body: &Body) -> bool {
    model.is_spatial() && body.n_dof == BODY_DOF
}

fn position(i: usize) -> Output {
    Output::real([i, 0], |s, [i, _]| s.state().position[i])
        .rate(|s, [i, _]| Some(s.velocity()[i]))
        .restore(|state, [i, _], x| state.position[i] = x)
        .plotted(Plot::Position)
}

fn velocity(i: usize) -> Output {
    Output::real([i, 0], |s, [i, _]| s.reported_velocity()[i])
        .rate(|s, [i, _]| Some(if is_mean(s) { 0.0 } else { s.acceleration()[i] }))
        .restore(|state, [i, _], x| {
            state.velocity[i] = x;
            state.average_velocity[i] = x;
        })
        .plotted(Plot::Velocity)
}

fn acceleration(i: usize) -> Output {
    Output::real([i, 0], |s, [i, _]| s.acceleration()[i])
        .follows_inputs()
        .local()
}

// a mean velocity is constant until the next step
fn is_mean(s: &Simulation) -> bool {
    s.settings().reported_velocity == ReportedVelocity::Average
}

impl Table {
    pub(super) fn bodies(&mut self, model: &Model) {
        type Quantity = (&'static str, [&'static str; 2], fn(usize) -> Output);
        const QUANTITIES: [Quantity; 3] = [
            ("position", ["centre of mass", "rotation"], position),
            (
                "velocity",
                ["velocity of the centre of mass", "angular velocity"],
                velocity,
            ),
            (
                "acceleration",
                ["acceleration of the centre of mass", "angular acceleration"],
                acceleration,
            ),
        ];
        let by_joints = interface::shown_by_joints(model);
        for (b, body) in model.bodies_of_scene().iter().enumerate() {
            let name = &body.name;
            for (k, (quantity, [linear, angular], output)) in QUANTITIES.into_iter().enumerate() {
                for (i, (component, units)) in coordinates(model, body).iter().enumerate() {
                    let what = match *component {
                        "angle" => format!("{angular} of {name}"),
                        axis => format!("{linear} of {name}, {axis}"),
                    };
                    self.output(
                        format!("{name}.{quantity}.{component}"),
                        what,
                        units[k],
                        output(body.first + i).local_if(by_joints[b]),
                    );
                }
            }
            if turns_in_space(model, body) {
                self.orientation(b, name, by_joints[b]);
                self.rotation(b, name, by_joints[b]);
            }
        }
    }

    fn orientation(&mut self, b: usize, name: &str, is_local: bool) {
        self.vector(
            &format!("{name}.orientation"),
            &format!("quaternion from the world's to the axes of {name}"),
            Unit::One,
            &QUATERNION,
            Output::real([b, 0], |s, [b, i]| {
                observe::orientation(s.model(), s.state(), b)[i]
            })
            .rate(|s, [b, i]| {
                let spin = scene_spin(s, b);
                let orientation = observe::orientation(s.model(), s.state(), b);
                Some(observe::orientation_rate(orientation, spin)[i])
            })
            .restore(|state, [b, i], x| state.orientation[b][i] = x)
            .local_if(is_local)
            .column(),
        );
        let what = format!(
            "rotation of {name} about z, then y, then x of its own axes, for display; roll is 0 where the pitch is a right angle"
        );
        self.vector(
            &format!("{name}.euler"),
            &what,
            Unit::Radian,
            &["roll", "pitch", "yaw"],
            Output::real([b, 0], |s, [b, i]| {
                observe::euler(observe::orientation(s.model(), s.state(), b))[i]
            })
            .rate(|s, [b, i]| {
                let spin = scene_spin(s, b);
                let orientation = observe::orientation(s.model(), s.state(), b);
                observe::euler_rates(orientation, spin).map(|rates| rates[i])
            })
            .local(),
        );
    }

    fn rotation(&mut self, b: usize, name: &str, is_local: bool) {
        type Row = (&'static str, &'static str, Unit, Output);
        let rows: [Row; 4] = [
            (
                "angular_velocity",
                "rate of rotation in world axes",
                Unit::RadianPerSecond,
                Output::real([b, 0], |s, of| world(s, of, reported_spin))
                    .rate(|s, of| Some(unless_mean(s, |s| world(s, of, spin_change))))
                    .local_if(is_local)
                    .column(),
            ),
            (
                "angular_velocity_body",
                "rate of rotation in body axes",
                Unit::RadianPerSecond,
                Output::real([b, 0], |s, of| scene(s, of, reported_spin))
                    .rate(|s, of| Some(unless_mean(s, |s| scene(s, of, spin_change))))
                    .local(),
            ),
            (
                "angular_acceleration",
                "angular acceleration in world axes",
                Unit::RadianPerSecond2,
                Output::real([b, 0], |s, of| world(s, of, spin_change))
                    .follows_inputs()
                    .local(),
            ),
            (
                "angular_acceleration_body",
                "angular acceleration in body axes",
                Unit::RadianPerSecond2,
                Output::real([b, 0], |s, of| scene(s, of, spin_change))
                    .follows_inputs()
                    .local(),
            ),
        ];
        for (quantity, phrase, unit, output) in rows {
            self.vector(
                &format!("{name}.{quantity}"),
                &format!("{phrase} of {name}"),
                unit,
                &AXES,
                output,
            );
        }
    }
}

fn unless_mean(s: &mut Simulation, rate: impl FnOnce(&mut Simulation) -> f64) -> f64 {
    if is_mean(s) { 0.0 } else { rate(s) }
}

fn reported_spin(s: &mut Simulation) -> &[f64] {
    s.reported_velocity()
}

fn spin_change(s: &mut Simulation) -> &[f64] {
    s.acceleration()
}

// rotational parts of velocities or accelerations, which are in principal axes
type Values = fn(&mut Simulation) -> &[f64];

fn rotational(s: &mut Simulation, body: usize, values: Values) -> Vec3 {
    let body = &s.model().bodies[body];
    let i = body.first + 3;
    Vec3::from_column_slice(&values(s)[i..i + 3])
}

fn world(s: &mut Simulation, [body, i]: [usize; 2], values: Values) -> f64 {
    let principal = rotational(s, body, values);
    observe::in_world_axes(s.state(), body, principal)[i]
}

fn scene(s: &mut Simulation, [body, i]: [usize; 2], values: Values) -> f64 {
    let principal = rotational(s, body, values);
    observe::in_scene_axes(s.model(), body, principal)[i]
}

fn scene_spin(s: &mut Simulation, body: usize) -> Vec3 {
    let principal = rotational(s, body, |s| s.velocity());
    observe::in_scene_axes(s.model(), body, principal)
}
