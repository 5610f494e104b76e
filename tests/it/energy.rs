//! Energy with fixed steps: the balance of a run is exact, no step gains energy by its own error, small errors are taken back both ways,
//! and groups in free flight keep their momentum.

use crate::common::{defect, halvings, model, norm2, order_study, run, scene_text, variant};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;
use stiction::warning::Kind;

/// Runs in single steps; the largest rise of the energy above the least before it.
fn rise(model: &Model, step: f64, until: f64) -> (Simulation, f64) {
    let mut settings = model.settings.clone();
    settings.step = step;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let (mut least, mut rise) = (f64::INFINITY, 0.0_f64);
    for i in 0..=(until / step).round() as u32 {
        simulation.advance_to(step * f64::from(i)).unwrap();
        let energy = simulation.energy().total();
        least = least.min(energy);
        rise = rise.max(energy - least);
    }
    (simulation, rise)
}

/// What the lines of the balance do not explain, J.
fn remainder(simulation: &mut Simulation, start: f64) -> f64 {
    let energy = simulation.energy().total();
    let report = simulation.report();
    for loss in [
        report.damping_loss,
        report.friction_loss,
        report.impact_loss,
        report.numerical_loss,
        report.numerical_gain,
    ] {
        assert!(loss >= 0.0, "{report:?}");
    }
    let lost =
        report.damping_loss + report.friction_loss + report.impact_loss + report.numerical_loss
            - report.numerical_gain;
    energy - start - report.applied_work + lost
}

fn start_energy(model: &Model) -> f64 {
    Simulation::new(model.clone()).energy().total()
}

#[test]
fn a_stiff_damper_that_turns_takes_what_its_impulses_take() {
    let mut end = run(&defect("damper"), 1.0, |_| ());
    let loss = end.report().damping_loss;
    println!("{loss:e} J");
    assert!(loss > 1e-10 && loss < 1e-8);
    assert!(remainder(&mut end, 0.0).abs() < 1e-14);
}

#[test]
fn no_loss_is_negative_and_the_balance_is_exact() {
    for (name, until) in [("p456", 0.22), ("min_plane_682_gain", 0.5)] {
        let model = defect(name);
        let start = start_energy(&model);
        for step in [0.01, 0.005, 0.002] {
            let mut end = run(&model, until, |s| s.step = step);
            let left = remainder(&mut end, start);
            println!(
                "{name} at {step}: {left:.1e} J, gained {:.1e} J",
                end.report().numerical_gain
            );
            assert!(left.abs() < 1e-10);
        }
    }
}

#[test]
fn the_balance_is_exact_with_every_scheme() {
    let schemes = [
        Scheme::Trapezoidal,
        Scheme::TrapezoidalPrinted,
        Scheme::TrapezoidalAverage,
        Scheme::ImplicitEuler,
        Scheme::ExplicitEuler,
        Scheme::PositionEuler,
        Scheme::Extrapolated,
    ];
    for (name, text) in [("plane", DAMPED_IN_PLANE), ("space", DAMPED_IN_SPACE)] {
        let model = model(text);
        let start = start_energy(&model);
        for scheme in schemes {
            let mut end = run(&model, 1.0, |s| s.scheme = scheme);
            let left = remainder(&mut end, start);
            let report = end.report();
            println!(
                "{name}, {scheme:?}: {left:.1e} J; applied {:.6}, damping {:.6}, numerical -{:.1e} +{:.1e}",
                report.applied_work,
                report.damping_loss,
                report.numerical_loss,
                report.numerical_gain
            );
            assert!(left.abs() < 1e-11);
            assert!(report.damping_loss > 0.1 && report.applied_work != 0.0);
        }
        // two schemes of order two have the same losses at small steps, although the quadratures differ
        let of = |scheme: Scheme| {
            let end = run(&model, 1.0, |s| {
                s.scheme = scheme;
                s.step = 1e-3;
            });
            [end.report().damping_loss, end.report().applied_work]
        };
        let (a, b) = (of(Scheme::Trapezoidal), of(Scheme::Extrapolated));
        println!("{name}: {a:?} {b:?}");
        assert!(
            (a[0] - b[0]).abs() < 1e-4 * b[0] && (a[1] - b[1]).abs() < 1e-4 * b[1].abs().max(0.1)
        );
    }
}

