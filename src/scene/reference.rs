//! The tables of `docs/SCENE.md`, generated from the descriptions, and a check that the reader accepts the keys and defaults
//! in them. `UPDATE_SNAPSHOTS=1 cargo test --lib reference` writes the tables into the page.

use super::sections::*;
use super::spec::Dimension;
use super::spec::settings::{self, UsedBy};
use crate::kinds::force::{self, Attachment};
use crate::kinds::joint::{self, Mounting};
use crate::kinds::parameter::Parameter;
use crate::kinds::{plane, shape, space};

/// Default of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Fallback {
    /// None: the key is required.
    Required,
    /// None: the key is required and must be one of these words.
    OneOf(Vec<String>),
    /// A number or a vector.
    Numbers(Vec<f64>),
    /// True, false or a word in quotes.
    Word(String),
}

/// A key and its default.
pub type Rule = (&'static str, Fallback);

/// A table of the file as seen by the reader.
#[derive(Clone, Debug)]
pub struct Part {
    pub dimension: Dimension,
    /// For example "a box".
    pub what: String,
    /// Its known keys.
    pub keys: Vec<String>,
    /// Defaults of the keys.
    pub rules: Vec<Rule>,
    /// Parameters of its kind.
    pub parameters: &'static [Parameter],
}

/// All tables of the page, each with the name of its marker.
fn tables() -> Vec<(&'static str, String)> {
    use Dimension::{Plane, Space};
    vec![
        ("file", keys(FILE)),
        ("settings", settings(&[UsedBy::Both, UsedBy::EventDriven])),
        ("settings in space", settings(&[UsedBy::EventDrivenInSpace])),
        ("fmu", keys(FMU)),
        ("flange", keys(FLANGE)),
        ("sensor", keys(SENSOR)),
        ("parameter", keys(PARAMETER)),
        ("targets of parameters", keys(TARGET_OF_PARAMETER)),
        ("kinds of sensors", meanings(SENSORS)),
        ("body", keys(BODY_IN_PLANE)),
        ("body in space", keys(BODY_IN_SPACE)),
        ("shape", keys(SHAPE)),
        ("kinds of shapes", shapes::<plane::shape::Kind>()),
        ("kinds of shapes in space", shapes::<space::shape::Kind>()),
        ("joint", keys(JOINT)),
        ("more of joints", keys(JOINT_IN_PLANE)),
        ("more of joints in space", keys(JOINT_IN_SPACE)),
        ("kinds of joints", joints::<plane::joint::Kind>(Plane)),
        (
            "kinds of joints in space",
            joints::<space::joint::Kind>(Space),
        ),
        ("motor", keys(MOTOR)),
        ("coupling", keys(COUPLING)),
        ("kinds of couplings", words("equation", COUPLINGS)),
        ("friction of joints", keys(FRICTION_OF_JOINT)),
        ("joint friction", keys(JOINT_FRICTION)),
        ("clutch", keys(CLUTCH)),
        ("force", keys(FORCE)),
        ("targets of forces", keys(TARGET_IN_PLANE)),
        ("targets of forces in space", keys(TARGET_IN_SPACE)),
        ("kinds of forces", forces::<plane::force::Kind>(Plane)),
        (
            "kinds of forces in space",
            forces::<space::force::Kind>(Space),
        ),
        ("signals", words("value", SIGNALS)),
        ("contact", keys(CONTACT_IN_PLANE)),
        ("contact in space", keys(CONTACT_IN_SPACE)),
        ("pair", keys(PAIR_IN_PLANE)),
        ("pair in space", keys(PAIR_IN_SPACE)),
        ("time stepping", settings(&[UsedBy::TimeStepping])),
        ("copies", keys(COPIES)),
        ("rope", keys(ROPE)),
        ("pulley", keys(PULLEY)),
        ("belt", keys(BELT)),
    ]
}

/// Kinds of sensors and their meaning.
const SENSORS: &[(&str, &str)] = &[
    (
        "`\"position\"`, `\"velocity\"`, `\"acceleration\"`",
        "of a `point` of a `body`",
    ),
    (
        "`\"angle\"` (plane), `\"orientation\"` (space, a quaternion), `\"angular_velocity\"`, `\"angular_acceleration\"`",
        "of a `body`",
    ),
    (
        "`\"distance\"`, `\"distance_rate\"`",
        "between `anchors` of two `bodies`",
    ),
    (
        "`\"joint_coordinate\"`, `\"joint_rate\"`",
        "a `coordinate` of a `joint`, and its rate",
    ),
    (
        "`\"joint_force\"`, `\"joint_moment\"`",
        "reaction of a `joint` on its second body, without its motor and friction; the moment about the anchor of that body",
    ),
    (
        "`\"contact_force\"`, `\"contact_moment\"`",
        "of all contacts of two `bodies`, on the second one; the moment about its centre of mass",
    ),
];

fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |");
    let mut text = line(&header.map(str::to_owned));
    text.push_str(&format!("|{}\n", "---|".repeat(N)));
    rows.for_each(|row| text.push_str(&line(&row)));
    text
}

