//! Access to the parsed file. Every getter reports problems and returns `None`, so that reading continues and
//! all problems are reported at once; the scene is returned only if there were none.

use std::borrow::Cow;
use std::cell::RefCell;

use toml::de::{DeTable, DeValue};

use super::error::{Place, Problem};
use super::range::Range;
#[cfg(test)]
use super::reference::Fallback;
use super::sections;
use super::spec::Dimension;
use super::suggest::nearest;
use super::value::{Value, Vector, quoted};
use crate::kinds::parameter::Parameter;

/// The problems found so far.
pub struct Log {
    /// Dimension, for hints.
    pub dimension: Dimension,
    /// Problems, with `true` if something is missing.
    found: RefCell<Vec<(Problem, bool)>>,
    /// Warnings about valid but probably unintended input.
    warnings: RefCell<Vec<Problem>>,
    /// Line ends.
    ends: Vec<usize>,
    /// Numbers that parameters set.
    driven: RefCell<Vec<Driven>>,
    /// For a trial: the index of the number to change, and by how much.
    trial: Option<(usize, f64)>,
    /// Tables read so far.
    #[cfg(test)]
    pub parts: RefCell<Vec<super::reference::Part>>,
}

impl Log {
    /// An empty log for a text.
    pub fn new(dimension: Dimension, text: &str) -> Self {
        Self {
            dimension,
            found: RefCell::default(),
            warnings: RefCell::default(),
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            driven: RefCell::default(),
            trial: None,
            #[cfg(test)]
            parts: RefCell::default(),
        }
    }

    /// An empty log for reading a text with one of the numbers that parameters set changed.
    pub fn trial(dimension: Dimension, text: &str, index: usize, change: f64) -> Self {
        Self {
            trial: Some((index, change)),
            ..Self::new(dimension, text)
        }
    }

    /// Lets a parameter set the number at a location. False if another one does already.
    pub fn drive(&self, place: &Place, value: f64) -> bool {
        let mut driven = self.driven.borrow_mut();
        let is_free = driven.iter().all(|number| number.place != *place);
        driven.push(Driven {
            place: place.clone(),
            value,
            range: None,
            unit: "",
        });
        is_free
    }

    /// The number that a parameter sets at a location, which is read with a range and a unit.
    pub fn driven_at(&self, place: &Place, range: Range, unit: &'static str) -> Option<f64> {
        let mut driven = self.driven.borrow_mut();
        let (i, number) = driven
            .iter_mut()
            .enumerate()
            .find(|(_, number)| number.place == *place)?;
        let is_first = number.range.replace(range).is_none();
        number.unit = unit;
        if let Some((index, change)) = self.trial
            && index == i
            && is_first
        {
            let size = if number.value == 0.0 {
                1.0
            } else {
                number.value
            };
            let [up, down] = [1.0, -1.0].map(|sign| number.value + sign * change * size);
            number.value = if range.contains(up) { up } else { down };
        }
        Some(number.value)
    }

    /// The numbers that parameters set, as they were read.
    pub fn driven(&self) -> Vec<Driven> {
        self.driven.borrow().clone()
    }

    /// Example of a key for hints.
    pub fn example(&self, key: &str) -> String {
        sections::example(key, self.dimension)
    }

    /// Unit of a key.
    pub fn unit(&self, key: &str) -> &'static str {
        sections::unit(key, self.dimension)
    }

    /// The line of a location, counted from 1.
    pub fn line_of(&self, place: &Place) -> usize {
        self.ends.partition_point(|end| *end < place.start) + 1
    }

    /// Adds a problem.
    pub fn add<'m>(
        &self,
        place: Place,
        key: &str,
        message: impl Into<Cow<'m, str>>,
        hint: impl Into<Cow<'m, str>>,
    ) {
        self.push(place, key, message.into(), hint.into(), false);
    }

    /// Adds a problem about something missing.
    pub fn absent<'m>(
        &self,
        place: Place,
        key: &str,
        message: impl Into<Cow<'m, str>>,
        hint: impl Into<Cow<'m, str>>,
    ) {
        self.push(place, key, message.into(), hint.into(), true);
    }

    fn push(&self, place: Place, key: &str, message: Cow<str>, hint: Cow<str>, absent: bool) {
        let problem = problem(place, key, &message, &hint);
        self.found.borrow_mut().push((problem, absent));
    }

    /// Are there no problems so far?
    pub fn is_clean(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// Adds a warning about valid but probably unintended input.
    pub fn warn(&self, place: Place, key: &str, message: &str, hint: &str) {
        let warning = problem(place, key, message, hint);
        self.warnings.borrow_mut().push(warning);
    }

    /// The warnings, in file order.
    pub fn take_warnings(&self) -> Vec<Problem> {
        let mut warnings = self.warnings.take();
        warnings.sort_by_key(|warning| warning.place.start);
        warnings
    }

    /// All problems; the flag is set if something is missing.
    pub fn into_problems(self) -> Vec<(Problem, bool)> {
        self.found.into_inner()
    }
}

