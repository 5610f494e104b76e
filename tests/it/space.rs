//! Motion in space against closed forms and independent references.

use crate::common::{Truth, model, observed_order, run, runge_kutta};
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::State;

fn free_body() -> Model {
    model(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        until = 20
        [[body]]
        name = "handle"
        kind = "rigid"
        mass = 1.0
        inertia = [1, 2, 3]
        position = [0, 0, 0]
        angular_velocity = [0.01, 5, 0.02]
        "#,
    )
}

// error of orientation (sign of the quaternion aside) and of the rate of rotation
fn free_body_errors(state: &State, truth: &Truth, time: f64) -> [f64; 2] {
    let q: Vec<f64> = ["qw", "qx", "qy", "qz"]
        .iter()
        .map(|c| truth.at(time, c))
        .collect();
    let own = state.orientation[0];
    let sign = if (0..4).map(|i| q[i] * own[i]).sum::<f64>() < 0.0 {
        -1.0
    } else {
        1.0
    };
    let turn = (0..4).fold(0.0, |m: f64, i| m.max((own[i] - sign * q[i]).abs()));
    let rate = ["w1", "w2", "w3"]
        .iter()
        .enumerate()
        .fold(0.0, |m: f64, (i, c)| {
            m.max((state.velocity[3 + i] - truth.at(time, c)).abs())
        });
    [turn, rate]
}

#[test]
fn a_free_asymmetric_body_tumbles_with_order_two() {
    let truth = Truth::load("p6h_dzhanibekov");
    let model = free_body();
    let steps = [0.005, 0.0025, 0.00125, 0.000_625];
    let errors = steps.map(|h| {
        let end = run(&model, 6.0, |s| s.step = h);
        free_body_errors(end.state(), &truth, 6.0)
    });
    for (h, [turn, rate]) in steps.iter().zip(&errors) {
        println!("h = {h:.2e}: orientation {turn:.3e}, rate {rate:.3e}");
    }
    for part in 0..2 {
        let order = observed_order(&steps, &errors.map(|e| e[part]));
        println!("order {order:.3}");
        assert!(order > 1.9);
    }
}

#[test]
fn energy_and_angular_momentum_of_a_free_body_stay_for_a_thousand_seconds() {
    let model = free_body();
    let drift = |h: f64| {
        let mut simulation = Simulation::with_settings(model.clone(), {
            let mut settings = model.settings.clone();
            settings.step = h;
            settings
        });
        let mut worst: [f64; 2] = [0.0; 2];
        for i in 1..=2000 {
            simulation.advance_to(0.5 * f64::from(i)).unwrap();
            let w = &simulation.state().velocity[3..6];
            let energy = 0.5 * (w[0] * w[0] + 2.0 * w[1] * w[1] + 3.0 * w[2] * w[2]);
            let momentum = w[0] * w[0] + 4.0 * w[1] * w[1] + 9.0 * w[2] * w[2];
            worst[0] = worst[0].max((energy / 25.00065 - 1.0).abs());
            worst[1] = worst[1].max((momentum / 100.0037 - 1.0).abs());
        }
        worst
    };
    let (coarse, fine) = (drift(0.01), drift(0.005));
    println!(
        "h = 0.01: energy {:.3e}, momentum {:.3e}",
        coarse[0], coarse[1]
    );
    println!(
        "h = 0.005: energy {:.3e}, momentum {:.3e}",
        fine[0], fine[1]
    );
    for drift in coarse.into_iter().chain(fine) {
        assert!(drift <= 1e-10);
    }
}

#[test]
fn a_free_body_follows_the_tolerance() {
    let truth = Truth::load("p6h_dzhanibekov");
    let model = free_body();
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        let end = run(&model, 4.0, |s| s.tolerance = Some(tolerance));
        let [turn, rate] = free_body_errors(end.state(), &truth, 4.0);
        let work = end.report().factorizations;
        println!(
            "tolerance {tolerance:e}: orientation {turn:.3e}, rate {rate:.3e}, {work} factorizations"
        );
        assert!(turn.max(rate) < tolerance);
    }
}

