//! `stiction new`: a commented scene to start from.

use super::CliError;
use super::args::NewOptions;
use super::bundled;
use super::format::padded;
use super::output::Output;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

const PLANE: &str = include_str!("plane.toml");
const SPACE: &str = include_str!("space.toml");

/// Writes the file and prints the next steps.
pub fn new(options: &NewOptions) -> Result<(), CliError> {
    let given = options.name.trim();
    let name = given.strip_suffix(".toml").unwrap_or(given);
    let stem = PathBuf::from(name);
    let stem = stem
        .file_name()
        .map(|stem| stem.to_string_lossy().into_owned());
    let Some(stem) = stem.filter(|stem| !stem.is_empty() && !name.ends_with('/')) else {
        let message = format!("{:?} is not a valid name for a scene", options.name);
        return Err(CliError::usage(
            message,
            "write for example: stiction new my_scene",
        ));
    };
    let path = PathBuf::from(format!("{name}.toml"));
    let text = match &options.from {
        Some(scene) => {
            let found = bundled::find(scene)?;
            renamed(&found.text, &stem)
        }
        None if options.space => renamed(SPACE, &stem),
        None => renamed(PLANE, &stem),
    };
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let shown = path.display().to_string();
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CliError::usage(
            format!("{shown} already exists"),
            "choose another name, or remove the file first",
        ),
        _ => CliError::Create {
            path: shown.clone(),
            error,
        },
    })?;
    let mut out = Output::stdout();
    let run = format!("stiction run {shown} --report {name}.html");
    let build = format!("stiction build {shown}");
    let width = run.chars().count();
    out.write(&format!(
        "{shown}: a scene to start from. What to do with it:\n  \
         {run}    run it, and open the report in a browser\n  \
         {}    make an FMU of it\n",
        padded(&build, width)
    ))?;
    out.finish()
}

/// The text with the name of the scene replaced.
fn renamed(text: &str, name: &str) -> String {
    let line = format!("name = {name:?}");
    let mut lines: Vec<&str> = text.lines().collect();
    // the name comes before the first table
    let tables = lines.iter().position(|l| l.trim_start().starts_with('['));
    let is_name = |l: &&str| l.trim_start().starts_with("name");
    match lines
        .iter()
        .position(is_name)
        .filter(|i| tables.is_none_or(|t| *i < t))
    {
        Some(i) => lines[i] = &line,
        None => lines.insert(0, &line),
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::{Model, Simulation};

    #[test]
    fn templates_run_and_something_touches() {
        for text in [PLANE, SPACE] {
            let model = Model::from_text("test", &renamed(text, "mine")).unwrap();
            assert_eq!(model.name, "mine");
            let until = model.until;
            let mut simulation = Simulation::new(model);
            simulation.advance_to(until).unwrap();
            assert!(simulation.report().n_events.impacts > 0);
        }
    }

    #[test]
    fn a_scene_without_a_name_gets_one() {
        assert_eq!(
            renamed("until = 1\n[[body]]\nname = \"a\"", "b"),
            "name = \"b\"\nuntil = 1\n[[body]]\nname = \"a\"\n"
        );
    }
}
