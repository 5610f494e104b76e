//! One file per part of a scene: its keys, their checks, their defaults.
pub mod belt;
mod body;
pub mod clutch;
pub mod contact;
pub mod coupling;
pub mod dimension;
pub mod driven;
pub mod flange;
pub mod fmu;
pub mod force;
pub mod friction;
pub mod joint;
pub mod parameter;
pub mod plane;
pub mod rope;
pub mod sensor;
pub mod settings;
pub mod shape;
pub mod signal;
pub mod space;

use std::collections::BTreeMap;

use super::load::Files;
use super::read::Table;
use super::spec::flange::Flange;
use super::spec::friction::Clutch;
use super::spec::sensor::Sensor;
use super::spec::space::Triple;
use super::spec::{self, Body, BodyKind, Coupling, Dimension, Force, Name, Pair, Rope, Shape};
use super::suggest::nearest;
use super::value::{Value, Vector, quoted, shortened};
use crate::kinds;
use joint::JointOf;

/// Name of the fixed body.
pub const GROUND: &str = "ground";

/// Names of one kind of item, to detect duplicates.
pub struct Names {
    what: &'static str,
    taken: Vec<Taken>,
    /// Index of the first occurrence of each name, and indices of names with copies.
    places: BTreeMap<String, usize>,
    copied: Vec<usize>,
}

/// A name in use.
struct Taken {
    name: String,
    line: usize,
    /// Number of copies, whose names have a number appended.
    copies: u32,
}

impl Taken {
    fn is_copied_as(&self, name: &str) -> bool {
        let number = name
            .strip_prefix(&self.name)
            .and_then(|rest| rest.strip_prefix('_'))
            .filter(|number| !number.starts_with(['0', '+']));
        let number = number.and_then(|number| number.parse().ok());
        number.is_some_and(|number| (1..=self.copies).contains(&number))
    }
}

impl Names {
    /// `what` is for example "bodies".
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            taken: Vec::new(),
            places: BTreeMap::new(),
            copied: Vec::new(),
        }
    }

    /// The name of an item; empty if missing or invalid.
    pub fn take(&mut self, table: &mut Table<'_>) -> String {
        table
            .need("name")
            .and_then(|v| self.claim(&v))
            .unwrap_or_default()
    }

    /// A name for references: checked for valid characters and duplicates.
    pub fn claim(&mut self, value: &Value<'_>) -> Option<String> {
        let name = value.text()?;
        let shown = shortened(name);
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        if !starts || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let hint = "use letters, digits and `_`, a letter first: the name becomes part of variable names";
            value.bad(format!("\"{shown}\" cannot be a name"), hint);
        } else if name == GROUND {
            let message = "\"ground\" is the name of the fixed body";
            value.bad(
                message,
                "choose another name; shapes of the ground are `[[ground.shape]]`",
            );
        } else if let Some(line) = self.line_of(name) {
            let message = format!(
                "there are two {} with the name \"{shown}\", this one and that in line {line}",
                self.what
            );
            let free = (2..)
                .map(|i| format!("{name}_{i}"))
                .find(|free| self.line_of(free).is_none());
            let hint = format!(
                "rename one of them, for example to \"{}\", here and where it is referred to",
                shortened(&free.unwrap_or_default())
            );
            value.bad(message, hint);
        }
        let line = value.log.line_of(&value.place);
        let place = self.taken.len();
        self.places.entry(name.to_owned()).or_insert(place);
        self.taken.push(Taken {
            name: name.to_owned(),
            line,
            copies: 0,
        });
        Some(name.to_owned())
    }

    /// Registers copies of the item claimed last, as requested by `value`.
    pub fn copy(&mut self, value: &Value<'_>, copies: u32) {
        let Some((last, others)) = self.taken.split_last_mut() else {
            return;
        };
        last.copies = copies;
        self.copied.push(others.len());
        if let Some(other) = others.iter().find(|other| last.is_copied_as(&other.name)) {
            let message = format!(
                "a copy would have the name \"{}\", which another of the {} has in line {}",
                shortened(&other.name),
                self.what,
                other.line
            );
            value.bad(message, "rename one of them");
        }
    }

    /// The line of a name in use.
    fn line_of(&self, name: &str) -> Option<usize> {
        let itself = self.places.get(name).copied();
        let is_copy = |place: &usize| self.taken[*place].is_copied_as(name);
        let copy = self.copied.iter().copied().find(is_copy);
        let first = itself.into_iter().chain(copy).min();
        first.map(|place| self.taken[place].line)
    }
}

