//! Couplings of a block on rough ground with a spring to a moving base in another model: the largest error of its position against all in
//! one scene, by communication step and stiffness, in the tables of docs/COUPLING.md.
//!
//! (1)  held:            F = f(t, x, v)                          f: the force of the spring and its damper
//! (2)  with derivative: F(s) = f + s f'
//! (3)  inverse mass:    F = (f(t, x, v) + f(t + h, x1, v1))/2,   v1 = v + h a,  x1 = x + h v + h²/2 a,  a = a0 + w (F - F0)
//!      F0, a0: the last force and the acceleration under it, w: inverse mass while sliding. It is the trapezoidal rule: stable at any h
//! (4)  spring line:     the motion of the base, the spring is integrated with the block
//!
//! usage: cargo bench --bench coupling

#[path = "../tests/common/mod.rs"]
mod common;

use common::instance::Driven;
use stiction::{Model, Simulation};

/// Of the base: swing in m, rad/s.
const SWING: f64 = 0.1;
const OMEGA: f64 = 2.0;

/// Length of a run, s.
const END: f64 = 3.0;

/// Communication steps, s.
const STEPS: [f64; 7] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1];

/// N/m, of a block of 1 kg.
const STIFFNESSES: [f64; 3] = [1e2, 1e4, 1e6];

/// Tolerance of the block.
const TOLERANCE: f64 = 1e-9;

const BLOCK: &str = r#"
[[body]]
name = "block"
kind = "rigid"
mass = 1
position = [0, 0.1]
shape = [{ kind = "box", size = [0.4, 0.2] }]
[[ground.shape]]
kind = "half_plane"
normal = [0, 1]
[contact_default]
friction = 0.3
restitution = 0.5
"#;

/// The block hits it at 0.12 m.
const WALL: &str = r#"
[[ground.shape]]
name = "wall"
kind = "half_plane"
point = [0.32, 0]
normal = [-1, 0]
"#;

/// What couples the block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coupling {
    Held,
    WithDerivative,
    InverseMass,
    Line,
    LineWithDerivative,
}

const COUPLINGS: [(Coupling, &str); 5] = [
    (Coupling::Held, "held force"),
    (Coupling::WithDerivative, "force with derivative"),
    (Coupling::InverseMass, "`inverse_mass`"),
    (Coupling::Line, "spring line"),
    (Coupling::LineWithDerivative, "spring line with derivative"),
];

/// The base and its spring.
#[derive(Clone, Copy)]
struct Partner {
    stiffness: f64,
    damping: f64,
}

/// Position, velocity and acceleration of the base.
fn base(t: f64) -> [f64; 3] {
    let (s, c) = (OMEGA * t).sin_cos();
    [
        SWING * (1.0 - c),
        SWING * OMEGA * s,
        SWING * OMEGA * OMEGA * c,
    ]
}

impl Partner {
    fn force(&self, t: f64, [x, v]: [f64; 2]) -> f64 {
        let [xb, vb, _] = base(t);
        self.stiffness * (xb - x) + self.damping * (vb - v)
    }

    fn force_rate(&self, t: f64, [v, a]: [f64; 2]) -> f64 {
        let [_, vb, ab] = base(t);
        self.stiffness * (vb - v) + self.damping * (ab - a)
    }

    /// The block, the spring and the base.
    fn one_scene(&self, ground: &str) -> String {
        let Self { stiffness, damping } = self;
        let (length, middle) = (5.0, 5.0 + SWING);
        format!(
            r#"{BLOCK}{ground}
[[body]]
name = "base"
kind = "driven"
position = [{{ kind = "harmonic", amplitude = -{SWING}, omega = {OMEGA}, offset = {middle} }}, 0.1]
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["block", "base"]
anchors = [[0, 0], [0, 0]]
stiffness = {stiffness}
damping = {damping}
rest_length = {length}
"#
        )
    }

    /// The block alone.
    fn scene_of_block(&self, ground: &str, coupling: Coupling) -> String {
        let Self { stiffness, damping } = self;
        let kind = match coupling {
            Coupling::Line | Coupling::LineWithDerivative => {
                format!("kind = \"spring\"\nstiffness = {stiffness}\ndamping = {damping}")
            }
            Coupling::Held | Coupling::WithDerivative | Coupling::InverseMass => {
                "kind = \"force\"".to_owned()
            }
        };
        let flange = "[[flange]]\nname = \"rod\"\nbody = \"block\"\nalong = [1, 0]";
        format!("{BLOCK}{ground}{flange}\n{kind}")
    }

