/* A small master for FMI 2.0 co-simulation.
 *
 *   host run LIBRARY RESOURCES GUID START STOP STEP [option ..]
 *       --set REFERENCE VALUE            a Real parameter or input, before the initialization
 *       --cosine REFERENCE A OMEGA K     input A cos(OMEGA t) with derivatives up to order K, at every step
 *       --get REFERENCE                  a Real variable to be printed, one line each, at the end
 *       --save N FILE                    after N steps: the serialized state into a file
 *       --load FILE                      from such a file instead of an initialization
 *   host trace LIBRARY RESOURCES GUID STOP STEP REFERENCES FILE [--save STATE | --load STATE]
 *       from 0; the Real variables whose references are in a file, at the start and after each step, as bytes into another;
 *       the serialized state after half of the steps into a file, or the second half from such a file
 *   host panic LIBRARY RESOURCES GUID
 *       with a library in which fmi2CancelStep panics: one instance is broken, the others are not
 *   host events LIBRARY RESOURCES GUID STOP STEP FLAG
 *       with the Boolean parameter FLAG set: restores the state when a step is cut short, repeats it up to the event and
 *       goes on from there; prints the times of the events
 *   host wrong LIBRARY RESOURCES GUID           wrong calls: each must be refused, none may crash
 *   host cycles LIBRARY RESOURCES GUID N        instantiate, run and free N times; prints resident pages on the way
 *   host modes LIBRARY RESOURCES GUID N STEP    N steps under eight floating-point environments, exceptions trapped in some: the same
 *                                               bytes, and every call leaves the environment as it was; prints ns a call
 *   host little LIBRARY RESOURCES GUID          with little memory (ulimit -v): an instance that takes a step, or a message
 *   host states LIBRARY RESOURCES GUID          saves states until memory is used up (ulimit -v): the next is refused with a message, and
 *                                               all is well when they are freed; prints how many there were
 *   host fuzz LIBRARY RESOURCES GUID N SEED     N random calls
 */
#define _GNU_SOURCE
#include "fmi2.h"
#include "system.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DECLARE(name, result, parameters) static result(*name) parameters;
FMI2_FUNCTIONS(DECLARE)

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "host: %s\n", what);
    exit(1);
}

static void *loaded_library;

static void load(const char *library) {
    void *handle = library_open(library);
    if (!handle) fail(library_error());
    loaded_library = handle;
#define RESOLVE(name, result, parameters) \
    *(void **)&name = library_symbol(handle, #name); \
    if (!name) fail(#name " is missing");
    FMI2_FUNCTIONS(RESOLVE)
    if (library_symbol(handle, "fmi2GetDerivatives")) fail("model exchange is not offered, but its functions are there");
}

static int messages;
static int quiet;
static int n_fatal, may_be_fatal;

/* formats as printf does: a percent sign in a message that is not safe would read garbage here */
static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    if (environment != &messages || !name || !category || !*category) fail("the logger was called wrongly");
    messages++;
    if (status == fmi2Fatal && !may_be_fatal) fail(text);
    n_fatal += status == fmi2Fatal;
    if (!quiet) fprintf(stderr, "[%s] %s, status %d: %s\n", name, category, (int)status, text);
}

static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, &messages};

static void must(fmi2Status status, const char *what) {
    if (status != fmi2OK) fail(what);
}

/* what is off is in the log */
static void done(fmi2Status status) {
    if (status > fmi2Warning) fail("fmi2DoStep");
}

static fmi2Component instance(const char *resources, const char *guid) {
    fmi2Component c = fmi2Instantiate("host", fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2False);
    if (!c) fail("fmi2Instantiate");
    return c;
}

static void initialize(fmi2Component c, double start) {
    must(fmi2SetupExperiment(c, fmi2False, 0, start, fmi2False, 0), "fmi2SetupExperiment");
    must(fmi2EnterInitializationMode(c), "fmi2EnterInitializationMode");
    must(fmi2ExitInitializationMode(c), "fmi2ExitInitializationMode");
}

