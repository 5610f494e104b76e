//! Text that is not TOML, told in the words of someone who writes scenes.

use super::error::Problem;
use super::suggest::nearest;

/// Later ones are left out: their lines are counted from the start of the file, each.
const MOST_ERRORS: usize = 200;

/// The parser's errors as problems.
pub struct Syntax {
    /// In file order, one per line.
    pub problems: Vec<Problem>,
    /// The tables cannot be trusted: what is read from them would be consequences.
    pub broken: bool,
    /// Lines that have an error.
    lines: Vec<usize>,
}

impl Syntax {
    /// Sorts out consequences: one error per line, and none between a bracket and the end it lacks.
    pub fn new(text: &str, errors: &[toml::de::Error]) -> Self {
        let mut found: Vec<(usize, usize, &str)> = errors
            .iter()
            .map(|e| {
                let span = e.span().unwrap_or(0..0);
                (
                    span.start.min(text.len()),
                    span.end.min(text.len()),
                    e.message(),
                )
            })
            .collect();
        found.sort();
        found.truncate(MOST_ERRORS);

        // An open bracket swallows the lines after it.
        let unclosed = found.iter().any(|(_, _, m)| m.starts_with("unclosed"));
        let mut this = Self {
            problems: Vec::new(),
            broken: unclosed,
            lines: Vec::new(),
        };
        for (start, end, message) in found {
            let line = line_of(text, start);
            if this.lines.contains(&line) || unclosed && !this.problems.is_empty() {
                continue;
            }
            this.lines.push(line);
            let head = line_text(text, start).trim_start();
            this.broken |= head.starts_with('[') || message.starts_with("key with no value");
            let (message, hint) = explain(text, start, end, message);
            this.problems.push(Problem {
                place: start..end,
                key: key_of(text, start),
                message,
                hint,
            });
        }
        this
    }

    /// Is there an error on the line of `at`?
    pub fn covers(&self, text: &str, at: usize) -> bool {
        self.lines.contains(&line_of(text, at))
    }

    /// Is there none at all?
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A sentence and a hint for the parser's message.
fn explain(text: &str, start: usize, end: usize, message: &str) -> (String, String) {
    let found = text.get(start..end).unwrap_or("").trim();
    let pair = |m: &str, h: &str| (m.to_owned(), h.to_owned());
    if message.starts_with("string values must be quoted")
        || message.starts_with("invalid boolean")
        || message.starts_with("invalid literal string")
            && found.is_empty()
            && after_equals(text, start)
    {
        if found.is_empty() {
            return pair(
                "there is no value after `=`",
                "write a number, a text in quotes, true, false or a list",
            );
        }
        let hint = match nearest(found, ["true", "false", "inf", "nan"]) {
            Some(word) => format!("did you mean `{word}`?"),
            None => {
                "put a text in quotes; units and formulas are not read, write the number".to_owned()
            }
        };
        return (format!("`{found}` is not a value"), hint);
    }
    if message.starts_with("duplicate key") {
        let header = line_text(text, start).trim_start().starts_with('[');
        let hint = if header {
            format!(
                "each item of a list has its own `[[{found}]]`, in double brackets; a single table stands once"
            )
        } else {
            "keep one of the two".to_owned()
        };
        return (format!("`{found}` is given twice"), hint);
    }
    let hints: &[(&str, &str, &str)] = &[
        (
            "unexpected key or value",
            "something follows the value",
            "write one key and value on a line; a number has a point, not a comma: 2.5",
        ),
        (
            "unexpected leading zero",
            "a number may not start with a zero",
            "write 5, not 05",
        ),
        (
            "invalid mantissa",
            "a number needs digits before the point",
            "write 0.5, not .5",
        ),
        (
            "invalid fraction",
            "a number needs digits after the point",
            "write 5.0, not 5.",
        ),
        (
            "invalid float",
            "this is not a number",
            "a number has one point and one exponent: 1.5e-3",
        ),
        (
            "`_` may only",
            "`_` may only stand between digits",
            "write 1_000 or 1000",
        ),
        (
            "key with no value",
            "this line has no `=`",
            "write `key = value`",
        ),
        (
            "unclosed array",
            "a list is not closed",
            "close every `[` with `]`, with commas between the values",
        ),
        (
            "unclosed table",
            "a header is not closed",
            "write `[settings]` or `[[body]]`",
        ),
        (
            "unclosed inline table",
            "a table in braces is not closed",
            "close every `{` with `}`",
        ),
        (
            "missing comma",
            "a comma or a closing bracket is missing",
            "write `[x, y]`",
        ),
        (
            "invalid basic string",
            "a text is not closed",
            "end it with `\"` on the same line",
        ),
        (
            "invalid literal string",
            "a text is not closed",
            "end it with `'` on the same line",
        ),
        (
            "missing escaped value",
            "this is no escape sequence",
            "write `\\\\` for a backslash, or the text in single quotes",
        ),
    ];
    for (starts, sentence, hint) in hints {
        if message.starts_with(starts) {
            return pair(sentence, hint);
        }
    }
    pair(
        message,
        "scene files are written in TOML: `key = value`, `[table]`, `[[item of a list]]`",
    )
}

/// Does `=` come directly before `at`?
fn after_equals(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|t| t.trim_end().ends_with('='))
}

/// The line that `at` is in, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// The text of the line that `at` is in.
fn line_text(text: &str, at: usize) -> &str {
    text.lines().nth(line_of(text, at) - 1).unwrap_or("")
}

/// The key that the line of `at` sets, below the header it stands under.
fn key_of(text: &str, at: usize) -> String {
    let line = line_of(text, at);
    let header = text
        .lines()
        .take(line)
        .filter(|l| l.trim_start().starts_with('['))
        .last()
        .map(|l| {
            l.split('#')
                .next()
                .unwrap_or("")
                .trim_matches(|c: char| "[] \t".contains(c))
        })
        .unwrap_or("");
    let own = line_text(text, at);
    let key = match own.split_once('=') {
        Some((key, _)) if !own.trim_start().starts_with('[') => key.trim(),
        _ => "",
    };
    match (header, key) {
        ("", "") => "syntax".to_owned(),
        ("", key) => key.to_owned(),
        (header, "") => header.to_owned(),
        (header, key) => format!("{header}.{key}"),
    }
}
