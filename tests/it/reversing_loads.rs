//! Friction in proportion to a force that changes its sign has a kink there: steps by tolerance end at it.

use crate::common::{halvings, model, norm2, order_study, run};
use stiction::integrate::EventKind;
use stiction::{Model, Simulation};

const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// Errors stay within this many times the tolerance.
const TIMES: f64 = 10.0;

// a slider of 2 kg on a rail, pushed along the rail by 12 cos(2 pi 0.7 t) and across it by 25 cos(2 pi 1.1 t) N, and its weight
fn slider(in_space: bool) -> Model {
    let (dimension, gravity, zero, inertia) = match in_space {
        false => ("", "[0, -9.81]", "", "0.1"),
        true => ("dimension = 3\n", "[0, -9.81, 0]", ", 0", "[0.1, 0.1, 0.1]"),
    };
    model(&format!(
        r#"
        {dimension}gravity = {gravity}
        [[body]]
        name = "slider"
        kind = "rigid"
        mass = 2
        inertia = {inertia}
        position = [0, 0{zero}]
        velocity = [1, 0{zero}]
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["ground", "slider"]
        at = [0, 0{zero}]
        axis = [1, 0{zero}]
        friction = {{ coefficient = 0.3 }}
        [[force]]
        name = "push"
        kind = "applied"
        body = "slider"
        force = [
            {{ kind = "harmonic", amplitude = 12, frequency = 0.7 }},
            {{ kind = "harmonic", amplitude = 25, frequency = 1.1 }}{zero},
        ]
        "#
    ))
}

/// Quadrature of the motion between its events, which are roots of it, to 14 digits: kind and time of the events, then position and velocity
/// at 3 s. The normal force changes its sign seven times.
const SLIDER_EVENTS: [(EventKind, f64); 7] = [
    (EventKind::StickStart, 0.53533557561478),
    (EventKind::SlipStart, 0.59117213904976),
    (EventKind::StickStart, 1.28318117610251),
    (EventKind::SlipStart, 1.45584582648642),
    (EventKind::Reversal, 1.93877609297181),
    (EventKind::StickStart, 2.44351871757488),
    (EventKind::SlipStart, 2.55730509969642),
];
const SLIDER_END: [f64; 2] = [0.4687869815249293, 1.630122027320858];

#[test]
fn a_slider_whose_normal_force_changes_its_sign_meets_the_tolerance() {
    for in_space in [false, true] {
        let model = slider(in_space);
        for tolerance in TOLERANCES {
            let simulation = run(&model, 3.0, |s| s.tolerance = Some(tolerance));
            let state = simulation.state();
            let end = [state.position[0], state.velocity[0]];
            let error = (end[0] - SLIDER_END[0])
                .abs()
                .max((end[1] - SLIDER_END[1]).abs());
            let events = &simulation.report().events;
            println!(
                "space {in_space}, {tolerance:e}: error {error:.1e}, {} events",
                events.len()
            );
            assert!(error <= TIMES * tolerance, "{error:e} at {tolerance:e}");
            assert_eq!(events.len(), SLIDER_EVENTS.len());
            for (event, (kind, time)) in events.iter().zip(SLIDER_EVENTS) {
                assert_eq!(event.kind, kind);
                assert!((event.time - time).abs() <= TIMES * tolerance);
            }
        }
    }
}

/// Shafts of 0.2 and 0.9 kg m^2 with a gear of 3 to 1 and this efficiency, turning at 50 rad/s, under the torque 8 cos(2 pi 0.6 t) on the first.
fn gear(efficiency: f64) -> Model {
    model(&format!(
        r#"
        gravity = [0, 0]
        [[body]]
        name = "motor"
        kind = "rigid"
        mass = 1
        inertia = 0.2
        position = [0, 0]
        angular_velocity = 50
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = 0.9
        position = [1, 0]
        angular_velocity = {:?}
        [[joint]]
        name = "input"
        kind = "revolute"
        bodies = ["ground", "motor"]
        at = [0, 0]
        motor = {{ kind = "torque", value = {{ kind = "harmonic", amplitude = 8, frequency = 0.6 }} }}
        [[joint]]
        name = "output"
        kind = "revolute"
        bodies = ["ground", "wheel"]
        at = [1, 0]
        [[coupling]]
        name = "mesh"
        kind = "gear"
        joints = ["input", "output"]
        ratio = 3
        efficiency = {efficiency:?}
        "#,
        50.0 / 3.0
    ))
}

