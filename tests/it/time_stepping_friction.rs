//! Dry friction in joints, clutches, brakes, servos and backlash with time stepping: against independent solutions and closed forms.

use crate::common::{Truth, halvings, model, norm2, order_study, run};
use stiction::integrate::EventKind;
use stiction::{Model, Simulation};

/// Every study asks for this slope at least: steps with transitions are of first order.
const ORDER: f64 = 1.0;

/// A scene in space.
fn scene(gravity: &str, elements: &str) -> Model {
    model(&format!(
        "dimension = 3\ngravity = {gravity}\n[settings]\nintegrator = \"time_stepping\"\n{elements}"
    ))
}

fn pendulum(theta: f64, mass: f64, inertia: f64, length: f64, friction: &str) -> Model {
    let (x, y) = (length * theta.sin(), -length * theta.cos());
    scene(
        "[0, -9.81, 0]",
        &format!(
            r#"
            [[body]]
            name = "rod"
            kind = "rigid"
            mass = {mass:?}
            inertia = [0.05, 0.07, {inertia:?}]
            position = [{x:?}, {y:?}, 0]
            rotation_vector = [0, 0, {theta:?}]
            [[joint]]
            name = "pivot"
            kind = "revolute"
            bodies = ["ground", "rod"]
            anchors = [[0, 0, 0], [0, {length:?}, 0]]
            axes = [[0, 0, 1], [0, 0, 1]]
            friction = {friction}
            "#
        ),
    )
}

/// A shaft about the x axis in its bearing.
fn shaft(name: &str, inertia: f64, rate: f64, torque: &str) -> String {
    format!(
        r#"
        [[body]]
        name = "{name}"
        kind = "rigid"
        mass = 1
        inertia = [{inertia:?}, 1, 1]
        position = [0, 0, 0]
        angular_velocity = [{rate:?}, 0, 0]
        [[joint]]
        name = "bearing_of_{name}"
        kind = "revolute"
        bodies = ["ground", "{name}"]
        at = [0, 0, 0]
        axis = [1, 0, 0]
        [[force]]
        name = "torque_on_{name}"
        kind = "applied"
        body = "{name}"
        torque = [{torque}, 0, 0]
        "#
    )
}

fn clutch(bodies: [&str; 2], friction: &str, normal_force: &str) -> String {
    let [first, second] = bodies;
    format!(
        r#"
        [[clutch]]
        name = "from_{first}_to_{second}"
        bodies = ["{first}", "{second}"]
        axis = [1, 0, 0]
        {friction}
        radius = 0.2
        normal_force = {normal_force}
        "#
    )
}

fn clutched_shafts() -> Model {
    let table = r#"{ kind = "table", times = [0, 0.2, 1.0, 3.0, 3.5, 4.2, 4.8], values = [0, 0, 200, 200, 30, 30, 200] }"#;
    let [engine, load] = [
        shaft("engine", 0.5, 40.0, "6"),
        shaft("load", 1.25, 0.0, "-4"),
    ];
    let between = clutch(["engine", "load"], "friction = 0.4", table);
    scene("[0, 0, 0]", &format!("{engine}{load}{between}"))
}

fn braked_vehicle() -> Model {
    let (g, slope) = (9.81, 0.1_f64);
    let (along, across) = (g * slope.sin(), -g * slope.cos());
    scene(
        &format!("[{along:?}, {across:?}, 0]"),
        r#"
        [[body]]
        name = "vehicle"
        kind = "rigid"
        mass = 1200
        inertia = [1000, 1000, 1000]
        position = [0, 0, 0]
        velocity = [15, 0, 0]
        [[joint]]
        name = "road"
        kind = "prismatic"
        bodies = ["ground", "vehicle"]
        at = [0, 0, 0]
        axis = [1, 0, 0]
        friction = { force = { kind = "table", times = [0, 1, 6, 8, 9, 10], values = [0, 6000, 6000, 0, 0, 4800] } }
        "#,
    )
}

