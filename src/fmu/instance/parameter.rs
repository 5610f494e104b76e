//! Access to parameters: numbers of a model, its initial state and its settings.

use super::variable::{Kind, Of, Unit, Value};
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::scene::spec::settings::{Field, TABLE};

/// Access to a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    of: Of,
    place: Place,
}

/// Location of its value.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A real number with its range.
    Real(
        Range,
        fn(&Model, &Settings, Of) -> f64,
        fn(&mut Model, &mut Settings, Of, f64),
    ),
    /// A setting, by its index in the table of settings.
    Setting(usize),
    /// A parameter with a name of the author's, by its index in the model, which is then built again.
    Scene(Range),
}

/// Range of a real number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// All finite values.
    Any,
    /// Above zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// A closed interval, with infinite ends where it has none.
    Within(f64, f64),
}

impl Range {
    fn ends(self) -> [Option<f64>; 2] {
        match self {
            Self::Any => [None, None],
            Self::Positive | Self::NotNegative => [Some(0.0), None],
            Self::Within(low, high) => [low, high].map(|end| Some(end).filter(|x| x.is_finite())),
        }
    }

    fn contains(self, x: f64) -> bool {
        let is_in = match self {
            Self::Any => true,
            Self::Positive => x > 0.0,
            Self::NotNegative => x >= 0.0,
            Self::Within(low, high) => x >= low && x <= high,
        };
        is_in && x.is_finite()
    }

    /// Type of a parameter with this range.
    pub fn kind(self, unit: Unit) -> Kind {
        let [min, max] = self.ends();
        Kind::Real { unit, min, max }
    }
}

impl Parameter {
    /// A parameter of the item `of`.
    pub fn new(of: Of, place: Place) -> Self {
        Self { of, place }
    }

    /// Does it change the scene, from which the model is built again?
    pub fn is_of_scene(self) -> bool {
        matches!(self.place, Place::Scene(_))
    }

    /// Its value.
    pub fn get(self, model: &Model, settings: &Settings) -> Value {
        match self.place {
            Place::Real(_, get, _) => Value::Real(get(model, settings, self.of)),
            Place::Setting(i) => value_of(&TABLE[i].field, settings),
            Place::Scene(_) => Value::Real(model.parameters[self.of[0]].value),
        }
    }

    /// Sets it; a value of the wrong type or out of range is ignored.
    pub fn set(self, (model, settings): (&mut Model, &mut Settings), value: Value) {
        match (self.place, value) {
            (Place::Real(range, _, set), Value::Real(x)) if range.contains(x) => {
                set(model, settings, self.of, x);
            }
            (Place::Setting(i), value) => {
                set_setting(&TABLE[i].field, settings, value);
            }
            (Place::Scene(range), Value::Real(x)) if range.contains(x) => {
                model.parameters[self.of[0]].value = x;
            }
            _ => {}
        }
    }

    /// Is the value of the right type and in range?
    pub fn accepts(self, settings: &Settings, value: Value) -> bool {
        match (self.place, value) {
            (Place::Real(range, ..) | Place::Scene(range), Value::Real(x)) => range.contains(x),
            (Place::Setting(i), value) => {
                set_setting(&TABLE[i].field, &mut settings.clone(), value)
            }
            _ => false,
        }
    }
}

/// The value of a setting; 0 if absent.
fn value_of(field: &Field, settings: &Settings) -> Value {
    match field {
        Field::Real { at, .. } => Value::Real((at.get)(settings)),
        Field::OptionalReal { at, .. } => Value::Real((at.get)(settings).unwrap_or(0.0)),
        Field::Count { at, .. } => Value::Integer((at.get)(settings) as i32),
        Field::OptionalCount { at, .. } => {
            Value::Integer((at.get)(settings).map_or(0, |count| count as i32))
        }
        Field::Flag(at) => Value::Boolean((at.get)(settings)),
        Field::Choice { at, .. } => Value::Integer((at.get)(settings) as i32 + 1),
    }
}

/// Sets a setting; false if the value is of the wrong type or out of range.
fn set_setting(field: &Field, settings: &mut Settings, value: Value) -> bool {
    let is_count = |(low, high): (u32, u32), x: i32| {
        u32::try_from(x).is_ok_and(|count| (low..=high).contains(&count))
    };
    match (field, value) {
        (Field::Real { range, at, .. }, Value::Real(x)) if range.contains(x) => {
            (at.set)(settings, x);
        }
        (Field::OptionalReal { range, at, .. }, Value::Real(x))
            if x == 0.0 || range.contains(x) =>
        {
            (at.set)(settings, (x > 0.0).then_some(x));
        }
        (Field::Count { range, at }, Value::Integer(x)) if is_count(*range, x) => {
            (at.set)(settings, x as u32);
        }
        (Field::OptionalCount { range, at }, Value::Integer(x))
            if x == 0 || is_count(*range, x) =>
        {
            (at.set)(settings, (x > 0).then_some(x as u32));
        }
        (Field::Flag(at), Value::Boolean(x)) => (at.set)(settings, x),
        (Field::Choice { items, at, .. }, Value::Integer(x))
            if is_count((1, items.len() as u32), x) =>
        {
            let chosen = x as usize - 1;
            // the weights of the general scheme cannot be set from outside
            if items[chosen].0 == "general" {
                return (at.get)(settings) == chosen;
            }
            (at.set)(settings, chosen);
        }
        _ => return false,
    }
    true
}
