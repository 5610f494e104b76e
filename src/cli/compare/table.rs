//! CSV files with a time column.

use crate::cli::CliError;
use std::fmt;
use std::fs;
use std::path::Path;
use stiction::scene::load::plain;

const HINT: &str =
    "the first line names the columns, one of them \"time\"; `stiction run -o` writes such files";

/// Value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, possibly infinite or NaN.
    Number(f64),
    /// Anything else.
    Word(String),
}

impl Cell {
    /// Parses a field.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        match text.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Word(text.to_owned()),
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(*x),
            Self::Word(_) => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Word(text) => write!(f, "{text}"),
        }
    }
}

/// A column with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name without unit.
    pub name: String,
    /// One value per time.
    pub cells: Vec<Cell>,
}

/// A CSV file with a time column.
#[derive(Debug)]
pub struct Table {
    /// Ascending, s.
    pub times: Vec<f64>,
    /// All columns except time.
    pub columns: Vec<Column>,
}

impl Table {
    /// Reads a file that contains only numbers.
    pub fn read(file: &Path) -> Result<Self, CliError> {
        let table = Self::read_any(file)?;
        for column in &table.columns {
            for (row, cell) in column.cells.iter().enumerate() {
                if let Cell::Word(word) = cell {
                    let place = format!("{}, line {}", file.display(), row + 2);
                    let message = format!(
                        "{place}: {word:?} in the column {:?} is not a number",
                        column.name
                    );
                    return Err(CliError::usage(message, HINT));
                }
            }
        }
        Ok(table)
    }

    /// Reads a file of numbers and text.
    pub fn read_any(file: &Path) -> Result<Self, CliError> {
        let shown = file.display();
        let wrong = |message: String| CliError::usage(format!("{shown}{message}"), HINT);
        let text = fs::read(file).map_err(|error| {
            let hint = "check the path: it is relative to the current folder";
            let why = plain(&error);
            CliError::usage(format!("{shown} cannot be read: {why}"), hint)
        })?;
        let text = String::from_utf8(text).map_err(|_| wrong(" is not a text file".to_owned()))?;
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty());
        let Some((_, header)) = lines.next() else {
            return Err(wrong(" is empty".to_owned()));
        };
        let names: Vec<String> = fields(header)
            .iter()
            .map(|name| without_unit(name))
            .collect();
        let Some(time) = names.iter().position(|name| name == "time") else {
            return Err(wrong(" has no column \"time\"".to_owned()));
        };
        if let Some(twin) = (1..names.len()).find(|i| names[..*i].contains(&names[*i])) {
            return Err(wrong(format!(" has the column {:?} twice", names[twin])));
        }
        let mut times = Vec::new();
        let mut columns: Vec<Column> = names
            .iter()
            .map(|name| Column {
                name: name.clone(),
                cells: Vec::new(),
            })
            .collect();
        for (i, line) in lines {
            let cells = fields(line);
            let line = i + 1;
            if cells.len() != names.len() {
                let (found, expected) = (cells.len(), names.len());
                return Err(wrong(format!(
                    ", line {line}, has {found} fields, but the header has {expected}"
                )));
            }
            let now = cells[time]
                .trim()
                .parse()
                .ok()
                .filter(|t: &f64| t.is_finite());
            let Some(now) = now else {
                return Err(wrong(format!(
                    ", line {line}: the time {:?} is not a number",
                    cells[time]
                )));
            };
            if times.last().is_some_and(|last| *last >= now) {
                return Err(wrong(format!(", line {line}: times must increase")));
            }
            times.push(now);
            for (column, cell) in columns.iter_mut().zip(&cells) {
                column.cells.push(Cell::new(cell));
            }
        }
        if times.is_empty() {
            return Err(wrong(" has no rows".to_owned()));
        }
        columns.remove(time);
        Ok(Self { times, columns })
    }

    /// Times, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Names and values.
    pub fn columns(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        self.columns.iter().map(|column| {
            let numbers = column.cells.iter().filter_map(Cell::number);
            (column.name.as_str(), numbers.collect())
        })
    }

    /// The first time, s.
    pub fn start(&self) -> f64 {
        self.times.first().copied().unwrap_or(0.0)
    }

    /// The last time, s.
    pub fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }
}

fn without_unit(name: &str) -> String {
    let name = name.trim();
    match name.split_once(" [") {
        Some((before, unit)) if unit.ends_with(']') => before.to_owned(),
        _ => name.to_owned(),
    }
}

/// Fields of a line; quoted fields may contain commas, and `""` is an escaped quote.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        let last = fields.len() - 1;
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas() {
        assert_eq!(fields("a,\"b,c\",\"d\"\"e\""), ["a", "b,c", "d\"e"]);
        assert_eq!(without_unit("block.position.x [m]"), "block.position.x");
        assert_eq!(
            without_unit("contact.rod.on.ground[1].gap [m]"),
            "contact.rod.on.ground[1].gap"
        );
        assert_eq!(without_unit("wheel[2]"), "wheel[2]");
    }
}
