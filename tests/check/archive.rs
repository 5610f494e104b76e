//! Faults of the archive and of what is in it.

use crate::fmu::{Fmu, LIBRARY, Written, XML, changed, check, stiction};
use std::io::{Cursor, Write as _};
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn with_file(name: &str) -> Vec<u8> {
    let mut fmu = Fmu::new(XML);
    fmu.files.push((name.to_owned(), b"outside".to_vec()));
    fmu.zipped()
}

#[test]
fn nothing_is_written_outside_of_the_folder_and_nothing_is_run() {
    let target = std::env::temp_dir().join("stiction-escaped");
    let absolute = target.to_str().unwrap().to_owned();
    let far_up = "../".repeat(200) + "stiction-escaped";
    for name in [
        "../stiction-escaped",
        "../../stiction-escaped",
        "resources/../../../stiction-escaped",
        &absolute,
        &far_up,
        "C:/stiction-escaped",
        "C:stiction-escaped",
        "..\\stiction-escaped",
        "\\stiction-escaped",
    ] {
        let verdict = check(&with_file(name), &[], None);
        verdict.assert_has(name, "archive.escape", "outside");
        verdict.assert_has(name, "library.not_run", "");
        assert_eq!(verdict.json["was_run"], false, "{name}");
        assert!(!target.exists(), "{name}");
        assert!(!Path::new("stiction-escaped").exists(), "{name}");
    }
}

#[test]
fn backslashes_and_links_are_refused() {
    let verdict = check(&with_file("resources\\data.bin"), &["--no-run"], None);
    verdict.assert_only("backslash", "archive.backslash", "resources");

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("modelDescription.xml", SimpleFileOptions::default())
        .unwrap();
    zip.write_all(XML.as_bytes()).unwrap();
    zip.add_symlink(
        "resources/link",
        "/etc/passwd",
        SimpleFileOptions::default(),
    )
    .unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    let verdict = check(&bytes, &["--no-run"], None);
    verdict.assert_has("link", "archive.link", "resources/link");
}

#[test]
fn names_that_cannot_be_unpacked_are_reported() {
    let folders = "d/".repeat(3000) + "file";
    let verdict = check(&with_file(&folders), &[], None);
    verdict.assert_only("deep", "archive.path", "3000 folders deep");
    let verdict = check(&with_file(&"d".repeat(2000)), &[], None);
    verdict.assert_only("long", "archive.path", "2000 bytes");
    let verdict = check(&with_file(&"d".repeat(300)), &[], None);
    verdict.assert_only("long part", "archive.path", "ddd");
}

#[test]
fn a_file_is_no_folder() {
    for names in [
        ["resources/a", "resources/a/b"],
        ["resources/a/b", "resources/a"],
        ["resources/a", "resources/a/"],
        ["resources/a/", "resources/a"],
        ["resources/a", "resources/./a/b/c"],
    ] {
        let mut fmu = Fmu::new(XML);
        let new = names.map(|name| (name.to_owned(), Vec::new()));
        fmu.files.extend(new);
        let verdict = check(&fmu.zipped(), &[], None);
        verdict.assert_only(&names.join(" "), "archive.clash", "resources/");
    }
}

/// Places of a name in an archive: local headers and the directory.
fn places(bytes: &[u8], name: &str) -> Vec<usize> {
    let is_here = |at: &usize| bytes[*at..].starts_with(name.as_bytes());
    (0..bytes.len()).filter(is_here).collect()
}

#[test]
fn files_that_come_twice_are_refused() {
    let mut bytes = with_file("resources/Data.txt");
    let verdict = check(&bytes, &["--no-run"], None);
    verdict.assert_only("case", "archive.case", "Data.txt");
    for at in places(&bytes, "resources/Data.txt") {
        bytes[at..at + 18].copy_from_slice(b"resources/data.txt");
    }
    let verdict = check(&bytes, &["--no-run"], None);
    verdict.assert_only("twice", "archive.duplicate", "resources/data.txt");
}

/// Where the directory tells the size of a file.
fn told_size(bytes: &[u8], name: &str) -> usize {
    places(bytes, name).pop().unwrap() - 46 + 24
}

