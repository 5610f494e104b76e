//! Alart-Curnier map, whose zeros are the solutions.
//!
//! ```text
//! (1)  y_n = r_n - rho_n u_n,   y_b = r_b - rho_b u_b
//! (2)  open,  y_n <= 0:          F = r
//! (3)  stick, |y_b| <= mu y_n:   F = rho u
//! (4)  slip:                     F_b = r_b - mu y_n d,   d = y_b / |y_b|
//! ```

use super::scaled::{BlockRows, ContactRows};
use crate::math::larger;

/// State of a friction block of a closed contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) enum State {
    /// (3).
    Stick,
    /// (4): the slip direction and `mu y_n / |y_b|`.
    Slip { d: [f64; 2], s: f64 },
}

/// Norms of the map at a point.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Size {
    /// Sum of squares.
    pub squares: f64,
    /// Maximum norm.
    pub largest: f64,
    /// Largest impulse, at least 1 (the size of `b`).
    pub impulse: f64,
}

impl Size {
    /// Maximum norm relative to the impulses.
    pub fn relative(&self) -> f64 {
        self.largest / self.impulse
    }
}

/// `y_b` of (1), padded with a zero.
pub(in crate::contact) fn augmented_impulse(block: &BlockRows, r: &[f64], u: &[f64]) -> [f64; 2] {
    let mut y = [0.0; 2];
    for lane in 0..block.rows {
        y[lane] = r[block.first + lane] - block.rho * u[block.first + lane];
    }
    y
}

/// (3) or (4), given `y_n > 0`.
pub(in crate::contact) fn state(block: &BlockRows, y_n: f64, y: [f64; 2]) -> State {
    let reach = block.friction * y_n;
    let length = (y[0] * y[0] + y[1] * y[1]).sqrt();
    if length <= reach {
        State::Stick
    } else {
        State::Slip {
            d: [y[0] / length, y[1] / length],
            s: reach / length,
        }
    }
}

/// Norms of F.
pub(in crate::contact) fn measure(contacts: &[ContactRows], r: &[f64], u: &[f64]) -> Size {
    let (mut squares, mut largest) = (0.0, 0.0);
    let mut count = |f: f64| {
        squares += f * f;
        largest = larger(largest, f.abs());
    };
    for contact in contacts {
        let n = contact.normal;
        let y_n = r[n] - contact.rho * u[n];
        if y_n <= 0.0 {
            count(r[n]);
            for block in contact.blocks() {
                r[block.first..block.first + block.rows]
                    .iter()
                    .for_each(|x| count(*x));
            }
            continue;
        }
        count(contact.rho * u[n]);
        for block in contact.blocks() {
            let own = block.first..block.first + block.rows;
            match state(block, y_n, augmented_impulse(block, r, u)) {
                State::Stick => {
                    u[own].iter().for_each(|u| count(block.rho * u));
                }
                State::Slip { d, .. } => {
                    let reach = block.friction * y_n;
                    for (x, d) in r[own].iter().zip(d) {
                        count(x - reach * d);
                    }
                }
            }
        }
    }
    if !squares.is_finite() {
        (squares, largest) = (f64::INFINITY, f64::INFINITY);
    }
    let impulse = r.iter().fold(1.0, |m, x| larger(m, x.abs()));
    Size {
        squares,
        largest,
        impulse,
    }
}
