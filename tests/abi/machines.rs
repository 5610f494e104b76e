//! Clutches, brakes, servos, gears and driven bodies: inputs, outputs, parameters, states and derivatives.

use crate::call;
use crate::common::texts::engine_and_load;
use crate::derivatives::rate;
use crate::library::{Fmu, Resources};
use stiction::fmu::c_api::types::{ERROR, OK, WARNING};
use stiction::fmu::instance::variable::{Causality, FRICTION_STATUS, Kind, Variability, Variable};

/// Two shafts, 0.5 and 1.25 kg m², and a clutch of 0.06 N m for each newton while it slips, 0.08 while it is locked.
const CLUTCH: &str = concat!(
    engine_and_load!(),
    r#"
[[joint]]
name = "crankshaft"
kind = "revolute"
bodies = ["ground", "engine"]
at = [0, 0]
motor = { kind = "torque", value = { kind = "input" } }
[[joint]]
name = "output"
kind = "revolute"
bodies = ["ground", "load"]
at = [1, 0]
[[clutch]]
name = "clutch"
bodies = ["engine", "load"]
friction = 0.3
static_friction = 0.4
radius = 0.1
faces = 2
normal_force = { kind = "input" }
"#
);

/// A flywheel of 0.5 kg m² with 2 N m in its bearing and a brake of 3 N m.
const BRAKE: &str = r#"
gravity = [0, 0]
[[body]]
name = "wheel"
kind = "rigid"
mass = 1
inertia = 0.5
position = [0, 0]
angular_velocity = -10
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
friction = { torque = 2 }
[[clutch]]
name = "brake"
kind = "torque_limiter"
bodies = ["ground", "wheel"]
torque = 3
[[force]]
name = "load"
kind = "applied"
body = "wheel"
torque = { kind = "input" }
"#;

/// An arm of 0.5 kg m² about its hinge and a servo of 100 N m/rad with 5 N m at most.
const SERVO: &str = r#"
gravity = [0, 0]
[[body]]
name = "arm"
kind = "rigid"
mass = 1
inertia = 0.5
position = [0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
motor = { kind = "servo", kp = 100, kd = 4, limit = 5, position = { kind = "input" } }
"#;

/// A pinion of 0.02 and a wheel of 0.5 kg m² with the ratio -3.5.
const GEARS: &str = r#"
gravity = [0, 0]
[[body]]
name = "pinion"
kind = "rigid"
mass = 2
inertia = 0.02
position = [0, 0]
[[body]]
name = "wheel"
kind = "rigid"
mass = 8
inertia = 0.5
position = [0.45, 0]
[[joint]]
name = "input"
kind = "revolute"
bodies = ["ground", "pinion"]
at = [0, 0]
motor = { kind = "torque", value = { kind = "input" } }
[[joint]]
name = "output"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0.45, 0]
[[coupling]]
name = "mesh"
kind = "gear"
joints = ["input", "output"]
ratio = -3.5
"#;

/// A table of 3 kg whose velocity is given, and a block of 2 kg on it with a friction of 0.5.
const TABLE: &str = r#"
[[body]]
name = "table"
kind = "driven"
mass = 3
position = [0, -0.1]
velocity = [{ kind = "input" }, 0]
shape = [{ kind = "box", size = [40, 0.2] }]
[[body]]
name = "block"
kind = "rigid"
mass = 2
position = [0, 0.1]
shape = [{ kind = "box", size = [0.4, 0.2] }]
[contact_default]
friction = 0.5
"#;

/// Two shafts, 0.5 and 1.5 kg m², and a one-way clutch with a drag of 0.2 N m.
const FREEWHEEL: &str = r#"
gravity = [0, 0]
[[body]]
name = "engine"
kind = "rigid"
mass = 1
inertia = 0.5
position = [0, 0]
[[body]]
name = "load"
kind = "rigid"
mass = 1
inertia = 1.5
position = [1, 0]
[[clutch]]
name = "freewheel"
kind = "one_way"
bodies = ["engine", "load"]
drag = 0.2
[[force]]
name = "engine_torque"
kind = "applied"
body = "engine"
torque = { kind = "input" }
"#;

/// A flywheel of 0.5 kg m² whose motor prescribes its speed with 4 N m at most.
const MOTOR: &str = r#"
gravity = [0, 0]
[[body]]
name = "wheel"
kind = "rigid"
mass = 1
inertia = 0.5
position = [0, 0]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
motor = { kind = "speed", value = { kind = "input" }, limit = 4 }
[[force]]
name = "load"
kind = "applied"
body = "wheel"
torque = { kind = "input" }
"#;

/// The same with a given acceleration.
const SHAKER: &str = r#"
[[body]]
name = "table"
kind = "driven"
mass = 3
position = [0, -0.1]
acceleration = [{ kind = "input" }, 0]
shape = [{ kind = "box", size = [40, 0.2] }]
[[body]]
name = "block"
kind = "rigid"
mass = 2
position = [0, 0.1]
shape = [{ kind = "box", size = [0.4, 0.2] }]
[contact_default]
friction = 0.5
"#;

