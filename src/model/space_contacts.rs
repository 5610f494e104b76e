//! Pairs of shapes in space that can touch, and their contact materials.

use super::contacts::{add_stops, joined, label};
use super::drives;
use super::memory;
use super::seams::{self, Candidate, Parts, Seams};
use super::shape_of;
use super::space::{turn_back, vec3};
use super::space_time_stepping;
use super::{
    BodyRef, Contact, ContactKind, Limited, Model, N_ROTATION_AXES, N_TANGENTS, Poses, SpaceContact,
};
use crate::kinds::joint::Kind as _;
use crate::kinds::space::collide;
use crate::kinds::space::shape::{Bound, Shape};
use crate::math::{Quaternion, larger, quaternion};
use crate::scene::error::Problem;
use crate::scene::spec::space::{Friction, Geometry, Sliding, Space};
use crate::scene::spec::{self, ContactMaterial, ContactPair, Integrator, Limits};

/// Velocities of a point mass.
const POINT_DOF: usize = 3;

type Written = spec::Shape<Geometry>;

/// A body or the ground, with its shapes.
pub(super) struct Owner<'a> {
    pub body: BodyRef,
    pub name: &'a str,
    pub group: Option<&'a str>,
    axes: Quaternion,
    pub written: &'a [Written],
    pub shapes: Vec<Shape>,
    // of the ground: the belts of its shapes
    belts: Vec<BodyRef>,
}

impl Owner<'_> {
    // the belt of a shape of the ground
    fn belt_of(&self, shape: usize) -> BodyRef {
        self.belts.get(shape).copied().flatten()
    }

    /// Name of a shape in names of pairs.
    pub fn label(&self, shape: usize) -> String {
        label(self.name, &self.written[shape].name, self.written.len())
    }

    /// Error for an unsupported pair of shapes, at a shape of this owner.
    pub fn unsupported(&self, shape: usize, unsupported: &collide::Unsupported) -> Problem {
        Problem {
            place: self.written[shape].place.clone(),
            key: format!("{}.{}", self.name, self.written[shape].name),
            message: format!("{unsupported}"),
            hint: "use other shapes, or switch the contact off with a [[contact]] rule and `enabled = false`".to_owned(),
        }
    }
}

/// Adds joint stops and the features of all pairs of shapes; initial overlaps are errors.
pub(super) fn add(scene: &Space, model: &mut Model, problems: &mut Vec<Problem>) {
    let in_time_stepping = model.settings.integrator == Integrator::TimeStepping;
    if let Some(problem) = memory::memory_error(model, in_time_stepping, 0) {
        problems.push(problem);
        return;
    }
    add_limits(scene, model);
    drives::add_backlash(&scene.couplings, model);
    let bodies = scene.bodies.iter();
    let bodies = bodies.map(|body| (&body.name[..], body.motion.as_ref()));
    model.add_ropes(&scene.ropes, vec3, bodies, problems);
    let owners = owners(scene, model, problems);
    for owner in &owners {
        if let Some(body) = owner.body {
            let reaches = owner.shapes.iter().map(|shape| Bound::of(shape).extent());
            model.bodies[body].extent = reaches.fold(0.0, larger);
        }
    }
    if in_time_stepping {
        space_time_stepping::add(scene, model, &owners, problems);
        if problems.is_empty() {
            reject_overlaps(scene, model, problems);
        }
        return;
    }
    let parts: Vec<Parts> = owners
        .iter()
        .map(|owner| Parts::new(owner.shapes.iter().map(Candidate::of_space).collect()))
        .collect();
    let mut next_check = 0;
    for (k, a) in owners.iter().enumerate() {
        for (l, b) in owners[k + 1..].iter().enumerate() {
            let joints = scene.joints.iter().map(|j| (&j.bodies, j.contact));
            if joined(joints, a.name, b.name) {
                continue;
            }
            let is_on = |i: usize, j: usize| material_of(scene, (a, i), (b, j)).0.enabled;
            for i in 0..a.shapes.len() {
                for j in 0..b.shapes.len() {
                    let (material, swapped) = material_of(scene, (a, i), (b, j));
                    if material.enabled {
                        if let Some(problem) = memory::memory_error_so_far(model, &mut next_check) {
                            problems.push(problem);
                            return;
                        }
                        let seams = Seams::new([
                            parts[k].around(i, |other| is_on(other, j)),
                            parts[k + 1 + l].around(j, |other| is_on(i, other)),
                        ]);
                        add_pair(model, (a, i), (b, j), (material, swapped), &seams, problems);
                    }
                }
            }
        }
    }
    let resists = |c: &Contact| c.torsional_friction > 0.0 || c.rolling_friction > 0.0;
    if model.contacts.iter().any(resists) {
        model.n_friction_rows = N_TANGENTS + N_ROTATION_AXES;
    }
    if problems.is_empty() {
        reject_overlaps(scene, model, problems);
    }
}

