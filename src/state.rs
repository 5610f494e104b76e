//! All that evolves during a run, and only that.

use crate::kinds::plane::force::Input;
use crate::math::{Quaternion, Vec3};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// Contact status between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// No force.
    Open,
    /// Closed, without friction.
    Frictionless,
    /// Closed, no sliding.
    Stick,
    /// Closed, sliding in the direction of the tangent.
    SlipForward,
    /// Closed, sliding against the tangent.
    SlipBackward,
    /// Closed, sliding in any tangential direction, in space.
    Slip,
}

/// The closed ones of many contacts, most of which are open, by index.
pub fn closed(statuses: &[Status]) -> impl Iterator<Item = usize> + '_ {
    const WIDE: usize = 64;
    let of_chunk = |(k, chunk): (usize, &[Status])| {
        // without branches: many at a time
        let any = chunk.iter().fold(false, |any, s| any | s.is_closed());
        let chunk = if any {
            WIDE * k..WIDE * k + chunk.len()
        } else {
            0..0
        };
        chunk.filter(|j| statuses[*j].is_closed())
    };
    statuses.chunks(WIDE).enumerate().flat_map(of_chunk)
}

impl Status {
    /// Does it transmit a normal force?
    pub fn is_closed(self) -> bool {
        self != Status::Open
    }

    /// Does it slide?
    pub fn slides(self) -> bool {
        match self {
            Status::SlipForward | Status::SlipBackward | Status::Slip => true,
            Status::Open | Status::Frictionless | Status::Stick => false,
        }
    }

    /// Direction of sliding in the plane: 1, -1, or 0 where it does not slide.
    pub fn slip_sign(self) -> f64 {
        match self {
            Status::SlipForward => 1.0,
            Status::SlipBackward => -1.0,
            Status::Open | Status::Frictionless | Status::Stick | Status::Slip => 0.0,
        }
    }
}

/// How a contact in space resists relative rotation between two events.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resistance {
    /// Spin about the normal: sticks, or slips forward or backward; open where there is no torsional friction.
    pub spin: Status,
    /// Rolling (rotation about a tangent): sticks or slips; open where there is no rolling friction.
    pub roll: Status,
    /// Angular velocity of rolling, or the last one, in world axes, rad/s; very small where rolling is about to start.
    pub rolling: Vec3,
}

impl Default for Resistance {
    fn default() -> Self {
        Self {
            spin: Status::Open,
            roll: Status::Open,
            rolling: Vec3::zeros(),
        }
    }
}

impl Resistance {
    /// Status of the contact as a whole, given the status `sliding`: it slips if it slides or spins, sticks if friction holds one of these
    /// and neither slips, and is closed without friction otherwise. Rolling surfaces do not slip; rolling decides only where nothing else
    /// resists.
    pub fn with_sliding(&self, sliding: Status) -> Status {
        let turns = if self.spin == Status::Open && sliding == Status::Frictionless {
            self.roll
        } else {
            self.spin
        };
        match sliding {
            Status::Open | Status::SlipForward | Status::SlipBackward | Status::Slip => sliding,
            Status::Frictionless | Status::Stick if turns.slides() => Status::Slip,
            Status::Frictionless | Status::Stick if turns == Status::Stick => Status::Stick,
            Status::Frictionless | Status::Stick => sliding,
        }
    }
}

/// State of the step-size control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Length of the next step, s; 0 before the first one.
    pub step: f64,
    /// Error of the last step, in units of the tolerance.
    pub error: f64,
    /// Consecutive short steps that determined their statuses themselves.
    pub undecided_in_a_row: u32,
    /// Consecutive steps of the fixed-step scheme.
    pub fallbacks_in_a_row: u32,
    /// Events since `counted_from`, to detect accumulation of events.
    pub events: u32,
    /// s.
    pub counted_from: f64,
}

/// Identifies a contact point by its shapes and feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactKey {
    /// Indices of the shapes.
    pub shapes: [u32; 2],
    /// Index of the feature of the pair.
    pub feature: u32,
}

impl ContactKey {
    /// Sort order of contact points.
    pub fn order(&self) -> [u32; 3] {
        let [first, second] = self.shapes;
        [second, first, self.feature]
    }
}

/// A loaded contact point of time stepping, kept for warm starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersistentContact {
    /// Which contact point.
    pub key: ContactKey,
    /// Force on the second body, world axes, N.
    pub force: Vec3,
    /// Moment of torsional and rolling friction on the second body, world axes, N m.
    pub moment: Vec3,
    /// Does it slide? Known where friction at rest is above that of sliding.
    pub slides: bool,
}

/// State of the time-stepping integrator.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSteppingState {
    /// Loaded contact points, sorted by key.
    pub contacts: Vec<PersistentContact>,
    /// For how long each body has been below the sleep velocity, s; infinite for sleeping bodies.
    pub sleep_timer: Vec<f64>,
    /// Length of the last step, s; 0 before the first one.
    pub last_step: f64,
}

