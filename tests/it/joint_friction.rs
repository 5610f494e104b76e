//! Dry friction in joints, clutches and brakes: order, tolerance and events against independent solutions, and exact stick.

use crate::common::texts::{engine_and_load, rod_on_a_pivot};
use crate::common::{Truth, halvings, model, norm2, order_study, run, scene_text};
use stiction::integrate::EventKind;
use stiction::state::Status;
use stiction::{Model, Simulation};

/// Every study asks for this slope at least.
const ORDER: f64 = 1.9;

/// By tolerance, errors stay within this many times the tolerance.
const TIMES: f64 = 10.0;

/// A pendulum at an angle from hanging, whose pivot has this friction, in the plane or in space.
fn pendulum(
    theta: f64,
    mass: f64,
    inertia: f64,
    length: f64,
    friction: &str,
    in_space: bool,
) -> Model {
    let (x, y) = (length * theta.sin(), -length * theta.cos());
    let text = match in_space {
        false => format!(
            r#"
            [[body]]
            name = "rod"
            kind = "rigid"
            mass = {mass:?}
            inertia = {inertia:?}
            position = [{x:?}, {y:?}]
            angle = {theta:?}
            [[joint]]
            name = "pivot"
            kind = "revolute"
            bodies = ["ground", "rod"]
            anchors = [[0, 0], [0, {length:?}]]
            friction = {friction}
            "#
        ),
        true => {
            let rod = rod_on_a_pivot(theta, mass, inertia, length, friction);
            format!("dimension = 3\ngravity = [0, -9.81, 0]\n{rod}")
        }
    };
    model(&text)
}

fn constant_friction(in_space: bool) -> Model {
    pendulum(1.2, 1.0, 0.02, 0.5, "{ torque = 0.35 }", in_space)
}

fn load_friction(in_space: bool) -> Model {
    let friction = "{ coefficient = 0.4, radius = 0.08 }";
    pendulum(1.5, 1.5, 0.03, 0.4, friction, in_space)
}

const CLUTCH: &str = concat!(
    engine_and_load!(),
    r#"
    [[clutch]]
    name = "clutch"
    bodies = ["engine", "load"]
    friction = 0.4
    radius = 0.2
    normal_force = { kind = "table", times = [0, 0.2, 1.0, 3.0, 3.5, 4.2, 4.8], values = [0, 0, 200, 200, 30, 30, 200] }
    [[force]]
    name = "drive"
    kind = "applied"
    body = "engine"
    torque = 6
    [[force]]
    name = "drag"
    kind = "applied"
    body = "load"
    torque = -4
"#
);

fn brake() -> Model {
    let (g, slope) = (9.81, 0.1_f64);
    let (along, across) = (g * slope.sin(), -g * slope.cos());
    model(&format!(
        r#"
        gravity = [{along:?}, {across:?}]
        [[body]]
        name = "vehicle"
        kind = "rigid"
        mass = 1200
        inertia = 1000
        position = [0, 0]
        velocity = [15, 0]
        [[joint]]
        name = "road"
        kind = "prismatic"
        bodies = ["ground", "vehicle"]
        anchors = [[0, 0], [0, 0]]
        axis = [1, 0]
        friction = {{ force = {{ kind = "table", times = [0, 1, 6, 8, 9, 10], values = [0, 6000, 6000, 0, 0, 4800] }} }}
        "#
    ))
}

/// Coordinates and velocities of a case at a time, and the true ones.
struct Case {
    name: &'static str,
    model: Model,
    truth: Truth,
    end: f64,
    step: f64,
    read: fn(&Simulation) -> Vec<f64>,
    columns: &'static [&'static str],
}

fn angle_and_rate(simulation: &Simulation) -> Vec<f64> {
    let state = simulation.state();
    vec![state.position[2], state.velocity[2]]
}

fn angle_and_rate_in_space(simulation: &Simulation) -> Vec<f64> {
    let state = simulation.state();
    let q = state.orientation[0];
    let angle = 2.0 * q[3].atan2(q[0]);
    vec![angle, state.velocity[5]]
}

