//! What a scene can say about one item: a key with its unit, range and default, and a sentence. The reader, its hints and the
//! reference of the scene file come from it.

use super::range::Range;

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// As it is written.
    pub key: &'static str,
    /// Empty where it has none.
    pub unit: &'static str,
    /// What holds without it, for people: a number, a sentence, or `required` if it must be there.
    pub default: &'static str,
    /// A value to start from: `1.0`.
    pub example: &'static str,
    /// What hints say beside the example; its unit, or the sentence, if empty.
    pub note: &'static str,
    /// The numbers that it takes.
    pub range: Range,
    /// What it is, without a full stop.
    pub text: &'static str,
}

impl Parameter {
    /// Must it be there?
    pub fn is_required(&self) -> bool {
        self.default == "required"
    }

    /// How it is written: "write for example `mass = 1.0` (kg)".
    pub fn hint(&self) -> String {
        let Self { key, example, .. } = self;
        if example.is_empty() {
            return String::new();
        }
        let notes = [self.note, self.unit, self.text];
        let note = notes.into_iter().find(|note| !note.is_empty());
        let note = note.unwrap_or_default();
        format!("write for example `{key} = {example}` ({note})")
    }
}

/// Rows of parameters: `key | unit | default | example | note: text;`, for numbers with a range behind the note.
macro_rules! parameters {
    ($($key:literal | $unit:literal | $default:literal | $example:literal | $note:literal $(| $range:ident)? : $text:literal;)*) => {
        &[$($crate::kinds::parameter::Parameter {
            key: $key,
            unit: $unit,
            default: $default,
            example: $example,
            note: $note,
            range: $crate::kinds::parameter::range!($($range)?),
            text: $text,
        }),*]
    };
}

/// A range by its name; any number if there is none.
macro_rules! range {
    () => {
        $crate::kinds::range::Range::ANY
    };
    ($range:ident) => {
        $crate::kinds::range::Range::$range
    };
}

pub(crate) use {parameters, range};
