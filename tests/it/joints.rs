//! Joints: every kind is kept exactly and moves as mechanics says, alone, with stops and when redundant.

use crate::common::{halvings, model, norm2, order_study, run};
use stiction::integrate::EventKind;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

const G: f64 = 9.81;
const ORDER: f64 = 1.9;

/// Classical Runge-Kutta in `n` steps.
fn rk4<const N: usize>(
    mut y: [f64; N],
    until: f64,
    n: u32,
    f: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = until / f64::from(n);
    let ahead = |y: &[f64; N], k: &[f64; N], c: f64| std::array::from_fn(|i| y[i] + c * k[i]);
    for _ in 0..n {
        let k1 = f(&y);
        let k2 = f(&ahead(&y, &k1, h / 2.0));
        let k3 = f(&ahead(&y, &k2, h / 2.0));
        let k4 = f(&ahead(&y, &k3, h));
        for i in 0..N {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

fn rigid(name: &str, inertia: f64, position: [f64; 2], more: &str) -> String {
    let [x, y] = position;
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\ninertia = {inertia:?}\nposition = [{x:?}, {y:?}]\n{more}\n"
    )
}

fn joint(name: &str, kind: &str, bodies: [&str; 2], more: &str) -> String {
    format!(
        "[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\nbodies = [\"{}\", \"{}\"]\n{more}\n",
        bodies[0], bodies[1]
    )
}

const NO_GRAVITY: &str = "gravity = [0, 0]\n";

/// Bar of 1 kg and length 2 l, hinged at its upper end to the origin, at an angle from the vertical.
fn pendulum(angle: f64, more: &str) -> String {
    let (l, inertia) = (0.5_f64, 1.0 / 12.0);
    let (sine, cosine) = angle.sin_cos();
    rigid(
        "bar",
        inertia,
        [l * sine, -l * cosine],
        &format!("angle = {angle:?}"),
    ) + &joint(
        "hinge",
        "revolute",
        ["ground", "bar"],
        &format!("anchors = [[0, 0], [0, {l:?}]]\n{more}"),
    )
}

fn energy_error(model: &stiction::model::Model, until: f64, step: f64) -> f64 {
    let mut settings = model.settings.clone();
    settings.step = step;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let start = simulation.energy().total();
    let mut worst: f64 = 0.0;
    for i in 1..=(until / step).round() as usize {
        simulation.advance_to(step * i as f64).unwrap();
        worst = worst.max((simulation.energy().total() - start).abs());
    }
    worst
}

// ------------------------------------------------------------------------------------------ every kind

#[test]
fn a_revolute_joint_with_the_ground_swings_as_a_pendulum_in_order_two() {
    let model = model(&pendulum(1.2, ""));
    // J_pivot = 1/12 + 1/4
    let [angle, rate] = rk4([1.2, 0.0], 2.0, 20_000, |y| {
        [y[1], -G * 0.5 * y[0].sin() * 3.0]
    });
    for scheme in [Scheme::Trapezoidal, Scheme::TrapezoidalAverage] {
        let order = order_study(
            &format!("pendulum, {scheme:?}"),
            &halvings(0.02, 6),
            |step| {
                let end = run(&model, 2.0, |s| {
                    s.step = step;
                    s.scheme = scheme;
                });
                assert!(end.report().worst_joint_drift <= 1e-14);
                norm2([
                    end.state().position[2] - angle,
                    end.state().velocity[2] - rate,
                ])
            },
        );
        assert!(order >= ORDER);
    }
}

#[test]
fn two_free_bodies_on_a_hinge_keep_both_momenta() {
    let text = NO_GRAVITY.to_owned()
        + &rigid("a", 0.1, [0.0, 0.0], "velocity = [0.3, -0.2]\nangular_velocity = 2.0")
        // the hinge at (0.5, 0) must move alike on both
        + &rigid("b", 0.2, [1.0, 0.0], "velocity = [0.3, 2.3]\nangular_velocity = 3.0")
        + &joint("hinge", "revolute", ["a", "b"], "at = [0.5, 0]");
    let model = model(&text);
    let momenta = |s: &Simulation| {
        let (q, v, m) = (&s.state().position, &s.state().velocity, &s.model().mass);
        let spin = |i: usize| q[i] * v[i + 1] - q[i + 1] * v[i] + m[i + 2] * v[i + 2];
        [v[0] + v[3], v[1] + v[4], spin(0) + spin(3)]
    };
    let start = momenta(&Simulation::new(model.clone()));
    let mut worst_linear: f64 = 0.0;
    let order = order_study(
        "free pair, angular momentum at 3 s",
        &halvings(0.005, 6),
        |step| {
            let end = run(&model, 3.0, |s| s.step = step);
            let now = momenta(&end);
            worst_linear = worst_linear
                .max((now[0] - start[0]).abs())
                .max((now[1] - start[1]).abs());
            let x = end.state().position[0] + end.state().position[3] - 1.0 - 0.6 * 3.0;
            worst_linear = worst_linear.max(x.abs());
            (now[2] - start[2]).abs()
        },
    );
    println!("linear momentum and centre to {worst_linear:.1e}");
    assert!(worst_linear < 1e-11 && order >= ORDER);
}

#[test]
fn a_prismatic_joint_with_the_ground_slides_exactly() {
    let text = rigid("slider", 0.1, [0.3, 0.2], "angle = 0.4")
        + &joint(
            "rail",
            "prismatic",
            ["ground", "slider"],
            "anchors = [[0.3, 0.2], [0, 0]]\naxis = [3, -4]",
        );
    let model = model(&text);
    for step in [0.1, 0.01, 1e-3] {
        let end = run(&model, 2.0, |s| s.step = step);
        let way = 0.5 * G * 0.8 * 4.0;
        let q = &end.state().position;
        let off = norm2([q[0] - 0.3 - 0.6 * way, q[1] - 0.2 + 0.8 * way, q[2] - 0.4]);
        println!(
            "h = {step}: off by {off:.1e}, drift {:.1e}",
            end.report().worst_joint_drift
        );
        assert!(off < 1e-11 && end.report().worst_joint_drift < 1e-13);
    }
}

#[test]
fn a_prismatic_joint_between_bodies_gives_the_bead_on_a_turning_bar() {
    let text = NO_GRAVITY.to_owned()
        + &rigid("bar", 0.5, [0.0, 0.0], "angular_velocity = 2")
        + &rigid(
            "bead",
            0.1,
            [0.3, 0.0],
            "velocity = [0, 0.6]\nangular_velocity = 2",
        )
        + &joint("pivot", "revolute", ["ground", "bar"], "at = [0, 0]")
        + &joint(
            "rail",
            "prismatic",
            ["bar", "bead"],
            "anchors = [[0, 0], [0, 0]]\naxis = [1, 0]",
        );
    let model = model(&text);
    let spin = (0.6 + 0.09) * 2.0;
    let rate = |r: f64| spin / (0.6 + r * r);
    let [r, _, angle] = rk4([0.3, 0.0, 0.0], 1.5, 20_000, |y| {
        [y[1], y[0] * rate(y[0]).powi(2), rate(y[0])]
    });
    let order = order_study("bead on a bar", &halvings(0.02, 6), |step| {
        let end = run(&model, 1.5, |s| s.step = step);
        let q = &end.state().position;
        assert!(end.report().worst_joint_drift < 1e-13);
        norm2([q[2] - angle, q[3] - r * angle.cos(), q[4] - r * angle.sin()])
    });
    assert!(order >= ORDER);
}

#[test]
fn a_body_fixed_to_the_ground_stands_still_and_its_joint_carries_it() {
    let text = rigid("block", 0.1, [1.0, 0.5], "angle = 0.3")
        + &joint("weld", "fixed", ["ground", "block"], "at = [0, 0]")
        + "[[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"block\"\nforce = [5, 0]\ntorque = 2\n";
    let end = run(&model(&text), 2.0, |s| s.step = 0.01);
    let q = &end.state().position;
    let off = norm2([q[0] - 1.0, q[1] - 0.5, q[2] - 0.3]);
    println!(
        "off by {off:.1e}, joint force {:?}",
        end.state().joint_force
    );
    assert!(off < 1e-14);
    // on the block, at (0, 0): (-5, g), and the torque that balances 2 + (-1, -0.5) x (-5, g)
    let expected = [-5.0, G, -2.0 - (-G - 2.5)];
    for (force, expected) in end.state().joint_force.iter().zip(expected) {
        assert!((force - expected).abs() < 1e-10);
    }
}

#[test]
fn two_fixed_bodies_fly_as_one() {
    // common centre (0.5, 0), about which both turn with 2 rad/s, thrown with (1, 3)
    let text = rigid(
        "a",
        0.1,
        [0.0, 0.0],
        "velocity = [1, 2]\nangular_velocity = 2",
    ) + &rigid(
        "b",
        0.2,
        [1.0, 0.0],
        "velocity = [1, 4]\nangular_velocity = 2\nangle = 0.7",
    ) + &joint("weld", "fixed", ["a", "b"], "");
    let model = model(&text);
    let order = order_study("welded pair", &halvings(0.02, 6), |step| {
        let end = run(&model, 1.0, |s| s.step = step);
        let q = &end.state().position;
        assert!(end.report().worst_joint_drift < 1e-14);
        let centre = norm2([
            0.5 * (q[0] + q[3]) - 1.5,
            0.5 * (q[1] + q[4]) - 3.0 + 0.5 * G,
        ]);
        assert!(centre < 1e-12);
        norm2([q[2] - 2.0, q[5] - 2.7, q[3] - 1.5 - 0.5 * 2.0_f64.cos()])
    });
    assert!(order >= ORDER);
}

#[test]
fn a_distance_joint_is_a_rod() {
    let point = |name: &str, p: [f64; 2], v: [f64; 2]| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"point\"\nmass = 1\nposition = {p:?}\nvelocity = {v:?}\n"
        )
    };
    let swing = point("bob", [0.8, 0.0], [0.0, 0.0])
        + &joint(
            "rod",
            "distance",
            ["ground", "bob"],
            "anchors = [[0, 0], [0, 0]]",
        );
    let [angle, _] = rk4([std::f64::consts::FRAC_PI_2, 0.0], 2.0, 20_000, |y| {
        [y[1], -G / 0.8 * y[0].sin()]
    });
    let swing = model(&swing);
    let order = order_study("rod to the ground", &halvings(0.02, 6), |step| {
        let end = run(&swing, 2.0, |s| s.step = step);
        let q = &end.state().position;
        assert!(end.report().worst_joint_drift < 1e-14);
        norm2([q[0] - 0.8 * angle.sin(), q[1] + 0.8 * angle.cos()])
    });
    assert!(order >= ORDER);
    // a dumbbell thrown with (1, 2) turns with 3 rad/s about its middle
    let pair = point("a", [-0.5, 0.0], [1.0, 0.5])
        + &point("b", [0.5, 0.0], [1.0, 3.5])
        + &joint(
            "rod",
            "distance",
            ["a", "b"],
            "anchors = [[0, 0], [0, 0]]\nlength = 1",
        );
    let pair = model(&pair);
    let order = order_study("dumbbell", &halvings(0.02, 6), |step| {
        let end = run(&pair, 1.0, |s| s.step = step);
        let q = &end.state().position;
        norm2([
            q[2] - 1.0 - 0.5 * 3.0_f64.cos(),
            q[3] - 2.0 + 0.5 * G - 0.5 * 3.0_f64.sin(),
        ])
    });
    assert!(order >= ORDER);
}