/// A block of 2 kg on a belt with a friction of 0.5.
const BELT: &str = r#"
[ground]
shape = [{ name = "track", kind = "box", position = [0, -0.1], size = [40, 0.2] }]
[[belt]]
name = "conveyor"
shape = "track"
direction = [1, 0]
speed = { kind = "input" }
[[body]]
name = "block"
kind = "rigid"
mass = 2
position = [0, 0.1]
shape = [{ kind = "box", size = [0.4, 0.2] }]
[contact_default]
friction = 0.5
"#;

/// A worm and its wheel, which carries a load; the worm turns three times as fast.
const WORM: &str = r#"
gravity = [0, 0]
[[body]]
name = "worm"
kind = "rigid"
mass = 1
inertia = 0.2
position = [0, 0]
[[body]]
name = "wheel"
kind = "rigid"
mass = 1
inertia = 0.9
position = [1, 0]
[[joint]]
name = "input"
kind = "revolute"
bodies = ["ground", "worm"]
at = [0, 0]
motor = { kind = "torque", value = { kind = "input" } }
[[joint]]
name = "output"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [1, 0]
motor = { kind = "torque", value = { kind = "input" } }
[[coupling]]
name = "mesh"
kind = "gear"
joints = ["input", "output"]
ratio = 3
efficiency = 0.4
"#;

const G: f64 = 9.81;

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error < tolerance, "{found} against {expected}");
}

/// Steps of this size up to a time.
#[track_caller]
fn advance(fmu: &Fmu, until: f64, size: f64) {
    while fmu.last_time() < until - 0.5 * size {
        let status = fmu.outcome(fmu.last_time(), size);
        assert_eq!(status, OK, "{:?}", fmu.log());
    }
}

/// The word of a status.
fn status(fmu: &Fmu, name: &str) -> &'static str {
    let reference = fmu.resources.reference(&format!("{name}.status"));
    let mut number = 0;
    assert_eq!(call!(fmu, fmi2GetInteger, &reference, 1, &mut number), OK);
    FRICTION_STATUS.items[usize::try_from(number).unwrap() - 1].0
}

fn input_rate(fmu: &Fmu, name: &str, value: f64) {
    let reference = fmu.resources.reference(name);
    let status = call!(fmu, fmi2SetRealInputDerivatives, &reference, 1, &1, &value);
    assert_eq!(status, OK, "{:?}", fmu.log());
}

#[test]
fn a_clutch_slips_and_locks_as_its_normal_force_asks() {
    let resources = Resources::temporary("clutch", CLUTCH);
    let fmu = Fmu::initialized(&resources);
    let (engine, load) = ("engine.velocity.angle", "load.velocity.angle");
    advance(&fmu, 0.5, 0.01);
    assert_eq!(status(&fmu, "clutch"), "open");
    assert_eq!(fmu.real("clutch.effort"), 0.0);
    assert_eq!(fmu.real("clutch.loss_power"), 0.0);
    near(fmu.real("clutch.slip_speed"), -40.0, 1e-12);
    // 12 N m for half a second
    assert_eq!(fmu.set_real("clutch.normal_force", 200.0), OK);
    advance(&fmu, 1.0, 0.01);
    assert_eq!(status(&fmu, "clutch"), "slip_backward");
    near(fmu.real(engine), 40.0 - 24.0 * 0.5, 1e-10);
    near(fmu.real(load), 9.6 * 0.5, 1e-10);
    near(fmu.real("clutch.effort"), 12.0, 1e-10);
    near(fmu.real("clutch.slip_speed"), 4.8 - 28.0, 1e-10);
    near(fmu.real("clutch.loss_power"), 12.0 * 23.2, 1e-8);
    // half of the coefficient from here on
    assert_eq!(fmu.set_real("clutch.friction", 0.15), OK);
    advance(&fmu, 1.2, 0.01);
    near(fmu.real(engine), 28.0 - 12.0 * 0.2, 1e-10);
    near(fmu.real("clutch.effort"), 6.0, 1e-10);
    // until it locks: angular momentum stays, and what the speeds lose is heat
    advance(&fmu, 4.0, 0.01);
    assert_eq!(status(&fmu, "clutch"), "locked");
    let common = 20.0 / 1.75;
    near(fmu.real(engine), common, 1e-10);
    near(fmu.real(load), common, 1e-10);
    near(fmu.real("clutch.slip_speed"), 0.0, 1e-12);
    let heat = 0.5 * (0.5 * 1600.0 - 1.75 * common * common);
    near(fmu.real("energy.dissipated"), heat, 1e-7);
    near(fmu.real("energy.balance_error"), 0.0, 1e-7);
    // locked up to 0.08 N m for each newton: 16, of which the load needs 1.25 / 1.75
    assert_eq!(fmu.set_real("crankshaft.motor.torque", 22.0), OK);
    advance(&fmu, 4.5, 0.01);
    assert_eq!(status(&fmu, "clutch"), "locked");
    near(fmu.real("clutch.effort"), 22.0 * 1.25 / 1.75, 1e-10);
    assert_eq!(fmu.set_real("crankshaft.motor.torque", 23.0), OK);
    advance(&fmu, 5.0, 0.01);
    assert_eq!(status(&fmu, "clutch"), "slip_backward");
    near(fmu.real("clutch.effort"), 6.0, 1e-10);
    near(
        fmu.real("clutch.slip_speed"),
        -0.5 * (17.0 / 0.5 - 4.8),
        1e-9,
    );
    // released
    assert_eq!(fmu.set_real("clutch.normal_force", 0.0), OK);
    advance(&fmu, 5.1, 0.01);
    assert_eq!(status(&fmu, "clutch"), "open");
    assert_eq!(fmu.real("clutch.effort"), 0.0);
}