fn problem(place: Place, key: &str, message: &str, hint: &str) -> Problem {
    Problem {
        place,
        key: key.to_owned(),
        message: message.to_owned(),
        hint: hint.to_owned(),
    }
}

/// A number of the file that a parameter sets.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Its location.
    pub place: Place,
    /// What it is set to.
    pub value: f64,
    /// Its range, if it was read.
    pub range: Option<Range>,
    /// Its unit.
    pub unit: &'static str,
}

/// A table of the file.
pub struct Table<'a> {
    /// Log for problems.
    pub log: &'a Log,
    /// `body[block]`; empty for the whole file.
    pub path: String,
    /// Location of the header.
    pub place: Place,
    map: &'a DeTable<'a>,
    /// Keys queried so far.
    known: Vec<&'static str>,
    /// Parameters of its kind.
    parameters: &'static [Parameter],
    /// Defaults of the keys.
    #[cfg(test)]
    rules: Vec<super::reference::Rule>,
}

impl<'a> Table<'a> {
    /// Starts to read a table.
    pub fn new(log: &'a Log, path: String, place: Place, map: &'a DeTable<'a>) -> Self {
        Self {
            log,
            path,
            place,
            map,
            known: Vec::new(),
            parameters: &[],
            #[cfg(test)]
            rules: Vec::new(),
        }
    }

    /// Records a required key or its default, to check the reference page.
    #[cfg(test)]
    fn note(&mut self, key: &'static str, fallback: super::reference::Fallback) {
        self.rules.push((key, fallback));
    }

    /// The content of the table.
    pub fn content(&self) -> &'a DeTable<'a> {
        self.map
    }

    /// The path of a key in this table.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Sets the parameters of the table's kind.
    pub fn describe(&mut self, parameters: &'static [Parameter]) {
        self.parameters = parameters;
    }

