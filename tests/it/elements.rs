//! Every force element against a closed form or a Runge-Kutta solution at tiny steps: order two with the
//! trapezoidal schemes, one with the others.

use crate::common::{halvings, model, norm2, order_study, run};
use stiction::scene::spec::Scheme;

const G: f64 = 9.81;

/// Every study asks for this slope at least, with a scheme of order two.
const ORDER: f64 = 1.9;

/// Classical Runge-Kutta from `from` to `to`, 20000 steps.
fn rk4<const N: usize>(
    mut y: [f64; N],
    from: f64,
    to: f64,
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let n = 20_000;
    let h = (to - from) / f64::from(n);
    let ahead = |y: &[f64; N], k: &[f64; N], c: f64| std::array::from_fn(|i| y[i] + c * k[i]);
    for step in 0..n {
        let t = from + h * f64::from(step);
        let k1 = f(t, &y);
        let k2 = f(t + h / 2.0, &ahead(&y, &k1, h / 2.0));
        let k3 = f(t + h / 2.0, &ahead(&y, &k2, h / 2.0));
        let k4 = f(t + h, &ahead(&y, &k3, h));
        for i in 0..N {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

/// Distance of a run's coordinates and velocities from the expected ones; a NaN is not looked at.
fn distance(found: (&[f64], &[f64]), expected: (&[f64], &[f64])) -> f64 {
    let found = found.0.iter().chain(found.1);
    let expected = expected.0.iter().chain(expected.1);
    norm2(
        found
            .zip(expected)
            .filter(|(_, e)| !e.is_nan())
            .map(|(a, b)| a - b),
    )
}

/// Orders of all schemes on a scene, whose state at `until` is known.
fn study(name: &str, text: &str, until: f64, first_step: f64, position: &[f64], velocity: &[f64]) {
    let model = model(text);
    let half = Scheme::General {
        alpha: 0.5,
        gamma: 0.5,
    };
    let skew = Scheme::General {
        alpha: 0.75,
        gamma: 0.6,
    };
    for (scheme, least, most) in [
        (Scheme::Trapezoidal, ORDER, 2.4),
        (Scheme::TrapezoidalAverage, ORDER, 2.4),
        (half, ORDER, 2.4),
        (Scheme::ImplicitEuler, 0.85, 1.3),
        (skew, 0.85, 1.5),
    ] {
        // first order is reached at smaller steps
        let first = if least < 1.0 {
            0.25 * first_step
        } else {
            first_step
        };
        let order = order_study(
            &format!("{name}, {scheme:?}"),
            &halvings(first, 6),
            |step| {
                let end = run(&model, until, |s| {
                    s.step = step;
                    s.scheme = scheme;
                });
                distance(
                    (&end.state().position, &end.state().velocity),
                    (position, velocity),
                )
            },
        );
        assert!(
            order >= least && order <= most,
            "{name}, {scheme:?}: {order}"
        );
    }
}

const WEIGHTLESS: &str = "gravity = [0, 0]\n";

fn point(name: &str, mass: f64, position: [f64; 2], velocity: [f64; 2]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"point\"\nmass = {mass:?}\nposition = {position:?}\nvelocity = {velocity:?}\n"
    )
}

fn rigid(name: &str, mass: f64, inertia: f64, q: [f64; 3], v: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = {mass:?}\ninertia = {inertia:?}\nposition = [{:?}, {:?}]\nangle = {:?}\nvelocity = [{:?}, {:?}]\nangular_velocity = {:?}\n",
        q[0], q[1], q[2], v[0], v[1], v[2]
    )
}

fn force(kind: &str, more: &str) -> String {
    format!("[[force]]\nname = \"{kind}\"\nkind = \"{kind}\"\n{more}\n")
}

fn hinge(first: &str, second: &str, at: [f64; 2]) -> String {
    format!(
        "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"{first}\", \"{second}\"]\nat = {at:?}\n"
    )
}

// ------------------------------------------------------------------------------------------ springs and dampers

#[test]
fn a_spring_oscillates_along_its_axis_in_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &point("m", 2.0, [1.5, 0.0], [0.0, 0.0])
        + &force(
            "spring",
            "bodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 40\nrest_length = 1",
        );
    let w = 20.0_f64.sqrt();
    let (sine, cosine) = (w * 2.0).sin_cos();
    study(
        "spring",
        &text,
        2.0,
        0.02,
        &[1.0 + 0.5 * cosine, 0.0],
        &[-0.5 * w * sine, 0.0],
    );
}

