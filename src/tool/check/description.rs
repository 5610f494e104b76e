//! Typed model description. Values that cannot be parsed count as absent: the schema check reports them.

use super::schema::{natural, naturals, number, truth, whole};
use super::xml::Element;
use std::collections::{BTreeMap, BTreeSet};

/// Capabilities of one of the two interfaces.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Name of the library.
    pub model_identifier: String,
    /// Line, from 1.
    pub line: usize,
    /// Needs an external tool.
    pub needs_tool: bool,
    /// Accepts variable communication steps.
    pub variable_step: bool,
    /// Accepts derivatives of inputs.
    pub interpolates_inputs: bool,
    /// Highest order of output derivatives.
    pub output_derivatives: u32,
    /// Steps may be pending.
    pub asynchronous: bool,
    /// Only one instance per process.
    pub only_once: bool,
    /// States can be saved.
    pub saves_state: bool,
    /// States can be serialized.
    pub serializes_state: bool,
    /// Directional derivatives.
    pub directional: bool,
}

/// A unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Names of its display units.
    pub display: Vec<String>,
    /// Conversion factors of the unit and its display units.
    pub factors: Vec<f64>,
    displays: BTreeSet<String>,
}

impl Unit {
    /// Is this the name of one of its display units?
    pub fn has_display(&self, name: &str) -> bool {
        self.displays.contains(name)
    }
}

/// Kind of a variable or a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Floating point.
    Real,
    /// Whole number.
    Integer,
    /// Truth value.
    Boolean,
    /// String.
    Text,
    /// One of the items of a type.
    Enumeration,
}

impl Kind {
    /// Name of its XML element.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real => "Real",
            Self::Integer => "Integer",
            Self::Boolean => "Boolean",
            Self::Text => "String",
            Self::Enumeration => "Enumeration",
        }
    }

    fn of(element: &Element) -> Option<(Self, &Element)> {
        let all = [
            Self::Real,
            Self::Integer,
            Self::Boolean,
            Self::Text,
            Self::Enumeration,
        ];
        let find = |kind: Self| element.child(kind.name()).map(|child| (kind, child));
        all.into_iter().find_map(find)
    }
}

/// Common attributes of types and variables.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Name of the unit.
    pub unit: Option<String>,
    /// Name of the display unit.
    pub display_unit: Option<String>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Nominal value.
    pub nominal: Option<f64>,
}

impl Attributes {
    fn of(element: &Element) -> Self {
        let text = |name: &str| element.get(name).map(str::to_owned);
        let value = |name: &str| element.get(name).and_then(|text| number(text).ok());
        Self {
            unit: text("unit"),
            display_unit: text("displayUnit"),
            min: value("min"),
            max: value("max"),
            nominal: value("nominal"),
        }
    }

    /// Attributes with those of the declared type as defaults.
    fn or(self, other: &Self) -> Self {
        Self {
            // a variable's own unit has its own display units
            display_unit: match &self.unit {
                Some(_) => self.display_unit,
                None => self.display_unit.or(other.display_unit.clone()),
            },
            unit: self.unit.or(other.unit.clone()),
            min: self.min.or(other.min),
            max: self.max.or(other.max),
            nominal: self.nominal.or(other.nominal),
        }
    }
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct SimpleType {
    /// Its name.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Its kind.
    pub kind: Kind,
    /// Default attributes of variables of this type.
    pub attributes: Attributes,
    /// Names and values of the items of an enumeration.
    pub items: Vec<(String, i32)>,
    values: BTreeSet<i32>,
}

impl SimpleType {
    /// Does the enumeration have an item with this value?
    pub fn has_value(&self, value: i32) -> bool {
        self.values.contains(&value)
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = $word] $variant,)* }

        impl $name {
            /// Its name in FMI.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            fn from_word(word: &str) -> Option<Self> {
                [$(Self::$variant),*].into_iter().find(|v| v.word() == word)
            }
        }
    };
}

