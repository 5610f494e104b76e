//! The schema of `modelDescription.xml` as a table: elements, attributes, their order, and the syntax of values.

use super::rules::Rule;
use super::verdict::{Finding, Report};
use super::xml::Element;

/// Syntax of a value.
#[derive(Clone, Copy, Debug)]
enum Form {
    Text,
    Truth,
    Number,
    Whole,
    Natural,
    Naturals,
    Word(&'static [&'static str]),
    Words(&'static [&'static str]),
    Time,
}

use Form::{Natural, Naturals, Number, Text, Time, Truth, Whole, Word, Words};

/// How often an element may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    Maybe,
    Any,
    Some,
}

#[derive(Debug)]
struct Attribute {
    name: &'static str,
    form: Form,
    is_required: bool,
}

/// A position in the content of an element with its alternative children.
#[derive(Debug)]
struct Place {
    kinds: &'static [Kind],
    times: Times,
}

#[derive(Debug)]
struct Kind {
    name: &'static str,
    attributes: &'static [Attribute],
    places: &'static [Place],
}

/// An element: its name, required and optional attributes, and its content in order: how often, and the alternatives.
macro_rules! element {
    ($name:expr, [$($required:ident: $form:expr),*] [$($optional:ident: $optional_form:expr),*] $($times:ident [$($kind:expr),+])*) => {
        Kind {
            name: $name,
            attributes: &[
                $(Attribute { name: stringify!($required), form: $form, is_required: true },)*
                $(Attribute { name: stringify!($optional), form: $optional_form, is_required: false },)*
            ],
            places: &[$(Place { kinds: &[$($kind),+], times: Times::$times }),*],
        }
    };
}

/// Element with arbitrary content.
const FREE: &str = "Tool";

const ANNOTATION: Kind = element! { FREE, [name: Text] [] };

const UNKNOWN: Kind = element! { "Unknown", [index: Natural] [
    dependencies: Naturals, dependenciesKind: Words(&["dependent", "constant", "fixed", "tunable", "discrete"])
] };

const SOURCES: Kind = element! { "SourceFiles", [] [] Some [element! { "File", [name: Text] [] }] };

const CO_SIMULATION: Kind = element! { "CoSimulation", [modelIdentifier: Text] [
    needsExecutionTool: Truth, canHandleVariableCommunicationStepSize: Truth, canInterpolateInputs: Truth,
    maxOutputDerivativeOrder: Natural, canRunAsynchronuously: Truth, canBeInstantiatedOnlyOncePerProcess: Truth,
    canNotUseMemoryManagementFunctions: Truth, canGetAndSetFMUstate: Truth, canSerializeFMUstate: Truth,
    providesDirectionalDerivative: Truth
] Maybe [SOURCES] };

const MODEL_EXCHANGE: Kind = element! { "ModelExchange", [modelIdentifier: Text] [
    needsExecutionTool: Truth, completedIntegratorStepNotNeeded: Truth, canBeInstantiatedOnlyOncePerProcess: Truth,
    canNotUseMemoryManagementFunctions: Truth, canGetAndSetFMUstate: Truth, canSerializeFMUstate: Truth,
    providesDirectionalDerivative: Truth
] Maybe [SOURCES] };

const UNIT: Kind = element! { "Unit", [name: Text] []
    Maybe [element! { "BaseUnit", [] [
        kg: Whole, m: Whole, s: Whole, A: Whole, K: Whole, mol: Whole, cd: Whole, rad: Whole, factor: Number, offset: Number
    ] }]
    Any [element! { "DisplayUnit", [name: Text] [factor: Number, offset: Number] }]
};

const SIMPLE_TYPE: Kind = element! { "SimpleType", [name: Text] [description: Text] Once [
    element! { "Real", [] [
        quantity: Text, unit: Text, displayUnit: Text, relativeQuantity: Truth, min: Number, max: Number, nominal: Number,
        unbounded: Truth
    ] },
    element! { "Integer", [] [quantity: Text, min: Whole, max: Whole] },
    element! { "Boolean", [] [] },
    element! { "String", [] [] },
    element! { "Enumeration", [] [quantity: Text]
        Some [element! { "Item", [name: Text, value: Whole] [description: Text] }]
    }
] };

