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
    /// What holds without it, for people; `required` if it must be there.
    pub default: &'static str,
    /// A value to start from: `1.0`.
    pub example: &'static str,
    /// The numbers that it takes.
    pub range: Range,
    /// What it is, without a full stop.
    pub text: &'static str,
}

/// What stands for a key that must be there.
pub const REQUIRED: &str = "required";

impl Parameter {
    /// A number.
    pub const fn number(
        key: &'static str,
        unit: &'static str,
        range: Range,
        example: &'static str,
        text: &'static str,
    ) -> Self {
        Self {
            key,
            unit,
            default: REQUIRED,
            example,
            range,
            text,
        }
    }

    /// Anything else.
    pub const fn new(
        key: &'static str,
        unit: &'static str,
        example: &'static str,
        text: &'static str,
    ) -> Self {
        Self::number(key, unit, Range::ANY, example, text)
    }

    /// The same with a default.
    pub const fn or(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// Must it be there?
    pub fn is_required(&self) -> bool {
        self.default == REQUIRED
    }

    /// How it is written: "write for example `mass = 1.0` (kg)".
    pub fn hint(&self) -> String {
        let what = if self.unit.is_empty() {
            self.text
        } else {
            self.unit
        };
        format!(
            "write for example `{} = {}` ({what})",
            self.key, self.example
        )
    }
}