/// Bodies, shapes of the ground, joints and force elements.
pub struct Mechanism<B: Moving, G, J, F> {
    /// Moving bodies.
    pub bodies: Vec<B>,
    /// Shapes of the ground.
    pub ground: Vec<Shape<G>>,
    /// Joints.
    pub joints: Vec<JointOf<B, J>>,
    /// Couplings of joint coordinates.
    pub couplings: Vec<Coupling>,
    /// Clutches and brakes.
    pub clutches: Vec<Clutch<B::Point>>,
    /// Force elements.
    pub forces: Vec<Force<B::Point, F>>,
    /// Flanges.
    pub flanges: Vec<Flange<B::Point>>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Ropes.
    pub ropes: Vec<Rope<B::Point>>,
}

impl<B: Moving, G: shape::Family, J: kinds::joint::Kind, F: kinds::force::Kind>
    Mechanism<B, G, J, F>
{
    /// Reads them. Bodies are read before the parts that refer to them, regardless of their order in the file.
    pub fn read<I: IntoIterator<Item = B>>(
        t: &mut Table<'_>,
        files: Files<'_>,
        mut read_body: impl FnMut(Table<'_>, &mut Names) -> I,
    ) -> Self {
        let tables = t.items("body");
        need_bodies(t, &tables);
        let mut names = Names::new("bodies");
        let tables = tables.into_iter();
        let bodies: Vec<B> = tables.flat_map(|t| read_body(t, &mut names)).collect();

        let mut ground = Vec::new();
        if let Some(mut table) = t.get("ground").and_then(|v| v.as_table(v.path.clone())) {
            ground = shape::read_all(table.items("shape"), shape::Owner::Ground, files);
            table.finish("[ground]");
        }

        let mut names = Names::new("joints");
        let tables = t.items("joint").into_iter();
        let read_joint = |t| joint::read(t, &mut names, &bodies);
        let joints: Vec<_> = tables.map(read_joint).collect();

        let mut names = Names::new("couplings");
        let tables = t.items("coupling").into_iter();
        let read_coupling = |t| coupling::read(t, &mut names, &joints);
        let couplings = tables.map(read_coupling).collect();

        let mut names = Names::new("clutches");
        let tables = t.items("clutch").into_iter();
        let read_clutch = |t| clutch::read(t, &mut names, &bodies);
        let clutches = tables.map(read_clutch).collect();

        let mut names = Names::new("forces");
        let world = force::World {
            bodies: &bodies,
            joints: &joints,
        };
        let tables = t.items("force").into_iter();
        let forces = tables.map(|t| force::read(t, &mut names, world)).collect();

        let mut names = Names::new("flanges");
        let tables = t.items("flange").into_iter();
        let read_flange = |t| flange::read(t, &mut names, world);
        let flanges = tables.filter_map(read_flange).collect();

        let mut names = Names::new("sensors");
        let tables = t.items("sensor").into_iter();
        let read_sensor = |t| sensor::read(t, &mut names, world);
        let sensors = tables.filter_map(read_sensor).collect();
        let mut names = Names::new("ropes");
        let tables = t.items("rope").into_iter();
        let read_rope = |t| rope::read(t, &mut names, &bodies);
        let ropes = tables.map(read_rope).collect();
        Self {
            bodies,
            ground,
            joints,
            couplings,
            clutches,
            forces,
            flanges,
            sensors,
            ropes,
        }
    }
}

/// Rejects a scene without bodies.
fn need_bodies(t: &Table<'_>, tables: &[Table<'_>]) {
    if tables.is_empty() && !t.has("body") {
        let hint = "add `[[body]]` with `name`, `kind`, `mass` and `position`";
        t.log.absent(
            0..0,
            "body",
            "the scene has no body, so nothing can move",
            hint,
        );
    }
}

/// Reports a reference to something that does not exist; `nothing` is for example "no body has the name".
pub fn no_such<'k>(
    value: &Value<'_>,
    nothing: &str,
    name: &str,
    known: impl Iterator<Item = &'k str>,
) {
    let known: Vec<&str> = known.collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if known.is_empty() => "the scene has none of this kind".to_owned(),
        None if known.len() > 12 => format!("the scene has {} names of this kind", known.len()),
        None => format!("there are {}", quoted(&known)),
    };
    value.bad(format!("{nothing} \"{}\"", shortened(name)), hint);
}