static int little(int n, char **argument) {
    if (n < 3) fail("little needs three arguments");
    load(argument[0]);
    fmi2Component c = fmi2Instantiate("host", fmi2CoSimulation, argument[2], argument[1], &callbacks, fmi2False, fmi2False);
    if (!c) {
        if (!messages) fail("null without a message");
        puts("null");
        return 0;
    }
    must(fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0), "fmi2SetupExperiment");
    must(fmi2EnterInitializationMode(c), "fmi2EnterInitializationMode");
    messages = 0;
    /* scratch is made anew, and may not be there for a second time */
    int works = fmi2ExitInitializationMode(c) == fmi2OK;
    if (works) done(fmi2DoStep(c, 0, 0.01, fmi2True));
    else if (!messages) fail("an error without a message");
    fmi2FreeInstance(c);
    puts(works ? "works" : "error");
    return 0;
}

/* a cos(omega t) and its derivatives */
static void feed(fmi2Component c, fmi2ValueReference vr, double a, double omega, int highest, double t) {
    double value = a * cos(omega * t);
    must(fmi2SetReal(c, &vr, 1, &value), "fmi2SetReal");
    double scale = a;
    for (int order = 1; order <= highest; order++) {
        scale *= omega;
        switch (order % 4) {
            case 0: value = scale * cos(omega * t); break;
            case 1: value = -scale * sin(omega * t); break;
            case 2: value = -scale * cos(omega * t); break;
            default: value = scale * sin(omega * t);
        }
        must(fmi2SetRealInputDerivatives(c, &vr, 1, &order, &value), "fmi2SetRealInputDerivatives");
    }
}

/* the serialized state, to be freed */
static char *state_bytes(fmi2Component c, size_t *size) {
    fmi2FMUstate state = NULL;
    must(fmi2GetFMUstate(c, &state), "fmi2GetFMUstate");
    must(fmi2SerializedFMUstateSize(c, state, size), "fmi2SerializedFMUstateSize");
    char *bytes = malloc(*size);
    must(fmi2SerializeFMUstate(c, state, bytes, *size), "fmi2SerializeFMUstate");
    must(fmi2FreeFMUstate(c, &state), "fmi2FreeFMUstate");
    return bytes;
}

static void save(fmi2Component c, const char *path) {
    size_t size;
    char *bytes = state_bytes(c, &size);
    FILE *file = file_open(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) fail(path);
    free(bytes);
}