// ------------------------------------------------------------------------------------------ stops

#[test]
fn a_turning_body_meets_its_stops_exactly() {
    // 2 rad/s from 0 between -1 and 0.5, restitution 0.5
    let text = NO_GRAVITY.to_owned()
        + &rigid("wheel", 0.3, [0.0, 0.0], "angular_velocity = 2")
        + &joint(
            "axle",
            "revolute",
            ["ground", "wheel"],
            "at = [0, 0]\nlimits = [-1, 0.5]\nlimit_restitution = 0.5",
        );
    for step in [0.1, 0.01, 1e-4] {
        let end = run(&model(&text), 3.0, |s| s.step = step);
        let times: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        let off = (times[0] - 0.25).abs().max((times[1] - 1.75).abs());
        let v = end.state().velocity[2];
        println!("h = {step}: stops at {times:?}, rate {v}");
        assert!(times.len() == 2 && off < 1e-12 && (v - 0.5).abs() < 1e-12);
        assert!((end.state().position[2] + 1.0 - 0.5 * 1.25).abs() < 1e-11);
    }
}

#[test]
fn a_slider_bounces_at_its_stop_exactly_and_comes_to_rest() {
    let text = rigid("slider", 0.1, [0.0, 0.0], "")
        + &joint(
            "rail",
            "prismatic",
            ["ground", "slider"],
            "at = [0, 0]\naxis = [0, -1]\nlimits = [-inf, 0.5]\nlimit_restitution = 0.6",
        );
    let first = (2.0 * 0.5 / G).sqrt();
    for step in [0.1, 0.01, 1e-4] {
        let end = run(&model(&text), 3.0, |s| s.step = step);
        let impacts: Vec<_> = end
            .report()
            .events
            .iter()
            .filter(|e| e.kind == EventKind::Impact)
            .collect();
        let off = impacts[0].time - first;
        let second = impacts[1].time - first * (1.0 + 2.0 * 0.6);
        println!(
            "h = {step}: stop off by {off:.1e}, then {second:.1e}, {} impacts, rests at {:?} with {:.1e}",
            impacts.len(),
            end.state().position[1],
            end.state().velocity[1]
        );
        assert!(off.abs() < 1e-12 && (step > 0.05 || second.abs() < 1e-12));
        assert!(
            (end.state().position[1] + 0.5).abs() < 1e-12 && end.state().velocity[1].abs() < 1e-12
        );
    }
}

