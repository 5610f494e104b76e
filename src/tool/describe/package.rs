//! The FMU: a ZIP archive with the model description, the scene, the libraries, a documentation page, licences and a picture.
//! Order, time stamps and compression are fixed, so that the same scene and libraries give the same bytes.

use std::fmt;
use std::io::{Cursor, Write as _};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::drawing::picture;
use super::fmi2::model_description;
use super::limits;
use super::page::documentation;
use super::{LIBRARY, Platform};
use crate::fmu::instance::variables;
use crate::model;
use crate::scene::load::Files;
use crate::scene::spec::space::Space;
use crate::scene::{self, SceneError, packed};

/// A function exported by every library for co-simulation.
const FUNCTION: &str = "fmi2DoStep";

/// Licences of all components of the libraries (scripts/licenses.py).
const LICENSES: &str = include_str!("../../../licenses/library.txt");

/// A shared library for one platform.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its platform.
    pub platform: Platform,
    /// The file.
    pub bytes: Vec<u8>,
    folder: Platform,
}

impl Library {
    /// A library in the folder of its platform.
    pub fn new(platform: Platform, bytes: Vec<u8>) -> Self {
        Self {
            platform,
            bytes,
            folder: platform,
        }
    }

    /// The library for Linux on ARM64 in the folder `linux64`, where many masters look on every Linux. The FMU then has none for
    /// x86-64.
    pub fn arm_as_linux64(bytes: Vec<u8>) -> Self {
        Self {
            platform: Platform::Aarch64Linux,
            bytes,
            folder: Platform::Linux64,
        }
    }

    /// The platform whose folder it goes to.
    pub fn folder(&self) -> Platform {
        self.folder
    }

    /// Was it built from the same source as this code?
    pub fn is_current(&self) -> bool {
        contains(&self.bytes, crate::fmu::IDENTITY)
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    let mut parts = bytes.windows(text.len());
    parts.any(|part| part == text.as_bytes())
}

/// Reason why an FMU cannot be built.
#[derive(Debug)]
pub enum PackageError {
    /// The scene has errors.
    Scene(SceneError),
    /// No library was given.
    NoLibrary,
    /// Two libraries for the folder of one platform.
    Twice(Platform),
    /// A file that is not a shared library for its platform.
    Foreign(Platform),
    /// A shared library without FMI functions.
    Other(Platform),
    /// The picture could not be drawn.
    Picture,
    /// `stiction check` would refuse the archive.
    TooLarge(String),
    /// The archive could not be written.
    Archive(String),
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::NoLibrary => write!(f, "an FMU needs a library for at least one platform"),
            Self::Twice(platform) => write!(f, "there are two libraries for {platform}"),
            Self::Foreign(platform) => {
                write!(
                    f,
                    "the file given for {platform} is not a library for {platform}"
                )
            }
            Self::Other(platform) => write!(
                f,
                "the library for {platform} has no function {FUNCTION}: it is not an FMU library"
            ),
            Self::Picture => write!(f, "the scene cannot be drawn"),
            Self::TooLarge(reason) => write!(f, "the FMU would be too large to be read: {reason}"),
            Self::Archive(reason) => write!(f, "the archive cannot be written: {reason}"),
        }
    }
}

impl std::error::Error for PackageError {}

impl From<ZipError> for PackageError {
    fn from(error: ZipError) -> Self {
        Self::Archive(error.to_string())
    }
}

impl From<std::io::Error> for PackageError {
    fn from(error: std::io::Error) -> Self {
        Self::Archive(error.to_string())
    }
}

/// Packs a scene and libraries into an FMU; `file` is the name of the scene in messages.
///
/// # Errors
/// If the scene has errors, or for no library, two for one platform, one of another platform, or one without FMI.
pub fn build_fmu(
    file: &str,
    scene_text: &str,
    libraries: &[Library],
) -> Result<Vec<u8>, PackageError> {
    let none = |_: &str| {
        Err((
            "the scene has no folder to read a file from".to_owned(),
            "build the FMU from the scene's file".to_owned(),
        ))
    };
    build_fmu_with(file, scene_text, &none, libraries)
}

