//! The rules, each with its name, how severe it is to break it, and what to do about it.

use serde::{Deserialize, Serialize, Serializer};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Against the standard, or the FMU does not do what it says.
    Error,
    /// Some importers will have trouble.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// Its word.
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
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name: group and rule.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How severe it is to break it.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// What to do about it.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

rules! {
    ArchiveUnreadable "archive.unreadable" Error "an FMU is a ZIP archive; pack it again"
    ArchiveEscape "archive.escape" Error "names are relative, below the root, without drive letters and `..`; do not use this FMU unless you know where it comes from"
    ArchiveBackslash "archive.backslash" Error "folders are separated by `/`"
    ArchiveLink "archive.link" Error "pack the file itself instead of a symbolic link"
    ArchiveDuplicate "archive.duplicate" Error "each file once"
    ArchiveCase "archive.case" Warning "on Windows and macOS these are one file; rename one"
    ArchiveClash "archive.clash" Error "a name is that of a file or of a folder; rename one"
    ArchivePath "archive.path" Error "shorter names and fewer folders inside each other; many systems cannot unpack this"
    ArchiveTooLarge "archive.too_large" Error "it was not examined; unpack it by hand if you trust it"
    ArchiveSize "archive.size" Error "the directory of the archive tells another size than the data; pack it again"
    ArchiveCompression "archive.compression" Error "FMI allows stored and deflated entries only, without encryption"
    ArchiveNoDescription "archive.no_description" Error "`modelDescription.xml` must be at the root of the archive"
    XmlEncoding "xml.encoding" Error "the model description must be UTF-8"
    XmlMalformed "xml.malformed" Error "the rest of the file was not examined"
    XmlUnknownElement "xml.unknown_element" Error "only the elements of the schema; own data goes into VendorAnnotations"
    XmlUnknownAttribute "xml.unknown_attribute" Error "only the attributes of the schema"
    XmlMissingElement "xml.missing_element" Error "the schema demands it"
    XmlMissingAttribute "xml.missing_attribute" Error "the schema demands it"
    XmlValue "xml.value" Error "write it as the schema says"
    XmlOrder "xml.order" Error "elements have the order of the schema"
    XmlRepeated "xml.repeated" Error "the schema allows it once"
    ModelVersion "model.version" Error "only FMI 2.0 is examined"
    ModelGuid "model.guid" Error "without a GUID no binary can be told from another"
    ModelName "model.name" Warning "give the model a name"
    ModelIdentifier "model.identifier" Error "a C identifier: letters, digits and `_`, no digit first; files and functions are named after it"
    ModelDate "model.date" Warning "write it as 2020-12-31T23:59:59Z"
    ModelKind "model.kind" Error "an FMU offers ModelExchange or CoSimulation, or both"
    ModelExchangeOnly "model.exchange_only" Note "this tool runs co-simulation only; the description was examined"
    ModelExchangeToo "model.exchange_too" Note "this tool runs co-simulation only; the verdict is on that part"
    ModelFlags "model.flags" Error "a state that cannot be saved cannot be serialized"
    ModelTool "model.tool" Note "the FMU needs a program on this machine; without it the trials fail"
    UnitDuplicate "unit.duplicate" Error "each unit once"
    UnitUndeclared "unit.undeclared" Error "declare it in UnitDefinitions"
    UnitDisplay "unit.display" Warning "declare it as a DisplayUnit of the variable's unit"
    UnitFactor "unit.factor" Error "a factor is finite and not 0"
    TypeDuplicate "type.duplicate" Error "each type once"
    TypeClash "type.clash" Warning "the standard wants names of types that no variable has"
    TypeUndeclared "type.undeclared" Error "declare it in TypeDefinitions"
    TypeMismatch "type.mismatch" Error "the declared type must be of the variable's own kind"
    TypeItems "type.items" Error "names and values of an enumeration's items are unique"
    LogDuplicate "log.duplicate" Error "each category once"
    ExperimentTimes "experiment.times" Error "the stop time is after the start time, and both are finite"
    ExperimentStep "experiment.step" Error "the step is finite and above 0"
    ExperimentLongStep "experiment.long_step" Warning "the step is longer than the whole experiment"
    ExperimentTolerance "experiment.tolerance" Error "the tolerance is finite and above 0"
    NameEmpty "name.empty" Error "every variable has a name"
    NameDuplicate "name.duplicate" Error "names are unique"
    NameSyntax "name.syntax" Error "with variableNamingConvention=\"structured\": a.b[1].c, der(x), or 'any text'"
    NameControl "name.control" Error "no line breaks and tabs in names"
    AliasUnit "alias.unit" Error "variables with one value reference have one unit"
    AliasSettable "alias.settable" Error "at most one variable of an alias set is an input or a parameter"
    AliasStart "alias.start" Error "at most one variable of an alias set has a start value; constants all have the same"
    AliasConstant "alias.constant" Error "a constant has only constants as aliases"
    VariabilityContinuous "variability.continuous" Error "only a Real can be continuous"
    VariabilityDefault "variability.default" Warning "the default is continuous, which only a Real can be; say discrete, fixed or tunable"
    VariabilityCausality "variability.causality" Error "see the table of causality and variability in section 2.2.7 of the standard"
    InitialForbidden "initial.forbidden" Error "inputs and the independent variable have no initial"
    InitialCombination "initial.combination" Error "see the table of initial values in section 2.2.7 of the standard"
    StartMissing "start.missing" Error "inputs, parameters, constants and variables with initial exact or approx need a start value"
    StartForbidden "start.forbidden" Error "what is calculated, and the independent variable, has no start value"
    StartOutside "start.outside" Error "a start value lies between min and max"
    StartItem "start.item" Error "the start value of an enumeration is the value of one of its items"
    StartNotFinite "start.not_finite" Warning "a start value should be a number"
    RangeEmpty "range.empty" Error "min is not above max"
    RangeNominal "range.nominal" Error "nominal is finite and above 0"
    IndependentTwice "independent.twice" Error "there is one independent variable at most"
    IndependentType "independent.type" Error "the independent variable is a continuous Real"
    DerivativeIndex "derivative.index" Error "`derivative` is the index of a continuous Real, from 1"
    StructureIndex "structure.index" Error "indices are places in ModelVariables, from 1"
    StructureRepeated "structure.repeated" Error "each unknown once"
    StructureOutputs "structure.outputs" Error "Outputs lists the variables with causality output: all of them and no other"
    StructureDerivatives "structure.derivatives" Error "Derivatives lists variables with the attribute `derivative`"
    StructureInitialMissing "structure.initial_missing" Error "InitialUnknowns lists outputs, states and their derivatives that are not exact at the start, and calculated parameters"
    StructureInitialExtra "structure.initial_extra" Error "InitialUnknowns lists outputs, states and their derivatives that are not exact at the start, and calculated parameters"
    StructureKinds "structure.kinds" Error "dependenciesKind has as many words as dependencies has indices, and needs them"
    StructureDependency "structure.dependency" Warning "outputs depend on inputs, states, parameters and time; initial unknowns on what is known at the start"
    StructureDependencyOrder "structure.dependency_order" Warning "dependencies are in ascending order, each once"
    PlatformNone "platform.none" Error "there is neither a library nor source code: the FMU cannot be used anywhere"
    PlatformSources "platform.sources" Note "there is source code only; compile it first"
    PlatformMissing "platform.missing" Warning "the FMU cannot be run on this machine, so its library was not examined"
    PlatformName "platform.name" Error "the library is named after the modelIdentifier"
    PlatformForeign "platform.foreign" Error "the header of the file is not that of a shared library for the folder's platform"
    PlatformDamaged "platform.damaged" Error "the file is cut off or damaged: its own header names parts that it does not have; pack the FMU again"
    Unfinished "examination.unfinished" Error "nothing is known of the rest; --time-limit gives more time"
    NotRun "library.not_run" Note "the library was not loaded; what it does was not examined"
    LibraryLoad "library.load" Error "a dependency may be missing on this machine, or the file may be damaged"
    LibraryMissing "library.missing" Error "an FMU for co-simulation exports all 34 functions, also those that do nothing"
    LibraryVersion "library.version" Error "fmi2GetVersion returns \"2.0\", fmi2GetTypesPlatform \"default\""
    LibraryCrash "library.crash" Error "other calls may have the same fault; run it under a debugger"
    LibraryExit "library.exit" Error "a library must not end the process that loads it"
    LibraryHang "library.hang" Error "the call did not return in its time, half of --time-limit and 20 s at most; later trials were left out"
    AbuseCrash "abuse.crash" Warning "the call was a wrong one, yet a library should refuse it and not crash or hang"
    AbuseSteps "abuse.steps" Note "the step made no sense, yet a library should refuse it and not crash or hang"
    LibrarySlow "library.slow" Warning "the trial took too long as a whole and was ended; --time-limit makes it longer"
    Instantiate "instantiate.failed" Error "the log says why, if the FMU says it; the GUID may be that of another build"
    GuidUnchecked "guid.unchecked" Warning "compare fmuGUID in fmi2Instantiate: a stale model description goes unnoticed"
    ResourcesLocation "resources.location" Warning "decode %20 and the like in the resource location, which is UTF-8"
    InstancesSecond "instances.second" Error "say canBeInstantiatedOnlyOncePerProcess=\"true\" or make it possible"
    InstancesDiffer "instances.differ" Error "two instances at once disturb each other; look for global variables"
    NullInstance "null.instance" Error "fmi2FreeInstance takes null and does nothing"
    InitializeFailed "initialize.failed" Error "the start values of the model description must be good enough to start"
    StartDiffers "start.differs" Error "the library has another value than the model description"
    StartRounded "start.rounded" Note "write start values with 17 digits"
    StartEarly "start.early" Note "before the initialization values may be read by some importers and not by the standard"
    StartMoved "start.moved" Warning "after the initialization the variable is not what initial=\"exact\" promises"
    GetFailed "get.failed" Error "every variable can be read after the initialization"
    GetText "get.text" Error "fmi2GetString must not hand out null"
    LimitsUnguarded "limits.unguarded" Note "a value outside min and max is accepted without a word"
    RunFailed "run.failed" Error "the FMU fails in its own default experiment"
    RunDiscarded "run.discarded" Note "the step was discarded; a master must take a shorter one"
    RunPending "run.pending" Error "a step may be pending only with canRunAsynchronuously=\"true\""
    RunTerminated "run.terminated" Note "the FMU asked for the end of the run"
    RunNan "run.nan" Error "an output is not a number"
    RunInfinite "run.infinite" Note "an output is infinite; masters may not expect that"
    RunOutside "run.outside" Warning "an output leaves its own min and max"
    RunIrreproducible "run.irreproducible" Warning "two new instances give different values; these variables were left out of comparisons"
    StepHalves "step.halves" Error "say canHandleVariableCommunicationStepSize=\"false\" or take any step"
    StepWrongTime "step.wrong_time" Note "a step from another time than where the last one ended is accepted"
    StepNan "step.nan" Note "a step that is not a number is accepted"
    StepBackwards "step.backwards" Note "a negative step is accepted"
    ResetFailed "reset.failed" Error "fmi2Reset is for every FMU"
    ResetDiffers "reset.differs" Error "after fmi2Reset everything is as after fmi2Instantiate, the time too"
    ResetInexact "reset.inexact" Warning "the run after a reset is nearly the first one; something of the solver is left over"
    StateFailed "state.failed" Error "say canGetAndSetFMUstate=\"false\" or make it work"
    StateDiffers "state.differs" Error "after fmi2SetFMUstate the run must go on as it did from there; internal memory is part of the state"
    StateInexact "state.inexact" Warning "the run goes on nearly as it did; the memory of the solver may not be part of the state"
    StateFree "state.free" Warning "fmi2FreeFMUstate sets the pointer to null"
    SerializeFailed "serialize.failed" Error "say canSerializeFMUstate=\"false\" or make it work"
    SerializeDiffers "serialize.differs" Error "a deserialized state must be worth as much as the saved one"
    SerializeInexact "serialize.inexact" Warning "the run goes on nearly as it did; the memory of the solver may not be part of the bytes"
    DirectionalFailed "directional.failed" Error "say providesDirectionalDerivative=\"false\" or make it work"
    DirectionalUndeclared "directional.undeclared" Error "ModelStructure says that there is no dependency; correct one of the two"
    InputDerivativesFailed "input_derivatives.failed" Error "say canInterpolateInputs=\"false\" or make it work"
    InputDerivativesIgnored "input_derivatives.ignored" Note "derivatives of inputs changed nothing that can be read"
    OutputDerivativesFailed "output_derivatives.failed" Error "say maxOutputDerivativeOrder=\"0\" or make it work"
    DebugLogging "log.debug" Warning "fmi2SetDebugLogging takes the categories of the model description"
    LogNullCategory "log.null_category" Warning "the category of a message is never null"
    LogNullMessage "log.null_message" Warning "the text of a message is never null"
    LogUnknownCategory "log.unknown_category" Note "declare the category in LogCategories"
}

impl Rule {
    /// By its name.
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