fn owners<'a>(scene: &'a Space, model: &Model, problems: &mut Vec<Problem>) -> Vec<Owner<'a>> {
    let mut owners = vec![Owner {
        body: None,
        name: "ground",
        group: None,
        axes: quaternion::IDENTITY,
        written: &scene.ground,
        shapes: Vec::new(),
        belts: scene
            .ground
            .iter()
            .map(|shape| belt_of(scene, shape))
            .collect(),
    }];
    for (i, body) in scene.bodies.iter().enumerate() {
        owners.push(Owner {
            body: Some(i),
            name: &body.name,
            group: body.group.as_deref(),
            axes: model.bodies[i].axes,
            written: &body.shapes,
            shapes: Vec::new(),
            belts: Vec::new(),
        });
    }
    for owner in &mut owners {
        for shape in owner.written {
            match shape_of(&shape.geometry, owner.axes) {
                Ok(shape) => owner.shapes.push(shape),
                Err(_) => problems.push(Problem {
                    place: shape.place.clone(),
                    key: format!("{}.{}", owner.name, shape.name),
                    message: "the points of the polyhedron are in one plane".to_owned(),
                    hint: "give at least four points that are not in one plane".to_owned(),
                }),
            }
        }
    }
    owners
}

// the moving surface of a shape of the ground
fn belt_of(scene: &Space, shape: &spec::Shape<Geometry>) -> BodyRef {
    let bodies = scene.bodies.iter();
    let bodies = bodies.map(|b| (&b.name[..], b.motion.as_ref()));
    spec::Belt::body_of(&scene.belts, &shape.name, bodies)
}

fn add_limits(scene: &Space, model: &mut Model) {
    for (index, written) in scene.joints.iter().enumerate() {
        let coordinates = written.kind.description().coordinates;
        let limited = |(k, limits): (usize, &Option<Limits>)| limits.map(|limits| (k, limits));
        let limits: Vec<(usize, Limits)> = written
            .limits
            .iter()
            .enumerate()
            .filter_map(limited)
            .collect();
        let several = limits.len() > 1;
        for (k, limits) in limits {
            let name = match coordinates.get(k) {
                Some(coordinate) if several => format!("{}.{coordinate}", written.name),
                Some(_) => written.name.clone(),
                None => continue,
            };
            let of = Limited::Joint {
                joint: index,
                coordinate: k,
            };
            add_stops(model, of, model.joints[index].bodies, &name, &limits);
        }
    }
}

// rules for bodies take precedence over rules for groups, these over rules for materials, later rules over earlier ones; true if the rule
// names b first
pub(super) fn material_of(
    scene: &Space,
    a: (&Owner, usize),
    b: (&Owner, usize),
) -> (ContactMaterial<Friction>, bool) {
    let either = |names: &[spec::Name; 2], x: Option<&str>, y: Option<&str>| {
        let (Some(x), Some(y)) = (x, y) else {
            return false;
        };
        let [first, second] = [&names[0].text, &names[1].text];
        (first == x && second == y) || (first == y && second == x)
    };
    let rule = |fits: &dyn Fn(&ContactPair) -> bool| {
        let mut rules = scene.contact_rules.iter().rev();
        rules.find(|rule| fits(&rule.pair)).map(|rule| {
            let swapped =
                matches!(&rule.pair, ContactPair::Bodies([first, _]) if first.text == b.0.name);
            (rule.material, swapped)
        })
    };
    let material = |(owner, i): (&Owner, usize)| owner.written[i].material.clone();
    let (material_a, material_b) = (material(a), material(b));
    rule(&|pair| matches!(pair, ContactPair::Bodies(names) if either(names, Some(a.0.name), Some(b.0.name))))
        .or_else(|| {
            rule(&|pair| matches!(pair, ContactPair::Groups(names) if either(names, a.0.group, b.0.group)))
        })
        .or_else(|| {
            rule(&|pair| {
                matches!(pair, ContactPair::Materials(names)
                    if either(names, material_a.as_deref(), material_b.as_deref()))
            })
        })
        .unwrap_or((scene.contact_default, false))
}