fn shafts(simulation: &Simulation) -> Vec<f64> {
    let (q, v) = (&simulation.state().position, &simulation.state().velocity);
    vec![q[2], v[2], q[5], v[5]]
}

fn along(simulation: &Simulation) -> Vec<f64> {
    let (q, v) = (&simulation.state().position, &simulation.state().velocity);
    vec![q[0], v[0]]
}

fn cases() -> Vec<Case> {
    let pendulum = |name, model, truth: &str, read| Case {
        name,
        model,
        truth: Truth::load(truth),
        end: 8.0,
        step: 0.02,
        read,
        columns: &["theta", "omega"],
    };
    let (constant, load) = ("m3a_pendulum_coulomb", "m4a_pendulum_load_friction");
    vec![
        Case {
            name: "clutch",
            model: model(CLUTCH),
            truth: Truth::load("m1a_clutch"),
            end: 6.0,
            step: 0.04,
            read: shafts,
            columns: &["phi1", "w1", "phi2", "w2"],
        },
        Case {
            name: "brake",
            model: brake(),
            truth: Truth::load("m2a_brake"),
            end: 12.0,
            step: 0.04,
            read: along,
            columns: &["x", "v"],
        },
        pendulum(
            "pendulum",
            constant_friction(false),
            constant,
            angle_and_rate,
        ),
        pendulum(
            "pendulum in space",
            constant_friction(true),
            constant,
            angle_and_rate_in_space,
        ),
        pendulum("load-dependent", load_friction(false), load, angle_and_rate),
        pendulum(
            "load-dependent in space",
            load_friction(true),
            load,
            angle_and_rate_in_space,
        ),
    ]
}

impl Case {
    fn error(&self, simulation: &Simulation, time: f64) -> f64 {
        let found = (self.read)(simulation);
        let expected = self
            .columns
            .iter()
            .map(|column| self.truth.at(time, column));
        norm2(
            found
                .iter()
                .zip(expected)
                .map(|(a, b)| (a - b) / (1.0 + b.abs())),
        )
    }

    /// Largest error of the event times; number and kinds must be right.
    fn event_error(&self, simulation: &Simulation) -> f64 {
        let events = self.truth.0["events"].as_array().unwrap();
        let found = &simulation.report().events;
        let list: Vec<(f64, &str)> = found.iter().map(|e| (e.time, e.kind.name())).collect();
        assert_eq!(found.len(), events.len(), "{}: {list:?}", self.name);
        let mut worst: f64 = 0.0;
        for (event, expected) in found.iter().zip(events) {
            let kind = match expected["type"].as_str().unwrap() {
                "slip->stick" => EventKind::StickStart,
                "stick->slip" => EventKind::SlipStart,
                _ => EventKind::Reversal,
            };
            assert_eq!(event.kind, kind, "{}: {list:?}", self.name);
            worst = worst.max((event.time - expected["t"].as_f64().unwrap()).abs());
        }
        worst
    }
}

#[test]
fn friction_elements_have_order_two_through_stops_reversals_and_break_aways() {
    for case in cases() {
        let steps = halvings(case.step, 6);
        let middle = case.truth.sample_times()[case.truth.sample_times().len() / 4];
        for time in [middle, case.end] {
            let name = format!("{} at {time}", case.name);
            let order = order_study(&name, &steps, |step| {
                let end = run(&case.model, time, |s| s.step = step);
                case.error(&end, time).max(1e-16)
            });
            let finest = run(&case.model, time, |s| s.step = steps[5]);
            let rounding = case.error(&finest, time) < 1e-12;
            assert!(order >= ORDER || rounding, "{name}: {order}");
        }
        let order = order_study(&format!("{}, events", case.name), &steps, |step| {
            let end = run(&case.model, case.end, |s| s.step = step);
            case.event_error(&end).max(1e-16)
        });
        let finest = run(&case.model, case.end, |s| s.step = steps[5]);
        assert!(
            order >= ORDER || case.event_error(&finest) < 1e-12,
            "{order}"
        );
    }
}

