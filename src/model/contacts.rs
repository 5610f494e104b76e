//! Pairs of shapes that can touch, and their contact materials.

use super::drives;
use super::memory;
use super::seams::{self, Candidate, Parts, Seams};
use super::{BodyRef, Contact, ContactKind, Limited, Model, Poses, Stop};
use crate::kinds::joint::Kind as _;
use crate::kinds::plane::collide;
use crate::kinds::plane::shape::Shape;
use crate::math::{Limit, Vec3, larger};
use crate::scene::error::{Place, Problem};
use crate::scene::spec::{self, ContactMaterial, ContactPair, Limits, Plane};
use std::collections::BTreeMap;

/// Adds joint stops and the features of all pairs of shapes; initial overlaps are errors.
pub(super) fn add(scene: &Plane, model: &mut Model, poses: &Poses, problems: &mut Vec<Problem>) {
    if let Some(problem) = memory::memory_error(model, false, 0) {
        problems.push(problem);
        return;
    }
    add_limits(scene, model);
    drives::add_backlash(&scene.couplings, model);
    let bodies = scene.bodies.iter();
    let bodies = bodies.map(|body| (&body.name[..], body.motion.as_ref()));
    let flat = |[x, y]: spec::Pair| Vec3::new(x, y, 0.0);
    model.add_ropes(&scene.ropes, flat, bodies, problems);
    let mut owners: Vec<(BodyRef, &str, &[spec::Shape])> = vec![(None, "ground", &scene.ground)];
    for (i, body) in scene.bodies.iter().enumerate() {
        owners.push((Some(i), &body.name, &body.shapes));
    }
    for (i, body) in scene.bodies.iter().enumerate() {
        let shapes = body.shapes.iter();
        let extents = shapes.map(|s| Shape::from_geometry(&s.geometry).extent());
        model.bodies[i].extent = extents.fold(0.0, larger);
    }
    let candidate = |s: &spec::Shape| Candidate::of_plane(&Shape::from_geometry(&s.geometry));
    let parts: Vec<Parts> = owners
        .iter()
        .map(|(_, _, shapes)| Parts::new(shapes.iter().map(candidate).collect()))
        .collect();
    let mut next_check = 0;
    for (k, (body_a, name_a, shapes_a)) in owners.iter().enumerate() {
        for (l, (body_b, name_b, shapes_b)) in owners[k + 1..].iter().enumerate() {
            let joints = scene.joints.iter().map(|j| (&j.bodies, j.contact));
            if joined(joints, name_a, name_b) {
                continue;
            }
            let material_at = |i: usize, j: usize| {
                material_of(scene, (name_a, &shapes_a[i]), (name_b, &shapes_b[j]))
            };
            for (i, shape_a) in shapes_a.iter().enumerate() {
                for (j, shape_b) in shapes_b.iter().enumerate() {
                    let material = material_at(i, j);
                    if material.enabled {
                        if let Some(problem) = memory::memory_error_so_far(model, &mut next_check) {
                            problems.push(problem);
                            return;
                        }
                        let of_belt = || {
                            let bodies = scene.bodies.iter();
                            let bodies = bodies.map(|b| (&b.name[..], b.motion.as_ref()));
                            spec::Belt::body_of(&scene.belts, &shape_a.name, bodies)
                        };
                        let side_a = body_a.or_else(of_belt);
                        let sides = [
                            (side_a, label(name_a, &shape_a.name, shapes_a.len())),
                            (*body_b, label(name_b, &shape_b.name, shapes_b.len())),
                        ];
                        let seams = Seams::new([
                            parts[k].around(i, |other| material_at(other, j).enabled),
                            parts[k + 1 + l].around(j, |other| material_at(i, other).enabled),
                        ]);
                        add_pair(model, sides, [shape_a, shape_b], &seams, material);
                    }
                }
            }
        }
    }
    reject_overlaps(model, poses, problems, |body| {
        scene.bodies[body].place.clone()
    });
}

