#include "suggest/changed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/reference.h"
#include "suggest/changed_rows.h"

/* A case of the results that became slower, and what it is held against. */
struct slower_case {
    size_t index; /* of the results */
    struct kg_slower slower;
};

/* What all of the finding shares. */
struct search {
    const struct kg_suggest_input *input;
    const struct kg_traits *traits;
    struct kg_reference_index index;
    struct kg_arena scratch;
    struct slower_case *cases;
    size_t case_count;
};

/* The run that a comparison's `against` means, of those that have traits: a pin's, or the newest
 * ordinary one. NULL without one. */
static const struct kg_baseline_run *run_find(const struct kg_baseline *baseline, const char *suite,
                                              const char *pin)
{
    for (size_t r = baseline->run_count; r-- > 0;) {
        const struct kg_baseline_run *run = &baseline->runs[r];
        const bool wanted = pin ? run->pin && !strcmp(run->pin, pin) : !run->pin;
        if (wanted && run->trait_name_count && !strcmp(run->suite, suite))
            return run;
    }
    return NULL;
}

/* The case as that run has it, if its definition is the same; NULL without one. */
static const struct kg_baseline_case *stored_find(const struct search *search,
                                                  const struct kg_baseline_run *run,
                                                  const struct kg_case_result *result)
{
    size_t count;
    const struct kg_reference_entry *entries =
        kg_reference_find(&search->index, result->id, &count);
    for (size_t i = 0; i < count; i++)
        if (&search->input->baseline->runs[entries[i].run] == run &&
            !strcmp(entries[i].stored->definition_hash, result->definition_hash))
            return entries[i].stored;
    return NULL;
}

/* Adds the case where it has traits to be held against. Times that are NaN are those of the traits,
 * and then must differ by more than the case's threshold. */
static void case_add(struct search *search, size_t index, const char *pin, double base_ns,
                     double current_ns)
{
    const struct kg_results *results = search->input->results;
    const struct kg_case_result *result = &results->cases[index];
    const struct kg_baseline_run *run = run_find(search->input->baseline, results->suite, pin);
    const struct kg_baseline_case *stored = run ? stored_find(search, run, result) : NULL;
    struct kg_slower slower = {.base_ns = base_ns,
                               .current_ns = current_ns,
                               .current = search->traits[index],
                               .page_fault_ns = results->cpu_ceilings.page_fault_ns,
                               .launch_ns = results->ceilings.launch_ns};
    if (!stored || search->case_count == results->case_count) /* a comparison may be of any file */
        return;
    kg_baseline_traits(run, stored, &slower.base);
    if (isnan(base_ns) || isnan(current_ns)) {
        slower.base_ns = slower.base.time_ns;
        slower.current_ns = slower.current.time_ns;
        const double more_ns = slower.current_ns - slower.base_ns;
        if (!(more_ns > result->threshold * slower.base_ns) || !(more_ns > result->min_effect_ns))
            return;
    }
    search->cases[search->case_count++] = (struct slower_case){index, slower};
}

/* The metric that says that the case became slower than what was stored: than the baseline before
 * than a pin, and not than a budget; NULL without one. */
static const struct kg_metric *metric_slower(const struct kg_case_change *change)
{
    const struct kg_metric *found = NULL;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (strcmp(metric->name, kg_metric_kind_names[KG_METRIC_TIME]) != 0 ||
            metric->change != KG_CHANGE_REGRESSION || !strcmp(metric->against, "budget"))
            continue;
        if (!found || !strncmp(found->against, "pin ", 4))
            found = metric;
    }
    return found;
}

static void compared_add(struct search *search)
{
    const struct kg_results *results = search->input->results;
    const struct kg_comparison *comparison = search->input->comparison;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const struct kg_metric *metric = metric_slower(change);
        if (!metric || change->order >= results->case_count ||
            strcmp(results->cases[change->order].id, change->id) != 0)
            continue;
        const char *pin = strncmp(metric->against, "pin ", 4) != 0 ? NULL : metric->against + 4;
        case_add(search, change->order, pin, metric->baseline, metric->current);
    }
}

static void own_add(struct search *search)
{
    const struct kg_results *results = search->input->results;
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_OK)
            case_add(search, i, NULL, NAN, NAN);
}

/* The worst first; of those as bad, in the results' order. */
static int compare_slower(const void *a, const void *b)
{
    const struct slower_case *x = a, *y = b;
    const double x_ratio = x->slower.current_ns / x->slower.base_ns;
    const double y_ratio = y->slower.current_ns / y->slower.base_ns;
    return x_ratio != y_ratio ? (x_ratio < y_ratio) - (x_ratio > y_ratio)
                              : (x->index > y->index) - (x->index < y->index);
}

static bool changes_add(const struct search *search, struct kg_suggestions *suggestions)
{
    struct kg_arena *arena = &suggestions->arena;
    bool good = true;
    suggestions->changes =
        kg_arena_alloc(arena, search->case_count * KG_TOLD_MOST, sizeof *suggestions->changes);
    good = suggestions->changes != NULL;
    for (size_t i = 0; i < search->case_count && good; i++) {
        const struct slower_case *one = &search->cases[i];
        const char *id = kg_arena_keep(arena, search->input->results->cases[one->index].id, &good);
        struct kg_told told[KG_TOLD_MOST];
        size_t count = 0;
        good = good && kg_slower_tell(arena, &one->slower, told, &count);
        for (size_t t = 0; t < count && good; t++)
            suggestions->changes[suggestions->change_count++] =
                (struct kg_evidence_change){.operation = id,
                                            .name = told[t].trait->name,
                                            .unit = kg_trait_unit_names[told[t].trait->unit],
                                            .base = told[t].base,
                                            .current = told[t].current,
                                            .text = told[t].text};
    }
    return good;
}

/* Whether there is anything to hold the results against. */
static bool comparable(const struct kg_suggest_input *input)
{
    return input->results && input->baseline && input->baseline->run_count &&
           input->baseline->fingerprint && input->results->machine.fingerprint &&
           !strcmp(input->baseline->fingerprint, input->results->machine.fingerprint);
}

bool kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_suggestions *suggestions, struct kg_error *err)
{
    struct search search = {.input = input, .traits = traits};
    suggestions->changes = NULL;
    suggestions->change_count = 0;
    if (!comparable(input))
        return true;
    search.cases =
        kg_arena_alloc(&search.scratch, input->results->case_count, sizeof *search.cases);
    bool good = search.cases && kg_reference_index_make(&search.scratch, input->baseline,
                                                        input->results->suite, &search.index);
    if (good && input->comparison)
        compared_add(&search);
    else if (good)
        own_add(&search);
    if (good) {
        qsort(search.cases, search.case_count, sizeof *search.cases, compare_slower);
        good = changes_add(&search, suggestions);
    }
    kg_arena_free(&search.scratch);
    return good ? true : kg_error_memory(err);
}
