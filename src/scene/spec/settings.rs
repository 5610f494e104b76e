//! `[settings]`: integration settings of a scene.
//!
//! [`TABLE`] describes each setting once. The reader of scene files, the reference page, the hints in messages and the
//! parameters of the FMU are derived from it.

use crate::kinds::range::Range;
use serde::{Deserialize, Serialize};

/// Integration settings of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The integrator.
    pub integrator: Integrator,
    /// Options of time stepping.
    pub time_stepping: TimeStepping,
    /// Scheme of the event-driven integrator.
    pub scheme: Scheme,
    /// Standard step, s.
    pub step: f64,
    /// Error tolerance of a step, relative to nominal sizes and to the values; `None`: fixed steps.
    pub tolerance: Option<f64>,
    /// Longest step with a tolerance, s.
    pub max_step: f64,
    /// Rows of the extrapolation; the order is twice their number.
    pub rows: u32,
    /// Nominal sizes, to which the tolerance refers for small values.
    pub nominal: Nominal,
    /// A contact is active at a gap below `max(active_gap, active_gap_cubic * step^3)`, m.
    pub active_gap: f64,
    /// See `active_gap`; m/s³.
    pub active_gap_cubic: f64,
    /// Locate collisions inside a step.
    pub locate_collisions: bool,
    /// Locate stick-slip, slip-stick, reversal and take-off inside a step; `None`: only for schemes of order two.
    pub locate_transitions: Option<bool>,
    /// How the state at a located event is computed.
    pub event_state: EventState,
    /// Project positions and velocities onto joints and closed contacts after each step.
    pub projection: bool,
    /// Compensate the energy error of steps.
    pub energy_correction: bool,
    /// Number of linearly implicit Euler steps after an impact or a jump in a stiff scene.
    pub damping_steps: u32,
    /// Substeps shorter than this fraction of the standard step end event location for that step.
    pub min_substep: f64,
    /// More substeps than this inside one standard step end event location for that step.
    pub max_substeps: u32,
    /// Maximum work of a communication step, in factorizations per standard step.
    pub max_step_work: u32,
    /// Impact law.
    pub impact_law: ImpactLaw,
    /// Limit impacts that would gain energy.
    pub impact_energy_limit: bool,
    /// Restitution is zero below `restitution_threshold * |normal acceleration| * step` (approach speed).
    pub restitution_threshold: f64,
    /// The reported velocity.
    pub reported_velocity: ReportedVelocity,
    /// Maximum number of fixed-point iterations of the position-level scheme; 1 = the linear version.
    pub fixed_point_iterations: u32,
    /// End a communication step of an FMU at its first event.
    pub return_at_event: bool,
    /// In space: set of admissible friction forces.
    pub friction_cone: FrictionCone,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::EventDriven,
            time_stepping: TimeStepping {
                sweeps: None,
                // Impacts of a few bodies are located exactly; in a pile of bodies a step would never end.
                located_impacts: 4,
                located_bodies: 16,
                merge_distance: 0.0,
                // A tenth of the velocity of free fall after a step of ten milliseconds; driven bodies do not sleep, however slow.
                sleep_speed: 1e-3,
                sleep_after: 0.5,
                threads: 1,
            },
            scheme: Scheme::Trapezoidal,
            step: 0.01,
            tolerance: None,
            // Friction and normal forces are checked at quarters of a step.
            max_step: 1.0,
            // Order eight: the least work from 1e-4 to 1e-10.
            rows: 4,
            nominal: Nominal {
                length: 1.0,
                angle: 1.0,
                speed: 1.0,
                rotation: 1.0,
            },
            // A nanometre: above rounding errors at the scale of a metre, and negligible in machines.
            active_gap: 1e-9,
            // A suitable factor is about the third derivative of the gap, which depends on the scene.
            active_gap_cubic: 0.0,
            locate_collisions: true,
            locate_transitions: None,
            event_state: EventState::Restep,
            projection: true,
            energy_correction: true,
            // One step suppresses the ringing of a very stiff damper after an impact, two also that of a moderately stiff one.
            damping_steps: 2,
            min_substep: 1e-9,
            max_substeps: 200,
            // Ten times the work of the hardest bundled scenes.
            max_step_work: 20_000,
            impact_law: ImpactLaw::Poisson,
            impact_energy_limit: true,
            // The velocity change of a contact in one step: a slower bounce ends within the next step.
            restitution_threshold: 1.0,
            reported_velocity: ReportedVelocity::End,
            fixed_point_iterations: 1,
            // Useful only for masters that save and restore states.
            return_at_event: false,
            friction_cone: FrictionCone::Exact,
        }
    }
}

