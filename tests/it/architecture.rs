//! Rules on the source itself: layers, purity, no panics, paths that the documents name.

use crate::common::{read, root};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules of the crate, lowest first: one uses only what stands in an earlier line, and itself.
const LAYERS: [&[&str]; 13] = [
    &["math", "format"],
    &["contact", "constraint"],
    &["kinds"],
    &["scene"],
    &["model"],
    &["state"],
    &["dynamics"],
    &["integrate"],
    &["warning"],
    &["simulation"],
    &["fmu"],
    &["tool"],
    &["cli"],
];

/// The engine sees the spec of a scene and its errors; only these see how it is read.
const READERS: [&str; 5] = ["scene", "simulation", "fmu", "tool", "cli"];

/// The only layers that may do IO, look at the clock or depend on the platform.
const OUTSIDE: [&str; 2] = ["tool", "cli"];

/// Below them: where the C interface meets the platform, the one place that reads a file, a scene when it is asked to, and the
/// one that starts threads, when a scene asks for more than one.
const EXCEPTIONS: [(&str, &[&str]); 3] = [
    ("src/fmu/c_api/", &IMPURE),
    ("src/scene/load.rs", &["std::fs", "std::io"]),
    ("src/integrate/time_stepping/solve.rs", &["std::thread"]),
];

/// The only folders with unsafe code: the C interface that an FMU offers, and the one that the tool drives.
const UNSAFE: [&str; 2] = ["src/fmu/c_api/", "src/tool/import/"];

/// Ends the process instead of returning an error.
const PANICS: [&str; 6] = [
    ".unwrap()",
    ".expect(",
    "panic!",
    "todo!",
    "unimplemented!",
    "dbg!",
];

/// Differs between platforms, builds or runs.
const IMPURE: [&str; 43] = [
    // the platform's libm; the `libm` crate is the same everywhere
    ".sin(",
    ".cos(",
    ".tan(",
    ".sin_cos(",
    ".asin(",
    ".acos(",
    ".atan(",
    ".atan2(",
    ".sinh(",
    ".cosh(",
    ".tanh(",
    ".exp(",
    ".exp2(",
    ".exp_m1(",
    ".ln(",
    ".ln_1p(",
    ".log(",
    ".log2(",
    ".log10(",
    ".powf(",
    ".cbrt(",
    ".hypot(",
    // rounding depends on the optimizer or the processor
    ".powi(",
    ".mul_add(",
    "DMatrix",
    "DVector",
    // order of iteration
    "HashMap",
    "HashSet",
    // IO, clock, threads, globals
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "thread_local!",
    "static mut",
    "OnceLock",
    "LazyLock",
];

/// A source file without comments, strings and test code.
struct Source {
    /// From the root of the crate, with `/`.
    path: String,
    code: String,
}

impl Source {
    /// Module right below the crate's root.
    fn layer(&self) -> &str {
        let inside = &self.path["src/".len()..];
        inside
            .split('/')
            .next()
            .unwrap_or(inside)
            .trim_end_matches(".rs")
    }

    /// Does `super` mean the crate's root here?
    fn is_layer_root(&self) -> bool {
        let inside = &self.path["src/".len()..];
        !inside.contains('/') || inside == format!("{}/mod.rs", self.layer())
    }

    /// Line number and text of every line with one of the words.
    fn lines_with(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for (number, line) in self.code.lines().enumerate() {
            for word in words.iter().filter(|word| contains_word(line, word)) {
                found.push(format!("{}:{}: `{word}`", self.path, number + 1));
            }
        }
        found
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Is `word` there, and not as a part of a longer name?
fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let inside_before = word.starts_with(is_name) && before.is_some_and(is_name);
        let inside_after = word.ends_with(is_name) && after.is_some_and(is_name);
        !inside_before && !inside_after
    })
}

