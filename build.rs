//! Constants of the build, the table of scenes that ship inside the binary, and the library that it puts into FMUs.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
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

    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("bundled.rs"), bundled(&root.join("resources"))?)?;

    println!("cargo::rustc-check-cfg=cfg(has_library)");
    if let Some(library) = library(&root, &out)? {
        println!("cargo::rustc-env=STICTION_INSIDE={}", library.display());
        println!("cargo::rustc-cfg=has_library");
    }
    Ok(())
}

/// The file of the shared library that an optimised tool carries inside, so that it builds FMUs wherever it is. Cargo compiles
/// the library, `cdylib` included, before it compiles the tool.
fn library(root: &Path, out: &Path) -> Result<Option<PathBuf>, Box<dyn Error>> {
    let is_optimised = env::var("PROFILE")? == "release" && env::var("DEBUG")? == "false";
    if env::var_os("CARGO_FEATURE_TOOL").is_none() || !is_optimised {
        return Ok(None);
    }
    let name = match env::var("CARGO_CFG_TARGET_OS")?.as_str() {
        "windows" => "stiction.dll",
        "macos" => "libstiction.dylib",
        _ => "libstiction.so",
    };
    // PROFILE/build/stiction-HASH/out is the folder of this script, PROFILE/deps that of libraries
    let build = out
        .ancestors()
        .nth(2)
        .filter(|path| path.ends_with("build"));
    let folder = build.and_then(Path::parent).map(|path| path.join("deps"));
    let Some(folder) = folder.filter(|path| path.is_dir()) else {
        return compiled(root, out, name);
    };
    let file = folder.join(name);
    // `cargo check` compiles the tool, but no library
    if !file.exists() {
        fs::write(&file, "")?;
    }
    Ok(Some(file))
}

/// For a cargo that has its libraries elsewhere: the library is compiled here, a second time.
fn compiled(root: &Path, out: &Path, name: &str) -> Result<Option<PathBuf>, Box<dyn Error>> {
    let target = env::var("TARGET")?;
    let folder = out.join("library");
    let status = Command::new(env::var("CARGO")?)
        .args(["build", "--lib", "--release", "--no-default-features"])
        .args(["--target", &target, "--target-dir"])
        .arg(&folder)
        .current_dir(root)
        .status();
    let file = folder.join(target).join("release").join(name);
    if status.is_ok_and(|status| status.success()) && file.is_file() {
        return Ok(Some(file));
    }
    println!(
        "cargo::warning=the library for FMUs could not be compiled; `stiction build` will ask for it"
    );
    Ok(None)
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