#[test]
fn a_normal_force_that_rises_with_its_derivative_is_a_ramp() {
    let resources = Resources::temporary("ramp", CLUTCH);
    let fmu = Fmu::initialized(&resources);
    // 100 N/s, in steps that are far too long for held values
    for step in 0..4 {
        let time = 0.25 * f64::from(step);
        assert_eq!(fmu.set_real("clutch.normal_force", 100.0 * time), OK);
        input_rate(&fmu, "clutch.normal_force", 100.0);
        assert_eq!(fmu.outcome(time, 0.25), OK, "{:?}", fmu.log());
        let time = time + 0.25;
        near(
            fmu.real("load.velocity.angle"),
            6.0 / 1.25 * time * time / 2.0,
            1e-10,
        );
        near(
            fmu.real("engine.velocity.angle"),
            40.0 - 12.0 * time * time / 2.0,
            1e-10,
        );
    }
    // at the speed 40 - (12 + 4.8) t^2 / 2 = 0
    let locks = (2.0 * 40.0 / 16.8_f64).sqrt();
    for step in 4..12 {
        let time = 0.25 * f64::from(step);
        assert_eq!(fmu.set_real("clutch.normal_force", 100.0 * time), OK);
        input_rate(&fmu, "clutch.normal_force", 100.0);
        assert_eq!(fmu.outcome(time, 0.25), OK, "{:?}", fmu.log());
    }
    assert_eq!(status(&fmu, "clutch"), "locked");
    near(fmu.real("events.last_time"), locks, 1e-9);
}

#[test]
fn a_normal_force_that_ends_inside_a_step_acts_up_to_its_end() {
    let resources = Resources::temporary("ends", CLUTCH);
    let fmu = Fmu::initialized(&resources);
    // 100 - 400 t, N: 0.75 N m s in a quarter of a second
    assert_eq!(fmu.set_real("clutch.normal_force", 100.0), OK);
    input_rate(&fmu, "clutch.normal_force", -400.0);
    assert_eq!(fmu.outcome(0.0, 0.5), OK, "{:?}", fmu.log());
    near(fmu.real("load.velocity.angle"), 0.75 / 1.25, 1e-10);
    near(fmu.real("engine.velocity.angle"), 40.0 - 0.75 / 0.5, 1e-10);
    assert_eq!(fmu.real("clutch.effort"), 0.0);
}

#[test]
fn a_brake_and_a_bearing_share_what_they_hold() {
    let resources = Resources::temporary("brake", BRAKE);
    let fmu = Fmu::initialized(&resources);
    let speed = "wheel.velocity.angle";
    advance(&fmu, 0.5, 0.01);
    near(fmu.real(speed), -10.0 + 0.5 * 5.0 / 0.5, 1e-10);
    near(fmu.real("brake.effort"), 3.0, 1e-10);
    near(fmu.real("bearing.friction.effort"), 2.0, 1e-10);
    near(fmu.real("bearing.friction.loss_power"), 2.0 * 5.0, 1e-9);
    assert_eq!(status(&fmu, "bearing.friction"), "slip_backward");
    advance(&fmu, 1.5, 0.01);
    let stopped = fmu.real("bearing.coordinate.angle");
    near(stopped, -5.0, 1e-10);
    near(fmu.real("energy.dissipated"), 25.0, 1e-9);
    assert_eq!(fmu.set_real("load.torque", 4.0), OK);
    advance(&fmu, 2.5, 0.01);
    // which of them is at its limit is not determined
    let both = ["brake", "bearing.friction"];
    assert!(both.into_iter().any(|name| status(&fmu, name) == "locked"));
    near(fmu.real("bearing.coordinate.angle"), stopped, 1e-14);
    let (brake, bearing) = (
        fmu.real("brake.effort"),
        fmu.real("bearing.friction.effort"),
    );
    near(brake + bearing, -4.0, 1e-10);
    assert!(
        brake.abs() <= 3.0 && bearing.abs() <= 2.0,
        "{brake} {bearing}"
    );
    // 0.5 + 3 N m do not hold it
    assert_eq!(fmu.set_real("bearing.friction.limit", 0.5), OK);
    assert_eq!(fmu.set_real("bearing.friction.static_limit", 0.5), OK);
    advance(&fmu, 3.5, 0.01);
    for name in ["brake", "bearing.friction"] {
        assert_eq!(status(&fmu, name), "slip_forward");
    }
    near(fmu.real(speed), 1.0, 1e-9);
    near(fmu.real("brake.effort"), -3.0, 1e-10);
    // a brake of 5 N m stops it again
    assert_eq!(fmu.set_real("brake.limit", 5.0), OK);
    assert_eq!(fmu.set_real("brake.static_limit", 5.0), OK);
    advance(&fmu, 5.0, 0.01);
    assert_eq!(fmu.real(speed), 0.0);
    near(fmu.real("energy.balance_error"), 0.0, 1e-9);
}