#[test]
fn friction_elements_meet_their_tolerance_with_events_right_in_number_kind_and_time() {
    for case in cases() {
        for exponent in [4, 6, 8, 10] {
            let tolerance = 0.1_f64.powi(exponent);
            let end = run(&case.model, case.end, |s| s.tolerance = Some(tolerance));
            let (error, events) = (case.error(&end, case.end), case.event_error(&end));
            println!(
                "{} 1e-{exponent}: {error:.2e}, events {events:.2e}",
                case.name
            );
            assert!(error <= TIMES * tolerance && events <= TIMES * tolerance);
        }
    }
}

#[test]
fn joint_clutch_and_brake_do_not_move_at_99_percent_of_their_limit_in_100_seconds() {
    // gravity on a pendulum at a right angle, 0.99 of the limit
    let torque = 9.81 * 0.5 / 0.99;
    let right_angle = std::f64::consts::FRAC_PI_2;
    let friction = format!("{{ torque = {torque:?} }}");
    let joint = |in_space| pendulum(right_angle, 1.0, 0.02, 0.5, &friction, in_space);
    let limit = "normal_force = { kind = \"table\", times = [0, 0.2, 1.0, 3.0, 3.5, 4.2, 4.8], values = [0, 0, 200, 200, 30, 30, 200] }";
    // both shafts at rest, the second held by a brake; the clutch transmits the whole torque of the engine
    let clutch = CLUTCH
        .replace("angular_velocity = 40", "")
        .replace("torque = -4", "torque = 0")
        .replace(limit, &format!("normal_force = {:?}", 6.0 / 0.08 / 0.99));
    let brake = format!(
        r#"
        {clutch}
        [[clutch]]
        name = "brake"
        bodies = ["ground", "load"]
        friction = 0.4
        radius = 0.2
        normal_force = {:?}
        "#,
        6.0 / 0.08 / 0.99
    );
    for (name, model) in [
        ("joint", joint(false)),
        ("joint in space", joint(true)),
        ("clutch and brake", model(&brake)),
    ] {
        for tolerance in [None, Some(1e-6)] {
            let end = run(&model, 100.0, |s| s.tolerance = tolerance);
            let state = end.state();
            let moved = state.position.iter().zip(&model.initial_position);
            let moved = moved
                .map(|(q, start)| (q - start).abs())
                .fold(0.0, f64::max);
            let turned = state.orientation.iter().zip(&model.initial_orientation);
            let turned = turned.flat_map(|(q, start)| (0..4).map(|i| (q[i] - start[i]).abs()));
            let turned = turned.fold(0.0, f64::max);
            let fastest = state.velocity.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            println!(
                "{name} {tolerance:?}: moved {moved:.1e}, turned {turned:.1e}, at {fastest:.1e}"
            );
            assert_eq!(end.report().n_events.total(), 0);
            assert!(moved < 1e-12 && turned < 1e-12 && fastest < 1e-15);
        }
    }
}

#[test]
fn friction_takes_exactly_the_energy_that_is_missing() {
    for case in cases() {
        for tolerance in [None, Some(1e-8)] {
            let end = run(&case.model, case.end, |s| s.tolerance = tolerance);
            let report = end.report();
            let expected = case.truth.at(case.end, "dissipated");
            let (lost, error) = (report.friction_loss, report.energy_error().abs());
            println!(
                "{} {tolerance:?}: lost {lost}, expected {expected}, balance {error:.1e}",
                case.name
            );
            assert!((lost - expected).abs() < 1e-3 * expected);
            assert!(
                report.numerical_gain <= 1e-9 * expected,
                "{}",
                report.numerical_gain
            );
            assert!(tolerance.is_none() || (lost - expected).abs() < 1e-7 * expected);
        }
    }
}

