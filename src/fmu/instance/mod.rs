//! One FMU instance, independent of pointers and FMI version: a model with its parameters, its state and its phase in the
//! life cycle. `describe` and `c_api` build on it.

pub mod digest;
mod experiment;
pub mod lifecycle;
pub mod output;
pub mod parameter;
mod rebuild;
mod sensitivity;
pub mod snapshot;
#[cfg(feature = "text")]
mod text;
pub mod unit;
pub mod variable;
pub mod variables;

use crate::integrate::{Event, Report};
use crate::kinds::plane::force::{Input, MAX_INPUT_ORDER};
use crate::math::Limit;
use crate::model::{self, Model};
use crate::scene::Scene;
use crate::scene::error::SceneError;
pub use crate::scene::packed::FILE as SCENE_FILE;
use crate::scene::packed::{self, Digest};
use crate::simulation::Simulation;
use crate::warning::{Kind, Warning};
use lifecycle::{Call, Phase};
use serde::{Deserialize, Serialize};
use variable::{Causality, Source, Value, Variability, Variable};

/// Reason why a call did not succeed.
#[derive(Clone, Debug, PartialEq)]
pub enum FmiError {
    /// The call was invalid or the simulation failed.
    Error(String),
    /// The step ended early; a shorter one can succeed.
    Discard {
        /// Time reached, s.
        time: f64,
        /// Why.
        reason: String,
    },
    /// Success with a warning.
    Warning(String),
}

/// Changes between samples of a smooth signal are below this times the previous change.
const LARGEST_GROWTH: f64 = 2.0;

// events are logged after every step; the number of those beyond the capacity of the list is logged too
fn is_told(warning: &Warning) -> bool {
    warning.kind != Kind::UnlistedEvents
}

fn error<T>(message: impl Into<String>) -> Result<T, FmiError> {
    Err(FmiError::Error(message.into()))
}

/// History of inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Memory {
    /// Start of the last communication step, s.
    last_start: f64,
    /// Change of each input when it was last set.
    last_change: Vec<f64>,
}

impl Memory {
    fn new(model: &Model, start: f64) -> Self {
        Self {
            last_start: start,
            last_change: vec![0.0; model.inputs.len()],
        }
    }
}

/// Times set by the master.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Experiment {
    start: f64,
    stop: Option<f64>,
}

/// One FMU instance.
#[derive(Debug)]
pub struct Instance {
    name: String,
    guid: String,
    table: Vec<Variable>,
    /// The model as in the scene, without changes of parameters.
    scene: Model,
    /// The scene, if it has parameters with names of the author's.
    spec: Option<Box<Scene>>,
    /// The model of the scene with other values of these parameters.
    rebuilt: Option<Box<Model>>,
    simulation: Simulation,
    /// Did the last step cause a new warning?
    warned: bool,
    memory: Memory,
    experiment: Experiment,
    phase: Phase,
    /// The state has not been updated for the parameters yet.
    stale: bool,
    last_successful_time: f64,
}

impl Instance {
    /// Creates an instance from the packed scene of an FMU; `file` is used in messages.
    ///
    /// # Errors
    /// If the bytes are not a packed scene, or no model can be built from it.
    pub fn from_packed(name: &str, file: &str, bytes: &[u8]) -> Result<Self, SceneError> {
        let (scene, digest) =
            packed::unpack(bytes).map_err(|error| SceneError::of_file(file, &error.to_string()))?;
        let model = model::build(&scene).map_err(|all| SceneError::without_lines(file, all))?;
        let mut instance = Self::of(name, model, &digest);
        if !scene.parameters.is_empty() {
            instance.spec = Some(Box::new(scene));
        }
        Ok(instance)
    }

