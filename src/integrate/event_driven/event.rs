//! Event location inside a trial step.
//!
//! Collisions ([T] 7.2): the first root of each open gap on the cubic Hermite interpolant of the coordinates, also where the gap has a
//! negative minimum between two positive ends. Transitions ([T] 7.5): the first root of an event function over the length of the step,
//! which is repeated with the same statuses.

use super::assemble::{self, Closing};
use super::coefficients::Coefficients;
use super::trial::Curve;
use super::trial::{self, EventFunction, EventFunctionKind, Mode, Trial};
use super::{contact_band, rest_speed};
use crate::integrate::StepError;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::root::{bracketed, bracketed_or_zero};
use crate::math::{Limit, max_abs, square};
use crate::model::{Contact, ContactKind, Model, SEAM};
use crate::scene::spec::Settings;
use crate::state::State;
use std::cell::Cell;

/// Roots are located to this fraction of the step.
const ROOT_TOLERANCE: f64 = 1e-15;

/// Steps of Newton's method to the end of a step at a collision; two or three suffice where the step is resolved.
const MAX_NEWTON: u32 = 5;

/// A body may rotate by this angle between two samples of its gaps, rad: the minimum of a gap is then unique.
const SAMPLE_ANGLE: f64 = 0.2;

/// An angle between two bodies changes by at most this multiple of what one of them turns: both may turn, and the interpolant may be half
/// as fast again as its ends; with a margin for joints that are slightly open.
const TURNS: f64 = 4.0;

/// Bodies that move towards each other by less than this part of the gap of active contacts do not collide.
const STILL: f64 = 1e-3;

/// Gap and rate of a contact too far away to close in a step.
const FAR: (f64, f64) = (f64::MAX, 0.0);

/// Halvings of the step to find where a function that starts at zero becomes positive.
pub(super) const MAX_HALVINGS: u32 = 20;

/// Polygons in contact collide elsewhere when they overlap by this, m: more than a closed contact may be beyond the end of its edge.
const CLOSED_OVERLAP: f64 = 2e-9;

/// Polygons with flush neighbours collide as a whole when they overlap by this, m: internal faces are not distinguished, and steps up to
/// two seam widths are ignored.
const SEAM_OVERLAP: f64 = 3.0 * SEAM;

/// Result of the event functions of a trial step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transition {
    /// The statuses hold to its end.
    None,
    /// They hold up to this length, where this function is zero; the trial step ends there.
    At(f64, EventFunctionKind),
    /// They are violated from the start.
    Contradiction,
}

/// A gap that closes during the trial step, and a bracket of its time since the start of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub what: Closing,
    pub open: f64,
    pub time: f64,
    pub closed: f64,
}

