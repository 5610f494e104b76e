//! Claims about the command line tool, tried on the binary itself.

use crate::common::command::{TOOL, run_tool, scratch, stderr, stdout};
use crate::common::{root, scene_names};
use std::path::PathBuf;
use std::process::{Command, Output};

fn stiction(arguments: &[&str]) -> Output {
    run_tool(root(), arguments)
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn resource(name: &str) -> PathBuf {
    root().join("resources").join(name).join("scene.toml")
}

fn bundled_names() -> Vec<String> {
    let output = stiction(&["scenes"]);
    let lines = stdout(&output).lines();
    lines
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

fn first_field(line: &str) -> f64 {
    let field = line.split(',').next().expect("a line has a field");
    field.parse().expect("the first field is the time")
}

fn assert_is_csv(text: &str) {
    let n_columns = text.lines().next().expect("a header").split(',').count();
    for line in text.lines() {
        assert_eq!(line.split(',').count(), n_columns, "{line}");
    }
    for line in text.lines().skip(1) {
        first_field(line);
    }
}

#[test]
fn scenes_lists_every_resource_folder() {
    assert_eq!(bundled_names(), scene_names());
}

#[test]
fn every_bundled_scene_runs_by_its_name() {
    for name in bundled_names() {
        let output = stiction(&["run", &name, "--until", "0.2", "-o", "-"]);
        assert_eq!(code(&output), Some(0), "{name}: {}", stderr(&output));
        let csv = stdout(&output);
        assert_is_csv(csv);
        let last = csv.lines().last().unwrap();
        assert_eq!(first_field(last), 0.2, "{name}");
        assert!(!csv.contains("NaN"), "{name}");
        println!("{name}: {} rows", csv.lines().count() - 1);
    }
}

#[test]
fn every_scheme_runs() {
    for scheme in [
        "trapezoidal",
        "trapezoidal_printed",
        "trapezoidal_average",
        "implicit_euler",
        "explicit_euler",
        "position_euler",
    ] {
        let output = stiction(&["run", "two_carts", "--until", "0.2", "--scheme", scheme]);
        assert_eq!(code(&output), Some(0), "{scheme}: {}", stderr(&output));
        assert!(stdout(&output).contains(&format!("{scheme}, step 0.01 s")));
    }
    let output = stiction(&[
        "run",
        "two_carts",
        "--until",
        "0.2",
        "--alpha",
        "0.6",
        "--gamma",
        "0.5",
    ]);
    assert!(stdout(&output).contains("general (alpha 0.6, gamma 0.5)"));
}

#[test]
fn the_header_names_bodies_contacts_and_energies() {
    let output = stiction(&["run", "falling_rod", "--until", "0.01", "-o", "-"]);
    let header = stdout(&output).lines().next().unwrap();
    assert_eq!(
        header,
        "time,rod.position.x,rod.position.y,rod.position.angle,rod.velocity.x,rod.velocity.y,rod.velocity.angle,\
         contact.rod.on.ground[1].gap,contact.rod.on.ground[1].normal_force,\
         contact.rod.on.ground[1].friction_force,contact.rod.on.ground[1].status,\
         contact.rod.on.ground[2].gap,contact.rod.on.ground[2].normal_force,\
         contact.rod.on.ground[2].friction_force,contact.rod.on.ground[2].status,\
         pair.rod.on.ground.gap,pair.rod.on.ground.normal_force,pair.rod.on.ground.force.x,\
         pair.rod.on.ground.force.y,pair.rod.on.ground.n_closed,\
         energy.kinetic,energy.potential,energy.total"
    );
    let output = stiction(&[
        "run",
        "slider_crank",
        "--until",
        "0.01",
        "-o",
        "-",
        "--units",
    ]);
    let header = stdout(&output).lines().next().unwrap();
    for column in [
        "time [s]",
        ".velocity.angle [rad/s]",
        ".reaction.x [N]",
        "energy.total [J]",
    ] {
        assert!(header.contains(column), "{column} in {header}");
    }
}

#[test]
fn rows_are_at_zero_at_every_output_step_and_at_the_end() {
    let arguments = [
        "run",
        "block_on_table",
        "--until",
        "0.25",
        "--output-step",
        "0.1",
        "-o",
        "-",
    ];
    let output = stiction(&arguments);
    let times: Vec<f64> = stdout(&output).lines().skip(1).map(first_field).collect();
    assert_eq!(times, [0.0, 0.1, 0.2, 0.25]);
}

#[test]
fn numbers_read_back_as_the_same_bits() {
    use stiction::{Model, Simulation};
    let text = std::fs::read_to_string(resource("bouncing_ball")).unwrap();
    let mut simulation = Simulation::new(Model::from_text("bouncing_ball", &text).unwrap());
    simulation.advance_to(0.01).unwrap();

    let output = stiction(&["run", "bouncing_ball", "--until", "0.01", "-o", "-"]);
    let last = stdout(&output).lines().last().unwrap();
    let y: f64 = last.split(',').nth(2).unwrap().parse().unwrap();
    assert_eq!(y.to_bits(), simulation.state().position[1].to_bits());
}

#[test]
fn csv_on_stdout_is_nothing_but_csv() {
    let output = stiction(&["run", "two_carts", "-o", "-"]);
    assert_is_csv(stdout(&output));
    assert!(stderr(&output).contains("impact"));
    assert!(stderr(&output).contains("worst penetration"));

    let output = stiction(&["run", "two_carts", "--events-csv", "-"]);
    assert_is_csv(stdout(&output));
    let header = stdout(&output).lines().next();
    assert_eq!(
        header,
        Some("time,kind,contact,normal_impulse,tangential_impulse")
    );
}

#[test]
fn without_an_output_only_the_summary_is_written() {
    let output = stiction(&["run", "two_carts"]);
    for line in [
        "simulated time",
        "warm-start hits",
        "+ remainder",
        "wall time",
    ] {
        assert!(stdout(&output).contains(line), "{line}");
    }
    // neither a progress bar nor anything else where no terminal is
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_table_of_events_is_cut_where_asked() {
    let output = stiction(&["run", "bouncing_ball", "--until", "2", "--events", "2"]);
    assert!(
        stdout(&output).contains("... 1 more"),
        "{}",
        stdout(&output)
    );
    let output = stiction(&["run", "bouncing_ball", "--until", "2", "--events", "all"]);
    assert_eq!(stdout(&output).matches("  impact  ").count(), 3);
}

#[test]
fn a_bad_scene_prints_all_its_problems() {
    let file = scratch("cli/bad_scene").join("scene.toml");
    let text = std::fs::read_to_string(resource("block_on_table")).unwrap();
    let text = text
        .replace("mass = 1", "mass = -1")
        .replace("friction = 0.8", "fricton = 0.8");
    std::fs::write(&file, text).unwrap();
    let output = stiction(&["run", file.to_str().unwrap()]);
    assert_eq!(code(&output), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(
        stderr(&output).contains("body[block].mass"),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("did you mean"),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("2 problems"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_doubtful_scene_is_run_after_a_warning() {
    let folder = scratch("cli/doubtful");
    let text = std::fs::read_to_string(resource("block_on_table")).unwrap();
    let line = |text: &str, key: &str| {
        let found = text.lines().position(|line| line.starts_with(key));
        found.expect(key) + 1
    };
    let doubtful = text
        .replace("step = 0.01", "step = 11")
        .replace("friction = 0.8", "friction = 30");
    let file = folder.join("doubtful.toml");
    std::fs::write(&file, &doubtful).unwrap();
    let shown = file.display();
    for command in ["run", "build"] {
        let fmu = folder.join("doubtful.fmu");
        let mut arguments = vec![command, file.to_str().unwrap()];
        if command == "build" {
            arguments.extend(["-o", fmu.to_str().unwrap()]);
        }
        let output = stiction(&arguments);
        let told = stderr(&output);
        println!("{told}");
        assert_eq!(code(&output), Some(0), "{told}");
        let step = format!(
            "warning: {shown}:{}:8: settings.step: ",
            line(&doubtful, "step =")
        );
        let friction = line(&doubtful, "friction =");
        let friction = format!("warning: {shown}:{friction}:12: contact.friction: ");
        for words in [&step, &friction, "11 s is longer than", "coefficient of 30"] {
            assert_eq!(told.matches(words).count(), 1, "{words}: {told}");
        }
        assert_eq!(told.matches("\n  hint: ").count(), 2, "{told}");
    }
    let json = stiction(&["run", file.to_str().unwrap(), "--json"]);
    assert_eq!(stdout(&json).matches("contact.friction").count(), 1);
    // the standard step beside a very short run; the command line's own; nothing to doubt
    std::fs::write(&file, text.replace("until = 10", "until = 1e-3")).unwrap();
    let output = stiction(&["run", file.to_str().unwrap()]);
    assert!(stderr(&output).contains("0.001 s"), "{}", stderr(&output));
    let output = stiction(&["run", "block_on_table", "--step", "20"]);
    assert!(stderr(&output).contains("use a shorter --step"));
    for rest in [["--tolerance", "1e-6"], ["--until", "0.001"]] {
        let output = stiction(&["run", "block_on_table", rest[0], rest[1]]);
        assert_eq!(stderr(&output), "");
    }
}

/// 27 balls under 18 that are a thousand times heavier, in a bin.
fn heavy_on_light() -> String {
    let mut text =
        "dimension = 3\nuntil = 0.6\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n"
            .to_owned();
    text += "[settings.time_stepping]\nsweeps = 100\n[contact_default]\nfriction = 0.4\n";
    for (name, density, height, layers) in [("ball", 1e3, 0.08, 3), ("heavy", 1e6, 1.0, 2)] {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\ndensity = {density}\nposition = [-0.125, -0.125, {height}]\n\
             copies = {{ count = [3, 3, {layers}], spacing = [0.125, 0.125, 0.125], jitter = 0.01 }}\n\
             shape = [{{ kind = \"sphere\", radius = 0.05 }}]\n"
        );
    }
    for normal in [[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]] {
        let point = normal.map(|n| {
            if normal[2] == 0 {
                -0.22 * f64::from(n)
            } else {
                0.0
            }
        });
        text += &format!(
            "[[ground.shape]]\nkind = \"half_space\"\npoint = {point:?}\nnormal = {normal:?}\n"
        );
    }
    text
}

#[test]
fn energies_of_time_stepping_add_up_in_json_and_lifted_bodies_are_reported() {
    let file = scratch("cli/energies").join("heavy.toml");
    std::fs::write(&file, heavy_on_light()).unwrap();
    let output = stiction(&["run", file.to_str().unwrap(), "--json"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    println!("{json}");
    let part = |key: &str| json["energy"][key].as_f64().unwrap();
    let losses = part("damping") + part("friction") + part("impacts");
    let errors = part("numerical_gain") - part("numerical_loss") + part("remainder");
    let end = part("start") + part("applied_work") - losses + errors;
    assert!((end - part("end")).abs() < 1e-9 * part("start"));
    assert!(part("remainder").abs() < 1e-4 * part("start"));
    assert!(json["time_stepping"]["lifted"].as_f64().unwrap() > 1e3);
    let warnings = json["warnings"].as_array().unwrap();
    let lifted = warnings.iter().find(|w| w["kind"] == "lifted_bodies");
    let lifted = lifted.unwrap_or_else(|| panic!("{warnings:?}"));
    assert_eq!(lifted["size"], json["time_stepping"]["lifted"]);
    let message = lifted["message"].as_str().unwrap();
    assert!(message.contains("position stabilization lifted bodies"));
}

#[test]
fn summary_of_time_stepping_says_that_impacts_are_counted_and_names_no_scheme() {
    let output = stiction(&["run", "pile_of_boxes", "--until", "0.5"]);
    let told = stdout(&output);
    println!("{told}");
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(told.starts_with("With time stepping, impacts are counted but not listed."));
    assert!(told.contains("time stepping, step 0.005 s"));
    for words in ["No events", "trapezoidal"] {
        assert!(!told.contains(words), "{words}");
    }
    // nothing touches yet
    let output = stiction(&["run", "pile_of_boxes", "--until", "0.005"]);
    assert!(stdout(&output).starts_with("No events."));
}

#[test]
fn inputs_of_every_kind_are_plotted() {
    let folder = scratch("cli/input_plots");
    std::fs::write(
        folder.join("lift.toml"),
        "[[body]]\nname = \"load\"\nkind = \"point\"\nmass = 1\nposition = [0, -1]
        [[rope]]\nname = \"line\"\nbodies = [\"ground\", \"load\"]\nanchors = [[0, 0], [0, 0]]
        reel_speed = { kind = \"input\" }\n",
    )
    .unwrap();
    let arguments = [
        "run",
        "lift.toml",
        "--until",
        "1",
        "--input",
        "line.reel_speed=-0.2*t",
        "--plot",
        "inputs",
        "--plot-file",
        "lift.svg",
    ];
    let output = run_tool(&folder, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let picture = std::fs::read_to_string(folder.join("lift.svg")).unwrap();
    assert!(picture.contains("line.reel_speed"));
}

#[test]
fn plots_that_time_stepping_cannot_draw_are_refused_before_the_run() {
    let folder = scratch("cli/time_stepping_plots");
    let picture = folder.join("pile.svg");
    let rows = folder.join("pile.csv");
    for path in [&picture, &rows] {
        let _ = std::fs::remove_file(path);
    }
    let run = |what: &str| {
        let files = [picture.to_str().unwrap(), rows.to_str().unwrap()];
        let [picture, rows] = files;
        stiction(&[
            "run",
            "pile_of_boxes",
            "--until",
            "0.1",
            "--plot",
            what,
            "--plot-file",
            picture,
            "-o",
            rows,
        ])
    };
    let output = run("status,forces,energy");
    println!("{}", stderr(&output));
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("no forces to plot"));
    assert!(stderr(&output).contains("plot positions"));
    assert!(!rows.exists() && !picture.exists() && stdout(&output).is_empty());
    let output = run("status,energy");
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(rows.exists() && picture.exists());
}

#[test]
fn many_bodies_in_an_event_driven_scene_are_run_with_a_hint() {
    let file = scratch("cli/many").join("many.toml");
    let block = |count: u32, header: &str| {
        format!(
            "dimension = 3\nuntil = 0.01\n{header}\n[[body]]\nname = \"ball\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0, 1]\n\
             copies = {{ count = [{count}, 1, 1], spacing = [0.5, 0, 0] }}\nshape = [{{ kind = \"sphere\", radius = 0.1 }}]\n"
        )
    };
    for (text, is_told) in [
        (block(31, ""), true),
        (block(30, ""), false),
        (
            block(31, "[settings]\nintegrator = \"time_stepping\""),
            false,
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = stiction(&["run", file.to_str().unwrap()]);
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        let told = stderr(&output).contains("warning: 31 bodies with shapes are slow");
        assert_eq!(told, is_told, "{}", stderr(&output));
    }
    std::fs::write(&file, block(31, "")).unwrap();
    let fmu = file.with_extension("fmu");
    let build = ["build", file.to_str().unwrap(), "-o", fmu.to_str().unwrap()];
    assert_eq!(stderr(&stiction(&build)), "");
}

#[test]
fn an_unknown_name_suggests_bundled_ones() {
    let output = stiction(&["run", "two_cart"]);
    assert_eq!(code(&output), Some(2));
    assert!(
        stderr(&output).contains("did you mean two_carts"),
        "{}",
        stderr(&output)
    );
    let output = stiction(&["run", "gearbox"]);
    assert_eq!(code(&output), Some(2));
    assert!(
        stderr(&output).contains("stiction scenes"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    for arguments in [
        ["--step", "nan"],
        ["--step", "0"],
        ["--step", "-0.01"],
        ["--step", "1e-300"],
        ["--until", "inf"],
        ["--until", "-1"],
        ["--output-step", "nan"],
        ["--alpha", "0.4"],
        ["--alpha", "0.6"],
        ["--gamma", "2"],
        ["--scheme", "general"],
        ["--scheme", "leapfrog"],
        ["--events", "some"],
    ] {
        let [option, value] = arguments;
        let output = stiction(&["run", "two_carts", option, value]);
        assert_eq!(code(&output), Some(2), "{option} {value}");
        assert_eq!(stdout(&output), "", "{option} {value}");
        assert!(
            stderr(&output).starts_with("error: "),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn the_scene_is_never_overwritten() {
    let file = scratch("cli/overwrite").join("scene.toml");
    std::fs::copy(resource("incline"), &file).unwrap();
    let path = file.to_str().unwrap();
    let output = stiction(&["run", path, "-o", path]);
    assert_eq!(code(&output), Some(2));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, std::fs::read_to_string(resource("incline")).unwrap());
}

#[test]
fn a_run_that_overflows_fails_and_keeps_its_rows() {
    let folder = scratch("cli/overflow");
    let (scene, csv) = (folder.join("scene.toml"), folder.join("out.csv"));
    let text = std::fs::read_to_string(resource("two_bodies_damper")).unwrap();
    let stiff = text.replace("damping = 20", "damping = 1e6");
    assert_ne!(stiff, text);
    std::fs::write(&scene, stiff).unwrap();
    let output = stiction(&[
        "run",
        scene.to_str().unwrap(),
        "--scheme",
        "explicit_euler",
        "-o",
        csv.to_str().unwrap(),
    ]);
    assert_eq!(code(&output), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("error: the run stopped: at t = "),
        "{}",
        stderr(&output)
    );
    let rows = std::fs::read_to_string(&csv).unwrap();
    assert_is_csv(&rows);
    let last = first_field(rows.lines().last().unwrap());
    println!("{} rows up to t = {last} s", rows.lines().count() - 1);
    assert!(rows.lines().count() > 10 && last > 0.1 && last < 10.0);
}

#[test]
fn a_reader_that_leaves_is_not_an_error() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    let mut child = Command::new(TOOL)
        .args(["run", "block_on_table", "--step", "1e-4", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut header = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut header).unwrap();
    assert!(header.starts_with("time,"));
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn version_and_help_are_on_stdout() {
    let output = stiction(&["--version"]);
    let version = format!("stiction {} (", env!("CARGO_PKG_VERSION"));
    assert!(stdout(&output).starts_with(&version), "{}", stdout(&output));
    for arguments in [&["--help"][..], &["run", "--help"]] {
        let output = stiction(arguments);
        assert_eq!(code(&output), Some(0));
        assert!(stdout(&output).contains("Examples:"));
    }
}

#[test]
fn shapes_come_from_files_beside_the_scene() {
    let folder = root().join("tests/data/space/mesh");
    let scene = folder.join("scene.toml");
    // from wherever the command runs
    let elsewhere = scratch("cli/mesh");
    let run = |arguments: &[&str]| run_tool(&elsewhere, arguments);
    let output = run(&["run", scene.to_str().unwrap(), "--until", "0.1", "-o", "-"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let csv = stdout(&output);
    assert_is_csv(csv);
    assert!(csv.contains("wedge.orientation.w") && csv.contains("pair.wedge.on.ground.force.z"));
    let output = run(&["describe", folder.to_str().unwrap()]);
    assert!(stdout(&output).contains("wedge.orientation.w"));
    // a scene alone has lost its shapes
    let alone = elsewhere.join("scene.toml");
    std::fs::copy(&scene, &alone).unwrap();
    for command in ["run", "build", "describe"] {
        let output = run(&[command, "scene.toml"]);
        assert_ne!(code(&output), Some(0), "{command}");
        assert!(stderr(&output).contains("wedge.stl"), "{}", stderr(&output));
    }
}

#[test]
fn the_report_is_one_file_that_needs_no_network() {
    let file = scratch("cli/report").join("report.html");
    let path = file.to_str().unwrap();
    for scene in ["bouncing_ball", "gripper"] {
        let output = stiction(&["run", scene, "--report", path]);
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        let page = std::fs::read_to_string(&file).unwrap();
        for word in ["http://", "https://", "src=", "@import", "url(", "<!--{"] {
            assert!(!page.contains(word), "{scene}: {word}");
        }
        let (_, data) = page.split_once("type=\"application/json\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["name"], scene);
        // every event that the run counts is in the table
        let n = data["events"]["rows"].as_array().unwrap().len();
        let lines = stdout(&output);
        let counted = lines.lines().find(|line| line.starts_with("  events"));
        let counted = counted
            .and_then(|line| line.split_whitespace().nth(1))
            .unwrap();
        assert_eq!(n, counted.parse::<usize>().unwrap(), "{scene}");
        println!("{scene}: {} kB, {n} events", page.len() / 1000);
    }
}

#[test]
fn a_run_of_a_million_steps_is_thinned_and_keeps_every_event() {
    let file = scratch("cli/report_long").join("report.html");
    let path = file.to_str().unwrap();
    let arguments = ["run", "bouncing_ball", "--until", "10", "--step", "1e-5"];
    let output = stiction(&[&arguments[..], &["--report", path, "--events-csv", "-"]].concat());
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let page = std::fs::read_to_string(&file).unwrap();
    let (_, data) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["rows"], 1_000_001);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let rows = data["events"]["rows"].as_array().unwrap();
    let events: Vec<f64> = stdout(&output).lines().skip(1).map(first_field).collect();
    assert_eq!(rows.len(), events.len());
    for (row, time) in rows.iter().zip(&events) {
        assert!((row[0].as_f64().unwrap() - time).abs() < 1e-7);
    }
    println!("{} bytes, {} events", page.len(), rows.len());
}

fn bench(arguments: &[&str]) -> serde_json::Value {
    let output = stiction(arguments);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).expect("JSON")
}

#[test]
fn bench_counts_the_steps_of_a_scene_and_orders_their_durations() {
    let all = bench(&[
        "bench",
        "bouncing_ball",
        "--until",
        "1",
        "--step",
        "0.01",
        "--json",
    ]);
    println!("{all:#}");
    assert_eq!(all["steps"], 100);
    assert_eq!(all["step"], 0.01);
    assert_eq!(all["steps_that_allocated"], 0);
    assert!(all["events"].as_u64() >= Some(1));
    for what in ["microseconds", "operations"] {
        let part = |name: &str| all[what][name].as_f64().expect("a number");
        assert!(
            part("p50") <= part("p99") && part("p99") <= part("max"),
            "{what}"
        );
        assert!(part("max") > 0.0, "{what}");
    }
    // a step with an impact takes more work than one without
    let work = &all["operations"];
    assert!(work["max"].as_u64() > work["p50"].as_u64());
    let table = stiction(&["bench", "bouncing_ball", "--until", "1"]);
    for label in [
        "p50",
        "p99",
        "max",
        "time of a step",
        "multiplications",
        "events",
    ] {
        assert!(stdout(&table).contains(label), "{label}");
    }
}

#[test]
fn bench_of_an_fmu_counts_its_communication_steps() {
    let folder = scratch("bench_fmu");
    let fmu = folder.join("ball.fmu");
    let path = fmu.to_str().expect("a path");
    let built = stiction(&["build", "bouncing_ball", "-o", path]);
    assert_eq!(code(&built), Some(0), "{}", stderr(&built));
    let all = bench(&["bench", path, "--until", "0.5", "--step", "0.05", "--json"]);
    assert_eq!(all["steps"], 10);
    assert_eq!(all["name"], "bouncing_ball");
    assert!(all["microseconds"]["max"].as_f64() >= all["microseconds"]["p50"].as_f64());
    assert!(all.get("operations").is_none());
}

#[test]
fn bench_reports_an_unknown_scene_like_run() {
    let output = stiction(&["bench", "no_such_scene"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("no_such_scene"));
}
