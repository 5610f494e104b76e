//! `[settings]`: how to integrate.

use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{
    Dimension, EventState, FrictionCone, ImpactLaw, MAX_ROWS, MAX_STEP_WORK, Nominal,
    ReportedVelocity, Scheme, Settings, TOLERANCE,
};
use crate::scene::value::Value;

/// The words for `scheme`; `general` takes its weights from two more keys.
const SCHEMES: &[(&str, Scheme)] = &[
    ("trapezoidal", Scheme::Trapezoidal),
    ("trapezoidal_printed", Scheme::TrapezoidalPrinted),
    ("trapezoidal_average", Scheme::TrapezoidalAverage),
    ("extrapolated", Scheme::Extrapolated),
    ("implicit_euler", Scheme::ImplicitEuler),
    ("explicit_euler", Scheme::ExplicitEuler),
    ("position_euler", Scheme::PositionEuler),
    (
        "general",
        Scheme::General {
            alpha: 0.5,
            gamma: 0.5,
        },
    ),
];

impl Default for Settings {
    fn default() -> Self {
        Self {
            scheme: Scheme::Trapezoidal,
            step: 0.01,
            tolerance: None,
            // Friction and normal forces are looked at in quarters of a step.
            max_step: 1.0,
            // Order eight: the least work from 1e-4 to 1e-10.
            rows: 4,
            nominal: Nominal {
                length: 1.0,
                angle: 1.0,
                speed: 1.0,
                rotation: 1.0,
            },
            // A nanometre: above rounding at the metre, far below anything that matters to a machine.
            active_gap: 1e-9,
            // The right factor is about the third derivative of the gap, which only the scene's author knows.
            active_gap_cubic: 0.0,
            locate_collisions: true,
            locate_transitions: None,
            event_state: EventState::Restep,
            projection: true,
            energy_correction: true,
            // One cures the ringing that an impact starts in a very stiff damper, two also in a moderately stiff one.
            damping_steps: 2,
            min_substep: 1e-9,
            max_substeps: 200,
            // Ten times what the hardest of the usual scenes take.
            max_step_work: 20_000,
            impact_law: ImpactLaw::Poisson,
            impact_energy_limit: true,
            // The speed that a contact's acceleration gives in one step: what bounces lower lies still in the next.
            restitution_threshold: 1.0,
            reported_velocity: ReportedVelocity::End,
            fixed_point_iterations: 1,
            // Only masters that save and restore states can use it.
            return_at_event: false,
            friction_cone: FrictionCone::Exact,
        }
    }
}

/// Reads the table, with its defaults, for a run up to `until`, s.
pub fn read(mut t: Table<'_>, until: f64, in_time_stepping: bool) -> Settings {
    let default = Settings::default();
    let scheme = scheme(&mut t);
    let settings = Settings {
        scheme,
        step: t.number_or("step", Range::POSITIVE, default.step),
        tolerance: tolerance(&mut t, scheme),
        max_step: t.number_or("max_step", Range::POSITIVE, default.max_step),
        rows: t.count_or("rows", 2, MAX_ROWS, default.rows),
        nominal: Nominal {
            length: t.number_or("nominal_length", Range::POSITIVE, default.nominal.length),
            angle: t.number_or("nominal_angle", Range::POSITIVE, default.nominal.angle),
            speed: t.number_or("nominal_speed", Range::POSITIVE, default.nominal.speed),
            rotation: t.number_or(
                "nominal_rotation",
                Range::POSITIVE,
                default.nominal.rotation,
            ),
        },
        active_gap: t.number_or("active_gap", Range::NOT_NEGATIVE, default.active_gap),
        active_gap_cubic: t.number_or(
            "active_gap_cubic",
            Range::NOT_NEGATIVE,
            default.active_gap_cubic,
        ),
        locate_collisions: t.flag_or("locate_collisions", default.locate_collisions),
        locate_transitions: t.flag("locate_transitions"),
        event_state: t.choice_or(
            "event_state",
            &[
                ("restep", EventState::Restep),
                ("interpolant", EventState::Interpolant),
            ],
            default.event_state,
        ),
        projection: t.flag_or("projection", default.projection),
        energy_correction: t.flag_or("energy_correction", default.energy_correction),
        damping_steps: t.count_or("damping_steps", 0, 1000, default.damping_steps),
        // Below the rounding of a step's end nothing can be located; at one every substep would be too short.
        min_substep: t.number_or(
            "min_substep",
            Range::new("from 1e-15 to 0.5", 1e-15, 0.5),
            default.min_substep,
        ),
        max_substeps: t.count_or("max_substeps", 1, 1_000_000, default.max_substeps),
        max_step_work: t.count_or("max_step_work", 1, MAX_STEP_WORK, default.max_step_work),
        impact_law: t.choice_or(
            "impact_law",
            &[
                ("poisson", ImpactLaw::Poisson),
                ("newton", ImpactLaw::Newton),
                ("expedient", ImpactLaw::Expedient),
                ("poisson_printed", ImpactLaw::PoissonPrinted),
            ],
            default.impact_law,
        ),
        impact_energy_limit: t.flag_or("energy_guard", default.impact_energy_limit),
        restitution_threshold: t.number_or(
            "restitution_threshold",
            Range::NOT_NEGATIVE,
            default.restitution_threshold,
        ),
        reported_velocity: t.choice_or(
            "reported_velocity",
            &[
                ("end", ReportedVelocity::End),
                ("average", ReportedVelocity::Average),
            ],
            default.reported_velocity,
        ),
        fixed_point_iterations: t.count_or(
            "fixed_point_iterations",
            1,
            1000,
            default.fixed_point_iterations,
        ),
        return_at_event: t.flag_or("return_at_event", default.return_at_event),
        friction_cone: match t.log.dimension {
            Dimension::Plane => default.friction_cone,
            Dimension::Space => friction_cone(&mut t),
        },
    };
    if settings.is_longer_than(until) {
        let message = format!(
            "the step of {} s is longer than the run of {until} s",
            settings.step
        );
        let hint = "take a step that is short beside the motion, for example `step = 0.01`, or a later `until`";
        t.doubt("step", &message, hint);
    }
    if in_time_stepping {
        refuse_in_time_stepping(&mut t, &settings);
    }
    t.finish("[settings]");
    settings
}

