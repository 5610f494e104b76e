//! By tolerance: the master's tolerance, inputs that jump, saved states, events, derivatives.

use crate::call;
use crate::common::{observed_order, scene_text};
use crate::derivatives::{WRITTEN, compare_in_run, rate, with_inputs};
use crate::events::{
    land_on_events, landings_on_jump, pile, return_at_events, round_to_nanoseconds, whole,
};
use crate::host::{Cosine, run};
use crate::library::{Fmu, IN_SPACE, Random, Resources, SCENES, pushed_block};
use crate::states::course;
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::Variable;
use stiction::{Model, Simulation};

const TOLERANCE: &str = "settings.tolerance";

/// A scene that is integrated by tolerance.
fn with_tolerance(text: &str, tolerance: f64) -> String {
    assert!(text.contains("[settings]"));
    text.replacen(
        "[settings]",
        &format!("[settings]\ntolerance = {tolerance:e}"),
        1,
    )
}

fn initialized(resources: &Resources, tolerance: f64) -> Fmu<'_> {
    let fmu = Fmu::new(resources);
    assert_eq!(fmu.set_real(TOLERANCE, tolerance), OK);
    fmu.initialize();
    fmu
}

fn setup(fmu: &Fmu, tolerance: f64) -> i32 {
    call!(fmu, fmi2SetupExperiment, 1, tolerance, 0.0, 0, 0.0)
}

#[test]
fn the_last_word_on_the_tolerance_counts() {
    let resources = Resources::shipped("falling_rod");
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.real(TOLERANCE), 0.0);
    assert_eq!(setup(&fmu, 1e-8), OK);
    assert_eq!(fmu.real(TOLERANCE), 1e-8);
    assert_eq!(fmu.set_real(TOLERANCE, 1e-5), OK);
    assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 1e-3, 0.0, 0, 0.0), OK);
    assert_eq!(fmu.real(TOLERANCE), 1e-5, "no word changes nothing");
    assert_eq!(setup(&fmu, 0.0), OK);
    assert_eq!(fmu.real(TOLERANCE), 0.0);
    assert!(fmu.log().is_empty());
    // too small and too large ones are taken as what is possible
    for (wanted, taken) in [(1e-20, 1e-13), (5e-324, 1e-13), (1.0, 0.1), (1e300, 0.1)] {
        assert_eq!(setup(&fmu, wanted), OK);
        assert_eq!(fmu.real(TOLERANCE), taken);
        let lines = fmu.log();
        assert_eq!(
            (lines.len(), lines[0].0, lines[0].1.as_str()),
            (1, WARNING, "logStatusWarning")
        );
        assert!(lines[0].2.contains("from 1e-13 to 0.1"), "{lines:?}");
    }
    for wanted in [-1e-6, f64::NAN, f64::INFINITY] {
        assert_eq!(setup(&fmu, wanted), ERROR);
        assert_eq!(fmu.real(TOLERANCE), 0.1);
    }
    for wrong in [1e-14, 0.2, -1e-6, f64::NAN] {
        assert_eq!(fmu.set_real(TOLERANCE, wrong), ERROR, "{wrong}");
    }
    assert_eq!(call!(fmu, fmi2Reset), OK);
    assert_eq!(fmu.real(TOLERANCE), 0.0);
    let scene = with_tolerance(&scene_text("falling_rod"), 1e-7);
    let resources = Resources::temporary("own tolerance", &scene);
    assert_eq!(Fmu::new(&resources).real(TOLERANCE), 1e-7);
}

#[test]
fn a_tolerance_that_is_set_back_to_zero_keeps_the_fixed_steps() {
    let resources = Resources::shipped("falling_rod");
    let [plain, back, kept] = [None, Some(true), Some(false)].map(|set_back| {
        let fmu = Fmu::new(&resources);
        if let Some(set_back) = set_back {
            assert_eq!(setup(&fmu, 1e-9), OK);
            assert_eq!(
                fmu.set_real(TOLERANCE, if set_back { 0.0 } else { 1e-9 }),
                OK
            );
            assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
            assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
        } else {
            fmu.initialize();
        }
        assert_eq!(fmu.step(0.0, 0.4), OK);
        let places = ["rod.position.x", "rod.position.y", "rod.position.angle"];
        places.map(|name| fmu.real(name).to_bits())
    });
    assert!(plain == back && plain != kept);
}

