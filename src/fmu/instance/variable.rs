//! What a variable is: the vocabulary of the table in `variables.rs`.

use super::parameter::Parameter;
use crate::model::Model;
use crate::simulation::Simulation;
use crate::state::State;

/// One row of the table. Its value reference is its place in the table.
#[derive(Clone, Debug)]
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
    /// Where its value comes from.
    pub source: Source,
}

impl Variable {
    /// The value that it has before anything is set; outputs are calculated and have none.
    pub fn start(&self, model: &Model) -> Option<Value> {
        match &self.source {
            Source::Input(i) => Some(Value::Real(model.inputs[*i].start)),
            Source::Parameter(parameter) => Some(parameter.get(model, &model.settings)),
            Source::Output(_) => None,
        }
    }

    /// How it is read, if it is an output.
    pub fn output(&self) -> Option<&Output> {
        match &self.source {
            Source::Output(output) => Some(output),
            Source::Input(_) | Source::Parameter(_) => None,
        }
    }

    /// Does it follow the inputs at once, not only by integration over time?
    pub fn depends_on_inputs(&self) -> bool {
        self.output().is_some_and(|output| output.depends_on_inputs)
    }
}

/// Where the value of a variable comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// An input, by index of the model's inputs.
    Input(usize),
    /// A parameter.
    Parameter(Parameter),
    /// An output.
    Output(Output),
}

/// What a variable belongs to, by index: a body, contact, joint or force, and a component.
pub type Of = [usize; 2];

/// How an output is read.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// What it belongs to.
    pub of: Of,
    read: Read,
    /// Its rate where it needs no difference; gives none where it has none.
    rate: Option<fn(&mut Simulation, Of) -> Option<f64>>,
    /// Puts a value back into a state.
    restore: Option<fn(&mut State, Of, f64)>,
    /// Does it follow the inputs at once, not only by integration over time?
    pub depends_on_inputs: bool,
    /// Is it a column of a trajectory?
    pub is_column: bool,
    /// Which plot it is in.
    pub plot: Option<Plot>,
}

/// Plots of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plot {
    /// Places and angles of bodies.
    Position,
    /// Their velocities.
    Velocity,
    /// Energies.
    Energy,
}

#[derive(Clone, Copy, Debug)]
enum Read {
    Real(fn(&mut Simulation, Of) -> f64),
    Integer(fn(&mut Simulation, Of) -> i32),
}

impl Output {
    fn new(of: Of, read: Read) -> Self {
        Self {
            of,
            read,
            rate: None,
            restore: None,
            depends_on_inputs: false,
            is_column: false,
            plot: None,
        }
    }

    /// Read as a real number.
    pub fn real(of: Of, read: fn(&mut Simulation, Of) -> f64) -> Self {
        Self::new(of, Read::Real(read))
    }

    /// Read as a whole number.
    pub fn integer(of: Of, read: fn(&mut Simulation, Of) -> i32) -> Self {
        Self::new(of, Read::Integer(read))
    }

    /// The same of a component.
    pub fn component(self, i: usize) -> Self {
        let of = [self.of[0], i];
        Self { of, ..self }
    }

    /// With a rate that needs no difference.
    pub fn rate(self, rate: fn(&mut Simulation, Of) -> Option<f64>) -> Self {
        let rate = Some(rate);
        Self { rate, ..self }
    }

    /// With a way back into a state.
    pub fn restore(self, restore: fn(&mut State, Of, f64)) -> Self {
        let restore = Some(restore);
        Self { restore, ..self }
    }

    /// It follows the inputs at once.
    pub fn follows_inputs(self) -> Self {
        Self {
            depends_on_inputs: true,
            ..self
        }
    }

    /// It is a column of a trajectory.
    pub fn column(self) -> Self {
        Self {
            is_column: true,
            ..self
        }
    }

    /// It is plotted, and a column.
    pub fn plotted(self, plot: Plot) -> Self {
        let plot = Some(plot);
        Self { plot, ..self }.column()
    }

    /// Its value now.
    pub fn value(&self, simulation: &mut Simulation) -> Value {
        match self.read {
            Read::Real(read) => Value::Real(read(simulation, self.of)),
            Read::Integer(read) => Value::Integer(read(simulation, self.of)),
        }
    }

