//! Speeds that follow from a given acceleration.
//!
//! (1)  s(t) = s(0) + integral of a from 0 to t: in closed form for a signal of the scene
//! (2)  s(t) = s(t0) + a(t0) (t - t0) + a'(t0) (t - t0)^2/2 + ..: for an input, from the time t0 at which the step began; kept with the inputs

use crate::kinds::force::SignalSpec;
use crate::kinds::plane::force::{Input, MAX_INPUT_ORDER, Side, Signal};

/// A speed that follows from an acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Accelerated {
    /// The acceleration, m/s² or rad/s².
    pub signal: Signal,
    /// Speed at the start, m/s or rad/s.
    pub start: f64,
    /// Of a table: the integral from its first row to each row, m/s or rad/s.
    areas: Vec<f64>,
    /// Of an input: where (2) is kept among the inputs of a state.
    pub slot: Option<usize>,
}

impl Accelerated {
    /// That of a signal.
    pub fn new(signal: Signal, start: f64) -> Self {
        let mut areas = Vec::new();
        if let Signal::Given(SignalSpec::Table { times, values }) = &signal {
            let mut area = 0.0;
            areas.push(area);
            for i in 1..times.len() {
                area += 0.5 * (values[i - 1] + values[i]) * (times[i] - times[i - 1]);
                areas.push(area);
            }
        }
        Self {
            signal,
            start,
            areas,
            slot: None,
        }
    }

    /// The speed at a time, m/s or rad/s.
    pub fn speed(&self, time: f64, inputs: &[Input]) -> f64 {
        match &self.signal {
            Signal::Given(given) => self.start + self.area(given, time) - self.area(given, 0.0), // (1)
            Signal::Input(_) => {
                let kept = self.slot.and_then(|slot| inputs.get(slot));
                kept.map_or(self.start, |kept| kept.value(time)) // (2)
            }
        }
    }

    // an integral of the signal at a time
    fn area(&self, given: &SignalSpec, time: f64) -> f64 {
        match given {
            SignalSpec::Constant(value) | SignalSpec::Input { start: value } => value * time,
            SignalSpec::Harmonic {
                amplitude,
                omega,
                phase,
                offset,
            } if *omega != 0.0 => {
                offset * time + amplitude / omega * libm::sin(omega * time + phase)
            }
            SignalSpec::Harmonic { .. } => self.signal.value(time, Side::After, &[]) * time,
            SignalSpec::Table { times, values } => {
                let next = times.partition_point(|t| *t <= time);
                let Some(row) = next.checked_sub(1) else {
                    return values[0] * (time - times[0]);
                };
                let value = self.signal.value(time, Side::After, &[]);
                self.areas[row] + 0.5 * (values[row] + value) * (time - times[row])
            }
        }
    }

    /// Lets (2) begin at a time, with what the input is from then on.
    pub fn begin(&self, time: f64, inputs: &mut [Input]) {
        let (Signal::Input(input), Some(slot)) = (&self.signal, self.slot) else {
            return;
        };
        let mut kept = Input::held(time, inputs[slot].value(time));
        for order in 0..MAX_INPUT_ORDER {
            kept.derivatives[order + 1] = inputs[*input].derivative(order, time);
        }
        inputs[slot] = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SignalSpec {
        SignalSpec::Table {
            times: vec![1.0, 2.0, 2.0, 3.0],
            values: vec![1.0, 3.0, -2.0, 0.0],
        }
    }

    #[test]
    fn the_speed_of_a_table_is_its_area() {
        let speed = Accelerated::new(Signal::Given(table()), 5.0);
        for (time, expected) in [
            (0.0, 5.0),
            (1.0, 6.0),
            (1.5, 6.75),
            (2.0, 8.0),
            (2.5, 8.0 - 0.75),
            (9.0, 7.0),
        ] {
            assert!((speed.speed(time, &[]) - expected).abs() < 1e-14, "{time}");
        }
    }

    #[test]
    fn the_speed_of_an_input_goes_on_where_it_was() {
        let mut speed = Accelerated::new(Signal::Input(0), 2.0);
        speed.slot = Some(1);
        let mut inputs = [Input::held(0.0, 3.0), Input::held(0.0, 2.0)];
        speed.begin(0.0, &mut inputs);
        assert_eq!(speed.speed(1.0, &inputs), 5.0);
        inputs[0] = Input::held(1.0, -1.0);
        inputs[0].derivatives[1] = 4.0;
        speed.begin(1.0, &mut inputs);
        speed.begin(1.5, &mut inputs);
        assert_eq!(speed.speed(2.0, &inputs), 5.0 - 1.0 + 2.0);
    }
}
