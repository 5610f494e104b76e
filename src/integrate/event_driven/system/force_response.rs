//! Response of the bodies to a force, with the statuses as they are.

use super::System;
use crate::math::dense::RankRevealing;
use crate::math::set_zeros;
use crate::model::Model;
use crate::state::Status;

impl System {
    /// Adds the effect of the constraints to the free acceleration `x` that a force causes. The forces of compliant contacts, and prescribed
    /// motions, do not change with it.
    pub fn respond_to_force(
        &mut self,
        model: &Model,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        x: &mut [f64],
    ) {
        self.prescribe(model, 0.0, |_| 0.0, |_| 0.0);
        self.bias_from(x);
        self.release_compliant();
        self.reset_stribeck();
        let n_discs = self.direction.len();
        set_zeros(&mut self.turning, n_discs);
        self.solve_motion(joints, status, solver);
        self.add_response(x);
    }
}
