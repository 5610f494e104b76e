//! Finds the shared libraries that `stiction build` packs into an FMU.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::CliError;
use super::output::Output;
use stiction::fmu::IDENTITY;
use stiction::scene::load::plain;
use stiction::tool::describe::{LIBRARY, Library, Platform};

/// Hint for a missing library.
pub const HINT: &str =
    "build it with `cargo build --release`, or name a library with `--library FILE`";

/// Hint for a missing library of another platform.
const FOREIGN_HINT: &str = "libraries come with a release or are built with `scripts/platforms`; `--platforms own` packs only that of this machine";

/// Hint for a library of another version.
const OTHER_HINT: &str = "use the files of one release, or rebuild both with `cargo build --release`; `--library FILE` packs it anyway";

/// The library compiled with this program; empty in development builds (build.rs).
#[cfg(has_library)]
const INSIDE: &[u8] = include_bytes!(env!("STICTION_INSIDE"));
#[cfg(not(has_library))]
const INSIDE: &[u8] = &[];

/// Folders with libraries of several platforms, relative to the folder of this program: in a release, with cargo, in packages.
const FOLDERS: [&str; 3] = ["platforms", "../platforms", "../lib/stiction"];

/// File with the checksums of the libraries in such a folder.
const CHECKSUMS: &str = "SHA256SUMS";

/// Value of `--platforms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlatformChoice {
    /// All platforms.
    All,
    /// The platform of this machine.
    Own,
    /// A list.
    List(Vec<Choice>),
}

/// A library for a platform, and its folder in the FMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// In the folder of its platform.
    Plain(Platform),
    /// The library for Linux on ARM64, in the folder `linux64`.
    ArmAsLinux64,
}

impl Choice {
    /// Parses a name.
    fn parse(name: &str) -> Result<Self, String> {
        if let Some(platform) = Platform::from_name(name) {
            return Ok(Self::Plain(platform));
        }
        match name.split_once('=') {
            Some(("linux64", "aarch64-linux")) => Ok(Self::ArmAsLinux64),
            Some((folder, library)) => Err(format!(
                "the folder {folder:?} cannot have a library for {library:?}: only linux64=aarch64-linux is possible"
            )),
            None => Err(format!(
                "there is no platform {name:?}: {}, all, own",
                platforms()
            )),
        }
    }

    fn platform(self) -> Platform {
        match self {
            Self::Plain(platform) => platform,
            Self::ArmAsLinux64 => Platform::Aarch64Linux,
        }
    }
}

impl PlatformChoice {
    /// Parses the value of `--platforms`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "all" => Ok(Self::All),
            "own" => Ok(Self::Own),
            list => {
                let choices = list.split(',').map(|name| Choice::parse(name.trim()));
                choices.collect::<Result<_, _>>().map(Self::List)
            }
        }
    }
}

/// Name of a library for messages.
pub fn shown(library: &Library) -> String {
    if library.folder() == library.platform {
        library.platform.to_string()
    } else {
        format!("{}={}", library.folder(), library.platform)
    }
}

/// The libraries of the requested platforms; by default all available ones.
pub fn select(platforms: Option<&PlatformChoice>) -> Result<Vec<Library>, CliError> {
    let program = folder_of_program()?;
    match platforms {
        None => all_there_are(&program),
        Some(PlatformChoice::Own) => Ok(vec![own(&program)?]),
        Some(PlatformChoice::All) => Platform::ALL
            .into_iter()
            .map(|platform| chosen(&program, Choice::Plain(platform)))
            .collect(),
        Some(PlatformChoice::List(choices)) => choices
            .iter()
            .map(|choice| chosen(&program, *choice))
            .collect(),
    }
}

/// Each argument is `PLATFORM=FILE` or `FILE`.
pub fn given(arguments: &[PathBuf]) -> Result<Vec<Library>, CliError> {
    arguments
        .iter()
        .map(|argument| given_one(argument))
        .collect()
}

