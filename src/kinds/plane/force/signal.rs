//! Values over time.

use crate::kinds::force::SignalSpec;

/// One-sided limit at a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Just before.
    Before,
    /// Just after.
    After,
}

/// Highest supported derivative of an input.
pub const MAX_INPUT_ORDER: usize = 15;

/// An input: a value and its derivatives at a time.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Input {
    /// Time of the value, s.
    pub since: f64,
    /// The value and its derivatives.
    pub derivatives: [f64; MAX_INPUT_ORDER + 1],
}

impl Input {
    /// A constant value.
    pub fn held(since: f64, value: f64) -> Self {
        let mut derivatives = [0.0; MAX_INPUT_ORDER + 1];
        derivatives[0] = value;
        Self { since, derivatives }
    }

    /// Value of the Taylor polynomial.
    pub fn value(&self, time: f64) -> f64 {
        taylor(&self.derivatives, time - self.since)
    }

    /// Its integral over time.
    pub fn integral(&self, from: f64, to: f64) -> f64 {
        let [from, to] = [from, to].map(|time| {
            let (mut power, mut sum) = (1.0, 0.0);
            for (k, derivative) in self.derivatives.iter().enumerate() {
                power *= (time - self.since) / (k + 1) as f64;
                sum += derivative * power;
            }
            sum
        });
        to - from
    }

    /// Are its derivatives zero?
    pub fn is_held(&self) -> bool {
        self.derivatives[1..].iter().all(|d| *d == 0.0)
    }

    /// Its rate.
    pub fn rate(&self, time: f64) -> f64 {
        taylor(&self.derivatives[1..], time - self.since)
    }

    /// The rate of its rate.
    pub fn second_rate(&self, time: f64) -> f64 {
        taylor(&self.derivatives[2..], time - self.since)
    }

    /// Its derivative of this order.
    pub fn derivative(&self, order: usize, time: f64) -> f64 {
        taylor(&self.derivatives[order..], time - self.since)
    }
}

fn taylor(derivatives: &[f64], dt: f64) -> f64 {
    let highest = derivatives.iter().rposition(|d| *d != 0.0).unwrap_or(0);
    let mut sum = 0.0;
    for k in (0..=highest).rev() {
        sum = derivatives[k] + sum * dt / (k + 1) as f64;
    }
    sum
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Given in the scene.
    Given(SignalSpec),
    /// An input, by index of the model's inputs.
    Input(usize),
}

impl Signal {
    /// A number.
    pub fn constant(value: f64) -> Self {
        Self::Given(SignalSpec::Constant(value))
    }

    /// The value at a time; at a jump, that of the given side.
    pub fn value(&self, time: f64, side: Side, inputs: &[Input]) -> f64 {
        match self {
            Signal::Given(signal) => given_value(signal, time, side),
            Signal::Input(index) => inputs[*index].value(time),
        }
    }

    /// Its rate of change at a time; at a kink or jump, that of the given side.
    pub fn rate(&self, time: f64, side: Side, inputs: &[Input]) -> f64 {
        match self {
            Signal::Given(signal) => given_rate(signal, time, side),
            Signal::Input(index) => inputs[*index].rate(time),
        }
    }

    /// The rate of its rate at a time; at a kink or jump, that of the given side.
    pub fn second_rate(&self, time: f64, side: Side, inputs: &[Input]) -> f64 {
        match self {
            Signal::Given(signal) => given_second_rate(signal, time, side),
            Signal::Input(index) => inputs[*index].second_rate(time),
        }
    }

    /// Its period, s; infinite if it is constant or not periodic.
    pub(crate) fn period(&self) -> f64 {
        match self {
            Signal::Given(SignalSpec::Harmonic {
                amplitude, omega, ..
            }) if *amplitude != 0.0 => std::f64::consts::TAU / omega.abs(),
            Signal::Given(_) | Signal::Input(_) => f64::INFINITY,
        }
    }

    pub(crate) fn breakpoints(&self) -> &[f64] {
        match self {
            Signal::Given(SignalSpec::Table { times, .. }) => times,
            Signal::Given(_) | Signal::Input(_) => &[],
        }
    }
}

fn given_value(signal: &SignalSpec, time: f64, side: Side) -> f64 {
    match signal {
        SignalSpec::Constant(value) | SignalSpec::Input { start: value } => *value,
        SignalSpec::Harmonic {
            amplitude,
            omega,
            phase,
            offset,
        } => offset + amplitude * libm::cos(omega * time + phase),
        SignalSpec::Table { times, values } => {
            let next = next_row(times, time, side);
            if next == 0 {
                return values[0];
            }
            if next == times.len() {
                return values[next - 1];
            }
            let (t0, t1) = (times[next - 1], times[next]);
            let s = (time - t0) / (t1 - t0);
            values[next - 1] + s * (values[next] - values[next - 1])
        }
    }
}

fn given_rate(signal: &SignalSpec, time: f64, side: Side) -> f64 {
    match signal {
        SignalSpec::Constant(_) | SignalSpec::Input { .. } => 0.0,
        SignalSpec::Harmonic {
            amplitude,
            omega,
            phase,
            ..
        } => -amplitude * omega * libm::sin(omega * time + phase),
        SignalSpec::Table { times, values } => match next_row(times, time, side) {
            next if next == 0 || next == times.len() => 0.0,
            next => (values[next] - values[next - 1]) / (times[next] - times[next - 1]),
        },
    }
}

fn given_second_rate(signal: &SignalSpec, time: f64, _: Side) -> f64 {
    match signal {
        SignalSpec::Constant(_) | SignalSpec::Input { .. } | SignalSpec::Table { .. } => 0.0,
        SignalSpec::Harmonic {
            amplitude,
            omega,
            phase,
            ..
        } => -amplitude * omega * omega * libm::cos(omega * time + phase),
    }
}

fn next_row(times: &[f64], time: f64, side: Side) -> usize {
    match side {
        Side::Before => times.partition_point(|t| *t < time),
        Side::After => times.partition_point(|t| *t <= time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_linear_between_rows_held_outside_and_has_two_sides_at_a_jump() {
        let signal = Signal::Given(SignalSpec::Table {
            times: vec![1.0, 2.0, 2.0, 3.0],
            values: vec![0.0, 4.0, 10.0, 12.0],
        });
        assert_eq!(signal.value(0.0, Side::After, &[]), 0.0);
        assert_eq!(signal.value(1.5, Side::After, &[]), 2.0);
        assert_eq!(signal.value(2.0, Side::Before, &[]), 4.0);
        assert_eq!(signal.value(2.0, Side::After, &[]), 10.0);
        assert_eq!(signal.value(9.0, Side::Before, &[]), 12.0);
        assert_eq!(signal.rate(2.0, Side::Before, &[]), 4.0);
        assert_eq!(signal.rate(2.0, Side::After, &[]), 2.0);
        assert_eq!(signal.rate(9.0, Side::After, &[]), 0.0);
    }

    #[test]
    fn an_input_follows_its_derivatives() {
        let mut input = Input::held(2.0, 1.0);
        assert_eq!(input.value(5.0), 1.0);
        input.derivatives[1] = 3.0;
        input.derivatives[3] = 6.0;
        assert_eq!(input.value(4.0), 1.0 + 3.0 * 2.0 + 6.0 * 8.0 / 6.0);
        assert_eq!(input.rate(4.0), 3.0 + 6.0 * 4.0 / 2.0);
    }
}