#[test]
fn results_are_those_of_the_engine_with_the_same_tolerance() {
    for name in SCENES.into_iter().chain(IN_SPACE) {
        let resources = Resources::shipped(name);
        let (tolerance, size) = (1e-8, 0.0625);
        let fmu = Fmu::new(&resources);
        assert_eq!(setup(&fmu, tolerance), OK);
        assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
        assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
        let text = with_tolerance(&scene_text(name), tolerance);
        let mut simulation = Simulation::new(Model::from_text("scene", &text).unwrap());
        simulation.initialize().unwrap();
        for i in 0..12 {
            let time = size * f64::from(i);
            assert_eq!(fmu.step(time, size), OK);
            simulation.advance_to(time + size).unwrap();
        }
        for variable in &resources.variables {
            if is_position(variable) {
                let output = variable.output().unwrap();
                let expected = output.number(&mut simulation);
                assert_eq!(
                    fmu.real(&variable.name),
                    expected,
                    "{name}: {}",
                    variable.name
                );
            }
        }
    }
}

#[test]
fn a_step_without_end_is_an_error() {
    let resources = Resources::shipped("bouncing_ball");
    for (max_step, size) in [(1.0, 1e300), (1.0, 1.1e7), (1e300, 1e300), (1e300, 1e11)] {
        let fmu = Fmu::new(&resources);
        assert_eq!(fmu.set_real("settings.max_step", max_step), OK);
        assert_eq!(fmu.set_real(TOLERANCE, 1e-6), OK);
        fmu.initialize();
        assert_eq!(fmu.step(0.0, size), ERROR);
        assert!(fmu.log()[0].2.contains("steps of"));
    }
    // a ball at rest is no work: five hours
    let fmu = initialized(&resources, 1e-6);
    assert_eq!(fmu.step(0.0, 18_000.0), OK);
    assert!(fmu.real("ball.position.y").abs() < 1e-6);
    // where a second is less than the last bit of the time
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.set_real(TOLERANCE, 1e-6), OK);
    assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 0.0, 1e17, 0, 0.0), OK);
    assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
    assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
    assert_eq!(fmu.step(1e17, 1e4), ERROR);
    assert!(fmu.log()[0].2.contains("too coarse"), "{:?}", fmu.log());
}

#[test]
fn the_log_tells_the_work() {
    let resources = Resources::shipped("falling_rod");
    let fmu = initialized(&resources, 1e-8);
    let category = c"logSolver".as_ptr();
    assert_eq!(call!(fmu, fmi2SetDebugLogging, 1, 1, &category), OK);
    assert_eq!(fmu.step(0.0, 0.5), OK);
    let lines = fmu.log();
    assert_eq!(lines.len(), 1);
    let count = |what: &str| -> u32 {
        let (head, _) = lines[0].2.split_once(&format!(" {what}")).unwrap();
        head.rsplit(' ').next().unwrap().parse().unwrap()
    };
    println!("{}", lines[0].2);
    assert!(count("factorizations") > 100 && count("steps") > 3);
    assert!(count("rejected steps") < 20 && count("fallback steps") == 0);
}

/// A block on a rough table, on a spring, pushed by an input.
fn sprung_block() -> String {
    pushed_block()
        + r#"
[[force]]
name = "rope"
kind = "spring"
bodies = ["ground", "block"]
anchors = [[-20, 0], [0, 0]]
stiffness = 4
rest_length = 23
"#
}

/// The same in closed form: place relative to the start, velocity, number of events.
struct Closed {
    x: f64,
    v: f64,
    events: i32,
}

impl Closed {
    const FRICTION: f64 = 0.8 * 9.81;
    const STIFFNESS: f64 = 4.0;

