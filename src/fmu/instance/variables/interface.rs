//! Which variables the model description shows, and which of them are outputs.

use super::scene_parameters::wrong_units;
use super::sensors::wrong_display_units;
use crate::fmu::instance::variable::{Causality, Variable};
use crate::model::{BodyRef, JointLink, Model};
use crate::scene::error::Problem;
use crate::scene::spec::Name;
use crate::scene::spec::interface::{Interface, Shown};

/// Applies the author's choice to the default interface.
pub(super) fn apply(rows: &mut [Variable], interface: &Interface) {
    for row in rows {
        match row.causality {
            Causality::Input => {}
            Causality::Parameter => {
                if let Some(chosen) = &interface.parameters {
                    row.is_listed = is_chosen(chosen, row);
                }
            }
            Causality::Output | Causality::Local => {
                if let Some(chosen) = &interface.outputs {
                    row.causality = match is_chosen(chosen, row) {
                        true => Causality::Output,
                        false => Causality::Local,
                    };
                }
                row.is_listed =
                    row.causality == Causality::Output || interface.variables == Shown::All;
            }
        }
    }
}

/// Checks the author's choice.
///
/// # Errors
/// Names that no variable has.
pub fn check(model: &Model) -> Result<(), Vec<Problem>> {
    let interface = &model.interface;
    let mut problems = wrong_display_units(model);
    problems.extend(wrong_units(model));
    if interface.outputs.is_some() || interface.parameters.is_some() {
        problems.extend(unmatched(&super::table(model), interface));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems)
}

fn unmatched(rows: &[Variable], interface: &Interface) -> Vec<Problem> {
    let of_kind =
        |chosen: &Option<Vec<Name>>, key: &str, what: &str, is_kind: fn(&Variable) -> bool| {
            let candidates: Vec<&Variable> = rows.iter().filter(|row| is_kind(row)).collect();
            let missing = chosen.iter().flatten().filter(|name| {
                let mut found = candidates.iter();
                !found.any(|row| matches(&name.text, &row.name))
            });
            let problems = missing.map(|name| Problem {
                place: name.place.clone(),
                key: format!("fmu.{key}"),
                message: format!("no {what} has the name \"{}\"", name.text),
                hint: hint(&name.text, &candidates),
            });
            problems.collect::<Vec<_>>()
        };
    let is_output = |row: &Variable| row.output().is_some();
    let is_parameter = |row: &Variable| row.causality == Causality::Parameter;
    let mut problems = of_kind(&interface.outputs, "outputs", "quantity", is_output);
    problems.extend(of_kind(
        &interface.parameters,
        "parameters",
        "parameter",
        is_parameter,
    ));
    problems
}

// the variables that share the longest start with a name
fn hint(name: &str, candidates: &[&Variable]) -> String {
    let common = |row: &Variable| {
        let pairs = row.name.bytes().zip(name.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let longest = candidates.iter().map(|row| common(row)).max().unwrap_or(0);
    let near: Vec<String> = candidates
        .iter()
        .filter(|row| longest > 0 && common(row) == longest)
        .take(4)
        .map(|row| format!("\"{}\"", row.name))
        .collect();
    let all = "`stiction describe` lists all variables";
    match near.is_empty() {
        true => all.to_owned(),
        false => format!("there is for example {}; {all}", near.join(", ")),
    }
}

fn is_chosen(chosen: &[Name], row: &Variable) -> bool {
    chosen.iter().any(|name| matches(&name.text, &row.name))
}

/// Does a pattern with `*` for any letters match the whole name?
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Which bodies the coordinates of their joints place completely, given the others? These are local variables by default.
pub(super) fn shown_by_joints(model: &Model) -> Vec<bool> {
    let mut is_placed = vec![false; model.bodies.len()];
    let mut by_joints = vec![false; model.bodies.len()];
    loop {
        while let Some(body) = model
            .joints
            .iter()
            .find_map(|joint| next(model, joint, &is_placed))
        {
            is_placed[body] = true;
            by_joints[body] = true;
        }
        // the first body of a mechanism that floats
        let Some(free) = is_placed.iter().position(|placed| !placed) else {
            return by_joints;
        };
        is_placed[free] = true;
    }
}

// the body that a joint places from the other one, which is placed already
fn next(model: &Model, link: &JointLink, is_placed: &[bool]) -> Option<usize> {
    let n_free = link.joint.description().coordinates.len();
    let dof = if model.is_spatial() { 6 } else { 3 };
    let n_rows = link.joint.row_names().len();
    let placed = |body: BodyRef| body.is_none_or(|b| is_placed[b]);
    let [a, b] = link.bodies;
    if n_free + n_rows != dof || placed(a) == placed(b) {
        return None;
    }
    let body = if placed(a) { b } else { a };
    body.filter(|b| model.bodies[*b].n_dof == dof)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, wanted) in [
            ("block.mass", "block.mass", true),
            ("block.mass", "block.mass2", false),
            ("block.*", "block.position.x", true),
            ("*.x", "block.position.x", true),
            ("*.x", "block.position.y", false),
            ("pair.*.force.*", "pair.a.on.b.force.x", true),
            ("pair.*.force.*", "pair.a.on.b.torque.x", false),
            ("*", "anything", true),
            ("a*a", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
