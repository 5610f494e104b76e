//! Memory that a model and its simulation need, estimated in advance: a failed allocation would abort the process.
//!
//! ```text
//! (1)  bytes <= fixed + a r (r + n) + b n + c k + d j + e n^2,   r = j + rows of expected contacts
//! ```
//!
//! with n velocities, k contacts that are listed and j rows of joints. The factors were measured with margins (tests/it/memory.rs); with time stepping r and e are 0.

use super::{EXPECTED, Model};
use crate::scene::error::Problem;

/// Models that need more are rejected, bytes.
pub const MAX_BYTES: u64 = 4_000_000_000;

/// Per instance: events, tables, variable names.
const FIXED: u64 = 2_000_000;
/// Per matrix entry, over all matrices of one size, bytes.
const OF_MATRICES: u64 = 300;
/// Per pair of velocities: the elimination order of the bodies.
const OF_ORDER: u64 = 4;
/// Per velocity.
const OF_VELOCITY: u64 = 12_000;
/// Per listed contact.
const OF_CONTACT: u64 = 7_500;
/// Per joint row.
const OF_JOINT_ROW: u64 = 20_000;

/// Memory is checked whenever the number of contacts doubles, starting here.
const FIRST_CHECK: usize = 1024;

/// (1) for a model with this many contacts.
pub(super) fn bytes_with(model: &Model, is_time_stepping: bool, n_contacts: usize) -> u64 {
    let (n, n_joint) = (model.n_velocities as u64, model.n_joint_rows as u64);
    let rows = model.n_joint_rows + (1 + model.n_friction_rows) * n_contacts.min(EXPECTED);
    let rows = rows as u64;
    let matrices = match is_time_stepping {
        true => 0,
        false => OF_MATRICES
            .saturating_mul(rows.saturating_mul(rows + n))
            .saturating_add(OF_ORDER.saturating_mul(n.saturating_mul(n))),
    };
    matrices
        .saturating_add(FIXED + OF_VELOCITY * n + OF_JOINT_ROW * n_joint)
        .saturating_add(OF_CONTACT * n_contacts as u64)
}

/// Can this much be allocated now?
pub fn can_allocate(bytes: u64) -> bool {
    let mut trial: Vec<u8> = Vec::new();
    let is_there = usize::try_from(bytes).is_ok_and(|n| trial.try_reserve_exact(n).is_ok());
    std::hint::black_box(&mut trial); // an allocation that nobody sees may be optimized away
    is_there
}

/// Error for a model that needs too much memory.
pub(super) fn memory_error(
    model: &Model,
    is_time_stepping: bool,
    n_contacts: usize,
) -> Option<Problem> {
    let bytes = bytes_with(model, is_time_stepping, n_contacts);
    let why = if bytes > MAX_BYTES {
        format!("the limit is {} GB", MAX_BYTES / 1_000_000_000)
    } else if can_allocate(bytes) {
        return None;
    } else {
        "that is not available".to_owned()
    };
    let hint = match (is_time_stepping, n_contacts > 0) {
        (true, _) => "use fewer bodies",
        (false, true) => {
            "use fewer bodies or simpler shapes, switch contacts off with [[contact]] rules, or set `integrator = \"time_stepping\"` (in space)"
        }
        (false, false) => {
            "use fewer bodies or joints, or set `integrator = \"time_stepping\"` (in space)"
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

/// The same while contacts are being listed.
pub(super) fn memory_error_so_far(model: &Model, next_check: &mut usize) -> Option<Problem> {
    if model.contacts.len() < *next_check {
        return None;
    }
    *next_check = (2 * *next_check).max(FIRST_CHECK);
    memory_error(model, false, *next_check)
}

impl Model {
    /// Upper bound of the memory of an instance, bytes.
    pub fn bytes(&self) -> u64 {
        bytes_with(self, self.time_stepping.is_some(), self.contacts.len())
    }
}
