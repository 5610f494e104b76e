//! One FMU instance with no pointers and no FMI version.

pub mod digest;
pub mod parameter;
pub mod variable;
pub mod variables;
