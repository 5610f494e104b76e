//! Generalized forces, their derivatives, and energies; no contact forces.

mod block_matrix;
mod gyroscopic;

pub use block_matrix::{BlockMatrix, Layout};
pub use gyroscopic::use_antisymmetric_part;

use crate::constraint::{Pose, Span};
use crate::kinds::plane::force::{Detail, Effect, Force, Input, Servo, Side, Situation, Stribeck};
use crate::kinds::space;
use crate::kinds::space::joint::Count;
use crate::math::{dot3, larger, square};
use crate::model::{
    AnyForce, AnyJoint, BodyRef, ForceLink, Model, Poses, Twists, pose_of, space_pose_of,
    space_twist_of, twist_of,
};
use std::sync::Arc;

/// Jacobians of the generalized forces, by coordinates (split as in [`crate::kinds::plane::force::Effect`]) and velocities.
#[derive(Clone, Debug)]
pub struct Jacobians {
    /// By coordinates, negative semidefinite part.
    pub stiff: BlockMatrix,
    /// By coordinates, the rest.
    pub rest: BlockMatrix,
    /// By coordinates, contribution of dampers.
    pub damper: BlockMatrix,
    /// By velocities.
    pub velocity: BlockMatrix,
    /// Contribution of gyroscopic torques to `velocity`, which is not damping: three entries per row.
    pub gyroscopic: Vec<f64>,
    /// Contribution of applied forces to `rest`.
    pub applied: BlockMatrix,
    /// False if all are zero.
    pub any: bool,
}

/// Generalized forces that change the energy of bodies and springs.
#[derive(Clone, Debug)]
pub struct Works {
    /// Dampers, drag and smoothed friction.
    pub damping: Vec<f64>,
    /// Applied forces.
    pub applied: Vec<f64>,
}

impl Works {
    /// For `n` velocities.
    pub fn new(n: usize) -> Self {
        Self {
            damping: vec![0.0; n],
            applied: vec![0.0; n],
        }
    }

    /// Sets all to zero.
    pub fn clear(&mut self) {
        self.damping.fill(0.0);
        self.applied.fill(0.0);
    }

    // the dissipative part of the force of an element, and the rest of it if that is applied
    fn add<const N: usize>(
        &mut self,
        spans: [Span; 2],
        [total, damping]: [&[f64; N]; 2],
        force: &AnyForce,
    ) {
        let dissipates = force.dissipates();
        if dissipates {
            add_force(spans, 1.0, damping, &mut self.damping);
        }
        if force.is_given() {
            add_force(spans, 1.0, total, &mut self.applied);
            if dissipates {
                add_force(spans, -1.0, damping, &mut self.applied);
            }
        }
    }
}

impl Jacobians {
    /// For the couplings of a model.
    pub fn new(layout: &Arc<Layout>) -> Self {
        let matrix = || BlockMatrix::new(layout);
        Self {
            stiff: matrix(),
            rest: matrix(),
            damper: matrix(),
            velocity: matrix(),
            gyroscopic: vec![0.0; 3 * layout.n()],
            applied: matrix(),
            any: false,
        }
    }

