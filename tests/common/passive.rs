//! The check of runs of passive scenes: what a run did, measured, and what is wrong with it.
//!
//! Energy can only fall. With `E` of every row, its smallest value before a row, and the energy in play
//!
//! ```text
//! X = max T + (max V - min V) + max(E_start - E_end, 0)
//! gain     = max (E - min E before) / X
//! balance  = (D + F + I - (E_start - E_end)) / X      D, F, I: losses accounted for of dampers, friction, impacts
//! ```
//!
//! a balance above zero is a loss that is invented (or a gain that is hidden), one below zero a loss that no line accounts for.

/// What was seen of a run.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Kinetic and potential energy of each row, J.
    pub energy: Vec<[f64; 2]>,
    /// What the run tells of its energy; nothing if it did not come so far.
    pub balance: Option<EnergyBalance>,
    /// Deepest overlap, m.
    pub overlap: f64,
    /// Largest gap of a joint, m or rad.
    pub drift: f64,
    /// All numbers of all rows are finite.
    pub is_finite: bool,
    /// Processor time.
    pub seconds: f64,
    pub warnings: Vec<String>,
    /// Why the run ended early.
    pub stopped: Option<String>,
}

/// The energy balance as it is reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnergyBalance {
    /// Total energy before the start was settled, J.
    pub start: f64,
    /// Losses of dampers, friction and impacts, J.
    pub losses: [f64; 3],
    /// Largest fall of one of them, J: from row to row, or at the end below zero.
    pub fall: f64,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The energy rises.
    Gain,
    /// A loss is booked that is below zero, or falls.
    Negative,
    /// More losses are booked than there was energy lost.
    Invented,
    /// Energy is lost that no loss accounts for.
    NumericalLoss,
    Overlap,
    Drift,
    NotFinite,
    /// The run ends with an error.
    Stopped,
    Slow,
}

impl Class {
    pub const ALL: [Self; 9] = [
        Self::Gain,
        Self::Negative,
        Self::Invented,
        Self::NumericalLoss,
        Self::Overlap,
        Self::Drift,
        Self::NotFinite,
        Self::Stopped,
        Self::Slow,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::Gain => "gain",
            Class::Negative => "negative loss",
            Class::Invented => "invented loss",
            Class::NumericalLoss => "numerical loss",
            Class::Overlap => "overlap",
            Class::Drift => "joint drift",
            Class::NotFinite => "not finite",
            Class::Stopped => "stopped",
            Class::Slow => "slow",
        }
    }

    /// Up to where it is right: of the energy in play, m or rad, s.
    pub fn bound(self) -> f64 {
        match self {
            Class::Gain => 1e-4,
            Class::Negative => 1e-6,
            Class::Invented => 1e-3,
            Class::NumericalLoss => 1e-2,
            Class::Overlap => 1e-6,
            Class::Drift => 1e-8,
            Class::NotFinite | Class::Stopped => 0.0,
            Class::Slow => 20.0,
        }
    }

    /// Words of which one is in a warning of it.
    fn words(self) -> &'static [&'static str] {
        match self {
            Class::Gain | Class::Invented => &["to the motion", "without a source", "lifted"],
            Class::Negative => &["balance"],
            Class::NumericalLoss => &["from the motion", "without a sink"],
            Class::Overlap => &["penetrated each other"],
            Class::Drift => &["drifted apart"],
            Class::NotFinite => &["finite", "infinit", "overflow"],
            Class::Stopped | Class::Slow => &[],
        }
    }

    /// Does one of the warnings of a run tell of it?
    pub fn is_told(self, record: &Record) -> bool {
        let tells = |warning: &String| self.words().iter().any(|word| warning.contains(word));
        record.warnings.iter().any(tells)
    }
}

/// Something that is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    pub class: Class,
    /// In the unit of the bound of its class.
    pub size: f64,
    /// No warning tells of it.
    pub is_silent: bool,
}

/// Everything that is wrong with a run.
pub fn check(record: &Record) -> Vec<Finding> {
    let sizes = sizes(record);
    let wrong = Class::ALL.into_iter().zip(sizes);
    let wrong = wrong.filter(|(class, size)| *size > class.bound() || size.is_nan());
    let tell = |(class, size): (Class, f64)| Finding {
        class,
        size,
        is_silent: !class.is_told(record) && class != Class::Stopped,
    };
    wrong.map(tell).collect()
}

/// Less than this part of the largest potential energy is no loss: what a scene at rest loses while its stiff springs settle.
const NO_LOSS: f64 = 1e-6;

/// The size of each class.
fn sizes(record: &Record) -> [f64; 9] {
    let total: Vec<f64> = record.energy.iter().map(|[t, v]| t + v).collect();
    let in_play = in_play(record);
    let imbalance = |balance: &EnergyBalance| {
        let end = total.last().copied().unwrap_or(balance.start);
        (balance.losses.iter().sum::<f64>() - (balance.start - end)) / in_play
    };
    let imbalance = record.balance.as_ref().map_or(0.0, imbalance);
    let potentials = record.energy.iter().map(|[_, v]| v.abs());
    let least_loss = NO_LOSS * potentials.fold(0.0, f64::max) / in_play;
    let lost = if -imbalance > least_loss {
        -imbalance
    } else {
        0.0
    };
    let truth = |is: bool| if is { 1.0 } else { 0.0 };
    [
        largest_rise(&total) / in_play,
        record.balance.map_or(0.0, |balance| balance.fall) / in_play,
        imbalance.max(0.0),
        lost,
        record.overlap,
        record.drift,
        truth(!record.is_finite),
        truth(record.stopped.is_some()),
        record.seconds,
    ]
}

/// The energy in play, J; where hardly anything moves, what rounding makes of the potential.
pub fn in_play(record: &Record) -> f64 {
    let column = |i: usize| record.energy.iter().map(move |row| row[i]);
    let largest = |i: usize| column(i).fold(f64::NEG_INFINITY, f64::max);
    let smallest = column(1).fold(f64::INFINITY, f64::min);
    let size = largest(1).abs().max(smallest.abs());
    let end = record.energy.last().map_or(0.0, |[t, v]| t + v);
    let lost = record
        .balance
        .map_or(0.0, |balance| (balance.start - end).max(0.0));
    largest(0) + (largest(1) - smallest) + lost + 1e-6 * size + 1e-12
}

fn largest_rise(total: &[f64]) -> f64 {
    let (mut least, mut rise) = (f64::INFINITY, 0.0f64);
    for energy in total {
        least = least.min(*energy);
        rise = rise.max(energy - least);
    }
    rise
}
