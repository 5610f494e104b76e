//! The tool as a user meets it: plots, FMUs that are driven, comparisons, new scenes, the demo.

use crate::common::command::{scratch, stiction};
use crate::common::{root, scene_names};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What a command that works prints.
fn works(folder: &Path, line: &str) -> String {
    let output = stiction(folder, line);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

fn data_of(report: &Path) -> Value {
    let page = fs::read_to_string(report).unwrap();
    let (_, data) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn plots_have_names_units_and_marks() {
    let folder = scratch("tool/plots");
    works(
        &folder,
        "run two_carts --plot velocities,forces,status,energy --plot-file carts.svg",
    );
    let svg = fs::read_to_string(folder.join("carts.svg")).unwrap();
    for text in [
        "Velocities / m/s",
        "Contact forces / N",
        "Energy / J",
        "time / s",
        "cart1.velocity.x",
        "sticking",
        ">impact<",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    works(
        &folder,
        "run gripper --plot positions --plot-file gripper.png",
    );
    let png = fs::read(folder.join("gripper.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    // of many bodies contacts are counted, and what happens to them is marked
    works(
        &folder,
        "run conveyor --plot status,positions --plot-file conveyor.svg",
    );
    let svg = fs::read_to_string(folder.join("conveyor.svg")).unwrap();
    for text in ["contacts that slide", "bodies asleep", ">first touch<"] {
        assert!(svg.contains(text), "{text}");
    }
    // without a name the file is called after the scene
    works(&folder, "run incline --plot energy");
    assert!(folder.join("incline.svg").is_file());
}

#[test]
fn an_fmu_that_is_driven_shows_what_its_scene_shows() {
    for (scene, until) in [
        ("bouncing_ball", "5"),
        ("double_pendulum_wall", "2.5"),
        ("box_landing", "1"),
        ("gripper", "0.5"),
    ] {
        let folder = scratch(&format!("fmu_{scene}"));
        works(&folder, &format!("build {scene} -o it.fmu"));
        works(
            &folder,
            &format!("run {scene} --until {until} --report a.html --events-csv a.csv"),
        );
        works(
            &folder,
            &format!("run it.fmu --until {until} --report b.html --events-csv b.csv"),
        );
        // the same events, at the same bits
        let events = |file: &str| -> Vec<String> {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let three = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
            text.lines().map(three).collect()
        };
        assert_eq!(events("a.csv"), events("b.csv"), "{scene}");
        // the same drawing, bodies and contacts
        let [a, b] = ["a.html", "b.html"].map(|file| data_of(&folder.join(file)));
        assert_eq!(a["stage"], b["stage"], "{scene}");
        let names = |data: &Value| -> Vec<String> {
            let tracks = data["tracks"].as_array().unwrap().iter();
            let mut names: Vec<String> = tracks.map(|t| t["name"].to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&a), names(&b), "{scene}");
        let channel = |data: &Value, name: &str| {
            let channels = data["channels"].as_array().unwrap();
            channels
                .iter()
                .find(|c| c["name"] == name)
                .cloned()
                .unwrap()
        };
        for quantity in ["position", "velocity", "orientation"] {
            for c in a["channels"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|c| c["group"] == quantity)
            {
                let name = c["name"].as_str().unwrap();
                let [x, y] = [&c["values"], &channel(&b, name)["values"]]
                    .map(|v| v["low"].as_f64().or(v["all"].as_f64()).unwrap());
                // rows around events differ, so extremes differ by what a step does
                assert!(
                    (x - y).abs() < 0.1 * (1.0 + x.abs()),
                    "{scene}: {name}: {x} {y}"
                );
            }
        }
        println!("{scene}: {} events", events("a.csv").len() - 1);
    }
}

#[test]
fn inputs_come_from_expressions_or_from_a_file() {
    let folder = scratch("tool/inputs");
    let plant = root().join("examples/coupled/plant.toml");
    works(&folder, &format!("build {} -o plant.fmu", plant.display()));
    fs::write(folder.join("ramp.csv"), "time,hold.force_x\n0,0\n2,12\n").unwrap();
    works(
        &folder,
        "run plant.fmu --until 1 --input hold.force_x=6*t -o a.csv",
    );
    works(
        &folder,
        "run plant.fmu --until 1 --inputs ramp.csv -o b.csv",
    );
    assert!(works(&folder, "compare a.csv b.csv").contains("all agree"));
    works(
        &folder,
        "run plant.fmu --until 1 --input hold.force_x=-6*t -o c.csv",
    );
    let output = stiction(&folder, "compare a.csv c.csv");
    assert_eq!(output.status.code(), Some(1));
    // a scene takes them as its FMU does, with the same bits
    let scene = |options: &str| {
        let plant = plant.display();
        works(
            &folder,
            &format!("run {plant} --until 1 {options} -o s.csv"),
        );
        fs::read_to_string(folder.join("s.csv")).unwrap()
    };
    let ramp = scene("--input hold.force_x=6*t");
    assert_eq!(ramp, scene("--inputs ramp.csv"));
    let fmu = fs::read_to_string(folder.join("a.csv")).unwrap();
    let speeds = |csv: &str, name: &str| -> Vec<String> {
        let mut lines = csv.lines().map(|line| line.split(','));
        let place = lines.next().unwrap().position(|column| column == name);
        let place = place.expect(name);
        lines
            .map(|mut line| line.nth(place).unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        speeds(&ramp, "block.velocity.x"),
        speeds(&fmu, "block.velocity.x")
    );
    // by tolerance they are the same inputs
    let exact = scene("--input hold.force_x=6*t --tolerance 1e-9");
    let ends = [&ramp, &exact].map(|csv| {
        let last = speeds(csv, "block.velocity.x").pop().unwrap();
        last.parse::<f64>().unwrap()
    });
    assert!(
        (ends[0] - ends[1]).abs() < 1e-6 && ends[1] != 0.0,
        "{ends:?}"
    );
    // what is wrong is told
    let of_scene = format!("run {} --input hold.force_y=1", plant.display());
    let infinite = format!("run {} --input hold.force_x=1/(t-1)", plant.display());
    for (line, words) in [
        (
            "run plant.fmu --input hold.force_y=1",
            "did you mean \"hold.force_x\"?",
        ),
        ("run plant.fmu --input hold.force_x=cos(", "cannot be read"),
        (
            "run plant.fmu --input hold.force_x=2*x",
            "unknown name \"x\"",
        ),
        ("run plant.fmu --input hold.force_x", "NAME=VALUE"),
        ("run plant.fmu --set gravity.x=much", "is not a number"),
        ("run plant.fmu --input hold.force_x=1/0", "is inf"),
        (&of_scene, "did you mean \"hold.force_x\"?"),
        (&infinite, "at t = 1 s the input hold.force_x is inf"),
    ] {
        let output = stiction(&folder, line);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            told.starts_with("error: ") && told.contains("hint: ") && told.contains(words),
            "{line}: {told}"
        );
    }
}

#[test]
fn compare_names_the_first_difference() {
    let folder = scratch("tool/compare");
    works(&folder, "run two_carts -o a.csv --units");
    works(&folder, "run two_carts -o b.csv");
    works(&folder, "compare a.csv b.csv");
    let text = fs::read_to_string(folder.join("b.csv")).unwrap();
    let changed: Vec<String> = text
        .lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if fields[0].starts_with("0.5") || fields[0].starts_with('1') {
                fields[1] = "7.5";
            }
            fields.join(",")
        })
        .collect();
    fs::write(folder.join("c.csv"), changed.join("\n")).unwrap();
    let output = stiction(&folder, "compare b.csv c.csv");
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        told.starts_with("cart1.position.x differs first, at t = 0.5 s: "),
        "{told}"
    );
    let output = stiction(&folder, "compare b.csv c.csv --json");
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdict["same"], false);
    assert_eq!(verdict["differences"][0]["variable"], "cart1.position.x");
    // wide enough, they agree
    works(&folder, "compare b.csv c.csv --tolerance 10");
}

#[test]
fn a_new_scene_runs_and_is_not_overwritten() {
    let folder = scratch("tool/new");
    for (line, file) in [
        ("new crate", "crate.toml"),
        ("new robot --space", "robot.toml"),
        ("new mine --from rolling_ball", "mine.toml"),
    ] {
        let told = works(&folder, line);
        assert!(told.contains(file), "{told}");
        // what the commands do stands in one column
        let columns = [" run it,", " make an FMU"].map(|words| {
            let mut lines = told.lines();
            lines.find_map(|line| line.find(words)).expect(words)
        });
        assert_eq!(columns[0], columns[1], "{told}");
        let told = works(&folder, &format!("run {file} --until 1"));
        assert!(told.contains(file.trim_end_matches(".toml")), "{told}");
        assert_eq!(stiction(&folder, line).status.code(), Some(2));
    }
}

#[test]
fn the_demo_leaves_an_fmu_and_a_report_and_says_where() {
    let folder = scratch("tool/demo");
    let told = works(&folder, "demo box_landing");
    let report = folder.join("stiction_demo/box_landing.html");
    assert!(folder.join("stiction_demo/box_landing.fmu").is_file());
    assert!(
        told.contains("file://") && told.contains("box_landing.html"),
        "{told}"
    );
    let data = data_of(&report);
    assert!(data["stage"]["bodies"].as_array().unwrap().len() == 1);
    assert!(
        data["story"][0]
            .as_str()
            .unwrap()
            .contains("`box` hit the ground once")
    );
}

#[test]
fn machines_get_json_and_shells_get_completions() {
    let folder = scratch("tool/json");
    let json = |line: &str| -> Value { serde_json::from_str(&works(&folder, line)).unwrap() };
    let listed = json("scenes --json");
    assert_eq!(listed.as_array().unwrap().len(), scene_names().len());
    let run = json("run bouncing_ball --json");
    assert_eq!(run["events"]["impact"], 19);
    assert_eq!(run["warnings"].as_array().unwrap().len(), 0);
    assert_eq!(json("describe incline --json")[0]["reference"], 0);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(
            works(&folder, &format!("completions {shell}")).contains("stiction"),
            "{shell}"
        );
    }
}
