//! `stiction compare`: which variable of two trajectories differs first, when, and by how much.

mod table;

pub use table::Table;
use table::{Cell, Column};

use super::CliError;
use super::args::{Allowed, CompareOptions};
use super::format::{count, short};
use super::output::Output;
use serde_json::json;

/// First difference of a variable between two files.
#[derive(Debug, PartialEq)]
struct Difference {
    name: String,
    /// s.
    time: f64,
    /// The value in each file.
    values: [String; 2],
    /// Absolute difference; infinite for text.
    by: f64,
    /// Allowed difference.
    allowed: f64,
}

/// Compares two files and prints the verdict.
pub fn compare(options: &CompareOptions) -> Result<(), CliError> {
    let [first, second] = [&options.first, &options.second].map(|file| Table::read_any(file));
    let (first, second) = (first?, second?);
    let names = [&options.first, &options.second].map(|file| file.display().to_string());
    let common = overlap(&first, &second)?;
    let mut found: Vec<Difference> = Vec::new();
    for column in &first.columns {
        if let Some(other) = second.columns.iter().find(|c| c.name == column.name) {
            found.extend(first_difference(
                (&first.times, column),
                (&second.times, other),
                common,
                options.tolerance,
            ));
        }
    }
    found.sort_by(|a, b| a.time.total_cmp(&b.time));
    let only = |a: &Table, b: &Table| -> Vec<String> {
        let known = |name: &String| b.columns.iter().any(|c| c.name == *name);
        let names = a.columns.iter().map(|c| c.name.clone());
        names.filter(|name| !known(name)).collect()
    };
    let missing = [only(&first, &second), only(&second, &first)];
    let n_compared = first.columns.len() - missing[0].len();
    if n_compared == 0 {
        let message = format!("{} and {} have no variable in common", names[0], names[1]);
        return Err(CliError::usage(message, "compare files of the same model"));
    }
    let is_shorter = first.end() != second.end();
    let differs = !found.is_empty() || missing.iter().any(|m| !m.is_empty()) || is_shorter;
    let mut out = Output::stdout();
    out.write(&if options.json {
        let list = |d: &Difference| json!({ "variable": d.name, "time": d.time, "values": d.values, "difference": d.by, "allowed": d.allowed });
        let value = json!({
            "same": !differs,
            "compared": n_compared,
            "differences": found.iter().map(list).collect::<Vec<_>>(),
            "only_in_first": missing[0],
            "only_in_second": missing[1],
            "ends": [first.end(), second.end()],
        });
        format!("{value:#}\n")
    } else {
        page(&names, &found, &missing, [first.end(), second.end()], n_compared)
    })?;
    out.finish()?;
    if differs {
        Err(CliError::Differs)
    } else {
        Ok(())
    }
}

fn page(
    names: &[String; 2],
    found: &[Difference],
    missing: &[Vec<String>; 2],
    ends: [f64; 2],
    n_compared: usize,
) -> String {
    let mut text = String::new();
    let n = count(n_compared as u64, "variable");
    match found.first() {
        None if missing.iter().all(Vec::is_empty) && n_compared > 0 => {
            text.push_str(&format!("{n} compared: all agree\n"));
        }
        None => text.push_str(&format!(
            "{n} compared: all agree, but the files do not have the same variables\n"
        )),
        Some(d) => {
            text.push_str(&format!(
                "{} differs first, at t = {} s: {} in {}, {} in {}\n",
                d.name,
                short(d.time),
                d.values[0],
                names[0],
                d.values[1],
                names[1]
            ));
            if d.by.is_finite() {
                let (by, allowed) = (short(d.by), short(d.allowed));
                text.push_str(&format!(
                    "the difference is {by}, the allowed difference {allowed}\n"
                ));
            }
            let more = found.len() - 1;
            if more > 0 {
                text.push_str(&format!("{} of {n} differ; the others:\n", found.len()));
                for d in found.iter().skip(1).take(10) {
                    text.push_str(&format!("  {} from t = {} s\n", d.name, short(d.time)));
                }
                if more > 10 {
                    text.push_str(&format!("  and {} more\n", more - 10));
                }
            }
        }
    }
    for (missing, name) in missing.iter().zip(names) {
        if !missing.is_empty() {
            let shown: Vec<&str> = missing.iter().take(5).map(String::as_str).collect();
            let more = if missing.len() > 5 { ", .." } else { "" };
            text.push_str(&format!("only {name} has {}{more}\n", shown.join(", ")));
        }
    }
    if ends[0] != ends[1] {
        text.push_str(&format!(
            "{} ends at {} s, {} at {} s\n",
            names[0],
            short(ends[0]),
            names[1],
            short(ends[1])
        ));
    }
    text
}

