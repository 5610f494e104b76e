//! Parameters: what may be changed from outside in a model, its start and the settings.

use crate::kinds::plane::force::Force;
use crate::kinds::space::force as space;
use crate::model::AnyForce;
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::scene::spec::settings::{Field, TABLE};

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
    /// A setting, by its place in the table of settings.
    Setting(usize),
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
            Self::Setting(i) => value_of(&TABLE[i].field, settings),
        }
    }

    /// Sets it; false if the value does not fit its type or range.
    pub fn set(self, model: &mut Model, settings: &mut Settings, value: Value) -> bool {
        match (self, value) {
            (Self::Setting(i), value) => set_setting(&TABLE[i].field, settings, value),
            (_, Value::Real(x)) => self.set_real(model, x),
            (_, Value::Integer(_) | Value::Boolean(_)) => false,
        }
    }

    /// Does the value fit its type and range?
    pub fn accepts(self, settings: &Settings, value: Value) -> bool {
        match (self, value) {
            (Self::Setting(i), value) => set_setting(&TABLE[i].field, &mut settings.clone(), value),
            (_, Value::Real(x)) => self.is_in_range(x),
            (_, Value::Integer(_) | Value::Boolean(_)) => false,
        }
    }

    fn is_in_range(self, x: f64) -> bool {
        let (low, high, is_open) = self.range();
        x.is_finite() && x <= high && if is_open { x > low } else { x >= low }
    }

    fn set_real(self, model: &mut Model, x: f64) -> bool {
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
            Self::Setting(_) => return false,
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
            | Self::StribeckVelocity(_) => (0.0, infinite, true),
            Self::RestLength(_)
            | Self::Gravity(_)
            | Self::InitialPosition(_)
            | Self::InitialVelocity(_)
            | Self::InitialOrientation(..)
            | Self::InitialAngularVelocity(..) => (-infinite, infinite, false),
            _ => (0.0, infinite, false),
        }
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

/// The value of a setting; 0 for one that is absent.
fn value_of(field: &Field, settings: &Settings) -> Value {
    match field {
        Field::Real { at, .. } => Value::Real((at.get)(settings)),
        Field::OptionalReal { at, .. } => Value::Real((at.get)(settings).unwrap_or(0.0)),
        Field::Count { at, .. } => Value::Integer((at.get)(settings) as i32),
        Field::OptionalCount { at, .. } => {
            Value::Integer((at.get)(settings).map_or(0, |count| count as i32))
        }
        Field::Flag(at) => Value::Boolean((at.get)(settings)),
        Field::Choice { at, .. } => Value::Integer((at.get)(settings) as i32 + 1),
    }
}

/// Sets a setting; false if the value does not fit its type or range.
fn set_setting(field: &Field, settings: &mut Settings, value: Value) -> bool {
    let is_count = |(low, high): (u32, u32), x: i32| {
        u32::try_from(x).is_ok_and(|count| (low..=high).contains(&count))
    };
    match (field, value) {
        (Field::Real { range, at, .. }, Value::Real(x)) if range.contains(x) => {
            (at.set)(settings, x);
        }
        (Field::OptionalReal { range, at, .. }, Value::Real(x))
            if x == 0.0 || range.contains(x) =>
        {
            (at.set)(settings, (x > 0.0).then_some(x));
        }
        (Field::Count { range, at }, Value::Integer(x)) if is_count(*range, x) => {
            (at.set)(settings, x as u32);
        }
        (Field::OptionalCount { range, at }, Value::Integer(x))
            if x == 0 || is_count(*range, x) =>
        {
            (at.set)(settings, (x > 0).then_some(x as u32));
        }
        (Field::Flag(at), Value::Boolean(x)) => (at.set)(settings, x),
        (Field::Choice { items, at, .. }, Value::Integer(x))
            if is_count((1, items.len() as u32), x) =>
        {
            let chosen = x as usize - 1;
            // the scene's own weights of a scheme cannot be given from outside
            if items[chosen].0 == "general" {
                return (at.get)(settings) == chosen;
            }
            (at.set)(settings, chosen);
        }
        _ => return false,
    }
    true
}
