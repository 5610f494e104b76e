//! `modelDescription.xml` of FMI 2.0 for co-simulation, with its elements in the order of the schema. It contains no date:
//! the same scene gives the same bytes.

use super::xml::Element;
use super::{GENERATOR, LIBRARY};
use crate::fmu::LOG_CATEGORIES;
use crate::fmu::instance::digest;
use crate::fmu::instance::variable::{
    Causality, DisplayUnit, Enumeration, Kind, Unit, Value, Variability, Variable,
};
use crate::fmu::instance::variables::table;
use crate::model::Model;
use crate::scene::{Scene, packed};

/// Capabilities: attributes of the element `CoSimulation`.
pub const CAPABILITIES: [(&str, &str); 10] = [
    ("needsExecutionTool", "false"),
    ("canHandleVariableCommunicationStepSize", "true"),
    ("canInterpolateInputs", "true"),
    ("maxOutputDerivativeOrder", "1"),
    ("canRunAsynchronuously", "false"),
    ("canBeInstantiatedOnlyOncePerProcess", "false"),
    ("canNotUseMemoryManagementFunctions", "true"),
    ("canGetAndSetFMUstate", "true"),
    ("canSerializeFMUstate", "true"),
    ("providesDirectionalDerivative", "true"),
];

/// The model description of a scene. Parts of the scene that are not in the model affect only the GUID.
pub fn model_description(model: &Model, scene: &Scene) -> String {
    let table = table(model);
    let interface = &model.interface;
    let description = (!model.description.is_empty()).then_some(&model.description);
    Element::new("fmiModelDescription")
        .with("fmiVersion", "2.0")
        .with("modelName", &model.name)
        .with("guid", digest::guid(&packed::digest(scene), &table))
        .with_some("description", description)
        .with_some("author", interface.author.as_ref())
        .with_some("version", interface.version.as_ref())
        .with_some("copyright", interface.copyright.as_ref())
        .with_some("license", interface.license.as_ref())
        .with("generationTool", GENERATOR)
        .with("variableNamingConvention", "structured")
        .child(co_simulation())
        .list(unit_definitions(&table))
        .list(type_definitions(&table))
        .child(log_categories())
        .child(default_experiment(model))
        .child(model_variables(&table, model))
        .child(model_structure(&table))
        .document()
}

fn co_simulation() -> Element {
    let element = Element::new("CoSimulation").with("modelIdentifier", LIBRARY);
    CAPABILITIES
        .into_iter()
        .fold(element, |element, (flag, value)| element.with(flag, value))
}

fn units(table: &[Variable]) -> impl Iterator<Item = Unit> + '_ {
    let is_used = |unit: &Unit| {
        let of_unit = |v: &Variable| matches!(v.kind, Kind::Real { unit: u, .. } if u == *unit);
        listed(table).any(|(_, v)| of_unit(v))
    };
    Unit::ALL.iter().copied().filter(is_used)
}

fn unit_definitions(table: &[Variable]) -> Element {
    Element::new("UnitDefinitions").children(units(table).map(|unit| {
        let base = unit.base();
        let exponents = [
            ("kg", base.kg),
            ("m", base.m),
            ("s", base.s),
            ("rad", base.rad),
        ];
        let base = exponents
            .into_iter()
            .filter(|(_, exponent)| *exponent != 0)
            .fold(Element::new("BaseUnit"), |element, (name, exponent)| {
                element.with(name, exponent)
            });
        let of_unit = |v: &Variable| matches!(v.kind, Kind::Real { unit: u, .. } if u == unit);
        let of_sensors = listed(table).filter(|(_, v)| of_unit(v));
        let mut used: Vec<DisplayUnit> = unit.display().into_iter().collect();
        for display in of_sensors.filter_map(|(_, v)| v.display_unit) {
            if !used.contains(&display) {
                used.push(display);
            }
        }
        let display = used.into_iter().map(|display| {
            Element::new("DisplayUnit")
                .with("name", display.name)
                .with("factor", number(display.factor))
        });
        Element::new("Unit")
            .with("name", unit.name())
            .child(base)
            .children(display)
    }))
}

