/* The changed evidence of one case, in the order that a reader needs: compiler and options, the
 * place in code, the strongest trait of each metric, the parts of the build. */
#include <math.h>
#include <string.h>

#include "why/evidence/build_change.h"
#include "why/evidence/changed_rows.h"
#include "why/evidence/difference.h"
#include "why/suggestions.h"

enum { METRICS = KG_METRIC_KINDS };

/* Whether the case already has an entry for this trait, from another metric. */
static bool is_listed(const struct kg_evidence_change *reasons, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(reasons[i].name, name))
            return true;
    return false;
}

static void table_add(struct kg_suggestions *suggestions, const char *id,
                      const struct kg_difference *difference)
{
    struct kg_difference_table *table = &suggestions->differences[suggestions->difference_count];
    if (!kg_difference_table_make(&suggestions->arena, difference, table))
        return;
    table->operation = id;
    suggestions->difference_count++;
}

/* The sentence of the cause, with its system calls if most of its growth is in them. */
static const char *cause_text(struct kg_arena *arena, const struct kg_slower *slower,
                              const struct kg_difference *difference,
                              const struct kg_difference_cause *cause, const char *system_call)
{
    const char *text = kg_difference_sentence(arena, difference, cause);
    const char *calls =
        system_call ? kg_difference_system_calls(arena, system_call, slower->base_system_calls,
                                                 slower->current_system_calls)
                    : NULL;
    return calls ? kg_arena_printf(arena, "%s; %s", text, calls) : text;
}

static struct kg_evidence_change place_change(struct kg_arena *arena,
                                              const struct kg_slower *slower,
                                              const struct kg_difference *difference,
                                              const struct kg_difference_cause *cause)
{
    const char *system_call = kg_difference_system_call(difference, cause);
    return (struct kg_evidence_change){
        .name = "function",
        .unit = kg_trait_unit_names[KG_TRAIT_NS],
        .base = cause->row.base_ns,
        .current = cause->row.current_ns,
        .explains = cause->explains,
        .place = kg_place_copy(arena, &cause->row.place),
        .caller = kg_place_copy(arena, &cause->row.caller),
        .header = kg_place_copy(arena, &cause->row.header),
        .callee = kg_place_copy(arena, &cause->entered),
        .text = cause_text(arena, slower, difference, cause, system_call),
        .hint = kg_difference_hint(arena, cause, system_call, slower->current_system_calls)};
}

/* Adds page faults to the sentence of the place, which cannot show them: a fault enters the kernel without a system
 * call. */
static void faults_add(struct kg_arena *arena, const struct kg_slower *slower,
                       const struct kg_reason *faults, struct kg_evidence_change *change)
{
    static const char TAKES_MEMORY[] = "mmap"; /* its rule is that of page faults */
    const struct kg_difference_cause cause = {
        .row = {.base_ns = change->base, .current_ns = change->current}};
    change->text = kg_arena_printf(arena, "%s; %s", change->text, faults->text);
    change->hint = kg_difference_hint(arena, &cause, TAKES_MEMORY, slower->current_system_calls);
}

/* The reason of that trait; NULL: there is none. */
static const struct kg_reason *reason_find(const struct kg_reason *reasons, size_t count,
                                           const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(reasons[i].trait->name, name))
            return &reasons[i];
    return NULL;
}

/* Whether the case does as much work on fewer CPUs. Then the time of each place grows, and none is the cause. */
static bool became_less_parallel(const struct kg_slower *slower)
{
    static const double PARALLEL = 1.2, FEWER = 0.9, WORK_MOST = 0.2;
    const double grown_ns = slower->current_value - slower->base_value;
    return grown_ns > 0 && slower->base.cores_busy >= PARALLEL &&
           slower->current.cores_busy < FEWER * slower->base.cores_busy &&
           slower->current.cpu_ns - slower->base.cpu_ns < WORK_MOST * grown_ns;
}

/* Makes the entry for the place in code that explains the change of time. Adds the table of all
 * places. */
