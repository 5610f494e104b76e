//! FMUs for several platforms: which libraries `stiction build` finds, and which it takes.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::command::{put_tool, scratch};
use crate::common::libraries::{current_library, fake_library};
use sha2::{Digest as _, Sha256};
use stiction::fmu::IDENTITY;
use stiction::tool::describe::Platform;

/// A folder with the program, its library for this machine, and a folder `platforms` as `scripts/platforms` makes it.
struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// With libraries for these platforms beside the one for this machine.
    fn new(test: &str, platforms: &[Platform]) -> Self {
        let folder = scratch(&format!("platforms/{test}"));
        put_tool(&folder);
        let installed = Self { folder };
        let own = Platform::current().unwrap();
        fs::write(installed.beside(), beside_library(own)).unwrap();
        for platform in platforms {
            installed.put(*platform, &current_library(*platform));
        }
        installed
    }

    fn program(&self) -> PathBuf {
        let name = format!("stiction{}", std::env::consts::EXE_SUFFIX);
        self.folder.join(name)
    }

    /// The library that was built with the program.
    fn beside(&self) -> PathBuf {
        self.folder.join(Platform::current().unwrap().built_name())
    }

    /// Puts a library where those of all platforms are, with its checksum.
    fn put(&self, platform: Platform, bytes: &[u8]) {
        let name = format!("{platform}/stiction.{}", platform.ending());
        let place = self.folder.join("platforms");
        fs::create_dir_all(place.join(platform.folder())).unwrap();
        fs::write(place.join(&name), bytes).unwrap();
        let digest = Sha256::digest(bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let sums = place.join("SHA256SUMS");
        let listed = fs::read_to_string(&sums).unwrap_or_default();
        fs::write(sums, format!("{listed}{hex}  {name}\n")).unwrap();
    }

    fn build(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.program());
        command.args(["build", "incline", "-o", "it.fmu"]);
        command.args(arguments).current_dir(&self.folder);
        command.output().unwrap()
    }

    /// Libraries in the FMU that such a command makes, without `binaries/`.
    fn binaries(&self, arguments: &[&str]) -> Vec<(String, Vec<u8>)> {
        let output = self.build(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        let fmu = fs::read(self.folder.join("it.fmu")).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(fmu)).unwrap();
        let mut found = Vec::new();
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            if let Some(name) = entry.name().strip_prefix("binaries/") {
                found.push((name.to_owned(), bytes));
            }
        }
        found
    }

    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let found = self.binaries(arguments).into_iter();
        found.map(|(name, _)| name).collect()
    }

    /// What is said about a wish that cannot be granted.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.build(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

/// A stand-in for the one that was built with the program: not the bytes of the one for all systems.
fn beside_library(platform: Platform) -> Vec<u8> {
    let mut bytes = current_library(platform);
    bytes.push(0);
    bytes
}

#[test]
fn an_fmu_has_all_platforms_unless_some_are_asked_for() {
    let installed = Installed::new("all", &Platform::ALL);
    let all = [
        "linux64/stiction.so",
        "win64/stiction.dll",
        "win32/stiction.dll",
        "darwin64/stiction.dylib",
        "aarch64-linux/stiction.so",
    ];
    assert_eq!(installed.names(&[]), all);
    assert_eq!(installed.names(&["--platforms", "all"]), all);
    assert_eq!(
        installed.names(&["--platforms", "win32,linux64"]),
        ["linux64/stiction.so", "win32/stiction.dll"]
    );
    assert_eq!(installed.names(&["--platforms", "own"]).len(), 1);
    // the one for all versions of this system goes before the one that was built on it
    for (name, bytes) in installed.binaries(&["--platforms", "own"]) {
        assert!(
            bytes == current_library(Platform::current().unwrap()),
            "{name}"
        );
    }
}

