//! Instances from the text of scenes, which is packed first, as in an FMU.

use super::{Instance, variables};
use crate::model;
use crate::scene::packed::pack;
use crate::scene::{self, Scene, SceneError};
use std::path::Path;

impl Instance {
    /// Creates an instance from the text of a scene; `file` is used in messages. Shapes cannot come from other files.
    ///
    /// # Errors
    /// Every problem of the scene.
    pub fn new(name: &str, file: &str, scene_text: &str) -> Result<Self, SceneError> {
        Self::of_scene(name, &scene::parse(file, scene_text)?, file, scene_text)
    }

    /// Creates an instance from the text of a scene whose shapes may come from files in its folder.
    ///
    /// # Errors
    /// Every problem of the scene.
    pub fn in_folder(
        name: &str,
        folder: &Path,
        file: &str,
        scene_text: &str,
    ) -> Result<Self, SceneError> {
        let scene = scene::parse_in(folder, file, scene_text)?;
        Self::of_scene(name, &scene, file, scene_text)
    }

    fn of_scene(name: &str, scene: &Scene, file: &str, text: &str) -> Result<Self, SceneError> {
        let of_scene = |problems| SceneError::new(file, text, problems);
        let model = model::build(scene).map_err(of_scene)?;
        variables::check(&model).map_err(of_scene)?;
        Self::from_packed(name, file, &pack(scene))
    }
}
