//! `[[parameter]]`: values of the scene that the author names, and the paths of the numbers that they set.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Names;
use crate::scene::error::Place;
use crate::scene::range::Range;
use crate::scene::read::{Log, Table};
use crate::scene::sections::TARGET_OF_PARAMETER;
use crate::scene::spec::Name;
use crate::scene::spec::parameter::{Bounds, Parameter, Target};
use crate::scene::suggest::nearest;
use crate::scene::value::{Value, as_number, describe, quoted, shortened};

/// Tables whose numbers may change while the simulation runs, with the keys of those that may not.
const TUNABLE: &[(&str, &[&str])] = &[
    ("contact_default", &[]),
    ("contact", &[]),
    ("force", &["anchors", "point"]),
    ("flange", &["point", "along"]),
];

/// Keys of joints and clutches whose numbers may change while the simulation runs.
const TUNABLE_KEYS: &[&str] = &[
    "kp",
    "kd",
    "limit",
    "friction",
    "static_friction",
    "normal_force",
    "torque",
    "tension",
    "drag",
];

/// Keys whose numbers no parameter sets, with the reason and a hint.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "settings",
        "settings are parameters of the FMU already",
        "set `settings.step` and the like in the importer, or list them in `[fmu]`",
    ),
    (
        "start",
        "the importer sets the start value of an input",
        "set the input itself",
    ),
];

/// Keys with numbers that only make sense together.
const TOGETHER: &[&str] = &[
    "vertices",
    "heights",
    "times",
    "normal",
    "axis",
    "axes",
    "second_axis",
    "direction",
    "friction_axis",
    "orientation",
];

/// Reads all parameters; the numbers at their paths are replaced where they are read.
pub fn read_all(t: &mut Table<'_>) -> Vec<Parameter> {
    let mut names = Names::new("parameters");
    let tables = t.items("parameter");
    let document = t.content();
    let read = |table| read(table, &mut names, document);
    tables.into_iter().map(read).collect()
}

fn read(mut t: Table<'_>, names: &mut Names, document: &DeTable<'_>) -> Parameter {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let sets = t.need("sets");
    let value = t.number("value", Range::ANY);
    let [min, max] = ["min", "max"].map(|key| t.number(key, Range::ANY));
    let unit = t.get("unit").and_then(|v| v.name());
    let display_unit = t.get("display_unit").and_then(|v| v.name());
    let description = t.get("description").and_then(|v| v.text());
    let written = sets
        .as_ref()
        .map_or_else(Vec::new, |v| targets(v, document));
    let value = value.or_else(|| {
        let (target, number, _) = written.first()?;
        Some((number - target.offset) / target.factor)
    });
    let value = value.unwrap_or(0.0);
    for (target, _, at) in &written {
        if !t.log.drive(at, target.number(value)) {
            let path = &target.path;
            let message = format!("two parameters set \"{}\"", shortened(&path.text));
            let hint = "remove the path from one of them";
            t.log
                .add(path.place.clone(), &t.path_of("sets"), message, hint);
        }
    }
    check_range(&mut t, value, [min, max]);
    t.finish("a parameter");
    Parameter {
        place,
        name,
        description: description.unwrap_or_default().to_owned(),
        unit,
        display_unit,
        value,
        min,
        max,
        is_tunable: written
            .iter()
            .all(|(target, ..)| is_tunable(&target.path.text)),
        targets: written.into_iter().map(|(target, ..)| target).collect(),
    }
}

fn check_range(t: &mut Table<'_>, value: f64, [min, max]: [Option<f64>; 2]) {
    if let (Some(low), Some(high)) = (min, max)
        && low > high
        && let Some(at) = t.get("min")
    {
        at.bad(format!("min {low} is above max {high}"), "swap them");
    } else if let Some(low) = min.filter(|low| value < *low)
        && let Some(at) = t.get("min")
    {
        at.bad(
            format!("the value {value} is below min {low}"),
            "lower `min`",
        );
    } else if let Some(high) = max.filter(|high| value > *high)
        && let Some(at) = t.get("max")
    {
        at.bad(
            format!("the value {value} is above max {high}"),
            "raise `max`",
        );
    }
}

/// The targets, each with the number written there and its location.
fn targets(sets: &Value<'_>, document: &DeTable<'_>) -> Vec<(Target, f64, Place)> {
    let Some(list) = sets.list("a list of paths") else {
        return Vec::new();
    };
    if list.is_empty() {
        sets.bad(
            "the list is empty, so the parameter sets nothing",
            sets.example(),
        );
    }
    list.iter().filter_map(|v| target(v, document)).collect()
}

fn target(value: &Value<'_>, document: &DeTable<'_>) -> Option<(Target, f64, Place)> {
    let (mut factor, mut offset) = (1.0, 0.0);
    let path = if value.is_table() {
        let mut t = value.as_table(value.path.clone())?;
        t.describe(TARGET_OF_PARAMETER);
        let path = t.need("path");
        factor = t.number_or("factor", Range::NOT_ZERO, 1.0);
        offset = t.number_or("offset", Range::ANY, 0.0);
        t.finish("a target of a parameter");
        path?
    } else {
        value.clone()
    };
    let name = path.name()?;
    let (number, at) = number_at(&path, &name, document)?;
    let target = Target {
        path: name,
        unit: String::new(),
        factor,
        offset,
        range: Bounds {
            words: String::new(),
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            is_closed: false,
            without_zero: false,
        },
        numbers: Vec::new(),
    };
    Some((target, number, at))
}