static void restore(fmi2Component c, const char *path) {
    static char bytes[1 << 20];
    fmi2FMUstate state = NULL;
    FILE *file = file_open(path, "rb");
    if (!file) fail(path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    must(fmi2DeSerializeFMUstate(c, bytes, size, &state), "fmi2DeSerializeFMUstate");
    must(fmi2SetFMUstate(c, state), "fmi2SetFMUstate");
    must(fmi2FreeFMUstate(c, &state), "fmi2FreeFMUstate");
}

static int run(int n, char **argument) {
    if (n < 6) fail("run needs six arguments");
    double start = atof(argument[3]), stop = atof(argument[4]), step = atof(argument[5]);
    load(argument[0]);
    fmi2Component c = instance(argument[1], argument[2]);
    fmi2ValueReference get[8192], fed = 0;
    const char *saved = NULL, *loaded = NULL;
    size_t n_get = 0;
    long save_after = -1;
    double a = 0, omega = 0;
    int order = -1;
    for (int i = 6; i < n;) {
        if (!strcmp(argument[i], "--set") && i + 2 < n) {
            fmi2ValueReference vr = (fmi2ValueReference)atoi(argument[i + 1]);
            double value = atof(argument[i + 2]);
            must(fmi2SetReal(c, &vr, 1, &value), "fmi2SetReal");
            i += 3;
        } else if (!strcmp(argument[i], "--cosine") && i + 4 < n) {
            fed = (fmi2ValueReference)atoi(argument[i + 1]);
            a = atof(argument[i + 2]);
            omega = atof(argument[i + 3]);
            order = atoi(argument[i + 4]);
            feed(c, fed, a, omega, order, start);
            i += 5;
        } else if (!strcmp(argument[i], "--get") && i + 1 < n && n_get < 8192) {
            get[n_get++] = (fmi2ValueReference)atoi(argument[i + 1]);
            i += 2;
        } else if (!strcmp(argument[i], "--save") && i + 2 < n) {
            save_after = atol(argument[i + 1]);
            saved = argument[i + 2];
            i += 3;
        } else if (!strcmp(argument[i], "--load") && i + 1 < n) {
            loaded = argument[i + 1];
            i += 2;
        } else {
            fail("an option is not known");
        }
    }
    if (loaded) restore(c, loaded);
    else initialize(c, start);
    double t = start;
    for (long i = 0; t < stop * (1 - 1e-12); i++) {
        double end = start + (double)(i + 1) * step;
        if (end > stop - 1e-9 * step) end = stop;
        if (order >= 0) feed(c, fed, a, omega, order, t);
        done(fmi2DoStep(c, t, end - t, fmi2True));
        t = end;
        if (i + 1 == save_after) save(c, saved);
    }
    for (size_t i = 0; i < n_get; i++) {
        double value;
        must(fmi2GetReal(c, &get[i], 1, &value), "fmi2GetReal");
        printf("%.17g\n", value);
    }
    must(fmi2Terminate(c), "fmi2Terminate");
    fmi2FreeInstance(c);
    return 0;
}

/* value references from a text file; their number */
static size_t references(const char *path, fmi2ValueReference *vr, size_t most) {
    FILE *file = file_open(path, "r");
    size_t n = 0;
    if (!file) fail(path);
    while (n < most && fscanf(file, "%u", &vr[n]) == 1) n++;
    fclose(file);
    return n;
}

static int trace(int n, char **argument) {
    if (n < 7) fail("trace needs seven arguments");
    double stop = atof(argument[3]), step = atof(argument[4]);
    static fmi2ValueReference vr[1 << 16];
    static double row[1 << 16];
    size_t n_vr = references(argument[5], vr, sizeof vr / sizeof *vr);
    FILE *file = file_open(argument[6], "wb");
    long n_steps = (long)(stop / step + 0.5), save_after = n > 8 ? n_steps / 2 : -1, first = 0;
    if (!file) fail(argument[6]);
    load(argument[0]);
    fmi2Component c = instance(argument[1], argument[2]);
    if (n > 8 && !strcmp(argument[7], "--load")) {
        restore(c, argument[8]);
        first = n_steps / 2;
        save_after = -1;
    } else {
        initialize(c, 0);
    }
    for (long i = first; i <= n_steps; i++) {
        if (i > first) done(fmi2DoStep(c, (double)(i - 1) * step, step, fmi2True));
        if (i == save_after) save(c, argument[8]);
        must(fmi2GetReal(c, vr, n_vr, row), "fmi2GetReal");
        if (fwrite(row, sizeof *row, n_vr, file) != n_vr) fail(argument[6]);
    }
    if (fclose(file)) fail(argument[6]);
    must(fmi2Terminate(c), "fmi2Terminate");
    fmi2FreeInstance(c);
    if (library_close(loaded_library)) fail("the library cannot be unloaded");
    return 0;
}

static int panics(int n, char **argument) {
    if (n < 3) fail("panic needs three arguments");
    load(argument[0]);
    quiet = may_be_fatal = 1;
    fmi2Component broken = instance(argument[1], argument[2]), other = instance(argument[1], argument[2]);
    initialize(broken, 0);
    initialize(other, 0);
    if (fmi2CancelStep(broken) != fmi2Fatal || n_fatal != 1) fail("the panic was not caught and told");
    if (fmi2DoStep(broken, 0, 0.01, 0) != fmi2Fatal || fmi2Reset(broken) != fmi2Fatal) fail("a broken instance goes on");
    must(fmi2DoStep(other, 0, 0.01, 0), "another instance suffers");
    fmi2FreeInstance(broken);
    must(fmi2DoStep(other, 0.01, 0.01, 0), "another instance suffers");
    fmi2FreeInstance(other);
    printf("%d\n", n_fatal);
    return 0;
}

static int events(int n, char **argument) {
    if (n < 6) fail("events needs six arguments");
    double stop = atof(argument[3]), step = atof(argument[4]), t = 0;
    fmi2ValueReference flag = (fmi2ValueReference)atoi(argument[5]);
    fmi2Boolean on = fmi2True;
    fmi2FMUstate state = NULL;
    load(argument[0]);
    quiet = 1;
    fmi2Component c = instance(argument[1], argument[2]);
    must(fmi2SetBoolean(c, &flag, 1, &on), "fmi2SetBoolean");
    initialize(c, 0);
    for (long i = 1; t < stop * (1 - 1e-12); i++) {
        double end = (double)i * step;
        while (t < end) {
            double goal = end;
            must(fmi2GetFMUstate(c, &state), "fmi2GetFMUstate");
            fmi2Status status = fmi2DoStep(c, t, end - t, fmi2True);
            if (status == fmi2Discard) {
                fmi2Boolean terminated = fmi2True;
                must(fmi2GetBooleanStatus(c, fmi2Terminated, &terminated), "fmi2GetBooleanStatus");
                if (terminated) fail("it does not want to end");
                must(fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &goal), "fmi2GetRealStatus");
                must(fmi2SetFMUstate(c, state), "fmi2SetFMUstate");
                status = fmi2DoStep(c, t, goal - t, fmi2True);
                printf("%.17g\n", goal);
            }
            must(status, "fmi2DoStep");
            t = goal;
        }
    }
    must(fmi2FreeFMUstate(c, &state), "fmi2FreeFMUstate");
    must(fmi2Terminate(c), "fmi2Terminate");
    fmi2FreeInstance(c);
    return 0;
}

