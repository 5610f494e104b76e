use super::*;
use crate::kinds::joint::Kind as _;
use crate::kinds::space::{BODY_DOF, Twist};
use crate::math::{Quaternion, Vec3, dot3, quaternion};

// numbers in [-1, 1), the same in every run
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    pub(crate) fn twist(&mut self) -> Twist {
        Twist {
            linear: self.vector(),
            angular: self.vector(),
        }
    }
}

fn mounts() -> (Mount, Mount) {
    let mount_a = Mount::new(
        Vec3::new(0.3, -0.2, 0.5),
        Vec3::new(1.0, 2.0, -0.5),
        Vec3::new(0.2, 0.1, 1.0),
    );
    let mount_b = Mount::about(Vec3::new(-0.4, 0.1, 0.2), Vec3::new(-0.3, 0.4, 1.1));
    (mount_a.unwrap(), mount_b.unwrap())
}

/// One of every kind; parameters have the value 0.8.
pub(crate) fn joints() -> Vec<(&'static str, Joint)> {
    let (a, b) = mounts();
    let at = Mounts {
        a,
        b,
        distance: 0.8,
    };
    let joint = |kind: &Kind| {
        let description = kind.description();
        let given = vec![Some(0.8); description.parameters.len()];
        (description.word, kind.joint(&at, &given))
    };
    Kind::ALL.iter().map(joint).collect()
}

pub(crate) fn moved(pose: &Pose, twist: &Twist, h: f64) -> Pose {
    let turn = quaternion::matrix(quaternion::exp(twist.angular * h));
    Pose {
        position: pose.position + twist.linear * h,
        rotation: pose.rotation * turn,
    }
}

// a turn that the joint allows
fn free_turn(joint: &Joint, angle: f64) -> Quaternion {
    let about = |x, y, z| quaternion::exp(Vec3::new(x, y, z));
    match joint.description().mounting {
        Mounting::Cross => {
            quaternion::product(about(angle, 0.0, 0.0), about(0.0, 7.0 * angle, 0.0))
        }
        _ if holds_all_turns(joint) => quaternion::IDENTITY,
        _ => about(0.0, 0.0, angle),
    }
}

fn holds_all_turns(joint: &Joint) -> bool {
    joint.row_names().contains(&"turn_x") && joint.row_names().contains(&"turn_z")
}

