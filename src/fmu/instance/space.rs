//! Outputs of bodies, contacts and joints in space: what they are, their values and their rates.

use super::variable::{Role, Value};
use super::{FmiError, Instance, error};
use crate::math::{Limit, Vec3};
use crate::scene::spec::ReportedVelocity;
use crate::simulation::observe;
use crate::state::Status;

/// An output that scenes in space alone have; vectors by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceOutput {
    /// Quaternion of a body's written axes: w, x, y, z.
    Orientation(usize, usize),
    /// Roll, pitch and yaw of a body.
    Euler(usize, usize),
    /// Rate of rotation of a body in world axes.
    AngularVelocity(usize, usize),
    /// The same in the body's written axes.
    BodyAngularVelocity(usize, usize),
    /// Rate of that in world axes.
    AngularAcceleration(usize, usize),
    /// Rate of the rate of rotation in the body's written axes.
    BodyAngularAcceleration(usize, usize),
    /// Friction force of a contact on its second body, world axes.
    FrictionForce(usize, usize),
    /// Moment of torsional and rolling friction of a contact on its second body, world axes.
    FrictionMoment(usize, usize),
    /// Status of a contact.
    Status(usize),
    /// Normal of a contact, world axes.
    Normal(usize, usize),
    /// Place of a contact, world axes.
    Point(usize, usize),
    /// Smallest gap of a pair of shapes.
    PairGap(usize),
    /// Sum of its normal forces.
    PairNormalForce(usize),
    /// Force on its second body, world axes.
    PairForce(usize, usize),
    /// Torque on its second body, world axes.
    PairTorque(usize, usize),
    /// Number of its closed contacts.
    PairClosed(usize),
    /// A coordinate of a joint.
    JointCoordinate(usize, usize),
    /// Its rate.
    JointRate(usize, usize),
}

impl SpaceOutput {
    /// Does it follow the inputs at once, not only by integration over time?
    pub fn follows_inputs(self) -> bool {
        match self {
            Self::AngularAcceleration(..)
            | Self::BodyAngularAcceleration(..)
            | Self::FrictionForce(..)
            | Self::FrictionMoment(..)
            | Self::PairNormalForce(_)
            | Self::PairForce(..)
            | Self::PairTorque(..) => true,
            Self::Orientation(..)
            | Self::Euler(..)
            | Self::AngularVelocity(..)
            | Self::BodyAngularVelocity(..)
            | Self::Status(_)
            | Self::Normal(..)
            | Self::Point(..)
            | Self::PairGap(_)
            | Self::PairClosed(_)
            | Self::JointCoordinate(..)
            | Self::JointRate(..) => false,
        }
    }
}

/// Number of a status in the enumeration of those in space, from 1.
fn number_of(status: Status) -> i32 {
    match status {
        Status::Open => 1,
        Status::Frictionless => 2,
        Status::Stick => 3,
        Status::Slip | Status::SlipForward | Status::SlipBackward => 4,
    }
}

impl Instance {
    /// Value of an output in space.
    pub(super) fn space_value(&mut self, output: SpaceOutput) -> Value {
        use SpaceOutput as O;
        if matches!(
            output,
            O::AngularAcceleration(..) | O::BodyAngularAcceleration(..)
        ) {
            self.acceleration();
        }
        if matches!(output, O::AngularVelocity(..) | O::BodyAngularVelocity(..)) {
            self.velocity();
        }
        let (model, state) = (&self.model, &self.state);
        let acceleration = match model.time_stepping {
            Some(_) => &self.instant.acceleration,
            None => &state.acceleration,
        };
        Value::Real(match output {
            O::Orientation(body, i) => observe::orientation(model, state, body)[i],
            O::Euler(body, i) => observe::euler(observe::orientation(model, state, body))[i],
            O::AngularVelocity(body, i) => {
                observe::in_world_axes(state, body, self.reported_spin(body))[i]
            }
            O::BodyAngularVelocity(body, i) => {
                observe::in_scene_axes(model, body, self.reported_spin(body))[i]
            }
            O::AngularAcceleration(body, i) => {
                let change = observe::rotational(model, acceleration, body);
                observe::in_world_axes(state, body, change)[i]
            }
            O::BodyAngularAcceleration(body, i) => {
                let change = observe::rotational(model, acceleration, body);
                observe::in_scene_axes(model, body, change)[i]
            }
            O::FrictionForce(contact, i) => state.friction_force[contact][i],
            O::FrictionMoment(contact, i) => state.friction_moment[contact][i],
            O::Status(contact) => {
                return Value::Integer(number_of(state.contact_status(contact)));
            }
            O::Normal(contact, i) => self.frame(contact).normal[i],
            O::Point(contact, i) => self.frame(contact).point[i],
            O::PairGap(pair) => {
                self.place();
                observe::pair_gap(&self.model, &self.poses, pair).at_most(f64::MAX)
            }
            O::PairNormalForce(pair) => self.pair_total(pair).normal_force,
            O::PairForce(pair, i) => self.pair_total(pair).force[i],
            O::PairTorque(pair, i) => self.pair_total(pair).torque[i],
            O::PairClosed(pair) => {
                let contacts = observe::contacts_of(model, pair);
                let closed = state.status[contacts].iter().filter(|s| s.is_closed());
                return Value::Integer(closed.count() as i32);
            }
            O::JointCoordinate(joint, coordinate) => self.coordinate(joint, coordinate)[0],
            O::JointRate(joint, coordinate) => self.coordinate(joint, coordinate)[1],
        })
    }