words! {
    /// What a variable is for.
    Causality {
        Parameter = "parameter",
        CalculatedParameter = "calculatedParameter",
        Input = "input",
        Output = "output",
        Local = "local",
        Independent = "independent",
    }
}

words! {
    /// When it changes.
    Variability {
        Constant = "constant",
        Fixed = "fixed",
        Tunable = "tunable",
        Discrete = "discrete",
        Continuous = "continuous",
    }
}

words! {
    /// How it gets its first value.
    Initial {
        Exact = "exact",
        Approx = "approx",
        Calculated = "calculated",
    }
}

/// A start value.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Of a Real.
    Real(f64),
    /// Of an Integer or an Enumeration.
    Whole(i32),
    /// Of a Boolean.
    Truth(bool),
    /// Of a String.
    Text(String),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Value reference.
    pub reference: u32,
    /// Could it be parsed? If not, `reference` is meaningless.
    pub has_reference: bool,
    /// Its kind.
    pub kind: Kind,
    /// What it is for.
    pub causality: Causality,
    /// Variability, if given.
    pub given_variability: Option<Variability>,
    /// Initial, if given.
    pub given_initial: Option<Initial>,
    /// Name of the declared type.
    pub declared_type: Option<String>,
    /// Attributes, including those of its type.
    pub attributes: Attributes,
    /// Its start value.
    pub start: Option<Start>,
    /// Is the attribute present, valid or not?
    pub has_start: bool,
    /// Index of the variable that it is the derivative of, from 1.
    pub derivative: Option<u32>,
}

impl Variable {
    /// As given, or the default; discrete for types other than Real.
    pub fn variability(&self) -> Variability {
        self.given_variability.unwrap_or(match self.kind {
            Kind::Real => Variability::Continuous,
            Kind::Integer | Kind::Boolean | Kind::Text | Kind::Enumeration => Variability::Discrete,
        })
    }

    /// As given, or the default of the standard's table.
    pub fn initial(&self) -> Option<Initial> {
        self.given_initial.or(match self.causality {
            Causality::Input | Causality::Independent => None,
            Causality::Parameter => Some(Initial::Exact),
            Causality::CalculatedParameter => Some(Initial::Calculated),
            Causality::Output | Causality::Local => Some(match self.variability() {
                Variability::Constant => Initial::Exact,
                Variability::Fixed
                | Variability::Tunable
                | Variability::Discrete
                | Variability::Continuous => Initial::Calculated,
            }),
        })
    }

    /// Can it be set by an importer?
    pub fn is_settable(&self) -> bool {
        matches!(self.causality, Causality::Input | Causality::Parameter)
    }
}

/// An unknown of the model structure.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Line, from 1.
    pub line: usize,
    /// Index of the variable, from 1.
    pub index: u32,
    /// Indices of its dependencies; `None`: all.
    pub dependencies: Option<Vec<u32>>,
    /// Number of entries of dependenciesKind.
    pub n_kinds: Option<usize>,
}

/// Model structure.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Line, from 1.
    pub line: usize,
    /// Outputs.
    pub outputs: Vec<Unknown>,
    /// Derivatives of states.
    pub derivatives: Vec<Unknown>,
    /// Initial unknowns.
    pub initial: Vec<Unknown>,
}

/// Default experiment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Experiment {
    /// Line, from 1.
    pub line: usize,
    /// Start time.
    pub start: Option<f64>,
    /// Stop time.
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Communication step.
    pub step: Option<f64>,
}

