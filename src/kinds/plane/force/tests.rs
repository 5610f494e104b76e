use super::*;
use crate::kinds::force::{Frame, SignalSpec};
use crate::kinds::plane::joint::Revolute;
use crate::math::Vec2;

fn signal(value: f64) -> Signal {
    Signal::Given(SignalSpec::Constant(value))
}

fn flange(at: Hold<Vec2>) -> Force {
    Force::Flange(Flange {
        at,
        law: FlangeLaw::Spring {
            stiffness: 30.0,
            damping: 4.0,
            position: 0,
            velocity: 1,
        },
    })
}

fn elements() -> Vec<(&'static str, Force)> {
    let applied = |frame| {
        Force::Applied(Applied {
            point: Vec2::new(0.3, -0.4),
            frame,
            force: [signal(2.0), signal(-3.0)],
            torque: signal(0.7),
        })
    };
    vec![
        (
            "spring_damper",
            Force::SpringDamper(SpringDamper {
                anchor_a: Vec2::new(0.2, 0.1),
                anchor_b: Vec2::new(-0.3, 0.4),
                stiffness: 30.0,
                damping: 4.0,
                rest_length: 0.5,
            }),
        ),
        (
            "torsional",
            Force::Torsional(Torsional {
                stiffness: 5.0,
                damping: 0.6,
                rest_angle: 0.2,
            }),
        ),
        ("applied in world axes", applied(Frame::World)),
        ("applied in body axes", applied(Frame::Body)),
        (
            "viscous",
            Force::Viscous(Viscous {
                linear: 1.3,
                angular: 0.4,
            }),
        ),
        (
            "stribeck",
            Force::Stribeck(Stribeck {
                static_friction: 2.0,
                kinetic_friction: 1.2,
                stribeck_rate: 0.8,
                transition_rate: 0.3,
                viscous: 0.1,
            }),
        ),
        (
            "flange at a point",
            flange(Hold::Point {
                point: Vec2::new(0.3, -0.4),
                axis: Vec2::new(0.6, 0.8),
            }),
        ),
        ("flange at a joint", flange(Hold::Joint(0))),
    ]
}

const Q: PairVector = [0.1, -0.2, 0.3, 1.4, 0.8, -0.6];
const V: PairVector = [0.5, -0.3, 0.9, -0.4, 0.2, 0.35];

fn effect(force: &Force, q: &PairVector, v: &PairVector) -> Effect {
    let joint = Joint::Revolute(Revolute {
        anchor_a: Vec2::new(0.0, 0.0),
        anchor_b: Vec2::new(0.0, 0.0),
    });
    let twist = |v: &[f64]| Twist {
        linear: Vec2::new(v[0], v[1]),
        angular: v[2],
    };
    let poses = [Pose::new(q[0], q[1], q[2]), Pose::new(q[3], q[4], q[5])];
    let twists = [twist(&v[..3]), twist(&v[3..])];
    let situation = Situation {
        time: 0.0,
        side: Side::After,
        pose: [&poses[0], &poses[1]],
        twist: [&twists[0], &twists[1]],
        joint: Some(&joint),
        inputs: &[Input::held(0.0, 1.5), Input::held(0.0, 0.4)],
    };
    force.effect(&situation, Detail::All)
}

#[test]
fn derivatives_of_every_force_element_agree_with_differences() {
    let step = 1e-5;
    for (name, force) in elements() {
        let exact = effect(&force, &Q, &V);
        let mut worst: f64 = 0.0;
        for j in 0..PAIR_DOF {
            let shifted = |base: &PairVector, s: f64| {
                let mut x = *base;
                x[j] += s;
                x
            };
            let (qp, qm) = (shifted(&Q, step), shifted(&Q, -step));
            let (vp, vm) = (shifted(&V, step), shifted(&V, -step));
            let (fp, fm) = (effect(&force, &qp, &V), effect(&force, &qm, &V));
            let (gp, gm) = (effect(&force, &Q, &vp), effect(&force, &Q, &vm));
            for i in 0..PAIR_DOF {
                let by_position = (fp.force[i] - fm.force[i]) / (2.0 * step);
                let by_velocity = (gp.force[i] - gm.force[i]) / (2.0 * step);
                let (mut of_position, mut of_velocity) = (0.0, 0.0);
                for along in exact.along.iter().flatten() {
                    let square = along.gradient[i] * along.gradient[j];
                    of_position += along.by_position * square;
                    of_velocity += along.by_velocity * square;
                }
                if let Some(bending) = &exact.bending {
                    of_position += bending.rest[i][j] + bending.damper[i][j];
                }
                worst = worst.max((by_position - of_position).abs());
                worst = worst.max((by_velocity - of_velocity).abs());
            }
        }
        println!("{name}: derivatives agree to {worst:.1e}");
        assert!(worst < 1e-7, "{name}: {worst:e}");
    }
}

#[test]
fn internal_elements_push_both_bodies_alike() {
    for (name, force) in elements() {
        let is_of_ground = |at: &Hold<Vec2>| matches!(at, Hold::Point { .. });
        match &force {
            Force::Applied(_) => continue,
            Force::Flange(flange) if is_of_ground(&flange.at) => continue,
            _ => {}
        }
        let f = effect(&force, &Q, &V).force;
        assert!(
            (f[0] + f[3]).abs() < 1e-14 && (f[1] + f[4]).abs() < 1e-14,
            "{name}"
        );
        // moment about the world's origin
        let moment = f[2] + Q[0] * f[1] - Q[1] * f[0] + f[5] + Q[3] * f[4] - Q[4] * f[3];
        assert!(moment.abs() < 1e-13, "{name}: {moment:e}");
    }
}
