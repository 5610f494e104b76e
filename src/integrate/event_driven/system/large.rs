//! Systems with many rows and bodies: solved in the space of the bodies where statuses are fixed.

use super::System;
use super::body_space::{BodySpace, Equation};
use super::fixed_mode::Unknown;
use crate::constraint::GlobalRow;
use crate::dynamics::Layout;
use crate::math::{Limit, norm, set_zeros};
use crate::model::{MAX_FRICTION_ROWS, Model, N_TANGENTS};

/// Systems with fewer rows are solved with W, which is then cheaper: in the plane, and in space.
const LARGE_IN_PLANE: usize = 16;
const LARGE_IN_SPACE: usize = 24;

/// Larger condition numbers are reported.
const ILL_CONDITIONED: f64 = 1e6;

/// Redundant rotations take no moment: moments have much smaller bounds than forces.
const STIFF_TURN: f64 = 1e3;

/// The workspace in blocks of bodies in the plane or in space; none where the bodies are few, or too uneven.
#[derive(Debug, Default)]
pub(super) enum Spaces {
    #[default]
    None,
    Plane(Box<BodySpace<3>>),
    Space(Box<BodySpace<6>>),
}

impl Spaces {
    fn take_operations(&mut self) -> u64 {
        match self {
            Self::None => 0,
            Self::Plane(space) => space.take_operations(),
            Self::Space(space) => space.take_operations(),
        }
    }

    pub fn new(model: &Model, layout: &Layout) -> Self {
        let n_rows = model.n_joint_rows + (1 + model.n_friction_rows) * model.expected_contacts();
        if layout.is_dense() || super::is_uneven(model) || model.has_compliant_contacts {
            Self::None
        } else if model.is_spatial() {
            Self::Space(Box::new(BodySpace::new(layout, n_rows)))
        } else {
            Self::Plane(Box::new(BodySpace::new(layout, n_rows)))
        }
    }
}

impl System {
    /// Has it enough rows to be solved without W?
    #[inline]
    pub fn is_large(&self) -> bool {
        match self.space {
            Spaces::None => false,
            Spaces::Plane(_) => self.rows.len() >= LARGE_IN_PLANE,
            Spaces::Space(_) => self.rows.len() >= LARGE_IN_SPACE,
        }
    }

    /// Sets the effect of the impulses of a large system.
    pub fn update_effect(&mut self) {
        set_zeros(&mut self.effect, self.n);
        let columns = if self.columns_are_rows {
            &self.rows
        } else {
            &self.columns
        };
        for (row, (c, column)) in self.impulse.iter().zip(columns).enumerate() {
            // given forces are part of the free motion
            if *c != 0.0 && !self.is_given(row) {
                column.add_to(*c, &mut self.effect);
            }
        }
        self.metric.divide(&mut self.effect);
    }

    /// Are all joint equations of a large system independent? False if that is to be found out with W.
    pub fn joints_are_independent(&mut self) -> bool {
        if !self.is_large() {
            return false;
        }
        let mut space = std::mem::take(&mut self.joint_space);
        let independent = match &mut space {
            Spaces::None => false,
            Spaces::Plane(space) => self.rank_of_joints(space) == self.first_element(),
            Spaces::Space(space) => self.rank_of_joints(space) == self.first_element(),
        };
        self.operations += space.take_operations();
        self.joint_space = space;
        independent
    }

    fn rank_of_joints<const N: usize>(&self, space: &mut BodySpace<N>) -> usize {
        let layout = &self.metric.matrix().layout;
        space.start(layout, &self.mass);
        for row in &self.rows[..self.first_element()] {
            let plain = Equation {
                yields: 0.0,
                stiffness: 1.0,
            };
            space.add_plain(layout, row, row, plain);
        }
        space.order(layout);
        space.rank(layout)
    }

    /// Solves for the unknowns of a large system; forces of dependent ones are those nearest to the guess, if they are to be shared. True
    /// if none are dependent, nothing if the system is not large or is not solved this way.
    pub(super) fn solve_large(&mut self, shares: bool) -> Option<bool> {
        if !self.is_large() {
            return None;
        }
        let mut space = std::mem::take(&mut self.space);
        let solved = match &mut space {
            Spaces::None => None,
            Spaces::Plane(space) => self.solve_in(space, shares),
            Spaces::Space(space) => self.solve_in(space, shares),
        };
        self.operations += space.take_operations();
        self.space = space;
        solved
    }

    fn solve_in<const N: usize>(&mut self, space: &mut BodySpace<N>, shares: bool) -> Option<bool> {
        let layout = &self.metric.matrix().layout.clone();
        let version = (self.geometry, self.metric.version());
        if !space.is_of(version, &self.unknowns) {
            space.start(layout, &self.mass);
            for unknown in &self.unknowns {
                self.add_unknown(layout, unknown, space);
            }
            space.order(layout);
            if !space.factorise(layout, &self.metric) {
                return None;
            }
            space.name(version, &self.unknowns);
        }
        // of the joints, only independent ones are among the unknowns
        let last = self.unknowns.last();
        let only_joints = last.is_none_or(|u| u.row() < self.first_element());
        let independent = only_joints || !shares || space.is_regular(layout);
        self.set_right_sides(space);
        if !space.solve(layout, &self.metric) {
            return None;
        }
        if !independent {
            space.share(self.unknowns.iter().map(|unknown| self.guess_of(unknown)));
        }
        if space.condition() > ILL_CONDITIONED {
            self.worst_condition = self.worst_condition.at_least(space.condition());
        }
        self.impulse.fill(0.0);
        self.impulse[..self.unknowns.len()].copy_from_slice(space.impulses());
        self.spread_unknowns();
        space.write(layout, &mut self.effect);
        Some(independent)
    }

