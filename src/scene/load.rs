//! Reads the text of a scene file into a `spec::Scene`, or returns all of its errors.

use std::path::Path;

use toml::de::DeTable;

use super::error::{Problem, SceneError};
use super::packed;
use super::part::{dimension, fmu, parameter, plane, settings, space};
use super::range::Range;
use super::read::{Driven, Log, Table};
use super::spec::parameter::Parameter;
use super::spec::{Dimension, Integrator, Interface, Parts, Scene, Settings};
use super::syntax::Syntax;

/// Maximum size of a shape file, bytes.
const MOST_BYTES: u64 = 1_000_000_000;

/// Message of a system error, without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    words.to_lowercase()
}

/// Reads a scene from a file; returns it with its text.
///
/// # Errors
/// Every problem of the scene, or that the file cannot be read.
pub fn load(path: &Path) -> Result<(Scene, String), SceneError> {
    let file = path.display().to_string();
    let unreadable = |message: String, hint: &str| {
        let problem = Problem {
            place: 0..0,
            key: "file".to_owned(),
            message,
            hint: hint.to_owned(),
        };
        SceneError::new(&file, "", vec![problem])
    };
    let bytes = std::fs::read(path).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => "check the path: it is relative to the current folder",
            std::io::ErrorKind::PermissionDenied => "allow reading the file",
            _ if path.is_dir() => "this is a folder: name the scene file in it",
            _ => "check that the path names a scene file",
        };
        unreadable(format!("the scene cannot be read: {}", plain(&error)), hint)
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error
            .as_bytes()
            .iter()
            .take(good)
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        let message = format!("the file is not text in UTF-8: line {line} has other bytes");
        unreadable(
            message,
            "save the file as UTF-8; a packed or binary file is not a scene",
        )
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let scene = parse_in(folder, &file, &text)?;
    Ok((scene, text))
}

/// Returns the bytes of a file named by a scene, with a path relative to it and `/` as separator; or an error message and a hint.
pub type Files<'f> = &'f dyn Fn(&str) -> Result<Vec<u8>, (String, String)>;

/// Reads a scene from the text of a file; `file_name` is used in messages, and its stem is the default name. Other files,
/// for shapes, cannot be read.
///
/// # Errors
/// Every problem of the scene.
pub fn parse(file_name: &str, text: &str) -> Result<Scene, SceneError> {
    parse_with(file_name, text, &|_| {
        Err((
            "the scene has no folder to read a file from".to_owned(),
            "read the scene from its file, or write the corners as `vertices`".to_owned(),
        ))
    })
}

/// Like [`parse`], for a scene whose other files are in a folder.
///
/// # Errors
/// Every problem of the scene.
pub fn parse_in(folder: &Path, file_name: &str, text: &str) -> Result<Scene, SceneError> {
    parse_with(file_name, text, &|name| read_file(folder, name))
}

/// The bytes of a file named by a scene in a folder.
///
/// # Errors
/// If the file cannot be read: a message and a hint.
pub fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>, (String, String)> {
    let path = folder.join(name);
    inside(folder, &path).map_err(|error| {
        let message = format!("{} cannot be read: {}", path.display(), plain(&error));
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "check the path: it is relative to the folder of the scene"
            }
            std::io::ErrorKind::PermissionDenied => "allow reading the file",
            _ => "check that the path names an STL or OBJ file in the folder of the scene",
        };
        (message, hint.to_owned())
    })
}

/// The bytes of a regular file in a folder or below it; links that lead out of it, devices and pipes are rejected without being opened.
fn inside(folder: &Path, path: &Path) -> std::io::Result<Vec<u8>> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let real = path.canonicalize()?;
    if !real.starts_with(folder.canonicalize()?) {
        return Err(std::io::Error::other(
            "a link leads out of the folder of the scene",
        ));
    }
    let metadata = real.metadata()?;
    if metadata.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(std::io::Error::other(
            "it is a device or a pipe, not a file",
        ));
    }
    if metadata.len() > MOST_BYTES {
        return Err(std::io::Error::other(
            "it is larger than 1 GB, which no convex shape needs",
        ));
    }
    std::fs::read(&real)
}

