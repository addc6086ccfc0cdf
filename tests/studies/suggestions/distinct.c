/* Number of different visitors in a list of visits.
 * earlier  searches for each visit among the earlier ones.
 * sorted   sorts the list: equal visitors become neighbours.
 * Error: of the number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kgate/profiler.h"
#include "pairs.h"

enum { VISITS, VERSION, PARAMS };
static const char *const versions[] = {"earlier", "sorted", NULL};
static const struct kgate_param params[PARAMS] = {
    {"visits", KGATE_PARAM_INTEGER, "8192", 1, 1e6, NULL, "by half as many visitors at the most"},
    {"version", KGATE_PARAM_CHOICE, "sorted", 0, 0, versions, "how equal ones are found"},
};

struct distinct {
    struct pair pair;
    const uint64_t *visits;
    uint64_t *sorted;
    size_t n;
    size_t found;
    size_t visitors;
    size_t (*version)(const struct distinct *work);
};

static bool before(const uint64_t *visits, size_t n, uint64_t visitor)
{
    for (size_t i = 0; i < n; i++)
        if (visits[i] == visitor)
            return true;
    return false;
}

static size_t earlier(const struct distinct *work)
{
    size_t found = 0;
    for (size_t i = 0; i < work->n; i++)
        found += !before(work->visits, i, work->visits[i]);
    return found;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sorted(const struct distinct *work)
{
    memcpy(work->sorted, work->visits, work->n * sizeof *work->sorted);
    qsort(work->sorted, work->n, sizeof *work->sorted, ascending);
    size_t found = 1;
    for (size_t i = 1; i < work->n; i++)
        found += work->sorted[i] != work->sorted[i - 1];
    return found;
}

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[VISITS].integer;
    *work = (struct kgate_work){.items = n, .bytes = n * (double)sizeof(uint64_t)};
    return true;
}

/* Visits of visitors chosen at random, each known by a number that says nothing. The visitors that
 * come at all are counted by their places. */
static bool visits_make(struct distinct *work, uint64_t *visits, uint64_t seed)
{
    const size_t visitors = work->n / 2 + 1;
    char *came = calloc(visitors, 1);
    for (size_t i = 0; came && i < work->n; i++) {
        const size_t visitor = pair_random(&seed) % visitors;
        uint64_t name = visitor;
        visits[i] = pair_random(&name);
        work->visitors += !came[visitor];
        came[visitor] = 1;
    }
    free(came);
    return came != NULL;
}

static bool set_up(struct kgate_context *context, void **state)
{
    static size_t (*const table[])(const struct distinct *) = {earlier, sorted};
    struct distinct *work = pair_begin(context, sizeof *work);
    if (!work)
        return false;
    work->n = (size_t)context->values[VISITS].integer;
    work->version = table[context->values[VERSION].integer];
    uint64_t *visits = pair_array(context, &work->pair, work->n, sizeof *visits);
    work->visits = visits;
    work->sorted = pair_array(context, &work->pair, work->n, sizeof *work->sorted);
    const bool whole = visits && work->sorted && visits_make(work, visits, context->seed);
    return pair_whole(context, &work->pair, whole, state);
}

static void run(void *state)
{
    struct distinct *work = state;
    KGATE_SCOPE("distinct");
    work->found = work->version(work);
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct distinct *work = state;
    *check = (struct kgate_check){0};
    check->error = fabs((double)work->found - (double)work->visitors);
    return true;
}

const struct kgate_workload pair_distinct = {
    .name = "distinct",
    .summary = "How many different visitors a list of visits has.",
    .params = params,
    .param_count = PARAMS,
    .devices = 1U << KGATE_DEVICE_CPU,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = pair_end,
};
