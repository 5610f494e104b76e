//! What crosses between this program and the process that has loaded a library: calls and their answers, as frames.
//!
//! A frame is its length, four bytes, and that many bytes. Numbers are little-endian, reals cross as their bits, a text or a
//! list begins with its length. Who reads trusts nothing: what does not fit is no frame.

use std::io::{self, Read, Write};
use stiction::tool::import::{Message, Start, Status};

/// Bytes of a frame; one that claims more is not read.
const LONGEST: usize = 1 << 28;

/// A function to call.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Makes the instance.
    Instantiate {
        /// Of the instance.
        name: String,
        /// Of the model.
        guid: String,
        /// URI of the resources.
        resources: String,
    },
    /// Asks for messages about events.
    LogEvents,
    /// Start, stop and tolerance.
    SetupExperiment(Start),
    /// Begins the initialization.
    EnterInitialization,
    /// Ends it.
    ExitInitialization,
    /// Sets one value.
    SetReal(u32, f64),
    /// Sets one value.
    SetInteger(u32, i32),
    /// Sets one value.
    SetBoolean(u32, bool),
    /// First derivative of an input by time.
    SetInputDerivative(u32, f64),
    /// From a time, this far.
    DoStep(f64, f64),
    /// Reads values.
    GetReal(Vec<u32>),
    /// Reads values.
    GetInteger(Vec<u32>),
    /// Reads values.
    GetBoolean(Vec<u32>),
    /// How far a step got that was not good.
    LastSuccessfulTime,
    /// Does the library want to end the run?
    WantsToEnd,
    /// Ends the run.
    Terminate,
    /// Frees the instance.
    Free,
}

impl Call {
    /// The function of the standard.
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

    /// Its bytes.
    pub fn packed(&self) -> Vec<u8> {
        let mut out = Packer::default();
        match self {
            Self::Instantiate {
                name,
                guid,
                resources,
            } => {
                out.byte(0);
                for text in [name, guid, resources] {
                    out.text(text);
                }
            }
            Self::LogEvents => out.byte(1),
            Self::SetupExperiment(start) => {
                out.byte(2);
                out.real(start.time);
                for value in [start.tolerance, start.stop] {
                    out.byte(u8::from(value.is_some()));
                    out.real(value.unwrap_or(0.0));
                }
            }
            Self::EnterInitialization => out.byte(3),
            Self::ExitInitialization => out.byte(4),
            Self::SetReal(reference, value) => out.setting(5, *reference, *value),
            Self::SetInteger(reference, value) => out.setting(6, *reference, f64::from(*value)),
            Self::SetBoolean(reference, value) => out.setting(7, *reference, f64::from(*value)),
            Self::SetInputDerivative(reference, value) => out.setting(8, *reference, *value),
            Self::DoStep(time, step) => {
                out.byte(9);
                out.real(*time);
                out.real(*step);
            }
            Self::GetReal(references) => out.references(10, references),
            Self::GetInteger(references) => out.references(11, references),
            Self::GetBoolean(references) => out.references(12, references),
            Self::LastSuccessfulTime => out.byte(13),
            Self::WantsToEnd => out.byte(14),
            Self::Terminate => out.byte(15),
            Self::Free => out.byte(16),
        }
        out.0
    }

    /// From its bytes.
    pub fn unpacked(bytes: &[u8]) -> Option<Self> {
        let mut from = Unpacker(bytes);
        let call = match from.byte()? {
            0 => Self::Instantiate {
                name: from.text()?,
                guid: from.text()?,
                resources: from.text()?,
            },
            1 => Self::LogEvents,
            2 => {
                let time = from.real()?;
                let mut value = || Some((from.byte()? != 0, from.real()?));
                let (tolerance, stop) = (value()?, value()?);
                Self::SetupExperiment(Start {
                    time,
                    tolerance: tolerance.0.then_some(tolerance.1),
                    stop: stop.0.then_some(stop.1),
                })
            }
            3 => Self::EnterInitialization,
            4 => Self::ExitInitialization,
            5 => Self::SetReal(from.whole()?, from.real()?),
            6 => Self::SetInteger(from.whole()?, from.real()? as i32),
            7 => Self::SetBoolean(from.whole()?, from.real()? != 0.0),
            8 => Self::SetInputDerivative(from.whole()?, from.real()?),
            9 => Self::DoStep(from.real()?, from.real()?),
            10 => Self::GetReal(from.wholes()?),
            11 => Self::GetInteger(from.wholes()?),
            12 => Self::GetBoolean(from.wholes()?),
            13 => Self::LastSuccessfulTime,
            14 => Self::WantsToEnd,
            15 => Self::Terminate,
            16 => Self::Free,
            _ => return None,
        };
        from.0.is_empty().then_some(call)
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// As the library gave it.
    pub status: Status,
    /// What was read; one value for what is not a list.
    pub reals: Vec<f64>,
    /// The same of whole numbers and truth values.
    pub wholes: Vec<i32>,
    /// Why the library cannot be loaded.
    pub reason: String,
    /// What the library said meanwhile.
    pub messages: Vec<Message>,
}

impl Answer {
    /// Without values.
    pub fn new(status: Status) -> Self {
        Self {
            status,
            reals: Vec::new(),
            wholes: Vec::new(),
            reason: String::new(),
            messages: Vec::new(),
        }
    }