fn keys(parameters: &[Parameter]) -> String {
    let row = |p: &Parameter| {
        let cells = [p.unit, p.default, p.text].map(str::to_owned);
        let [unit, default, text] = cells;
        [format!("`{}`", p.key), unit, default, text]
    };
    table(
        ["key", "unit", "default", "meaning"],
        parameters.iter().map(row),
    )
}

fn settings(used_by: &[UsedBy]) -> String {
    let rows = settings::TABLE
        .iter()
        .filter(|s| used_by.contains(&s.used_by));
    let row = |s: &settings::Setting| {
        [
            format!("`{}`", s.name),
            s.unit().to_owned(),
            s.default().unwrap_or_default(),
            s.description.to_owned(),
            s.range(),
        ]
    };
    table(
        ["key", "unit", "default", "meaning", "range"],
        rows.map(row),
    )
}

/// `` `stiffness` (N/m), `rest_length` (m, default: the distance at the start) ``.
fn listed(parameters: &[Parameter]) -> Vec<String> {
    let one = |p: &Parameter| {
        let default = match p.default {
            "" | "required" => String::new(),
            value if value.starts_with(['`', '0', '1']) => format!("default {value}"),
            sentence => format!("default: {sentence}"),
        };
        let notes: Vec<&str> = [p.unit, &default]
            .into_iter()
            .filter(|n| !n.is_empty())
            .collect();
        match notes.is_empty() {
            true => format!("`{}`", p.key),
            false => format!("`{}` ({})", p.key, notes.join(", ")),
        }
    };
    parameters.iter().map(one).collect()
}

fn shapes<K: shape::Kind>() -> String {
    let rows = K::ALL.iter().map(|kind| {
        let kind = kind.description();
        let keys = listed(kind.parameters).join(", ");
        [format!("`\"{}\"`", kind.word), keys, kind.text.to_owned()]
    });
    table(["`kind`", "keys", "what it is"], rows)
}

fn joints<K: joint::Kind>(dimension: Dimension) -> String {
    let rows = K::ALL.iter().map(|kind| {
        let kind = kind.description();
        let place = match (kind.mounting, dimension) {
            (Mounting::Point, _) => "`at` or `anchors`",
            (Mounting::Ends, _) => "`anchors`",
            (Mounting::Anywhere, _) => "`at`, `anchors` or nothing",
            (_, Dimension::Plane) => "`at` or `anchors`; `axis`",
            (Mounting::Axis, _) => "`at` or `anchors`; `axis` or `axes`",
            (Mounting::Cross, _) => "`at` or `anchors`; `axis` and `second_axis`, or `axes`",
        };
        let mut keys = listed(kind.parameters);
        keys.extend(
            kind.driven()
                .filter_map(|(_, c)| Some(format!("`{}`", c.limits?))),
        );
        if kind.driven().next().is_some() {
            keys.push("`limit_restitution`".to_owned());
            keys.push("`limit_stiffness` and others".to_owned());
            keys.push("`motor`".to_owned());
        }
        if kind.coordinates_with_friction().next().is_some() {
            keys.push("`friction`".to_owned());
        }
        let coordinates = kind.coordinates.iter();
        let coordinates: Vec<String> = coordinates
            .map(|c| format!("`{c}`, {}", if c.is_angle { "rad" } else { "m" }))
            .collect();
        [
            format!("`\"{}\"`", kind.word),
            place.to_owned(),
            keys.join(", "),
            kind.text.to_owned(),
            coordinates.join("; "),
        ]
    });
    let header = ["`kind`", "place", "other keys", "motion", "coordinates"];
    table(header, rows)
}