#[test]
fn an_elastic_pendulum_swings_in_order_two() {
    let text = point("m", 1.0, [1.2, 0.0], [0.0, 0.0])
        + &force(
            "spring",
            "bodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 50\nrest_length = 1",
        );
    let y = rk4([1.2, 0.0, 0.0, 0.0], 0.0, 2.0, |_, y| {
        let r = y[0].hypot(y[1]);
        let pull = -50.0 * (r - 1.0) / r;
        [y[2], y[3], pull * y[0], pull * y[1] - G]
    });
    study("elastic pendulum", &text, 2.0, 0.02, &y[..2], &y[2..]);
}

#[test]
fn a_spring_damper_between_points_of_two_turning_bodies_has_order_two() {
    let ra = [0.3, 0.1];
    let rb = [-0.2, 0.25];
    let text = WEIGHTLESS.to_owned()
        + &rigid("a", 1.0, 0.1, [0.0, 0.0, 0.2], [0.1, -0.2, 1.0])
        + &rigid("b", 2.0, 0.3, [1.5, 0.4, -0.5], [-0.3, 0.2, -1.5])
        + &force(
            "spring_damper",
            "bodies = [\"a\", \"b\"]\nanchors = [[0.3, 0.1], [-0.2, 0.25]]\nstiffness = 30\ndamping = 0.8\nrest_length = 0.8",
        );
    let start = [
        0.0, 0.0, 0.2, 1.5, 0.4, -0.5, 0.1, -0.2, 1.0, -0.3, 0.2, -1.5,
    ];
    let y = rk4(start, 0.0, 2.0, |_, y| {
        let arm = |angle: f64, r: [f64; 2]| {
            let (s, c) = angle.sin_cos();
            [c * r[0] - s * r[1], s * r[0] + c * r[1]]
        };
        let (a, b) = (arm(y[2], ra), arm(y[5], rb));
        let d = [y[3] + b[0] - y[0] - a[0], y[4] + b[1] - y[1] - a[1]];
        let u = [
            y[9] - y[11] * b[1] - y[6] + y[8] * a[1],
            y[10] + y[11] * b[0] - y[7] - y[8] * a[0],
        ];
        let r = d[0].hypot(d[1]);
        let n = [d[0] / r, d[1] / r];
        let f = -30.0 * (r - 0.8) - 0.8 * (n[0] * u[0] + n[1] * u[1]);
        let on_b = [f * n[0], f * n[1]];
        [
            y[6],
            y[7],
            y[8],
            y[9],
            y[10],
            y[11],
            -on_b[0],
            -on_b[1],
            -(a[0] * on_b[1] - a[1] * on_b[0]) / 0.1,
            on_b[0] / 2.0,
            on_b[1] / 2.0,
            (b[0] * on_b[1] - b[1] * on_b[0]) / 0.3,
        ]
    });
    study("strut of two bodies", &text, 2.0, 0.01, &y[..6], &y[6..]);
}