/// The state of a simulation.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// s.
    pub time: f64,
    /// Coordinates.
    pub position: Vec<f64>,
    /// Reference orientations of the rotational coordinates, one per body in space; none in the plane.
    pub orientation: Vec<Quaternion>,
    /// Coordinates of joints in space; angles are counted over all turns since the start, rad; zero for displacements.
    pub joint_angle: Vec<f64>,
    /// Velocities.
    pub velocity: Vec<f64>,
    /// Mean velocities over the last step.
    pub average_velocity: Vec<f64>,
    /// Status of each contact.
    pub status: Vec<Status>,
    /// Status of each friction element; open where nothing presses its surfaces together.
    pub element_status: Vec<Status>,
    /// Direction of the reaction that loads each friction element in an extrapolated step; zero where it is not known, or there is none.
    pub load_direction: Vec<[f64; 3]>,
    /// Are the statuses valid at this instant? If not, they are the last known ones.
    pub statuses_known: bool,
    /// Accelerations right after an event; means over the step where statuses were not decided.
    pub acceleration: Vec<f64>,
    /// Normal and tangential force of each contact, N; in space the magnitude of the tangential force.
    pub contact_force: Vec<[f64; 2]>,
    /// Friction force of each contact in space, on its second body, world axes, N; none in the plane.
    pub friction_force: Vec<Vec3>,
    /// Sliding velocity of each contact in space, or the last one, in world axes, m/s; very small where sliding is about to start. None in
    /// the plane.
    pub sliding: Vec<Vec3>,
    /// Rotational resistance of each contact; empty if no contact of the model has any.
    pub resistance: Vec<Resistance>,
    /// Moment of torsional and rolling friction of each contact, on its second body, world axes, N m; empty if no contact of the model has
    /// any.
    pub friction_moment: Vec<Vec3>,
    /// Force of each joint equation, N or N m.
    pub joint_force: Vec<f64>,
    /// Input values, then the branch of each servo: -1 at its lower limit, 0 inside, 1 at its upper limit.
    pub inputs: Vec<Input>,
    /// Work of each flange on the bodies since the start, J.
    pub flange_work: Vec<f64>,
    /// Remaining steps with numerical damping.
    pub damping_left: u32,
    /// State of the step-size control under a tolerance.
    pub control: Control,
    /// Have joints been closed and initial impacts resolved? False until the first step.
    pub started: bool,
    /// State of the time-stepping integrator.
    pub time_stepping: TimeSteppingState,
}

/// Implements `Clone`, which copies into the memory of lists that are long enough, for all fields of a type.
macro_rules! clone_in_place {
    ($type:ident { lists: $($list:ident),+; numbers: $($number:ident),+; parts: $($part:ident),* }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                Self {
                    $($list: self.$list.clone(),)+
                    $($number: self.$number,)+
                    $($part: self.$part.clone(),)*
                }
            }

            fn clone_from(&mut self, other: &Self) {
                $(self.$list.clone_from(&other.$list);)+
                $(self.$number = other.$number;)+
                $(self.$part.clone_from(&other.$part);)*
            }
        }

        impl $type {
            fn list_bytes(&self) -> usize {
                [$(size_of_val(self.$list.as_slice())),+].iter().sum()
            }
        }
    };
}

clone_in_place! {
    TimeSteppingState { lists: contacts, sleep_timer; numbers: last_step; parts: }
}

clone_in_place! {
    State {
        lists: position, orientation, joint_angle, velocity, average_velocity, status, element_status, load_direction, acceleration, contact_force, friction_force, sliding,
            resistance, friction_moment, joint_force, inputs, flange_work;
        numbers: time, statuses_known, damping_left, control, started;
        parts: time_stepping
    }
}

impl State {
    /// Status of a contact as a whole, over all its kinds of friction.
    pub fn contact_status(&self, contact: usize) -> Status {
        let sliding = self.status[contact];
        let resistance = self.resistance.get(contact);
        resistance.map_or(sliding, |resistance| resistance.with_sliding(sliding))
    }

    /// Copies `other`, a state of the same model, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.clone_from(other);
    }

    /// Memory that its lists take, bytes.
    pub fn memory(&self) -> usize {
        self.list_bytes() + self.time_stepping.list_bytes()
    }

    /// The initial state of the scene.
    pub fn new(model: &Model) -> Self {
        let n_contacts = model.contacts.len();
        let n_spatial = if model.is_spatial() { n_contacts } else { 0 };
        let n_resisting = if model.resists_rotation() {
            n_contacts
        } else {
            0
        };
        Self {
            time: 0.0,
            position: model.initial_position.clone(),
            orientation: model.initial_orientation.clone(),
            joint_angle: model.initial_angles(),
            velocity: model.initial_velocity.clone(),
            average_velocity: model.initial_velocity.clone(),
            status: vec![Status::Open; n_contacts],
            element_status: vec![Status::Open; model.elements.len()],
            load_direction: vec![[0.0; 3]; model.elements.len()],
            statuses_known: false,
            acceleration: vec![0.0; model.n_velocities],
            contact_force: vec![[0.0; 2]; n_contacts],
            friction_force: vec![Vec3::zeros(); n_spatial],
            sliding: vec![Vec3::zeros(); n_spatial],
            resistance: vec![Resistance::default(); n_resisting],
            friction_moment: vec![Vec3::zeros(); n_resisting],
            joint_force: vec![0.0; model.n_joint_rows],
            inputs: model
                .inputs
                .iter()
                .map(|i| Input::held(0.0, i.start))
                .chain((0..model.n_servos).map(|_| Input::held(0.0, 0.0)))
                .chain(
                    model
                        .integrated_inputs()
                        .map(|given| Input::held(0.0, given.start)),
                )
                .collect(),
            flange_work: vec![0.0; model.flanges.len()],
            damping_left: 0,
            control: Control::default(),
            started: false,
            time_stepping: TimeSteppingState {
                contacts: Vec::new(),
                sleep_timer: match model.time_stepping {
                    Some(_) => vec![0.0; model.bodies.len()],
                    None => Vec::new(),
                },
                last_step: 0.0,
            },
        }
    }
}
