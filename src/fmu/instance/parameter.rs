//! Parameters: what may be changed from outside in a model, its start and the settings.

use crate::kinds::plane::force::Force;
use crate::kinds::space::force as space;
use crate::model::AnyForce;
use crate::model::Model;
use crate::scene::spec::{
    EventState, ImpactLaw, MAX_ROWS, MAX_STEP_WORK, ReportedVelocity, Scheme, Settings, TOLERANCE,
};

use super::variable::Value;

/// A parameter, by index of what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Friction coefficient of a pair.
    Friction(usize),
    /// Friction coefficient of a pair at rest.
    FrictionAtRest(usize),
    /// Speed over which that falls to the other one.
    StribeckVelocity(usize),
    /// Restitution of a pair.
    Restitution(usize),
    /// Tangential restitution of a pair.
    TangentialRestitution(usize),
    /// Stiffness of a spring or torsional spring.
    Stiffness(usize),
    /// Damping of a damper or torsional damper.
    Damping(usize),
    /// Free length of a spring, free angle of a torsional one.
    RestLength(usize),
    /// Drag along the motion.
    LinearDrag(usize),
    /// Drag against rotation.
    AngularDrag(usize),
    /// Break-away friction of a Stribeck element.
    StaticFriction(usize),
    /// Friction at speed of a Stribeck element.
    KineticFriction(usize),
    /// Viscous part of a Stribeck element.
    ViscousFriction(usize),
    /// Mass of a body.
    Mass(usize),
    /// Inertia of a body.
    Inertia(usize),
    /// Principal moment of inertia of a body in space, by number.
    PrincipalInertia(usize, usize),
    /// Gravity, by component.
    Gravity(usize),
    /// Coordinate at the start.
    InitialPosition(usize),
    /// Velocity at the start.
    InitialVelocity(usize),
    /// Orientation at the start of a body in space: w, x, y or z of its quaternion.
    InitialOrientation(usize, usize),
    /// Rate of rotation at the start of a body in space, by component, in the axes that the scene gives it in.
    InitialAngularVelocity(usize, usize),
    /// Standard step.
    Step,
    /// Bound on the error of a step; 0 for steps of fixed length.
    Tolerance,
    /// Longest step that a tolerance may choose.
    MaxStep,
    /// Rows of the extrapolation.
    Rows,
    /// Length that the tolerance refers to.
    NominalLength,
    /// Angle that it refers to.
    NominalAngle,
    /// Speed that it refers to.
    NominalSpeed,
    /// Rate of rotation that it refers to.
    NominalRotation,
    /// Integration scheme.
    Scheme,
    /// Impact law.
    ImpactLaw,
    /// Locate collisions.
    LocateCollisions,
    /// Locate transitions.
    LocateTransitions,
    /// Where the state at an event comes from.
    EventState,
    /// Project onto joints and closed contacts.
    Projection,
    /// Damping steps after an impact.
    DampingSteps,
    /// Gap below which a contact is active.
    ActiveGap,
    /// The same per cube of the step.
    ActiveGapCubic,
    /// Scale of the speed below which nothing bounces.
    RestitutionThreshold,
    /// Hold back impacts that gain energy.
    ImpactEnergyLimit,
    /// Which velocity is reported.
    ReportedVelocity,
    /// Substeps in a standard step at most.
    MaxSubsteps,
    /// Work of a communication step at most.
    MaxStepWork,
    /// Shortest substep as a fraction of the standard step.
    MinSubstep,
    /// Rounds of the position-level scheme.
    FixedPointIterations,
    /// A communication step ends at its first event.
    ReturnAtEvent,
}

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
fn number_of<T: PartialEq>(items: &[T], item: &T) -> Value {
    Value::Integer(
        items
            .iter()
            .position(|x| x == item)
            .map_or(0, |i| i as i32 + 1),
    )
}

fn item_of<T: Copy>(items: &[T], number: i32) -> Option<T> {
    usize::try_from(number - 1)
        .ok()
        .and_then(|i| items.get(i))
        .copied()
}