#[test]
fn a_belt_brake_holds_by_euler_and_eytelwein_in_both_directions() {
    let torque = |direction: f64, tension: f64| {
        let text = CLUTCH
            .replace("torque = 6", &format!("torque = {:?}", 6.0 * direction))
            .replace("angular_velocity = 40", "");
        let (head, tail) = text.split_once("[[clutch]]").unwrap();
        let (_, tail) = tail.split_once("[[force]]").unwrap();
        let brake = format!(
            "[[clutch]]\nname = \"brake\"\nkind = \"belt_brake\"\nbodies = [\"ground\", \"engine\"]\nfriction = 0.3\nradius = 0.1\nwrap_angle = 4.0\ntension = {tension:?}\n"
        );
        run(
            &model(&format!("{head}{brake}[[force]]{tail}")),
            1.0,
            |_| {},
        )
        .state()
        .velocity[2]
    };
    let grown = (0.3_f64 * 4.0).exp();
    for (direction, factor) in [(1.0, grown - 1.0), (-1.0, 1.0 - 1.0 / grown)] {
        let holds = 6.0 / (0.1 * factor);
        assert!(torque(direction, 1.0001 * holds).abs() < 1e-15);
        let slips = torque(direction, 0.5 * holds);
        assert!((slips - direction * 3.0 / 0.5).abs() < 1e-9, "{slips}");
    }
}

#[test]
fn static_friction_breaks_away_later_than_kinetic_friction_and_drops_at_once() {
    // the engine's torque grows by 1 N m each second against a clutch of 8 N m at rest and 6 N m while it slips
    let text = CLUTCH
        .replace("angular_velocity = 40", "")
        .replace(
            "torque = 6",
            "torque = { kind = \"table\", times = [0, 20], values = [0, 20] }",
        )
        .replace("torque = -4", "torque = 0")
        .replace(
            "friction = 0.4",
            "friction = 0.3\n    static_friction = 0.4",
        );
    let (head, tail) = text.split_once("normal_force").unwrap();
    let (_, tail) = tail.split_once('\n').unwrap();
    let text = format!("{head}normal_force = 100\n{tail}")
        .replace("\"engine\", \"load\"", "\"ground\", \"engine\"");
    for tolerance in [None, Some(1e-8)] {
        let end = run(&model(&text), 9.0, |s| s.tolerance = tolerance);
        let events = &end.report().events;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0].kind, EventKind::SlipStart);
        assert!((events[0].time - 8.0).abs() < 1e-9, "{events:?}");
        // 0.5 w = integral of t - 6 from 8 to 9
        let expected = (0.5 * (81.0 - 64.0) - 6.0) / 0.5;
        assert!((end.state().velocity[2] - expected).abs() < 1e-8);
    }
}

fn shipped(name: &str, until: f64, tolerance: f64) -> Simulation {
    run(&model(&scene_text(name)), until, |settings| {
        settings.tolerance = Some(tolerance);
    })
}

fn event_times(simulation: &Simulation) -> Vec<(EventKind, f64)> {
    let events = simulation.report().events.iter();
    events.map(|event| (event.kind, event.time)).collect()
}

#[test]
fn the_clutch_of_a_starting_vehicle_locks_as_in_closed_form() {
    let simulation = shipped("clutch_start", 2.0, 1e-9);
    let events = event_times(&simulation);
    println!("{events:?}");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].0, EventKind::StickStart);
    let lock = 1.0 + 60.0 / 680.0;
    assert!((events[0].1 - lock).abs() < 1e-9);
    let locked = 60.0 + 120.0 * (lock - 1.0);
    let end = locked + 100.0 / 2.25 * (2.0 - lock);
    let state = simulation.state();
    for rate in [state.velocity[2], state.velocity[5]] {
        assert!((rate - end).abs() < 1e-8, "{rate} {end}");
    }
}

