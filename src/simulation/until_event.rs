//! A step that ends at its first event (`settings.return_at_event` of an FMU).
//!
//! The result must not depend on the number of attempts of a master: standard steps end on a grid that begins at the start of
//! the run, whatever the communication points, and events are always located within a whole standard step. So a
//! step repeated up to the event finds the same event, with the same bits, at its end.
//!
//! By tolerance there is no grid. Events are located in steps of the length given by the tolerance, possibly beyond
//! the end of the communication step; if there is no event before that end, the steps are repeated up to it.

use super::Simulation;
use crate::integrate::{self, StepError};
use crate::math::Limit;

/// Events this close to the start or the end of a communication step do not end it, as a fraction of the standard
/// step, so that every attempt makes progress.
const MARGIN: f64 = 1e-6;

/// The margin is at least this long, s, because masters round times to nanoseconds, but at most this fraction of the
/// standard step.
const SHORTEST_MARGIN: f64 = 1e-9;
const LONGEST_MARGIN: f64 = 1e-3;

/// Outcome of a communication step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// At its end.
    End,
    /// At an event, s.
    Event(f64),
}

impl Simulation {
    /// Advances to `end`, or to the first event on the way.
    pub fn advance_to_event(&mut self, end: f64) -> Result<Reached, StepError> {
        self.changed();
        let n_events = self.report.events.len();
        let reached = self.find_event(end);
        self.changed();
        self.remember(n_events);
        if reached == Ok(Reached::End) {
            self.watch();
        }
        reached
    }

    fn find_event(&mut self, end: f64) -> Result<Reached, StepError> {
        if self.settings.tolerance.is_some() {
            return self.advance_by_tolerance(end);
        }
        let step = self.settings.step;
        let margin = (MARGIN * step)
            .at_least(SHORTEST_MARGIN)
            .at_most(LONGEST_MARGIN * step);
        let mut from = self.state.time + margin;
        while self.state.time < end {
            let Some(time) = self.cell(from, end)? else {
                continue;
            };
            if time < end - margin {
                self.settle_at_event()?;
                return Ok(Reached::Event(self.state.time));
            }
            if time >= end - rounding(end) {
                self.state.time = end;
                self.settle_at_event()?;
                return Ok(Reached::End);
            }
            // between the two: continue to the end
            from = f64::INFINITY;
        }
        self.take_event_at(end)?;
        Ok(Reached::End)
    }

    fn advance_by_tolerance(&mut self, end: f64) -> Result<Reached, StepError> {
        let here = (self.state.clone(), self.report.clone());
        let from = self.state.time + SHORTEST_MARGIN;
        // slightly further, since some events are detected at the start of the following step
        if let Ok(Some(time)) = self.run_to_event(from, end + 2.0 * rounding(end)) {
            if time < end - SHORTEST_MARGIN {
                self.settle_at_event()?;
                return Ok(Reached::Event(self.state.time));
            }
            if (time - end).abs() <= rounding(end) {
                self.state.time = end;
                self.settle_at_event()?;
                return Ok(Reached::End);
            }
        }
        (self.state, self.report) = here;
        self.run_to(end)?;
        self.take_event_at(end)?;
        Ok(Reached::End)
    }

    // where a force jumps, or events are not located, they are detected at the start of the following step: such an event
    // belongs to the step that ends there
    fn take_event_at(&mut self, end: f64) -> Result<(), StepError> {
        let settings = &self.settings;
        let located = settings.extrapolates() || settings.locates_transitions();
        let located = located && settings.locate_collisions;
        let jumps = |b: &f64| (b - end).abs() <= rounding(end);
        if located && !self.model.breakpoints.iter().any(jumps) {
            return Ok(());
        }
        let here = (self.state.clone(), self.report.clone());
        let next = self.next_grid_point(end + self.settings.step);
        let found = self.run_to_event(end - 2.0 * rounding(end), next);
        if matches!(found, Ok(Some(time)) if time <= end + rounding(end)) {
            self.state.time = end;
            return self.settle_at_event();
        }
        (self.state, self.report) = here;
        Ok(())
    }

    // advances to the next point of the grid, `end`, or an event later than `from`, whose time is returned
    fn cell(&mut self, from: f64, end: f64) -> Result<Option<f64>, StepError> {
        let next = self.next_grid_point(end);
        if next <= end + rounding(end) {
            return self.run_to_event(from, next.at_most(end));
        }
        if from < f64::INFINITY {
            // beyond the end: an event at the end belongs to this step
            let here = (self.state.clone(), self.report.clone());
            let found = self.run_to_event(from, next);
            if let Ok(Some(time)) = found
                && time <= end + rounding(end)
            {
                return found;
            }
            (self.state, self.report) = here;
        }
        self.run_to_event(from, end)
    }

    fn next_grid_point(&self, otherwise: f64) -> f64 {
        let (start, step, now) = (self.start, self.settings.step, self.state.time);
        let next = start + step * (((now - start) / step + MARGIN).floor() + 1.0);
        // no grid for times too large to resolve it
        if next > now { next } else { otherwise }
    }

    fn run_to_event(&mut self, from: f64, target: f64) -> Result<Option<f64>, StepError> {
        let here = (self.state.clone(), self.report.clone());
        self.step_to_event(from, target)?;
        let new = self.report.events.iter().skip(here.1.events.len());
        let first = new.map(|event| event.time).find(|time| *time > from);
        if let Some(time) = first
            && time < self.state.time - rounding(time)
        {
            // a force jumped there and the run continued with other statuses: go back and stop there
            (self.state, self.report) = here;
            self.run_to(time)?;
            self.state.statuses_known = false;
            self.settle_at_event()?;
        }
        Ok(first)
    }

    // regardless of events in between
    fn run_to(&mut self, target: f64) -> Result<(), StepError> {
        if self.settings.tolerance.is_none() {
            return self.step_to_event(f64::INFINITY, target);
        }
        integrate::advance(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
            target,
        )
    }

    fn step_to_event(&mut self, from: f64, target: f64) -> Result<(), StepError> {
        integrate::step_to_event(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
            (from, target),
        )
    }

    // outputs at the event are the values right after it
    fn settle_at_event(&mut self) -> Result<(), StepError> {
        if self.state.statuses_known {
            self.refresh_forces();
            return Ok(());
        }
        integrate::initialize(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
            &mut self.report,
        )
    }
}

/// Times that differ by less than this are equal up to rounding in the master.
pub(crate) fn rounding(time: f64) -> f64 {
    16.0 * f64::EPSILON * time.abs()
}
