//! The identity of an FMU: a digest of its scene and of its variable table, so that a model description generated
//! from another scene or another version of the table is rejected.

use super::variable::{Kind, Variable};
use crate::scene::packed;
use sha2::{Digest, Sha256};

/// Digest in the form of a GUID.
pub fn guid(scene: &packed::Digest, table: &[Variable]) -> String {
    let mut digest = Sha256::new();
    digest.update(scene);
    for variable in table {
        for text in [&variable.name, &variable.description, unit(&variable.kind)] {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
        digest.update([
            variable.causality as u8,
            variable.variability as u8,
            u8::from(variable.is_listed),
        ]);
        for bound in bounds(&variable.kind) {
            // a missing bound is encoded as NaN
            digest.update(bound.unwrap_or(f64::NAN).to_bits().to_le_bytes());
        }
    }
    let bytes = digest.finalize();
    let hex: String = bytes
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!(
        "{{{}-{}-{}-{}-{}}}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// Unit of a real number, type of all others.
fn unit(kind: &Kind) -> &'static str {
    match kind {
        Kind::Real { unit, .. } => unit.name(),
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::Enumeration(enumeration) => enumeration.name,
    }
}

/// Smallest and largest value.
fn bounds(kind: &Kind) -> [Option<f64>; 2] {
    match kind {
        Kind::Real { min, max, .. } => [*min, *max],
        Kind::Integer { min, max } => [min.map(f64::from), max.map(f64::from)],
        Kind::Boolean | Kind::Enumeration(_) => [None; 2],
    }
}