    /// The same as a real number.
    pub fn number(&self, simulation: &mut Simulation) -> f64 {
        match self.read {
            Read::Real(read) => read(simulation, self.of),
            Read::Integer(read) => f64::from(read(simulation, self.of)),
        }
    }

    /// Its rate between events; none where it has none.
    pub fn rate_now(&self, simulation: &mut Simulation) -> Option<f64> {
        match self.rate {
            Some(rate) => rate(simulation, self.of),
            None => Some(simulation.rate(&mut |simulation| self.number(simulation))),
        }
    }

    /// Can a state be given its value?
    pub fn is_restorable(&self) -> bool {
        self.restore.is_some()
    }

    /// Gives a state its value.
    pub fn put(&self, state: &mut State, value: f64) {
        if let Some(restore) = self.restore {
            restore(state, self.of, value);
        }
    }
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

impl Kind {
    /// A real number of any size.
    pub fn real(unit: Unit) -> Self {
        Self::Real {
            unit,
            min: None,
            max: None,
        }
    }

    /// A number of things.
    pub fn count() -> Self {
        Self::Integer {
            min: Some(0),
            max: None,
        }
    }
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

macro_rules! units {
    ($($unit:ident $name:literal $quantity:literal $base:tt $display:expr;)*) => {
        /// Units of the variables.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Unit {
            $(#[doc = $name] $unit,)*
        }

        impl Unit {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$unit),*];

            /// Name, quantity, base exponents (kg, m, s, rad) and display unit.
            fn row(self) -> (&'static str, &'static str, [i32; 4], Option<(&'static str, f64)>) {
                match self {
                    $(Self::$unit => ($name, $quantity, $base, $display),)*
                }
            }
        }
    };
}

const DEGREES: f64 = 180.0 / std::f64::consts::PI;

units! {
    One "1" "Ratio" [0, 0, 0, 0] None;
    Second "s" "Time" [0, 0, 1, 0] None;
    Meter "m" "Length" [0, 1, 0, 0] Some(("mm", 1e3));
    Radian "rad" "Angle" [0, 0, 0, 1] Some(("deg", DEGREES));
    MeterPerSecond "m/s" "Velocity" [0, 1, -1, 0] None;
    RadianPerSecond "rad/s" "AngularVelocity" [0, 0, -1, 1] Some(("rpm", DEGREES / 6.0));
    MeterPerSecond2 "m/s2" "Acceleration" [0, 1, -2, 0] None;
    RadianPerSecond2 "rad/s2" "AngularAcceleration" [0, 0, -2, 1] Some(("deg/s2", DEGREES));
    Kilogram "kg" "Mass" [1, 0, 0, 0] None;
    KilogramMeter2 "kg.m2" "MomentOfInertia" [1, 2, 0, 0] None;
    Newton "N" "Force" [1, 1, -2, 0] None;
    NewtonMeter "N.m" "Torque" [1, 2, -2, 0] None;
    NewtonSecond "N.s" "Impulse" [1, 1, -1, 0] None;
    NewtonMeterSecond "N.m.s" "AngularImpulse" [1, 2, -1, 0] None;
    NewtonPerMeter "N/m" "Stiffness" [1, 0, -2, 0] None;
    NewtonMeterPerRadian "N.m/rad" "RotationalStiffness" [1, 2, -2, -1] None;
    NewtonSecondPerMeter "N.s/m" "Damping" [1, 0, -1, 0] None;
    NewtonMeterSecondPerRadian "N.m.s/rad" "RotationalDamping" [1, 2, -1, -1] None;
    Joule "J" "Energy" [1, 2, -2, 0] None;
    MeterPerSecond3 "m/s3" "Jerk" [0, 1, -3, 0] None;
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
    /// The unit with this name; 1 if there is none.
    pub fn of_symbol(symbol: &str) -> Self {
        let found = Self::ALL.iter().find(|unit| unit.name() == symbol);
        found.copied().unwrap_or(Self::One)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The quantity that it stands for; also the name of its declared type.
    pub fn quantity(self) -> &'static str {
        self.row().1
    }

    /// What it is made of.
    pub fn base(self) -> BaseUnit {
        let [kg, m, s, rad] = self.row().2;
        BaseUnit { kg, m, s, rad }
    }

    /// Another way to show it.
    pub fn display(self) -> Option<DisplayUnit> {
        let (name, factor) = self.row().3?;
        Some(DisplayUnit { name, factor })
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
