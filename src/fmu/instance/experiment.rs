//! The course of an experiment: initialization, steps, end and reset.

use super::lifecycle::{Call, Phase};
use super::until_event::Reached;
use super::{Experiment, FmiError, Instance, Memory, error};
use crate::integrate::{self, EventKind, Report, StepError, Workspace};
use crate::kinds::space::inertia::Principal;
use crate::math::{Limit, Mat3, Vec3};
use crate::model::memory;
use crate::scene::spec::TOLERANCE;
use crate::simulation::observe;
use crate::state::State;
use crate::warning::Watch;

/// Standard steps, or longest steps by tolerance, in one communication step at most.
const MAX_STEPS: f64 = 1e7;

/// Steps by tolerance count as not longer than this, s, whatever `max_step` says: where they would get through 300
/// years at once, something else is wrong.
const LONGEST_STEP: f64 = 1e3;

/// A communication point may be off by this fraction of the step: rounding of the master's time.
const TIME_SLACK: f64 = 1e-6;

/// Joints may be open by this much at the start, m or rad; the first step closes them.
const CLOSED: f64 = 1e-6;

impl Instance {
    /// Takes times and tolerance.
    pub fn setup_experiment(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<(), FmiError> {
        self.admit(Call::SetupExperiment)?;
        if !start.is_finite() || stop.is_some_and(|stop| stop.is_nan() || stop < start) {
            return error(format!(
                "start time {start} and stop time {} do not make an experiment",
                stop.unwrap_or(f64::INFINITY)
            ));
        }
        if let Some(tolerance) = tolerance
            && !(tolerance.is_finite() && tolerance >= 0.0)
        {
            return error(format!("{tolerance} is not a tolerance"));
        }
        self.experiment = Experiment { start, stop };
        self.stale = true;
        tolerance.map_or(Ok(()), |tolerance| self.take_tolerance(tolerance))
    }

    // the last word counts, whether it comes from here or as a parameter; 0 is for steps of fixed length
    fn take_tolerance(&mut self, wanted: f64) -> Result<(), FmiError> {
        if self.model.time_stepping.is_some() {
            // steps of a crowd have a fixed length
            return Ok(());
        }
        let (lowest, highest) = TOLERANCE.ends();
        let tolerance = wanted.clamp(lowest, highest);
        self.settings.tolerance = (wanted > 0.0).then_some(tolerance);
        if wanted == 0.0 || wanted == tolerance {
            return Ok(());
        }
        Err(FmiError::Warning(format!(
            "the tolerance {wanted:e} is taken as {tolerance:e}; it must be {}",
            TOLERANCE.words
        )))
    }

    /// Begins the initialization.
    pub fn enter_initialization(&mut self) -> Result<(), FmiError> {
        self.admit(Call::EnterInitialization)?;
        self.phase = Phase::Initialization;
        self.stale = true;
        Ok(())
    }

    /// Ends the initialization: the state is consistent from here on.
    pub fn exit_initialization(&mut self) -> Result<(), FmiError> {
        self.admit(Call::ExitInitialization)?;
        if let Err(error_of_call) = self.settle() {
            self.phase = Phase::Error;
            return Err(error_of_call);
        }
        self.phase = Phase::StepComplete;
        Ok(())
    }

    /// Ends the run.
    pub fn terminate(&mut self) -> Result<(), FmiError> {
        self.admit(Call::Terminate)?;
        self.phase = Phase::Terminated;
        Ok(())
    }

    /// Back to where it was after instantiation: parameters, times, state.
    pub fn reset(&mut self) -> Result<(), FmiError> {
        self.admit(Call::Reset)?;
        self.make_room()?;
        self.model.clone_from(&self.scene);
        self.settings.clone_from(&self.scene.settings);
        self.experiment = Experiment {
            start: 0.0,
            stop: None,
        };
        self.state = State::new(&self.model);
        self.begin();
        self.phase = Phase::Instantiated;
        self.stale = true;
        Ok(())
    }

    // memory that is not there would end the process
    fn make_room(&self) -> Result<(), FmiError> {
        if memory::can_allocate(self.model.bytes()) {
            return Ok(());
        }
        error("there is not enough memory to begin anew")
    }

    // an empty book at the start of the experiment
    fn begin(&mut self) {
        self.is_instant_known = false;
        self.workspace = Workspace::new(&self.model);
        self.report = Report::new();
        self.watch = Watch::new(&self.model);
        self.warned = false;
        self.memory = Memory::new(&self.model, self.experiment.start);
        self.last_successful_time = self.experiment.start;
    }

    /// Brings the state up to date with parameters that were set before the first step.
    pub(super) fn settle(&mut self) -> Result<(), FmiError> {
        if !self.stale || self.phase != Phase::Initialization {
            return Ok(());
        }
        self.make_room()?;
        let inputs = std::mem::take(&mut self.state.inputs);
        self.state = State::new(&self.model);
        self.state.inputs = inputs;
        self.state.time = self.experiment.start;
        for input in &mut self.state.inputs {
            input.since = self.experiment.start;
        }
        self.begin();
        self.check_start()?;
        let started = integrate::initialize(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
        );
        if let Err(problem) = started {
            return error(format!("the initialization failed: {problem}"));
        }
        self.remember_events();
        self.stale = false;
        Ok(())
    }

    // initial positions are parameters: they must still close the joints and keep shapes apart
    fn check_start(&mut self) -> Result<(), FmiError> {
        self.check_rotations()?;
        self.place();
        for link in &self.model.joints {
            let mut open: f64 = 0.0;
            self.model.joint_rows(link, &self.poses, |_, residual| {
                open = open.at_least(residual.abs())
            });
            if open > CLOSED {
                let message = format!(
                    "the initial positions leave the joint `{}` open by {open:.3e}; change them together",
                    link.name
                );
                return error(message);
            }
        }
        let mut overlap = None;
        self.model.overlaps(&self.poses, CLOSED, |name, _, depth| {
            overlap.get_or_insert_with(|| {
                format!(
                    "`{name}` overlap by {depth:.3e} at the start; move the initial positions apart"
                )
            });
        });
        overlap.map_or(Ok(()), error)
    }

    // quaternions and principal moments are set one number after the other: together they must make sense
    fn check_rotations(&self) -> Result<(), FmiError> {
        for rotation in self.model.rotations() {
            let Some(body) = self.model.bodies.iter().find(|b| b.first + 3 == rotation) else {
                continue;
            };
            if observe::length_of(body.start.orientation).is_none() {
                return error(format!(
                    "the initial orientation of `{}` has no length; give a quaternion other than zero",
                    body.name
                ));
            }
            let principal = Principal {
                moments: Vec3::from_column_slice(&self.model.mass[rotation..rotation + 3]),
                axes: Mat3::identity(),
            };
            if principal.defect().is_some() {
                return error(format!(
                    "no body has the principal moments of inertia of `{}`: one is larger than the sum of the others",
                    body.name
                ));
            }
        }
        Ok(())
    }

    fn fail(&mut self, message: String) -> Result<(), FmiError> {
        self.phase = Phase::Error;
        error(message)
    }

    /// Advances from the communication point `current` by `size`.
    pub fn do_step(&mut self, current: f64, size: f64) -> Result<(), FmiError> {
        self.admit(Call::DoStep)?;
        self.warned = false;
        let end = current + size;
        if !current.is_finite() || !size.is_finite() || size <= 0.0 || !end.is_finite() {
            return self.fail(format!(
                "a step of {size} s from {current} s cannot be taken"
            ));
        }
        let now = self.state.time;
        let slack = TIME_SLACK * size + 8.0 * f64::EPSILON * current.abs();
        if (current - now).abs() > slack {
            return self.fail(format!(
                "the step starts at {current} s, but the instance is at {now} s"
            ));
        }
        if self.experiment.stop.is_some_and(|stop| end > stop + slack) {
            let stop = self.experiment.stop.unwrap_or(end);
            return self.fail(format!(
                "the step ends at {end} s, after the stop time {stop} s"
            ));
        }
        let longest = self.longest_step();
        if size / longest > MAX_STEPS {
            return self.fail(format!(
                "a communication step of {size} s has more than {MAX_STEPS:e} steps of {longest} s"
            ));
        }
        self.is_instant_known = false;
        self.report.events.clear();
        if end <= now {
            self.state.time = end;
            self.last_successful_time = end;
            return Ok(());
        }
        self.drop_used_derivatives();
        self.memory.last_start = now;
        let outcome = if self.settings.return_at_event {
            self.advance_to_event(end)
        } else {
            integrate::advance(
                &self.model,
                &mut self.state,
                &mut self.workspace,
                &self.settings,
                &mut self.report,
                end,
            )
            .map(|()| Reached::End)
        };
        self.last_successful_time = self.state.time;
        self.remember_events();
        match outcome {
            Ok(Reached::End) => {
                let time = self.state.time;
                self.warned = self.watch.check(&self.settings, &self.report, time);
                Ok(())
            }
            Ok(Reached::Event(time)) => {
                self.phase = Phase::StepFailed;
                let what = self.words_on_events_from(time);
                Err(FmiError::Discard {
                    time,
                    reason: format!(
                        "an event cut the step short at {time} s: {what}; restore the state of its start and repeat it up to there"
                    ),
                })
            }
            Err(problem @ StepError::TooMuchWork { time }) => {
                self.phase = Phase::StepFailed;
                Err(FmiError::Discard {
                    time,
                    reason: format!(
                        "{problem}; or restore the state of its start and repeat it with a shorter communication step"
                    ),
                })
            }
            Err(problem) => self.fail(problem.to_string()),
        }
    }

    // of fixed steps, or of those that a tolerance chooses
    fn longest_step(&self) -> f64 {
        match self.settings.tolerance {
            Some(_) => self.settings.max_step.at_most(LONGEST_STEP),
            None => self.settings.step,
        }
    }

    fn remember_events(&mut self) {
        for event in &self.report.events {
            self.memory.last_event = Some((event.time, event.kind));
            if matches!(event.kind, EventKind::Impact | EventKind::Jam) {
                self.memory.impulse[event.contact] = event.impulse;
            }
        }
    }
}