#[test]
fn a_damper_brakes_two_bodies_exponentially_in_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &point("a", 1.0, [0.0, 0.0], [1.0, 0.0])
        + &point("b", 3.0, [2.0, 0.0], [-0.5, 0.0])
        + &force(
            "damper",
            "bodies = [\"a\", \"b\"]\nanchors = [[0, 0], [0, 0]]\ndamping = 2",
        );
    // common velocity -0.125; the relative one decays with c / (reduced mass 3/4)
    let (rate, common, t) = (2.0 / 0.75_f64, -0.125, 1.5);
    let decay = (-rate * t).exp();
    let gone = (1.0 - decay) / rate;
    let v = [common + 1.125 * decay, 0.0, common - 0.375 * decay, 0.0];
    let q = [
        common * t + 1.125 * gone,
        0.0,
        2.0 + common * t - 0.375 * gone,
        0.0,
    ];
    study("damper", &text, t, 0.02, &q, &v);
}

#[test]
fn a_spring_damper_is_a_damped_oscillator_in_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &point("m", 1.0, [1.4, 0.0], [0.0, 0.0])
        + &force(
            "spring_damper",
            "bodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 25\ndamping = 2\nrest_length = 1",
        );
    // x'' + 2 x' + 25 x = 0
    let (w, t) = (24.0_f64.sqrt(), 1.5_f64);
    let (sine, cosine) = (w * t).sin_cos();
    let decay = 0.4 * (-t).exp();
    let x = decay * (cosine + sine / w);
    let v = -decay * sine * 25.0 / w;
    study("spring-damper", &text, t, 0.02, &[1.0 + x, 0.0], &[v, 0.0]);
}

#[test]
fn a_torsional_spring_damper_turns_a_hinge_in_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &rigid("wheel", 1.0, 0.5, [0.0, 0.0, 0.6], [0.0, 0.0, 0.0])
        + &hinge("ground", "wheel", [0.0, 0.0])
        + &force(
            "torsional",
            "joint = \"hinge\"\nstiffness = 8\ndamping = 0.6\nrest_angle = 0.2",
        );
    // x'' + 1.2 x' + 16 x = 0 from 0.4
    let (b, t) = (0.6, 1.5_f64);
    let w = (16.0_f64 - b * b).sqrt();
    let (sine, cosine) = (w * t).sin_cos();
    let decay = 0.4 * (-b * t).exp();
    let x = decay * (cosine + b / w * sine);
    let v = -decay * sine * 16.0 / w;
    study(
        "torsional",
        &text,
        t,
        0.02,
        &[0.0, 0.0, 0.2 + x],
        &[0.0, 0.0, v],
    );
    // between two bodies on a common pin: they turn against each other with J/2
    let pair = WEIGHTLESS.to_owned()
        + &rigid("a", 1.0, 0.5, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        + &rigid("b", 1.0, 0.5, [0.0, 0.0, 0.6], [0.0, 0.0, 0.0])
        + &hinge("a", "b", [0.0, 0.0])
        + &force(
            "torsional",
            "joint = \"hinge\"\nstiffness = 4\ndamping = 0.3\nrest_angle = 0.2",
        );
    let angles = [
        0.0,
        0.0,
        0.3 - 0.5 * (0.2 + x),
        0.0,
        0.0,
        0.3 + 0.5 * (0.2 + x),
    ];
    study(
        "torsional pair",
        &pair,
        t,
        0.02,
        &angles,
        &[0.0, 0.0, -0.5 * v, 0.0, 0.0, 0.5 * v],
    );
}

// ------------------------------------------------------------------------------------------ applied forces

#[test]
fn constant_force_and_torque_on_a_free_body_are_exact() {
    let text = rigid("b", 2.0, 0.4, [0.0, 0.0, 0.1], [1.0, 2.0, -0.5])
        + &force("applied", "body = \"b\"\nforce = [3, -1]\ntorque = 0.7");
    let model = model(&text);
    let t = 3.0;
    let a = [1.5, -0.5 - G, 1.75];
    for scheme in [Scheme::Trapezoidal, Scheme::TrapezoidalAverage] {
        for step in [0.3, 0.1, 0.01, 1e-3] {
            let end = run(&model, t, |s| {
                s.step = step;
                s.scheme = scheme;
            });
            let (q, v) = (&end.state().position, &end.state().velocity);
            let off = norm2((0..3).flat_map(|i| {
                let (q0, v0) = ([0.0, 0.0, 0.1][i], [1.0, 2.0, -0.5][i]);
                [
                    q[i] - q0 - v0 * t - 0.5 * a[i] * t * t,
                    v[i] - v0 - a[i] * t,
                ]
            }));
            println!("{scheme:?}, h = {step}: off by {off:.1e}");
            assert!(off < 1e-11);
        }
    }
}

