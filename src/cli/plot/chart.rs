//! Panels stacked over a common time axis, with marks at events.

use super::Format;
use super::picture::{Anchor, Picture};
use crate::cli::format::short;
use crate::cli::record::{Recording, TrackStatus};
use stiction::tool::describe::drawing::canvas::{Colour, Point};
use stiction::tool::describe::drawing::view::round_step;

/// Width of the picture in pixels.
const WIDTH: f64 = 960.0;
/// Height of a panel with lines, without its title and legend.
const PANEL: f64 = 190.0;
/// Height of a band.
const BAND: f64 = 22.0;
/// Margins: left, for numbers, and right.
const LEFT: f64 = 84.0;
const RIGHT: f64 = 20.0;
/// Maximum width for the names of bands; longer ones are truncated.
const WIDEST_NAME: f64 = 320.0;
/// Height of a line of text.
const LINE: f64 = 20.0;
/// Pixels between tick labels of the time axis and of the vertical axis.
const TICKS: [f64; 2] = [110.0, 38.0];

const INK: Colour = [31, 41, 51];
const SOFT: Colour = [91, 104, 117];
const GRID: Colour = [232, 236, 240];
const AXIS: Colour = [135, 147, 160];
const LINES: [Colour; 8] = [
    [25, 85, 143],
    [217, 88, 13],
    [46, 125, 50],
    [142, 36, 170],
    [192, 38, 45],
    [0, 131, 143],
    [141, 110, 99],
    [93, 109, 126],
];

/// A panel with lines.
pub struct Lines {
    /// Title of the panel.
    pub title: String,
    /// Unit; may be empty.
    pub unit: String,
    /// Indices of channels.
    pub channels: Vec<usize>,
    /// Number of channels not drawn.
    pub n_hidden: usize,
}

/// A chart under construction.
pub struct Chart<'a> {
    recording: &'a Recording,
    picture: Picture,
    /// Top of the next panel.
    top: f64,
    /// Left end of the time axis.
    left: f64,
}

fn of_status(status: TrackStatus) -> Colour {
    match status {
        TrackStatus::Open => [223, 228, 233],
        TrackStatus::Closed => [123, 90, 166],
        TrackStatus::Stick => [35, 104, 176],
        TrackStatus::Slip => [217, 88, 13],
    }
}

fn status_word(status: TrackStatus) -> &'static str {
    match status {
        TrackStatus::Open => "apart",
        TrackStatus::Closed => "frictionless contact",
        TrackStatus::Stick => "sticking",
        TrackStatus::Slip => "sliding",
    }
}

const KINDS: [(&str, Colour); 11] = [
    ("impact", [192, 38, 45]),
    ("slip", [217, 88, 13]),
    ("stick", [35, 104, 176]),
    ("reversal", [160, 106, 0]),
    ("take-off", [46, 139, 87]),
    ("jam", [123, 45, 139]),
    ("closing", [192, 38, 45]),
    ("separation", [46, 139, 87]),
    ("first touch", [192, 38, 45]),
    ("sleep", [35, 104, 176]),
    ("wake-up", [217, 88, 13]),
];

fn of_event(kind: &str) -> Colour {
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    known.map_or(SOFT, |(_, colour)| *colour)
}

impl<'a> Chart<'a> {
    /// A chart with a title, and space for the names of bands.
    pub fn new(recording: &'a Recording, format: Format, with_bands: bool) -> Self {
        let mut picture = Picture::new(WIDTH, format);
        picture.bold([12.0, 24.0], &recording.name, INK);
        // all panels share the time axis: names of bands are the widest labels
        let mut left = LEFT;
        if with_bands {
            let widths = recording.tracks.iter().map(|t| picture.text_width(&t.name));
            left = widths.fold(LEFT - 20.0, f64::max).min(WIDEST_NAME) + 20.0;
        }
        Self {
            recording,
            picture,
            top: 32.0,
            left,
        }
    }

    fn x(&self, time: f64) -> f64 {
        let length = self.recording.until - self.recording.start;
        self.left + (time - self.recording.start) / length * (WIDTH - RIGHT - self.left)
    }