/// Is a setting a parameter of the FMU?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFmu {
    /// Yes.
    Always,
    /// If `[fmu]` names it: a numerical detail.
    OnRequest,
    /// No: it belongs to the structure of the model.
    Never,
}

/// One setting: its key, description and value.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Key in `[settings]`; with `settings.` before it, name of the FMU's parameter.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// Its value.
    pub field: Field,
    /// The integrators that use it.
    pub used_by: UsedBy,
    /// Is it a parameter of the FMU?
    pub in_fmu: InFmu,
}

/// Integrators that use a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    /// Both integrators.
    Both,
    /// The event-driven integrator.
    EventDriven,
    /// The event-driven integrator, in space.
    EventDrivenInSpace,
    /// Time stepping; the key is in `[settings.time_stepping]`.
    TimeStepping,
}

/// The value of a setting: its type, its range, and its field in [`Settings`].
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// A real number.
    Real {
        /// Symbol of its unit.
        unit: &'static str,
        /// Range.
        range: Range,
        /// Its field.
        at: At<f64>,
    },
    /// An optional real number; 0 in the FMU if absent.
    OptionalReal {
        /// Symbol of its unit.
        unit: &'static str,
        /// Range.
        range: Range,
        /// Its field.
        at: At<Option<f64>>,
    },
    /// An integer.
    Count {
        /// Smallest and largest value.
        range: (u32, u32),
        /// Its field.
        at: At<u32>,
    },
    /// An optional integer.
    OptionalCount {
        /// Smallest and largest value.
        range: (u32, u32),
        /// Its field.
        at: At<Option<u32>>,
    },
    /// True or false.
    Flag(At<bool>),
    /// One of several words.
    Choice {
        /// Name of its type.
        type_name: &'static str,
        /// The words, each with a description.
        items: &'static [(&'static str, &'static str)],
        /// Index of the word in the list.
        at: At<usize>,
    },
}

/// Access to a field of [`Settings`].
#[derive(Clone, Copy, Debug)]
pub struct At<T> {
    /// The value.
    pub get: fn(&Settings) -> T,
    /// Sets it.
    pub set: fn(&mut Settings, T),
}

macro_rules! at {
    ($($member:ident).+) => {
        At {
            get: |settings| settings.$($member).+,
            set: |settings, value| settings.$($member).+ = value,
        }
    };
}

macro_rules! choice {
    ($member:ident: $kind:ident { $($variant:ident = $word:literal, $phrase:literal;)+ }) => {
        Field::Choice {
            type_name: stringify!($kind),
            items: &[$(($word, $phrase)),+],
            at: At {
                get: |settings| {
                    let all = [$($kind::$variant),+];
                    all.iter().position(|item| *item == settings.$member).unwrap_or(all.len())
                },
                set: |settings, i| {
                    if let Some(item) = [$($kind::$variant),+].get(i) {
                        settings.$member = *item;
                    }
                },
            },
        }
    };
}

const fn event_driven(name: &'static str, description: &'static str, field: Field) -> Setting {
    Setting {
        name,
        description,
        field,
        used_by: UsedBy::EventDriven,
        in_fmu: InFmu::OnRequest,
    }
}

