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

/// Format number, incremented when fields or variants of `spec` are added, removed or reordered.
const FORM: u32 = 4;

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
    let mut reader = postcard::Deserializer::from_flavor(Numbers(Slice::new(rest)));
    let scene = Scene::deserialize(&mut reader).map_err(|_| PackedError::Content)?;
    let is_whole = reader.finalize().is_ok_and(<[u8]>::is_empty);
    if !is_whole || !has_counts_in_range(&scene.settings) {
        return Err(PackedError::Content);
    }
    Ok((scene, digest))
}

/// Checks that the bytes contain no NaN. The last of the eight bytes of a NaN is 0x7f or 0xff
/// after one above 0xef, which is not valid UTF-8: text is never mistaken for a NaN.
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