/// The number at a path and its location.
fn number_at(value: &Value<'_>, name: &Name, document: &DeTable<'_>) -> Option<(f64, Place)> {
    let words: Vec<&str> = name.text.split('.').collect();
    if let Some((_, message, hint)) = REFUSED.iter().find(|(key, ..)| words.contains(key)) {
        value.bad(*message, *hint);
        return None;
    }
    if let Some(key) = words.iter().find(|word| TOGETHER.contains(word)) {
        let message = format!(
            "the numbers of `{key}` only make sense together, so no parameter sets one of them"
        );
        value.bad(
            message,
            "drive a position, a size, an angle, a radius, a mass ..",
        );
        return None;
    }
    match follow(document, &words) {
        Ok(found) => match as_number(found.get_ref()) {
            Some(number) => Some((number, found.span())),
            None => {
                let message = format!(
                    "\"{}\" is {}, not a number",
                    shortened(&name.text),
                    describe(found.get_ref())
                );
                value.bad(
                    message,
                    "continue the path to a number, as in `body.crate.position.y`",
                );
                None
            }
        },
        Err(missing) => {
            let (message, hint) = missing.words(&words);
            value.bad(message, hint);
            None
        }
    }
}

/// A path that leads nowhere.
struct Missing {
    /// Index of the first word that does not fit.
    index: usize,
    /// What could be in its place.
    known: Vec<String>,
}

impl Missing {
    fn words(&self, words: &[&str]) -> (String, String) {
        let word = shortened(words.get(self.index).copied().unwrap_or_default());
        let before = words[..self.index].join(".");
        let message = match before.as_str() {
            "" => format!("the scene has no \"{word}\""),
            before => format!("\"{}\" has no \"{word}\" in this scene", shortened(before)),
        };
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        let hint = match nearest(&word, known.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if known.is_empty() => "end the path before it".to_owned(),
            None if known.len() > 12 => {
                "a path names keys as they are written in the scene, and items by name or number"
                    .to_owned()
            }
            None => format!(
                "there are {}; a key has to be written in the scene to be set",
                quoted(&known)
            ),
        };
        (message, hint)
    }
}

/// The value at a path: keys, names or numbers (from 0) of items, `x`, `y`, `z` of vectors.
fn follow<'d>(
    document: &'d DeTable<'d>,
    words: &[&str],
) -> Result<&'d Spanned<DeValue<'d>>, Missing> {
    let mut table = Some(document);
    let mut here: Option<&Spanned<DeValue<'_>>> = None;
    for (index, word) in words.iter().enumerate() {
        let next = match (table, here.map(Spanned::get_ref)) {
            (Some(table), _) => table.get(*word),
            (None, Some(DeValue::Array(items))) => item(items, word),
            (None, _) => None,
        };
        let Some(found) = next else {
            let known = match (table, here.map(Spanned::get_ref)) {
                (Some(table), _) => table.keys().map(|key| key.get_ref().to_string()).collect(),
                (None, Some(DeValue::Array(items))) => names_of(items),
                (None, _) => Vec::new(),
            };
            return Err(Missing { index, known });
        };
        table = found.get_ref().as_table();
        here = Some(found);
    }
    here.ok_or(Missing {
        index: 0,
        known: Vec::new(),
    })
}

fn name_of<'d>(item: &'d Spanned<DeValue<'_>>) -> Option<&'d str> {
    item.get_ref()
        .get("name")
        .and_then(|name| name.get_ref().as_str())
}

fn item<'d>(items: &'d [Spanned<DeValue<'d>>], word: &str) -> Option<&'d Spanned<DeValue<'d>>> {
    let number = match word {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => word.parse::<usize>().ok(),
    };
    match number {
        Some(number) => items.get(number),
        None => items.iter().find(|item| name_of(item) == Some(word)),
    }
}

fn names_of(items: &[Spanned<DeValue<'_>>]) -> Vec<String> {
    let named = items.iter().enumerate();
    named
        .map(|(i, item)| name_of(item).map_or_else(|| i.to_string(), str::to_owned))
        .collect()
}

fn is_tunable(path: &str) -> bool {
    let words: Vec<&str> = path.split('.').collect();
    let mut words = words.iter().copied();
    let Some(first) = words.next() else {
        return false;
    };
    let rest: Vec<&str> = words.collect();
    match first {
        "joint" | "clutch" => rest.iter().any(|word| TUNABLE_KEYS.contains(word)),
        _ => TUNABLE
            .iter()
            .any(|(table, fixed)| *table == first && !rest.iter().any(|word| fixed.contains(word))),
    }
}

/// Adds ranges and units of the targets, after the scene was read.
pub fn complete(parameters: &mut [Parameter], log: &Log) {
    let driven = log.driven();
    let mut driven = driven.iter();
    for parameter in parameters {
        for target in &mut parameter.targets {
            let Some(number) = driven.next() else { return };
            let Some(range) = number.range else {
                log.add(
                    target.path.place.clone(),
                    &format!("parameter[{}].sets", parameter.name),
                    format!("no parameter can set \"{}\"", shortened(&target.path.text)),
                    "drive a position, a size, a radius, a mass, a stiffness, a friction coefficient ..",
                );
                continue;
            };
            let (lower, upper) = range.ends();
            let (is_open, without_zero) = range.excludes();
            target.unit = number.unit.to_owned();
            target.range = Bounds {
                words: range.words.to_owned(),
                lower,
                upper,
                is_closed: !is_open,
                without_zero,
            };
        }
    }
}
