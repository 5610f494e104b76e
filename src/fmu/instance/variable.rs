//! What a variable is: the vocabulary of the table in `variables.rs`.

use super::parameter::Parameter;
use super::space::SpaceOutput;

/// One row of the table. Its value reference is its place in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Structured name: `block.position.x`.
    pub name: String,
    /// A phrase for people.
    pub description: String,
    /// Input, parameter or output.
    pub causality: Causality,
    /// When it may change.
    pub variability: Variability,
    /// Type with unit and bounds.
    pub kind: Kind,
    /// What it stands for.
    pub role: Role,
}

/// Who sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// The master, at communication points.
    Input,
    /// The user, before or between steps.
    Parameter,
    /// The simulation.
    Output,
}

/// When it may change.
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
        /// Typical size.
        nominal: Option<f64>,
    },
    /// A whole number.
    Integer {
        /// Smallest value allowed.
        min: Option<i32>,
        /// Largest value allowed.
        max: Option<i32>,
    },
    /// True or false.
    Boolean,
    /// One of several words, counted from 1.
    Enumeration(Enumeration),
}

/// One of several words: the name of the type, and its items with a phrase on each; the first one has the value 1.
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
    ],
};

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// An input, by index of the model's inputs.
    Input(usize),
    /// A parameter.
    Parameter(Parameter),
    /// A coordinate of a body, by index of the state.
    Position(usize),
    /// A velocity of a body.
    Velocity(usize),
    /// An acceleration of a body.
    Acceleration(usize),
    /// Gap of a contact.
    Gap(usize),
    /// How deep it overlaps.
    Penetration(usize),
    /// Normal force of a contact.
    NormalForce(usize),
    /// Friction force of a contact.
    FrictionForce(usize),
    /// Normal impulse of its last impact.
    NormalImpulse(usize),
    /// Tangential impulse of its last impact.
    FrictionImpulse(usize),
    /// Its status.
    Status(usize),
    /// Force of a joint equation.
    JointForce(usize),
    /// Pull of a spring, damper, torsional or Stribeck element, by index of the force.
    ElementForce(usize),
    /// Kinetic energy.
    KineticEnergy,
    /// What the balance of energy leaves unexplained.
    BalanceError,
    /// Potential energy.
    PotentialEnergy,
    /// Energy lost so far.
    DissipatedEnergy,
    /// Number of events so far.
    EventCount,
    /// Time of the last one.
    LastEventTime,
    /// Kind of the last one.
    LastEventKind,
    /// Worst residual of an accepted complementarity problem.
    WorstResidual,
    /// What scenes in space alone have.
    Space(SpaceOutput),
    /// What crowds alone have.
    TimeStepping(TimeSteppingOutput),
}

/// Outputs of a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSteppingOutput {
    /// Number of places where bodies press on each other.
    Contacts,
    /// Number of bodies that sleep.
    Asleep,
    /// Deepest overlap at the end of the last step.
    Penetration,
    /// Groups of bodies that were not solved exactly so far.
    InexactGroups,
}

/// Units of the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// 1.
    One,
    /// s.
    Second,
    /// m.
    Meter,
    /// rad.
    Radian,
    /// m/s.
    MeterPerSecond,
    /// rad/s.
    RadianPerSecond,
    /// m/s².
    MeterPerSecond2,
    /// rad/s².
    RadianPerSecond2,
    /// kg.
    Kilogram,
    /// kg m².
    KilogramMeter2,
    /// N.
    Newton,
    /// N m.
    NewtonMeter,
    /// N s.
    NewtonSecond,
    /// N m s.
    NewtonMeterSecond,
    /// N/m.
    NewtonPerMeter,
    /// N m/rad.
    NewtonMeterPerRadian,
    /// N s/m.
    NewtonSecondPerMeter,
    /// N m s/rad.
    NewtonMeterSecondPerRadian,
    /// J.
    Joule,
    /// m/s³.
    MeterPerSecond3,
}

/// Exponents of the SI base units in a [`Unit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseUnit {
    /// kg.
    pub kg: i32,
    /// m.
    pub m: i32,
    /// s.
    pub s: i32,
    /// rad.
    pub rad: i32,
}

/// Another way to show a value: `shown = factor * value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplayUnit {
    /// Its name.
    pub name: &'static str,
    /// See above.
    pub factor: f64,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::One,
        Self::Second,
        Self::Meter,
        Self::Radian,
        Self::MeterPerSecond,
        Self::RadianPerSecond,
        Self::MeterPerSecond2,
        Self::RadianPerSecond2,
        Self::Kilogram,
        Self::KilogramMeter2,
        Self::Newton,
        Self::NewtonMeter,
        Self::NewtonSecond,
        Self::NewtonMeterSecond,
        Self::NewtonPerMeter,
        Self::NewtonMeterPerRadian,
        Self::NewtonSecondPerMeter,
        Self::NewtonMeterSecondPerRadian,
        Self::Joule,
        Self::MeterPerSecond3,
    ];

    /// Name, base exponents (kg, m, s, rad) and display unit.
    fn row(self) -> (&'static str, [i32; 4], Option<DisplayUnit>) {
        let show = |name, factor| Some(DisplayUnit { name, factor });
        let degrees = 180.0 / std::f64::consts::PI;
        match self {
            Self::One => ("1", [0, 0, 0, 0], None),
            Self::Second => ("s", [0, 0, 1, 0], None),
            Self::Meter => ("m", [0, 1, 0, 0], show("mm", 1e3)),
            Self::Radian => ("rad", [0, 0, 0, 1], show("deg", degrees)),
            Self::MeterPerSecond => ("m/s", [0, 1, -1, 0], None),
            Self::RadianPerSecond => ("rad/s", [0, 0, -1, 1], show("rpm", degrees / 6.0)),
            Self::MeterPerSecond2 => ("m/s2", [0, 1, -2, 0], None),
            Self::RadianPerSecond2 => ("rad/s2", [0, 0, -2, 1], show("deg/s2", degrees)),
            Self::Kilogram => ("kg", [1, 0, 0, 0], None),
            Self::KilogramMeter2 => ("kg.m2", [1, 2, 0, 0], None),
            Self::Newton => ("N", [1, 1, -2, 0], None),
            Self::NewtonMeter => ("N.m", [1, 2, -2, 0], None),
            Self::NewtonSecond => ("N.s", [1, 1, -1, 0], None),
            Self::NewtonMeterSecond => ("N.m.s", [1, 2, -1, 0], None),
            Self::NewtonPerMeter => ("N/m", [1, 0, -2, 0], None),
            Self::NewtonMeterPerRadian => ("N.m/rad", [1, 2, -2, -1], None),
            Self::NewtonSecondPerMeter => ("N.s/m", [1, 0, -1, 0], None),
            Self::NewtonMeterSecondPerRadian => ("N.m.s/rad", [1, 2, -1, -1], None),
            Self::Joule => ("J", [1, 2, -2, 0], None),
            Self::MeterPerSecond3 => ("m/s3", [0, 1, -3, 0], None),
        }
    }

    /// The unit with this name; 1 if there is none.
    pub fn of_symbol(symbol: &str) -> Self {
        let found = Self::ALL.into_iter().find(|unit| unit.name() == symbol);
        found.unwrap_or(Self::One)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// What it is made of.
    pub fn base(self) -> BaseUnit {
        let [kg, m, s, rad] = self.row().1;
        BaseUnit { kg, m, s, rad }
    }

    /// Another way to show it.
    pub fn display(self) -> Option<DisplayUnit> {
        self.row().2
    }
}

/// A value of any type; enumerations are whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
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
