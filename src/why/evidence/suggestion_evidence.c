#include "why/suggest_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "why/evidence/gather.h"
#include "why/evidence/known_functions.h"
#include "why/rules/causes.h"
#include "why/rules/causes_weighing.h"

/* Takes ownership of the text. */
static void figure_add(struct kg_evidence *evidence, const char *name, enum kg_trait_unit unit,
                       double value, struct kg_text *text)
{
    const char *kept = kg_arena_copy(evidence->arena, kg_text_string(text));
    kg_text_free(text);
    kg_arena_grow(evidence->arena, &evidence->figures, evidence->count, &evidence->capacity,
                  sizeof *evidence->figures);
    evidence->figures[evidence->count++] = (struct kg_evidence_figure){
        .name = name, .unit = kg_trait_unit_names[unit], .value = value, .text = kept};
}

void kg_evidence_facts(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const char *const *names, size_t most)
{
    for (size_t i = 0; i < most && names[i]; i++) {
        struct kg_text text = {0};
        struct kg_trait fact;
        const double value = kg_fact_find(names[i], &fact) ? kg_fact_get(facts, &fact) : NAN;
        if (!isfinite(value))
            continue;
        kg_fact_words(&fact, value, &text);
        figure_add(evidence, fact.name, fact.unit, value, &text);
    }
}

/* Adds a figure such as "calls of read in a call: 4.10 k". Adds nothing if the value is not
 * above 0. */
__attribute__((format(printf, 5, 6))) static void figure_note(struct kg_evidence *evidence,
                                                              const char *name,
                                                              enum kg_trait_unit unit, double value,
                                                              const char *words, ...)
{
    struct kg_text text = {0};
    char label[240];
    va_list arguments;
    if (!(value > 0) || !isfinite(value))
        return;
    va_start(arguments, words);
    vsnprintf(label, sizeof label, words, arguments);
    va_end(arguments);
    kg_text_printf(&text, "%s: ", label);
    kg_trait_format(unit, value, &text);
    figure_add(evidence, name, unit, value, &text);
}

/* Adds "74 % of 446 samples in cos". Adds nothing if the share is small. */
static void share_note(struct kg_evidence *evidence, const char *name, double share, double samples,
                       const char *place)
{
    struct kg_text text = {0};
    if (!(share >= KG_SHARE_LEAST))
        return;
    share = fmin(share, 1);
    kg_trait_format(KG_TRAIT_SHARE, share, &text);
    kg_text_printf(&text, " of %.0f samples in %.80s", samples, place);
    figure_add(evidence, name, KG_TRAIT_SHARE, share, &text);
}

/* --- Samples ---------------------------------------------------------------------------------- */

/* Adds each system call of the cause that has many samples. */
static void calls_share(struct kg_evidence *evidence, const struct kg_sampled *sampled,
                        const struct kg_cause *cause)
{
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const char *call = sampled->stacks[i].call;
        bool first = call && (!strcmp(call, cause->in_call) ||
                              kg_known_system_call(call, NAN) == cause->kind);
        for (size_t k = 0; first && k < i; k++)
            first = !sampled->stacks[k].call || strcmp(sampled->stacks[k].call, call) != 0;
        if (first)
            share_note(evidence, "call_share", kg_in_call(sampled, call), sampled->samples, call);
    }
}

/* Samples of a function are evidence only if other observations did not correct the cause's
 * share. */
static void samples_note(struct kg_evidence *evidence, const struct kg_hot *hot,
                         const struct kg_cause *cause)
{
    static const double AGREES = 0.1;
    const struct kg_place *place = cause->seen ? cause->seen : cause->caller;
    if (cause->in_call)
        calls_share(evidence, &hot->sampled, cause);
    if (!place || !place->function)
        return;
    const double share = kg_on_stacks(&hot->sampled, place->function);
    if (place == cause->caller || cause->in_call || fabs(share - cause->share) <= AGREES)
        share_note(evidence, "function_share", share, hot->sampled.samples, place->function);
}

static bool waits(enum kg_cause_kind kind)
{
    const enum kg_bound bound = kg_rule_of_cause(kind)->bound;
    return bound == KG_BOUND_SYSTEM || bound == KG_BOUND_WAITING ||
           bound == KG_BOUND_SYNCHRONISATION;
}

