//! A simulation run: the driver of the engine for Rust users, the command line and the FMU.

use crate::dynamics;
use crate::integrate::{self, EventKind, Instant, Report, StepError, Workspace};
use crate::kinds::plane::force::Side;
use crate::model::{Model, Poses, Twists};
use crate::scene::spec::{ReportedVelocity, Settings};
use crate::state::State;
use crate::warning::{Warning, Watch};
use serde::{Deserialize, Serialize};

mod flanges;
pub mod observe;
mod rates;
mod sensors;
#[cfg(feature = "text")]
mod text;
mod until_event;

#[cfg(feature = "text")]
pub use text::model_of;
pub use until_event::Reached;
pub(crate) use until_event::rounding;

/// A simulation of a model.
///
/// ```
/// let scene = r#"
///     [[body]]
///     name = "ball"
///     kind = "point"
///     mass = 1.0
///     position = [0.0, 1.0]
///     shape = [{ kind = "point" }]
///     [[ground.shape]]
///     kind = "half_plane"
///     normal = [0, 1]
/// "#;
/// let mut simulation = stiction::Simulation::from_text("ball", scene).unwrap();
/// simulation.advance_to(1.0).unwrap();
/// assert!(simulation.state().position[1].abs() < 1e-12);
/// ```
#[derive(Debug)]
pub struct Simulation {
    model: Model,
    /// s.
    start: f64,
    state: State,
    /// State of the integrator when it is ahead of the current time.
    ahead: Option<State>,
    workspace: Box<Workspace>,
    settings: Settings,
    report: Report,
    watch: Watch,
    history: History,
    /// Poses and twists of the state, if `is_placed`.
    poses: Poses,
    twists: Twists,
    is_placed: bool,
    /// Forces and accelerations at the state, if known.
    instant: Instant,
    /// Twists of the velocities of the motion.
    instant_twists: Twists,
    is_instant_known: bool,
}

/// History of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Time and kind of the last one.
    pub last_event: Option<(f64, EventKind)>,
    /// Normal and tangential impulse of the last impact of each contact, N s.
    pub impulse: Vec<[f64; 2]>,
}

impl History {
    fn new(model: &Model) -> Self {
        Self {
            last_event: None,
            impulse: vec![[0.0; 2]; model.contacts.len()],
        }
    }
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy of gravity and springs.
    pub potential: f64,
}

impl Energy {
    /// Sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Simulation {
    /// Creates a simulation with the scene's settings.
    pub fn new(model: Model) -> Self {
        let settings = model.settings.clone();
        Self::with_settings(model, settings)
    }

    /// Creates a simulation with other settings.
    pub fn with_settings(model: Model, settings: Settings) -> Self {
        Self {
            start: 0.0,
            state: State::new(&model),
            ahead: None,
            workspace: Box::new(Workspace::new(&model)),
            report: Report::new(),
            watch: Watch::new(&model),
            history: History::new(&model),
            poses: Poses::new(&model),
            twists: Twists::new(&model),
            is_placed: false,
            instant: Instant::default(),
            instant_twists: Twists::new(&model),
            is_instant_known: false,
            settings,
            model,
        }
    }

    /// Resets to the initial state of the model at a time, with an empty report.
    pub fn restart(&mut self, time: f64) {
        self.start = time;
        self.state = State::new(&self.model);
        self.state.time = time;
        self.renew_workspace();
        self.report = Report::new();
        self.watch = Watch::new(&self.model);
        self.history = History::new(&self.model);
        self.changed();
    }

    /// Replaces the model by another one of the same structure.
    pub(crate) fn replace_model(&mut self, model: Model) {
        self.poses = Poses::new(&model);
        self.twists = Twists::new(&model);
        self.instant_twists = Twists::new(&model);
        self.instant = Instant::default();
        self.model = model;
        self.renew_workspace();
        self.changed();
    }

    /// Updates the workspace for changed masses.
    pub(crate) fn renew_workspace(&mut self) {
        *self.workspace = Workspace::new(&self.model);
    }

    /// Restores a saved state of this model and its report.
    pub(crate) fn restore(&mut self, start: f64, state: &State, report: &Report, past: &History) {
        self.changed();
        self.start = start;
        self.state.clone_from(state);
        // the number of reallocations belongs to the run, not to the motion
        let (growths, operations) = (self.report.growths, self.report.operations);
        let residual = self.report.instant_residual;
        self.report.clone_from(report);
        (self.report.growths, self.report.operations) = (growths, operations);
        self.report.instant_residual = residual;
        self.history.clone_from(past);
    }

    /// Makes the initial state consistent without advancing time: closes joints, resolves impacts of approaching contacts,
    /// and determines statuses and forces. Otherwise the first step does this.
    pub fn initialize(&mut self) -> Result<(), StepError> {
        self.drive(integrate::initialize)
    }