/// Every file below `src`, except the test files.
fn sources() -> Vec<Source> {
    fn visit(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    visit(&root().join("src"), &mut files);
    files.retain(|path| path.file_name().is_some_and(|name| name != "tests.rs"));
    files.sort();
    assert!(files.len() > 20, "the source is not where it was");
    let read = |file: PathBuf| Source {
        path: file
            .strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/"),
        code: without_tests(&without_text(&fs::read_to_string(&file).unwrap())),
    };
    files.into_iter().map(read).collect()
}

/// Blanks comments, strings and characters; lines stay where they are.
pub fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut i = 0;
    while i < chars.len() {
        let length = text_length(&chars, i);
        if length == 0 {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(
                chars[i..i + length]
                    .iter()
                    .map(|c| if *c == '\n' { '\n' } else { ' ' }),
            );
            i += length;
        }
    }
    out
}

/// Length of the comment, string or character that starts at `i`; 0 if none does.
fn text_length(chars: &[char], i: usize) -> usize {
    let rest = &chars[i..];
    let starts_name = i == 0 || !is_name(chars[i - 1]);
    let until = |end: &[char], from: usize| {
        let found = (from..rest.len()).find(|k| rest[*k..].starts_with(end));
        found.map_or(rest.len(), |k| k + end.len())
    };
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => until(&['*', '/'], 2),
        ['r', '"' | '#', ..] if starts_name => {
            let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
            if rest.get(1 + hashes) != Some(&'"') {
                return 0;
            }
            let end: Vec<char> = std::iter::once('"')
                .chain(std::iter::repeat_n('#', hashes))
                .collect();
            until(&end, 2 + hashes)
        }
        ['"', ..] => {
            let mut k = 1;
            while k < rest.len() && rest[k] != '"' {
                k += if rest[k] == '\\' { 2 } else { 1 };
            }
            (k + 1).min(rest.len())
        }
        ['\'', '\\', _, ..] => until(&['\''], 3),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

/// Blanks every item behind `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        let mut depth = 0;
        // an item ends with its braces, or with a semicolon before any
        let end = item.char_indices().skip(MARK.len()).find_map(|(k, c)| {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
            (depth == 0 && matches!(c, '}' | ';')).then_some(k + 1)
        });
        let end = end.unwrap_or(item.len());
        out.extend(item[..end].chars().filter(|c| *c == '\n'));
        rest = &item[end..];
    }
    out + rest
}

/// First names behind `prefix`, also those of a list in braces: the modules of `crate::{a::b, c}` are `a` and `c`.
fn named_after(code: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].chars().next_back().is_some_and(is_name) {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut start = true;
            for (k, c) in list.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' => start = depth == 1,
                    c if start && is_name(c) => {
                        found.push(list[k..].chars().take_while(|c| is_name(*c)).collect());
                        start = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            found.push(rest.chars().take_while(|c| is_name(*c)).collect());
        }
    }
    found
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|group| group.contains(&layer))
}

/// Modules that the source names although they are not below its own.
fn not_below(source: &Source) -> Vec<String> {
    let own = source.layer();
    let mut named = named_after(&source.code, "crate::");
    if source.is_layer_root() {
        let ours = named_after(&source.code, "super::");
        named.extend(ours.into_iter().filter(|name| rank(name).is_some()));
    }
    let is_wrong = |name: &String| name != own && rank(name) >= rank(own);
    named.retain(|name| rank(name).is_some() && is_wrong(name));
    named
}

fn sample(path: &str, code: &str) -> Source {
    Source {
        path: path.to_owned(),
        code: without_tests(&without_text(code)),
    }
}

#[test]
fn every_module_has_a_layer_and_every_layer_a_module() {
    let is_entry = |source: &Source| ["lib", "main"].contains(&source.layer());
    let mut modules: Vec<String> = sources()
        .iter()
        .filter(|s| !is_entry(s))
        .map(|s| s.layer().to_owned())
        .collect();
    modules.sort();
    modules.dedup();
    let mut layers: Vec<&str> = LAYERS.concat();
    layers.sort_unstable();
    assert_eq!(modules, layers, "left: in src; right: LAYERS in this test");
}

#[test]
fn no_layer_names_a_higher_one() {
    for source in sources()
        .iter()
        .filter(|source| rank(source.layer()).is_some())
    {
        let wrong = not_below(source);
        assert!(wrong.is_empty(), "{} is not above {wrong:?}", source.path);
        assert!(
            !source.code.contains("super::super"),
            "{}: name it from the crate",
            source.path
        );
    }
}