fn box_on_table(mu: f64, v: [f64; 2]) -> Model {
    model(&format!(
        r#"
        dimension = 3
        until = 1
        [[body]]
        name = "box"
        kind = "rigid"
        mass = 1.0
        position = [0, 0, 0.3]
        velocity = [{}, {}, 0]
        shape = [{{ kind = "box", size = [0.8, 0.6, 0.2] }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        friction = {mu}
        "#,
        v[0], v[1]
    ))
}

#[test]
fn a_box_that_lands_flat_slides_to_its_rest() {
    let truth = Truth::load("p6j1_box_flat");
    let model = box_on_table(0.2, [1.0, 0.5]);
    let reference = truth.case_at(0, 1.0);
    let fixed = [0.02, 0.01, 0.005, 0.0025].map(|h| (h, None));
    for (h, tolerance) in fixed
        .into_iter()
        .chain([(0.01, Some(1e-6)), (0.01, Some(1e-9))])
    {
        let end = run(&model, 1.0, |s| {
            s.step = h;
            s.tolerance = tolerance;
        });
        let error = (0..3).fold(0.0, |m: f64, i| {
            m.max((end.state().position[i] - reference[i]).abs())
        });
        let report = end.report();
        println!("h = {h}, tolerance {tolerance:?}: error {error:.3e}");
        assert!(error < 1e-13);
        assert_eq!(
            (report.n_events.impacts, report.n_events.stick_starts),
            (4, 4)
        );
        let late = |i: usize, time: f64| (report.events[i].time - time).abs();
        assert!(late(0, 0.201_927_510_938_461) < 1e-13 && late(4, 0.569_844_030_963_249) < 1e-13);
        assert_eq!(report.complementarity_steps, 0);
    }
}

/// A ball on a table: it slides until it rolls, then keeps its velocity.
///
/// With the sliding velocity u = v + w x c at the contact c = (0, 0, -r), friction -mu m g u/|u| changes
/// v by -mu g u/|u|, and u by -(7/2) mu g u/|u| (homogeneous ball): u keeps its direction and ends at
/// t = |u|/(7/2 mu g). Until then the path is a parabola.
struct Ball {
    mu: f64,
    radius: f64,
    velocity: [f64; 2],
    spin: [f64; 3],
}

impl Ball {
    const G: f64 = 9.81;

    fn model(&self) -> Model {
        let ([vx, vy], [wx, wy, wz]) = (self.velocity, self.spin);
        model(&format!(
            r#"
            dimension = 3
            [[body]]
            name = "ball"
            kind = "rigid"
            mass = 2.0
            position = [0, 0, {r:?}]
            velocity = [{vx:?}, {vy:?}, 0]
            angular_velocity = [{wx:?}, {wy:?}, {wz:?}]
            shape = [{{ kind = "sphere", radius = {r:?} }}]
            [[ground.shape]]
            kind = "half_space"
            normal = [0, 0, 1]
            [contact_default]
            friction = {mu:?}
            "#,
            r = self.radius,
            mu = self.mu
        ))
    }

    fn sliding(&self) -> [f64; 2] {
        let ([vx, vy], [wx, wy, _]) = (self.velocity, self.spin);
        [vx - wy * self.radius, vy + wx * self.radius]
    }

    fn rolls_from(&self) -> f64 {
        let [x, y] = self.sliding();
        x.hypot(y) / (3.5 * self.mu * Self::G)
    }

    /// Position and velocity at a time.
    fn at(&self, time: f64) -> [[f64; 2]; 2] {
        let u = self.sliding();
        let speed = u[0].hypot(u[1]);
        let t = time.min(self.rolls_from());
        let a = [0, 1].map(|i| -self.mu * Self::G * u[i] / speed);
        let v = [0, 1].map(|i| self.velocity[i] + a[i] * t);
        let x = [0, 1].map(|i| self.velocity[i] * t + 0.5 * a[i] * t * t + v[i] * (time - t));
        [x, v]
    }

    fn error(&self, state: &State) -> f64 {
        let [x, v] = self.at(state.time);
        (0..2).fold(0.0, |m: f64, i| {
            m.max((state.position[i] - x[i]).abs())
                .max((state.velocity[i] - v[i]).abs())
        })
    }
}

#[test]
fn a_ball_slides_until_it_rolls() {
    let straight = Ball {
        mu: 0.3,
        radius: 0.1,
        velocity: [2.0, 0.0],
        spin: [0.0, 0.0, 0.0],
    };
    let oblique = Ball {
        mu: 0.2,
        radius: 0.1,
        velocity: [2.0, 1.0],
        spin: [15.0, -8.0, 3.0],
    };
    for (name, ball) in [("straight", straight), ("oblique", oblique)] {
        let model = ball.model();
        let steps = [0.02, 0.01, 0.005, 0.0025, 0.00125];
        let errors = steps.map(|h| {
            let end = run(&model, 1.5, |s| s.step = h);
            let error = ball.error(end.state());
            let rolls = end
                .report()
                .events
                .iter()
                .find(|e| e.kind.name() == "stick");
            let late = rolls.map_or(f64::NAN, |e| e.time - ball.rolls_from());
            println!("{name}, h = {h}: error {error:.2e}, rolls {late:.1e} s late");
            assert!(late.abs() < 3.0 * h * h);
            error
        });
        let order = observed_order(&steps, &errors);
        println!("{name}: order {order:.3}");
        assert!(order > 1.9 || errors.iter().all(|error| *error < 1e-13));
        for tolerance in [1e-6, 1e-9] {
            let end = run(&model, 1.5, |s| s.tolerance = Some(tolerance));
            let error = ball.error(end.state());
            let work = end.report().factorizations;
            println!("{name}, tolerance {tolerance:e}: error {error:.2e}, {work} factorizations");
            assert!(error < 10.0 * tolerance);
        }
    }
}

// a point that slides over a slope: friction is against its velocity, which turns downhill
fn slider_on_slope(mu: f64, slope: f64) -> Model {
    let (sin, cos) = slope.sin_cos();
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "puck"
        kind = "point"
        mass = 1.0
        position = [0, 0, 0]
        velocity = [1.5, 0, 0]
        shape = [{{ kind = "point" }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, {:?}, {cos:?}]
        [contact_default]
        friction = {mu:?}
        "#,
        -sin
    ))
}

// x, y along the slope, and velocities, by many Runge-Kutta steps of order four
fn slider_reference(mu: f64, slope: f64, until: f64, n: usize) -> [f64; 4] {
    let g = 9.81;
    let (down, press) = (g * slope.sin(), mu * g * slope.cos());
    let rate = |y: [f64; 4]| {
        let speed = y[2].hypot(y[3]);
        [
            y[2],
            y[3],
            -press * y[2] / speed,
            -down - press * y[3] / speed,
        ]
    };
    runge_kutta([0.0, 0.0, 1.5, 0.0], until, n, |y| rate(*y))
}

#[test]
fn friction_follows_a_velocity_that_turns() {
    let (mu, slope) = (0.3, 0.5_f64);
    let model = slider_on_slope(mu, slope);
    let truth = slider_reference(mu, slope, 1.0, 20_000);
    let error = |state: &State| {
        let (sin, cos) = slope.sin_cos();
        let (q, v) = (&state.position, &state.velocity);
        let along = [q[0], q[1] * cos + q[2] * sin, v[0], v[1] * cos + v[2] * sin];
        (0..4).fold(0.0, |m: f64, i| m.max((along[i] - truth[i]).abs()))
    };
    let steps = [0.04, 0.02, 0.01, 0.005];
    let errors = steps.map(|h| error(run(&model, 1.0, |s| s.step = h).state()));
    let order = observed_order(&steps, &errors);
    println!("order {order:.3}: {errors:?}");
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let end = run(&model, 1.0, |s| s.tolerance = Some(tolerance));
        let error = error(end.state());
        let report = end.report();
        println!(
            "tolerance {tolerance:e}: {error:.2e}, {} factorizations, {} rejected, {} events",
            report.factorizations,
            report.rejected_steps,
            report.events.len()
        );
        assert!(error < 10.0 * tolerance);
    }
    assert!(order > 1.9);
}

