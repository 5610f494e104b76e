//! Selection of the rows that a recording keeps.

use super::{Channel, Recording, Row};

/// Approximate number of values in all kept rows: about 3 MB as 16-bit numbers in text.
const MOST_VALUES: usize = 1_000_000;

/// Maximum number of equidistant rows, finer than the pixels of a screen.
const MOST_ROWS: usize = 2000;
/// Minimum number of rows, where rows have very many values.
const FEWEST_ROWS: usize = 300;

/// Extremes of a channel between two kept rows, where they exceed both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Index of the channel.
    pub channel: usize,
    /// Index of the preceding kept row.
    pub row: usize,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
}

/// Decides which rows a recording keeps.
#[derive(Debug)]
pub struct RowSelector {
    n_buckets: f64,
    /// Remaining number of rows around events that may be kept.
    spare: usize,
    bucket: f64,
    last: Row,
    last_is_kept: bool,
    extremes: Vec<[f64; 2]>,
}

impl RowSelector {
    /// For rows of approximately this many values.
    pub fn new(n_values: usize) -> Self {
        let n = (MOST_VALUES / n_values.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
        Self {
            n_buckets: n as f64,
            spare: n / 2,
            bucket: -1.0,
            last: Row::default(),
            last_is_kept: true,
            extremes: Vec::new(),
        }
    }

    /// Number of equidistant rows.
    pub fn n_buckets(&self) -> f64 {
        self.n_buckets
    }

    /// Processes a row. `eventful`: there were events since the last row. Channels may have been added.
    pub fn look(
        &mut self,
        recording: &mut Recording,
        channels: &[Channel],
        row: &mut Row,
        eventful: bool,
    ) {
        recording.n_rows += 1;
        add_channels(recording, channels);
        let share = (row.time - recording.start) / (recording.until - recording.start);
        let bucket = (share * self.n_buckets).floor();
        let near_event = eventful && self.spare > 0;
        if near_event && !self.last_is_kept {
            self.spare -= 1;
            let last = std::mem::take(&mut self.last);
            self.close(recording, &last);
            keep(recording, &last);
            self.last_is_kept = true;
        }
        if bucket > self.bucket || near_event {
            if bucket <= self.bucket {
                self.spare -= 1;
            }
            self.bucket = bucket;
            self.close(recording, row);
            keep(recording, row);
            self.last_is_kept = true;
        } else {
            for (extreme, x) in self.extremes.iter_mut().zip(&row.values) {
                *extreme = [extreme[0].min(*x), extreme[1].max(*x)];
            }
            self.last_is_kept = false;
        }
        std::mem::swap(&mut self.last, row);
    }

    /// Ends the recording; the last row is always kept.
    pub fn finish(&mut self, recording: &mut Recording) {
        if !self.last_is_kept {
            let last = std::mem::take(&mut self.last);
            self.close(recording, &last);
            keep(recording, &last);
            self.last_is_kept = true;
        }
    }

    // values beyond the kept rows on both sides become a peak
    fn close(&mut self, recording: &mut Recording, next: &Row) {
        let Some(row) = recording.times.len().checked_sub(1) else {
            self.extremes = vec![[f64::INFINITY, f64::NEG_INFINITY]; next.values.len()];
            return;
        };
        for (channel, [low, high]) in self.extremes.iter().enumerate() {
            let ends = [recording.columns[channel][row], next.values[channel]];
            let [least, most] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            if *low < least || *high > most {
                recording.peaks.push(Peak {
                    channel,
                    row,
                    low: low.min(least),
                    high: high.max(most),
                });
            }
        }
        self.extremes.clear();
        self.extremes
            .resize(next.values.len(), [f64::INFINITY, f64::NEG_INFINITY]);
    }
}

// before a contact first closes its force is zero
fn add_channels(recording: &mut Recording, channels: &[Channel]) {
    for channel in &channels[recording.channels.len()..] {
        recording.channels.push(channel.clone());
        recording.columns.push(vec![0.0; recording.times.len()]);
    }
}

fn keep(recording: &mut Recording, row: &Row) {
    recording.times.push(row.time);
    let values = row.values.iter().copied().chain(std::iter::repeat(0.0));
    for (column, value) in recording.columns.iter_mut().zip(values) {
        column.push(value);
    }
    recording.contact_forces.push(row.contact_forces.clone());
    recording.arrows.push(row.arrows.clone());
}

impl Recording {
    /// Visible peaks: beyond the kept rows by more than a given part of the channel's range.
    pub fn seen_peaks(&self, part: f64) -> Vec<Peak> {
        let spans: Vec<f64> = (0..self.channels.len())
            .map(|c| self.span(c))
            .map(|[low, high]| high - low)
            .collect();
        let is_seen = |peak: &&Peak| {
            let least = part * spans[peak.channel];
            let column = &self.columns[peak.channel];
            let a = column[peak.row];
            let b = column.get(peak.row + 1).copied().unwrap_or(a);
            peak.low < a.min(b) - least || peak.high > a.max(b) + least
        };
        self.peaks.iter().filter(is_seen).copied().collect()
    }

    /// Lowest and highest value of a channel.
    pub fn span(&self, channel: usize) -> [f64; 2] {
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        let peaks = self.peaks.iter().filter(|peak| peak.channel == channel);
        let kept = self.columns[channel].iter().map(|x| [*x, *x]);
        for [low, high] in kept.chain(peaks.map(|peak| [peak.low, peak.high])) {
            if low.is_finite() && high.is_finite() {
                span = [span[0].min(low), span[1].max(high)];
            }
        }
        if span[0] > span[1] {
            span = [0.0, 0.0];
        }
        span
    }
}

#[cfg(test)]
mod tests {
    use super::super::Group;
    use super::*;

    #[test]
    fn a_million_rows_are_thinned_and_a_single_spike_stays() {
        let mut recording = Recording {
            until: 1.0,
            ..Recording::default()
        };
        let channels = [Channel {
            name: "x".to_owned(),
            unit: "m".to_owned(),
            group: Group::Position,
        }];
        let mut selector = RowSelector::new(1);
        let n = 1_000_000;
        for i in 0..=n {
            let time = f64::from(i) / f64::from(n);
            let spike = if i == 777_777 { 5.0 } else { 0.0 };
            let mut row = Row {
                time,
                values: vec![time + spike],
                ..Row::default()
            };
            selector.look(&mut recording, &channels, &mut row, i == 333_333);
        }
        selector.finish(&mut recording);
        assert!(recording.times.len() < 2100, "{}", recording.times.len());
        assert_eq!(recording.times.last(), Some(&1.0));
        assert!(recording.times.is_sorted_by(|a, b| a < b));
        let peaks = recording.seen_peaks(0.003);
        assert_eq!(peaks.len(), 1);
        let at = recording.times[peaks[0].row];
        assert!((at - 0.777_777).abs() < 1e-3 && peaks[0].high > 5.0);
        // the rows before and after the event
        for i in [333_332.0, 333_333.0] {
            assert!(recording.times.contains(&(i / f64::from(n))));
        }
    }
}