fn servo_at_stop() -> Model {
    scene(
        "[0, -9.81, 0]",
        r#"
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 2
        inertia = [0.155, 0.155, 0.155]
        position = [0.35, 0, 0]
        [[joint]]
        name = "hinge"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        limits = [-inf, 0.9]
        [joint.motor]
        kind = "servo"
        kp = 120
        kd = 9
        limit = 25
        position = { kind = "table", times = [0, 0.2, 0.6, 1.5, 1.9, 2.4], values = [0.05, 0.05, 1.3, 1.3, 0.2, 0.2] }
        "#,
    )
}

/// A case, and the coordinate and rate of its joints in the truth, with the coordinate at the start.
struct Case {
    name: &'static str,
    model: Model,
    truth: Truth,
    end: f64,
    step: f64,
    columns: &'static [(&'static str, &'static str, f64)],
}

fn cases() -> Vec<Case> {
    let case = |name, model, truth, end, step, columns| Case {
        name,
        model,
        truth: Truth::load(truth),
        end,
        step,
        columns,
    };
    let constant = pendulum(1.2, 1.0, 0.02, 0.5, "{ torque = 0.35 }");
    let friction = "{ coefficient = 0.4, radius = 0.08 }";
    let loaded = pendulum(1.5, 1.5, 0.03, 0.4, friction);
    let of_shafts = &[("phi1", "w1", 0.0), ("phi2", "w2", 0.0)];
    vec![
        // longer steps would be divided: a body at a joint turns by 0.25 rad at most
        case(
            "clutch",
            clutched_shafts(),
            "m1a_clutch",
            6.0,
            0.005,
            of_shafts,
        ),
        case(
            "brake",
            braked_vehicle(),
            "m2a_brake",
            12.0,
            0.04,
            &[("x", "v", 0.0)],
        ),
        case(
            "pendulum",
            constant,
            "m3a_pendulum_coulomb",
            8.0,
            0.02,
            &[("theta", "omega", 1.2)],
        ),
        case(
            "load-dependent",
            loaded,
            "m4a_pendulum_load_friction",
            8.0,
            0.02,
            &[("theta", "omega", 1.5)],
        ),
    ]
}

impl Case {
    fn error(&self, simulation: &mut Simulation, time: f64) -> f64 {
        let mut errors = Vec::new();
        for (joint, (angle, rate, start)) in self.columns.iter().enumerate() {
            let [value, speed] = simulation.joint_coordinate(joint, 0);
            for (found, column) in [(value + start, angle), (speed, rate)] {
                let expected = self.truth.at(time, column);
                errors.push((found - expected) / (1.0 + expected.abs()));
            }
        }
        norm2(errors)
    }
}

#[test]
fn friction_elements_converge_through_stops_reversals_and_break_aways() {
    for case in cases() {
        let steps = halvings(case.step, 6);
        let order = order_study(case.name, &steps, |step| {
            let mut end = run(&case.model, case.end, |s| s.step = step);
            // at a reversal it may rest for a step
            let events: Vec<EventKind> = end.report().events.iter().map(|e| e.kind).collect();
            let expected = case.truth.0["events"].as_array().unwrap().len();
            let extra = events.len() - expected;
            assert!(extra <= expected, "{}: {events:?}", case.name);
            assert_eq!(events.last(), Some(&EventKind::StickStart));
            case.error(&mut end, case.end).max(1e-16)
        });
        assert!(order >= ORDER, "{}: {order}", case.name);
    }
}

#[test]
fn friction_elements_do_not_move_at_99_percent_of_their_limit_in_100_seconds() {
    // gravity on a pendulum at a right angle, 0.99 of the limit
    let torque = 9.81 * 0.5 / 0.99;
    let right_angle = std::f64::consts::FRAC_PI_2;
    let joint = |friction: &str| pendulum(right_angle, 1.0, 0.02, 0.5, friction);
    let constant = joint(&format!("{{ torque = {torque:?} }}"));
    // the torque is friction times the reaction, which is the weight
    let loaded = joint("{ coefficient = 5.05050505, radius = 0.1 }");
    let hold = format!("{:?}", 6.0 / 0.08 / 0.99);
    let shafts = [
        shaft("engine", 0.5, 0.0, "6"),
        shaft("load", 1.25, 0.0, "0"),
    ]
    .concat();
    let between = clutch(["engine", "load"], "friction = 0.4", &hold);
    let brake = clutch(["ground", "load"], "friction = 0.4", &hold);
    let drivetrain = scene("[0, 0, 0]", &format!("{shafts}{between}{brake}"));
    for (name, model) in [
        ("constant", constant),
        ("load-dependent", loaded),
        ("clutch and brake", drivetrain),
    ] {
        let mut end = run(&model, 100.0, |_| {});
        let fastest = end
            .state()
            .velocity
            .iter()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        let moved = (0..model.joints.len()).map(|j| end.joint_coordinate(j, 0)[0].abs());
        let moved = moved.fold(0.0, f64::max);
        println!("{name}: moved {moved:.1e}, at {fastest:.1e}");
        assert_eq!(end.report().n_events.total(), 0);
        assert!(moved < 1e-12 && fastest < 1e-15);
    }
}