#[test]
fn a_pendulum_hits_its_stop_in_order_two() {
    // from 1.2 rad to the stop at -0.3: time by quadrature over the motion, speed by energy
    let model = model(&pendulum(
        1.2,
        "limits = [-0.3, inf]\nlimit_restitution = 0.7",
    ));
    let rate = (2.0 * 3.0 * G * 0.5 * (0.3_f64.cos() - 1.2_f64.cos())).sqrt();
    let field = |y: &[f64; 2]| [y[1], -G * 0.5 * y[0].sin() * 3.0];
    let mut hit = 0.6;
    for _ in 0..20 {
        let [angle, rate] = rk4([1.2, 0.0], hit, 20_000, field);
        hit -= (angle + 0.3) / rate;
    }
    let [angle, _] = rk4([-0.3, 0.7 * rate], 0.3, 20_000, field);
    println!("stop at {hit}, rate {rate}");
    let order = order_study("time of the stop", &halvings(0.02, 6), |step| {
        let end = run(&model, 0.9, |s| s.step = step);
        (end.report().events[0].time - hit).abs()
    });
    for step in halvings(0.02, 6) {
        let end = run(&model, 0.9, |s| s.step = step);
        // about the hinge: the stop's torque gives (1 + e) times the angular momentum, which follows from the energy
        let off = (end.report().events[0].impulse[0] - 1.7 * rate / 3.0).abs();
        println!("impulse of the stop, step {step}: {off:.1e} N m s off");
        assert!(off < 1e-12);
    }
    let after = order_study("0.3 s later", &halvings(0.0025, 6), |step| {
        let end = run(&model, hit + 0.3, |s| s.step = step);
        (end.state().position[2] - angle).abs()
    });
    assert!(order >= ORDER && after >= ORDER);
}

