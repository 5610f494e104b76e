//! Attributes of variables, for the table in `variables/`.

pub use super::output::{Of, Output, Plot};
use super::parameter::Parameter;
pub use super::unit::{BaseUnit, DisplayUnit, Unit};
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// One row of the table. Its value reference is its index in the table.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Structured name: `block.position.x`.
    pub name: String,
    /// Description.
    pub description: String,
    /// Input, parameter or output.
    pub causality: Causality,
    /// Variability.
    pub variability: Variability,
    /// Type with unit and bounds.
    pub kind: Kind,
    /// Source of its value.
    pub source: Source,
    /// Is it in the model description?
    pub is_listed: bool,
    /// Unit for display, where it is not that of its unit.
    pub display_unit: Option<DisplayUnit>,
}

impl Variable {
    /// Start value; outputs are calculated and have none.
    pub fn start(&self, model: &Model) -> Option<Value> {
        match &self.source {
            Source::Input(i) => Some(Value::Real(model.inputs[*i].start)),
            Source::Parameter(parameter) => Some(parameter.get(model, &model.settings)),
            Source::Output(_) => None,
        }
    }

    /// Unit for display of a real number.
    pub fn display_unit(&self) -> Option<DisplayUnit> {
        let Kind::Real { unit, .. } = self.kind else {
            return None;
        };
        self.display_unit.or(unit.display())
    }

    /// Access to its value, if it is an output.
    pub fn output(&self) -> Option<&Output> {
        match &self.source {
            Source::Output(output) => Some(output),
            Source::Input(_) | Source::Parameter(_) => None,
        }
    }

    /// Does it depend directly on the inputs (direct feedthrough)?
    pub fn depends_on_inputs(&self) -> bool {
        self.output().is_some_and(|output| output.depends_on_inputs)
    }
}

/// Source of the value of a variable.
#[derive(Clone, Debug)]
pub enum Source {
    /// An input, by index of the model's inputs.
    Input(usize),
    /// A parameter.
    Parameter(Parameter),
    /// An output.
    Output(Output),
}

/// Causality: who sets the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// The master, at communication points.
    Input,
    /// The user, before or between steps.
    Parameter,
    /// The simulation.
    Output,
    /// The simulation; not meant for connections.
    Local,
}

/// Variability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    /// Only before the initialization ends.
    Fixed,
    /// Between steps.
    Tunable,
    /// At events.
    Discrete,
    /// At any time.
    Continuous,
}

/// Type with unit and bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A real number.
    Real {
        /// Its unit.
        unit: Unit,
        /// Smallest value allowed.
        min: Option<f64>,
        /// Largest value allowed.
        max: Option<f64>,
    },
    /// An integer.
    Integer {
        /// Smallest value allowed.
        min: Option<i32>,
        /// Largest value allowed.
        max: Option<i32>,
    },
    /// A Boolean.
    Boolean,
    /// An enumeration, with values from 1.
    Enumeration(Enumeration),
}

impl Kind {
    /// A real number of any size.
    pub fn real(unit: Unit) -> Self {
        Self::Real {
            unit,
            min: None,
            max: None,
        }
    }

    /// A count.
    pub fn count() -> Self {
        Self::Integer {
            min: Some(0),
            max: None,
        }
    }
}

/// An enumeration type: its name, and its items with descriptions; the first one has the value 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Enumeration {
    /// Name of the type.
    pub name: &'static str,
    /// Its items.
    pub items: &'static [(&'static str, &'static str)],
}

/// Status of a contact in the plane.
pub const CONTACT_STATUS: Enumeration = Enumeration {
    name: "ContactStatus",
    items: &[
        ("open", "no force"),
        ("closed", "pressing, without friction"),
        ("stick", "pressing, no sliding"),
        ("slip_forward", "sliding along the tangent"),
        ("slip_backward", "sliding against the tangent"),
    ],
};

/// Status of a contact in space.
pub const SPACE_CONTACT_STATUS: Enumeration = Enumeration {
    name: "SpaceContactStatus",
    items: &[
        ("open", "no force"),
        ("closed", "pressing, without friction"),
        ("stick", "pressing, no sliding"),
        ("slip", "sliding"),
    ],
};

/// Status of a rope.
pub const ROPE_STATUS: Enumeration = Enumeration {
    name: "RopeStatus",
    items: &[("slack", "no force"), ("taut", "pulling")],
};

/// Status of a friction element.
pub const FRICTION_STATUS: Enumeration = Enumeration {
    name: "FrictionStatus",
    items: &[
        ("open", "nothing presses the surfaces together"),
        ("locked", "no slip"),
        ("slip_forward", "the second body slips forward"),
        ("slip_backward", "the second body slips backward"),
    ],
};

/// Kind of an event.
pub const EVENT_KIND: Enumeration = Enumeration {
    name: "EventKind",
    items: &[
        ("none", "no event yet"),
        ("impact", "a contact closed with a jump of velocities"),
        ("slip", "a sticking contact began to slide"),
        ("stick", "a sliding contact stopped"),
        ("reversal", "a sliding contact turned back"),
        ("take_off", "a closed contact opened"),
        ("jam", "friction jammed a closed contact"),
        ("closing", "a compliant contact closed"),
        (
            "separation",
            "bodies separated after the force of their compliant contact had ended",
        ),
    ],
};

/// A value of any type; enumerations are integers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Of a Real.
    Real(f64),
    /// Of an Integer or an enumeration.
    Integer(i32),
    /// Of a Boolean.
    Boolean(bool),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Integer(x) => write!(f, "{x}"),
            Value::Boolean(x) => write!(f, "{x}"),
        }
    }
}