#[test]
fn friction_takes_the_energy_that_is_missing_and_never_adds_any() {
    for case in cases() {
        let end = run(&case.model, case.end, |s| s.step = 0.1 * case.step);
        let report = end.report();
        let expected = case.truth.at(case.end, "dissipated");
        let (lost, error) = (report.friction_loss, report.energy_error().abs());
        println!(
            "{}: lost {lost}, of {expected}, balance {error:.1e}",
            case.name
        );
        assert!((lost - expected).abs() < 1e-3 * expected);
        assert!(report.numerical_gain <= 1e-9 * expected && error < 1e-9 * expected);
    }
}

#[test]
fn a_clutch_between_free_bodies_keeps_their_momentum() {
    let body = |name: &str, inertia: f64, rate: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\ninertia = [{inertia:?}, 1, 1]\nposition = [0, 0, 0]\nangular_velocity = [{rate:?}, 0, 0]\n"
        )
    };
    let bodies = [body("a", 0.5, 4.0), body("b", 1.25, -1.0)].concat();
    let between = clutch(["a", "b"], "friction = 0.4", "10");
    let end = run(
        &scene("[0, 0, 0]", &format!("{bodies}{between}")),
        3.0,
        |_| {},
    );
    let velocity = &end.state().velocity;
    // 0.8 N m take 5 rad/s from the two inertias in 2.23 s
    let common = (0.5 * 4.0 - 1.25) / 1.75;
    println!("{} {} {common}", velocity[3], velocity[9]);
    assert!((velocity[3] - common).abs() < 1e-14 && (velocity[9] - common).abs() < 1e-14);
}

#[test]
fn static_friction_holds_longer_and_a_belt_holds_by_euler_and_eytelwein() {
    // the torque grows by 1 N m each second against 8 N m at rest and 6 N m while it slips
    let table = "{ kind = \"table\", times = [0, 20], values = [0, 20] }";
    let brake = clutch(
        ["ground", "engine"],
        "friction = 0.3\nstatic_friction = 0.4",
        "100",
    );
    let model = scene("[0, 0, 0]", &(shaft("engine", 0.5, 0.0, table) + &brake));
    let end = run(&model, 9.0, |_| {});
    let events = &end.report().events;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].kind, EventKind::SlipStart);
    assert!((events[0].time - 8.0).abs() <= 0.011, "{events:?}");
    // 0.5 w = integral of t - 6 from 8 to 9, to the first order of the break-away
    let expected = (0.5 * (81.0 - 64.0) - 6.0) / 0.5;
    assert!((end.state().velocity[3] - expected).abs() < 0.05);

    let spun = |direction: f64, tension: f64| {
        let belt = format!(
            "[[clutch]]\nname = \"brake\"\nkind = \"belt_brake\"\nbodies = [\"ground\", \"engine\"]\naxis = [1, 0, 0]\nfriction = 0.3\nradius = 0.1\nwrap_angle = 4.0\ntension = {tension:?}\n"
        );
        let engine = shaft("engine", 0.5, 0.0, &format!("{:?}", 6.0 * direction));
        run(&scene("[0, 0, 0]", &(engine + &belt)), 1.0, |_| {})
            .state()
            .velocity[3]
    };
    let grown = (0.3_f64 * 4.0).exp();
    for (direction, factor) in [(1.0, grown - 1.0), (-1.0, 1.0 - 1.0 / grown)] {
        let holds = 6.0 / (0.1 * factor);
        assert!(spun(direction, 1.0001 * holds).abs() < 1e-15);
        let slips = spun(direction, 0.5 * holds);
        assert!((slips - direction * 3.0 / 0.5).abs() < 1e-9, "{slips}");
    }
}

