//! The shapes of a crowd and what holds for them, from a scene.

use super::contacts::{Overlaps, overlap_allowed};
use super::held;
use super::seams::{Candidate, Parts, Surroundings};
use super::space::vec3;
use super::space_contacts::{Owner, law_of};
use super::{Belt, Crowd, InputUnit, Law, Model, Neighbours, Poses, Solid, space_pose_of};
use crate::kinds::space::collide::meeting::Meetings;
use crate::kinds::space::shape::{Bound, Shape};
use crate::math::dot3;
use crate::scene::error::Problem;
use crate::scene::spec::ContactPair;
use crate::scene::spec::space::{self as written, Sliding, Space};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many overlaps are told one by one.
const TOLD: usize = 10;

/// A shape as written: whose, and which of its shapes.
type Source<'a> = (&'a Owner<'a>, usize);

/// Gives the model its crowd; refuses shapes that cannot touch each other, or overlap at the start.
#[cfg_attr(small, optimize(size))]
pub(super) fn add(
    scene: &Space,
    rules: written::Crowd,
    model: &mut Model,
    owners: &[Owner],
    problems: &mut Vec<Problem>,
) {
    let (crowd, sources) = crowd(scene, rules, model, owners);
    refuse_unsupported(&crowd, &sources, problems);
    if problems.is_empty() {
        refuse_overlaps(scene, model, &crowd, &sources, problems);
    }
    model.crowd = Some(crowd);
}

// kinds of shapes are told apart by what rules can name
fn crowd<'a>(
    scene: &Space,
    rules: written::Crowd,
    model: &mut Model,
    owners: &'a [Owner<'a>],
) -> (Crowd, Vec<Source<'a>>) {
    let is_named = |name: &str| {
        let mut rules = scene.contact_rules.iter();
        rules.any(|rule| match &rule.pair {
            ContactPair::Bodies(names) => names.iter().any(|n| n.text == name),
            ContactPair::Groups(_) | ContactPair::Materials(_) => false,
        })
    };
    let mut kinds: Vec<Source> = Vec::new();
    let mut solids: Vec<(Solid, Source)> = Vec::new();
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
            let solid = Solid {
                body: owner.body,
                shape: shape.clone(),
                bound: Bound::of(shape),
                kind,
                form: form_of(shape, &mut forms),
                belt,
                is_held: false,
                beside: None,
            };
            solids.push((solid, (owner, i)));
        }
    }
    solids.sort_by_key(|(solid, _)| match solid.bound {
        Bound::HalfSpace(_) => 0,
        Bound::Ball { .. } => 1,
    });
    let (mut solids, sources): (Vec<Solid>, Vec<Source>) = solids.into_iter().unzip();
    held::mark(&mut solids, rules.merge_distance);
    let mut laws = Vec::with_capacity(kinds.len() * kinds.len());
    for a in &kinds {
        for b in &kinds {
            laws.push(law_in_crowd(scene, *a, *b));
        }
    }
    let mut apart: Vec<[usize; 2]> = Vec::new();
    for (written, link) in scene.joints.iter().zip(&model.joints) {
        let [a, b] = link.bodies.map(|body| body.unwrap_or(usize::MAX));
        if !written.contact {
            apart.push([a.min(b), a.max(b)]);
        }
    }
    apart.sort_unstable();
    apart.dedup();
    let mut belts = Vec::with_capacity(scene.belts.len());
    for belt in &scene.belts {
        let direction = vec3(belt.direction);
        belts.push(Belt {
            name: belt.name.clone(),
            direction: direction / dot3(direction, direction).sqrt(),
            speed: model.signal(&belt.name, "speed", InputUnit::MeterPerSecond, &belt.speed),
        });
    }
    let mut crowd = Crowd {
        rules,
        solids,
        belts,
        apart,
        laws,
        n_kinds: kinds.len(),
    };
    find_surroundings(&mut crowd);
    (crowd, sources)
}

