#include "why/suggest_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/environment_words.h"
#include "judge/reference.h"
#include "model/series.h"
#include "why/evidence/changed_rows.h"
#include "why/evidence/source_diff.h"

enum { METRICS = KG_METRIC_KINDS };

/* A case that became worse in one or more metrics, with its baseline. */
struct slower_case {
    size_t index; /* index in the results */
    double worst; /* largest ratio of candidate to baseline */
    struct kg_slower slower[METRICS];
    size_t slower_count;
};

/* State of the search for changes. */
struct search {
    const struct kg_suggest_input *input;
    const struct kg_traits *traits;
    struct kg_reference_index index;
    struct kg_arena *scratch;
    struct slower_case *cases;
    size_t case_count;
};

/* The run that a comparison's `against` refers to: the run of the pin, or the newest ordinary
 * run. Runs without traits do not count. NULL: there is none. */
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

/* The run's stored case for this result, if the definition is the same; NULL: there is none. */
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

static const struct kg_case_result *result_find(const struct kg_results *results, const char *id)
{
    for (size_t i = 0; results && i < results->case_count; i++)
        if (!strcmp(results->cases[i].id, id))
            return &results->cases[i];
    return NULL;
}

/* A counted site of the same functions; NULL: there is none. Counts do not depend on the system call. */
static const struct kg_hot_site *counted_find(const struct kg_sampled *sampled,
                                              const struct kg_hot_site *site)
{
    for (size_t i = 0; i < sampled->site_count; i++) {
        const struct kg_hot_site *other = &sampled->sites[i];
        if (!isnan(other->calls) && kg_place_same(&other->place, &site->place) &&
            kg_place_same(&other->caller, &site->caller) &&
            kg_place_same(&other->header, &site->header) &&
            kg_place_same(&other->callee, &site->callee))
            return other;
    }
    return NULL;
}

/* A profile of a pair, with the counts of an earlier profile of the same build for sites without counts. */
static const struct kg_sampled *counts_keep(struct kg_arena *scratch,
                                            const struct kg_sampled *counted,
                                            const struct kg_sampled *sampled)
{
    struct kg_sampled *kept = kg_arena_alloc(scratch, 1, sizeof *kept);
    *kept = *sampled;
    kept->sites = kg_arena_alloc(scratch, sampled->site_count, sizeof *kept->sites);
    for (size_t i = 0; i < sampled->site_count; i++) {
        kept->sites[i] = sampled->sites[i];
        const struct kg_hot_site *from = counted_find(counted, &sampled->sites[i]);
        if (!from || !isnan(kept->sites[i].calls))
            continue;
        kept->sites[i].calls = from->calls;
        kept->sites[i].instructions = from->instructions;
    }
    return kept;
}

/* Both builds were sampled side by side, so only the code differs. Calls may have been counted only in the profiles
 * that these replace. The stored run counts if the base of the pair has its code. */
static void pair_sampled_take(const struct search *search, const char *id,
                              const struct kg_baseline_case *stored, struct kg_slower *slower)
{
    const struct kg_case_result *base = result_find(search->input->pair_base, id);
    const struct kg_case_result *head = result_find(search->input->pair_head, id);
    if (!base || !head || !base->hot.sampled.site_count || !head->hot.sampled.site_count)
        return;
    const bool stored_build = kg_code_match(&base->code, &stored->code) != KG_CODE_OTHER;
    slower->base_sampled =
        stored_build ? counts_keep(search->scratch, slower->base_sampled, &base->hot.sampled)
                     : &base->hot.sampled;
    slower->current_sampled =
        counts_keep(search->scratch, slower->current_sampled, &head->hot.sampled);
    if (!base->hot.system_calls.source || !head->hot.system_calls.source)
        return;
    slower->base_system_calls = &base->hot.system_calls;
    slower->current_system_calls = &head->hot.system_calls;
}

/* Whether both sides have the profile of one run. The profile of unchanged code is kept from run to run, and a baseline
 * stores its larger sites alone. Other runs do not take equal samples at two places or more. */
static bool is_one_profile(const struct kg_sampled *base, const struct kg_sampled *current)
{
    static const double ROUNDED = 1e-6;
    size_t found = 0;
    for (size_t i = 0; i < current->site_count && found < base->site_count; i++)
        found += fabs(base->sites[found].share - current->sites[i].share) < ROUNDED &&
                 kg_place_same(&base->sites[found].place, &current->sites[i].place);
    return fabs(base->samples - current->samples) < 1 && base->site_count > 1 &&
           found == base->site_count;
}

