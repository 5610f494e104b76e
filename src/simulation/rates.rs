//! Rates of quantities read from a state.
//!
//! (1)  difference quotient between the state and the state advanced by a very short time with its accelerations,
//!      with contact statuses fixed

use super::Simulation;
use crate::dynamics;
use crate::integrate;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::state::State;

/// The short time of (1), as a fraction of the standard step, or of the next step by tolerance if that is shorter.
const AHEAD: f64 = 1e-4;

impl Simulation {
    /// Rate of the value of `read` (1).
    pub fn rate(&mut self, read: &mut dyn FnMut(&mut Self) -> f64) -> f64 {
        let here = self.state.clone();
        let ahead = AHEAD * self.step_ahead();
        self.refresh_forces();
        let mut mean = self.velocity().to_vec();
        self.state.velocity.clone_from(&mean);
        self.is_placed = false;
        let before = read(self);
        let acceleration = match self.model.time_stepping {
            Some(_) => self.acceleration().to_vec(),
            None => here.acceleration.clone(),
        };
        self.state.time += ahead;
        for (i, a) in acceleration.iter().enumerate() {
            mean[i] += 0.5 * ahead * a;
            self.state.velocity[i] += ahead * a;
        }
        let State {
            position,
            orientation,
            joint_angle,
            ..
        } = &mut self.state;
        self.model.advance(position, ahead, &mean);
        self.poses.refer_to(orientation, joint_angle);
        self.model
            .rebase(position, orientation, joint_angle, &mut self.poses);
        self.refresh_forces();
        let after = read(self);
        self.set_state(here);
        // the gap of a contact that another one represents is infinite, and stays so
        if after == before {
            return 0.0;
        }
        (after - before) / ahead
    }

    /// Replaces the state.
    pub(crate) fn set_state(&mut self, state: State) {
        self.changed();
        self.state = state;
    }

    fn step_ahead(&self) -> f64 {
        let (standard, next) = (self.settings.step, self.state.control.step);
        if self.settings.tolerance.is_some() && next > 0.0 {
            standard.at_most(next)
        } else {
            standard
        }
    }

    /// Power dissipated by friction and dampers, W.
    pub fn dissipation_rate(&mut self) -> f64 {
        let lost = if self.model.time_stepping.is_some() {
            self.instant().friction_power
        } else {
            integrate::friction_power(&self.model, &self.state, &mut self.workspace)
        };
        self.place();
        let State { time, inputs, .. } = &self.state;
        let now = (*time, Side::After);
        lost + dynamics::power(&self.model, now, inputs, &self.poses, &self.twists).1
    }

    /// Accelerations and forces of the current state, with contact statuses fixed.
    pub fn refresh_forces(&mut self) {
        self.changed();
        integrate::refresh_forces(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
        );
    }
}
