//! A validated scene in binary form. The library in an FMU reads it instead of the text and the shape files.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `stiction` |
//! | 4 | format number |
//! | 20 | version of stiction, padded with zeros |
//! | 8 | length of the payload |
//! | 32 | SHA-256 digest of the payload |
//! | | payload: the scene encoded with `postcard`, fields in the order of `spec`, variants by number |
//!
//! The bytes are not trusted: allocations are proportional to their actual number, not to lengths they claim.

use super::error::Problem;
#[cfg(feature = "text")]
use super::spec::parameter::PackedNumber;
use super::spec::settings::{Field, Setting, TABLE};
use super::spec::{FrictionCone, Scene, Settings};
use super::valid;
use postcard::de_flavors::{Flavor, Slice};
use serde::Deserialize as _;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Name of the file in the resources of an FMU.
pub const FILE: &str = "scene.bin";

/// First bytes of the file.
const MARK: &[u8; 8] = b"stiction";

/// Format number, incremented when fields or variants of `spec` are added, removed or reordered.
const FORM: u32 = 6;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Size of the version field, bytes.
const VERSION_LENGTH: usize = 20;

/// Digest of a scene; scenes with equal digests are equal.
pub type Digest = [u8; 32];

/// Reason why bytes are not a valid scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedError {
    /// They do not start with the signature.
    Foreign,
    /// They were written by another version of stiction.
    Version {
        /// Their format number.
        form: u32,
        /// That version.
        version: String,
    },
    /// Wrong length.
    Length {
        /// Expected number of bytes, according to the header.
        expected: u64,
        /// Actual number of bytes.
        found: usize,
    },
    /// The digest does not match.
    Digest,
    /// The digest matches, but the payload is not a valid scene.
    Content,
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => write!(f, "this is not a packed scene"),
            Self::Version { form, version } => write!(
                f,
                "the scene was packed by stiction {version} in form {form}, but this is stiction {VERSION}, which reads form {FORM}"
            ),
            Self::Length { expected, found } => write!(
                f,
                "the file should have {expected} bytes, but has {found}: it is truncated or damaged"
            ),
            Self::Digest => write!(
                f,
                "the file is damaged: its digest does not match its contents"
            ),
            Self::Content => write!(f, "the file is damaged: its contents are not a valid scene"),
        }
    }
}

impl std::error::Error for PackedError {}

/// Encodes a scene.
pub fn pack(scene: &Scene) -> Vec<u8> {
    let content = content(scene);
    let mut version = [0; VERSION_LENGTH];
    for (place, byte) in version.iter_mut().zip(VERSION.bytes()) {
        *place = byte;
    }
    let mut bytes = Vec::with_capacity(content.len() + 128);
    bytes.extend(MARK);
    bytes.extend(FORM.to_le_bytes());
    bytes.extend(version);
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(Sha256::digest(&content));
    bytes.extend(content);
    bytes
}

fn content(scene: &Scene) -> Vec<u8> {
    // fails only for types that `spec` does not use
    postcard::to_stdvec(scene).unwrap_or_default()
}

/// The digest of a scene.
pub fn digest(scene: &Scene) -> Digest {
    Sha256::digest(content(scene)).into()
}

/// Decodes a scene; returns it with its digest.
///
/// # Errors
/// If the bytes were not written by [`pack`] of this version.
pub fn unpack(bytes: &[u8]) -> Result<(Scene, Digest), PackedError> {
    let mut rest = bytes;
    if take(&mut rest)? != *MARK {
        return Err(PackedError::Foreign);
    }
    let form = u32::from_le_bytes(take(&mut rest)?);
    let version: [u8; VERSION_LENGTH] = take(&mut rest)?;
    let version = String::from_utf8_lossy(&version);
    let version = version.trim_end_matches('\0');
    if (form, version) != (FORM, VERSION) {
        let version = version.to_owned();
        return Err(PackedError::Version { form, version });
    }
    let length = u64::from_le_bytes(take(&mut rest)?);
    let digest: Digest = take(&mut rest)?;
    if length != rest.len() as u64 {
        let expected = length.saturating_add((bytes.len() - rest.len()) as u64);
        let found = bytes.len();
        return Err(PackedError::Length { expected, found });
    }
    if Sha256::digest(rest)[..] != digest {
        return Err(PackedError::Digest);
    }
    let scene = scene_of(rest).ok_or(PackedError::Content)?;
    Ok((scene, digest))
}

/// The scene of a payload.
fn scene_of(bytes: &[u8]) -> Option<Scene> {
    let mut reader = postcard::Deserializer::from_flavor(Numbers::new(bytes));
    let scene = Scene::deserialize(&mut reader).ok()?;
    let is_whole = reader.finalize().is_ok_and(|(rest, _)| rest.is_empty());
    (is_whole && has_counts_in_range(&scene.settings)).then_some(scene)
}

