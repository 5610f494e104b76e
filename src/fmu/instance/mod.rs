//! One FMU instance with no pointers and no FMI version: a model with its parameters, its state and where it is in its
//! life. `describe` and `fmi` are made of this.

pub mod digest;
mod experiment;
pub mod lifecycle;
pub mod parameter;
mod sensitivity;
pub mod snapshot;
pub mod space;
#[cfg(feature = "text")]
mod text;
mod until_event;
pub mod variable;
pub mod variables;

use crate::dynamics;
use crate::integrate::{self, Event, EventKind, Instant, Report, Workspace};
use crate::kinds::plane::force::{Input, MAX_INPUT_ORDER, Side};
use crate::math::Limit;
use crate::model::{self, Model, Poses, Twists};
use crate::scene::error::SceneError;
pub use crate::scene::packed::FILE as SCENE_FILE;
use crate::scene::packed::{self, Digest};
use crate::scene::spec::{ReportedVelocity, Settings};
use crate::state::{State, TimeSteppingState};
use crate::warning::{Kind, Warning, Watch};
use lifecycle::{Call, Phase};
use variable::{Causality, Role, TimeSteppingOutput, Value, Variability, Variable};

/// Why a call did not do what it should.
#[derive(Clone, Debug, PartialEq)]
pub enum FmiError {
    /// The call was wrong or the simulation failed: a sentence.
    Error(String),
    /// The step was cut short; a shorter one can succeed.
    Discard {
        /// How far it got, s.
        time: f64,
        /// Why.
        reason: String,
    },
    /// Done, but something is worth a word.
    Warning(String),
}

/// Samples of a smooth signal do not change by more than this times their last change.
const LARGEST_GROWTH: f64 = 2.0;

// a master asks for events step by step: what the list has no room for is told with it
fn is_told(warning: &Warning) -> bool {
    warning.kind != Kind::UnlistedEvents
}

fn error<T>(message: impl Into<String>) -> Result<T, FmiError> {
    Err(FmiError::Error(message.into()))
}

/// What is remembered of past events and inputs.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    last_event: Option<(f64, EventKind)>,
    impulse: Vec<[f64; 2]>,
    /// Start of the last communication step, s.
    last_start: f64,
    /// By how much each input changed when it was last set.
    last_change: Vec<f64>,
}

impl Memory {
    fn new(model: &Model, start: f64) -> Self {
        Self {
            last_event: None,
            impulse: vec![[0.0; 2]; model.contacts.len()],
            last_start: start,
            last_change: vec![0.0; model.inputs.len()],
        }
    }
}

/// Times that the master gave.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    scene: Model,
    model: Model,
    settings: Settings,
    state: State,
    workspace: Workspace,
    report: Report,
    /// What was off since the start.
    watch: Watch,
    /// Was something off in the last step that was not before?
    warned: bool,
    memory: Memory,
    experiment: Experiment,
    phase: Phase,
    /// The state does not show the parameters yet.
    stale: bool,
    last_successful_time: f64,
    poses: Poses,
    twists: Twists,
    /// Forces and accelerations of a crowd at the state, if they are known.
    instant: Instant,
    is_instant_known: bool,
}

impl Instance {
    /// From the packed scene of an FMU; `file` is what messages call it.
    ///
    /// # Errors
    /// Bytes that are no packed scene, or one that no model can be built from.
    #[cfg_attr(small, optimize(size))]
    pub fn from_packed(name: &str, file: &str, bytes: &[u8]) -> Result<Self, SceneError> {
        let (scene, digest) =
            packed::unpack(bytes).map_err(|error| SceneError::of_file(file, &error.to_string()))?;
        let model = model::build(&scene).map_err(|all| SceneError::without_lines(file, all))?;
        Ok(Self::of(name, model, &digest))
    }