// body a anywhere, body b such that the mounts are apart by a shift and by a turn, then by any other turn
fn poses(numbers: &mut Numbers, turn: Quaternion, other: f64) -> [Pose; 2] {
    let (mount_a, mount_b) = mounts();
    let a = Pose::new(
        numbers.vector() * 2.0,
        quaternion::exp(numbers.vector() * 3.0),
    );
    let rotation = |axes: &[Vec3; 3]| crate::math::Mat3::from_columns(axes);
    let turn = quaternion::product(turn, quaternion::exp(numbers.vector() * other));
    let turned =
        rotation(&mount_a.axes) * quaternion::matrix(turn) * rotation(&mount_b.axes).transpose();
    let mut b = Pose {
        position: Vec3::zeros(),
        rotation: a.rotation * turned,
    };
    b.position = a.point(mount_a.anchor) - b.turn(mount_b.anchor) + numbers.vector();
    [a, b]
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

fn entry(row: &Row, index: usize) -> f64 {
    if index < BODY_DOF {
        row.a[index]
    } else {
        row.b[index - BODY_DOF]
    }
}

// all scalars of a joint: residuals, then coordinates; angles near those at `near`
fn scalars<T: Real>(joint: &Joint, near: &[f64], a: &Pose<T>, b: &Pose<T>) -> Vec<(T, Row<T>)> {
    let rows = joint.rows(a, b);
    assert_eq!(rows.n, joint.n_rows());
    let equations = (0..rows.n).map(|i| (rows.residual[i], rows.rows[i]));
    let coordinates = (0..near.len()).map(|i| {
        let count = Count {
            from: near,
            ..Count::default()
        };
        joint.counted(i, &count, a, b)
    });
    equations.chain(coordinates).collect()
}

fn coordinates(joint: &Joint, a: &Pose, b: &Pose) -> Vec<f64> {
    (0..joint.n_coordinates())
        .map(|i| joint.coordinate(i, a, b).0)
        .collect()
}

// closed up to a shift, and far from closed, at angles all around
fn for_many_poses(joint: &Joint, mut check: impl FnMut(&Pose, &Pose, &mut Numbers)) {
    let mut numbers = Numbers::new();
    for k in -40..=40 {
        for other in [0.0, 1e-9, 0.4] {
            let [a, b] = poses(&mut numbers, free_turn(joint, f64::from(k) * 0.0785), other);
            check(&a, &b, &mut numbers);
        }
    }
}

#[test]
fn gradients_of_every_joint_agree_with_differences() {
    let h = 1e-5;
    for (name, joint) in joints() {
        let mut worst: f64 = 0.0;
        for_many_poses(&joint, |a, b, _| {
            let near = coordinates(&joint, a, b);
            let now = scalars(&joint, &near, a, b);
            for j in 0..2 * BODY_DOF {
                let [ta, tb] = unit_twists(j);
                let at = |h: f64| scalars(&joint, &near, &moved(a, &ta, h), &moved(b, &tb, h));
                for ((ahead, behind), (_, row)) in at(h).iter().zip(&at(-h)).zip(&now) {
                    let difference = (ahead.0 - behind.0) / (2.0 * h);
                    let size = (0..12).fold(1.0, |m: f64, i| m.max(entry(row, i).abs()));
                    worst = worst.max((difference - entry(row, j)).abs() / size);
                }
            }
        });
        println!("{name}: gradients agree to {worst:.1e}");
        assert!(worst < 1e-9, "{name}: {worst:e}");
    }
}

#[test]
fn rates_of_every_joint_agree_with_differences() {
    let h = 1e-5;
    for (name, joint) in joints() {
        let mut worst: f64 = 0.0;
        for_many_poses(&joint, |a, b, numbers| {
            let (ta, tb) = (numbers.twist(), numbers.twist());
            let near = coordinates(&joint, a, b);
            let dual = scalars(&joint, &near, &a.with_rate(&ta), &b.with_rate(&tb));
            let at = |h: f64| scalars(&joint, &near, &moved(a, &ta, h), &moved(b, &tb, h));
            for ((ahead, behind), (value, row)) in at(h).iter().zip(&at(-h)).zip(&dual) {
                let plain = Row {
                    a: row.a.map(|x| x.value),
                    b: row.b.map(|x| x.value),
                };
                let by_gradient = plain.rate(&ta, &tb);
                let size = 1.0 + by_gradient.abs();
                worst = worst.max((value.rate - by_gradient).abs() / size);
                for i in 0..2 * BODY_DOF {
                    let rate = if i < BODY_DOF {
                        row.a[i].rate
                    } else {
                        row.b[i - BODY_DOF].rate
                    };
                    let difference = (entry(&ahead.1, i) - entry(&behind.1, i)) / (2.0 * h);
                    worst = worst.max((difference - rate).abs() / (1.0 + rate.abs()));
                }
            }
        });
        println!("{name}: rates agree to {worst:.1e}");
        // the direction between anchors that are near to each other changes fast
        assert!(worst < 1e-8, "{name}: {worst:e}");
    }
}

#[test]
fn residuals_of_orientation_vanish_only_at_closure_within_half_a_turn() {
    let mut numbers = Numbers::new();
    let (mount_a, mount_b) = mounts();
    for (name, joint) in joints() {
        // no orientation, or one connected surface
        if !matches!(
            joint.description().mounting,
            Mounting::Axis | Mounting::Anywhere
        ) {
            continue;
        }
        for _ in 0..2000 {
            let [a, b] = poses(&mut numbers, quaternion::IDENTITY, 1.8);
            let rows = joint.rows(&a, &b);
            let turns = (0..rows.n).filter(|i| *i >= joint.description().n_forces);
            let square: f64 = turns.map(|i| rows.residual[i] * rows.residual[i]).sum();
            let cosines: [f64; 3] =
                std::array::from_fn(|i| dot3(a.turn(mount_a.axes[i]), b.turn(mount_b.axes[i])));
            let expected = if holds_all_turns(&joint) {
                let cosine = 0.5 * (cosines.iter().sum::<f64>() - 1.0);
                2.0 * (1.0 - cosine) // (2 sin(turn/2))^2
            } else {
                1.0 - cosines[2] * cosines[2] // sin(tilt)^2
            };
            assert!((square - expected).abs() < 1e-13, "{name}");
        }
    }
}

#[test]
fn a_joint_turned_by_exactly_half_a_turn_is_far_from_closed() {
    for (name, joint) in joints() {
        if !holds_all_turns(&joint) {
            continue;
        }
        let [a, b] = poses(&mut Numbers::new(), [0.0, 0.0, 0.0, 1.0], 0.0);
        let residual = joint.rows(&a, &b).residual[joint.n_rows() - 1];
        assert!((residual.abs() - 2.0).abs() < 1e-14, "{name}: {residual}");
    }
}

#[test]
fn an_angle_is_counted_over_its_turns() {
    let (_, joint) = joints().remove(1);
    let [a, b] = poses(&mut Numbers::new(), free_turn(&joint, 2.5), 0.0);
    let angle = joint.coordinate(0, &a, &b).0;
    assert!((angle - 2.5).abs() < 1e-14);
    for turns in [-2.0, 0.0, 3.0] {
        let count = Count {
            from: &[turns * TAU + 1.0],
            ..Count::default()
        };
        let near = joint.counted(0, &count, &a, &b).0;
        assert!((near - angle - turns * TAU).abs() < 1e-14);
    }
}