/// Like [`build_fmu`], for a scene whose shapes may come from other files, which are packed into the FMU.
///
/// # Errors
/// As [`build_fmu`].
pub fn build_fmu_with(
    file: &str,
    scene_text: &str,
    files: Files<'_>,
    libraries: &[Library],
) -> Result<Vec<u8>, PackageError> {
    let scene = scene::load::parse_with(file, scene_text, files).map_err(PackageError::Scene)?;
    let of_scene = |problems| PackageError::Scene(SceneError::new(file, scene_text, problems));
    let model = model::build(&scene).map_err(of_scene)?;
    variables::check(&model).map_err(of_scene)?;
    let libraries = sorted(libraries)?;
    let picture = picture(&scene, &model).ok_or(PackageError::Picture)?;

    let mut archive = Archive {
        zip: ZipWriter::new(Cursor::new(Vec::new())),
        entries: 0,
        bytes: 0,
    };
    let description = model_description(&model, &scene);
    archive.add("modelDescription.xml", description.as_bytes(), 0o644)?;
    let packed = format!("resources/{}", packed::FILE);
    archive.add(&packed, &packed::pack(&scene), 0o644)?;
    archive.add("resources/scene.toml", scene_text.as_bytes(), 0o644)?;
    for name in scene.space().map(Space::files).unwrap_or_default() {
        let bytes = files(name).map_err(|(reason, _)| PackageError::Archive(reason))?;
        archive.add(&format!("resources/{name}"), &bytes, 0o644)?;
    }
    for library in libraries {
        let (folder, ending) = (library.folder.folder(), library.platform.ending());
        let name = format!("binaries/{folder}/{LIBRARY}.{ending}");
        archive.add(&name, &library.bytes, 0o755)?;
    }
    let page = documentation(&model, scene_text, &picture);
    archive.add("documentation/index.html", page.as_bytes(), 0o644)?;
    archive.add(
        "documentation/licenses/license.txt",
        LICENSES.as_bytes(),
        0o644,
    )?;
    archive.add("model.png", &picture, 0o644)?;
    Ok(archive.zip.finish()?.into_inner())
}

fn sorted(libraries: &[Library]) -> Result<Vec<&Library>, PackageError> {
    let mut sorted: Vec<&Library> = libraries.iter().collect();
    sorted.sort_by_key(|library| library.folder);
    if sorted.is_empty() {
        return Err(PackageError::NoLibrary);
    }
    if let Some(pair) = sorted
        .windows(2)
        .find(|pair| pair[0].folder == pair[1].folder)
    {
        return Err(PackageError::Twice(pair[0].folder));
    }
    for library in &sorted {
        if !library.platform.takes(&library.bytes) {
            return Err(PackageError::Foreign(library.platform));
        }
        if !contains(&library.bytes, FUNCTION) {
            return Err(PackageError::Other(library.platform));
        }
    }
    Ok(sorted)
}

struct Archive {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    entries: usize,
    bytes: u64,
}

impl Archive {
    fn add(&mut self, name: &str, bytes: &[u8], permissions: u32) -> Result<(), PackageError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            // the earliest time stamp of the format
            .last_modified_time(DateTime::default())
            .unix_permissions(permissions);
        self.entries += 1;
        self.bytes += bytes.len() as u64;
        let of_archive = limits::of_archive(self.entries, self.bytes);
        let of_name = || limits::of_name(name).map(|limit| format!("an entry {limit}"));
        let too_large = of_archive.map(|limit| format!("it has {limit}"));
        if let Some(reason) = too_large.or_else(of_name) {
            return Err(PackageError::TooLarge(reason));
        }
        self.zip.start_file(name, options)?;
        self.zip.write_all(bytes)?;
        Ok(())
    }
}
