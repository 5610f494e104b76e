//! Programs and libraries in C, compiled beside the executable of the test.

use super::root;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The compiler for the platform that the test is built for, with warnings as errors.
fn compiler() -> Command {
    let target = env!("STICTION_TARGET");
    let mut build = cc::Build::new();
    build
        .target(target)
        .host(target)
        .opt_level(1)
        .debug(true)
        .pic(true)
        .cargo_metadata(false)
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true);
    build.get_compiler().to_command()
}

fn compiled(source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let name = format!("{}_{name}", env!("CARGO_CRATE_NAME"));
    let file = std::env::current_exe().unwrap().with_file_name(name);
    let mut command = compiler();
    command.args(flags).arg("-o").arg(&file);
    let built = command
        .arg(root().join(source))
        .args(["-ldl", "-lm"])
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let complaint = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{complaint}");
    file
}

/// A program.
pub fn program(source: &str, name: &str) -> PathBuf {
    compiled(source, name, &["-std=c11"])
}

/// A shared library.
pub fn library(source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::DLL_SUFFIX);
    let flags = [&["-std=gnu11", "-shared"], flags].concat();
    compiled(source, &name, &flags)
}

/// The library of `tests/check/specimen.c`, which misbehaves in the ways that it is asked for.
pub fn specimen() -> &'static [u8] {
    static SPECIMEN: OnceLock<Vec<u8>> = OnceLock::new();
    SPECIMEN.get_or_init(|| specimen_with("specimen", &[]))
}

/// The same with further flags of the compiler.
pub fn specimen_with(name: &str, flags: &[&str]) -> Vec<u8> {
    std::fs::read(library("tests/check/specimen.c", name, flags)).unwrap()
}
