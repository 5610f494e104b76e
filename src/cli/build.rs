//! `stiction build`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::CliError;
use super::args::BuildOptions;
use super::bundled::{self, folder_of};
use super::output::{Output, is_stdout, refuse_clashes, write_bytes};
use stiction::describe::{Library, PackageError, Platform, build_fmu, build_fmu_with};
use stiction::instance::variables::table;
use stiction::scene;

const HINT: &str = "`cargo build --release` makes it; `--library FILE` takes one from elsewhere";

/// Packs a scene and libraries into an FMU.
pub fn build(options: &BuildOptions) -> Result<(), CliError> {
    let found = bundled::find(&options.scene)?;
    let output = match &options.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.fmu", file_name(&found.model.name))),
    };
    refuse_clashes(found.path.as_deref(), &[&output])?;
    let libraries = libraries(&options.library)?;
    let file = options.scene.display().to_string();
    let fmu = match found.path.as_deref().map(folder_of) {
        Some(folder) => {
            let files = |name: &str| scene::load::read_file(folder, name);
            build_fmu_with(&file, &found.text, &files, &libraries)
        }
        None => build_fmu(&file, &found.text, &libraries),
    };
    let fmu = fmu.map_err(failed)?;
    write_bytes(&output, &fmu)?;

    let platforms: Vec<&str> = libraries.iter().map(|l| l.platform.folder()).collect();
    let text = format!(
        "{}: {} variables, {}, {} kB\n",
        output.display(),
        table(&found.model).len(),
        platforms.join(" "),
        fmu.len().div_ceil(1000)
    );
    let mut out = if is_stdout(&output) {
        Output::stderr()
    } else {
        Output::stdout()
    };
    out.write(&text)?;
    out.flush()
}

/// A name that every file system takes.
pub fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.replace(|c| !is_plain(c), "_")
}

fn failed(error: PackageError) -> CliError {
    let hint = match error {
        PackageError::Scene(error) => return CliError::Scene(error),
        PackageError::NoLibrary => HINT,
        PackageError::Twice(_) => "give each platform once",
        PackageError::Foreign(_) => "the header of the file is that of something else",
        PackageError::Other(_) => "`cargo build --release` makes one that has",
        PackageError::Picture | PackageError::Archive(_) => {
            return CliError::Io {
                what: "the FMU".to_owned(),
                error: io::Error::other(error.to_string()),
            };
        }
    };
    CliError::usage(error.to_string(), hint)
}

/// Those that were asked for, or the one beside this program.
fn libraries(asked: &[PathBuf]) -> Result<Vec<Library>, CliError> {
    if asked.is_empty() {
        return Ok(vec![own_library()?]);
    }
    asked.iter().map(|argument| given(argument)).collect()
}

/// `PLATFORM=FILE`, or `FILE`.
fn given(argument: &Path) -> Result<Library, CliError> {
    let text = argument.to_str();
    let named = text
        .and_then(|text| text.split_once('='))
        .and_then(|(name, file)| Some((Platform::from_name(name)?, Path::new(file))));
    if let Some((platform, file)) = named {
        let bytes = read(file)?;
        if !platform.takes(&bytes) {
            let message = format!("{} is not a library for {platform}", file.display());
            return Err(CliError::usage(message, by_header(&bytes)));
        }
        return Ok(Library { platform, bytes });
    }
    let bytes = read(argument)?;
    match platform_of(&bytes) {
        Some(platform) => Ok(Library { platform, bytes }),
        None => {
            let message = format!("{} is not a shared library", argument.display());
            Err(CliError::usage(message, platforms()))
        }
    }
}

fn platform_of(bytes: &[u8]) -> Option<Platform> {
    Platform::ALL.into_iter().find(|p| p.takes(bytes))
}

fn by_header(bytes: &[u8]) -> String {
    platform_of(bytes).map_or_else(platforms, |p| format!("its header is one for {p}"))
}

fn platforms() -> String {
    let names: Vec<&str> = Platform::ALL.iter().map(|p| p.folder()).collect();
    format!("the platforms are {}", names.join(", "))
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(file).map_err(|error| {
        let why = scene::load::plain(&error);
        let message = format!("the library {} cannot be read: {why}", file.display());
        let is_named = file.to_string_lossy().contains('=');
        let hint = if is_named {
            platforms()
        } else {
            HINT.to_owned()
        };
        CliError::usage(message, hint)
    })
}

/// The library that was built with this program: beside it, or where cargo and packages put it.
fn own_library() -> Result<Library, CliError> {
    let Some(platform) = Platform::current() else {
        let message = "FMI has no name for the platform of this program";
        return Err(CliError::usage(message, platforms()));
    };
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let program = program.map_err(|error| CliError::Io {
        what: "the place of this program".to_owned(),
        error,
    })?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let name = platform.built_name();
    let candidates = [
        folder.join(&name),
        folder.join("deps").join(&name),
        folder.join("../lib").join(&name),
    ];
    // cargo leaves older ones behind
    let newest = candidates
        .iter()
        .filter(|path| path.is_file())
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
    let Some(path) = newest else {
        let looked: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let message = format!(
            "there is no library for {platform}: looked for {}",
            looked.join(", ")
        );
        return Err(CliError::usage(message, HINT));
    };
    let bytes = read(path)?;
    Ok(Library { platform, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(file_name("../a/b: c"), "___a_b_ c");
        assert_eq!(file_name("two_carts-2"), "two_carts-2");
    }
}