fn folder_of_program() -> Result<PathBuf, CliError> {
    let program = std::env::current_exe().and_then(|path| path.canonicalize());
    let program = program.map_err(|error| CliError::Io {
        what: "the path of this program".to_owned(),
        error,
    })?;
    Ok(program.parent().unwrap_or(Path::new(".")).to_owned())
}

/// A library in a folder with those of several platforms.
struct LibraryFolder {
    path: PathBuf,
    checksums: String,
}

impl LibraryFolder {
    /// The first one that exists.
    fn find(program: &Path) -> Option<Self> {
        FOLDERS.iter().find_map(|place| {
            let path = program.join(place);
            let checksums = fs::read_to_string(path.join(CHECKSUMS)).ok()?;
            Some(Self { path, checksums })
        })
    }

    /// The library of a platform, if there is one.
    fn library(&self, platform: Platform) -> Result<Option<Library>, CliError> {
        let name = format!("{platform}/{LIBRARY}.{}", platform.ending());
        let file = self.path.join(&name);
        if !file.is_file() {
            return Ok(None);
        }
        let bytes = read(&file)?;
        let digest: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let line = format!("{digest}  {name}");
        if !self.checksums.lines().any(|listed| listed == line) {
            let message = format!(
                "the checksum of the library {} does not match the one in {CHECKSUMS}",
                file.display()
            );
            return Err(CliError::usage(message, FOREIGN_HINT));
        }
        Ok(Some(Library::new(platform, bytes)))
    }
}

/// All libraries built from the same source as this program. A warning reports the others: with mixed versions an FMU would
/// behave differently on different platforms.
fn all_there_are(program: &Path) -> Result<Vec<Library>, CliError> {
    let mut libraries = Vec::new();
    if let Some(folder) = LibraryFolder::find(program) {
        let mut others = Vec::new();
        for platform in Platform::ALL {
            match folder.library(platform)? {
                Some(library) if library.is_current() => libraries.push(library),
                Some(_) => others.push(platform.folder()),
                None => {}
            }
        }
        if !others.is_empty() {
            Output::stderr().write(&format!(
                "warning: the libraries for {} in {} were built from another version or source than this program and are left out\n",
                others.join(", "),
                folder.path.display()
            ))?;
        }
    }
    let is_own = |library: &Library| Some(library.platform) == Platform::current();
    // a platform unknown to FMI can still pack libraries of others
    if libraries.is_empty() || Platform::current().is_some() && !libraries.iter().any(is_own) {
        libraries.insert(0, beside(program)?);
    }
    Ok(libraries)
}

/// The library of this machine: from the folder of platforms if it is there and current, otherwise the one next to this program.
fn own(program: &Path) -> Result<Library, CliError> {
    let folder = Platform::current().zip(LibraryFolder::find(program));
    let library = match folder {
        Some((platform, folder)) => folder.library(platform)?,
        None => None,
    };
    match library.filter(Library::is_current) {
        Some(library) => Ok(library),
        None => beside(program),
    }
}

fn chosen(program: &Path, choice: Choice) -> Result<Library, CliError> {
    let platform = choice.platform();
    let library = if Platform::current() == Some(platform) {
        own(program)?
    } else {
        foreign(program, platform)?
    };
    Ok(match choice {
        Choice::Plain(_) => library,
        Choice::ArmAsLinux64 => Library::arm_as_linux64(library.bytes),
    })
}

fn foreign(program: &Path, platform: Platform) -> Result<Library, CliError> {
    let Some(folder) = LibraryFolder::find(program) else {
        let looked: Vec<String> = FOLDERS
            .iter()
            .map(|place| program.join(place).display().to_string())
            .collect();
        let message = format!(
            "there is no library for {platform}: looked for {CHECKSUMS} in {}",
            looked.join(", ")
        );
        return Err(CliError::usage(message, FOREIGN_HINT));
    };
    let Some(library) = folder.library(platform)? else {
        let message = format!(
            "there is no library for {platform} in {}",
            folder.path.display()
        );
        return Err(CliError::usage(message, FOREIGN_HINT));
    };
    if !library.is_current() {
        let message = format!(
            "the library for {platform} in {} was built from another version or source than this program, which is {IDENTITY}",
            folder.path.display()
        );
        let hint = "rebuild it with `scripts/platforms`; `--library FILE` packs it anyway";
        return Err(CliError::usage(message, hint));
    }
    Ok(library)
}

