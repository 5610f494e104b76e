//! The types, constants and functions of the crate are those of the official C headers, as bindgen reads them.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::{align_of, offset_of, size_of};

use fmi::fmi2::binding as official;
use stiction::fmu::c_api::{fmi2 as ours, types};

/// How a type is passed in C, in words. Enumerations of C are unsigned for bindgen and plain integers here.
trait Passed {
    fn passed() -> String;
}

macro_rules! passed {
    ($($type:ty => $words:literal),* $(,)?) => {
        $(impl Passed for $type {
            fn passed() -> String {
                $words.into()
            }
        })*
    };
}

passed! {
    () => "nothing",
    c_void => "anything",
    c_char => "char",
    c_int => "int",
    c_uint => "int",
    f64 => "double",
    usize => "size",
    types::fmi2CallbackFunctions => "callbacks",
    official::fmi2CallbackFunctions => "callbacks",
}

impl<T: Passed> Passed for *const T {
    fn passed() -> String {
        format!("pointer to constant {}", T::passed())
    }
}

impl<T: Passed> Passed for *mut T {
    fn passed() -> String {
        format!("pointer to {}", T::passed())
    }
}

/// Parameters and result of a function.
trait Signature {
    fn signature() -> Vec<String>;
}

macro_rules! signature {
    ($($parameter:ident)*) => {
        impl<R: Passed, $($parameter: Passed),*> Signature for unsafe extern "C" fn($($parameter),*) -> R {
            fn signature() -> Vec<String> {
                vec![$($parameter::passed(),)* R::passed()]
            }
        }
    };
}

signature!();
signature!(A);
signature!(A B);
signature!(A B C);
signature!(A B C D);
signature!(A B C D E);
signature!(A B C D E F);
signature!(A B C D E F G);

impl<F: Signature> Signature for Option<F> {
    fn signature() -> Vec<String> {
        F::signature()
    }
}

fn signature_of<F: Signature>(_function: F) -> Vec<String> {
    F::signature()
}

#[test]
fn the_34_functions_have_the_signatures_of_the_headers() {
    let mut n_functions = 0;
    macro_rules! same {
        ($($name:ident($($any:tt),*): $official:ident;)*) => {
            $(
                let ours = signature_of(ours::$name as unsafe extern "C" fn($($any),*) -> _);
                assert_eq!(ours, <official::$official as Signature>::signature(), stringify!($name));
                println!("{}: {ours:?}", stringify!($name));
                n_functions += 1;
            )*
        };
    }
    same! {
        fmi2GetTypesPlatform(): fmi2GetTypesPlatformTYPE;
        fmi2GetVersion(): fmi2GetVersionTYPE;
        fmi2SetDebugLogging(_, _, _, _): fmi2SetDebugLoggingTYPE;
        fmi2Instantiate(_, _, _, _, _, _, _): fmi2InstantiateTYPE;
        fmi2FreeInstance(_): fmi2FreeInstanceTYPE;
        fmi2SetupExperiment(_, _, _, _, _, _): fmi2SetupExperimentTYPE;
        fmi2EnterInitializationMode(_): fmi2EnterInitializationModeTYPE;
        fmi2ExitInitializationMode(_): fmi2ExitInitializationModeTYPE;
        fmi2Terminate(_): fmi2TerminateTYPE;
        fmi2Reset(_): fmi2ResetTYPE;
        fmi2GetReal(_, _, _, _): fmi2GetRealTYPE;
        fmi2GetInteger(_, _, _, _): fmi2GetIntegerTYPE;
        fmi2GetBoolean(_, _, _, _): fmi2GetBooleanTYPE;
        fmi2GetString(_, _, _, _): fmi2GetStringTYPE;
        fmi2SetReal(_, _, _, _): fmi2SetRealTYPE;
        fmi2SetInteger(_, _, _, _): fmi2SetIntegerTYPE;
        fmi2SetBoolean(_, _, _, _): fmi2SetBooleanTYPE;
        fmi2SetString(_, _, _, _): fmi2SetStringTYPE;
        fmi2GetFMUstate(_, _): fmi2GetFMUstateTYPE;
        fmi2SetFMUstate(_, _): fmi2SetFMUstateTYPE;
        fmi2FreeFMUstate(_, _): fmi2FreeFMUstateTYPE;
        fmi2SerializedFMUstateSize(_, _, _): fmi2SerializedFMUstateSizeTYPE;
        fmi2SerializeFMUstate(_, _, _, _): fmi2SerializeFMUstateTYPE;
        fmi2DeSerializeFMUstate(_, _, _, _): fmi2DeSerializeFMUstateTYPE;
        fmi2GetDirectionalDerivative(_, _, _, _, _, _, _): fmi2GetDirectionalDerivativeTYPE;
        fmi2SetRealInputDerivatives(_, _, _, _, _): fmi2SetRealInputDerivativesTYPE;
        fmi2GetRealOutputDerivatives(_, _, _, _, _): fmi2GetRealOutputDerivativesTYPE;
        fmi2DoStep(_, _, _, _): fmi2DoStepTYPE;
        fmi2CancelStep(_): fmi2CancelStepTYPE;
        fmi2GetStatus(_, _, _): fmi2GetStatusTYPE;
        fmi2GetRealStatus(_, _, _): fmi2GetRealStatusTYPE;
        fmi2GetIntegerStatus(_, _, _): fmi2GetIntegerStatusTYPE;
        fmi2GetBooleanStatus(_, _, _): fmi2GetBooleanStatusTYPE;
        fmi2GetStringStatus(_, _, _): fmi2GetStringStatusTYPE;
    }
    assert_eq!(n_functions, 34);
}

