use super::*;
use crate::kinds::force::{Frame, SignalSpec};
use crate::kinds::plane::force;
use crate::kinds::space::joint::tests::{Numbers, joints, moved};
use crate::math::{Vec3, cross3, quaternion};

fn signal(value: f64) -> Signal {
    Signal::Given(SignalSpec::Constant(value))
}

// every element, those at joints at every coordinate of every joint
fn elements() -> Vec<(String, Force, Option<Joint>)> {
    let applied = |frame| {
        Force::Applied(Box::new(Applied {
            point: Vec3::new(0.3, -0.4, 0.2),
            frame,
            axes: quaternion::matrix(quaternion::exp(Vec3::new(0.3, -0.8, 0.5))),
            force: [signal(2.0), signal(-3.0), signal(1.5)],
            torque: [signal(0.7), signal(-0.2), signal(0.9)],
        }))
    };
    let spring_damper = Force::SpringDamper(SpringDamper {
        anchor_a: Vec3::new(0.2, 0.1, -0.3),
        anchor_b: Vec3::new(-0.3, 0.4, 0.1),
        stiffness: 30.0,
        damping: 4.0,
        rest_length: 0.5,
    });
    let viscous = Force::Viscous(Viscous {
        linear: 1.3,
        angular: 0.4,
    });
    let mut all = vec![
        ("spring_damper".to_owned(), spring_damper, None),
        ("applied in world".to_owned(), applied(Frame::World), None),
        ("applied in body".to_owned(), applied(Frame::Body), None),
        ("viscous".to_owned(), viscous, None),
    ];
    let flange = |at| {
        Force::Flange(Flange {
            at,
            law: force::FlangeLaw::Spring {
                stiffness: 30.0,
                damping: 4.0,
                position: 0,
                velocity: 1,
            },
        })
    };
    let hold = force::Hold::Point {
        point: Vec3::new(0.3, -0.4, 0.2),
        axis: Vec3::new(0.48, 0.6, 0.64),
    };
    all.push(("flange at a point".to_owned(), flange(hold), None));
    for (joint_name, joint) in joints() {
        for (coordinate, coordinate_name) in joint.coordinates().iter().enumerate() {
            let mut push = |name: &str, force: Force| {
                let name = format!("{name} at {joint_name} {coordinate_name}");
                all.push((name, force, Some(joint.clone())));
            };
            push(
                "joint_spring",
                Force::JointSpring(JointSpring {
                    coordinate,
                    stiffness: 5.0,
                    damping: 0.6,
                    rest: 2.9,
                }),
            );
            push(
                "stribeck",
                Force::Stribeck(Stribeck {
                    coordinate,
                    law: force::Stribeck {
                        static_friction: 2.0,
                        kinetic_friction: 1.2,
                        stribeck_rate: 0.8,
                        transition_rate: 0.3,
                        viscous: 0.1,
                    },
                }),
            );
            push("flange", flange(force::Hold::Joint(coordinate)));
            push(
                "motor_torque",
                Force::MotorTorque(MotorTorque {
                    coordinate,
                    torque: signal(1.7),
                }),
            );
        }
    }
    all
}

struct Place {
    poses: [Pose; 2],
    twists: [Twist; 2],
}

impl Place {
    // near to the joints' closure in orientation, so that no angle is singular
    fn random(numbers: &mut Numbers) -> Self {
        let a = Pose::new(numbers.vector(), quaternion::exp(numbers.vector() * 2.0));
        let b = moved(
            &a,
            &Twist {
                linear: numbers.vector() + Vec3::new(0.0, 0.0, 2.0),
                angular: numbers.vector() * 0.7,
            },
            1.0,
        );
        Self {
            poses: [a, b],
            twists: [numbers.twist(), numbers.twist()],
        }
    }

    fn with<R>(&self, joint: Option<&Joint>, use_it: impl FnOnce(&Situation) -> R) -> R {
        use_it(&Situation {
            time: 0.0,
            side: Side::After,
            pose: [&self.poses[0], &self.poses[1]],
            twist: [&self.twists[0], &self.twists[1]],
            joint,
            count: Count::default(),
            inputs: &[Input::held(0.0, 1.5), Input::held(0.0, 0.4)],
        })
    }

    fn moved(&self, twists: &[Twist; 2], h: f64) -> Self {
        Self {
            poses: std::array::from_fn(|i| moved(&self.poses[i], &twists[i], h)),
            twists: self.twists,
        }
    }

    fn pushed(&self, twists: &[Twist; 2], h: f64) -> Self {
        Self {
            poses: self.poses,
            twists: std::array::from_fn(|i| Twist {
                linear: self.twists[i].linear + twists[i].linear * h,
                angular: self.twists[i].angular + twists[i].angular * h,
            }),
        }
    }
}

fn places() -> Vec<Place> {
    let mut numbers = Numbers::new();
    (0..20).map(|_| Place::random(&mut numbers)).collect()
}

