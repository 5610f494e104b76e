use super::*;

fn vec(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

fn close(found: &Moments, volume: f64, centre: Vec3, inertia: &Mat3, tolerance: f64) {
    assert!((found.volume - volume).abs() < tolerance, "{found:?}");
    assert!((found.centre - centre).norm() < tolerance, "{found:?}");
    assert!((found.inertia - inertia).norm() < tolerance, "{found:?}");
}

/// A prism with a regular polygon as base: a cylinder or a ball by slices as its corners become many.
fn prism(n: usize, radius: f64, half: f64) -> Vec<Vec3> {
    let mut points = Vec::new();
    for k in 0..n {
        let (s, c) = libm::sincos(std::f64::consts::TAU * k as f64 / n as f64);
        points.push(vec(radius * c, radius * s, half));
        points.push(vec(radius * c, radius * s, -half));
    }
    points
}

#[test]
fn a_turned_box_has_the_textbook_moments_as_a_box_and_as_a_hull() {
    let turn = quaternion::exp(vec(0.4, -0.9, 0.3));
    let (centre, size) = (vec(1.0, -2.0, 0.5), vec(0.8, 0.6, 0.3));
    let shape = Shape::cuboid(centre, turn, size);
    let volume = size.x * size.y * size.z;
    let square = size.component_mul(&size);
    let principal = Mat3::from_diagonal(
        &(vec(
            square.y + square.z,
            square.x + square.z,
            square.x + square.y,
        ) * (volume / 12.0)),
    );
    let r = quaternion::matrix(turn);
    let inertia = r * principal * r.transpose();
    close(&shape.moments().unwrap(), volume, centre, &inertia, 1e-14);
    let Shape::Polyhedron(solid) = &shape else {
        unreachable!()
    };
    let mut points = solid.vertices.clone();
    // points inside, on a face and on an edge are not corners
    points.push(centre);
    points.push((points[0] + points[3]) * 0.5);
    points.push((points[0] + points[1]) * 0.5);
    let hull = Shape::hull(&points).unwrap();
    close(&hull.moments().unwrap(), volume, centre, &inertia, 1e-14);
    let Shape::Polyhedron(hull) = &hull else {
        unreachable!()
    };
    let counts = |p: &Polyhedron| (p.vertices.len(), p.edges.len(), p.faces.len());
    assert_eq!((counts(solid), counts(hull)), ((8, 12, 6), (8, 12, 6)));
}

#[test]
fn a_tetrahedron_has_its_closed_form() {
    // corner at the origin, unit legs: volume 1/6, integral of x^2 1/60, of x y 1/120
    let shape = Shape::hull(&[
        vec(0.0, 0.0, 0.0),
        vec(1.0, 0.0, 0.0),
        vec(0.0, 1.0, 0.0),
        vec(0.0, 0.0, 1.0),
    ])
    .unwrap();
    let about_origin = |i: usize, j: usize| if i == j { 2.0 / 60.0 } else { -1.0 / 120.0 };
    let shift = |i: usize, j: usize| {
        let same = if i == j { 3.0 / 16.0 } else { 0.0 };
        (same - 1.0 / 16.0) / 6.0
    };
    let inertia = Mat3::from_fn(|i, j| about_origin(i, j) - shift(i, j));
    let m = shape.moments().unwrap();
    close(&m, 1.0 / 6.0, Vec3::repeat(0.25), &inertia, 1e-15);
}

#[test]
fn round_shapes_have_the_moments_of_fine_polyhedra() {
    let n = 600;
    let cylinder = Shape::cylinder(Vec3::zeros(), vec(0.0, 0.0, 3.0), 0.4, 1.0);
    let fine = Shape::hull(&prism(n, 0.4, 0.5)).unwrap();
    let m = cylinder.moments().unwrap();
    close(
        &fine.moments().unwrap(),
        m.volume,
        m.centre,
        &m.inertia,
        3e-5,
    );
    // a capsule and a ball as stacks of thin discs
    for length in [0.7, 0.0] {
        let (r, slices) = (0.3, 20_000);
        let ends = [vec(0.0, 0.0, -0.5 * length), vec(0.0, 0.0, 0.5 * length)];
        let m = Shape::capsule(ends, r).moments().unwrap();
        let (mut volume, mut along, mut across) = (0.0, 0.0, 0.0);
        let half = 0.5 * length + r;
        let dz = 2.0 * half / slices as f64;
        for k in 0..slices {
            let z = -half + (k as f64 + 0.5) * dz;
            let beyond = (z.abs() - 0.5 * length).max(0.0);
            let square = r * r - beyond * beyond;
            let mass = std::f64::consts::PI * square * dz;
            volume += mass;
            along += 0.5 * mass * square;
            across += mass * (0.25 * square + z * z);
        }
        let inertia = Mat3::from_diagonal(&vec(across, across, along));
        close(&m, volume, Vec3::zeros(), &inertia, 1e-8);
    }
}

#[test]
fn a_hull_of_many_points_on_a_ball_is_closed_and_convex() {
    let mut points = Vec::new();
    for k in 0..200 {
        // golden spiral
        let z = 1.0 - (2.0 * k as f64 + 1.0) / 200.0;
        let (s, c) = libm::sincos(2.399_963_229_728_653 * k as f64);
        let r = (1.0 - z * z).sqrt();
        points.push(vec(r * c, r * s, z));
    }
    let solid = Polyhedron::hull(&points).unwrap();
    assert_eq!(solid.vertices.len(), 200);
    for face in &solid.faces {
        assert!(points.iter().all(|p| face.height(*p) < 1e-9));
    }
    let volume = solid.moments().volume;
    assert!(volume < 4.0 / 3.0 * std::f64::consts::PI && volume > 4.0);
}

#[test]
fn points_in_a_plane_span_no_solid() {
    let flat = [
        vec(0.0, 0.0, 0.0),
        vec(1.0, 0.0, 0.0),
        vec(0.0, 1.0, 0.0),
        vec(1.0, 1.0, 0.0),
        vec(0.3, 0.4, 0.0),
    ];
    assert_eq!(Shape::hull(&flat), Err(Flat));
    assert_eq!(Shape::hull(&flat[..3]), Err(Flat));
    assert!(Shape::sphere(Vec3::zeros(), 0.0).moments().is_none());
}

#[test]
fn every_side_and_corner_of_a_height_field_is_looked_after_once() {
    let field = HeightField {
        corner: vec(-1.0, 2.0, 0.5),
        spacing: [0.5, 0.25],
        count: [4, 3],
        heights: (0..12).map(|k| 0.1 * ((k * 7) % 5) as f64).collect(),
    };
    let [nx, ny] = field.cells();
    let (mut sides, mut corners) = (Vec::new(), Vec::new());
    let mut total = 0;
    for j in 0..ny {
        for i in 0..nx {
            for upper in [false, true] {
                let t = field.triangle(i, j, upper);
                assert!(t.normal.z > 0.0);
                for k in 0..3 {
                    let (p, q) = (t.corners[k], t.corners[(k + 1) % 3]);
                    total += 1;
                    let middle = p + q;
                    if t.owns_side[k] {
                        sides.push((middle.x, middle.y));
                    }
                    if t.owns_corner[k] {
                        corners.push((p.x, p.y));
                    }
                }
            }
        }
    }
    let n = corners.len();
    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
    corners.dedup();
    assert_eq!((n, corners.len()), (12, 12));
    let border = 2 * (nx + ny);
    let n = sides.len();
    sides.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sides.dedup();
    assert_eq!(
        (n, sides.len()),
        ((total + border) / 2, (total + border) / 2)
    );
}