/// The time interval common to both files.
fn overlap(first: &Table, second: &Table) -> Result<[f64; 2], CliError> {
    let start = f64::max(first.start(), second.start());
    let end = f64::min(first.end(), second.end());
    if start <= end {
        return Ok([start, end]);
    }
    Err(CliError::usage(
        "the two files have no time in common",
        "compare runs over the same time interval",
    ))
}

/// First difference of two columns. Numbers are interpolated linearly between rows of the second one; text is compared only at its rows.
fn first_difference(
    (times, column): (&[f64], &Column),
    (other_times, other): (&[f64], &Column),
    [start, end]: [f64; 2],
    allowed: Allowed,
) -> Option<Difference> {
    let numbers = column.cells.iter().filter_map(Cell::number);
    let largest = numbers
        .filter(|x| x.is_finite())
        .fold(0.0, |m, x| f64::max(m, x.abs()));
    let limit = allowed.absolute + allowed.relative * largest;
    let within = |t: &f64| (start..=end).contains(t);
    for (row, time) in times.iter().enumerate().filter(|(_, t)| within(t)) {
        let next = other_times.partition_point(|t| t < time);
        let cell = &column.cells[row];
        let is_row = other_times.get(next) == Some(time);
        let differs = |value: String, by: f64| Difference {
            name: column.name.clone(),
            time: *time,
            values: [cell.to_string(), value],
            by,
            allowed: limit,
        };
        if is_row {
            match (cell.number(), other.cells[next].number()) {
                (Some(a), Some(b))
                    if a == b || (a - b).abs() <= limit || a.is_nan() && b.is_nan() => {}
                (Some(a), Some(b)) => return Some(differs(b.to_string(), (a - b).abs())),
                (None, None) if *cell == other.cells[next] => {}
                _ => return Some(differs(other.cells[next].to_string(), f64::INFINITY)),
            }
        } else if let (Some(a), [Some(b0), Some(b1)]) = (
            cell.number(),
            [next - 1, next].map(|i| other.cells.get(i).and_then(Cell::number)),
        ) {
            let part = (time - other_times[next - 1]) / (other_times[next] - other_times[next - 1]);
            let b = b0 + part * (b1 - b0);
            // no interpolation to or from infinity
            if b.is_finite() && a.is_finite() && (a - b).abs() > limit {
                return Some(differs(b.to_string(), (a - b).abs()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Column {
        Column {
            name: "x".to_owned(),
            cells: values.iter().map(|v| Cell::new(v)).collect(),
        }
    }

    const EXACT: Allowed = Allowed {
        absolute: 0.0,
        relative: 0.0,
    };

    #[test]
    fn the_first_difference_has_time_and_size() {
        let times = [0.0, 1.0, 2.0];
        let (a, b) = (column(&["0", "1", "5"]), column(&["0", "1.5", "9"]));
        let found = first_difference((&times, &a), (&times, &b), [0.0, 2.0], EXACT).unwrap();
        assert_eq!((found.time, found.by), (1.0, 0.5));
        let wide = Allowed {
            absolute: 0.0,
            relative: 0.1,
        };
        let found = first_difference((&times, &a), (&times, &b), [0.0, 2.0], wide).unwrap();
        assert_eq!((found.time, found.by, found.allowed), (2.0, 4.0, 0.5));
    }

    #[test]
    fn other_times_are_met_on_straight_lines_and_words_by_row() {
        let (a, b) = (column(&["0", "0.5", "1"]), column(&["0", "1"]));
        let same = first_difference((&[0.0, 0.5, 1.0], &a), (&[0.0, 1.0], &b), [0.0, 1.0], EXACT);
        assert_eq!(same, None);
        let (a, b) = (column(&["open", "stick"]), column(&["open", "slip"]));
        let times = [0.0, 1.0];
        let found = first_difference((&times, &a), (&times, &b), [0.0, 1.0], EXACT).unwrap();
        assert_eq!(found.values, ["stick", "slip"]);
        // infinite gaps agree
        let a = column(&["inf", "NaN"]);
        assert_eq!(
            first_difference((&times, &a), (&times, &a), [0.0, 1.0], EXACT),
            None
        );
    }
}
