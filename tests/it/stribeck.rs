//! Friction of contacts that falls with the speed of sliding, in the plane and in space: against quadratures and an
//! integration of order four with events, made here.

use crate::common::random::{Congruential, Random as _};
use crate::common::{halvings, model, observed_order, order_study, run, runge_kutta};
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::Status;

const G: f64 = 9.81;

/// The law under test: coefficient at speed, coefficient at rest, speed over which it falls.
#[derive(Clone, Copy)]
struct Law {
    kinetic: f64,
    at_rest: f64,
    velocity: f64,
}

impl Law {
    fn at(&self, speed: f64) -> f64 {
        let x = speed / self.velocity;
        self.kinetic + (self.at_rest - self.kinetic) * (-x * x).exp()
    }

    fn written(&self) -> String {
        format!(
            "friction = {:?}\nstatic_friction = {:?}\nstribeck_velocity = {:?}",
            self.kinetic, self.at_rest, self.velocity
        )
    }
}

const LAW: Law = Law {
    kinetic: 0.3,
    at_rest: 0.5,
    velocity: 0.1,
};

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// A point mass of 1 kg on the ground.
fn puck(spatial: bool, speed: f64, law: &str, forces: &str) -> Model {
    let (dimension, z, up, half) = if spatial {
        ("dimension = 3", ", 0", "0, 0, 1", "half_space")
    } else {
        ("", "", "0, 1", "half_plane")
    };
    model(&format!(
        r#"
        {dimension}
        [[body]]
        name = "puck"
        kind = "point"
        mass = 1.0
        position = [0, 0{z}]
        velocity = [{speed:?}, 0{z}]
        shape = [{{ kind = "point" }}]
        [[ground.shape]]
        kind = "{half}"
        normal = [{up}]
        [contact_default]
        {law}
        {forces}
        "#
    ))
}

/// Composite rule of Gauss and Legendre with three points.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let n = 2000;
    let h = (to - from) / f64::from(n);
    let off = 0.6_f64.sqrt();
    (0..n)
        .map(|i| {
            let middle = from + (f64::from(i) + 0.5) * h;
            let at = |x: f64| f(middle + 0.5 * h * x);
            h / 18.0 * (5.0 * at(-off) + 8.0 * at(0.0) + 5.0 * at(off))
        })
        .sum()
}

#[test]
fn sliding_to_a_stop_takes_the_time_and_the_way_of_the_quadrature() {
    let v0 = 0.5;
    let stop = integral(|v| 1.0 / (LAW.at(v) * G), 0.0, v0);
    let way = integral(|v| v / (LAW.at(v) * G), 0.0, v0);
    for spatial in [false, true] {
        let model = puck(spatial, v0, &LAW.written(), "");
        let errors_of = |end: &Simulation, name: &str| {
            let (state, report) = (end.state(), end.report());
            assert_eq!(report.events.len(), 1, "{:?}", report.events);
            assert_eq!(state.status[0], Status::Stick);
            assert!(largest(state.velocity.iter().copied()) < 1e-13);
            let (late, off) = (report.events[0].time - stop, state.position[0] - way);
            let complementarity_steps = report.complementarity_steps;
            println!(
                "{name}: stops {late:.1e} s late, {off:.1e} m off, {complementarity_steps} complementarity steps"
            );
            assert_eq!(complementarity_steps, 0);
            largest([late, off])
        };
        let steps = halvings(0.005, 5);
        let errors: Vec<f64> = steps
            .iter()
            .map(|h| errors_of(&run(&model, 0.3, |s| s.step = *h), &format!("h = {h}")))
            .collect();
        let order = observed_order(&steps, &errors);
        println!("order {order:.3}");
        assert!(order > 1.9);
        for tolerance in [1e-6, 1e-9] {
            let end = run(&model, 0.3, |s| s.tolerance = Some(tolerance));
            assert!(errors_of(&end, &format!("{tolerance:e}")) < 10.0 * tolerance);
        }
    }
}

/// A block that a spring holds, on a belt: times of slip and stick from the start, and place and velocity at the end.
struct Belt {
    law: Law,
    stiffness: f64,
    speed: f64,
}