fn add_limits(scene: &Plane, model: &mut Model) {
    for (index, written) in scene.joints.iter().enumerate() {
        let limits = written.limits.first().copied().flatten();
        let has_one = !written.kind.description().coordinates.is_empty();
        let Some(limits) = limits.filter(|_| has_one) else {
            continue;
        };
        let of = Limited::Joint {
            joint: index,
            coordinate: 0,
        };
        let bodies = model.joints[index].bodies;
        add_stops(model, of, bodies, &written.name, &limits);
    }
}

/// Adds the stops of a coordinate or of a coupling.
pub(super) fn add_stops(
    model: &mut Model,
    of: Limited,
    bodies: [BodyRef; 2],
    name: &str,
    limits: &Limits,
) {
    let Limits {
        lower,
        upper,
        restitution,
        compliance,
    } = *limits;
    if !lower.is_finite() && !upper.is_finite() {
        return;
    }
    model.pairs.push(name.to_owned());
    for (bound, above, side) in [(lower, true, "lower"), (upper, false, "upper")] {
        if bound.is_finite() {
            model.contacts.push(Contact {
                name: format!("{name}.{side}"),
                bodies,
                pair: model.pairs.len() - 1,
                kind: ContactKind::Limit(Stop { of, bound, above }),
                seams: Seams::default(),
                friction: 0.0,
                static_friction: 0.0,
                stribeck_velocity: None,
                torsional_friction: 0.0,
                rolling_friction: 0.0,
                restitution,
                tangential_restitution: 0.0,
                compliance,
            });
        }
    }
}

/// Does a joint between two bodies disable their contacts?
pub(super) fn joined<'a>(
    mut joints: impl Iterator<Item = (&'a [spec::Name; 2], bool)>,
    a: &str,
    b: &str,
) -> bool {
    joints.any(|(bodies, contact)| {
        let [first, second] = [&bodies[0].text, &bodies[1].text];
        !contact && ((first == a && second == b) || (first == b && second == a))
    })
}

// a body with a single shape is named by the body
pub(super) fn label(body: &str, shape: &str, n_shapes: usize) -> String {
    if n_shapes == 1 {
        body.to_owned()
    } else {
        format!("{body}.{shape}")
    }
}

// rules for bodies take precedence over rules for materials, later rules over earlier ones
fn material_of(scene: &Plane, a: (&str, &spec::Shape), b: (&str, &spec::Shape)) -> ContactMaterial {
    let either = |names: &[spec::Name; 2], x: &str, y: &str| {
        let [first, second] = [&names[0].text, &names[1].text];
        (first == x && second == y) || (first == y && second == x)
    };
    let by_bodies = scene
        .contact_rules
        .iter()
        .rev()
        .find(|rule| match &rule.pair {
            ContactPair::Bodies(names) => either(names, a.0, b.0),
            ContactPair::Materials(_) | ContactPair::Groups(_) => false,
        });
    let by_materials = || {
        let (x, y) = (a.1.material.as_deref()?, b.1.material.as_deref()?);
        scene
            .contact_rules
            .iter()
            .rev()
            .find(|rule| match &rule.pair {
                ContactPair::Materials(names) => either(names, x, y),
                ContactPair::Bodies(_) | ContactPair::Groups(_) => false,
            })
    };
    by_bodies
        .or_else(by_materials)
        .map_or(scene.contact_default, |rule| rule.material)
}