fn forces<K: force::Kind>(dimension: Dimension) -> String {
    let rows = K::ALL.iter().map(|kind| {
        let kind = kind.description();
        let target = match (kind.attachment, dimension) {
            (Attachment::Points, _) => "`bodies`, `anchors`",
            (Attachment::Joint, Dimension::Space) => "`joint`, `coordinate`",
            (Attachment::Joint | Attachment::Angle, _) => "`joint`",
            (Attachment::Body, _) => "`body`, `force`, `torque`, `point`, `frame`",
            (Attachment::Bodies, _) => "`bodies`",
        };
        [
            format!("`\"{}\"`", kind.word),
            target.to_owned(),
            listed(kind.parameters).join(", "),
            kind.text.to_owned(),
        ]
    });
    table(["`kind`", "acts on", "other keys", "meaning"], rows)
}

fn meanings(rows: &[(&str, &str)]) -> String {
    let rows = rows.iter();
    table(
        ["`kind`", "meaning"],
        rows.map(|(word, text)| [*word, *text].map(str::to_owned)),
    )
}

/// Kinds that have a word, a sentence and keys.
fn words(header: &str, kinds: &[(&str, &str, &[Parameter])]) -> String {
    let rows = kinds.iter().map(|(word, value, keys)| {
        [
            format!("`\"{word}\"`"),
            listed(keys).join(", "),
            (*value).to_owned(),
        ]
    });
    table(["`kind`", "keys", header], rows)
}

#[cfg(test)]
mod tests {
    use super::super::load::read;
    use super::super::part::dimension;
    use super::super::read::{Log, Table};
    use super::super::sections;
    use super::*;
    use std::path::Path;
    use toml::de::DeTable;

    const PAGE: &str = "docs/SCENE.md";

