//! The rules, each with name, severity and hint.

use serde::{Deserialize, Serialize, Serializer};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Violates the standard, or the FMU does not do what it declares.
    Error,
    /// Causes problems in some importers.
    Warning,
    /// Information.
    Note,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! rules {
    ($($variant:ident $name:literal $severity:ident $hint:literal)*) => {
        /// A rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $name] $variant,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Name: group and rule.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Severity of a violation.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// How to fix a violation.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

rules! {
    ArchiveUnreadable "archive.unreadable" Error "an FMU must be a ZIP archive; create it again"
    ArchiveEscape "archive.escape" Error "names must be relative, without drive letters and `..`; do not use this FMU unless you trust its origin"
    ArchiveBackslash "archive.backslash" Error "use `/` to separate folders"
    ArchiveLink "archive.link" Error "store the file itself instead of a symbolic link"
    ArchiveDuplicate "archive.duplicate" Error "store each file once"
    ArchiveCase "archive.case" Warning "these are the same file on Windows and macOS; rename one"
    ArchiveClash "archive.clash" Error "a name cannot be both a file and a folder; rename one"
    ArchivePath "archive.path" Error "use shorter names and fewer nested folders; many systems cannot unpack this"
    ArchiveTooLarge "archive.too_large" Error "it was not checked; unpack it manually if you trust it"
    ArchiveSize "archive.size" Error "the size in the directory of the archive differs from that of the data; create it again"
    ArchiveCompression "archive.compression" Error "FMI only allows stored and deflated entries, without encryption"
    ArchiveNoDescription "archive.no_description" Error "`modelDescription.xml` must be at the root of the archive"
    XmlEncoding "xml.encoding" Error "the model description must be UTF-8"
    XmlMalformed "xml.malformed" Error "the rest of the file was not checked"
    XmlUnknownElement "xml.unknown_element" Error "the schema does not define this element; use VendorAnnotations for other data"
    XmlUnknownAttribute "xml.unknown_attribute" Error "the schema does not define this attribute"
    XmlMissingElement "xml.missing_element" Error "the schema requires it"
    XmlMissingAttribute "xml.missing_attribute" Error "the schema requires it"
    XmlValue "xml.value" Error "see the schema for the syntax"
    XmlOrder "xml.order" Error "use the order of the schema"
    XmlRepeated "xml.repeated" Error "the schema allows it only once"
    ModelVersion "model.version" Error "only FMI 2.0 is supported"
    ModelGuid "model.guid" Error "the GUID identifies the binary that belongs to the description"
    ModelName "model.name" Warning "give the model a name"
    ModelIdentifier "model.identifier" Error "use a C identifier (letters, digits and `_`, not starting with a digit); file and function names depend on it"
    ModelDate "model.date" Warning "write it as 2020-12-31T23:59:59Z"
    ModelKind "model.kind" Error "add CoSimulation or ModelExchange, each at most once"
    ModelExchangeOnly "model.exchange_only" Note "this tool runs co-simulation only; the description was checked"
    ModelExchangeToo "model.exchange_too" Note "this tool runs co-simulation only; the result is about that part"
    ModelFlags "model.flags" Error "serialization requires canGetAndSetFMUstate=\"true\""
    ModelTool "model.tool" Note "the FMU needs an external program; without it the trials fail"
    UnitDuplicate "unit.duplicate" Error "declare each unit once"
    UnitUndeclared "unit.undeclared" Error "declare it in UnitDefinitions"
    UnitDisplay "unit.display" Warning "declare it as a DisplayUnit of the variable's unit"
    UnitFactor "unit.factor" Error "a factor must be finite and not 0"
    TypeDuplicate "type.duplicate" Error "declare each type once"
    TypeClash "type.clash" Warning "the standard requires that type names differ from variable names"
    TypeUndeclared "type.undeclared" Error "declare it in TypeDefinitions"
    TypeMismatch "type.mismatch" Error "the declared type must match the type of the variable"
    TypeItems "type.items" Error "names and values of the items of an enumeration must be unique"
    LogDuplicate "log.duplicate" Error "declare each category once"
    ExperimentTimes "experiment.times" Error "the stop time must be after the start time, and both must be finite"
    ExperimentStep "experiment.step" Error "the step must be finite and positive"
    ExperimentLongStep "experiment.long_step" Warning "the step is longer than the whole experiment"
    ExperimentTolerance "experiment.tolerance" Error "the tolerance must be finite and positive"
    NameEmpty "name.empty" Error "every variable needs a name"
    NameDuplicate "name.duplicate" Error "names must be unique"
    NameSyntax "name.syntax" Error "with variableNamingConvention=\"structured\" names have the form a.b[1].c, der(x), or 'any text'"
    NameControl "name.control" Error "names must not contain line breaks or tabs"
    AliasUnit "alias.unit" Error "variables with the same value reference must have the same unit"
    AliasSettable "alias.settable" Error "at most one variable of an alias set may be an input or a parameter"
    AliasStart "alias.start" Error "at most one variable of an alias set may have a start value; constants must have the same"
    AliasConstant "alias.constant" Error "aliases of a constant must be constants"
    VariabilityContinuous "variability.continuous" Error "only a Real can be continuous"
    VariabilityDefault "variability.default" Warning "the default is continuous, which only a Real can be; set discrete, fixed or tunable"
    VariabilityCausality "variability.causality" Error "see the table of causality and variability in section 2.2.7 of the standard"
    InitialForbidden "initial.forbidden" Error "inputs and the independent variable must not have `initial`"
    InitialCombination "initial.combination" Error "see the table of initial values in section 2.2.7 of the standard"
    StartMissing "start.missing" Error "inputs, parameters, constants and variables with initial exact or approx need a start value"
    StartForbidden "start.forbidden" Error "calculated variables and the independent variable must not have a start value"
    StartOutside "start.outside" Error "a start value must be between min and max"
    StartItem "start.item" Error "the start value of an enumeration must be the value of one of its items"
    StartNotFinite "start.not_finite" Warning "a start value should be finite"
    RangeEmpty "range.empty" Error "min must not be above max"
    RangeNominal "range.nominal" Error "nominal must be finite and positive"
    IndependentTwice "independent.twice" Error "there may be at most one independent variable"
    IndependentType "independent.type" Error "the independent variable must be a continuous Real"
    DerivativeIndex "derivative.index" Error "`derivative` must be the index of a continuous Real, counted from 1"
    StructureIndex "structure.index" Error "an index is a position in ModelVariables, counted from 1"
    StructureRepeated "structure.repeated" Error "list each unknown once"
    StructureOutputs "structure.outputs" Error "Outputs must list exactly the variables with causality output"
    StructureDerivatives "structure.derivatives" Error "Derivatives must list variables with the attribute `derivative`"
    StructureInitialMissing "structure.initial_missing" Error "InitialUnknowns must list the outputs, states and state derivatives whose `initial` is not exact, and calculated parameters"
    StructureInitialExtra "structure.initial_extra" Error "InitialUnknowns must list the outputs, states and state derivatives whose `initial` is not exact, and calculated parameters"
    StructureKinds "structure.kinds" Error "dependenciesKind needs one word for each index in `dependencies`"
    StructureDependency "structure.dependency" Warning "outputs can depend on inputs, states, parameters and time; initial unknowns on values known at the start"
    StructureDependencyOrder "structure.dependency_order" Warning "list dependencies in ascending order, each once"
    PlatformNone "platform.none" Error "there is neither a library nor source code: the FMU cannot be used"
    PlatformSources "platform.sources" Note "there is source code only; compile it first"
    PlatformMissing "platform.missing" Warning "the FMU cannot be run on this machine, so its library was not checked"
    PlatformName "platform.name" Error "the library must be named after the modelIdentifier"
    PlatformForeign "platform.foreign" Error "the file is not a shared library for the platform of its folder"
    PlatformDamaged "platform.damaged" Error "the file is truncated or damaged: its header refers to parts that do not exist; create the FMU again"
    Unfinished "examination.unfinished" Error "the rest was not checked; use --time-limit for more time"
    NotRun "library.not_run" Note "the library was not loaded, and its behaviour not checked"
    LibraryLoad "library.load" Error "a dependency may be missing on this machine, or the file may be damaged"
    LibraryMissing "library.missing" Error "an FMU for co-simulation must export all 34 functions, even those that do nothing"
    LibraryVersion "library.version" Error "fmi2GetVersion must return \"2.0\", fmi2GetTypesPlatform \"default\""
    LibraryCrash "library.crash" Error "other calls may have the same problem; run it in a debugger"
    LibraryExit "library.exit" Error "a library must not end the process that loads it"
    LibraryHang "library.hang" Error "the call did not return within its time limit (half of --time-limit, at most 20 s); later trials were skipped"
    AbuseCrash "abuse.crash" Warning "the call was invalid, but a library should reject it instead of crashing or hanging"
    AbuseSteps "abuse.steps" Note "the step was invalid, but a library should reject it instead of crashing or hanging"
    LibrarySlow "library.slow" Warning "the trial exceeded its time limit and was stopped; use --time-limit for more time"
    Instantiate "instantiate.failed" Error "see the log for the reason; the GUID may be that of another build"
    GuidUnchecked "guid.unchecked" Warning "compare fmuGUID in fmi2Instantiate; otherwise an outdated model description goes unnoticed"
    ResourcesLocation "resources.location" Warning "the resource location is a UTF-8 URI; decode %20 and similar sequences"
    InstancesSecond "instances.second" Error "set canBeInstantiatedOnlyOncePerProcess=\"true\" or support several instances"
    InstancesDiffer "instances.differ" Error "simultaneous instances influence each other; look for global variables"
    NullInstance "null.instance" Error "fmi2FreeInstance must accept null and do nothing"
    InitializeFailed "initialize.failed" Error "initialization must succeed with the start values of the model description"
    StartDiffers "start.differs" Error "the value in the library differs from the model description"
    StartRounded "start.rounded" Note "write start values with 17 digits"
    StartEarly "start.early" Note "some importers read values before initialization, which the standard does not allow"
    StartMoved "start.moved" Warning "initial=\"exact\" promises the start value after initialization"
    GetFailed "get.failed" Error "every variable must be readable after initialization"
    GetText "get.text" Error "fmi2GetString must not return null"
    LimitsUnguarded "limits.unguarded" Note "a value outside min and max is accepted without a message"
    RunFailed "run.failed" Error "the FMU fails in its own default experiment"
    RunDiscarded "run.discarded" Note "the step was discarded; a master must try a shorter one"
    RunPending "run.pending" Error "a step may only be pending with canRunAsynchronuously=\"true\""
    RunTerminated "run.terminated" Note "the FMU requested the end of the run"
    RunNan "run.nan" Error "an output is not a number"
    RunInfinite "run.infinite" Note "an output is infinite; masters may not expect that"
    RunOutside "run.outside" Warning "an output is outside its min and max"
    RunIrreproducible "run.irreproducible" Warning "two new instances give different values; these variables were excluded from comparisons"
    StepHalves "step.halves" Error "set canHandleVariableCommunicationStepSize=\"false\" or support any step size"
    StepWrongTime "step.wrong_time" Note "a step that does not start at the end of the previous one is accepted"
    StepNan "step.nan" Note "a step that is not a number is accepted"
    StepBackwards "step.backwards" Note "a negative step is accepted"
    ResetFailed "reset.failed" Error "every FMU must support fmi2Reset"
    ResetDiffers "reset.differs" Error "fmi2Reset must restore the state after fmi2Instantiate, including the time"
    ResetInexact "reset.inexact" Warning "the run after a reset differs slightly from the first one; part of the solver's state may not be reset"
    StateFailed "state.failed" Error "set canGetAndSetFMUstate=\"false\" or fix it"
    StateDiffers "state.differs" Error "after fmi2SetFMUstate the run must continue as before; internal memory is part of the state"
    StateInexact "state.inexact" Warning "the continued run differs slightly; part of the solver's state may be missing in the saved state"
    StateFree "state.free" Warning "fmi2FreeFMUstate must set the pointer to null"
    SerializeFailed "serialize.failed" Error "set canSerializeFMUstate=\"false\" or fix it"
    SerializeDiffers "serialize.differs" Error "a deserialized state must be equivalent to the saved one"
    SerializeInexact "serialize.inexact" Warning "the continued run differs slightly; part of the solver's state may be missing in the serialized state"
    DirectionalFailed "directional.failed" Error "set providesDirectionalDerivative=\"false\" or fix it"
    DirectionalUndeclared "directional.undeclared" Error "ModelStructure declares no dependency; correct one of the two"
    InputDerivativesFailed "input_derivatives.failed" Error "set canInterpolateInputs=\"false\" or fix it"
    InputDerivativesIgnored "input_derivatives.ignored" Note "derivatives of inputs had no effect on any variable"
    OutputDerivativesFailed "output_derivatives.failed" Error "set maxOutputDerivativeOrder=\"0\" or fix it"
    DebugLogging "log.debug" Warning "fmi2SetDebugLogging must accept the categories of the model description"
    LogNullCategory "log.null_category" Warning "the category of a message must not be null"
    LogNullMessage "log.null_message" Warning "the text of a message must not be null"
    LogUnknownCategory "log.unknown_category" Note "declare the category in LogCategories"
}

impl Rule {
    /// The rule with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| serde::de::Error::custom("no such rule"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_have_a_group() {
        for (i, rule) in Rule::ALL.iter().enumerate() {
            assert_eq!(Rule::from_name(rule.name()), Some(*rule));
            assert_eq!(rule.name().split('.').count(), 2, "{}", rule.name());
            assert_eq!(Rule::ALL.iter().position(|r| r == rule), Some(i));
        }
    }
}
