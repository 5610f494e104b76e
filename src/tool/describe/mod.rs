//! From the table of variables to what describes and carries a scene: the model description, the documentation page,
//! the picture, and the FMU that packs them with the library. Nothing here reads or writes a file.

pub mod drawing;
pub mod fmi2;
pub mod limits;
#[cfg(feature = "text")]
pub mod package;
mod page;
mod platform;
mod units;
mod xml;

#[cfg(feature = "text")]
pub use package::{Library, PackageError, build_fmu, build_fmu_with};
pub use page::{documentation, shown_start, type_name};
pub use platform::Platform;

use crate::fmu::instance::variable::{Role, Value, Variable};
use crate::model::Model;

/// Name of the shared library without its ending: FMI's `modelIdentifier`.
pub const LIBRARY: &str = "stiction";

/// Name and version of what generates the description.
pub const GENERATOR: &str = concat!("stiction ", env!("CARGO_PKG_VERSION"));

/// The value that a variable has before anything is set; outputs are calculated and have none.
pub fn start(variable: &Variable, model: &Model) -> Option<Value> {
    match variable.role {
        Role::Input(i) => Some(Value::Real(model.inputs[i].start)),
        Role::Parameter(parameter) => Some(parameter.get(model, &model.settings)),
        Role::Position(_)
        | Role::Velocity(_)
        | Role::Acceleration(_)
        | Role::Gap(_)
        | Role::Penetration(_)
        | Role::NormalForce(_)
        | Role::FrictionForce(_)
        | Role::NormalImpulse(_)
        | Role::FrictionImpulse(_)
        | Role::Status(_)
        | Role::JointForce(_)
        | Role::ElementForce(_)
        | Role::KineticEnergy
        | Role::PotentialEnergy
        | Role::DissipatedEnergy
        | Role::BalanceError
        | Role::EventCount
        | Role::LastEventTime
        | Role::LastEventKind
        | Role::WorstResidual
        | Role::Space(_)
        | Role::TimeStepping(_) => None,
    }
}

/// Does an output follow the inputs at once, not only by integration over time?
pub fn depends_on_inputs(role: Role) -> bool {
    match role {
        Role::Space(output) => output.follows_inputs(),
        Role::Acceleration(_)
        | Role::NormalForce(_)
        | Role::FrictionForce(_)
        | Role::JointForce(_) => true,
        Role::Input(_)
        | Role::Parameter(_)
        | Role::Position(_)
        | Role::Velocity(_)
        | Role::Gap(_)
        | Role::Penetration(_)
        | Role::NormalImpulse(_)
        | Role::FrictionImpulse(_)
        | Role::Status(_)
        | Role::ElementForce(_)
        | Role::KineticEnergy
        | Role::PotentialEnergy
        | Role::DissipatedEnergy
        | Role::BalanceError
        | Role::EventCount
        | Role::LastEventTime
        | Role::LastEventKind
        | Role::WorstResidual
        | Role::TimeStepping(_) => false,
    }
}
