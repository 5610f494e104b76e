//! The identity of an FMU: a digest of its scene and of its table of variables, so that a model description that was made
//! from another scene, or by another version of the table, is refused.

use super::variable::Variable;
use crate::scene::packed;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Digest in the form of a GUID.
pub fn guid(scene: &packed::Digest, table: &[Variable]) -> String {
    let mut digest = Sha256::new();
    digest.update(scene);
    let mut row = String::new();
    for Variable {
        name,
        description,
        causality,
        variability,
        kind,
        source: _,
    } in table
    {
        row.clear();
        let what = (causality, variability, kind);
        let _ = writeln!(row, "{name} {description} {what:?}"); // a string takes all
        digest.update(row.as_bytes());
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