    /// Integrates up to `time` exactly, in equal standard steps not longer than the step of the settings. An
    /// error leaves the simulation at the last accepted state.
    pub fn advance_to(&mut self, time: f64) -> Result<(), StepError> {
        self.drive(|model, state, workspace, settings, report| {
            integrate::advance(model, state, workspace, settings, report, time)
        })
    }

    fn drive<T>(
        &mut self,
        integrate: impl FnOnce(
            &Model,
            &mut State,
            &mut Workspace,
            &Settings,
            &mut Report,
        ) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        self.changed();
        let n_events = self.report.events.len();
        let result = integrate(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
        );
        self.remember(n_events);
        self.watch();
        result
    }

    // invalidate quantities derived from the previous state
    fn changed(&mut self) {
        self.ahead = None;
        self.is_placed = false;
        self.is_instant_known = false;
    }

    fn remember(&mut self, first: usize) {
        for event in &self.report.events[first..] {
            self.history.last_event = Some((event.time, event.kind));
            // one-way clutches, which follow the contacts, have none
            if event.kind.has_impulse()
                && let Some(impulse) = self.history.impulse.get_mut(event.contact)
            {
                *impulse = event.impulse;
            }
        }
    }

    fn watch(&mut self) {
        let reached = self.reached();
        self.watch.check(&self.settings, &self.report, reached);
    }

    /// Like [`Self::advance_to`], for dense output: by tolerance, steps are as long as
    /// the tolerance allows, but not beyond `end`, and the state at `time` is interpolated with the accuracy
    /// of the steps. Without a tolerance it is the same as `advance_to`.
    pub fn glide_to(&mut self, time: f64, end: f64) -> Result<(), StepError> {
        self.glide(time, end, true)
    }

    /// Like [`Self::glide_to`] without output: the state may stay behind until one of these is called with `time`
    /// equal to `end`.
    pub fn glide_past(&mut self, time: f64, end: f64) -> Result<(), StepError> {
        self.glide(time, end, time == end)
    }

    fn glide(&mut self, time: f64, end: f64, look: bool) -> Result<(), StepError> {
        if self.settings.tolerance.is_none() || self.model.time_stepping.is_some() {
            return self.advance_to(time);
        }
        self.is_placed = false;
        self.is_instant_known = false;
        let n_events = self.report.events.len();
        let Self {
            model,
            state,
            ahead,
            workspace,
            settings,
            report,
            ..
        } = self;
        let ahead = ahead.get_or_insert_with(|| state.clone());
        let moved = integrate::advance_past(model, ahead, workspace, settings, report, (time, end));
        if moved.is_err() {
            state.copy_from(ahead);
        } else if look {
            integrate::interpolate(model, ahead, workspace, settings, report, time, state)?;
        }
        self.remember(n_events);
        self.watch();
        moved
    }

    /// Time of the integrator, s, which may be ahead of the state after [`Self::glide_to`].
    pub fn reached(&self) -> f64 {
        self.ahead
            .as_ref()
            .map_or(self.state.time, |ahead| ahead.time)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The current settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Mutable access to model and settings: only values may be changed, not the structure.
    pub fn parameters_mut(&mut self) -> (&mut Model, &mut Settings) {
        self.changed();
        (&mut self.model, &mut self.settings)
    }

    /// Start time of the run, s.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Mutable access to the current state: the next step makes inconsistent values consistent.
    pub fn state_mut(&mut self) -> &mut State {
        self.changed();
        &mut self.state
    }

    /// The report so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Warnings so far, each kind once, with its largest size.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.watch.warnings()
    }

    /// Warnings not reported yet.
    pub fn new_warnings(&self) -> impl Iterator<Item = &Warning> {
        self.watch.new_warnings()
    }

    /// Marks all warnings so far as reported.
    pub fn warnings_are_reported(&mut self) {
        self.watch.reported();
    }

    /// History of events.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Mutable access to the report, to remove events.
    pub fn report_mut(&mut self) -> &mut Report {
        &mut self.report
    }

    /// The velocities selected by `reported_velocity`.
    pub fn reported_velocity(&mut self) -> &[f64] {
        match self.settings.reported_velocity {
            ReportedVelocity::End => self.velocity(),
            ReportedVelocity::Average => &self.state.average_velocity,
        }
    }

    /// The current velocities of the motion.
    pub fn velocity(&mut self) -> &[f64] {
        if self.has_own_velocity() {
            &self.instant().velocity
        } else {
            &self.state.velocity
        }
    }

    // with time stepping, velocities may violate joints
    fn has_own_velocity(&self) -> bool {
        self.model.time_stepping.is_some() && !self.model.joints.is_empty()
    }

    /// Current accelerations.
    pub fn acceleration(&mut self) -> &[f64] {
        if self.model.time_stepping.is_some() {
            &self.instant().acceleration
        } else {
            &self.state.acceleration
        }
    }

    /// Current normal and tangential contact forces, N.
    pub fn contact_force(&mut self) -> &[[f64; 2]] {
        if self.model.time_stepping.is_some() {
            &self.instant().contact_force
        } else {
            &self.state.contact_force
        }
    }

