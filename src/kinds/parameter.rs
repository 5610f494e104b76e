//! Description of a key of a scene: unit, range, default and a sentence. The reader, its hints and the
//! reference of the scene file are derived from it.

use super::range::Range;

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// Default as text: a number, a sentence, or `required`.
    pub default: &'static str,
    /// Example value: `1.0`.
    pub example: &'static str,
    /// Note in hints next to the example; by default the unit or the sentence.
    pub note: &'static str,
    /// Range of its values.
    pub range: Range,
    /// Description, without a full stop.
    pub text: &'static str,
}

impl Parameter {
    /// Is it required?
    pub fn is_required(&self) -> bool {
        self.default == "required"
    }

    /// Example: "write for example `mass = 1.0` (kg)".
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

/// Rows of parameters: `key | unit | default | example | note: text;`, for numbers with a range after the note.
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

/// A range by name; any number by default.
macro_rules! range {
    () => {
        $crate::kinds::range::Range::ANY
    };
    ($range:ident) => {
        $crate::kinds::range::Range::$range
    };
}

pub(crate) use {parameters, range};