/* a call that must be refused with a word in the log */
static int n_wrong;
static void refused(fmi2Status status, const char *what) {
    static int logged;
    n_wrong++;
    if (status < fmi2Discard || status > fmi2Fatal || messages == logged) {
        fprintf(stderr, "host: %s gave %d, %d messages\n", what, (int)status, messages);
        exit(1);
    }
    logged = messages;
}
#define REFUSED(call) refused(call, #call)

static int states(int n, char **argument) {
    enum { MOST = 1 << 20 };
    static fmi2FMUstate kept[MOST];
    if (n < 3) fail("states needs three arguments");
    load(argument[0]);
    quiet = 1;
    fmi2Component c = instance(argument[1], argument[2]);
    initialize(c, 0);
    done(fmi2DoStep(c, 0, 0.01, fmi2False));
    size_t size, again;
    char *bytes = state_bytes(c, &size);
    messages = 0;
    int count = 0;
    fmi2Status status = fmi2OK;
    while (count < MOST && (status = fmi2GetFMUstate(c, &kept[count])) == fmi2OK) count++;
    if (count < 100 || count == MOST) fail("the limit of memory is not one of states");
    refused(status, "one more state");
    if (kept[count]) fail("a handle of a state that is not");
    REFUSED(fmi2SetFMUstate(c, kept[0]));
    REFUSED(fmi2SerializedFMUstateSize(c, kept[0], &again));
    REFUSED(fmi2SerializeFMUstate(c, kept[0], bytes, size));
    REFUSED(fmi2DeSerializeFMUstate(c, bytes, size, &kept[count]));
    for (int i = 1; i < count; i++) must(fmi2FreeFMUstate(c, &kept[i]), "fmi2FreeFMUstate");
    done(fmi2DoStep(c, 0.01, 0.01, fmi2False));
    must(fmi2SetFMUstate(c, kept[0]), "fmi2SetFMUstate");
    char *restored = state_bytes(c, &again);
    if (again != size || memcmp(bytes, restored, size)) fail("another state");
    must(fmi2FreeFMUstate(c, &kept[0]), "fmi2FreeFMUstate");
    fmi2FreeInstance(c);
    printf("%d\n", count);
    return 0;
}