/* Fills in the baseline of a case. Returns false if the run has no traits of the case. */
static bool slower_make(struct search *search, size_t index, const char *pin,
                        struct kg_slower *slower)
{
    const struct kg_results *results = search->input->results;
    const struct kg_case_result *result = &results->cases[index];
    const struct kg_baseline_run *run = run_find(search->input->baseline, results->suite, pin);
    const struct kg_baseline_case *stored = run ? stored_find(search, run, result) : NULL;
    if (!stored)
        return false;
    *slower = (struct kg_slower){.current = search->traits[index],
                                 .base_sampled = &stored->sampled,
                                 .current_sampled = &result->hot.sampled,
                                 .base_system_calls = &stored->system_calls,
                                 .current_system_calls = &result->hot.system_calls,
                                 .page_fault_ns = results->cpu_ceilings.page_fault_ns,
                                 .launch_ns = results->ceilings.launch_ns,
                                 .memory_latency_ns = results->cpu_ceilings.memory_latency_ns};
    pair_sampled_take(search, result->id, stored, slower);
    kg_baseline_traits(run, stored, &slower->base);
    const enum kg_code_match code = kg_code_match(&result->code, &stored->code);
    slower->one_profile =
        code >= KG_CODE_SAME_FILE && is_one_profile(slower->base_sampled, slower->current_sampled);
    if (code != KG_CODE_OTHER)
        slower->environment = kg_environment_words(search->scratch, results, result, run);
    return true;
}

/* Adds a metric to its case. The caller adds the metrics of one case consecutively. */
static void slower_add(struct search *search, size_t index, const struct kg_slower *slower)
{
    struct slower_case *one = search->cases + search->case_count;
    if (search->case_count && one[-1].index == index)
        one--;
    else if (search->case_count == search->input->results->case_count)
        return; /* a comparison may come from any file */
    else
        search->cases[search->case_count++] = (struct slower_case){.index = index};
    if (one->slower_count == METRICS)
        return;
    one->worst = fmax(one->worst, slower->current_value / slower->base_value);
    one->slower[one->slower_count++] = *slower;
}

/* --- Changes of traits ------------------------------------------------------------------------ */

/* Threshold for metrics without one in the suite: smaller rises of instructions do not count. */
static const double THRESHOLD_USUAL = 0.02;

/* The trait that corresponds to a metric; NaN: none. */
static double trait_of(const struct kg_traits *traits, enum kg_metric_kind kind)
{
    switch (kind) {
    case KG_METRIC_TIME:
        return traits->time_ns;
    case KG_METRIC_PEAK_MEMORY:
        return traits->peak_bytes + 1; /* a byte: a peak may be 0 */
    case KG_METRIC_INSTRUCTIONS:
        return traits->instructions;
    case KG_METRIC_CPU_TIME:
        return traits->cpu_ns;
    default:
        return NAN;
    }
}

/* Adds the metric if its trait rose by more than the threshold. A sampled time counts if it
 * changed in either direction. */
static void own_change_add(struct search *search, size_t index, enum kg_metric_kind metric,
                           struct kg_slower *slower)
{
    const struct kg_case_result *result = &search->input->results->cases[index];
    const struct kg_series *series = kg_case_series(result, metric);
    const double threshold = series && series->threshold >= 0 ? series->threshold : THRESHOLD_USUAL;
    const double least = series ? kg_series_min_effect(series) : 0;
    const double base = trait_of(&slower->base, metric);
    const double current = trait_of(&slower->current, metric);
    const bool sampled = metric == KG_METRIC_TIME && slower->base_sampled->site_count &&
                         slower->current_sampled->site_count;
    const double effect = sampled ? fabs(current - base) : current - base;
    if (!(effect > threshold * base) || !(effect > least))
        return;
    slower->metric = metric;
    slower->base_value = base;
    slower->current_value = current;
    slower_add(search, index, slower);
}

/* Adds the metrics that the suite compares, and always time. */
static void own_add(struct search *search)
{
    const struct kg_results *results = search->input->results;
    struct kg_slower slower;
    for (size_t i = 0; i < results->case_count; i++) {
        if (results->cases[i].status != KG_STATUS_OK || !slower_make(search, i, NULL, &slower))
            continue;
        for (int metric = KG_METRIC_TIME; metric < METRICS; metric++)
            if (metric == KG_METRIC_TIME || results->cases[i].metrics & 1u << metric)
                own_change_add(search, i, (enum kg_metric_kind)metric, &slower);
    }
}

/* --- Changes of a comparison ------------------------------------------------------------------ */

/* Whether the metric is a regression, or looks like one without being confirmed. */
static bool looks_worse(const struct kg_metric *metric)
{
    if (kg_metric_against(metric) == KG_AGAINST_BUDGET || metric->better != KG_BETTER_LOWER)
        return false;
    return metric->change == KG_CHANGE_REGRESSION || metric->change == KG_CHANGE_SUSPECT ||
           (metric->change == KG_CHANGE_INCONCLUSIVE && metric->ratio > 1 + metric->threshold &&
            metric->current - metric->baseline > metric->min_effect);
}

