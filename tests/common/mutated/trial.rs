//! What the tool does with an FMU that has something wrong: it may complain, and nothing else.

use super::mutant::Files;
use crate::common::c::specimen;
use crate::common::command::TOOL;
use crate::common::{read, scene_text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stiction::tool::describe::{Library, Platform, build_fmu};

/// How long the tool may take. The calls of a library end sooner.
const PATIENCE: Duration = Duration::from_secs(120);

/// An FMU of another tool, and one that claims to carry a scene of ours.
pub fn originals() -> [Files; 2] {
    let library = specimen();
    let xml = read("tests/check/specimen.xml").into_bytes();
    let foreign: Files = vec![
        ("modelDescription.xml".into(), xml),
        ("binaries/linux64/specimen.so".into(), library.to_vec()),
        ("resources/data.txt".into(), b"data".to_vec()),
    ];
    let platform = Platform::current().unwrap();
    let built = build_fmu(
        "scene",
        &scene_text("bouncing_ball"),
        &[Library::new(platform, library.to_vec())],
    );
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(built.unwrap())).unwrap();
    let mut ours: Files = (0..archive.len())
        .map(|index| {
            let mut entry = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            (entry.name().to_owned(), bytes)
        })
        .filter(|(name, _)| !name.ends_with('/'))
        .collect();
    ours.sort_by_key(|(name, _)| match name.as_str() {
        "modelDescription.xml" => 0,
        name if name.starts_with("binaries/") => 1,
        _ => 2,
    });
    [foreign, ours]
}

/// A place where FMUs are tried: what is left in it is found.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["inside", "inside/temporary"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn inside(&self) -> PathBuf {
        self.folder.path().join("inside")
    }

    /// Runs and checks an FMU. What is wrong with how the tool behaves?
    pub fn complaint(&self, bytes: &[u8]) -> Option<String> {
        fs::write(self.inside().join("it.fmu"), bytes).unwrap();
        let run = ["run", "it.fmu", "--until", "0.2", "--step", "0.1"];
        let run = [&run[..], &["--time-limit", "2", "-o", "it.csv"]].concat();
        let check = ["check", "it.fmu", "--time-limit", "8"];
        [run, check.to_vec()]
            .iter()
            .find_map(|arguments| self.complaint_on(arguments))
    }

    fn complaint_on(&self, arguments: &[&str]) -> Option<String> {
        let inside = self.inside();
        // to a file: a pipe that nobody reads would fill
        let stderr = inside.join("stderr");
        let mut child = Command::new(TOOL)
            .args(arguments)
            .current_dir(&inside)
            .env("TMPDIR", inside.join("temporary"))
            .env("SPECIMEN", "any GUID")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if began.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let told = String::from_utf8_lossy(&fs::read(&stderr).unwrap()).into_owned();
        let command = arguments[0];
        let Some(status) = status else {
            return Some(format!("{command} does not end: {told}"));
        };
        if !matches!(status.code(), Some(0..=2)) {
            return Some(format!("{command} ends with {status}: {told}"));
        }
        // a damaged library may exhaust the stack of the process that it is loaded by, which says so; this program would end by it
        if told.contains("panicked") {
            return Some(format!("{command} panics: {told}"));
        }
        let left = self.left();
        if !left.is_empty() {
            self.clean(&left);
            return Some(format!("{command} leaves {left:?}: {told}"));
        }
        None
    }

    /// What should not be there.
    fn left(&self) -> Vec<PathBuf> {
        let known = ["it.fmu", "it.csv", "stderr", "temporary", "inside"];
        let temporary = self.inside().join("temporary");
        let folders = [self.folder.path().to_owned(), self.inside(), temporary];
        let entries = folders
            .iter()
            .flat_map(|f| fs::read_dir(f).unwrap().flatten());
        let is_new = |path: &PathBuf| {
            let is_known = |name: &&str| path.file_name().is_some_and(|own| own == *name);
            !known.iter().any(is_known) || path.starts_with(&folders[2]) && path != &folders[2]
        };
        let elsewhere = [Path::new("/tmp/escaped"), Path::new("/escaped")];
        let elsewhere = elsewhere.into_iter().filter(|path| path.exists());
        let new = entries.map(|entry| entry.path()).filter(is_new);
        new.chain(elsewhere.map(Path::to_owned)).collect()
    }

    fn clean(&self, left: &[PathBuf]) {
        for path in left {
            let _ = fs::remove_file(path);
            let _ = fs::remove_dir_all(path);
        }
    }
}