    /// Copies `other`, of the same size, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        if self.any || other.any {
            self.stiff.values.clone_from(&other.stiff.values);
            self.rest.values.clone_from(&other.rest.values);
            self.damper.values.clone_from(&other.damper.values);
            self.velocity.values.clone_from(&other.velocity.values);
            self.gyroscopic.clone_from(&other.gyroscopic);
        }
        self.any = other.any;
    }

    /// Sets all to zero.
    fn clear(&mut self) {
        if self.any {
            self.stiff.values.fill(0.0);
            self.rest.values.fill(0.0);
            self.damper.values.fill(0.0);
            self.velocity.values.fill(0.0);
            self.gyroscopic.fill(0.0);
            self.any = false;
        }
    }

    fn add(&mut self, spans: [Span; 2], effect: &Effect) {
        for along in effect.along.iter().flatten() {
            self.any = true;
            let g = &along.gradient;
            self.stiff.add_square(spans, along.by_position, g);
            self.velocity.add_square(spans, along.by_velocity, g);
        }
        if let Some(bending) = &effect.bending {
            self.any = true;
            self.rest.add_block(spans, &bending.rest);
            self.damper.add_block(spans, &bending.damper);
        }
    }

    fn add_spatial(&mut self, spans: [Span; 2], effect: &space::force::Effect) {
        self.any = true;
        for along in effect.along.iter().flatten() {
            let g = &along.gradient;
            self.stiff.add_square(spans, along.by_position, g);
            self.velocity.add_square(spans, along.by_velocity, g);
        }
        if let Some(bending) = &effect.bending {
            self.rest.add_block(spans, &bending.rest);
            self.damper.add_block(spans, &bending.damper);
        }
    }

    /// Do these weights of the velocity and position derivatives add more than its mass to the effective inertia of some velocity? Then the
    /// trapezoidal rule oscillates and explicit forces are unstable.
    #[inline]
    pub fn are_stiff(&self, mass: &[f64], by_velocity: f64, by_position: f64) -> bool {
        self.any
            && mass.iter().enumerate().any(|(i, mass)| {
                let added =
                    by_velocity * self.velocity.diagonal(i) + by_position * self.stiff.diagonal(i);
                -added > *mass
            })
    }

    /// Largest ratio of the effective inertia that the geometric stiffness of force elements adds to a velocity, and its mass.
    #[inline]
    pub fn tension(&self, mass: &[f64], by_position: f64) -> f64 {
        if !self.any {
            return 0.0;
        }
        let added = |i: usize| -by_position * self.rest.diagonal(i) / mass[i];
        (0..mass.len()).fold(0.0, |most, i| larger(most, added(i)))
    }
}

/// Total generalized force at a time, and its Jacobians if requested.
pub fn force(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    total: &mut [f64],
    jacobians: Option<(&mut Jacobians, Detail)>,
) {
    force_and_works(model, time, inputs, (poses, twists), total, None, jacobians);
}

