//! Syntax errors, explained in terms of scene files.

use super::error::Problem;
use super::suggest::nearest;

/// Maximum number of errors: the line of each is counted from the start of the file.
const MOST_ERRORS: usize = 200;

/// The parser's errors as problems.
pub struct Syntax {
    /// In file order, one per line.
    pub problems: Vec<Problem>,
    /// The tables cannot be trusted: further problems would be consequences.
    pub broken: bool,
    /// Lines with an error.
    lines: Vec<usize>,
}

impl Syntax {
    /// Removes consequential errors: keeps one per line, and none after an unclosed bracket.
    pub fn new(text: &str, errors: &[toml::de::Error]) -> Self {
        let mut all: Vec<(usize, usize, &str)> = errors
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
        all.sort();
        all.truncate(MOST_ERRORS);
        let with_opening = |(start, end, message)| {
            let opened = left_open(text, start, message);
            (start, end, message, opened)
        };
        let found: Vec<_> = all.into_iter().map(with_opening).collect();

        // An open bracket extends over the following lines.
        let unclosed = found
            .iter()
            .any(|(_, _, message, opened)| message.starts_with("unclosed") || opened.is_some());
        let mut this = Self {
            problems: Vec::new(),
            broken: unclosed,
            lines: Vec::new(),
        };
        for (mut start, mut end, message, opened) in found {
            let explained = match opened {
                Some(opened) => explain_open(text, opened, start),
                None => explain(text, start, end, message),
            };
            if let Some(opened) = opened {
                (start, end) = (opened, opened + 1);
            }
            let line = line_of(text, start);
            if this.lines.contains(&line) || unclosed && !this.problems.is_empty() {
                continue;
            }
            this.lines.push(line);
            let head = line_text(text, start).trim_start();
            this.broken |= head.starts_with('[') || message.starts_with("key with no value");
            let (message, hint) = explained;
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

    /// Are there no errors?
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }
}

/// The unclosed bracket or brace that causes an error at the start of a new item.
fn left_open(text: &str, at: usize, message: &str) -> Option<usize> {
    let is_told = message.starts_with("unclosed array") || message.starts_with("unclosed inline");
    if !is_told && !begins_anew(line_text(text, at)) {
        return None;
    }
    let opened = open_at(text, at)?;
    (is_told || line_of(text, opened) < line_of(text, at)).then_some(opened)
}

/// The innermost bracket or brace that is open at `at`.
fn open_at(text: &str, at: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut letters = text.bytes().enumerate().take(at);
    while let Some((i, letter)) = letters.next() {
        match letter {
            b'[' | b'{' => open.push(i),
            b']' | b'}' => {
                open.pop();
            }
            b'#' => {
                letters.find(|(_, letter)| *letter == b'\n');
            }
            // an unclosed string ends with its line
            b'\'' => {
                letters.find(|(_, letter)| matches!(letter, b'\'' | b'\n'));
            }
            b'"' => {
                let mut escaped = false;
                let ends = |(_, letter): &(usize, u8)| {
                    let is_end = matches!(letter, b'"' | b'\n') && !escaped;
                    escaped = *letter == b'\\' && !escaped;
                    is_end
                };
                letters.find(ends);
            }
            _ => {}
        }
    }
    open.pop()
}

/// Does the line set a key or begin a table?
fn begins_anew(line: &str) -> bool {
    let line = line.trim_start();
    let is_word = |key: &str| {
        let key = key.trim_end();
        !key.is_empty()
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    let header = line.trim_start_matches('[');
    let is_header = header.len() < line.len()
        && header.split(']').next().is_some_and(is_word)
        && header.starts_with(|c: char| c.is_ascii_alphabetic());
    is_header || line.split_once('=').is_some_and(|(key, _)| is_word(key))
}

/// Message and hint for a bracket or brace that is not closed before `at`.
fn explain_open(text: &str, opened: usize, at: usize) -> (String, String) {
    let header = line_text(text, opened).trim();
    if let Some(name) = header.strip_prefix("[[") {
        let name = name.trim_end_matches(']');
        let message = format!("the header `{header}` is not closed");
        return (message, format!("write `[[{name}]]`"));
    }
    let is_list = text[opened..].starts_with('[');
    let (what, end) = if is_list {
        ("list", ']')
    } else {
        ("table in braces", '}')
    };
    let line = line_of(text, at);
    let place = if line > line_of(text, opened) && begins_anew(line_text(text, at)) {
        format!(" before line {line} begins something new")
    } else {
        String::new()
    };
    let message = format!("the {what} that opens here is not closed{place}");
    let hint = format!("close it with `{end}`; its parts are separated by commas");
    (message, hint)
}

/// How a message of the parser starts, what it means, and what to do.
const EXPLANATIONS: &[(&str, &str, &str)] = &[
    (
        "unexpected key or value",
        "something follows the value",
        "write one key and value per line; use a decimal point, not a comma: 2.5",
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
        "unclosed table",
        "a header is not closed",
        "write `[settings]` or `[[body]]`",
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
        "this is not an escape sequence",
        "write `\\\\` for a backslash, or the text in single quotes",
    ),
];

/// Message and hint for an error of the parser.
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
            None => "put text in quotes; units and formulas are not supported, write the number"
                .to_owned(),
        };
        return (format!("`{found}` is not a value"), hint);
    }
    if message.starts_with("duplicate key") {
        let header = line_text(text, start).trim_start().starts_with('[');
        let hint = if header {
            format!(
                "each item of a list has its own `[[{found}]]`, in double brackets; a single table may occur only once"
            )
        } else {
            "keep one of the two".to_owned()
        };
        return (format!("`{found}` is given twice"), hint);
    }
    for (starts, sentence, hint) in EXPLANATIONS {
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

/// The line of `at`, counted from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// The text of the line of `at`.
fn line_text(text: &str, at: usize) -> &str {
    text.lines().nth(line_of(text, at) - 1).unwrap_or("")
}

/// The key set in the line of `at`, with the header of its table.
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
