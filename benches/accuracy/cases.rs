//! Scenes with a reference solution: a model, the end of the run and the error there.

use crate::common::read;
use serde_json::Value;
use stiction::Model;

/// One scene with its reference.
pub struct Case {
    pub name: &'static str,
    pub model: Model,
    /// End of the run, s.
    pub until: f64,
    /// Coordinates that are compared, and their values at the end.
    expected: Vec<(usize, f64)>,
}

impl Case {
    /// Largest error of the positions at the end, m or rad.
    pub fn error(&self, position: &[f64]) -> f64 {
        let errors = self.expected.iter().map(|(i, x)| (position[*i] - x).abs());
        errors.fold(0.0, f64::max)
    }
}

/// All of them.
pub fn all() -> Vec<Case> {
    let mut cases = vec![
        case("block", "block_on_table", "p1_block", 10.0, &[(0, "x")]),
        pendulum(),
        rod("rod to 0.54 s", 0.54),
        rod("rod to 0.6 s", 0.6),
    ];
    for name in ["S1e2", "S1e4", "S1e6", "D1e2", "D1e3", "D1e6"] {
        cases.push(carts(name));
    }
    cases.push(case(
        "slider-crank",
        "slider_crank",
        "p6i_slider_crank",
        5.0,
        &[(2, "theta"), (6, "x_slider")],
    ));
    for (name, damping) in [
        ("two bodies, damper 20", "20"),
        ("two bodies, damper 100", "100"),
        ("two bodies, damper 1e6", "1e6"),
    ] {
        let text = scene("two_bodies_damper");
        let text = replaced(&text, "damping = 20", &format!("damping = {damping}"));
        let reference = format!("p4_damper_m1_g{damping}");
        cases.push(of(name, &text, &reference, 10.0, &[(0, "x1"), (2, "x2")]));
    }
    cases
}

/// Two points on threads and a wall: five impacts.
pub fn pendulum() -> Case {
    let columns = [(0, "x1"), (1, "y1"), (2, "x2"), (3, "y2")];
    case(
        "pendulum",
        "double_pendulum_wall",
        "p2_double_pendulum",
        2.5,
        &columns,
    )
}

/// Two carts with a spring and a damper, a stopper and friction: S is the stiffness, D the damping.
pub fn carts(kind: &'static str) -> Case {
    let name = match kind {
        "S1e2" => "carts S1e2",
        "S1e4" => "carts S1e4",
        "S1e6" => "carts S1e6",
        "D1e2" => "carts D1e2",
        "D1e3" => "carts D1e3",
        "D1e6" => "carts D1e6",
        other => panic!("no reference for {other}"),
    };
    let reference = format!("p3_carts_{kind}");
    let parameters = &load(&reference)["parameters"];
    let x = number(&parameters["q0"][0]);
    let v = number(&parameters["v0"][0]);
    let mut text = scene("two_carts");
    for (from, to) in [
        (
            "stiffness = 100",
            format!("stiffness = {:e}", number(&parameters["gamma"])),
        ),
        (
            "damping = 10",
            format!("damping = {:e}", number(&parameters["delta"])),
        ),
        ("position = [0.2, 0]", format!("position = [{x}, 0]")),
        (
            "position = [5.2, 0]",
            format!("position = [{}, 0]", x + 5.0),
        ),
        ("velocity = [-3, 0]", format!("velocity = [{v}, 0]")),
    ] {
        text = replaced(&text, from, &to);
    }
    let until = number(&parameters["T"]);
    of(name, &text, &reference, until, &[(0, "x1"), (2, "x2")])
}

fn rod(name: &'static str, until: f64) -> Case {
    let columns = [(0, "x"), (1, "y"), (2, "theta")];
    case(name, "falling_rod", "p5_rod_y1_truetip", until, &columns)
}

fn case(
    name: &'static str,
    scene_name: &str,
    reference: &str,
    until: f64,
    columns: &[(usize, &str)],
) -> Case {
    of(name, &scene(scene_name), reference, until, columns)
}

fn of(
    name: &'static str,
    text: &str,
    reference: &str,
    until: f64,
    columns: &[(usize, &str)],
) -> Case {
    let truth = load(reference);
    let list = |key: &str| truth[key].as_array().expect("a list").clone();
    let sample = list("sample_times")
        .iter()
        .position(|t| (number(t) - until).abs() < 1e-12)
        .expect("a sample at the end");
    let value = |column: &str| {
        let place = list("columns").iter().position(|c| c == column);
        number(&truth["values"][sample][place.expect("a column")])
    };
    Case {
        name,
        model: Model::from_text(name, text).unwrap_or_else(|e| panic!("{e}")),
        until,
        expected: columns.iter().map(|(i, c)| (*i, value(c))).collect(),
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no `{from}`");
    text.replace(from, to)
}

fn scene(name: &str) -> String {
    read(&format!("resources/{name}/scene.toml"))
}

fn load(reference: &str) -> Value {
    let text = read(&format!("tests/data/truth/{reference}.json"));
    serde_json::from_str(&text).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
