//! Builds the colliders and contact materials of a scene with time stepping.

use super::contacts::{Overlaps, overlap_allowed};
use super::manifold_reduction;
use super::seams::{Candidate, Parts, Surroundings};
use super::space::vec3;
use super::space_contacts::{Owner, material_of};
use super::{
    Belt, Collider, ContactMaterial, InputUnit, Model, Neighbours, Poses, TimeStepping,
    space_pose_of,
};
use crate::kinds::space::collide::narrow_phase::NarrowPhase;
use crate::kinds::space::shape::{Bound, Shape};
use crate::math::{Limit, dot3};
use crate::scene::error::Problem;
use crate::scene::spec::ContactPair;
use crate::scene::spec::space::{Sliding, Space};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of overlaps that are reported one by one.
const MAX_REPORTED: usize = 10;

/// A shape of the scene: its owner and index.
type Source<'a> = (&'a Owner<'a>, usize);

/// Adds colliders to the model; unsupported pairs of shapes and initial overlaps are errors.
pub(super) fn add(scene: &Space, model: &mut Model, owners: &[Owner], problems: &mut Vec<Problem>) {
    let (time_stepping, sources) = time_stepping(scene, model, owners);
    reject_unsupported(&time_stepping, &sources, problems);
    if problems.is_empty() {
        reject_overlaps(scene, model, &time_stepping, &sources, problems);
    }
    model.time_stepping = Some(time_stepping);
}

// shapes are of the same kind if no contact rule can tell them apart
fn time_stepping<'a>(
    scene: &Space,
    model: &mut Model,
    owners: &'a [Owner<'a>],
) -> (TimeStepping, Vec<Source<'a>>) {
    let is_named = |name: &str| {
        let mut rules = scene.contact_rules.iter();
        rules.any(|rule| match &rule.pair {
            ContactPair::Bodies(names) => names.iter().any(|n| n.text == name),
            ContactPair::Groups(_) | ContactPair::Materials(_) => false,
        })
    };
    let mut kinds: Vec<Source> = Vec::new();
    let mut colliders: Vec<(Collider, Source)> = Vec::new();
    let mut forms: Vec<&Shape> = Vec::new();
    for owner in owners {
        let name = (owner.body.is_none() || is_named(owner.name)).then_some(owner.name);
        for (i, shape) in owner.shapes.iter().enumerate() {
            let material = &owner.written[i].material;
            let known = kinds.iter().position(|(other, j)| {
                let other_name =
                    (other.body.is_none() || is_named(other.name)).then_some(other.name);
                other_name == name
                    && other.group == owner.group
                    && other.written[*j].material == *material
            });
            let kind = known.unwrap_or_else(|| {
                kinds.push((owner, i));
                kinds.len() - 1
            });
            let belt = scene
                .belts
                .iter()
                .position(|belt| owner.body.is_none() && belt.shape.text == owner.written[i].name);
            let collider = Collider {
                body: owner.body,
                shape: shape.clone(),
                bound: Bound::of(shape),
                kind,
                form: form_of(shape, &mut forms),
                belt,
                is_redundant: false,
                surroundings: None,
            };
            colliders.push((collider, (owner, i)));
        }
    }
    colliders.sort_by_key(|(collider, _)| match collider.bound {
        Bound::HalfSpace(_) => 0,
        Bound::Ball { .. } => 1,
    });
    let (mut colliders, sources): (Vec<Collider>, Vec<Source>) = colliders.into_iter().unzip();
    let options = model.settings.time_stepping;
    manifold_reduction::mark(&mut colliders, options.merge_distance);
    let mut materials = Vec::with_capacity(kinds.len() * kinds.len());
    for a in &kinds {
        for b in &kinds {
            materials.push(material_in_time_stepping(scene, *a, *b));
        }
    }
    let mut no_contact_pairs: Vec<[usize; 2]> = Vec::new();
    for (written, link) in scene.joints.iter().zip(&model.joints) {
        let [a, b] = link.bodies.map(|body| body.unwrap_or(usize::MAX));
        if !written.contact {
            no_contact_pairs.push([a.min(b), a.max(b)]);
        }
    }
    no_contact_pairs.sort_unstable();
    no_contact_pairs.dedup();
    let mut belts = Vec::with_capacity(scene.belts.len());
    for belt in &scene.belts {
        let direction = vec3(belt.direction);
        belts.push(Belt {
            name: belt.name.clone(),
            direction: direction / dot3(direction, direction).sqrt(),
            speed: model.signal(
                &belt.name,
                "speed",
                InputUnit::MeterPerSecond,
                Some(&belt.speed),
            ),
        });
    }
    let mut time_stepping = TimeStepping {
        options,
        colliders,
        belts,
        no_contact_pairs,
        materials,
        n_kinds: kinds.len(),
    };
    find_surroundings(&mut time_stepping);
    (time_stepping, sources)
}