const SCALAR_VARIABLE: Kind = element! { "ScalarVariable", [name: Text, valueReference: Natural] [
    description: Text,
    causality: Word(&["parameter", "calculatedParameter", "input", "output", "local", "independent"]),
    variability: Word(&["constant", "fixed", "tunable", "discrete", "continuous"]),
    initial: Word(&["exact", "approx", "calculated"]),
    canHandleMultipleSetPerTimeInstant: Truth
]
    Once [
        element! { "Real", [] [
            declaredType: Text, quantity: Text, unit: Text, displayUnit: Text, relativeQuantity: Truth, min: Number,
            max: Number, nominal: Number, unbounded: Truth, start: Number, derivative: Natural, reinit: Truth
        ] },
        element! { "Integer", [] [declaredType: Text, quantity: Text, min: Whole, max: Whole, start: Whole] },
        element! { "Boolean", [] [declaredType: Text, start: Truth] },
        element! { "String", [] [declaredType: Text, start: Text] },
        element! { "Enumeration", [declaredType: Text] [quantity: Text, min: Whole, max: Whole, start: Whole] }
    ]
    Maybe [element! { "Annotations", [] [] Some [ANNOTATION] }]
};

const ROOT: Kind = element! { "fmiModelDescription", [fmiVersion: Text, modelName: Text, guid: Text] [
    description: Text, author: Text, version: Text, copyright: Text, license: Text, generationTool: Text,
    generationDateAndTime: Time, variableNamingConvention: Word(&["flat", "structured"]), numberOfEventIndicators: Natural
]
    // one or both, in any order
    Some [MODEL_EXCHANGE, CO_SIMULATION]
    Maybe [element! { "UnitDefinitions", [] [] Some [UNIT] }]
    Maybe [element! { "TypeDefinitions", [] [] Some [SIMPLE_TYPE] }]
    Maybe [element! { "LogCategories", [] [] Some [element! { "Category", [name: Text] [description: Text] }] }]
    Maybe [element! { "DefaultExperiment", [] [startTime: Number, stopTime: Number, tolerance: Number, stepSize: Number] }]
    Maybe [element! { "VendorAnnotations", [] [] Some [ANNOTATION] }]
    Once [element! { "ModelVariables", [] [] Some [SCALAR_VARIABLE] }]
    Once [element! { "ModelStructure", [] []
        Maybe [element! { "Outputs", [] [] Some [UNKNOWN] }]
        Maybe [element! { "Derivatives", [] [] Some [UNKNOWN] }]
        Maybe [element! { "InitialUnknowns", [] [] Some [UNKNOWN] }]
    }]
};

/// Checks a document against the schema.
pub fn examine(root: &Element, report: &mut Report) {
    if root.name == ROOT.name {
        examine_element(root, &ROOT, report);
    } else {
        let message = format!("the root element is {}, not {}", root.name, ROOT.name);
        report.add(Finding::new(Rule::XmlUnknownElement, message).line(root.line));
    }
}

fn examine_element(element: &Element, kind: &Kind, report: &mut Report) {
    let name = &element.name;
    for (key, value) in &element.attributes {
        // namespaces and schema location
        if key.contains(':') || key == "xmlns" {
            continue;
        }
        match kind.attributes.iter().find(|a| a.name == key) {
            None => {
                let message = format!("{name} has no attribute {key}");
                report.add(Finding::new(Rule::XmlUnknownAttribute, message).line(element.line));
            }
            Some(attribute) => examine_value(element, attribute, value, report),
        }
    }
    for attribute in kind.attributes.iter().filter(|a| a.is_required) {
        if element.get(attribute.name).is_none() {
            let message = format!("{name} has no {}", attribute.name);
            report.add(Finding::new(Rule::XmlMissingAttribute, message).line(element.line));
        }
    }
    if name != FREE {
        examine_children(element, kind, report);
    }
}

fn examine_children(element: &Element, kind: &Kind, report: &mut Report) {
    let mut counts = vec![0usize; kind.places.len()];
    let mut last = 0;
    for child in &element.children {
        let mut places = kind.places.iter().enumerate();
        let found = places.find_map(|(place, choices)| {
            let choice = choices.kinds.iter().find(|k| k.name == child.name)?;
            Some((place, choice))
        });
        let Some((place, choice)) = found else {
            let message = format!("{} has no element {}", element.name, child.name);
            report.add(Finding::new(Rule::XmlUnknownElement, message).line(child.line));
            continue;
        };
        counts[place] += 1;
        if place < last {
            let message = format!("{} is out of order in {}", child.name, element.name);
            report.add(Finding::new(Rule::XmlOrder, message).line(child.line));
        }
        last = last.max(place);
        let times = kind.places[place].times;
        if counts[place] == 2 && matches!(times, Times::Once | Times::Maybe) {
            let message = format!("{} is repeated in {}", child.name, element.name);
            report.add(Finding::new(Rule::XmlRepeated, message).line(child.line));
        }
        examine_element(child, choice, report);
    }
    for (place, count) in kind.places.iter().zip(counts) {
        let is_needed = matches!(place.times, Times::Once | Times::Some);
        // a missing interface has its own rule
        if is_needed && count == 0 && place.kinds[0].name != MODEL_EXCHANGE.name {
            let names: Vec<&str> = place.kinds.iter().map(|kind| kind.name).collect();
            let message = format!("{} has no {}", element.name, names.join(" or "));
            report.add(Finding::new(Rule::XmlMissingElement, message).line(element.line));
        }
    }
}

