//! The identity of an FMU: a digest of its scene, of the shapes in its other files and of its table of variables, so that a model description that was
//! made from another scene, or by another version of the table, is refused.

use super::variable::Variable;
use crate::model::Model;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Digest in the form of a GUID.
pub fn guid(scene_text: &str, model: &Model, table: &[Variable]) -> String {
    let mut digest = Sha256::new();
    digest.update(scene_text.as_bytes());
    let mut row = String::new();
    for variable in table {
        row.clear();
        let _ = writeln!(row, "{variable:?}"); // a string takes all
        digest.update(row.as_bytes());
    }
    for (name, corners) in &model.files {
        digest.update(name.as_bytes());
        for x in corners.iter().flat_map(|corner| corner.iter()) {
            digest.update(x.to_le_bytes());
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
