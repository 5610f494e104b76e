//! Places are corrected at the end of a step: overlaps and open joints are closed by the least motion of the masses.
//!
//! ```text
//! (1)  d = M^-1 G^T s,    0 <= G_n d + gap | s_n >= 0,    joints: G d + residual = 0
//! (2)  what this lifts a group is taken from its kinetic energy, as far as it has any: all its velocities are scaled
//! ```

use super::assemble::{along, inverse_mass, row};
use super::solve::Solvers;
use super::{BAND, Six, Spot, Step, Work};
use crate::lcp::cone::Contact;
use crate::lcp::crowd::{Body, Effort, GROUND, Joint, Problem, Row, Touch};
use crate::math::{Limit, positive};
use crate::model::{BodyRef, space_pose_of};
use crate::space;
use crate::step::{Workspace, accept};

/// Overlaps up to this are left, m: half of what counts as closed.
const OVERLAP: f64 = 5e-8;

/// Joints that are open by less are left, m or rad.
const OPEN: f64 = 1e-12;

/// Most rounds of the correction: each squares the error of places, or goes on with sweeps where these are bounded.
const ROUNDS: usize = 20;

/// Most sweeps of a round where the effort of a step is bounded.
const SWEEPS: u32 = 40;

/// Each change of a sweep goes this much further: it then takes fewer of them.
const RELAXATION: f64 = 1.3;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Correction {
    bodies: Vec<Body>,
    touches: Vec<Touch>,
    joints: Vec<Joint>,
    rows: Vec<Row>,
    /// Velocity along a row by a unit impulse along it.
    responses: Vec<f64>,
    way: Vec<f64>,
    moved: Vec<f64>,
    /// Of each body, m and rad.
    shifts: Vec<Six>,
    solvers: Solvers,
}

