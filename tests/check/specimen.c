/* A small FMU, x' = u - k x, that does all it promises; and, when the environment variable SPECIMEN names it, one thing
 * wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../c_host/fmi2.h"

#define DECLARE(name, result, parameters) result name parameters;
FMI2_FUNCTIONS(DECLARE)

#define GUID "{specimen-1}"
enum { K, U, X, RATE, X0, C, N_REALS };

typedef struct {
    double real[N_REALS], time, slope;
    int count, on, mode, ready;
} Values;

typedef struct {
    Values values;
    const fmi2CallbackFunctions *callbacks;
    char name[64];
} Instance;

static double shared;
static int n_instances, n_made, n_resets;

static int is(const char *fault) {
    const char *chosen = getenv("SPECIMEN");
    return chosen && strcmp(chosen, fault) == 0;
}

/* volatile, or the compiler would leave out what is undefined */
static int *volatile nowhere;

static void crash(void) { *nowhere = 1; }

static void hang(void) {
    for (volatile int forever = 1; forever;) {
    }
}

__attribute__((constructor)) static void loaded(void) {
    if (is("crash when loaded")) crash();
    if (is("hang when loaded")) hang();
}

__attribute__((destructor)) static void unloaded(void) {
    if (is("crash when unloaded")) crash();
}

static fmi2Status refuse(Instance *it, const char *why) {
    const char *category = is("null category") ? NULL : is("odd category") ? "odd" : "logStatusError";
    const char *text = is("null message") ? NULL : why;
    it->callbacks->logger(it->callbacks->componentEnvironment, it->name, fmi2Error, category, text);
    return fmi2Error;
}

static void restart(Values *v) {
    memset(v, 0, sizeof *v);
    v->real[K] = is("other start") ? 2.5 : is("late start") ? 0 : is("rounded start") ? 2.0000001 : 2;
    v->real[U] = 0.5;
    v->real[X0] = 1;
    v->real[C] = 3;
    v->on = v->mode = 1;
}

static void update(Values *v) { v->real[RATE] = v->real[U] - v->real[K] * v->real[X]; }

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return is("other version") ? "1.0" : "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]) {
    (void)on, (void)names;
    return n == 1 && !is("no logging") ? fmi2OK : refuse(c, "unknown category");
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)visible, (void)logging;
    if (is("null instance") || type != fmi2CoSimulation) return NULL;
    if (strcmp(guid, GUID) != 0 && !is("any GUID")) return NULL;
    if (is("no decoding") && strchr(resources, '%')) return NULL;
    if (is("crash at location") && strchr(resources, '%')) crash();
    if (is("one instance") && n_instances > 0) return NULL;
    Instance *it = calloc(1, sizeof *it);
    it->callbacks = callbacks;
    snprintf(it->name, sizeof it->name, "%s", name);
    restart(&it->values);
    n_instances++, n_made++;
    return it;
}

