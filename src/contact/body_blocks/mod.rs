//! Frictional contact between many bodies: the cones of [`super::dense`] with sparse coupling, without forming the
//! Delassus matrix `W`.
//!
//! ```text
//! (1)  v = v_f + A^-1 G^T r          a row of G has entries at two bodies at most, A is block diagonal
//! (2)  u = G v + b + c r             b: bias, c: compliance of a row
//! (3)  contacts:  0 <= u_n | r_n >= 0,  |r_b| <= mu_b r_n,  and where |u_b| > 0:  r_b = -mu_b r_n u_b / |u_b|
//! (4)  joints:    u = 0
//! ```
//!
//! A joint row with compliance `c` is a spring between its bodies: `r = -(G v + b) / c`. Rows may be redundant.
//!
//! Islands of connected bodies ([`Islands`]; the ground connects nothing) are solved one by one and independently: the
//! result of an island has the same bits whatever else is in the scene, and whichever [`Solver`] computes it. The stages
//! of a solve go from cheap to robust, and a candidate is accepted only if its [`residual`] is small enough:
//!
//! 1. Newton's method from the warm start (`newton`), with linear systems in body space (`factor`);
//! 2. the interior-point method (`interior_point`), refined by Newton's method;
//! 3. with a warm start, Gauss-Seidel sweeps (`sweep`), then the proximal point method (`proximal`);
//! 4. the interior-point method with lagged slips (`lagged_slip`), then the proximal point method;
//! 5. stage 3 from zero, with many iterations.
//!
//! Where contacts and joints act against each other, the solution of minimum norm is sought (`minimum_norm`).
//!
//! With bounded effort ([`Effort::Sweeps`]) only sweeps are done, joints are solved directly (`bounded`), and the
//! residual reports the accuracy reached.
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions except the square root and the
//! exponential of `libm`.

mod bounded;
mod interior_point;
mod islands;
mod lagged_slip;
mod minimum_norm;
mod newton;
mod proximal;
mod residual;
mod scaled;
mod solver;
mod sweep;

pub use islands::{Island, Islands};
pub use residual::residual;
pub use solver::Solver;

use super::dense::Contact;
pub use super::dense::{ACCEPTED_RESIDUAL, Friction, Status};

/// Index that stands for the ground, which does not move.
pub const GROUND: u32 = u32::MAX;

/// Velocity components of a body.
pub const DOFS: usize = 6;

/// A body: its block of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Block of `A^-1`, symmetric and positive semidefinite; zero row and column for a velocity that impulses do not
    /// change. Units kg^-1 and kg^-1 m^-2 (consistent within a row of (2)).
    pub inverse_mass: [[f64; DOFS]; DOFS],
    /// `v_f`, m/s and rad/s.
    pub velocity: [f64; DOFS],
}

impl Body {
    /// A body whose velocities refer to its centre of mass and its principal axes.
    #[must_use]
    pub fn diagonal(inverse_mass: [f64; DOFS], velocity: [f64; DOFS]) -> Self {
        let mut block = [[0.0; DOFS]; DOFS];
        for k in 0..DOFS {
            block[k][k] = inverse_mass[k];
        }
        Self {
            inverse_mass: block,
            velocity,
        }
    }
}

/// A row of (2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Entries of `G` at the two bodies; those at the ground are ignored.
    pub entries: [[f64; DOFS]; 2],
    /// `b`, m/s.
    pub bias: f64,
    /// `c`, at least zero, velocity per impulse.
    pub compliance: f64,
}

/// A contact between two bodies, or between a body and the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// Two different bodies, or [`GROUND`].
    pub bodies: [u32; 2],
    /// Its friction blocks. Its rows are the normal row, then those of the blocks.
    pub contact: Contact,
}

/// A joint between two bodies, or between a body and the ground, with any number of rows (4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Two different bodies, or [`GROUND`].
    pub bodies: [u32; 2],
    /// Number of rows.
    pub rows: usize,
}

/// The problem (1) to (4).
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// The contacts.
    pub contacts: &'a [ContactConstraint],
    /// The joints.
    pub joints: &'a [Joint],
    /// Rows of the contacts in their order, then rows of the joints in theirs.
    pub rows: &'a [Row],
}

impl Problem<'_> {
    fn has_matching_indices(&self) -> bool {
        let n = self.bodies.len();
        let valid =
            |[a, b]: [u32; 2]| a != b && [a, b].iter().all(|&i| i == GROUND || (i as usize) < n);
        let of_contacts: usize = self.contacts.iter().map(|c| c.contact.rows()).sum();
        let of_joints: usize = self.joints.iter().map(|j| j.rows).sum();
        self.contacts.iter().all(|c| valid(c.bodies))
            && self.joints.iter().all(|j| valid(j.bodies))
            && of_contacts + of_joints == self.rows.len()
    }
}

/// Limit on the effort of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All stages, until an answer is accepted.
    Exact,
    /// Newton's method and the interior-point method only.
    Direct,
    /// Exactly this many Gauss-Seidel sweeps from the warm start.
    Sweeps(u32),
}

/// How the solve of an island ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The impulses are a solution.
    Solved {
        /// Iterations of Newton's method, over all stages.
        iterations: u32,
        /// Residual, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// The sweeps of a bounded effort are done.
    Bounded {
        /// Residual.
        residual: f64,
    },
    /// No candidate was accepted; there may be no solution. The residual is infinite if the input is not finite or its
    /// indices do not match.
    Inaccurate {
        /// Residual of the best candidate, which is returned.
        residual: f64,
    },
    /// Most likely there is no solution: joints and contacts require contradictory velocities.
    Contradiction {
        /// Residual of the best candidate, which is returned.
        residual: f64,
    },
}

impl Outcome {
    /// The residual.
    #[must_use]
    pub fn residual(&self) -> f64 {
        match self {
            Self::Solved { residual, .. }
            | Self::Bounded { residual }
            | Self::Inaccurate { residual }
            | Self::Contradiction { residual } => *residual,
        }
    }
}

/// The stage that gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Zero impulses are the solution.
    Zero,
    /// Newton's method from the warm start.
    Newton,
    /// The interior-point method.
    InteriorPoint,
    /// Gauss-Seidel sweeps and the proximal point method.
    Proximal,
    /// The interior-point method with lagged slips and the proximal point method.
    LaggedSlip,
    /// Sweeps from zero and the proximal point method with many iterations.
    LastResort,
}

/// Counters of a [`Solver`] since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Islands solved.
    pub solves: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Gauss-Seidel sweeps over an island.
    pub sweeps: u64,
    /// Symbolic factorizations: islands whose pairs of bodies have changed since the last solve.
    pub analyses: u64,
    /// Solves in which the first run of Newton's method failed.
    pub retries: u64,
    /// Solves that used the interior-point method.
    pub interior_points: u64,
    /// Solves that used the proximal point method from a warm start.
    pub proximals: u64,
    /// Solves that used lagged slips.
    pub lagged_slips: u64,
    /// Solves that used the last stage.
    pub last_resorts: u64,
    /// Solves that ended with [`Outcome::Inaccurate`] or [`Outcome::Contradiction`].
    pub failures: u64,
    /// Largest residual among the accepted answers.
    pub worst_residual: f64,
}

/// How a solve of all islands ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of islands.
    pub islands: usize,
    /// Islands with an accepted answer.
    pub solved: usize,
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Largest residual.
    pub residual: f64,
}