#[test]
fn a_servo_pushes_with_its_limit_while_it_is_saturated() {
    let resources = Resources::temporary("servo", SERVO);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.set_real("hinge.motor.position", 2.0), OK);
    advance(&fmu, 0.2, 0.01);
    let speed = "arm.velocity.angle";
    near(fmu.real(speed), 5.0 / 0.5 * 0.2, 1e-10);
    near(fmu.real("hinge.motor.effort"), 5.0, 1e-12);
    assert_eq!(fmu.real("hinge.motor.saturation"), 1.0);
    // another limit
    assert_eq!(fmu.set_real("hinge.motor.limit", 2.0), OK);
    advance(&fmu, 0.4, 0.01);
    near(fmu.real(speed), 2.0 + 2.0 / 0.5 * 0.2, 1e-10);
    near(fmu.real("hinge.motor.effort"), 2.0, 1e-12);
    // back with all its strength
    assert_eq!(fmu.set_real("hinge.motor.position", -50.0), OK);
    advance(&fmu, 0.6, 0.01);
    near(fmu.real(speed), 2.8 - 2.0 / 0.5 * 0.2, 1e-10);
    assert_eq!(fmu.real("hinge.motor.saturation"), -1.0);
    // inside the limit the torque is that of the controller
    let angle = fmu.real("hinge.coordinate.angle");
    assert_eq!(fmu.set_real("hinge.motor.limit", 1e3), OK);
    assert_eq!(fmu.set_real("hinge.motor.position", angle), OK);
    advance(&fmu, 0.601, 0.001);
    let deviation = angle - fmu.real("hinge.coordinate.angle");
    let torque = 100.0 * deviation - 4.0 * fmu.real(speed);
    near(fmu.real("hinge.motor.effort"), torque, 1e-10);
    assert_eq!(fmu.real("hinge.motor.saturation"), 0.0);
    advance(&fmu, 10.6, 0.01);
    near(fmu.real("hinge.coordinate.angle"), angle, 1e-10);
}

#[test]
fn a_gear_pair_turns_with_the_inertia_of_both() {
    let resources = Resources::temporary("gears", GEARS);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.set_real("input.motor.torque", 2.0), OK);
    advance(&fmu, 1.0, 0.01);
    let acceleration = 2.0 / (0.02 + 0.5 / 12.25);
    near(fmu.real("input.rate.angle"), acceleration, 1e-10);
    near(fmu.real("output.rate.angle"), -acceleration / 3.5, 1e-10);
    near(
        fmu.real("input.coordinate.angle"),
        acceleration / 2.0,
        1e-10,
    );
    near(fmu.real("mesh.reaction"), 0.02 * acceleration - 2.0, 1e-10);
    // a ramp from here on
    input_rate(&fmu, "input.motor.torque", -4.0);
    assert_eq!(fmu.outcome(1.0, 0.5), OK);
    near(fmu.real("input.rate.angle"), acceleration * 1.25, 1e-10);
    near(fmu.real("energy.balance_error"), 0.0, 1e-9);
}

