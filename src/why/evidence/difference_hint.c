/* A first thing to try for the place that became slower. A library function or a system call has the hint of its cause
 * (rules.h). For the workload's own functions, the counts of both sides decide. */
#include <math.h>
#include <string.h>

#include "why/evidence/difference.h"
#include "why/evidence/known_functions.h"
#include "why/rules/rules.h"

/* The hint of the cause that the library function or the system call indicates; NULL: none. */
static const char *known_hint(struct kg_arena *arena, const struct kg_place *callee,
                              const char *system_call, const struct kg_system_calls *calls)
{
    const struct kg_system_call *counted = kg_system_call_find(calls, system_call);
    const double bytes_each = counted ? counted->bytes / counted->calls : NAN;
    const struct kg_cause cause = {.kind = system_call
                                               ? kg_known_system_call(system_call, bytes_each)
                                           : callee->function ? kg_known_function(callee->function)
                                                              : KG_CAUSE_NONE,
                                   .seen = callee,
                                   .in_call = system_call};
    const struct kg_rule *rule = kg_rule_of_cause(cause.kind);
    const struct kg_facts facts = {0};
    struct kg_text text = {0};
    if (!rule)
        return NULL;
    const struct kg_sketch *sketch = kg_sketch_of(rule->sketches, &facts, &cause);
    kg_sketch_text(sketch && sketch->hint ? sketch->hint : rule->hint, &cause, &text);
    const char *hint = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return hint;
}

/* Ratios of the candidate to the baseline; NaN: not counted. */
struct growth {
    double calls;
    double instructions; /* per call of the place, like the next */
    double time;
};

/* Growths from this ratio on are looked for in the change; below ALIKE, there is none. */
static const double GREW = 1.25, ALIKE = 1.1;

static bool runs_more_often(const struct growth *growth)
{
    return growth->calls >= GREW;
}

static bool does_more(const struct growth *growth)
{
    return growth->instructions >= GREW;
}

static bool takes_longer(const struct growth *growth)
{
    return growth->calls < ALIKE && growth->instructions < ALIKE &&
           growth->instructions > 1 / ALIKE && growth->time >= GREW;
}

static const struct {
    bool (*applies)(const struct growth *growth);
    const char *hint;
} own_hints[] = {
    {runs_more_often,
     "It runs more often. Look in the change for a new loop around the call, a removed cache, or a "
     "cache or buffer that became smaller."},
    {does_more, "Each call does more work. Look in the change at limits and sizes: search depth, "
                "compression level, "
                "hash function, table size, the growth of a buffer."},
    {takes_longer, "As many instructions take longer. Look in the change at the layout and order "
                   "of data, at shared "
                   "cache lines, and at branches that depend on data."},
};

static const char *own_hint(const struct kg_difference_row *row)
{
    const double calls = row->current_calls / row->base_calls;
    const struct growth growth = {.calls = calls,
                                  .instructions =
                                      row->current_instructions / row->base_instructions / calls,
                                  .time = row->current_ns / row->base_ns / calls};
    for (size_t i = 0; i < sizeof own_hints / sizeof *own_hints; i++)
        if (own_hints[i].applies(&growth))
            return own_hints[i].hint;
    return NULL;
}

const char *kg_difference_hint(struct kg_arena *arena, const struct kg_difference_cause *cause,
                               const char *system_call, const struct kg_system_calls *calls)
{
    const struct kg_difference_row *row = &cause->row;
    if (!(row->current_ns > row->base_ns))
        return NULL;
    const char *hint = known_hint(arena, &cause->entered, system_call, calls);
    return hint || row->callee.function ? hint : own_hint(row);
}
