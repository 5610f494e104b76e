//! One-way clutches, motors with a limit, and bodies of given acceleration, against closed forms.

use crate::common::{halvings, model, order_study, run, scene_text};
use stiction::integrate::EventKind;
use stiction::{Model, Settings, Simulation};

const ORDER: f64 = 1.9;
const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// Two shafts on one axis with these inertias and rates, and `rest` of the scene, in the plane and in space.
fn shafts(inertias: [f64; 2], rates: [f64; 2], rest: &str) -> [(&'static str, Model); 2] {
    let body = |i: usize, in_space: bool| {
        let name = ["engine", "load"][i];
        let (j, w) = (inertias[i], rates[i]);
        match in_space {
            false => format!(
                "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\ninertia = {j:?}\nposition = [0, 0]\nangular_velocity = {w:?}\n"
            ),
            true => format!(
                "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\ninertia = [{j:?}, {j:?}, {j:?}]\nposition = [0, 0, 0]\nangular_velocity = [0, 0, {w:?}]\n"
            ),
        }
    };
    let bodies = |in_space: bool| format!("{}{}", body(0, in_space), body(1, in_space));
    let plane = format!(
        "gravity = [0, 0]\n{}{}",
        bodies(false),
        rest.replace("AXIS", "")
    );
    let rest = rest.replace("AXIS", "axis = [0, 0, 1]");
    let mut in_space = format!("dimension = 3\ngravity = [0, 0, 0]\n{}", bodies(true));
    for line in rest.lines() {
        let torque = line.strip_prefix("torque = ");
        in_space += &torque.map_or(format!("{line}\n"), |t| format!("torque = [0, 0, {t}]\n"));
    }
    [("plane", model(&plane)), ("space", model(&in_space))]
}

/// Rates of both shafts.
fn rates(simulation: &Simulation) -> [f64; 2] {
    let v = &simulation.state().velocity;
    match simulation.model().is_spatial() {
        false => [v[2], v[5]],
        true => [v[5], v[11]],
    }
}

/// An engine whose torque swings drives a load through a one-way clutch: the load overruns while the engine is slow.
struct Freewheel;

impl Freewheel {
    const INERTIA: [f64; 2] = [0.4, 1.1];
    /// Torque of the engine B + A cos(W t - pi/2), and the resistance of the load, N m.
    const TORQUE: [f64; 3] = [1.5, 9.0, 2.0];
    const LOAD: f64 = 1.2;
    const DRAG: f64 = 0.3;

    fn models() -> [(&'static str, Model); 2] {
        let [mean, amplitude, omega] = Self::TORQUE;
        let (load, drag) = (Self::LOAD, Self::DRAG);
        let frequency = omega / std::f64::consts::TAU;
        let rest = format!(
            r#"[[clutch]]
name = "freewheel"
kind = "one_way"
bodies = ["engine", "load"]
drag = {drag:?}
AXIS
[[force]]
name = "drive"
kind = "applied"
body = "engine"
torque = {{ kind = "harmonic", amplitude = {amplitude:?}, frequency = {frequency:?}, phase = -1.5707963267948966, offset = {mean:?} }}
[[force]]
name = "resistance"
kind = "applied"
body = "load"
torque = -{load:?}
"#
        );
        shafts(Self::INERTIA, [2.0, 2.0], &rest)
    }

    fn torque(t: f64) -> f64 {
        let [mean, amplitude, omega] = Self::TORQUE;
        mean + amplitude * (omega * t).sin()
    }

    // integral of the torque
    fn impulse(from: f64, to: f64) -> f64 {
        let [mean, amplitude, omega] = Self::TORQUE;
        mean * (to - from) + amplitude / omega * ((omega * from).cos() - (omega * to).cos())
    }

    /// Event times and final rates of the closed form: phases between roots found by bisection.
    fn solution(end: f64) -> (Vec<(EventKind, f64)>, [f64; 2]) {
        let [j1, j2] = Self::INERTIA;
        let locked_torque = |t: f64| j2 * (Self::torque(t) - Self::LOAD) / (j1 + j2) + Self::LOAD;
        let (mut events, mut t, mut w, mut locked) = (Vec::new(), 0.0, [2.0; 2], true);
        loop {
            let at = |to: f64| {
                let given = Self::impulse(t, to);
                let span = to - t;
                match locked {
                    true => [w[0] + (given - Self::LOAD * span) / (j1 + j2); 2],
                    false => [
                        w[0] + (given + Self::DRAG * span) / j1,
                        w[1] - (Self::LOAD + Self::DRAG) * span / j2,
                    ],
                }
            };
            let slack = |to: f64| match locked {
                true => locked_torque(to) + Self::DRAG,
                false => at(to)[1] - at(to)[0],
            };
            let mut low = t + 1e-6;
            while low < end && slack(low + 1e-3) > 0.0 {
                low += 1e-3;
            }
            if low >= end {
                return (events, at(end));
            }
            let mut high = low + 1e-3;
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                match slack(middle) > 0.0 {
                    true => low = middle,
                    false => high = middle,
                }
            }
            let kind = match locked {
                true => EventKind::SlipStart,
                false => EventKind::StickStart,
            };
            w = at(high);
            if !locked {
                w = [(j1 * w[0] + j2 * w[1]) / (j1 + j2); 2];
            }
            (t, locked) = (high, !locked);
            events.push((kind, t));
        }
    }
}

/// Largest error of the rates; the events must be right in number and kind, with this error of their times.
fn freewheel_errors(simulation: &Simulation) -> [f64; 2] {
    let (events, expected) = Freewheel::solution(simulation.state().time);
    let found = rates(simulation);
    let list: Vec<_> = simulation
        .report()
        .events
        .iter()
        .map(|e| (e.kind, e.time))
        .collect();
    assert_eq!(list.len(), events.len(), "{list:?} {events:?}");
    let mut late: f64 = 0.0;
    for ((kind, time), (expected, at)) in list.into_iter().zip(events) {
        assert_eq!(kind, expected);
        late = late.max((time - at).abs());
    }
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    [off.fold(0.0, f64::max), late]
}

#[test]
fn a_one_way_clutch_locks_and_overruns_with_order_two() {
    for (dimension, model) in Freewheel::models() {
        for (i, what) in ["rates", "events"].into_iter().enumerate() {
            let name = format!("freewheel in {dimension}, {what}");
            let order = order_study(&name, &halvings(0.04, 6), |step| {
                let end = run(&model, 10.0, |s| s.step = step);
                assert!(end.report().numerical_gain < 1e-10);
                freewheel_errors(&end)[i]
            });
            assert!(order >= ORDER, "{order}");
        }
    }
}

#[test]
fn a_one_way_clutch_meets_its_tolerance() {
    for (dimension, model) in Freewheel::models() {
        for tolerance in TOLERANCES {
            let end = run(&model, 10.0, |s| s.tolerance = Some(tolerance));
            let [error, late] = freewheel_errors(&end);
            println!("freewheel in {dimension}, {tolerance:.0e}: {error:.1e}, events {late:.1e}");
            assert!(error <= 10.0 * tolerance && late <= 10.0 * tolerance);
        }
    }
}

#[test]
fn a_one_way_clutch_that_would_turn_back_locks_by_an_impact() {
    let clutch = "[[clutch]]\nname = \"freewheel\"\nkind = \"one_way\"\nbodies = [\"engine\", \"load\"]\nAXIS\n";
    for (dimension, model) in shafts([0.5, 1.5], [8.0, 0.0], clutch) {
        for tolerance in [None, Some(1e-8)] {
            let end = run(&model, 1.0, |s| s.tolerance = tolerance);
            let report = end.report();
            println!("{dimension}: {:?}, {}", rates(&end), report.impact_loss);
            assert_eq!(report.events.len(), 1);
            assert_eq!(report.events[0].kind, EventKind::Impact);
            assert!((report.events[0].impulse[0] - 1.5 * 2.0).abs() < 1e-12);
            assert!(rates(&end).into_iter().all(|w| (w - 2.0).abs() < 1e-13));
            assert!((report.impact_loss - (16.0 - 4.0)).abs() < 1e-12);
        }
    }
    for (_, model) in shafts([0.5, 1.5], [0.0, 8.0], clutch) {
        let end = run(&model, 1.0, |_| {});
        assert!(end.report().events.is_empty());
        assert!((rates(&end)[1] - 8.0).abs() < 1e-13 && rates(&end)[0].abs() < 1e-13);
    }
}

#[test]
fn a_backstop_holds_any_load_exactly_and_lets_it_be_lifted() {
    let rest = |torque: f64| {
        format!(
            r#"[[clutch]]
name = "backstop"
kind = "one_way"
bodies = ["ground", "load"]
AXIS
[[force]]
name = "weight"
kind = "applied"
body = "load"
torque = {torque:?}
"#
        )
    };
    for (dimension, model) in shafts([1.0, 2.0], [0.0, 0.0], &rest(-1e6)) {
        for tolerance in [None, Some(1e-6)] {
            let end = run(&model, 100.0, |s| s.tolerance = tolerance);
            let angle = end.state().position[5];
            println!("{dimension} {tolerance:?}: {:e} {angle:e}", rates(&end)[1]);
            assert_eq!(rates(&end)[1], 0.0);
            assert!(angle.abs() < 1e-12);
        }
    }
    for (_, model) in shafts([1.0, 2.0], [0.0, 0.0], &rest(3.0)) {
        let end = run(&model, 2.0, |_| {});
        assert!((rates(&end)[1] - 3.0).abs() < 1e-12);
    }
}

/// A flywheel on an axle with a motor.
fn driven_wheel(motor: &str, load: &str, in_space: bool) -> Model {
    let (dimension, p, inertia, axis, torque) = match in_space {
        false => ("", "[0, 0]", "0.5", "", load.to_owned()),
        true => (
            "dimension = 3\n",
            "[0, 0, 0]",
            "[0.5, 0.5, 0.5]",
            "axis = [0, 0, 1]",
            format!("[0, 0, {load}]"),
        ),
    };
    model(&format!(
        r#"
        {dimension}
        gravity = {p}
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 2
        inertia = {inertia}
        position = {p}
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["ground", "wheel"]
        at = {p}
        {axis}
        motor = {motor}
        [[force]]
        name = "load"
        kind = "applied"
        body = "wheel"
        torque = {torque}
        "#
    ))
}

#[test]
fn a_speed_motor_with_a_limit_accelerates_holds_and_slips() {
    // 0.5 w' = 4 - 1 up to 6 rad/s at 1 s; the load grows by 1 N m/s from 1 N m at 2 s: it slips at 5 s, where it is 4 N m
    let load = "{ kind = \"table\", times = [0, 2, 8], values = [-1, -1, -7] }";
    let motor = "{ kind = \"speed\", value = 6.0, limit = 4.0 }";
    for in_space in [false, true] {
        let model = driven_wheel(motor, load, in_space);
        for tolerance in [None, Some(1e-4), Some(1e-9)] {
            let end = run(&model, 7.0, |s| s.tolerance = tolerance);
            let events: Vec<_> = end
                .report()
                .events
                .iter()
                .map(|e| (e.kind, e.time))
                .collect();
            println!("{events:?}");
            assert_eq!(events.len(), 2);
            for ((kind, time), (of, at)) in events
                .into_iter()
                .zip([(EventKind::StickStart, 1.0), (EventKind::SlipStart, 5.0)])
            {
                assert_eq!(kind, of);
                assert!((time - at).abs() < 1e-9);
            }
            // it then loses (t - 5)^2 / 2 / 0.5
            let w = end.state().velocity[if in_space { 5 } else { 2 }];
            assert!((w - (6.0 - 4.0)).abs() < 1e-9, "{w}");
            let report = end.report();
            // slipping takes 4 N m times the difference of speed: 4 x 3 rad, and 4 x 8/3 rad
            let lost = 4.0 * 3.0 + 4.0 * 8.0 / 3.0;
            println!(
                "{} {lost} {:e}",
                report.friction_loss,
                report.energy_error()
            );
            assert!((report.friction_loss - lost).abs() < 1e-4 * lost);
            assert!(report.energy_error().abs() < 1e-9);
        }
    }
}

#[test]
fn a_limited_motor_of_a_swinging_position_follows_it_with_order_two() {
    let (frequency, omega) = (0.5, std::f64::consts::PI);
    let motor = format!(
        "{{ kind = \"position\", value = {{ kind = \"harmonic\", amplitude = 0.3, frequency = {frequency:?}, phase = -1.5707963267948966 }}, limit = 4.0 }}"
    );
    let load = "{ kind = \"harmonic\", amplitude = 1.0, frequency = 0.7 }";
    for in_space in [false, true] {
        let model = driven_wheel(&motor, load, in_space);
        let error = |end: &mut Simulation| {
            let [angle, rate] = end.joint_coordinate(0, 0);
            let t = end.state().time;
            let rate_error = (rate - 0.3 * omega * (omega * t).cos()).abs();
            assert!(rate_error < 1e-12, "{rate_error}");
            // it starts with a jump to the speed of the signal, which the motor cannot follow
            angle - 0.3 * (omega * t).sin()
        };
        let mut end = run(&model, 3.3, |s| s.tolerance = Some(1e-10));
        println!("{in_space}: slipped by {}", error(&mut end));
        let slipped = error(&mut end);
        let order = order_study("angle", &halvings(0.04, 6), |step| {
            (error(&mut run(&model, 3.3, |s| s.step = step)) - slipped).abs()
        });
        assert!(order >= ORDER, "{order}");
    }
}

#[test]
fn a_motor_with_a_limit_stalls_at_a_wall_and_one_without_is_an_error() {
    let scene = |limit: &str| {
        format!(
            r#"
            gravity = [0, 0]
            [[body]]
            name = "slide"
            kind = "rigid"
            mass = 2
            position = [0, 0]
            shape = [{{ kind = "box", size = [0.2, 0.2] }}]
            inertia = 1
            [ground]
            shape = [{{ kind = "half_plane", point = [0.5, 0], normal = [-1, 0] }}]
            [[joint]]
            name = "rail"
            kind = "prismatic"
            bodies = ["ground", "slide"]
            at = [0, 0]
            axis = [1, 0]
            contact = true
            motor = {{ kind = "speed", value = 1.0 {limit} }}
            "#
        )
    };
    for tolerance in [None, Some(1e-8)] {
        let mut end = run(&model(&scene(", limit = 5.0")), 2.0, |s| {
            s.tolerance = tolerance
        });
        let state = end.state();
        println!("{tolerance:?}: {:?} {:?}", state.position, state.velocity);
        assert!((state.position[0] - 0.4).abs() < 1e-9 && state.velocity[0].abs() < 1e-12);
        let n = end.model().n_joint_rows;
        let effort = end.joint_force()[n - 1];
        assert!((effort - 5.0).abs() < 1e-9, "{effort}");
        let unlimited = model(&scene(""));
        let settings = Settings {
            tolerance,
            ..unlimited.settings.clone()
        };
        let mut unlimited = Simulation::with_settings(unlimited, settings);
        let message = unlimited.advance_to(2.0).unwrap_err().to_string();
        println!("{message}");
        assert!(
            message.contains("a motor of prescribed speed may drive against a stop or contact")
        );
    }
}

/// A table of given motion and a block on it, in the plane and in space.
fn tables(motion: &str) -> [(&'static str, Model); 2] {
    let plane = format!(
        r#"
        [[body]]
        name = "table"
        kind = "driven"
        position = [0, -0.1]
        {motion}
        shape = [{{ kind = "box", size = [40, 0.2] }}]
        [[body]]
        name = "block"
        kind = "rigid"
        mass = 2
        position = [0, 0.1]
        velocity = [0.5, 0]
        shape = [{{ kind = "box", size = [0.4, 0.2] }}]
        [contact_default]
        friction = 0.5
        "#
    );
    let mut space = format!("dimension = 3\n{plane}");
    for (from, to) in [
        ("[0, -0.1]", "[0, 0, -0.1]"),
        ("[0, 0.1]", "[0, 0, 0.1]"),
        ("[0.5, 0]", "[0.5, 0, 0]"),
        ("}, 0]", "}, 0, 0]"),
        ("[40, 0.2]", "[40, 4, 0.2]"),
        ("[0.4, 0.2]", "[0.4, 0.3, 0.2]"),
    ] {
        assert!(space.contains(from), "{from}");
        space = space.replace(from, to);
    }
    [("plane", model(&plane)), ("space", model(&space))]
}

fn x_of(end: &Simulation, body: usize) -> [f64; 2] {
    let first = end.model().bodies[body].first;
    [end.state().position[first], end.state().velocity[first]]
}

#[test]
fn a_table_of_given_acceleration_shakes_its_block_with_order_two() {
    // the block starts with the table; it sticks below 4.905 m/s²
    let motion = "velocity = [0.5, 0]\nacceleration = [{ kind = \"harmonic\", amplitude = 4.0, omega = 3.0 }, 0]";
    let (t, omega) = (2.3_f64, 3.0_f64);
    let x = 0.5 * t + 4.0 / 9.0 * (1.0 - (omega * t).cos());
    let v = 0.5 + 4.0 / 3.0 * (omega * t).sin();
    for (dimension, model) in tables(motion) {
        for body in [0, 1] {
            let name = format!("body {body} in {dimension}");
            let order = order_study(&name, &halvings(0.04, 6), |step| {
                let end = run(&model, t, |s| s.step = step);
                let [at, speed] = x_of(&end, body);
                assert!((speed - v).abs() < 1e-12);
                (at - x).abs()
            });
            assert!(order >= ORDER);
        }
        for tolerance in TOLERANCES {
            let end = run(&model, t, |s| s.tolerance = Some(tolerance));
            let [at, speed] = x_of(&end, 1);
            println!("{dimension}, {tolerance:.0e}: {:e} {:e}", at - x, speed - v);
            assert!((at - x).abs().max((speed - v).abs()) <= 10.0 * tolerance);
            let accelerates = end.state().acceleration[end.model().bodies[0].first];
            assert!((accelerates - 4.0 * (omega * t).cos()).abs() < 1e-9);
        }
    }
}

#[test]
fn an_acceleration_that_is_held_is_integrated_twice_without_an_impact() {
    let motion = "velocity = [0.5, 0]\nacceleration = [{ kind = \"input\" }, 0]";
    for (dimension, model) in tables(motion) {
        for tolerance in [None, Some(1e-8)] {
            let settings = Settings {
                tolerance,
                ..model.settings.clone()
            };
            let mut held = Simulation::with_settings(model.clone(), settings);
            let (mut x, mut v, mut t) = (0.0, 0.5, 0.0);
            for acceleration in [3.0, -4.0, 0.0, 2.0] {
                held.state_mut().inputs[0].derivatives[0] = acceleration;
                t += 0.3;
                held.advance_to(t).unwrap();
                x += 0.3 * v + 0.5 * 0.09 * acceleration;
                v += 0.3 * acceleration;
                for body in [0, 1] {
                    let [at, speed] = x_of(&held, body);
                    assert!(
                        (at - x).abs() < 1e-9 && (speed - v).abs() < 1e-11,
                        "{dimension}"
                    );
                }
            }
            assert_eq!(held.report().events.len(), 0);
        }
    }
}

#[test]
fn a_drum_of_given_angular_acceleration_turns_as_the_table_says() {
    let table = "{ kind = \"table\", times = [0, 1, 1, 2], values = [0, 6, -2, -2] }";
    for (head, p, axis) in [
        ("", "[0, 0]", ""),
        ("dimension = 3\n", "[0, 0, 0]", "axis = [0, 2, 0]"),
    ] {
        let text = format!(
            "{head}[[body]]\nname = \"drum\"\nkind = \"driven\"\nposition = {p}\nangular_velocity = 1\nangular_acceleration = {table}\n{axis}\n"
        );
        let end = run(&model(&text), 1.5, |_| {});
        let v = &end.state().velocity;
        let rate = if axis.is_empty() { v[2] } else { v[4] };
        assert!((rate - (1.0 + 3.0 - 1.0)).abs() < 1e-12, "{v:?}");
    }
}

/// A gear pair of ratio 3 with losses, a torque on each shaft.
fn lossy_gears(efficiency: f64, torques: [f64; 2], start: f64, in_space: bool) -> Model {
    let [head, p, q, axis] = match in_space {
        false => ["gravity = [0, 0]", "[0, 0]", "[1, 0]", ""],
        true => [
            "dimension = 3\ngravity = [0, 0, 0]",
            "[0, 0, 0]",
            "[1, 0, 0]",
            "axis = [0, 0, 1]",
        ],
    };
    let about = |x: f64| match in_space {
        false => format!("{x:?}"),
        true => format!("[0, 0, {x:?}]"),
    };
    let round = |x: f64| match in_space {
        false => format!("{x:?}"),
        true => format!("[{x:?}, {x:?}, {x:?}]"),
    };
    let mut text = head.to_owned();
    let shafts = [("worm", p, 0.2, 3.0 * start), ("wheel", q, 0.9, start)];
    for ((name, at, inertia, rate), torque) in shafts.into_iter().zip(torques) {
        text += &format!(
            r#"
            [[body]]
            name = "{name}"
            kind = "rigid"
            mass = 1
            inertia = {}
            position = {at}
            angular_velocity = {}
            [[joint]]
            name = "{name}_shaft"
            kind = "revolute"
            bodies = ["ground", "{name}"]
            at = {at}
            {axis}
            [[force]]
            name = "{name}_torque"
            kind = "applied"
            body = "{name}"
            torque = {}
            "#,
            round(inertia),
            about(rate),
            about(torque)
        );
    }
    text += &format!(
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"worm_shaft\", \"wheel_shaft\"]\nratio = 3\nefficiency = {efficiency:?}\n"
    );
    model(&text)
}

#[test]
fn a_gear_with_losses_drives_with_its_efficiency_and_is_driven_with_less() {
    let (j1, j2, ratio) = (0.2, 0.9, 3.0);
    for in_space in [false, true] {
        for efficiency in [0.9, 0.6] {
            let k = 1.0 / efficiency - 1.0;
            for tolerance in [None, Some(1e-9)] {
                // driven by the first shaft
                let model = lossy_gears(efficiency, [2.0, 0.0], 0.0, in_space);
                let end = run(&model, 1.0, |s| s.tolerance = tolerance);
                let expected = 2.0 / (j1 + j2 / (ratio * ratio * efficiency));
                assert!((rates(&end)[0] - expected).abs() < 1e-9 * expected);
                assert!((rates(&end)[1] - expected / ratio).abs() < 1e-9 * expected);
                let lost = k * j2 * expected / 9.0 * expected / 2.0;
                let report = end.report();
                println!("{} {lost}", report.friction_loss);
                assert!((report.friction_loss - lost).abs() < 1e-6 * lost);
                // and by the second
                let model = lossy_gears(efficiency, [0.0, 4.0], 0.0, in_space);
                let end = run(&model, 1.0, |s| s.tolerance = tolerance);
                let expected = 4.0 / (j2 / ratio + ratio * j1 / (1.0 - k));
                assert!((rates(&end)[0] - expected).abs() < 1e-9 * expected);
            }
        }
    }
}

#[test]
fn a_worm_gear_locks_itself_and_stops_what_it_lowers() {
    for in_space in [false, true] {
        for tolerance in [None, Some(1e-8)] {
            // no torque on the wheel moves it
            let model = lossy_gears(0.4, [0.0, 1e3], 0.0, in_space);
            let end = run(&model, 20.0, |s| s.tolerance = tolerance);
            assert!(rates(&end).into_iter().all(|w| w.abs() < 1e-12));
            // turning, a load that pushes slows it down: 3 L/J2 = c ((1 - k)/J1 + 9/J2)
            let model = lossy_gears(0.4, [0.0, 1.5], 2.0, in_space);
            let end = run(&model, 20.0, |s| s.tolerance = tolerance);
            let (j1, j2, k) = (0.2, 0.9, 1.5);
            let c = 3.0 * 1.5 / j2 / ((1.0 - k) / j1 + 9.0 / j2);
            let slows = (k - 1.0) * c / j1;
            let events: Vec<_> = end
                .report()
                .events
                .iter()
                .map(|e| (e.kind, e.time))
                .collect();
            println!("{events:?} {}", 6.0 / slows);
            assert_eq!(events.len(), 1);
            assert_eq!(events[0].0, EventKind::StickStart);
            assert!((events[0].1 - 6.0 / slows).abs() < 1e-7);
            assert!(rates(&end).into_iter().all(|w| w.abs() < 1e-12));
        }
    }
}

/// A nut of 5 kg and 0.02 kg m² on an upright thread with a mean radius of 10 mm.
fn jack(lead: f64, friction: f64, torque: f64, rate: f64) -> Model {
    let (inertia, feed) = ("[0.03, 0.03, 0.02]", rate * lead / std::f64::consts::TAU);
    model(&format!(
        r#"
        dimension = 3
        [[body]]
        name = "nut"
        kind = "rigid"
        mass = 5
        inertia = {inertia}
        position = [0, 0, 0]
        velocity = [0, 0, {feed:?}]
        angular_velocity = [0, 0, {rate:?}]
        [[joint]]
        name = "thread"
        kind = "screw"
        bodies = ["ground", "nut"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        lead = {lead:?}
        friction = {{ coefficient = {friction:?}, radius = 0.01 }}
        motor = {{ kind = "torque", value = {torque:?} }}
        "#
    ))
}

#[test]
fn a_screw_jack_lifts_and_lowers_by_the_tangent_of_helix_and_friction_angle() {
    let (m, j, g, r) = (5.0, 0.02, 9.81, 0.01);
    for lead in [0.008, -0.008, 0.03] {
        let rise = lead / std::f64::consts::TAU;
        let (helix, rho) = ((rise / r).atan(), 0.15_f64.atan());
        // torque, and the sense of rotation
        for (torque, sense) in [(0.6, 1.0), (-0.6, -1.0)] {
            // thread torque of a load m (g + p y'') on it while it turns in this sense
            let thread = r * (helix + sense * rho).tan();
            let expected = (torque - thread * m * g) / (j + thread * m * rise);
            for tolerance in [None, Some(1e-4), Some(1e-9)] {
                let mut end = run(&jack(lead, 0.15, torque, 0.0), 0.5, |s| {
                    s.tolerance = tolerance
                });
                let [angle, rate] = end.joint_coordinate(0, 0);
                println!("{lead} {torque} {tolerance:?}: {rate} {}", 0.5 * expected);
                assert!((rate - 0.5 * expected).abs() < 1e-8);
                assert!((angle - 0.125 * expected).abs() < 1e-8);
                assert!(end.report().energy_error().abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_flat_thread_locks_itself_exactly_and_a_steep_one_runs_down() {
    // tan L = 0.1273 against 0.13 and 0.12
    for tolerance in [None, Some(1e-6)] {
        let mut end = run(&jack(0.008, 0.13, 0.0, 0.0), 100.0, |s| {
            s.tolerance = tolerance
        });
        assert_eq!(end.report().n_events.total(), 0);
        let [angle, rate] = end.joint_coordinate(0, 0);
        println!("{angle:e} {rate:e}");
        // m along the thread
        assert!((0.01 * angle).abs() < 1e-14 && (0.01 * rate).abs() < 1e-15);
        let mut runs = run(&jack(0.008, 0.12, 0.0, 0.0), 1.0, |s| {
            s.tolerance = tolerance
        });
        let (helix, rho) = ((0.8 / std::f64::consts::TAU).atan(), 0.12_f64.atan());
        let thread = 0.01 * (helix - rho).tan();
        let rise = 0.008 / std::f64::consts::TAU;
        let expected = -thread * 5.0 * 9.81 / (0.02 + thread * 5.0 * rise);
        assert!((runs.joint_coordinate(0, 0)[1] - expected).abs() < 1e-9);
    }
}

/// A shaft bent by a fixed angle has two angles that it turns about; this one swings about the first only.
#[test]
fn each_angle_of_a_universal_joint_has_its_friction() {
    let scene = |torques: [f64; 2], rate: [f64; 3]| {
        model(&format!(
            r#"
            dimension = 3
            gravity = [0, 0, 0]
            [[body]]
            name = "arm"
            kind = "rigid"
            mass = 1
            inertia = [0.3, 0.2, 0.4]
            position = [0, 0, 0]
            angular_velocity = {rate:?}
            [[joint]]
            name = "cross"
            kind = "universal"
            bodies = ["ground", "arm"]
            at = [0, 0, 0]
            axis = [1, 0, 0]
            second_axis = [0, 1, 0]
            friction = [
                {{ coordinate = "angle_1", torque = {:?} }},
                {{ coordinate = "angle_2", torque = {:?} }},
            ]
            "#,
            torques[0], torques[1]
        ))
    };
    for tolerance in [None, Some(1e-8)] {
        for (rate, torque, inertia, axis) in [
            ([3.0, 0.0, 0.0], 0.6, 0.3, 0),
            ([0.0, -2.0, 0.0], 0.1, 0.2, 1),
        ] {
            let end = run(&scene([0.6, 0.1], rate), 10.0, |s| s.tolerance = tolerance);
            let speed: f64 = rate[axis];
            let stop = speed.abs() * inertia / torque;
            let events: Vec<_> = end
                .report()
                .events
                .iter()
                .map(|e| (e.kind, e.time))
                .collect();
            println!("{events:?} {stop}");
            assert_eq!(events.len(), 1);
            assert!((events[0].1 - stop).abs() < 1e-7);
            let lost = end.report().friction_loss;
            assert!((lost - 0.5 * inertia * speed * speed).abs() < 1e-9);
            assert!(end.state().velocity.iter().all(|v| v.abs() < 1e-12));
        }
    }
}

/// A block of 2 kg on a belt, held by a spring of 50 N/m: stick-slip without end where friction at rest is larger.
fn block_on_belt(speed: &str, friction: &str, in_space: bool, surface: &str) -> Model {
    let surface = match (surface, in_space) {
        ("box", false) => "kind = \"box\", position = [0, -0.1], size = [20, 0.2]",
        ("box", true) => "kind = \"box\", position = [0, 0, -0.1], size = [20, 4, 0.2]",
        (_, false) => "kind = \"half_plane\", point = [0, 0], normal = [0, 1]",
        (_, true) => "kind = \"half_space\", point = [0, 0, 0], normal = [0, 0, 1]",
    };
    let text = format!(
        r#"
        [ground]
        shape = [{{ name = "track", {surface} }}]
        [[belt]]
        name = "conveyor"
        shape = "track"
        direction = [2, 0]
        speed = {speed}
        [[body]]
        name = "block"
        kind = "rigid"
        mass = 2
        position = [0, 0.1]
        shape = [{{ kind = "box", size = [0.4, 0.2] }}]
        [[force]]
        name = "spring"
        kind = "spring"
        bodies = ["ground", "block"]
        anchors = [[-3, 0.1], [0, 0]]
        stiffness = 50
        [contact_default]
        {friction}
        "#
    );
    if !in_space {
        return model(&text);
    }
    let mut space = format!("dimension = 3\n{text}");
    for (from, to) in [
        ("direction = [2, 0]", "direction = [2, 0, 0]"),
        ("position = [0, 0.1]", "position = [0, 0, 0.1]"),
        ("[0.4, 0.2]", "[0.4, 0.3, 0.2]"),
        ("[[-3, 0.1], [0, 0]]", "[[-3, 0, 0.1], [0, 0, 0]]"),
    ] {
        assert!(space.contains(from), "{from}");
        space = space.replace(from, to);
    }
    model(&space)
}

/// Position and velocity of the block, last of the bodies but the belt.
fn block(end: &Simulation) -> [f64; 2] {
    x_of(end, 0)
}

#[test]
fn a_belt_takes_a_block_along_until_its_spring_pulls_it_back() {
    // w = 5 rad/s, mu g/w^2 = 0.11772 m: it slides at first, sticks, breaks away where the spring takes mu m g, and swings about that point
    let (v, w, mu, g) = (0.3_f64, 5.0_f64, 0.3, 9.81);
    let centre: f64 = mu * g / (w * w);
    // sliding from rest: x = c (1 - cos w t) until x' = v
    let t1 = (v / (centre * w)).asin() / w;
    let x1 = centre * (1.0 - (w * t1).cos());
    // with the belt until x = c
    let t2 = t1 + (centre - x1) / v;
    // then it swings with the amplitude v/w about c, and meets the speed of the belt again after a whole turn
    let at = |t: f64| match t - t2 {
        dt if dt < 0.0 => [x1 + v * (t - t1), v],
        dt => [centre + v / w * (w * dt).sin(), v * (w * dt).cos()],
    };
    let friction = "friction = 0.3";
    for in_space in [false, true] {
        for surface in ["plane", "box"] {
            let model = block_on_belt(&format!("{v:?}"), friction, in_space, surface);
            for time in [0.25, 1.1] {
                let [x, speed] = at(time);
                let name = format!("block at {time} on a {surface}, in space {in_space}");
                let order = order_study(&name, &halvings(0.02, 6), |step| {
                    let [q, u] = block(&run(&model, time, |s| s.step = step));
                    (q - x).abs().max((u - speed).abs())
                });
                assert!(order >= ORDER, "{order}");
                for tolerance in TOLERANCES {
                    let end = run(&model, time, |s| s.tolerance = Some(tolerance));
                    let [q, u] = block(&end);
                    println!("{name} {tolerance:.0e}: {:.1e} {:.1e}", q - x, u - speed);
                    assert!((q - x).abs().max((u - speed).abs()) <= 10.0 * tolerance);
                    assert!(end.report().energy_error().abs() < 1e-4);
                }
            }
        }
    }
}

#[test]
fn a_block_on_a_belt_that_its_spring_holds_does_not_creep() {
    // the belt stands still; the spring takes 99 % of the friction
    for in_space in [false, true] {
        let friction = format!("friction = {:?}", 50.0 * 0.1 / (2.0 * 9.81) / 0.99);
        let mut standing = block_on_belt("0", &friction, in_space, "plane");
        standing.initial_position[0] = 0.1;
        for tolerance in [None, Some(1e-6)] {
            let end = run(&standing, 100.0, |s| s.tolerance = tolerance);
            let [x, v] = block(&end);
            println!("{in_space} {tolerance:?} {:e} {v:e}", x - 0.1);
            assert!((x - 0.1).abs() < 1e-12 && v.abs() < 1e-14);
        }
    }
}

#[test]
fn friction_at_rest_makes_a_block_on_a_belt_stick_and_slip_for_ever() {
    // from the second slip on each cycle is the same: break-away at mu_s, then a swing about the centre of mu_k
    let (v, w, g): (f64, f64, f64) = (0.1, 5.0, 9.81);
    let (static_x, centre) = (0.4 * g / (w * w), 0.25 * g / (w * w));
    let above = static_x - centre;
    // slips until its speed is again that of the belt
    let slip = 2.0 * (std::f64::consts::PI - (above * w).atan2(v)) / w;
    let stick = 2.0 * above / v;
    let friction = "friction = 0.25\nstatic_friction = 0.4";
    let model = block_on_belt(&format!("{v:?}"), friction, true, "plane");
    let end = run(&model, 20.0, |s| s.tolerance = Some(1e-8));
    let starts = end.report().events.iter();
    let starts: Vec<f64> = starts
        .filter(|e| e.kind == EventKind::SlipStart)
        .map(|e| e.time)
        .collect();
    // its four corners do so together
    let starts: Vec<f64> = starts.into_iter().step_by(4).collect();
    println!("{starts:?} {slip} {stick}");
    assert_eq!(starts.len(), 10);
    for pair in starts[1..].windows(2) {
        assert!(
            (pair[1] - pair[0] - slip - stick).abs() < 1e-6,
            "{pair:?} {}",
            slip + stick
        );
    }
}

fn shipped(name: &str, until: f64) -> Simulation {
    run(&model(&scene_text(name)), until, |settings| {
        settings.tolerance = Some(1e-9);
    })
}

fn kinds_and_times(simulation: &Simulation) -> Vec<(EventKind, f64)> {
    let events = simulation.report().events.iter();
    events.map(|event| (event.kind, event.time)).collect()
}

#[track_caller]
fn same_events(found: &[(EventKind, f64)], expected: &[(EventKind, f64)]) {
    println!("{found:?}");
    assert_eq!(found.len(), expected.len());
    for ((kind, time), (of, at)) in found.iter().zip(expected) {
        assert_eq!(kind, of);
        assert!((time - at).abs() < 1e-8, "{time} {at}");
    }
}

#[test]
fn the_screw_jack_lifts_locks_and_lowers_as_its_page_says() {
    let mut end = shipped("screw_jack", 3.0);
    let expected = [
        (EventKind::StickStart, 1.442_211_509_172),
        (EventKind::SlipStart, 2.0),
    ];
    same_events(&kinds_and_times(&end), &expected);
    let [angle, rate] = end.joint_coordinate(0, 0);
    assert!((angle - 1.968_994_495_4).abs() < 1e-8);
    assert!((rate + 3.127_221_963_3).abs() < 1e-8);
    let [angle, rate] = shipped("screw_jack", 2.0).joint_coordinate(0, 0);
    assert!((angle - 3.532_605_477).abs() < 1e-8 && rate.abs() < 1e-12);
}

#[test]
fn the_freewheel_overruns_between_the_pulses_of_its_crank() {
    let end = shipped("freewheel", 10.0);
    let (events, rates) = Freewheel::solution(10.0);
    same_events(&kinds_and_times(&end), &events);
    let v = &end.state().velocity;
    assert!((v[2] - rates[0]).abs() < 1e-8 && (v[5] - rates[1]).abs() < 1e-8);
}

#[test]
fn the_solenoid_valve_opens_and_shuts_in_the_time_of_its_closed_form() {
    let stroke = (5.0_f64 / 9.0).acos() / 100.0;
    let end = shipped("solenoid_valve", 0.1);
    let expected = [
        (EventKind::Impact, stroke),
        (EventKind::TakeOff, 0.05),
        (EventKind::Reversal, 0.05),
        (EventKind::Impact, 0.05 + stroke),
    ];
    same_events(&kinds_and_times(&end), &expected);
    let impulse = end.report().events[0].impulse[0];
    let speed = 0.9 * (1.0 - 25.0_f64 / 81.0).sqrt();
    assert!((impulse - 0.05 * speed).abs() < 1e-9);
    let state = end.state();
    assert!(state.position[0].abs() < 1e-9 && state.velocity[0].abs() < 1e-12);
}

#[test]
fn the_block_on_the_belt_sticks_and_slips_in_the_rhythm_of_its_page() {
    let (v, w, g): (f64, f64, f64) = (0.1, 5.0, 9.81);
    let [at_rest, centre] = [0.4, 0.25].map(|mu| mu * g / (w * w));
    let above = at_rest - centre;
    let first = (v / (centre * w)).asin() / w;
    let breaks = first + (at_rest - centre * (1.0 - (w * first).cos())) / v;
    let slips = 2.0 * (std::f64::consts::PI - (above * w).atan2(v)) / w;
    let mut expected = vec![(EventKind::StickStart, first)];
    let mut time = breaks;
    while time < 10.0 {
        expected.push((EventKind::SlipStart, time));
        if time + slips < 10.0 {
            expected.push((EventKind::StickStart, time + slips));
        }
        time += slips + 2.0 * above / v;
    }
    // the four corners of the block do so together
    let mut found = kinds_and_times(&shipped("belt_stick_slip", 10.0));
    found.dedup_by(|a, b| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6);
    same_events(&found, &expected);
}
