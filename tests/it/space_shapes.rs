//! Contacts of shapes in space against independent computations: the nearest points of convex hulls by successive
//! support points, a separating-axis test by brute force, dense sampling of what is round; gradients by differences.

use crate::common::random::{Random as _, SplitMix};
use std::sync::Arc;
use stiction::kinds::space::collide::{Feature, Nearest, Pair, features};
use stiction::kinds::space::shape::{HeightField, Polyhedron, Shape};
use stiction::kinds::space::{Pose, Row, Twist};
use stiction::math::{Dual, Quaternion, Vec3, cross3, dot3, quaternion};

/// Numbers that look random (splitmix64).
struct Random(SplitMix);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    fn next(&mut self) -> f64 {
        self.0.unit()
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn vector(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(
                self.within(-1.0, 1.0),
                self.within(-1.0, 1.0),
                self.within(-1.0, 1.0),
            );
            if v.norm() < 1.0 && v.norm() > 0.01 {
                return v;
            }
        }
    }

    fn orientation(&mut self) -> Quaternion {
        loop {
            let q = [0; 4].map(|_| self.within(-1.0, 1.0));
            let n = q.iter().map(|x| x * x).sum::<f64>();
            if n < 1.0 && n > 0.01 {
                return quaternion::normalized(q);
            }
        }
    }

    fn twist(&mut self) -> Twist {
        Twist {
            linear: self.vector(),
            angular: self.vector(),
        }
    }
}

/// A pose as numbers.
#[derive(Clone, Copy)]
struct Placed {
    position: Vec3,
    orientation: Quaternion,
}

impl Placed {
    fn random(random: &mut Random, size: f64) -> Self {
        Self {
            position: random.vector() * size,
            orientation: random.orientation(),
        }
    }

    fn pose(&self) -> Pose {
        Pose::new(self.position, self.orientation)
    }

    fn moved(&self, twist: &Twist, time: f64) -> Self {
        Self {
            position: self.position + twist.linear * time,
            orientation: quaternion::normalized(quaternion::product(
                self.orientation,
                quaternion::exp(twist.angular * time),
            )),
        }
    }
}

/// The points whose hull, widened by the radius, is the shape.
fn core(shape: &Shape) -> (Vec<Vec3>, f64) {
    match shape {
        Shape::Sphere(ball) => (vec![ball.centre], ball.radius),
        Shape::Capsule(capsule) => (capsule.ends.to_vec(), capsule.radius),
        Shape::Polyhedron(solid) => (solid.vertices.clone(), 0.0),
        Shape::Cylinder(_) | Shape::HalfSpace(_) | Shape::HeightField(_) => unreachable!(),
    }
}

fn solve(mut m: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = m.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| m[*i][k].abs().total_cmp(&m[*j][k].abs()))?;
        m.swap(k, pivot);
        if m[k][k].abs() < 1e-13 {
            return None;
        }
        for i in k + 1..n {
            let f = m[i][k] / m[k][k];
            for j in k..=n {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| m[k][j] * x[j]).sum();
        x[k] = (m[k][n] - sum) / m[k][k];
    }
    Some(x)
}

/// The point of a simplex nearest to the origin, by looking at all its parts, and the points that carry it.
fn of_simplex(points: &[Vec3]) -> (Vec3, Vec<Vec3>) {
    let mut best: Option<(f64, Vec3, Vec<Vec3>)> = None;
    for part in 1u32..1 << points.len() {
        let chosen: Vec<Vec3> = (0..points.len())
            .filter(|i| part >> i & 1 == 1)
            .map(|i| points[i])
            .collect();
        let p = chosen[0];
        let edges: Vec<Vec3> = chosen[1..].iter().map(|q| q - p).collect();
        let system = edges
            .iter()
            .map(|e| {
                let mut row: Vec<f64> = edges.iter().map(|f| dot3(*e, *f)).collect();
                row.push(-dot3(*e, p));
                row
            })
            .collect();
        let Some(weights) = solve(system) else {
            continue;
        };
        if weights.iter().any(|w| *w < 0.0) || weights.iter().sum::<f64>() > 1.0 {
            continue;
        }
        let x = edges.iter().zip(&weights).fold(p, |x, (e, w)| x + e * *w);
        if best.as_ref().is_none_or(|b| x.norm() < b.0) {
            best = Some((x.norm(), x, chosen));
        }
    }
    let (_, x, chosen) = best.unwrap();
    (x, chosen)
}

