//! Which trials there are, and for whom.

use crate::tool::check::description::Interface;
use crate::tool::check::rules::Rule;

/// One trial: one process.
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
    /// Directional derivatives, those of inputs and outputs.
    Derivatives,
    /// Two instances at once.
    Instances,
    /// Null instead of an instance.
    Null,
    /// Values before the initialization.
    Early,
    /// Values outside of their limits.
    Limits,
    /// Steps that make no sense.
    Abuse,
    /// A resource location that needs decoding.
    Location,
}

impl Trial {
    /// In the order in which they are run; the last one moves the folder.
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

    /// What was tried when something went wrong.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Load => "when it was loaded and instantiated",
            Self::Guid => "when it was instantiated with a wrong GUID",
            Self::Start => "when start values were read",
            Self::Run => "in the default experiment",
            Self::Steps => "when steps of half the length were taken",
            Self::Reset => "when it was reset and run again",
            Self::State => "when its state was saved and restored",
            Self::Derivatives => "when derivatives were asked for",
            Self::Instances => "when there were two instances",
            Self::Null => "when null was freed",
            Self::Early => "when values were read before the initialization",
            Self::Limits => "when values outside of their limits were set",
            Self::Abuse => "when steps were asked for that make no sense",
            Self::Location => "when its folder had a space, a percent sign and an umlaut",
        }
    }

    /// Is it for an FMU with these capabilities?
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

    /// What a crash or a hang breaks, if that is not the ordinary rule: some trials make wrong calls.
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

    /// Does it make wrong calls, so that complaints in the log are good?
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
