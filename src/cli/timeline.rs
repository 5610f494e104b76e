//! The times of a run: rows of the trajectory at multiples of the output step and at the end, with standard steps in between.

use super::CliError;

/// More steps than this are rejected as a typing error: neighbouring times would no longer differ.
const MOST_STEPS: f64 = 1e15;

/// A step count that is an integer up to rounding is rounded. The difference of two times near a million seconds is
/// off by 1e-8 of a step of 0.01 s.
const ROUNDING: f64 = 1e-6;

/// The times of a run.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    until: f64,
    output_step: f64,
    step: f64,
    n_rows: u64,
}

impl Timeline {
    /// From 0 to `until`.
    pub fn new(until: f64, output_step: f64, step: f64) -> Result<Self, CliError> {
        for (what, dt) in [("standard step", step), ("output step", output_step)] {
            if until / dt > MOST_STEPS {
                return Err(CliError::usage(
                    format!("the {what} of {dt:?} s is too short for a run of {until:?} s"),
                    "use a longer one, or an earlier end",
                ));
            }
        }
        Ok(Self {
            until,
            output_step,
            step,
            n_rows: whole(until / output_step),
        })
    }

    /// End of the run, s.
    pub fn until(&self) -> f64 {
        self.until
    }

    /// Times of the rows after the first, ascending; the last is the end.
    pub fn rows(&self) -> impl Iterator<Item = f64> + use<> {
        let this = *self;
        (1..=this.n_rows).map(move |k| {
            if k == this.n_rows {
                this.until
            } else {
                multiple(k, this.output_step)
            }
        })
    }

    /// Ends of the standard steps from `start` to the row at `end`, ascending; the last is `end`.
    pub fn steps(&self, start: f64, end: f64) -> impl Iterator<Item = f64> + use<> {
        let span = end - start;
        let n = whole(span / self.step);
        (1..=n).map(move |i| {
            if i == n {
                end
            } else {
                start + span * (i as f64 / n as f64)
            }
        })
    }
}

fn whole(ratio: f64) -> u64 {
    (ratio - ROUNDING).ceil().max(1.0) as u64
}

// 0.01 is not exactly a hundredth, but three steps of it should print as 0.03
fn multiple(k: u64, step: f64) -> f64 {
    let per_second = (1.0 / step).round();
    if (per_second * step - 1.0).abs() <= f64::EPSILON {
        k as f64 / per_second
    } else {
        k as f64 * step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(until: f64, output_step: f64) -> Vec<f64> {
        Timeline::new(until, output_step, 1.0)
            .unwrap()
            .rows()
            .collect()
    }

    #[test]
    fn the_last_row_is_the_end_exactly() {
        assert_eq!(rows(0.3, 0.1), [0.1, 0.2, 0.3]);
        assert_eq!(rows(0.25, 0.1), [0.1, 0.2, 0.25]);
        assert_eq!(rows(1.0, 3.0), [1.0]);
        assert_eq!(rows(2.5, 1.0), [1.0, 2.0, 2.5]);
        assert_eq!(rows(10.0, 0.01).len(), 1000);
        assert_eq!(rows(0.2, 0.01).last(), Some(&0.2));
    }

    #[test]
    fn no_step_is_longer_than_the_standard_step() {
        let timeline = Timeline::new(1.0, 0.25, 0.1).unwrap();
        let steps: Vec<f64> = timeline.steps(0.5, 0.75).collect();
        assert_eq!(steps.len(), 3);
        assert_eq!(steps.last(), Some(&0.75));
    }

    #[test]
    fn steps_below_the_rounding_of_time_are_refused() {
        assert!(Timeline::new(1.0, 0.1, 1e-30).is_err());
        assert!(Timeline::new(1.0, 1e-300, 0.1).is_err());
    }
}