/* --- System calls ----------------------------------------------------------------------------- */

static void call_note(struct kg_evidence *evidence, const struct kg_system_call *call)
{
    figure_note(evidence, "system_calls", KG_TRAIT_COUNT, call->calls, "calls of %s per call",
                call->name);
    figure_note(evidence, "system_call_bytes", KG_TRAIT_BYTES, call->bytes / call->calls,
                "bytes per %s", call->name);
    figure_note(evidence, "system_call_ns", KG_TRAIT_NS, call->time_ns, "time in %s", call->name);
}

/* --- Counts ----------------------------------------------------------------------------------- */

/* The cause's function with the most counted calls. The function that the samples show comes
 * first, then others of the same kind. */
static const struct kg_counted_edge *edge_of(const struct kg_counted *counted,
                                             const struct kg_cause *cause)
{
    const bool has_function =
        cause->seen && cause->seen->function &&
        (cause->kind == KG_CAUSE_REPEATED_WORK || kg_place_is_library(cause->seen));
    const struct kg_counted_edge *most = NULL;
    bool most_named = false;
    for (size_t i = 0; i < counted->edge_count; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        const bool named = has_function && kg_counted_is(edge->callee, cause->seen->function);
        if (!named && kg_known_function(edge->callee) != cause->kind)
            continue;
        if (!most || named > most_named || (named == most_named && edge->calls > most->calls)) {
            most = edge;
            most_named = named;
        }
    }
    return most;
}

/* Length without the suffixes: Callgrind adds a number to recursive calls, others the version of
 * a library. */
static int name_length(const char *counted)
{
    enum { MOST = 80 };
    const size_t length = strcspn(counted, "'@");
    return length < MOST ? (int)length : MOST;
}

static void edges_note(struct kg_evidence *evidence, const struct kg_hot *hot,
                       const struct kg_cause *cause)
{
    static const double SEVERAL = 1.5;
    const struct kg_counted_edge *edge = edge_of(&hot->counted, cause);
    if (!edge || edge->calls < SEVERAL)
        return;
    figure_note(evidence, "function_calls", KG_TRAIT_COUNT, edge->calls,
                "calls of %.*s from %.*s per %s", name_length(edge->callee), edge->callee,
                name_length(edge->caller), edge->caller,
                isnan(hot->counted.calls) ? "counted part of a call" : "call");
    figure_note(evidence, "function_instructions", KG_TRAIT_COUNT, edge->instructions / edge->calls,
                "instructions per such call");
}

static void repeats_note(struct kg_evidence *evidence, const struct kg_repeated *repeated)
{
    figure_note(evidence, "repeated_calls", KG_TRAIT_COUNT, repeated->repeated,
                "calls with the arguments of an earlier call, of %.0f observed", repeated->calls);
}

/* --- The loop --------------------------------------------------------------------------------- */

#define OF(kind) (UINT64_C(1) << (kind))
_Static_assert(KG_CAUSE_COUNT <= 64, "a bit for each cause");
#define MISSING                                                                                    \
    (OF(KG_CAUSE_POINTER_CHASING) | OF(KG_CAUSE_CACHE_MISSES) | OF(KG_CAUSE_ACCESS_PATTERN) |      \
     OF(KG_CAUSE_MEMORY_TRAFFIC) | OF(KG_CAUSE_PAGE_WALKS))