/// The first transition of the trial step, whose event functions are in the workspace.
pub(super) fn transition(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    scheme: &Coefficients,
) -> Result<Transition, StepError> {
    workspace.contradicted = None;
    if !workspace.event_functions.iter().any(is_violated) {
        return Ok(Transition::None);
    }
    let mut end = workspace.trial.h;
    let mut located = None;
    start_functions(model, state, workspace);
    // each iteration locates one violated function; another one may be violated before it
    while let Some(index) = workspace.event_functions.iter().position(is_violated) {
        let what = workspace.event_functions[index].what;
        let end_value = workspace.event_functions[index].value;
        // dependence of constraints may differ between start and end; a missing function is zero
        let start = workspace
            .start_functions
            .iter()
            .find(|function| function.what == what);
        let start = start.copied().unwrap_or(EventFunction {
            value: 0.0,
            ..workspace.event_functions[index]
        });
        let failure = Cell::new(None);
        let last = Cell::new(f64::NAN);
        let value = |workspace: &mut Workspace, h: f64| {
            last.set(h);
            let evaluated = trial::take(
                model,
                state,
                workspace,
                settings,
                scheme,
                Mode::FixedMode,
                h,
            );
            if let Err(error) = evaluated {
                failure.set(Some(error));
                return 0.0;
            }
            trial::evaluate_end(model, state, workspace);
            let found = workspace
                .event_functions
                .iter()
                .find(|function| function.what == what);
            found.map_or(-1.0, |function| function.value)
        };
        let mut open = (0.0, start.value);
        if start.value <= start.tolerance {
            let mut h = end;
            for _ in 0..MAX_HALVINGS {
                h *= 0.5;
                let at_h = value(workspace, h);
                if at_h > start.tolerance {
                    open = (h, at_h);
                }
                if open.0 > 0.0 || failure.get().is_some() {
                    break;
                }
            }
            if open.0 == 0.0 {
                workspace.contradicted = Some(what);
                return failure.get().map_or(Ok(Transition::Contradiction), Err);
            }
        }
        let root = bracketed_or_zero(
            |h| value(workspace, h),
            open,
            (end, end_value),
            ROOT_TOLERANCE * end,
            zero_of(&start),
        );
        if root != last.get() {
            value(workspace, root);
        }
        if let Some(error) = failure.get() {
            return Err(error);
        }
        if located.is_some() && root >= end {
            break;
        }
        end = root;
        located = Some(what);
        // the located function is zero to rounding: do not locate it again
        for function in &mut workspace.event_functions {
            if function.what == what {
                function.value = 0.0;
            }
        }
    }
    Ok(match located {
        Some(what) if end > 0.0 => Transition::At(end, what),
        // a step without length has no collisions
        what => {
            workspace.contradicted = what;
            Transition::Contradiction
        }
    })
}

// an event function this small is zero: a part of its tolerance, which covers its rounding with a margin
fn zero_of(function: &EventFunction) -> f64 {
    match function.what {
        // its tolerance is a distance at the end of the edge
        EventFunctionKind::Edge(_) => f64::EPSILON,
        // never violated themselves
        EventFunctionKind::PairForward(_)
        | EventFunctionKind::PairBackward(_)
        | EventFunctionKind::Redundant => 0.0,
        EventFunctionKind::NormalForce(_)
        | EventFunctionKind::ConeForward(_)
        | EventFunctionKind::ConeBackward(_)
        | EventFunctionKind::Cone(_)
        | EventFunctionKind::Sliding(_)
        | EventFunctionKind::SpinForward(_)
        | EventFunctionKind::SpinBackward(_)
        | EventFunctionKind::Spinning(_)
        | EventFunctionKind::RollingCone(_)
        | EventFunctionKind::Rolling(_)
        | EventFunctionKind::ElementSliding(_)
        | EventFunctionKind::ElementForward(_)
        | EventFunctionKind::ElementBackward(_)
        | EventFunctionKind::ElementLoad(_)
        | EventFunctionKind::ServoUpper(_)
        | EventFunctionKind::ServoLower(_)
        | EventFunctionKind::ServoInside(_)
        | EventFunctionKind::Pressing(_)
        | EventFunctionKind::Separation(_) => 0.1 * function.tolerance,
    }
}

pub(super) fn is_violated(function: &EventFunction) -> bool {
    function.value < -function.tolerance
}

fn start_functions(model: &Model, state: &State, workspace: &mut Workspace) {
    std::mem::swap(
        &mut workspace.event_functions,
        &mut workspace.start_functions,
    );
    let start = (state.time, Side::After);
    trial::evaluate(
        model,
        workspace,
        &state.status,
        start,
        &state.position,
        &state.velocity,
    );
    std::mem::swap(
        &mut workspace.event_functions,
        &mut workspace.start_functions,
    );
}

