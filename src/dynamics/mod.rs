//! Forces on the coordinates, their derivatives, and energies; no contact in here.

use crate::constraint::{BODY_DOF, Pose, Twist};
use crate::force::{Detail, Effect, Force, Input, PairMatrix, PairVector, Side, Situation};
use crate::model::{BodyRef, ForceLink, Model, pose_of, twist_of};

/// Derivatives of the forces, row-major, by coordinates (split as in [`crate::force::Effect`]) and velocities.
#[derive(Clone, Debug)]
pub struct Jacobians {
    /// By coordinates, negative semidefinite part.
    pub stiff: Vec<f64>,
    /// By coordinates, the rest.
    pub rest: Vec<f64>,
    /// By coordinates, what dampers add.
    pub damper: Vec<f64>,
    /// By velocities.
    pub velocity: Vec<f64>,
    /// False while all of them are zero.
    pub any: bool,
}

impl Jacobians {
    /// For `n` velocities.
    pub fn new(n: usize) -> Self {
        Self {
            stiff: vec![0.0; n * n],
            rest: vec![0.0; n * n],
            damper: vec![0.0; n * n],
            velocity: vec![0.0; n * n],
            any: false,
        }
    }

    /// Becomes equal to `other`, of the same size, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        if self.any || other.any {
            self.stiff.clone_from(&other.stiff);
            self.rest.clone_from(&other.rest);
            self.damper.clone_from(&other.damper);
            self.velocity.clone_from(&other.velocity);
        }
        self.any = other.any;
    }

    /// Forgets all of them.
    fn clear(&mut self) {
        if self.any {
            self.stiff.fill(0.0);
            self.rest.fill(0.0);
            self.damper.fill(0.0);
            self.velocity.fill(0.0);
            self.any = false;
        }
    }

    fn add(&mut self, model: &Model, bodies: [BodyRef; 2], effect: &Effect) {
        let places = bodies.map(|body| span(model, body));
        let n = model.n_velocities;
        for along in effect.along.iter().flatten() {
            self.any = true;
            add_square(
                places,
                along.by_position,
                &along.gradient,
                &mut self.stiff,
                n,
            );
            add_square(
                places,
                along.by_velocity,
                &along.gradient,
                &mut self.velocity,
                n,
            );
        }
        if let Some(bending) = &effect.bending {
            self.any = true;
            add_block(places, &bending.rest, &mut self.rest, n);
            add_block(places, &bending.damper, &mut self.damper, n);
        }
    }

    /// Does a step with these weights of velocity and position derivatives add more to some velocity's inertia than
    /// its mass? Then the trapezoidal rule rings and explicit forces blow up.
    pub fn are_stiff(&self, mass: &[f64], by_velocity: f64, by_position: f64) -> bool {
        let n = mass.len();
        self.any
            && (0..n).any(|i| {
                let added =
                    by_velocity * self.velocity[i * n + i] + by_position * self.stiff[i * n + i];
                -added > mass[i]
            })
    }
}

/// Total force on the coordinates at a time, and its derivatives if asked for.
pub fn force(
    model: &Model,
    (time, side): (f64, Side),
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
    total: &mut [f64],
    jacobians: Option<(&mut Jacobians, Detail)>,
) {
    total.fill(0.0);
    for body in &model.bodies {
        total[body.first] = model.mass[body.first] * model.gravity.x;
        total[body.first + 1] = model.mass[body.first + 1] * model.gravity.y;
    }
    let (mut jacobians, detail) = match jacobians {
        Some((jacobians, detail)) => (Some(jacobians), detail),
        None => (None, Detail::Stiff),
    };
    if let Some(jacobians) = jacobians.as_deref_mut() {
        jacobians.clear();
    }
    for link in &model.forces {
        let effect = with_situation(model, link, (time, side), inputs, poses, twists, |at| {
            link.force.effect(at, detail)
        });
        add_force(model, link, 1.0, &effect, total);
        if let Some(jacobians) = jacobians.as_deref_mut() {
            jacobians.add(model, link.bodies, &effect);
        }
    }
}

/// Kinetic energy, J.
pub fn kinetic_energy(model: &Model, v: &[f64]) -> f64 {
    0.5 * model
        .mass
        .iter()
        .zip(v)
        .map(|(m, v)| m * v * v)
        .sum::<f64>()
}

