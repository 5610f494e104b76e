//! How deep boxes overlap, by separating axes: not by the features that the engine looks at.

use stiction::kinds::space::Pose;
use stiction::kinds::space::shape::Shape;
use stiction::simulation::Simulation;

type Vector = [f64; 3];

/// A box where it is.
struct Cuboid {
    body: usize,
    centre: Vector,
    /// Half of its edges.
    halves: [Vector; 3],
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn cuboids(simulation: &Simulation) -> Vec<Cuboid> {
    let (model, state) = (simulation.model(), simulation.state());
    let mut all = Vec::new();
    for solid in &model.time_stepping.as_ref().unwrap().colliders {
        let (Some(body), Shape::Polyhedron(shape)) = (solid.body, &solid.shape) else {
            continue;
        };
        let x = &state.position[model.bodies[body].first..];
        let pose = Pose::new([x[0], x[1], x[2]].into(), state.orientation[body]);
        // corners 1, 2 and 4 are neighbours of corner 0, and corner 7 is opposite
        let corner = |i: usize| -> Vector { pose.point(shape.vertices[i]).into() };
        let half = |i: usize| std::array::from_fn(|k| 0.5 * (corner(i)[k] - corner(0)[k]));
        all.push(Cuboid {
            body,
            centre: std::array::from_fn(|k| 0.5 * (corner(0)[k] + corner(7)[k])),
            halves: [half(1), half(2), half(4)],
        });
    }
    all
}

/// The deepest overlap of two boxes, or of a box and the floor at height zero, m.
pub fn deepest_overlap(simulation: &Simulation) -> f64 {
    let all = cuboids(simulation);
    let mut deepest: f64 = 0.0;
    for (i, one) in all.iter().enumerate() {
        let reach: f64 = one.halves.iter().map(|half| half[2].abs()).sum();
        deepest = deepest.max(reach - one.centre[2]);
        for other in all[..i].iter().filter(|other| other.body != one.body) {
            deepest = deepest.max(-gap(one, other));
        }
    }
    deepest
}

fn gap(one: &Cuboid, other: &Cuboid) -> f64 {
    let between = std::array::from_fn(|k| other.centre[k] - one.centre[k]);
    let crossed = |a: &Vector| other.halves.map(|b| cross(*a, b));
    let axes = one.halves.iter().chain(&other.halves).copied();
    let axes = axes.chain(one.halves.iter().flat_map(crossed));
    axes.filter_map(|axis| {
        let length = dot(axis, axis).sqrt();
        // edges that are nearly parallel part nothing that faces do not
        (length > 1e-9).then(|| {
            let reach = |half: &Vector| dot(*half, axis).abs();
            let both = one.halves.iter().chain(&other.halves).map(reach);
            (dot(between, axis).abs() - both.sum::<f64>()) / length
        })
    })
    .fold(f64::NEG_INFINITY, f64::max)
}
