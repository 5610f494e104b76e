/* A bouncing ball as a plain FMU, to measure calls against: the parabola in closed form, impacts at the root of it,
   the same steps and the same end of the bouncing as the scene bouncing_ball. Variables are an array; its first
   elements are the ball's, the rest is there to be read and set. */
#include "../../tests/c_host/fmi2.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, result, parameters) result name parameters;
FMI2_FUNCTIONS(DECLARE)

enum { HEIGHT, SPEED, IMPACTS, FREE, N_VARIABLES = 128 };

static const double GRAVITY = 9.81, RESTITUTION = 0.8, STEP = 0.01;

typedef struct {
    double time;
    int is_ready, is_at_rest;
    double value[N_VARIABLES];
} Ball;

static Ball start(void) { return (Ball){.value = {[HEIGHT] = 1}}; }

static void bounce(Ball *ball) {
    double speed = -ball->value[SPEED];
    ball->value[HEIGHT] = 0;
    ball->value[IMPACTS] += 1;
    ball->is_at_rest = speed < GRAVITY * STEP;
    ball->value[SPEED] = ball->is_at_rest ? 0 : RESTITUTION * speed;
}

static void advance(Ball *ball, double end) {
    while (ball->time < end && !ball->is_at_rest) {
        double y = ball->value[HEIGHT], v = ball->value[SPEED], h = end - ball->time;
        int hits = y + h * (v - GRAVITY * h / 2) < 0;
        if (hits) h = (v + sqrt(v * v + 2 * GRAVITY * y)) / GRAVITY;
        ball->value[HEIGHT] = y + h * (v - GRAVITY * h / 2);
        ball->value[SPEED] = v - GRAVITY * h;
        ball->time += h;
        if (hits) bounce(ball);
    }
    ball->time = end;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
    (void)resources, (void)functions, (void)visible, (void)logging;
    if (!name || !guid || type != fmi2CoSimulation) return NULL;
    Ball *ball = malloc(sizeof *ball);
    if (ball) *ball = start();
    return ball;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start_time,
                               fmi2Boolean has_stop, fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    if (!c) return fmi2Error;
    ((Ball *)c)->time = start_time;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Ball *ball = c;
    if (!ball) return fmi2Error;
    ball->is_ready = 1;
    ball->is_at_rest = ball->value[HEIGHT] == 0 && ball->value[SPEED] == 0;
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real current, fmi2Real size, fmi2Boolean no_set_before) {
    Ball *ball = c;
    (void)no_set_before;
    if (!ball || !ball->is_ready || !(size > 0) || fabs(current - ball->time) > 1e-6 * size) return fmi2Error;
    int n = (int)fmax(1, ceil(size / STEP - 1e-6));
    for (int i = 1; i <= n; i++) advance(ball, i == n ? current + size : current + size * i / n);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    Ball *ball = c;
    if (!ball) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N_VARIABLES) return fmi2Error;
        value[i] = ball->value[vr[i]];
    }
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    Ball *ball = c;
    if (!ball) return fmi2Error;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= N_VARIABLES || !isfinite(value[i])) return fmi2Error;
        ball->value[vr[i]] = value[i];
    }
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!c || !state) return fmi2Error;
    if (!*state && !(*state = malloc(sizeof(Ball)))) return fmi2Error;
    memcpy(*state, c, sizeof(Ball));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    if (!c || !state) return fmi2Error;
    memcpy(c, state, sizeof(Ball));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!c || !state) return fmi2Error;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    if (!c || !state || !size) return fmi2Error;
    *size = sizeof(Ball);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (!c || !state || !bytes || size != sizeof(Ball)) return fmi2Error;
    memcpy(bytes, state, size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    if (!c || !bytes || !state || size != sizeof(Ball) || !(*state = malloc(size))) return fmi2Error;
    memcpy(*state, bytes, size);
    return fmi2OK;
}
