//! Medians of repetitions that take turns.

use std::time::Instant;

/// Seconds of each repetition.
pub struct Times(Vec<f64>);

impl Times {
    /// The usual repetition.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// Times over those of others, repetition by repetition: what slows the machine down meets both.
    pub fn over(&self, others: &Times) -> f64 {
        let pairs = self.0.iter().zip(&others.0);
        median(pairs.map(|(a, b)| a / b).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Something to be timed: it gives the seconds that count.
pub type Timed<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// Seconds of one action.
pub fn seconds(action: impl FnOnce()) -> f64 {
    let start = Instant::now();
    action();
    start.elapsed().as_secs_f64()
}

/// Seconds of one of `n` actions, one after the other.
pub fn repeated<'a>(n: u32, mut action: impl FnMut() + 'a) -> Timed<'a> {
    Box::new(move || seconds(|| (0..n).for_each(|_| action())) / f64::from(n))
}

/// Runs all of them in turn, again and again. The first round is not counted.
pub fn in_turn<const N: usize>(rounds: usize, mut all: [Timed; N]) -> [Times; N] {
    let mut times = [const { Times(Vec::new()) }; N];
    for round in 0..=rounds {
        for (timed, times) in all.iter_mut().zip(&mut times) {
            let taken = timed();
            if round > 0 {
                times.0.push(taken);
            }
        }
    }
    times
}