#[test]
fn a_gear_with_losses_meets_the_tolerance_while_its_torque_changes_its_sign() {
    let efficiency = 0.8;
    let model = gear(efficiency);
    let (omega, t): (f64, f64) = (2.0 * std::f64::consts::PI * 0.6, 3.1);
    // the wheel takes 1 + a of its torque while it is driven, and gives 1 - a of it while it drives
    let a = 1.0 / efficiency - 1.0;
    let inertia = |sign: f64| 0.2 + (0.9 / 9.0) * (1.0 + sign * a);
    let mut expected = 50.0;
    let (mut from, mut sign) = (0.0, 1.0);
    let mut zero = 0.25 / 0.6;
    while from < t {
        let to = t.min(zero);
        expected += 8.0 / omega * ((omega * to).sin() - (omega * from).sin()) / inertia(sign);
        (from, sign, zero) = (to, -sign, zero + 0.5 / 0.6);
    }
    for tolerance in TOLERANCES {
        let simulation = run(&model, t, |s| s.tolerance = Some(tolerance));
        let error = (simulation.state().velocity[2] - expected).abs() / 50.0;
        println!("{tolerance:e}: error {error:.1e}");
        assert!(error <= TIMES * tolerance, "{error:e} at {tolerance:e}");
    }
}

/// A crank of 0.2 m, a rod of 0.4 m and a piston, with friction in all four joints, at a crank angle of 0.3 rad and 20 rad/s.
fn crank_slider() -> Model {
    let (theta, omega): (f64, f64) = (0.3, 20.0);
    let phi = (-0.5 * theta.sin()).asin();
    let phi_rate = -0.5 * theta.cos() * omega / phi.cos();
    let (s, c, sp, cp) = (theta.sin(), theta.cos(), phi.sin(), phi.cos());
    let piston = [0.2 * c + 0.4 * cp, 0.0];
    let piston_velocity = [-0.2 * s * omega - 0.4 * sp * phi_rate, 0.0];
    let pin = [0.2 * c, 0.2 * s];
    let pin_velocity = [-0.2 * s * omega, 0.2 * c * omega];
    let half = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    let (crank, crank_velocity) = (half([0.0; 2], pin), half([0.0; 2], pin_velocity));
    let (rod, rod_velocity) = (half(pin, piston), half(pin_velocity, piston_velocity));
    model(&format!(
        r#"
        gravity = [0, -9.81]
        body = [
            {{ name = "crank", kind = "rigid", mass = 1, inertia = 0.05, position = {crank:?}, angle = {theta:?}, velocity = {crank_velocity:?}, angular_velocity = {omega:?} }},
            {{ name = "rod", kind = "rigid", mass = 0.5, inertia = 0.02, position = {rod:?}, angle = {phi:?}, velocity = {rod_velocity:?}, angular_velocity = {phi_rate:?} }},
            {{ name = "piston", kind = "rigid", mass = 0.8, inertia = 0.01, position = {piston:?}, velocity = {piston_velocity:?} }},
        ]
        joint = [
            {{ name = "main", kind = "revolute", bodies = ["ground", "crank"], at = [0, 0], friction = {{ coefficient = 0.1, radius = 0.02 }} }},
            {{ name = "pin", kind = "revolute", bodies = ["crank", "rod"], at = {pin:?}, friction = {{ coefficient = 0.1, radius = 0.02 }} }},
            {{ name = "wrist", kind = "revolute", bodies = ["rod", "piston"], at = {piston:?}, friction = {{ coefficient = 0.1, radius = 0.01 }} }},
            {{ name = "bore", kind = "prismatic", bodies = ["ground", "piston"], at = [0, 0], axis = [1, 0], friction = {{ coefficient = 0.2 }} }},
        ]
        "#
    ))
}

/// Angle and rate of the crank after 2 s: one equation of motion for its angle, reactions by Newton's and Euler's equations, in steps of order
/// eight between the zeros of the sines, cosines and forces.
const CRANK_END: [f64; 2] = [26.66081483186, 6.3774313777];

/// How far these are right.
const CRANK_DIGITS: f64 = 1e-9;

/// The piston reverses in each dead centre, where the rows of its friction and of the joints depend on each other: nothing there stops the
/// crank.
#[test]
fn a_crank_slider_with_friction_in_all_joints_runs_through_its_dead_centres() {
    let model = crank_slider();
    let end = |simulation: &Simulation| {
        let state = simulation.state();
        let errors = [
            state.position[2] - CRANK_END[0],
            state.velocity[2] - CRANK_END[1],
        ];
        let events = &simulation.report().events;
        // dead centres at every half turn, and the rod swings back in between
        assert_eq!(events.len(), 16);
        assert!(events.iter().all(|event| event.kind == EventKind::Reversal));
        assert_eq!(simulation.warnings().count(), 0);
        errors.map(f64::abs)
    };
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let [angle, rate] = end(&run(&model, 2.0, |s| s.tolerance = Some(tolerance)));
        println!("{tolerance:e}: errors {angle:.1e} rad, {rate:.1e} rad/s");
        let allowed = TIMES * tolerance + CRANK_DIGITS;
        assert!(angle <= allowed * CRANK_END[0] && rate <= allowed * CRANK_END[1]);
    }
    let name = "crank-slider with friction";
    let order = order_study(name, &halvings(0.004, 8), |h| {
        norm2(end(&run(&model, 2.0, |s| s.step = h)))
    });
    assert!(order >= 1.9, "{order}");
}