// shapes cover each other only with respect to shapes that both can touch
fn find_surroundings(time_stepping: &mut TimeStepping) {
    let n = time_stepping.n_kinds;
    let is_on = |kind: usize, other: usize| time_stepping.materials[kind * n + other].enabled;
    let hides = |kind: usize, hidden: usize| (0..n).all(|k| !is_on(hidden, k) || is_on(kind, k));
    let mut by_body: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (i, collider) in time_stepping.colliders.iter().enumerate() {
        by_body.entry(collider.body).or_default().push(i);
    }
    // copies of a body are consecutive
    let mut last_alike: Vec<(u32, usize)> = Vec::new();
    let mut last: Vec<Option<Arc<Surroundings>>> = Vec::new();
    let mut found = Vec::new();
    for of_body in by_body.into_values().filter(|of_body| of_body.len() > 1) {
        let collider = |i: usize| &time_stepping.colliders[of_body[i]];
        let alike: Vec<(u32, usize)> = (0..of_body.len())
            .map(|i| (collider(i).form, collider(i).kind))
            .collect();
        if alike != last_alike {
            let shapes = of_body.iter().map(|i| &time_stepping.colliders[*i].shape);
            let parts = Parts::new(shapes.map(Candidate::of_space).collect());
            let around = |i: usize| parts.around(i, |j| hides(collider(j).kind, collider(i).kind));
            last = (0..of_body.len()).map(around).collect();
            last_alike = alike;
        }
        found.extend(of_body.into_iter().zip(last.iter().cloned()));
    }
    for (i, surroundings) in found {
        time_stepping.colliders[i].surroundings = surroundings;
    }
}

// copies of a body are consecutive
fn form_of<'a>(shape: &'a Shape, forms: &mut Vec<&'a Shape>) -> u32 {
    let known = forms.iter().rposition(|other| *other == shape);
    let form = known.unwrap_or_else(|| {
        forms.push(shape);
        forms.len() - 1
    });
    form as u32
}

// one pair per geometry and kind is enough
fn reject_unsupported(
    time_stepping: &TimeStepping,
    sources: &[Source],
    problems: &mut Vec<Problem>,
) {
    let alike = |i: usize| {
        (
            time_stepping.colliders[i].shape.kind(),
            time_stepping.colliders[i].kind,
        )
    };
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for i in 0..time_stepping.colliders.len() {
        match classes.iter_mut().find(|class| alike(class[0]) == alike(i)) {
            Some(class) => class.push(i),
            None => classes.push(vec![i]),
        }
    }
    for (k, class) in classes.iter().enumerate() {
        for other in &classes[k..] {
            let pairs = class
                .iter()
                .flat_map(|i| other.iter().map(move |j| (*i, *j)));
            let body = |i: usize| time_stepping.colliders[i].body;
            let mut pairs = pairs.filter(|(i, j)| {
                time_stepping.may_touch(body(*i), body(*j))
                    && time_stepping.material(*i, *j).enabled
            });
            if let Some((i, j)) = pairs.next()
                && let Err(unsupported) = NarrowPhase::of(
                    &time_stepping.colliders[i].shape,
                    &time_stepping.colliders[j].shape,
                )
            {
                let (owner, shape) = sources[j];
                problems.push(owner.unsupported(shape, &unsupported));
            }
        }
    }
}

fn reject_overlaps(
    scene: &Space,
    model: &Model,
    time_stepping: &TimeStepping,
    sources: &[Source],
    problems: &mut Vec<Problem>,
) {
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let poses = poses.space();
    let mut neighbours = Neighbours::default();
    neighbours.find(time_stepping, poses, &|_| 0.0, &|_| false);
    let enough = overlap_allowed(model);
    let mut overlaps = Overlaps::default();
    for pair in &neighbours.pairs {
        let [i, j] = pair.map(|i| i as usize);
        let [a, b] = [i, j].map(|i| &time_stepping.colliders[i]);
        let at = [a, b].map(|collider| space_pose_of(poses, collider.body));
        let Ok(meetings) = NarrowPhase::of(&a.shape, &b.shape) else {
            continue;
        };
        let depth = meetings.depth([&a.shape, &b.shape], at);
        if depth > enough {
            let name = |i: usize| sources[i].0.label(sources[i].1);
            overlaps.add([a.body, b.body], depth, || {
                format!("{}.on.{}", name(j), name(i))
            });
        }
    }
    let mut found = overlaps.problems(model, |body| scene.bodies[body].place.clone());
    problems.extend(found.by_ref().take(MAX_REPORTED));
    if let Some(next) = found.next() {
        problems.push(Problem {
            place: next.place,
            key: "settings.integrator".to_owned(),
            message: format!("{} more pairs overlap at the start", found.count() + 1),
            hint: "with `copies`, keep `spacing` above the size of a body plus twice the `jitter`"
                .to_owned(),
        });
    }
}

// the reader has rejected what time stepping does not support
fn material_in_time_stepping(scene: &Space, a: Source, b: Source) -> ContactMaterial {
    let (material, _) = material_of(scene, a, b);
    let friction = match material.friction.sliding {
        Sliding::Isotropic(friction) => friction,
        Sliding::Elliptic { coefficients, .. } => coefficients[0],
    };
    ContactMaterial {
        enabled: material.enabled,
        friction,
        static_friction: material
            .friction
            .static_friction
            .map_or(friction, |at_rest| at_rest.at_least(friction)),
        stribeck_velocity: material.friction.stribeck_velocity,
        torsional_friction: material.friction.torsional_friction,
        rolling_friction: material.friction.rolling_friction,
        restitution: material.restitution,
    }
}