// ------------------------------------------------------------------------------------------ redundant

/// A coupler of 1 kg on `n` parallel links of 1 kg and length 1, at an angle from the vertical.
fn parallelogram(n: usize, angle: f64) -> String {
    let (sine, cosine) = angle.sin_cos();
    let mut text = rigid("coupler", 0.3, [sine, -cosine], "");
    for i in 0..n {
        let x = i as f64 - 0.5 * (n as f64 - 1.0);
        let name = format!("link{i}");
        text += &rigid(
            &name,
            1.0 / 12.0,
            [x + 0.5 * sine, -0.5 * cosine],
            &format!("angle = {angle:?}"),
        );
        text += &joint(
            &format!("top{i}"),
            "revolute",
            ["ground", &name],
            &format!("anchors = [[{x:?}, 0], [0, 0.5]]"),
        );
        text += &joint(
            &format!("low{i}"),
            "revolute",
            [&name, "coupler"],
            &format!("anchors = [[0, -0.5], [{x:?}, 0]]"),
        );
    }
    text
}

#[test]
fn a_parallelogram_moves_as_its_one_degree_of_freedom_with_two_or_three_links() {
    for n in [2, 3, 5] {
        let links = n as f64;
        let (inertia, moment) = (1.0 + links / 3.0, 1.0 + links / 2.0);
        let [angle, _] = rk4([0.8, 0.0], 2.0, 20_000, |y| {
            [y[1], -G * moment / inertia * y[0].sin()]
        });
        let model = model(&parallelogram(n, 0.8));
        let mut drift: f64 = 0.0;
        let order = order_study(
            &format!("{n} links, angle(2)"),
            &halvings(0.02, 6),
            |step| {
                let end = run(&model, 2.0, |s| s.step = step);
                drift = drift.max(end.report().worst_joint_drift);
                let q = &end.state().position;
                assert!(q[2].abs() < 1e-12);
                norm2([q[0] - angle.sin(), q[1] + angle.cos(), q[5] - angle])
            },
        );
        println!("drift {drift:.1e}");
        assert!(order >= ORDER && drift < 1e-12);
    }
}