fn given_one(argument: &Path) -> Result<Library, CliError> {
    let text = argument.to_str();
    let named = text
        .and_then(|text| text.split_once('='))
        .and_then(|(name, file)| Some((Platform::from_name(name)?, Path::new(file))));
    if let Some((platform, file)) = named {
        let bytes = read(file)?;
        if !platform.takes(&bytes) {
            let message = format!("{} is not a library for {platform}", file.display());
            return Err(CliError::usage(message, by_header(&bytes)));
        }
        return Ok(Library::new(platform, bytes));
    }
    let bytes = read(argument)?;
    match platform_of(&bytes) {
        Some(platform) => Ok(Library::new(platform, bytes)),
        None => {
            let message = format!("{} is not a shared library", argument.display());
            Err(CliError::usage(message, platforms()))
        }
    }
}

fn platform_of(bytes: &[u8]) -> Option<Platform> {
    Platform::ALL.into_iter().find(|p| p.takes(bytes))
}

fn by_header(bytes: &[u8]) -> String {
    platform_of(bytes).map_or_else(platforms, |p| format!("its header is one for {p}"))
}

fn platforms() -> String {
    let names: Vec<&str> = Platform::ALL.iter().map(|p| p.folder()).collect();
    format!("the platforms are {}", names.join(", "))
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    fs::read(file).map_err(|error| {
        let why = plain(&error);
        let message = format!("the library {} cannot be read: {why}", file.display());
        let is_named = file.to_string_lossy().contains('=');
        let hint = if is_named {
            platforms()
        } else {
            HINT.to_owned()
        };
        CliError::usage(message, hint)
    })
}

/// The library built with this program: next to it, where cargo and packages put it, or embedded.
fn beside(program: &Path) -> Result<Library, CliError> {
    let Some(platform) = Platform::current() else {
        let message = "FMI has no name for the platform of this program";
        return Err(CliError::usage(message, platforms()));
    };
    let name = platform.built_name();
    let candidates = [
        program.join(&name),
        program.join("deps").join(&name),
        program.join("../lib").join(&name),
    ];
    let mut there: Vec<&PathBuf> = candidates.iter().filter(|path| path.is_file()).collect();
    // cargo may leave older builds behind
    let changed = |path: &&PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    there.sort_by_key(|path| std::cmp::Reverse(changed(path)));
    for path in &there {
        let library = Library::new(platform, read(path)?);
        if library.is_current() {
            return Ok(library);
        }
    }
    let inside = Library::new(platform, INSIDE.to_vec());
    if inside.is_current() {
        return Ok(inside);
    }
    let Some(newest) = there.first() else {
        let looked: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let message = format!(
            "there is no library for {platform}: looked for {}",
            looked.join(", ")
        );
        return Err(CliError::usage(message, HINT));
    };
    let message = format!(
        "the library {} was built from another version or source than this program, which is {IDENTITY}",
        newest.display()
    );
    Err(CliError::usage(message, OTHER_HINT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_chosen_by_name() {
        use Platform::{Aarch64Linux, Win64};
        assert_eq!(PlatformChoice::parse("all"), Ok(PlatformChoice::All));
        assert_eq!(PlatformChoice::parse("own"), Ok(PlatformChoice::Own));
        let list = PlatformChoice::parse("win64, aarch64-linux,linux64=aarch64-linux").unwrap();
        let choices = vec![
            Choice::Plain(Win64),
            Choice::Plain(Aarch64Linux),
            Choice::ArmAsLinux64,
        ];
        assert_eq!(list, PlatformChoice::List(choices));
        for wrong in ["", "amiga", "win64,", "win64=linux64", "all,win64"] {
            assert!(PlatformChoice::parse(wrong).is_err(), "{wrong}");
        }
    }
}