#[test]
fn passive_scenes_never_gain() {
    for (name, step, until) in [
        ("min_plane_203_gain", 0.01, 3.0),
        ("min_plane_203_gain", 0.002, 1.0),
        ("min_plane_682_gain", 0.01, 3.0),
        ("min_plane_682_gain", 0.002, 1.0),
    ] {
        let model = defect(name);
        let start = start_energy(&model);
        let (mut end, rise) = rise(&model, step, until);
        let left = remainder(&mut end, start);
        println!(
            "{name} at {step}: rises by {rise:.1e} of {start:.3} J, numerical loss {:.3} J",
            end.report().numerical_loss
        );
        assert!(rise < 1e-8 * start.abs());
        assert!(end.report().numerical_gain < 1e-8 * start.abs());
        assert!(left.abs() < 1e-9 * start.abs());
        assert!(end.report().worst_joint_drift < 1e-8);
    }
}

#[test]
fn impacts_and_friction_with_steps_that_are_too_long_do_not_gain() {
    // impacts and stick and slip at four contacts at once; some of these steps end as first-order ones, which lifted bodies by 0.3 J
    for step in [0.01, 0.005, 0.0025] {
        let model = defect("p456");
        let (end, rise) = rise(&model, step, 0.22);
        println!("p456 at {step}: rises by {rise:.1e} J");
        assert!(rise < 1e-6 * end.report().energy_in_play());
        assert!(end.warnings().all(|w| w.kind != Kind::EnergyGain));
    }
}

#[test]
fn mechanisms_without_losses_keep_their_energy_for_a_minute() {
    for (name, model) in [
        ("slider-crank", variant("slider_crank", &[])),
        ("double pendulum", model(DOUBLE_PENDULUM)),
    ] {
        let start = start_energy(&model);
        let mut end = run(&model, 60.0, |s| s.step = 0.01);
        let drift = end.energy().total() - start;
        println!("{name}: {drift:.1e} of {start:.3} J");
        // the pendulum starts at height zero: both fall by some joules
        assert!(drift.abs() < 1e-6);
    }
}

#[test]
fn corrected_mechanisms_have_order_two_and_errors_like_uncorrected_ones() {
    for (name, model) in [
        ("slider-crank", variant("slider_crank", &[])),
        ("double pendulum", model(DOUBLE_PENDULUM)),
    ] {
        let exact = run(&model, 1.0, |s| s.tolerance = Some(1e-11));
        let steps = halvings(0.01, 5);
        let error = |step: f64, corrected: bool| {
            let end = run(&model, 1.0, |s| {
                s.step = step;
                s.energy_correction = corrected;
            });
            let places = end.state().position.iter().zip(&exact.state().position);
            norm2(places.map(|(a, b)| a - b))
        };
        let order = order_study(name, &steps, |h| error(h, true));
        assert!(order >= 1.9);
        for step in steps {
            let ratio = error(step, true) / error(step, false);
            println!("{name} at {step}: {ratio:.2} times the error without correction");
            // The pendulum has two degrees of freedom, and the error of its energy swings (4e-2 J at 0.01 s) with velocities that are off by as much:
            // taken back, velocities are nearer by a tenth to a half in this second, and positions 1.6 times as far off (METHOD.md, section 6.2)
            assert!(ratio <= if name == "slider-crank" { 1.2 } else { 1.65 });
        }
    }
}

