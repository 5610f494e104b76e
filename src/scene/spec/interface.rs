//! `[fmu]`: which variables an FMU of the scene shows, and who made it.

use super::Name;
use serde::{Deserialize, Serialize};

/// The interface of an FMU, as chosen by the author of the scene.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Interface {
    /// Names or patterns of the outputs; `None`: those of the default interface.
    pub outputs: Option<Vec<Name>>,
    /// Names or patterns of the parameters; `None`: those of the default interface.
    pub parameters: Option<Vec<Name>>,
    /// What happens to all other variables.
    pub variables: Shown,
    /// Attributes of the model description.
    pub author: Option<String>,
    /// Version of the model.
    pub version: Option<String>,
    /// Licence of the model.
    pub license: Option<String>,
    /// Copyright of the model.
    pub copyright: Option<String>,
}

/// `variables` of `[fmu]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// `"all"`: quantities that are not outputs are local variables.
    #[default]
    All,
    /// `"interface"`: inputs, outputs and parameters only.
    Interface,
}
