//! A value of the file, with conversions to the expected type.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::DeValue;

use super::error::Place;
use super::range::Range;
use super::read::{Log, Table};
use super::spec::space::Triple;
use super::spec::{Name, Pair};
use super::suggest::nearest;
use crate::kinds::parameter::Parameter;

/// One value of the file.
#[derive(Clone)]
pub struct Value<'a> {
    /// Log for problems.
    pub log: &'a Log,
    /// `body[block].mass`.
    pub path: String,
    /// `mass`.
    pub key: &'static str,
    /// Its description, if its table is of a kind.
    pub parameter: Option<&'static Parameter>,
    /// Location.
    pub place: Place,
    /// The parsed value.
    pub value: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    /// Example for hints.
    pub fn example(&self) -> String {
        match self.parameter {
            Some(parameter) => parameter.hint(),
            None => self.log.example(self.key),
        }
    }

    /// Unit of its key.
    fn unit(&self) -> &'static str {
        match self.parameter {
            Some(parameter) => parameter.unit,
            None => self.log.unit(self.key),
        }
    }

    /// Reports a problem with this value.
    pub fn bad<'m>(&self, message: impl Into<Cow<'m, str>>, hint: impl Into<Cow<'m, str>>) {
        self.report(message.into(), hint.into());
    }

    fn report(&self, message: Cow<str>, hint: Cow<str>) {
        self.log.add(self.place.clone(), &self.path, message, hint);
    }

    /// Reports a value of the wrong type.
    pub fn wrong<'m>(&self, expected: &str, hint: impl Into<Cow<'m, str>>) {
        self.report_type(expected, hint.into());
    }

    fn report_type(&self, expected: &str, hint: Cow<str>) {
        let message = format!("expected {expected}, found {}", describe(self.value));
        self.report(message.into(), hint);
    }

    /// A number in a range.
    pub fn number(&self, range: Range) -> Option<f64> {
        let Some(mut x) = as_number(self.value) else {
            let hint = match self.value {
                DeValue::String(s) if s.trim().parse::<f64>().is_ok() => {
                    "remove the quotes".to_owned()
                }
                _ => self.example(),
            };
            self.wrong("a number", hint);
            return None;
        };
        if let Some(set) = self.log.driven_at(&self.place, range, self.unit()) {
            x = set;
        }
        if range.contains(x) {
            return Some(x);
        }
        let message = match x {
            _ if x.is_nan() => "the value is not a number (nan)".to_owned(),
            _ if x.is_infinite() => "the value is infinite or too large".to_owned(),
            // written out, a number like 1e308 would fill the screen
            _ if x != 0.0 && !(1e-9..1e15).contains(&x.abs()) => {
                format!("{} must be {}, but is {x:e}", self.key, range.words)
            }
            _ => format!("{} must be {}, but is {x}", self.key, range.words),
        };
        self.bad(message, self.example());
        None
    }

    /// An integer in a range.
    pub fn count(&self, lower: u32, upper: u32) -> Option<u32> {
        let DeValue::Integer(n) = self.value else {
            self.wrong("a whole number", self.example());
            return None;
        };
        let count = u32::from_str_radix(n.as_str(), n.radix()).ok();
        let count = count.filter(|n| (lower..=upper).contains(n));
        if count.is_none() {
            let message = format!("{} must be from {lower} to {upper}, but is {n}", self.key);
            self.bad(message, self.example());
        }
        count
    }

    /// A Boolean.
    pub fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.wrong("true or false", "write true or false, without quotes");
        }
        flag
    }

    /// A string that is not empty.
    pub fn text(&self) -> Option<&'a str> {
        let Some(text) = self.value.as_str() else {
            let hint = match self.value {
                DeValue::Integer(_) | DeValue::Float(_) => "put the text in quotes".to_owned(),
                _ => self.example(),
            };
            self.wrong("a text", hint);
            return None;
        };
        if text.trim().is_empty() {
            self.bad("the text is empty", self.example());
            return None;
        }
        Some(text)
    }

    /// One of several words.
    pub fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let listed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let near = match nearest(text, listed.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"? "),
                None => String::new(),
            };
            let message = format!("there is no {} \"{}\"", self.key, shortened(text));
            self.bad(message, format!("{near}possible are {}", quoted(&listed)));
        }
        found.map(|(_, value)| *value)
    }

    /// The elements of a list.
    pub fn list(&self, expected: &str) -> Option<Vec<Value<'a>>> {
        let DeValue::Array(array) = self.value else {
            self.wrong(expected, self.example());
            return None;
        };
        let element = |item: &'a Spanned<DeValue<'a>>| Value {
            place: item.span(),
            value: item.get_ref(),
            ..self.clone()
        };
        Some(array.iter().map(element).collect())
    }

    /// A list of exactly two elements.
    pub fn two(&self, expected: &str) -> Option<[Value<'a>; 2]> {
        self.several(expected)
    }

    /// A list of exactly `N` elements.
    pub fn several<const N: usize>(&self, expected: &str) -> Option<[Value<'a>; N]> {
        let list = self.list(expected)?;
        let n = list.len();
        let several = <[Value<'a>; N]>::try_from(list).ok();
        if several.is_none() {
            self.bad(
                format!("expected {expected}, found a list of {n}"),
                self.example(),
            );
        }
        several
    }

    /// A vector of finite numbers.
    pub fn vector<P: Vector>(&self) -> Option<P> {
        P::read(self)
    }

    /// Two points.
    pub fn two_vectors<P: Vector>(&self) -> Option<[P; 2]> {
        let [a, b] = self.two("two points")?;
        let (a, b) = (a.vector(), b.vector());
        Some([a?, b?])
    }

    /// A vector that has a direction.
    pub fn direction<P: Vector>(&self) -> Option<P> {
        let vector: P = self.vector()?;
        self.directed(vector.numbers()).then_some(vector)
    }

    /// Finite numbers.
    fn numbers<const N: usize>(&self, expected: &str) -> Option<[f64; N]> {
        let values = self.several::<N>(expected)?;
        let numbers = values.map(|value| value.number(Range::ANY));
        let mut found = [0.0; N];
        for (x, number) in found.iter_mut().zip(numbers) {
            *x = number?;
        }
        Some(found)
    }

    /// Has a vector a direction?
    fn directed(&self, vector: &[f64]) -> bool {
        // If its square underflows or overflows, the vector cannot be normalized.
        let square: f64 = vector.iter().map(|x| x * x).sum();
        if !square.is_normal() {
            let message = if square < 1.0 {
                "the vector has no length, so it gives no direction"
            } else {
                "the vector is too long to give a direction"
            };
            self.bad(message, self.example());
        }
        square.is_normal()
    }

    /// The text as a reference, with its location.
    pub fn name(&self) -> Option<Name> {
        let text = self.text()?.to_owned();
        Some(Name {
            text,
            place: self.place.clone(),
        })
    }

    /// Is this a table?
    pub fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Is this a list?
    pub fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// The value as a table.
    pub fn as_table(&self, path: String) -> Option<Table<'a>> {
        let DeValue::Table(map) = self.value else {
            let hint = match self.key {
                "settings" | "time_stepping" | "contact_default" | "ground" | "fmu" => {
                    format!("write the header `[{}]`, in single brackets", self.key)
                }
                _ => "write each item with its keys below a header in double brackets".to_owned(),
            };
            self.wrong("a table", hint);
            return None;
        };
        Some(Table::new(self.log, path, self.place.clone(), map))
    }
}