    /// Goes on for a time under a force that is held.
    fn go(&mut self, push: f64, mut time: f64) {
        let omega = Self::STIFFNESS.sqrt();
        let mut from_slip = 0.0;
        while time > 0.0 {
            let pull = push - Self::STIFFNESS * self.x;
            if self.v == 0.0 && pull.abs() <= Self::FRICTION {
                self.events += i32::from(from_slip != 0.0);
                return;
            }
            let sign = if self.v == 0.0 {
                pull.signum()
            } else {
                self.v.signum()
            };
            // it starts to slide, or turns back
            self.events += i32::from(self.v == 0.0);
            let centre = (push - sign * Self::FRICTION) / Self::STIFFNESS;
            let (a, b) = (self.x - centre, self.v / omega);
            let mut stop = b.atan2(a) / omega;
            let half_turn = std::f64::consts::PI / omega;
            while stop <= 1e-12 {
                stop += half_turn;
            }
            let span = time.min(stop);
            let (s, c) = (omega * span).sin_cos();
            self.x = centre + a * c + b * s;
            self.v = if stop <= time {
                0.0
            } else {
                omega * (b * c - a * s)
            };
            from_slip = sign;
            time -= span;
        }
    }
}

/// Pushes between -16 and 16 N: a new one now and then, at communication points.
fn pushes(n: usize) -> Vec<f64> {
    let mut random = Random::new(0x0bad_cafe);
    let mut push = 0.0;
    let mut list = Vec::new();
    for i in 0..n {
        if i % 3 == 2 || random.below(3) == 0 {
            push = 32.0 * random.unit() - 16.0;
        }
        list.push(push);
    }
    list[0] = 0.0;
    list
}

#[test]
fn inputs_that_jump_at_communication_points_keep_the_accuracy() {
    let resources = Resources::temporary("jumps", &sprung_block());
    for size in [0.11, 0.4] {
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let fmu = initialized(&resources, tolerance);
            let mut closed = Closed {
                x: 0.0,
                v: 0.0,
                events: 0,
            };
            let (mut worst, mut time): (f64, f64) = (0.0, 0.0);
            for push in pushes(60) {
                assert_eq!(fmu.set_real("push.force_x", push), OK);
                assert_eq!(fmu.step(time, size), OK, "{:?}", fmu.log());
                time += size;
                closed.go(push, size);
                let x = fmu.real("block.position.x") - 3.0;
                let v = fmu.real("block.velocity.x");
                worst = worst.max((x - closed.x).abs()).max((v - closed.v).abs());
            }
            let events = whole(&fmu, "events.count");
            println!(
                "{size} s, {tolerance:.0e}: worst error {worst:.1e}, {events} events, {} expected",
                closed.events
            );
            assert!(worst < 10.0 * tolerance, "{worst:e}");
            assert_eq!(events, closed.events);
        }
    }
}

/// Two bodies with a very stiff damper between them, the right one pushed.
const DAMPED: &str = r#"
    name = "damped"
    gravity = [0, 0]
    [[body]]
    name = "left"
    kind = "point"
    mass = 1
    position = [0, 0]
    [[body]]
    name = "right"
    kind = "point"
    mass = 1
    position = [1, 0]
    [[force]]
    name = "damper"
    kind = "damper"
    bodies = ["left", "right"]
    anchors = [[0, 0], [0, 0]]
    damping = 1e6
    [[force]]
    name = "push"
    kind = "applied"
    body = "right"
    force = [{ kind = "input" }, 0]
"#;

#[test]
fn jumps_of_an_input_do_not_ring_in_a_stiff_damper() {
    let resources = Resources::temporary("damped jumps", DAMPED);
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let fmu = initialized(&resources, tolerance);
        let (mut x, mut v, mut worst, mut ringing): (f64, f64, f64, f64) = (0.5, 0.0, 0.0, 0.0);
        let size = 0.1;
        for (i, push) in (0u32..).zip(pushes(60)) {
            assert_eq!(fmu.set_real("push.force_x", push), OK);
            assert_eq!(fmu.step(f64::from(i) * size, size), OK, "{:?}", fmu.log());
            // the middle moves with half of the push; all else is gone after a microsecond
            x += size * (v + 0.25 * size * push);
            v += 0.5 * size * push;
            let middle = |what: &str| {
                0.5 * (fmu.real(&format!("left.{what}.x")) + fmu.real(&format!("right.{what}.x")))
            };
            worst = worst.max((middle("position") - x).abs());
            worst = worst.max((middle("velocity") - v).abs());
            let force = fmu.real("damper.force").abs();
            ringing = ringing.max((force - 0.5 * push.abs()).abs());
        }
        println!("{tolerance:.0e}: error {worst:.1e}, force off by {ringing:.1e} N");
        assert!(worst < 10.0 * tolerance, "{worst:e}");
        // a rate below the tolerance is a force below that times the damping
        assert!(ringing < 1e6 * tolerance, "{ringing:e}");
    }
}