    fn parameter(&self, key: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.key == key)
    }

    /// Is the key present? Does not mark it as known.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// Warns about the value of a key, if present. Does not mark it as known.
    pub fn warn(&self, key: &str, message: &str, hint: &str) {
        if let Some(value) = self.map.get(key) {
            self.log
                .warn(value.span(), &self.path_of(key), message, hint);
        }
    }

    /// The value of an optional key.
    pub fn get(&mut self, key: &'static str) -> Option<Value<'a>> {
        self.known.push(key);
        let value = self.map.get(key)?;
        Some(Value {
            log: self.log,
            path: self.path_of(key),
            key,
            parameter: self.parameter(key),
            place: value.span(),
            value: value.get_ref(),
        })
    }

    /// The value of a required key.
    pub fn need(&mut self, key: &'static str) -> Option<Value<'a>> {
        #[cfg(test)]
        self.note(key, Fallback::Required);
        let value = self.get(key);
        if value.is_none() {
            let message = format!("the key `{key}` is missing");
            let hint = match self.parameter(key) {
                Some(parameter) => parameter.hint(),
                None => self.log.example(key),
            };
            self.log
                .absent(self.place.clone(), &self.path_of(key), message, hint);
        }
        value
    }

    /// A required number.
    pub fn need_number(&mut self, key: &'static str, range: Range) -> Option<f64> {
        self.need(key)?.number(range)
    }

    /// An optional number.
    pub fn number(&mut self, key: &'static str, range: Range) -> Option<f64> {
        self.get(key)?.number(range)
    }

    /// A number with a default.
    pub fn number_or(&mut self, key: &'static str, range: Range, default: f64) -> f64 {
        #[cfg(test)]
        self.note(key, Fallback::Numbers(vec![default]));
        self.number(key, range).unwrap_or(default)
    }

    /// An integer with a default.
    pub fn count_or(&mut self, key: &'static str, lower: u32, upper: u32, default: u32) -> u32 {
        #[cfg(test)]
        self.note(key, Fallback::Numbers(vec![f64::from(default)]));
        let count = self.get(key).and_then(|v| v.count(lower, upper));
        count.unwrap_or(default)
    }

    /// A required vector.
    pub fn need_vector<P: Vector>(&mut self, key: &'static str) -> Option<P> {
        self.need(key)?.vector()
    }

    /// A vector with a default.
    pub fn vector_or<P: Vector>(&mut self, key: &'static str, default: P) -> P {
        #[cfg(test)]
        self.note(key, Fallback::Numbers(default.numbers().to_vec()));
        self.get(key).and_then(|v| v.vector()).unwrap_or(default)
    }

    /// A required vector with a direction.
    pub fn need_direction<P: Vector>(&mut self, key: &'static str) -> Option<P> {
        self.need(key)?.direction()
    }

    /// An optional Boolean.
    pub fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.get(key).and_then(|v| v.flag())
    }

    /// A Boolean with a default.
    pub fn flag_or(&mut self, key: &'static str, default: bool) -> bool {
        #[cfg(test)]
        self.note(key, Fallback::Word(default.to_string()));
        self.flag(key).unwrap_or(default)
    }

    /// A choice of several words, with a default.
    pub fn choice_or<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
        default: T,
    ) -> T {
        #[cfg(test)]
        if let Some((word, _)) = words.iter().find(|(_, value)| *value == default) {
            self.note(key, Fallback::Word(format!("\"{word}\"")));
        }
        self.get(key)
            .and_then(|v| v.choice(words))
            .unwrap_or(default)
    }

    /// A required choice of several words.
    pub fn need_choice<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        #[cfg(test)]
        self.note(
            key,
            Fallback::OneOf(words.iter().map(|(word, _)| (*word).to_owned()).collect()),
        );
        self.known.push(key);
        if !self.has(key) {
            let listed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let hint = format!("write `{key} = ` and one of {}", quoted(&listed));
            let message = format!("the key `{key}` is missing");
            self.log
                .absent(self.place.clone(), &self.path_of(key), message, hint);
        }
        self.get(key)?.choice(words)
    }

    /// The items of an array of tables, `[[key]]`; their path contains the name of the item, or its number.
    pub fn items(&mut self, key: &'static str) -> Vec<Table<'a>> {
        let Some(list) = self.get(key) else {
            return Vec::new();
        };
        let values: Vec<_> = match list.value {
            DeValue::Array(array) => array.iter().collect(),
            DeValue::Table(_) => {
                let message = format!("this is a single table, but `{key}` is a list of them");
                let hint = format!("write `[[{}]]`, in double brackets", header(&list.path));
                list.bad(message, hint);
                return list.as_table(list.path.clone()).into_iter().collect();
            }
            _ => {
                let hint = format!("write `[[{}]]` above the keys of each", header(&list.path));
                list.wrong("a list of tables", hint);
                return Vec::new();
            }
        };
        let n_items = values.len();
        let mut items = Vec::new();
        for (i, item) in values.into_iter().enumerate() {
            let item = Value {
                place: item.span(),
                value: item.get_ref(),
                ..list.clone()
            };
            let name = item.value.get("name").and_then(|n| n.get_ref().as_str());
            let path = match name {
                Some(name) => format!("{}[{name}]", list.path),
                None if n_items == 1 => list.path.clone(),
                None => format!("{}[{}]", list.path, i + 1),
            };
            items.extend(item.as_table(path));
        }
        items
    }

    /// Reports unknown keys; `what` is for example "a box".
    pub fn finish(self, what: &str) {
        let known = self.known.clone();
        self.finish_with(what, &known);
    }

    /// Like `finish`, for a kind; `others` has the keys of other kinds, each with the name of its kind.
    pub fn finish_kind(self, what: &str, others: Vec<(&'static str, &'static str)>) {
        let known = self.known.clone();
        self.report_unknown(what, &known, &others);
    }

    /// Reports the keys that are not in `known`.
    pub fn finish_with(self, what: &str, known: &[&str]) {
        self.report_unknown(what, known, &[]);
    }

    fn report_unknown(self, what: &str, known: &[&str], others: &[(&str, &str)]) {
        #[cfg(test)]
        self.log.parts.borrow_mut().push(super::reference::Part {
            dimension: self.log.dimension,
            what: what.to_owned(),
            keys: known.iter().map(|key| (*key).to_owned()).collect(),
            rules: self.rules.clone(),
            parameters: self.parameters,
        });
        let mut unique: Vec<&str> = known.to_vec();
        unique.sort_unstable();
        unique.dedup();
        for key in self.map.keys() {
            let word: &str = key.get_ref();
            if unique.contains(&word) {
                continue;
            }
            // A key that is present already is not suggested.
            let free = unique.iter().copied().filter(|k| !self.has(k));
            let of_other = match self.log.dimension {
                Dimension::Space => sections::instead_in_space(word, &unique),
                Dimension::Plane => None,
            };
            let of_other = of_other.or_else(|| sections::elsewhere(word));
            let owners = others.iter().filter(|(key, _)| *key == word);
            let owners: Vec<&str> = owners.map(|(_, kind)| *kind).collect();
            let hint = match (of_other, nearest(word, free)) {
                (Some(instead), _) => instead.to_owned(),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) if !owners.is_empty() => {
                    format!("it is a key of kind {}", quoted(&owners))
                }
                (None, None) => format!("the keys of {what} are {}", unique.join(", ")),
            };
            let message = format!("`{word}` is not a key of {what}");
            self.log.add(key.span(), &self.path_of(word), message, hint);
        }
    }
}

/// The path without the names of items: `body.shape` for `body[block].shape`.
fn header(path: &str) -> String {
    let parts = path.split('[').enumerate();
    let outside = parts.map(|(i, part)| match part.split_once(']') {
        Some((_, after)) if i > 0 => after,
        _ => part,
    });
    outside.collect()
}
