//! Parameters: how a number of a model, its start or its settings is read and changed from outside.

use super::variable::{Kind, Of, Unit, Value};
use crate::model::Model;
use crate::scene::spec::{Settings, TOLERANCE};

/// How a parameter is read and set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    of: Of,
    place: Place,
}

/// Where its value is.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A real number, with the values that it may have.
    Real(
        Range,
        fn(&Model, &Settings, Of) -> f64,
        fn(&mut Model, &mut Settings, Of, f64),
    ),
    /// A whole number, or the number of an item, which may refuse a value.
    Integer(fn(&Settings) -> i32, fn(&mut Settings, i32) -> bool),
    /// True or false.
    Boolean(fn(&Settings) -> bool, fn(&mut Settings, bool)),
}

/// Values that a real number may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// All that are finite.
    Any,
    /// Above zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// Between two numbers, or one of them.
    Within(f64, f64),
    /// A tolerance that rounding leaves room for, or zero for none.
    Tolerance,
}

impl Range {
    fn ends(self) -> [Option<f64>; 2] {
        match self {
            Self::Any => [None, None],
            Self::Positive | Self::NotNegative => [Some(0.0), None],
            Self::Within(low, high) => [Some(low), Some(high)],
            Self::Tolerance => [Some(0.0), Some(TOLERANCE.ends().1)],
        }
    }

    fn contains(self, x: f64) -> bool {
        let is_in = match self {
            Self::Any => true,
            Self::Positive => x > 0.0,
            Self::NotNegative => x >= 0.0,
            Self::Within(low, high) => x >= low && x <= high,
            Self::Tolerance => x == 0.0 || TOLERANCE.contains(x),
        };
        is_in && x.is_finite()
    }

    /// The type of a parameter with these values.
    pub fn kind(self, unit: Unit) -> Kind {
        let [min, max] = self.ends();
        Kind::Real { unit, min, max }
    }
}

impl Parameter {
    /// A parameter of what `of` says.
    pub fn new(of: Of, place: Place) -> Self {
        Self { of, place }
    }

    /// Its value.
    pub fn get(self, model: &Model, settings: &Settings) -> Value {
        match self.place {
            Place::Real(_, get, _) => Value::Real(get(model, settings, self.of)),
            Place::Integer(get, _) => Value::Integer(get(settings)),
            Place::Boolean(get, _) => Value::Boolean(get(settings)),
        }
    }

    /// Sets it; nothing happens if the value does not fit its type or range.
    pub fn set(self, (model, settings): (&mut Model, &mut Settings), value: Value) {
        match (self.place, value) {
            (Place::Real(range, _, set), Value::Real(x)) if range.contains(x) => {
                set(model, settings, self.of, x);
            }
            (Place::Integer(_, set), Value::Integer(x)) => {
                set(settings, x);
            }
            (Place::Boolean(_, set), Value::Boolean(x)) => set(settings, x),
            _ => {}
        }
    }

    /// Does the value fit its type and range?
    pub fn accepts(self, settings: &Settings, value: Value) -> bool {
        match (self.place, value) {
            (Place::Real(range, ..), Value::Real(x)) => range.contains(x),
            (Place::Integer(_, set), Value::Integer(x)) => set(&mut settings.clone(), x),
            (Place::Boolean(..), Value::Boolean(_)) => true,
            _ => false,
        }
    }
}