static int wrong(int n, char **argument) {
    if (n < 3) fail("wrong needs three arguments");
    const char *resources = argument[1], *guid = argument[2];
    const fmi2CallbackFunctions none = {NULL, NULL, NULL, NULL, NULL};
    load(argument[0]);
    quiet = 1;
    if (strcmp(fmi2GetVersion(), "2.0") || strcmp(fmi2GetTypesPlatform(), "default")) fail("versions");

    /* nothing to instantiate; with and without a logger */
    const fmi2CallbackFunctions *with[] = {&callbacks, &none, NULL};
    for (int i = 0; i < 3; i++) {
        if (fmi2Instantiate("x", fmi2ModelExchange, guid, resources, with[i], 0, 1) ||
            fmi2Instantiate("x", (fmi2Type)77, guid, resources, with[i], 0, 1) ||
            fmi2Instantiate(NULL, fmi2CoSimulation, guid, resources, with[i], 0, 1) ||
            fmi2Instantiate("", fmi2CoSimulation, guid, resources, with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, "{0}", resources, with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, NULL, resources, with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, guid, NULL, with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, guid, "", with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, guid, "file:///no/such/100%/%s%n", with[i], 0, 1) ||
            fmi2Instantiate("x", fmi2CoSimulation, guid, "http://x/y", with[i], 0, 1))
            fail("an instance that must not be");
        if (messages != 10) fail("each refusal of the first round must be logged, and none of the others");
    }
    fmi2FreeInstance(NULL);
    for (int i = 1; i < 3; i++) {
        fmi2Component c = fmi2Instantiate("x", fmi2CoSimulation, guid, resources, with[i], 0, 1);
        if (!c) fail("no callbacks are needed");
        if (fmi2DoStep(c, 0, 1, 0) != fmi2Error) fail("a step before the initialization");
        fmi2FreeInstance(c);
    }

    fmi2Component c = instance(resources, guid);
    fmi2ValueReference vr[] = {0, 100000};
    fmi2Integer whole[] = {1, 1};
    fmi2Boolean flag[] = {1, 1};
    fmi2Real real[] = {NAN, NAN};
    fmi2String text[] = {"%s%n", NULL};
    fmi2FMUstate state = NULL;
    size_t size;
    const size_t huge = SIZE_MAX / 64;
    refused(fmi2Error, "start"); /* takes note of the messages so far */
    REFUSED(fmi2DoStep(c, 0, 0.1, 0));
    REFUSED(fmi2ExitInitializationMode(c));
    REFUSED(fmi2Terminate(c));
    REFUSED(fmi2CancelStep(c));
    REFUSED(fmi2SetupExperiment(c, 0, 0, NAN, 0, 0));
    REFUSED(fmi2SetupExperiment(c, 1, -1, 0, 0, 0));
    REFUSED(fmi2SetDebugLogging(c, 1, 2, text));
    REFUSED(fmi2SetDebugLogging(c, 1, 2, NULL));
    REFUSED(fmi2GetReal(c, vr, 2, real));
    initialize(c, 0);
    REFUSED(fmi2GetReal(c, NULL, 1, real));
    REFUSED(fmi2GetReal(c, vr, 1, NULL));
    REFUSED(fmi2GetReal(c, vr + 1, 1, real));
    REFUSED(fmi2GetReal(c, vr, SIZE_MAX, real));
    REFUSED(fmi2GetInteger(c, vr, 1, whole));
    REFUSED(fmi2GetBoolean(c, vr, 1, flag));
    REFUSED(fmi2GetString(c, vr, 1, text));
    REFUSED(fmi2SetReal(c, vr, 1, real));
    REFUSED(fmi2SetReal(c, vr, 1, NULL));
    REFUSED(fmi2SetInteger(c, vr, 1, whole));
    REFUSED(fmi2SetBoolean(c, vr, 1, flag));
    REFUSED(fmi2SetString(c, vr, 1, text));
    REFUSED(fmi2SetRealInputDerivatives(c, vr + 1, 1, whole, real));
    REFUSED(fmi2GetRealOutputDerivatives(c, vr + 1, 1, whole, real));
    REFUSED(fmi2GetDirectionalDerivative(c, vr + 1, 1, vr, 1, real, real + 1));
    /* what is wrong at the first place is refused before memory for all of them is asked for, or read */
    REFUSED(fmi2GetReal(c, vr + 1, huge, real));
    REFUSED(fmi2GetRealOutputDerivatives(c, vr + 1, huge, whole, real));
    REFUSED(fmi2SetRealInputDerivatives(c, vr + 1, huge, whole, real));
    REFUSED(fmi2GetDirectionalDerivative(c, vr + 1, huge, vr, 1, real, real));
    REFUSED(fmi2GetDirectionalDerivative(c, vr, 1, vr + 1, huge, real, real));
    REFUSED(fmi2GetFMUstate(c, NULL));
    REFUSED(fmi2SetFMUstate(c, NULL));
    REFUSED(fmi2SerializedFMUstateSize(c, NULL, &size));
    REFUSED(fmi2SerializeFMUstate(c, NULL, (char *)&size, sizeof size));
    REFUSED(fmi2DeSerializeFMUstate(c, NULL, 5, &state));
    REFUSED(fmi2DeSerializeFMUstate(c, "12345", 5, &state));
    REFUSED(fmi2GetStatus(c, (fmi2StatusKind)99, (fmi2Status *)whole));
    REFUSED(fmi2GetIntegerStatus(c, fmi2LastSuccessfulTime, whole));
    REFUSED(fmi2GetRealStatus(c, fmi2LastSuccessfulTime, NULL));
    must(fmi2GetReal(c, NULL, 0, NULL), "nothing to get");
    must(fmi2SetReal(c, NULL, 0, NULL), "nothing to set");
    must(fmi2SetString(c, NULL, 0, NULL), "nothing to set");
    must(fmi2SetRealInputDerivatives(c, NULL, 0, NULL, NULL), "nothing to set");
    must(fmi2FreeFMUstate(c, NULL), "nothing to free");
    must(fmi2FreeFMUstate(c, &state), "nothing to free");
    must(fmi2DoStep(c, 0, 0.1, 0), "refused calls leave the instance as it was");
    must(fmi2GetFMUstate(c, &state), "fmi2GetFMUstate");
    must(fmi2GetFMUstate(c, &state), "fmi2GetFMUstate, in place");
    REFUSED(fmi2SerializeFMUstate(c, state, (char *)&size, sizeof size));
    REFUSED(fmi2DoStep(c, 0.1, 1e300, 0));
    REFUSED(fmi2DoStep(c, 0.1, 0.1, 0)); /* in error */
    must(fmi2SetFMUstate(c, state), "a saved state helps");
    done(fmi2DoStep(c, 0.1, 0.1, 0));
    REFUSED(fmi2DoStep(c, 0.7, 0.1, 0));
    must(fmi2Reset(c), "a reset helps");
    must(fmi2FreeFMUstate(c, &state), "fmi2FreeFMUstate");
    if (state) fail("the handle of a freed state must be cleared");
    fmi2FreeInstance(c);

    /* without a handle */
    if (fmi2DoStep(NULL, 0, 1, 0) != fmi2Error || fmi2GetReal(NULL, vr, 1, real) != fmi2Error ||
        fmi2Reset(NULL) != fmi2Error || fmi2FreeFMUstate(NULL, NULL) != fmi2Error)
        fail("a null handle");
    printf("%d\n", n_wrong - 1);
    return 0;
}

