//! Steps that return at their first event, and a master that lands on every one.

use crate::call;
use crate::common::scene_text;
use crate::library::{Fmu, Random, Resources, pushed_block};
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::Variable;
use stiction::{Model, Simulation};

/// Switches the return at events on, before the initialization.
pub fn return_at_events(fmu: &Fmu) {
    let reference = fmu.resources.reference("settings.return_at_event");
    assert_eq!(call!(fmu, fmi2SetBoolean, &reference, 1, &TRUE), OK);
}

pub fn whole(fmu: &Fmu, name: &str) -> i32 {
    let mut value = -1;
    let reference = fmu.resources.reference(name);
    assert_eq!(call!(fmu, fmi2GetInteger, &reference, 1, &mut value), OK);
    value
}

/// A master that restores the state of the start of a discarded step, repeats it up to the event, and goes on from
/// there. Gives the times at which it landed. With any scheme: warnings do not count.
pub fn land_on_events(fmu: &Fmu, until: f64, size: f64, mut feed: impl FnMut(f64)) -> Vec<f64> {
    let (mut time, mut landed) = (0.0, Vec::new());
    let mut state = std::ptr::null_mut();
    let n = (until / size - 1e-9).ceil() as u32;
    for i in 1..=n {
        let end = until.min(f64::from(i) * size);
        while time < end {
            assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
            feed(time);
            let status = fmu.risky_step(time, end - time);
            if status == OK {
                time = end;
                continue;
            }
            assert_eq!(status, DISCARD, "{:?}", fmu.log());
            let event = fmu.last_time();
            let counted = whole(fmu, "events.count");
            assert!(event > time && event < end);
            let there = fmu.bits();
            assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
            feed(time);
            assert_eq!(fmu.risky_step(time, event - time), OK, "{:?}", fmu.log());
            assert!((fmu.last_time() - event).abs() <= 1e-15 * event);
            assert_eq!(whole(fmu, "events.count"), counted);
            assert!(fmu.bits() == there, "at {event} s it looks different");
            time = fmu.last_time();
            landed.push(event);
            assert!(landed.len() < 10_000, "no end of events");
        }
    }
    assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
    landed
}

/// Times of the events of a plain run, and its positions at the end.
fn plain_run(scene: &str, until: f64, size: f64) -> (Vec<f64>, Vec<f64>) {
    let mut simulation = Simulation::new(Model::from_text("scene", scene).unwrap());
    let n = (until / size).round() as u32;
    for i in 1..=n {
        simulation.advance_to(f64::from(i) * size).unwrap();
    }
    let events = simulation.report().events.iter().map(|e| e.time);
    let mut times: Vec<f64> = events.filter(|t| *t > 0.0).collect();
    times.dedup_by(|b, a| *b - *a < 1e-8);
    (times, simulation.state().position.clone())
}

#[test]
fn a_master_that_restores_lands_on_every_event() {
    for (name, until) in [
        ("bouncing_ball", 5.0),
        ("block_on_table", 10.0),
        ("falling_rod", 2.0),
        ("two_carts", 4.0),
        ("double_pendulum_wall", 2.5),
        ("incline", 2.0),
        ("newtons_cradle", 2.0),
        ("slider_crank", 2.0),
        ("two_bars", 2.0),
        ("two_bodies_damper", 2.0),
    ] {
        let resources = Resources::shipped(name);
        let step = Fmu::new(&resources).real("settings.step");
        for size in [step, 10.0 * step] {
            let (events, end) = plain_run(&scene_text(name), until, size);
            let fmu = Fmu::new(&resources);
            return_at_events(&fmu);
            fmu.initialize();
            let landed = land_on_events(&fmu, until, size, |_| {});
            assert_eq!(landed.len(), events.len(), "{name}: {landed:?} {events:?}");
            let late = landed.iter().zip(&events).map(|(a, b)| (a - b).abs());
            let late = late.fold(0.0, f64::max);
            let is_place = |v: &&Variable| v.output().is_some() && v.name.contains(".position.");
            let places = resources.variables.iter().filter(is_place);
            let off = places
                .zip(&end)
                .map(|(v, x)| (fmu.real(&v.name) - x).abs())
                .fold(0.0, f64::max);
            println!(
                "{name}, {size} s: {} events, {late:.1e} s off, in the end {off:.1e}",
                landed.len()
            );
            // two colliding bars amplify the last bit of the times of standard steps
            let bound = if name == "two_bars" { 1e-9 } else { 1e-12 };
            assert!(late < bound, "{name}: {late:e}");
            assert!(off < 1e-11, "{name}: {off:e}");
        }
    }
}

