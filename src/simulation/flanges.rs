//! Values of flanges.

use super::Simulation;
use crate::dynamics;
use crate::integrate;

impl Simulation {
    /// Position and velocity of a flange, m and m/s or rad and rad/s.
    pub fn flange_motion(&mut self, flange: usize) -> [f64; 2] {
        self.place();
        let force = self.model.flanges[flange].force;
        let now = dynamics::driven_coordinate(&self.model, force, &self.poses, &self.twists);
        now.unwrap_or_default()
    }

    /// Its force on the bodies, N or N m.
    pub fn flange_force(&mut self, flange: usize) -> f64 {
        self.element_force(self.model.flanges[flange].force)
    }

    /// Its acceleration for each newton, 1/kg, or newton metre, 1/(kg m²), with the statuses as they are; with `sliding` as if nothing
    /// stuck.
    pub fn flange_inverse_mass(&mut self, flange: usize, sliding: bool) -> f64 {
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        integrate::inverse_mass(model, state, workspace, flange, sliding)
    }

    /// Its work on the bodies since the start, J.
    pub fn flange_work(&self, flange: usize) -> f64 {
        self.state.flange_work[flange]
    }
}