/// The same with the parts that change the energy of bodies and springs, and their Jacobians, if requested.
pub fn force_and_works(
    model: &Model,
    (time, side): (f64, Side),
    inputs: &[Input],
    (poses, twists): (&Poses, &Twists),
    total: &mut [f64],
    mut works: Option<&mut Works>,
    jacobians: Option<(&mut Jacobians, Detail)>,
) {
    total.fill(0.0);
    for body in &model.bodies {
        let gravity = model.gravity_of(body);
        let weight = |k: usize| model.mass[body.first + k] * gravity[k];
        total[body.first] = weight(0);
        total[body.first + 1] = weight(1);
        if model.is_spatial() {
            total[body.first + 2] = weight(2);
        }
    }
    let (mut jacobians, detail) = match jacobians {
        Some((jacobians, detail)) => (Some(jacobians), detail),
        None => (None, Detail::Stiff),
    };
    if let Some(jacobians) = jacobians.as_deref_mut() {
        jacobians.clear();
    }
    // without force elements they stay as empty as they were made
    if let Some(works) = works.as_deref_mut().filter(|_| !model.forces.is_empty()) {
        works.clear();
        if let Some(jacobians) = jacobians.as_deref_mut()
            && model.forces.iter().any(|link| link.force.is_given())
        {
            jacobians.applied.values.fill(0.0);
        }
    }
    let at = At {
        model,
        time: (time, side),
        inputs,
        poses,
        twists,
    };
    for link in &model.forces {
        let spans = model.spans(link.bodies);
        match &link.force {
            AnyForce::Plane(force) => {
                let effect = at.plane(link, |at| force.effect(at, detail));
                add_force(spans, 1.0, &effect.force, total);
                if let Some(works) = works.as_deref_mut() {
                    works.add(spans, [&effect.force, &effect.damping], &link.force);
                    if let Some(jacobians) = jacobians.as_deref_mut().filter(|_| force.is_given()) {
                        if let Some(bending) = &effect.bending {
                            jacobians.applied.add_block(spans, &bending.rest);
                        }
                        for along in effect.along.iter().flatten() {
                            let (k, g) = (along.by_position, &along.gradient);
                            jacobians.applied.add_square(spans, k, g);
                        }
                    }
                }
                if let Some(jacobians) = jacobians.as_deref_mut() {
                    jacobians.add(spans, &effect);
                }
            }
            AnyForce::Space(force) => {
                let effect = at.space(link, |at| force.effect(at, detail));
                add_force(spans, 1.0, &effect.force, total);
                if let Some(works) = works.as_deref_mut() {
                    works.add(spans, [&effect.force, &effect.damping], &link.force);
                    if let Some(jacobians) = jacobians.as_deref_mut().filter(|_| force.is_given()) {
                        if let Some(bending) = &effect.bending {
                            jacobians.applied.add_block(spans, &bending.rest);
                        }
                        for along in effect.along.iter().flatten() {
                            let (k, g) = (along.by_position, &along.gradient);
                            jacobians.applied.add_square(spans, k, g);
                        }
                    }
                }
                if let Some(jacobians) = jacobians.as_deref_mut() {
                    jacobians.add_spatial(spans, &effect);
                }
            }
        }
    }
    if model.is_spatial() {
        gyroscopic::add(model, twists, total, jacobians);
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

/// The part of that of reels, J.
pub fn reel_energy(model: &Model, v: &[f64]) -> f64 {
    let reels = model.bodies.iter().filter(|body| body.is_reel);
    reels
        .map(|reel| 0.5 * model.mass[reel.first] * square(v[reel.first]))
        .sum()
}

/// Elastic energy of compliant contacts that overlap, J, with or without force.
pub fn elastic_energy(model: &Model, poses: &Poses) -> f64 {
    if !model.has_compliant_contacts {
        return 0.0;
    }
    let contacts = model.contacts.iter();
    let energies = contacts.filter_map(|contact| {
        let law = contact.compliance?;
        Some(law.energy(-model.gap(contact, poses)?.gap))
    });
    energies.sum()
}

/// Potential energy of gravity and springs, J; zero height is the world's origin.
pub fn potential_energy(
    model: &Model,
    time: f64,
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
) -> f64 {
    let mut total = 0.0;
    match poses {
        Poses::Plane(poses) => {
            for (body, Pose { position, .. }) in model.bodies.iter().zip(poses) {
                let gravity = model.gravity_of(body);
                let weight = |k: usize| gravity[k] * model.mass[body.first];
                total -= weight(0) * position.x + weight(1) * position.y;
            }
        }
        Poses::Space { poses, .. } => {
            for (body, pose) in model.bodies.iter().zip(poses) {
                total -= model.mass[body.first] * dot3(model.gravity_of(body), pose.position);
            }
        }
    }
    let at = At {
        model,
        time: (time, Side::After),
        inputs,
        poses,
        twists,
    };
    for link in &model.forces {
        total += at.energy(link);
    }
    total
}

/// Energy stored in each force element, J.
pub fn stored_energies(
    model: &Model,
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    energies: &mut [f64],
) {
    let at = At {
        model,
        time: (0.0, Side::After),
        inputs,
        poses,
        twists,
    };
    for (link, energy) in model.forces.iter().zip(energies) {
        *energy = at.energy(link);
    }
}

/// Power supplied by applied forces, and power dissipated by dampers and smoothed friction, W.
pub fn power(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
) -> (f64, f64) {
    let (mut applied, mut lost) = (0.0, 0.0);
    each_power(
        model,
        time,
        inputs,
        poses,
        twists,
        |_, supplied, dissipated| {
            applied += supplied;
            lost += dissipated;
        },
    );
    (applied, lost)
}

/// Passes both powers of each force element to `visit`, with the bodies it acts on.
pub fn each_power(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    mut visit: impl FnMut([BodyRef; 2], f64, f64),
) {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    for link in &model.forces {
        let (supplied, dissipated) = match &link.force {
            AnyForce::Plane(force) => {
                at.plane(link, |at| (force.applied_power(at), force.lost_power(at)))
            }
            AnyForce::Space(force) => {
                at.space(link, |at| (force.applied_power(at), force.lost_power(at)))
            }
        };
        visit(link.bodies, supplied, dissipated);
    }
}

/// Adds the applied forces, times `factor`, to a vector over the coordinates.
pub fn add_applied(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    factor: f64,
    total: &mut [f64],
) {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    for link in &model.forces {
        at.add_applied(link, factor, total);
    }
}

/// The same without servos, which are springs with a limit in time stepping.
pub fn add_applied_without_servos(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    total: &mut [f64],
) {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    let others = model.forces.iter().filter(|f| f.force.servo().is_none());
    for link in others {
        at.add_applied(link, 1.0, total);
    }
}

/// Passes each servo to `visit`, with its index among the force elements and the effort that it wants, N m or N.
pub fn servos(
    model: &Model,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    mut visit: impl FnMut(usize, &Servo, f64),
) {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    for (i, link) in model.forces.iter().enumerate() {
        if let (Some(servo), Some(coordinate)) = (link.force.servo(), at.driven_coordinate(link)) {
            visit(i, servo, servo.wanted(coordinate, time, inputs));
        }
    }
}

/// The coordinate that a servo or flange acts on, m or rad, and its rate.
pub fn driven_coordinate(
    model: &Model,
    force: usize,
    poses: &Poses,
    twists: &Twists,
) -> Option<[f64; 2]> {
    let at = At {
        model,
        time: (0.0, Side::After),
        inputs: &[],
        poses,
        twists,
    };
    at.driven_coordinate(&model.forces[force])
}

/// Power of a servo or flange on the bodies, W.
pub fn driven_power(
    model: &Model,
    force: usize,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
) -> f64 {
    let rate = driven_coordinate(model, force, poses, twists).map_or(0.0, |[_, rate]| rate);
    rate * coordinate_force(model, force, time, inputs, poses, twists)
}

/// Adds the gradient of that coordinate to a vector over the velocities.
pub fn add_driven_gradient(
    model: &Model,
    force: usize,
    poses: &Poses,
    twists: &Twists,
    total: &mut [f64],
) {
    let at = At {
        model,
        time: (0.0, Side::After),
        inputs: &[],
        poses,
        twists,
    };
    let link = &model.forces[force];
    let spans = model.spans(link.bodies);
    match &link.force {
        AnyForce::Plane(force) => {
            if let Some(now) = at.plane(link, |at| force.driven_coordinate(at)) {
                add_force(spans, 1.0, &now.gradient, total);
            }
        }
        AnyForce::Space(force) => {
            if let Some(now) = at.space(link, |at| force.driven_coordinate(at)) {
                add_force(spans, 1.0, &now.gradient, total);
            }
        }
    }
}

/// A force element in space as forces along rows; none for applied forces.
pub fn sloped(
    model: &Model,
    force: usize,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
    mut take: impl FnMut(space::force::Sloped),
) {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    let link = &model.forces[force];
    if let AnyForce::Space(force) = &link.force {
        at.space(link, |at| force.sloped(at, &mut take));
    }
}

/// A force element in space as a force along a line between two points, if it is one.
pub fn line_force(
    model: &Model,
    force: usize,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
) -> Option<space::force::LineForce> {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    let link = &model.forces[force];
    match &link.force {
        AnyForce::Plane(_) => None,
        AnyForce::Space(force) => at.space(link, |at| force.line_force(at)),
    }
}

/// Force of an element along its own coordinate (distance, joint angle or displacement), N or N m; positive if it increases the coordinate.
/// Zero for elements without one.
pub fn coordinate_force(
    model: &Model,
    force: usize,
    time: (f64, Side),
    inputs: &[Input],
    poses: &Poses,
    twists: &Twists,
) -> f64 {
    let at = At {
        model,
        time,
        inputs,
        poses,
        twists,
    };
    let link = &model.forces[force];
    match &link.force {
        AnyForce::Plane(force) => at.plane(link, |at| force.coordinate_force(at)),
        AnyForce::Space(force) => at.space(link, |at| force.coordinate_force(at)),
    }
}

/// Passes each smoothed friction element to `visit`, with the rates of its coordinate at two instants and the inverse of its effective mass
/// at the first.
pub fn smoothed_friction(
    model: &Model,
    instants: [(&Poses, &Twists); 2],
    mut visit: impl FnMut(&Stribeck, [f64; 2], f64),
) {
    for link in &model.forces {
        match &link.force {
            AnyForce::Plane(Force::Stribeck(stribeck)) => {
                let [start, end] =
                    at_both(model, instants).map(|at| at.plane(link, |at| stribeck.sliding(at)));
                if let (Some((before, g)), Some((after, _))) = (start, end) {
                    visit(stribeck, [before, after], inverse_mass(model, link, &g));
                }
            }
            AnyForce::Space(space::force::Force::Stribeck(force)) => {
                let [start, end] =
                    at_both(model, instants).map(|at| at.space(link, |at| force.sliding(at)));
                if let (Some((before, g)), Some((after, _))) = (start, end) {
                    visit(&force.law, [before, after], inverse_mass(model, link, &g));
                }
            }
            AnyForce::Plane(_) | AnyForce::Space(_) => {}
        }
    }
}

fn at_both<'a>(model: &'a Model, instants: [(&'a Poses, &'a Twists); 2]) -> [At<'a>; 2] {
    instants.map(|(poses, twists)| At {
        model,
        time: (0.0, Side::After),
        inputs: &[],
        poses,
        twists,
    })
}

fn inverse_mass<const N: usize>(model: &Model, link: &ForceLink, gradient: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    let spans = model.spans(link.bodies);
    for (Span { first, len }, block) in spans.into_iter().zip([0, N / 2]) {
        for i in 0..len {
            sum += gradient[block + i] * gradient[block + i] / model.mass[first + i];
        }
    }
    sum
}

/// Time, poses and twists of all bodies.
struct At<'a> {
    model: &'a Model,
    time: (f64, Side),
    inputs: &'a [Input],
    poses: &'a Poses,
    twists: &'a Twists,
}