/// A block that slides to a stop after 13 ms.
fn stopping_block() -> Resources {
    Resources::temporary("stopping block", &pushed_block())
}

fn stopping(resources: &Resources) -> Fmu<'_> {
    let fmu = Fmu::new(resources);
    return_at_events(&fmu);
    assert_eq!(fmu.set_real("block.initial.velocity.x", 0.1), OK);
    fmu.initialize();
    fmu
}

const STOP: f64 = 0.1 / (0.8 * 9.81);

#[test]
fn a_step_that_is_cut_short_says_where_and_why() {
    let resources = stopping_block();
    let fmu = stopping(&resources);
    let start = fmu.bytes();
    assert_eq!(fmu.step(0.0, 0.05), DISCARD);
    let lines = fmu.log();
    let (status, category, message) = &lines[0];
    assert_eq!(
        (lines.len(), *status, category.as_str()),
        (1, DISCARD, "logStatusDiscard")
    );
    let time = fmu.last_time();
    assert!((time - STOP).abs() < 1e-12, "{time}");
    let time_in_words = format!(" at {time} s");
    for words in [
        "stick of block.on.ground",
        " (block, ground) at",
        &time_in_words,
    ] {
        assert!(message.contains(words), "{words} is not in: {message}");
    }
    let (mut step, mut terminated) = (OK, TRUE);
    assert_eq!(call!(fmu, fmi2GetStatus, DO_STEP_STATUS, &mut step), OK);
    assert_eq!(
        call!(fmu, fmi2GetBooleanStatus, TERMINATED, &mut terminated),
        OK
    );
    assert_eq!((step, terminated), (DISCARD, FALSE));
    // right after the event
    assert_eq!(fmu.real("events.last_time"), time);
    assert_eq!(whole(&fmu, "contact.*.status"), 3);
    assert_eq!(fmu.real("block.acceleration.x"), 0.0);
    assert_eq!(fmu.real("contact.*.friction_force"), 0.0);
    // repeating it without restoring the state is an error, not a loop
    assert_eq!(fmu.step(0.0, 0.05), ERROR);
    assert_eq!(fmu.step(time, 0.05 - time), ERROR);
    // what the standard offers: the end, a reset, or a state
    assert_eq!(fmu.restore_bytes(&start), OK);
    assert_eq!(fmu.step(0.0, time), OK);
    assert_eq!(fmu.step(time, 0.05 - time), OK, "no event is left");
    assert_eq!(fmu.restore_bytes(&start), OK);
    assert_eq!(fmu.step(0.0, 0.01), OK, "no event on the way");
    assert_eq!(fmu.step(0.01, 0.01), DISCARD);
    assert!((fmu.last_time() - STOP).abs() < 1e-12);
    assert_eq!(call!(fmu, fmi2Terminate), OK);
    assert_eq!(call!(fmu, fmi2Reset), OK);
}

#[test]
fn a_cut_step_is_the_same_in_another_instance() {
    let resources = stopping_block();
    let (fmu, other) = (stopping(&resources), Fmu::new(&resources));
    let start = fmu.bytes();
    assert_eq!(fmu.step(0.0, 0.05), DISCARD);
    let (cut, there) = (fmu.last_time(), fmu.bits());
    // the state of a cut step can be saved for a look elsewhere
    assert_eq!(other.restore_bytes(&fmu.bytes()), OK);
    assert!(other.bits() == there && other.last_time() == cut);
    assert_eq!(other.step(cut, 0.01), ERROR);
    // and an instance that never saw the cut repeats the step up to it
    assert_eq!(other.restore_bytes(&start), OK);
    assert_eq!(other.step(0.0, cut), OK);
    assert!(other.bits() == there);
}

#[test]
fn odd_communication_steps_land_on_events_as_well_as_a_plain_run() {
    let resources = Resources::shipped("block_on_table");
    let text = scene_text("block_on_table");
    let (truth, place) = plain_run(&text, 10.0, 1e-4);
    let (events, end) = plain_run(&text, 10.0, 0.01);
    let late = |times: &[f64]| {
        assert_eq!(times.len(), truth.len());
        let late = times.iter().zip(&truth).map(|(a, b)| (a - b).abs());
        late.fold(0.0, f64::max)
    };
    let usual = (late(&events), (end[0] - place[0]).abs());
    println!("plain run: {:.1e} s off, {:.1e} m", usual.0, usual.1);
    for size in [0.0078125, 0.0371, 0.73, 2.5] {
        let fmu = Fmu::new(&resources);
        return_at_events(&fmu);
        fmu.initialize();
        let landed = late(&land_on_events(&fmu, 10.0, size, |_| {}));
        let off = (fmu.real("block.position.x") - place[0]).abs();
        println!("{size} s: {landed:.1e} s off, {off:.1e} m");
        assert!(landed < 1.5 * usual.0 && off < 1.5 * usual.1);
    }
}