#[test]
fn a_body_held_by_two_fixed_joints_behaves_as_with_one() {
    let held = rigid("block", 0.1, [1.0, 0.5], "angle = 0.3")
        + &joint("weld1", "fixed", ["ground", "block"], "at = [0, 0]")
        + &joint("weld2", "fixed", ["ground", "block"], "at = [2, 1]");
    let end = run(&model(&held), 5.0, |s| s.step = 0.01);
    let moved = end
        .state()
        .position
        .iter()
        .zip([1.0, 0.5, 0.3])
        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    println!("held: moved {moved:.1e}");
    assert!(moved < 1e-14);
    let pair = |welds: &str| {
        rigid(
            "a",
            0.1,
            [0.0, 0.0],
            "velocity = [1, 2]\nangular_velocity = 2",
        ) + &rigid(
            "b",
            0.2,
            [1.0, 0.0],
            "velocity = [1, 4]\nangular_velocity = 2\nangle = 0.7",
        ) + welds
    };
    let one = joint("weld1", "fixed", ["a", "b"], "");
    let two = one.clone() + &joint("weld2", "fixed", ["a", "b"], "at = [3, 1]");
    let [one, two] = [one, two].map(|welds| run(&model(&pair(&welds)), 1.0, |s| s.step = 0.01));
    let difference = one
        .state()
        .position
        .iter()
        .zip(&two.state().position)
        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    println!(
        "pair: one and two welds differ by {difference:.1e}, drift {:.1e}",
        two.report().worst_joint_drift
    );
    assert!(difference < 1e-10 && two.report().worst_joint_drift < 1e-13);
}

// ------------------------------------------------------------------------------------------ long runs

fn chain(n: usize, horizontal: bool) -> String {
    let (l, mut text) = (0.1, String::new());
    for i in 0..n {
        let along = l * (i as f64 + 0.5);
        let (position, angle) = if horizontal {
            ([along, 0.0], 0.0)
        } else {
            ([0.0, -along], -std::f64::consts::FRAC_PI_2)
        };
        text += &rigid(
            &format!("l{i}"),
            l * l / 12.0,
            position,
            &format!("angle = {angle:?}"),
        );
        let before = if i == 0 {
            "ground".to_owned()
        } else {
            format!("l{}", i - 1)
        };
        let anchor = if i == 0 { "[0, 0]" } else { "[0.05, 0]" };
        text += &joint(
            &format!("j{i}"),
            "revolute",
            [&before, &format!("l{i}")],
            &format!("anchors = [{anchor}, [-0.05, 0]]"),
        );
    }
    text
}