static bool place_note(struct kg_suggestions *suggestions, const char *id,
                       const struct kg_slower *slower, struct kg_evidence_change *change)
{
    struct kg_arena *arena = &suggestions->arena, scratch = {0};
    struct kg_difference difference;
    struct kg_difference_cause cause;
    kg_difference_make(&scratch, slower->base_sampled, slower->base_value, slower->current_sampled,
                       slower->current_value, &difference);
    const bool time = slower->metric == KG_METRIC_TIME && !slower->one_profile;
    if (time)
        table_add(suggestions, id, &difference);
    const bool found =
        time &&
        kg_difference_explain(&difference, slower->base_sampled, slower->current_sampled, &cause) &&
        (!became_less_parallel(slower) ||
         kg_difference_system_call(&difference, &cause)); /* it may wait there */
    if (found) {
        *change = place_change(arena, slower, &difference, &cause);
        change->operation = id;
    }
    kg_arena_free(&scratch);
    return found;
}

/* Makes an entry with a sentence about the build. Alone it explains nothing. */
static bool build_note(const char *name, const char *text, struct kg_evidence_change *change)
{
    if (text)
        *change = (struct kg_evidence_change){
            .name = name, .unit = "", .base = NAN, .current = NAN, .explains = NAN, .text = text};
    return text;
}

/* Compiler and options come first. */
static bool made_note(struct kg_arena *arena, const struct kg_slower *slower,
                      struct kg_evidence_change *change)
{
    const char *made = slower->metric == KG_METRIC_TIME
                           ? kg_build_made(arena, slower->base_sampled, slower->current_sampled)
                           : NULL;
    return build_note("compiler", made ? kg_arena_printf(arena, "the candidate is %s", made) : NULL,
                      change);
}

/* The build's libraries and size come last, because they may have no effect. */
static bool parts_note(struct kg_arena *arena, const struct kg_slower *slower,
                       struct kg_evidence_change *change)
{
    return slower->metric == KG_METRIC_TIME &&
           build_note("build", kg_build_parts(arena, slower->base_sampled, slower->current_sampled),
                      change);
}

/* If a place explains at least this part of the change, symptoms add nothing. */
static const double PLACED = 0.5;

void kg_case_changes_add(struct kg_suggestions *suggestions, const char *case_id,
                         const struct kg_slower *slower, size_t slower_count)
{
    struct kg_arena *arena = &suggestions->arena;
    struct kg_evidence_change *const first = suggestions->changes + suggestions->change_count;
    const char *id = kg_arena_keep(arena, case_id);
    struct kg_reason reasons[METRICS][KG_REASONS_MOST];
    size_t counts[METRICS] = {0}, count = 0;
    struct kg_evidence_change *place = NULL;
    if (slower_count && made_note(arena, slower, &first[count]))
        first[count++].operation = id;
    if (slower_count && place_note(suggestions, id, slower, &first[count]))
        place = &first[count++];
    for (size_t s = 0; s < slower_count; s++) {
        struct kg_slower one = slower[s];
        one.placed = place && place->explains >= PLACED;
        kg_slower_note(arena, &one, reasons[s], &counts[s]);
    }
    const struct kg_reason *faults =
        place ? reason_find(reasons[0], counts[0], "page_faults") : NULL;
    if (faults)
        faults_add(arena, slower, faults, place);
    for (size_t t = 0; t < KG_REASONS_MOST; t++)
        for (size_t s = 0; s < slower_count; s++)
            if (t < counts[s] && count < KG_REASONS_MOST && &reasons[s][t] != faults &&
                !is_listed(first, count, reasons[s][t].trait->name))
                first[count++] = (struct kg_evidence_change){
                    .operation = id,
                    .name = reasons[s][t].trait->name,
                    .unit = kg_trait_unit_names[reasons[s][t].trait->unit],
                    .base = reasons[s][t].base,
                    .current = reasons[s][t].current,
                    .explains = reasons[s][t].explains,
                    .text = reasons[s][t].text};
    if (slower_count && count < KG_REASONS_MOST && parts_note(arena, slower, &first[count]))
        first[count++].operation = id;
    suggestions->change_count += count;
}