fn add_pair(
    model: &mut Model,
    (a, i): (&Owner, usize),
    (b, j): (&Owner, usize),
    (material, rule_swapped): (ContactMaterial<Friction>, bool),
    seams: &Seams,
    problems: &mut Vec<Problem>,
) {
    let shapes = [&a.shapes[i], &b.shapes[j]];
    let features = match collide::features(shapes[0], shapes[1]) {
        Ok(features) => features,
        Err(unsupported) => {
            problems.push(b.unsupported(j, &unsupported));
            return;
        }
    };
    let pair = format!("{}.on.{}", b.label(j), a.label(i));
    let n_features = features.len();
    if n_features > 0 {
        model.pairs.push(pair.clone());
    }
    for (k, (feature, swapped)) in features.into_iter().enumerate() {
        let (first, second) = if swapped { (1, 0) } else { (0, 1) };
        let owners = [a, b];
        // the axis is given for the first body of the rule; without names, for the first in the scene
        let (friction, axis, turned, across) = match material.friction.sliding {
            Sliding::Isotropic(friction) => (friction, None, false, 1.0),
            Sliding::Elliptic {
                coefficients: [along, across],
                axis,
            } => {
                let holder = usize::from(rule_swapped);
                let axis = turn_back(owners[holder].axes, vec3(axis));
                let side = usize::from(holder != first);
                // without friction along the axis, the direction across is the reference
                let turned = along == 0.0 && across > 0.0;
                let [larger, ratio] = match (turned, along > 0.0) {
                    (true, _) => [across, 0.0],
                    (false, true) => [along, across / along],
                    (false, false) => [0.0, 1.0],
                };
                (larger, Some((side, axis)), turned, ratio)
            }
        };
        // point masses have no rotation to resist
        let turns = |owner: &Owner| {
            let body = owner.body.map(|i| &model.bodies[i]);
            body.is_some_and(|body| body.n_dof > POINT_DOF)
        };
        let resists = f64::from(u8::from(turns(a) || turns(b)));
        let seams = if swapped {
            seams.swapped()
        } else {
            seams.clone()
        };
        let seams = seams::of_space(seams, &feature, shapes[second]);
        let of = |owner: &Owner, shape: usize| owner.body.or_else(|| owner.belt_of(shape));
        let bodies = [of(a, i), of(b, j)];
        model.contacts.push(Contact {
            name: if n_features == 1 {
                pair.clone()
            } else {
                format!("{pair}[{}]", k + 1)
            },
            bodies: [bodies[first], bodies[second]],
            pair: model.pairs.len() - 1,
            kind: ContactKind::Space(Box::new(SpaceContact {
                feature,
                bounds: collide::Pair::new(shapes[first], shapes[second]),
                axis,
                turned,
                across,
            })),
            seams,
            friction,
            static_friction: material.friction.static_friction.unwrap_or(0.0),
            stribeck_velocity: material.friction.stribeck_velocity,
            torsional_friction: resists * material.friction.torsional_friction,
            rolling_friction: resists * material.friction.rolling_friction,
            restitution: material.restitution,
            tangential_restitution: material.tangential_restitution,
            compliance: material.compliance,
        });
    }
}

fn reject_overlaps(scene: &Space, model: &Model, problems: &mut Vec<Problem>) {
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    super::contacts::reject_overlaps(model, &poses, problems, |body| {
        scene.bodies[body].place.clone()
    });
}