const fn both(name: &'static str, description: &'static str, field: Field) -> Setting {
    Setting {
        used_by: UsedBy::Both,
        ..event_driven(name, description, field)
    }
}

const fn not_in_fmu(setting: Setting) -> Setting {
    Setting {
        in_fmu: InFmu::Never,
        ..setting
    }
}

const fn usual(setting: Setting) -> Setting {
    Setting {
        in_fmu: InFmu::Always,
        ..setting
    }
}

const fn in_space(name: &'static str, description: &'static str, field: Field) -> Setting {
    Setting {
        used_by: UsedBy::EventDrivenInSpace,
        ..not_in_fmu(event_driven(name, description, field))
    }
}

const fn time_stepping(name: &'static str, description: &'static str, field: Field) -> Setting {
    Setting {
        used_by: UsedBy::TimeStepping,
        ..not_in_fmu(event_driven(name, description, field))
    }
}

const fn real(unit: &'static str, range: Range, at: At<f64>) -> Field {
    Field::Real { unit, range, at }
}

const fn count(lower: u32, upper: u32, at: At<u32>) -> Field {
    Field::Count {
        range: (lower, upper),
        at,
    }
}

/// Rows of settings: who uses it, its name and value, a description.
macro_rules! settings {
    ($($used_by:ident $name:ident = $field:expr, $description:literal $(, $in_fmu:ident)?;)+) => {
        &[$($($in_fmu)? ($used_by(stringify!($name), $description, $field))),+]
    };
}