#[test]
fn what_falls_freely_with_stiff_dampers_inside_falls_by_half_g_t_squared() {
    for text in [HUMANOID_IN_SPACE, HUMANOID_IN_PLANE] {
        let model = model(text);
        let end = run(&model, 0.1, |_| ());
        let height = model.gravity.iter().position(|g| *g != 0.0).unwrap();
        for body in &model.bodies {
            for k in 0..body.n_dof {
                let fallen = if k == height { 0.5 * 9.81 * 0.01 } else { 0.0 };
                let at = body.first + k;
                let way = model.initial_position[at] - end.state().position[at];
                assert!((way - fallen).abs() < 1e-13, "{k}: {way}");
            }
        }
    }
}

/// Momentum of a group that floats without gravity, through everything that corrects energy.
#[test]
fn groups_in_free_flight_keep_their_momentum() {
    for (name, text, n_linear) in [("plane", FREE_IN_PLANE, 2), ("space", FREE_IN_SPACE, 3)] {
        let model = model(text);
        let momentum = |v: &[f64]| -> Vec<f64> {
            let of = |k: usize| {
                let parts = model
                    .bodies
                    .iter()
                    .map(|b| model.mass[b.first] * v[b.first + k]);
                parts.sum::<f64>()
            };
            (0..n_linear).map(of).collect()
        };
        let size: f64 = model
            .bodies
            .iter()
            .map(|b| {
                model.mass[b.first]
                    * norm2(
                        model.initial_velocity[b.first..b.first + n_linear]
                            .iter()
                            .copied(),
                    )
            })
            .sum();
        let before = momentum(&model.initial_velocity);
        let start = start_energy(&model);
        let mut end = run(&model, 2.0, |_| ());
        let left = remainder(&mut end, start);
        let after = momentum(&end.state().velocity);
        let change = norm2(before.iter().zip(&after).map(|(a, b)| a - b));
        let report = end.report();
        println!(
            "{name}: {:.1e} of {size:.1}; impacts {}, damping {:.2e} J, numerical {:.1e} J",
            change / size,
            report.n_events.impacts,
            report.damping_loss,
            report.numerical_loss
        );
        assert!(change < 1e-12 * size);
        assert!(report.n_events.impacts > 0);
        assert!(left.abs() < 1e-10);
    }
}

/// The same group seen by an observer who moves has the same relative motion.
#[test]
fn corrections_do_not_see_the_velocity_of_the_observer() {
    let still = model(FREE_IN_PLANE);
    let mut moving = still.clone();
    for body in &moving.bodies {
        moving.initial_velocity[body.first] += 100.0;
    }
    let (a, b) = (run(&still, 0.05, |_| ()), run(&moving, 0.05, |_| ()));
    for body in &still.bodies {
        for k in 0..body.n_dof {
            let way = if k == 0 { 100.0 * 0.05 } else { 0.0 };
            let i = body.first + k;
            let difference = b.state().position[i] - way - a.state().position[i];
            assert!(difference.abs() < 1e-11, "{difference:e}");
        }
    }
}

#[test]
fn the_setting_is_read_and_turns_the_correction_off() {
    let text =
        scene_text("slider_crank").replace("[settings]", "[settings]\nenergy_correction = false");
    let end = run(&model(&text), 10.0, |_| ());
    assert!(end.report().numerical_loss > 1e-3);
}

const DOUBLE_PENDULUM: &str = r#"
[[body]]
name = "upper"
kind = "rigid"
mass = 1
inertia = 0.08333333333333333
position = [0.5, 0]
[[body]]
name = "lower"
kind = "rigid"
mass = 1
inertia = 0.08333333333333333
position = [1.5, 0]
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "upper"]
anchors = [[0, 0], [-0.5, 0]]
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
anchors = [[0.5, 0], [-0.5, 0]]
"#;

macro_rules! drag {
    () => {
        r#"
[[force]]
name = "drag"
kind = "viscous"
bodies = ["a", "b"]
linear = 0.2
angular = 0.01
"#
    };
}

