/* The part of FMI 2.0 for co-simulation that the host uses: types and signatures. */
#ifndef FMI2_H
#define FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

enum { fmi2False = 0, fmi2True = 1 };
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String name, fmi2Status, fmi2String category, fmi2String message, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* name, result, parameters: the 34 functions of co-simulation */
#define FMI2_FUNCTIONS(F) \
    F(fmi2GetTypesPlatform, const char *, (void)) \
    F(fmi2GetVersion, const char *, (void)) \
    F(fmi2SetDebugLogging, fmi2Status, (fmi2Component, fmi2Boolean, size_t, const fmi2String[])) \
    F(fmi2Instantiate, fmi2Component, (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean)) \
    F(fmi2FreeInstance, void, (fmi2Component)) \
    F(fmi2SetupExperiment, fmi2Status, (fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real)) \
    F(fmi2EnterInitializationMode, fmi2Status, (fmi2Component)) \
    F(fmi2ExitInitializationMode, fmi2Status, (fmi2Component)) \
    F(fmi2Terminate, fmi2Status, (fmi2Component)) \
    F(fmi2Reset, fmi2Status, (fmi2Component)) \
    F(fmi2GetReal, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[])) \
    F(fmi2GetInteger, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[])) \
    F(fmi2GetBoolean, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[])) \
    F(fmi2GetString, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, fmi2String[])) \
    F(fmi2SetReal, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[])) \
    F(fmi2SetInteger, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[])) \
    F(fmi2SetBoolean, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[])) \
    F(fmi2SetString, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[])) \
    F(fmi2GetFMUstate, fmi2Status, (fmi2Component, fmi2FMUstate *)) \
    F(fmi2SetFMUstate, fmi2Status, (fmi2Component, fmi2FMUstate)) \
    F(fmi2FreeFMUstate, fmi2Status, (fmi2Component, fmi2FMUstate *)) \
    F(fmi2SerializedFMUstateSize, fmi2Status, (fmi2Component, fmi2FMUstate, size_t *)) \
    F(fmi2SerializeFMUstate, fmi2Status, (fmi2Component, fmi2FMUstate, fmi2Byte[], size_t)) \
    F(fmi2DeSerializeFMUstate, fmi2Status, (fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *)) \
    F(fmi2GetDirectionalDerivative, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2ValueReference[], size_t, const fmi2Real[], fmi2Real[])) \
    F(fmi2SetRealInputDerivatives, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[], const fmi2Real[])) \
    F(fmi2GetRealOutputDerivatives, fmi2Status, (fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[], fmi2Real[])) \
    F(fmi2DoStep, fmi2Status, (fmi2Component, fmi2Real, fmi2Real, fmi2Boolean)) \
    F(fmi2CancelStep, fmi2Status, (fmi2Component)) \
    F(fmi2GetStatus, fmi2Status, (fmi2Component, const fmi2StatusKind, fmi2Status *)) \
    F(fmi2GetRealStatus, fmi2Status, (fmi2Component, const fmi2StatusKind, fmi2Real *)) \
    F(fmi2GetIntegerStatus, fmi2Status, (fmi2Component, const fmi2StatusKind, fmi2Integer *)) \
    F(fmi2GetBooleanStatus, fmi2Status, (fmi2Component, const fmi2StatusKind, fmi2Boolean *)) \
    F(fmi2GetStringStatus, fmi2Status, (fmi2Component, const fmi2StatusKind, fmi2String *))

#endif
