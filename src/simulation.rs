//! A run from its start to any later time: the engine's front door for Rust users and for the command line.

use crate::dynamics;
use crate::integrate::{self, Instant, Report, StepError, Workspace};
use crate::model::{Model, Poses, Twists};
use crate::scene::spec::{ReportedVelocity, Settings};
use crate::state::State;
use crate::warning::{Warning, Watch};

pub mod observe;
#[cfg(feature = "text")]
mod text;

#[cfg(feature = "text")]
pub use text::model_of;

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
    state: State,
    /// Where the integrator is when it is ahead of the state.
    ahead: Option<State>,
    workspace: Box<Workspace>,
    settings: Settings,
    report: Report,
    watch: Watch,
    poses: Poses,
    twists: Twists,
    /// Forces and accelerations at the state, if they are known.
    instant: Instant,
    is_instant_known: bool,
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
            state: State::new(&model),
            ahead: None,
            workspace: Box::new(Workspace::new(&model)),
            report: Report::new(),
            watch: Watch::new(&model),
            poses: Poses::new(&model),
            twists: Twists::new(&model),
            instant: Instant::default(),
            is_instant_known: false,
            settings,
            model,
        }
    }

    /// Settles the start without moving on: joints are closed, what touches and approaches collides, statuses and
    /// forces are decided. The first step does it otherwise.
    pub fn initialize(&mut self) -> Result<(), StepError> {
        self.ahead = None;
        self.is_instant_known = false;
        let result = integrate::initialize(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
        );
        self.watch();
        result
    }

    /// Integrates up to `time` exactly, in equal standard steps that are not longer than the settings' step. An
    /// error leaves the last accepted state.
    pub fn advance_to(&mut self, time: f64) -> Result<(), StepError> {
        self.ahead = None;
        self.is_instant_known = false;
        let result = integrate::advance(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
            time,
        );
        self.watch();
        result
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
        self.is_instant_known = false;
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

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state now, to be changed: inconsistent values are closed or collide at the next step.
    pub fn state_mut(&mut self) -> &mut State {
        self.ahead = None;
        self.is_instant_known = false;
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

    /// The report, to take the events out of.
    pub fn report_mut(&mut self) -> &mut Report {
        &mut self.report
    }

    /// The velocities that the settings want to be shown.
    pub fn reported_velocity(&mut self) -> &[f64] {
        match self.settings.reported_velocity {
            ReportedVelocity::End if self.has_own_velocity() => &self.instant().velocity,
            ReportedVelocity::End => &self.state.velocity,
            ReportedVelocity::Average => &self.state.average_velocity,
        }
    }

    // steps of a crowd leave velocities that joints forbid
    fn has_own_velocity(&self) -> bool {
        self.model.time_stepping.is_some() && !self.model.joints.is_empty()
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

    /// Smallest gap and forces of a pair of shapes in space.
    pub fn pair(&mut self, pair: usize) -> (f64, observe::PairTotal) {
        self.place();
        (
            observe::pair_gap(&self.model, &self.poses, pair),
            observe::pair_total(&self.model, &self.state, &self.poses, pair),
        )
    }

    /// A coordinate of a joint in space, m or rad counted over all turns, and its rate.
    pub fn joint_coordinate(&mut self, joint: usize, coordinate: usize) -> [f64; 2] {
        self.place();
        if self.has_own_velocity() {
            self.instant();
            self.model.twists(&self.instant.velocity, &mut self.twists);
        }
        observe::joint_coordinate(&self.model, (joint, coordinate), &self.poses, &self.twists)
    }

    /// Forces and accelerations of the motion now. In a crowd they are found when they are asked for, and change nothing of the motion:
    /// its state has means over the last step. In other models they are those of the state.
    pub fn instant(&mut self) -> &Instant {
        if !self.is_instant_known {
            self.is_instant_known = true;
            let Self {
                model,
                state,
                workspace,
                settings,
                instant,
                report,
                ..
            } = self;
            if model.time_stepping.is_some() {
                integrate::instant(model, state, workspace, settings, instant);
                report.record_instant(instant);
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

    fn place(&mut self) {
        self.poses
            .refer_to(&self.state.orientation, &self.state.joint_angle);
        self.model.poses(&self.state.position, &mut self.poses);
        self.model.twists(&self.state.velocity, &mut self.twists);
    }
}