/// A point or direction in the plane or in space.
pub trait Vector: Copy + PartialEq + 'static {
    /// Zero vector.
    const ZERO: Self;
    /// Unit vector along the first axis.
    const FIRST: Self;
    /// Notation: `[x, y]`.
    const WRITTEN: &'static str;

    /// Reads a vector.
    fn read(value: &Value<'_>) -> Option<Self>;

    /// Reads a vector without reporting problems.
    fn parse(value: &DeValue<'_>) -> Option<Self>;

    /// Its components.
    fn numbers(&self) -> &[f64];
}

impl Vector for Pair {
    const ZERO: Self = [0.0; 2];
    const FIRST: Self = [1.0, 0.0];
    const WRITTEN: &'static str = "[x, y]";

    fn read(value: &Value<'_>) -> Option<Self> {
        value.numbers("two numbers")
    }

    fn parse(value: &DeValue<'_>) -> Option<Self> {
        parse(value)
    }

    fn numbers(&self) -> &[f64] {
        self
    }
}

impl Vector for Triple {
    const ZERO: Self = [0.0; 3];
    const FIRST: Self = [1.0, 0.0, 0.0];
    const WRITTEN: &'static str = "[x, y, z]";

    fn read(value: &Value<'_>) -> Option<Self> {
        value.numbers("three numbers")
    }

    fn parse(value: &DeValue<'_>) -> Option<Self> {
        parse(value)
    }

    fn numbers(&self) -> &[f64] {
        self
    }
}

fn parse<const N: usize>(value: &DeValue<'_>) -> Option<[f64; N]> {
    let numbers = value.as_array()?.iter().map(|x| as_number(x.get_ref()));
    let numbers: Option<Vec<f64>> = numbers.collect();
    numbers?.try_into().ok()
}

/// Text in the notation of a scene: `[0, 1]`.
pub fn written<P: Vector>(vector: &P) -> String {
    let numbers: Vec<String> = vector.numbers().iter().map(f64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

/// The number that a value of the file is; integers count as numbers.
pub fn as_number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(x) => x.as_str().parse().ok(),
        DeValue::Integer(n) if n.radix() == 10 => n.as_str().parse().ok(),
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix())
            .ok()
            .map(|n| n as f64),
        _ => None,
    }
}

/// Description of a value of the wrong type.
pub fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => format!("the text \"{}\"", shortened(s)),
        DeValue::Integer(n) => format!("the number {}", shortened(n.as_str())),
        DeValue::Float(x) => format!("the number {}", shortened(x.as_str())),
        DeValue::Boolean(b) => format!("{b}"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(a) => format!("a list of {}", a.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The text, truncated to a reasonable length.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    let line: String = text.chars().take(LONGEST).collect();
    let dots = if text.chars().count() > LONGEST {
        "…"
    } else {
        ""
    };
    format!("{}{dots}", line.escape_debug())
}

/// `"a", "b", "c"`.
pub fn quoted(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
    quoted.join(", ")
}

/// `a, b or c`.
pub fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
