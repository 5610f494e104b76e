//! Individual contacts, and resultants of shape pairs.

use super::{AXES, Table};
use crate::fmu::instance::variable::{
    CONTACT_STATUS, Kind, Of, Output, ROPE_STATUS, SPACE_CONTACT_STATUS, Unit,
};
use crate::math::{Limit, Vec3};
use crate::model::{ContactKind, Model, Rope};
use crate::simulation::{Simulation, observe};
use crate::state::Status;

impl Table {
    pub(super) fn contacts(&mut self, model: &Model) {
        for j in 0..model.contacts.len() {
            if observe::is_shown(model, j) {
                self.contact(model, j);
            }
        }
        for pair in observe::shape_pairs(model) {
            self.pair(model, pair);
        }
    }

    // tension, slack, length and status
    fn rope(&mut self, j: usize, rope: &Rope, name: &str) {
        self.output(
            format!("{name}.tension"),
            format!("tension of {name}"),
            Unit::Newton,
            Output::real([j, 0], |s, [j, _]| s.contact_force()[j][0])
                .restore(|state, [j, _], x| state.contact_force[j][0] = x)
                .follows_inputs()
                .column(),
        );
        self.output(
            format!("{name}.slack"),
            format!("length of {name} less that of its path"),
            Unit::Meter,
            Output::real([j, 0], |s, [j, _]| s.gap(j)).column(),
        );
        if let Some(reel) = rope.reel {
            self.output(
                format!("{name}.length"),
                format!("length of {name}"),
                Unit::Meter,
                Output::real([j, reel], |s, [j, _]| {
                    let length = s.model().reeled_length(j, &s.state().position);
                    length.unwrap_or(0.0)
                })
                .rate(|s, [_, reel]| {
                    let first = s.model().bodies[reel].first;
                    Some(s.state().velocity[first])
                })
                .column(),
            );
        }
        self.discrete(
            format!("{name}.impulse"),
            format!("impulse of the last impact where {name} tightened"),
            Kind::real(Unit::NewtonSecond),
            Output::real([j, 0], |s, [j, _]| s.history().impulse[j][0]).local(),
        );
        self.discrete(
            format!("{name}.status"),
            format!("status of {name}"),
            Kind::Enumeration(ROPE_STATUS),
            Output::integer([j, 0], |s, [j, _]| {
                number_of(&STATUSES, s.state().status[j])
            })
            .restore(|state, [j, _], x| state.status[j] = item_of(&STATUSES, x))
            .column(),
        );
    }

    fn contact(&mut self, model: &Model, j: usize) {
        let contact = &model.contacts[j];
        if let Some(rope) = model.rope_of(contact) {
            return self.rope(j, rope, &contact.name);
        }
        // a pair in the plane with a single contact has no other forces
        let is_pair = matches!(contact.kind, ContactKind::Feature(_))
            && observe::contacts_of(model, contact.pair).len() == 1;
        let name = format!("contact.{}", contact.name);
        let what = &contact.name;
        let (length, force, impulse) = match &contact.kind {
            ContactKind::Limit(stop) if model.limits_angle(stop) => {
                (Unit::Radian, Unit::NewtonMeter, Unit::NewtonMeterSecond)
            }
            ContactKind::Limit(_) | ContactKind::Feature(_) | ContactKind::Space(_) => {
                (Unit::Meter, Unit::Newton, Unit::NewtonSecond)
            }
        };
        self.output(
            format!("{name}.gap"),
            format!("gap of {what}"),
            length,
            Output::real([j, 0], |s, [j, _]| s.gap(j)).local().column(),
        );
        self.output(
            format!("{name}.penetration"),
            format!("overlap of {what}"),
            length,
            Output::real([j, 0], |s, [j, _]| (-s.gap(j)).at_least(0.0)).local(),
        );
        self.output(
            format!("{name}.normal_force"),
            format!("normal force of {what}"),
            force,
            Output::real([j, 0], |s, [j, _]| s.contact_force()[j][0])
                .restore(|state, [j, _], x| state.contact_force[j][0] = x)
                .follows_inputs()
                .local_if(!is_pair)
                .column(),
        );
        let tangential = match contact.kind {
            ContactKind::Feature(_) => {
                self.output(
                    format!("{name}.friction_force"),
                    format!("friction force along the tangent of {what}"),
                    force,
                    Output::real([j, 0], |s, [j, _]| s.contact_force()[j][1])
                        .restore(|state, [j, _], x| state.contact_force[j][1] = x)
                        .follows_inputs()
                        .local_if(!is_pair)
                        .column(),
                );
                Some("tangential impulse")
            }
            ContactKind::Space(_) => {
                self.contact_vectors(model, j, &name);
                Some("size of the tangential impulse")
            }
            ContactKind::Limit(_) => None,
        };
        self.discrete(
            format!("{name}.normal_impulse"),
            format!("normal impulse of the last impact of {what}"),
            Kind::real(impulse),
            Output::real([j, 0], |s, [j, _]| s.history().impulse[j][0]).local(),
        );
        if let Some(phrase) = tangential {
            self.discrete(
                format!("{name}.friction_impulse"),
                format!("{phrase} of the last impact of {what}"),
                Kind::real(impulse),
                Output::real([j, 0], |s, [j, _]| s.history().impulse[j][1]).local(),
            );
        }
        let (words, status) = match contact.kind {
            ContactKind::Feature(_) | ContactKind::Limit(_) => (
                CONTACT_STATUS,
                Output::integer([j, 0], |s, [j, _]| {
                    number_of(&STATUSES, s.state().status[j])
                })
                .restore(|state, [j, _], x| state.status[j] = item_of(&STATUSES, x)),
            ),
            ContactKind::Space(_) => (
                SPACE_CONTACT_STATUS,
                Output::integer([j, 0], |s, [j, _]| {
                    number_of(&SPACE_STATUSES, s.state().contact_status(j))
                })
                .restore(|state, [j, _], x| state.status[j] = item_of(&SPACE_STATUSES, x)),
            ),
        };
        self.discrete(
            format!("{name}.status"),
            format!("status of {what}"),
            Kind::Enumeration(words),
            status.local_if(!is_pair).column(),
        );
    }

