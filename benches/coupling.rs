//! Couplings of a block on rough ground with a spring to a moving base in another model: the largest error of its position against both in
//! one scene, by communication step and stiffness. docs/COUPLING.md has the tables.
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

const STIFFNESSES: [f64; 3] = [1e2, 1e4, 1e6];

/// A block of 1 kg on the ground.
const BLOCK: &str = r#"
[settings]
tolerance = 1e-9
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
"#;

/// The base and the spring in the same scene.
fn one_scene(stiffness: f64, damping: f64) -> String {
    format!(
        r#"{BLOCK}
[[body]]
name = "base"
kind = "driven"
position = [{{ kind = "harmonic", amplitude = -{SWING}, omega = {OMEGA}, offset = {} }}, 0.1]
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["block", "base"]
anchors = [[0, 0], [0, 0]]
stiffness = {stiffness}
damping = {damping}
rest_length = 5
"#,
        5.0 + SWING
    )
}

fn flange(kind: &str) -> String {
    format!("{BLOCK}[[flange]]\nname = \"rod\"\nbody = \"block\"\nalong = [1, 0]\n{kind}")
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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Coupling {
    Held,
    WithRate,
    InverseMass,
    Repeated,
    Line,
}

const COUPLINGS: [(Coupling, &str); 5] = [
    (Coupling::Held, "held force"),
    (Coupling::WithRate, "force with derivative"),
    (Coupling::InverseMass, "`inverse_mass`"),
    (Coupling::Repeated, "`inverse_mass`, repeated"),
    (Coupling::Line, "spring line"),
];

/// The spring of the partner.
#[derive(Clone, Copy)]
struct Partner {
    stiffness: f64,
    damping: f64,
}

impl Partner {
    fn force(&self, t: f64, [x, v]: [f64; 2]) -> f64 {
        let [xb, vb, _] = base(t);
        self.stiffness * (xb - x) + self.damping * (vb - v)
    }

    fn rate(&self, t: f64, v: f64, a: f64) -> f64 {
        let [_, vb, ab] = base(t);
        self.stiffness * (vb - v) + self.damping * (ab - a)
    }
}

/// One communication step of the master.
fn step(fmu: &mut Driven, partner: Partner, coupling: Coupling, last: &mut f64, h: f64) {
    let t = fmu.time;
    let now = [fmu.get("rod.position"), fmu.get("rod.velocity")];
    let [x, v] = now;
    match coupling {
        Coupling::Held => fmu.set("rod.force", partner.force(t, now)),
        Coupling::WithRate => {
            let force = partner.force(t, now);
            fmu.set("rod.force", force);
            let rate = partner.rate(t, v, fmu.rate("rod.velocity"));
            fmu.set_series("rod.force", &[force, rate]);
        }
        Coupling::InverseMass | Coupling::Repeated => {
            let w = fmu.get("rod.inverse_mass_sliding");
            let free = fmu.rate("rod.velocity") - w * *last;
            // mean of the forces at both ends, with the end that this mean causes
            let end = |mean: f64| {
                let a = free + w * mean;
                partner.force(t + h, [x + h * v + 0.5 * h * h * a, v + h * a])
            };
            let (at_zero, by_one) = (end(0.0), end(1.0) - end(0.0));
            let mut mean = 0.5 * (partner.force(t, now) + at_zero) / (1.0 - 0.5 * by_one);
            let saved = (coupling == Coupling::Repeated).then(|| fmu.save());
            fmu.set("rod.force", mean);
            if let Some(saved) = &saved {
                let first = partner.force(t, now);
                let mut known: Option<[f64; 2]> = None;
                for _ in 0..8 {
                    fmu.step(h);
                    let end = [fmu.get("rod.position"), fmu.get("rod.velocity")];
                    let rest = mean - 0.5 * (first + partner.force(fmu.time, end));
                    let slope = match known {
                        None => 1.0 - 0.5 * by_one,
                        Some([other, of_other]) => (rest - of_other) / (mean - other),
                    };
                    if rest.abs() <= 1e-6 * (1.0 + mean.abs()) {
                        break;
                    }
                    known = Some([mean, rest]);
                    mean -= rest / slope.max(1.0);
                    fmu.restore(saved);
                    fmu.set("rod.force", mean);
                }
                if fmu.time > t {
                    *last = mean;
                    return;
                }
            }
            *last = mean;
        }
        Coupling::Line => {
            let [xb, vb, _] = base(t);
            fmu.set("rod.partner_position", xb);
            fmu.set("rod.partner_velocity", vb);
        }
    }
    fmu.step(h);
}

/// Positions of the block at the communication points of the shortest step.
fn reference(partner: Partner) -> Vec<f64> {
    let text = one_scene(partner.stiffness, partner.damping);
    let model = Model::from_text("scene", &text).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(model);
    let n = (END / STEPS[0]).round() as usize;
    let mut all = Vec::with_capacity(n + 1);
    for i in 0..=n {
        simulation.advance_to(i as f64 * STEPS[0]).unwrap();
        all.push(simulation.state().position[0]);
    }
    all
}

/// Largest error, or none if the largest position is more than twice that of the reference.
fn largest_error(reference: &[f64], partner: Partner, coupling: Coupling, h: f64) -> Option<f64> {
    let kind = match coupling {
        Coupling::Line => format!(
            "kind = \"spring\"\nstiffness = {}\ndamping = {}",
            partner.stiffness, partner.damping
        ),
        _ => "kind = \"force\"".to_owned(),
    };
    let mut fmu = Driven::new(&flange(&kind), Some(1e-9));
    let farthest = |x: f64, y: &f64| x.max(y.abs());
    let allowed = 2.0 * reference.iter().fold(0.0, farthest);
    let (mut error, mut last) = (0.0_f64, 0.0);
    let n = (END / h).round() as usize;
    for i in 1..=n {
        step(&mut fmu, partner, coupling, &mut last, h);
        let at = ((i as f64 * h) / STEPS[0]).round() as usize;
        let x = fmu.get("rod.position");
        if x.abs() > allowed {
            return None;
        }
        error = error.max((x - reference[at]).abs());
    }
    Some(error)
}

fn main() {
    for damping_ratio in [0.0, 0.1] {
        println!("\ndamping ratio {damping_ratio}");
        for stiffness in STIFFNESSES {
            let damping = 2.0 * damping_ratio * stiffness.sqrt();
            let partner = Partner { stiffness, damping };
            let reference = reference(partner);
            for (coupling, name) in COUPLINGS {
                let cells = STEPS.map(|h| match largest_error(&reference, partner, coupling, h) {
                    Some(error) => format!("{error:.1e}"),
                    None => "-".to_owned(),
                });
                println!("| {stiffness:.0e} | {name} | {} |", cells.join(" | "));
            }
        }
    }
}