/// All settings, in the order of the FMU and the reference page.
pub const TABLE: &[Setting] = settings! {
    both integrator = choice!(integrator: Integrator {
        EventDriven = "event_driven", "locates impacts, stops and break-aways inside its steps";
        TimeStepping = "time_stepping", "steps of fixed length for many bodies, in space";
    }), "which integrator takes the steps", not_in_fmu;
    both step = real("s", Range::POSITIVE, at!(step)), "standard step", usual;
    event_driven tolerance = Field::OptionalReal { unit: "1", range: TOLERANCE, at: at!(tolerance) },
        "bound on the error of a step, relative to nominal sizes and values; without it (0 in the FMU) steps have a fixed length", usual;
    event_driven max_step = real("s", Range::POSITIVE, at!(max_step)), "longest step that the tolerance may choose", usual;
    event_driven rows = count(2, MAX_ROWS, at!(rows)), "half the order of the extrapolation";
    event_driven nominal_length = real("m", Range::POSITIVE, at!(nominal.length)), "length that the tolerance refers to";
    event_driven nominal_angle = real("rad", Range::POSITIVE, at!(nominal.angle)), "angle that the tolerance refers to";
    event_driven nominal_speed = real("m/s", Range::POSITIVE, at!(nominal.speed)), "speed that the tolerance refers to";
    event_driven nominal_rotation = real("rad/s", Range::POSITIVE, at!(nominal.rotation)), "rate of rotation that the tolerance refers to";
    event_driven scheme = Field::Choice {
        type_name: "Scheme",
        items: &[
            ("trapezoidal", "order two, constraint on the end velocity"),
            ("trapezoidal_printed", "scheme I as printed"),
            ("trapezoidal_average", "order two, constraint on the mean velocity"),
            ("implicit_euler", "first order, linearly implicit"),
            ("explicit_euler", "first order, explicit forces"),
            ("position_euler", "first order, position-level constraints"),
            ("extrapolated", "symmetric steps, extrapolated to an order of twice the rows"),
            ("general", "the scene's own alpha and gamma"),
        ],
        at: At {
            get: |settings| settings.scheme.number(),
            set: |settings, i| if let Some(scheme) = SCHEMES.get(i) { settings.scheme = *scheme },
        },
    }, "integration scheme";
    // Below one half, a stiff spring gains energy.
    event_driven alpha = real("1", Range::new("from 0.5 to 1", 0.5, 1.0), At {
        get: |settings| settings.scheme.weights().0,
        set: |settings, value| if let Scheme::General { alpha, .. } = &mut settings.scheme { *alpha = value },
    }), "with the scheme \"general\": weight of the end of the step in the forces", not_in_fmu;
    event_driven gamma = real("1", Range::UNIT, At {
        get: |settings| settings.scheme.weights().1,
        set: |settings, value| if let Scheme::General { gamma, .. } = &mut settings.scheme { *gamma = value },
    }), "with the scheme \"general\": weight of the end velocity in the positions", not_in_fmu;
    event_driven impact_law = choice!(impact_law: ImpactLaw {
        Poisson = "poisson", "restitution of impulses, friction in both phases";
        Newton = "newton", "restitution of velocities";
        Expedient = "expedient", "restitution that never gains energy";
        PoissonPrinted = "poisson_printed", "restitution of impulses, friction in compression";
    }), "impact law";
    event_driven locate_collisions = Field::Flag(at!(locate_collisions)), "locate collisions inside a step";
    event_driven locate_transitions = Field::Flag(At {
        get: Settings::locates_transitions,
        set: |settings, value| settings.locate_transitions = Some(value),
    }), "locate stick-slip, reversal and take-off inside a step; by default where the scheme is of order two";
    event_driven event_state = choice!(event_state: EventState {
        Restep = "restep", "the step is taken again up to the event";
        Interpolant = "interpolant", "interpolated in the trial step";
    }), "where the state at an event comes from";
    event_driven projection = Field::Flag(at!(projection)), "close joints and contacts after each step";
    event_driven energy_correction = Field::Flag(at!(energy_correction)),
        "compensate the energy that steps gain or lose by their own small error", not_in_fmu;
    event_driven damping_steps = count(0, 1000, at!(damping_steps)), "damping steps after an impact where something is stiff";
    event_driven active_gap = real("m", Range::NOT_NEGATIVE, at!(active_gap)), "a contact is active below this gap";
    event_driven active_gap_cubic = real("m/s3", Range::NOT_NEGATIVE, at!(active_gap_cubic)), "or below this times the cube of the step";
    both restitution_threshold = real("1", Range::NOT_NEGATIVE, at!(restitution_threshold)),
        "factor of the approach speed below which restitution is zero";
    event_driven impact_energy_limit = Field::Flag(at!(impact_energy_limit)), "limit impacts that would gain energy";
    both reported_velocity = choice!(reported_velocity: ReportedVelocity {
        End = "end", "at the end of the step";
        Average = "average", "mean over the last step";
    }), "which velocity is reported";
    event_driven max_substeps = count(1, 1_000_000, at!(max_substeps)), "substeps in a standard step at most";
    event_driven min_substep = real("1", SUBSTEP, at!(min_substep)), "shortest substep as a fraction of the standard step";
    event_driven fixed_point_iterations = count(1, 1000, at!(fixed_point_iterations)), "iterations of the position-level scheme at most";
    event_driven return_at_event = Field::Flag(at!(return_at_event)),
        "a communication step ends at its first event, for masters that restore states", usual;
    both max_step_work = count(1, MAX_STEP_WORK, at!(max_step_work)), "work limit: factorizations for each standard step of a communication step", usual;
    in_space friction_cone = Field::Choice {
        type_name: "FrictionCone",
        items: &[("exact", "the circle, or the ellipse where friction has axes"), ("polyhedral", "a polygon")],
        at: At {
            get: |settings| usize::from(settings.friction_cone != FrictionCone::Exact),
            set: |settings, i| settings.friction_cone = [FrictionCone::Exact, POLYGON][i.min(1)],
        },
    }, "which forces friction can have";
    in_space friction_directions = count(4, 64, At {
        get: |settings| settings.friction_cone.polygon().0,
        set: |settings, value| if let FrictionCone::Polyhedral { directions, .. } = &mut settings.friction_cone { *directions = value },
    }), "with the polyhedral cone: corners of the polygon, an even number";
    in_space friction_directions_turn = Field::Flag(At {
        get: |settings| settings.friction_cone.polygon().1,
        set: |settings, value| if let FrictionCone::Polyhedral { turn, .. } = &mut settings.friction_cone { *turn = value },
    }), "with the polyhedral cone: a corner follows the direction of sliding";
    time_stepping sweeps = Field::OptionalCount { range: (1, 100_000), at: at!(time_stepping.sweeps) },
        "Gauss-Seidel sweeps over the contacts in each step: bounded effort; exact by default";
    time_stepping located_impacts = count(0, 1000, at!(time_stepping.located_impacts)),
        "impacts of a group of bodies that are located one by one within a step; more are taken together";
    time_stepping located_bodies = count(1, 1000, at!(time_stepping.located_bodies)),
        "bodies of a group whose impacts are located, at most; those of larger groups are taken together";
    time_stepping merge_distance = real("m", Range::NOT_NEGATIVE, at!(time_stepping.merge_distance)),
        "contacts of two bodies nearer to each other than this, and those inside the outline of others, are left out";
    time_stepping sleep_speed = real("m/s", Range::NOT_NEGATIVE, at!(time_stepping.sleep_speed)),
        "groups of bodies slower than this fall asleep; none if zero";
    time_stepping sleep_after = real("s", Range::NOT_NEGATIVE, at!(time_stepping.sleep_after)), "when they were slower for this long";
    time_stepping threads = count(1, 256, at!(time_stepping.threads)), "threads that solve groups of bodies; the results do not depend on it";
};