#[test]
fn a_harmonic_force_has_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &point("m", 2.0, [0.0, 0.0], [0.0, 0.0])
        + &force(
            "applied",
            "body = \"m\"\nforce = [{ kind = \"harmonic\", amplitude = 3, omega = 4, phase = 0.3, offset = 0.5 }, \
             { kind = \"harmonic\", amplitude = 1, frequency = 0.5 }]",
        );
    let t = 2.0_f64;
    let vx = (3.0 / 4.0 * ((4.0 * t + 0.3).sin() - 0.3_f64.sin()) + 0.5 * t) / 2.0;
    let x = (3.0 / 16.0 * (0.3_f64.cos() - (4.0 * t + 0.3).cos()) - 3.0 / 4.0 * 0.3_f64.sin() * t
        + 0.25 * t * t)
        / 2.0;
    let w = std::f64::consts::PI;
    let (vy, y) = (
        (w * t).sin() / w / 2.0,
        (1.0 - (w * t).cos()) / (w * w) / 2.0,
    );
    study("harmonic", &text, t, 0.02, &[x, y], &[vx, vy]);
}

#[test]
fn a_table_with_a_kink_and_a_jump_inside_a_step_keeps_order_two() {
    // on a spring; kink at 0.3137, jump at 0.6543, end at 1.1717: none on a step
    let text = WEIGHTLESS.to_owned()
        + &point("m", 1.0, [1.0, 0.0], [0.0, 0.0])
        + &force(
            "spring",
            "bodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 20\nrest_length = 1",
        )
        + &force(
            "applied",
            "body = \"m\"\nforce = [{ kind = \"table\", times = [0, 0.3137, 0.6543, 0.6543, 1.1717], \
             values = [1, 5, -2, 4, 0.5] }, 0]",
        );
    let pieces = [
        (0.0, 0.3137, 1.0, 5.0),
        (0.3137, 0.6543, 5.0, -2.0),
        (0.6543, 1.1717, 4.0, 0.5),
        (1.1717, 1.5, 0.5, 0.5),
    ];
    let mut y = [1.0, 0.0];
    for (from, to, first, last) in pieces {
        y = rk4(y, from, to, |t, y| {
            let push = first + (last - first) * (t - from) / (to - from);
            [y[1], push - 20.0 * (y[0] - 1.0)]
        });
    }
    study("table", &text, 1.5, 0.02, &[y[0], 0.0], &[y[1], 0.0]);
}

#[test]
fn a_body_fixed_force_turns_with_the_body_in_order_two() {
    let text = WEIGHTLESS.to_owned()
        + &rigid("b", 2.0, 0.4, [0.0, 0.0, 0.3], [0.0, 0.0, 2.5])
        + &force("applied", "body = \"b\"\nforce = [3, 1]\nframe = \"body\"");
    // constant rate: x'' = (3 cos a - sin a) / 2, y'' = (3 sin a + cos a) / 2, a = 0.3 + 2.5 t
    let (w, t) = (2.5, 1.6);
    let (s0, c0) = 0.3_f64.sin_cos();
    let (s1, c1) = (0.3_f64 + w * t).sin_cos();
    let v = [
        (3.0 * (s1 - s0) + c1 - c0) / (2.0 * w),
        (3.0 * (c0 - c1) + s1 - s0) / (2.0 * w),
        w,
    ];
    let x = (3.0 * (c0 - c1) / w - 3.0 * s0 * t + (s1 - s0) / w - c0 * t) / (2.0 * w);
    let y = (3.0 * (c0 * t - (s1 - s0) / w) + (c0 - c1) / w - s0 * t) / (2.0 * w);
    study("body frame", &text, t, 0.02, &[x, y, 0.3 + w * t], &v);
}

