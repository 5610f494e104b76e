//! Values over time: a number, or a table with `kind`.

use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::Signal;
use crate::scene::value::Value;

#[derive(Clone, Copy)]
enum Kind {
    Harmonic,
    Input,
    Table,
}

const KINDS: &[(&str, Kind)] = &[
    ("harmonic", Kind::Harmonic),
    ("input", Kind::Input),
    ("table", Kind::Table),
];

/// Reads a number or a table with `kind`.
pub fn read(value: &Value<'_>) -> Option<Signal> {
    if !value.is_table() {
        return value.number(Range::ANY).map(Signal::Constant);
    }
    let mut t = value.as_table(value.path.clone())?;
    let Some(kind) = t.need_choice("kind", KINDS) else {
        let known = [
            "amplitude",
            "frequency",
            "kind",
            "offset",
            "omega",
            "phase",
            "start",
            "times",
            "values",
        ];
        t.finish_with("a signal", &known);
        return None;
    };
    match kind {
        Kind::Harmonic => {
            let signal = harmonic(&mut t);
            t.finish("a harmonic signal");
            signal
        }
        Kind::Input => {
            let start = t.number_or("start", Range::ANY, 0.0);
            t.finish("an input signal");
            Some(Signal::Input { start })
        }
        Kind::Table => {
            let signal = table(&mut t);
            t.finish("a table signal");
            signal
        }
    }
}

/// One signal, or one per axis.
pub fn read_all(value: &Value<'_>, n: usize) -> Option<Vec<Signal>> {
    if n == 1 {
        return Some(vec![read(value)?]);
    }
    let expected = match n {
        2 => "one number or signal for each axis",
        _ => "one number or signal for each of three axes",
    };
    let list = value.list(expected)?;
    if list.len() != n {
        value.bad(
            format!("expected {expected}, found a list of {}", list.len()),
            value.log.example(value.key),
        );
        return None;
    }
    let signals: Vec<Option<Signal>> = list.iter().map(read).collect();
    signals.into_iter().collect()
}

/// Is the signal zero at all times?
pub fn is_zero(signal: &Signal) -> bool {
    match signal {
        Signal::Constant(x) => *x == 0.0,
        Signal::Harmonic {
            amplitude, offset, ..
        } => *amplitude == 0.0 && *offset == 0.0,
        Signal::Input { .. } => false,
        Signal::Table { values, .. } => values.iter().all(|x| *x == 0.0),
    }
}

fn harmonic(t: &mut Table<'_>) -> Option<Signal> {
    let amplitude = t.need_number("amplitude", Range::ANY);
    let phase = t.number_or("phase", Range::ANY, 0.0);
    let offset = t.number_or("offset", Range::ANY, 0.0);
    let omega = match (t.get("omega"), t.get("frequency")) {
        (Some(omega), None) => omega.number(Range::ANY),
        (None, Some(frequency)) => frequency
            .number(Range::ANY)
            .map(|f| std::f64::consts::TAU * f),
        (Some(_), Some(frequency)) => {
            frequency.bad(
                "`omega` and `frequency` are alternatives",
                "keep one of the two: omega = 2 pi frequency",
            );
            None
        }
        (None, None) => {
            let hint = "write `omega = ` (rad/s) or `frequency = ` (Hz)";
            t.log.absent(
                t.place.clone(),
                &t.path_of("omega"),
                "the signal has no frequency",
                hint,
            );
            None
        }
    };
    Some(Signal::Harmonic {
        amplitude: amplitude?,
        omega: omega?,
        phase,
        offset,
    })
}

fn table(t: &mut Table<'_>) -> Option<Signal> {
    let times = t.need("times");
    let values = t.need("values");
    let (times, values) = (times?, values?);
    let (rows, ys) = (
        times.list("a list of times")?,
        values.list("a list of values")?,
    );
    let xs: Vec<Option<f64>> = rows.iter().map(|v| v.number(Range::ANY)).collect();
    let ys: Vec<Option<f64>> = ys.iter().map(|v| v.number(Range::ANY)).collect();
    if xs.len() != ys.len() {
        let message = format!("there are {} times and {} values", xs.len(), ys.len());
        values.bad(message, "give one value for each time");
    } else if xs.is_empty() {
        times.bad("the table has no rows", times.log.example("times"));
    }
    let xs: Vec<f64> = xs.into_iter().collect::<Option<_>>()?;
    let ys: Vec<f64> = ys.into_iter().collect::<Option<_>>()?;
    for i in 1..xs.len() {
        if xs[i] < xs[i - 1] {
            let message = format!("the times decrease from {} to {}", xs[i - 1], xs[i]);
            rows[i].bad(
                message,
                "sort the rows by time; two equal times make a jump",
            );
        } else if i > 1 && xs[i] == xs[i - 2] {
            let message = format!("three rows have the time {}", xs[i]);
            rows[i].bad(
                message,
                "a jump needs two: the value before and the value after",
            );
        }
    }
    Some(Signal::Table {
        times: xs,
        values: ys,
    })
}
