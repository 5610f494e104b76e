//! Which call is allowed when: the life cycle of an instance as a table phase x call.

use serde::{Deserialize, Serialize};

/// Where an instance is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Parameters and start values may be set.
    Instantiated,
    /// Between entering and leaving the initialization.
    Initialization,
    /// Ready for steps.
    StepComplete,
    /// The last step was cut short and may be repeated with less.
    StepFailed,
    /// The run is over; results may still be read.
    Terminated,
    /// A call failed; only a reset, a saved state or the end helps.
    Error,
    /// Something broke inside; only the end helps.
    Fatal,
}

/// The calls that depend on the phase, by what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Give start and stop time and tolerance.
    SetupExperiment,
    /// Begin the initialization.
    EnterInitialization,
    /// End it.
    ExitInitialization,
    /// End the run.
    Terminate,
    /// Back to the start.
    Reset,
    /// Read variables.
    Get,
    /// Set variables (which ones depends on their variability, too).
    Set,
    /// Give derivatives of inputs.
    SetInputDerivatives,
    /// Read derivatives of outputs.
    GetOutputDerivatives,
    /// Directional derivatives.
    DirectionalDerivative,
    /// One step.
    DoStep,
    /// Ask how the last step ended.
    GetStatus,
    /// Save or serialize a state.
    SaveState,
    /// Restore a state.
    RestoreState,
    /// Switch logging.
    SetLogging,
}

impl Phase {
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instantiated => "instantiated",
            Self::Initialization => "in initialization mode",
            Self::StepComplete => "ready for a step",
            Self::StepFailed => "after a step that was cut short",
            Self::Terminated => "terminated",
            Self::Error => "in error",
            Self::Fatal => "broken",
        }
    }

    /// Is the call allowed?
    pub fn admits(self, call: Call) -> bool {
        call.phases().contains(&self)
    }
}

impl Call {
    /// The phases in which the call is allowed.
    pub fn phases(self) -> &'static [Phase] {
        use Phase::{Error, Initialization, Instantiated, StepComplete, StepFailed, Terminated};
        match self {
            Self::SetupExperiment | Self::EnterInitialization => &[Instantiated],
            Self::ExitInitialization => &[Initialization],
            Self::Terminate => &[StepComplete, StepFailed],
            Self::Reset => &[
                Instantiated,
                Initialization,
                StepComplete,
                StepFailed,
                Terminated,
                Error,
            ],
            Self::Get => &[Initialization, StepComplete, StepFailed, Terminated, Error],
            Self::Set => &[Instantiated, Initialization, StepComplete],
            Self::SetInputDerivatives => &[Instantiated, Initialization, StepComplete],
            Self::GetOutputDerivatives => &[StepComplete, StepFailed, Terminated, Error],
            Self::DirectionalDerivative => {
                &[Initialization, StepComplete, StepFailed, Terminated, Error]
            }
            Self::DoStep => &[StepComplete],
            Self::GetStatus => &[StepComplete, StepFailed, Terminated],
            Self::SaveState | Self::RestoreState => &[
                Instantiated,
                Initialization,
                StepComplete,
                StepFailed,
                Terminated,
                Error,
            ],
            Self::SetLogging => &[
                Instantiated,
                Initialization,
                StepComplete,
                StepFailed,
                Terminated,
                Error,
            ],
        }
    }
}
