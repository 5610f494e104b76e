//! Shared by the integration tests and the benchmarks: shipped scenes, variants of them, reference solutions, observed orders.
#![allow(dead_code)] // each program uses its own part

pub mod allocator;
pub mod boxes;
pub mod c;
pub mod command;
pub mod cpu;
pub mod instance;
pub mod libraries;
pub mod mutated;
pub mod passive;
pub mod piles;
pub mod problems;
pub mod random;
pub mod random_scenes;
pub mod refused;
pub mod texts;
pub mod time_stepping_scenes;

use serde_json::Value;
use std::path::Path;
use stiction::scene::spec::Settings;
use stiction::{Model, Scheme, Simulation};

/// The folder of the package.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Text of a file of the package.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Text of a shipped scene.
pub fn scene_text(name: &str) -> String {
    read(&format!("resources/{name}/scene.toml"))
}

/// Names of the shipped scenes.
pub fn scene_names() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("resources")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = folders
        .filter(|folder| folder.join("scene.toml").is_file())
        .map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 24, "{names:?}");
    names
}

/// The schemes but the default one.
pub const OTHER_SCHEMES: [Scheme; 7] = [
    Scheme::Extrapolated,
    Scheme::TrapezoidalPrinted,
    Scheme::TrapezoidalAverage,
    Scheme::ImplicitEuler,
    Scheme::ExplicitEuler,
    Scheme::PositionEuler,
    Scheme::General {
        alpha: 0.75,
        gamma: 0.75,
    },
];

/// Text of a scene that showed a defect.
pub fn defect_text(name: &str) -> String {
    read(&format!("tests/data/defects/{name}.toml"))
}

/// Its model.
pub fn defect(name: &str) -> Model {
    model(&defect_text(name))
}

/// A model from scene text.
pub fn model(text: &str) -> Model {
    Model::from_text("scene", text).unwrap_or_else(|e| panic!("{e}"))
}

/// A shipped scene with some of its text replaced; every replacement must be found.
pub fn variant(name: &str, replacements: &[(&str, &str)]) -> Model {
    let mut text = scene_text(name);
    for (from, to) in replacements {
        assert!(text.contains(from), "{name} has no `{from}`");
        text = text.replace(from, to);
    }
    model(&text)
}

/// Runs to `until` with changed settings.
pub fn run(model: &Model, until: f64, change: impl FnOnce(&mut Settings)) -> Simulation {
    let mut settings = model.settings.clone();
    change(&mut settings);
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    simulation
        .advance_to(until)
        .unwrap_or_else(|e| panic!("{}: {e}", model.name));
    simulation
}

/// A reference solution.
pub struct Truth(pub Value);

impl Truth {
    pub fn load(name: &str) -> Self {
        let text = read(&format!("tests/data/truth/{name}.json"));
        Self(serde_json::from_str(&text).unwrap())
    }

    /// A sampled column at one of the sample times.
    pub fn at(&self, time: f64, column: &str) -> f64 {
        let columns = self.0["columns"].as_array().unwrap();
        let c = columns
            .iter()
            .position(|x| x == column)
            .unwrap_or_else(|| panic!("no {column}"));
        self.0["values"][self.sample(time)][c].as_f64().unwrap()
    }

    fn sample(&self, time: f64) -> usize {
        let found = self
            .sample_times()
            .iter()
            .position(|t| (t - time).abs() < 1e-12);
        found.unwrap_or_else(|| panic!("no sample at {time}"))
    }

    pub fn sample_times(&self) -> Vec<f64> {
        let times = self.0["sample_times"].as_array().unwrap();
        times.iter().map(|t| t.as_f64().unwrap()).collect()
    }

    /// All columns of one of several cases at one of the sample times.
    pub fn case_at(&self, case: usize, time: f64) -> Vec<f64> {
        let values = self.0["cases"][case]["values"][self.sample(time)].as_array();
        values
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    }

    pub fn event_times(&self) -> Vec<f64> {
        let events = self.0["events"].as_array().unwrap();
        events.iter().map(|e| e["t"].as_f64().unwrap()).collect()
    }
}

