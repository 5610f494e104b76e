//! Output of events as a table and as CSV.

use std::fmt::Write as _;

use super::CliError;
use super::csv::quoted;
use super::format::{padded, short};
use super::output::Output;
use stiction::integrate::{Event, EventKind, Report};
use stiction::model::Model;

/// Collects events from the report during a run.
pub struct EventLog {
    shown: Vec<Event>,
    most_shown: usize,
    n_seen: u64,
    csv: Option<Output>,
}

impl EventLog {
    /// Keeps up to `most_shown` events for the table and writes all of them to `csv`.
    pub fn start(most_shown: usize, mut csv: Option<Output>) -> Result<Self, CliError> {
        if let Some(out) = &mut csv {
            out.write("time,kind,contact,normal_impulse,tangential_impulse\n")?;
        }
        Ok(Self {
            shown: Vec::new(),
            most_shown,
            n_seen: 0,
            csv,
        })
    }

    /// Moves the events out of the report.
    pub fn take(&mut self, model: &Model, events: &[Event]) -> Result<(), CliError> {
        self.n_seen += events.len() as u64;
        let room = self.most_shown - self.shown.len();
        self.shown.extend(events.iter().take(room));
        let Some(out) = &mut self.csv else {
            return Ok(());
        };
        for event in events {
            let [normal, tangential] = event.impulse;
            out.write(&format!(
                "{:?},{},{},{normal:?},{tangential:?}\n",
                event.time,
                event.kind.name(),
                quoted(model.event_name(event.contact))
            ))?;
        }
        Ok(())
    }

    /// Flushes all rows.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.csv.as_mut().map_or(Ok(()), Output::finish)
    }

    /// The table; empty if it was not requested.
    pub fn table(&self, model: &Model, report: &Report) -> String {
        let mut text = String::new();
        if self.most_shown == 0 {
            return text;
        }
        if self.shown.is_empty() {
            text.push_str(match model.time_stepping {
                Some(_) if total(report) > 0 => {
                    "With time stepping, impacts are counted but not listed.\n"
                }
                Some(_) | None => "No events.\n",
            });
            return text;
        }
        let names = self
            .shown
            .iter()
            .map(|event| model.event_name(event.contact).chars().count());
        let width = names.max().unwrap_or(0).max("contact".len());
        let mut line = |time: &str, kind: &str, contact: &str, normal: &str, tangential: &str| {
            // writing to a string cannot fail
            let _ = writeln!(
                text,
                "{time:>14}  {kind:10}  {}  {normal:>13}  {tangential:>13}",
                padded(contact, width)
            );
        };
        line("time", "event", "contact", "normal", "tangential");
        line("s", "", "", "N s", "N s");
        for event in &self.shown {
            let [normal, tangential] = match event.kind.has_impulse() {
                true => event.impulse.map(short),
                false => ["-".to_owned(), "-".to_owned()],
            };
            let contact = model.event_name(event.contact);
            line(
                &format!("{:.9}", event.time),
                event.kind.name(),
                contact,
                &normal,
                &tangential,
            );
        }
        let more = total(report).saturating_sub(self.shown.len() as u64);
        if more > 0 {
            let _ = writeln!(text, "... {more} more (--events all shows them)");
        }
        text
    }
}

/// Number of events of all kinds.
pub fn total(report: &Report) -> u64 {
    kinds(report).iter().map(|(n, _)| n).sum()
}

/// Number of events of each kind, with its name.
pub fn kinds(report: &Report) -> [(u64, &'static str); 8] {
    let n = &report.n_events;
    [
        (n.impacts, EventKind::Impact.name()),
        (n.slip_starts, EventKind::SlipStart.name()),
        (n.stick_starts, EventKind::StickStart.name()),
        (n.reversals, EventKind::Reversal.name()),
        (n.take_offs, EventKind::TakeOff.name()),
        (n.jams, EventKind::Jam.name()),
        (n.closings, EventKind::Closing.name()),
        (n.separations, EventKind::Separation.name()),
    ]
}