fn type_definitions(table: &[Variable]) -> Element {
    let simple = |name: &str, kind: Element| {
        Element::new("SimpleType")
            .with("name", name)
            .children([kind])
    };
    let reals = units(table).map(|unit| {
        let real = Element::new("Real")
            .with("quantity", unit.quantity())
            .with("unit", unit.name())
            .with_some("displayUnit", unit.display().map(|display| display.name));
        simple(unit.quantity(), real)
    });
    let mut used: Vec<Enumeration> = Vec::new();
    for (_, variable) in listed(table) {
        if let Kind::Enumeration(enumeration) = variable.kind
            && !used.contains(&enumeration)
        {
            used.push(enumeration);
        }
    }
    let enumerations = used.into_iter().map(|e| {
        let items = e.items.iter().zip(1..).map(|((name, what), value)| {
            Element::new("Item")
                .with("name", name)
                .with("value", value)
                .with("description", what)
        });
        simple(e.name, Element::new("Enumeration").children(items))
    });
    Element::new("TypeDefinitions")
        .children(reals)
        .children(enumerations)
}

fn log_categories() -> Element {
    Element::new("LogCategories").children(LOG_CATEGORIES.into_iter().map(|(name, what)| {
        Element::new("Category")
            .with("name", name)
            .with("description", what)
    }))
}

fn default_experiment(model: &Model) -> Element {
    Element::new("DefaultExperiment")
        .with("startTime", number(0.0))
        .with("stopTime", number(model.until))
        .with_some("tolerance", model.settings.tolerance.map(number))
        .with("stepSize", number(model.settings.step))
}

/// The variables in the description, with their value references.
pub fn listed(table: &[Variable]) -> impl Iterator<Item = (usize, &Variable)> {
    let all = table.iter().enumerate();
    all.filter(|(_, variable)| variable.is_listed)
}

fn model_variables(table: &[Variable], model: &Model) -> Element {
    Element::new("ModelVariables").children(listed(table).map(|(reference, variable)| {
        let initial = match variable.causality {
            Causality::Input => None,
            Causality::Parameter => Some("exact"),
            Causality::Output | Causality::Local => Some("calculated"),
        };
        Element::new("ScalarVariable")
            .with("name", &variable.name)
            .with("valueReference", reference)
            .with("description", &variable.description)
            .with("causality", causality(variable.causality))
            .with("variability", variability(variable.variability))
            .with_some("initial", initial)
            .child(kind(variable, model))
    }))
}

/// FMI name of a causality.
pub fn causality(causality: Causality) -> &'static str {
    match causality {
        Causality::Input => "input",
        Causality::Parameter => "parameter",
        Causality::Output => "output",
        Causality::Local => "local",
    }
}

/// FMI name of a variability.
pub fn variability(variability: Variability) -> &'static str {
    match variability {
        Variability::Fixed => "fixed",
        Variability::Tunable => "tunable",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
    }
}

fn kind(variable: &Variable, model: &Model) -> Element {
    let element = match &variable.kind {
        Kind::Real { unit, min, max } => Element::new("Real")
            .with("declaredType", unit.quantity())
            .with("unit", unit.name())
            .with_some(
                "displayUnit",
                variable.display_unit().map(|display| display.name),
            )
            .with_some("min", min.map(number))
            .with_some("max", max.map(number)),
        Kind::Integer { min, max } => Element::new("Integer")
            .with_some("min", *min)
            .with_some("max", *max),
        Kind::Boolean => Element::new("Boolean"),
        Kind::Enumeration(enumeration) => {
            Element::new("Enumeration").with("declaredType", enumeration.name)
        }
    };
    element.with_some("start", variable.start(model).map(written))
}

fn written(value: Value) -> String {
    match value {
        Value::Real(x) => number(x),
        Value::Integer(x) => x.to_string(),
        Value::Boolean(x) => x.to_string(),
    }
}

/// Shortest decimal form that reads back as the same number, in the notation of XML Schema.
fn number(x: f64) -> String {
    if x.is_nan() {
        "NaN".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "INF" } else { "-INF" }.to_owned()
    } else {
        format!("{x:?}")
    }
}

fn model_structure(table: &[Variable]) -> Element {
    let places = |causality| {
        let numbered = (1..).zip(listed(table).map(|(_, variable)| variable));
        numbered.filter(move |(_, variable): &(usize, &Variable)| variable.causality == causality)
    };
    let inputs: Vec<String> = places(Causality::Input)
        .map(|(index, _)| index.to_string())
        .collect();
    let inputs = inputs.join(" ");
    let outputs = places(Causality::Output).map(|(index, variable): (usize, &Variable)| {
        let dependencies = if variable.depends_on_inputs() {
            &inputs
        } else {
            ""
        };
        Element::new("Unknown")
            .with("index", index)
            .with("dependencies", dependencies)
    });
    // without a list of dependencies: initially everything may depend on every parameter
    let unknowns = places(Causality::Output)
        .map(|(index, _): (usize, &Variable)| Element::new("Unknown").with("index", index));
    Element::new("ModelStructure")
        .list(Element::new("Outputs").children(outputs))
        .list(Element::new("InitialUnknowns").children(unknowns))
}