/// A complete model description.
#[derive(Clone, Debug)]
pub struct Description {
    /// Line of the root element.
    pub line: usize,
    /// Name of the model.
    pub model_name: String,
    /// Its GUID.
    pub guid: String,
    /// Is the naming convention structured?
    pub is_structured: bool,
    /// Elements CoSimulation; at most one is valid.
    pub co_simulation: Vec<Interface>,
    /// Elements ModelExchange; at most one is valid.
    pub model_exchange: Vec<Interface>,
    /// Units.
    pub units: Vec<Unit>,
    /// Types.
    pub types: Vec<SimpleType>,
    /// Categories of log messages, with their lines.
    pub log_categories: Vec<(String, usize)>,
    /// Default experiment.
    pub experiment: Experiment,
    /// Variables; indices in the file start at 1.
    pub variables: Vec<Variable>,
    /// Model structure.
    pub structure: Structure,
    types_by_name: BTreeMap<String, usize>,
    units_by_name: BTreeMap<String, usize>,
}

impl Description {
    /// From the root element.
    pub fn read(root: &Element) -> Self {
        let interfaces = |name: &str| {
            let found = root.children.iter().filter(|child| child.name == name);
            found.map(interface).collect()
        };
        let types: Vec<SimpleType> = members(root, "TypeDefinitions", simple_type);
        let types_by_name = places(types.iter().map(|t| &t.name));
        let of_name = |name: &String| types_by_name.get(name).map(|place| &types[*place]);
        let variables = members(root, "ModelVariables", |v| variable(v, of_name));
        let units: Vec<Unit> = members(root, "UnitDefinitions", |u| Some(unit(u)));
        Self {
            line: root.line,
            model_name: root.get("modelName").unwrap_or_default().to_owned(),
            guid: root.get("guid").unwrap_or_default().to_owned(),
            is_structured: root.get("variableNamingConvention") == Some("structured"),
            co_simulation: interfaces("CoSimulation"),
            model_exchange: interfaces("ModelExchange"),
            units_by_name: places(units.iter().map(|u| &u.name)),
            units,
            log_categories: members(root, "LogCategories", |category| {
                Some((category.get("name")?.to_owned(), category.line))
            }),
            experiment: root
                .child("DefaultExperiment")
                .map_or_else(Experiment::default, experiment),
            variables,
            structure: root
                .child("ModelStructure")
                .map_or_else(Structure::default, structure),
            types_by_name,
            types,
        }
    }

    /// The type with this name.
    pub fn type_named(&self, name: &str) -> Option<&SimpleType> {
        self.types_by_name
            .get(name)
            .map(|place| &self.types[*place])
    }

    /// The unit with this name.
    pub fn unit_named(&self, name: &str) -> Option<&Unit> {
        self.units_by_name
            .get(name)
            .map(|place| &self.units[*place])
    }

    /// The variable with this index, from 1.
    pub fn variable(&self, index: u32) -> Option<&Variable> {
        let place = usize::try_from(index).ok()?.checked_sub(1)?;
        self.variables.get(place)
    }
}

/// Index of the first occurrence of each name.
fn places<'a>(names: impl Iterator<Item = &'a String>) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    for (place, name) in names.enumerate() {
        places.entry(name.clone()).or_insert(place);
    }
    places
}

fn members<T>(root: &Element, list: &str, read: impl Fn(&Element) -> Option<T>) -> Vec<T> {
    root.members(list).iter().filter_map(read).collect()
}

fn interface(element: &Element) -> Interface {
    let flag = |name: &str| element.get(name).and_then(|t| truth(t).ok()) == Some(true);
    let order = element.get("maxOutputDerivativeOrder");
    Interface {
        model_identifier: element
            .get("modelIdentifier")
            .unwrap_or_default()
            .to_owned(),
        line: element.line,
        needs_tool: flag("needsExecutionTool"),
        variable_step: flag("canHandleVariableCommunicationStepSize"),
        interpolates_inputs: flag("canInterpolateInputs"),
        output_derivatives: order.and_then(|t| natural(t).ok()).unwrap_or(0),
        asynchronous: flag("canRunAsynchronuously"),
        only_once: flag("canBeInstantiatedOnlyOncePerProcess"),
        saves_state: flag("canGetAndSetFMUstate"),
        serializes_state: flag("canSerializeFMUstate"),
        directional: flag("providesDirectionalDerivative"),
    }
}