impl Parameter {
    /// Its value.
    pub fn get(self, model: &Model, settings: &Settings) -> Value {
        let first_of = |pair: usize| model.contacts.iter().find(|c| c.pair == pair);
        match self {
            Self::Friction(pair) => Value::Real(first_of(pair).map_or(0.0, |c| c.friction)),
            Self::FrictionAtRest(pair) => {
                Value::Real(first_of(pair).map_or(0.0, |c| c.static_friction))
            }
            Self::StribeckVelocity(pair) => {
                let velocity = first_of(pair).and_then(|c| c.stribeck_velocity);
                Value::Real(velocity.unwrap_or(0.0))
            }
            Self::Restitution(pair) => Value::Real(first_of(pair).map_or(0.0, |c| c.restitution)),
            Self::TangentialRestitution(pair) => {
                Value::Real(first_of(pair).map_or(0.0, |c| c.tangential_restitution))
            }
            Self::Stiffness(i)
            | Self::Damping(i)
            | Self::RestLength(i)
            | Self::LinearDrag(i)
            | Self::AngularDrag(i)
            | Self::StaticFriction(i)
            | Self::KineticFriction(i)
            | Self::ViscousFriction(i) => {
                let mut force = model.forces[i].force.clone();
                Value::Real(self.of_any(&mut force).map_or(0.0, |x| *x))
            }
            Self::Mass(body) => Value::Real(model.mass[model.bodies[body].first]),
            Self::Inertia(body) => Value::Real(model.mass[model.bodies[body].first + 2]),
            Self::PrincipalInertia(body, i) => {
                Value::Real(model.mass[model.bodies[body].first + 3 + i])
            }
            Self::InitialOrientation(body, i) => {
                Value::Real(model.bodies[body].start.orientation[i])
            }
            Self::InitialAngularVelocity(body, i) => {
                Value::Real(model.bodies[body].start.angular_velocity[i])
            }
            Self::Gravity(component) => Value::Real(model.gravity[component]),
            Self::InitialPosition(i) => Value::Real(model.initial_position[i]),
            Self::InitialVelocity(i) => Value::Real(model.initial_velocity[i]),
            Self::Step => Value::Real(settings.step),
            Self::Tolerance => Value::Real(settings.tolerance.unwrap_or(0.0)),
            Self::MaxStep => Value::Real(settings.max_step),
            Self::Rows => Value::Integer(settings.rows as i32),
            Self::NominalLength => Value::Real(settings.nominal.length),
            Self::NominalAngle => Value::Real(settings.nominal.angle),
            Self::NominalSpeed => Value::Real(settings.nominal.speed),
            Self::NominalRotation => Value::Real(settings.nominal.rotation),
            Self::Scheme => match settings.scheme {
                Scheme::General { .. } => Value::Integer(GENERAL),
                scheme => number_of(&SCHEMES, &scheme),
            },
            Self::ImpactLaw => number_of(&LAWS, &settings.impact_law),
            Self::LocateCollisions => Value::Boolean(settings.locate_collisions),
            Self::LocateTransitions => Value::Boolean(settings.locates_transitions()),
            Self::EventState => number_of(&STATES, &settings.event_state),
            Self::Projection => Value::Boolean(settings.projection),
            Self::DampingSteps => Value::Integer(settings.damping_steps as i32),
            Self::ActiveGap => Value::Real(settings.active_gap),
            Self::ActiveGapCubic => Value::Real(settings.active_gap_cubic),
            Self::RestitutionThreshold => Value::Real(settings.restitution_threshold),
            Self::ImpactEnergyLimit => Value::Boolean(settings.impact_energy_limit),
            Self::ReportedVelocity => number_of(&VELOCITIES, &settings.reported_velocity),
            Self::MaxSubsteps => Value::Integer(settings.max_substeps as i32),
            Self::MaxStepWork => Value::Integer(settings.max_step_work as i32),
            Self::MinSubstep => Value::Real(settings.min_substep),
            Self::FixedPointIterations => Value::Integer(settings.fixed_point_iterations as i32),
            Self::ReturnAtEvent => Value::Boolean(settings.return_at_event),
        }
    }

    /// Sets it; false if the value does not fit its type or range.
    pub fn set(self, model: &mut Model, settings: &mut Settings, value: Value) -> bool {
        match value {
            Value::Real(x) => self.set_real(model, settings, x),
            Value::Integer(x) => self.set_integer(settings, x),
            Value::Boolean(x) => self.set_boolean(settings, x),
        }
    }

    /// Does the value fit its type and range?
    pub fn accepts(self, settings: &Settings, value: Value) -> bool {
        match value {
            Value::Real(x) => self.is_in_range(x),
            Value::Integer(x) => self.set_integer(&mut settings.clone(), x),
            Value::Boolean(x) => self.set_boolean(&mut settings.clone(), x),
        }
    }

    fn is_in_range(self, x: f64) -> bool {
        let in_range = match self.range() {
            (low, high, true) => x > low && x <= high,
            (low, high, false) => x >= low && x <= high,
        };
        // no tolerance at all, or one that rounding leaves room for
        let is_known = self != Self::Tolerance || x == 0.0 || TOLERANCE.contains(x);
        in_range && is_known && x.is_finite()
    }