#[test]
fn a_fed_force_is_cut_where_the_built_in_one_is() {
    let resources = Resources::temporary("fed events", &pushed_block());
    let (events, _) = plain_run(&scene_text("block_on_table"), 10.0, 0.01);
    let fmu = Fmu::new(&resources);
    return_at_events(&fmu);
    assert_eq!(fmu.set_real("push.force_x", 8.0), OK);
    fmu.initialize();
    let feed = |time: f64| {
        let (s, c) = time.sin_cos();
        assert_eq!(fmu.set_real("push.force_x", 8.0 * c), OK);
        for (order, value) in [(1, -8.0 * s), (2, -8.0 * c), (3, 8.0 * s), (4, 8.0 * c)] {
            assert_eq!(
                call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &order, &value),
                OK
            );
        }
    };
    let landed = land_on_events(&fmu, 10.0, 0.01, feed);
    let late = landed.iter().zip(&events).map(|(a, b)| (a - b).abs());
    let late = late.fold(0.0, f64::max);
    println!("{} events, {late:.1e} s off", landed.len());
    assert_eq!(landed.len(), events.len());
    assert!(late < 1e-6, "{late:e}");
}

#[test]
fn endless_bouncing_comes_to_an_end() {
    let text = scene_text("bouncing_ball");
    let text = text.replacen("[settings]", "[settings]\nrestitution_threshold = 0", 1);
    assert!(text.contains("restitution_threshold"));
    let resources = Resources::temporary("zeno", &text);
    let fmu = Fmu::new(&resources);
    return_at_events(&fmu);
    fmu.initialize();
    let landed = land_on_events(&fmu, 10.0, 0.1, |_| {});
    println!(
        "{} events, the last one at {:?} s",
        landed.len(),
        landed.last()
    );
    assert!(landed.windows(2).all(|pair| pair[1] - pair[0] > 1e-9));
    assert!(fmu.real("ball.position.y").abs() < 1e-9);
}

#[test]
fn a_master_that_rounds_times_gets_past_events() {
    for step in [0.01, 1e-4] {
        get_past_events(step);
    }
}

/// A master that rounds times to nanoseconds, up to 5 s; how many steps ended at events.
pub fn round_to_nanoseconds(fmu: &Fmu) -> usize {
    let nanoseconds = |time: f64| (time * 1e9).round() / 1e9;
    let (mut time, mut cuts) = (0.0, 0);
    let mut state = std::ptr::null_mut();
    for i in 1..=50 {
        let end = nanoseconds(0.1 * f64::from(i));
        while time < end {
            assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
            let mut goal = end;
            if fmu.step(time, end - time) == DISCARD {
                cuts += 1;
                goal = nanoseconds(fmu.last_time());
                assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
                assert_eq!(fmu.step(time, goal - time), OK, "{:?}", fmu.log());
            }
            time = goal;
        }
    }
    assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
    cuts
}

/// To nanoseconds, with a standard step.
fn get_past_events(step: f64) {
    let resources = Resources::shipped("bouncing_ball");
    let fmu = Fmu::new(&resources);
    return_at_events(&fmu);
    assert_eq!(fmu.set_real("settings.step", step), OK);
    fmu.initialize();
    let cuts = round_to_nanoseconds(&fmu);
    let (events, end) = plain_run(&scene_text("bouncing_ball"), 5.0, step);
    println!("steps of {step} s: {cuts} cuts, {} events", events.len());
    assert_eq!(cuts, events.len());
    assert!((fmu.real("ball.position.y") - end[1]).abs() < 1e-8);
}

/// Where a mini-master lands on the way to 1 s with a block that a jump of its force sets in motion; where the block is then
/// is checked.
pub fn landings_on_jump(jump: f64, size: f64, change: impl Fn(&str) -> String) -> Vec<f64> {
    let built_in = "[{ kind = \"harmonic\", amplitude = 8, omega = 1 }, 0]";
    let force = format!(
        "[{{ kind = \"table\", times = [0, {jump}, {jump}, 9], values = [1, 1, 10, 10] }}, 0]"
    );
    let text = change(&scene_text("block_on_table").replace(built_in, &force));
    let resources = Resources::temporary("jump", &text);
    let fmu = Fmu::new(&resources);
    return_at_events(&fmu);
    fmu.initialize();
    let landed = land_on_events(&fmu, 1.0, size, |_| {});
    let sliding: f64 = 1.0 - jump;
    let expected = 3.0 + 0.5 * (10.0 - 0.8 * 9.81) * sliding * sliding;
    let off = fmu.real("block.position.x") - expected;
    assert!(off.abs() < 1e-12, "{size}: {off:e}");
    landed
}