/// The shortest vector from hull a to hull b; zero where they overlap.
fn shortest(a: &[Vec3], b: &[Vec3]) -> Vec3 {
    let support = |d: Vec3| {
        let low = |points: &[Vec3], d: Vec3| {
            *points
                .iter()
                .min_by(|p, q| dot3(**p, d).total_cmp(&dot3(**q, d)))
                .unwrap()
        };
        low(b, d) - low(a, -d)
    };
    let mut simplex = vec![b[0] - a[0]];
    let mut v = simplex[0];
    for _ in 0..200 {
        let w = support(v);
        if dot3(v, v) - dot3(v, w) <= 1e-15 * dot3(v, v).max(1e-12) || simplex.contains(&w) {
            return v;
        }
        simplex.push(w);
        (v, simplex) = of_simplex(&simplex);
        if simplex.len() == 4 || v.norm() < 1e-12 {
            return Vec3::zeros();
        }
    }
    v
}

/// Largest separation over all normals of faces and of pairs of edges: positive if apart, minus the depth otherwise.
fn separating_axis(p: &Polyhedron, q: &Polyhedron, a: &Pose, b: &Pose) -> f64 {
    let points = |solid: &Polyhedron, pose: &Pose| -> Vec<Vec3> {
        solid.vertices.iter().map(|x| pose.point(*x)).collect()
    };
    let (of_a, of_b) = (points(p, a), points(q, b));
    let mut axes: Vec<Vec3> = Vec::new();
    axes.extend(p.faces.iter().map(|f| a.turn(f.normal)));
    axes.extend(q.faces.iter().map(|f| b.turn(f.normal)));
    for e in &p.edges {
        for f in &q.edges {
            let n = cross3(a.turn(e.direction), b.turn(f.direction));
            if n.norm() > 1e-9 {
                axes.push(n / n.norm());
            }
        }
    }
    let mut best = f64::NEG_INFINITY;
    for axis in axes {
        for n in [axis, -axis] {
            let low = of_b
                .iter()
                .map(|x| dot3(n, *x))
                .fold(f64::INFINITY, f64::min);
            let high = of_a
                .iter()
                .map(|x| dot3(n, *x))
                .fold(f64::NEG_INFINITY, f64::max);
            best = best.max(low - high);
        }
    }
    best
}

struct NearestOfAll {
    feature: usize,
    near: Nearest,
    normal: Vec3,
}

/// What is nearest of all features, with the normal from the first to the second shape.
fn nearest(list: &[(Feature, bool)], a: &Pose, b: &Pose) -> Option<NearestOfAll> {
    let mut best: Option<NearestOfAll> = None;
    for (i, (feature, swapped)) in list.iter().enumerate() {
        let (p, q) = if *swapped { (b, a) } else { (a, b) };
        let Some(near) = feature.nearest(p, q) else {
            continue;
        };
        if near.gap.is_finite() && best.as_ref().is_none_or(|b| near.gap < b.near.gap) {
            let mut normal = near.gap_row(p, q).b;
            if *swapped {
                normal = normal.map(|x| -x);
            }
            best = Some(NearestOfAll {
                feature: i,
                near,
                normal: Vec3::new(normal[0], normal[1], normal[2]),
            });
        }
    }
    best
}

fn cuboid() -> Shape {
    Shape::cuboid(
        Vec3::new(0.05, -0.02, 0.03),
        quaternion::exp(Vec3::new(0.3, -0.2, 0.5)),
        Vec3::new(0.6, 0.4, 0.9),
    )
}

fn solid() -> Shape {
    let mut random = Random::new(7);
    let points: Vec<Vec3> = (0..14)
        .map(|_| {
            let v = random.vector();
            v * (0.5 / v.norm())
        })
        .collect();
    Shape::hull(&points).unwrap()
}

fn ball() -> Shape {
    Shape::sphere(Vec3::new(0.02, 0.1, -0.05), 0.3)
}

fn point() -> Shape {
    Shape::sphere(Vec3::new(0.02, 0.1, -0.05), 0.0)
}

fn capsule() -> Shape {
    Shape::capsule([Vec3::new(-0.4, 0.1, 0.0), Vec3::new(0.5, -0.1, 0.2)], 0.15)
}

fn cylinder() -> Shape {
    Shape::cylinder(
        Vec3::new(0.05, 0.0, -0.1),
        Vec3::new(0.2, 0.5, 1.0),
        0.4,
        0.7,
    )
}

fn plane() -> Shape {
    Shape::half_space(Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.3, -0.2, 1.0))
}

fn bumps() -> Shape {
    let n = 9;
    let height = |k: usize| 0.12 * ((k * 37 + k / n * 11) % 7) as f64 / 7.0;
    Shape::height_field(HeightField {
        corner: Vec3::new(-2.0, -2.0, -0.2),
        spacing: [0.5, 0.5],
        count: [n, n],
        heights: (0..n * n).map(height).collect(),
    })
}

fn convex_pairs() -> Vec<(Shape, Shape)> {
    let all = [point, ball, capsule, cuboid, solid];
    let mut pairs = Vec::new();
    for (i, first) in all.iter().enumerate() {
        for (j, second) in all.iter().enumerate() {
            // both orders of different kinds
            if i > 0 || j > 0 {
                pairs.push((first(), second()));
            }
        }
    }
    pairs
}