    fn set_real(self, model: &mut Model, settings: &mut Settings, x: f64) -> bool {
        if !self.is_in_range(x) {
            return false;
        }
        match self {
            Self::Friction(pair) => of_pair(model, pair, |c| &mut c.friction, x),
            Self::FrictionAtRest(pair) => of_pair(model, pair, |c| &mut c.static_friction, x),
            Self::StribeckVelocity(pair) => {
                for contact in model.contacts.iter_mut().filter(|c| c.pair == pair) {
                    contact.stribeck_velocity = Some(x);
                }
            }
            Self::Restitution(pair) => of_pair(model, pair, |c| &mut c.restitution, x),
            Self::TangentialRestitution(pair) => {
                of_pair(model, pair, |c| &mut c.tangential_restitution, x)
            }
            Self::Stiffness(i)
            | Self::Damping(i)
            | Self::RestLength(i)
            | Self::LinearDrag(i)
            | Self::AngularDrag(i)
            | Self::StaticFriction(i)
            | Self::KineticFriction(i)
            | Self::ViscousFriction(i) => match self.of_any(&mut model.forces[i].force) {
                Some(place) => *place = x,
                None => return false,
            },
            Self::Mass(body) => {
                let first = model.bodies[body].first;
                let n = if model.is_spatial() { 3 } else { 2 };
                model.mass[first..first + n].fill(x);
            }
            Self::PrincipalInertia(body, i) => model.mass[model.bodies[body].first + 3 + i] = x,
            Self::InitialOrientation(body, i) => {
                model.bodies[body].start.orientation[i] = x;
                model.update_start(body);
            }
            Self::InitialAngularVelocity(body, i) => {
                model.bodies[body].start.angular_velocity[i] = x;
                model.update_start(body);
            }
            Self::Inertia(body) => model.mass[model.bodies[body].first + 2] = x,
            Self::Gravity(component) => model.gravity[component] = x,
            Self::InitialPosition(i) => model.initial_position[i] = x,
            Self::InitialVelocity(i) => model.initial_velocity[i] = x,
            Self::Step => settings.step = x,
            Self::Tolerance => settings.tolerance = (x > 0.0).then_some(x),
            Self::MaxStep => settings.max_step = x,
            Self::NominalLength => settings.nominal.length = x,
            Self::NominalAngle => settings.nominal.angle = x,
            Self::NominalSpeed => settings.nominal.speed = x,
            Self::NominalRotation => settings.nominal.rotation = x,
            Self::ActiveGap => settings.active_gap = x,
            Self::ActiveGapCubic => settings.active_gap_cubic = x,
            Self::RestitutionThreshold => settings.restitution_threshold = x,
            Self::MinSubstep => settings.min_substep = x,
            Self::Rows
            | Self::Scheme
            | Self::ImpactLaw
            | Self::LocateCollisions
            | Self::LocateTransitions
            | Self::EventState
            | Self::Projection
            | Self::DampingSteps
            | Self::ImpactEnergyLimit
            | Self::ReportedVelocity
            | Self::MaxSubsteps
            | Self::MaxStepWork
            | Self::FixedPointIterations
            | Self::ReturnAtEvent => return false,
        }
        true
    }

    /// Lower and upper bound of a Real, and whether the lower one is left out.
    pub fn range(self) -> (f64, f64, bool) {
        let infinite = f64::INFINITY;
        match self {
            Self::Friction(_) | Self::FrictionAtRest(_) => (0.0, 1000.0, false),
            Self::Restitution(_) | Self::TangentialRestitution(_) => (0.0, 1.0, false),
            Self::Mass(_)
            | Self::Inertia(_)
            | Self::PrincipalInertia(..)
            | Self::Step
            | Self::MaxStep
            | Self::StribeckVelocity(_)
            | Self::NominalLength
            | Self::NominalAngle
            | Self::NominalSpeed
            | Self::NominalRotation => (0.0, infinite, true),
            Self::Tolerance => (0.0, TOLERANCE.ends().1, false),
            Self::RestLength(_)
            | Self::Gravity(_)
            | Self::InitialPosition(_)
            | Self::InitialVelocity(_)
            | Self::InitialOrientation(..)
            | Self::InitialAngularVelocity(..) => (-infinite, infinite, false),
            Self::MinSubstep => (1e-15, 0.5, false),
            _ => (0.0, infinite, false),
        }
    }

