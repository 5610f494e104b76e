//! Step-size control (docs/METHOD.md, section 11).

use crate::math::Limit;
use crate::state::Control;

const SAFETY: f64 = 0.9;
const SHRINK_AT_MOST: f64 = 0.1;
const LEAST_GROWTH: f64 = 0.2;
const MAX_GROWTH: f64 = 5.0;

/// Smaller errors are not used to predict the next step.
const SMALLEST_ERROR: f64 = 1e-10;

/// Lower bound of the stored error.
const SMALLEST_MEMORY: f64 = 1e-4;

/// The last step before a target is stretched by up to this factor to reach it.
const STRETCH: f64 = 1.01;

/// Length of the step to try, at most `rest`.
pub(super) fn proposed(control: &Control, max_step: f64, rest: f64) -> f64 {
    let step = control.step.at_most(max_step);
    if step * STRETCH >= rest { rest } else { step }
}

/// Length to try after a step of length `h` and order `order` was rejected.
pub(super) fn after_rejection(h: f64, error: f64, order: f64) -> f64 {
    if error.is_finite() {
        h * (SAFETY * libm::pow(error, -1.0 / order)).at_least(SHRINK_AT_MOST)
    } else {
        h * SHRINK_AT_MOST
    }
}

/// Updates the control after an accepted step. A step much shorter than it could have been says nothing about longer ones.
pub(super) fn update(control: &mut Control, h: f64, error: f64, order: f64) {
    let now = libm::pow(error.at_least(SMALLEST_ERROR), -0.7 / order);
    let last = libm::pow(control.error.at_least(SMALLEST_MEMORY), 0.4 / order);
    let factor = (SAFETY * now * last).clamp(LEAST_GROWTH, MAX_GROWTH);
    control.error = error.at_least(SMALLEST_MEMORY);
    if h >= 0.5 * control.step || factor < 1.0 {
        control.step = h * factor;
    }
}

/// Initial step: a tenth of the time in which something changes by its nominal value.
pub(super) fn first(changes: impl Iterator<Item = (f64, f64)>, max_step: f64) -> f64 {
    changes
        .filter(|(_, rate)| *rate != 0.0)
        .fold(max_step, |step, (size, rate)| {
            step.at_most(0.1 * size / rate.abs())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_step_is_stretched_and_never_too_long() {
        let control = Control {
            step: 0.1,
            error: 1.0,
            ..Control::default()
        };
        assert_eq!(proposed(&control, 1.0, 0.1005), 0.1005);
        assert_eq!(proposed(&control, 1.0, 0.2), 0.1);
        assert_eq!(proposed(&control, 0.05, 0.2), 0.05);
    }

    #[test]
    fn a_short_step_does_not_shorten_the_next_one() {
        let mut control = Control {
            step: 0.1,
            error: 1.0,
            ..Control::default()
        };
        update(&mut control, 1e-3, 1e-9, 7.0);
        assert_eq!(control.step, 0.1);
        update(&mut control, 0.1, 10.0, 7.0);
        assert!(control.step < 0.1);
    }
}
