//! What the calls of an FMU cost, through the C interface of the shared library.
//!
//! `cargo bench --bench fmu` prints what loading costs, what the floating-point environment adds to a call, and tables: a
//! communication step over the engine's own steps; the bouncing ball beside a plain FMU in C; instances; reading and setting 100
//! variables; saving and restoring states. What is compared takes turns in short repetitions, and a ratio is the median of those
//! within repetitions. `cargo bench --bench fmu -- environment` prints the second of these alone.
#![allow(unsafe_code)]
#![allow(clippy::macro_metavars_in_unsafe)] // every call into a library is one

#[path = "../../tests/common/mod.rs"]
mod common;

mod driver;
mod timing;

use common::scene_text;
use driver::{Fmu, Library, Source};
use std::hint::black_box;
use stiction::fmu::c_api::float_environment::Scope;
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::{Causality, Kind, Variability, Variable};
use stiction::{Model, Simulation};
use timing::{Timed, in_turn, repeated, seconds};

const ROUNDS: usize = 101;

const SCENES: [&str; 6] = [
    "bouncing_ball",
    "block_on_table",
    "two_carts",
    "falling_rod",
    "double_pendulum_wall",
    "newtons_cradle",
];

/// Instances of scenes in space take longer.
const IN_SPACE: [&str; 3] = ["box_landing", "rolling_ball", "gripper"];

fn main() {
    if std::env::args().any(|word| word == "environment") {
        environment(&Library::ours());
        return;
    }
    loads();
    environment(&Library::ours());
    let (ours, plain) = (Library::ours(), Library::plain());
    steps(&ours);
    balls(&ours, &plain);
    lives(&ours, &plain);
    values(&ours, &plain);
    states(&ours, &plain);
}

fn model(scene: &str) -> Model {
    Model::from_text(scene, &scene_text(scene)).unwrap_or_else(|e| panic!("{e}"))
}

/// Seconds of one of `n` communication steps.
fn march(n: u32, size: f64, mut step: impl FnMut(f64, f64)) -> f64 {
    let mut now = 0.0;
    let all = seconds(|| {
        for _ in 0..n {
            step(now, size);
            now += size;
        }
    });
    all / f64::from(n)
}

fn started(model: &Model) -> Simulation {
    let mut simulation = Simulation::new(model.clone());
    simulation.initialize().unwrap();
    simulation
}

fn advance(simulation: &mut Simulation, now: f64, size: f64) {
    simulation.advance_to(now + size).unwrap();
    simulation.report_mut().events.clear();
}