/* The metric of this kind that became worse than the stored run. Confirmed changes rank above
 * unconfirmed ones, and the baseline above a pin. NULL: there is none. */
static const struct kg_metric *metric_worse(const struct kg_case_change *change,
                                            enum kg_metric_kind kind)
{
    const struct kg_metric *found = NULL;
    int best = -1;
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        const int rank = 4 * (metric->change == KG_CHANGE_REGRESSION) +
                         2 * (metric->change == KG_CHANGE_SUSPECT) +
                         (kg_metric_against(metric) != KG_AGAINST_PIN);
        if (kg_metric_kind_find(metric->name) != kind || !looks_worse(metric) || rank <= best)
            continue;
        found = metric;
        best = rank;
    }
    return found;
}

static void metric_add(struct search *search, size_t index, enum kg_metric_kind kind,
                       const struct kg_metric *metric)
{
    const double more = kind == KG_METRIC_PEAK_MEMORY; /* a byte: a peak may be 0 */
    struct kg_slower slower;
    if (!slower_make(search, index, kg_metric_pin(metric), &slower))
        return;
    slower.metric = kind;
    slower.base_value = metric->baseline + more;
    slower.current_value = metric->current + more;
    slower_add(search, index, &slower);
}

/* Metrics of the workload's own have no traits. Their only possible reason is a time that rose
 * too. */
static void figures_add(struct search *search, const struct kg_case_change *change)
{
    struct kg_slower slower;
    for (size_t m = 0; m < change->metric_count; m++)
        if (looks_worse(&change->metrics[m]) &&
            slower_make(search, change->order, kg_metric_pin(&change->metrics[m]), &slower)) {
            if (slower.current.time_ns > slower.base.time_ns)
                own_change_add(search, change->order, KG_METRIC_TIME, &slower);
            return;
        }
}

/* The time that became shorter; NULL: none. */
static const struct kg_metric *time_better(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++) {
        const struct kg_metric *metric = &change->metrics[m];
        if (metric->change == KG_CHANGE_IMPROVEMENT &&
            kg_metric_kind_find(metric->name) == KG_METRIC_TIME &&
            kg_metric_against(metric) != KG_AGAINST_BUDGET)
            return metric;
    }
    return NULL;
}

static void change_add(struct search *search, const struct kg_case_change *change)
{
    bool any = false;
    for (int kind = KG_METRIC_TIME; kind < METRICS; kind++) {
        const struct kg_metric *metric = metric_worse(change, (enum kg_metric_kind)kind);
        if (metric)
            metric_add(search, change->order, (enum kg_metric_kind)kind, metric);
        any = any || metric;
    }
    const struct kg_metric *better = any ? NULL : time_better(change);
    if (better)
        metric_add(search, change->order, KG_METRIC_TIME, better);
    else if (!any)
        figures_add(search, change);
}