/// A crowd has steps of its own.
fn refuse_in_time_stepping(t: &mut Table<'_>, settings: &Settings) {
    let of_others = [
        ("tolerance", settings.tolerance.is_some()),
        ("scheme", settings.scheme != Scheme::Trapezoidal),
        (
            "friction_cone",
            settings.friction_cone != FrictionCone::Exact,
        ),
    ];
    for (key, _) in of_others.into_iter().filter(|(_, given)| *given) {
        if let Some(value) = t.get(key) {
            let message =
                format!("`{key}` has no effect in a crowd, whose steps are of their own kind");
            value.bad(message, format!("remove `{key}`, or remove `[crowd]`"));
        }
    }
}

/// The cone, with what a polyhedral one has beyond its name.
fn friction_cone(t: &mut Table<'_>) -> FrictionCone {
    let words = [("exact", false), ("polyhedral", true)];
    let is_polyhedral = t.choice_or("friction_cone", &words, false);
    let mut of_polygon = |key: &'static str| {
        let value = t.get(key)?;
        if !is_polyhedral {
            value.bad(
                format!("`{key}` has no effect with the exact cone"),
                "remove it, or write `friction_cone = \"polyhedral\"`",
            );
        }
        is_polyhedral.then_some(value)
    };
    let even = |value: &Value<'_>| {
        let count = value.count(4, 64)?;
        if count % 2 == 1 {
            let message = format!("friction_directions must be even, but is {count}");
            value.bad(message, "each direction has its opposite");
            return None;
        }
        Some(count)
    };
    let directions = of_polygon("friction_directions").and_then(|value| even(&value));
    let turn = of_polygon("friction_directions_turn").and_then(|value| value.flag());
    if is_polyhedral {
        FrictionCone::Polyhedral {
            directions: directions.unwrap_or(8),
            turn: turn.unwrap_or(true),
        }
    } else {
        FrictionCone::Exact
    }
}

/// The tolerance, which stands for a scheme of its own.
fn tolerance(t: &mut Table<'_>, scheme: Scheme) -> Option<f64> {
    let named = t.has("scheme") && scheme != Scheme::Extrapolated;
    let value = t.get("tolerance")?;
    if named {
        value.bad(
            "`tolerance` chooses the step of the extrapolated scheme, not of this one",
            "remove `scheme`, or remove `tolerance` and set `step`",
        );
    }
    value.number(TOLERANCE)
}

/// The scheme, with the weights of `general`.
fn scheme(t: &mut Table<'_>) -> Scheme {
    let scheme = t.choice_or("scheme", SCHEMES, Scheme::Trapezoidal);
    let general = matches!(scheme, Scheme::General { .. });
    // Below one half the forces make a stiff spring gain energy.
    let alpha_range = Range::new("from 0.5 to 1", 0.5, 1.0);
    let mut weight = |key: &'static str, range: Range| {
        let Some(value) = t.get(key) else {
            if general {
                let message = format!("the scheme \"general\" needs `{key}`");
                t.log.absent(
                    t.place.clone(),
                    &t.path_of(key),
                    message,
                    t.log.example(key),
                );
            }
            return 0.5;
        };
        if !general {
            let message = format!("`{key}` has no effect with this scheme");
            value.bad(message, "remove it, or write `scheme = \"general\"`");
        }
        value.number(range).unwrap_or(0.5)
    };
    let alpha = weight("alpha", alpha_range);
    let gamma = weight("gamma", Range::UNIT);
    if general {
        Scheme::General { alpha, gamma }
    } else {
        scheme
    }
}