static int cycles(int n, char **argument) {
    if (n < 4) fail("cycles needs four arguments");
    load(argument[0]);
    int count = atoi(argument[3]);
    if (resident() < 0) fail("the memory in use is not known"); /* what looking takes is there from now on */
    for (int i = 0; i < count; i++) {
        fmi2Component c = instance(argument[1], argument[2]);
        fmi2FMUstate state = NULL, copy = NULL;
        size_t size;
        initialize(c, 0);
        must(fmi2GetFMUstate(c, &state), "fmi2GetFMUstate");
        done(fmi2DoStep(c, 0, 0.01, 0));
        must(fmi2SerializedFMUstateSize(c, state, &size), "fmi2SerializedFMUstateSize");
        char *bytes = malloc(size);
        must(fmi2SerializeFMUstate(c, state, bytes, size), "fmi2SerializeFMUstate");
        must(fmi2DeSerializeFMUstate(c, bytes, size, &copy), "fmi2DeSerializeFMUstate");
        must(fmi2SetFMUstate(c, copy), "fmi2SetFMUstate");
        must(fmi2FreeFMUstate(c, &copy), "fmi2FreeFMUstate");
        must(fmi2FreeFMUstate(c, &state), "fmi2FreeFMUstate");
        free(bytes);
        fmi2FreeInstance(c);
        if (i + 1 == count / 10 || i + 1 == count) printf("%ld\n", resident());
    }
    return 0;
}

static uint64_t seed;
static uint64_t any(uint64_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (seed >> 11) % below;
}

static double any_real(void) {
    static const double odd[] = {0, 1, -1, 0.01, 0.5, NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324};
    return odd[any(sizeof odd / sizeof *odd)];
}

