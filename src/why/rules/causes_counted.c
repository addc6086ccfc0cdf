/* causes_counted.c: how often functions call each other per call of the workload, counted by
 * Callgrind. */
#include <math.h>
#include <string.h>

#include "why/evidence/known_functions.h"
#include "why/rules/causes_weighing.h"

double kg_calls_in_all(const struct kg_counted *counted, const char *callee)
{
    double calls = 0;
    for (size_t i = 0; callee && i < counted->edge_count; i++)
        calls += kg_counted_is(counted->edges[i].callee, callee) ? counted->edges[i].calls : 0;
    return calls;
}

/* A function without callers, such as the workload's entry, has one call. */
static double calls_of(const struct kg_counted *counted, const char *caller)
{
    return fmax(1, kg_calls_in_all(counted, caller));
}

double kg_calls_each(const struct kg_counted *counted, const char *caller, const char *callee)
{
    double calls = 0;
    for (size_t i = 0; i < counted->edge_count; i++)
        if (kg_counted_is(counted->edges[i].caller, caller) &&
            strstr(counted->edges[i].callee, callee))
            calls += counted->edges[i].calls;
    return calls / calls_of(counted, caller);
}

/* Calls of all functions of the cause per call of the caller. Samples may lie deeper inside the
 * library. */
static double calls_of_kind(const struct kg_counted *counted, const struct kg_cause *cause)
{
    double calls = 0;
    if (!cause->caller || !cause->caller->function)
        return 0;
    for (size_t i = 0; i < counted->edge_count; i++)
        if (kg_counted_is(counted->edges[i].caller, cause->caller->function) &&
            kg_known_function(counted->edges[i].callee) == cause->kind)
            calls += counted->edges[i].calls;
    return calls / calls_of(counted, cause->caller->function);
}

/* Whether a single scan of a string is long. Many short scans at different places are good
 * parsing. */
static bool scans_far(const struct kg_counted *counted)
{
    static const double INSTRUCTIONS = 128; /* about 2 KiB with vectors */
    double calls = 0, instructions = 0;
    for (size_t i = 0; i < counted->edge_count; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        const bool scans = kg_known_function(edge->callee) == KG_CAUSE_STRING_SCANNING;
        calls += scans ? edge->calls : 0;
        instructions += scans ? edge->instructions : 0;
    }
    return instructions >= INSTRUCTIONS * calls;
}

/* From this number of calls per call of the workload, an action counts as repeated. */
static const double OFTEN_IN_ALL = 64;

bool kg_cause_is_often(const struct kg_hot *hot, const struct kg_cause *cause)
{
    if (cause->kind == KG_CAUSE_STRING_SCANNING && !scans_far(&hot->counted))
        return false;
    if (calls_of_kind(&hot->counted, cause) >= KG_OFTEN)
        return true;
    if (cause->call)
        return cause->call->calls >= KG_REQUESTS;
    if (!cause->seen || !cause->seen->function || !kg_place_is_library(cause->seen))
        return false;
    return (cause->caller && cause->caller->function &&
            kg_calls_each(&hot->counted, cause->caller->function, cause->seen->function) >=
                KG_OFTEN) ||
           kg_calls_in_all(&hot->counted, cause->seen->function) >= OFTEN_IN_ALL;
}