#[test]
fn a_chain_of_clutches_with_limits_far_apart_sticks_exact_and_by_sweeps() {
    let limits = ["1e3", "1e8"];
    let mut text = String::new();
    for i in 0..10 {
        let torque = if i == 0 { "5" } else { "0" };
        text += &shaft(&format!("s{i}"), 0.1 * f64::from(1 + i % 3), 0.0, torque);
    }
    for i in 0..9 {
        let bodies = [format!("s{i}"), format!("s{}", i + 1)];
        let [a, b] = [&*bodies[0], &*bodies[1]];
        text += &clutch([a, b], "friction = 0.4", limits[i % 2]);
    }
    text += &clutch(["ground", "s9"], "friction = 0.4", "1e9");
    let exact = scene("[0, 0, 0]", &text);
    let swept = model(&format!(
        "dimension = 3\ngravity = [0, 0, 0]\n[settings]\nintegrator = \"time_stepping\"\ntime_stepping = {{ sweeps = 30 }}\n{text}"
    ));
    for (name, model) in [("exact", exact), ("swept", swept)] {
        let mut end = run(&model, 3.0, |_| {});
        let first = model.first_element_row();
        let torques = &end.joint_force()[first..];
        let off = torques
            .iter()
            .fold(0.0, |m: f64, t| m.max((t.abs() - 5.0).abs()));
        let fastest = end
            .state()
            .velocity
            .iter()
            .fold(0.0, |m: f64, v| m.max(v.abs()));
        println!("{name}: torques off by {off:.1e}, at {fastest:.1e}");
        assert!(off < 1e-11 && fastest < 1e-11);
    }
}

#[test]
fn a_servo_with_a_limit_converges_through_its_saturation_and_a_stop() {
    let (truth, model) = (Truth::load("m13a_servo_stop"), servo_at_stop());
    for (i, what) in ["angle", "rate"].into_iter().enumerate() {
        let order = order_study(&format!("servo, {what}"), &halvings(0.01, 6), |step| {
            let mut end = run(&model, 3.0, |s| s.step = step);
            let column = ["theta", "omega"][i];
            (end.joint_coordinate(0, 0)[i] - truth.at(3.0, column)).abs()
        });
        assert!(order >= ORDER);
    }
    // at the stop its torque is the limit, and all torques are those of the truth
    for time in truth.sample_times().into_iter().skip(1).step_by(4) {
        let mut end = run(&model, time, |s| s.step = 1e-3);
        let (torque, expected) = (end.element_force(0), truth.at(time, "motor_torque"));
        assert!(
            (torque - expected).abs() < 0.05,
            "{time} s: {torque}, not {expected}"
        );
    }
    let report = run(&model, 3.0, |_| {});
    assert!(report.report().numerical_gain < 1e-9);
}

#[test]
fn backlash_rattles_at_the_times_of_the_closed_form() {
    let shaft = |name: &str, inertia: f64, rate: f64| shaft(name, inertia, rate, "0");
    let shafts = [shaft("pinion", 0.02, 2.0), shaft("wheel", 0.1, 0.0)].concat();
    let mesh = "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"bearing_of_pinion\", \"bearing_of_wheel\"]\nratio = -2\nbacklash = 0.02\nrestitution = 0.8\n";
    let model = scene("[0, 0, 0]", &format!("{shafts}{mesh}"));
    let mut end = run(&model, 1.0, |s| s.step = 0.005);
    let (mut time, mut rate, mut n) = (0.005, 2.0, 0);
    while time < 1.0 {
        n += 1;
        rate *= 0.8;
        time += 0.02 / rate;
    }
    let report = end.report();
    assert_eq!((report.n_events.impacts, report.located_impacts), (n, n));
    assert!(report.numerical_gain < 1e-14 && report.impact_loss > 0.0);
    let [[_, w1], [_, w2]] = [0, 1].map(|j| end.joint_coordinate(j, 0));
    // relative speed and momentum in closed form
    assert!(((w1 + 2.0 * w2).abs() - rate).abs() < 1e-12);
    assert!((2.0 * 0.02 * w1 - 0.1 * w2 - 0.08).abs() < 1e-13);
}

