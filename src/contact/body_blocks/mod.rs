//! Many contacts: the cones of [`super::dense`] for bodies that touch few others, without ever forming `W`.
//!
//! ```text
//! (1)  v = v_f + A^-1 G^T r          a row of G touches at most two bodies, A is one block per body
//! (2)  u = G v + b + c r             b: bias, c: compliance of a row
//! (3)  contacts:  0 <= u_n | r_n >= 0,  |r_b| <= mu_b r_n,  and where |u_b| > 0:  r_b = -mu_b r_n u_b / |u_b|
//! (4)  joints:    u = 0
//! ```
//!
//! A joint row with compliance `c` is a spring between its bodies: `r = -(G v + b) / c`. Rows may depend on each other.
//!
//! Groups of bodies that touch each other ([`Islands`]; the ground joins nothing) are solved one by one, and nothing of
//! one group enters the arithmetic of another: an island has the same bits whatever else there is, and whichever
//! [`Solver`] works on it. Within an island a solve goes from cheap to thorough, and an answer counts only when
//! [`residual`] accepts it:
//!
//! 1. Newton's method from the guess (`newton`), whose linear systems are those of the bodies (`factor`);
//! 2. through the inside of the cones (`interior_point`), and the last digits by Newton's method;
//! 3. with a guess, Gauss-Seidel sweeps (`sweep`) and the proximal point method from there (`proximal`);
//! 4. through the inside of the cones with slips that are given and follow (`lag_slip`), and the proximal point method from
//!    where they come to;
//! 5. the third from nothing, with many iterations.
//!
//! Where contacts and joints press against each other the answer with the least impulses is looked for (`minimize_norm`).
//!
//! With bounded effort ([`Effort::Sweeps`]) there are sweeps only, and the residual says how far they came; joints are
//! solved at once (`bounded`).
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions but the square root and the exponential
//! function of `libm`.

mod bounded;
mod factor;
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

/// In place of the index of a body: what does not move by impulses.
pub const GROUND: u32 = u32::MAX;

/// Velocities of a body.
pub const FREEDOMS: usize = 6;

/// A body: its block of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Block of `A^-1`, symmetric and positive definite; a velocity that impulses do not change has zeros in its row
    /// and column. kg^-1 and kg^-1 m^-2 (of one kind within a row of (2)).
    pub inverse_mass: [[f64; FREEDOMS]; FREEDOMS],
    /// `v_f`, m/s and rad/s.
    pub velocity: [f64; FREEDOMS],
}

impl Body {
    /// A body whose velocities are those of its centre and about its principal axes.
    #[must_use]
    pub fn diagonal(inverse_mass: [f64; FREEDOMS], velocity: [f64; FREEDOMS]) -> Self {
        let mut block = [[0.0; FREEDOMS]; FREEDOMS];
        for k in 0..FREEDOMS {
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
    /// Entries of `G` at the two bodies; those at the ground do not count.
    pub entries: [[f64; FREEDOMS]; 2],
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
    /// Its friction blocks: the rows are the normal one, then those of the blocks.
    pub contact: Contact,
}

/// A joint between two bodies, or between a body and the ground: any number of rows with (4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Two different bodies, or [`GROUND`].
    pub bodies: [u32; 2],
    /// Number of rows.
    pub rows: usize,
}

/// (1) to (4).
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// The contacts.
    pub contacts: &'a [ContactConstraint],
    /// The joints.
    pub joints: &'a [Joint],
    /// Those of the contacts in their order, then those of the joints in theirs.
    pub rows: &'a [Row],
}

impl Problem<'_> {
    fn has_matching_indices(&self) -> bool {
        let n = self.bodies.len();
        let sound =
            |[a, b]: [u32; 2]| a != b && [a, b].iter().all(|&i| i == GROUND || (i as usize) < n);
        let of_contacts: usize = self.contacts.iter().map(|c| c.contact.rows()).sum();
        let of_joints: usize = self.joints.iter().map(|j| j.rows).sum();
        self.contacts.iter().all(|c| sound(c.bodies))
            && self.joints.iter().all(|j| sound(j.bodies))
            && of_contacts + of_joints == self.rows.len()
    }
}

/// How far a solve may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Until the judge accepts an answer.
    Exact,
    /// Newton's method and the way through the inside of the cones, and the best attempt if that is not enough.
    Direct,
    /// This many sweeps from the guess, and no more.
    Sweeps(u32),
}

/// How the solve of an island ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The impulses are a solution.
    Solved {
        /// Iterations of Newton's method, over all attempts.
        iterations: u32,
        /// The judge's number, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// The sweeps of a bounded effort are used up.
    Bounded {
        /// The judge's number.
        residual: f64,
    },
    /// No attempt was accepted; there may be no solution (infinite: the input is not made of finite numbers, or its
    /// indices do not match).
    Inaccurate {
        /// The judge's number for the best attempt, which is returned.
        residual: f64,
    },
    /// There seems to be no solution: joints and contacts ask for velocities that contradict each other.
    Contradiction {
        /// The judge's number for the best attempt, which is returned.
        residual: f64,
    },
}

impl Outcome {
    /// The judge's number.
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

/// The rung of the ladder that gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// No impulses are needed.
    Nothing,
    /// Newton's method from the first guess.
    Newton,
    /// Through the inside of the cones.
    InteriorPoint,
    /// Sweeps, and the proximal point method.
    Proximal,
    /// Slips that follow, and the proximal point method from where they come to.
    LaggedSlip,
    /// Sweeps from nothing, and the proximal point method with many iterations.
    Last,
}

/// What a [`Solver`] did since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Islands solved.
    pub solves: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Sweeps over all contacts of an island.
    pub sweeps: u64,
    /// Patterns analysed: islands whose pairs of bodies differ from those of the solve before.
    pub analyses: u64,
    /// Solves that went beyond the first run of Newton's method.
    pub retries: u64,
    /// Solves that went through the inside of the cones.
    pub interiors: u64,
    /// Solves that needed the proximal point method from a guess.
    pub proximals: u64,
    /// Solves that needed slips that follow.
    pub follows: u64,
    /// Solves for which only the last rung was left.
    pub lasts: u64,
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
    /// Islands that the judge accepts.
    pub solved: usize,
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// The largest of the judge's numbers.
    pub residual: f64,
}