impl Setting {
    /// Its default as written in a scene; `None` if absent by default.
    pub fn default(&self) -> Option<String> {
        self.written(&Settings::default())
    }

    /// Its value in some settings as written in a scene; `None` if absent.
    pub fn written(&self, settings: &Settings) -> Option<String> {
        Some(match self.field {
            Field::Real { at, .. } => format!("{:?}", (at.get)(settings)),
            Field::Count { at, .. } => (at.get)(settings).to_string(),
            Field::Flag(at) => (at.get)(settings).to_string(),
            Field::Choice { items, at, .. } => format!("{:?}", items[(at.get)(settings)].0),
            Field::OptionalReal { at, .. } => format!("{:?}", (at.get)(settings)?),
            Field::OptionalCount { at, .. } => (at.get)(settings)?.to_string(),
        })
    }

    /// Description of its range.
    pub fn range(&self) -> String {
        match self.field {
            Field::Real { range, .. } | Field::OptionalReal { range, .. } => range.words.to_owned(),
            Field::Count {
                range: (lower, upper),
                ..
            }
            | Field::OptionalCount {
                range: (lower, upper),
                ..
            } => format!("{lower} to {upper}"),
            Field::Flag(_) => "true or false".to_owned(),
            Field::Choice { items, .. } => {
                let words = items
                    .iter()
                    .map(|(word, what)| format!("`\"{word}\"` ({what})"));
                words.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Range of a real number; any for others.
    pub fn number_range(&self) -> Range {
        match self.field {
            Field::Real { range, .. } | Field::OptionalReal { range, .. } => range,
            _ => Range::ANY,
        }
    }

    /// Symbol of its unit; empty for numbers without one.
    pub fn unit(&self) -> &'static str {
        match self.field {
            Field::Real { unit, .. } | Field::OptionalReal { unit, .. } if unit != "1" => unit,
            _ => "",
        }
    }

    /// Example: "write for example `step = 0.01` (standard step)".
    pub fn hint(&self) -> String {
        let example = self.default().unwrap_or_else(|| match self.field {
            Field::OptionalReal { .. } => "1e-6".to_owned(),
            _ => "30".to_owned(),
        });
        format!(
            "write for example `{} = {example}` ({})",
            self.name, self.description
        )
    }
}

/// The setting with this name.
pub fn setting_of(name: &str) -> Option<&'static Setting> {
    TABLE.iter().find(|setting| setting.name == name)
}

/// The words of an enumeration setting, each with a description; empty for others.
pub fn items_of(name: &str) -> &'static [(&'static str, &'static str)] {
    match setting_of(name).map(|setting| setting.field) {
        Some(Field::Choice { items, .. }) => items,
        _ => &[],
    }
}