    fn set_right_sides<const N: usize>(&self, space: &mut BodySpace<N>) {
        let sides = self.unknowns.iter().map(|unknown| match unknown {
            Unknown::Plain(row) | Unknown::Slip(row, _) => -self.bias[*row],
            Unknown::Across {
                rows: [first, second],
                weights: [x, y],
                given,
                ..
            } => given - x * self.bias[*first] - y * self.bias[*second],
        });
        space.set_right_sides(sides);
    }

    /// Motion for b with the rows, columns and statuses of the last solution of a large system, although the rows have changed slightly:
    /// the chord method. False if there is none.
    pub fn solve_as_before(&mut self, motion: &mut [f64]) -> bool {
        if !self.is_large() || self.metric.diagonal().is_none() {
            return false;
        }
        let mut space = std::mem::take(&mut self.space);
        let solved = match &mut space {
            Spaces::None => false,
            Spaces::Plane(space) => self.repeat_in(space, motion),
            Spaces::Space(space) => self.repeat_in(space, motion),
        };
        self.operations += space.take_operations();
        self.space = space;
        solved
    }

    fn repeat_in<const N: usize>(&self, space: &mut BodySpace<N>, motion: &mut [f64]) -> bool {
        let layout = &self.metric.matrix().layout;
        if !space.has_unknowns(&self.unknowns) {
            return false;
        }
        self.set_right_sides(space);
        let solved = space.solve(layout, &self.metric);
        if solved {
            space.write(layout, motion);
        }
        solved
    }

    fn add_unknown<const N: usize>(
        &self,
        layout: &Layout,
        unknown: &Unknown,
        space: &mut BodySpace<N>,
    ) {
        let columns = if self.columns_are_rows {
            &self.rows
        } else {
            &self.columns
        };
        let plain = Equation {
            yields: 0.0,
            stiffness: self.stiffness_of(unknown),
        };
        match unknown {
            Unknown::Plain(row) => {
                space.add_plain(layout, &self.rows[*row], &columns[*row], plain);
            }
            Unknown::Slip(normal, weights) => {
                let mut f: [(f64, &GlobalRow); 1 + MAX_FRICTION_ROWS] =
                    [(1.0, &columns[*normal]); 1 + MAX_FRICTION_ROWS];
                for (k, along) in weights[..self.n_friction].iter().enumerate() {
                    f[1 + k] = (*along, &columns[normal + 1 + k]);
                }
                let g = [(1.0, &self.rows[*normal])];
                space.add(layout, &g, &f[..=self.n_friction], plain);
            }
            Unknown::Across {
                rows: [first, second],
                weights: [x, y],
                yields,
                ..
            } => {
                let g = [(*x, &self.rows[*first]), (*y, &self.rows[*second])];
                let f = [(*x, &columns[*first]), (*y, &columns[*second])];
                let across = Equation {
                    yields: *yields,
                    stiffness: 1.0,
                };
                space.add(layout, &g, &f, across);
            }
        }
    }

    // factor of the stiffness with which dependent constraints share their forces
    pub(super) fn stiffness_of(&self, unknown: &Unknown) -> f64 {
        if unknown.is_turn(self.n_joint, 1 + self.n_friction) {
            STIFF_TURN
        } else {
            1.0
        }
    }

    // impulse of an unknown from which dependent constraints start
    pub(super) fn guess_of(&self, unknown: &Unknown) -> f64 {
        match unknown {
            Unknown::Plain(_) if unknown.is_turn(self.n_joint, 1 + self.n_friction) => 0.0,
            Unknown::Plain(row) | Unknown::Slip(row, _) => row
                .checked_sub(self.n_joint)
                .and_then(|i| self.guess.get(i))
                .map_or(0.0, |c| *c),
            Unknown::Across { .. } => 0.0,
        }
    }

    /// Residual of the contact conditions of a large system for its impulses: distance from those that satisfy them, relative to the
    /// largest velocity or impulse, in units of velocity.
    pub fn contact_residual(&mut self) -> f64 {
        self.update_effect();
        let (mut worst, mut size): (f64, f64) = (0.0, 0.0);
        for i in 0..self.contacts.len() {
            let normal = self.normal(i);
            let inverse_mass = self.rows[normal].inverse_effective_mass(&self.mass);
            let velocity = |row: usize| self.bias[row] + self.gained(row);
            let (pressure, separates) = (inverse_mass * self.impulse[normal], velocity(normal));
            worst = worst.at_least(pressure.at_most(separates).abs());
            let friction = self.friction_impulse(i);
            match friction {
                [along] => {
                    let (along, limit) = (inverse_mass * along, self.friction[i] * pressure);
                    let slides = along - velocity(normal + 1);
                    let admissible = slides.at_most(limit).at_least(-limit);
                    if self.has_friction(i) {
                        worst = worst.at_least((along - admissible).abs());
                    }
                }
                _ => {
                    let beyond = inverse_mass * norm(friction);
                    worst = worst.at_least(beyond - self.static_friction[i] * pressure);
                }
            }
            if let Some([torsional, rolling]) = self.resisting.get(i).copied() {
                let spin = normal + 1 + N_TANGENTS;
                for (moment, friction) in [
                    (self.impulse[spin].abs(), torsional),
                    (norm(&self.impulse[spin + 1..=spin + 2]), rolling),
                ] {
                    if friction > 0.0 {
                        worst = worst.at_least(inverse_mass * moment / friction - pressure);
                    }
                }
            }
            let rows = normal..=normal + self.n_friction;
            size = rows.fold(size.at_least(pressure), |m, row| {
                m.at_least(self.bias[row].abs())
            });
        }
        worst / size.at_least(f64::MIN_POSITIVE)
    }
}
