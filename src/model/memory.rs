//! How much memory a model and all that runs it need, computed before it is taken: memory that is not there would end the process.
//!
//! ```text
//! (1)  bytes <= fixed + a m + b n + c k + d j,   m = n^2 + (j + rows of expected contacts)^2
//! ```
//!
//! with n velocities, k contacts that are listed and j rows of joints. The factors were measured with margins (tests/it/memory.rs); in a crowd, m is 0.

use super::{EXPECTED, Model};
use crate::scene::error::Problem;

/// Models that need more are refused, bytes.
pub const MOST_BYTES: u64 = 4_000_000_000;

/// What every instance needs: events, tables, the text of its variables.
const FIXED: u64 = 2_000_000;
/// Numbers of a matrix, over all matrices of one size, bytes.
const OF_MATRICES: u64 = 300;
/// Of a velocity.
const OF_VELOCITY: u64 = 8_000;
/// Of a contact that is listed.
const OF_CONTACT: u64 = 16_000;
/// Of a row of a joint.
const OF_JOINT_ROW: u64 = 20_000;

/// Contacts are looked at when their number doubles, from this one on.
const FIRST_LOOK: usize = 1024;

/// (1) for a model with so many contacts.
pub(super) fn bytes_with(model: &Model, is_time_stepping: bool, n_contacts: usize) -> u64 {
    let (n, n_joint) = (model.n_velocities as u64, model.n_joint_rows as u64);
    let rows = model.n_joint_rows + (1 + model.n_friction_rows) * n_contacts.min(EXPECTED);
    let square = |x: u64| x.saturating_mul(x);
    let matrices = match is_time_stepping {
        true => 0,
        false => square(n).saturating_add(square(rows as u64)),
    };
    OF_MATRICES
        .saturating_mul(matrices)
        .saturating_add(FIXED + OF_VELOCITY * n + OF_JOINT_ROW * n_joint)
        .saturating_add(OF_CONTACT * n_contacts as u64)
}

/// Could so much be had now?
pub fn is_there(bytes: u64) -> bool {
    let mut trial: Vec<u8> = Vec::new();
    usize::try_from(bytes).is_ok_and(|bytes| trial.try_reserve_exact(bytes).is_ok())
}

/// What is wrong with a model of this size, if something is.
pub(super) fn refusal(model: &Model, is_time_stepping: bool, n_contacts: usize) -> Option<Problem> {
    let bytes = bytes_with(model, is_time_stepping, n_contacts);
    let why = if bytes > MOST_BYTES {
        format!("at most {} GB are taken", MOST_BYTES / 1_000_000_000)
    } else if is_there(bytes) {
        return None;
    } else {
        "that is not there".to_owned()
    };
    let hint = match (is_time_stepping, n_contacts > 0) {
        (true, _) => "take fewer bodies",
        (false, true) => {
            "take fewer bodies or simpler shapes, switch contacts off with [[contact]] rules, or use time stepping (`integrator = \"time_stepping\"`, in space)"
        }
        (false, false) => {
            "take fewer bodies or joints, or use time stepping (`integrator = \"time_stepping\"`, in space)"
        }
    };
    let size = match bytes {
        0..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    };
    Some(Problem {
        place: 0..0,
        key: "body".to_owned(),
        message: format!(
            "{} bodies with {n_contacts} or more contacts that may close need {size} of memory, but {why}",
            model.bodies.len()
        ),
        hint: hint.to_owned(),
    })
}

/// The same while contacts are listed, before there is one more pair of shapes.
pub(super) fn refusal_on_the_way(model: &Model, looked_at: &mut usize) -> Option<Problem> {
    if model.contacts.len() < *looked_at {
        return None;
    }
    *looked_at = (2 * *looked_at).max(FIRST_LOOK);
    refusal(model, false, *looked_at)
}

impl Model {
    /// Memory that an instance needs at most, bytes.
    pub fn bytes(&self) -> u64 {
        bytes_with(self, self.time_stepping.is_some(), self.contacts.len())
    }
}