#[test]
fn a_force_that_jumps_inside_a_step_cuts_it_there() {
    // inside a standard step, at the end of one, at a communication point
    for (jump, size) in [
        (0.503, 0.01),
        (0.503, 0.1),
        (0.503, 1.0),
        (0.51, 1.0),
        (0.5, 1.0),
    ] {
        assert_eq!(landings_on_jump(jump, size, str::to_owned), [jump]);
    }
}

#[test]
fn the_log_names_the_contacts_of_events() {
    let resources = Resources::shipped("falling_rod");
    let fmu = Fmu::initialized(&resources);
    let category = c"logEvents".as_ptr();
    assert_eq!(call!(fmu, fmi2SetDebugLogging, 1, 1, &category), OK);
    let (text, size) = (scene_text("falling_rod"), 0.5);
    let mut simulation = Simulation::new(Model::from_text("scene", &text).unwrap());
    let mut told = 0;
    for i in 0..4 {
        let time = size * f64::from(i);
        assert_eq!(fmu.step(time, size), OK);
        simulation.advance_to(time + size).unwrap();
        let events = std::mem::take(&mut simulation.report_mut().events);
        let lines = fmu.log();
        assert_eq!(lines.len(), events.len());
        for ((status, category, message), event) in lines.iter().zip(&events) {
            let name = &simulation.model().contacts[event.contact].name;
            let (kind, time) = (event.kind.name(), event.time);
            assert_eq!((*status, category.as_str()), (OK, "logEvents"));
            assert!(
                message.starts_with(&format!("{kind} of {name} (")),
                "{message}"
            );
            assert!(message.contains("rod") && message.contains("ground"));
            assert!(message.ends_with(&format!("at {time} s")), "{message}");
            told += 1;
        }
    }
    assert!(told >= 4);
}

#[test]
fn every_scheme_can_be_cut_at_events() {
    for name in [
        "bouncing_ball",
        "falling_rod",
        "block_on_table",
        "two_carts",
    ] {
        let resources = Resources::shipped(name);
        for scheme in 1..=7 {
            for (event_state, locate) in [(1, TRUE), (2, TRUE), (1, FALSE)] {
                let fmu = Fmu::new(&resources);
                return_at_events(&fmu);
                for (name, value) in [
                    ("settings.scheme", scheme),
                    ("settings.event_state", event_state),
                ] {
                    let reference = resources.reference(name);
                    assert_eq!(call!(fmu, fmi2SetInteger, &reference, 1, &value), OK);
                }
                for name in ["settings.locate_collisions", "settings.locate_transitions"] {
                    let reference = resources.reference(name);
                    assert_eq!(call!(fmu, fmi2SetBoolean, &reference, 1, &locate), OK);
                }
                fmu.initialize();
                let landed = land_on_events(&fmu, 1.0, 0.037, |_| {});
                println!(
                    "{name}, scheme {scheme}, state {event_state}, located {locate}: {} events",
                    landed.len()
                );
                // the position-level scheme knows no impacts
                assert!(!landed.is_empty() || name == "block_on_table" || scheme == 6);
            }
        }
    }
}

/// A few bodies that fall on each other.
pub fn pile(round: usize, random: &mut Random) -> String {
    let mut text = String::from(
        "name = \"pile\"\n[settings]\n[[ground.shape]]\nkind = \"half_plane\"\nnormal = [0, 1]\n[contact_default]\nfriction = 0.4\nrestitution = 0.3\n",
    );
    for i in 0..4 {
        let shape = [
            "{ kind = \"box\", size = [0.3, 0.2] }",
            "{ kind = \"circle\", radius = 0.15 }",
        ][(i + round) % 2];
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = 1\nposition = [{}, {}]\nangle = {}\nshape = [{shape}]\n",
            0.2 * random.unit(),
            0.4 + 0.5 * i as f64,
            3.0 * random.unit()
        );
    }
    text
}

#[test]
fn a_master_lands_on_the_events_of_a_pile() {
    let mut random = Random::new(4711);
    for round in 0..6 {
        let text = pile(round, &mut random);
        let resources = Resources::temporary(&format!("pile {round}"), &text);
        let fmu = Fmu::new(&resources);
        return_at_events(&fmu);
        fmu.initialize();
        let landed = land_on_events(&fmu, 2.0, 0.05, |_| {});
        println!("pile {round}: {} events", landed.len());
        assert!(landed.len() > 10);
    }
}
