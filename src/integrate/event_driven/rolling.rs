//! Steps through which the lowest point of a rim can be followed.
//!
//! The point runs round at the rate at which the tilt turns, which is faster the less a cylinder is tilted, and there is
//! no end to it: a step of fixed length could carry the point to the other side of the rim, and the velocity with it.

use super::Run;
use crate::integrate::workspace::Workspace;
use crate::math::dot3;
use crate::model::Poses;

/// The lowest point of a rim runs round by no more than this in a step, as a cosine: 0.2 rad, as far as bodies turn
/// between two looks at their gaps.
const FOLLOWED: f64 = 0.98;

/// A step that is too long for that is tried again with this fraction of its length.
const SHORTER: f64 = 0.25;

impl Run<'_> {
    /// How long the trial step should have been, s, if it is too long to follow a rim.
    pub(super) fn shorter_for_rims(&mut self) -> Option<f64> {
        let h = self.workspace.trial.h;
        let shortest = self.settings.min_substep * self.standard;
        let too_long = self.model.is_spatial() && h > shortest && self.runs_round();
        too_long.then_some(SHORTER * h)
    }

    // does a rim that takes part roll too far, by the velocities of the start or on its way to the end?
    fn runs_round(&mut self) -> bool {
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
            place,
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
        model.displace(place, &state.position, trial.h, &state.velocity);
        [&*place, &trial.position].into_iter().any(|q| {
            model.poses(q, poses);
            let mut both = active.iter().zip(headings.iter());
            both.any(|(&j, start)| match (start, heading(j, poses)) {
                (Some(start), Some(end)) => dot3(*start, end) < FOLLOWED,
                // what stands flat has other contacts
                (None, _) | (_, None) => false,
            })
        })
    }
}