/// `integrator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Integrator {
    /// `"event_driven"`: events are located inside steps.
    EventDriven,
    /// `"time_stepping"`: fixed steps, with contact detection in each of them.
    TimeStepping,
}

/// `[settings.time_stepping]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeStepping {
    /// Gauss-Seidel sweeps over the contacts in each step; `None`: exact solution.
    pub sweeps: Option<u32>,
    /// Maximum number of impacts of a group of bodies located within a step; more are treated as simultaneous.
    pub located_impacts: u32,
    /// Largest group of bodies whose impacts are located; those of larger groups are treated as simultaneous.
    pub located_bodies: u32,
    /// Contacts of two bodies closer to each other than this, and those inside the convex hull of others, are
    /// removed, m.
    pub merge_distance: f64,
    /// Groups of bodies slower than this fall asleep, m/s; zero disables sleeping.
    pub sleep_speed: f64,
    /// Time below this speed before they fall asleep, s.
    pub sleep_after: f64,
    /// Number of threads that solve groups of bodies; the results do not depend on it.
    pub threads: u32,
}

/// Smaller substeps are below the rounding error of time; at one, every substep would be too short.
const SUBSTEP: Range = Range::new("from 1e-15 to 0.5", 1e-15, 0.5);

/// The schemes in the order of their names.
const SCHEMES: [Scheme; 8] = [
    Scheme::Trapezoidal,
    Scheme::TrapezoidalPrinted,
    Scheme::TrapezoidalAverage,
    Scheme::ImplicitEuler,
    Scheme::ExplicitEuler,
    Scheme::PositionEuler,
    Scheme::Extrapolated,
    Scheme::General {
        alpha: 0.5,
        gamma: 0.5,
    },
];

impl Scheme {
    /// Index of its name among those of `scheme`.
    fn number(self) -> usize {
        let is_own =
            |scheme: &Scheme| std::mem::discriminant(scheme) == std::mem::discriminant(&self);
        SCHEMES.iter().position(is_own).unwrap_or(0)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        items_of("scheme")[self.number()].0
    }

    /// The scheme with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        SCHEMES.into_iter().find(|scheme| scheme.name() == name)
    }

    fn weights(self) -> (f64, f64) {
        match self {
            Self::General { alpha, gamma } => (alpha, gamma),
            _ => (0.5, 0.5),
        }
    }
}

/// Default polygon of a polyhedral cone.
const POLYGON: FrictionCone = FrictionCone::Polyhedral {
    directions: 8,
    turn: true,
};

impl FrictionCone {
    fn polygon(self) -> (u32, bool) {
        match self {
            Self::Polyhedral { directions, turn } => (directions, turn),
            Self::Exact => (8, true),
        }
    }
}

/// `friction_cone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrictionCone {
    /// `"exact"`: a circle, or an ellipse for anisotropic friction.
    Exact,
    /// `"polyhedral"`: a polygon.
    Polyhedral {
        /// `friction_directions`: its corners, an even number.
        directions: u32,
        /// `friction_directions_turn`: does a corner follow the direction of sliding? If not the polygon is fixed to the contact.
        turn: bool,
    },
}

/// Upper limit of `max_step_work`.
pub const MAX_STEP_WORK: u32 = 1_000_000_000;

/// Maximum number of extrapolation rows: with more, rounding errors outweigh the gain.
pub const MAX_ROWS: u32 = 6;

/// Tolerances from here on are loose.
const LOOSE_TOLERANCE: f64 = 1e-3;

/// Maximum number of rows with a loose tolerance.
const ROWS_OF_LOOSE: u32 = 3;

/// Below, rounding errors exceed the tolerance; above, it has no effect.
pub const TOLERANCE: Range = Range::new("from 1e-13 to 0.1", 1e-13, 0.1);

