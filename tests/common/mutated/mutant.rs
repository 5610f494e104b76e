//! FMUs with something wrong in them, made from a seed: the same seed gives the same bytes.

use crate::common::random::{Random as _, SplitMix};
use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Files of an FMU, the description first and the library second.
pub type Files = Vec<(String, Vec<u8>)>;

pub struct Random(SplitMix);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// Below a number; 0 below none.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

type Change = fn(&mut Files, &mut Random);

/// What is done to files before they are packed, so that the archive is sound.
const INSIDE: &[(&str, Change)] = &[
    ("bits of the description", |files, random| {
        flip(&mut files[0].1, random)
    }),
    ("a line of the description", lines),
    ("a value of the description", value),
    ("many elements", many_elements),
    ("bits of the library", |files, random| {
        flip(&mut files[1].1, random)
    }),
    ("the header of the library", header),
    ("the library is cut off", |files, random| {
        let n = random.below(files[1].1.len());
        files[1].1.truncate(n);
    }),
    ("a part of the library is lost", |files, random| {
        let bytes = &mut files[1].1;
        let start = random.below(bytes.len());
        let end = (start + 1 + random.below(4000)).min(bytes.len());
        bytes[start..end].fill(*random.of(&[0, 0xff, 0x55]));
    }),
    ("a name that leads elsewhere", |files, random| {
        let name = *random.of(&OUTSIDE);
        files.push((name.to_owned(), b"outside".to_vec()));
    }),
    ("a library elsewhere", |files, random| {
        let name = format!("modelIdentifier=\"{}", random.of(&OUTSIDE));
        replace(&mut files[0].1, "modelIdentifier=\"", &name);
    }),
    ("files that are folders", |files, random| {
        let name = random.of(files).0.clone();
        files.push((format!("{name}/below"), Vec::new()));
    }),
    ("names that differ by case", |files, random| {
        let (name, bytes) = random.of(files).clone();
        files.push((name.to_uppercase(), bytes));
    }),
    ("deep folders and long names", |files, random| {
        let n = random.below(2000);
        files.push(("d/".repeat(n % 300) + &"x".repeat(1 + n), Vec::new()));
    }),
    ("bits of another file", |files, random| {
        let at = files.len().min(2) + random.below(files.len().saturating_sub(2));
        if let Some((_, bytes)) = files.get_mut(at) {
            flip(bytes, random);
        }
    }),
    ("a file is missing", |files, random| {
        let at = random.below(files.len());
        // the first two have their places
        files[at].0.push_str(".away");
    }),
];

const OUTSIDE: [&str; 10] = [
    "../escaped",
    "../../escaped",
    "resources/../../../escaped",
    "/tmp/escaped",
    "C:/escaped",
    "C:escaped",
    "..\\escaped",
    "\\escaped",
    "a/..",
    "./../escaped",
];

type Damage = fn(&mut Vec<u8>, &mut Random);

/// What is done to the archive.
const OUTSIDE_OF_FILES: &[(&str, Damage)] = &[
    ("bits of the archive", |bytes, random| flip(bytes, random)),
    ("bits of the directory", |bytes, random| {
        let n = bytes.len();
        let start = n.saturating_sub(500);
        for _ in 0..1 + random.below(4) {
            let at = start + random.below(n - start);
            bytes[at] ^= 1 << random.below(8);
        }
    }),
    ("the archive is cut off", |bytes, random| {
        let n = random.below(bytes.len());
        bytes.truncate(n);
    }),
    ("a part of the archive is lost", |bytes, random| {
        let start = random.below(bytes.len());
        let end = (start + random.below(3000)).min(bytes.len());
        bytes.drain(start..end);
    }),
    ("a part of the archive comes twice", |bytes, random| {
        let start = random.below(bytes.len());
        let end = (start + random.below(3000)).min(bytes.len());
        let part = bytes[start..end].to_vec();
        let at = random.below(bytes.len());
        bytes.splice(at..at, part);
    }),
    ("sizes and places of entries", |bytes, random| {
        let signature = random.of(&[b"PK\x01\x02", b"PK\x03\x04"]).to_vec();
        let is_here = |at: &usize| bytes[*at..].starts_with(&signature);
        let places: Vec<usize> = (0..bytes.len()).filter(is_here).collect();
        if places.is_empty() {
            return;
        }
        let at = *random.of(&places) + 4 + random.below(42);
        let number = random.of(&[0, 1, 0xffff, 0x7fff_ffff, 0xfff0_0000, u32::MAX]);
        for (byte, new) in bytes.iter_mut().skip(at).zip(number.to_le_bytes()) {
            *byte = new;
        }
    }),
    ("names are the same", |bytes, random| {
        let (old, new) = (b"resources/data.txt", b"modelDescription.x");
        let _ = random;
        let is_here = |at: &usize| bytes[*at..].starts_with(old);
        let places: Vec<usize> = (0..bytes.len()).filter(is_here).collect();
        for at in places {
            bytes[at..at + old.len()].copy_from_slice(new);
        }
    }),
    ("a link", |bytes, random| {
        let target = *random.of(&["/etc/passwd", "../../escaped", "modelDescription.xml"]);
        // what is damaged already stays as it is
        let Ok(mut zip) = ZipWriter::new_append(Cursor::new(bytes.clone())) else {
            return;
        };
        let options = SimpleFileOptions::default();
        if zip.add_symlink("resources/link", target, options).is_ok() {
            *bytes = zip.finish().unwrap().into_inner();
        }
    }),
];