// a shape hides a part of another one only for those with which it has contact
fn find_surroundings(crowd: &mut Crowd) {
    let n = crowd.n_kinds;
    let is_on = |kind: usize, other: usize| crowd.laws[kind * n + other].enabled;
    let hides = |kind: usize, hidden: usize| (0..n).all(|k| !is_on(hidden, k) || is_on(kind, k));
    let mut by_body: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (i, solid) in crowd.solids.iter().enumerate() {
        by_body.entry(solid.body).or_default().push(i);
    }
    // copies of a body come one after the other
    let mut last_alike: Vec<(u32, usize)> = Vec::new();
    let mut last: Vec<Option<Arc<Surroundings>>> = Vec::new();
    let mut found = Vec::new();
    for of_body in by_body.into_values().filter(|of_body| of_body.len() > 1) {
        let solid = |i: usize| &crowd.solids[of_body[i]];
        let alike: Vec<(u32, usize)> = (0..of_body.len())
            .map(|i| (solid(i).form, solid(i).kind))
            .collect();
        if alike != last_alike {
            let shapes = of_body.iter().map(|i| &crowd.solids[*i].shape);
            let parts = Parts::new(shapes.map(Candidate::of_space).collect());
            let around = |i: usize| parts.around(i, |j| hides(solid(j).kind, solid(i).kind));
            last = (0..of_body.len()).map(around).collect();
            last_alike = alike;
        }
        found.extend(of_body.into_iter().zip(last.iter().cloned()));
    }
    for (i, beside) in found {
        crowd.solids[i].beside = beside;
    }
}

// copies of a body come one after the other
fn form_of<'a>(shape: &'a Shape, forms: &mut Vec<&'a Shape>) -> u32 {
    let known = forms.iter().rposition(|other| *other == shape);
    let form = known.unwrap_or_else(|| {
        forms.push(shape);
        forms.len() - 1
    });
    form as u32
}

// shapes of one geometry and kind are alike: a pair of each will do
fn refuse_unsupported(crowd: &Crowd, sources: &[Source], problems: &mut Vec<Problem>) {
    let alike = |i: usize| (crowd.solids[i].shape.kind(), crowd.solids[i].kind);
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for i in 0..crowd.solids.len() {
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
            let body = |i: usize| crowd.solids[i].body;
            let mut pairs = pairs
                .filter(|(i, j)| crowd.may_touch(body(*i), body(*j)) && crowd.law(*i, *j).enabled);
            if let Some((i, j)) = pairs.next()
                && let Err(unsupported) =
                    Meetings::of(&crowd.solids[i].shape, &crowd.solids[j].shape)
            {
                let (owner, shape) = sources[j];
                problems.push(owner.unsupported(shape, &unsupported));
            }
        }
    }
}

#[cfg_attr(small, optimize(size))]
fn refuse_overlaps(
    scene: &Space,
    model: &Model,
    crowd: &Crowd,
    sources: &[Source],
    problems: &mut Vec<Problem>,
) {
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let poses = poses.space();
    let mut neighbours = Neighbours::default();
    neighbours.find(crowd, poses, &|_| 0.0, &|_| false);
    let enough = overlap_allowed(model);
    let mut overlaps = Overlaps::default();
    for pair in &neighbours.pairs {
        let [i, j] = pair.map(|i| i as usize);
        let [a, b] = [i, j].map(|i| &crowd.solids[i]);
        let at = [a, b].map(|solid| space_pose_of(poses, solid.body));
        let Ok(meetings) = Meetings::of(&a.shape, &b.shape) else {
            continue;
        };
        let depth = meetings.depth([&a.shape, &b.shape], at);
        if depth > enough {
            let name = |i: usize| sources[i].0.label(sources[i].1);
            overlaps.add([a.body, b.body], depth, || {
                format!("{}-{}", name(j), name(i))
            });
        }
    }
    let mut found = overlaps.problems(model, |body| scene.bodies[body].place.clone());
    problems.extend(found.by_ref().take(TOLD));
    if let Some(next) = found.next() {
        problems.push(Problem {
            place: next.place,
            key: "crowd".to_owned(),
            message: format!("{} more pairs overlap at the start", found.count() + 1),
            hint: "with `copies`, keep `spacing` above the size of a body plus twice the `jitter`"
                .to_owned(),
        });
    }
}

// the reader has refused what a crowd does not have
fn law_in_crowd(scene: &Space, a: Source, b: Source) -> Law {
    let (law, _) = law_of(scene, a, b);
    let friction = match law.friction.sliding {
        Sliding::Isotropic(friction) => friction,
        Sliding::Elliptic { coefficients, .. } => coefficients[0],
    };
    Law {
        enabled: law.enabled,
        friction,
        torsional_friction: law.friction.torsional_friction,
        rolling_friction: law.friction.rolling_friction,
        restitution: law.restitution,
    }
}