fn unit(element: &Element) -> Unit {
    let displays = || element.children.iter().filter(|c| c.name == "DisplayUnit");
    let factor = |e: &Element| e.get("factor").and_then(|text| number(text).ok());
    let display: Vec<String> = displays()
        .filter_map(|d| d.get("name"))
        .map(str::to_owned)
        .collect();
    Unit {
        name: element.get("name").unwrap_or_default().to_owned(),
        line: element.line,
        displays: display.iter().cloned().collect(),
        display,
        factors: element.children.iter().filter_map(factor).collect(),
    }
}

fn simple_type(element: &Element) -> Option<SimpleType> {
    let (kind, inside) = Kind::of(element)?;
    let item = |item: &Element| {
        let value = whole(item.get("value")?).ok()?;
        Some((item.get("name")?.to_owned(), value))
    };
    let items: Vec<(String, i32)> = inside.children.iter().filter_map(item).collect();
    Some(SimpleType {
        values: items.iter().map(|(_, value)| *value).collect(),
        name: element.get("name").unwrap_or_default().to_owned(),
        line: element.line,
        kind,
        attributes: Attributes::of(inside),
        items,
    })
}

fn variable<'a>(
    element: &Element,
    type_named: impl Fn(&String) -> Option<&'a SimpleType>,
) -> Option<Variable> {
    // a variable of unknown type keeps its index, so that later indices stay valid
    let empty = Element::default();
    let (kind, inside) = Kind::of(element).unwrap_or((Kind::Real, &empty));
    if element.name != "ScalarVariable" {
        return None;
    }
    let declared_type = inside.get("declaredType").map(str::to_owned);
    let attributes = Attributes::of(inside);
    let attributes = match declared_type.as_ref().and_then(type_named) {
        Some(of_type) => attributes.or(&of_type.attributes),
        None => attributes,
    };
    let start = inside.get("start").and_then(|text| match kind {
        Kind::Real => number(text).ok().map(Start::Real),
        Kind::Integer | Kind::Enumeration => whole(text).ok().map(Start::Whole),
        Kind::Boolean => truth(text).ok().map(Start::Truth),
        Kind::Text => Some(Start::Text(text.to_owned())),
    });
    let reference = element
        .get("valueReference")
        .and_then(|text| natural(text).ok());
    Some(Variable {
        name: element.get("name").unwrap_or_default().to_owned(),
        line: element.line,
        reference: reference.unwrap_or(0),
        has_reference: reference.is_some(),
        kind,
        causality: element
            .get("causality")
            .and_then(Causality::from_word)
            .unwrap_or(Causality::Local),
        given_variability: element.get("variability").and_then(Variability::from_word),
        given_initial: element.get("initial").and_then(Initial::from_word),
        declared_type,
        attributes,
        start,
        has_start: inside.get("start").is_some(),
        derivative: inside.get("derivative").and_then(|text| natural(text).ok()),
    })
}

fn structure(element: &Element) -> Structure {
    let list = |name: &str| members(element, name, unknown);
    Structure {
        line: element.line,
        outputs: list("Outputs"),
        derivatives: list("Derivatives"),
        initial: list("InitialUnknowns"),
    }
}

fn unknown(element: &Element) -> Option<Unknown> {
    let kinds = element.get("dependenciesKind");
    Some(Unknown {
        line: element.line,
        index: natural(element.get("index")?).ok()?,
        dependencies: element
            .get("dependencies")
            .and_then(|text| naturals(text).ok()),
        n_kinds: kinds.map(|words| words.split_ascii_whitespace().count()),
    })
}

fn experiment(element: &Element) -> Experiment {
    let value = |name: &str| element.get(name).and_then(|text| number(text).ok());
    Experiment {
        line: element.line,
        start: value("startTime"),
        stop: value("stopTime"),
        tolerance: value("tolerance"),
        step: value("stepSize"),
    }
}
