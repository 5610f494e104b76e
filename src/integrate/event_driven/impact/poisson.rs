//! Restitution phase of an impact by Poisson's hypothesis: contact `j` gets back `g = e c_n` of its normal compression impulse `c_n`.
//!
//! (1)  M (v+ - vc) = sum n (g + x) + sum t p,    0 <= n.v+ | x >= 0
//! (2)  |p| <= mu (g + x),    and where  w = t.v+ - s  is not zero:  p = -mu (g + x) w/|w|
//! (3)  s = t.M^-1 t r,    r = the fraction e_T of the friction impulse of compression, at most mu g
//! (4)  as printed in the papers:  M (v+ - vc) = sum n (g + x) + sum t (r + p),    (2) with g = 0 and s = 0
//!
//! (2) is Coulomb's law over the phase: sticking contacts have no sliding velocity at its end. With tangential restitution the contact has
//! stored the impulse `r`; its relaxation moves the contact point with `s`, including the response of joints, and friction acts on the
//! rest: a contact that sticks throughout gets back `r` and leaves with `s`. If contacts resist rotation, their moments obey (2) with s =
//! 0.

use super::solve;
use crate::integrate::StepError;
use crate::integrate::workspace::Workspace;
use crate::math::norm;
use crate::model::Model;
use crate::state::{State, Status};

// `level.impulse` <- r of (3), `level.restituted` <- g; false if all are zero
fn stored_impulses(model: &Model, workspace: &mut Workspace) -> bool {
    let Workspace {
        level,
        compression,
        restitution: e,
        ..
    } = workspace;
    level.impulse.fill(0.0);
    level.restituted.clear();
    for i in 0..level.contacts.len() {
        let given = e[i] * compression[level.normal(i)];
        let limit = level.friction[i] * given;
        let share = model.contacts[level.contacts[i]].tangential_restitution;
        let tangents = level.tangent_rows(i);
        let friction_impulse = share * norm(&compression[tangents.clone()]);
        let kept = if friction_impulse > limit {
            limit / friction_impulse
        } else {
            1.0
        };
        for row in tangents {
            level.impulse[row] = kept * (share * compression[row]);
        }
        level.restituted.push(given);
    }
    level.restituted.iter().any(|given| *given != 0.0)
}

/// (1) to (3): v+ in the state, all impulses in `workspace.impulse`.
pub(super) fn restitute(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
) -> Result<(), StepError> {
    if !stored_impulses(model, workspace) {
        state.velocity.clone_from(&workspace.compressed);
        return Ok(());
    }
    let relaxes = relax(workspace);
    let Workspace {
        level,
        compressed,
        impulse,
        scratch_position,
        relaxation,
        ..
    } = &mut *workspace;
    level.impulse.fill(0.0);
    for i in 0..level.contacts.len() {
        let normal = level.normal(i);
        level.impulse[normal] = level.restituted[i];
        impulse[normal] += level.restituted[i];
    }
    scratch_position.clone_from(compressed);
    level.add_response(scratch_position);
    level.bias_from(scratch_position);
    if relaxes {
        level
            .bias
            .iter_mut()
            .zip(relaxation)
            .for_each(|(b, s)| *b -= *s);
    }
    let solved = solve(model, state, workspace);
    let Workspace {
        level,
        impulse,
        scratch_position,
        ..
    } = workspace;
    level.restituted.clear();
    solved?;
    level.add_response(scratch_position);
    state.velocity.clone_from(scratch_position);
    for (total, more) in impulse.iter_mut().zip(&level.impulse) {
        *total += more;
    }
    Ok(())
}

// (3): s of all rows in `workspace.relaxation` from r in `level.impulse`; false if it is zero
fn relax(workspace: &mut Workspace) -> bool {
    let Workspace {
        level,
        joints,
        scratch_position,
        fixed_mode_solver,
        relaxation,
        ..
    } = workspace;
    if level.impulse.iter().all(|r| *r == 0.0) {
        return false;
    }
    relaxation.clone_from(&level.impulse);
    scratch_position.fill(0.0);
    level.add_response(scratch_position);
    // joints hold meanwhile; prescribed speeds do not contribute to a change of velocities
    level.bias.clear();
    let moved = level.rows.iter().map(|row| row.product(scratch_position));
    level.bias.extend(moved);
    level.solve_fixed_mode(joints, |_| Status::Open, fixed_mode_solver);
    level.add_response(scratch_position);
    // without stored impulse friction acts on the whole velocity
    for i in 0..level.contacts.len() {
        let tangents = level.tangent_rows(i);
        if relaxation[tangents.clone()].iter().any(|r| *r != 0.0) {
            for row in tangents {
                relaxation[row] = level.rows[row].product(scratch_position);
            }
        }
    }
    true
}

/// (4): v+ in the state, all impulses in `workspace.impulse`.
pub(super) fn restitute_as_printed(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
) -> Result<(), StepError> {
    if !stored_impulses(model, workspace) {
        state.velocity.clone_from(&workspace.compressed);
        return Ok(());
    }
    let Workspace {
        level,
        compressed,
        impulse,
        scratch_position,
        ..
    } = &mut *workspace;
    for i in 0..level.contacts.len() {
        let normal = level.normal(i);
        level.impulse[normal] = level.restituted[i];
    }
    level.restituted.clear();
    scratch_position.clone_from(compressed);
    level.add_response(scratch_position);
    for (total, given) in impulse.iter_mut().zip(&level.impulse) {
        *total += given;
    }
    level.bias_from(scratch_position);
    solve(model, state, workspace)?;
    let Workspace {
        level,
        impulse,
        scratch_position,
        ..
    } = workspace;
    level.add_response(scratch_position);
    state.velocity.clone_from(scratch_position);
    for (total, extra) in impulse.iter_mut().zip(&level.impulse) {
        *total += extra;
    }
    Ok(())
}
