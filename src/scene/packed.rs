//! A checked scene as bytes: what an FMU carries for its library, which then reads no text and no other file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `stiction` |
//! | 4 | number of this form |
//! | 20 | version of stiction, filled with zeros |
//! | 8 | length of what follows the digest |
//! | 32 | its digest, SHA-256 |
//! | | the scene in the form of `postcard`: fields in the order of `spec`, variants by their number |
//!
//! Nothing that the bytes say is trusted: what is allocated is in proportion to the bytes that are there, not to what they say.

use super::spec::settings::{Field, Setting, TABLE};
use super::spec::{FrictionCone, Scene, Settings};
use postcard::de_flavors::{Flavor, Slice};
use serde::Deserialize as _;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Name of the file in the resources of an FMU.
pub const FILE: &str = "scene.bin";

/// First bytes of the file.
const MARK: &[u8; 8] = b"stiction";

/// Number of this form: another one if fields or variants of `spec` come, go or move.
const FORM: u32 = 2;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes that the version may take.
const VERSION_LENGTH: usize = 20;

/// A digest of a scene: two that have the same are the same.
pub type Digest = [u8; 32];

/// Why bytes are no scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedError {
    /// They start like something else.
    Foreign,
    /// They were written by another version of stiction.
    Version {
        /// Number of their form.
        form: u32,
        /// Which version.
        version: String,
    },
    /// Some are missing, or there are too many.
    Length {
        /// Bytes that there should be, as far as they tell.
        expected: u64,
        /// Bytes that there are.
        found: usize,
    },
    /// They are not those that were written.
    Digest,
    /// They have the right digest but are no scene all the same.
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
                "the file should have {expected} bytes, but has {found}: it is cut off or damaged"
            ),
            Self::Digest => write!(
                f,
                "the file is damaged: its digest is not that of its bytes"
            ),
            Self::Content => write!(f, "the file is damaged: its bytes are not those of a scene"),
        }
    }
}

impl std::error::Error for PackedError {}

/// The bytes of a scene.
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
    // fails for types that `spec` does not have
    postcard::to_stdvec(scene).unwrap_or_default()
}

/// The digest of a scene.
pub fn digest(scene: &Scene) -> Digest {
    Sha256::digest(content(scene)).into()
}

/// The scene that bytes stand for, and its digest.
///
/// # Errors
/// Bytes that [`pack`] of this version did not write.
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
    let mut reader = postcard::Deserializer::from_flavor(Numbers(Slice::new(rest)));
    let scene = Scene::deserialize(&mut reader).map_err(|_| PackedError::Content)?;
    let is_whole = reader.finalize().is_ok_and(<[u8]>::is_empty);
    if !is_whole || !has_counts_in_range(&scene.settings) {
        return Err(PackedError::Content);
    }
    Ok((scene, digest))
}

/// Bytes without a floating-point number that is not a number. Such a number has eight bytes of which the last is 0x7f or 0xff
/// behind one above 0xef, which is no text in UTF-8: a text is never taken for one.
struct Numbers<'b>(Slice<'b>);

impl<'b> Flavor<'b> for Numbers<'b> {
    type Remainder = &'b [u8];
    type Source = &'b [u8];

    fn pop(&mut self) -> postcard::Result<u8> {
        self.0.pop()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }

    fn try_take_n(&mut self, n: usize) -> postcard::Result<&'b [u8]> {
        let bytes = self.0.try_take_n(n)?;
        match <[u8; 8]>::try_from(bytes).map(f64::from_le_bytes) {
            Ok(x) if x.is_nan() => Err(postcard::Error::DeserializeBadEncoding),
            _ => Ok(bytes),
        }
    }

    fn finalize(self) -> postcard::Result<&'b [u8]> {
        self.0.finalize()
    }
}

/// Are the counts of the settings those that a scene in text can have? Arrays have room for no more.
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