impl Step<'_> {
    pub(super) fn correct(&mut self) {
        for round in 0.. {
            self.place();
            let (overlap, drift) = self.look();
            if (overlap <= OVERLAP && drift <= OPEN) || round == ROUNDS {
                self.report.worst_penetration = self.report.worst_penetration.at_least(overlap);
                self.report.worst_joint_drift = self.report.worst_joint_drift.at_least(drift);
                self.report.end_penetration = overlap;
                return;
            }
            self.shift();
        }
    }

    // rows of (1) at the present poses; the deepest overlap and the worst joint
    fn look(&mut self) -> (f64, f64) {
        let slow_for = &self.state.crowd.slow_for;
        let rests = |body: BodyRef| body.is_none_or(|i| slow_for[i] == f64::INFINITY);
        let Workspace {
            poses, crowd: work, ..
        } = &mut *self.workspace;
        let poses = poses.space();
        let Work {
            spots,
            found,
            correction,
            ..
        } = work;
        let skip = |[a, b]: [BodyRef; 2]| rests(a) && rests(b);
        spots.look_again(self.crowd, poses, BAND, skip, found);
        let Correction {
            touches,
            joints,
            rows,
            ..
        } = correction;
        touches.clear();
        joints.clear();
        rows.clear();
        let (mut overlap, mut drift): (f64, f64) = (0.0, 0.0);
        let index = |body: BodyRef| body.map_or(GROUND, |i| i as u32);
        for Spot {
            bodies,
            gap,
            normal,
            arms,
            ..
        } in found.iter()
        {
            overlap = overlap.at_least(-gap);
            let [a, b] = bodies.map(|body| space_pose_of(poses, body));
            let gradient = space::Row::relative_velocity(*normal, (a, arms[0]), (b, arms[1]));
            rows.push(row(&gradient, *gap));
            touches.push(Touch {
                bodies: bodies.map(index),
                contact: Contact::new(&[]),
            });
        }
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let [a, b] = link.bodies.map(|body| space_pose_of(poses, body));
            let equations = joint.rows(a, b);
            for i in 0..equations.n {
                drift = drift.at_least(equations.residual[i].abs());
                rows.push(row(&equations.rows[i], equations.residual[i]));
            }
            joints.push(Joint {
                bodies: link.bodies.map(index),
                rows: equations.n,
            });
        }
        (overlap, drift)
    }

    // (1)
    fn shift(&mut self) {
        let Self {
            model,
            crowd,
            state,
            workspace,
            report,
            ..
        } = self;
        let Work {
            bodies: of_step,
            correction,
            ..
        } = &mut workspace.crowd;
        let Correction {
            bodies,
            touches,
            joints,
            rows,
            responses,
            way,
            moved,
            shifts,
            solvers,
        } = correction;
        bodies.clear();
        bodies.extend(of_step.iter().map(|body| Body {
            velocity: [0.0; 6],
            ..*body
        }));
        way.clear();
        way.resize(rows.len(), 0.0);
        let problem = Problem {
            bodies,
            contacts: touches,
            joints,
            rows,
        };
        if crowd.rules.sweeps.is_some() && joints.is_empty() {
            solvers.islands.find(&problem);
            sweep(&problem, responses, way, shifts);
        } else {
            let threads = crowd.rules.threads as usize;
            solvers.solve(&problem, Effort::Exact, threads, way, shifts);
        }
        moved.clear();
        moved.resize(model.n_velocities, 0.0);
        for (body, d) in model.bodies.iter().zip(shifts.iter()) {
            moved[body.first..body.first + body.n_dof].copy_from_slice(&d[..body.n_dof]);
        }
        model.advance(&mut state.position, 1.0, moved);
        accept::rebase(model, state, &mut workspace.poses);
        // (2)
        for k in 0..solvers.islands.count() {
            let (mut lifted, mut kinetic) = (0.0, 0.0);
            let of_island = solvers.islands.island(k).bodies;
            for &i in of_island {
                let body = &model.bodies[i as usize];
                for k in 0..body.n_dof {
                    let (at, mass) = (body.first + k, model.mass[body.first + k]);
                    if k < 3 {
                        lifted -= mass * model.gravity[k] * moved[at];
                    }
                    kinetic += 0.5 * mass * state.velocity[at] * state.velocity[at];
                }
            }
            if lifted <= 0.0 {
                report.impact_loss -= lifted;
                continue;
            }
            let taken = lifted.at_most(kinetic);
            report.lifted += lifted - taken;
            if taken > 0.0 {
                let factor = positive(1.0 - taken / kinetic).sqrt();
                for &i in of_island {
                    let body = &model.bodies[i as usize];
                    for v in &mut state.velocity[body.first..body.first + body.n_dof] {
                        *v *= factor;
                    }
                }
            }
        }
    }
}

// (1) by sweeps over the contacts, one after the other
fn sweep(problem: &Problem, responses: &mut Vec<f64>, way: &mut [f64], shifts: &mut Vec<Six>) {
    let contacts = || problem.rows.iter().zip(problem.contacts);
    responses.clear();
    responses
        .extend(contacts().map(|(row, touch)| inverse_mass(row, touch.bodies, problem.bodies)));
    shifts.clear();
    shifts.resize(problem.bodies.len(), [0.0; 6]);
    for _ in 0..SWEEPS {
        let mut worst: f64 = 0.0;
        for (((row, touch), response), s) in contacts().zip(&*responses).zip(&mut *way) {
            let gap = row.bias + along(row, touch.bodies, shifts);
            let new = positive(*s - RELAXATION * gap / response);
            let change = new - *s;
            if change == 0.0 {
                continue;
            }
            *s = new;
            worst = worst.at_least(gap.abs());
            for (entries, body) in row.entries.iter().zip(touch.bodies) {
                if let Some(shift) = shifts.get_mut(body as usize) {
                    let inverse_mass = &problem.bodies[body as usize].inverse_mass;
                    for k in 0..6 {
                        shift[k] += inverse_mass[k][k] * entries[k] * change;
                    }
                }
            }
        }
        if worst <= OVERLAP {
            return;
        }
    }
}