#[test]
fn gap_and_normal_of_convex_pairs_are_those_of_the_nearest_points_of_hulls() {
    let mut random = Random::new(1);
    for (first, second) in convex_pairs() {
        let list = features(&first, &second).unwrap();
        let kinds = (first.kind(), second.kind());
        let ((core_a, radius_a), (core_b, radius_b)) = (core(&first), core(&second));
        let is_sharp = radius_a + radius_b == 0.0;
        let pair = Pair::new(&first, &second);
        let n_poses = 10_000;
        let mut n_checked = 0;
        for k in 0..n_poses {
            let a = Placed::random(&mut random, 0.3);
            let mut b = Placed::random(&mut random, 1.6);
            let points = |core: &[Vec3], at: &Placed| -> Vec<Vec3> {
                core.iter().map(|x| at.pose().point(*x)).collect()
            };
            let of_a = points(&core_a, &a);
            let d = shortest(&of_a, &points(&core_b, &b));
            if d.norm() < 1e-6 {
                continue;
            }
            if k % 2 == 1 {
                // touching, or nearly
                let sharp = if is_sharp { 1e-5 } else { 0.0 };
                let wanted = radius_a + radius_b + sharp + random.within(0.0, 1e-3);
                b.position += d * (wanted / d.norm() - 1.0);
            }
            let d = shortest(&of_a, &points(&core_b, &b));
            let expected = d.norm() - radius_a - radius_b;
            let found = nearest(&list, &a.pose(), &b.pose()).unwrap();
            let error = (found.near.gap - expected).abs();
            assert!(
                error < 1e-9,
                "{kinds:?} pose {k}: gap {} not {expected}, feature {}",
                found.near.gap,
                found.feature
            );
            let turn = (found.normal - d / d.norm()).norm() * d.norm();
            assert!(turn < 1e-6, "{kinds:?} pose {k}: normal off by {turn}");
            assert!(pair.clearance(&a.pose(), &b.pose()) <= expected + 1e-12);
            n_checked += 1;
        }
        assert!(n_checked > n_poses / 2, "{kinds:?} {n_checked}");
    }
}

/// Lowest point of a shape over a plane, by brute force over what the shape is made of.
fn lowest(shape: &Shape, pose: &Pose, normal: Vec3) -> f64 {
    match shape {
        Shape::Cylinder(cylinder) => {
            let across = cross3(cylinder.axis, Vec3::new(1.0, 0.3, -0.2));
            let u = across / across.norm();
            let v = cross3(cylinder.axis, u);
            let height = |angle: f64, sign: f64| {
                let (s, c) = libm::sincos(angle);
                let rim = cylinder.centre
                    + cylinder.axis * (sign * cylinder.half_height)
                    + (u * c + v * s) * cylinder.radius;
                dot3(normal, pose.point(rim))
            };
            let mut best = f64::INFINITY;
            for sign in [1.0, -1.0] {
                let start = (0..64)
                    .map(|k| k as f64 * 0.1)
                    .min_by(|s, t| height(*s, sign).total_cmp(&height(*t, sign)))
                    .unwrap();
                let (mut low, mut high) = (start - 0.1, start + 0.1);
                for _ in 0..60 {
                    let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    if height(s, sign) < height(t, sign) {
                        high = t;
                    } else {
                        low = s;
                    }
                }
                best = best.min(height(low, sign));
            }
            best
        }
        other => {
            let (core, radius) = core(other);
            let least = core
                .iter()
                .map(|x| dot3(normal, pose.point(*x)))
                .fold(f64::INFINITY, f64::min);
            least - radius
        }
    }
}

#[test]
fn the_gap_over_a_half_space_is_that_of_the_lowest_point() {
    let mut random = Random::new(2);
    let ground = plane();
    let Shape::HalfSpace(below) = &ground else {
        unreachable!()
    };
    for shape in [point(), ball(), capsule(), cuboid(), solid(), cylinder()] {
        for (first, second, swap) in [(&ground, &shape, false), (&shape, &ground, true)] {
            let list = features(first, second).unwrap();
            for _ in 0..5_000 {
                let a = Placed::random(&mut random, 0.5).pose();
                let b = Placed::random(&mut random, 1.5).pose();
                let normal = a.turn(below.normal);
                let expected = lowest(&shape, &b, normal) - dot3(normal, a.position) - below.offset;
                let (p, q) = if swap { (&b, &a) } else { (&a, &b) };
                let found = nearest(&list, p, q).unwrap();
                let error = (found.near.gap - expected).abs();
                assert!(error < 1e-9, "{}: {error}", shape.kind());
                let sign = if swap { -1.0 } else { 1.0 };
                assert!((found.normal * sign - normal).norm() < 1e-14);
            }
        }
    }
}

