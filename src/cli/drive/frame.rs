//! Calls and answers, exchanged as frames between this program and the process that has loaded a library.
//!
//! A frame is a four-byte length followed by that many bytes (postcard; reals are transferred bit by bit). The reader
//! trusts nothing and rejects malformed frames.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use stiction::tool::import::{Message, Start, Status};

/// Maximum size of a frame in bytes; larger ones are rejected.
const LONGEST: usize = 1 << 28;

/// A function to call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// Creates the instance.
    Instantiate {
        /// Instance name.
        name: String,
        /// GUID of the model.
        guid: String,
        /// URI of the resources.
        resources: String,
    },
    /// Enables the log category of events.
    LogEvents,
    /// Start, stop and tolerance.
    SetupExperiment(Start),
    /// Enters initialization mode.
    EnterInitialization,
    /// Exits initialization mode.
    ExitInitialization,
    /// Sets one value.
    SetReal(u32, f64),
    /// Sets one value.
    SetInteger(u32, i32),
    /// Sets one value.
    SetBoolean(u32, bool),
    /// Sets the first time derivative of an input.
    SetInputDerivative(u32, f64),
    /// Takes a step: start time and step size.
    DoStep(f64, f64),
    /// Reads values.
    GetReal(Vec<u32>),
    /// Reads values.
    GetInteger(Vec<u32>),
    /// Reads values.
    GetBoolean(Vec<u32>),
    /// Time reached by a step that did not succeed.
    LastSuccessfulTime,
    /// Asks whether the library wants to terminate the run.
    WantsToEnd,
    /// Terminates the run.
    Terminate,
    /// Frees the instance.
    Free,
}

impl Call {
    /// Name of the FMI function.
    pub fn function(&self) -> &'static str {
        match self {
            Self::Instantiate { .. } => "fmi2Instantiate",
            Self::LogEvents => "fmi2SetDebugLogging",
            Self::SetupExperiment(_) => "fmi2SetupExperiment",
            Self::EnterInitialization => "fmi2EnterInitializationMode",
            Self::ExitInitialization => "fmi2ExitInitializationMode",
            Self::SetReal(..) => "fmi2SetReal",
            Self::SetInteger(..) => "fmi2SetInteger",
            Self::SetBoolean(..) => "fmi2SetBoolean",
            Self::SetInputDerivative(..) => "fmi2SetRealInputDerivatives",
            Self::DoStep(..) => "fmi2DoStep",
            Self::GetReal(_) => "fmi2GetReal",
            Self::GetInteger(_) => "fmi2GetInteger",
            Self::GetBoolean(_) => "fmi2GetBoolean",
            Self::LastSuccessfulTime => "fmi2GetRealStatus",
            Self::WantsToEnd => "fmi2GetBooleanStatus",
            Self::Terminate => "fmi2Terminate",
            Self::Free => "fmi2FreeInstance",
        }
    }
}

/// Answer to a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Status returned by the library.
    pub status: Status,
    /// Real values; a single one for scalar queries.
    pub reals: Vec<f64>,
    /// Integer and Boolean values.
    pub wholes: Vec<i32>,
    /// Reason why the library cannot be loaded.
    pub reason: String,
    /// Messages logged during the call.
    pub messages: Vec<Message>,
}

impl Answer {
    /// An answer without values.
    pub fn new(status: Status) -> Self {
        Self {
            status,
            reals: Vec::new(),
            wholes: Vec::new(),
            reason: String::new(),
            messages: Vec::new(),
        }
    }
}

/// Encodes a call or an answer.
pub fn packed(value: &impl Serialize) -> Vec<u8> {
    // writing to memory cannot fail; an empty frame would be rejected
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Decodes a call or an answer.
pub fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Some(value),
        Ok(_) | Err(_) => None,
    }
}

/// Writes a frame.
pub fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok();
    let length = length.filter(|n| *n as usize <= LONGEST);
    let length = length.ok_or(io::ErrorKind::InvalidData)?;
    let mut whole = Vec::with_capacity(4 + bytes.len());
    whole.extend(length.to_le_bytes());
    whole.extend(bytes);
    to.write_all(&whole)?;
    to.flush()
}

/// Reads a frame.
pub fn read(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length as usize > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // never allocate more memory than bytes received
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Vec<Call> {
        vec![
            Call::Instantiate {
                name: "a".into(),
                guid: "{\u{fc}}".into(),
                resources: "file:///x".into(),
            },
            Call::LogEvents,
            Call::SetupExperiment(Start {
                tolerance: None,
                time: -1.0,
                stop: Some(2.5),
            }),
            Call::EnterInitialization,
            Call::ExitInitialization,
            Call::SetReal(7, -0.0),
            Call::SetInteger(u32::MAX, i32::MIN),
            Call::SetBoolean(0, true),
            Call::SetInputDerivative(1, f64::INFINITY),
            Call::DoStep(0.1, 1e-300),
            Call::GetReal(vec![1, 2, 3]),
            Call::GetInteger(vec![]),
            Call::GetBoolean(vec![9]),
            Call::LastSuccessfulTime,
            Call::WantsToEnd,
            Call::Terminate,
            Call::Free,
        ]
    }

    fn answer() -> Answer {
        let message = |text: Option<&str>| Message {
            status: -3,
            category: None,
            text: text.map(str::to_owned),
        };
        Answer {
            reals: vec![-0.0, 1.0 / 3.0, f64::NEG_INFINITY, 5e-324],
            wholes: vec![i32::MIN, -1],
            reason: "why".into(),
            messages: vec![message(None), message(Some("")), message(Some("x\u{e4}"))],
            ..Answer::new(Status::Unknown(-77))
        }
    }

    #[test]
    fn calls_and_answers_cross_with_their_bits() {
        for call in calls() {
            assert_eq!(unpacked(&packed(&call)), Some(call));
        }
        let crossed = unpacked::<Answer>(&packed(&answer())).unwrap();
        assert_eq!(crossed, answer());
        assert_eq!(crossed.reals[0].to_bits(), (-0.0f64).to_bits());
        let odd = f64::from_bits(0x7ff8_dead_beef_0001);
        let mut with_nan = answer();
        with_nan.reals[0] = odd;
        let crossed = unpacked::<Answer>(&packed(&with_nan)).unwrap();
        assert_eq!(crossed.reals[0].to_bits(), odd.to_bits());
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let whole: Vec<Vec<u8>> = calls().iter().map(packed).collect();
        for bytes in &whole {
            for end in 0..bytes.len() {
                assert_eq!(unpacked::<Call>(&bytes[..end]), None);
            }
            assert_eq!(unpacked::<Call>(&[bytes, &b"x"[..]].concat()), None);
        }
        let bytes = packed(&answer());
        for end in 0..bytes.len() {
            assert_eq!(unpacked::<Answer>(&bytes[..end]), None);
        }
        // arbitrary corruption of a byte causes neither a crash nor an excessive allocation
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] = 0xff;
            let _ = unpacked::<Answer>(&damaged);
        }
        assert!(read(&mut &[0xff, 0xff, 0xff, 0xff, 1][..]).is_err());
        assert!(read(&mut &[9, 0, 0, 0, 1][..]).is_err());
    }
}