#[test]
fn an_input_that_is_set_again_is_no_event() {
    let resources = Resources::temporary("set again", &sprung_block());
    let (fmu, twin) = (initialized(&resources, 1e-8), initialized(&resources, 1e-8));
    for (i, push) in (0u32..).zip(pushes(40)) {
        for fmu in [&fmu, &twin] {
            assert_eq!(fmu.set_real("push.force_x", push), OK);
        }
        assert_eq!(twin.set_real("push.force_x", push), OK);
        twin.bits(); // questions change nothing either
        rate(&twin, "block.acceleration.x");
        let time = 0.1 * f64::from(i);
        assert_eq!((fmu.step(time, 0.1), twin.step(time, 0.1)), (OK, OK));
        assert!(fmu.bytes() == twin.bytes(), "{i}: other bits");
    }
}

#[test]
fn a_force_fed_with_derivatives_converges_to_the_built_in_one() {
    /// Place of the block at 10 s, from the closed form.
    const BLOCK: f64 = 2.9913028331150315;
    let fed = Resources::temporary("fed by tolerance", &pushed_block());
    let sizes = [0.2, 0.1, 0.05, 0.025];
    let at = |size, order, tolerance| {
        let cosine = Cosine("push.force_x", 8.0, 1.0, order);
        let settings = [(TOLERANCE, tolerance), ("push.force_x", 8.0)];
        let names = ["block.position.x", "events.last_time"];
        (run(&fed, 10.0, size, &settings, Some(cosine), &names)[0] - BLOCK).abs()
    };
    for (order, expected) in [(1, 2.0), (3, 4.0)] {
        let errors = sizes.map(|size| at(size, order, 1e-11));
        let found = observed_order(&sizes, &errors);
        println!("derivatives up to {order}: errors {errors:?}, order {found:.2}");
        assert!(found > expected - 0.3, "{found}: {errors:?}");
    }
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let error = at(0.05, 7, tolerance);
        println!("derivatives up to 7, {tolerance:.0e}: error {error:.1e}");
        assert!(error < 10.0 * tolerance, "{error:e}");
    }
}

#[test]
fn a_restored_state_goes_on_with_the_same_bits_by_tolerance() {
    let mut random = Random::new(0x7001_5eed);
    for scene in ["double_pendulum_wall", "falling_rod", "two_carts", "pushed"] {
        let resources = match scene {
            "pushed" => Resources::temporary("rollback by tolerance", &pushed_block()),
            shipped => Resources::shipped(shipped),
        };
        let other = Fmu::new(&resources);
        let mut n = 0;
        for round in 0..20 {
            let tolerance = [1e-4, 1e-6, 1e-8, 1e-11][round % 4];
            let fmu = initialized(&resources, tolerance);
            let mut state = std::ptr::null_mut();
            for _ in 0..10 {
                let seed = random.below(1 << 40) + 1;
                course(&fmu, fmu.last_time(), seed, 1 + random.below(8) as usize);
                let (time, seed) = (fmu.last_time(), random.below(1 << 40) + 1);
                assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
                let (here, bytes) = (fmu.bits(), fmu.bytes());
                let first = (course(&fmu, time, seed, 6), fmu.bytes());
                assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
                assert!(fmu.bits() == here && fmu.last_time() == time);
                let again = (course(&fmu, time, seed, 6), fmu.bytes());
                assert!(again == first, "{scene} at {time} s: in place");
                assert_eq!(other.restore_bytes(&bytes), OK, "{:?}", other.log());
                assert!(other.bits() == here && other.bytes() == bytes);
                let elsewhere = (course(&other, time, seed, 6), other.bytes());
                assert!(elsewhere == first, "{scene} at {time} s: elsewhere");
                n += 1;
            }
            assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
        }
        println!("{scene}: {n} roll-backs");
        assert!(n >= 200);
    }
}