    fn of(name: &str, scene: Model, digest: &Digest) -> Self {
        let table = variables::table(&scene);
        Self {
            name: name.to_owned(),
            guid: digest::guid(digest, &table),
            table,
            simulation: Simulation::new(scene.clone()),
            warned: false,
            memory: Memory::new(&scene, 0.0),
            experiment: Experiment {
                start: 0.0,
                stop: None,
            },
            phase: Phase::Instantiated,
            stale: true,
            last_successful_time: 0.0,
            spec: None,
            rebuilt: None,
            scene,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The identity that the model description must have.
    pub fn guid(&self) -> &str {
        &self.guid
    }

    /// The variable table; value references are indices into it.
    pub fn variables(&self) -> &[Variable] {
        &self.table
    }

    /// Its phase in the life cycle.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Time of the state, s.
    pub fn time(&self) -> f64 {
        self.simulation.state().time
    }

    /// End of the last step, or of the part of it that succeeded, s.
    pub fn last_successful_time(&self) -> f64 {
        self.last_successful_time
    }

    /// The report so far; its list of events is that of the last step.
    pub fn report(&self) -> &Report {
        self.simulation.report()
    }

    /// New warnings of the last step; each kind is reported once per run.
    pub fn fresh_warnings(&self) -> impl Iterator<Item = &Warning> {
        let fresh = self.simulation.new_warnings().filter(|_| self.warned);
        fresh.filter(|warning| is_told(warning))
    }

    /// Warnings that occurred more than once since the start.
    pub fn repeated_warnings(&self) -> impl Iterator<Item = &Warning> {
        let all = self.simulation.warnings().filter(|w| w.occurrences > 1);
        all.filter(|warning| is_told(warning))
    }

    /// Did the last step end with a warning?
    pub fn is_warned(&self) -> bool {
        self.fresh_warnings().next().is_some()
    }

    /// Text of an event: kind, contact, bodies, time.
    pub fn words_on(&self, event: &Event) -> String {
        let model = self.simulation.model();
        let [mut a, mut b] = model.event_bodies(event.contact);
        if a.is_none() {
            std::mem::swap(&mut a, &mut b); // the ground comes last
        }
        let [a, b] = [a, b].map(|body| model.body_name(body));
        let (kind, name, time) = (
            event.kind.name(),
            model.event_name(event.contact),
            event.time,
        );
        format!("{kind} of {name} ({a}, {b}) at {time} s")
    }

    /// Rejects a call that the phase does not allow.
    pub fn admit(&self, call: Call) -> Result<(), FmiError> {
        if self.phase.admits(call) {
            return Ok(());
        }
        let allowed: Vec<&str> = call.phases().iter().map(|phase| phase.name()).collect();
        error(format!(
            "{call:?} is not allowed while the instance is {}; it is allowed while it is {}",
            self.phase.name(),
            allowed.join(", or ")
        ))
    }

    /// Only freeing the instance is allowed from now on.
    pub fn break_down(&mut self) {
        self.phase = Phase::Fatal;
    }

    fn variable(&self, reference: u32) -> Result<&Variable, FmiError> {
        match self.table.get(reference as usize) {
            Some(variable) => Ok(variable),
            None => error(format!(
                "there is no variable with value reference {reference}; the last one is {}",
                self.table.len() - 1
            )),
        }
    }

    /// The value of a variable.
    pub fn get(&mut self, reference: u32) -> Result<Value, FmiError> {
        let output = match &self.variable(reference)?.source {
            Source::Output(output) => *output,
            Source::Input(i) => {
                let input = self.simulation.state().inputs[*i];
                return Ok(Value::Real(input.derivatives[0]));
            }
            Source::Parameter(parameter) => {
                let simulation = &self.simulation;
                return Ok(parameter.get(simulation.model(), simulation.settings()));
            }
        };
        self.admit(Call::Get)?;
        self.settle()?;
        Ok(match output.value(&mut self.simulation) {
            // masters get a large number for an infinite gap
            Value::Real(x) => Value::Real(x.at_most(f64::MAX)),
            value => value,
        })
    }

    /// Would [`Instance::set`] accept the value?
    pub fn check_set(&self, reference: u32, value: Value) -> Result<(), FmiError> {
        let variable = self.variable(reference)?;
        let name = &variable.name;
        match (variable.causality, variable.variability) {
            (Causality::Output | Causality::Local, _) => {
                return error(format!("`{name}` is calculated and cannot be set"));
            }
            (Causality::Parameter, Variability::Fixed) if !self.is_before_steps() => {
                return error(format!(
                    "`{name}` is fixed: it can be set before the initialization ends, or after a reset"
                ));
            }
            _ => self.admit(Call::Set)?,
        }
        let fits = match (&variable.source, value) {
            (Source::Input(_), Value::Real(x)) => x.is_finite(),
            (Source::Parameter(parameter), value) => {
                parameter.accepts(self.simulation.settings(), value)
            }
            _ => false,
        };
        if !fits {
            return error(format!(
                "{value} is outside the range of `{name}`, which is in the model description"
            ));
        }
        Ok(())
    }

    /// Sets a variable.
    pub fn set(&mut self, reference: u32, value: Value) -> Result<(), FmiError> {
        self.check_set(reference, value)?;
        match (&self.table[reference as usize].source, value) {
            (Source::Input(i), Value::Real(x)) => self.set_input(*i, x),
            (Source::Parameter(parameter), value) => {
                let (parameter, simulation) = (*parameter, &mut self.simulation);
                if parameter.get(simulation.model(), simulation.settings()) != value {
                    let before = simulation.energy().total();
                    parameter.set(simulation.parameters_mut(), value);
                    // a change of a spring parameter does work, which is not an error of the energy balance
                    let given = simulation.energy().total() - before;
                    self.account(given);
                    self.force_jumped();
                    self.wake_bodies();
                }
            }
            _ => {}
        }
        self.stale |= self.is_before_steps();
        Ok(())
    }

    /// Values set so far belong together: between steps the model is built again where they change the scene.
    ///
    /// # Errors
    /// The scene is invalid with these values; the previous ones hold.
    pub fn set_is_complete(&mut self) -> Result<(), FmiError> {
        match self.is_before_steps() {
            true => Ok(()),
            false => self.apply_parameters(),
        }
    }

    // energy that a change of a parameter brings
    fn account(&mut self, given: f64) {
        let play = &mut self.simulation.report_mut().play;
        play.start_energy += given;
        play.energy += given;
        play.lowest += given;
    }

    fn is_before_steps(&self) -> bool {
        matches!(self.phase, Phase::Instantiated | Phase::Initialization)
    }

    fn set_input(&mut self, i: usize, value: f64) {
        let state = self.simulation.state_mut();
        let (now, old) = (state.time, state.inputs[i]);
        if old == Input::held(old.since, value) {
            return;
        }
        state.inputs[i] = Input::held(now, value);
        let whole = value - old.derivatives[0];
        let last = std::mem::replace(&mut self.memory.last_change[i], whole);
        let change = value - old.value(now);
        if change == 0.0 {
            return;
        }
        state.statuses_known = false;
        let brought = whole - change;
        let is_smooth = if brought != 0.0 {
            // with derivatives the remaining jump is smaller
            change.abs() <= brought.abs()
        } else {
            // samples of a smooth signal change similarly to the previous step
            old.since == self.memory.last_start
                && change * last > 0.0
                && change.abs() <= LARGEST_GROWTH * last.abs()
        };
        if !is_smooth {
            self.force_jumped();
        }
    }

    // input derivatives hold for one step; without new ones the input is constant again
    fn drop_used_derivatives(&mut self) {
        for i in 0..self.memory.last_change.len() {
            self.drop_used_derivatives_of(i);
        }
    }

    fn drop_used_derivatives_of(&mut self, i: usize) {
        let state = self.simulation.state_mut();
        let (now, old) = (state.time, state.inputs[i]);
        let held = Input::held(now, old.derivatives[0]);
        if old.since < now && old.derivatives != held.derivatives {
            state.inputs[i] = held;
            self.force_jumped();
        }
    }

    // sleeping bodies may no longer be in equilibrium
    fn wake_bodies(&mut self) {
        let time_stepping = &mut self.simulation.state_mut().time_stepping;
        time_stepping.sleep_timer.fill(0.0);
    }

    // contact statuses are redetermined and stiff parts damped
    fn force_jumped(&mut self) {
        let damping_steps = self.simulation.settings().damping_steps;
        let state = self.simulation.state_mut();
        state.statuses_known = false;
        state.damping_left = damping_steps;
    }

    /// Would [`Instance::set_input_derivative`] accept the value? Returns the indices of input and order.
    pub fn check_input_derivative(
        &self,
        reference: u32,
        order: i32,
        value: f64,
    ) -> Result<(usize, usize), FmiError> {
        self.admit(Call::SetInputDerivatives)?;
        let variable = self.variable(reference)?;
        let Source::Input(i) = variable.source else {
            return error(format!("`{}` is not an input", variable.name));
        };
        let order = match usize::try_from(order) {
            Ok(order @ 1..=MAX_INPUT_ORDER) => order,
            _ => {
                return error(format!(
                    "derivatives of `{}` have orders from 1 to {MAX_INPUT_ORDER}, not {order}",
                    variable.name
                ));
            }
        };
        if !value.is_finite() {
            return error(format!(
                "{value} is not a valid derivative of `{}`",
                variable.name
            ));
        }
        Ok((i, order))
    }

    /// Sets a derivative of an input for the next step.
    pub fn set_input_derivative(
        &mut self,
        reference: u32,
        order: i32,
        value: f64,
    ) -> Result<(), FmiError> {
        let (i, order) = self.check_input_derivative(reference, order, value)?;
        self.drop_used_derivatives_of(i);
        let state = self.simulation.state_mut();
        state.inputs[i].since = state.time;
        state.inputs[i].derivatives[order] = value;
        Ok(())
    }
}