    /// Its bytes.
    pub fn packed(&self) -> Vec<u8> {
        let mut out = Packer::default();
        let (kind, number) = match self.status {
            Status::Ok => (0, 0),
            Status::Warning => (1, 0),
            Status::Discard => (2, 0),
            Status::Error => (3, 0),
            Status::Fatal => (4, 0),
            Status::Pending => (5, 0),
            Status::Missing => (6, 0),
            Status::Unknown(number) => (7, number),
        };
        out.byte(kind);
        out.whole(number.cast_unsigned());
        out.length(self.reals.len());
        self.reals.iter().for_each(|x| out.real(*x));
        out.length(self.wholes.len());
        self.wholes
            .iter()
            .for_each(|n| out.whole(n.cast_unsigned()));
        out.text(&self.reason);
        out.length(self.messages.len());
        for message in &self.messages {
            out.whole(message.status.cast_unsigned());
            for text in [&message.category, &message.text] {
                out.byte(u8::from(text.is_some()));
                out.text(text.as_deref().unwrap_or_default());
            }
        }
        out.0
    }

    /// From its bytes.
    pub fn unpacked(bytes: &[u8]) -> Option<Self> {
        let mut from = Unpacker(bytes);
        let (kind, number) = (from.byte()?, from.whole()?.cast_signed());
        let status = match kind {
            0 => Status::Ok,
            1 => Status::Warning,
            2 => Status::Discard,
            3 => Status::Error,
            4 => Status::Fatal,
            5 => Status::Pending,
            6 => Status::Missing,
            7 => Status::Unknown(number),
            _ => return None,
        };
        let mut answer = Self::new(status);
        for _ in 0..from.whole()? {
            answer.reals.push(from.real()?);
        }
        for _ in 0..from.whole()? {
            answer.wholes.push(from.whole()?.cast_signed());
        }
        answer.reason = from.text()?;
        for _ in 0..from.whole()? {
            let status = from.whole()?.cast_signed();
            let mut text = || {
                let is_there = from.byte()? != 0;
                Some((is_there, from.text()?))
            };
            let (category, text) = (text()?, text()?);
            answer.messages.push(Message {
                status,
                category: category.0.then_some(category.1),
                text: text.0.then_some(text.1),
            });
        }
        from.0.is_empty().then_some(answer)
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
    // no more memory than bytes that came
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

#[derive(Default)]
struct Packer(Vec<u8>);

impl Packer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn whole(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    // longer than a frame may be is refused when it is written
    fn length(&mut self, length: usize) {
        self.whole(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn real(&mut self, number: f64) {
        self.0.extend(number.to_bits().to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend(text.as_bytes());
    }

    fn setting(&mut self, kind: u8, reference: u32, value: f64) {
        self.byte(kind);
        self.whole(reference);
        self.real(value);
    }

    fn references(&mut self, kind: u8, references: &[u32]) {
        self.byte(kind);
        self.length(references.len());
        references
            .iter()
            .for_each(|reference| self.whole(*reference));
    }
}

struct Unpacker<'a>(&'a [u8]);

impl Unpacker<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn whole(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn real(&mut self) -> Option<f64> {
        self.take()
            .map(|bytes| f64::from_bits(u64::from_le_bytes(bytes)))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.whole()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn wholes(&mut self) -> Option<Vec<u32>> {
        let n = self.whole()?;
        // no more memory than bytes that came
        (0..n).map(|_| self.whole()).collect()
    }
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
            assert_eq!(Call::unpacked(&call.packed()).as_ref(), Some(&call));
        }
        let crossed = Answer::unpacked(&answer().packed()).unwrap();
        assert_eq!(crossed, answer());
        assert_eq!(crossed.reals[0].to_bits(), (-0.0f64).to_bits());
        let odd = f64::from_bits(0x7ff8_dead_beef_0001);
        let mut with_nan = answer();
        with_nan.reals[0] = odd;
        let crossed = Answer::unpacked(&with_nan.packed()).unwrap();
        assert_eq!(crossed.reals[0].to_bits(), odd.to_bits());
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let whole: Vec<Vec<u8>> = calls().iter().map(Call::packed).collect();
        for bytes in &whole {
            for end in 0..bytes.len() {
                assert_eq!(Call::unpacked(&bytes[..end]), None);
            }
            assert_eq!(Call::unpacked(&[bytes, &b"x"[..]].concat()), None);
        }
        let bytes = answer().packed();
        for end in 0..bytes.len() {
            assert_eq!(Answer::unpacked(&bytes[..end]), None);
        }
        // any byte may be any other: no crash, no memory that was not sent
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] = 0xff;
            let _ = Answer::unpacked(&damaged);
        }
        assert!(read(&mut &[0xff, 0xff, 0xff, 0xff, 1][..]).is_err());
        assert!(read(&mut &[9, 0, 0, 0, 1][..]).is_err());
    }
}
