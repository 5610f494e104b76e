//! Time stepping: the energy of what nothing drives never rises, and every loss is one that happened.

use crate::common::defect_text;
use stiction::warning::Kind;
use stiction::{Model, Simulation};

/// Most that energy may rise by, as a part of the energy in play.
const RISE: f64 = 1e-4;

/// A run of a second, row by row.
struct Run {
    simulation: Simulation,
    energies: Vec<f64>,
}

impl Run {
    fn of(text: &str) -> Self {
        let mut simulation = Simulation::new(Model::from_text("scene", text).unwrap());
        let mut energies = vec![simulation.energy().total()];
        for row in 1..=100 {
            simulation.advance_to(f64::from(row) * 0.01).unwrap();
            energies.push(simulation.energy().total());
        }
        Self {
            simulation,
            energies,
        }
    }

    fn of_defect(name: &str) -> Self {
        Self::of(&defect_text(name))
    }

    /// The largest rise, as a part of the energy in play.
    fn rise(&self) -> f64 {
        let (mut least, mut rise) = (f64::INFINITY, 0.0f64);
        for energy in &self.energies {
            least = least.min(*energy);
            rise = rise.max(energy - least);
        }
        rise / self.in_play()
    }

    fn in_play(&self) -> f64 {
        self.simulation.report().energy_in_play()
    }

    fn lost(&self) -> f64 {
        self.energies[0] - self.energies[self.energies.len() - 1]
    }

    fn booked(&self) -> f64 {
        self.simulation.report().losses()
    }

    fn warns_of(&self, kind: Kind) -> bool {
        self.simulation.warnings().any(|w| w.kind == kind)
    }
}

#[test]
fn energy_of_springs_dampers_and_joints_does_not_rise() {
    for name in [
        "time_stepping_4",
        "time_stepping_28",
        "time_stepping_35",
        "time_stepping_197",
        "time_stepping_260",
        "time_stepping_288",
    ] {
        let run = Run::of_defect(name);
        let report = run.simulation.report();
        println!(
            "{name}: rise {:.1e}, lost {} J, booked {} J, numerical {} and {} J",
            run.rise(),
            run.lost(),
            run.booked(),
            report.numerical_loss,
            report.numerical_gain
        );
        assert!(run.rise() < RISE, "{name}: {}", run.rise());
        assert!(!run.warns_of(Kind::EnergyGain), "{name}");
        // losses are those that happened, and the balance closes
        let losses = [
            report.damping_loss,
            report.friction_loss,
            report.impact_loss - report.lifted,
        ];
        assert!(losses.iter().all(|loss| *loss >= 0.0), "{name}: {losses:?}");
        let bound = run.lost() + 1e-3 * run.in_play();
        assert!(run.booked() <= bound, "{name}: {}", run.booked());
        let off = report.balance_error();
        assert!(off.abs() < 1e-9 * run.in_play(), "{name}: {off}");
    }
}

// without gravity
fn scene(rest: &str) -> String {
    format!(
        "name = \"scene\"\ndimension = 3\ngravity = [0, 0, 0]\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.01\n{rest}"
    )
}

#[test]
fn a_body_that_tumbles_keeps_its_energy_and_momentum() {
    let text = scene(
        "[[body]]\nname = \"block\"\nkind = \"rigid\"\nposition = [0, 0, 0]\nmass = 1\ninertia = [1, 2, 3]\nangular_velocity = [0.1, 9, 0.1]\n",
    );
    let run = Run::of(&text);
    assert!(
        (run.lost() / run.energies[0]).abs() < 1e-12,
        "{}",
        run.lost()
    );
    let (model, state) = (run.simulation.model(), run.simulation.state());
    let square = |v: &[f64]| -> f64 {
        let of = |k: usize| (model.mass[k] * v[k]).powi(2);
        (3..6).map(of).sum()
    };
    let [before, after] = [&model.initial_velocity, &state.velocity].map(|v| square(v));
    assert!((after / before - 1.0).abs() < 1e-12);
    assert!((state.velocity[4] - 9.0).abs() > 1.0, "it tumbles");
}

#[test]
fn a_damper_takes_what_its_impulse_takes_however_stiff_it_is() {
    for damping in [1.0, 1e3, 1e7] {
        let text = scene(&format!(
            "[[body]]\nname = \"cart\"\nkind = \"rigid\"\nmass = 2\ninertia = [1, 1, 1]\nposition = [1, 0, 0]\nvelocity = [3, 0, 0]\n\
             [[force]]\nname = \"damper\"\nkind = \"damper\"\nbodies = [\"ground\", \"cart\"]\nanchors = [[0, 0, 0], [0, 0, 0]]\ndamping = {damping:e}\n"
        ));
        let run = Run::of(&text);
        let report = run.simulation.report();
        let off = report.damping_loss - run.lost();
        assert!(off.abs() < 1e-12 * run.energies[0], "{damping}: {off}");
        assert!(report.numerical_gain < 1e-12, "{damping}");
    }
}

// a seal that is pushed to and fro, as s03_stribeck_wrong.toml in the plane
fn seal(step: f64) -> Run {
    let text = scene(
        "[[body]]\nname = \"m\"\nkind = \"rigid\"\nposition = [0, 0, 0]\nmass = 1\ninertia = [1, 1, 1]\n\
         [[joint]]\nname = \"rail\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"m\"]\nat = [0, 0, 0]\naxis = [1, 0, 0]\n\
         [[force]]\nname = \"friction\"\nkind = \"stribeck\"\njoint = \"rail\"\nstatic_friction = 10\nkinetic_friction = 10\nstribeck_rate = 0.1\ntransition_rate = 1e-3\n\
         [[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"m\"\nforce = [{ kind = \"harmonic\", amplitude = 30, omega = 6 }, 0, 0]\n",
    );
    Run::of(&text.replace("step = 0.01", &format!("step = {step:e}")))
}

#[test]
fn a_step_too_long_for_smoothed_friction_is_reported() {
    let rough = seal(0.01);
    assert!(rough.warns_of(Kind::SmoothedFriction));
    let rate = rough.simulation.report().friction_rate;
    let fine = seal(0.5 / rate);
    assert!(!fine.warns_of(Kind::SmoothedFriction), "{rate}");
}