/// Times of the events of a plain run by tolerance, and its positions at the end.
fn plain_run(scene: &str, tolerance: f64, until: f64, size: f64) -> (Vec<f64>, Vec<f64>) {
    let text = with_tolerance(scene, tolerance);
    let mut simulation = Simulation::new(Model::from_text("scene", &text).unwrap());
    let n = (until / size - 1e-9).ceil() as u32;
    for i in 1..=n {
        let end = until.min(f64::from(i) * size);
        simulation.advance_to(end).unwrap();
    }
    let events = simulation.report().events.iter().map(|e| e.time);
    let mut times: Vec<f64> = events.filter(|t| *t > 0.0).collect();
    times.dedup_by(|b, a| *b - *a < 1e-9);
    (times, simulation.state().position.clone())
}

#[test]
fn a_master_that_restores_lands_on_every_event_by_tolerance() {
    for (name, until, off_in_time, off_in_place) in [
        ("bouncing_ball", 5.0, 1e-10, 1e-9),
        ("block_on_table", 10.0, 1e-10, 1e-9),
        ("falling_rod", 0.6, 1e-10, 1e-9),
        ("two_carts", 2.0, 1e-8, 1e-8),
        ("double_pendulum_wall", 2.5, 1e-9, 1e-9),
        ("incline", 2.0, 1e-9, 1e-9),
        ("slider_crank", 2.0, 1e-9, 1e-8),
        ("two_bodies_damper", 2.0, 1e-9, 1e-9),
    ] {
        let resources = Resources::shipped(name);
        let tolerance = 1e-10;
        for size in [0.01, 0.1, 1.0] {
            let (events, end) = plain_run(&scene_text(name), tolerance, until, size);
            let fmu = Fmu::new(&resources);
            return_at_events(&fmu);
            assert_eq!(fmu.set_real(TOLERANCE, tolerance), OK);
            fmu.initialize();
            let landed = land_on_events(&fmu, until, size, |_| {});
            assert_eq!(landed.len(), events.len(), "{name}: {landed:?} {events:?}");
            let late = landed.iter().zip(&events).map(|(a, b)| (a - b).abs());
            let late = late.fold(0.0, f64::max);
            let is_place = |v: &&Variable| is_position(v);
            let places = resources.variables.iter().filter(is_place);
            let off = places
                .zip(&end)
                .map(|(v, x)| (fmu.real(&v.name) - x).abs())
                .fold(0.0, f64::max);
            println!(
                "{name}, {size} s: {} events, {late:.1e} s off, in the end {off:.1e}",
                landed.len()
            );
            assert!(late < off_in_time, "{name}: {late:e}");
            assert!(off < off_in_place, "{name}: {off:e}");
        }
    }
}

#[test]
fn every_scene_and_piles_can_be_cut_at_events_by_any_tolerance() {
    for tolerance in [1e-3, 1e-6, 1e-12] {
        let mut random = Random::new(4712);
        let scenes = SCENES.into_iter().chain(IN_SPACE);
        let mut texts: Vec<_> = scenes.map(|name| (name, scene_text(name))).collect();
        texts.extend((0..4).map(|round| ("pile", pile(round, &mut random))));
        for (name, text) in texts {
            let place = format!("cut {name} {tolerance}");
            let resources = Resources::temporary(&place, &with_tolerance(&text, tolerance));
            let fmu = Fmu::new(&resources);
            return_at_events(&fmu);
            fmu.initialize();
            // steps in space take longer
            let end = if IN_SPACE.contains(&name) { 0.6 } else { 1.2 };
            let landed = land_on_events(&fmu, end, 0.037, |_| {}).len();
            println!("{name}, {tolerance:.0e}: {landed} events");
            assert!(landed > 10 || name != "pile");
        }
    }
}

