//! Saved states: everything that later values depend on, and their serialization.
//!
//! Bytes: magic, version, length of the body, body (postcard), checksum (FNV-1a, 64 bits) of everything before it. Forged
//! bytes yield a state that fits the model, or an error.

use super::lifecycle::Phase;
use super::variable::{Source, Value};
use super::{Experiment, FmiError, Instance, Memory, error};
use crate::integrate::Report;
use crate::model::memory;
use crate::simulation::{History, observe};
use crate::state::{State, TimeSteppingState};
use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"STICTION";
const VERSION: u32 = 12;
/// Bytes before the body: magic, version, length.
const HEAD: usize = 8 + 4 + 8;

/// A saved state of an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    guid: String,
    phase: Phase,
    stale: bool,
    experiment: Experiment,
    last_successful_time: f64,
    state: State,
    history: History,
    report: Report,
    memory: Memory,
    parameters: Vec<Value>,
}

/// Upper limit of counters, so that sums of them do not overflow.
const MOST_COUNTED: u64 = 1 << 53;
/// Upper limit of counters since the last successful step.
const MOST_COUNTED_BY_STEP: u32 = 1 << 30;

/// Tolerance for the length of quaternions: accepted states deviate from unit length only by rounding.
const UNIT: f64 = 1e-12;

impl Instance {
    /// Is there memory for a saved state and its bytes? Memory that is not available would end the host's process.
    ///
    /// # Errors
    /// There is not.
    pub fn make_room_for_state(&self) -> Result<(), FmiError> {
        let parameters = self.table.len() * size_of::<Value>();
        let events = size_of_val(self.report().events.as_slice());
        let history = size_of_val(self.simulation.history().impulse.as_slice());
        let state = self.simulation.state().memory();
        let bytes = state + history + events + parameters + size_of::<Snapshot>();
        // the state, its body and the bytes around it
        match memory::can_allocate(3 * bytes as u64) {
            true => Ok(()),
            false => error("there is not enough memory for a saved state"),
        }
    }

    /// Saves the state.
    pub fn save(&self) -> Snapshot {
        let mut report = self.report().clone();
        report.events.clear(); // already reported
        // belong to the instance, not to the motion
        (report.growths, report.operations) = (0, 0);
        report.instant_residual = 0.0;
        let (model, settings) = (self.simulation.model(), self.simulation.settings());
        let parameters = self.table.iter().filter_map(|variable| {
            let Source::Parameter(parameter) = variable.source else {
                return None;
            };
            Some(parameter.get(model, settings))
        });
        Snapshot {
            guid: self.guid.clone(),
            phase: self.phase,
            stale: self.stale,
            experiment: self.experiment,
            last_successful_time: self.last_successful_time,
            state: self.simulation.state().clone(),
            history: self.simulation.history().clone(),
            report,
            memory: self.memory.clone(),
            parameters: parameters.collect(),
        }
    }

