//! A run from its start to any later time: the one driver of the engine, for Rust users, the command line and the FMU.

use crate::dynamics;
use crate::integrate::{self, EventKind, Instant, Report, StepError, Workspace};
use crate::kinds::plane::force::Side;
use crate::model::{Model, Poses, Twists};
use crate::scene::spec::{ReportedVelocity, Settings};
use crate::state::State;
use crate::warning::{Warning, Watch};
use serde::{Deserialize, Serialize};

pub mod observe;
mod rates;
#[cfg(feature = "text")]
mod text;
mod until_event;

#[cfg(feature = "text")]
pub use text::model_of;
pub use until_event::Reached;
pub(crate) use until_event::rounding;

/// A model on its way through time.
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
    /// Where the integrator is when it is ahead of the state.
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
    /// Forces and accelerations at the state, if they are known.
    instant: Instant,
    /// Twists of its velocities.
    instant_twists: Twists,
    is_instant_known: bool,
}

/// What is remembered of past events.
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
    /// Of motion.
    pub kinetic: f64,
    /// In gravity and springs.
    pub potential: f64,
}

impl Energy {
    /// Sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Simulation {
    /// At the start, with the scene's own settings.
    pub fn new(model: Model) -> Self {
        let settings = model.settings.clone();
        Self::with_settings(model, settings)
    }

    /// At the start, with other settings.
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

    /// Back to the state that the model starts in, at a time: nothing has happened so far.
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

    /// Working memory for masses that were changed.
    pub(crate) fn renew_workspace(&mut self) {
        *self.workspace = Workspace::new(&self.model);
    }

    /// Back to a state of this model that was saved, with what had happened up to then.
    pub(crate) fn restore(&mut self, start: f64, state: &State, report: &Report, past: &History) {
        self.changed();
        self.start = start;
        self.state.clone_from(state);
        // how often memory grew is of this run, not of the motion
        let (growths, residual) = (self.report.growths, self.report.instant_residual);
        self.report.clone_from(report);
        (self.report.growths, self.report.instant_residual) = (growths, residual);
        self.history.clone_from(past);
    }

    /// Settles the start without moving on: joints are closed, what touches and approaches collides, statuses and
    /// forces are decided. The first step does it otherwise.
    pub fn initialize(&mut self) -> Result<(), StepError> {
        self.drive(integrate::initialize)
    }

    /// Integrates up to `time` exactly, in equal standard steps that are not longer than the settings' step. An
    /// error leaves the last accepted state.
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

    // what was found for the state before is not true any more
    fn changed(&mut self) {
        self.ahead = None;
        self.is_placed = false;
        self.is_instant_known = false;
    }

    fn remember(&mut self, first: usize) {
        for event in &self.report.events[first..] {
            self.history.last_event = Some((event.time, event.kind));
            if matches!(event.kind, EventKind::Impact | EventKind::Jam) {
                self.history.impulse[event.contact] = event.impulse;
            }
        }
    }

    fn watch(&mut self) {
        let reached = self.reached();
        self.watch.check(&self.settings, &self.report, reached);
    }

    /// Like [`Self::advance_to`], for one of many times at which the motion is looked at: by tolerance, steps go on to
    /// where their accuracy ends, not beyond `end`, and the state at `time` is interpolated from them, as accurately
    /// as they are. Without a tolerance it is the same as `advance_to`.
    pub fn glide_to(&mut self, time: f64, end: f64) -> Result<(), StepError> {
        self.glide(time, end, true)
    }

    /// Like [`Self::glide_to`] where nobody looks: the state may stay behind, until one of these is called with `time`
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

    /// How far the integrator is, s: where [`Self::glide_to`] looks back from.
    pub fn reached(&self) -> f64 {
        self.ahead
            .as_ref()
            .map_or(self.state.time, |ahead| ahead.time)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Model and settings, to be changed: what depends on their values only, not on what there is.
    pub fn parameters_mut(&mut self) -> (&mut Model, &mut Settings) {
        self.changed();
        (&mut self.model, &mut self.settings)
    }

    /// When the run began, s.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state now, to be changed: inconsistent values are closed or collide at the next step.
    pub fn state_mut(&mut self) -> &mut State {
        self.changed();
        &mut self.state
    }

    /// What happened so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What was off so far, each kind once, with its worst size.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.watch.warnings()
    }

    /// Those that were not reported before.
    pub fn new_warnings(&self) -> impl Iterator<Item = &Warning> {
        self.watch.new_warnings()
    }

    /// All warnings so far are reported.
    pub fn warnings_are_reported(&mut self) {
        self.watch.reported();
    }

    /// What is remembered of past events.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The report, to take the events out of.
    pub fn report_mut(&mut self) -> &mut Report {
        &mut self.report
    }

    /// The velocities that the settings want to be shown.
    pub fn reported_velocity(&mut self) -> &[f64] {
        match self.settings.reported_velocity {
            ReportedVelocity::End => self.velocity(),
            ReportedVelocity::Average => &self.state.average_velocity,
        }
    }

    /// The velocities of the motion now.
    pub fn velocity(&mut self) -> &[f64] {
        if self.has_own_velocity() {
            &self.instant().velocity
        } else {
            &self.state.velocity
        }
    }

    // time stepping leaves velocities that joints forbid
    fn has_own_velocity(&self) -> bool {
        self.model.time_stepping.is_some() && !self.model.joints.is_empty()
    }

    /// Accelerations now.
    pub fn acceleration(&mut self) -> &[f64] {
        if self.model.time_stepping.is_some() {
            &self.instant().acceleration
        } else {
            &self.state.acceleration
        }
    }

    /// Normal and tangential forces of the contacts now, N.
    pub fn contact_force(&mut self) -> &[[f64; 2]] {
        if self.model.time_stepping.is_some() {
            &self.instant().contact_force
        } else {
            &self.state.contact_force
        }
    }

    /// Forces of the joint equations and motors now, N or N m.
    pub fn joint_force(&mut self) -> &[f64] {
        if self.model.time_stepping.is_some() {
            &self.instant().joint_force
        } else {
            &self.state.joint_force
        }
    }

    /// Force of a spring, damper or Stribeck element along its coordinate now, positive when it pushes, N or N m.
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

    /// Gap of a contact, m (rad at a stop); infinite while another contact looks after its place.
    pub fn gap(&mut self, contact: usize) -> f64 {
        self.place();
        self.model
            .gap(&self.model.contacts[contact], &self.poses)
            .map_or(f64::INFINITY, |near| near.gap)
    }

    /// Energies now.
    pub fn energy(&mut self) -> Energy {
        self.place();
        Energy {
            kinetic: dynamics::kinetic_energy(&self.model, &self.state.velocity),
            potential: dynamics::potential_energy(
                &self.model,
                self.state.time,
                &self.state.inputs,
                &self.poses,
                &self.twists,
            ),
        }
    }

    /// Smallest gap of a pair of shapes in space, m.
    pub fn pair_gap(&mut self, pair: usize) -> f64 {
        self.place();
        observe::pair_gap(&self.model, &self.poses, pair)
    }

    /// Forces of a pair of shapes in space.
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

    /// Forces and accelerations of the motion now. With time stepping they are found when they
    /// are asked for, and change nothing of the motion: its state has means over the last step. In other models they are those of the state.
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

    // once for a state
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
