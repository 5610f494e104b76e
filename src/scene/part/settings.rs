//! Reads `[settings]` according to the table of settings.

use crate::scene::read::Table;
use crate::scene::spec::settings::{Field, Setting, TABLE, UsedBy};
use crate::scene::spec::{Dimension, FrictionCone, ImpactLaw, Integrator, Scheme, Settings};

/// Reads the table, with its defaults, for a run up to `until`, s.
pub fn read(mut t: Table<'_>, until: f64) -> Settings {
    let mut settings = Settings::default();
    let in_space = t.log.dimension == Dimension::Space;
    let of_table = |used_by| match used_by {
        UsedBy::Both | UsedBy::EventDriven => true,
        UsedBy::EventDrivenInSpace => in_space,
        UsedBy::TimeStepping => false,
    };
    for setting in TABLE.iter().filter(|setting| of_table(setting.used_by)) {
        read_one(&mut t, setting, &mut settings);
    }
    read_time_stepping(&mut t, &mut settings);
    check_scheme(&mut t, &settings);
    check_friction_cone(&mut t, &settings);
    if settings.is_longer_than(until) {
        let message = format!(
            "the step of {} s is longer than the run of {until} s",
            settings.step
        );
        let hint = "use a step that is short compared to the motion, for example `step = 0.01`, or a later `until`";
        t.warn("step", &message, hint);
    }
    t.finish("[settings]");
    settings
}

/// Reads one key, if present and valid.
fn read_one(t: &mut Table<'_>, setting: &Setting, settings: &mut Settings) {
    let name = setting.name;
    match setting.field {
        Field::Real { range, at, .. } => {
            let value = t.number_or(name, range, (at.get)(settings));
            (at.set)(settings, value);
        }
        Field::OptionalReal { range, at, .. } => {
            let value = t.get(name).and_then(|value| value.number(range));
            (at.set)(settings, value);
        }
        Field::Count {
            range: (lower, upper),
            at,
        } => {
            let value = t.count_or(name, lower, upper, (at.get)(settings));
            (at.set)(settings, value);
        }
        Field::OptionalCount {
            range: (lower, upper),
            at,
        } => {
            let value = t.get(name).and_then(|value| value.count(lower, upper));
            (at.set)(settings, value);
        }
        Field::Flag(at) => {
            if let Some(value) = t.flag(name) {
                (at.set)(settings, value);
            }
        }
        Field::Choice { items, at, .. } => {
            let words: Vec<(&str, usize)> = items
                .iter()
                .enumerate()
                .map(|(i, (word, _))| (*word, i))
                .collect();
            let i = t.choice_or(name, &words, (at.get)(settings));
            (at.set)(settings, i);
        }
    }
}

/// `[settings.time_stepping]`, and settings that have no effect with it.
fn read_time_stepping(t: &mut Table<'_>, settings: &mut Settings) {
    let in_time_stepping = settings.integrator == Integrator::TimeStepping;
    if in_time_stepping
        && t.log.dimension == Dimension::Plane
        && let Some(value) = t.get("integrator")
    {
        value.bad(
            "time stepping requires a scene in space",
            "write `dimension = 3` at the top and positions as three numbers, or remove `integrator`",
        );
    }
    if let Some(value) = t.get("time_stepping") {
        if !in_time_stepping {
            value.bad(
                "these options have no effect with the event-driven integrator",
                "write `integrator = \"time_stepping\"` in `[settings]`, or remove them",
            );
        }
        if let Some(mut own) = value.as_table(value.path.clone()) {
            let options = TABLE.iter().filter(|s| s.used_by == UsedBy::TimeStepping);
            options.for_each(|setting| read_one(&mut own, setting, settings));
            own.finish("[settings.time_stepping]");
        }
    }
    if in_time_stepping {
        refuse_event_driven(t, settings);
    }
}

/// Settings of the event-driven integrator have no effect with time stepping.
fn refuse_event_driven(t: &mut Table<'_>, settings: &Settings) {
    let of_others = TABLE.iter().filter(|setting| match setting.used_by {
        // the law that it has may be named
        _ if setting.name == "impact_law" && settings.impact_law == ImpactLaw::Newton => false,
        UsedBy::EventDriven | UsedBy::EventDrivenInSpace => {
            setting.written(settings) != setting.default()
        }
        UsedBy::Both | UsedBy::TimeStepping => false,
    });
    for key in of_others.map(|setting| setting.name) {
        let reason = match key {
            "impact_law" => {
                ": its impacts have Newton's law, restitution of the normal velocity, with friction in its cone"
            }
            "tolerance" => ", which has its own scheme: its steps have a fixed length",
            _ => ", which has its own scheme",
        };
        if let Some(value) = t.get(key) {
            value.bad(
                format!("`{key}` has no effect with time stepping{reason}"),
                format!("remove `{key}`, or remove `integrator`"),
            );
        }
    }
}

/// The weights of `general`, and the tolerance, which implies the extrapolated scheme.
fn check_scheme(t: &mut Table<'_>, settings: &Settings) {
    let is_general = matches!(settings.scheme, Scheme::General { .. });
    for key in ["alpha", "gamma"] {
        match t.get(key) {
            Some(value) if !is_general => {
                let message = format!("`{key}` has no effect with this scheme");
                value.bad(message, "remove it, or write `scheme = \"general\"`");
            }
            None if is_general => {
                let message = format!("the scheme \"general\" needs `{key}`");
                let hint = t.log.example(key);
                t.log
                    .absent(t.place.clone(), &t.path_of(key), message, hint);
            }
            Some(_) | None => {}
        }
    }
    let is_named = t.has("scheme") && settings.scheme != Scheme::Extrapolated;
    if let (Some(value), true) = (t.get("tolerance"), is_named) {
        value.bad(
            "`tolerance` requires the extrapolated scheme",
            "remove `scheme`, or remove `tolerance` and set `step`",
        );
    }
}

/// Settings of a polyhedral cone.
fn check_friction_cone(t: &mut Table<'_>, settings: &Settings) {
    if t.log.dimension == Dimension::Plane {
        return;
    }
    match settings.friction_cone {
        FrictionCone::Exact => {
            for key in ["friction_directions", "friction_directions_turn"] {
                if let Some(value) = t.get(key) {
                    value.bad(
                        format!("`{key}` has no effect with the exact cone"),
                        "remove it, or write `friction_cone = \"polyhedral\"`",
                    );
                }
            }
        }
        FrictionCone::Polyhedral { directions, .. } => {
            if let (Some(value), 1) = (t.get("friction_directions"), directions % 2) {
                let message = format!("friction_directions must be even, but is {directions}");
                value.bad(message, "each direction needs its opposite");
            }
        }
    }
}
