//! The life cycle of an instance: a table of the calls allowed in each phase.

use serde::{Deserialize, Serialize};

/// Phase of the life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Parameters and start values may be set.
    Instantiated,
    /// Initialization mode.
    Initialization,
    /// Ready for steps.
    StepComplete,
    /// The last step ended early and may be repeated with a shorter one.
    StepFailed,
    /// The run is over; results may still be read.
    Terminated,
    /// A call failed; only a reset, restoring a saved state or freeing the instance is allowed.
    Error,
    /// Internal error; only freeing the instance is allowed.
    Fatal,
}

/// The calls that depend on the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Set start and stop time and tolerance.
    SetupExperiment,
    /// Enter initialization mode.
    EnterInitialization,
    /// Exit initialization mode.
    ExitInitialization,
    /// Terminate the run.
    Terminate,
    /// Reset.
    Reset,
    /// Read variables.
    Get,
    /// Set variables (which ones also depends on their variability).
    Set,
    /// Set derivatives of inputs.
    SetInputDerivatives,
    /// Read derivatives of outputs.
    GetOutputDerivatives,
    /// Directional derivatives.
    DirectionalDerivative,
    /// One step.
    DoStep,
    /// Query the status of the last step.
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
            Self::StepFailed => "after a step that ended early",
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