/// A mutant of an FMU, and what was done to it.
pub fn mutant(files: &Files, seed: u64) -> (String, Vec<u8>) {
    let mut random = Random::new(seed);
    let mut files = files.clone();
    let mut done = Vec::new();
    // the kinds take turns, so that few seeds have all of them
    let n_kinds = INSIDE.len() + OUTSIDE_OF_FILES.len();
    let first = (seed % n_kinds as u64) as usize;
    let mut kinds = vec![first];
    if random.below(4) == 0 {
        kinds.push(random.below(n_kinds));
    }
    for kind in &kinds {
        if let Some((name, change)) = INSIDE.get(*kind) {
            change(&mut files, &mut random);
            done.push(*name);
        }
    }
    let mut bytes = zipped(&files);
    for kind in kinds {
        let kind = kind.checked_sub(INSIDE.len());
        if let Some((name, damage)) = kind.map(|kind| &OUTSIDE_OF_FILES[kind]) {
            damage(&mut bytes, &mut random);
            done.push(*name);
        }
    }
    (done.join(", "), bytes)
}

pub fn zipped(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().unix_permissions(0o644);
        // a name that comes twice is refused by the writer
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(bytes).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..1 + random.below(8) {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn replace(bytes: &mut Vec<u8>, from: &str, to: &str) {
    *bytes = String::from_utf8_lossy(bytes).replacen(from, to, 1).into();
}

/// A line is lost, comes twice, or changes its place.
fn lines(files: &mut Files, random: &mut Random) {
    let text = String::from_utf8_lossy(&files[0].1).into_owned();
    let mut lines: Vec<&str> = text.lines().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(lines.len());
        let line = lines.get(at).copied().unwrap_or_default();
        match random.below(3) {
            0 => lines.retain(|other| *other != line),
            1 => lines.insert(at, line),
            _ => lines.insert(random.below(at + 1), line),
        }
    }
    files[0].1 = lines.join("\n").into();
}

/// An attribute gets a value that is none.
fn value(files: &mut Files, random: &mut Random) {
    let text = String::from_utf8_lossy(&files[0].1).into_owned();
    let mut parts: Vec<String> = text.split('"').map(str::to_owned).collect();
    let long = "9".repeat(10_000);
    let values = [
        "",
        "-1",
        "0",
        "1e999",
        "NaN",
        "INF",
        "4294967295",
        "4294967296",
        "1e-300",
        "true",
        "&#0;",
        "&lt;",
        "\u{202e}",
        "../..",
        "2.0",
        "3.0",
        "output",
        "input",
        "local",
        &long,
    ];
    for _ in 0..1 + random.below(3) {
        let n = parts.len() / 2;
        let at = 2 * random.below(n) + 1;
        if let Some(part) = parts.get_mut(at) {
            *part = (*random.of(&values)).to_owned();
        }
    }
    files[0].1 = parts.join("\"").into();
}

fn many_elements(files: &mut Files, random: &mut Random) {
    let n = 1 + random.below(5000);
    let end = "</ModelVariables>";
    let new = match random.below(5) {
        0 => (0..n)
            .map(|i| format!("<ScalarVariable name=\"v{i}\" valueReference=\"{i}\" causality=\"output\"><Real/></ScalarVariable>"))
            .collect::<String>(),
        1 => "<ScalarVariable>".repeat(n) + &"</ScalarVariable>".repeat(n),
        2 => format!("<!--{}-->", "x".repeat(50 * n)),
        3 => {
            let words: String = (0..n).map(|i| format!(" a{i}=\"1\"")).collect();
            format!("<ScalarVariable{words}/>")
        }
        _ => (0..n)
            .map(|i| format!("<a xmlns:n{i}=\"x\"/>"))
            .collect::<String>(),
    };
    replace(&mut files[0].1, end, &(new + end));
}

/// Fields of the header and of the table behind it.
fn header(files: &mut Files, random: &mut Random) {
    let bytes = &mut files[1].1;
    for _ in 0..1 + random.below(4) {
        let at = random.below(64 + 8 * 56);
        let number = match random.below(4) {
            0 => random.next(),
            1 => u64::MAX,
            2 => 0,
            _ => random.below(100_000) as u64,
        };
        let n = *random.of(&[1, 2, 4, 8]);
        for (byte, new) in bytes.iter_mut().skip(at).zip(&number.to_le_bytes()[..n]) {
            *byte = *new;
        }
    }
}