#[test]
fn a_ball_sees_the_nearest_point_of_a_cylinder() {
    let mut random = Random::new(3);
    let shape = cylinder();
    let Shape::Cylinder(cylinder) = &shape else {
        unreachable!()
    };
    for other in [point(), ball()] {
        let (core, radius) = core(&other);
        let list = features(&shape, &other).unwrap();
        for k in 0..10_000 {
            let (a, b) = (
                Placed::random(&mut random, 0.3).pose(),
                Placed::random(&mut random, 1.5).pose(),
            );
            let x = a.turn_back(b.point(core[0]) - a.position);
            // onto the slab and the tube in turn (Dykstra)
            let (mut y, mut p, mut q) = (x, Vec3::zeros(), Vec3::zeros());
            for _ in 0..400 {
                let u = y + p;
                let z = dot3(u - cylinder.centre, cylinder.axis);
                let cut = z.clamp(-cylinder.half_height, cylinder.half_height);
                let on_slab = u + cylinder.axis * (cut - z);
                p = u - on_slab;
                let w = on_slab + q;
                let z = dot3(w - cylinder.centre, cylinder.axis);
                let across = w - cylinder.centre - cylinder.axis * z;
                let factor = (cylinder.radius / across.norm()).min(1.0);
                y = cylinder.centre + cylinder.axis * z + across * factor;
                q = w - y;
            }
            let distance = (x - y).norm();
            if distance < 1e-6 {
                continue;
            }
            let found = nearest(&list, &a, &b).unwrap();
            let error = (found.near.gap - (distance - radius)).abs();
            assert!(error < 1e-9, "{k}: {error}");
            let normal = a.turn(x - y) / distance;
            assert!((found.normal - normal).norm() < 1e-8);
        }
    }
}

/// Distance of a point from a triangle by the nearest points of hulls.
fn from_field(field: &HeightField, x: Vec3) -> f64 {
    let [nx, ny] = field.cells();
    let mut best = f64::INFINITY;
    for j in 0..ny {
        for i in 0..nx {
            for upper in [false, true] {
                let t = field.triangle(i, j, upper);
                let far = (t.corners[0] - x).norm() - 1.0;
                if far < best {
                    best = best.min(shortest(&t.corners, &[x]).norm());
                }
            }
        }
    }
    best
}

#[test]
fn vertices_see_the_nearest_point_of_a_height_field() {
    let mut random = Random::new(4);
    let ground = bumps();
    let Shape::HeightField(field) = &ground else {
        unreachable!()
    };
    for shape in [point(), ball(), capsule(), cuboid()] {
        let (core, radius) = core(&shape);
        let list = features(&ground, &shape).unwrap();
        assert_eq!(list.len(), 8 * core.len());
        let n_poses = 10_000 / core.len();
        for _ in 0..n_poses {
            let a = Pose::ground();
            let b = Placed {
                position: Vec3::new(
                    random.within(-1.4, 1.4),
                    random.within(-1.4, 1.4),
                    random.within(0.0, 0.8),
                ),
                orientation: random.orientation(),
            }
            .pose();
            for (i, vertex) in core.iter().enumerate() {
                let x = b.point(*vertex);
                let cell = [x.x, x.y].map(|at| ((at + 2.0) / 0.5) as usize);
                let under = [false, true].iter().any(|&upper| {
                    let t = field.triangle(cell[0], cell[1], upper);
                    dot3(t.normal, x - t.corners[0]) < 0.0
                });
                let found = nearest(&list[8 * i..8 * i + 8], &a, &b);
                if under {
                    continue;
                }
                let expected = from_field(field, x) - radius;
                if expected < 0.4 {
                    let gap = found.unwrap().near.gap;
                    assert!((gap - expected).abs() < 1e-9, "{gap} {expected}");
                }
            }
        }
    }
}