#[test]
fn a_chain_of_twenty_links_stays_closed_hanging_and_falling() {
    let end = run(&model(&chain(20, false)), 10.0, |s| s.step = 0.01);
    let speed = end
        .state()
        .velocity
        .iter()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    println!(
        "hanging: drift {:.1e}, speed {speed:.1e}",
        end.report().worst_joint_drift
    );
    assert!(end.report().worst_joint_drift <= 1e-12 && speed < 1e-9);
    for step in [0.01, 0.002] {
        let falling = model(&chain(20, true));
        let mut start = Simulation::new(falling.clone());
        let energy = start.energy().total();
        let mut end = run(&falling, 1.0, |s| s.step = step);
        let gained = end.energy().total() - energy;
        println!(
            "falling, h = {step}: drift {:.1e}, energy {gained:.2e}",
            end.report().worst_joint_drift
        );
        // it falls by tens of joules; the steps damp the whip of its end and give nothing
        assert!(end.report().worst_joint_drift <= 1e-12 && gained < 0.1);
    }
}

#[test]
fn the_forces_of_a_pendulums_joint_are_its_weight_and_centripetal_force() {
    // a rod carries m (g cos + l w^2); of a bar the pull along it is the same with l to its centre
    let bob = "[[body]]\nname = \"bob\"\nkind = \"point\"\nmass = 2\nposition = [0.8, 0]\n"
        .to_owned()
        + &joint(
            "rod",
            "distance",
            ["ground", "bob"],
            "anchors = [[0, 0], [0, 0]]",
        );
    let (bob, bar) = (model(&bob), model(&pendulum(1.2, "")));
    for time in [0.2, 0.45, 0.9] {
        let end = run(&bob, time, |s| s.step = 0.01);
        let (q, v) = (&end.state().position, &end.state().velocity);
        let expected = 2.0 * (-G * q[1] / 0.8 + (v[0] * v[0] + v[1] * v[1]) / 0.8);
        let rod = end.state().joint_force[0];
        let end = run(&bar, time, |s| s.step = 0.01);
        let (angle, w) = (end.state().position[2], end.state().velocity[2]);
        let (f, (sine, cosine)) = (&end.state().joint_force, angle.sin_cos());
        let along = -f[0] * sine + f[1] * cosine - (G * cosine + 0.5 * w * w);
        let across = f[0] * cosine + f[1] * sine - (G * sine - 0.5 * 1.5 * G * sine);
        println!(
            "t = {time}: rod {rod} against {expected}, bar off by {along:.1e} along, {across:.1e} across"
        );
        assert!(
            (rod.abs() - expected.abs()).abs() < 1e-10
                && along.abs() < 1e-10
                && across.abs() < 1e-10
        );
    }
}

#[test]
fn the_energy_of_a_frictionless_double_pendulum_stays_at_any_step() {
    let text = rigid("upper", 1.0 / 12.0, [0.5, 0.0], "")
        + &rigid(
            "lower",
            1.0 / 12.0,
            [1.0, -0.5],
            "angle = -1.5707963267948966",
        )
        + &joint(
            "shoulder",
            "revolute",
            ["ground", "upper"],
            "anchors = [[0, 0], [-0.5, 0]]",
        )
        + &joint(
            "elbow",
            "revolute",
            ["upper", "lower"],
            "anchors = [[0.5, 0], [-0.5, 0]]",
        );
    let model = model(&text);
    for step in halvings(0.01, 6) {
        let worst = energy_error(&model, 10.0, step);
        println!("double pendulum, step {step}: worst energy error in 10 s {worst:.1e}");
        assert!(worst < 1e-10);
    }
}

#[test]
fn without_projection_the_joint_drifts_by_the_square_of_the_step() {
    let model = model(&pendulum(1.2, ""));
    for scheme in [Scheme::Trapezoidal, Scheme::TrapezoidalAverage] {
        let order = order_study(&format!("drift, {scheme:?}"), &halvings(0.02, 6), |step| {
            let end = run(&model, 2.0, |s| {
                s.step = step;
                s.scheme = scheme;
                s.projection = false;
            });
            end.report().worst_joint_drift
        });
        assert!(order >= ORDER);
    }
}
