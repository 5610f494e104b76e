//! The host written in C, built with the system's compiler.

use crate::common::libraries::built_library;
use crate::common::{c, scene_text};
use crate::library::{Fmu, IN_SPACE, MANY, Resources, SCENES, pushed_block};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use stiction::fmu::c_api::types::OK;
use stiction::fmu::instance::variable::Kind;
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
    assert_eq!(refused, [37.0]);
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

#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
#[test]
fn the_floating_point_environment_of_the_host_changes_no_bit_and_is_left_as_it_was() {
    for scene in SCENES.into_iter().chain(IN_SPACE).chain(MANY) {
        let resources = Resources::shipped(scene);
        let nanoseconds = call("modes", &resources, &["40".into(), "0.0078125".into()]);
        println!("{scene}: {nanoseconds:?} ns a call");
    }
}