// an eccentric arm on a hinge, under gravity, at a given speed
fn driven_arm(speed: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        until = 2
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 2.0
        inertia = [0.2, 0.3, 0.4]
        position = [0.5, 0, 0]
        [[joint]]
        name = "hinge"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 0, 0]
        axis = [0, 1, 0]
        motor = {{ kind = "speed", value = {speed} }}
        "#
    ))
}

#[test]
fn a_motor_keeps_its_speed_and_needs_the_torque_of_theory() {
    // w = 2 cos 3t, so the angle is (2/3) sin 3t and the torque J w' - m g a cos(angle), J = 0.3 + 2 a^2 about the hinge
    let model = driven_arm(r#"{ kind = "harmonic", amplitude = 2, omega = 3 }"#);
    let angle_at = |t: f64| 2.0 / 3.0 * (3.0 * t).sin();
    let check = |simulation: &Simulation| {
        let (state, t) = (simulation.state(), simulation.state().time);
        let angle = angle_at(t);
        let place = [0.5 * angle.cos(), 0.0, -0.5 * angle.sin()];
        let off = (0..3).fold(0.0, |m: f64, i| m.max((state.position[i] - place[i]).abs()));
        let torque = -(0.3 + 0.5) * 6.0 * (3.0 * t).sin() - 2.0 * 9.81 * 0.5 * angle.cos();
        (off, (state.joint_force[5] - torque).abs())
    };
    let steps = [0.02, 0.01, 0.005, 0.0025];
    let errors = steps.map(|h| {
        let end = run(&model, 1.7, |s| s.step = h);
        let (off, torque) = check(&end);
        println!("h = {h}: place {off:.2e}, torque {torque:.2e}");
        off
    });
    let order = observed_order(&steps, &errors);
    println!("order {order:.3}");
    assert!(order > 1.9);
    for tolerance in [1e-6, 1e-9] {
        let mut end = run(&model, 1.7, |s| s.tolerance = Some(tolerance));
        let (off, torque) = check(&end);
        // the arm is written at rest: the jerk of the start is the motor's work
        let start = Simulation::new(model.clone()).energy().total();
        let imbalance = end.energy().total() - start - end.report().applied_work;
        println!(
            "tolerance {tolerance:e}: place {off:.2e}, torque {torque:.2e}, energy {imbalance:.2e}"
        );
        assert!(off < 10.0 * tolerance && torque < 1e3 * tolerance);
        assert!(imbalance.abs() < 10.0 * tolerance);
    }
}

#[test]
fn a_motor_whose_speed_jumps_gives_its_impulse_at_once() {
    let model = driven_arm(r#"{ kind = "table", times = [0, 1, 1, 2], values = [0, 0, 3, 3] }"#);
    for tolerance in [None, Some(1e-8)] {
        let end = run(&model, 1.5, |s| s.tolerance = tolerance);
        let state = end.state();
        let angle: f64 = 3.0 * 0.5;
        let place = [0.5 * angle.cos(), 0.0, -0.5 * angle.sin()];
        let off = (0..3).fold(0.0, |m: f64, i| m.max((state.position[i] - place[i]).abs()));
        println!("{tolerance:?}: {off:.2e}, rate {}", state.velocity[4]);
        assert!((state.velocity[4] - 3.0).abs() < 1e-12);
        assert!(off < tolerance.unwrap_or(1e-3));
    }
}

// a round body (hoop, cylinder or ball by its inertia) on a slope of 30 degrees, downhill along x
fn roller(k: f64, mu: f64, speed: f64) -> Model {
    let (sin, cos) = std::f64::consts::FRAC_PI_6.sin_cos();
    let r = 0.1;
    let inertia = k * r * r;
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "roller"
        kind = "rigid"
        mass = 1
        inertia = [{inertia:?}, {inertia:?}, {inertia:?}]
        position = [{:?}, 0, {:?}]
        velocity = [{:?}, 0, {:?}]
        shape = [{{ kind = "sphere", radius = {r} }}]
        [[ground.shape]]
        kind = "half_space"
        normal = [{sin:?}, 0, {cos:?}]
        [contact_default]
        friction = {mu:?}
        "#,
        r * sin,
        r * cos,
        speed * cos,
        -speed * sin
    ))
}

