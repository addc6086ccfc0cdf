/* Jansson: writes temperatures as real numbers of 17 digits, or as whole millidegrees. */
#include <jansson.h>
#include <stdlib.h>

#include "../developed/workload.h"

enum { VALUES = 2000 };

struct work {
    json_t *reals, *integers;
    char *text;
};

static void dump_values(struct work *work, const json_t *values)
{
    free(work->text);
    work->text = json_dumps(values, JSON_COMPACT);
}

static void run_bad(void *state)
{
    struct work *work = state;
    dump_values(work, work->reals);
}

static void run_good(void *state)
{
    struct work *work = state;
    dump_values(work, work->integers);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    work->reals = json_array();
    work->integers = json_array();
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < VALUES; i++) {
        const json_int_t value = (json_int_t)(workload_random(&sequence) % 100000);
        json_array_append_new(work->reals, json_real((double)value / 1000));
        json_array_append_new(work->integers, json_integer(value));
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    json_t *found = json_loads(work->text ? work->text : "", 0, NULL);
    const bool wrong = !json_equal(found, work->reals) && !json_equal(found, work->integers);
    json_decref(found);
    return workload_wrong(check, wrong);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work) {
        json_decref(work->reals);
        json_decref(work->integers);
        free(work->text);
    }
    workload_end(context, state);
}

PAIR_ENDED(report, "Writes temperatures as JSON.", tear_down);
