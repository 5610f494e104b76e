use super::*;
use crate::math::quaternion;

fn vec(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

fn at(x: f64, y: f64, z: f64, turn: Vec3) -> Pose {
    Pose::new(vec(x, y, z), quaternion::exp(turn))
}

fn unit_box() -> Shape {
    Shape::cuboid(Vec3::zeros(), quaternion::IDENTITY, vec(1.0, 1.0, 1.0))
}

/// Smallest gap of a pair of shapes at two poses.
fn gap(first: &Shape, second: &Shape, a: &Pose, b: &Pose) -> f64 {
    features(first, second)
        .unwrap()
        .iter()
        .filter_map(|(f, swapped)| {
            let (a, b) = if *swapped { (b, a) } else { (a, b) };
            f.nearest(a, b)
        })
        .map(|near| near.gap)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn boxes_face_to_face_edge_to_edge_corner_to_corner_have_the_right_gap() {
    let (b, origin) = (unit_box(), Pose::ground());
    let still = Vec3::zeros();
    let near = |x: f64, y: f64, z: f64, turn: Vec3| gap(&b, &b, &origin, &at(x, y, z, turn));
    assert!((near(1.5, 0.2, 0.1, still) - 0.5).abs() < 1e-15);
    assert!((near(1.3, 1.4, 0.3, still) - 0.5).abs() < 1e-15);
    assert!((near(1.2, 1.3, 1.6, still) - 0.7).abs() < 1e-15);
    assert!((near(0.9, 0.3, 0.2, still) + 0.1).abs() < 1e-15);
    // crossing edges: both turned by 45 degrees, about x and about y
    let quarter = 0.25 * std::f64::consts::PI;
    let diagonal = 2.0_f64.sqrt();
    let lower = at(0.0, 0.0, 0.0, vec(quarter, 0.0, 0.0));
    for (z, expected) in [(1.5, 1.5 - diagonal), (1.4, 1.4 - diagonal)] {
        let upper = at(0.1, -0.05, z, vec(0.0, quarter, 0.0));
        let found = gap(&b, &b, &lower, &upper);
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
}

#[test]
fn capsules_and_spheres_touch_on_their_round_surface() {
    let rod = Shape::capsule([vec(-0.5, 0.0, 0.0), vec(0.5, 0.0, 0.0)], 0.1);
    let ball = Shape::sphere(Vec3::zeros(), 0.2);
    let origin = Pose::ground();
    for (x, y, z, expected) in [
        (0.2, 0.3, 0.4, 0.2),
        (0.0, 0.0, -0.6, 0.3),
        (0.8, 0.4, 0.0, 0.2),
    ] {
        let b = at(x, y, z, vec(1.0, 0.0, 0.3));
        assert!((gap(&rod, &ball, &origin, &b) - expected).abs() < 1e-15);
        assert!((gap(&ball, &rod, &b, &origin) - expected).abs() < 1e-15);
    }
    let quarter_turn = vec(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let crossed = at(0.1, 0.2, 0.5, quarter_turn);
    assert!((gap(&rod, &rod, &origin, &crossed) - 0.3).abs() < 1e-15);
    let beyond = at(0.8, 0.0, 0.4, quarter_turn);
    assert!((gap(&rod, &rod, &origin, &beyond) - 0.3).abs() < 1e-15);
}

#[test]
fn a_rod_through_a_box_is_inside_it_although_its_ends_are_not() {
    let rod = Shape::capsule([vec(-2.0, 0.0, 0.0), vec(2.0, 0.0, 0.0)], 0.1);
    let (origin, b) = (Pose::ground(), at(0.0, 0.1, 0.2, Vec3::zeros()));
    let list = features(&unit_box(), &rod).unwrap();
    assert!(gap(&unit_box(), &rod, &origin, &b) > 0.0);
    let whole = list[0].0.separation(&origin, &b).unwrap();
    assert!((whole.gap + 0.4).abs() < 1e-15);
    let above = at(0.0, 0.1, 0.7, Vec3::zeros());
    assert!(list[0].0.separation(&origin, &above).is_none());
}

#[test]
fn a_cylinder_touches_the_ground_at_the_lowest_points_of_its_rims() {
    let can = Shape::cylinder(Vec3::zeros(), vec(0.0, 0.0, 1.0), 0.3, 1.0);
    let ground = Shape::half_space(Vec3::zeros(), vec(0.0, 0.0, 1.0));
    let tilt = 0.4;
    let (s, c) = libm::sincos(tilt);
    let found = gap(
        &ground,
        &can,
        &Pose::ground(),
        &at(0.0, 0.0, 1.0, vec(tilt, 0.0, 0.0)),
    );
    assert!((found - (1.0 - 0.5 * c - 0.3 * s)).abs() < 1e-9);
}

#[test]
fn a_cylinder_stands_on_fixed_points_and_rolls_on_its_lowest_one() {
    let can = Shape::cylinder(Vec3::zeros(), vec(0.0, 0.0, 1.0), 0.3, 1.0);
    let ground = Shape::half_space(Vec3::zeros(), vec(0.0, 0.0, 1.0));
    let list = features(&ground, &can).unwrap();
    let touching = |tilt: f64, heading: f64| {
        let (s, c) = libm::sincos(heading);
        let b = at(0.0, 0.0, 0.5, vec(tilt * c, tilt * s, 0.0));
        let (mut fixed, mut rolling, mut lowest) = (0, 0, f64::INFINITY);
        for (feature, _) in &list {
            let near = feature.nearest(&Pose::ground(), &b).unwrap();
            if near.gap < 1e-6 {
                match feature {
                    Feature::RimPoint { .. } => fixed += 1,
                    _ => rolling += 1,
                }
                lowest = near.gap.min(lowest);
            }
        }
        // difference to the depth of the lowest point
        let depth = 0.3 * libm::sin(tilt) + 0.5 * libm::cos(tilt) - 0.5;
        (fixed, rolling, lowest + depth)
    };
    for heading in [0.0, 0.3, 2.0, 5.0, std::f64::consts::PI / 8.0] {
        for (tilt, fixed, rolling) in [
            (0.0, 8, 0),
            (1e-12, 8, 0),
            (1e-8, 8, 0),
            (3e-8, 8, 1),
            (4e-8, 0, 1),
            (1e-6, 0, 1),
            (0.02, 0, 1),
        ] {
            let found = touching(tilt, heading);
            assert_eq!((found.0, found.1), (fixed, rolling), "{tilt} {heading}");
            assert!((-1e-15..8e-10).contains(&found.2), "{}", found.2);
        }
    }
}

#[test]
fn far_pairs_are_known_to_be_far() {
    let pair = Pair::new(&unit_box(), &Shape::sphere(vec(0.0, 0.0, 0.1), 0.5));
    let clearance = pair.clearance(&Pose::ground(), &at(3.0, 0.0, -0.1, Vec3::zeros()));
    assert!((clearance - (2.5 - 0.75_f64.sqrt())).abs() < 1e-15);
}

#[test]
fn boxes_that_lie_flat_in_each_other_are_told_the_corners_of_what_they_share() {
    let (b, origin) = (unit_box(), Pose::ground());
    let meetings = narrow_phase::NarrowPhase::of(&b, &b).unwrap();
    // lateral offset, rotation about the normal, and the corners
    let cases = [
        (0.0, 0.0, 4..=12),
        (1e-7, 0.0, 4..=8),
        (3e-4, 1e-6, 4..=12),
        (0.3, 0.0, 4..=4),
        (0.0, 0.4, 8..=8),
    ];
    for depth in [2e-6, 1e-4, 1e-2] {
        for (aside, turn, corners) in cases.clone() {
            let upper = at(aside, -0.5 * aside, 1.0 - depth, vec(0.0, 0.0, turn));
            for (pose_a, pose_b, up) in [(&origin, &upper, 1.0), (&upper, &origin, -1.0)] {
                let mut count = 0;
                meetings.find([&b, &b], [pose_a, pose_b], 1e-4, |place| {
                    count += 1;
                    assert!((place.gap + depth).abs() < 1e-12, "{place:?}");
                    assert!((place.normal - vec(0.0, 0.0, up)).norm() < 1e-12);
                    let [on_a, on_b] = place.arms;
                    let between = pose_b.position + on_b - pose_a.position - on_a;
                    assert!((between - place.normal * place.gap).norm() < 1e-12);
                });
                assert!(corners.contains(&count), "{depth} {aside} {turn}: {count}");
            }
        }
    }
}

#[test]
fn boxes_whose_edges_cut_each_other_are_parted_there() {
    let b = unit_box();
    let meetings = narrow_phase::NarrowPhase::of(&b, &b).unwrap();
    let quarter = 0.25 * std::f64::consts::PI;
    let lower = at(0.0, 0.0, 0.0, vec(quarter, 0.0, 0.0));
    let upper = at(0.1, -0.05, 2.0_f64.sqrt() - 1e-3, vec(0.0, quarter, 0.0));
    let mut count = 0;
    meetings.find([&b, &b], [&lower, &upper], 0.0, |place| {
        count += 1;
        assert!((place.gap + 1e-3).abs() < 1e-12 && place.normal.z > 1.0 - 1e-12);
    });
    assert_eq!(count, 1);
}
