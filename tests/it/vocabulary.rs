//! Words that an earlier version used for what the field has terms for are gone: from the source, from keys and messages of
//! scenes, and from the documents.

use crate::architecture::without_text;
use crate::common::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Not in names, comments, messages or prose: the word, and what to write.
const EVERYWHERE: &[(&str, &str)] = &[
    ("crowd", "time stepping"),
    ("crowds", "time stepping"),
    ("climb", "solve"),
    ("climbs", "solves"),
    ("rung", "stage"),
    ("rungs", "stages"),
    ("lighten", "minimum norm"),
    ("relief", "fallback step"),
    ("degraded", "of first order, fallback step"),
    ("books", "energy balance"),
    ("heard", "log callback"),
    ("ear", "log callback"),
    ("judge", "residual check"),
    ("judges", "residual checks"),
    ("judged", "checked"),
    ("frozen", "fixed mode"),
    ("probe", "event function"),
    ("probes", "event functions"),
    ("guarded", "limited"),
    ("spot", "contact point"),
    ("spots", "contact points"),
];

/// Not as names in code, nor as parts of names of types; they are English verbs and nouns elsewhere.
const NAMES: &[(&str, &str)] = &[
    ("touch", "contact"),
    ("touches", "contacts"),
    ("trouble", "FmiError"),
    ("patch", "manifold"),
    ("patches", "manifolds"),
    ("rubbing", "friction block"),
    ("mistake", "error"),
    ("mistakes", "errors"),
];

/// Not as words that follow each other.
const PHRASES: &[(&str, &str)] = &[
    ("energy_guard", "impact_energy_limit"),
    ("keep_books", "energy balance"),
    ("written form", "scene spec"),
    ("slips that follow", "lagged slip"),
    ("relief step", "fallback step"),
    ("way out", "fallback step"),
];

/// Where old keys are named, to say what to write today: the file, and the first and last line of the list.
const HINTS: (&str, &str, &str) = ("src/scene/sections.rs", "const RENAMED", "];");

/// Tests of these hints name old keys.
const OLD_KEYS: &[&str] = &["crowd", "energy_guard"];
const TESTS_OF_HINTS: &[&str] = &[
    "tests/it/scene.rs",
    "tests/it/scene_space.rs",
    "tests/it/error_messages.rs",
    "tests/data/error_messages.txt",
];

/// Names of the platform's build: libraries that panic for a test.
const ALLOWED: &[&str] = &["panic_probe"];

/// Where words are looked for. The log of changes tells what was renamed.
const FOLDERS: &[&str] = &[
    "src",
    "resources",
    "modelDescription",
    "docs",
    "examples",
    "tests",
    "benches",
    "fuzz",
    "scripts",
    "README.md",
    "CONTRIBUTING.md",
];

const ENDINGS: &[&str] = &[
    "rs", "toml", "md", "xml", "py", "c", "h", "sh", "js", "css", "html", "txt",
];

fn visit(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            visit(&entry.unwrap().path(), files);
        }
    } else if path
        .extension()
        .is_none_or(|e| ENDINGS.iter().any(|x| e == *x))
    {
        files.push(path.to_owned());
    }
}

/// All text files below the folders, by their path from the root.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        visit(&root().join(folder), &mut files);
    }
    files.sort();
    let with_text = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        Some((name.replace('\\', "/"), fs::read_to_string(&path).ok()?))
    };
    files.into_iter().filter_map(with_text).collect()
}

/// Words of a line in small letters: parts of names count as words.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        let is_new_word = !c.is_alphabetic() || c.is_uppercase() && before.is_lowercase();
        if is_new_word {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Is a word a name of the code, or a part of the name of a type?
fn is_name(code: &str, word: &str) -> bool {
    let names = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut names = names.filter(|name| !name.is_empty());
    names.any(|name| {
        let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        name == word || is_type && words(name).iter().any(|part| part == word)
    })
}

/// The old words of a text, with their lines.
fn old_words(path: &str, text: &str) -> Vec<String> {
    let code = match path.ends_with(".rs") {
        true => without_text(text),
        false => String::new(),
    };
    let mut code = code.lines();
    let (hints, first, last) = HINTS;
    let mut in_hints = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = code.next().unwrap_or_default();
        in_hints |= path == hints && line.starts_with(first);
        if in_hints {
            in_hints = !line.starts_with(last);
            continue;
        }
        let line = ALLOWED
            .iter()
            .fold(line.to_owned(), |line, name| line.replace(name, ""));
        let (words, lower) = (words(&line), line.to_lowercase());
        let everywhere = EVERYWHERE
            .iter()
            .filter(|(old, _)| words.iter().any(|word| word == old));
        let names = NAMES.iter().filter(|(old, _)| is_name(code, old));
        let phrases = PHRASES.iter().filter(|(old, _)| lower.contains(old));
        let may_be_tried = |old: &str| TESTS_OF_HINTS.contains(&path) && OLD_KEYS.contains(&old);
        let all = everywhere.chain(names).chain(phrases);
        for (old, new) in all.filter(|(old, _)| !may_be_tried(old)) {
            found.push(format!("{path}:{}: `{old}`: write `{new}`", number + 1));
        }
    }
    found
}

#[test]
fn no_old_word_is_left() {
    let files = files();
    assert!(files.len() > 400, "the files are not where they were");
    let own = "tests/it/vocabulary.rs";
    let found: Vec<String> = files
        .iter()
        .filter(|(path, _)| path != own)
        .flat_map(|(path, text)| old_words(path, text))
        .collect();
    assert!(
        found.is_empty(),
        "{} places\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn old_words_are_found_in_names_comments_and_messages() {
    let count = |path: &str, text: &str| old_words(path, text).len();
    for text in [
        "let crowd = 1;",
        "struct CrowdRules;",
        "const CROWD: u8 = 1;",
        "// a crowd",
        "\"Impacts of a crowd\"",
        "self.touches.len()",
        "struct TouchKey;",
        "enum Trouble {}",
    ] {
        assert_eq!(count("src/x.rs", text), 1, "{text}");
    }
    // verbs of comments and messages, longer words, what is allowed
    for text in [
        "// shapes that touch",
        "fn may_touch() {}",
        "\"no patch of ground\"",
        "let crowded = unguarded;",
        "#[cfg(panic_probe)]",
    ] {
        assert_eq!(count("src/x.rs", text), 0, "{text}");
    }
    assert_eq!(
        count("docs/X.md", "A crowd is judged by its written form."),
        3
    );
    assert_eq!(count("docs/X.md", "Bodies touch."), 0);
    // hints for old keys, and not what stands behind them
    let keys = "const RENAMED: &[(&str, &str)] = &[\n    (\"crowd\", \"write `integrator`\"),\n];\nlet crowd = 1;";
    assert_eq!(count("src/scene/sections.rs", keys), 1);
    assert_eq!(count("src/scene/load.rs", keys), 2);
    assert_eq!(
        count("tests/it/scene.rs", "\"energy_guard = true\"; // judged"),
        1
    );
}