fn add_pair(
    model: &mut Model,
    sides: [(BodyRef, String); 2],
    shapes: [&spec::Shape; 2],
    seams: &Seams,
    material: ContactMaterial,
) {
    let shapes = shapes.map(|s| Shape::from_geometry(&s.geometry));
    let features = collide::features(&shapes[0], &shapes[1]);
    let n_features = features.len();
    let pair = format!("{}.on.{}", sides[1].1, sides[0].1);
    if n_features > 0 {
        model.pairs.push(pair.clone());
    }
    for (i, (mut feature, swapped)) in features.into_iter().enumerate() {
        let mut bodies = [sides[0].0, sides[1].0];
        let mut seams = seams.clone();
        if swapped {
            bodies.swap(0, 1);
            seams = seams.swapped();
        }
        model.contacts.push(Contact {
            name: if n_features == 1 {
                pair.clone()
            } else {
                format!("{pair}[{}]", i + 1)
            },
            bodies,
            pair: model.pairs.len() - 1,
            seams: seams::of_plane(seams, &mut feature),
            kind: ContactKind::Feature(feature),
            friction: material.friction.sliding,
            static_friction: material
                .friction
                .falling
                .map_or(0.0, |(at_rest, _)| at_rest),
            stribeck_velocity: material.friction.falling.map(|(_, velocity)| velocity),
            torsional_friction: 0.0,
            rolling_friction: 0.0,
            restitution: material.restitution,
            tangential_restitution: material.tangential_restitution,
            compliance: material.compliance,
        });
    }
}

/// Initial overlaps of shapes and violated joint stops are errors; `place_of` gives the source location of a body.
pub(super) fn reject_overlaps(
    model: &Model,
    poses: &Poses,
    problems: &mut Vec<Problem>,
    place_of: impl Fn(usize) -> Place,
) {
    let mut overlaps = Overlaps::default();
    model.overlaps(
        poses,
        overlap_allowed(model),
        |name, contact, depth| match &contact.kind {
            ContactKind::Feature(_) | ContactKind::Space(_) => {
                overlaps.add(contact.bodies, depth, || name.to_owned());
            }
            ContactKind::Limit(_) => {
                let body = contact.bodies[1].or(contact.bodies[0]);
                problems.push(Problem {
                    place: body.map_or(0..0, &place_of),
                    key: position_of(model, body),
                    message: format!("the joint starts beyond its stop `{name}` by {depth:.3e}"),
                    hint: "move the body or widen the limits".to_owned(),
                });
            }
        },
    );
    problems.extend(overlaps.problems(model, place_of));
}

/// Deeper initial overlaps are errors, m.
pub(super) fn overlap_allowed(model: &Model) -> f64 {
    model.settings.active_gap.at_least(1e-9)
}

/// Bodies that overlap at the start, in the order of the scene, each with the name and depth (m) of its deepest contact.
#[derive(Default)]
pub(super) struct Overlaps(BTreeMap<[BodyRef; 2], (String, f64)>);

impl Overlaps {
    /// Records a contact.
    pub fn add(&mut self, mut bodies: [BodyRef; 2], depth: f64, name: impl Fn() -> String) {
        bodies.sort_unstable();
        let deepest = self.0.entry(bodies).or_insert((String::new(), 0.0));
        if depth > deepest.1 {
            *deepest = (name(), depth);
        }
    }

    /// One error per pair of bodies, at the source location of the later one: the other may be the ground.
    pub fn problems(
        self,
        model: &Model,
        place_of: impl Fn(usize) -> Place,
    ) -> impl Iterator<Item = Problem> {
        self.0.into_iter().map(move |(bodies, (name, depth))| {
            let [first, second] = bodies.map(|body| model.body_name(body));
            let whole = format!("{second}.on.{first}");
            let deepest = if name == whole {
                String::new()
            } else {
                format!(", deepest at `{name}`")
            };
            let [place_of_first, place] = bodies.map(|body| body.map_or(0..0, &place_of));
            // bodies with one source location are copies
            let hint = if place == place_of_first {
                "keep the `spacing` of `copies` above the size of a body plus twice the `jitter`"
            } else {
                "move the bodies apart, or switch the contact off with a [[contact]] rule"
            };
            Problem {
                place,
                key: position_of(model, bodies[1]),
                message: format!("`{whole}` overlap by {depth:.3e} m at the start{deepest}"),
                hint: hint.to_owned(),
            }
        })
    }
}

fn position_of(model: &Model, body: BodyRef) -> String {
    format!("body[{}].position", model.body_name(body))
}
