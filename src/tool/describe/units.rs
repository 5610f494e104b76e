//! Names of the types of the variables: one for each unit.

use crate::fmu::instance::variable::Unit;

/// The quantity that a unit stands for in the table of variables; also the name of its declared type.
pub fn quantity(unit: Unit) -> &'static str {
    match unit {
        Unit::One => "Ratio",
        Unit::Second => "Time",
        Unit::Meter => "Length",
        Unit::Radian => "Angle",
        Unit::MeterPerSecond => "Velocity",
        Unit::RadianPerSecond => "AngularVelocity",
        Unit::MeterPerSecond2 => "Acceleration",
        Unit::RadianPerSecond2 => "AngularAcceleration",
        Unit::Kilogram => "Mass",
        Unit::KilogramMeter2 => "MomentOfInertia",
        Unit::Newton => "Force",
        Unit::NewtonMeter => "Torque",
        Unit::NewtonSecond => "Impulse",
        Unit::NewtonMeterSecond => "AngularImpulse",
        Unit::NewtonPerMeter => "Stiffness",
        Unit::NewtonMeterPerRadian => "RotationalStiffness",
        Unit::NewtonSecondPerMeter => "Damping",
        Unit::NewtonMeterSecondPerRadian => "RotationalDamping",
        Unit::Joule => "Energy",
        Unit::MeterPerSecond3 => "Jerk",
    }
}