static void compared_add(struct search *search)
{
    const struct kg_results *results = search->input->results;
    const struct kg_comparison *comparison = search->input->comparison;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (change->order < results->case_count &&
            !strcmp(results->cases[change->order].id, change->id))
            change_add(search, change);
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

/* The worst case first; if equal, in the results' order. */
static int compare_slower(const void *a, const void *b)
{
    const struct slower_case *x = a, *y = b;
    return x->worst != y->worst ? (x->worst < y->worst) - (x->worst > y->worst)
                                : (x->index > y->index) - (x->index < y->index);
}

static void changes_add(const struct search *search, struct kg_suggestions *suggestions)
{
    suggestions->changes = kg_arena_alloc(&suggestions->arena, search->case_count * KG_REASONS_MOST,
                                          sizeof *suggestions->changes);
    suggestions->differences =
        kg_arena_alloc(&suggestions->arena, search->case_count, sizeof *suggestions->differences);
    for (size_t i = 0; i < search->case_count; i++)
        kg_case_changes_add(suggestions, search->input->results->cases[search->cases[i].index].id,
                            search->cases[i].slower, search->cases[i].slower_count);
}

/* --- The change of the source ------------------------------------------------------------------ */

/* Names the commits of both sides; NULL: unknown. */
static void commits_name(const struct kg_suggest_input *input, const char **base, const char **head)
{
    const struct kg_baseline_run *run = run_find(input->baseline, input->results->suite, NULL);
    *head = input->results->commit;
    if (input->comparison)
        *base = input->comparison->baseline_commit;
    else
        *base = run ? run->commit : NULL;
}

/* Shows the changed lines of the functions that explain the worst changes. Each needs a call of
 * git. */
static void sources_find(const struct kg_suggest_input *input, struct kg_suggestions *suggestions)
{
    struct kg_arena scratch = {0};
    struct kg_source_diff diff = {0};
    struct kg_source_hunk hunk;
    const char *base, *head;
    enum { SOURCES_MOST = 8 };
    size_t shown = 0;
    bool read = false;
    commits_name(input, &base, &head);
    for (size_t i = 0; i < suggestions->change_count && shown < SOURCES_MOST; i++) {
        struct kg_evidence_change *change = &suggestions->changes[i];
        const struct kg_place places[] = {change->place, change->callee, change->caller};
        if (!change->place.function)
            continue;
        if (!read)
            diff = kg_source_diff_read(&scratch, base, head);
        read = true;
        if (!diff.text || !kg_source_hunk_find(&suggestions->arena, diff.text, places,
                                               sizeof places / sizeof *places, &hunk))
            continue;
        shown++;
        change->diff = hunk.text;
        change->commits = kg_source_diff_commits(&suggestions->arena, &diff, &hunk);
    }
    kg_arena_free(&scratch);
}

/* --- Cases that cannot be compared ------------------------------------------------------------ */

/* Whether the baseline comes from the results' machine. */
static bool same_machine(const struct kg_suggest_input *input)
{
    const char *base = input->baseline->fingerprint, *own = input->results->machine.fingerprint;
    return base && own && !strcmp(base, own);
}

/* Whether the suite has ordinary runs, optionally only runs with traits. */
static bool any_run(const struct kg_suggest_input *input, bool with_traits)
{
    for (size_t r = 0; r < input->baseline->run_count; r++) {
        const struct kg_baseline_run *run = &input->baseline->runs[r];
        if (!run->pin && !strcmp(run->suite, input->results->suite) &&
            (!with_traits || run->trait_name_count))
            return true;
    }
    return false;
}

static bool any_case(const struct search *search)
{
    const struct kg_results *results = search->input->results;
    const struct kg_baseline_run *run = run_find(search->input->baseline, results->suite, NULL);
    for (size_t i = 0; run && i < results->case_count; i++)
        if (stored_find(search, run, &results->cases[i]))
            return true;
    return false;
}

/* The reason why evidence is missing; NULL: none is. A comparison reports cases without a
 * baseline itself, but it knows nothing about evidence. */
static const char *missing_find(const struct search *search, struct kg_arena *arena)
{
    const struct kg_suggest_input *input = search->input;
    const struct kg_results *results = input->results;
    const bool compared = input->comparison;
    if (!compared && !input->baseline->run_count)
        return "it has no runs";
    if (!compared && !same_machine(input))
        return kg_arena_printf(arena, "it belongs to another machine, '%.100s'",
                               input->baseline->fingerprint ? input->baseline->fingerprint
                                                            : "unknown");
    if (!compared && !any_run(input, false))
        return kg_arena_printf(arena, "it has no run of the suite '%.100s'", results->suite);
    if (any_run(input, false) && !any_run(input, true))
        return compared && !input->comparison->counts.of[KG_CHANGE_REGRESSION]
                   ? NULL
                   : "its runs were stored without evidence, by an older kgate";
    if (!compared && !any_case(search))
        return "it has no run of these cases in their current definition";
    return NULL;
}

static void changes_find(struct search *search, struct kg_suggestions *suggestions)
{
    const struct kg_results *results = search->input->results;
    search->cases = kg_arena_alloc(search->scratch, results->case_count, sizeof *search->cases);
    if (search->input->comparison)
        compared_add(search);
    else
        own_add(search);
    qsort(search->cases, search->case_count, sizeof *search->cases, compare_slower);
    changes_add(search, suggestions);
    sources_find(search->input, suggestions);
}

/* The slowdown of a case; NULL: its time did not rise. */
static const struct kg_slower *slowdown_of(const struct slower_case *one)
{
    for (size_t s = 0; s < one->slower_count; s++)
        if (one->slower[s].metric == KG_METRIC_TIME &&
            one->slower[s].current_value > one->slower[s].base_value)
            return &one->slower[s];
    return NULL;
}

void kg_changes_find(const struct kg_suggest_input *input, const struct kg_traits *traits,
                     struct kg_arena *scratch, const struct kg_slower **slowdowns,
                     struct kg_suggestions *suggestions, const char **missing)
{
    struct search search = {.input = input, .traits = traits, .scratch = scratch};
    suggestions->changes = NULL;
    suggestions->differences = NULL;
    suggestions->change_count = suggestions->difference_count = 0;
    *missing = NULL;
    if (!input->results || !input->baseline)
        return;
    kg_reference_index_make(scratch, input->baseline, input->results->suite, &search.index);
    *missing = missing_find(&search, &suggestions->arena);
    if (!*missing && same_machine(input))
        changes_find(&search, suggestions);
    for (size_t i = 0; i < search.case_count; i++)
        slowdowns[search.cases[i].index] = slowdown_of(&search.cases[i]);
}