fn all_pairs() -> Vec<(Shape, Shape)> {
    let mut pairs = convex_pairs();
    for shape in [ball(), capsule(), cuboid(), solid(), cylinder()] {
        pairs.push((plane(), shape));
    }
    pairs.push((cylinder(), ball()));
    pairs.push((cylinder(), point()));
    pairs.push((bumps(), ball()));
    pairs.push((bumps(), cuboid()));
    pairs
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut random = Random::new(5);
    for (first, second) in all_pairs() {
        let list = features(&first, &second).unwrap();
        let kinds = (first.kind(), second.kind());
        let (mut n_checked, mut n_kinks) = (0, 0);
        let n_poses = 10_000 / list.len().min(40);
        for _ in 0..n_poses {
            let a = Placed::random(&mut random, 0.2);
            let b = Placed::random(&mut random, 0.9);
            let (twist_a, twist_b) = (random.twist(), random.twist());
            for (feature, swapped) in &list {
                let at = |time: f64| {
                    let (p, q) = (
                        a.moved(&twist_a, time).pose(),
                        b.moved(&twist_b, time).pose(),
                    );
                    if *swapped { (q, p) } else { (p, q) }
                };
                let (u, v) = if *swapped {
                    (twist_b, twist_a)
                } else {
                    (twist_a, twist_b)
                };
                let (p, q) = at(0.0);
                let Some(near) = feature.nearest(&p, &q) else {
                    continue;
                };
                let dual = feature.nearest(&p.with_rate(&u), &q.with_rate(&v)).unwrap();
                if near.gap.is_finite() {
                    let rate = near.gap_row(&p, &q).rate(&u, &v);
                    let scale = 1.0 + rate.abs();
                    assert!(
                        (rate - dual.gap.rate).abs() < 1e-9 * scale,
                        "{kinds:?} {rate} {}",
                        dual.gap.rate
                    );
                    let h = 1e-6;
                    let gap = |time: f64| {
                        let (p, q) = at(time);
                        feature.nearest(&p, &q).map_or(f64::NAN, |n| n.gap)
                    };
                    let (ahead, behind) = (gap(h), gap(-h));
                    let (f, g) = ((ahead - near.gap) / h, (near.gap - behind) / h);
                    // another place, a kink or a sharp bend within the difference
                    let is_smooth = (f - g).abs() < 1e-3;
                    if !is_smooth {
                        n_kinks += 1;
                        continue;
                    }
                    let difference = 0.5 * (f + g);
                    assert!(
                        (difference - rate).abs() < 1e-5 * scale,
                        "{kinds:?} {rate} {difference}"
                    );
                    n_checked += 1;
                }
                check_rows(feature, &near, &dual, (&p, &q), (&u, &v), &at);
            }
        }
        assert!(
            n_checked > 1000 && n_kinks < n_checked / 20,
            "{kinds:?} {n_checked} {n_kinks}"
        );
    }
}

fn check_rows(
    feature: &Feature,
    near: &Nearest,
    dual: &Nearest<Dual>,
    (p, q): (&Pose, &Pose),
    (u, v): (&Twist, &Twist),
    at: &dyn Fn(f64) -> (Pose, Pose),
) {
    let row = near.normal_row(p, q);
    let slope = row.rate(u, v) - dual.offset.rate;
    assert!(
        slope.abs() < 1e-8 * (1.0 + dual.offset.rate.abs()),
        "{slope}"
    );
    let moving = dual.normal_row(&p.with_rate(u), &q.with_rate(v));
    let h = 1e-6;
    let rows = [h, -h].map(|time| {
        let (p, q) = at(time);
        feature.nearest(&p, &q).map(|near| near.normal_row(&p, &q))
    });
    let [Some(ahead), Some(behind)] = rows else {
        return;
    };
    let all = |row: &Row| [row.a, row.b].concat();
    let (ahead, here, behind) = (all(&ahead), all(&row), all(&behind));
    let rates = [moving.a.map(|x| x.rate), moving.b.map(|x| x.rate)].concat();
    for i in 0..12 {
        let (f, g) = ((ahead[i] - here[i]) / h, (here[i] - behind[i]) / h);
        // the rate itself jumps where another place is nearest
        if (f - g).abs() < 1e-3 * (1.0 + f.abs()) {
            let error = (0.5 * (f + g) - rates[i]).abs();
            assert!(error < 1e-4 * (1.0 + f.abs()), "{error} {f}");
        }
    }
}