/* Figures of a loop iteration, for causes with a loop. */
static const struct {
    const char *name, *words;
    uint64_t causes; /* 0: all */
    size_t offset;
    bool of_turn; /* member of struct kg_loop_turn; else of struct kg_hot_loop */
} of_loop[] = {
#define LOOP(member) offsetof(struct kg_hot_loop, member), false
#define TURN(member) offsetof(struct kg_loop_turn, member), true
    {"loop_instructions", "instructions per iteration of the loop", 0, LOOP(instructions)},
    {"loop_turns", "iterations of the loop per call", OF(KG_CAUSE_QUADRATIC_LOOP), TURN(turns)},
    {"turn_cycles", "cycles per iteration", 0, TURN(cycles)},
    {"least_cycles", "minimum cycles of its instructions", 0, TURN(least_cycles)},
    {"divisions", "divisions or roots per iteration", OF(KG_CAUSE_DIVISION), LOOP(divisions)},
    {"conversions", "conversions per iteration", OF(KG_CAUSE_CONVERSION), LOOP(conversions)},
    {"scalar_floats", "scalar operations per iteration", OF(KG_CAUSE_SCALAR_LOOP),
     LOOP(scalar_floats)},
    {"chain_cycles", "cycles of the dependency chain", OF(KG_CAUSE_DEPENDENCY_CHAIN),
     LOOP(chain_cycles)},
    {"throughput_cycles", "cycles without that chain", OF(KG_CAUSE_DEPENDENCY_CHAIN),
     LOOP(throughput_cycles)},
    {"forwarded", "loads of recent stores per iteration", OF(KG_CAUSE_STORE_FORWARDING),
     LOOP(forwarded)},
    {"mispredicted", "mispredicted branches per iteration", OF(KG_CAUSE_BRANCH_MISSES),
     TURN(mispredicted)},
    {"line_misses", "cache-line misses per iteration", MISSING, TURN(misses)},
    {"memory_misses", "misses served by memory", MISSING, TURN(memory_misses)},
    {"address_loads", "loads for the next address per iteration", OF(KG_CAUSE_POINTER_CHASING),
     LOOP(address_loads)},
    {"locked", "locked instructions per iteration", OF(KG_CAUSE_ATOMICS), LOOP(locked)},
    {"loop_calls", "calls per iteration", OF(KG_CAUSE_CALL_OVERHEAD), LOOP(calls)},
    {"loop_branches", "branches per iteration", OF(KG_CAUSE_LINEAR_SEARCH), LOOP(branches)},
    {"loop_stores", "stores per iteration", OF(KG_CAUSE_FALSE_SHARING), LOOP(stores)},
#undef LOOP
#undef TURN
};

/* If an iteration took fewer cycles than its instructions need, the counts are wrong. Then both
 * figures are omitted. */
static bool is_refuted(const struct kg_loop_turn *turn, size_t row)
{
    const size_t offset = of_loop[row].offset;
    return of_loop[row].of_turn && turn->cycles < turn->least_cycles &&
           (offset == offsetof(struct kg_loop_turn, cycles) ||
            offset == offsetof(struct kg_loop_turn, least_cycles));
}

static void loop_note(struct kg_evidence *evidence, const struct kg_cause *cause)
{
    for (size_t i = 0; i < sizeof of_loop / sizeof *of_loop; i++) {
        const char *from =
            of_loop[i].of_turn ? (const char *)&cause->turn : (const char *)cause->loop;
        double value;
        memcpy(&value, from + of_loop[i].offset, sizeof value);
        if ((!of_loop[i].causes || of_loop[i].causes & OF(cause->kind)) &&
            !is_refuted(&cause->turn, i)) {
            figure_note(evidence, of_loop[i].name, KG_TRAIT_COUNT, value, "%s", of_loop[i].words);
        }
    }
}

/* --- Experiments ------------------------------------------------------------------------------ */

static void experiments_note(struct kg_evidence *evidence, const struct kg_hot *hot,
                             const struct kg_cause *cause)
{
    for (size_t i = 0; i < hot->experiment_count; i++) {
        const struct kg_experiment *one = &hot->experiments[i];
        if (kg_experiment_cause(one->name) != cause->kind || !(one->ratio < 1))
            continue;
        /* the results may be gone when the suggestions are printed */
        const char *name = kg_arena_copy(evidence->arena, one->name);
        figure_note(evidence, name, KG_TRAIT_SHARE, one->ratio,
                    "time with %s (%.0f paired rounds, 95 %% interval %.0f to %.0f %%)",
                    kg_experiment_words(one->name), one->pairs, 100 * one->ratio_low,
                    100 * one->ratio_high);
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

void kg_evidence_cause(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const struct kg_cause *cause)
{
    const struct kg_hot *hot = facts->hot;
    if (!hot)
        return;
    samples_note(evidence, hot, cause);
    if (cause->call)
        call_note(evidence, cause->call);
    edges_note(evidence, hot, cause);
    if (cause->repeated)
        repeats_note(evidence, cause->repeated);
    if (cause->loop)
        loop_note(evidence, cause);
    experiments_note(evidence, hot, cause);
    if (waits(cause->kind))
        figure_note(evidence, "off_cpu", KG_TRAIT_SHARE, kg_off_cpu(facts), "time off the CPU");
}