    /// Restores a saved state of this or another instance of the same FMU.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), FmiError> {
        if snapshot.guid != self.guid {
            return error("the saved state belongs to another FMU");
        }
        self.restore_parameters(&snapshot.parameters, snapshot.phase)?;
        let mass = self.simulation.model().mass.clone();
        let (model, settings) = self.simulation.parameters_mut();
        // settings that are not parameters, such as the weights of a scheme, are taken from the scene
        settings.clone_from(&self.scene.settings);
        let mut values = snapshot.parameters.iter();
        for variable in &self.table {
            if let Source::Parameter(parameter) = variable.source
                && let Some(value) = values.next()
            {
                parameter.set((&mut *model, &mut *settings), *value);
            }
        }
        if mass != model.mass {
            self.simulation.renew_workspace();
        }
        self.phase = snapshot.phase;
        self.stale = snapshot.stale;
        self.experiment = snapshot.experiment;
        self.last_successful_time = snapshot.last_successful_time;
        self.simulation.restore(
            self.experiment.start,
            &snapshot.state,
            &snapshot.report,
            &snapshot.history,
        );
        self.memory.clone_from(&snapshot.memory);
        Ok(())
    }

    /// Reads the bytes of a saved state of the same FMU.
    pub fn snapshot_from_bytes(&self, bytes: &[u8]) -> Result<Snapshot, FmiError> {
        let snapshot: Option<Snapshot> =
            body(bytes).and_then(|body| match postcard::take_from_bytes(body) {
                Ok((snapshot, [])) => Some(snapshot),
                Ok(_) | Err(_) => None,
            });
        match snapshot {
            Some(snapshot) if snapshot.guid != self.guid => {
                error("the serialized state belongs to another FMU")
            }
            Some(snapshot) if self.can_be(&snapshot) => Ok(snapshot),
            Some(_) | None => error("the serialized state is damaged, or from another version"),
        }
    }

    // every length is known from the model: a state with other lengths is rejected
    fn can_be(&self, snapshot: &Snapshot) -> bool {
        let Snapshot {
            guid: _,
            phase,
            stale: _,
            experiment: _,
            last_successful_time: _,
            state,
            history,
            report,
            memory,
            parameters,
        } = snapshot;
        let is_parameter = |source: &Source| matches!(source, Source::Parameter(_));
        let mine = self.table.iter().filter(|v| is_parameter(&v.source));
        let counts_are_possible = {
            let mut report = report.clone();
            let counts = report.whole_numbers();
            counts.into_iter().all(|n| *n < MOST_COUNTED)
        };
        *phase != Phase::Fatal // a broken instance is not saved
            && self.has_shape(state)
            && self.is_possible(state)
            && self.is_possible_in_time_stepping(&state.time_stepping)
            && history.impulse.len() == self.scene.contacts.len()
            && memory.last_change.len() == self.scene.inputs.len()
            && parameters.len() == mine.count()
            && counts_are_possible
    }

    fn has_shape(&self, state: &State) -> bool {
        let own = self.simulation.state();
        let lengths = |s: &State| {
            [
                s.position.len(),
                s.orientation.len(),
                s.joint_angle.len(),
                s.velocity.len(),
                s.average_velocity.len(),
                s.status.len(),
                s.element_status.len(),
                s.load_direction.len(),
                s.acceleration.len(),
                s.contact_force.len(),
                s.friction_force.len(),
                s.sliding.len(),
                s.resistance.len(),
                s.friction_moment.len(),
                s.joint_force.len(),
                s.inputs.len(),
                s.flange_work.len(),
                s.time_stepping.sleep_timer.len(),
            ]
        };
        lengths(state) == lengths(own)
    }

    fn is_possible(&self, state: &State) -> bool {
        let control = &state.control;
        let counts = [
            state.damping_left,
            control.undecided_in_a_row,
            control.fallbacks_in_a_row,
            control.events,
        ];
        let mut lengths = state.orientation.iter().map(|q| observe::length_of(*q));
        counts.iter().all(|n| *n < MOST_COUNTED_BY_STEP)
            && state.joint_angle.iter().all(|angle| angle.is_finite())
            && lengths.all(|length| length.is_some_and(|length| (length - 1.0).abs() <= UNIT))
    }

    fn is_possible_in_time_stepping(&self, state: &TimeSteppingState) -> bool {
        let n_colliders = match self.scene.time_stepping {
            Some(_) => self.scene.n_colliders(),
            None => 0,
        };
        let keys = || state.contacts.iter().map(|contact| contact.key);
        state.sleep_timer.iter().all(|time| *time >= 0.0)
            && state.last_step.is_finite()
            && state.last_step >= 0.0
            && keys().all(|key| key.shapes.iter().all(|i| (*i as usize) < n_colliders))
            && keys().is_sorted_by(|a, b| a.order() < b.order())
    }
}

impl Snapshot {
    /// The bytes of the saved state.
    pub fn to_bytes(&self) -> Vec<u8> {
        // writing to memory cannot fail; without a body the bytes would be rejected
        let body = postcard::to_allocvec(self).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEAD + body.len() + 8);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body);
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Number of these bytes.
    pub fn n_bytes(&self) -> usize {
        self.to_bytes().len()
    }
}

// body of valid bytes
fn body(bytes: &[u8]) -> Option<&[u8]> {
    let (sealed, sum) = bytes.split_last_chunk::<8>()?;
    let (head, body) = sealed.split_at_checked(HEAD)?;
    let is_whole = checksum(sealed) == u64::from_le_bytes(*sum)
        && head[..8] == *MAGIC
        && head[8..12] == VERSION.to_le_bytes()
        && head[12..] == (body.len() as u64).to_le_bytes();
    is_whole.then_some(body)
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = include_str!("../../../resources/bouncing_ball/scene.toml");

    #[test]
    fn counts_that_no_run_reaches_are_refused() {
        let instance = Instance::new("ball", "scene.toml", SCENE).unwrap();
        let saved = instance.save();
        assert!(instance.snapshot_from_bytes(&saved.to_bytes()).is_ok());
        let n = saved.report.clone().whole_numbers().into_iter().count();
        for index in 0..n {
            let mut wrong = saved.clone();
            if let Some(number) = wrong.report.whole_numbers().into_iter().nth(index) {
                *number = u64::MAX;
            }
            assert!(instance.snapshot_from_bytes(&wrong.to_bytes()).is_err());
        }
        let mut wrong = saved;
        wrong.state.control.fallbacks_in_a_row = u32::MAX;
        assert!(instance.snapshot_from_bytes(&wrong.to_bytes()).is_err());
    }
}