    /// A panel with lines.
    pub fn lines(&mut self, lines: &Lines) {
        let unit = if lines.unit.is_empty() {
            "1"
        } else {
            &lines.unit
        };
        self.title(&format!("{} / {unit}", lines.title));
        self.legend(lines);
        let (top, bottom) = (self.top + 10.0, self.top + 10.0 + PANEL);
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for channel in &lines.channels {
            let [low, high] = self.recording.span(*channel);
            span = [span[0].min(low), span[1].max(high)];
        }
        let margin = match span[1] - span[0] {
            range if range > 0.0 => 0.05 * range,
            _ => (0.1 * span[0].abs()).max(1e-9),
        };
        let [low, high] = [span[0] - margin, span[1] + margin];
        let y = |value: f64| bottom - (value - low) / (high - low) * PANEL;
        self.time_axis(top, bottom);
        for (value, text) in ticks([low, high], TICKS[1] / PANEL) {
            let y = y(value);
            self.picture
                .line(&[[self.left, y], [WIDTH - RIGHT, y]], GRID, 1.0);
            self.picture
                .text([self.left - 8.0, y + 4.0], &text, SOFT, Anchor::End);
        }
        let frame = [
            [self.left, top],
            [self.left, bottom],
            [WIDTH - RIGHT, bottom],
        ];
        self.picture.line(&frame, AXIS, 1.0);
        self.marks(top);
        for (i, channel) in lines.channels.iter().enumerate() {
            self.curve(*channel, LINES[i % LINES.len()], &y);
        }
        self.top = bottom + 44.0;
    }

    fn curve(&mut self, channel: usize, colour: Colour, y: &impl Fn(f64) -> f64) {
        let recording = self.recording;
        let column = &recording.columns[channel];
        let mut points: Vec<Point> = Vec::new();
        for (time, value) in recording.times.iter().zip(column) {
            if value.is_finite() {
                points.push([self.x(*time), y(*value)]);
            } else {
                // gap in the data
                self.picture.line(&points, colour, 1.6);
                points.clear();
            }
        }
        self.picture.line(&points, colour, 1.6);
        let peaks = recording.seen_peaks(0.003);
        for peak in peaks.iter().filter(|peak| peak.channel == channel) {
            let next = (peak.row + 1).min(recording.times.len() - 1);
            let x = self.x(0.5 * (recording.times[peak.row] + recording.times[next]));
            self.picture
                .line(&[[x, y(peak.low)], [x, y(peak.high)]], colour, 1.2);
        }
    }

    /// A panel with bands of statuses.
    pub fn bands(&mut self) {
        self.title("Contacts");
        let statuses = [
            TrackStatus::Stick,
            TrackStatus::Slip,
            TrackStatus::Closed,
            TrackStatus::Open,
        ];
        let entries: Vec<(String, Colour)> = statuses
            .iter()
            .map(|status| (status_word(*status).to_owned(), of_status(*status)))
            .collect();
        self.swatches(&entries);
        let tracks = &self.recording.tracks;
        let top = self.top + 10.0;
        let bottom = top + BAND * tracks.len() as f64;
        let length = self.recording.until - self.recording.start;
        self.time_axis(top, bottom);
        for (i, track) in tracks.iter().enumerate() {
            let y = top + BAND * i as f64;
            let changes = track.drawn(length);
            for (k, (since, status)) in changes.iter().enumerate() {
                let end = changes
                    .get(k + 1)
                    .map_or(self.recording.reached(), |next| next.0);
                let [from, to] = [*since, end].map(|t| self.x(t));
                let corners = [[from, y + 3.0], [to.max(from + 0.7), y + BAND - 3.0]];
                self.picture.area(corners, of_status(*status));
            }
            let at = [self.left - 8.0, y + BAND - 6.0];
            self.picture.text(at, &track.name, INK, Anchor::End);
        }
        self.marks(top);
        self.top = bottom + 44.0;
    }

    fn title(&mut self, text: &str) {
        self.picture.bold([12.0, self.top + 14.0], text, INK);
        self.top += LINE;
    }