/// Energy in gravity and springs, J; zero height is the world's origin.
pub fn potential_energy(
    model: &Model,
    time: f64,
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
) -> f64 {
    let mut total = 0.0;
    for (body, pose) in model.bodies.iter().zip(poses) {
        let weight = model.gravity * model.mass[body.first];
        total -= weight.x * pose.position.x + weight.y * pose.position.y;
    }
    for link in &model.forces {
        total += with_situation(
            model,
            link,
            (time, Side::After),
            inputs,
            poses,
            twists,
            |at| link.force.energy(at),
        );
    }
    total
}

/// Power put in by applied forces, and power taken out by dampers and smooth friction, W.
pub fn power(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
) -> (f64, f64) {
    let (mut applied, mut lost) = (0.0, 0.0);
    for link in &model.forces {
        with_situation(model, link, time, inputs, poses, twists, |at| {
            applied += link.force.applied_power(at);
            lost += link.force.lost_power(at);
        });
    }
    (applied, lost)
}

/// Adds the forces given from outside, times `factor`, to a vector over the coordinates.
pub fn add_applied(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
    factor: f64,
    total: &mut [f64],
) {
    for link in &model.forces {
        if let Force::Applied(applied) = &link.force {
            let effect = with_situation(model, link, time, inputs, poses, twists, |at| {
                applied.effect(at, Detail::Stiff)
            });
            add_force(model, link, factor, &effect, total);
        }
    }
}

/// Force of an element along its own coordinate (distance, joint angle or displacement), N or N m; positive when it
/// pushes the coordinate up. Zero for elements without one.
pub fn coordinate_force(
    model: &Model,
    force: usize,
    time: (f64, Side),
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
) -> f64 {
    let link = &model.forces[force];
    with_situation(model, link, time, inputs, poses, twists, |at| {
        link.force.coordinate_force(at)
    })
}

fn with_situation<R>(
    model: &Model,
    link: &ForceLink,
    (time, side): (f64, Side),
    inputs: &[Input],
    poses: &[Pose],
    twists: &[Twist],
    use_it: impl FnOnce(&Situation) -> R,
) -> R {
    let pose = link.bodies.map(|body| pose_of(poses, body));
    let twist = link.bodies.map(|body| twist_of(twists, body));
    use_it(&Situation {
        time,
        side,
        pose: [&pose[0], &pose[1]],
        twist: [&twist[0], &twist[1]],
        inputs,
        joint: link.joint.map(|i| &model.joints[i].joint),
    })
}

fn add_force(model: &Model, link: &ForceLink, factor: f64, effect: &Effect, total: &mut [f64]) {
    for (body, block) in link.bodies.iter().zip([0, BODY_DOF]) {
        let (first, n) = span(model, *body);
        for i in 0..n {
            total[first + i] += factor * effect.force[block + i];
        }
    }
}

// first coordinate of a body and their number
fn span(model: &Model, body: BodyRef) -> (usize, usize) {
    body.map_or((0, 0), |i| (model.bodies[i].first, model.bodies[i].n_dof))
}

// adds `factor g g^T`
fn add_square(
    places: [(usize, usize); 2],
    factor: f64,
    gradient: &PairVector,
    matrix: &mut [f64],
    n: usize,
) {
    if factor == 0.0 {
        return;
    }
    for ((first_row, n_rows), row_block) in places.into_iter().zip([0, BODY_DOF]) {
        for i in 0..n_rows {
            let scaled = factor * gradient[row_block + i];
            let row = &mut matrix[(first_row + i) * n..(first_row + i + 1) * n];
            for ((first, len), column_block) in places.into_iter().zip([0, BODY_DOF]) {
                let values = &gradient[column_block..column_block + len];
                for (x, value) in row[first..first + len].iter_mut().zip(values) {
                    *x += scaled * value;
                }
            }
        }
    }
}

fn add_block(places: [(usize, usize); 2], block: &PairMatrix, matrix: &mut [f64], n: usize) {
    for ((first_row, n_rows), row_block) in places.into_iter().zip([0, BODY_DOF]) {
        for i in 0..n_rows {
            let row = &mut matrix[(first_row + i) * n..(first_row + i + 1) * n];
            for ((first, len), column_block) in places.into_iter().zip([0, BODY_DOF]) {
                let values = &block[row_block + i][column_block..column_block + len];
                for (x, value) in row[first..first + len].iter_mut().zip(values) {
                    *x += value;
                }
            }
        }
    }
}
