//! Step lengths that resolve the motion of the lowest point of a rim.
//!
//! The point moves around the rim at the rate at which the tilt axis turns, which grows without bound as the tilt decreases: a step of
//! fixed length could carry the point to the other side of the rim, and the velocity with it.

use super::Run;
use crate::integrate::workspace::Workspace;
use crate::math::dot3;
use crate::model::Poses;

/// Maximum motion of the lowest point around the rim in a step, as a cosine: 0.2 rad, as far as bodies rotate between two samples of their
/// gaps.
const FOLLOWED: f64 = 0.98;

/// A step that is too long for that is retried with this fraction of its length.
const SHORTER: f64 = 0.25;

impl Run<'_> {
    /// A shorter length for the trial step, s, if it is too long to resolve a rim.
    pub(super) fn shorter_for_rims(&mut self) -> Option<f64> {
        let h = self.workspace.trial.h;
        let shortest = self.settings.min_substep * self.standard;
        let too_long = self.model.is_spatial() && h > shortest && self.rolls_too_far();
        too_long.then_some(SHORTER * h)
    }

    // does an active rim roll too far, by the velocities of the start or on its way to the end?
    fn rolls_too_far(&mut self) -> bool {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        let Workspace {
            active,
            trial,
            poses,
            scratch_position,
            headings,
            ..
        } = &mut **workspace;
        if !active.iter().any(|&j| model.contacts[j].has_heading()) {
            return false;
        }
        let heading = |j: usize, poses: &Poses| model.heading(&model.contacts[j], poses);
        model.poses(&state.position, poses);
        headings.clear();
        headings.extend(active.iter().map(|&j| heading(j, poses)));
        model.displace(scratch_position, &state.position, trial.h, &state.velocity);
        [&*scratch_position, &trial.position].into_iter().any(|q| {
            model.poses(q, poses);
            let mut both = active.iter().zip(headings.iter());
            both.any(|(&j, start)| match (start, heading(j, poses)) {
                (Some(start), Some(end)) => dot3(*start, end) < FOLLOWED,
                // a cylinder that stands flat has other contacts
                (None, _) | (_, None) => false,
            })
        })
    }
}