    fn legend(&mut self, lines: &Lines) {
        let entry = |(i, channel): (usize, &usize)| {
            let name = self.recording.channels[*channel].name.clone();
            (name, LINES[i % LINES.len()])
        };
        let mut entries: Vec<(String, Colour)> =
            lines.channels.iter().enumerate().map(entry).collect();
        if lines.n_hidden > 0 {
            let more = format!("{} with smaller changes are not shown", lines.n_hidden);
            entries.push((more, [255; 3]));
        }
        self.swatches(&entries);
    }

    // wrapped to as many lines as needed
    fn swatches(&mut self, entries: &[(String, Colour)]) {
        let mut x = 12.0;
        for (text, colour) in entries {
            let width = 22.0 + self.picture.text_width(text);
            if x + width > WIDTH - RIGHT && x > 12.0 {
                x = 12.0;
                self.top += LINE;
            }
            let y = self.top + 10.0;
            self.picture
                .area([[x, y - 7.0], [x + 14.0, y + 1.0]], *colour);
            self.picture
                .text([x + 20.0, y + 2.0], text, INK, Anchor::Start);
            x += width + 18.0;
        }
        self.top += LINE;
    }

    fn time_axis(&mut self, top: f64, bottom: f64) {
        let ends = [self.recording.start, self.recording.until];
        for (value, text) in ticks(ends, TICKS[0] / (WIDTH - RIGHT - self.left)) {
            let x = self.x(value);
            self.picture.line(&[[x, top], [x, bottom]], GRID, 1.0);
            self.picture
                .text([x, bottom + 16.0], &text, SOFT, Anchor::Middle);
        }
        let middle = 0.5 * (self.left + WIDTH - RIGHT);
        self.picture
            .text([middle, bottom + 34.0], "time / s", SOFT, Anchor::Middle);
    }

    fn marks(&mut self, top: f64) {
        let mut last = f64::NEG_INFINITY;
        let mut last_kind = "";
        for event in &self.recording.events {
            let x = self.x(event.time);
            // draw overlapping marks once
            if x - last > 0.2 || event.kind != last_kind {
                let mark = [[x, top - 9.0], [x, top - 1.0]];
                self.picture.line(&mark, of_event(event.kind), 1.6);
                (last, last_kind) = (x, event.kind);
            }
        }
    }

    /// The picture, with a legend of the marks.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        let add_event = |kind: &str| self.recording.events.iter().any(|e| e.kind == kind);
        let entries: Vec<(String, Colour)> = KINDS
            .iter()
            .filter(|(kind, _)| add_event(kind))
            .map(|(kind, colour)| ((*kind).to_owned(), *colour))
            .collect();
        if !entries.is_empty() {
            self.picture
                .text([12.0, self.top + 12.0], "Marks above:", SOFT, Anchor::Start);
            self.top += LINE;
            self.swatches(&entries);
        }
        self.picture.finish(self.top + 8.0)
    }
}

/// Round values in a range, at least a given part of it apart, with their labels.
fn ticks([low, high]: [f64; 2], part: f64) -> Vec<(f64, String)> {
    let range = high - low;
    // the step is determined for a range of one to a thousand
    let exponent = format!("{range:e}");
    let exponent = exponent.rsplit('e').next().and_then(|e| e.parse().ok());
    let power: f64 = format!("1e{}", exponent.unwrap_or(0i32))
        .parse()
        .unwrap_or(1.0);
    let (step, _) = round_step(part * range / power);
    let step = step * power;
    let mut ticks = Vec::new();
    let mut i = (low / step - 1e-9).ceil();
    while i * step <= high + 1e-9 * range && ticks.len() < 60 {
        ticks.push((i * step + 0.0, short(i * step)));
        i += 1.0;
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_at_any_size() {
        let texts = |range: [f64; 2]| -> Vec<String> {
            ticks(range, 0.2)
                .into_iter()
                .map(|(_, text)| text)
                .collect()
        };
        assert_eq!(texts([0.0, 10.0]), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            texts([-1e-9, 1e-9]),
            ["-1e-9", "-5e-10", "0", "5e-10", "1e-9"]
        );
        assert_eq!(texts([2.99, 3.01]), ["2.99", "2.995", "3", "3.005", "3.01"]);
    }
}
