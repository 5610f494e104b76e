//! Models from the text of scenes.

use crate::model::{self, Model};
use crate::scene::{self, Scene, SceneError};
use std::path::Path;

/// Reads a scene and builds its model; `file` is what error messages call it. Its shapes cannot come from other files.
pub fn model_from_text(file: &str, text: &str) -> Result<Model, SceneError> {
    model_of(&scene::load::parse(file, text)?, file, text)
}

/// The same for a scene whose shapes may come from files in a folder.
pub fn model_in_folder(folder: &Path, file: &str, text: &str) -> Result<Model, SceneError> {
    model_of(&scene::load::parse_in(folder, file, text)?, file, text)
}

/// Builds the model of a scene that was read from `text`.
pub fn model_of(scene: &Scene, file: &str, text: &str) -> Result<Model, SceneError> {
    model::build(scene).map_err(|problems| SceneError::new(file, text, problems))
}