static int fuzz(int n, char **argument) {
    enum { N = 3, M = 4 };
    fmi2Component c[N] = {0};
    fmi2FMUstate state[N] = {0};
    double time[N] = {0};
    if (n < 5) fail("fuzz needs five arguments");
    load(argument[0]);
    quiet = 1;
    long count = atol(argument[3]);
    seed = 0x9e3779b97f4a7c15u ^ (uint64_t)atol(argument[4]);
    for (long k = 0; k < count; k++) {
        size_t i = any(N), m = any(M + 1);
        fmi2ValueReference vr[M];
        fmi2Integer whole[M];
        fmi2Real real[M], out[M];
        fmi2String text[M];
        if (!c[i]) c[i] = instance(argument[1], argument[2]), time[i] = 0;
        for (int j = 0; j < M; j++) {
            vr[j] = any(8) ? (fmi2ValueReference)any(70) : (fmi2ValueReference)any(UINT32_MAX);
            whole[j] = (int)any(5) - 1, real[j] = any_real(), text[j] = any(3) ? "logAll" : any(2) ? "%s" : NULL;
        }
        const fmi2ValueReference *vrs = any(16) ? vr : NULL;
        fmi2Component h = any(64) ? c[i] : NULL;
        switch (any(34)) {
            case 0: fmi2SetDebugLogging(h, (int)any(2), m, any(8) ? text : NULL); break;
            case 1: fmi2SetupExperiment(h, (int)any(2), any_real(), any(4) ? 0 : any_real(), 0, any_real()); break;
            case 2: fmi2EnterInitializationMode(h); break;
            case 3: case 4: case 5: fmi2ExitInitializationMode(h); break;
            case 6: if (!any(8)) fmi2Terminate(h); break;
            case 7: if (!any(4)) { if (fmi2Reset(h) == fmi2OK) time[i] = 0; } break;
            case 8: if (!any(50)) { fmi2FreeFMUstate(c[i], &state[i]); fmi2FreeInstance(c[i]); c[i] = NULL; } break;
            case 9: fmi2GetReal(h, vrs, m, any(16) ? out : NULL); break;
            case 10: fmi2GetInteger(h, vrs, m, any(16) ? whole : NULL); break;
            case 11: fmi2GetBoolean(h, vrs, m, any(16) ? whole : NULL); break;
            case 12: fmi2GetString(h, vrs, m, text); break;
            case 13: fmi2SetReal(h, vrs, m, any(16) ? real : NULL); break;
            case 14: fmi2SetInteger(h, vrs, m, any(16) ? whole : NULL); break;
            case 15: fmi2SetBoolean(h, vrs, m, whole); break;
            case 16: fmi2SetString(h, vrs, m, text); break;
            case 17: fmi2GetFMUstate(h, any(16) ? &state[i] : NULL); break;
            case 18: if (fmi2SetFMUstate(h, state[any(N)]) == fmi2OK) time[i] = -1; break;
            case 19: fmi2FreeFMUstate(h, any(16) ? &state[i] : NULL); break;
            case 20: {
                size_t size = 0;
                fmi2FMUstate copy = NULL;
                if (fmi2SerializedFMUstateSize(h, state[i], &size) != fmi2OK) break;
                char *bytes = malloc(size);
                if (fmi2SerializeFMUstate(h, state[i], bytes, size - (any(8) ? 0 : 1)) == fmi2OK) {
                    if (any(2)) bytes[any(size)] ^= (char)(1 + any(255));
                    fmi2DeSerializeFMUstate(h, bytes, size, &copy);
                }
                free(bytes);
                fmi2FreeFMUstate(c[i], &copy);
                break;
            }
            case 21: fmi2GetDirectionalDerivative(h, vrs, m, vr, any(3), real, out); break;
            case 22: fmi2SetRealInputDerivatives(h, vrs, m, whole, real); break;
            case 23: fmi2GetRealOutputDerivatives(h, vrs, m, whole, out); break;
            case 24: fmi2CancelStep(h); break;
            case 25: { fmi2Status x; fmi2GetStatus(h, (fmi2StatusKind)any(6), any(8) ? &x : NULL); break; }
            case 26: if (fmi2GetRealStatus(h, (fmi2StatusKind)any(6), real) == fmi2OK) time[i] = real[0]; break;
            case 27: fmi2GetIntegerStatus(h, (fmi2StatusKind)any(6), whole); break;
            case 28: fmi2GetBooleanStatus(h, (fmi2StatusKind)any(6), whole); break;
            case 29: if (fmi2GetStringStatus(h, (fmi2StatusKind)any(6), text) == fmi2OK && strlen(text[0]) > 99) fail("text"); break;
            default: {
                double size = any(8) ? 0.005 * (double)any(10) : any_real();
                if (h && fmi2GetRealStatus(h, fmi2LastSuccessfulTime, out) == fmi2OK) time[i] = out[0];
                fmi2DoStep(h, any(16) ? time[i] : any_real(), size, 0);
            }
        }
    }
    for (int i = 0; i < N; i++) {
        if (c[i]) fmi2FreeFMUstate(c[i], &state[i]);
        fmi2FreeInstance(c[i]);
    }
    printf("%ld calls, %d messages\n", count, messages);
    return 0;
}