#[test]
fn a_master_that_rounds_times_gets_past_events_by_tolerance() {
    let resources = Resources::shipped("bouncing_ball");
    let fmu = Fmu::new(&resources);
    return_at_events(&fmu);
    assert_eq!(fmu.set_real(TOLERANCE, 1e-9), OK);
    fmu.initialize();
    let cuts = round_to_nanoseconds(&fmu);
    let (events, end) = plain_run(&scene_text("bouncing_ball"), 1e-9, 5.0, 0.1);
    println!("{cuts} cuts, {} events", events.len());
    assert_eq!(cuts, events.len());
    assert!((fmu.real("ball.position.y") - end[1]).abs() < 1e-8);
}

#[test]
fn a_force_that_jumps_inside_a_step_cuts_it_there_by_tolerance() {
    for (jump, size) in [
        (0.503, 0.01),
        (0.503, 0.1),
        (0.503, 1.0),
        (0.5, 0.5),
        (0.5, 1.0),
    ] {
        let landed = landings_on_jump(jump, size, |text| with_tolerance(text, 1e-8));
        // at the end of a communication step it belongs to that
        let expected: &[f64] = if size == 0.5 { &[] } else { &[jump] };
        assert_eq!(landed, expected, "{size}");
    }
}

#[test]
fn rates_of_outputs_are_those_of_the_motion_by_tolerance() {
    let written = WRITTEN.to_owned();
    for scene in [
        "double_pendulum_wall",
        "falling_rod",
        "two_carts",
        "slider_crank",
        "written",
    ] {
        let text = if scene == "written" {
            written.clone()
        } else {
            scene_text(scene)
        };
        let text = with_tolerance(&text, 1e-12);
        let resources = Resources::temporary(&format!("rates {scene}"), &text);
        let fmu = Fmu::initialized(&resources);
        assert_eq!(fmu.step(0.0, 0.2), OK);
        let names: Vec<&str> = resources
            .variables
            .iter()
            .filter(|v| v.output().is_some())
            .filter(|v| {
                let has = |quantity: &str| v.name.contains(quantity);
                let motion = [".position.", ".velocity.", ".acceleration."];
                let forces = [".normal_force", ".friction_force", ".reaction.", ".force"];
                let energies = ["energy.kinetic", "energy.potential", "energy.dissipated"];
                motion.into_iter().chain(forces).chain(energies).any(has)
            })
            .map(|v| v.name.as_str())
            .collect();
        let size = 1e-4;
        let values = || -> Vec<f64> { names.iter().map(|name| fmu.real(name)).collect() };
        let (before, events) = (values(), whole(&fmu, "events.count"));
        assert_eq!(fmu.step(0.2, size), OK);
        let rates: Vec<f64> = names.iter().map(|name| rate(&fmu, name)).collect();
        assert_eq!(fmu.step(0.2 + size, size), OK);
        let after = values();
        assert_eq!(
            whole(&fmu, "events.count"),
            events,
            "{scene}: an event in the way"
        );
        let mut worst: f64 = 0.0;
        for (k, rate) in rates.iter().enumerate() {
            let found = (after[k] - before[k]) / (2.0 * size);
            let error = (found - rate).abs() / (1.0 + rate.abs());
            assert!(error < 1e-4, "{scene} {}: {rate} against {found}", names[k]);
            worst = worst.max(error);
        }
        println!("{scene}: {} outputs, worst error {worst:.1e}", names.len());
    }
}

#[test]
fn derivatives_by_inputs_are_those_of_differences_by_tolerance() {
    let mut random = Random::new(0x8765_4321);
    let texts = SCENES.map(|scene| (scene, with_inputs(&scene_text(scene))));
    for (name, text) in texts.into_iter().chain([("written", with_inputs(WRITTEN))]) {
        let name = format!("{name} by tolerance");
        compare_in_run(&name, &with_tolerance(&text, 1e-9), &mut random);
    }
}

fn is_position(variable: &Variable) -> bool {
    variable.output().is_some() && variable.name.contains(".position.")
}