/// A scene with other values of its parameters, in their order: what its file would give with these values.
///
/// # Errors
/// Values out of range, or that contradict other numbers of the scene.
pub fn with_parameters(scene: &Scene, values: &[f64]) -> Result<Scene, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut bytes = content(scene);
    for (parameter, value) in scene.parameters.iter().zip(values) {
        for target in &parameter.targets {
            let number = target.number(*value);
            if !target.range.contain(number) {
                problems.push(Problem {
                    place: target.path.place.clone(),
                    key: format!("parameter[{}]", parameter.name),
                    message: format!(
                        "the value {value} gives {} the value {number}, which must be {}",
                        target.path.text, target.range.words
                    ),
                    hint: "choose another value".to_owned(),
                });
            }
            for place in &target.numbers {
                let at = usize::try_from(place.at).unwrap_or(usize::MAX);
                let end = at.saturating_add(8);
                if let Some(bytes) = bytes.get_mut(at..end) {
                    bytes.copy_from_slice(&(place.times * number).to_le_bytes());
                }
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let Some(mut changed) = scene_of(&bytes) else {
        return Err(vec![Problem {
            place: 0..0,
            key: "parameter".to_owned(),
            message: "the scene has no numbers where its parameters set them".to_owned(),
            hint: "build the FMU again".to_owned(),
        }]);
    };
    for (parameter, value) in changed.parameters.iter_mut().zip(values) {
        parameter.value = *value;
    }
    match valid::problems(&changed) {
        problems if problems.is_empty() => Ok(changed),
        problems => Err(problems),
    }
}

/// The numbers of a packed scene that a number of its file is copied to, up to a whole factor. The scene is given with three
/// values of that number. `None` if something else depends on it.
#[cfg(feature = "text")]
pub fn copies(trials: [(&Scene, f64); 3]) -> Option<Vec<PackedNumber>> {
    let values = trials.map(|(_, value)| value);
    let [first, second, third] = trials.map(|(scene, _)| content(scene));
    if first.len() != second.len() || first.len() != third.len() {
        return None;
    }
    let mut found = Vec::new();
    let mut end = 0;
    for at in numbers_in(&first) {
        let number = |bytes: &[u8]| {
            let bytes = bytes
                .get(at..at + 8)
                .and_then(|b| <[u8; 8]>::try_from(b).ok());
            bytes.map_or(0.0, f64::from_le_bytes)
        };
        let numbers = [number(&first), number(&second), number(&third)];
        // what is not a number is the same
        if first[end..at] != second[end..at] || first[end..at] != third[end..at] {
            return None;
        }
        end = at + 8;
        if numbers.iter().all(|x| x.to_bits() == numbers[0].to_bits()) {
            continue;
        }
        let times = (numbers[1] / values[1]).round();
        let is_copy = |(x, value): (&f64, &f64)| (times * value).to_bits() == x.to_bits();
        if times == 0.0 || !numbers.iter().zip(&values).all(is_copy) {
            return None;
        }
        found.push(PackedNumber {
            at: at as u64,
            times,
        });
    }
    (first[end..] == second[end..] && first[end..] == third[end..]).then_some(found)
}

/// The first bytes of all numbers of a payload, and of texts of eight bytes.
#[cfg(feature = "text")]
fn numbers_in(bytes: &[u8]) -> Vec<usize> {
    let mut reader = postcard::Deserializer::from_flavor(Numbers::new(bytes));
    // the payload was just written
    let _ = Scene::deserialize(&mut reader);
    reader
        .finalize()
        .map_or_else(|_| Vec::new(), |(_, found)| found)
}

/// Checks that the bytes contain no NaN, and notes where numbers are. The last of the eight bytes of a NaN is 0x7f or 0xff
/// after one above 0xef, which is not valid UTF-8: text is never mistaken for a NaN.
struct Numbers<'b> {
    bytes: Slice<'b>,
    /// Number of bytes read.
    at: usize,
    /// First bytes of what has eight of them: numbers, and some texts.
    found: Vec<usize>,
}

impl<'b> Numbers<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes: Slice::new(bytes),
            at: 0,
            found: Vec::new(),
        }
    }
}

impl<'b> Flavor<'b> for Numbers<'b> {
    type Remainder = (&'b [u8], Vec<usize>);
    type Source = &'b [u8];

    fn pop(&mut self) -> postcard::Result<u8> {
        self.at += 1;
        self.bytes.pop()
    }

    fn size_hint(&self) -> Option<usize> {
        self.bytes.size_hint()
    }

    fn try_take_n(&mut self, n: usize) -> postcard::Result<&'b [u8]> {
        let bytes = self.bytes.try_take_n(n)?;
        if n == 8 {
            self.found.push(self.at);
        }
        self.at += n;
        match <[u8; 8]>::try_from(bytes).map(f64::from_le_bytes) {
            Ok(x) if x.is_nan() => Err(postcard::Error::DeserializeBadEncoding),
            _ => Ok(bytes),
        }
    }

    fn finalize(self) -> postcard::Result<Self::Remainder> {
        Ok((self.bytes.finalize()?, self.found))
    }
}

/// Are the counts in the settings within the ranges of a scene file? Arrays are sized for these.
fn has_counts_in_range(settings: &Settings) -> bool {
    let is_even = match settings.friction_cone {
        FrictionCone::Exact => true,
        FrictionCone::Polyhedral { directions, .. } => directions % 2 == 0,
    };
    let is_in_range = |setting: &Setting| match setting.field {
        Field::Count {
            range: (low, high),
            at,
        } => (low..=high).contains(&(at.get)(settings)),
        Field::OptionalCount {
            range: (low, high),
            at,
        } => (at.get)(settings).is_none_or(|count| (low..=high).contains(&count)),
        Field::Real { .. } | Field::OptionalReal { .. } | Field::Flag(_) | Field::Choice { .. } => {
            true
        }
    };
    is_even && TABLE.iter().all(is_in_range)
}

/// The next bytes of the header.
fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], PackedError> {
    let (head, tail) = rest.split_first_chunk().ok_or(PackedError::Foreign)?;
    *rest = tail;
    Ok(*head)
}