    fn of(name: &str, scene: Model, digest: &Digest) -> Self {
        let table = variables::table(&scene);
        Self {
            name: name.to_owned(),
            guid: digest::guid(digest, &table),
            table,
            settings: scene.settings.clone(),
            state: State::new(&scene),
            workspace: Workspace::new(&scene),
            report: Report::new(),
            watch: Watch::new(&scene),
            warned: false,
            memory: Memory::new(&scene, 0.0),
            experiment: Experiment {
                start: 0.0,
                stop: None,
            },
            phase: Phase::Instantiated,
            stale: true,
            last_successful_time: 0.0,
            poses: Poses::new(&scene),
            twists: Twists::new(&scene),
            instant: Instant::default(),
            is_instant_known: false,
            model: scene.clone(),
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

    /// The table of variables; value references are places in it.
    pub fn variables(&self) -> &[Variable] {
        &self.table
    }

    /// Where it is in its life.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Time of the state, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// End of the last step, or of the part of it that succeeded, s.
    pub fn last_successful_time(&self) -> f64 {
        self.last_successful_time
    }

    /// What happened so far; its list of events is that of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What the last step saw off for the first time; each kind is told once a run.
    pub fn fresh_warnings(&self) -> impl Iterator<Item = &Warning> {
        let fresh = self.watch.new_warnings().filter(|_| self.warned);
        fresh.filter(|warning| is_told(warning))
    }

    /// What was off more than once since the start.
    pub fn repeated_warnings(&self) -> impl Iterator<Item = &Warning> {
        let all = self.watch.warnings().filter(|w| w.occurrences > 1);
        all.filter(|warning| is_told(warning))
    }

    /// Did the last step end with a warning?
    pub fn is_warned(&self) -> bool {
        self.fresh_warnings().next().is_some()
    }

    /// Words on an event: kind, contact, bodies, time.
    pub fn words_on(&self, event: &Event) -> String {
        let contact = &self.model.contacts[event.contact];
        let [mut a, mut b] = contact.bodies;
        if a.is_none() {
            std::mem::swap(&mut a, &mut b); // the ground comes last
        }
        let [a, b] = [a, b].map(|body| self.model.body_name(body));
        let (kind, name, time) = (event.kind.name(), &contact.name, event.time);
        format!("{kind} of {name} ({a}, {b}) at {time} s")
    }

    /// Refuses a call that the phase does not allow.
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

    /// Only the end helps now.
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
        let variable = self.variable(reference)?;
        let role = variable.role;
        if variable.causality == Causality::Output {
            self.admit(Call::Get)?;
            self.settle()?;
        }
        Ok(self.value(role))
    }

    fn value(&mut self, role: Role) -> Value {
        let state = &self.state;
        match role {
            Role::Input(i) => Value::Real(state.inputs[i].derivatives[0]),
            Role::Parameter(parameter) => parameter.get(&self.model, &self.settings),
            Role::Position(i) => Value::Real(state.position[i]),
            Role::Velocity(i) => Value::Real(match self.settings.reported_velocity {
                ReportedVelocity::End => self.velocity()[i],
                ReportedVelocity::Average => state.average_velocity[i],
            }),
            Role::Acceleration(i) => Value::Real(self.acceleration()[i]),
            Role::Gap(j) => Value::Real(self.gap(j).at_most(f64::MAX)),
            Role::Penetration(j) => Value::Real((-self.gap(j)).at_least(0.0)),
            Role::NormalForce(j) => Value::Real(self.contact_force()[j][0]),
            Role::FrictionForce(j) => Value::Real(self.contact_force()[j][1]),
            Role::NormalImpulse(j) => Value::Real(self.memory.impulse[j][0]),
            Role::FrictionImpulse(j) => Value::Real(self.memory.impulse[j][1]),
            Role::Status(j) => Value::Integer(state.status[j] as i32 + 1),
            Role::JointForce(row) => Value::Real(self.joint_force()[row]),
            Role::ElementForce(i) => Value::Real(self.element_force(i)),
            Role::KineticEnergy => {
                Value::Real(dynamics::kinetic_energy(&self.model, &state.velocity))
            }
            Role::PotentialEnergy => {
                self.place();
                let State { time, inputs, .. } = &self.state;
                Value::Real(dynamics::potential_energy(
                    &self.model,
                    *time,
                    inputs,
                    &self.poses,
                    &self.twists,
                ))
            }
            Role::DissipatedEnergy => Value::Real(self.report.losses()),
            Role::BalanceError => Value::Real(self.report.energy_error()),
            Role::EventCount => {
                Value::Integer(self.report.n_events.total().min(i32::MAX as u64) as i32)
            }
            Role::LastEventTime => Value::Real(
                self.memory
                    .last_event
                    .map_or(self.experiment.start, |e| e.0),
            ),
            Role::LastEventKind => {
                Value::Integer(self.memory.last_event.map_or(1, |e| e.1 as i32 + 2))
            }
            Role::WorstResidual => Value::Real(self.report.worst_residual),
            Role::Space(output) => self.space_value(output),
            Role::TimeStepping(output) => self.time_stepping_value(output),
        }
    }

    // forces and accelerations at the state: those of a crowd are found when they are asked for
    fn find_instant(&mut self) {
        if !self.is_instant_known {
            self.is_instant_known = true;
            integrate::instant(
                &self.model,
                &mut self.state,
                &mut self.workspace,
                &self.settings,
                &mut self.instant,
            );
            self.report.record_instant(&self.instant);
        }
    }

    // steps of a crowd leave velocities that joints forbid
    fn velocity(&mut self) -> &[f64] {
        if self.has_own_velocity() {
            self.find_instant();
        }
        self.known_velocity()
    }

    fn has_own_velocity(&self) -> bool {
        self.model.time_stepping.is_some() && !self.model.joints.is_empty()
    }

    // after `velocity`
    fn known_velocity(&self) -> &[f64] {
        if self.has_own_velocity() {
            &self.instant.velocity
        } else {
            &self.state.velocity
        }
    }

    fn acceleration(&mut self) -> &[f64] {
        if self.model.time_stepping.is_none() {
            return &self.state.acceleration;
        }
        self.find_instant();
        &self.instant.acceleration
    }

    fn contact_force(&mut self) -> &[[f64; 2]] {
        if self.model.time_stepping.is_none() {
            return &self.state.contact_force;
        }
        self.find_instant();
        &self.instant.contact_force
    }

    fn joint_force(&mut self) -> &[f64] {
        if self.model.time_stepping.is_none() {
            return &self.state.joint_force;
        }
        self.find_instant();
        &self.instant.joint_force
    }

    fn time_stepping_value(&self, output: TimeSteppingOutput) -> Value {
        let TimeSteppingState {
            contacts,
            sleep_timer,
            ..
        } = &self.state.time_stepping;
        let count = |n: u64| Value::Integer(n.min(i32::MAX as u64) as i32);
        match output {
            TimeSteppingOutput::Contacts => count(contacts.len() as u64),
            TimeSteppingOutput::Asleep => {
                count(sleep_timer.iter().filter(|x| x.is_infinite()).count() as u64)
            }
            TimeSteppingOutput::Penetration => Value::Real(self.report.end_penetration),
            TimeSteppingOutput::InexactGroups => count(self.report.inexact_solves),
        }
    }

    // energy at the state, J
    fn energy(&mut self) -> f64 {
        self.place();
        let State {
            time,
            inputs,
            velocity,
            ..
        } = &self.state;
        dynamics::kinetic_energy(&self.model, velocity)
            + dynamics::potential_energy(&self.model, *time, inputs, &self.poses, &self.twists)
    }

    fn place(&mut self) {
        self.poses
            .refer_to(&self.state.orientation, &self.state.joint_angle);
        self.model.poses(&self.state.position, &mut self.poses);
        self.model.twists(&self.state.velocity, &mut self.twists);
    }

    fn gap(&mut self, contact: usize) -> f64 {
        self.place();
        self.model
            .gap(&self.model.contacts[contact], &self.poses)
            .map_or(f64::INFINITY, |near| near.gap)
    }

    fn element_force(&mut self, force: usize) -> f64 {
        self.place();
        let State { time, inputs, .. } = &self.state;
        dynamics::coordinate_force(
            &self.model,
            force,
            (*time, Side::After),
            inputs,
            &self.poses,
            &self.twists,
        )
    }

    /// Would [`Instance::set`] take the value?
    pub fn check_set(&self, reference: u32, value: Value) -> Result<(), FmiError> {
        let variable = self.variable(reference)?;
        let name = &variable.name;
        match (variable.causality, variable.variability) {
            (Causality::Output, _) => {
                return error(format!("`{name}` is an output and cannot be set"));
            }
            (Causality::Parameter, Variability::Fixed) if !self.is_before_steps() => {
                return error(format!(
                    "`{name}` is fixed: it can be set before the initialization ends, or after a reset"
                ));
            }
            _ => self.admit(Call::Set)?,
        }
        let fits = match (variable.role, value) {
            (Role::Input(_), Value::Real(x)) => x.is_finite(),
            (Role::Parameter(parameter), value) => parameter.accepts(&self.settings, value),
            _ => false,
        };
        if !fits {
            return error(format!(
                "{value} is not a value that `{name}` can have; its range is in the model description"
            ));
        }
        Ok(())
    }

    /// Sets a variable.
    pub fn set(&mut self, reference: u32, value: Value) -> Result<(), FmiError> {
        self.check_set(reference, value)?;
        let role = self.variable(reference)?.role;
        self.is_instant_known = false;
        match (role, value) {
            (Role::Input(i), Value::Real(x)) => self.set_input(i, x),
            (Role::Parameter(parameter), value)
                if parameter.get(&self.model, &self.settings) != value =>
            {
                let before = self.energy();
                parameter.set(&mut self.model, &mut self.settings, value);
                // whoever changes a spring does work on it, which is no error of the balance
                let given = self.energy() - before;
                self.report.play.start_energy += given;
                self.report.play.energy += given;
                self.report.play.lowest += given;
                self.force_jumped();
                self.wake_time_stepping();
            }
            _ => {}
        }
        self.stale |= self.is_before_steps();
        Ok(())
    }

    fn is_before_steps(&self) -> bool {
        matches!(self.phase, Phase::Instantiated | Phase::Initialization)
    }

    fn set_input(&mut self, i: usize, value: f64) {
        let now = self.state.time;
        let old = self.state.inputs[i];
        if old == Input::held(old.since, value) {
            return;
        }
        self.state.inputs[i] = Input::held(now, value);
        let whole = value - old.derivatives[0];
        let last = std::mem::replace(&mut self.memory.last_change[i], whole);
        let change = value - old.value(now);
        if change == 0.0 {
            return;
        }
        self.state.statuses_known = false;
        let brought = whole - change;
        let is_smooth = if brought != 0.0 {
            // derivatives leave over less than they brought
            change.abs() <= brought.abs()
        } else {
            // samples of a smooth signal go on as they did one step ago
            old.since == self.memory.last_start
                && change * last > 0.0
                && change.abs() <= LARGEST_GROWTH * last.abs()
        };
        if !is_smooth {
            self.force_jumped();
        }
    }

    // derivatives of an input are for one step; without new ones it falls back to the value that was set
    fn drop_used_derivatives(&mut self) {
        for i in 0..self.state.inputs.len() {
            self.drop_used_derivatives_of(i);
        }
    }

    fn drop_used_derivatives_of(&mut self, i: usize) {
        let (now, old) = (self.state.time, self.state.inputs[i]);
        let held = Input::held(now, old.derivatives[0]);
        if old.since < now && old.derivatives != held.derivatives {
            self.state.inputs[i] = held;
            self.force_jumped();
        }
    }

    // statuses are decided anew and stiff parts damped
    // what slept in balance may have to move
    fn wake_time_stepping(&mut self) {
        for sleep_timer in &mut self.state.time_stepping.sleep_timer {
            *sleep_timer = 0.0;
        }
    }

    fn force_jumped(&mut self) {
        self.state.statuses_known = false;
        self.state.damping_left = self.settings.damping_steps;
    }

    /// Would [`Instance::set_input_derivative`] take the value? Gives the indices of input and order.
    pub fn check_input_derivative(
        &self,
        reference: u32,
        order: i32,
        value: f64,
    ) -> Result<(usize, usize), FmiError> {
        self.admit(Call::SetInputDerivatives)?;
        let variable = self.variable(reference)?;
        let Role::Input(i) = variable.role else {
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
                "{value} is not a derivative that `{}` can have",
                variable.name
            ));
        }
        Ok((i, order))
    }

    /// Gives a derivative of an input, for the next step.
    pub fn set_input_derivative(
        &mut self,
        reference: u32,
        order: i32,
        value: f64,
    ) -> Result<(), FmiError> {
        let (i, order) = self.check_input_derivative(reference, order, value)?;
        self.drop_used_derivatives_of(i);
        self.is_instant_known = false;
        self.state.inputs[i].since = self.state.time;
        self.state.inputs[i].derivatives[order] = value;
        Ok(())
    }
}
