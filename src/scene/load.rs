//! From the text of a scene file to `format::Scene`, or to everything that is wrong with it.

use std::path::Path;

use toml::de::DeTable;

use super::error::{Problem, SceneError};
use super::format::{Scene, Settings};
use super::part::{Names, body, contact, force, joint, settings, shape};
use super::range::Range;
use super::read::{Log, Table};
use super::syntax::Syntax;

/// More problems than this are counted, not listed.
const MOST_PROBLEMS: usize = 100;

/// Reads a scene from a file.
///
/// # Errors
/// Every problem of the scene, or that the file cannot be read.
pub fn load(path: &Path) -> Result<Scene, SceneError> {
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
            std::io::ErrorKind::NotFound => {
                "check the path: it is taken from the folder the command runs in"
            }
            std::io::ErrorKind::PermissionDenied => "allow reading the file",
            _ if path.is_dir() => "this is a folder: name the scene file in it",
            _ => "check that the path names a scene file",
        };
        unreadable(format!("the scene cannot be read: {error}"), hint)
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
    parse(&file, &text)
}

/// Reads a scene from the text of a file; `file_name` is for messages, and its stem is the default name.
///
/// # Errors
/// Every problem of the scene.
pub fn parse(file_name: &str, text: &str) -> Result<Scene, SceneError> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let syntax = Syntax::new(text, &errors);
    let log = Log::default();
    let root = Table::new(&log, String::new(), 0..0, document.get_ref());
    let scene = read(root, file_name);

    let mut problems = log.into_problems();
    if !syntax.is_empty() {
        // Behind a slip in the text, what is absent may have been there, and what stands on its line is not what was meant.
        problems
            .retain(|(p, absent)| !syntax.broken && !absent && !syntax.covers(text, p.place.start));
    }
    let mut problems: Vec<Problem> = problems.into_iter().map(|(problem, _)| problem).collect();
    problems.extend(syntax.problems);
    if problems.is_empty() {
        return Ok(scene);
    }
    Err(limited(SceneError::new(file_name, text, problems)))
}

/// Cuts a list that nobody would read to its end.
fn limited(mut error: SceneError) -> SceneError {
    let more = error.problems.len().saturating_sub(MOST_PROBLEMS);
    error.problems.truncate(MOST_PROBLEMS);
    if let Some((line, column, last)) = error.problems.last().cloned().filter(|_| more > 0) {
        let rest = Problem {
            place: last.place,
            key: "file".to_owned(),
            message: format!("{more} more problems are not listed"),
            hint: "mend the first ones and read the scene again".to_owned(),
        };
        error.problems.push((line, column, rest));
    }
    error
}

/// The whole file. Bodies come before what refers to them, whatever their order in the file.
fn read(mut t: Table<'_>, file_name: &str) -> Scene {
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
    let gravity = t.pair_or("gravity", [0.0, -9.81]);
    let until = t.number_or("until", Range::POSITIVE, 10.0);

    let settings = t.get("settings").and_then(|v| v.as_table(v.path.clone()));
    let settings = settings.map_or_else(Settings::default, settings::read);

    let tables = t.items("body");
    if tables.is_empty() && !t.has("body") {
        let hint = "add `[[body]]` with `name`, `kind`, `mass` and `position`";
        t.log.absent(
            0..0,
            "body",
            "the scene has no body, so nothing can move",
            hint,
        );
    }
    let mut names = Names::new("bodies");
    let bodies: Vec<_> = tables
        .into_iter()
        .map(|t| body::read(t, &mut names))
        .collect();

    let mut ground = Vec::new();
    if let Some(mut table) = t.get("ground").and_then(|v| v.as_table(v.path.clone())) {
        ground = shape::read_all(table.items("shape"), shape::Owner::Ground);
        table.finish("[ground]");
    }

    let mut names = Names::new("joints");
    let tables = t.items("joint").into_iter();
    let joints: Vec<_> = tables
        .map(|t| joint::read(t, &mut names, &bodies))
        .collect();

    let mut names = Names::new("forces");
    let world = force::World {
        bodies: &bodies,
        joints: &joints,
    };
    let tables = t.items("force").into_iter();
    let forces: Vec<_> = tables.map(|t| force::read(t, &mut names, world)).collect();

    let law = t
        .get("contact_default")
        .and_then(|v| v.as_table(v.path.clone()));
    let contact_default = law.map_or(contact::DEFAULT, contact::read_default);
    let tables = t.items("contact").into_iter();
    let contact_rules: Vec<_> = tables
        .map(|t| contact::read_rule(t, contact_default, &bodies, &ground))
        .collect();

    t.finish("a scene");
    Scene {
        name,
        description,
        gravity,
        until,
        settings,
        bodies,
        ground,
        joints,
        forces,
        contact_default,
        contact_rules,
    }
}
