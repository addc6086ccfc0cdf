/* Jansson: looks up limits in a configuration, and reads it again for each. */
#include <jansson.h>
#include <stdio.h>

#include "../developed/workload.h"

enum { LIMITS = 60, ASKED = 40, TEXT_MOST = 8192 };

struct work {
    char text[TEXT_MOST];
    char asked[ASKED][16];
    json_int_t sum, expected;
};

static json_int_t limit_of(const char *text, const char *name)
{
    json_t *configuration = json_loads(text, 0, NULL);
    const json_int_t limit =
        json_integer_value(json_object_get(json_object_get(configuration, name), "limit"));
    json_decref(configuration);
    return limit;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->sum = 0;
    for (size_t i = 0; i < ASKED; i++)
        work->sum += limit_of(work->text, work->asked[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->sum = 0;
    json_t *configuration = json_loads(work->text, 0, NULL);
    for (size_t i = 0; i < ASKED; i++)
        work->sum += json_integer_value(
            json_object_get(json_object_get(configuration, work->asked[i]), "limit"));
    json_decref(configuration);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    unsigned limits[LIMITS];
    size_t at = 0;
    for (size_t i = 0; i < LIMITS; i++) {
        limits[i] = (unsigned)(workload_random(&sequence) % 1000);
        at += (size_t)snprintf(
            work->text + at, TEXT_MOST - at,
            "%s\"user%zu\": {\"limit\": %u, \"group\": \"staff\", \"active\": true}",
            i ? ", " : "{", i, limits[i]);
    }
    snprintf(work->text + at, TEXT_MOST - at, "}");
    for (size_t i = 0; i < ASKED; i++) {
        const size_t user = workload_random(&sequence) % LIMITS;
        snprintf(work->asked[i], sizeof work->asked[i], "user%zu", user);
        work->expected += limits[user];
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->sum != work->expected);
}

PAIR(lookups, "Looks up limits in a configuration.");