    /// One communication step; `last` is the force of the one before.
    fn step(&self, fmu: &mut Driven, coupling: Coupling, last: &mut f64, h: f64) {
        let t = fmu.time;
        let [x, v] = [fmu.get("rod.position"), fmu.get("rod.velocity")];
        let [xb, vb, ab] = base(t);
        match coupling {
            Coupling::Held => fmu.set("rod.force", self.force(t, [x, v])), // (1)
            Coupling::WithDerivative => {
                let force = self.force(t, [x, v]);
                fmu.set("rod.force", force);
                let rate = self.force_rate(t, [v, fmu.rate("rod.velocity")]);
                fmu.set_series("rod.force", &[force, rate]); // (2)
            }
            Coupling::InverseMass => {
                let w = fmu.get("rod.inverse_mass_sliding");
                let without = fmu.rate("rod.velocity") - w * *last;
                let end = |force: f64| {
                    let a = without + w * force;
                    self.force(t + h, [x + h * v + 0.5 * h * h * a, v + h * a])
                };
                let slope = end(1.0) - end(0.0);
                let force = 0.5 * (self.force(t, [x, v]) + end(0.0)) / (1.0 - 0.5 * slope); // (3)
                fmu.set("rod.force", force);
                *last = force;
            }
            Coupling::Line => {
                fmu.set("rod.partner_position", xb); // (4)
                fmu.set("rod.partner_velocity", vb);
            }
            Coupling::LineWithDerivative => {
                fmu.set("rod.partner_position", xb);
                fmu.set_series("rod.partner_velocity", &[vb, ab]);
            }
        }
        fmu.step(h);
    }

    /// Positions of the block in one scene, at multiples of the shortest step.
    fn reference(&self, ground: &str) -> Vec<f64> {
        let text = self.one_scene(ground);
        let model = Model::from_text("scene", &text).unwrap_or_else(|e| panic!("{e}"));
        let mut settings = model.settings.clone();
        settings.tolerance = Some(TOLERANCE);
        let mut simulation = Simulation::with_settings(model, settings);
        let n = (END / STEPS[0]).round() as usize;
        let at = |i: usize| {
            simulation.advance_to(i as f64 * STEPS[0]).unwrap();
            simulation.state().position[0]
        };
        (0..=n).map(at).collect()
    }

    /// Largest error; none if the block moves more than twice as far as in one scene.
    fn largest_error(
        &self,
        reference: &[f64],
        ground: &str,
        coupling: Coupling,
        h: f64,
    ) -> Option<f64> {
        let mut fmu = Driven::new(&self.scene_of_block(ground, coupling), Some(TOLERANCE));
        let farthest = reference.iter().fold(0.0, |x: f64, y| x.max(y.abs()));
        let (mut error, mut last) = (0.0_f64, 0.0);
        for i in 1..=(END / h).round() as usize {
            self.step(&mut fmu, coupling, &mut last, h);
            let x = fmu.get("rod.position");
            if x.abs() > 2.0 * farthest {
                return None;
            }
            let at = (i as f64 * h / STEPS[0]).round() as usize;
            error = error.max((x - reference[at]).abs());
        }
        Some(error)
    }
}

fn main() {
    for (ground, damping_ratio) in [("", 0.0), ("", 0.1), (WALL, 0.1)] {
        let what = if ground.is_empty() { "" } else { ", wall" };
        println!("\ndamping ratio {damping_ratio}{what}");
        for stiffness in STIFFNESSES {
            let damping = 2.0 * damping_ratio * stiffness.sqrt();
            let partner = Partner { stiffness, damping };
            let reference = partner.reference(ground);
            for (coupling, name) in COUPLINGS {
                let cell = |h| match partner.largest_error(&reference, ground, coupling, h) {
                    Some(error) => format!("{error:.1e}"),
                    None => "-".to_owned(),
                };
                let cells = STEPS.map(cell);
                println!("| {stiffness:.0e} | {name} | {} |", cells.join(" | "));
            }
        }
    }
}