fn ready_instance(text: &str) -> Instance {
    let mut instance = Instance::new("bench", "scene", text).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

/// References of the variables that fit, repeated up to 100.
fn hundred(source: &Source, fits: impl Fn(&Variable) -> bool) -> Vec<u32> {
    let numbered = (0u32..).zip(&source.variables);
    let found: Vec<u32> = numbered.filter(|(_, v)| fits(v)).map(|(i, _)| i).collect();
    found.into_iter().cycle().take(100).collect()
}

/// Communication steps over the engine's own.
fn steps(ours: &Library) {
    println!("communication steps of 1, 10 and 100 standard steps");
    println!(
        "{:21} {:>5} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "scene", "steps", "engine/us", "inside/us", "FMU/us", "in/engine", "FMU/engine"
    );
    for scene in SCENES {
        let (source, model) = (Source::shipped(ours, scene), model(scene));
        let text = scene_text(scene);
        for per_call in [1, 10, 100] {
            let size = f64::from(per_call) * model.settings.step;
            let n = (model.until / size).round().max(1.0) as u32;
            assert_same_motion(&model, &source, n, size);
            let engine: Timed = Box::new(|| {
                let mut simulation = started(&model);
                march(n, size, |now, h| advance(&mut simulation, now, h))
            });
            let inside: Timed = Box::new(|| {
                let mut instance = ready_instance(&text);
                march(n, size, |now, h| instance.do_step(now, h).unwrap())
            });
            let fmu: Timed = Box::new(|| {
                let fmu = Fmu::initialized(&source, &[]);
                march(n, size, |now, h| fmu.step(now, h))
            });
            let [engine, inside, fmu] = in_turn(ROUNDS, [engine, inside, fmu]);
            println!(
                "{scene:21} {per_call:5} {:10.2} {:10.2} {:10.2} {:9.3} {:10.3}",
                1e6 * engine.median(),
                1e6 * inside.median(),
                1e6 * fmu.median(),
                inside.over(&engine),
                fmu.over(&engine)
            );
        }
    }
}

/// The FMU does what the engine does, bit for bit: what is compared is the same work.
fn assert_same_motion(model: &Model, source: &Source, n: u32, size: f64) {
    let (mut simulation, fmu) = (started(model), Fmu::initialized(source, &[]));
    march(n, size, |now, h| advance(&mut simulation, now, h));
    march(n, size, |now, h| fmu.step(now, h));
    for (reference, variable) in (0u32..).zip(&source.variables) {
        if let Some(output) = variable.output()
            && variable.name.contains(".position.")
        {
            let mut value = [f64::NAN];
            fmu.get(&[reference], &mut value);
            let expected = output.number(&mut simulation);
            assert_eq!(value[0].to_bits(), expected.to_bits(), "{}", variable.name);
        }
    }
}

/// The bouncing ball beside the same problem in C.
fn balls(ours: &Library, plain: &Library) {
    let (ours, plain) = (Source::shipped(ours, "bouncing_ball"), Source::plain(plain));
    let height = ours.reference("ball.initial.position.y");
    assert_same_ball(&ours, &plain);
    println!("\ndoStep of the bouncing ball, ours and in C");
    println!("{:21} {:>10} {:>10} {:>7}", "", "ours/us", "C/us", "ratio");
    for (regime, start) in [
        ("in flight", 1e6),
        ("bouncing, then at rest", 1.0),
        ("at rest", 0.0),
    ] {
        let run = |source, reference| {
            let timed = move || {
                let fmu = Fmu::initialized(source, &[(reference, start)]);
                march(500, 0.01, |now, h| fmu.step(now, h))
            };
            Box::new(timed) as Timed
        };
        let [a, b] = in_turn(ROUNDS, [run(&ours, height), run(&plain, 0)]);
        println!(
            "{regime:22} {:9.3} {:10.4} {:7.0}",
            1e6 * a.median(),
            1e6 * b.median(),
            a.over(&b)
        );
    }
}

fn assert_same_ball(ours: &Source, plain: &Source) {
    let (a, b) = (Fmu::initialized(ours, &[]), Fmu::initialized(plain, &[]));
    let height = ours.reference("ball.position.y");
    march(500, 0.01, |now, h| {
        a.step(now, h);
        b.step(now, h);
        let (mut one, mut other) = ([f64::NAN], [f64::NAN]);
        a.get(&[height], &mut one);
        b.get(&[0], &mut other);
        let difference = (one[0] - other[0]).abs();
        assert!(difference < 1e-9, "{difference} at {now}");
    });
}

/// The library, loaded and unloaded: while no other instance of it is there.
fn loads() {
    let file = Library::file_of_ours();
    let load = repeated(4, || Library::load_and_unload(&file));
    let [taken] = in_turn(ROUNDS, [load]);
    let size = std::fs::metadata(&file).unwrap().len() / 1000;
    println!(
        "loading and unloading the library ({size} kB): {:.0} us\n",
        1e6 * taken.median()
    );
}

/// What it adds to a call to set the floating-point environment and to restore the host's: a value is read without and with it.
fn environment(ours: &Library) {
    let (scene, name) = ("bouncing_ball", "ball.position.y");
    let source = Source::shipped(ours, scene);
    let (fmu, reference) = (Fmu::initialized(&source, &[]), source.reference(name));
    let mut place = [0.0];
    let call = repeated(1000, || fmu.get(&[reference], black_box(&mut place)));
    let mut instances = [(); 2].map(|()| ready_instance(&scene_text(scene)));
    let [bare, scoped] = &mut instances;
    let without = repeated(1000, || drop(black_box(bare.get(black_box(reference)))));
    let with = repeated(1000, || {
        let _environment = Scope::of_engine();
        drop(black_box(scoped.get(black_box(reference))));
    });
    let [call, without, with] = in_turn(ROUNDS, [call, without, with]);
    let [call, without, with] = [call, without, with].map(|times| 1e9 * times.median());
    println!(
        "fmi2GetReal of one variable: {call:.1} ns. Its inside without the floating-point environment: {without:.1} ns, with: {with:.1} ns; it adds {:.1} ns\n",
        with - without
    );
}

/// Instantiation, initialization and the end.
fn lives(ours: &Library, plain: &Library) {
    println!("\nfrom fmi2Instantiate to fmi2ExitInitializationMode to fmi2FreeInstance");
    println!(
        "{:21} {:>10} {:>10} {:>10} {:>10}",
        "scene", "ours/us", "in steps", "C ball/us", "ratio"
    );
    let plain = Source::plain(plain);
    for scene in SCENES.into_iter().chain(IN_SPACE) {
        let (source, step) = (Source::shipped(ours, scene), model(scene).settings.step);
        let live = |source| repeated(4, move || drop(Fmu::initialized(source, &[])));
        let stepped: Timed = Box::new(|| {
            let fmu = Fmu::initialized(&source, &[]);
            march(100, step, |now, h| fmu.step(now, h))
        });
        let [a, b, stepped] = in_turn(ROUNDS, [live(&source), live(&plain), stepped]);
        println!(
            "{scene:21} {:10.1} {:10.0} {:10.3} {:10.0}",
            1e6 * a.median(),
            a.over(&stepped),
            1e6 * b.median(),
            a.over(&b)
        );
    }
}

/// A body with 100 inputs.
fn many_inputs() -> String {
    let mut text =
        "[[body]]\nname = \"block\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n".to_owned();
    for i in 0..50 {
        text += &format!(
            "[[force]]\nname = \"f{i}\"\nkind = \"applied\"\nbody = \"block\"\nforce = [{{ kind = \"input\" }}, {{ kind = \"input\" }}]\n"
        );
    }
    text
}

/// 100 variables, read and set.
fn values(ours: &Library, plain: &Library) {
    println!("\n100 variables, in one call and in 100 calls");
    println!(
        "{:28} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6}",
        "", "ours/ns", "100/ns", "C/ns", "100/ns", "ratio", "100"
    );
    let cradle = Source::shipped(ours, "newtons_cradle");
    let block = Source::new(ours, &many_inputs());
    let plain = Source::plain(plain);
    let is_real = |v: &Variable| matches!(v.kind, Kind::Real { .. });
    let is_output = |v: &Variable| is_real(v) && v.causality == Causality::Output;
    let is_state = |v: &Variable| {
        let motion = [".position.", ".velocity.", ".acceleration."];
        is_output(v) && motion.iter().any(|quantity| v.name.contains(quantity))
    };
    let is_tunable = |v: &Variable| is_real(v) && v.variability == Variability::Tunable;
    let reads = [
        ("read motion", &cradle, hundred(&cradle, is_state)),
        ("read outputs", &cradle, hundred(&cradle, is_output)),
        (
            "read gaps",
            &cradle,
            hundred(&cradle, |v| v.name.ends_with(".gap")),
        ),
        (
            "read energy.potential",
            &cradle,
            hundred(&cradle, |v| v.name == "energy.potential"),
        ),
        ("read parameters", &cradle, hundred(&cradle, is_tunable)),
    ];
    let other: Vec<u32> = (0..100).collect();
    let c = Fmu::initialized(&plain, &[]);
    let fmu = Fmu::initialized(&cradle, &[]);
    let [ours, theirs] = in_turn(ROUNDS, [read_at_once(&fmu, &[]), read_at_once(&c, &[])]);
    println!(
        "{:28} {:8.0} {:>8} {:8.0} {:>8} {:6.1}",
        "read none: the call itself",
        1e9 * ours.median(),
        "",
        1e9 * theirs.median(),
        "",
        ours.over(&theirs)
    );
    for (what, source, references) in reads {
        let fmu = Fmu::initialized(source, &[]);
        row(
            what,
            [
                read_at_once(&fmu, &references),
                read_one_by_one(&fmu, &references),
                read_at_once(&c, &other),
                read_one_by_one(&c, &other),
            ],
        );
    }
    let is_input = |v: &Variable| v.causality == Causality::Input;
    let sets = [
        ("set inputs", &block, hundred(&block, is_input)),
        ("set parameters", &cradle, hundred(&cradle, is_tunable)),
    ];
    for (what, source, references) in sets {
        let fmu = Fmu::initialized(source, &[]);
        row(
            what,
            [
                set_at_once(&fmu, &references),
                set_one_by_one(&fmu, &references),
                set_at_once(&c, &other),
                set_one_by_one(&c, &other),
            ],
        );
    }
}

fn read_at_once<'a>(fmu: &'a Fmu, references: &'a [u32]) -> Timed<'a> {
    let mut places = vec![0.0; references.len()];
    repeated(20, move || fmu.get(references, black_box(&mut places)))
}

fn read_one_by_one<'a>(fmu: &'a Fmu, references: &'a [u32]) -> Timed<'a> {
    let mut place = [0.0];
    repeated(20, move || {
        for reference in references {
            fmu.get(&[*reference], black_box(&mut place));
        }
    })
}

fn set_at_once<'a>(fmu: &'a Fmu, references: &'a [u32]) -> Timed<'a> {
    let values = vec![0.5; references.len()];
    repeated(20, move || fmu.set(references, black_box(&values)))
}

fn set_one_by_one<'a>(fmu: &'a Fmu, references: &'a [u32]) -> Timed<'a> {
    repeated(20, move || {
        for reference in references {
            fmu.set(&[*reference], black_box(&[0.5]));
        }
    })
}

fn row(what: &str, all: [Timed; 4]) {
    let [ours, ours_100, c, c_100] = in_turn(ROUNDS, all);
    println!(
        "{what:28} {:8.0} {:8.0} {:8.0} {:8.0} {:6.1} {:6.1}",
        1e9 * ours.median(),
        1e9 * ours_100.median(),
        1e9 * c.median(),
        1e9 * c_100.median(),
        ours.over(&c),
        ours_100.over(&c_100)
    );
}

/// Saved states.
fn states(ours: &Library, plain: &Library) {
    println!("\nsaved states: in ns, and as ratios to a standard step");
    println!(
        "{:21} {:>6} {:>8} {:>14} {:>14} {:>14} {:>14} {:>14}",
        "scene", "bytes", "doStep", "save, free", "save again", "restore", "to bytes", "from bytes"
    );
    for scene in SCENES {
        let source = Source::shipped(ours, scene);
        states_of(scene, &source, model(scene).settings.step);
    }
    states_of("ball in C", &Source::plain(plain), 0.01);
}

fn states_of(name: &str, source: &Source, size: f64) {
    let fmu = Fmu::initialized(source, &[]);
    march(20, size, |now, h| fmu.step(now, h));
    let (mut kept, mut again) = (std::ptr::null_mut(), std::ptr::null_mut());
    fmu.save(&mut kept);
    let mut bytes = vec![0; fmu.serialized_size(kept)];
    fmu.serialize(kept, &mut bytes);
    let (sealed, n_bytes) = (bytes.clone(), bytes.len());

    let step: Timed = Box::new(|| {
        let fmu = Fmu::initialized(source, &[]);
        march(100, size, |now, h| fmu.step(now, h))
    });
    let save = repeated(20, || {
        let mut state = std::ptr::null_mut();
        fmu.save(&mut state);
        fmu.free_state(&mut state);
    });
    let save_again = repeated(20, || fmu.save(&mut again));
    let restore = repeated(20, || fmu.restore(kept));
    let to_bytes = repeated(20, || {
        assert_eq!(fmu.serialized_size(kept), n_bytes);
        fmu.serialize(kept, black_box(&mut bytes));
    });
    let from_bytes = repeated(20, || {
        let mut state = std::ptr::null_mut();
        fmu.deserialize(&sealed, &mut state);
        fmu.free_state(&mut state);
    });
    let all = [step, save, save_again, restore, to_bytes, from_bytes];
    let [step, others @ ..] = in_turn(ROUNDS, all);
    print!("{name:21} {n_bytes:6} {:8.0}", 1e9 * step.median());
    for times in others {
        print!(" {:8.0} {:5.2}", 1e9 * times.median(), times.over(&step));
    }
    println!();
    fmu.free_state(&mut kept);
    fmu.free_state(&mut again);
}