impl At<'_> {
    fn plane<R>(&self, link: &ForceLink, use_it: impl FnOnce(&Situation) -> R) -> R {
        let pose = link.bodies.map(|body| pose_of(self.poses.plane(), body));
        let twist = link.bodies.map(|body| twist_of(self.twists.plane(), body));
        use_it(&Situation {
            time: self.time.0,
            side: self.time.1,
            pose,
            twist,
            inputs: self.inputs,
            joint: self.joint(link).and_then(AnyJoint::plane),
        })
    }

    fn space<R>(&self, link: &ForceLink, use_it: impl FnOnce(&space::force::Situation) -> R) -> R {
        let pose = link
            .bodies
            .map(|body| space_pose_of(self.poses.space(), body));
        let twist = link
            .bodies
            .map(|body| space_twist_of(self.twists.space(), body));
        use_it(&space::force::Situation {
            time: self.time.0,
            side: self.time.1,
            pose,
            twist,
            inputs: self.inputs,
            joint: self.joint(link).and_then(AnyJoint::space),
            count: link
                .joint
                .map_or_else(Count::default, |i| self.poses.count(&self.model.joints[i])),
        })
    }

    fn driven_coordinate(&self, link: &ForceLink) -> Option<[f64; 2]> {
        match &link.force {
            AnyForce::Plane(force) => self.plane(link, |at| {
                let now = force.driven_coordinate(at)?;
                Some([now.value, now.rate])
            }),
            AnyForce::Space(force) => self.space(link, |at| {
                let now = force.driven_coordinate(at)?;
                Some([now.value, now.rate])
            }),
        }
    }

    // the force of an applied one, times `factor`
    fn add_applied(&self, link: &ForceLink, factor: f64, total: &mut [f64]) {
        let spans = self.model.spans(link.bodies);
        match &link.force {
            AnyForce::Plane(force) if force.is_given() => {
                let effect = self.plane(link, |at| force.effect(at, Detail::Stiff));
                add_force(spans, factor, &effect.force, total);
                if force.dissipates() {
                    add_force(spans, -factor, &effect.damping, total);
                }
            }
            AnyForce::Space(force) if force.is_given() => {
                let effect = self.space(link, |at| force.effect(at, Detail::Stiff));
                add_force(spans, factor, &effect.force, total);
                if force.dissipates() {
                    add_force(spans, -factor, &effect.damping, total);
                }
            }
            AnyForce::Plane(_) | AnyForce::Space(_) => {}
        }
    }

    fn energy(&self, link: &ForceLink) -> f64 {
        match &link.force {
            AnyForce::Plane(force) if force.stores_energy() => {
                self.plane(link, |at| force.energy(at))
            }
            AnyForce::Space(force) if force.stores_energy() => {
                self.space(link, |at| force.energy(at))
            }
            AnyForce::Plane(_) | AnyForce::Space(_) => 0.0,
        }
    }

    #[inline]
    fn joint(&self, link: &ForceLink) -> Option<&AnyJoint> {
        link.joint.map(|i| &self.model.joints[i].joint)
    }
}

// `force` has the coordinates of the first body, then those of the second
#[inline]
fn add_force<const N: usize>(spans: [Span; 2], factor: f64, force: &[f64; N], total: &mut [f64]) {
    for (Span { first, len }, block) in spans.into_iter().zip([0, N / 2]) {
        for i in 0..len {
            total[first + i] += factor * force[block + i];
        }
    }
}