#[test]
fn derivatives_of_every_force_element_agree_with_differences() {
    let h = 1e-5;
    let mut worst_of_all: f64 = 0.0;
    for (name, force, joint) in elements() {
        let mut worst: f64 = 0.0;
        for place in places() {
            let at = |place: &Place| place.with(joint.as_ref(), |at| force.effect(at, Detail::All));
            let exact = at(&place);
            for j in 0..PAIR_DOF {
                let twists = motion(j);
                let by = |ahead: Place, behind: Place, i: usize| {
                    (at(&ahead).force[i] - at(&behind).force[i]) / (2.0 * h)
                };
                for i in 0..PAIR_DOF {
                    let by_position = by(place.moved(&twists, h), place.moved(&twists, -h), i);
                    let by_velocity = by(place.pushed(&twists, h), place.pushed(&twists, -h), i);
                    let along = |factor: fn(&Along) -> f64| -> f64 {
                        let parts = exact.along.iter().flatten();
                        parts
                            .map(|a| factor(a) * a.gradient[i] * a.gradient[j])
                            .sum()
                    };
                    let bending = exact.bending.as_ref();
                    let turned = bending.map_or(0.0, |b| b.rest[i][j] + b.damper[i][j]);
                    let total = along(|a| a.by_position) + turned;
                    let of_velocity = along(|a| a.by_velocity);
                    worst = worst.max((by_position - total).abs() / (1.0 + total.abs()));
                    worst =
                        worst.max((by_velocity - of_velocity).abs() / (1.0 + of_velocity.abs()));
                }
            }
        }
        println!("{name}: derivatives agree to {worst:.1e}");
        assert!(worst < 1e-7, "{name}: {worst:e}");
        worst_of_all = worst_of_all.max(worst);
    }
    println!("all: {worst_of_all:.1e}");
}

#[test]
fn power_is_given_lost_or_stored() {
    let h = 1e-5;
    for (name, force, joint) in elements() {
        let mut worst: f64 = 0.0;
        for place in places() {
            let energy = |place: &Place| place.with(joint.as_ref(), |at| force.energy(at));
            let ahead = energy(&place.moved(&place.twists, h));
            let behind = energy(&place.moved(&place.twists, -h));
            let stored = (ahead - behind) / (2.0 * h);
            let (power, applied, lost) = place.with(joint.as_ref(), |at| {
                (
                    force.effect(at, Detail::Stiff).power(at),
                    force.applied_power(at),
                    force.lost_power(at),
                )
            });
            assert!(lost >= 0.0, "{name} heats by {lost}");
            assert!(force.is_given() || applied == 0.0, "{name}");
            worst = worst.max((power - (applied - lost - stored)).abs() / (1.0 + power.abs()));
        }
        println!("{name}: power balances to {worst:.1e}");
        assert!(worst < 1e-8, "{name}: {worst:e}");
    }
}

#[test]
fn internal_elements_push_both_bodies_alike() {
    for (name, force, joint) in elements() {
        if matches!(force, Force::Applied(_)) {
            continue;
        }
        for place in places() {
            let f = place.with(joint.as_ref(), |at| force.effect(at, Detail::Stiff).force);
            let (mut sum, mut moment) = (Vec3::zeros(), Vec3::zeros());
            for (pose, f) in place.poses.iter().zip(f.chunks_exact(BODY_DOF)) {
                let push = Vec3::new(f[0], f[1], f[2]);
                sum += push;
                moment += cross3(pose.position, push) + pose.turn(Vec3::new(f[3], f[4], f[5]));
            }
            assert!(sum.norm() < 1e-12 && moment.norm() < 1e-12, "{name}");
        }
    }
}

#[test]
fn less_detail_leaves_force_and_stiff_parts_alone() {
    for (name, force, joint) in elements() {
        for place in places() {
            let with = |detail| place.with(joint.as_ref(), |at| force.effect(at, detail));
            let (all, stiff) = (with(Detail::All), with(Detail::Stiff));
            assert_eq!(all.force, stiff.force, "{name}");
            assert_eq!(all.along, stiff.along, "{name}");
        }
    }
}

#[test]
fn the_force_along_a_coordinate_is_what_the_power_says() {
    for (name, force, joint) in elements() {
        let Some(joint) = joint else { continue };
        for place in places() {
            let coordinate = match &force {
                Force::JointSpring(f) => f.coordinate,
                Force::Stribeck(f) => f.coordinate,
                Force::MotorTorque(f) => f.coordinate,
                Force::Servo(f) => f.coordinate,
                Force::Flange(f) => match f.at {
                    force::Hold::Joint(coordinate) => coordinate,
                    force::Hold::Point { .. } => continue,
                },
                Force::SpringDamper(_) | Force::Applied(_) | Force::Viscous(_) => continue,
            };
            let (_, row) = joint.coordinate(coordinate, &place.poses[0], &place.poses[1]);
            let rate = row.rate(&place.twists[0], &place.twists[1]);
            let (power, push) = place.with(Some(&joint), |at| {
                let power = force.effect(at, Detail::Stiff).power(at);
                (power, force.coordinate_force(at))
            });
            assert!(
                (power - push * rate).abs() < 1e-12 * (1.0 + power.abs()),
                "{name}"
            );
        }
    }
}

#[test]
fn signals_tell_their_breakpoints_and_periods() {
    let table = Signal::Given(SignalSpec::Table {
        times: vec![1.0, 2.0],
        values: vec![0.0, 4.0],
    });
    let harmonic = Signal::Given(SignalSpec::Harmonic {
        amplitude: 1.0,
        omega: 4.0,
        phase: 0.0,
        offset: 0.0,
    });
    let motor = Force::MotorTorque(MotorTorque {
        coordinate: 0,
        torque: table.clone(),
    });
    assert_eq!(motor.breakpoints(), [1.0, 2.0]);
    assert_eq!(motor.shortest_period(), f64::INFINITY);
    let applied = Force::Applied(Box::new(Applied {
        point: Vec3::zeros(),
        frame: Frame::Body,
        axes: crate::math::Mat3::identity(),
        force: [signal(1.0), table, signal(0.0)],
        torque: [signal(1.0), signal(0.0), harmonic],
    }));
    assert_eq!(applied.breakpoints(), [1.0, 2.0]);
    assert_eq!(applied.shortest_period(), std::f64::consts::TAU / 4.0);
}
