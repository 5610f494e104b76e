//! The tool, run as a user runs it, in a folder of the test.
#![allow(dead_code)] // each test needs some

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder of this name, one for each test program.
pub fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{}_{name}", env!("CARGO_CRATE_NAME")));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the tool in a folder, with the arguments of a line.
pub fn stiction(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}