/// The first gap of a monitored contact that closes between the state and the end of the trial step.
pub(super) fn collision(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    mode: Mode,
) -> Option<Crossing> {
    evaluate_end_gaps(model, state, workspace);
    let mut first: Option<Crossing> = None;
    let mut watch = |workspace: &mut Workspace, what: Closing| {
        if let Some(found) = first_crossing(model, state, workspace, settings, what)
            && first.is_none_or(|f| found.time < f.time)
        {
            first = Some(found);
        }
    };
    for i in 0..workspace.within_reach.len() {
        let pair = workspace.within_reach[i].0.clone();
        let leader = pair.start;
        let mut all_open = true;
        for contact in pair {
            if workspace.watched[contact] {
                if workspace.start_gap[contact] != FAR {
                    watch(workspace, Closing::Contact(contact));
                }
            } else {
                all_open = false;
            }
        }
        if model.contacts[leader].compliance.is_some() {
            continue;
        }
        if all_open {
            let has_seams = model.contacts[leader].seams.any();
            let slack = if has_seams { SEAM_OVERLAP } else { 0.0 };
            watch(workspace, Closing::Polygons(leader, slack));
        } else if mode == Mode::FixedMode {
            watch(workspace, Closing::Polygons(leader, CLOSED_OVERLAP));
        }
    }
    first
}

// gaps and rates of the monitored contacts at both ends of the trial step, where shapes are close enough
fn evaluate_end_gaps(model: &Model, state: &State, workspace: &mut Workspace) {
    assemble::gaps(model, workspace, &state.position);
    find_within_reach(model, state, workspace);
    let mut end = std::mem::take(&mut workspace.trial);
    for (at_end, q, v) in [
        (false, &state.position, &state.velocity),
        (true, &end.position, &end.velocity),
    ] {
        let Workspace {
            poses,
            within_reach,
            watched,
            start_gap,
            end_gap,
            gap,
            ..
        } = &mut *workspace;
        for (pair, way) in within_reach {
            if at_end {
                let bodies = model.bodies_of_contact(&model.contacts[pair.start]);
                model.poses_of(bodies, q, poses);
            }
            for j in pair.clone().filter(|j| watched[*j]) {
                // a gap that is known and too wide to close
                let is_far = gap[j] < f64::MAX && gap[j] > *way;
                let value = if is_far {
                    FAR
                } else {
                    model
                        .gap_and_rate(&model.contacts[j], poses, v)
                        .unwrap_or((f64::INFINITY, 0.0))
                };
                let gaps = if at_end {
                    &mut *end_gap
                } else {
                    &mut *start_gap
                };
                gaps[j] = value;
            }
        }
    }
    std::mem::swap(&mut workspace.trial, &mut end);
}

// pairs of shapes whose clearance at the start, with its poses in the workspace, may be used up by the motion
fn find_within_reach(model: &Model, state: &State, workspace: &mut Workspace) {
    let Workspace {
        poses,
        near,
        within_reach,
        fastest,
        trial,
        gap,
        ..
    } = workspace;
    fastest.clear();
    let (mut first, mut second): (f64, f64) = (0.0, 0.0);
    for body in &model.bodies {
        let span = body.first..body.first + body.n_dof;
        let speed = |v: &[f64]| {
            let size = |angular: bool| {
                let parts = span.clone().filter(|i| model.angular[*i] == angular);
                parts.map(|i| v[i] * v[i]).sum::<f64>().sqrt()
            };
            let spin = size(true);
            let turning = if spin > 0.0 { body.extent * spin } else { 0.0 };
            size(false) + turning
        };
        let most = speed(&state.velocity).at_least(speed(&trial.velocity));
        if most > first {
            (first, second) = (most, first);
        } else {
            second = second.at_least(most);
        }
        fastest.push(most);
    }
    // the interpolant may be half as fast again as its ends
    let way = 1.5 * trial.h;
    let (slow, band) = (rest_speed(&state.velocity), near.band);
    near.find_within_step(model, poses, way * (first + second), gap);
    within_reach.clear();
    within_reach.extend(near.pairs().filter_map(|pair| {
        let contact = &model.contacts[pair.start];
        let bodies = contact.bodies.into_iter().flatten();
        let speed = bodies.map(|b| fastest[b]).sum::<f64>();
        let way = way * speed;
        let is_stop = matches!(contact.kind, ContactKind::Limit(_));
        let is_still = !is_stop && speed <= 0.5 * slow && way <= STILL * band;
        if is_still && gap[pair.clone()].iter().all(|gap| *gap >= -band) {
            return None;
        }
        let clearance = model.clearance(contact, poses);
        // the stops of a joint may be angles
        let way = match is_stop {
            true if model.limits_turn(contact) => TURNS * most_turn(model, state, trial, contact),
            true => f64::INFINITY,
            false => way,
        };
        (clearance <= 0.0 || clearance <= way).then_some((pair, way))
    }));
}