/// Like [`parse`], for a scene whose other files are provided by `files`.
///
/// # Errors
/// Every problem of the scene.
pub fn parse_with(file_name: &str, text: &str, files: Files<'_>) -> Result<Scene, SceneError> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let syntax = Syntax::new(text, &errors);
    let log = Log::new(dimension::of(document.get_ref()), text);
    let root = Table::new(&log, String::new(), 0..0, document.get_ref());
    let mut scene = read(root, file_name, files);
    let mut parameters = std::mem::take(&mut scene.parameters);
    parameter::complete(&mut parameters, &log);
    if log.is_clean() && syntax.is_empty() {
        let again = |index, change| {
            let trial = Log::trial(log.dimension, text, index, change);
            let root = Table::new(&trial, String::new(), 0..0, document.get_ref());
            let mut other = read(root, file_name, files);
            other.parameters.clear();
            (other, trial.driven())
        };
        locate(&scene, &mut parameters, &log, again);
    }
    scene.warnings = log.take_warnings();
    scene.parameters = parameters;

    let mut problems = log.into_problems();
    if !syntax.is_empty() {
        // After a syntax error, missing keys may have been present, and problems on the same line are consequences of it.
        problems
            .retain(|(p, absent)| !syntax.broken && !absent && !syntax.covers(text, p.place.start));
    }
    let mut problems: Vec<Problem> = problems.into_iter().map(|(problem, _)| problem).collect();
    problems.extend(syntax.problems);
    if problems.is_empty() {
        return Ok(scene);
    }
    Err(SceneError::new(file_name, text, problems))
}

/// Changes of a number for which the scene is read again, as fractions of it, to find out what depends on it.
const TRIALS: [f64; 2] = [1e-3, 1.3e-5];

/// Finds the numbers of the packed scene that the parameters set. `again` reads the scene with one number changed.
fn locate(
    scene: &Scene,
    parameters: &mut [Parameter],
    log: &Log,
    again: impl Fn(usize, f64) -> (Scene, Vec<Driven>),
) {
    let driven = log.driven();
    let mut index = 0;
    for parameter in parameters {
        for target in &mut parameter.targets {
            let trials = TRIALS.map(|change| {
                let (scene, numbers) = again(index, change);
                (scene, numbers.get(index).map_or(0.0, |number| number.value))
            });
            let trials = [
                (scene, driven[index].value),
                (&trials[0].0, trials[0].1),
                (&trials[1].0, trials[1].1),
            ];
            index += 1;
            let key = format!("parameter[{}].sets", parameter.name);
            match packed::copies(trials) {
                Some(found) if !found.is_empty() => target.numbers = found,
                Some(_) => log.add(
                    target.path.place.clone(),
                    &key,
                    format!("nothing depends on \"{}\"", target.path.text),
                    "remove the path",
                ),
                None => log.add(
                    target.path.place.clone(),
                    &key,
                    format!("other numbers are computed from \"{}\" when the scene is read, so no parameter sets it", target.path.text),
                    "write what is computed instead: `omega` for `frequency`, corners for a scaled file, moments for a density; an orientation in space is fixed",
                ),
            }
        }
    }
}

/// The whole file.
pub(super) fn read(mut t: Table<'_>, file_name: &str, files: Files<'_>) -> Scene {
    let parameters = parameter::read_all(&mut t);
    let stem = Path::new(file_name)
        .file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or("scene");
    let name = t
        .get("name")
        .and_then(|v| v.text())
        .unwrap_or(stem)
        .to_owned();
    let description = t
        .get("description")
        .and_then(|v| v.text())
        .unwrap_or("")
        .to_owned();
    dimension::check(&mut t);
    let until = t.number_or("until", Range::POSITIVE, 10.0);
    let settings = t.get("settings").and_then(|v| v.as_table(v.path.clone()));
    let has_step = settings.as_ref().is_some_and(|t| t.has("step"));
    let settings = settings.map_or_else(Settings::default, |table| settings::read(table, until));
    if !has_step && settings.is_longer_than(until) {
        let message = format!(
            "the run of {until} s ends within the first standard step, {} s",
            settings.step
        );
        let hint = "write a shorter `step` in `[settings]`, or a later `until`";
        t.warn("until", &message, hint);
    }
    let interface = t.get("fmu").and_then(|v| v.as_table(v.path.clone()));
    let interface = interface.map_or_else(Interface::default, fmu::read);
    let parts = match t.log.dimension {
        Dimension::Plane => Parts::Plane(plane::read(&mut t, files)),
        Dimension::Space => {
            let in_time_stepping = settings.integrator == Integrator::TimeStepping;
            Parts::Space(space::read(&mut t, files, in_time_stepping))
        }
    };
    t.finish("a scene");
    Scene {
        name,
        description,
        until,
        settings,
        interface,
        parts,
        warnings: Vec::new(),
        parameters,
    }
}
