//! An unpacked FMU and its model description.

use super::HINT;
use crate::cli::CliError;
use crate::cli::record::stage;
use crate::cli::temporary::Temporary;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use stiction::model::{self, Model};
use stiction::scene::{self, packed};
use stiction::tool::check;
use stiction::tool::check::description::{Description, Interface};
use stiction::tool::import::uri;

/// An FMU for co-simulation.
pub struct Opened {
    /// File name as given by the user.
    pub file: String,
    /// The model description.
    pub description: Description,
    /// Its co-simulation element.
    pub interface: Interface,
    /// The library for this machine.
    pub library: PathBuf,
    /// URI of the resources folder.
    pub resources: String,
    temporary: Temporary,
}

/// Does the file look like an FMU, by its extension or its first bytes?
pub fn is_fmu(path: &Path) -> bool {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("fmu"))
    {
        return true;
    }
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && &start == b"PK\x03\x04"
}

impl Opened {
    /// Unpacks it and reads its description.
    pub fn new(path: &Path) -> Result<Self, CliError> {
        let file = path.display().to_string();
        if !path.is_file() {
            let message = format!("there is no file \"{file}\"");
            return Err(CliError::usage(
                message,
                "name an FMU, a file that ends with .fmu",
            ));
        }
        let failed = |error: io::Error| CliError::Io {
            what: file.clone(),
            error,
        };
        let temporary = Temporary::new("stiction-run-")?;
        let folder = temporary.path();
        let refused =
            |message: String| CliError::usage(format!("{file} cannot be run: {message}"), HINT);
        let description = check::open(path, folder)
            .map_err(failed)?
            .map_err(refused)?;
        let Some(interface) = description.co_simulation.first().cloned() else {
            return Err(refused(
                "it is for model exchange, not for co-simulation".to_owned(),
            ));
        };
        let Some(library) = check::library(folder, &interface.model_identifier) else {
            return Err(refused("it has no library for this machine".to_owned()));
        };
        if let Some(damage) = check::damage(&library).map_err(failed)? {
            let message = format!("the library for this machine is damaged: {damage}");
            return Err(refused(message));
        }
        let resources = folder.join("resources");
        // as with other masters, an FMU without resources gets an empty folder
        if !resources.is_dir() {
            fs::create_dir(&resources).map_err(failed)?;
        }
        Ok(Self {
            resources: uri(&resources),
            file,
            description,
            interface,
            library,
            temporary,
        })
    }

    /// The folder of the unpacked FMU.
    pub fn folder(&self) -> &Path {
        self.temporary.path()
    }

    /// Model and drawing, if the FMU contains a stiction scene.
    pub fn model(&self) -> Result<Option<(Model, Value)>, CliError> {
        if self.interface.model_identifier != stiction::tool::describe::LIBRARY {
            return Ok(None);
        }
        let resources = self.folder().join("resources");
        let packed = fs::read(resources.join(packed::FILE)).unwrap_or_default();
        let scene = match packed::unpack(&packed) {
            Ok((scene, _)) => scene,
            Err(_) => {
                // perhaps from another version: its text can still be drawn
                let path = resources.join("scene.toml");
                if !path.is_file() {
                    return Ok(None);
                }
                scene::load(&path)?.0
            }
        };
        let Ok(model) = model::build(&scene) else {
            return Ok(None);
        };
        let stage = stage(&scene, &model);
        Ok(Some((model, stage)))
    }
}
