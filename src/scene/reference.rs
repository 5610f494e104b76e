//! Does the page on the format, `docs/SCENE.md`, say what the reader does? Tables of the file note what they are asked for:
//! their keys, which of them must be there, and what stands for the others. The page is compared with that, key by key and
//! in both directions, with defaults.
//!
//! A table of the page has a line above it: `<!-- keys of joint in space -->`, or `<!-- keys of joint in space, by kind -->`
//! where each row is a kind and lists its keys; with "in both" it holds for the plane and for space. Several tables may be
//! about the same part.

use super::spec::Dimension;

/// What stands for a key that is absent.
#[derive(Clone, Debug, PartialEq)]
pub enum Fallback {
    /// Nothing: it must be there.
    Required,
    /// Nothing: it must be there, and be one of these words.
    OneOf(Vec<String>),
    /// A number or a vector.
    Numbers(Vec<f64>),
    /// True, false or a word in quotes.
    Word(String),
}

/// A key, and what stands for it.
pub type Rule = (&'static str, Fallback);

/// A table of the file as the reader saw it.
#[derive(Clone, Debug)]
pub struct Part {
    pub dimension: Dimension,
    /// `body.shape`; empty for the whole file.
    pub section: String,
    /// "a box" or the like.
    pub what: String,
    /// Its `kind`, if one is written.
    pub kind: Option<String>,
    /// Keys that it may have.
    pub keys: Vec<String>,
    /// What was said about them.
    pub rules: Vec<Rule>,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use toml::de::DeTable;

    use super::super::keys;
    use super::super::load::read;
    use super::super::part::dimension;
    use super::super::read::{Log, Table};
    use super::{Fallback, Part};
    use crate::scene::spec::Dimension;

    const PAGE: &str = "docs/SCENE.md";

    /// Parts that come in kinds: of the plane, of space, or of both; with the place where the kind stands.
    const WITH_KINDS: &[(&str, &[Dimension], &str)] = &[
        ("body", BOTH, "[[body]]\nKIND\n"),
        ("shape", BOTH, "[[body]]\n[[body.shape]]\nKIND\n"),
        ("shape", BOTH, "[[ground.shape]]\nKIND\n"),
        ("joint", BOTH, "[[joint]]\nKIND\n"),
        ("force", BOTH, "[[force]]\nKIND\n"),
        (
            "signal",
            &[Dimension::Plane],
            "[[force]]\nkind = \"applied\"\ntorque = { KIND }\n",
        ),
        (
            "signal",
            &[Dimension::Space],
            "[[force]]\nkind = \"applied\"\ntorque = [{ KIND }, 0, 0]\n",
        ),
        (
            "joint.motor",
            &[Dimension::Space],
            "[[joint]]\nkind = \"revolute\"\n[joint.motor]\nKIND\n",
        ),
    ];

    const BOTH: &[Dimension] = &[Dimension::Plane, Dimension::Space];

    /// Parts without kinds; a key that only counts beside another stands beside it here.
    const WITHOUT_KINDS: &[&str] = &[
        "",
        "[settings]\nscheme = \"general\"\n",
        "[settings]\nfriction_cone = \"polyhedral\"\n",
        "[ground]\n",
        "[contact_default]\n",
        "[[contact]]\n",
        "[settings]\nintegrator = \"time_stepping\"\n[settings.time_stepping]\n",
        "[[belt]]\n",
        "[[body]]\n[body.copies]\n",
    ];

    /// What was asked of the tables of a text, mistakes or not.
    fn parts_of(text: &str) -> Vec<Part> {
        let (document, _) = DeTable::parse_recoverable(text);
        let log = Log::new(dimension::of(document.get_ref()), text);
        let root = Table::new(&log, String::new(), 0..0, document.get_ref());
        read(root, "scene.toml", &|_| Err((String::new(), String::new())));
        let mut parts = log.parts.into_inner();
        for part in &mut parts {
            // signals stand in many places
            if part.what.ends_with(" signal") {
                "signal".clone_into(&mut part.section);
            }
            // shapes of a body and of the ground are one part of the page
            if part.section == "ground.shape" || part.section == "body.shape" {
                "shape".clone_into(&mut part.section);
            }
        }
        parts
    }

    /// All parts of the format: those that come in kinds with every kind that the reader offers.
    fn parts() -> Vec<Part> {
        let mut parts = Vec::new();
        for dimension in BOTH {
            let head = match dimension {
                Dimension::Plane => "",
                Dimension::Space => "dimension = 3\n",
            };
            for text in WITHOUT_KINDS {
                parts.extend(parts_of(&format!("{head}{text}")));
            }
            let own = WITH_KINDS
                .iter()
                .filter(|(_, of, _)| of.contains(dimension));
            for (section, _, text) in own {
                // kinds are offered where none is written
                let offered = kinds_offered(
                    &parts_of(&format!("{head}{}", text.replace("KIND", ""))),
                    section,
                );
                assert!(!offered.is_empty(), "{section}: no kinds");
                for kind in offered {
                    let text = text.replace("KIND", &format!("kind = \"{kind}\""));
                    parts.extend(parts_of(&format!("{head}{text}")));
                }
            }
        }
        parts
    }

    fn kinds_offered(parts: &[Part], section: &str) -> Vec<String> {
        let own = parts.iter().filter(|part| part.section == section);
        let offers = own
            .flat_map(|part| &part.rules)
            .filter_map(|rule| match rule {
                ("kind", Fallback::OneOf(words)) => Some(words.clone()),
                _ => None,
            });
        offers.flatten().collect()
    }

    /// Where a key stands: plane or space, the part, its kind or all of them.
    type Place = (bool, String, String);

    const ANY: &str = "";

    /// Keys of the format with their fallbacks, by place. Parts that the page lists by kind are by kind here.
    fn of_the_format(
        by_kind: &BTreeSet<(bool, String)>,
    ) -> BTreeMap<Place, BTreeMap<String, Vec<Fallback>>> {
        let mut found: BTreeMap<Place, BTreeMap<String, Vec<Fallback>>> = BTreeMap::new();
        for part in parts() {
            let spatial = part.dimension == Dimension::Space;
            let section = part.section.clone();
            let kind = match &part.kind {
                Some(kind) if by_kind.contains(&(spatial, section.clone())) => kind.clone(),
                // the list of all keys is for hints
                None if by_kind.contains(&(spatial, section.clone())) => continue,
                _ => ANY.to_owned(),
            };
            let keys = found.entry((spatial, section, kind)).or_default();
            for key in &part.keys {
                let complementarity_steps = keys.entry(key.clone()).or_default();
                let own = part.rules.iter().filter(|(name, _)| name == key);
                complementarity_steps.extend(own.map(|(_, fallback)| fallback.clone()));
            }
        }
        found
    }

    /// A key as the page has it: where, and what it says of its default.
    #[derive(Debug)]
    struct Written {
        place: Place,
        key: String,
        default: Option<String>,
        line: usize,
    }

    /// Words in backquotes, with what stands behind each.
    fn quoted(cell: &str) -> Vec<(&str, &str)> {
        let mut words = Vec::new();
        let mut rest = cell;
        while let Some((_, after)) = rest.split_once('`') {
            let Some((word, behind)) = after.split_once('`') else {
                break;
            };
            words.push((word, behind));
            rest = behind;
        }
        words
    }

    fn cells(line: &str) -> Vec<&str> {
        line.trim_matches('|').split('|').map(str::trim).collect()
    }

    /// Part and key: `[[body.shape]]` is the key `shape` of the part `body`, which is a key, too.
    fn keys_of(word: &str, section: &str) -> Vec<(String, String)> {
        let bare = word.trim_matches(['[', ']']);
        match bare.split_once('.') {
            Some((part, key)) => vec![
                (part.to_owned(), key.to_owned()),
                (section.to_owned(), part.to_owned()),
            ],
            None => vec![(section.to_owned(), bare.to_owned())],
        }
    }

    fn is_key(word: &str) -> bool {
        let bare = word.trim_matches(['[', ']']);
        !bare.is_empty()
            && bare
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '_' || c == '.')
    }

    /// The tables of the page that are about keys.
    fn of_the_page(page: &str) -> (Vec<Written>, BTreeSet<(bool, String)>) {
        let lines: Vec<&str> = page.lines().collect();
        let (mut written, mut by_kind) = (Vec::new(), BTreeSet::new());
        for (number, line) in lines.iter().enumerate() {
            let Some(about) = line
                .strip_prefix("<!-- keys of ")
                .and_then(|l| l.strip_suffix(" -->"))
            else {
                continue;
            };
            let (about, is_by_kind) = match about.strip_suffix(", by kind") {
                Some(about) => (about, true),
                None => (about, false),
            };
            let (section, spaces) = if let Some(s) = about.strip_suffix(" in the plane") {
                (s, vec![false])
            } else if let Some(s) = about.strip_suffix(" in space") {
                (s, vec![true])
            } else if let Some(s) = about.strip_suffix(" in both") {
                (s, vec![false, true])
            } else {
                panic!("{PAGE}:{}: in the plane, in space or in both?", number + 1);
            };
            let section = if section == "the file" { "" } else { section };
            let names = cells(lines[number + 1]);
            let column = |name: &str| names.iter().position(|n| *n == name);
            for (i, row) in lines[number + 3..].iter().enumerate() {
                if !row.starts_with('|') {
                    break;
                }
                let row = cells(row);
                let sections = section.split(" and ");
                for (spatial, section) in sections.flat_map(|s| spaces.iter().map(move |d| (d, s)))
                {
                    let mut add = |kind: &str, word: &str, default: Option<&str>| {
                        for (section, key) in keys_of(word, section) {
                            written.push(Written {
                                place: (*spatial, section, kind.to_owned()),
                                key,
                                default: default.map(str::to_owned),
                                line: number + 4 + i,
                            });
                        }
                    };
                    if is_by_kind {
                        by_kind.insert((*spatial, section.to_owned()));
                        for (kind, _) in quoted(row[0]) {
                            let kind = kind.trim_matches('"');
                            for name in ["keys", "place", "other keys"] {
                                let Some(at) = column(name) else { continue };
                                for (word, behind) in
                                    quoted(row[at]).into_iter().filter(|(w, _)| is_key(w))
                                {
                                    let default = behind.strip_prefix(" (default ");
                                    add(kind, word, default.and_then(|d| d.split(')').next()));
                                }
                            }
                            add(kind, "kind", None);
                        }
                    } else {
                        for (word, _) in quoted(row[0]) {
                            add(ANY, word, column("default").map(|at| row[at]));
                        }
                    }
                }
            }
        }
        (written, by_kind)
    }

    /// The numbers that a default begins with.
    fn numbers(default: &str) -> Option<Vec<f64>> {
        let text = default.trim_matches('`');
        let list = match text.strip_prefix('[') {
            Some(list) => list.split(']').next()?,
            None => text.split([' ', ':', ';']).next()?,
        };
        list.split(',').map(|n| n.trim().parse().ok()).collect()
    }

    /// What the page says for one place: `false; for "distance" true` and `0; in space 1` say two things.
    fn said<'a>(default: &'a str, (spatial, _, kind): &Place) -> &'a str {
        let exception = format!("; for `\"{kind}\"` ");
        if let Some((_, special)) = default.split_once(&exception) {
            return special;
        }
        match default.split_once("; in space ") {
            Some((_, special)) if *spatial => special,
            _ => default,
        }
    }

    /// Does the page say what stands for the key?
    fn agrees(default: &str, fallback: &Fallback) -> bool {
        match fallback {
            Fallback::Required | Fallback::OneOf(_) => default.starts_with("required"),
            Fallback::Numbers(values) => numbers(default).as_ref() == Some(values),
            Fallback::Word(word) => default.trim_start_matches('`').starts_with(word.as_str()),
        }
    }

    #[test]
    fn the_page_says_what_the_reader_does() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let page = std::fs::read_to_string(path).expect("the page");
        let (written, by_kind) = of_the_page(&page);
        let format = of_the_format(&by_kind);
        let mut complaints = Vec::new();

        // tables that are not by kind hold for all kinds of their part
        let holds_for = |w: &Written, (spatial, section, kind): &Place| {
            w.place.0 == *spatial
                && w.place.1 == *section
                && (w.place.2 == ANY || w.place.2 == *kind)
        };
        let (mut n_keys, mut n_defaults) = (0, 0);
        for (place, keys) in &format {
            for (key, complementarity_steps) in keys {
                n_keys += 1;
                let own = written
                    .iter()
                    .filter(|w| w.key == *key && holds_for(w, place));
                let own: Vec<&Written> = own.collect();
                if own.is_empty() {
                    complaints.push(format!("{place:?}: `{key}` is not on the page"));
                }
                let Some(fallback) = complementarity_steps
                    .first()
                    .filter(|f| complementarity_steps.iter().all(|g| g == *f))
                else {
                    continue;
                };
                for w in own {
                    let default = w
                        .default
                        .as_deref()
                        .map_or("", |default| said(default, place));
                    // without a word on it the text below the table has one
                    if default.is_empty() {
                        continue;
                    }
                    n_defaults += 1;
                    if !agrees(default, fallback) {
                        complaints.push(format!(
                            "{PAGE}:{}: `{key}` is said to be \"{default}\", but is {fallback:?}",
                            w.line
                        ));
                    }
                }
            }
        }
        for w in &written {
            let places = format.iter().filter(|(place, _)| holds_for(w, place));
            let known = places.filter(|(_, keys)| keys.contains_key(&w.key)).count();
            if known == 0 {
                complaints.push(format!(
                    "{PAGE}:{}: {:?} has no key `{}`",
                    w.line, w.place, w.key
                ));
            }
        }
        println!(
            "{} parts, {n_keys} keys, {n_defaults} defaults",
            format.len()
        );
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        assert!(n_keys > 300 && n_defaults > 100);
    }

    #[test]
    fn hints_have_an_example_of_every_key_that_must_be_there_and_of_no_other() {
        let parts = parts();
        for part in &parts {
            for (key, fallback) in &part.rules {
                if *fallback == Fallback::Required {
                    let example = keys::example(key, part.dimension);
                    assert!(!example.is_empty(), "{}: `{key}`", part.what);
                }
            }
        }
        let known: BTreeSet<&String> = parts.iter().flat_map(|part| &part.keys).collect();
        for key in keys::names() {
            assert!(known.contains(&key.to_owned()), "no part has `{key}`");
        }
    }
}