#[test]
fn a_force_beside_the_centre_turns_the_body_in_order_two() {
    // in the world's frame its torque changes as the body turns
    let text = WEIGHTLESS.to_owned()
        + &rigid("b", 2.0, 0.4, [0.0, 0.0, 0.3], [0.0, 0.0, 0.0])
        + &force(
            "applied",
            "body = \"b\"\nforce = [0, 3]\npoint = [0.5, 0.2]",
        );
    let field = |body_frame: bool| {
        move |_: f64, y: &[f64; 6]| {
            let (s, c) = y[2].sin_cos();
            let f = if body_frame {
                [-3.0 * s, 3.0 * c]
            } else {
                [0.0, 3.0]
            };
            let arm = [0.5 * c - 0.2 * s, 0.5 * s + 0.2 * c];
            let torque = arm[0] * f[1] - arm[1] * f[0];
            [y[3], y[4], y[5], f[0] / 2.0, f[1] / 2.0, torque / 0.4]
        }
    };
    let start = [0.0, 0.0, 0.3, 0.0, 0.0, 0.0];
    let y = rk4(start, 0.0, 1.5, field(false));
    study(
        "off-centre, world frame",
        &text,
        1.5,
        0.02,
        &y[..3],
        &y[3..],
    );
    // in the body's frame the torque is constant: the angle is exact, the path has order two
    let text = text.replace("point", "frame = \"body\"\npoint");
    let y = rk4(start, 0.0, 1.5, field(true));
    study("off-centre, body frame", &text, 1.5, 0.02, &y[..3], &y[3..]);
    let end = run(&model(&text), 1.5, |s| s.step = 0.05);
    let off = end.state().position[2] - 0.3 - 0.5 * 1.5 / 0.4 * 2.25;
    println!("angle under a constant torque off by {off:.1e}");
    assert!(off.abs() < 1e-12);
}

// ------------------------------------------------------------------------------------------ friction that is smooth

#[test]
fn viscous_drag_decays_exponentially_in_order_two() {
    let text = rigid("b", 2.0, 0.4, [0.0, 0.0, 0.0], [3.0, 1.0, 5.0])
        + &force("viscous", "bodies = [\"b\"]\nlinear = 1.5\nangular = 0.5");
    let t = 2.0_f64;
    let (k, ka) = (0.75, 1.25);
    let (d, da) = ((-k * t).exp(), (-ka * t).exp());
    let fall = -G / k;
    let v = [3.0 * d, fall + (1.0 - fall) * d, 5.0 * da];
    let q = [
        3.0 * (1.0 - d) / k,
        fall * t + (1.0 - fall) * (1.0 - d) / k,
        5.0 * (1.0 - da) / ka,
    ];
    study("viscous", &text, t, 0.02, &q, &v);
}