/// Least-squares slope of log error over log step.
pub fn observed_order(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() as f64;
    let x: Vec<f64> = steps.iter().map(|h| h.ln()).collect();
    let y: Vec<f64> = errors.iter().map(|e| e.max(1e-300).ln()).collect();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = x.iter().map(|x| (x - mx) * (x - mx)).sum();
    sxy / sxx
}

/// Runs an order study and prints it: `error` of a run at each step size.
pub fn order_study(name: &str, steps: &[f64], mut error: impl FnMut(f64) -> f64) -> f64 {
    let errors: Vec<f64> = steps.iter().map(|h| error(*h)).collect();
    let order = observed_order(steps, &errors);
    let list: Vec<String> = errors.iter().map(|e| format!("{e:.2e}")).collect();
    println!("{name}: order {order:.3}, errors {}", list.join(" "));
    order
}

/// Steps of order four of an autonomous system.
pub fn runge_kutta<const N: usize>(
    mut y: [f64; N],
    until: f64,
    n: usize,
    mut rate: impl FnMut(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = until / n as f64;
    let along = |y: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..n {
        let a = rate(&y);
        let b = rate(&along(&y, &a, 0.5 * h));
        let c = rate(&along(&y, &b, 0.5 * h));
        let d = rate(&along(&y, &c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

/// Step sizes `first`, `first/2`, ..: `n` of them.
pub fn halvings(first: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| first / f64::from(1 << i)).collect()
}

pub fn norm2(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A rigid block on contacts at the given places, pushed to and fro at its support line.
pub fn supported_block(supports: &[f64], omega: f64) -> Model {
    let shapes: Vec<String> = supports
        .iter()
        .map(|x| format!("{{ kind = \"point\", position = [{x}, 0.0] }}"))
        .collect();
    model(&format!(
        r#"
        [[body]]
        name = "block"
        kind = "rigid"
        mass = 1.0
        inertia = 0.1
        position = [3.0, 0.0]
        shape = [{}]
        [[force]]
        name = "push"
        kind = "applied"
        body = "block"
        force = [{{ kind = "harmonic", amplitude = 8.0, omega = {omega:?} }}, 0.0]
        [contact_default]
        friction = 0.8
        [[ground.shape]]
        kind = "half_plane"
        normal = [0.0, 1.0]
        "#,
        shapes.join(", ")
    ))
}

/// A ball above a floor with gravity upwards: it comes down, would dip below the floor by `depth` at the time `middle`, and leaves again.
pub fn dipping_ball(g: f64, depth: f64, middle: f64) -> String {
    let (v0, y0) = (-g * middle, 0.5 * g * middle * middle - depth);
    format!(
        r#"
        gravity = [0.0, {g}]
        [[body]]
        name = "ball"
        kind = "point"
        mass = 1.0
        position = [0.0, {y0:.17}]
        velocity = [0.0, {v0:.17}]
        shape = [{{ kind = "point" }}]
        [contact_default]
        restitution = 0.5
        [[ground.shape]]
        kind = "half_plane"
        point = [0.0, 0.0]
        normal = [0.0, 1.0]
        "#
    )
}

/// A slender rod of 2 m and 1 kg on its tip, sliding so that no acceleration obeys Coulomb's law.
pub fn painleve() -> Model {
    let s = 0.75_f64.sqrt();
    model(&format!(
        r#"
        [[body]]
        name = "rod"
        kind = "rigid"
        mass = 1.0
        inertia = 0.33333333333333333
        position = [0.0, {s:.17}]
        angle = {:.17}
        velocity = [-3.0, 0.0]
        shape = [{{ kind = "point", position = [-1.0, 0.0] }}, {{ kind = "point", position = [1.0, 0.0] }}]
        [contact_default]
        friction = 2.0
        [[ground.shape]]
        kind = "half_plane"
        point = [0.0, 0.0]
        normal = [0.0, 1.0]
        "#,
        std::f64::consts::FRAC_PI_3
    ))
}