#if defined(__x86_64__) && defined(__GLIBC__)
#include <xmmintrin.h>

/* fields of the register of SSE */
enum { UP = 0x4000, DOWN = 0x2000, TO_ZERO = 0x6000, FLUSH = 0x8000, ZERO_SUBNORMALS = 0x40 };

/* exceptions that are masked as the machine starts: invalid, subnormal, division by zero, overflow, underflow, inexact */
enum { INVALID = 0x80, DIVISION = 0x200, OVERFLOWS = 0x400, UNDERFLOWS = 0x800, INEXACT = 0x1000, ALL = 0x1f80 };

static unsigned in_force;

/* the logger of a host that set a mode runs in it */
static void watching_logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                            fmi2String message, ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)message;
    if (_mm_getcsr() != in_force) fail("the logger does not run in the environment of the host");
    messages++;
}

static void same_mode(const char *after) {
    if (_mm_getcsr() != in_force) fail(after);
}

static int modes(int n, char **argument) {
    static const unsigned mode[] = {ALL, ALL | UP, ALL | DOWN, ALL | TO_ZERO, ALL | FLUSH | ZERO_SUBNORMALS, ALL | UP | FLUSH,
                                    ALL & ~(INVALID | DIVISION | OVERFLOWS), ALL & ~(INVALID | DIVISION | OVERFLOWS | UNDERFLOWS | INEXACT)};
    static const fmi2CallbackFunctions watched = {watching_logger, calloc, free, NULL, NULL};
    if (n < 5) fail("modes needs five arguments");
    load(argument[0]);
    long steps = atol(argument[3]);
    double *time = malloc((size_t)(steps + 1) * sizeof *time), step = atof(argument[4]);
    for (long i = 0; i <= steps; i++) time[i] = (double)i * step;
    char *first = NULL;
    size_t first_size = 0;
    for (size_t k = 0; k < sizeof mode / sizeof *mode; k++) {
        size_t size;
        fmi2ValueReference vr = 0;
        in_force = mode[k];
        _mm_setcsr(in_force);
        fmi2Component c = fmi2Instantiate("host", fmi2CoSimulation, argument[2], argument[1], &watched, fmi2False, fmi2True);
        if (!c) fail("fmi2Instantiate");
        same_mode("fmi2Instantiate changes the environment");
        initialize(c, 0);
        same_mode("the initialization changes the environment");
        for (long i = 0; i < steps; i++) {
            done(fmi2DoStep(c, time[i], step, fmi2True));
            same_mode("fmi2DoStep changes the environment");
        }
        fmi2GetInteger(c, &vr, 1, NULL); /* an error: the logger is called */
        char *bytes = state_bytes(c, &size);
        fmi2FreeInstance(c);
        same_mode("a call changes the environment");
        _mm_setcsr(ALL);
        if (!first) first = bytes, first_size = size;
        else if (size != first_size || memcmp(first, bytes, size)) fail("other bytes");
        else free(bytes);
    }
    free(first);
    free(time);
    if (!messages) fail("the logger was not called");
    struct timespec a, b;
    const long calls = 1000000;
    fmi2Component c = instance(argument[1], argument[2]);
    fmi2Status status;
    initialize(c, 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < calls; i++) must(fmi2GetStatus(c, fmi2DoStepStatus, &status), "fmi2GetStatus");
    clock_gettime(CLOCK_MONOTONIC, &b);
    fmi2FreeInstance(c);
    printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)calls);
    return 0;
}
#else
static int modes(int n, char **argument) {
    (void)n, (void)argument;
    fail("modes is for x86-64 with glibc");
}
#endif

int main(int n, char **argument) {
    if (n > 1 && !strcmp(argument[1], "run")) return run(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "trace")) return trace(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "panic")) return panics(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "events")) return events(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "wrong")) return wrong(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "cycles")) return cycles(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "fuzz")) return fuzz(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "modes")) return modes(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "little")) return little(n - 2, argument + 2);
    if (n > 1 && !strcmp(argument[1], "states")) return states(n - 2, argument + 2);
    fail("run, trace, panic, events, wrong, cycles, fuzz, modes, little or states");
}