#[test]
fn no_overlap_of_polyhedra_is_missed_and_none_is_invented() {
    let mut random = Random::new(6);
    let wedge = Shape::hull(&[
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(1.2, 0.1, 0.05),
        Vec3::new(1.2, -0.1, 0.05),
        Vec3::new(1.2, 0.0, -0.2),
    ])
    .unwrap();
    let plate = Shape::cuboid(
        Vec3::zeros(),
        quaternion::IDENTITY,
        Vec3::new(1.5, 0.2, 0.1),
    );
    for (first, second) in [
        (cuboid(), cuboid()),
        (cuboid(), wedge.clone()),
        (plate.clone(), plate),
        (solid(), wedge),
    ] {
        let (Shape::Polyhedron(p), Shape::Polyhedron(q)) = (&first, &second) else {
            unreachable!()
        };
        let list = features(&first, &second).unwrap();
        let (mut n_apart, mut n_overlap, mut n_shallow) = (0, 0, 0);
        for k in 0..4_000 {
            let scale = if k % 4 == 0 { 3e-3 } else { 1e-6 };
            let a = Placed::random(&mut random, 0.1);
            let mut b = Placed::random(&mut random, 0.9);
            let mut expected = separating_axis(p, q, &a.pose(), &b.pose());
            if k % 2 == 0 && expected > -0.2 {
                // near to touching along the line of centres
                let d = (b.position - a.position) / (b.position - a.position).norm();
                for _ in 0..8 {
                    b.position -= d * expected;
                    expected = separating_axis(p, q, &a.pose(), &b.pose());
                }
                b.position += d * random.within(-1.0, 1.0) * scale;
                expected = separating_axis(p, q, &a.pose(), &b.pose());
            }
            let (pa, pb) = (a.pose(), b.pose());
            let whole = list[0].0.separation(&pa, &pb).unwrap();
            assert!(
                (whole.gap > 0.0) == (expected > 0.0),
                "{} {expected}",
                whole.gap
            );
            if expected < 0.0 {
                assert!((whole.gap - expected).abs() < 1e-9);
            }
            let found = nearest(&list, &pa, &pb).unwrap();
            if expected > 1e-9 {
                n_apart += 1;
                assert!(found.near.gap > 0.0, "{} {expected}", found.near.gap);
            } else if expected < -1e-9 {
                n_overlap += 1;
                // as it begins, a feature sees an overlap as deep as it is
                if expected > -1e-6 {
                    n_shallow += 1;
                    let error = (found.near.gap - expected).abs();
                    assert!(error < 1e-12, "{} {expected}", found.near.gap);
                }
            }
            let last = list.last().unwrap().0.separation(&pa, &pb).unwrap();
            assert_eq!(last, whole);
            let (u, v) = (random.twist(), random.twist());
            let h = 1e-7;
            let gap = |time: f64| {
                let (p, q) = (a.moved(&u, time).pose(), b.moved(&v, time).pose());
                list[0].0.separation(&p, &q).unwrap().gap
            };
            let (f, g) = ((gap(h) - whole.gap) / h, (whole.gap - gap(-h)) / h);
            if (f - g).abs() < 1e-4 {
                let rate = whole.row.rate(&u, &v);
                assert!((0.5 * (f + g) - rate).abs() < 1e-5, "{rate} {f}");
            }
        }
        assert!(n_apart > 300 && n_overlap > 300 && n_shallow > 100);
    }
}

fn closed(list: &[(Feature, bool)], a: &Pose, b: &Pose) -> Vec<(Vec3, Vec3)> {
    let mut places = Vec::new();
    for (feature, swapped) in list {
        let (p, q) = if *swapped { (b, a) } else { (a, b) };
        if let Some(near) = feature.nearest(p, q)
            && near.gap.abs() < 1e-9
            && near.margin >= -2e-9
        {
            let sign = if *swapped { -1.0 } else { 1.0 };
            places.push((q.position + near.arm_b, near.normal * sign));
        }
    }
    places
}

fn flat_box(size: Vec3) -> Shape {
    Shape::cuboid(Vec3::zeros(), quaternion::IDENTITY, size)
}

#[test]
fn what_lies_flat_has_every_corner_of_the_common_area_once() {
    let up = Vec3::new(0.0, 0.0, 1.0);
    let lower = flat_box(Vec3::new(1.0, 1.0, 1.0));
    let on = |size: Vec3, x: f64, y: f64, yaw: f64| {
        let upper = flat_box(size);
        let list = features(&lower, &upper).unwrap();
        // far from the origin and turned, so that nothing is exact
        let tilt = quaternion::exp(Vec3::new(0.3, 0.2, -0.4));
        let frame = Pose::new(Vec3::new(3.0, -2.0, 1.0), tilt);
        let at = Vec3::new(x, y, 0.5 + 0.5 * size.z);
        let turn = quaternion::product(tilt, quaternion::exp(up * yaw));
        let places = closed(&list, &frame, &Pose::new(frame.point(at), turn));
        for (_, normal) in &places {
            assert!((normal - frame.turn(up)).norm() < 1e-6);
        }
        for (i, p) in places.iter().enumerate() {
            for q in &places[..i] {
                assert!((p.0 - q.0).norm() > 1e-8, "twice at {:?}", p.0);
            }
        }
        places.len()
    };
    let cube = Vec3::new(1.0, 1.0, 1.0);
    assert_eq!(on(cube, 0.0, 0.0, 0.0), 4); // corner on corner
    assert_eq!(on(cube, 0.0, 0.2, 0.0), 4); // along one direction
    assert_eq!(on(cube, 0.3, 0.2, 0.0), 4);
    assert_eq!(on(cube, 0.0, 0.0, std::f64::consts::FRAC_PI_4), 8); // an octagon
    assert_eq!(on(cube, 0.1, 0.05, 0.3), 8);
    assert_eq!(on(Vec3::new(0.5, 0.4, 0.2), 0.1, 0.0, 0.4), 4); // inside
    assert_eq!(on(Vec3::new(2.0, 0.4, 0.2), 0.1, 0.0, 0.1), 4); // crosswise
    assert_eq!(on(Vec3::new(2.0, 0.4, 0.2), 0.0, 0.1, 0.0), 4);
    assert_eq!(on(Vec3::new(3.0, 3.0, 0.2), 0.1, 0.0, 0.4), 4); // over all of it
    assert_eq!(on(cube, 1.0 - 1e-3, 1.0 - 1e-3, 0.0), 4); // nearly off
}

