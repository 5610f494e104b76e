//! Every command in the documents works: the lines of `sh` blocks are run in a folder with the files they speak of.
//!
//! A block that cannot be run here has a line `<!-- not run: why -->` before it.

use crate::common::command::{TOOL, scratch};
use crate::common::{root, scene_names};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const NOT_RUN: &str = "<!-- not run: ";

/// What cargo builds and what the documents call `stiction` are the same.
const FROM_SOURCE: &str = "cargo run --release -- ";

/// README, CONTRIBUTING, `docs` and the readmes of examples and scenes.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    for folder in ["docs", "examples", "resources"] {
        collect(&root().join(folder), &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// A fenced block: its language, its lines, and why it is not run.
struct Block {
    language: String,
    lines: Vec<String>,
    not_run: Option<String>,
    place: String,
}

fn blocks(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).unwrap();
    let shown = path.strip_prefix(root()).unwrap().display().to_string();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut inside, mut last) = (false, String::new());
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            inside = !inside;
            if inside {
                let why = last
                    .strip_prefix(NOT_RUN)
                    .and_then(|why| why.strip_suffix(" -->"));
                blocks.push(Block {
                    language: language.trim().to_owned(),
                    lines: Vec::new(),
                    not_run: why.map(str::to_owned),
                    place: format!("{shown}:{}", number + 1),
                });
            }
        } else if inside {
            blocks.last_mut().unwrap().lines.push(line.to_owned());
        }
        if !line.trim().is_empty() {
            last = line.trim().to_owned();
        }
    }
    blocks
}

fn sh(line: &str, folder: &Path) -> std::process::Output {
    let binary = Path::new(TOOL).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// The files that commands speak of: `crate.toml` is the scene of the README, `any.fmu` an FMU.
fn prepare(name: &str, files: &[(String, Vec<u8>)]) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir(folder.join("my")).unwrap();
    let readme = blocks(&root().join("README.md"));
    let scene = readme
        .iter()
        .find(|block| block.language == "toml")
        .unwrap();
    let scene = scene.lines.join("\n");
    fs::write(folder.join("crate.toml"), &scene).unwrap();
    fs::write(folder.join("my/scene.toml"), &scene).unwrap();
    fs::copy(
        root().join("examples/coupled/plant.toml"),
        folder.join("plant.toml"),
    )
    .unwrap();
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).unwrap();
    fs::write(folder.join("push.csv"), "time,hold.force_x\n0,0\n1,6\n").unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

/// Files that take a while to make, once.
fn made() -> Vec<(String, Vec<u8>)> {
    let folder = scratch("documents/made");
    let line = "stiction build bouncing_ball -o any.fmu && stiction run incline -o today.csv && cp today.csv reference.csv";
    let output = sh(line, &folder);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    ["any.fmu", "today.csv", "reference.csv"]
        .map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap()))
        .to_vec()
}

#[test]
fn commands_in_the_documents_work() {
    let files = made();
    let mut n = 0;
    let mut failures = Vec::new();
    for path in documents() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let blocks: Vec<Block> = blocks(&path);
        if !blocks
            .iter()
            .any(|block| block.language == "sh" && block.not_run.is_none())
        {
            continue;
        }
        // commands of one page build on each other
        let folder = prepare(
            &format!("documents/{}", name.replace(['/', '.'], "_")),
            &files,
        );
        for block in blocks
            .iter()
            .filter(|b| b.language == "sh" && b.not_run.is_none())
        {
            for line in block
                .lines
                .iter()
                .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
            {
                let line = line.replace(FROM_SOURCE, "stiction ");
                let output = sh(&line, &folder);
                n += 1;
                if !output.status.success() {
                    let told = String::from_utf8_lossy(&output.stderr).into_owned();
                    failures.push(format!("{}: `{line}`: {told}", block.place));
                }
            }
        }
    }
    println!("{n} commands");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(n > 40, "only {n} commands were found");
}

#[test]
fn commands_stand_in_blocks_that_are_run_or_say_why_not() {
    for path in documents() {
        for block in blocks(&path) {
            if block.language == "sh" {
                if let Some(why) = &block.not_run {
                    assert!(why.len() > 5, "{}: why?", block.place);
                }
                continue;
            }
            let is_command =
                |line: &&String| line.starts_with("stiction ") || line.starts_with("cargo ");
            let command = block.lines.iter().find(is_command);
            assert!(
                command.is_none() || block.not_run.is_some(),
                "{}: {command:?} is in no `sh` block",
                block.place
            );
        }
    }
}

#[test]
fn the_gallery_shows_every_scene_as_the_tool_draws_it() {
    let gallery = fs::read_to_string(root().join("docs/GALLERY.md")).unwrap();
    let folder = scratch("documents/gallery");
    for name in scene_names() {
        let picture = format!("images/gallery/{name}.png");
        assert!(gallery.contains(&picture), "{name} is not in the gallery");
        let made = folder.join(format!("{name}.png"));
        let output = sh(
            &format!("stiction describe {name} --picture {}", made.display()),
            &folder,
        );
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let shown = fs::read(root().join("docs").join(&picture)).unwrap();
        assert!(
            shown == fs::read(&made).unwrap(),
            "{picture} is not what `stiction describe {name} --picture` makes"
        );
    }
}
