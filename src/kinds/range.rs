//! Ranges of numbers.

/// Range of a number; never includes NaN.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Description, after "must be".
    pub words: &'static str,
    /// Lower end; excluded if `above` is set.
    lower: f64,
    /// Upper end, included.
    upper: f64,
    /// The lower end is not in the range.
    above: bool,
    /// Infinity is in the range.
    infinite: bool,
    /// Zero is not in the range.
    without_zero: bool,
}

impl Range {
    /// Finite numbers: products of five of them do not overflow.
    pub const ANY: Self = Self::new("finite (-1e60 to 1e60)", -1e60, 1e60);
    /// Numbers and infinities.
    pub const INFINITE: Self = Self {
        infinite: true,
        ..Self::new("a number", f64::NEG_INFINITY, f64::INFINITY)
    };
    /// Above zero.
    pub const POSITIVE: Self = Self {
        above: true,
        ..Self::new("above zero", 0.0, f64::INFINITY)
    };
    /// Above zero, and infinity.
    pub const POSITIVE_OR_INFINITE: Self = Self {
        infinite: true,
        ..Self::POSITIVE
    };
    /// Masses and densities: products of five of them, or of their inverses, do not overflow.
    pub const MASS: Self = Self::new("above zero (1e-60 to 1e60)", 1e-60, 1e60);
    /// Finite numbers except zero.
    pub const NOT_ZERO: Self = Self {
        without_zero: true,
        ..Self::new("not zero", -1e60, 1e60)
    };
    /// Zero and above.
    pub const NOT_NEGATIVE: Self = Self::new("zero or more", 0.0, f64::INFINITY);
    /// Zero to one.
    pub const UNIT: Self = Self::new("from 0 to 1", 0.0, 1.0);

    /// `lower <= x <= upper`, finite.
    pub const fn new(words: &'static str, lower: f64, upper: f64) -> Self {
        Self {
            words,
            lower,
            upper,
            above: false,
            infinite: false,
            without_zero: false,
        }
    }

    /// Lower and upper end.
    pub const fn ends(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// Is the lower end in the range, and is zero not?
    pub const fn excludes(&self) -> (bool, bool) {
        (self.above, self.without_zero)
    }

    /// Is `x` in the range?
    pub fn contains(&self, x: f64) -> bool {
        (x.is_finite() || self.infinite && x.is_infinite())
            && x <= self.upper
            && (x != 0.0 || !self.without_zero)
            && if self.above {
                x > self.lower
            } else {
                x >= self.lower
            }
    }
}
