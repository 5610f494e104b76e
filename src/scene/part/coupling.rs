//! `[[coupling]]`: equations between joint coordinates.

use super::{Names, no_such};
use crate::kinds::joint::{Description, Kind as JointKind};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::sections::COUPLINGS;
use crate::scene::spec::{Backlash, Coupling, CouplingTerm, Joint, Name};
use crate::scene::value::{Value, quoted};

const EFFICIENCY: Range = Range::new("above 0, up to 1", 1e-3, 1.0);

/// The kinds of couplings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gear,
    Rack,
    Belt,
    Differential,
    Planetary,
    Mimic,
    Linear,
}

const KINDS: &[(&str, Kind)] = &[
    ("gear", Kind::Gear),
    ("rack", Kind::Rack),
    ("belt", Kind::Belt),
    ("differential", Kind::Differential),
    ("planetary", Kind::Planetary),
    ("mimic", Kind::Mimic),
    ("linear", Kind::Linear),
];

/// A coordinate that a coupling needs.
#[derive(Clone, Copy)]
enum Needs {
    Angle,
    Displacement,
    Any,
}

impl Kind {
    fn word(self) -> &'static str {
        let known = KINDS.iter().find(|(_, kind)| *kind == self);
        known.map_or("", |(word, _)| word)
    }

    /// The coordinates of its joints; `None` for any number of them.
    fn needs(self) -> Option<&'static [Needs]> {
        use Needs::{Angle, Any, Displacement};
        match self {
            Self::Gear | Self::Belt => Some(&[Angle, Angle]),
            Self::Rack => Some(&[Angle, Displacement]),
            Self::Differential | Self::Planetary => Some(&[Angle, Angle, Angle]),
            Self::Mimic => Some(&[Any, Any]),
            Self::Linear => None,
        }
    }
}

/// Reads one coupling. Joints must have been read.
pub fn read<P, K: JointKind>(
    mut t: Table<'_>,
    names: &mut Names,
    joints: &[Joint<P, K>],
) -> Coupling {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let list = t.need("joints");
    let backlash = backlash(&mut t);
    let efficiency = t.number("efficiency", EFFICIENCY);
    if let (Some(value), Some(_), Some(_)) = (t.get("efficiency"), efficiency, backlash) {
        value.bad(
            "a coupling with backlash has no `efficiency`",
            "keep one of the two; `friction` of a joint is another way to lose power",
        );
    }
    let mut terms = Vec::new();
    if let Some(kind) = kind {
        let factors = factors(&mut t, kind);
        if let (Some(list), Some(factors)) = (list, factors) {
            terms = couple(&list, kind, &factors, joints).unwrap_or_default();
        }
        let others = COUPLINGS.iter();
        let others = others.flat_map(|(word, _, keys)| keys.iter().map(|p| (p.key, *word)));
        t.finish_kind(&format!("a {} coupling", kind.word()), others.collect());
    } else {
        t.finish_with(
            "a coupling",
            &[
                "backlash",
                "efficiency",
                "joints",
                "kind",
                "name",
                "restitution",
            ],
        );
    }
    Coupling {
        place,
        name,
        terms,
        backlash,
        efficiency,
    }
}

fn backlash(t: &mut Table<'_>) -> Option<Backlash> {
    let play = t.number("backlash", Range::POSITIVE);
    let restitution = t.get("restitution");
    if let (Some(value), None) = (&restitution, play) {
        value.bad(
            "`restitution` has no effect without `backlash`",
            t.log.example("backlash"),
        );
    }
    let restitution = restitution.and_then(|value| value.number(Range::UNIT));
    play.map(|play| Backlash {
        play,
        restitution: restitution.unwrap_or(0.0),
    })
}