impl Belt {
    fn rate(&self, [x, v]: [f64; 2]) -> [f64; 2] {
        let friction = self.law.at(self.speed - v) * G;
        [v, friction - self.stiffness * x]
    }

    fn step(&self, y: [f64; 2], h: f64) -> [f64; 2] {
        let along = |k: [f64; 2], h: f64| [0, 1].map(|i| y[i] + h * k[i]);
        let a = self.rate(y);
        let b = self.rate(along(a, 0.5 * h));
        let c = self.rate(along(b, 0.5 * h));
        let d = self.rate(along(c, h));
        [0, 1].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    }

    /// Sticks from the origin on, slips at the static limit, sticks again where it is as fast as the belt.
    fn events(&self, n_slips: usize, after: f64) -> (Vec<f64>, [f64; 2], f64) {
        const STEP: f64 = 1e-5;
        let far = self.law.at_rest * G / self.stiffness;
        let (mut time, mut x) = (0.0, 0.0);
        let mut events = Vec::new();
        for slip in 0..n_slips {
            time += (far - x) / self.speed;
            events.push(time);
            let mut y = [far, self.speed];
            if slip + 1 == n_slips {
                let n = (after / STEP) as usize;
                for _ in 0..n {
                    y = self.step(y, STEP);
                }
                return (events, y, time + n as f64 * STEP);
            }
            // the block falls behind at first
            let mut behind = false;
            loop {
                let next = self.step(y, STEP);
                if behind && next[1] >= self.speed {
                    break;
                }
                behind |= next[1] < self.speed;
                y = next;
                time += STEP;
            }
            let (mut low, mut high) = (0.0, STEP);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if self.step(y, middle)[1] < self.speed {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            time += high;
            x = self.step(y, high)[0];
            events.push(time);
        }
        (events, [x, self.speed], time)
    }

    fn scene(&self) -> Model {
        model(&format!(
            r#"
            dimension = 3
            [[body]]
            name = "block"
            kind = "point"
            mass = 1.0
            position = [0, 0, 0]
            velocity = [{v:?}, 0, 0]
            shape = [{{ kind = "point" }}]
            [[body]]
            name = "belt"
            kind = "rigid"
            mass = 5.0
            position = [0, 0, -0.1]
            velocity = [{v:?}, 0, 0]
            shape = [{{ kind = "box", size = [20, 2, 0.2] }}]
            inertia = [1, 1, 1]
            [[joint]]
            name = "rail"
            kind = "prismatic"
            bodies = ["ground", "belt"]
            at = [0, 0, -0.1]
            axis = [1, 0, 0]
            motor = {{ kind = "speed", value = {v:?} }}
            [[force]]
            name = "spring"
            kind = "spring"
            bodies = ["ground", "block"]
            anchors = [[-1, 0, 0], [0, 0, 0]]
            stiffness = {k:?}
            rest_length = 1
            [contact_default]
            {law}
            "#,
            v = self.speed,
            k = self.stiffness,
            law = self.law.written(),
        ))
    }
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_in_the_reference_rhythm() {
    let belt = Belt {
        law: LAW,
        stiffness: 100.0,
        speed: 0.1,
    };
    let (events, place, until) = belt.events(4, 0.1);
    println!("{events:?} {place:?} {until}");
    let model = belt.scene();
    let error = |end: &Simulation, name: &str| {
        let report = end.report();
        let times: Vec<f64> = report.events.iter().map(|e| e.time).collect();
        assert_eq!(times.len(), events.len(), "{:?}", report.events);
        let late = largest(times.iter().zip(&events).map(|(a, b)| a - b));
        let state = end.state();
        let off = largest([state.position[0] - place[0], state.velocity[0] - place[1]]);
        println!(
            "{name}: events {late:.1e} s off, end {off:.1e} off, {} fallbacks",
            report.complementarity_steps
        );
        assert_eq!(report.complementarity_steps, 0);
        late.max(off)
    };
    let steps = halvings(0.01, 4);
    let errors: Vec<f64> = steps
        .iter()
        .map(|h| error(&run(&model, until, |s| s.step = *h), &format!("h = {h}")))
        .collect();
    let order = observed_order(&steps, &errors);
    println!("order {order:.3}");
    assert!(order > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, until, |s| s.tolerance = Some(tolerance));
        assert!(error(&end, &format!("{tolerance:e}")) < 10.0 * tolerance);
    }
}

#[test]
fn a_puck_whose_velocity_turns_while_its_friction_grows_has_order_two() {
    let (sin, cos) = 0.35_f64.atan().sin_cos();
    let model = model(&format!(
        r#"
        dimension = 3
        gravity = [0, {:?}, {:?}]
        [[body]]
        name = "puck"
        kind = "point"
        mass = 1.0
        position = [0, 0, 0]
        velocity = [0.5, 0, 0]
        shape = [{{ kind = "point" }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        friction = 0.2
        static_friction = 0.5
        stribeck_velocity = 0.4
        "#,
        -G * sin,
        -G * cos
    ));
    let law = Law {
        kinetic: 0.2,
        at_rest: 0.5,
        velocity: 0.4,
    };
    let rate = |[_, _, vx, vy, _]: [f64; 5]| {
        let speed = vx.hypot(vy);
        let friction = law.at(speed) * G * cos;
        [
            vx,
            vy,
            -friction * vx / speed,
            -friction * vy / speed - G * sin,
            friction * speed,
        ]
    };
    let until = 0.25;
    let truth = runge_kutta([0.0, 0.0, 0.5, 0.0, 0.0], until, 20_000, |y| rate(*y));
    let error = |end: &Simulation| {
        let (q, v) = (&end.state().position, &end.state().velocity);
        let found = [q[0], q[1], v[0], v[1], end.report().friction_loss];
        assert_eq!(end.report().complementarity_steps, 0);
        largest((0..5).map(|i| found[i] - truth[i]))
    };
    let by_step = |h| error(&run(&model, until, |s| s.step = h));
    assert!(order_study("puck", &halvings(0.01, 5), by_step) > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let end = run(&model, until, |s| s.tolerance = Some(tolerance));
        println!("{tolerance:e}: {:.1e}", error(&end));
        assert!(error(&end) < 10.0 * tolerance);
        // the force is that of the speed, against the motion
        let (force, v) = (end.state().friction_force[0], &end.state().velocity);
        let speed = v[0].hypot(v[1]);
        let expected = law.at(speed) * G * cos;
        for i in 0..2 {
            assert!((force[i] + expected * v[i] / speed).abs() < 1e-9);
        }
    }
}

#[test]
fn a_steep_law_and_long_steps_still_stop_and_stay() {
    for velocity in [1e-2, 1e-3, 1e-5, 1e-8] {
        for spatial in [false, true] {
            let law = Law { velocity, ..LAW };
            let model = puck(spatial, 0.5, &law.written(), "");
            for (h, tolerance) in [(0.01, None), (0.003, None), (0.01, Some(1e-6))] {
                let end = run(&model, 0.5, |s| {
                    s.step = h;
                    s.tolerance = tolerance;
                });
                let (state, report) = (end.state(), end.report());
                let way = integral(|v| v / (law.at(v) * G), 0.0, 0.5);
                let off = state.position[0] - way;
                println!(
                    "{velocity:e}, in space {spatial}, h = {h}, {tolerance:?}: {off:.1e} m off, {} events, {} fallbacks",
                    report.events.len(),
                    report.complementarity_steps
                );
                assert_eq!(state.status[0], Status::Stick);
                assert!(largest(state.velocity.iter().copied()) < 1e-13);
                assert!(off.abs() < 1e-4);
                // friction took it all
                assert!((report.friction_loss - 0.125).abs() < 1e-9);
            }
        }
    }
}

const RAMP: &str = r#"
    [[force]]
    name = "push"
    kind = "applied"
    body = "puck"
    "#;

#[test]
fn it_breaks_away_at_the_static_limit_and_nothing_jumps() {
    let limit = LAW.at_rest * G;
    for spatial in [false, true] {
        let zeros = if spatial { "0, 0" } else { "0" };
        let table = "{ kind = \"table\", times = [0, 100], values = [0, 100] }";
        let forces = format!("{RAMP}\nforce = [{table}, {zeros}]");
        let model = puck(spatial, 0.0, &LAW.written(), &forces);
        let after = 0.2;
        let rate = |[_, v, s]: [f64; 3]| [v, limit + s - LAW.at(v) * G, 1.0];
        let truth = runge_kutta([0.0; 3], after, 20_000, |y| rate(*y));
        let error = |end: &Simulation| {
            let (state, events) = (end.state(), &end.report().events);
            assert_eq!(events.len(), 1, "{events:?}");
            let late = events[0].time - limit;
            assert!(late.abs() < 1e-11, "{late:e}");
            largest([state.position[0] - truth[0], state.velocity[0] - truth[1]])
        };
        let steps = halvings(0.01, 4);
        let errors: Vec<f64> = steps
            .iter()
            .map(|h| error(&run(&model, limit + after, |s| s.step = *h)))
            .collect();
        let order = observed_order(&steps, &errors);
        println!("order {order:.3}: {errors:?}");
        assert!(order > 1.9);
        for tolerance in [1e-6, 1e-9] {
            let end = run(&model, limit + after, |s| s.tolerance = Some(tolerance));
            println!("{tolerance:e}: {:.1e}", error(&end));
            assert!(error(&end) < 10.0 * tolerance);
        }
        // just before: the whole static force; just after: nearly the same
        for side in [-1e-6, 1e-6] {
            let end = run(&model, limit + side, |s| s.step = 0.01);
            let friction = end.state().contact_force[0][1].abs();
            assert!((friction - limit).abs() < 2e-6, "{friction}");
        }
    }
}

#[test]
fn an_impact_has_the_friction_of_the_speed_that_it_leaves() {
    // 1 kg at 1 m/s downwards: the normal impulse is 1 N s
    for spatial in [false, true] {
        for vx in [0.45, 0.55, 2.0] {
            let model = puck(spatial, vx, &LAW.written(), "");
            let mut simulation = Simulation::new(model);
            let down = if spatial { 2 } else { 1 };
            simulation.state_mut().velocity[down] = -1.0;
            simulation.initialize().unwrap();
            let left = simulation.state().velocity[0];
            let taken = vx - left;
            println!("{vx}: {left} left");
            if vx < LAW.at_rest {
                assert!(left.abs() < 1e-12);
            } else {
                assert!((taken - LAW.at(left)).abs() < 1e-10);
            }
        }
    }
}

/// Same numbers in every run.
#[test]
fn thrown_boxes_in_the_plane_only_lose() {
    let mut random = Congruential(11);
    for case in 0..24 {
        let velocity = [0.3, 0.03, 1e-3][case % 3];
        let [vx, vy, spin] = [random.signed(), random.signed(), 3.0 * random.signed()];
        let model = model(&format!(
            r#"
            [[body]]
            name = "box"
            kind = "rigid"
            mass = 1.0
            position = [0, 0.4]
            angle = {:?}
            velocity = [{vx:?}, {vy:?}]
            angular_velocity = {spin:?}
            shape = [{{ kind = "box", size = [0.4, 0.2] }}]
            [[ground.shape]]
            kind = "half_plane"
            normal = [0, 1]
            [contact_default]
            friction = 0.2
            static_friction = 0.5
            stribeck_velocity = {velocity:?}
            restitution = 0.4
            "#,
            random.signed()
        ));
        for (tolerance, allowed) in [(None, 1e-3), (Some(1e-7), 1e-7)] {
            let mut settings = model.settings.clone();
            settings.tolerance = tolerance;
            let mut simulation = Simulation::with_settings(model.clone(), settings);
            let start = simulation.energy().total();
            let mut lost = 0.0;
            for i in 1..=40 {
                simulation.advance_to(0.05 * f64::from(i)).unwrap();
                let now = simulation.report().friction_loss;
                // what sticks at the ends of a fixed step may move a little between them, with its friction or against it
                let rounding = if tolerance.is_some() { 1e-10 } else { 1e-6 };
                assert!(
                    now - lost > -rounding,
                    "{case}: friction gives {:e} J",
                    lost - now
                );
                lost = now;
            }
            let energy = simulation.energy().total();
            let report = simulation.report();
            let remainder = energy + report.friction_loss + report.impact_loss - start;
            println!(
                "{case}, {tolerance:?}: remainder {remainder:.1e} J, {} events, {} fallbacks",
                report.events.len(),
                report.complementarity_steps
            );
            assert!(remainder.abs() < allowed);
        }
    }
}
