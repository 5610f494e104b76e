//! Constants of the build, and the table of scenes that ship inside the binary.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=STICTION_TARGET={}", env::var("TARGET")?);
    println!(
        "cargo::rustc-env=STICTION_VERSION={}",
        env::var("CARGO_PKG_VERSION")?
    );

    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let source = source(&root)?;
    println!("cargo::rustc-env=STICTION_SOURCE={source:016x}");

    let resources = root.join("resources");
    let table = PathBuf::from(env::var("OUT_DIR")?).join("bundled.rs");
    fs::write(table, bundled(&resources)?)?;
    Ok(())
}

/// A digest of all that the library is built from: a library of another platform that has it does the same.
fn source(root: &Path) -> Result<u64, Box<dyn Error>> {
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    let tool = [root.join("src/main.rs"), root.join("src/cli")];
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        // the folder too: a file may come or go
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            match path.is_dir() {
                _ if tool.contains(&path) => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    let mut digest = Fnv::new();
    for file in files.iter().filter(|file| file.is_file()) {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file
            .strip_prefix(root)?
            .to_string_lossy()
            .replace('\\', "/");
        digest.add(name.as_bytes());
        digest.add(&fs::read(file)?);
    }
    Ok(digest.0)
}

/// Fowler, Noll and Vo's hash, variant 1a.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// A Rust slice of `(name, text)`, one row for each `resources/<name>/scene.toml`, in the order of the names.
fn bundled(resources: &Path) -> Result<String, Box<dyn Error>> {
    // the folder too: a scene may come or go
    println!("cargo::rerun-if-changed={}", resources.display());
    let mut scenes = Vec::new();
    for entry in fs::read_dir(resources)? {
        let folder = entry?.path();
        let file = folder.join("scene.toml");
        let name = folder.file_name().and_then(|name| name.to_str());
        if let (Some(name), true) = (name, file.is_file()) {
            println!("cargo::rerun-if-changed={}", file.display());
            scenes.push((name.to_owned(), file));
        }
    }
    scenes.sort();

    let mut table = String::from("&[\n");
    for (name, file) in scenes {
        let path = file.to_str().ok_or("the path of the crate is not UTF-8")?;
        writeln!(table, "    ({name:?}, include_str!({path:?})),")?;
    }
    table.push_str("]\n");
    Ok(table)
}