#[test]
fn the_library_for_arm_can_be_where_masters_on_arm_look() {
    let installed = Installed::new("arm", &Platform::ALL);
    let found = installed.binaries(&["--platforms", "linux64=aarch64-linux"]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "linux64/stiction.so");
    assert!(found[0].1 == current_library(Platform::Aarch64Linux));
    let mut check = Command::new(installed.program());
    check.args(["check", "it.fmu", "--no-run"]);
    let examined = check.current_dir(&installed.folder).output().unwrap();
    let examined = String::from_utf8(examined.stdout).unwrap();
    assert!(!examined.contains("platform.foreign"), "{examined}");
    if Platform::current() == Some(Platform::Linux64) {
        let word = "the library in linux64 is for aarch64-linux";
        assert!(examined.contains(word), "{examined}");
    }
    let told = installed.refused(&["--platforms", "linux64,linux64=aarch64-linux"]);
    assert!(told.contains("two libraries for linux64"), "{told}");
    let told = installed.refused(&["--platforms", "win64=aarch64-linux"]);
    assert!(told.contains("only linux64=aarch64-linux"), "{told}");
}

#[test]
fn without_a_folder_of_platforms_there_is_the_library_beside_the_program() {
    let installed = Installed::new("none", &[]);
    let own = Platform::current().unwrap();
    let file = format!("{own}/stiction.{}", own.ending());
    assert_eq!(installed.names(&[]), [file.as_str()]);
    assert_eq!(installed.names(&["--platforms", "own"]), [file.as_str()]);
    assert_eq!(
        installed.names(&["--platforms", own.folder()]),
        [file.as_str()]
    );
    let told = installed.refused(&["--platforms", "all"]);
    assert!(told.contains("there is no library for"), "{told}");
    assert!(told.contains("scripts/platforms"), "{told}");
}

#[test]
fn a_library_of_another_version_beside_the_program_is_refused() {
    let installed = Installed::new("versions", &[]);
    let own = Platform::current().unwrap();
    fs::write(installed.beside(), fake_library(own)).unwrap();
    for wish in [&[][..], &["--platforms", "own"]] {
        let told = installed.refused(wish);
        let file = installed.beside().canonicalize().unwrap();
        let word = format!(
            "the library {} was built from another version or source than this program, which is {IDENTITY}",
            file.display()
        );
        assert!(told.contains(&word), "{told}");
        assert!(told.contains("cargo build --release"), "{told}");
    }
    // an older one does not hide the right one, wherever it is, and a wish is a wish
    let deps = installed.folder.join("deps");
    fs::create_dir_all(&deps).unwrap();
    fs::write(deps.join(own.built_name()), beside_library(own)).unwrap();
    fs::write(installed.beside(), fake_library(own)).unwrap();
    assert!(installed.binaries(&[])[0].1 == beside_library(own));
    let file = installed.beside().display().to_string();
    assert!(installed.binaries(&["--library", &file])[0].1 == fake_library(own));
}

#[test]
fn what_is_missing_damaged_or_outdated_is_reported() {
    let own = Platform::current().unwrap();
    let other = |platform: &Platform| *platform != own;
    let mut others = Platform::ALL.into_iter().filter(other);
    let (good, old, gone) = (
        others.next().unwrap(),
        others.next().unwrap(),
        others.next().unwrap(),
    );
    let installed = Installed::new("wrong", &[good]);
    installed.put(old, &fake_library(old));
    let file = |p: Platform| format!("{p}/stiction.{}", p.ending());
    // of several sources only this one's are taken, and the others are told of
    let mut expected = vec![(own, file(own)), (good, file(good))];
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|(_, name)| name).collect();
    assert_eq!(installed.names(&[]), expected);
    let warned = String::from_utf8(installed.build(&[]).stderr).unwrap();
    assert!(
        warned.contains(&format!("the libraries for {old} in")),
        "{warned}"
    );
    let told = installed.refused(&["--platforms", old.folder()]);
    assert!(
        told.contains("built from another version or source"),
        "{told}"
    );
    let told = installed.refused(&["--platforms", gone.folder()]);
    assert!(
        told.contains(&format!("there is no library for {gone}")),
        "{told}"
    );
    // a byte changes on the way
    let mut damaged = current_library(good);
    damaged[200] ^= 1;
    let place = installed.folder.join("platforms").join(file(good));
    fs::write(place, damaged).unwrap();
    for wish in [&["--platforms", good.folder()][..], &[]] {
        assert!(installed.refused(wish).contains("SHA256SUMS"), "{wish:?}");
    }
}