#[test]
fn a_driven_table_takes_its_block_along_up_to_the_friction() {
    let resources = Resources::temporary("table", TABLE);
    let fmu = Fmu::initialized(&resources);
    let ramp = |acceleration: f64, until: f64| {
        let mut velocity = fmu.real("table.velocity.x");
        while fmu.last_time() < until - 0.05 {
            assert_eq!(fmu.set_real("table.velocity_x", velocity), OK);
            input_rate(&fmu, "table.velocity_x", acceleration);
            assert_eq!(fmu.outcome(fmu.last_time(), 0.1), OK, "{:?}", fmu.log());
            velocity += 0.1 * acceleration;
        }
    };
    ramp(2.0, 1.0);
    near(fmu.real("table.velocity.x"), 2.0, 1e-12);
    near(fmu.real("table.position.x"), 1.0, 1e-12);
    near(fmu.real("block.velocity.x"), 2.0, 1e-12);
    near(fmu.real("block.position.x"), 1.0, 1e-12);
    near(fmu.real("table.drive.force.x"), 10.0, 1e-9);
    near(fmu.real("table.drive.force.y"), 5.0 * G, 1e-9);
    near(fmu.real("table.drive.power"), 20.0, 1e-9);
    // beyond the friction
    ramp(8.0, 2.0);
    near(fmu.real("table.velocity.x"), 10.0, 1e-12);
    near(fmu.real("table.position.x"), 7.0, 1e-12);
    near(fmu.real("block.velocity.x"), 2.0 + 0.5 * G, 1e-9);
    near(fmu.real("table.drive.force.x"), 3.0 * 8.0 + G, 1e-9);
    // held: the table does not accelerate, the block catches up
    assert_eq!(fmu.set_real("table.velocity_x", 10.0), OK);
    advance(&fmu, 2.1, 0.1);
    near(fmu.real("table.drive.force.x"), G, 1e-9);
    let block = fmu.real("energy.balance_error");
    near(block, 0.0, 1e-9);
}

#[test]
fn a_freewheel_drives_overruns_and_locks_again() {
    let resources = Resources::temporary("freewheel", FREEWHEEL);
    let fmu = Fmu::initialized(&resources);
    let [engine, load] = ["engine.velocity.angle", "load.velocity.angle"];
    assert_eq!(fmu.set_real("engine_torque.torque", 4.0), OK);
    advance(&fmu, 1.0, 0.01);
    assert_eq!(status(&fmu, "freewheel"), "locked");
    near(fmu.real(load), 2.0, 1e-12);
    near(fmu.real("freewheel.effort"), 3.0, 1e-12);
    assert_eq!(fmu.real("freewheel.slip_speed"), 0.0);
    // the engine brakes: the load overruns against the drag
    assert_eq!(fmu.set_real("engine_torque.torque", -2.0), OK);
    advance(&fmu, 1.5, 0.01);
    assert_eq!(status(&fmu, "freewheel"), "slip_forward");
    near(fmu.real("freewheel.effort"), -0.2, 1e-12);
    near(fmu.real(engine), 2.0 - 1.8, 1e-12);
    near(fmu.real(load), 2.0 - 0.1 / 1.5, 1e-12);
    let slip = 1.8 - 0.1 / 1.5;
    near(fmu.real("freewheel.slip_speed"), slip, 1e-12);
    near(fmu.real("freewheel.loss_power"), 0.2 * slip, 1e-12);
    // another drag
    assert_eq!(fmu.set_real("freewheel.drag", 0.5), OK);
    assert_eq!(fmu.set_real("engine_torque.torque", 0.0), OK);
    advance(&fmu, 2.0, 0.01);
    near(fmu.real(engine), 0.2 + 0.5, 1e-12);
    // and it drives again
    assert_eq!(fmu.set_real("engine_torque.torque", 8.0), OK);
    advance(&fmu, 4.0, 0.01);
    assert_eq!(status(&fmu, "freewheel"), "locked");
    near(fmu.real("freewheel.effort"), 6.0, 1e-11);
    near(fmu.real(engine) - fmu.real(load), 0.0, 1e-12);
    near(fmu.real("energy.balance_error"), 0.0, 1e-10);
}

#[test]
fn a_motor_with_a_limit_holds_its_speed_as_far_as_it_can() {
    let resources = Resources::temporary("motor", MOTOR);
    let fmu = Fmu::initialized(&resources);
    let speed = "axle.rate.angle";
    assert_eq!(fmu.set_real("axle.motor.speed", 10.0), OK);
    advance(&fmu, 1.0, 0.01);
    near(fmu.real(speed), 8.0, 1e-12);
    near(fmu.real("axle.motor.effort"), 4.0, 1e-12);
    near(fmu.real("axle.motor.slip_speed"), -2.0, 1e-12);
    advance(&fmu, 2.0, 0.01);
    assert_eq!(status(&fmu, "axle.motor"), "locked");
    near(fmu.real(speed), 10.0, 1e-12);
    near(fmu.real("axle.motor.effort"), 0.0, 1e-11);
    assert_eq!(fmu.set_real("load.torque", -3.0), OK);
    // the speed rises by 0.1 rad/s² from here
    input_rate(&fmu, "axle.motor.speed", 0.1);
    assert_eq!(fmu.outcome(2.0, 0.5), OK);
    near(fmu.real(speed), 10.05, 1e-12);
    near(fmu.real("axle.motor.effort"), 3.05, 1e-11);
    // a weaker motor gives way
    assert_eq!(fmu.set_real("axle.motor.limit", 2.0), OK);
    assert_eq!(fmu.set_real("axle.motor.speed", 10.05), OK);
    advance(&fmu, 3.0, 0.01);
    assert_eq!(status(&fmu, "axle.motor"), "slip_backward");
    near(fmu.real(speed), 10.05 - 0.5 * 1.0 / 0.5, 1e-10);
    near(fmu.real("energy.balance_error"), 0.0, 1e-9);
}