const DAMPED_IN_PLANE: &str = concat!(
    r#"
[settings]
step = 0.01
[[body]]
name = "a"
kind = "rigid"
mass = 1
inertia = 0.1
position = [0.5, 0]
velocity = [0, 1]
angular_velocity = 2
[[body]]
name = "b"
kind = "rigid"
mass = 0.5
inertia = 0.02
position = [1, 0.4]
velocity = [1, 0]
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "a"]
anchors = [[0, 0], [-0.5, 0]]
[[force]]
name = "link"
kind = "spring_damper"
bodies = ["a", "b"]
anchors = [[0.3, 0.1], [-0.1, 0]]
stiffness = 200
damping = 3
[[force]]
name = "twist"
kind = "torsional"
joint = "pivot"
stiffness = 2
damping = 0.3
[[force]]
name = "push"
kind = "applied"
body = "b"
point = [0.1, 0]
frame = "body"
force = [0.5, 1]
"#,
    drag!()
);

const DAMPED_IN_SPACE: &str = concat!(
    r#"
dimension = 3
[settings]
step = 0.01
[[body]]
name = "a"
kind = "rigid"
mass = 1
inertia = [0.1, 0.08, 0.03]
position = [0.5, 0, 0]
velocity = [0, 0, -1]
angular_velocity = [0, 2, 0]
[[body]]
name = "b"
kind = "rigid"
mass = 0.5
inertia = [0.02, 0.01, 0.015]
position = [1, 0.2, 0.4]
velocity = [1, 0, 0.5]
angular_velocity = [1, 3, 2]
[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "a"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[force]]
name = "link"
kind = "spring_damper"
bodies = ["a", "b"]
anchors = [[0.3, 0.1, 0], [-0.1, 0, 0.05]]
stiffness = 200
damping = 3
[[force]]
name = "twist"
kind = "joint_spring"
joint = "pivot"
stiffness = 2
damping = 0.3
[[force]]
name = "push"
kind = "applied"
body = "b"
point = [0.1, 0, 0]
frame = "body"
force = [0.5, 1, 0.2]
"#,
    drag!()
);

const HUMANOID_IN_SPACE: &str = r#"
dimension = 3
[settings]
step = 0.002
[[body]]
name = "trunk"
kind = "rigid"
mass = 15
inertia = [0.2, 0.1, 0.2]
position = [0, 0, 1]
[[body]]
name = "foot"
kind = "rigid"
mass = 0.1
inertia = [1e-5, 1e-5, 1e-5]
position = [0.02, 0, 0.8]
[[joint]]
name = "ankle"
kind = "revolute"
bodies = ["trunk", "foot"]
at = [0, 0, 0.82]
axis = [0, 1, 0]
[[force]]
name = "damper"
kind = "joint_spring"
joint = "ankle"
damping = 1
"#;

const HUMANOID_IN_PLANE: &str = r#"
[settings]
step = 0.002
[[body]]
name = "trunk"
kind = "rigid"
mass = 15
inertia = 0.2
position = [0, 1]
[[body]]
name = "foot"
kind = "rigid"
mass = 0.1
inertia = 1e-5
position = [0.02, 0.8]
[[joint]]
name = "ankle"
kind = "revolute"
bodies = ["trunk", "foot"]
at = [0, 0.82]
[[force]]
name = "damper"
kind = "torsional"
joint = "ankle"
damping = 1
stiffness = 0
"#;