#[test]
fn what_lies_flat_keeps_its_contacts_when_it_tilts_or_sinks_a_little() {
    let mut random = Random::new(10);
    let lower = flat_box(Vec3::new(1.0, 1.0, 1.0));
    for (size, x, y, yaw, n) in [
        (Vec3::new(1.0, 1.0, 1.0), 0.1, 0.05, 0.3, 8),
        (Vec3::new(1.0, 1.0, 1.0), 0.3, 0.2, 0.0, 4),
        (Vec3::new(2.0, 0.4, 0.2), 0.1, 0.0, 0.1, 4),
        (Vec3::new(0.5, 0.4, 0.2), 0.1, 0.0, 0.4, 4),
    ] {
        let list = features(&lower, &flat_box(size)).unwrap();
        for k in 0..300 {
            let scale = [1e-12, 1e-9, 1e-7, 1e-5][k % 4];
            let frame = Placed::random(&mut random, 1.0);
            let tilt = random.vector() * scale;
            let sink = random.within(-1.0, 1.0) * scale;
            let at = Vec3::new(x, y, 0.5 + 0.5 * size.z - sink);
            let turn = quaternion::product(
                quaternion::exp(Vec3::new(tilt.x, tilt.y, 0.0)),
                quaternion::exp(Vec3::new(0.0, 0.0, yaw)),
            );
            let a = frame.pose();
            let b = Pose::new(a.point(at), quaternion::product(frame.orientation, turn));
            let mut held = 0;
            for (feature, swapped) in &list {
                let (p, q) = if *swapped { (&b, &a) } else { (&a, &b) };
                if let Some(near) = feature.nearest(p, q) {
                    let is_near = near.gap.abs() < 4.0 * scale + 1e-14;
                    assert!(near.gap > -4.0 * scale - 1e-14, "{}", near.gap);
                    held += usize::from(is_near && near.margin >= -2e-9);
                }
            }
            assert!(held >= n, "{held} of {n} at {scale}, {size:?}");
        }
    }
}