    fn set_integer(self, settings: &mut Settings, x: i32) -> bool {
        let Ok(count) = u32::try_from(x) else {
            return false;
        };
        match self {
            Self::Scheme if x == GENERAL => matches!(settings.scheme, Scheme::General { .. }),
            Self::Scheme => item_of(&SCHEMES, x).map(|s| settings.scheme = s).is_some(),
            Self::ImpactLaw => item_of(&LAWS, x).map(|l| settings.impact_law = l).is_some(),
            Self::EventState => item_of(&STATES, x)
                .map(|s| settings.event_state = s)
                .is_some(),
            Self::ReportedVelocity => item_of(&VELOCITIES, x)
                .map(|v| settings.reported_velocity = v)
                .is_some(),
            Self::Rows if (2..=MAX_ROWS).contains(&count) => {
                settings.rows = count;
                true
            }
            Self::DampingSteps if count <= 1000 => {
                settings.damping_steps = count;
                true
            }
            Self::MaxSubsteps if (1..=1_000_000).contains(&count) => {
                settings.max_substeps = count;
                true
            }
            Self::MaxStepWork if (1..=MAX_STEP_WORK).contains(&count) => {
                settings.max_step_work = count;
                true
            }
            Self::FixedPointIterations if (1..=1000).contains(&count) => {
                settings.fixed_point_iterations = count;
                true
            }
            _ => false,
        }
    }

    fn set_boolean(self, settings: &mut Settings, x: bool) -> bool {
        match self {
            Self::LocateCollisions => settings.locate_collisions = x,
            Self::LocateTransitions => settings.locate_transitions = Some(x),
            Self::Projection => settings.projection = x,
            Self::ImpactEnergyLimit => settings.impact_energy_limit = x,
            Self::ReturnAtEvent => settings.return_at_event = x,
            _ => return false,
        }
        true
    }

    fn of_any(self, force: &mut AnyForce) -> Option<&mut f64> {
        match force {
            AnyForce::Plane(force) => self.of_force(force),
            AnyForce::Space(force) => self.of_space_force(force),
        }
    }

    fn of_space_force(self, force: &mut space::Force) -> Option<&mut f64> {
        use space::Force as F;
        match (self, force) {
            (Self::Stiffness(_), F::SpringDamper(f)) => Some(&mut f.stiffness),
            (Self::Stiffness(_), F::JointSpring(f)) => Some(&mut f.stiffness),
            (Self::Damping(_), F::SpringDamper(f)) => Some(&mut f.damping),
            (Self::Damping(_), F::JointSpring(f)) => Some(&mut f.damping),
            (Self::RestLength(_), F::SpringDamper(f)) => Some(&mut f.rest_length),
            (Self::RestLength(_), F::JointSpring(f)) => Some(&mut f.rest),
            (Self::LinearDrag(_), F::Viscous(f)) => Some(&mut f.linear),
            (Self::AngularDrag(_), F::Viscous(f)) => Some(&mut f.angular),
            (Self::StaticFriction(_), F::Stribeck(f)) => Some(&mut f.law.static_friction),
            (Self::KineticFriction(_), F::Stribeck(f)) => Some(&mut f.law.kinetic_friction),
            (Self::ViscousFriction(_), F::Stribeck(f)) => Some(&mut f.law.viscous),
            _ => None,
        }
    }

    fn of_force(self, force: &mut Force) -> Option<&mut f64> {
        match (self, force) {
            (Self::Stiffness(_), Force::SpringDamper(f)) => Some(&mut f.stiffness),
            (Self::Stiffness(_), Force::Torsional(f)) => Some(&mut f.stiffness),
            (Self::Damping(_), Force::SpringDamper(f)) => Some(&mut f.damping),
            (Self::Damping(_), Force::Torsional(f)) => Some(&mut f.damping),
            (Self::RestLength(_), Force::SpringDamper(f)) => Some(&mut f.rest_length),
            (Self::RestLength(_), Force::Torsional(f)) => Some(&mut f.rest_angle),
            (Self::LinearDrag(_), Force::Viscous(f)) => Some(&mut f.linear),
            (Self::AngularDrag(_), Force::Viscous(f)) => Some(&mut f.angular),
            (Self::StaticFriction(_), Force::Stribeck(f)) => Some(&mut f.static_friction),
            (Self::KineticFriction(_), Force::Stribeck(f)) => Some(&mut f.kinetic_friction),
            (Self::ViscousFriction(_), Force::Stribeck(f)) => Some(&mut f.viscous),
            _ => None,
        }
    }
}

fn of_pair(
    model: &mut Model,
    pair: usize,
    place: impl Fn(&mut crate::model::Contact) -> &mut f64,
    x: f64,
) {
    for contact in model.contacts.iter_mut().filter(|c| c.pair == pair) {
        *place(contact) = x;
    }
}