#[test]
fn bombs_are_not_unpacked() {
    let mut bytes = with_file("resources/bomb");
    let at = told_size(&bytes, "resources/bomb");
    bytes[at..at + 4].copy_from_slice(&0xfff0_0000u32.to_le_bytes());
    let verdict = check(&bytes, &[], None);
    verdict.assert_only("too many bytes", "archive.too_large", "42939");

    // one that tells less than it has gets no more than it tells
    let mut bytes = with_file("resources/bomb");
    let at = told_size(&bytes, "resources/bomb");
    bytes[at..at + 4].copy_from_slice(&3u32.to_le_bytes());
    let verdict = check(&bytes, &["--no-run"], None);
    verdict.assert_only("a lie", "archive.size", "3 bytes");

    let mut fmu = Fmu::new(XML);
    for number in 0..20_001 {
        fmu.files.push((format!("resources/{number}"), Vec::new()));
    }
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("too many files", "archive.too_large", "20004 entries");

    let mut fmu = Fmu::new(XML);
    fmu.files[0].1.resize((64 << 20) + 1, b' ');
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("a long text", "archive.too_large", "67108865 bytes");
}

#[test]
fn what_is_no_archive_is_reported() {
    for bytes in [&b""[..], b"not an archive", &Fmu::new(XML).zipped()[..500]] {
        check(bytes, &[], None).assert_only("no archive", "archive.unreadable", "");
    }
    let mut bytes = Fmu::new(XML).zipped();
    let at = places(&bytes, "modelDescription.xml")[0];
    bytes[at + 40..at + 80].fill(0x55);
    let verdict = check(&bytes, &[], None);
    verdict.assert_has("damaged", "archive.unreadable", "modelDescription.xml");
}

#[test]
fn a_directory_whose_last_name_is_cut_off_is_reported() {
    let bytes = include_bytes!("../../fuzz/seeds/archive/cut_off_name.fmu");
    let verdict = check(bytes, &["--no-run"], None);
    let findings = verdict.json["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
}

#[test]
fn the_description_is_at_the_root() {
    let mut fmu = Fmu::new(XML);
    fmu.files[0].0 = "specimen/modelDescription.xml".into();
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("below", "archive.no_description", "specimen/model");
    fmu.files.remove(0);
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("none", "archive.no_description", "there is no");
}

#[test]
fn libraries_are_looked_at() {
    let files = |names: &[(&str, &[u8])]| {
        let mut fmu = Fmu::new(XML);
        fmu.files.remove(1);
        let new = names
            .iter()
            .map(|(name, b)| ((*name).to_owned(), b.to_vec()));
        fmu.files.extend(new);
        check(&fmu.zipped(), &[], None)
    };
    files(&[]).assert_only("none", "platform.none", "no library");
    files(&[("sources/all.c", b"x")]).assert_only("sources", "platform.sources", "");
    let mut pe = vec![0; 0x100];
    pe[..2].copy_from_slice(b"MZ");
    pe[0x3c] = 0x80;
    pe[0x80..0x86].copy_from_slice(b"PE\0\0\x64\x86");
    let windows = [("binaries/win64/specimen.dll", pe.as_slice())];
    files(&windows).assert_only("elsewhere", "platform.missing", "only win64");
    let other = [("binaries/linux64/other.so", &b"x"[..])];
    files(&other).assert_only("name", "platform.name", LIBRARY);
    let foreign = [(LIBRARY, pe.as_slice())];
    files(&foreign).assert_only("foreign", "platform.foreign", "linux64");
    let xml = changed(&[(
        "modelIdentifier=\"specimen\"",
        "modelIdentifier=\"species\"",
    )]);
    let verdict = check(&Fmu::new(&xml).zipped(), &[], None);
    verdict.assert_only("identifier", "platform.name", "species.so");
}

#[test]
fn what_was_unpacked_is_removed() {
    let folder = std::env::temp_dir().join(format!("stiction-own-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    for (bytes, fault) in [
        (Fmu::new(XML).zipped(), None),
        (Fmu::new(XML).zipped(), Some("crash in reset")),
        (with_file("../x"), None),
        (b"nothing".to_vec(), None),
    ] {
        let fmu = Written::new(&bytes);
        let mut command = std::process::Command::new(crate::common::command::TOOL);
        command.arg("check").arg(&fmu.0).env("TMPDIR", &folder);
        if let Some(fault) = fault {
            command.env("SPECIMEN", fault);
        }
        assert!(command.output().unwrap().status.code().is_some());
        let left = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, 0);
    }
    std::fs::remove_dir(folder).unwrap();
}

#[test]
fn a_file_that_is_not_there_is_a_mistake_of_the_user() {
    let output = stiction(Path::new("no/such.fmu"), &[], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("hint:"));
}