#[test]
fn round_bodies_roll_or_slide_down_a_slope() {
    let truth = Truth::load("p6e_rolling_incline");
    let (sin, cos) = std::f64::consts::FRAC_PI_6.sin_cos();
    let cases = truth.0["cases"].as_array().unwrap().len();
    let mut worst: [f64; 2] = [0.0; 2];
    for case in 0..cases {
        let number = |key: &str| truth.0["cases"][case][key].as_f64();
        let (k, mu) = (number("k_inertia").unwrap(), number("mu").unwrap());
        let start = truth.case_at(case, 0.0);
        let model = roller(k, mu, start[1]);
        for (i, tolerance) in [None, Some(1e-9)].into_iter().enumerate() {
            let end = run(&model, 2.0, |s| s.tolerance = tolerance);
            let expected = truth.case_at(case, 2.0);
            let (q, v) = (&end.state().position, &end.state().velocity);
            let along = (q[0] - 0.1 * sin) * cos - (q[2] - 0.1 * cos) * sin;
            let speed = v[0] * cos - v[2] * sin;
            let error = (along - expected[0])
                .abs()
                .max((speed - expected[1]).abs())
                .max((v[4] - expected[3]).abs());
            worst[i] = worst[i].max(error);
        }
    }
    println!(
        "{cases} cases: fixed steps {:.2e}, by tolerance {:.2e}",
        worst[0], worst[1]
    );
    assert!(worst[0] < 1e-10 && worst[1] < 1e-10);
}
