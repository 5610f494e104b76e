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

    let resources = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("resources");
    let table = PathBuf::from(env::var("OUT_DIR")?).join("bundled.rs");
    fs::write(table, bundled(&resources)?)?;
    Ok(())
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
