//! Derivatives of outputs at a communication point, with respect to time and to inputs.
//!
//! (1)  with respect to inputs, with contact statuses fixed: accelerations and forces are linear in applied forces, so the
//!      difference of two solves is exact up to rounding. With redundant constraints, forces are piecewise linear,
//!      so the inputs are perturbed only slightly

use super::lifecycle::{Call, Phase};
use super::variable::{Output, Source};
use super::{FmiError, Instance, error};
use crate::math::{Limit, max_abs};
use crate::model::InputUnit;

/// Perturbation of inputs in (1), relative to the forces present.
const NUDGE: f64 = 1e-5;

impl Instance {
    fn output(&self, reference: u32) -> Result<Output, FmiError> {
        let variable = self.variable(reference)?;
        match variable.output() {
            Some(output) => Ok(*output),
            None => error(format!("`{}` is not an output", variable.name)),
        }
    }

    /// Time derivative of an output, of order 1 only.
    pub fn output_derivative(&mut self, reference: u32, order: i32) -> Result<f64, FmiError> {
        self.admit(Call::GetOutputDerivatives)?;
        let output = self.output(reference)?;
        let name = &self.table[reference as usize].name;
        if order != 1 {
            return error(format!(
                "only first derivatives are available, not order {order} of `{name}`"
            ));
        }
        match output.rate_now(&mut self.simulation) {
            Some(rate) => Ok(rate),
            None => error(format!(
                "`{name}` has no rate where the pitch is a right angle; use that of the orientation"
            )),
        }
    }

    /// Directional derivatives of outputs with respect to inputs: `result = (d unknown / d known) seed`.
    pub fn directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), FmiError> {
        self.admit(Call::DirectionalDerivative)?;
        self.settle()?;
        let mut inputs = Vec::with_capacity(knowns.len());
        for reference in knowns {
            let variable = self.variable(*reference)?;
            match variable.source {
                Source::Input(i) if self.jumps_with(i) => {
                    return error(format!(
                        "velocities depend directly on `{}` during the initialization: derivatives with respect to it are available afterwards",
                        variable.name
                    ));
                }
                Source::Input(i) => inputs.push(i),
                Source::Parameter(_) | Source::Output(_) => {
                    return error(format!("`{}` is not an input", variable.name));
                }
            }
        }
        let outputs: Result<Vec<Output>, FmiError> = unknowns
            .iter()
            .map(|unknown| self.output(*unknown))
            .collect();
        let outputs = outputs?;
        let here = self.simulation.state().clone();
        self.simulation.refresh_forces();
        let read = |output: &Output, s: &mut _| output.number(s);
        let s = &mut self.simulation;
        let before: Vec<f64> = outputs.iter().map(|output| read(output, s)).collect();
        let largest = max_abs(seed);
        let nudge = if largest > 0.0 {
            NUDGE * self.force_scale() / largest
        } else {
            1.0
        };
        let state = self.simulation.state_mut();
        for (input, seed) in inputs.iter().zip(seed) {
            state.inputs[*input].derivatives[0] += nudge * seed;
        }
        self.simulation.refresh_forces();
        for (i, output) in outputs.iter().enumerate() {
            result[i] = if output.depends_on_inputs {
                difference(read(output, &mut self.simulation), before[i]) / nudge
            } else {
                0.0
            };
        }
        self.simulation.set_state(here);
        Ok(())
    }

    // the speed of a motor makes velocities jump, which is visible only before the first step; that of a partner makes a force
    fn jumps_with(&self, input: usize) -> bool {
        let is_speed = match self.scene.inputs[input].unit {
            InputUnit::MeterPerSecond | InputUnit::RadianPerSecond => true,
            InputUnit::Newton
            | InputUnit::NewtonMeter
            | InputUnit::Meter
            | InputUnit::Radian
            | InputUnit::MeterPerSecond2
            | InputUnit::RadianPerSecond2 => false,
        };
        is_speed && !self.scene.is_of_partner(input) && self.phase == Phase::Initialization
    }

    // the largest force that acts, or 1 where none does
    fn force_scale(&mut self) -> f64 {
        let simulation = &mut self.simulation;
        let mut scale = max_abs(simulation.joint_force());
        for force in simulation.contact_force() {
            scale = scale.at_least(max_abs(force));
        }
        let accelerations = simulation.acceleration().to_vec();
        for (mass, acceleration) in simulation.model().mass.iter().zip(&accelerations) {
            scale = scale.at_least((mass * acceleration).abs());
        }
        if scale > 0.0 && scale.is_finite() {
            scale
        } else {
            1.0
        }
    }
}

// zero where both are infinite: the gap of a contact that another one represents
fn difference(after: f64, before: f64) -> f64 {
    if after == before { 0.0 } else { after - before }
}