#[test]
fn a_car_is_held_on_a_hill_until_its_brake_is_too_weak_and_then_rolls() {
    let held = shipped("hill_hold", 1.5, 1e-9);
    assert!(held.report().events.is_empty());
    let (velocity, position) = (&held.state().velocity, &held.state().position);
    println!("{velocity:?} {position:?}");
    assert!(velocity.iter().all(|v| v.abs() < 1e-12));
    assert!(position[0].abs() < 1e-12);
    // force along the slope, and the mass that it accelerates
    let (force, mass) = (1240.0 * 0.9793658173, 1240.0 + 2.0 * 0.9 / 0.09);
    let [at_two, at_three] = [2.0, 3.0].map(|until| shipped("hill_hold", until, 1e-9));
    let events = event_times(&at_three);
    println!("{events:?}");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].0, EventKind::SlipStart);
    assert!((events[0].1 - (2.0 - 0.3 * force / 768.0)).abs() < 1e-8);
    let gained = at_three.state().velocity[0] - at_two.state().velocity[0];
    assert!((gained - force / mass).abs() < 1e-8);
}

#[test]
fn a_slider_comes_to_rest_in_its_friction_where_the_closed_form_says() {
    let simulation = shipped("slider_friction", 2.0, 1e-9);
    let half = std::f64::consts::PI / 10.0;
    let expected = [
        (EventKind::Reversal, half),
        (EventKind::Reversal, 2.0 * half),
        (EventKind::StickStart, 3.0 * half),
    ];
    let events = event_times(&simulation);
    println!("{events:?}");
    assert_eq!(events.len(), expected.len());
    for ((kind, time), (of, at)) in events.into_iter().zip(expected) {
        assert_eq!(kind, of);
        assert!((time - at).abs() < 1e-8);
    }
    assert!((simulation.state().position[0] + 0.01).abs() < 1e-9);
    assert!(simulation.state().velocity[0].abs() < 1e-12);
}

/// A ball of 2 kg hits a rod of 3 kg at rest, at a distance from its pivot.
fn struck_rod(distance: f64, restitution: f64, friction: &str, in_space: bool) -> Model {
    let [zero, gravity, inertia, round, dimension, axis] = match in_space {
        false => ["", "[0, 0]", "0.09", "circle", "", ""],
        true => [
            ", 0",
            "[0, 0, 0]",
            "[0.09, 0.09, 0.09]",
            "sphere",
            "dimension = 3",
            "axis = [0, 0, 1]",
        ],
    };
    let depth = if in_space { ", 0.02" } else { "" };
    model(&format!(
        r#"
        {dimension}
        gravity = {gravity}
        [[body]]
        name = "rod"
        kind = "rigid"
        mass = 3
        inertia = {inertia}
        position = [0.3, 0{zero}]
        shape = [{{ kind = "box", size = [0.6, 0.02{depth}] }}]
        [[body]]
        name = "ball"
        kind = "rigid"
        mass = 2
        position = [{distance:?}, 0.07{zero}]
        velocity = [0, -1.5{zero}]
        shape = [{{ kind = "{round}", radius = 0.05 }}]
        [[joint]]
        name = "pivot"
        kind = "revolute"
        bodies = ["ground", "rod"]
        at = [0, 0{zero}]
        {axis}
        friction = {friction}
        [contact_default]
        friction = 0
        restitution = {restitution:?}
        "#
    ))
}

/// Rates of the rod after each phase of the impact, by hand: `J w = P L - mu r |R|`, `m l w = P + R`, `P = M (v - L w)`, then `e P`.
fn struck_rate(distance: f64, restitution: f64, mu_r: f64) -> f64 {
    let (m, l, inertia, ball, speed) = (3.0, 0.3, 0.09 + 3.0 * 0.3 * 0.3, 2.0, 1.5);
    let rate = |sign: f64, p: [f64; 2]| {
        // P = p[0] - p[1] w
        (distance + mu_r * sign) * p[0] / (inertia + distance * p[1] + mu_r * sign * (m * l + p[1]))
    };
    let phase = |p: [f64; 2]| {
        let found = [1.0, -1.0].map(|sign| rate(sign, p));
        let reaction = |w: f64| m * l * w - (p[0] - p[1] * w);
        match found {
            [w, _] if w > 0.0 && reaction(w) > 0.0 => w,
            [_, w] if w > 0.0 && reaction(w) < 0.0 => w,
            _ => 0.0,
        }
    };
    let compressed = phase([ball * speed, ball * distance]);
    let p = ball * (speed - distance * compressed);
    compressed + phase([restitution * p, 0.0])
}

