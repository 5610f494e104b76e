//! Units of the variables.

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
    PerKilogram "1/kg" "InverseMass" [-1, 0, 0, 0] None;
    PerKilogramMeter2 "1/(kg.m2)" "InverseInertia" [-1, -2, 0, 0] None;
    KilogramMeter2 "kg.m2" "MomentOfInertia" [1, 2, 0, 0] None;
    Newton "N" "Force" [1, 1, -2, 0] None;
    NewtonMeter "N.m" "Torque" [1, 2, -2, 0] None;
    NewtonSecond "N.s" "Impulse" [1, 1, -1, 0] None;
    NewtonMeterSecond "N.m.s" "AngularImpulse" [1, 2, -1, 0] None;
    NewtonPerMeter "N/m" "Stiffness" [1, 0, -2, 0] None;
    NewtonMeterPerRadian "N.m/rad" "RotationalStiffness" [1, 2, -2, -1] None;
    NewtonSecondPerMeter "N.s/m" "Damping" [1, 0, -1, 0] None;
    NewtonMeterSecondPerRadian "N.m.s/rad" "RotationalDamping" [1, 2, -1, -1] None;
    SecondPerMeter "s/m" "Slowness" [0, -1, 1, 0] None;
    SecondPerRadian "s/rad" "AngularSlowness" [0, 0, 1, -1] None;
    Joule "J" "Energy" [1, 2, -2, 0] None;
    Watt "W" "Power" [1, 2, -3, 0] None;
    MeterPerSecond3 "m/s3" "Jerk" [0, 1, -3, 0] None;
}

/// Units for display that an author may choose, with their factors.
const OTHERS: &[(Unit, &str, f64)] = &[
    (Unit::Meter, "mm", 1e3),
    (Unit::Meter, "cm", 1e2),
    (Unit::Meter, "km", 1e-3),
    (Unit::Meter, "in", 1.0 / 0.0254),
    (Unit::Meter, "ft", 1.0 / 0.3048),
    (Unit::Radian, "deg", DEGREES),
    (Unit::Radian, "rev", DEGREES / 360.0),
    (Unit::MeterPerSecond, "mm/s", 1e3),
    (Unit::MeterPerSecond, "km/h", 3.6),
    (Unit::RadianPerSecond, "rpm", DEGREES / 6.0),
    (Unit::RadianPerSecond, "deg/s", DEGREES),
    (Unit::MeterPerSecond2, "g", 1.0 / 9.80665),
    (Unit::RadianPerSecond2, "deg/s2", DEGREES),
    (Unit::Newton, "kN", 1e-3),
    (Unit::Newton, "lbf", 1.0 / 4.448_221_615_260_5),
    (Unit::NewtonMeter, "kN.m", 1e-3),
    (Unit::NewtonMeter, "N.mm", 1e3),
];

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

/// Display unit: `shown = factor * value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplayUnit {
    /// Its name.
    pub name: &'static str,
    /// Factor to the display unit.
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

    /// Its quantity; also the name of its declared type.
    pub fn quantity(self) -> &'static str {
        self.row().1
    }

    /// Exponents of the base units.
    pub fn base(self) -> BaseUnit {
        let [kg, m, s, rad] = self.row().2;
        BaseUnit { kg, m, s, rad }
    }

    /// Names of units that a sensor may be displayed in.
    pub fn display_units(self) -> impl Iterator<Item = &'static str> {
        let others = OTHERS.iter().filter(move |(unit, ..)| *unit == self);
        std::iter::once(self.name()).chain(others.map(|(_, name, _)| *name))
    }

    /// One of these units.
    pub fn display_unit(self, name: &str) -> Option<DisplayUnit> {
        if name == self.name() {
            let name = self.name();
            return Some(DisplayUnit { name, factor: 1.0 });
        }
        let found = OTHERS
            .iter()
            .find(|(unit, other, _)| *unit == self && *other == name);
        found.map(|&(_, name, factor)| DisplayUnit { name, factor })
    }

    /// Its display unit.
    pub fn display(self) -> Option<DisplayUnit> {
        let (name, factor) = self.row().3?;
        Some(DisplayUnit { name, factor })
    }
}