#[test]
fn only_the_outer_layers_see_how_a_scene_is_read() {
    for source in sources() {
        if rank(source.layer()).is_none() || READERS.contains(&source.layer()) {
            continue;
        }
        for part in named_after(&source.code, "scene::") {
            assert!(
                ["spec", "error"].contains(&part.as_str()),
                "{} uses scene::{part}",
                source.path
            );
        }
    }
}

#[test]
fn the_engine_is_pure() {
    let outside = |source: &Source| OUTSIDE.contains(&source.layer()) || source.layer() == "main";
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !outside(source)) {
        let is_allowed = |word: &&str| {
            let mut exceptions = EXCEPTIONS.iter();
            exceptions
                .any(|(path, allowed)| source.path.starts_with(path) && allowed.contains(word))
        };
        let forbidden: Vec<&str> = IMPURE
            .into_iter()
            .filter(|word| !is_allowed(word))
            .collect();
        found.extend(source.lines_with(&forbidden));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn errors_are_values_not_panics() {
    let found: Vec<String> = sources()
        .iter()
        .flat_map(|s| s.lines_with(&PANICS))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn unsafe_code_stays_at_the_c_boundary() {
    let inside = |source: &Source| UNSAFE.iter().any(|folder| source.path.starts_with(folder));
    let found: Vec<String> = sources()
        .iter()
        .filter(|s| !inside(s))
        .flat_map(|s| s.lines_with(&["unsafe"]))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_checks_of_this_test_see_what_they_look_for() {
    let wrong = |path: &str, code: &str| not_below(&sample(path, code));
    assert_eq!(
        wrong("src/math/root.rs", "use crate::model::Model;"),
        ["model"]
    );
    assert_eq!(
        wrong("src/model/mod.rs", "fn f() { crate::integrate::step(); }"),
        ["integrate"]
    );
    assert_eq!(
        wrong("src/integrate/run.rs", "use crate::{cli::args, math};"),
        ["cli"]
    );
    assert_eq!(
        wrong("src/state.rs", "use super::integrate::Report;"),
        ["integrate"]
    );
    assert_eq!(
        wrong("src/fmu/instance/mod.rs", "use crate::tool::describe;"),
        ["tool"]
    );
    assert_eq!(
        wrong("src/constraint.rs", "use crate::contact::Problem;"),
        ["contact"]
    );
    assert!(
        wrong(
            "src/integrate/run.rs",
            "use crate::model::Model; use super::accept;"
        )
        .is_empty()
    );
    assert!(
        wrong(
            "src/math/root.rs",
            "// crate::model\n#[cfg(test)]\nmod tests { use crate::model; }"
        )
        .is_empty()
    );

    let lines = |code: &str| {
        sample("src/integrate/run.rs", code)
            .lines_with(&PANICS)
            .len()
    };
    assert_eq!(lines("a.unwrap();\nb.unwrap_or(1);\npanic!(\"x\")"), 2);
    assert_eq!(
        lines("\"a.unwrap()\"; r#\"todo!\"\"#; '\"'; '\\''; // .expect(\n/* panic! */"),
        0
    );
    assert_eq!(
        lines("#[cfg(test)]\nuse a::b;\nfn f<'a>(x: &'a X) { x.unwrap() }"),
        1
    );
    let lines = |code: &str| {
        sample("src/integrate/run.rs", code)
            .lines_with(&IMPURE)
            .len()
    };
    assert_eq!(
        lines("x.sin(); libm::sin(x); x.powi(2); HashMap::new(); x.expand()"),
        3
    );
}

/// Paths that a document names: in backquotes, in links, and in trees drawn in text blocks.
fn named_paths(document: &str) -> Vec<String> {
    const ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".sh", ".py", ".c", ".json"];
    let has_ending = |word: &str| ENDINGS.iter().any(|ending| word.ends_with(ending));
    let is_plain = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
            && word.contains(is_name)
    };
    // `m/s` and `a/b` are not paths
    let is_path = |word: &str| {
        is_plain(word)
            && (has_ending(word)
                || word.contains('/') && word.split('/').any(|part| part.len() > 2))
    };
    let mut found = Vec::new();
    let mut in_block = false;
    let mut folders: Vec<(usize, String)> = Vec::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            folders.clear();
        } else if in_block {
            // the leading words of a line of a tree, below the last folder that is indented less
            let indent = line.len() - line.trim_start().len();
            folders.retain(|(depth, _)| *depth < indent);
            let above = folders
                .last()
                .map_or(String::new(), |(_, folder)| folder.clone());
            for word in line.split_whitespace() {
                if !is_plain(word) || !(has_ending(word) || word.ends_with('/')) {
                    break;
                }
                found.push(format!("{above}{word}"));
                if word.ends_with('/') {
                    folders.push((indent, format!("{above}{word}")));
                }
            }
        } else {
            let quoted = line.split('`').skip(1).step_by(2);
            found.extend(quoted.filter(|word| is_path(word)).map(str::to_owned));
            let links = line
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split([')', '#']).next());
            found.extend(links.filter(|link| is_path(link)).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_path_that_the_pages_for_developers_name_exists() {
    let mut missing = Vec::new();
    for page in ["docs/ARCHITECTURE.md", "CONTRIBUTING.md"] {
        // a path starts at the root, in the source, or beside the page
        let bases = ["", "src", "docs"].map(|base| root().join(base));
        let mut paths = named_paths(&read(page));
        // a scene file, and `resources/x` for one to be added, are examples
        paths.retain(|path| path != "scene.toml");
        paths.retain(|path| !path.contains("/x/") && !bases.iter().any(|b| b.join(path).exists()));
        missing.extend(paths.into_iter().map(|path| format!("{page}: {path}")));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// What follows `--test` in a document: a program, and a module where the program has modules.
fn named_tests(document: &str) -> Vec<(String, String)> {
    let commands = document.split("--test ").skip(1).map(|rest| {
        let end = rest.find(['`', '\n']).unwrap_or(rest.len());
        let mut words = rest[..end].split_whitespace().map(str::to_owned);
        let program = words.next().unwrap_or_default();
        let module = words.next().filter(|word| !word.starts_with('-'));
        (program, module.unwrap_or_default())
    });
    commands.collect()
}

#[test]
fn every_test_that_the_documents_name_exists() {
    let mut pages = vec![root().join("CONTRIBUTING.md")];
    let entries = fs::read_dir(root().join("docs")).unwrap();
    pages.extend(entries.map(|entry| entry.unwrap().path()));
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    let folder = root().join("tests");
    let mut n = 0;
    for page in pages {
        for (program, module) in named_tests(&fs::read_to_string(&page).unwrap()) {
            n += 1;
            let is_there = match module.as_str() {
                "NAME" => continue,
                "" => folder.join(format!("{program}.rs")).exists(),
                module => folder.join(format!("{program}/{module}.rs")).exists(),
            };
            assert!(is_there, "{}: {program} {module}", page.display());
        }
    }
    assert!(n > 10, "only {n} tests are named");
    let named = named_tests("`cargo test --test it orders -- --nocapture`, `--test same_bits`");
    assert_eq!(named[0], ("it".into(), "orders".into()));
    assert_eq!(named[1], ("same_bits".into(), String::new()));
}

#[test]
fn paths_are_found_in_quotes_links_and_trees() {
    let page = "See `integrate/mod.rs` at `9.8 m/s`, `x/y`, `State`, `a::b` and [the method](METHOD.md#one), not [this](#two).\n\
                ```text\nsrc/\n  lib.rs main.rs   entry points\n  math/   numerics\n    root.rs\ntests/\n```\n`src/fmu`\n";
    assert_eq!(
        named_paths(page),
        [
            "integrate/mod.rs",
            "METHOD.md",
            "src/",
            "src/lib.rs",
            "src/main.rs",
            "src/math/",
            "src/math/root.rs",
            "tests/",
            "src/fmu"
        ]
    );
}
