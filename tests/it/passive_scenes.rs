//! A sample of random passive scenes: their energy never rises, their losses are real, shapes stay apart and joints together, or a warning tells.
//! `cargo bench --bench passive` checks as many as wanted (docs/BENCHMARKS.md).

use crate::common::passive::{Class, EnergyBalance, Finding, Record, check};
use crate::common::random_scenes::{Contacts, Family, scene};
use std::time::{Duration, Instant};
use stiction::{Model, Simulation};

/// Scenes of each family.
const SAMPLE: [(Family, u64); 3] = [
    (Family::Plane, 80),
    (Family::Space, 60),
    (Family::TimeStepping, 60),
];

/// Rows in the second that is simulated.
const N_ROWS: u32 = 100;

/// By tolerance, a fifth of what steps may take without being told otherwise: hard scenes end soon.
const MOST_WORK: u32 = 4000;

/// A run that takes longer is ended; the bench measures processor time, which other work on the machine does not lengthen.
const LONGEST: Duration = Duration::from_secs(60);

/// The run of a scene.
struct Run {
    name: String,
    record: Record,
    findings: Vec<Finding>,
}

impl Run {
    fn new(seed: u64, family: Family, contacts: Contacts, tolerance: Option<f64>) -> Self {
        let name = format!("{}_{seed}", family.name());
        let text = scene(seed, family, contacts);
        let model = Model::from_text(&name, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let record = record(model, tolerance);
        let findings = check(&record);
        Self {
            name,
            record,
            findings,
        }
    }

    /// Did it end because of the bound on the work of a step, and say so?
    fn takes_too_much_work(&self) -> bool {
        let stopped = self.record.stopped.as_ref();
        stopped.is_some_and(|why| why.contains("exceeded its work limit"))
    }

    /// Is it wrong in this way, or said to be?
    fn is(&self, class: Class) -> bool {
        self.findings.iter().any(|f| f.class == class) || class.is_told(&self.record)
    }
}

/// Runs a scene and looks at it a hundred times.
fn record(model: Model, tolerance: Option<f64>) -> Record {
    let mut settings = model.settings.clone();
    settings.tolerance = tolerance;
    if tolerance.is_some() {
        settings.max_step_work = MOST_WORK;
    }
    let mut simulation = Simulation::with_settings(model, settings);
    let mut record = Record {
        is_finite: true,
        ..Record::default()
    };
    let mut balance = EnergyBalance {
        start: simulation.energy().total(),
        ..EnergyBalance::default()
    };
    let clock = Instant::now();
    for row in 0..=N_ROWS {
        let moved = match row {
            0 => simulation.initialize(),
            _ => simulation.glide_to(f64::from(row) / f64::from(N_ROWS), 1.0),
        };
        look(&mut simulation, &mut record, &mut balance);
        simulation.report_mut().events.clear();
        record.stopped = match moved {
            Err(error) => Some(error.to_string()),
            Ok(()) if clock.elapsed() > LONGEST => Some("it takes too long".to_owned()),
            Ok(()) => continue,
        };
        break;
    }
    record.balance = Some(balance);
    record.warnings = warnings(&simulation);
    record
}

fn look(simulation: &mut Simulation, record: &mut Record, balance: &mut EnergyBalance) {
    let energy = simulation.energy();
    record.energy.push([energy.kinetic, energy.potential]);
    if simulation.model().time_stepping.is_none() {
        for contact in 0..simulation.model().contacts.len() {
            if simulation.model().contacts[contact].compliance.is_none() {
                let gap = simulation.gap(contact);
                record.overlap = record.overlap.max(-gap);
            }
        }
    }
    let state = simulation.state();
    let mut numbers = state.position.iter().chain(&state.velocity);
    record.is_finite &= numbers.all(|x| x.is_finite());
    let report = simulation.report();
    record.overlap = record.overlap.max(report.worst_penetration);
    record.drift = record.drift.max(report.worst_joint_drift);
    let losses = [
        report.damping_loss,
        report.friction_loss,
        report.impact_loss - report.lifted,
    ];
    for (now, before) in losses.iter().zip(balance.losses) {
        balance.fall = balance.fall.max(before - now);
    }
    balance.losses = losses;
}

/// What the run tells to be off.
fn warnings(simulation: &Simulation) -> Vec<String> {
    simulation.warnings().map(|w| w.to_string()).collect()
}

fn runs(families: &[Family], contacts: Contacts, tolerance: Option<f64>) -> Vec<Run> {
    let sample = SAMPLE.into_iter().filter(|(f, _)| families.contains(f));
    // by tolerance they take longer
    let n_of = |n: u64| if tolerance.is_some() { n / 2 } else { n };
    let runs = sample.flat_map(|(family, n)| (0..n_of(n)).map(move |seed| (seed, family)));
    runs.map(|(seed, family)| Run::new(seed, family, contacts, tolerance))
        .collect()
}

/// Nothing is wrong without a word.
fn assert_nothing_silent(runs: &[Run]) {
    let silent = runs
        .iter()
        .filter(|run| run.findings.iter().any(|f| f.is_silent));
    let silent: Vec<String> = silent
        .map(|run| format!("{}: {:?}", run.name, run.findings))
        .collect();
    assert!(silent.is_empty(), "in silence: {silent:#?}");
}

/// Energy rises, and steps lose some, in at most these parts of all scenes; all come to their end.
fn assert_rarely_wrong(runs: &[Run], most_gains: f64, most_losses: f64) {
    let count = |class| runs.iter().filter(|run| run.is(class)).count();
    let n = runs.len() as f64;
    let gains = count(Class::Gain) as f64;
    assert!(
        gains <= (most_gains * n).ceil(),
        "{gains} scenes of {n} gain"
    );
    let losses = count(Class::NumericalLoss) as f64;
    assert!(
        losses <= (most_losses * n).ceil(),
        "{losses} scenes of {n} lose"
    );
    let stopped: Vec<_> = runs
        .iter()
        .filter_map(|run| Some((&run.name, run.record.stopped.as_ref()?)))
        .collect();
    assert!(stopped.is_empty(), "ended early: {stopped:?}");
}

#[test]
fn with_fixed_steps_nothing_is_wrong_in_silence() {
    let runs = runs(&[Family::Plane, Family::Space], Contacts::Rigid, None);
    assert_nothing_silent(&runs);
    assert_rarely_wrong(&runs, 0.005, 0.2);
}

#[test]
fn with_compliant_contacts_nothing_is_wrong_in_silence() {
    let runs = runs(&[Family::Plane], Contacts::Compliant, None);
    assert_nothing_silent(&runs);
    assert_rarely_wrong(&runs, 0.05, 0.3);
}

#[test]
fn in_time_stepping_nothing_is_wrong_in_silence() {
    let runs = runs(&[Family::TimeStepping], Contacts::Rigid, None);
    assert_nothing_silent(&runs);
    // of these 60 one rises by 1.1e-4 of its energy, and in one the stabilization of positions lifts a body
    assert_rarely_wrong(&runs, 0.03, 0.1);
}

#[test]
fn by_tolerance_nothing_is_wrong_in_silence() {
    let (hard, runs): (Vec<Run>, Vec<Run>) =
        runs(&[Family::Plane, Family::Space], Contacts::Rigid, Some(1e-6))
            .into_iter()
            .partition(|run| run.takes_too_much_work());
    assert_nothing_silent(&hard);
    assert_nothing_silent(&runs);
    assert_rarely_wrong(&runs, 0.005, 0.01);
    let part = hard.len() as f64 / (hard.len() + runs.len()) as f64;
    assert!(part <= 0.2, "{} scenes take too much work", hard.len());
}

#[test]
fn a_scene_is_the_same_whenever_it_is_drawn() {
    for family in Family::ALL {
        let drawn = |seed| scene(seed, family, Contacts::Rigid);
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }
}

#[test]
fn every_scene_is_valid_and_passive() {
    for family in Family::ALL {
        for seed in 0..300 {
            let text = scene(seed, family, Contacts::Rigid);
            let model = Model::from_text("scene", &text);
            let told = |error| panic!("{} {seed}: {error}", family.name());
            let model = model.unwrap_or_else(told);
            assert_eq!(
                model.time_stepping.is_some(),
                family == Family::TimeStepping
            );
            for active in ["applied", "motor", "belt", "input"] {
                assert!(!text.contains(active), "{} {seed}", family.name());
            }
        }
    }
}

#[test]
fn all_ingredients_are_drawn() {
    let of = |family| {
        let texts = (0..300).map(|seed| scene(seed, family, Contacts::Rigid));
        texts.collect::<String>()
    };
    let has = |text: &str, kinds: &[&str]| {
        for kind in kinds {
            assert!(text.contains(&format!("\"{kind}\"")), "no {kind}");
        }
    };
    let both = [
        "rigid",
        "point",
        "revolute",
        "prismatic",
        "fixed",
        "distance",
        "spring",
        "damper",
        "spring_damper",
        "viscous",
        "stribeck",
    ];
    let plane = of(Family::Plane);
    has(&plane, &both);
    has(
        &plane,
        &[
            "circle",
            "capsule",
            "box",
            "polygon",
            "half_plane",
            "torsional",
        ],
    );
    let space = of(Family::Space);
    has(&space, &both);
    has(
        &space,
        &[
            "spherical",
            "cylindrical",
            "universal",
            "planar",
            "joint_spring",
            "sphere",
            "cylinder",
            "polyhedron",
            "half_space",
            "height_field",
        ],
    );
    let laws = [
        "static_friction",
        "stribeck_velocity",
        "torsional_friction",
        "rolling_friction",
        "friction_axes",
        "tangential_restitution",
        "limits",
        "limit_restitution",
    ];
    for key in laws {
        assert!(space.contains(key), "no {key}");
    }
    assert!(of(Family::TimeStepping).contains("sweeps"));
}

/// The check sees what it is meant to see.
#[test]
fn gains_losses_and_silence_are_found() {
    let calm = Record {
        energy: vec![[1.0, 0.0], [0.5, 0.4], [0.8, 0.05]],
        balance: Some(EnergyBalance {
            start: 1.0,
            losses: [0.1, 0.05, 0.0],
            fall: 0.0,
        }),
        is_finite: true,
        ..Record::default()
    };
    assert!(check(&calm).is_empty());
    let classes = |record: &Record| -> Vec<(Class, bool)> {
        check(record)
            .iter()
            .map(|f| (f.class, f.is_silent))
            .collect()
    };
    let mut rising = calm.clone();
    rising.energy[2] = [0.86, 0.05];
    rising.balance = None;
    assert_eq!(classes(&rising), [(Class::Gain, true)]);
    rising.warnings = vec!["integration errors added 0.01 J to the motion".to_owned()];
    assert_eq!(classes(&rising), [(Class::Gain, false)]);
    let mut invented = calm.clone();
    invented.balance = Some(EnergyBalance {
        start: 1.0,
        losses: [0.5, -0.01, 0.0],
        fall: 0.01,
    });
    assert_eq!(
        classes(&invented),
        [(Class::Negative, true), (Class::Invented, true)]
    );
    let mut losing = calm.clone();
    losing.balance = Some(EnergyBalance {
        start: 1.0,
        losses: [0.0; 3],
        fall: 0.0,
    });
    assert_eq!(classes(&losing), [(Class::NumericalLoss, true)]);
    let mut open = calm;
    (open.overlap, open.drift, open.is_finite) = (2e-6, 2e-8, false);
    let all = [
        (Class::Overlap, true),
        (Class::Drift, true),
        (Class::NotFinite, true),
    ];
    assert_eq!(classes(&open), all);
}
