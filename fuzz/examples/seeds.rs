//! Writes the inputs that fuzzing starts from, a folder for each target: `seeds FOLDER`. They come from the scenes and
//! descriptions of the repository, so that they are of the version that is fuzzed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use stiction::model;
use stiction::scene::{self, packed};
use stiction::tool::describe;
use stiction_fuzz::{PACKED_CONTENT, STATE_SCENES, content_of_state, started};
use zip::write::SimpleFileOptions;

/// Larger files make slow seeds.
const LARGEST: usize = 8_000;
/// Of descriptions: the smallest have 22 kB.
const LARGEST_DESCRIPTION: usize = 24_000;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("seeds FOLDER"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let write = |target: &str, name: &str, bytes: &[u8]| {
        fs::create_dir_all(folder.join(target)).unwrap();
        fs::write(folder.join(target).join(name), bytes).unwrap();
    };
    for (target, kept) in ["scene", "packed", "state", "archive", "description"]
        .iter()
        .flat_map(|target| kept(&root.join("seeds").join(target)).map(move |file| (target, file)))
    {
        let name = kept.file_name().unwrap().to_string_lossy().into_owned();
        write(target, &name, &fs::read(&kept).unwrap());
    }
    for (name, text) in scenes(root) {
        write("scene", &format!("{name}.toml"), text.as_bytes());
        let Ok(scene) = scene::parse(&name, &text) else {
            continue;
        };
        write("packed", &name, &packed::pack(&scene)[PACKED_CONTENT..]);
        let Ok(model) = model::build(&scene) else {
            continue;
        };
        let description = describe::fmi2::model_description(&model, &scene);
        if description.len() < LARGEST_DESCRIPTION {
            write(
                "description",
                &format!("{name}.xml"),
                description.as_bytes(),
            );
        }
    }
    for (index, text) in STATE_SCENES.iter().enumerate() {
        let mut instance = started(text);
        for step in 0..3 {
            let bytes = instance.save().to_bytes();
            let content = content_of_state(&instance, &bytes);
            let input = [&[index as u8], content].concat();
            write("state", &format!("{index}_{step}"), &input);
            let _ = instance.do_step(instance.time(), 0.1);
        }
    }
    let specimen = fs::read(root.join("../tests/check/specimen.xml")).unwrap();
    write("description", "specimen.xml", &specimen);
    write(
        "archive",
        "plain.fmu",
        &archive(&specimen, "resources/data.txt"),
    );
    write(
        "archive",
        "outside.fmu",
        &archive(&specimen, "../outside.txt"),
    );
    write(
        "archive",
        "folder.fmu",
        &archive(&specimen, "resources/a/b/"),
    );
}

fn kept(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Shipped scenes that are small, and those that are kept as seeds.
fn scenes(root: &Path) -> Vec<(String, String)> {
    let shipped = kept(&root.join("../resources")).filter_map(|folder| {
        let name = folder.file_name()?.to_str()?.to_owned();
        Some((name, fs::read_to_string(folder.join("scene.toml")).ok()?))
    });
    let own = kept(&root.join("seeds/scene")).filter_map(|file| {
        let name = file.file_stem()?.to_str()?.to_owned();
        Some((name, fs::read_to_string(file).ok()?))
    });
    let mut scenes: Vec<_> = shipped.chain(own).collect();
    scenes.retain(|(_, text)| text.len() < LARGEST);
    scenes.sort();
    scenes
}

/// A small FMU with another file in it.
fn archive(description: &[u8], name: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let deflated = SimpleFileOptions::default();
    let stored = deflated.compression_method(zip::CompressionMethod::Stored);
    zip.start_file("modelDescription.xml", deflated).unwrap();
    zip.write_all(description).unwrap();
    zip.start_file("binaries/linux64/specimen.so", stored)
        .unwrap();
    zip.write_all(b"\x7fELF").unwrap();
    zip.start_file(name, stored).unwrap();
    if !name.ends_with('/') {
        zip.write_all(b"data").unwrap();
    }
    zip.finish().unwrap().into_inner()
}
