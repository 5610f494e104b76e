//! Integration schemes as members of one family (docs/METHOD.md, section 2).
//!
//! (1)  q1 = q0 + h ((1 - gamma) v0 + gamma v1)
//! (2)  (M - alpha h kv - alpha gamma h^2 kq) (v1 - v0) = h [(1 - alpha) k(t0, q0) + alpha k(t1, q*)] + alpha (1 - force_at) h^2 kq v0 + F c
//!      kq, kv and the second k at  q* = q0 + force_at h v0
//! (3)  the constraints act on  sigma v0 + (v1 - v0):  sigma = 1 for the end velocity, 1/alpha for the weighted one
//! (4)  rows G at q0 + row_at h v0, columns F at q0 + column_at h v0

use crate::scene::spec::Scheme;

/// One scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Weight of the end of the step in the forces.
    pub alpha: f64,
    /// Weight of the end velocity in the new position.
    pub gamma: f64,
    /// See (3).
    pub sigma: f64,
    /// See (4).
    pub row_at: f64,
    /// See (4).
    pub column_at: f64,
    /// See (2).
    pub force_at: f64,
    /// Use the force derivatives.
    pub implicit: bool,
}

/// Linearly implicit Euler: first order, damps all stiff modes.
pub const IMPLICIT_EULER: Coefficients = Coefficients {
    alpha: 1.0,
    gamma: 1.0,
    sigma: 1.0,
    row_at: 0.0,
    column_at: 0.0,
    force_at: 0.0,
    implicit: true,
};

impl Coefficients {
    /// Linearly implicit Euler with forces evaluated where this scheme does.
    pub fn damping(&self) -> Self {
        Self {
            force_at: self.force_at,
            ..IMPLICIT_EULER
        }
    }
}

impl From<Scheme> for Coefficients {
    fn from(scheme: Scheme) -> Self {
        let trapezoidal = Coefficients {
            alpha: 0.5,
            gamma: 0.5,
            sigma: 1.0,
            row_at: 1.0,
            column_at: 0.5,
            force_at: 1.0,
            implicit: true,
        };
        match scheme {
            // where the extrapolation falls back to single steps
            Scheme::Trapezoidal | Scheme::Extrapolated => trapezoidal,
            Scheme::TrapezoidalPrinted => Coefficients {
                row_at: 0.5,
                force_at: 0.0,
                ..trapezoidal
            },
            Scheme::TrapezoidalAverage => Coefficients {
                sigma: 2.0,
                row_at: 0.5,
                force_at: 0.0,
                ..trapezoidal
            },
            Scheme::ImplicitEuler => IMPLICIT_EULER,
            Scheme::ExplicitEuler | Scheme::PositionEuler => Coefficients {
                implicit: false,
                ..IMPLICIT_EULER
            },
            Scheme::General { alpha, gamma } => Coefficients {
                alpha,
                gamma,
                sigma: 1.0 / alpha,
                row_at: 1.0 - alpha,
                column_at: 1.0 - alpha,
                force_at: 0.0,
                implicit: true,
            },
        }
    }
}