/// The factors of the coordinates, relative to that of the first.
fn factors(t: &mut Table<'_>, kind: Kind) -> Option<Vec<f64>> {
    match kind {
        Kind::Gear => Some(vec![1.0, -t.need_number("ratio", Range::NOT_ZERO)?]),
        Kind::Mimic => Some(vec![1.0, -t.number_or("ratio", Range::NOT_ZERO, 1.0)]),
        Kind::Rack => Some(vec![1.0, -1.0 / t.need_number("radius", Range::NOT_ZERO)?]),
        Kind::Belt => {
            let radii = t.need("radii")?;
            let [a, b] = radii.two("two radii")?;
            let (a, b) = (a.number(Range::NOT_ZERO), b.number(Range::NOT_ZERO));
            Some(vec![1.0, -b? / a?])
        }
        Kind::Differential => Some(vec![1.0, -0.5, -0.5]),
        Kind::Planetary => {
            let ratio = t.need_number("ratio", Range::POSITIVE)?;
            Some(vec![1.0, ratio, -(1.0 + ratio)])
        }
        Kind::Linear => {
            let list = t.need("factors")?.list("a list of factors")?;
            let factors: Option<Vec<f64>> =
                list.iter().map(|v| v.number(Range::NOT_ZERO)).collect();
            let factors = factors?;
            let first = *factors.first()?;
            Some(factors.iter().map(|f| f / first).collect())
        }
    }
}

/// The terms of the sum.
fn couple<P, K: JointKind>(
    list: &Value<'_>,
    kind: Kind,
    factors: &[f64],
    joints: &[Joint<P, K>],
) -> Option<Vec<CouplingTerm>> {
    let items = list.list("names of joints")?;
    if items.len() != factors.len() {
        let message = format!(
            "expected the names of {} joints, found {}",
            factors.len(),
            items.len()
        );
        list.bad(message, list.log.example("joints"));
        return None;
    }
    let mut terms: Vec<CouplingTerm> = Vec::new();
    for (i, (item, factor)) in items.iter().zip(factors).enumerate() {
        let name = item.name()?;
        let Some(joint) = joints.iter().find(|joint| joint.name == name.text) else {
            if !joints.iter().any(|joint| joint.name.is_empty()) {
                let known = joints.iter().map(|joint| joint.name.as_str());
                no_such(item, "no joint has the name", &name.text, known);
            }
            return None;
        };
        if terms.iter().any(|term| term.joint.text == name.text) {
            item.bad(
                format!("the joint \"{}\" is named twice", name.text),
                "name different joints",
            );
            return None;
        }
        let needs = kind.needs().and_then(|needs| needs.get(i).copied());
        let needs = needs.unwrap_or(Needs::Any);
        terms.push(CouplingTerm {
            coordinate: coordinate(item, joint.kind.description(), kind, needs, &name)?,
            joint: name,
            factor: *factor,
        });
    }
    Some(terms)
}

/// The coordinate of a joint that a coupling acts on.
fn coordinate(
    item: &Value<'_>,
    joint: &'static Description,
    kind: Kind,
    needs: Needs,
    name: &Name,
) -> Option<usize> {
    let fits = |is_angle: bool| match needs {
        Needs::Angle => is_angle,
        Needs::Displacement => !is_angle,
        Needs::Any => true,
    };
    let possible: Vec<usize> = joint
        .driven()
        .filter(|(_, c)| fits(c.is_angle))
        .map(|(i, _)| i)
        .collect();
    let what = match needs {
        Needs::Angle => "angle",
        Needs::Displacement => "displacement",
        Needs::Any => "coordinate",
    };
    match possible[..] {
        [only] => return Some(only),
        [] => item.bad(
            format!(
                "a {} coupling needs an {what} here, but the {} joint \"{}\" has none",
                kind.word(),
                joint.word,
                name.text
            )
            .replace("an displacement", "a displacement")
            .replace("an coordinate", "a coordinate"),
            match needs {
                Needs::Angle => "name a revolute joint",
                Needs::Displacement => "name a prismatic joint",
                Needs::Any => "name a revolute or prismatic joint",
            },
        ),
        _ => item.bad(
            format!(
                "the {} joint \"{}\" has two coordinates, and a {} coupling cannot tell which one is meant",
                joint.word,
                name.text,
                kind.word()
            ),
            format!(
                "use one of the kinds {}, which take the angle or the displacement",
                quoted(&["gear", "rack", "belt"])
            ),
        ),
    }
    None
}