    /// Rate of an output in space.
    pub(super) fn space_rate(&mut self, output: SpaceOutput, name: &str) -> Result<f64, FmiError> {
        use SpaceOutput as O;
        self.velocity();
        let (model, state) = (&self.model, &self.state);
        let spin = |body| {
            let spin = observe::rotational(model, self.known_velocity(), body);
            observe::in_scene_axes(model, body, spin)
        };
        let is_mean = self.settings.reported_velocity == ReportedVelocity::Average;
        Ok(match output {
            O::Orientation(body, i) => {
                observe::orientation_rate(observe::orientation(model, state, body), spin(body))[i]
            }
            O::Euler(body, i) => {
                let orientation = observe::orientation(model, state, body);
                match observe::euler_rates(orientation, spin(body)) {
                    Some(rates) => rates[i],
                    None => {
                        return error(format!(
                            "`{name}` has no rate where the pitch is a right angle; take the orientation's"
                        ));
                    }
                }
            }
            // a mean is held until the next step
            O::AngularVelocity(..) | O::BodyAngularVelocity(..) if is_mean => 0.0,
            O::AngularVelocity(body, i) => self.component(O::AngularAcceleration(body, i)),
            O::BodyAngularVelocity(body, i) => self.component(O::BodyAngularAcceleration(body, i)),
            O::JointCoordinate(joint, coordinate) => self.coordinate(joint, coordinate)[1],
            O::AngularAcceleration(..)
            | O::BodyAngularAcceleration(..)
            | O::FrictionForce(..)
            | O::FrictionMoment(..)
            | O::Normal(..)
            | O::Point(..)
            | O::PairGap(_)
            | O::PairNormalForce(_)
            | O::PairForce(..)
            | O::PairTorque(..)
            | O::JointRate(..) => self.rate(Role::Space(output)),
            O::Status(_) | O::PairClosed(_) => 0.0,
        })
    }

    fn component(&mut self, output: SpaceOutput) -> f64 {
        self.real(Role::Space(output))
    }

    // in principal axes
    fn reported_spin(&self, body: usize) -> Vec3 {
        let velocity = match self.settings.reported_velocity {
            ReportedVelocity::End => self.known_velocity(),
            ReportedVelocity::Average => &self.state.average_velocity,
        };
        observe::rotational(&self.model, velocity, body)
    }

    fn frame(&mut self, contact: usize) -> observe::ContactFrame {
        self.place();
        observe::contact_frame(&self.model.contacts[contact], &self.poses).unwrap_or(
            observe::ContactFrame {
                normal: Vec3::zeros(),
                point: Vec3::zeros(),
            },
        )
    }

    fn pair_total(&mut self, pair: usize) -> observe::PairTotal {
        self.place();
        observe::pair_total(&self.model, &self.state, &self.poses, pair)
    }

    fn coordinate(&mut self, joint: usize, coordinate: usize) -> [f64; 2] {
        self.velocity();
        self.place();
        if self.model.time_stepping.is_some() {
            self.model.twists(&self.instant.velocity, &mut self.twists);
        }
        let place = (joint, coordinate);
        observe::joint_coordinate(&self.model, place, &self.poses, &self.twists)
    }
}
