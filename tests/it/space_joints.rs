//! Joints in space: coordinates all around, number of independent equations, what reactions mean, and the plane as a
//! special case.

use nalgebra::{DMatrix, DVector};
use std::f64::consts::{PI, TAU};
use stiction::constraint as plane;
use stiction::kinds::joint::Mounting;
use stiction::kinds::plane::force::Side;
use stiction::kinds::space::force::{self, Detail};
use stiction::kinds::space::joint::{
    Count, Cylindrical, Distance, Fixed, Joint, Mount, Planar, Prismatic, Revolute, Spherical,
    Universal,
};
use stiction::kinds::space::{BODY_DOF, Pose, Row, Twist};
use stiction::math::{Mat3, Vec2, Vec3, quaternion};

fn mounts() -> (Mount, Mount) {
    let x = Vec3::new(1.0, 0.3, -0.2);
    (
        Mount::new(Vec3::new(0.2, 0.5, -0.1), Vec3::new(0.4, -1.0, 2.0), x).unwrap(),
        Mount::about(Vec3::new(-0.3, 0.6, 0.4), Vec3::new(1.0, 0.2, 0.3)).unwrap(),
    )
}

fn body_a() -> Pose {
    let turn = quaternion::exp(Vec3::new(0.7, -1.1, 0.4));
    Pose::new(Vec3::new(0.5, -0.8, 1.2), turn)
}

/// The pose of body b whose mount is shifted and turned by the given amounts along the axes of mount a.
fn body_b(shift: Vec3, turn: &Mat3) -> Pose {
    let (mount_a, mount_b) = mounts();
    let axes_a = Mat3::from_columns(&mount_a.axes);
    let axes_b = Mat3::from_columns(&mount_b.axes);
    let a = body_a();
    let mut b = Pose {
        position: Vec3::zeros(),
        rotation: a.rotation * axes_a * turn * axes_b.transpose(),
    };
    b.position = a.point(mount_a.anchor + axes_a * shift) - b.turn(mount_b.anchor);
    b
}

fn about(axis: usize, angle: f64) -> Mat3 {
    let mut r = Vec3::zeros();
    r[axis] = angle;
    quaternion::matrix(quaternion::exp(r))
}

/// Every kind, closed, with its coordinates there; angles go once around with `k` from -32 to 32.
fn closed(k: i32) -> Vec<(&'static str, Joint, Pose, Vec<f64>)> {
    let (mount_a, mount_b) = mounts();
    let (anchor_a, anchor_b) = (mount_a.anchor, mount_b.anchor);
    let angle = f64::from(k) / 32.0 * PI;
    // seven times as fast, for a second angle
    let second = {
        let fast = 7.0 * angle + 0.3;
        fast - (fast / TAU).round() * TAU
    };
    let (u, w) = (0.01 * f64::from(k) + 0.3, 0.7 - 0.02 * f64::from(k));
    let general = about(0, angle) * about(1, 1.0 + u) * about(2, w);
    let none = Vec3::zeros();
    let mounted = (mount_a, mount_b);
    macro_rules! mounted {
        ($kind:ident) => {
            Joint::$kind($kind {
                mount_a: mounted.0.clone(),
                mount_b: mounted.1.clone(),
            })
        };
    }
    vec![
        (
            "spherical",
            Joint::Spherical(Spherical { anchor_a, anchor_b }),
            body_b(none, &general),
            vec![],
        ),
        (
            "revolute",
            mounted!(Revolute),
            body_b(none, &about(2, angle)),
            vec![angle],
        ),
        (
            "prismatic",
            mounted!(Prismatic),
            body_b(Vec3::new(0.0, 0.0, u), &Mat3::identity()),
            vec![u],
        ),
        (
            "cylindrical",
            mounted!(Cylindrical),
            body_b(Vec3::new(0.0, 0.0, u), &about(2, angle)),
            vec![u, angle],
        ),
        (
            "universal",
            mounted!(Universal),
            body_b(none, &(about(0, angle) * about(1, second))),
            vec![angle, second],
        ),
        (
            "planar",
            mounted!(Planar),
            body_b(Vec3::new(u, w, 0.0), &about(2, angle)),
            vec![u, w, angle],
        ),
        (
            "fixed",
            mounted!(Fixed),
            body_b(none, &Mat3::identity()),
            vec![],
        ),
        (
            "distance",
            Joint::Distance(Distance {
                anchor_a,
                anchor_b,
                length: (1.0 + u * u + w * w).sqrt(),
            }),
            body_b(Vec3::new(u, w, 1.0), &general),
            vec![],
        ),
    ]
}