#[test]
fn an_acceleration_that_is_held_moves_a_table_smoothly() {
    let resources = Resources::temporary("shaker", SHAKER);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.set_real("table.acceleration_x", 3.0), OK);
    advance(&fmu, 1.0, 0.1);
    near(fmu.real("table.velocity.x"), 3.0, 1e-12);
    near(fmu.real("table.position.x"), 1.5, 1e-12);
    near(fmu.real("table.acceleration.x"), 3.0, 1e-12);
    near(fmu.real("block.position.x"), 1.5, 1e-12);
    near(fmu.real("table.drive.force.x"), 15.0, 1e-9);
    // the velocity goes on from where it was
    assert_eq!(fmu.set_real("table.acceleration_x", -4.0), OK);
    near(fmu.real("table.velocity.x"), 3.0, 1e-12);
    input_rate(&fmu, "table.acceleration_x", 2.0);
    assert_eq!(fmu.outcome(1.0, 0.5), OK);
    near(fmu.real("table.velocity.x"), 3.0 - 2.0 + 0.25, 1e-12);
    near(fmu.real("block.velocity.x"), 1.25, 1e-9);
    near(fmu.real("energy.balance_error"), 0.0, 1e-9);
}

#[test]
fn a_belt_takes_a_block_along_as_fast_as_its_input_says() {
    let resources = Resources::temporary("track", BELT);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.set_real("conveyor.speed", 0.5), OK);
    advance(&fmu, 0.05, 0.01);
    near(fmu.real("block.velocity.x"), 0.5 * G * 0.05, 1e-12);
    near(fmu.real("conveyor.drive.force.x"), 0.5 * 2.0 * G, 1e-9);
    near(fmu.real("conveyor.drive.power"), 0.5 * G, 1e-9);
    near(fmu.real("pair.block.on.ground.force.x"), G, 1e-9);
    near(fmu.real("pair.block.on.ground.force.y"), 2.0 * G, 1e-9);
    advance(&fmu, 1.0, 0.01);
    near(fmu.real("block.velocity.x"), 0.5, 1e-12);
    near(
        fmu.real("block.position.x"),
        0.5 - 0.5 * 0.5 / (0.5 * G) / 2.0,
        1e-9,
    );
    near(fmu.real("conveyor.position.x"), 0.5, 1e-12);
    near(fmu.real("conveyor.drive.force.x"), 0.0, 1e-9);
    // back with a ramp that friction can follow: 4 m/s²
    for i in 0..5 {
        let speed = 0.5 - 0.4 * f64::from(i);
        assert_eq!(fmu.set_real("conveyor.speed", speed), OK);
        input_rate(&fmu, "conveyor.speed", -4.0);
        assert_eq!(fmu.outcome(fmu.last_time(), 0.1), OK, "{:?}", fmu.log());
    }
    near(fmu.real("block.velocity.x"), -1.5, 1e-10);
    near(fmu.real("energy.balance_error"), 0.0, 1e-9);
}

#[test]
fn a_worm_gear_locks_whatever_the_load_and_loosens_with_its_friction() {
    let resources = Resources::temporary("worm", WORM);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.set_real("output.motor.torque", 9.0), OK);
    advance(&fmu, 1.0, 0.01);
    assert_eq!(status(&fmu, "mesh.friction"), "locked");
    near(fmu.real("output.rate.angle"), 0.0, 1e-14);
    near(fmu.real("mesh.reaction"), 3.0, 1e-12);
    near(fmu.real("mesh.friction.effort"), -3.0, 1e-12);
    // an efficiency of 0.8: a friction of 0.25 of what it transmits
    assert_eq!(fmu.set_real("mesh.friction.friction", 0.25), OK);
    assert_eq!(fmu.set_real("mesh.friction.static_friction", 0.25), OK);
    advance(&fmu, 2.0, 0.01);
    let expected = 9.0 / (0.9 / 3.0 + 3.0 * 0.2 / 0.75);
    near(fmu.real("input.rate.angle"), expected, 1e-9);
    assert_eq!(status(&fmu, "mesh.friction"), "slip_forward");
}