/// A trial step that ends at a located collision may penetrate another contact, whose gap closed and opened again between two samples of
/// the longer step: the first of these. The located contact is no longer monitored.
pub(super) fn missed_collision(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    mode: Mode,
) -> Option<Crossing> {
    let end = std::mem::take(&mut workspace.trial.position);
    assemble::gaps(model, workspace, &end);
    workspace.trial.position = end;
    let band = contact_band(settings, workspace.standard_step);
    let overlaps = |j: usize| workspace.watched[j] && workspace.gap[j] < -band;
    if !workspace.near.contacts().any(overlaps) {
        return None;
    }
    collision(model, state, workspace, settings, mode)
        .filter(|found| found.time < workspace.trial.h)
}

/// The contact that closes at the state; of two polygons the one that touches.
pub(super) fn contact_of(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    what: Closing,
) -> usize {
    let index = match what {
        Closing::Contact(index) => return index,
        Closing::Polygons(index, _) => index,
    };
    assemble::gaps(model, workspace, &state.position);
    let pair = model.contacts[index].pair;
    let of_pair = (index..model.contacts.len()).take_while(|j| model.contacts[*j].pair == pair);
    of_pair
        .min_by(|i, j| workspace.gap[*i].total_cmp(&workspace.gap[*j]))
        .unwrap_or(index)
}

// gap and rate at a time since the start of the step, on the interpolant
fn gap_at(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    what: Closing,
    time: f64,
) -> (f64, f64) {
    let (Closing::Contact(contact) | Closing::Polygons(contact, _)) = what;
    let mut q = std::mem::take(&mut workspace.scratch_position);
    let mut v = std::mem::take(&mut workspace.sample_velocity);
    let bodies = model.bodies_of_contact(&model.contacts[contact]);
    for body in bodies.flatten() {
        let body = &model.bodies[body];
        workspace
            .trial
            .body_at(model, body, state, time, &mut q, &mut v);
    }
    let result = assemble::closing(model, workspace, what, &q, &v);
    workspace.scratch_position = q;
    workspace.sample_velocity = v;
    result
}

fn first_crossing(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    what: Closing,
) -> Option<Crossing> {
    let h = workspace.trial.h;
    let band = contact_band(settings, workspace.standard_step);
    // closed contacts are closed at both ends, not along the interpolant between them
    let ends_only = matches!(what, Closing::Polygons(_, slack) if slack == CLOSED_OVERLAP);
    let n_samples = if ends_only {
        1
    } else {
        n_samples(model, state, workspace, what)
    };
    let gap = |workspace: &mut Workspace, time: f64| match what {
        Closing::Contact(j) if time == 0.0 => workspace.start_gap[j],
        Closing::Contact(j) if time == h => workspace.end_gap[j],
        Closing::Contact(_) | Closing::Polygons(..) => gap_at(model, state, workspace, what, time),
    };
    let (mut t0, (mut g0, mut d0)) = (0.0, gap(workspace, 0.0));
    for i in 1..=n_samples {
        let t1 = if i == n_samples {
            h
        } else {
            h * i as f64 / n_samples as f64
        };
        let (g1, d1) = gap(workspace, t1);
        let mut closed = (t1, g1);
        if !ends_only && g1 >= 0.0 && g0 > 0.0 && d0 < 0.0 && d1 > 0.0 {
            // open at both ends, with a minimum in between
            let tolerance = ROOT_TOLERANCE * h;
            let bottom = bracketed(|t| gap(workspace, t).1, (t0, d0), (t1, d1), tolerance);
            closed = (bottom, gap(workspace, bottom).0);
        }
        if closed.1 < 0.0 {
            // a gap that starts closed must open before it can close
            let open = if g0 > 0.0 {
                Some((t0, g0))
            } else {
                first_opening(|t| gap(workspace, t).0, t0, t1)
            };
            if let Some(open) = open {
                let time = bracketed(|t| gap(workspace, t).0, open, closed, ROOT_TOLERANCE * h);
                let approaches = gap(workspace, time).1 < -rest_speed(&state.velocity);
                // a gap within rounding of zero does not collide
                if approaches || closed.1 <= -band {
                    return Some(Crossing {
                        what,
                        open: open.0,
                        time,
                        closed: closed.0,
                    });
                }
            } else if closed.1 < -band {
                return Some(Crossing {
                    what,
                    open: t0,
                    time: t0,
                    closed: t0,
                });
            }
        }
        (t0, g0, d0) = (t1, g1, d1);
    }
    None
}