#[test]
fn friction_in_proportion_to_the_reaction_takes_its_share_of_an_impact() {
    let friction = "{ coefficient = 0.4, radius = 0.1 }";
    for in_space in [false, true] {
        for (distance, restitution) in [(0.55, 0.0), (0.55, 0.6), (0.2, 0.6), (0.03, 0.6)] {
            for tolerance in [None, Some(1e-8)] {
                let model = struck_rod(distance, restitution, friction, in_space);
                let mut after = run(&model, 0.01 / 1.5 + 1e-9, |s| s.tolerance = tolerance);
                let [_, rate] = after.joint_coordinate(0, 0);
                let expected = -struck_rate(distance, restitution, 0.04);
                println!("{in_space} {distance} {restitution}: {rate} {expected}");
                assert!((rate - expected).abs() < 1e-7);
                assert!(after.report().numerical_gain < 1e-12);
            }
        }
    }
    // nearer than the friction circle it stays at rest, and without friction it turns
    assert!(struck_rate(0.03, 0.6, 0.04) == 0.0 && struck_rate(0.03, 0.6, 0.0) > 0.0);
}

#[test]
fn a_given_limit_has_no_impulse_in_an_impact() {
    for in_space in [false, true] {
        let model = struck_rod(0.55, 0.6, "{ torque = 5 }", in_space);
        let mut at = run(&model, 0.01 / 1.5 + 1e-9, |_| ());
        let [_, rate] = at.joint_coordinate(0, 0);
        assert!((rate + struck_rate(0.55, 0.6, 0.0)).abs() < 1e-6, "{rate}");
    }
}

#[test]
fn elements_that_share_a_coordinate_all_stick_at_rest_in_proportion_to_their_bounds() {
    for (dimension, axis, zero, gravity, inertia) in [
        ("", "", "", "[0, -9.81]", "0.1"),
        (
            "dimension = 3",
            "axis = [0, 0, 1]",
            ", 0",
            "[0, -9.81, 0]",
            "[0.1, 0.1, 0.1]",
        ),
    ] {
        let model = model(&format!(
            r#"
            {dimension}
            gravity = {gravity}
            [[body]]
            name = "arm"
            kind = "rigid"
            mass = 2
            inertia = {inertia}
            position = [0.5, 0{zero}]
            [[joint]]
            name = "pivot"
            kind = "revolute"
            bodies = ["ground", "arm"]
            at = [0, 0{zero}]
            {axis}
            friction = {{ torque = 4 }}
            [[clutch]]
            name = "brake"
            kind = "torque_limiter"
            bodies = ["arm", "ground"]
            torque = 8
            {axis}
            "#
        ));
        for tolerance in [None, Some(1e-8)] {
            let mut end = run(&model, 1.0, |s| s.tolerance = tolerance);
            let [angle, rate] = end.joint_coordinate(0, 0);
            assert_eq!([angle, rate].map(|x| x.abs() < 1e-12), [true; 2]);
            let statuses = &end.state().element_status;
            assert!(statuses.iter().all(|s| *s == Status::Stick), "{statuses:?}");
            assert!(end.report().events.is_empty());
            let n = end.model().n_joint_rows;
            let efforts = [1, 2].map(|e| end.joint_force()[n - e]);
            let torque = 2.0 * 9.81 * 0.5;
            println!("{efforts:?}");
            assert!((efforts[0].abs() - torque * 2.0 / 3.0).abs() < 1e-9);
            assert!((efforts[1].abs() - torque / 3.0).abs() < 1e-9);
        }
    }
}

