/* cause.c: the table of causes, and their words. */
#include "why/rules/cause.h"

#include <string.h>

/* In the order of the kinds. */
static const struct {
    const char *name;
    enum kg_bound bound;
} kinds[KG_CAUSE_COUNT] = {
    [KG_CAUSE_ALLOCATION] = {"allocation", KG_BOUND_COMPUTE},
    [KG_CAUSE_COPYING] = {"copying", KG_BOUND_MEMORY},
    [KG_CAUSE_FORMATTING] = {"formatting", KG_BOUND_COMPUTE},
    [KG_CAUSE_STRING_SCANNING] = {"string_scanning", KG_BOUND_COMPUTE},
    [KG_CAUSE_LINEAR_SEARCH] = {"linear_search", KG_BOUND_COMPUTE},
    [KG_CAUSE_REPEATED_WORK] = {"repeated_work", KG_BOUND_COMPUTE},
    [KG_CAUSE_QUADRATIC_LOOP] = {"quadratic_loop", KG_BOUND_COMPUTE},
    [KG_CAUSE_CALL_OVERHEAD] = {"call_overhead", KG_BOUND_COMPUTE},
    [KG_CAUSE_MATH_LIBRARY] = {"math_library", KG_BOUND_COMPUTE},
    [KG_CAUSE_DIVISION] = {"division", KG_BOUND_COMPUTE},
    [KG_CAUSE_CONVERSION] = {"conversion", KG_BOUND_COMPUTE},
    [KG_CAUSE_DENORMALS] = {"denormals", KG_BOUND_COMPUTE},
    [KG_CAUSE_SCALAR_LOOP] = {"scalar_loop", KG_BOUND_COMPUTE},
    [KG_CAUSE_DEPENDENCY_CHAIN] = {"dependency_chain", KG_BOUND_LATENCY},
    [KG_CAUSE_STORE_FORWARDING] = {"store_forwarding", KG_BOUND_LATENCY},
    [KG_CAUSE_BRANCH_MISSES] = {"branch_misses", KG_BOUND_LATENCY},
    [KG_CAUSE_POINTER_CHASING] = {"pointer_chasing", KG_BOUND_LATENCY},
    [KG_CAUSE_CACHE_MISSES] = {"cache_misses", KG_BOUND_LATENCY},
    [KG_CAUSE_PAGE_WALKS] = {"page_walks", KG_BOUND_LATENCY},
    [KG_CAUSE_ACCESS_PATTERN] = {"access_pattern", KG_BOUND_MEMORY},
    [KG_CAUSE_MEMORY_TRAFFIC] = {"memory_traffic", KG_BOUND_MEMORY},
    [KG_CAUSE_PAGE_FAULTS] = {"page_faults", KG_BOUND_SYSTEM},
    [KG_CAUSE_SMALL_IO] = {"small_io", KG_BOUND_SYSTEM},
    [KG_CAUSE_SYNC_IO] = {"sync_io", KG_BOUND_SYSTEM},
    [KG_CAUSE_PROCESSES] = {"processes", KG_BOUND_SYSTEM},
    [KG_CAUSE_LINKING] = {"linking", KG_BOUND_SYSTEM},
    [KG_CAUSE_WAITING] = {"waiting", KG_BOUND_WAITING},
    [KG_CAUSE_LOCKS] = {"locks", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_ATOMICS] = {"atomics", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_FALSE_SHARING] = {"false_sharing", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_BARRIERS] = {"barriers", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_LOAD_IMBALANCE] = {"load_imbalance", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_OVERSUBSCRIPTION] = {"oversubscription", KG_BOUND_SYNCHRONISATION},
    [KG_CAUSE_LAUNCH_GAPS] = {"launch_gaps", KG_BOUND_LAUNCH},
    [KG_CAUSE_PAGEABLE_TRANSFERS] = {"pageable_transfers", KG_BOUND_TRANSFER},
    [KG_CAUSE_OVERLAP_TRANSFERS] = {"overlap_transfers", KG_BOUND_TRANSFER},
    [KG_CAUSE_SMALL_GRID] = {"small_grid", KG_BOUND_LATENCY},
    [KG_CAUSE_LOW_OCCUPANCY] = {"low_occupancy", KG_BOUND_LATENCY},
    [KG_CAUSE_TAIL_EFFECT] = {"tail_effect", KG_BOUND_LATENCY},
};

const char *kg_cause_name(enum kg_cause_kind kind)
{
    return kind < KG_CAUSE_COUNT ? kinds[kind].name : "none";
}

enum kg_bound kg_cause_bound(enum kg_cause_kind kind)
{
    return kinds[kind].bound;
}

void kg_place_words(const struct kg_place *place, struct kg_text *text)
{
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;
    const char *file = slash ? slash + 1 : place->file;
    kg_text_append(text, place->function ? place->function : "code without a name");
    if (file && place->line)
        kg_text_printf(text, " (%s:%zu)", file, place->line);
    else if (place->module)
        kg_text_printf(text, " (%s)", place->module);
}

void kg_cause_words(const struct kg_cause *cause, struct kg_text *text)
{
    kg_text_printf(text, "%.0f %%", 100 * cause->share);
    if (cause->in_call)
        kg_text_printf(
            text, cause->several ? " in the system calls %s and others" : " in the system call %s",
            cause->in_call);
    else if (cause->seen) {
        kg_text_append(text, " in ");
        kg_place_words(cause->seen, text);
        kg_text_append(text, cause->several ? " and others" : "");
    }
    if (cause->caller && cause->caller != cause->seen) {
        kg_text_append(text, cause->in_call || cause->seen ? ", called from " : " below ");
        kg_place_words(cause->caller, text);
    }
}

const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind)
{
    for (size_t i = 0; facts->causes && i < facts->causes->count; i++)
        if (facts->causes->of[i].kind == kind)
            return &facts->causes->of[i];
    return NULL;
}