fn moved(pose: &Pose, twist: &Twist, h: f64) -> Pose {
    Pose {
        position: pose.position + twist.linear * h,
        rotation: pose.rotation * quaternion::matrix(quaternion::exp(twist.angular * h)),
    }
}

fn unit_twists(index: usize) -> [Twist; 2] {
    let mut twists = [Twist::zero(), Twist::zero()];
    let twist = &mut twists[index / BODY_DOF];
    match index % BODY_DOF {
        i if i < 3 => twist.linear[i] = 1.0,
        i => twist.angular[i - 3] = 1.0,
    }
    twists
}

fn flat(row: &Row) -> [f64; 12] {
    std::array::from_fn(|i| if i < 6 { row.a[i] } else { row.b[i - 6] })
}

#[test]
fn every_joint_is_closed_where_it_should_be_and_knows_its_coordinates() {
    let a = body_a();
    for k in -31..=32 {
        for (name, joint, b, expected) in closed(k) {
            let rows = joint.rows(&a, &b);
            assert_eq!(rows.n, joint.n_rows(), "{name}");
            for i in 0..rows.n {
                let residual = rows.residual[i];
                assert!(residual.abs() < 1e-14, "{name} {i}: {residual:e}");
            }
            assert_eq!(joint.n_coordinates(), expected.len(), "{name}");
            for (i, expected) in expected.iter().enumerate() {
                let (value, _) = joint.coordinate(i, &a, &b);
                let mut error = value - expected;
                if joint.coordinate_is_angle(i) {
                    assert!(value > -PI && value <= PI, "{name}");
                    error -= (error / TAU).round() * TAU;
                }
                assert!(error.abs() < 1e-14, "{name} at {expected}: {error:e}");
            }
        }
    }
}