/// A car in space whose wheels have friction in proportion to the load of their axles, and brakes about the same axes.
fn braked_car() -> Model {
    let mut text = String::from(
        r#"
        dimension = 3
        gravity = [0.9793658173, 0, -9.7609908614]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        friction = 0.8
        [[body]]
        name = "car"
        kind = "rigid"
        mass = 1200
        inertia = [900, 1500, 1500]
        position = [0, 0, 0.5]
        velocity = [3, 0, 0]
        "#,
    );
    for (i, [x, y]) in [[-1.2, -0.7], [-1.2, 0.7], [1.2, -0.7], [1.2, 0.7]]
        .into_iter()
        .enumerate()
    {
        text += &format!(
            r#"
            [[body]]
            name = "wheel{i}"
            kind = "rigid"
            mass = 20
            inertia = [0.5, 0.9, 0.5]
            position = [{x:?}, {y:?}, 0.3]
            velocity = [3, 0, 0]
            angular_velocity = [0, 10, 0]
            shape = [{{ kind = "sphere", radius = 0.3 }}]
            [[joint]]
            name = "axle{i}"
            kind = "revolute"
            bodies = ["car", "wheel{i}"]
            at = [{x:?}, {y:?}, 0.3]
            axis = [0, 1, 0]
            friction = {{ coefficient = 0.1, radius = 0.03 }}
            [[clutch]]
            name = "brake{i}"
            bodies = ["car", "wheel{i}"]
            friction = 0.4
            radius = 0.12
            faces = 2
            normal_force = {{ kind = "table", times = [0, 0.5, 1], values = [0, 0, 5000] }}
            axis = [0, 1, 0]
            "#
        );
    }
    model(&text)
}

#[test]
fn contacts_loaded_joints_and_brakes_about_one_axis_stop_a_car_on_a_slope() {
    for tolerance in [None, Some(1e-6)] {
        let end = run(&braked_car(), 2.5, |s| s.tolerance = tolerance);
        let (state, report) = (end.state(), end.report());
        assert!(
            state.velocity.iter().all(|v| v.abs() < 1e-9),
            "{tolerance:?}"
        );
        // the brakes alone take mass times slope less than their force: 4 x 480 N m / 0.3 m
        assert!(
            (4.0..4.2).contains(&state.position[0]),
            "{}",
            state.position[0]
        );
        assert_eq!((report.first_order_steps, report.fallback_steps), (0, 0));
        assert!(report.energy_error().abs() < 1e-6);
        let statuses = &state.element_status;
        assert!(statuses.iter().all(|s| *s == Status::Stick), "{statuses:?}");
    }
}

#[test]
fn a_braked_arm_that_falls_on_a_block_comes_to_rest() {
    let text = r#"
        dimension = 3
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 2
        inertia = [0.02, 0.1, 0.1]
        position = [0.5, 0, 0.4]
        shape = [{ kind = "sphere", radius = 0.1, position = [0.4, 0, 0] }]
        [[body]]
        name = "block"
        kind = "rigid"
        mass = 1
        position = [0.9, 0, 0.05]
        shape = [{ kind = "box", size = [0.4, 0.4, 0.1] }]
        [[joint]]
        name = "pivot"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 0, 0.4]
        axis = [0, 1, 0]
        friction = { coefficient = 0.3, radius = 0.05 }
        [[clutch]]
        name = "brake"
        bodies = ["ground", "arm"]
        friction = 0.4
        radius = 0.1
        normal_force = 20
        axis = [0, 1, 0]
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [contact_default]
        friction = 0.4
        "#;
    for tolerance in [None, Some(1e-6)] {
        let end = run(&model(text), 3.0, |s| s.tolerance = tolerance);
        let report = end.report();
        assert!(end.state().velocity.iter().all(|v| v.abs() < 1e-9));
        assert_eq!((report.first_order_steps, report.fallback_steps), (0, 0));
        assert!(report.energy_error().abs() < 1e-9);
    }
}
