//! Along a curve from contacts held apart to the answer, however often it turns back.
//!
//! ```text
//! (1)  x_b = (mu_b r_n, r_b),   y_b:   cones of `interior`, per friction block; r_n and y_n for a contact without any
//! (2)  x = P(z),  y = P(-z),   P: eigenvalues l of z to g(l) = (l + sqrt(l^2 + 4 nu)) / 2:     x and y inside, x.y = nu
//! (3)  dx = -T^-1 dy where nu stays;   T has the eigenvectors of z and g(-l) / g(l), across them (1 - s) / (1 + s),
//!      s = (l_1 + l_2) / (sqrt(l_1^2 + 4 nu) + sqrt(l_2^2 + 4 nu))
//! (4)  sum_b D_b^T y_b = (u_n + sum_b mu_b |u_b|, u_b) + nu^2 lift,    x_b = D_b r,     |u_b| rounded below nu / 10
//! (5)  nu = exp(level), a level per contact; along the curve a contact's level changes by its share of the parameter
//! (6)  (K + z_u e) dr = errors + forcing dl - z_u J dw,     K = sum_b D_b^T T_b D_b,  the systems of Newton's method
//! ```
//!
//! At `nu = 1` all contacts are lifted apart, and `z = (-3, 0, 0)` fulfils (4). As the levels go down the lift and the
//! rounding of (2) go to zero. Impulses take energy out, which bounds the velocities of bodies along the curve, and the impulses
//! too unless contacts can press against each other without a load. A curve that stays bounded leads to an answer of the
//! contact problem. It may turn back on the way, where De Saxce's term `mu |u_b|` lets contacts give way: there the
//! sign of the determinant changes, which tells the direction along the curve.
//!
//! Between its bends the levels of all contacts go down by Newton's method (`straight`). At a bend one of these leads on: to
//! follow the curve (`follow`); to follow another one, on which only the contacts that move most change their level (in a
//! large heap bends of different parts stand in each other's way); to let the contacts go as if they were soft (`jump`).

mod cone;
mod follow;
mod linear;

use super::factor::Six;
use super::newton::{MOST_ROWS, Newton};
use super::scaled::Scaled;
use crate::lcp::order::Pattern;
use crate::lcp::scaling::larger;
use cone::Cone;

/// `-z_0` at the start, in coordinates without units: what contacts are lifted by, over `mu`.
const LIFTED: f64 = 3.0;

/// Times `nu`: below this velocity `|u_b|` has no corner.
const ROUND: f64 = 0.1;

/// From one goal of all levels to the next: the first, the longest and the shortest way.
const FIRST: f64 = 0.3;
const LONGEST: f64 = 2.0;
const SHORTEST: f64 = 0.1;

/// From a goal that was reached without a bend to the next, and from one with bends.
const FACTORS: [f64; 2] = [1.5, 0.5];

/// The part of the way behind a bend after which all go on.
const BEHIND: f64 = 0.05;

/// What is tried at a bend, one after the other.
const TRIALS: [Trial; 9] = [
    Trial::Follow { most: 100 },
    Trial::Some { most: 60, who: 60 },
    Trial::Jump { most: 100 },
    Trial::Some { most: 60, who: 150 },
    Trial::Some { most: 300, who: 60 },
    Trial::Follow { most: 500 },
    Trial::Jump { most: 400 },
    Trial::Some {
        most: 300,
        who: 150,
    },
    Trial::Follow { most: 3000 },
];

/// A way around a bend, with the most factorizations that it may take.
#[derive(Clone, Copy)]
enum Trial {
    /// All levels.
    Follow { most: u32 },
    /// The levels of this many contacts, those that move most where the curve turns.
    Some { most: u32, who: usize },
    /// Levels a little below the bend, and soft contacts.
    Jump { most: u32 },
}

/// (5) of a contact.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// `ln nu`.
    log: f64,
    share: f64,
}

/// A point of the curve and the direction there.
#[derive(Debug, Default)]
struct Place {
    cones: Vec<Cone>,
    levels: Vec<Level>,
    r: Vec<f64>,
    /// Change of the impulses with the parameter.
    along: Vec<f64>,
    /// The parameter: what the level with the largest share has left to go.
    left: f64,
}

impl Place {
    #[cfg_attr(small, optimize(size))]
    fn copy_from(&mut self, other: &Self) {
        self.cones.clone_from(&other.cones);
        self.levels.clone_from(&other.levels);
        self.r.clone_from(&other.r);
        self.along.clone_from(&other.along);
        self.left = other.left;
    }

    /// The levels along the curve.
    fn shift(&mut self, way: f64) {
        self.left += way;
        for level in &mut self.levels {
            level.log += way * level.share;
        }
    }

