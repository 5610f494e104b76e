//! An experiment: initialization, steps, termination and reset.

use super::lifecycle::{Call, Phase};
use super::{Experiment, FmiError, Instance, Memory, error};
use crate::integrate::StepError;
use crate::kinds::space::inertia::Principal;
use crate::math::{Limit, Mat3, Vec3};
use crate::model::memory;
use crate::scene::spec::TOLERANCE;
use crate::simulation::{Reached, observe, rounding};

/// Maximum number of standard steps, or of longest steps by tolerance, in a communication step.
const MAX_STEPS: f64 = 1e7;

/// Steps by tolerance count as at most this long, s, whatever `max_step` is: a communication step of 300
/// years is an error.
const LONGEST_STEP: f64 = 1e3;

/// Allowed error of a communication point as a fraction of the step: rounding of the master's time.
const TIME_SLACK: f64 = 1e-6;

/// Maximum rounding error of times as a fraction of the standard step: events are located inside of it.
const COARSEST_TIME: f64 = 1e-3;

/// Allowed joint drift at the start, m or rad; the first step closes the joints.
const CLOSED: f64 = 1e-6;

impl Instance {
    /// Sets times and tolerance.
    pub fn setup_experiment(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<(), FmiError> {
        self.admit(Call::SetupExperiment)?;
        if !start.is_finite() || stop.is_some_and(|stop| stop.is_nan() || stop < start) {
            return error(format!(
                "start time {start} and stop time {} are not a valid interval",
                stop.unwrap_or(f64::INFINITY)
            ));
        }
        if let Some(tolerance) = tolerance
            && !(tolerance.is_finite() && tolerance >= 0.0)
        {
            return error(format!("{tolerance} is not a valid tolerance"));
        }
        self.experiment = Experiment { start, stop };
        self.stale = true;
        tolerance.map_or(Ok(()), |tolerance| self.take_tolerance(tolerance))
    }

    // the last value counts, whether set here or as a parameter; 0 selects fixed steps
    fn take_tolerance(&mut self, wanted: f64) -> Result<(), FmiError> {
        let (model, settings) = self.simulation.parameters_mut();
        if model.time_stepping.is_some() {
            // time stepping has fixed steps
            return Ok(());
        }
        let (lowest, highest) = TOLERANCE.ends();
        let tolerance = wanted.clamp(lowest, highest);
        settings.tolerance = (wanted > 0.0).then_some(tolerance);
        if wanted == 0.0 || wanted == tolerance {
            return Ok(());
        }
        Err(FmiError::Warning(format!(
            "the tolerance {wanted:e} is replaced by {tolerance:e}; it must be {}",
            TOLERANCE.words
        )))
    }

    /// Enters initialization mode.
    pub fn enter_initialization(&mut self) -> Result<(), FmiError> {
        self.admit(Call::EnterInitialization)?;
        self.phase = Phase::Initialization;
        self.stale = true;
        Ok(())
    }

    /// Exits initialization mode: the state is consistent from here on.
    pub fn exit_initialization(&mut self) -> Result<(), FmiError> {
        self.admit(Call::ExitInitialization)?;
        if let Err(error_of_call) = self.settle() {
            self.phase = Phase::Error;
            return Err(error_of_call);
        }
        self.phase = Phase::StepComplete;
        Ok(())
    }

    /// Terminates the run.
    pub fn terminate(&mut self) -> Result<(), FmiError> {
        self.admit(Call::Terminate)?;
        self.phase = Phase::Terminated;
        Ok(())
    }

    /// Resets parameters, times and state to those after instantiation.
    pub fn reset(&mut self) -> Result<(), FmiError> {
        self.admit(Call::Reset)?;
        self.make_room()?;
        self.reset_parameters();
        let (model, settings) = self.simulation.parameters_mut();
        model.clone_from(&self.scene);
        settings.clone_from(&self.scene.settings);
        self.experiment = Experiment {
            start: 0.0,
            stop: None,
        };
        self.begin();
        self.phase = Phase::Instantiated;
        self.stale = true;
        Ok(())
    }

    // a failed allocation would end the process
    fn make_room(&self) -> Result<(), FmiError> {
        if memory::can_allocate(self.simulation.model().bytes()) {
            return Ok(());
        }
        error("there is not enough memory for a reset")
    }

    // nothing has happened at the start of the experiment
    fn begin(&mut self) {
        self.simulation.restart(self.experiment.start);
        self.warned = false;
        self.memory = Memory::new(&self.scene, self.experiment.start);
        self.last_successful_time = self.experiment.start;
    }

    /// Updates the state for parameters set before the first step.
    pub(super) fn settle(&mut self) -> Result<(), FmiError> {
        if !self.stale || self.phase != Phase::Initialization {
            return Ok(());
        }
        self.make_room()?;
        self.apply_parameters()?;
        let mut inputs = self.simulation.state().inputs.clone();
        for input in &mut inputs {
            input.since = self.experiment.start;
        }
        self.begin();
        self.simulation.state_mut().inputs = inputs;
        self.check_start()?;
        if let Err(problem) = self.simulation.initialize() {
            return error(format!("the initialization failed: {problem}"));
        }
        self.stale = false;
        Ok(())
    }

    // initial positions are parameters: joints must still be closed and shapes must not overlap
    fn check_start(&mut self) -> Result<(), FmiError> {
        self.check_rotations()?;
        let (model, _, poses) = self.simulation.placed();
        for link in &model.joints {
            let mut open: f64 = 0.0;
            model.joint_rows(link, poses, |_, residual| {
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
        model.overlaps(poses, CLOSED, |name, contact, depth| {
            overlap.get_or_insert_with(|| match model.rope_of(contact) {
                Some(_) => format!(
                    "the rope `{name}` is {depth:.3e} m shorter than its path at the start; change its initial length or the initial positions"
                ),
                None => format!(
                    "`{name}` overlap by {depth:.3e} at the start; move the initial positions apart"
                ),
            });
        });
        overlap.map_or(Ok(()), error)
    }

    // components of quaternions and principal moments are set one by one: the result must be valid
    fn check_rotations(&self) -> Result<(), FmiError> {
        let model = self.simulation.model();
        for rotation in model.rotations() {
            let Some(body) = model.bodies.iter().find(|b| b.first + 3 == rotation) else {
                continue;
            };
            if observe::length_of(body.start.orientation).is_none() {
                return error(format!(
                    "the initial orientation of `{}` has no length; give a quaternion other than zero",
                    body.name
                ));
            }
            let principal = Principal {
                moments: Vec3::from_column_slice(&model.mass[rotation..rotation + 3]),
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
        self.apply_parameters()?;
        if std::mem::replace(&mut self.warned, false) {
            self.simulation.warnings_are_reported();
        }
        let end = current + size;
        if !current.is_finite() || !size.is_finite() || size <= 0.0 || !end.is_finite() {
            return self.fail(format!("a step of {size} s from {current} s is not valid"));
        }
        let now = self.time();
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
        let step = self.simulation.settings().step;
        let coarse = f64::EPSILON * end.abs();
        if coarse > COARSEST_TIME * step {
            return self.fail(format!(
                "at {end} s, times are rounded to {coarse:.1e} s, which is too coarse for steps of {step} s"
            ));
        }
        self.simulation.report_mut().events.clear();
        if end <= now {
            self.simulation.state_mut().time = end;
            self.last_successful_time = end;
            return Ok(());
        }
        self.drop_used_derivatives();
        self.memory.last_start = now;
        let outcome = if self.simulation.settings().return_at_event {
            self.simulation.advance_to_event(end)
        } else {
            self.simulation.advance_to(end).map(|()| Reached::End)
        };
        self.last_successful_time = self.time();
        match outcome {
            Ok(Reached::End) => {
                self.warned = true;
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

    // longest fixed step, or step by tolerance
    fn longest_step(&self) -> f64 {
        let settings = self.simulation.settings();
        match settings.tolerance {
            Some(_) => settings.max_step.at_most(LONGEST_STEP),
            None => settings.step,
        }
    }

    // `impact of ball-ground (ball, ground) at 0.5 s`, ..
    fn words_on_events_from(&self, time: f64) -> String {
        let events = self.report().events.iter();
        let words: Vec<String> = events
            .filter(|event| event.time >= time - rounding(time))
            .map(|event| self.words_on(event))
            .collect();
        words.join("; ")
    }
}
