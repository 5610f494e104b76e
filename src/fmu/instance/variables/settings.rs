//! Settings that are parameters of the FMU.

use super::Table;
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::parameter::Range::{self, NotNegative, Positive, Within};
use crate::fmu::instance::variable::{Enumeration, Kind, Unit, Variability};
use crate::model::Model;
use crate::scene::spec::{
    EventState, ImpactLaw, MAX_ROWS, MAX_STEP_WORK, ReportedVelocity, Scheme, Settings,
};

const SCHEMES: [Scheme; 7] = [
    Scheme::Trapezoidal,
    Scheme::TrapezoidalPrinted,
    Scheme::TrapezoidalAverage,
    Scheme::ImplicitEuler,
    Scheme::ExplicitEuler,
    Scheme::PositionEuler,
    Scheme::Extrapolated,
];
/// Number of the scene's own alpha and gamma, which cannot be set from outside.
const GENERAL: i32 = SCHEMES.len() as i32 + 1;
const LAWS: [ImpactLaw; 4] = [
    ImpactLaw::Poisson,
    ImpactLaw::Newton,
    ImpactLaw::Expedient,
    ImpactLaw::PoissonPrinted,
];
const VELOCITIES: [ReportedVelocity; 2] = [ReportedVelocity::End, ReportedVelocity::Average];
const STATES: [EventState; 2] = [EventState::Restep, EventState::Interpolant];

/// Place of an item in its enumeration, from 1; 0 if it has none.
fn number_of<T: PartialEq>(items: &[T], item: &T) -> i32 {
    let place = items.iter().position(|x| x == item);
    place.map_or(0, |i| i as i32 + 1)
}

// false for a number that is of no item
fn take<T: Copy>(items: &[T], number: i32, place: &mut T) -> bool {
    let item = usize::try_from(number - 1).ok().and_then(|i| items.get(i));
    item.map(|item| *place = *item).is_some()
}

/// Name, description, type and place of a setting; is it one of time stepping, too?
struct Row(&'static str, &'static str, (Kind, Place), bool);

macro_rules! real {
    ($unit:ident, $range:expr, |$settings:ident| $place:expr) => {{
        let range = $range;
        let place = Place::Real(
            range,
            |_, $settings, _| $place,
            |_, $settings, _, x| $place = x,
        );
        (range.kind(Unit::$unit), place)
    }};
}

macro_rules! count {
    ($min:expr, $max:expr, |$settings:ident| $place:expr) => {{
        let kind = Kind::Integer {
            min: Some($min),
            max: Some($max),
        };
        let set = |$settings: &mut Settings, x: i32| {
            let fits = ($min..=$max).contains(&x);
            if fits {
                $place = x as u32;
            }
            fits
        };
        (kind, Place::Integer(|$settings| $place as i32, set))
    }};
}

macro_rules! flag {
    (|$settings:ident| $place:expr) => {
        (
            Kind::Boolean,
            Place::Boolean(|$settings| $place, |$settings, x| $place = x),
        )
    };
}

macro_rules! choice {
    ($enumeration:ident, $items:ident, |$settings:ident| $place:expr) => {
        (
            Kind::Enumeration(Enumeration::$enumeration),
            Place::Integer(
                |$settings| number_of(&$items, &$place),
                |$settings, x| take(&$items, x, &mut $place),
            ),
        )
    };
}

impl Table {
    pub(super) fn settings(&mut self, model: &Model) {
        let is_time_stepping = model.time_stepping.is_some();
        for Row(name, what, (kind, place), in_time_stepping) in rows() {
            if in_time_stepping || !is_time_stepping {
                let (name, place) = (format!("settings.{name}"), ([0; 2], place));
                self.parameter(name, what, Variability::Fixed, kind, place);
            }
        }
    }
}