#[test]
fn the_callbacks_lie_where_the_headers_have_them() {
    use official::fmi2CallbackFunctions as Official;
    use types::fmi2CallbackFunctions as Ours;
    assert_eq!(size_of::<Ours>(), size_of::<Official>());
    assert_eq!(align_of::<Ours>(), align_of::<Official>());
    let offsets = [
        (offset_of!(Ours, logger), offset_of!(Official, logger)),
        (
            offset_of!(Ours, allocate_memory),
            offset_of!(Official, allocateMemory),
        ),
        (
            offset_of!(Ours, free_memory),
            offset_of!(Official, freeMemory),
        ),
        (
            offset_of!(Ours, step_finished),
            offset_of!(Official, stepFinished),
        ),
        (
            offset_of!(Ours, component_environment),
            offset_of!(Official, componentEnvironment),
        ),
    ];
    for (ours, official) in offsets {
        assert_eq!(ours, official);
    }
    // the logger has variable arguments, so it is compared as a type: only the status differs in its sign
    type Logger = Option<
        unsafe extern "C" fn(*mut c_void, *const c_char, c_uint, *const c_char, *const c_char, ...),
    >;
    let _: Logger = None::<Official>.and_then(|callbacks| callbacks.logger);
    let _: Option<
        unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...),
    > = None::<types::fmi2CallbackLogger>;
    assert_eq!(
        <Option<types::fmi2CallbackAllocateMemory> as Signature>::signature(),
        <official::fmi2CallbackAllocateMemory as Signature>::signature()
    );
    assert_eq!(
        <Option<types::fmi2CallbackFreeMemory> as Signature>::signature(),
        <official::fmi2CallbackFreeMemory as Signature>::signature()
    );
    assert_eq!(
        <Option<types::fmi2StepFinished> as Signature>::signature(),
        <official::fmi2StepFinished as Signature>::signature()
    );
}

#[test]
fn the_types_have_the_sizes_of_the_headers() {
    macro_rules! same_size {
        ($($name:ident)*) => {
            $(assert_eq!(size_of::<types::$name>(), size_of::<official::$name>(), stringify!($name));)*
        };
    }
    same_size!(
        fmi2Component fmi2ComponentEnvironment fmi2FMUstate fmi2ValueReference fmi2Real fmi2Integer fmi2Boolean
        fmi2String fmi2Byte fmi2Status fmi2Type fmi2StatusKind
    );
}

#[test]
fn the_constants_have_the_values_of_the_headers() {
    let pairs = [
        (types::FALSE, official::fmi2False),
        (types::TRUE, official::fmi2True),
        (types::OK, official::fmi2Status_fmi2OK),
        (types::WARNING, official::fmi2Status_fmi2Warning),
        (types::DISCARD, official::fmi2Status_fmi2Discard),
        (types::ERROR, official::fmi2Status_fmi2Error),
        (types::FATAL, official::fmi2Status_fmi2Fatal),
        (types::PENDING, official::fmi2Status_fmi2Pending),
        (types::MODEL_EXCHANGE, official::fmi2Type_fmi2ModelExchange),
        (types::CO_SIMULATION, official::fmi2Type_fmi2CoSimulation),
        (
            types::DO_STEP_STATUS,
            official::fmi2StatusKind_fmi2DoStepStatus,
        ),
        (
            types::PENDING_STATUS,
            official::fmi2StatusKind_fmi2PendingStatus,
        ),
        (
            types::LAST_SUCCESSFUL_TIME,
            official::fmi2StatusKind_fmi2LastSuccessfulTime,
        ),
        (types::TERMINATED, official::fmi2StatusKind_fmi2Terminated),
    ];
    for (i, (ours, official)) in pairs.into_iter().enumerate() {
        assert_eq!(u32::try_from(ours), Ok(official), "constant {i}");
    }
    assert_eq!(
        Ok(types::VERSION),
        CStr::from_bytes_with_nul(official::fmi2Version)
    );
    assert_eq!(
        Ok(types::TYPES_PLATFORM),
        CStr::from_bytes_with_nul(official::fmi2TypesPlatform)
    );
}