#[test]
fn viscous_drag_of_one_body_through_another_has_order_two() {
    // against the turning second body's velocity at the first one's centre
    let text = WEIGHTLESS.to_owned()
        + &rigid("a", 1.0, 0.2, [0.8, 0.0, 0.0], [0.0, 1.0, -1.0])
        + &rigid("b", 2.0, 0.5, [0.0, 0.0, 0.0], [0.3, 0.0, 3.0])
        + &force(
            "viscous",
            "bodies = [\"a\", \"b\"]\nlinear = 1.2\nangular = 0.3",
        );
    let start = [0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.3, 0.0, 3.0];
    let y = rk4(start, 0.0, 1.5, |_, y| {
        let r = [y[0] - y[3], y[1] - y[4]];
        let u = [y[6] - y[9] + y[11] * r[1], y[7] - y[10] - y[11] * r[0]];
        let f = [-1.2 * u[0], -1.2 * u[1]];
        let torque = -0.3 * (y[8] - y[11]);
        [
            y[6],
            y[7],
            y[8],
            y[9],
            y[10],
            y[11],
            f[0],
            f[1],
            torque / 0.2,
            -f[0] / 2.0,
            -f[1] / 2.0,
            (-torque - (r[0] * f[1] - r[1] * f[0])) / 0.5,
        ]
    });
    let spin = |y: &[f64; 12]| {
        y[0] * y[7] - y[1] * y[6] + 0.2 * y[8] + 2.0 * (y[3] * y[10] - y[4] * y[9]) + 0.5 * y[11]
    };
    assert!((spin(&y) - spin(&start)).abs() < 1e-9);
    study("viscous pair", &text, 1.5, 0.02, &y[..6], &y[6..]);
}

#[test]
fn stribeck_friction_in_joints_has_order_two() {
    let law = |w: f64| -(0.5 + 0.4 * (-(w / 0.8) * (w / 0.8)).exp()) * (w / 0.3).tanh() - 0.1 * w;
    let keys = "static_friction = 0.9\nkinetic_friction = 0.5\nstribeck_rate = 0.8\ntransition_rate = 0.3\nviscous = 0.1";
    // a bar that swings and comes to a crawl
    let bar = rigid("bar", 1.0, 0.1, [0.0, -0.5, 0.0], [1.5, 0.0, 3.0])
        + &hinge("ground", "bar", [0.0, 0.0])
        + &force("stribeck", &format!("joint = \"hinge\"\n{keys}"));
    let y = rk4([0.0, 3.0], 0.0, 2.0, |_, y| {
        [y[1], (law(y[1]) - G * 0.5 * y[0].sin()) / 0.35]
    });
    let nan = f64::NAN;
    study(
        "stribeck hinge",
        &bar,
        2.0,
        0.01,
        &[nan, nan, y[0]],
        &[nan, nan, y[1]],
    );
    // a slider on a spring
    let slider = WEIGHTLESS.to_owned()
        + &rigid("s", 1.0, 0.1, [1.5, 0.0, 0.0], [0.0, 0.0, 0.0])
        + "[[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"s\"]\nanchors = [[0, 0], [0, 0]]\naxis = [1, 0]\n"
        + &force(
            "spring",
            "bodies = [\"ground\", \"s\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 20\nrest_length = 1",
        )
        + &force("stribeck", &format!("joint = \"rail\"\n{keys}"));
    let y = rk4([1.5, 0.0], 0.0, 2.0, |_, y| {
        [y[1], law(y[1]) - 20.0 * (y[0] - 1.0)]
    });
    study(
        "stribeck slider",
        &slider,
        2.0,
        0.01,
        &[y[0], 0.0, 0.0],
        &[y[1], 0.0, 0.0],
    );
}

// ------------------------------------------------------------------------------------------ settings

#[test]
fn elements_bear_steps_of_a_tenth_and_of_a_ten_thousandth() {
    // a stiff strut on a heavy pendulum: no rise of energy at any step, and they agree in the limit
    let text = point("m", 1.0, [1.2, 0.0], [0.0, 0.0])
        + &force(
            "spring_damper",
            "bodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 50\ndamping = 1\nrest_length = 1",
        );
    let model = model(&text);
    let reference = run(&model, 2.0, |s| s.step = 1e-4);
    let mut last = f64::INFINITY;
    for step in [0.1, 0.05, 0.01, 1e-3] {
        let end = run(&model, 2.0, |s| s.step = step);
        let off = distance(
            (&end.state().position, &end.state().velocity),
            (&reference.state().position, &reference.state().velocity),
        );
        println!("h = {step}: off by {off:.1e}");
        assert!(off < last && off < 30.0 * step * step * 10.0);
        last = off;
    }
}
