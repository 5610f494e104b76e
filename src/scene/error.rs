//! Errors in a scene: all problems at once, each with file, line, key, a sentence and a hint.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Byte range in the scene's text.
pub type Place = std::ops::Range<usize>;

/// Maximum number of problems listed.
pub const MOST_PROBLEMS: usize = 100;

/// One error in a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Its location.
    pub place: Place,
    /// The key, as a path: `body.mass`, `joint.anchors`.
    pub key: String,
    /// What is wrong, a sentence without a full stop.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// All errors of a scene, in file order.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// File name as given.
    pub file: String,
    /// With line and column, counted from 1; zero if unknown.
    pub problems: Vec<(usize, usize, Problem)>,
}

impl SceneError {
    /// Sorts the problems by location and adds line and column in `text`. Beyond [`MOST_PROBLEMS`] they are only counted.
    pub fn new(file: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| (a.place.start, &a.key).cmp(&(b.place.start, &b.key)));
        limit(&mut problems);
        let located = problems.into_iter().map(|problem| {
            let before = before(text, problem.place.start);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            (line, column, problem)
        });
        Self {
            file: file.to_owned(),
            problems: located.collect(),
        }
    }

    /// For a scene whose text is not available.
    pub fn without_lines(file: &str, mut problems: Vec<Problem>) -> Self {
        limit(&mut problems);
        Self {
            file: file.to_owned(),
            problems: problems.into_iter().map(|p| (0, 0, p)).collect(),
        }
    }

    /// An error about a file as a whole.
    pub fn of_file(file: &str, message: &str) -> Self {
        let problem = Problem {
            place: 0..0,
            key: "file".to_owned(),
            message: message.to_owned(),
            hint: String::new(),
        };
        Self::without_lines(file, vec![problem])
    }

    /// Each problem with its location, and its hint on a separate line.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        self.problems.iter().map(|(line, column, problem)| {
            let hint = match problem.hint.as_str() {
                "" => String::new(),
                hint => format!("\n  hint: {hint}"),
            };
            let Problem { key, message, .. } = problem;
            let place = match line {
                0 => String::new(),
                _ => format!("{line}:{column}:"),
            };
            format!("{}:{place} {key}: {message}{hint}", self.file)
        })
    }
}

/// Truncates a long list.
fn limit(problems: &mut Vec<Problem>) {
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    problems.truncate(MOST_PROBLEMS);
    if let Some(last) = problems.last().filter(|_| more > 0) {
        problems.push(Problem {
            place: last.place.clone(),
            key: "file".to_owned(),
            message: format!("{more} more problems are not listed"),
            hint: "fix the first ones and try again".to_owned(),
        });
    }
}

/// The text up to `at`, rounded down to a character boundary.
fn before(text: &str, at: usize) -> &str {
    let mut end = at.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<String> = self.messages().collect();
        f.write_str(&messages.join("\n"))
    }
}

impl std::error::Error for SceneError {}