fn first_opening(mut gap: impl FnMut(f64) -> f64, t0: f64, t1: f64) -> Option<(f64, f64)> {
    let mut width = t1 - t0;
    for _ in 0..MAX_HALVINGS {
        width *= 0.5;
        let value = gap(t0 + width);
        if value > 0.0 {
            return Some((t0 + width, value));
        }
    }
    None
}

// by how much a body of a contact may turn in the trial step, rad
fn most_turn(model: &Model, state: &State, trial: &Trial, contact: &Contact) -> f64 {
    let mut turn: f64 = 0.0;
    for body in model.bodies_of_contact(contact).flatten() {
        let body = &model.bodies[body];
        let turning = body.first..body.first + body.n_dof;
        let rate = |v: &[f64]| {
            let angular = turning.clone().filter(|i| model.angular[*i]);
            angular.map(|i| v[i] * v[i]).sum::<f64>().sqrt()
        };
        let rate = rate(&state.velocity).at_least(rate(&trial.velocity));
        turn = turn.at_least(rate * trial.h);
    }
    turn
}

// by how much the direction of a rope may turn, rad: at most by that of a body that moves across it
fn most_swing(model: &Model, trial: &Trial, contact: usize) -> f64 {
    let Some(length) = model.rope_length(contact) else {
        return 0.0;
    };
    let bodies = model.bodies_of_contact(&model.contacts[contact]).flatten();
    let speeds = bodies.map(|body| {
        let body = &model.bodies[body];
        let span = body.first..body.first + body.n_dof;
        let linear = span.filter(|i| !model.angular[*i]);
        linear
            .map(|i| square(trial.velocity[i]))
            .sum::<f64>()
            .sqrt()
    });
    speeds.fold(0.0, Limit::at_least) * trial.h / length
}

fn n_samples(model: &Model, state: &State, workspace: &Workspace, what: Closing) -> usize {
    let (Closing::Contact(contact) | Closing::Polygons(contact, _)) = what;
    let turn = most_turn(model, state, &workspace.trial, &model.contacts[contact])
        + most_swing(model, &workspace.trial, contact);
    let (least, most) = match workspace.trial.curve {
        Curve::Cubic => (1.0, 64.0),
        Curve::Quintic => (4.0, 128.0),
    };
    // NaN and extreme rates end at the upper bound
    (least + turn / SAMPLE_ANGLE).at_most(most) as usize
}

/// Repeats the step so that it ends where the closing gap is zero, and returns its length.
pub(super) fn restep_to(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    scheme: &Coefficients,
    mode: Mode,
    crossing: &Crossing,
) -> Result<f64, StepError> {
    let failure = Cell::new(None);
    let gap = |workspace: &mut Workspace, h: f64| {
        if let Err(error) = trial::take(model, state, workspace, settings, scheme, mode, h) {
            failure.set(Some(error));
            return (0.0, 0.0);
        }
        let end = std::mem::take(&mut workspace.trial);
        let at_end = assemble::closing(
            model,
            workspace,
            crossing.what,
            &end.position,
            &end.velocity,
        );
        workspace.trial = end;
        at_end
    };
    let rounding = gap_rounding(model, &workspace.trial.position, crossing.what);
    let mut root = newton(|h| gap(workspace, h), crossing, rounding);
    if root.is_none() && failure.get().is_none() {
        let at = bracket(|h| gap(workspace, h).0, crossing);
        gap(workspace, at);
        root = Some(at);
    }
    failure.get().map_or(Ok(root.unwrap_or(crossing.time)), Err)
}

