//! Models and simulations from scene files.

use super::Simulation;
use crate::model::{self, Model};
use crate::scene::{self, Scene, SceneError};
use std::path::Path;

impl Model {
    /// The model of a scene file.
    ///
    /// # Errors
    /// Every error in the scene, with line, key and a hint, or that the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let (scene, text) = scene::load(path)?;
        model_of(&scene, &path.display().to_string(), &text)
    }

    /// The model of a scene given as text; `name` is used in messages. Shapes cannot come from other files.
    ///
    /// # Errors
    /// Every error in the scene, with line, key and a hint.
    pub fn from_text(name: &str, text: &str) -> Result<Self, SceneError> {
        model_of(&scene::parse(name, text)?, name, text)
    }
}

impl Simulation {
    /// Creates a simulation of a scene file, with the scene's settings.
    ///
    /// # Errors
    /// See [`Model::from_file`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Model::from_file(path).map(Self::new)
    }

    /// Creates a simulation of a scene given as text, with the scene's settings.
    ///
    /// # Errors
    /// See [`Model::from_text`].
    pub fn from_text(name: &str, text: &str) -> Result<Self, SceneError> {
        Model::from_text(name, text).map(Self::new)
    }
}

/// Builds the model of a scene read from `text`.
pub fn model_of(scene: &Scene, file: &str, text: &str) -> Result<Model, SceneError> {
    model::build(scene).map_err(|problems| SceneError::new(file, text, problems))
}