    #[test]
    fn the_tables_of_the_page_are_those_of_the_descriptions() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let page = std::fs::read_to_string(&path).unwrap();
        let mut fresh = page.clone();
        for (name, table) in tables() {
            let start = format!("<!-- table: {name} -->\n");
            let (before, rest) = fresh.split_once(&start).expect(name);
            let (_, after) = rest.split_once("<!-- end -->").expect(name);
            fresh = format!("{before}{start}{table}<!-- end -->{after}");
        }
        assert_eq!(page.matches("<!-- table: ").count(), tables().len());
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, fresh).unwrap();
        } else {
            assert!(
                page == fresh,
                "{PAGE} is out of date: `UPDATE_SNAPSHOTS=1 cargo test --lib reference` regenerates its tables"
            );
        }
    }

    /// The tables read from a text, valid or not.
    fn parts_of(text: &str) -> Vec<Part> {
        let (document, _) = DeTable::parse_recoverable(text);
        let log = Log::new(dimension::of(document.get_ref()), text);
        let root = Table::new(&log, String::new(), 0..0, document.get_ref());
        read(root, "scene.toml", &|_| Err((String::new(), String::new())));
        log.parts.into_inner()
    }

    /// All parts of the format, with all kinds.
    fn parts() -> Vec<Part> {
        let mut texts = vec![String::new()];
        texts.extend(
            [
                "[settings]\nscheme = \"general\"",
                "[settings]\nfriction_cone = \"polyhedral\"",
                "[[body]]\nkind = \"rigid\"",
                "[[body]]\n[body.copies]",
                "[contact_default]",
                "[fmu]",
                "[[flange]]",
                "[[flange]]\nkind = \"spring\"",
                "[[flange]]\njoint = \"hinge\"",
                "[[sensor]]",
                "[[sensor]]\nkind = \"position\"",
                "[[sensor]]\nkind = \"distance\"",
                "[[sensor]]\nkind = \"joint_coordinate\"",
                "[[sensor]]\nkind = \"contact_force\"",
                "[[contact]]",
                "[[belt]]",
                "[[rope]]",
                "[[rope]]\nover = [{}]",
                "[[joint]]\nkind = \"revolute\"\nmotor = {}",
                "[[joint]]\nkind = \"revolute\"\nfriction = {}",
                "[[clutch]]",
                "[[clutch]]\nkind = \"torque_limiter\"",
                "[[clutch]]\nkind = \"belt_brake\"",
                "[[clutch]]\nkind = \"one_way\"",
                "[[joint]]\nkind = \"revolute\"\nmotor = { kind = \"servo\" }",
                "[[body]]\nkind = \"driven\"\nangle = 0",
                "[[body]]\nkind = \"driven\"\nacceleration = [0, 0]\nangular_acceleration = 0",
            ]
            .map(str::to_owned),
        );
        let kinds = |part: &str, words: Vec<&str>| -> Vec<String> {
            let text = |word: &str| format!("[[{part}]]\nkind = \"{word}\"");
            words.into_iter().map(text).collect()
        };
        use crate::kinds::force::Kind as _;
        use crate::kinds::joint::Kind as _;
        use crate::kinds::shape::Kind as _;
        let all = [
            kinds(
                "joint",
                space::joint::Kind::ALL
                    .iter()
                    .map(|k| k.description().word)
                    .collect(),
            ),
            kinds(
                "force",
                plane::force::Kind::ALL
                    .iter()
                    .map(|k| k.description().word)
                    .collect(),
            ),
            kinds(
                "force",
                space::force::Kind::ALL
                    .iter()
                    .map(|k| k.description().word)
                    .collect(),
            ),
            kinds(
                "ground.shape",
                plane::shape::Kind::ALL
                    .iter()
                    .map(|k| k.description().word)
                    .collect(),
            ),
            kinds(
                "ground.shape",
                space::shape::Kind::ALL
                    .iter()
                    .map(|k| k.description().word)
                    .collect(),
            ),
        ];
        texts.extend(all.into_iter().flatten());
        texts.extend(kinds(
            "coupling",
            COUPLINGS.iter().map(|(word, _, _)| *word).collect(),
        ));
        for (word, _, _) in SIGNALS {
            texts.push(format!(
                "[[force]]\nkind = \"applied\"\ntorque = {{ kind = \"{word}\" }}"
            ));
            texts.push(format!(
                "[[force]]\nkind = \"applied\"\ntorque = [{{ kind = \"{word}\" }}, 0, 0]"
            ));
        }
        let texts = texts.iter();
        texts
            .flat_map(|text| [text.clone(), format!("dimension = 3\n{text}")])
            .flat_map(|text| parts_of(&text))
            .collect()
    }

    /// Does the default in the description match that of the reader?
    fn agrees(default: &str, fallback: &Fallback) -> bool {
        let bare = default.trim_matches('`');
        match fallback {
            Fallback::Required | Fallback::OneOf(_) => default.starts_with("required"),
            Fallback::Word(word) => bare.starts_with(word.as_str()),
            Fallback::Numbers(values) => {
                let list = bare
                    .trim_start_matches('[')
                    .split([']', ':', ';'])
                    .next()
                    .unwrap_or("");
                let numbers: Option<Vec<f64>> =
                    list.split(',').map(|n| n.trim().parse().ok()).collect();
                numbers.as_ref() == Some(values)
            }
        }
    }

    #[test]
    fn the_reader_takes_the_keys_and_defaults_of_the_descriptions() {
        let (mut complaints, mut n_keys, mut n_defaults) = (Vec::new(), 0, 0);
        // settings are read from their table
        for part in parts()
            .into_iter()
            .filter(|p| !p.what.starts_with("[settings"))
        {
            for key in &part.keys {
                n_keys += 1;
                let known: Vec<Parameter> = match part.parameters.iter().find(|p| p.key == key) {
                    Some(own) => vec![*own],
                    None => sections::all(part.dimension)
                        .into_iter()
                        .flatten()
                        .filter(|p| p.key.trim_matches(['[', ']']).split('.').next() == Some(key))
                        .copied()
                        .collect(),
                };
                if known.is_empty() && key != "ground" && key != "shape" {
                    complaints.push(format!("{}: `{key}` is not described", part.what));
                }
                for (_, fallback) in part.rules.iter().filter(|(name, _)| name == key) {
                    n_defaults += 1;
                    let is_said = known.iter().any(|p| agrees(p.default, fallback));
                    let special = ["contact", "gravity", "mass"].contains(&key.as_str());
                    if !is_said && !special {
                        let said: Vec<&str> = known.iter().map(|p| p.default).collect();
                        complaints.push(format!(
                            "{}: `{key}` is {fallback:?}, not {said:?}",
                            part.what
                        ));
                    }
                }
            }
        }
        complaints.sort();
        complaints.dedup();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        assert!(n_keys > 300 && n_defaults > 100, "{n_keys} {n_defaults}");
    }
}
