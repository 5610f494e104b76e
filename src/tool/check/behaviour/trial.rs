//! The trials, and the FMUs they apply to.

use crate::tool::check::description::Interface;
use crate::tool::check::rules::Rule;

/// A trial, which runs in its own process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// Exports, version, an instance, unloading.
    Load,
    /// An instance with a wrong GUID.
    Guid,
    /// Start values after the initialization.
    Start,
    /// The default experiment.
    Run,
    /// Steps of other lengths.
    Steps,
    /// Two runs after a reset.
    Reset,
    /// Saved and serialized states.
    State,
    /// Directional derivatives, and time derivatives of inputs and outputs.
    Derivatives,
    /// Two instances at once.
    Instances,
    /// Null instead of an instance.
    Null,
    /// Values before initialization.
    Early,
    /// Values outside their limits.
    Limits,
    /// Invalid steps.
    Abuse,
    /// A resource location with characters to be decoded.
    Location,
}

impl Trial {
    /// In execution order; the last one renames the folder.
    pub const ALL: [Self; 14] = [
        Self::Load,
        Self::Guid,
        Self::Start,
        Self::Run,
        Self::Steps,
        Self::Reset,
        Self::State,
        Self::Derivatives,
        Self::Instances,
        Self::Null,
        Self::Early,
        Self::Limits,
        Self::Abuse,
        Self::Location,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Guid => "guid",
            Self::Start => "start",
            Self::Run => "run",
            Self::Steps => "steps",
            Self::Reset => "reset",
            Self::State => "state",
            Self::Derivatives => "derivatives",
            Self::Instances => "instances",
            Self::Null => "null",
            Self::Early => "early",
            Self::Limits => "limits",
            Self::Abuse => "abuse",
            Self::Location => "location",
        }
    }

    /// By its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trial| trial.name() == name)
    }

    /// Description of the trial for messages.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Load => "when it was loaded and instantiated",
            Self::Guid => "when it was instantiated with a wrong GUID",
            Self::Start => "when start values were read",
            Self::Run => "in the default experiment",
            Self::Steps => "when steps of half the length were taken",
            Self::Reset => "when it was reset and run again",
            Self::State => "when its state was saved and restored",
            Self::Derivatives => "when derivatives were requested",
            Self::Instances => "when there were two instances",
            Self::Null => "when null was freed",
            Self::Early => "when values were read before initialization",
            Self::Limits => "when values outside their limits were set",
            Self::Abuse => "when invalid steps were requested",
            Self::Location => "when its folder had a space, a percent sign and an umlaut",
        }
    }

    /// Does it apply to an FMU with these capabilities?
    pub fn is_for(self, interface: &Interface) -> bool {
        match self {
            Self::Load | Self::Guid | Self::Start | Self::Run | Self::Reset => true,
            Self::Null | Self::Early | Self::Limits | Self::Abuse | Self::Location => true,
            Self::Steps => interface.variable_step,
            Self::State => interface.saves_state,
            Self::Derivatives => {
                interface.directional
                    || interface.interpolates_inputs
                    || interface.output_derivatives > 0
            }
            Self::Instances => !interface.only_once,
        }
    }

    /// The rule violated by a crash or hang, for trials with invalid calls.
    pub fn rule_of_bad_end(self) -> Option<Rule> {
        match self {
            Self::Null => Some(Rule::NullInstance),
            Self::Early | Self::Limits => Some(Rule::AbuseCrash),
            Self::Abuse => Some(Rule::AbuseSteps),
            Self::Location => Some(Rule::ResourcesLocation),
            Self::Load
            | Self::Guid
            | Self::Start
            | Self::Run
            | Self::Steps
            | Self::Reset
            | Self::State
            | Self::Derivatives
            | Self::Instances => None,
        }
    }

    /// Does it make invalid calls, so that error messages in the log are expected?
    pub fn provokes(self) -> bool {
        match self {
            Self::Guid | Self::Null | Self::Early | Self::Limits | Self::Abuse => true,
            Self::Load
            | Self::Start
            | Self::Run
            | Self::Steps
            | Self::Reset
            | Self::State
            | Self::Derivatives
            | Self::Instances
            | Self::Location => false,
        }
    }
}
