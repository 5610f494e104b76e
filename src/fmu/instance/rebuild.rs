//! Parameters of the scene with names of the author's: the model is built again with their values. Values that the master
//! has set of other parameters stay.

use super::lifecycle::Phase;
use super::variable::{Source, Value};
use super::{FmiError, Instance, error, variables};
use crate::model::{self, Model};
use crate::scene::error::{Problem, SceneError};
use crate::scene::packed;
use crate::scene::spec::parameter::Parameter;

impl Instance {
    /// Builds the model again if values of parameters of the scene have changed. Values that make the scene invalid are
    /// replaced by the previous ones between steps; before the first step they may be completed by others, and are an error
    /// when the initialization ends.
    ///
    /// # Errors
    /// The scene is invalid with these values.
    pub fn apply_parameters(&mut self) -> Result<(), FmiError> {
        let [now, built] = [self.simulation.model(), self.base()].map(|m| &m.parameters);
        if now
            .iter()
            .map(|p| p.value)
            .eq(built.iter().map(|p| p.value))
        {
            return Ok(());
        }
        let [values, built] = [now, built].map(|all| values_of(all));
        let outcome = self.rebuilt(&values).map(|model| self.replace_model(model));
        if outcome.is_err() && !self.is_before_steps() {
            let (model, _) = self.simulation.parameters_mut();
            for (parameter, value) in model.parameters.iter_mut().zip(built) {
                parameter.value = value;
            }
        }
        outcome
    }

    /// The model of the scene with the current values of its parameters.
    fn base(&self) -> &Model {
        self.rebuilt.as_deref().unwrap_or(&self.scene)
    }

    fn rebuilt(&self, values: &[f64]) -> Result<Model, FmiError> {
        let invalid = |problems: Vec<Problem>| {
            let all = SceneError::without_lines("scene", problems);
            let messages: Vec<String> = all.messages().collect();
            let text = messages.join("; ").replace("\n  hint: ", " (");
            FmiError::Error(format!(
                "the scene is invalid with the values of its parameters: {text}"
            ))
        };
        let Some(spec) = &self.spec else {
            return error("the scene has no parameters");
        };
        let scene = packed::with_parameters(spec, values).map_err(invalid)?;
        let model = model::build(&scene).map_err(invalid)?;
        if !self.has_same_structure(&model) {
            return error(
                "with these values of its parameters the scene has other variables, which the model description does not list",
            );
        }
        Ok(model)
    }

    fn has_same_structure(&self, model: &Model) -> bool {
        let sizes = |m: &Model| {
            [
                m.bodies.len(),
                m.joints.len(),
                m.couplings.len(),
                m.drives.len(),
                m.elements.len(),
                m.forces.len(),
                m.contacts.len(),
                m.inputs.len(),
                m.n_velocities,
                m.n_joint_rows,
                m.n_joint_coordinates,
                m.n_friction_rows,
                m.time_stepping.as_ref().map_or(0, |_| m.n_colliders()),
            ]
        };
        let table = variables::table(model);
        let pairs = table.iter().zip(&self.table);
        sizes(model) == sizes(&self.scene)
            && table.len() == self.table.len()
            && pairs.into_iter().all(|(a, b)| a.name == b.name)
    }

    fn replace_model(&mut self, base: Model) {
        let mut model = base.clone();
        let (before, now) = (self.base(), self.simulation.model());
        let mut settings = self.simulation.settings().clone();
        for variable in &self.table {
            if let Source::Parameter(parameter) = variable.source {
                let value = parameter.get(now, &settings);
                let is_set = value != parameter.get(before, &settings);
                if is_set && !parameter.is_of_scene() {
                    parameter.set((&mut model, &mut settings), value);
                }
            }
        }
        let is_running = !self.is_before_steps();
        let energy = self.simulation.energy().total();
        self.simulation.replace_model(model);
        self.rebuilt = Some(Box::new(base));
        if is_running {
            let given = self.simulation.energy().total() - energy;
            self.account(given);
            self.force_jumped();
            self.wake_bodies();
        } else {
            self.stale = true;
        }
    }

    /// Sets parameters of the scene as in a saved state.
    pub(super) fn restore_parameters(
        &mut self,
        values: &[Value],
        phase: Phase,
    ) -> Result<(), FmiError> {
        let mut values = values.iter();
        for variable in &self.table {
            if let Source::Parameter(parameter) = variable.source
                && let Some(value) = values.next()
                && parameter.is_of_scene()
            {
                parameter.set(self.simulation.parameters_mut(), *value);
            }
        }
        self.phase = phase;
        let applied = self.apply_parameters();
        // before the first step others may complete them
        if self.is_before_steps() {
            Ok(())
        } else {
            applied
        }
    }

    /// Builds the model of the scene as it is in the FMU again.
    pub(super) fn reset_parameters(&mut self) {
        if self.rebuilt.take().is_some() {
            self.simulation.replace_model(self.scene.clone());
        }
    }
}

fn values_of(parameters: &[Parameter]) -> Vec<f64> {
    parameters.iter().map(|p| p.value).collect()
}
