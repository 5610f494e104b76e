//! Random numbers that are the same on every machine.

use super::vectors::{Vector, norm};
use crate::common::random::{Random as _, SplitMix};

/// Draws what scenes are made of.
pub struct Dice(SplitMix);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let seed = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        Self(SplitMix(seed))
    }

    /// True in this part of all cases.
    pub fn chance(&mut self, part: f64) -> bool {
        self.0.unit() < part
    }

    /// Between two bounds, to three digits.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        three_digits(low + (high - low) * self.0.unit())
    }

    /// Between two bounds, every power of ten as likely as any other, to three digits.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        let [low, high] = [low, high].map(libm::log);
        three_digits(libm::exp(low + (high - low) * self.0.unit()))
    }

    /// One of the first `n` whole numbers.
    pub fn index(&mut self, n: usize) -> usize {
        ((self.0.unit() * n as f64) as usize).min(n - 1)
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }

    /// A point of a ball, or of a disc in the plane, that is not near its centre.
    pub fn point(&mut self, radius: f64, is_plane: bool) -> Vector {
        loop {
            let mut point = [0.0; 3];
            for x in point.iter_mut().take(if is_plane { 2 } else { 3 }) {
                *x = self.within(-1.0, 1.0);
            }
            if (0.2..=1.0).contains(&norm(point)) {
                return point.map(|x| three_digits(x * radius));
            }
        }
    }
}

fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}
