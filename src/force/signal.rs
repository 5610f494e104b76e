//! Values over time.

use crate::scene::format;

/// Which limit counts at a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Just before.
    Before,
    /// Just after.
    After,
}

/// A value over time; see [`format::Signal`].
#[derive(Clone, Debug, PartialEq)]
pub struct Signal(pub format::Signal);

impl Signal {
    /// The value at a time; at a jump, that of the given side.
    pub fn value(&self, time: f64, side: Side) -> f64 {
        match &self.0 {
            format::Signal::Constant(value) => *value,
            format::Signal::Harmonic {
                amplitude,
                omega,
                phase,
                offset,
            } => offset + amplitude * libm::cos(omega * time + phase),
            format::Signal::Table { times, values } => {
                let next = match side {
                    Side::Before => times.partition_point(|t| *t < time),
                    Side::After => times.partition_point(|t| *t <= time),
                };
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

    /// Is it zero for ever?
    pub fn is_zero(&self) -> bool {
        self.0 == format::Signal::Constant(0.0)
    }

    pub(super) fn breakpoints(&self) -> &[f64] {
        match &self.0 {
            format::Signal::Table { times, .. } => times,
            format::Signal::Constant(_) | format::Signal::Harmonic { .. } => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_linear_between_rows_held_outside_and_has_two_sides_at_a_jump() {
        let signal = Signal(format::Signal::Table {
            times: vec![1.0, 2.0, 2.0, 3.0],
            values: vec![0.0, 4.0, 10.0, 12.0],
        });
        assert_eq!(signal.value(0.0, Side::After), 0.0);
        assert_eq!(signal.value(1.5, Side::After), 2.0);
        assert_eq!(signal.value(2.0, Side::Before), 4.0);
        assert_eq!(signal.value(2.0, Side::After), 10.0);
        assert_eq!(signal.value(9.0, Side::Before), 12.0);
    }
}
