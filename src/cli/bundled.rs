//! The scenes that ship inside the binary, and how a scene is found: by path or by name.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::CliError;
use serde_json::json;
use stiction::fmu::instance::variables;
use stiction::model::Model;
use stiction::scene::{self, SceneError, spec::Scene, suggest::distance};
use stiction::simulation::model_of;

/// Name and text of each bundled scene, sorted by name.
const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Maximum number of suggestions for an unknown name.
const MOST_SUGGESTIONS: usize = 3;

/// A loaded scene.
pub struct LoadedScene {
    /// The scene spec.
    pub scene: Scene,
    /// The model.
    pub model: Model,
    /// The text.
    pub text: String,
    /// The file, unless the scene is bundled.
    pub path: Option<PathBuf>,
}

impl LoadedScene {
    /// Warnings about valid but probably unintended input, each with its location and a hint.
    pub fn warnings(&self) -> Vec<String> {
        let file = self.path.as_ref().map(|path| path.display().to_string());
        let file = file.unwrap_or_else(|| self.model.name.clone());
        let warnings = SceneError::new(&file, &self.text, self.scene.warnings.clone());
        warnings.messages().collect()
    }
}

/// Finds a scene: a file, a folder with a `scene.toml`, or else the name of a bundled scene.
pub fn find(scene: &Path) -> Result<LoadedScene, CliError> {
    let in_folder = scene.join("scene.toml");
    if in_folder.is_file() {
        return from_file(in_folder);
    }
    if scene.exists() && !scene.is_dir() {
        return from_file(scene.to_owned());
    }
    let bundled = SCENES.iter().find(|(name, _)| scene.as_os_str() == *name);
    let Some((name, text)) = bundled else {
        return Err(unknown(scene));
    };
    loaded(scene::parse(name, text)?, name, (*text).to_owned(), None)
}

fn from_file(path: PathBuf) -> Result<LoadedScene, CliError> {
    let (scene, text) = scene::load(&path)?;
    let file = path.display().to_string();
    loaded(scene, &file, text, Some(path))
}

fn loaded(
    scene: Scene,
    file: &str,
    text: String,
    path: Option<PathBuf>,
) -> Result<LoadedScene, CliError> {
    let model = model_of(&scene, file, &text)?;
    variables::check(&model).map_err(|all| SceneError::new(file, &text, all))?;
    Ok(LoadedScene {
        scene,
        model,
        text,
        path,
    })
}

/// The folder of a scene's shape files.
pub fn folder_of(scene: &Path) -> &Path {
    scene.parent().unwrap_or(Path::new(""))
}

fn unknown(scene: &Path) -> CliError {
    let shown = scene.display();
    let message = if scene.is_dir() {
        format!("the folder \"{shown}\" has no scene.toml, and no bundled scene has this name")
    } else {
        format!("there is no file \"{shown}\", and no bundled scene has this name")
    };
    // for `resources/two_cart/scene.toml`, suggest names like `two_cart`
    let mut word = scene.with_extension("");
    if word.file_name().is_some_and(|name| name == "scene") {
        word.pop();
    }
    let word = word
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase());
    let near = nearest(&word.unwrap_or_default());
    let hint = if near.is_empty() {
        "`stiction scenes` lists the bundled scenes; paths are relative to the current folder"
            .to_owned()
    } else {
        format!(
            "did you mean {}? `stiction scenes` lists the bundled scenes",
            near.join(" or ")
        )
    };
    CliError::usage(message, hint)
}

/// Bundled names similar to `word`, best match first: typos and parts of a name, otherwise names with a word in common.
fn nearest(word: &str) -> Vec<&'static str> {
    let allowed = (word.chars().count() / 3).max(1);
    let names = || SCENES.iter().map(|(name, _)| *name);
    let is_near = |name: &&str| {
        let is_part = word.len() >= 3 && name.contains(word);
        is_part || distance(word, name) <= allowed
    };
    let shares_word = |name: &&str| {
        let mut parts = word.split(['_', '-', ' ']).filter(|part| part.len() >= 3);
        parts.any(|part| name.split('_').any(|own| own == part))
    };
    let mut found: Vec<&str> = names().filter(is_near).collect();
    if found.is_empty() {
        found = names().filter(shares_word).collect();
    }
    found.sort_by_key(|name| distance(word, name));
    found.truncate(MOST_SUGGESTIONS);
    found
}

/// Lists the name and description of every bundled scene.
pub fn list(out: &mut impl Write, as_json: bool) -> Result<(), CliError> {
    if as_json {
        let mut list = Vec::new();
        for (name, text) in SCENES {
            let scene = scene::parse(name, text)?;
            let dimension = if scene.space().is_some() { 3 } else { 2 };
            list.push(json!({
                "name": name,
                "description": scene.description,
                "dimension": dimension,
                "until": scene.until,
            }));
        }
        writeln!(out, "{:#}", json!(list)).map_err(closed)?;
        return out.flush().map_err(closed);
    }
    let width = SCENES.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in SCENES {
        let scene = scene::parse(name, text)?;
        writeln!(out, "{name:width$}  {}", scene.description).map_err(closed)?;
    }
    out.flush().map_err(closed)
}

fn closed(error: io::Error) -> CliError {
    CliError::Io {
        what: "stdout".to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::Model;

    #[test]
    fn every_bundled_scene_goes_by_the_name_of_its_folder() {
        assert!(SCENES.is_sorted());
        for (name, text) in SCENES {
            let model = Model::from_text(name, text).unwrap();
            assert_eq!(model.name, *name);
            assert!(!model.description.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_slip_or_a_part_of_a_name_is_recognised() {
        assert_eq!(nearest("two_cart")[0], "two_carts");
        assert_eq!(nearest("bounching_ball"), ["bouncing_ball"]);
        assert_eq!(nearest("pendulum"), ["double_pendulum_wall"]);
        assert_eq!(nearest("rod"), ["falling_rod"]);
        assert_eq!(nearest("gearbox"), Vec::<&str>::new());
    }
}
