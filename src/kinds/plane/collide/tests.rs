use super::*;
use crate::constraint::Twist;
use crate::kinds::plane::shape::Geometry;
use crate::math::Dual;

fn shape(geometry: Geometry) -> Shape {
    Shape::from_geometry(&geometry)
}

fn unit_box() -> Shape {
    shape(Geometry::Box {
        position: [0.0, 0.0],
        angle: 0.0,
        size: [1.0, 1.0],
    })
}

/// Smallest gap of a pair of shapes at two poses.
fn gap(first: &Shape, second: &Shape, a: Pose, b: Pose) -> f64 {
    features(first, second)
        .iter()
        .filter_map(|(f, swapped)| {
            let (a, b) = if *swapped { (b, a) } else { (a, b) };
            f.nearest(&a, &b)
        })
        .map(|n| n.gap)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn boxes_side_by_side_corner_to_corner_and_overlapping_have_the_right_gap() {
    let b = unit_box();
    let at = |x, y, angle| gap(&b, &b, Pose::new(0.0, 0.0, 0.0), Pose::new(x, y, angle));
    assert!((at(1.5, 0.2, 0.0) - 0.5).abs() < 1e-15);
    assert!((at(1.3, 1.4, 0.0) - 0.5).abs() < 1e-15);
    assert!((at(0.9, 0.3, 0.0) + 0.1).abs() < 1e-15);
    let half_diagonal = 0.5_f64.sqrt();
    assert!((at(2.0, 0.0, std::f64::consts::FRAC_PI_4) - (1.5 - half_diagonal)).abs() < 1e-15);
}

#[test]
fn capsules_and_circles_touch_on_their_round_surface() {
    let capsule = shape(Geometry::Capsule {
        from: [-0.5, 0.0],
        to: [0.5, 0.0],
        radius: 0.1,
    });
    let circle = shape(Geometry::Circle {
        position: [0.0, 0.0],
        radius: 0.2,
    });
    let origin = Pose::new(0.0, 0.0, 0.0);
    for (x, y, expected) in [(0.2, 0.5, 0.2), (0.0, -0.6, 0.3), (0.8, 0.4, 0.2)] {
        let found = gap(&capsule, &circle, origin, Pose::new(x, y, 1.0));
        assert!((found - expected).abs() < 1e-15, "{x} {y} {found}");
        let swapped = gap(&circle, &capsule, Pose::new(x, y, 1.0), origin);
        assert!((swapped - expected).abs() < 1e-15);
    }
    let crossed = gap(
        &capsule,
        &capsule,
        origin,
        Pose::new(0.0, 0.8, std::f64::consts::FRAC_PI_2),
    );
    assert!((crossed - 0.1).abs() < 1e-15);
}

#[test]
fn the_normal_row_is_the_exact_rate_of_the_gap() {
    let b = unit_box();
    let (a, pose_b) = (Pose::new(0.1, 0.2, 0.3), Pose::new(1.2, 0.4, -0.5));
    let twist_a = Twist {
        linear: Vec2::new(0.3, -0.2),
        angular: 0.7,
    };
    let twist_b = Twist {
        linear: Vec2::new(-0.5, 0.1),
        angular: -1.1,
    };
    for (feature, swapped) in features(&b, &b) {
        let (p, q, tp, tq) = if swapped {
            (pose_b, a, twist_b, twist_a)
        } else {
            (a, pose_b, twist_a, twist_b)
        };
        let Some(near) = feature.nearest(&p, &q) else {
            continue;
        };
        let dual: Nearest<Dual> = feature
            .nearest(&p.with_rate(&tp), &q.with_rate(&tq))
            .unwrap();
        assert!((near.gap_row().rate(&tp, &tq) - dual.gap.rate).abs() < 1e-14);
        assert!((near.normal_row().rate(&tp, &tq) - dual.offset.rate).abs() < 1e-14);
    }
}

#[test]
fn a_tip_that_cuts_through_a_corner_has_no_vertex_inside_but_overlaps() {
    let (square, tip) = (
        unit_box(),
        shape(Geometry::Polygon {
            vertices: vec![[0.0, 0.0], [-2.0, 0.2], [-2.0, -0.2]],
        }),
    );
    // from the left, turned down by 45 degrees, through the upper right corner of the box
    let (a, b) = (
        Pose::new(0.0, 0.0, 0.0),
        Pose::new(0.75, 0.05, -std::f64::consts::FRAC_PI_4),
    );
    assert!(gap(&square, &tip, a, b) > 0.0);
    for (feature, swapped) in features(&square, &tip) {
        let (p, q) = if swapped { (b, a) } else { (a, b) };
        let apart = feature.separation(&p, &q).unwrap();
        assert!(apart.gap < -0.1 && apart.gap > -0.25, "{}", apart.gap);
        let moved = Pose::new(q.position.x + 1e-6, q.position.y, q.angle);
        let rate = (feature.separation(&p, &moved).unwrap().gap - apart.gap) / 1e-6;
        assert!((apart.row.b[0] - rate).abs() < 1e-8);
    }
}