fn examine_value(element: &Element, attribute: &Attribute, value: &str, report: &mut Report) {
    let expected = match attribute.form {
        Text => return,
        Truth => truth(value).err(),
        Number => number(value).err(),
        Whole => whole(value).err(),
        Natural => natural(value).err(),
        Naturals => naturals(value).err(),
        Word(words) => (!words.contains(&value)).then(|| format!("one of {}", words.join(", "))),
        Words(words) => {
            let is_known = |word: &str| words.contains(&word);
            let all = value.split_ascii_whitespace().all(is_known);
            (!all).then(|| format!("a list of {}", words.join(", ")))
        }
        Time => {
            if !is_time(value) {
                let message = format!("generationDateAndTime is {value:?}");
                report.add(Finding::new(Rule::ModelDate, message).line(element.line));
            }
            return;
        }
    };
    if let Some(expected) = expected {
        let message = format!(
            "{} of {} is {value:?} and should be {expected}",
            attribute.name, element.name
        );
        report.add(Finding::new(Rule::XmlValue, message).line(element.line));
    }
}

/// Parses a boolean of XML.
///
/// # Errors
/// What was expected.
pub fn truth(text: &str) -> Result<bool, String> {
    match text.trim() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("true or false".into()),
    }
}

/// Parses a floating-point number of XML, including `INF` and `NaN`.
///
/// # Errors
/// What was expected.
pub fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match text {
        "INF" => Ok(f64::INFINITY),
        "-INF" => Ok(f64::NEG_INFINITY),
        "NaN" => Ok(f64::NAN),
        // Rust accepts words that XML does not
        _ if text.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')) => {
            Err("a number".into())
        }
        _ => text.parse().map_err(|_| "a number".into()),
    }
}

/// Parses an integer.
///
/// # Errors
/// What was expected.
pub fn whole(text: &str) -> Result<i32, String> {
    let expected = |_| "a 32-bit integer".to_owned();
    text.trim().parse().map_err(expected)
}

/// Parses a nonnegative integer.
///
/// # Errors
/// What was expected.
pub fn natural(text: &str) -> Result<u32, String> {
    let expected = |_| "a nonnegative integer".to_owned();
    text.trim().parse().map_err(expected)
}

/// Parses a list of nonnegative integers.
///
/// # Errors
/// What was expected.
pub fn naturals(text: &str) -> Result<Vec<u32>, String> {
    let numbers: Result<_, _> = text.split_ascii_whitespace().map(natural).collect();
    numbers.map_err(|_| "a list of nonnegative integers".to_owned())
}

/// Is it of the form 2020-12-31T23:59:59Z?
fn is_time(text: &str) -> bool {
    const LIKE: &str = "0000-00-00T00:00:00Z";
    let fits = |(c, like): (char, char)| {
        if like == '0' {
            c.is_ascii_digit()
        } else {
            c == like
        }
    };
    text.len() == LIKE.len() && text.chars().zip(LIKE.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_xml() {
        for good in ["1", "-1.5e-3", "INF", "-INF", "+2.", ".5", " 1 "] {
            assert!(number(good).is_ok(), "{good}");
        }
        for bad in ["", "inf", "nan", "infinity", "1,5", "0x1", "1 2"] {
            assert!(number(bad).is_err(), "{bad}");
        }
        assert!(number("NaN").is_ok_and(f64::is_nan));
    }

    #[test]
    fn dates_are_in_universal_time() {
        assert!(is_time("2026-01-31T00:00:00Z"));
        assert!(!is_time("2026-01-31T00:00:00+01:00"));
        assert!(!is_time("2026-01-31 00:00:00Z"));
    }
}