#[test]
fn what_stands_or_lies_on_the_ground_is_held() {
    let ground = Shape::half_space(Vec3::zeros(), Vec3::new(0.0, 0.0, 1.0));
    let origin = Pose::ground();
    let cube = flat_box(Vec3::new(1.0, 1.0, 1.0));
    let list = features(&ground, &cube).unwrap();
    let at = Pose::new(Vec3::new(1.0, 2.0, 0.5), quaternion::IDENTITY);
    assert_eq!(closed(&list, &origin, &at).len(), 4);
    let can = Shape::cylinder(Vec3::zeros(), Vec3::new(0.0, 0.0, 1.0), 0.3, 1.0);
    let list = features(&ground, &can).unwrap();
    // eight points of the rim
    assert_eq!(closed(&list, &origin, &at).len(), 8);
    let lying = quaternion::exp(Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let at = Pose::new(Vec3::new(1.0, 2.0, 0.3), lying);
    assert_eq!(closed(&list, &origin, &at).len(), 2);

    // a rod on a box: inside its face, over one side of it, over two, and along another rod
    let rod = |half: f64| {
        let end = Vec3::new(half, 0.0, 0.0);
        Shape::capsule([-end, end], 0.1)
    };
    let on_box = |half: f64, x: f64, yaw: f64| {
        let list = features(&cube, &rod(half)).unwrap();
        let turn = quaternion::exp(Vec3::new(0.0, 0.0, yaw));
        let at = Pose::new(Vec3::new(x, 0.05, 0.6), turn);
        closed(&list, &origin, &at).len()
    };
    assert_eq!(on_box(0.3, 0.0, 0.2), 2);
    assert_eq!(on_box(0.3, 0.4, 0.2), 2);
    assert_eq!(on_box(0.9, 0.1, 0.2), 2);
    assert_eq!(on_box(0.9, 0.1, 0.0), 2);
    let list = features(&rod(0.5), &rod(0.4)).unwrap();
    let at = |x: f64, yaw: f64| {
        let turn = quaternion::exp(Vec3::new(0.0, 0.0, yaw));
        Pose::new(Vec3::new(x, 0.0, 0.2), turn)
    };
    assert_eq!(closed(&list, &origin, &at(0.0, 0.0)).len(), 2);
    assert_eq!(closed(&list, &origin, &at(0.3, 0.0)).len(), 2);
    assert_eq!(closed(&list, &origin, &at(0.1, 0.5)).len(), 1);
}

#[test]
fn a_ball_in_a_furrow_rests_on_both_sides_of_it() {
    let heights = vec![0.5, 0.0, 0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.5];
    let furrow = Shape::height_field(HeightField {
        corner: Vec3::new(-1.0, -1.0, 0.0),
        spacing: [1.0, 1.0],
        count: [3, 3],
        heights,
    });
    let list = features(&furrow, &Shape::sphere(Vec3::zeros(), 0.2)).unwrap();
    let slope = 1.25_f64.sqrt();
    let at = Pose::new(Vec3::new(0.0, 0.2, 0.2 * slope), quaternion::IDENTITY);
    let places = closed(&list, &Pose::ground(), &at);
    assert_eq!(places.len(), 2);
    let sum = places[0].1 + places[1].1;
    assert!((sum.x.abs() + sum.y.abs()) < 1e-12 && sum.z > 1.5);
}

#[test]
fn a_closed_contact_goes_on_along_its_face_and_tells_where_it_ends() {
    let (lower, upper) = (
        flat_box(Vec3::new(1.0, 1.0, 1.0)),
        flat_box(Vec3::new(0.4, 0.4, 0.4)),
    );
    let list = features(&lower, &upper).unwrap();
    let at = |x: f64| Pose::new(Vec3::new(x, 0.0, 0.7), quaternion::IDENTITY);
    let origin = Pose::ground();
    let mut n = 0;
    for (feature, swapped) in &list {
        let (p, q) = if *swapped {
            (at(0.0), origin)
        } else {
            (origin, at(0.0))
        };
        let near = feature.nearest(&p, &q);
        if near.is_none_or(|near| near.gap.abs() > 1e-12) {
            continue;
        }
        let face = feature.face(&p, &q).unwrap();
        assert!(!swapped);
        n += 1;
        for x in [0.1, 0.29, 0.31, 0.5] {
            let near = feature.nearest_on(face, &origin, &at(x)).unwrap();
            assert!(near.offset.abs() < 1e-12 && (near.normal.z - 1.0).abs() < 1e-12);
            let inside = 0.3_f64.min(0.5 - (x + near.arm_b.x).abs());
            assert!(
                (near.margin - inside).abs() < 2e-8,
                "{} {inside}",
                near.margin
            );
        }
    }
    assert_eq!(n, 4);
}

#[test]
fn unsupported_pairs_are_named() {
    let error = features(&cylinder(), &cuboid()).unwrap_err();
    assert_eq!(error.kinds, ["cylinder", "box"]);
    assert_eq!(
        error.to_string(),
        "contact of a cylinder with a box is not supported"
    );
    assert!(features(&capsule(), &cylinder()).is_err());
    assert!(features(&bumps(), &cylinder()).is_err());
    assert!(features(&plane(), &bumps()).unwrap().is_empty());
}

#[test]
fn shared_parts_of_features_are_not_copied() {
    let list = features(&cuboid(), &cuboid()).unwrap();
    assert_eq!(list.len(), 16 + 144);
    let shape = cuboid();
    let Shape::Polyhedron(solid) = &shape else {
        unreachable!()
    };
    let list = features(&shape, &shape).unwrap();
    assert!(Arc::strong_count(solid) > list.len());
}

#[test]
fn a_shape_in_other_coordinates_is_the_same_shape() {
    let mut random = Random::new(11);
    let frame = Placed::random(&mut random, 0.5).pose();
    for (first, second) in all_pairs() {
        if second.is_ground_only() || first.kind() == "height field" {
            continue;
        }
        let list = features(&first, &second).unwrap();
        let moved = second.seen_from(&frame);
        let list_moved = features(&first, &moved).unwrap();
        for _ in 0..20 {
            let a = Placed::random(&mut random, 0.2).pose();
            let b = Placed::random(&mut random, 1.5).pose();
            // the body whose coordinates they are
            let b_moved = Pose {
                position: b.point(frame.position),
                rotation: b.rotation * frame.rotation,
            };
            let gap = nearest(&list, &a, &b).unwrap().near.gap;
            let same = nearest(&list_moved, &a, &b_moved).unwrap().near.gap;
            assert!((gap - same).abs() < 1e-12, "{gap} {same}");
        }
        if let Some(m) = second.moments() {
            let n = moved.moments().unwrap();
            assert!((m.volume - n.volume).abs() < 1e-13);
            assert!((frame.point(n.centre) - m.centre).norm() < 1e-13);
            let turned = frame.rotation * n.inertia * frame.rotation.transpose();
            assert!((turned - m.inertia).norm() < 1e-13);
        }
    }
}