    /// Shares such that the contacts that count are at their goal together.
    #[cfg_attr(small, optimize(size))]
    fn aim(&mut self, goal: f64, counts: impl Fn(usize) -> bool) {
        self.left = 0.0;
        for (k, level) in self.levels.iter_mut().enumerate() {
            let way = level.log - goal;
            level.share = if way > 0.0 && counts(k) { way } else { 0.0 };
            self.left = larger(self.left, level.share);
        }
        if self.left > 0.0 {
            for level in &mut self.levels {
                level.share /= self.left;
            }
        }
    }

    fn highest(&self) -> f64 {
        let mut levels = self.levels.iter();
        let first = levels.next().map_or(0.0, |l| l.log);
        levels.fold(first, |m, l| larger(m, l.log))
    }
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Curve {
    now: Place,
    /// Before a step, before a bend, and the last anchor of soft contacts.
    step: Place,
    bend: Place,
    anchor: Place,
    u: Vec<f64>,
    w: Vec<Six>,
    lift: Vec<f64>,
    errors: Vec<f64>,
    forcing: Vec<f64>,
    dr: Vec<f64>,
    /// Inverse of the matrix of (6), row by row.
    inverses: Vec<[f64; MOST_ROWS]>,
    /// One over the size of each cone's `z`.
    scales: Vec<f64>,
    /// The direction of a step, of the impulses.
    tangent: Vec<f64>,
    /// How far contacts move where the curve turns.
    moves: Vec<f64>,
}

impl Curve {
    /// Begins with all contacts lifted apart.
    #[cfg_attr(small, optimize(size))]
    pub fn start(&mut self, scaled: &Scaled) {
        let (n, now) = (scaled.rows.len(), &mut self.now);
        now.cones.clear();
        now.levels.clear();
        for (k, contact) in scaled.contacts.iter().enumerate() {
            now.levels.push(Level {
                log: 0.0,
                share: 1.0,
            });
            let before = now.cones.len();
            let with_friction = contact.blocks().iter().filter(|b| b.friction > 0.0);
            now.cones.extend(with_friction.map(|block| Cone {
                contact: k,
                normal: contact.normal,
                first: block.first,
                tangents: block.rows,
                friction: block.friction,
                z: [-LIFTED, 0.0, 0.0],
                ..Cone::default()
            }));
            if now.cones.len() == before {
                now.cones.push(Cone {
                    contact: k,
                    normal: contact.normal,
                    first: contact.normal,
                    friction: 1.0,
                    z: [-LIFTED, 0.0, 0.0],
                    ..Cone::default()
                });
            }
        }
        now.left = 0.0;
        for list in [
            &mut now.r,
            &mut now.along,
            &mut self.u,
            &mut self.lift,
            &mut self.errors,
            &mut self.forcing,
            &mut self.dr,
            &mut self.tangent,
        ] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.inverses.resize(n, [0.0; MOST_ROWS]);
        for cone in &mut now.cones {
            cone.place(1.0, &now.r);
            now.r[cone.normal] = cone.x[0] / cone.friction;
        }
        self.look(scaled);
        self.lift.copy_from_slice(&self.errors);
    }

    /// Takes all levels down to `goal`; `false`: a bend could not be passed, or more factorizations were needed than `most`.
    #[cfg_attr(small, optimize(size))]
    pub fn descend(
        &mut self,
        newton: &mut Newton,
        scaled: &mut Scaled,
        pattern: &Pattern,
        goal: f64,
        most: u32,
    ) -> bool {
        let before = newton.iterations;
        let mut way = FIRST;
        while self.now.highest() > goal {
            let next = larger(self.now.highest() - way, goal);
            let mut bends = 0;
            loop {
                self.now.aim(next, |_| true);
                if self.straight(newton, scaled, pattern) {
                    break;
                }
                bends += 1;
                if !self.pass_bend(newton, scaled, pattern, next)
                    || newton.iterations - before > most
                {
                    return false;
                }
            }
            way = if bends == 0 {
                let longer = FACTORS[0] * way;
                if longer < LONGEST { longer } else { LONGEST }
            } else {
                larger(FACTORS[1] * way, SHORTEST)
            };
        }
        true
    }

    /// The impulses.
    pub fn impulses(&self) -> &[f64] {
        &self.now.r
    }

    #[cfg_attr(small, optimize(size))]
    fn pass_bend(
        &mut self,
        newton: &mut Newton,
        scaled: &mut Scaled,
        pattern: &Pattern,
        goal: f64,
    ) -> bool {
        let goal = larger(goal, self.now.highest() - BEHIND);
        self.bend.copy_from(&self.now);
        TRIALS.into_iter().any(|trial| {
            self.now.copy_from(&self.bend);
            self.now.aim(goal, |_| true);
            match trial {
                Trial::Follow { most } => self.follow(newton, scaled, pattern, most),
                Trial::Some { most, who } => self.lead_on(newton, scaled, pattern, goal, most, who),
                Trial::Jump { most } => self.jump(newton, scaled, pattern, most),
            }
        })
    }
}