const FREE_IN_PLANE: &str = r#"
gravity = [0, 0]
[settings]
step = 0.01
[contact_default]
friction = 0.4
restitution = 0.5
[[body]]
name = "a"
kind = "rigid"
mass = 2
inertia = 0.05
position = [0, 0]
velocity = [1, 0.2]
angular_velocity = 3
[[body.shape]]
kind = "circle"
radius = 0.1
[[body]]
name = "b"
kind = "rigid"
mass = 1
inertia = 0.02
position = [0.5, 0]
velocity = [1, -0.05]
angular_velocity = -4
[[body.shape]]
kind = "box"
size = [0.1, 0.2]
[[body]]
name = "c"
kind = "rigid"
mass = 0.3
inertia = 0.01
position = [1.1, 0.1]
velocity = [-3, 0]
angular_velocity = -8
[[body.shape]]
kind = "circle"
radius = 0.1
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["a", "b"]
at = [0.25, 0]
[[force]]
name = "tendon"
kind = "spring_damper"
bodies = ["b", "c"]
anchors = [[0.05, 0.1], [0, 0.05]]
stiffness = 2000
damping = 2
rest_length = 0.2
"#;

const FREE_IN_SPACE: &str = r#"
dimension = 3
gravity = [0, 0, 0]
[settings]
step = 0.01
[contact_default]
friction = 0.4
restitution = 0.5
[[body]]
name = "a"
kind = "rigid"
mass = 2
inertia = [0.05, 0.04, 0.03]
position = [0, 0, 0]
velocity = [1, 0.2, 0.3]
angular_velocity = [3, 1, 2]
[[body.shape]]
kind = "sphere"
radius = 0.1
[[body]]
name = "b"
kind = "rigid"
mass = 1
inertia = [0.02, 0.02, 0.01]
position = [0.5, 0, 0]
velocity = [1, 0.7, 0.05]
[[body.shape]]
kind = "box"
size = [0.1, 0.2, 0.2]
[[body]]
name = "c"
kind = "rigid"
mass = 0.3
inertia = [0.01, 0.01, 0.02]
position = [1.1, 0.1, 0]
velocity = [-3, 0, 0]
angular_velocity = [-8, 1, 0]
[[body.shape]]
kind = "sphere"
radius = 0.1
[[joint]]
name = "elbow"
kind = "spherical"
bodies = ["a", "b"]
at = [0.25, 0, 0]
[[force]]
name = "tendon"
kind = "spring_damper"
bodies = ["b", "c"]
anchors = [[0.05, 0.1, 0], [0, 0.05, 0]]
stiffness = 2000
damping = 2
rest_length = 0.2
"#;

/// A mass on a spring whose damper has no effect until its coefficient is set, as an FMU allows between two steps.
const UNDAMPED: &str = r#"
name = "oscillator"
gravity = [0, 0]
until = 2

[settings]
step = 0.01

[[body]]
name = "mass"
kind = "point"
mass = 1
position = [1.5, 0]

[[force]]
name = "spring"
kind = "spring"
bodies = ["ground", "mass"]
anchors = [[0, 0], [0, 0]]
stiffness = 100
rest_length = 1

[[force]]
name = "damper"
kind = "damper"
bodies = ["ground", "mass"]
anchors = [[0, 0], [0, 0]]
damping = 0
"#;

#[test]
fn a_damper_that_is_set_during_a_run_takes_energy_from_then_on() {
    let mut instance = Instance::new("test", "test.toml", UNDAMPED).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance.do_step(0.0, 1.0).unwrap();
    assert_eq!(instance.report().damping_loss, 0.0);
    let mut variables = instance.variables().iter();
    let damping = variables.position(|v| v.name == "damper.damping").unwrap() as u32;
    instance.set(damping, Value::Real(0.5)).unwrap();
    instance.do_step(1.0, 1.0).unwrap();
    // the energy decays with exp(-d t / m) but for what swings within a period
    let (start, report) = (0.5 * 100.0 * 0.25, instance.report());
    let expected = start * (1.0 - (-0.5_f64).exp());
    assert!(
        (report.damping_loss - expected).abs() < 0.05 * expected,
        "{report:?}"
    );
    assert!(
        report.numerical_gain + report.numerical_loss < 1e-6 * start,
        "{report:?}"
    );
}