#[rustfmt::skip] // a table: one row a line
fn rows() -> [Row; 25] {
    [
        Row("step", "standard step", real!(Second, Positive, |s| s.step), true),
        Row("tolerance", "bound on the error of a step, relative to nominal sizes and values; 0: steps of fixed length", tolerance(), false),
        Row("max_step", "longest step that the tolerance may choose", real!(Second, Positive, |s| s.max_step), false),
        Row("rows", "rows of the extrapolation, whose order is twice as much", count!(2, MAX_ROWS as i32, |s| s.rows), false),
        Row("nominal_length", "length that the tolerance refers to", real!(Meter, Positive, |s| s.nominal.length), false),
        Row("nominal_angle", "angle that the tolerance refers to", real!(Radian, Positive, |s| s.nominal.angle), false),
        Row("nominal_speed", "speed that the tolerance refers to", real!(MeterPerSecond, Positive, |s| s.nominal.speed), false),
        Row("nominal_rotation", "rate of rotation that the tolerance refers to", real!(RadianPerSecond, Positive, |s| s.nominal.rotation), false),
        Row("scheme", "integration scheme", scheme(), false),
        Row("impact_law", "impact law", choice!(ImpactLaw, LAWS, |s| s.impact_law), false),
        Row("locate_collisions", "find collisions inside a step", flag!(|s| s.locate_collisions), false),
        Row("locate_transitions", "find stick-slip, reversal and take-off inside a step", locate_transitions(), false),
        Row("event_state", "where the state at an event comes from", choice!(EventState, STATES, |s| s.event_state), false),
        Row("projection", "close joints and contacts after each step", flag!(|s| s.projection), false),
        Row("damping_steps", "damping steps after an impact where something is stiff", count!(0, 1000, |s| s.damping_steps), false),
        Row("active_gap", "a contact is active below this gap", real!(Meter, NotNegative, |s| s.active_gap), false),
        Row("active_gap_cubic", "or below this times the cube of the step", real!(MeterPerSecond3, NotNegative, |s| s.active_gap_cubic), false),
        Row("restitution_threshold", "scale of the approach speed below which nothing bounces", real!(One, NotNegative, |s| s.restitution_threshold), true),
        Row("energy_guard", "hold back impacts that would gain energy", flag!(|s| s.impact_energy_limit), false),
        Row("reported_velocity", "which velocity is reported", choice!(ReportedVelocity, VELOCITIES, |s| s.reported_velocity), true),
        Row("max_substeps", "substeps in a standard step at most", count!(1, 1_000_000, |s| s.max_substeps), false),
        Row("min_substep", "shortest substep as a fraction of the standard step", real!(One, Within(1e-15, 0.5), |s| s.min_substep), false),
        Row("fixed_point_iterations", "rounds of the position-level scheme", count!(1, 1000, |s| s.fixed_point_iterations), false),
        Row("return_at_event", "a communication step ends at its first event, for masters that restore states", flag!(|s| s.return_at_event), false),
        Row("max_step_work", "factorizations at most in each standard step of a communication step", count!(1, MAX_STEP_WORK as i32, |s| s.max_step_work), true),
    ]
}

fn tolerance() -> (Kind, Place) {
    let place = Place::Real(
        Range::Tolerance,
        |_, s, _| s.tolerance.unwrap_or(0.0),
        |_, s, _, x| s.tolerance = (x > 0.0).then_some(x),
    );
    (Range::Tolerance.kind(Unit::One), place)
}

fn scheme() -> (Kind, Place) {
    let place = Place::Integer(
        |s| match s.scheme {
            Scheme::General { .. } => GENERAL,
            scheme => number_of(&SCHEMES, &scheme),
        },
        |s, x| match x {
            GENERAL => matches!(s.scheme, Scheme::General { .. }),
            x => take(&SCHEMES, x, &mut s.scheme),
        },
    );
    (Kind::Enumeration(Enumeration::Scheme), place)
}

// without a word on it, the scheme decides
fn locate_transitions() -> (Kind, Place) {
    let place = Place::Boolean(
        |s| s.locates_transitions(),
        |s, x| s.locate_transitions = Some(x),
    );
    (Kind::Boolean, place)
}