/// Nominal sizes that a tolerance refers to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nominal {
    /// m.
    pub length: f64,
    /// rad.
    pub angle: f64,
    /// m/s.
    pub speed: f64,
    /// rad/s.
    pub rotation: f64,
}

impl Nominal {
    /// Of a coordinate, m or rad.
    pub fn position(&self, angular: bool) -> f64 {
        if angular { self.angle } else { self.length }
    }

    /// Of a velocity, m/s or rad/s.
    pub fn velocity(&self, angular: bool) -> f64 {
        if angular { self.rotation } else { self.speed }
    }
}

impl Settings {
    /// Rows of a step: order six is sufficient for a loose tolerance.
    pub fn rows_taken(&self) -> u32 {
        match self.tolerance {
            Some(tolerance) if tolerance >= LOOSE_TOLERANCE => self.rows.min(ROWS_OF_LOOSE),
            Some(_) | None => self.rows,
        }
    }

    /// Are fixed steps longer than a run up to `until`, s?
    pub fn is_longer_than(&self, until: f64) -> bool {
        self.tolerance.is_none() && self.step > until
    }

    /// Are steps extrapolated to high order?
    pub fn extrapolates(&self) -> bool {
        self.tolerance.is_some() || self.scheme == Scheme::Extrapolated
    }

    /// Are stick-slip, slip-stick, reversal and take-off located? By default not for the Euler schemes,
    /// which are of first order in any case.
    pub fn locates_transitions(&self) -> bool {
        self.locate_transitions.unwrap_or(match self.scheme {
            Scheme::Trapezoidal
            | Scheme::TrapezoidalPrinted
            | Scheme::TrapezoidalAverage
            | Scheme::Extrapolated
            | Scheme::General { .. } => true,
            Scheme::ImplicitEuler | Scheme::ExplicitEuler | Scheme::PositionEuler => false,
        })
    }
}

/// The scheme family: `alpha` and `gamma` are the weights of the end of the step in forces and positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Scheme {
    /// `"trapezoidal"`: constraint on the end velocity, rows at the predicted end, columns at the midpoint.
    Trapezoidal,
    /// `"trapezoidal_printed"`: scheme I as printed, rows and columns at the midpoint.
    TrapezoidalPrinted,
    /// `"trapezoidal_average"`: scheme II, constraint on the mean velocity.
    TrapezoidalAverage,
    /// `"extrapolated"`: the symmetric form of scheme II, extrapolated to order `2 rows`.
    Extrapolated,
    /// `"implicit_euler"`: linearly implicit Euler.
    ImplicitEuler,
    /// `"explicit_euler"`: explicit forces, velocity-level constraints.
    ExplicitEuler,
    /// `"position_euler"`: position-level complementarity.
    PositionEuler,
    /// `"general"` with `alpha` and `gamma`.
    General {
        /// Weight of the end of the step in the forces, 1/2 to 1.
        alpha: f64,
        /// Weight of the end velocity in the position update, 0 to 1.
        gamma: f64,
    },
}

/// `event_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventState {
    /// `"restep"`: the step is repeated up to the event.
    Restep,
    /// `"interpolant"`: from the Hermite interpolant of the trial step, as printed in the paper.
    Interpolant,
}

/// `impact_law`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImpactLaw {
    /// `"poisson"`: compression, then restitution of a fraction of its impulse, with Coulomb friction in both phases.
    Poisson,
    /// `"newton"`: the separation speed is the approach speed times the restitution.
    Newton,
    /// `"expedient"`: `v+ = (1 + e) vc - e v-`; never gains energy.
    Expedient,
    /// `"poisson_printed"`: as `"poisson"`, but without friction in the restitution phase, as printed in the papers.
    PoissonPrinted,
}

/// `reported_velocity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportedVelocity {
    /// `"end"`: the velocity at the end of the step.
    End,
    /// `"average"`: the mean over the last step, which has bounded variation.
    Average,
}