/// What is set before a moment, and until when it runs.
type Moment = (&'static str, &'static [(&'static str, f64)], f64);

/// Each scene with inputs, slipping, locked and saturated.
const MOMENTS: [(&str, &str, &[Moment]); 10] = [
    (
        "clutch",
        CLUTCH,
        &[
            (
                "slipping",
                &[
                    ("clutch.normal_force", 200.0),
                    ("crankshaft.motor.torque", 3.0),
                ],
                0.4,
            ),
            ("locked", &[("clutch.normal_force", 900.0)], 1.0),
            ("slipping again", &[("clutch.normal_force", 10.0)], 1.4),
            ("open", &[("clutch.normal_force", 0.0)], 1.6),
        ],
    ),
    (
        "brake",
        BRAKE,
        &[
            ("slipping", &[("load.torque", 1.0)], 0.4),
            ("locked", &[("load.torque", 1.7)], 2.0),
            ("slipping on", &[("load.torque", 9.0)], 2.4),
        ],
    ),
    (
        "servo",
        SERVO,
        &[
            ("saturated", &[("hinge.motor.position", 2.0)], 0.2),
            ("inside", &[("hinge.motor.position", 0.2)], 3.0),
            ("saturated below", &[("hinge.motor.position", -3.0)], 3.2),
        ],
    ),
    (
        "freewheel",
        FREEWHEEL,
        &[
            ("driving", &[("engine_torque.torque", 2.0)], 0.4),
            ("overrunning", &[("engine_torque.torque", -1.0)], 0.8),
        ],
    ),
    (
        "motor",
        MOTOR,
        &[
            ("slipping", &[("axle.motor.speed", 5.0)], 0.2),
            ("holding", &[("load.torque", -2.0)], 2.0),
        ],
    ),
    (
        "gears",
        GEARS,
        &[("turning", &[("input.motor.torque", 2.0)], 0.4)],
    ),
    (
        "shaker",
        SHAKER,
        &[
            ("sticking", &[("table.acceleration_x", 3.0)], 0.3),
            ("slipping", &[("table.acceleration_x", 8.0)], 0.6),
        ],
    ),
    (
        "track",
        BELT,
        &[
            ("slipping", &[("conveyor.speed", 0.5)], 0.05),
            ("sticking", &[("conveyor.speed", 0.5)], 0.5),
        ],
    ),
    (
        "worm",
        WORM,
        &[
            ("locked", &[("output.motor.torque", 9.0)], 0.2),
            ("driving", &[("input.motor.torque", 5.0)], 0.6),
        ],
    ),
    (
        "table",
        TABLE,
        &[
            ("slipping", &[("table.velocity_x", 3.0)], 0.3),
            ("sticking", &[("table.velocity_x", 1.0)], 1.5),
        ],
    ),
];

/// Runs through the moments of every scene.
fn at_moments(mut look: impl FnMut(&Fmu, &str)) {
    for (scene, text, moments) in MOMENTS {
        let resources = Resources::temporary(scene, text);
        let fmu = Fmu::initialized(&resources);
        for (moment, settings, until) in moments {
            for (name, value) in *settings {
                assert_eq!(fmu.set_real(name, *value), OK);
            }
            advance(&fmu, *until, 0.01);
            look(&fmu, &format!("{scene}, {moment}"));
        }
    }
}

fn inputs(fmu: &Fmu) -> Vec<u32> {
    let variables = (0..).zip(&fmu.resources.variables);
    let inputs = variables.filter(|(_, v)| v.causality == Causality::Input);
    inputs.map(|(reference, _)| reference).collect()
}

/// Steps with inputs that change and have derivatives: all values after each.
fn continuation(fmu: &Fmu) -> Vec<Vec<u64>> {
    let mut bits = Vec::new();
    for i in 0..12 {
        let time = fmu.last_time();
        for reference in inputs(fmu) {
            let mut value = 0.0;
            assert_eq!(call!(fmu, fmi2GetReal, &reference, 1, &mut value), OK);
            value *= if i % 3 == 0 { 1.1 } else { 1.0 };
            assert_eq!(call!(fmu, fmi2SetReal, &reference, 1, &value), OK);
            let slope = 0.3 * f64::from(i % 5);
            let status = call!(fmu, fmi2SetRealInputDerivatives, &reference, 1, &1, &slope);
            assert_eq!(status, OK);
        }
        // prescribed speeds that jump in every step are reported
        let status = fmu.outcome(time, 0.013);
        assert!([OK, WARNING].contains(&status), "{:?}", fmu.log());
        bits.push(fmu.bits());
    }
    bits
}

#[test]
fn machines_go_on_from_any_moment_with_the_same_bits() {
    at_moments(|fmu, moment| {
        let bytes = fmu.bytes();
        let here = fmu.bits();
        let mut state = std::ptr::null_mut();
        assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
        let first = continuation(fmu);
        assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
        assert!(fmu.bits() == here, "{moment}");
        assert!(continuation(fmu) == first, "{moment}: in place");
        let other = Fmu::new(fmu.resources);
        assert_eq!(
            other.restore_bytes(&bytes),
            OK,
            "{moment}: {:?}",
            other.log()
        );
        assert!(other.bits() == here && other.bytes() == bytes, "{moment}");
        assert!(continuation(&other) == first, "{moment}: elsewhere");
        assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
        assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
    });
}

fn outputs<'a>(fmu: &Fmu<'a>) -> Vec<&'a str> {
    let is_smooth = |v: &&Variable| {
        v.output().is_some()
            && v.variability == Variability::Continuous
            && matches!(v.kind, Kind::Real { .. })
            && !v.name.starts_with("contact.")
            && !v.name.starts_with("pair.")
    };
    let variables = fmu.resources.variables.iter().filter(is_smooth);
    variables.map(|v| v.name.as_str()).collect()
}

#[test]
fn rates_of_the_outputs_of_machines_are_those_of_their_motion() {
    at_moments(|fmu, moment| {
        let bytes = fmu.bytes();
        let names = outputs(fmu);
        // inputs that are held, and that rise: with its rate the torque of a servo and the acceleration of a table jump, and an open clutch closes
        let jumps = moment == "clutch, open" || !moment.starts_with(['c', 'b', 'g']);
        let slopes = if jumps { &[0.0][..] } else { &[0.0, 5.0] };
        for slope in slopes {
            let ramp = || {
                for reference in inputs(fmu) {
                    let status = call!(fmu, fmi2SetRealInputDerivatives, &reference, 1, &1, slope);
                    assert_eq!(status, OK);
                }
            };
            ramp();
            let read = || names.iter().map(|name| fmu.real(name)).collect::<Vec<_>>();
            let before = read();
            let rates: Vec<f64> = names.iter().map(|name| rate(fmu, name)).collect();
            let (size, events) = (1e-5, fmu.real("events.last_time"));
            assert_eq!(fmu.outcome(fmu.last_time(), size), OK);
            assert_eq!(fmu.real("events.last_time"), events, "{moment}: an event");
            for (((name, before), after), rate) in names.iter().zip(before).zip(read()).zip(rates) {
                let found = (after - before) / size;
                let error = (found - rate).abs() / (1.0 + rate.abs());
                assert!(
                    error < 5e-3,
                    "{moment}, slope {slope}, {name}: {rate} against {found}"
                );
            }
            assert_eq!(fmu.restore_bytes(&bytes), OK);
        }
    });
}

#[test]
fn directional_derivatives_of_machines_are_those_of_their_outputs() {
    at_moments(|fmu, moment| {
        let bytes = fmu.bytes();
        let names = outputs(fmu);
        for input in inputs(fmu) {
            let mut value = 0.0;
            assert_eq!(call!(fmu, fmi2GetReal, &input, 1, &mut value), OK);
            let read = || names.iter().map(|name| fmu.real(name)).collect::<Vec<_>>();
            let answers: Vec<f64> = names
                .iter()
                .map(|name| {
                    let (output, mut answer) = (fmu.resources.reference(name), f64::NAN);
                    let status = call!(
                        fmu,
                        fmi2GetDirectionalDerivative,
                        &output,
                        1,
                        &input,
                        1,
                        &1.0,
                        &mut answer
                    );
                    assert_eq!(status, OK, "{:?}", fmu.log());
                    answer
                })
                .collect();
            let by = &fmu.resources.variables[input as usize].name;
            // whatever the change of the speed, the motor slips
            if moment == "motor, holding" && by == "axle.motor.speed" {
                continue;
            }
            // velocities jump in the next step, not at once; an open clutch has no torque up to a normal force of zero, and beyond it does not stay open
            let is_without = ["table.velocity_x", "conveyor.speed"].contains(&by.as_str())
                || (moment == "clutch, open" && by == "clutch.normal_force");
            if is_without {
                assert!(answers.iter().all(|answer| *answer == 0.0), "{answers:?}");
                continue;
            }
            // forces at the end of a very short step, without and with a change of the input
            let (size, nudge) = (1e-9, 1e-3);
            let pushed = |value: f64| {
                assert_eq!(fmu.restore_bytes(&bytes), OK);
                assert_eq!(call!(fmu, fmi2SetReal, &input, 1, &value), OK);
                assert_eq!(fmu.outcome(fmu.last_time(), size), OK);
                read()
            };
            let (before, after) = (pushed(value), pushed(value + nudge));
            for (((name, before), after), answer) in
                names.iter().zip(before).zip(after).zip(answers)
            {
                let found = (after - before) / nudge;
                let error = (found - answer).abs() / (1.0 + found.abs());
                assert!(
                    error < 1e-6,
                    "{moment}, {name} by {by}: {answer} against {found}"
                );
            }
            assert_eq!(fmu.restore_bytes(&bytes), OK);
        }
    });
}

#[test]
fn limits_and_coefficients_below_zero_are_refused() {
    for (scene, text, names) in [
        (
            "clutch",
            CLUTCH,
            &["clutch.friction", "clutch.static_friction"][..],
        ),
        ("brake", BRAKE, &["brake.limit", "bearing.friction.limit"]),
        ("servo", SERVO, &["hinge.motor.limit"]),
    ] {
        let resources = Resources::temporary(scene, text);
        let fmu = Fmu::initialized(&resources);
        for name in names {
            for value in [-1.0, f64::NAN, f64::INFINITY] {
                assert_eq!(fmu.set_real(name, value), ERROR, "{name} {value}");
            }
        }
    }
}
