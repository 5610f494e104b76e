//! Our own FMUs, and the rules as they are documented.

use crate::common::libraries::built_library;
use crate::common::{read, scene_names, scene_text};
use crate::fmu::check;
use stiction::tool::check::Rule;
use stiction::tool::describe::{Library, Platform, build_fmu};

/// An FMU of a scene with the library that was built with this test.
fn built(scene: &str) -> Vec<u8> {
    let platform = Platform::current().unwrap();
    let bytes = std::fs::read(built_library()).unwrap();
    build_fmu("scene", scene, &[Library::new(platform, bytes)]).unwrap()
}

#[test]
fn our_own_fmus_get_a_clean_verdict() {
    for name in scene_names() {
        // a minute of ten boxes that stand takes long
        let scene = scene_text(&name).replace("until = 60", "until = 0.5");
        let verdict = check(&built(&scene), &[], None);
        assert_eq!(verdict.json["verdict"], "good", "{:#?}", verdict.findings());
        assert_eq!(verdict.json["was_run"], true);
        // what they say of inputs that are ramps is true of all of them
        assert!(!verdict.has("input_derivatives.ignored", ""));
        println!("{}", verdict.json["facts"]["run"]);
    }
}

#[test]
fn an_fmu_with_inputs_gets_a_clean_verdict() {
    let scene = scene_text("block_on_table");
    let built_in = "[{ kind = \"harmonic\", amplitude = 8, omega = 1 }, 0]";
    assert!(scene.contains(built_in));
    let inputs = "[{ kind = \"input\", start = 9 }, { kind = \"input\" }]";
    let verdict = check(&built(&scene.replace(built_in, inputs)), &[], None);
    assert_eq!(verdict.findings(), []);
    let n = verdict.json["facts"]["directional derivatives"].as_str();
    assert!(n.unwrap().parse::<usize>().unwrap() > 10);
}

#[test]
fn every_rule_is_documented_with_its_severity() {
    let page = read("docs/FMI.md");
    for rule in Rule::ALL {
        let (name, severity) = (rule.name(), rule.severity().name());
        let is_row = |line: &&str| line.starts_with(&format!("| {severity} |"));
        let rows = page.lines().filter(is_row);
        let is_there = rows.clone().any(|line| line.contains(&format!("`{name}`")));
        assert!(is_there, "{severity} {name}");
    }
}