    /// Current reactions of joints and motors, N or N m.
    pub fn joint_force(&mut self) -> &[f64] {
        if self.model.time_stepping.is_some() {
            &self.instant().joint_force
        } else {
            &self.state.joint_force
        }
    }

    /// Current power that the motion of a driven body takes, W.
    pub fn drive_power(&mut self, body: usize) -> f64 {
        let first = self.model.first_element_row() - self.model.drives.len();
        self.place();
        let mut power = 0.0;
        for i in 0..self.model.drives.len() {
            let effort = self.joint_force()[first + i];
            let drive = &self.model.drives[i];
            if self.model.bodies_of(drive)[1] == Some(body) && drive.is_of_body() {
                let row = self.model.drive_row(drive, &self.poses);
                power += effort * row.dot(&self.state.velocity);
            }
        }
        power
    }

    /// Current force of a spring, damper or Stribeck element along its coordinate, positive in compression, N or N m.
    pub fn element_force(&mut self, force: usize) -> f64 {
        self.place();
        let State { time, inputs, .. } = &self.state;
        let (poses, twists) = (&self.poses, &self.twists);
        dynamics::coordinate_force(
            &self.model,
            force,
            (*time, Side::After),
            inputs,
            poses,
            twists,
        )
    }

    /// Speed at which a friction element slips, m/s or rad/s.
    pub fn slip_speed(&mut self, element: usize) -> f64 {
        self.place();
        let State {
            time,
            inputs,
            velocity,
            ..
        } = &self.state;
        let element = &self.model.elements[element];
        let speed = element.given_speed(*time, Side::After, inputs);
        self.model.element_row(element, &self.poses).dot(velocity) - speed
    }

    /// Power that a friction element turns into heat, W.
    pub fn friction_loss(&mut self, element: usize) -> f64 {
        let row = self.model.first_element_row() + element;
        -self.joint_force()[row] * self.slip_speed(element)
    }

    /// Gap of a contact, m (rad at a stop); infinite while another contact represents its feature.
    pub fn gap(&mut self, contact: usize) -> f64 {
        self.place();
        self.model
            .gap(&self.model.contacts[contact], &self.poses)
            .map_or(f64::INFINITY, |near| near.gap)
    }

    /// Current energies.
    pub fn energy(&mut self) -> Energy {
        self.place();
        Energy {
            kinetic: dynamics::kinetic_energy(&self.model, &self.state.velocity)
                - dynamics::reel_energy(&self.model, &self.state.velocity),
            potential: dynamics::potential_energy(
                &self.model,
                self.state.time,
                &self.state.inputs,
                &self.poses,
                &self.twists,
            ) + dynamics::elastic_energy(&self.model, &self.poses),
        }
    }

    /// Smallest gap of a shape pair, m.
    pub fn pair_gap(&mut self, pair: usize) -> f64 {
        self.place();
        observe::pair_gap(&self.model, &self.poses, pair)
    }

    /// Resultant forces of a shape pair.
    pub fn pair_total(&mut self, pair: usize) -> observe::PairTotal {
        self.place();
        observe::pair_total(&self.model, &self.state, &self.poses, pair)
    }

    /// A coordinate of a joint in space, m or rad counted over all turns, and its rate.
    pub fn joint_coordinate(&mut self, joint: usize, coordinate: usize) -> [f64; 2] {
        self.place();
        let twists = if self.has_own_velocity() {
            self.instant();
            &self.instant_twists
        } else {
            &self.twists
        };
        observe::joint_coordinate(&self.model, (joint, coordinate), &self.poses, twists)
    }

    /// Current forces and accelerations of the motion. With time stepping they are computed on
    /// demand and do not affect the motion, since the state has means over the last step. Otherwise they are those of the state.
    pub fn instant(&mut self) -> &Instant {
        if !self.is_instant_known {
            self.is_instant_known = true;
            let Self {
                model,
                state,
                workspace,
                settings,
                instant,
                instant_twists,
                report,
                ..
            } = self;
            if model.time_stepping.is_some() {
                integrate::instant(model, state, workspace, settings, instant);
                report.record_instant(instant);
                model.twists(&instant.velocity, instant_twists);
            } else {
                instant.velocity.clone_from(&state.velocity);
                instant.acceleration.clone_from(&state.acceleration);
                instant.contact_force.clone_from(&state.contact_force);
                instant.joint_force.clone_from(&state.joint_force);
            }
            self.watch();
        }
        &self.instant
    }

    /// Model and state, with the poses of all bodies in it.
    pub fn placed(&mut self) -> (&Model, &State, &Poses) {
        self.place();
        (&self.model, &self.state, &self.poses)
    }

    // once per state
    fn place(&mut self) {
        if std::mem::replace(&mut self.is_placed, true) {
            return;
        }
        self.poses
            .refer_to(&self.state.orientation, &self.state.joint_angle);
        self.model.poses(&self.state.position, &mut self.poses);
        self.model.twists(&self.state.velocity, &mut self.twists);
    }
}
