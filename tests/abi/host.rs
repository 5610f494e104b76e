//! The host written in C, built with the system's compiler.

use crate::common::libraries::built_library;
use crate::common::{c, root, scene_names, scene_text};
use crate::library::{Fmu, IN_SPACE, Resources, SCENES, pushed_block};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use stiction::fmu::c_api::types::OK;
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::{Kind, Value, Variable};
use stiction::{Model, Simulation};

/// Its executable, beside that of this test.
fn host() -> &'static Path {
    static HOST: OnceLock<PathBuf> = OnceLock::new();
    HOST.get_or_init(|| c::program("tests/c_host/host.c", "host"))
}

/// Runs it and reads the numbers it prints.
fn call(mode: &str, resources: &Resources, arguments: &[String]) -> Vec<f64> {
    let output = Command::new(host())
        .arg(mode)
        .arg(built_library())
        .args([resources.uri(), resources.guid.clone()])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// What the host feeds to an input: amplitude, angular frequency, highest derivative.
pub struct Cosine(pub &'static str, pub f64, pub f64, pub u32);

/// A run from 0 to `until` with steps of `size`: some variables at the end.
pub fn run(
    resources: &Resources,
    until: f64,
    size: f64,
    settings: &[(&str, f64)],
    cosine: Option<Cosine>,
    variables: &[&str],
) -> Vec<f64> {
    let mut arguments = vec!["0".to_owned(), format!("{until:?}"), format!("{size:?}")];
    let mut add = |words: &[String]| arguments.extend_from_slice(words);
    let reference = |name: &str| resources.reference(name).to_string();
    for (name, value) in settings {
        add(&["--set".into(), reference(name), format!("{value:?}")]);
    }
    if let Some(Cosine(name, amplitude, omega, order)) = cosine {
        let words = [amplitude.to_string(), omega.to_string(), order.to_string()];
        add(&["--cosine".into(), reference(name)]);
        add(&words);
    }
    for name in variables {
        add(&["--get".into(), reference(name)]);
    }
    let values = call("run", resources, &arguments);
    assert_eq!(values.len(), variables.len());
    values
}

#[test]
fn a_ball_is_met_at_every_bounce_from_c() {
    let resources = Resources::shipped("bouncing_ball");
    let flag = resources.reference("settings.return_at_event").to_string();
    let met = call("events", &resources, &["5".into(), "0.1".into(), flag]);
    let model = Model::from_text("ball", &scene_text("bouncing_ball")).unwrap();
    let mut simulation = Simulation::new(model);
    simulation.advance_to(5.0).unwrap();
    let bounces: Vec<f64> = simulation.report().events.iter().map(|e| e.time).collect();
    assert_eq!(met.len(), bounces.len());
    let off = met.iter().zip(&bounces).map(|(a, b)| (a - b).abs());
    let off = off.fold(0.0, f64::max);
    println!("{} bounces, {off:.1e} s off", met.len());
    assert!(off < 1e-12, "{met:?} {bounces:?}");
}

#[test]
fn wrong_calls_from_c_are_refused() {
    let resources = Resources::temporary("wrong", &pushed_block());
    let refused = call("wrong", &resources, &[]);
    assert_eq!(refused, [42.0]);
}

#[test]
fn ten_thousand_cycles_leave_no_memory_behind() {
    let resources = Resources::shipped("bouncing_ball");
    let pages = call("cycles", &resources, &["10000".into()]);
    println!("resident pages after 1,000 and 10,000 cycles: {pages:?}");
    assert!(pages[1] - pages[0] < 64.0, "{pages:?}");
}

#[test]
fn random_calls_from_c_do_not_crash() {
    for resources in [
        Resources::temporary("c fuzz", &pushed_block()),
        Resources::shipped("two_bars"),
    ] {
        call("fuzz", &resources, &["20000".into(), "3".into()]);
    }
}

#[test]
fn a_state_goes_on_with_the_same_bits_in_another_process() {
    let mut scenes: Vec<Resources> = SCENES
        .into_iter()
        .chain(IN_SPACE)
        .map(Resources::shipped)
        .collect();
    scenes.push(Resources::temporary("elsewhere", &pushed_block()));
    for resources in &scenes {
        let name = resources.folder.file_name().unwrap().to_str().unwrap();
        let place = format!("stiction-state-{}-{name}", std::process::id());
        let file = std::env::temp_dir().join(place);
        let path = || file.to_str().unwrap().to_owned();
        // binary fractions, so that communication points are the same ones
        let (middle, end, size) = (0.75, 1.5, 1.0 / 128.0);
        let times = |from: f64| vec![from.to_string(), end.to_string(), size.to_string()];
        let mut names = Vec::new();
        let mut get = Vec::new();
        for (reference, variable) in resources.variables.iter().enumerate() {
            if matches!(variable.kind, Kind::Real { .. }) {
                names.push(variable.name.as_str());
                get.extend(["--get".to_owned(), reference.to_string()]);
            }
        }
        // an input whose derivatives are part of the state
        let mut feed = Vec::new();
        if resources.variables[0].name == "push.force_x" {
            feed = ["--cosine", "0", "9", "2", "3"].map(str::to_owned).to_vec();
        }
        let save = ["--save".to_owned(), "96".to_owned(), path()];
        let load = ["--load".to_owned(), path()];
        let whole = call(
            "run",
            resources,
            &[times(0.0), feed.clone(), save.to_vec(), get.clone()].concat(),
        );
        let rest = call(
            "run",
            resources,
            &[times(middle), feed.clone(), load.to_vec(), get].concat(),
        );
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(whole.len(), names.len());
        assert!(bits(&whole) == bits(&rest), "{name}: other bits");
        // and in this one
        let fmu = Fmu::new(resources);
        assert_eq!(fmu.restore_bytes(&std::fs::read(&file).unwrap()), OK);
        std::fs::remove_file(&file).unwrap();
        if feed.is_empty() {
            for i in 96..192 {
                assert_eq!(fmu.step(f64::from(i) * size, size), OK);
            }
            let here: Vec<f64> = names.iter().map(|name| fmu.real(name)).collect();
            assert!(bits(&whole) == bits(&here), "{name}: other bits");
        }
    }
}

/// Names and packed resources of the shipped scenes, as they are, and of those of the tests in space.
fn all_scenes() -> Vec<(String, Resources)> {
    let mut files: Vec<PathBuf> = scene_names()
        .iter()
        .map(|name| root().join(format!("resources/{name}/scene.toml")))
        .collect();
    for folder in ["", "hard", "mesh"] {
        let folder = root().join("tests/data/space").join(folder);
        let entries = std::fs::read_dir(folder).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let resources = Resources::new("scene", &text, file.parent().unwrap());
        (file.display().to_string(), resources)
    };
    files.iter().map(read).collect()
}

/// Value references of all Real outputs.
fn real_outputs(resources: &Resources) -> Vec<u32> {
    let variables = resources.variables.iter().enumerate();
    variables
        .filter(|(_, v)| v.output().is_some() && matches!(v.kind, Kind::Real { .. }))
        .map(|(reference, _)| reference as u32)
        .collect()
}

/// What the host reads at the start and after each of `n` steps, row by row.
fn traced(resources: &Resources, references: &[u32], step: f64, n: u32) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words: Vec<String> = references.iter().map(u32::to_string).collect();
    std::fs::write(place("references"), words.join("\n")).unwrap();
    let (stop, step) = ((step * f64::from(n)).to_string(), step.to_string());
    let files = [place("references"), place("rows")];
    call("trace", resources, &[&[stop, step], &files[..]].concat());
    let bytes = std::fs::read(place("rows")).unwrap();
    let numbers = bytes.chunks_exact(8).map(|b| b.try_into().unwrap());
    numbers.map(u64::from_le_bytes).collect()
}

/// The same of an instance in this process.
fn expected(resources: &Resources, references: &[u32], step: f64, n: u32) -> Vec<u64> {
    let packed = std::fs::read(resources.scene()).unwrap();
    let mut instance = Instance::from_packed("here", "scene", &packed).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    let mut rows = Vec::new();
    for i in 0..=n {
        if i > 0 {
            instance.do_step(f64::from(i - 1) * step, step).unwrap();
        }
        rows.extend(references.iter().map(|r| match instance.get(*r).unwrap() {
            Value::Real(x) => x.to_bits(),
            other => panic!("{other:?}"),
        }));
    }
    rows
}

#[test]
fn a_program_in_c_reads_the_values_of_every_scene() {
    for (name, resources) in all_scenes() {
        let references = real_outputs(&resources);
        assert!(!references.is_empty(), "{name}");
        let is_time_stepping = |v: &Variable| v.name.starts_with("time_stepping.");
        // a step that is exact in binary, and one that is not
        let runs = match resources.variables.iter().any(is_time_stepping) {
            true => &[(1.0 / 128.0, 48)][..],
            false => &[(1.0 / 128.0, 96), (0.01, 75)],
        };
        for &(step, n) in runs {
            let read = traced(&resources, &references, step, n);
            assert_eq!(read.len(), references.len() * (n as usize + 1), "{name}");
            let is_same = read == expected(&resources, &references, step, n);
            assert!(is_same, "{name}, step {step}: other bits");
        }
    }
}

/// Runs it with this address space, kB; what it prints, or what went wrong.
#[cfg(target_os = "linux")]
fn call_within(limit: u32, mode: &str, resources: &Resources) -> Result<String, Output> {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v $0 && exec \"$@\"", &limit.to_string()])
        .arg(host())
        .arg(mode)
        .arg(built_library())
        .args([resources.uri(), resources.guid.clone()])
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(output),
    }
}

