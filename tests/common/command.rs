//! The tool, run as a user runs it, in a folder of the test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// What cargo built.
pub const TOOL: &str = env!("CARGO_BIN_EXE_stiction");

/// An empty folder of this name, which no other test of the program has.
pub fn scratch(name: &str) -> PathBuf {
    static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = NAMES.lock().unwrap().insert(name.to_owned());
    assert!(is_new, "another test uses the folder {name}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(env!("CARGO_CRATE_NAME"))
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the tool in a folder.
pub fn run_tool(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(TOOL)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Runs the tool in a folder, with the arguments of a line.
pub fn stiction(folder: &Path, line: &str) -> Output {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    run_tool(folder, &arguments)
}

/// Puts the tool into a folder. A copy might still be open for writing in a process that another test starts meanwhile, and
/// could not be run then; a link is not.
pub fn put_tool(folder: &Path) -> PathBuf {
    let program = folder.join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    if fs::hard_link(TOOL, &program).is_err() {
        fs::copy(TOOL, &program).unwrap();
    }
    program
}

pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
