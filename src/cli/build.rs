//! `stiction build`.

use std::io;
use std::path::PathBuf;

use super::CliError;
use super::args::BuildOptions;
use super::bundled::{self, folder_of};
use super::libraries::{self, HINT};
use super::output::{Output, is_stdout, refuse_clashes, write_bytes};
use super::run::warn;
use stiction::fmu::instance::variables::table;
use stiction::scene;
use stiction::tool::describe::{PackageError, build_fmu, build_fmu_with};

/// Packs a scene and libraries into an FMU.
pub fn build(options: &BuildOptions) -> Result<(), CliError> {
    let found = bundled::find(&options.scene)?;
    warn(&found.warnings())?;
    let output = match &options.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.fmu", file_name(&found.model.name))),
    };
    refuse_clashes(found.path.as_deref(), &[&output])?;
    let libraries = if options.library.is_empty() {
        libraries::select(options.platforms.as_ref())?
    } else {
        libraries::given(&options.library)?
    };
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

    let platforms: Vec<String> = libraries.iter().map(libraries::shown).collect();
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
    out.finish()
}

/// A name that is valid on every file system.
pub fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.replace(|c| !is_plain(c), "_")
}

fn failed(error: PackageError) -> CliError {
    let hint = match error {
        PackageError::Scene(error) => return CliError::Scene(error),
        PackageError::NoLibrary => HINT,
        PackageError::Twice(_) => "give each platform once",
        PackageError::Foreign(_) => "the file's header belongs to another platform or file type",
        PackageError::Other(_) => "build a matching one with `cargo build --release`",
        PackageError::TooLarge(_) => "use fewer bodies, or fewer and smaller shape files",
        PackageError::Picture | PackageError::Archive(_) => {
            return CliError::Io {
                what: "the FMU".to_owned(),
                error: io::Error::other(error.to_string()),
            };
        }
    };
    CliError::usage(error.to_string(), hint)
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