/// A body in the plane or in space, as seen by references to it.
pub trait Moving {
    /// Vector type.
    type Point: Vector;

    /// Its name.
    fn name(&self) -> &str;
    /// Does it rotate?
    fn kind(&self) -> BodyKind;
    /// Its centre of mass.
    fn position(&self) -> Self::Point;
}

macro_rules! moving {
    ($body:ty, $point:ty) => {
        impl Moving for $body {
            type Point = $point;

            fn name(&self) -> &str {
                &self.name
            }

            fn kind(&self) -> BodyKind {
                self.kind
            }

            fn position(&self) -> $point {
                self.position
            }
        }
    };
}

moving!(Body, Pair);
moving!(spec::space::Body, Triple);

/// Target of a body name.
pub enum Side<'a, B = Body> {
    /// The ground.
    Ground,
    /// A moving body.
    Moving(&'a B),
    /// Unknown; already reported.
    Unknown,
}

impl<B> Clone for Side<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Side<'_, B> {}

impl<B: Moving> Side<'_, B> {
    /// Is it a point body?
    pub fn is_point(&self) -> bool {
        matches!(self, Side::Moving(body) if body.kind() == BodyKind::Point)
    }

    /// Is it a rigid body?
    pub fn is_rigid(&self) -> bool {
        matches!(self, Side::Moving(body) if body.kind() == BodyKind::Rigid)
    }
}

/// Resolves the name of a body.
pub fn side<'b, B: Moving>(name: &str, bodies: &'b [B]) -> Side<'b, B> {
    match bodies.iter().find(|body| body.name() == name) {
        _ if name == GROUND => Side::Ground,
        Some(body) => Side::Moving(body),
        None => Side::Unknown,
    }
}

/// The name of a body or of the ground.
pub fn body_name<B: Moving>(value: &Value<'_>, bodies: &[B]) -> Option<Name> {
    let name = value.name()?;
    // A body without a valid name has been reported already.
    let nameless = bodies.iter().any(|b| b.name().is_empty());
    if matches!(side(&name.text, bodies), Side::Unknown) && !nameless {
        let nothing = "no body has the name";
        let known = bodies.iter().map(Moving::name);
        match hint_on_copies(value, &name.text, bodies) {
            Some(hint) => value.bad(format!("{nothing} \"{}\"", shortened(&name.text)), hint),
            None => no_such(value, nothing, &name.text, known.chain([GROUND])),
        }
    }
    Some(name)
}

/// Hint for the base name of copies, which none of them has.
fn hint_on_copies<B: Moving>(value: &Value<'_>, name: &str, bodies: &[B]) -> Option<String> {
    let is_copy = |body: &&B| {
        let number = body.name().strip_prefix(name);
        let number = number.and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let mut copies = bodies.iter().filter(is_copy);
    let first = copies
        .next()
        .filter(|_| value.log.dimension == Dimension::Space)?;
    let called = match copies.last() {
        Some(last) => format!(
            "\"{}\" to \"{}\"",
            shortened(first.name()),
            shortened(last.name())
        ),
        None => format!("\"{}\"", shortened(first.name())),
    };
    let for_all = match value.path.starts_with("contact") {
        true => {
            "; to refer to all of them, give the body a `group` and write `groups` instead of `bodies`"
        }
        false => "",
    };
    Some(format!(
        "copies have a number appended to the name: {called}{for_all}"
    ))
}

/// Two different bodies, one of which may be the ground.
pub fn two_bodies<B: Moving>(value: &Value<'_>, bodies: &[B]) -> Option<[Name; 2]> {
    let [a, b] = value.two("two names of bodies")?;
    let (a, b) = (body_name(&a, bodies), body_name(&b, bodies));
    let (a, b) = (a?, b?);
    if a.text == b.text {
        let message = format!("both are the same body, \"{}\"", shortened(&a.text));
        value.bad(
            message,
            "name two different bodies; the fixed one is \"ground\"",
        );
    }
    Some([a, b])
}

/// Placeholder for a name that could not be read.
pub fn nobody() -> Name {
    Name {
        text: String::new(),
        place: 0..0,
    }
}
