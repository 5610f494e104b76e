//! Dry friction in joints, clutches and brakes with time stepping: against independent solutions, exact stick, energy and momentum.

use crate::common::{Truth, halvings, model, norm2, order_study, run};
use stiction::integrate::EventKind;
use stiction::{Model, Simulation};

/// Every study asks for this slope at least: steps with transitions are of first order.
const ORDER: f64 = 1.0;

const TIME_STEPPING: &str = "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\n";

/// A scene in space, whose gravity is `gravity`.
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

/// A shaft about the x axis.
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

fn clutch(name: &str, bodies: [&str; 2], normal_force: &str) -> String {
    format!(
        r#"
        [[clutch]]
        name = "{name}"
        bodies = {bodies:?}
        axis = [1, 0, 0]
        friction = 0.4
        radius = 0.2
        normal_force = {normal_force}
        "#
    )
}

fn clutched_shafts() -> Model {
    let table = r#"{ kind = "table", times = [0, 0.2, 1.0, 3.0, 3.5, 4.2, 4.8], values = [0, 0, 200, 200, 30, 30, 200] }"#;
    let [engine, load] = [shaft("engine", 0.5, 40.0, "6"), shaft("load", 1.25, 0.0, "-4")];
    let between = clutch("clutch", ["engine", "load"], table);
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

/// A case and the true values of coordinate and rate of its joints.
struct Case {
    name: &'static str,
    model: Model,
    truth: Truth,
    end: f64,
    step: f64,
    columns: &'static [[&'static str; 2]],
}

fn cases() -> Vec<Case> {
    let pendulum = |name, model, truth| Case {
        name,
        model,
        truth: Truth::load(truth),
        end: 8.0,
        step: 0.02,
        columns: &[["theta", "omega"]],
    };
    let constant = super::time_stepping_friction::pendulum(1.2, 1.0, 0.02, 0.5, "{ torque = 0.35 }");
    let loaded = super::time_stepping_friction::pendulum(
        1.5,
        1.5,
        0.03,
        0.4,
        "{ coefficient = 0.4, radius = 0.08 }",
    );
    vec![
        Case {
            name: "clutch",
            model: clutched_shafts(),
            truth: Truth::load("m1a_clutch"),
            end: 6.0,
            step: 0.04,
            columns: &[["phi1", "w1"], ["phi2", "w2"]],
        },
        Case {
            name: "brake",
            model: braked_vehicle(),
            truth: Truth::load("m2a_brake"),
            end: 12.0,
            step: 0.04,
            columns: &[["x", "v"]],
        },
        pendulum("pendulum", constant, "m3a_pendulum_coulomb"),
        pendulum("load-dependent", loaded, "m4a_pendulum_load_friction"),
    ]
}

impl Case {
    fn error(&self, simulation: &mut Simulation, time: f64) -> f64 {
        let mut errors = Vec::new();
        for (joint, columns) in self.columns.iter().enumerate() {
            let found = simulation.joint_coordinate(joint, 0);
            for (found, column) in found.into_iter().zip(columns) {
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
        let times = case.truth.sample_times();
        for time in [times[times.len() / 4], case.end] {
            let name = format!("{} at {time}", case.name);
            let order = order_study(&name, &steps, |step| {
                let mut end = run(&case.model, time, |s| s.step = step);
                case.error(&mut end, time).max(1e-16)
            });
            let mut finest = run(&case.model, time, |s| s.step = steps[5]);
            let rounding = case.error(&mut finest, time) < 1e-12;
            println!("{name}: order {order}");
            assert!(order >= ORDER || rounding, "{name}: {order}");
        }
    }
}