/// With little memory there is an instance that works, or a message; the host lives.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_ends_in_a_message_not_in_a_crash() {
    for (name, resources) in all_scenes() {
        // kilobytes of address space
        for limit in [200_000, 400_000, 1_000_000, 2_000_000, 8_000_000] {
            let answer = call_within(limit, "little", &resources);
            let is_known = |answer: &String| ["null", "error", "works"].contains(&answer.trim());
            assert!(
                answer.as_ref().is_ok_and(is_known),
                "{name}, {limit} kB: {answer:?}"
            );
        }
    }
}

/// In the plane, in space and with time stepping.
#[cfg(target_os = "linux")]
#[test]
fn states_are_saved_until_memory_is_used_up_and_then_refused() {
    for name in ["bouncing_ball", "gripper", "pile_of_balls"] {
        let resources = Resources::shipped(name);
        let saved = call_within(200_000, "states", &resources);
        println!("{name}: {saved:?}");
        let n: Option<u32> = saved.ok().and_then(|text| text.trim().parse().ok());
        assert!(n.is_some_and(|n| n > 100), "{name}");
    }
}

#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
#[test]
fn the_floating_point_environment_of_the_host_changes_no_bit_and_is_left_as_it_was() {
    for scene in scene_names() {
        let resources = Resources::shipped(&scene);
        let nanoseconds = call("modes", &resources, &["40".into(), "0.0078125".into()]);
        println!("{scene}: {nanoseconds:?} ns a call");
    }
}