    fn contact_vectors(&mut self, model: &Model, j: usize, name: &str) {
        let contact = &model.contacts[j];
        let what = &contact.name;
        let second = model.body_name(contact.bodies[1]);
        self.vector(
            &format!("{name}.friction_force"),
            &format!("friction force of {what} on {second}"),
            Unit::Newton,
            &AXES,
            Output::real([j, 0], |s, [j, i]| s.state().friction_force[j][i])
                .restore(|state, [j, i], x| state.friction_force[j][i] = x)
                .follows_inputs()
                .local()
                .column(),
        );
        if model.resists_rotation() {
            self.vector(
                &format!("{name}.friction_moment"),
                &format!("moment of torsional and rolling friction of {what} on {second}"),
                Unit::NewtonMeter,
                &AXES,
                Output::real([j, 0], |s, [j, i]| s.state().friction_moment[j][i])
                    .follows_inputs()
                    .local(),
            );
        }
        self.vector(
            &format!("{name}.normal"),
            &format!("unit normal of {what}, towards {second}"),
            Unit::One,
            &AXES,
            Output::real([j, 0], |s, [j, i]| frame(s, j).normal[i]).local(),
        );
        self.vector(
            &format!("{name}.point"),
            &format!("place of {what} on {second}"),
            Unit::Meter,
            &AXES,
            Output::real([j, 0], |s, [j, i]| frame(s, j).point[i]).local(),
        );
    }

    fn pair(&mut self, model: &Model, pair: usize) {
        let what = &model.pairs[pair];
        let name = pair_name(model, pair);
        let second = model.body_name(observe::bodies_of_pair(model, pair)[1]);
        let n_axes = if model.is_spatial() { 3 } else { 2 };
        self.output(
            format!("{name}.gap"),
            format!("smallest gap of {what}"),
            Unit::Meter,
            Output::real([pair, 0], |s, [pair, _]| s.pair_gap(pair))
                .local()
                .column(),
        );
        self.output(
            format!("{name}.normal_force"),
            format!("sum of the normal forces of {what}"),
            Unit::Newton,
            Output::real([pair, 0], |s, [pair, _]| s.pair_total(pair).normal_force)
                .follows_inputs()
                .local()
                .column(),
        );
        self.vector(
            &format!("{name}.force"),
            &format!("force of {what} on {second}, normal and friction"),
            Unit::Newton,
            &AXES[..n_axes],
            Output::real([pair, 0], |s, [pair, i]| s.pair_total(pair).force[i])
                .follows_inputs()
                .column(),
        );
        let torque = Output::real([pair, 0], |s, [pair, i]| s.pair_total(pair).torque[i])
            .follows_inputs()
            .local();
        let about = format!("torque of {what} on {second} about its centre of mass");
        match model.is_spatial() {
            true => self.vector(
                &format!("{name}.torque"),
                &about,
                Unit::NewtonMeter,
                &AXES,
                torque,
            ),
            false => self.output(
                format!("{name}.torque"),
                about,
                Unit::NewtonMeter,
                torque.component(2),
            ),
        }
        let n = observe::contacts_of(model, pair).len();
        self.discrete(
            format!("{name}.n_closed"),
            format!("number of closed contacts of {what}, of {n}"),
            Kind::Integer {
                min: Some(0),
                max: i32::try_from(n).ok(),
            },
            Output::integer([pair, 0], n_closed).local().column(),
        );
    }
}

/// Common prefix of all outputs of a shape pair.
pub fn pair_name(model: &Model, pair: usize) -> String {
    format!("pair.{}", model.pairs[pair])
}

/// Common prefix of all outputs of a contact.
pub fn contact_name(model: &Model, contact: usize) -> String {
    format!("contact.{}", model.contacts[contact].name)
}

/// Statuses in the order of their enumeration.
const STATUSES: [Status; 5] = [
    Status::Open,
    Status::Frictionless,
    Status::Stick,
    Status::SlipForward,
    Status::SlipBackward,
];
const SPACE_STATUSES: [Status; 4] = [
    Status::Open,
    Status::Frictionless,
    Status::Stick,
    Status::Slip,
];

// in space there is a single status for sliding
pub(super) fn number_of(statuses: &[Status], status: Status) -> i32 {
    let place = statuses.iter().position(|known| *known == status);
    place.map_or(statuses.len(), |place| place + 1) as i32
}

pub(super) fn item_of(statuses: &[Status], number: f64) -> Status {
    let place = (number as usize).wrapping_sub(1);
    statuses.get(place).copied().unwrap_or(Status::Open)
}

fn frame(s: &mut Simulation, contact: usize) -> observe::ContactFrame {
    let (model, _, poses) = s.placed();
    let frame = observe::contact_frame(&model.contacts[contact], poses);
    frame.unwrap_or(observe::ContactFrame {
        normal: Vec3::zeros(),
        point: Vec3::zeros(),
    })
}

fn n_closed(s: &mut Simulation, [pair, _]: Of) -> i32 {
    let contacts = observe::contacts_of(s.model(), pair);
    let closed = s.state().status[contacts].iter();
    closed.filter(|status| status.is_closed()).count() as i32
}