// rounding error of a gap, m: that of the coordinates of its bodies
fn gap_rounding(model: &Model, q: &[f64], what: Closing) -> f64 {
    let (Closing::Contact(contact) | Closing::Polygons(contact, _)) = what;
    let bodies = model.bodies_of_contact(&model.contacts[contact]).flatten();
    let sizes = bodies.map(|body| {
        let body = &model.bodies[body];
        max_abs(&q[body.first..body.first + body.n_dof])
    });
    f64::EPSILON * sizes.fold(0.0, Limit::at_least)
}

// the length of a step from the root of the interpolant, by its gap and rate: the two curves differ by the third order of the step. The
// last step taken is the one that is returned; none if this does not converge
fn newton(
    mut gap: impl FnMut(f64) -> (f64, f64),
    crossing: &Crossing,
    rounding: f64,
) -> Option<f64> {
    let Crossing {
        open, time, closed, ..
    } = *crossing;
    let (mut h, mut last) = (time, f64::INFINITY);
    for _ in 0..MAX_NEWTON {
        let (apart, rate) = gap(h);
        if apart.abs() <= rounding && rate < 0.0 {
            return Some(h);
        }
        let next = h - apart / rate;
        if apart.abs() > 0.1 * last
            || rate >= 0.0
            || !(open..=closed).contains(&next)
            || next <= 0.0
        {
            return None;
        }
        if (next - h).abs() <= ROOT_TOLERANCE * closed {
            return Some(h);
        }
        (h, last) = (next, apart.abs());
    }
    None
}

// the same between brackets
fn bracket(mut gap: impl FnMut(f64) -> f64, crossing: &Crossing) -> f64 {
    let Crossing {
        open, time, closed, ..
    } = *crossing;
    let width = 1e-3 * (closed - open);
    let (mut early, mut late) = ((open, f64::NAN), (closed, f64::NAN));
    let near = [time - width, time + width].map(|h| h.clamp(open, closed));
    for h in near.into_iter().filter(|h| *h > 0.0) {
        let value = gap(h);
        if value > 0.0 {
            early = (h, value);
        } else if late.1.is_nan() {
            late = (h, value);
        }
    }
    if early.1.is_nan() {
        early.1 = if open > 0.0 {
            gap(open)
        } else {
            f64::MIN_POSITIVE
        };
        // stiff modes move differently in a shorter step: gaps open earlier, and close earlier too
        for _ in 0..MAX_HALVINGS {
            if early.1 > 0.0 {
                break;
            }
            late = early;
            early.0 *= 0.5;
            early.1 = gap(early.0);
        }
    }
    if late.1.is_nan() {
        late.1 = gap(closed);
    }
    if early.1 > 0.0 && late.1 < 0.0 {
        bracketed(gap, early, late, ROOT_TOLERANCE * closed)
    } else {
        time
    }
}

/// Ends the trial step at a time since its start, on the interpolant ([T] 7.3).
pub(super) fn interpolate_to(model: &Model, state: &State, workspace: &mut Workspace, time: f64) {
    let Workspace {
        trial,
        sample_position,
        sample_velocity,
        ..
    } = workspace;
    trial.at(model, state, time, sample_position, sample_velocity);
    trial.position.clone_from(sample_position);
    trial.velocity.clone_from(sample_velocity);
    for (i, average) in trial.average.iter_mut().enumerate() {
        *average = 0.5 * (state.velocity[i] + trial.velocity[i]);
    }
    trial.losses.scale(time / trial.h);
    trial.h = time;
}