/// A block on a plane whose friction at rest is above that of sliding; gravity has this component along the plane.
fn block(gravity: [f64; 2], velocity: f64, push: &str, material: &str) -> Model {
    let [along, across] = gravity;
    scene(
        &format!("[{along:?}, 0, {across:?}]"),
        &format!(
            r#"
            [[body]]
            name = "block"
            kind = "rigid"
            mass = 2
            position = [0, 0, 0.05]
            velocity = [{velocity:?}, 0, 0]
            shape = [{{ kind = "box", size = [0.4, 0.4, 0.1] }}]
            [[ground.shape]]
            kind = "half_space"
            normal = [0, 0, 1]
            [[force]]
            name = "push"
            kind = "applied"
            body = "block"
            point = [0, 0, -0.05]
            force = [{push}, 0, 0]
            [contact_default]
            {material}
            "#
        ),
    )
}

#[test]
fn static_friction_of_contacts_breaks_once_and_holds_what_has_stopped() {
    // the push grows by 1 N each second against 9.81 N at rest and 5.886 N while it slides
    let ramp = "{ kind = \"table\", times = [0, 20], values = [0, 20] }";
    let drops = "friction = 0.3\nstatic_friction = 0.5";
    let pushed = block([0.0, -9.81], 0.0, ramp, drops);
    let mut held = run(&pushed, 9.7, |_| {});
    assert!(held.state().velocity.iter().all(|v| v.abs() < 1e-13));
    assert!(held.state().position[0].abs() < 1e-12);
    let friction: f64 = held.instant().contacts.iter().map(|c| c.force.x).sum();
    assert!((friction + 9.7).abs() < 1e-9, "{friction}");
    // 2 v = integral of t - 5.886 from 9.81 to 12
    let expected = (0.5 * (144.0 - 9.81 * 9.81) - 5.886 * 2.19) / 2.0;
    for step in halvings(0.02, 6) {
        let end = run(&pushed, 12.0, |s| s.step = step);
        let late = (end.state().velocity[0] - expected).abs();
        println!("break-away with {step} s: {late:.1e} m/s");
        assert!(late < 1.97 * step + 1e-9);
    }

    // it slides up a slope of 0.4, between both coefficients, stops and stays
    let angle = 0.4_f64.atan();
    let (sin, cos) = angle.sin_cos();
    let slope = block([-9.81 * sin, -9.81 * cos], 2.0, "0", drops);
    let way = 4.0 / (2.0 * 9.81 * (sin + 0.3 * cos));
    for sweeps in [None, Some(30)] {
        let mut model = slope.clone();
        model.settings.time_stepping.sweeps = sweeps;
        model.time_stepping.as_mut().unwrap().options.sweeps = sweeps;
        let end = run(&model, 5.0, |s| s.step = 1e-3);
        let (x, v) = (end.state().position[0], end.state().velocity[0]);
        println!("{sweeps:?}: stopped at {x} of {way}, {v:e}");
        assert!((x - way).abs() < 2e-3 && v.abs() < 1e-9);
        assert!(end.report().numerical_gain < 1e-9);
    }

    // with a Stribeck velocity, pulled at constant speed by a stiff damper, friction is that of the curve
    let curve = "friction = 0.3\nstatic_friction = 0.5\nstribeck_velocity = 0.1";
    let sliding = block([0.0, -9.81], 0.2, "0", curve);
    let [start, end] = [0.0, 0.01].map(|until| {
        let end = run(&sliding, f64::max(until, 1e-9), |s| s.step = 1e-3);
        end.state().velocity[0]
    });
    // v' = -mu(v) g, in small steps of order four
    let rate = |v: f64| -9.81 * (0.3 + 0.2 * (-(v / 0.1) * (v / 0.1)).exp());
    let [exact] = crate::common::runge_kutta([start], 0.01, 1000, |v| [rate(v[0])]);
    println!("Stribeck: {end}, exact {exact}");
    assert!((end - exact).abs() < 1e-6);
}