#[test]
fn rows_of_closed_joints_and_of_their_coordinates_agree_with_differences_all_around() {
    let (a, h) = (body_a(), 1e-5);
    let mut worst: f64 = 0.0;
    for k in -32..=32 {
        for (name, joint, b, _) in closed(k) {
            let near: Vec<f64> = (0..joint.n_coordinates())
                .map(|i| joint.coordinate(i, &a, &b).0)
                .collect();
            let scalars = |a: &Pose, b: &Pose| -> Vec<(f64, Row)> {
                let rows = joint.rows(a, b);
                let equations = (0..rows.n).map(|i| (rows.residual[i], rows.rows[i]));
                let count = Count {
                    from: &near,
                    ..Count::default()
                };
                let coordinates = (0..near.len()).map(|i| joint.counted(i, &count, a, b));
                equations.chain(coordinates).collect()
            };
            let now = scalars(&a, &b);
            for j in 0..12 {
                let [ta, tb] = unit_twists(j);
                let ahead = scalars(&moved(&a, &ta, h), &moved(&b, &tb, h));
                let behind = scalars(&moved(&a, &ta, -h), &moved(&b, &tb, -h));
                for (i, (_, row)) in now.iter().enumerate() {
                    let difference = (ahead[i].0 - behind[i].0) / (2.0 * h);
                    let error = (difference - flat(row)[j]).abs();
                    assert!(error < 1e-9, "{name} {i} {j}: {error:e}");
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("rows agree to {worst:.1e}");
}

/// Rank of rows over the motions of body b, by elimination with full pivoting.
fn rank(rows: &[Row]) -> usize {
    let mut m: Vec<[f64; 6]> = rows.iter().map(|row| row.b).collect();
    let mut rank = 0;
    loop {
        let rest = (rank..m.len()).flat_map(|i| (0..6).map(move |j| (i, j)));
        let largest = rest.max_by(|x, y| m[x.0][x.1].abs().total_cmp(&m[y.0][y.1].abs()));
        let Some((i, j)) = largest.filter(|(i, j)| m[*i][*j].abs() > 1e-9) else {
            return rank;
        };
        m.swap(rank, i);
        let pivot = m[rank];
        for row in &mut m[rank + 1..] {
            let factor = row[j] / pivot[j];
            for (x, p) in row.iter_mut().zip(pivot) {
                *x -= factor * p;
            }
        }
        rank += 1;
    }
}

#[test]
fn equations_and_coordinates_are_independent_and_together_complete() {
    let a = body_a();
    for k in -32..=32 {
        for (name, joint, b, _) in closed(k) {
            let found = joint.rows(&a, &b);
            let mut rows = found.rows[..found.n].to_vec();
            assert_eq!(rank(&rows), joint.n_rows(), "{name}");
            rows.extend((0..joint.n_coordinates()).map(|i| joint.coordinate(i, &a, &b).1));
            assert_eq!(rank(&rows), rows.len(), "{name}");
            let complete = match joint {
                Joint::Spherical(_) | Joint::Distance(_) => rows.len(),
                _ => 6,
            };
            assert_eq!(rows.len(), complete, "{name}");
            // no power in a motion of both as one: the rows of a are those of b, carried over
            for row in &rows {
                let push = |side: &[f64; 6]| Vec3::new(side[0], side[1], side[2]);
                let turn = |side: &[f64; 6]| Vec3::new(side[3], side[4], side[5]);
                let moment = a.position.cross(&push(&row.a))
                    + a.turn(turn(&row.a))
                    + b.position.cross(&push(&row.b))
                    + b.turn(turn(&row.b));
                assert!((push(&row.a) + push(&row.b)).norm() < 1e-15, "{name}");
                assert!(moment.norm() < 1e-14, "{name}");
            }
        }
    }
}

#[test]
fn reactions_are_the_forces_and_moments_that_the_joints_document() {
    let a = body_a();
    let (mount_a, mount_b) = mounts();
    for k in -32..=32 {
        for (name, joint, b, _) in closed(k) {
            let found = joint.rows(&a, &b);
            let [x_a, y_a, z_a] = mount_a.axes.map(|axis| a.turn(axis));
            let y_b = b.turn(mount_b.axes[1]);
            for (i, row_name) in joint.row_names().iter().enumerate() {
                let line = b.point(mount_b.anchor) - a.point(mount_a.anchor);
                // force at the second anchor and moment on body b
                let none = Vec3::zeros();
                let (push, turn) = match *row_name {
                    "x" => (Vec3::x(), none),
                    "y" => (Vec3::y(), none),
                    "z" => (Vec3::z(), none),
                    "across_x" => (x_a, none),
                    "across_y" => (y_a, none),
                    "across_z" => (z_a, none),
                    "turn_x" => (none, x_a),
                    "turn_y" => (none, y_a),
                    "turn_z" if name == "universal" => (none, x_a.cross(&y_b)),
                    "turn_z" => (none, z_a),
                    "length" => (line / line.norm(), none),
                    other => unreachable!("{other}"),
                };
                assert_eq!(
                    i >= joint.description().n_forces,
                    push == none,
                    "{name} {row_name}"
                );
                let on = |pose: &Pose, sign: f64| {
                    let arm = b.point(mount_b.anchor) - pose.position;
                    let turn = pose.turn_back(arm.cross(&push) + turn) * sign;
                    let push = push * sign;
                    [push.x, push.y, push.z, turn.x, turn.y, turn.z]
                };
                let row = found.rows[i];
                for (found, expected) in [(row.a, on(&a, -1.0)), (row.b, on(&b, 1.0))] {
                    for (x, y) in found.iter().zip(expected) {
                        assert!((x - y).abs() < 1e-14, "{name} {row_name}");
                    }
                }
            }
        }
    }
}

#[test]
fn forces_along_coordinates_are_about_and_along_the_axes_of_the_joint() {
    let a = body_a();
    let (mount_a, mount_b) = mounts();
    for k in -32..=32 {
        for (name, joint, b, _) in closed(k) {
            for (i, coordinate) in joint.coordinates().iter().enumerate() {
                let axis = match coordinate.name {
                    "angle" | "displacement" => a.turn(mount_a.axes[2]),
                    "displacement_x" | "angle_1" => a.turn(mount_a.axes[0]),
                    "displacement_y" => a.turn(mount_a.axes[1]),
                    "angle_2" => b.turn(mount_b.axes[1]),
                    other => unreachable!("{other}"),
                };
                let row = joint.coordinate(i, &a, &b).1;
                let push = Vec3::new(row.b[0], row.b[1], row.b[2]);
                let turn = b.turn(Vec3::new(row.b[3], row.b[4], row.b[5]));
                let expected = if joint.coordinate_is_angle(i) {
                    assert_eq!(push, Vec3::zeros(), "{name} {coordinate}");
                    axis
                } else {
                    assert!((push - axis).norm() < 1e-15, "{name} {coordinate}");
                    b.turn(mount_b.anchor).cross(&axis)
                };
                assert!((turn - expected).norm() < 1e-14, "{name} {coordinate}");
            }
        }
    }
}

/// Moves both bodies by the shortest change that closes the joint to first order; the residual before.
fn project(joint: &Joint, a: &mut Pose, b: &mut Pose) -> f64 {
    let rows = joint.rows(a, b);
    let g: Vec<[f64; 12]> = rows.rows[..rows.n].iter().map(flat).collect();
    let residual = DVector::from_fn(rows.n, |i, _| rows.residual[i]);
    let gram = DMatrix::from_fn(rows.n, rows.n, |i, j| {
        (0..12).map(|k| g[i][k] * g[j][k]).sum()
    });
    let multipliers = gram.lu().solve(&residual).unwrap();
    let change = |k: usize| -> f64 { (0..rows.n).map(|i| -g[i][k] * multipliers[i]).sum() };
    for (pose, first) in [(a, 0), (b, 6)] {
        let part = |k: usize| {
            Vec3::new(
                change(first + k),
                change(first + k + 1),
                change(first + k + 2),
            )
        };
        let twist = Twist {
            linear: part(0),
            angular: part(3),
        };
        *pose = moved(pose, &twist, 1.0);
    }
    residual.amax()
}

#[test]
fn open_joints_close_under_projection_and_never_flipped() {
    let (mount_a, mount_b) = mounts();
    let mut most = 0;
    for k in -32..=32 {
        for (name, joint, b, _) in closed(k) {
            let (mut a, mut b) = (body_a(), b);
            let by = f64::from(k);
            let twist = Twist {
                linear: Vec3::new(libm::sin(by), libm::sin(2.0 * by), libm::cos(3.0 * by)),
                angular: Vec3::new(libm::cos(by), libm::cos(5.0 * by), libm::sin(4.0 * by)),
            };
            b = moved(&b, &twist, 0.5);
            let steps = (0..20).find(|_| project(&joint, &mut a, &mut b) < 1e-14);
            let steps = steps.unwrap_or_else(|| panic!("{name} does not close"));
            most = most.max(steps);
            let cosine = a.turn(mount_a.axes[2]).dot(&b.turn(mount_b.axes[2]));
            if let Mounting::Axis | Mounting::Anywhere = joint.description().mounting {
                assert!(cosine > 0.9999, "{name} is flipped");
            }
        }
    }
    println!("closed to 1e-14 after {most} steps at most");
    assert!(most <= 7, "{most} steps");
}

#[test]
fn a_door_hangs_on_its_hinge() {
    // hinge along z at the origin of the ground, the door's centre 0.4 m out along x and 0.1 m down
    let (weight, out, down) = (50.0, 0.4, 0.1);
    let hinge = Joint::Revolute(Revolute {
        mount_a: Mount::new(Vec3::zeros(), Vec3::z(), Vec3::x()).unwrap(),
        mount_b: Mount::new(Vec3::new(-out, 0.0, down), Vec3::z(), Vec3::x()).unwrap(),
    });
    for angle in [0.0, 0.9, -2.0] {
        let (sin, cos) = libm::sincos(angle);
        let centre = Vec3::new(out * cos, out * sin, -down);
        let door = Pose::new(centre, quaternion::exp(Vec3::new(0.0, 0.0, angle)));
        let rows = hinge.rows(&Pose::ground(), &door);
        // the hinge carries the weight and holds against its moment about the hinge
        let moment = centre.cross(&Vec3::new(0.0, 0.0, -weight));
        assert!((moment - Vec3::new(-sin, cos, 0.0) * (out * weight)).norm() < 1e-13);
        let reaction = [0.0, 0.0, weight, -moment.x, -moment.y];
        let mut sum = [0.0, 0.0, -weight, 0.0, 0.0, 0.0];
        for (reaction, row) in reaction.iter().zip(&rows.rows) {
            for (total, entry) in sum.iter_mut().zip(row.b) {
                *total += reaction * entry;
            }
        }
        assert!(sum.iter().all(|x| x.abs() < 1e-13), "{sum:?}");
    }
}

#[test]
fn in_a_plane_springs_and_angles_are_those_of_the_plane() {
    let (q, v) = (
        [0.1, -0.2, 0.3, 1.4, 0.8, -0.6],
        [0.5, -0.3, 0.9, -0.4, 0.2, 0.35],
    );
    let flat_spring = stiction::kinds::plane::force::Force::SpringDamper(
        stiction::kinds::plane::force::SpringDamper {
            anchor_a: Vec2::new(0.2, 0.1),
            anchor_b: Vec2::new(-0.3, 0.4),
            stiffness: 30.0,
            damping: 4.0,
            rest_length: 0.5,
        },
    );
    let spring = force::Force::SpringDamper(force::SpringDamper {
        anchor_a: Vec3::new(0.2, 0.1, 0.0),
        anchor_b: Vec3::new(-0.3, 0.4, 0.0),
        stiffness: 30.0,
        damping: 4.0,
        rest_length: 0.5,
    });
    let flat_poses = [
        plane::Pose::new(q[0], q[1], q[2]),
        plane::Pose::new(q[3], q[4], q[5]),
    ];
    let flat_twists = [0, 3].map(|i| plane::Twist {
        linear: Vec2::new(v[i], v[i + 1]),
        angular: v[i + 2],
    });
    let poses = [0, 3].map(|i| {
        let turn = quaternion::exp(Vec3::new(0.0, 0.0, q[i + 2]));
        Pose::new(Vec3::new(q[i], q[i + 1], 0.0), turn)
    });
    let twists = [0, 3].map(|i| Twist {
        linear: Vec3::new(v[i], v[i + 1], 0.0),
        angular: Vec3::new(0.0, 0.0, v[i + 2]),
    });
    let (time, side) = (0.0, Side::After);
    let expected = flat_spring.effect(
        &stiction::kinds::plane::force::Situation {
            time,
            side,
            pose: [&flat_poses[0], &flat_poses[1]],
            twist: [&flat_twists[0], &flat_twists[1]],
            joint: None,
            inputs: &[],
        },
        Detail::All,
    );
    let found = spring.effect(
        &force::Situation {
            time,
            side,
            pose: [&poses[0], &poses[1]],
            twist: [&twists[0], &twists[1]],
            joint: None,
            count: Count::default(),
            inputs: &[],
        },
        Detail::All,
    );
    // x, y and the rotation about z of both bodies
    let place = [0, 1, 5, 6, 7, 11];
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-13, "{x} {y}");
    let along = expected.along[0].unwrap();
    let bending = expected.bending.unwrap();
    let (found_along, found_bending) = (found.along[0].unwrap(), found.bending.unwrap());
    close(found_along.by_velocity, along.by_velocity);
    close(found_along.by_position, along.by_position);
    for (i, &row) in place.iter().enumerate() {
        close(found.force[row], expected.force[i]);
        close(found_along.gradient[row], along.gradient[i]);
        for (j, &column) in place.iter().enumerate() {
            close(found_bending.rest[row][column], bending.rest[i][j]);
            close(found_bending.damper[row][column], bending.damper[i][j]);
        }
    }
    let hinge = Joint::Revolute(Revolute {
        mount_a: Mount::new(Vec3::zeros(), Vec3::z(), Vec3::x()).unwrap(),
        mount_b: Mount::new(Vec3::zeros(), Vec3::z(), Vec3::x()).unwrap(),
    });
    close(hinge.coordinate(0, &poses[0], &poses[1]).0, q[5] - q[2]);
}