void fmi2FreeInstance(fmi2Component c) {
    if (!c && is("crash at null")) crash();
    if (!c) return;
    if (is("crash when freed")) crash();
    n_instances--;
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean with_stop, fmi2Real stop) {
    (void)with_tolerance, (void)tolerance, (void)with_stop, (void)stop;
    ((Instance *)c)->values.time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return is("no initialization") ? refuse(c, "not today") : fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Values *v = &((Instance *)c)->values;
    if (!is("forgetful reset") || v->real[X] == 0) v->real[X] = v->real[X0];
    if (is("shared variable")) shared = v->real[X];
    if (is("nearly reset")) v->real[X] += 1e-9 * n_resets;
    if (is("late start")) v->real[K] = 2;
    if (is("new every time")) v->real[X] += 0.1 * n_made;
    v->ready = 1;
    update(v);
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
    return is("no end") ? refuse(c, "never") : fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    Values *v = &((Instance *)c)->values;
    double x = v->real[X];
    if (is("crash in reset")) crash();
    n_resets++;
    if (is("no reset")) return refuse(c, "no reset");
    restart(v);
    if (is("forgetful reset")) v->real[X] = x;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Real values[]) {
    Values *v = &((Instance *)c)->values;
    if (!v->ready && is("crash when read early")) crash();
    for (size_t i = 0; i < n; i++) {
        if (refs[i] >= N_REALS || (refs[i] == RATE && is("unreadable"))) return fmi2Error;
        values[i] = v->real[refs[i]];
        if (refs[i] == X && v->count > 2 && is("not a number")) values[i] = NAN;
        if (refs[i] == X && v->count > 2 && is("infinite")) values[i] = INFINITY;
        if (refs[i] == X && v->count > 2 && is("out of range")) values[i] = 1000;
    }
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Integer values[]) {
    for (size_t i = 0; i < n; i++) values[i] = refs[i] ? ((Instance *)c)->values.mode : ((Instance *)c)->values.count;
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Boolean values[]) {
    (void)refs;
    for (size_t i = 0; i < n; i++) values[i] = ((Instance *)c)->values.on;
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2String values[]) {
    (void)c, (void)refs;
    for (size_t i = 0; i < n; i++) values[i] = is("null text") ? NULL : "specimen";
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Real values[]) {
    Values *v = &((Instance *)c)->values;
    for (size_t i = 0; i < n; i++) {
        if (refs[i] == K && !(values[i] >= 0 && values[i] <= 10) && !is("no limits")) return refuse(c, "out of range");
        v->real[refs[i]] = values[i];
        if (refs[i] == U) v->slope = 0;
    }
    update(v);
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer values[]) {
    (void)refs;
    for (size_t i = 0; i < n; i++) ((Instance *)c)->values.mode = values[i];
    return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Boolean values[]) {
    (void)refs;
    for (size_t i = 0; i < n; i++) ((Instance *)c)->values.on = values[i];
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2String values[]) {
    (void)c, (void)refs, (void)n, (void)values;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (is("no state")) return refuse(c, "no state");
    if (!*state) *state = malloc(sizeof(Values));
    memcpy(*state, &((Instance *)c)->values, sizeof(Values));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    Values *v = &((Instance *)c)->values, *saved = state;
    if (is("nearly a state")) {
        *v = *saved;
        v->real[X] *= 1 + 1e-9;
        return fmi2OK;
    }
    if (is("half a state")) {
        double x = v->real[X];
        *v = *saved;
        v->real[X] = x;
        return fmi2OK;
    }
    *v = *saved;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    free(*state);
    if (!is("dangling state")) *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)state;
    *size = sizeof(Values);
    return is("no bytes") ? refuse(c, "no bytes") : fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    if (is("nearly the bytes")) ((Values *)bytes)->real[X] *= 1 + 1e-9;
    if (is("wrong bytes")) ((Values *)bytes)->real[X] += 1;
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    (void)c;
    *state = malloc(size);
    memcpy(*state, bytes, size);
    return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference of[], size_t n_of,
                                        const fmi2ValueReference by[], size_t n_by, const fmi2Real seed[],
                                        fmi2Real values[]) {
    const double rest = is("rounded derivative") ? 2e-12 : 0;
    if (is("no directional derivatives")) return refuse(c, "none");
    for (size_t i = 0; i < n_of; i++) {
        values[i] = rest;
        for (size_t j = 0; j < n_by; j++)
            if (by[j] == U && (of[i] == RATE || is("undeclared dependency"))) values[i] += seed[j];
    }
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
    (void)refs, (void)orders;
    if (is("no input derivatives")) return refuse(c, "none");
    if (n && !is("input derivatives ignored")) ((Instance *)c)->values.slope = values[0];
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n,
                                        const fmi2Integer orders[], fmi2Real values[]) {
    Values *v = &((Instance *)c)->values;
    if (is("no output derivatives")) return refuse(c, "none");
    for (size_t i = 0; i < n; i++) {
        if (orders[i] != 1) return refuse(c, "order 1 only");
        values[i] = refs[i] == X ? v->real[RATE] : v->slope - v->real[K] * v->real[RATE];
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keep) {
    Values *v = &((Instance *)c)->values;
    (void)keep;
    if (is("hang in step")) hang();
    if (is("hang in third step") && v->count > 1) hang();
    if (is("crash in third step") && v->count > 1) crash();
    if (is("quit in third step") && v->count > 1) _exit(0);
    if (is("talkative")) {
        printf("a library that talks\n");
        fflush(stdout);
    }
    if (is("exit in step")) exit(3);
    if (is("failing step") && v->count > 2) return refuse(c, "no more");
    if (is("discarded step") && v->count > 2) return fmi2Discard;
    if (is("pending step")) return fmi2Pending;
    if (is("odd status")) return 77;
    if (is("crash at NaN") && isnan(step)) crash();
    if (is("one step size") && fabs(step - 0.1) > 1e-6) return refuse(c, "0.1 s only");
    if (!is("any step") && (!(step > 0) || !(fabs(time - v->time) < 1e-6 * step))) return refuse(c, "wrong step");
    double *x = is("shared variable") ? &shared : &v->real[X];
    for (int i = 0; i < 10; i++) {
        double u = v->real[U] + v->slope * step * i / 10;
        *x += step / 10 * (u - v->real[K] * *x);
    }
    v->real[X] = *x;
    v->slope = 0;
    v->time = time + step;
    v->count++;
    update(v);
    return fmi2OK;
}

#ifndef WITHOUT_CANCEL
fmi2Status fmi2CancelStep(fmi2Component c) {
    (void)c;
    return fmi2Error;
}
#endif

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    (void)kind;
    *value = ((Instance *)c)->values.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    (void)c, (void)kind;
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
