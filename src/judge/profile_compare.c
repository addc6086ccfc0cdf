#include "judge/profile_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/comparison_notes.h"
#include "model/baseline.h"
#include "model/series.h"

const struct kg_profile_judging kg_profile_judging_usual = {.threshold = 0.05,
                                                            .alpha = 0.01,
                                                            .share = 0.002,
                                                            .memory_threshold = 0.1,
                                                            .memory_bytes = 1024 * 1024};

/* Limit for notes that name paths with a changed number of calls. */
enum { CALLS_NOTED = 5 };

/* Names of the two sides in messages. */
static const char BASE[] = "the base", CURRENT[] = "the current profile";

/* A profile, and its paths as cases. */
struct side {
    const struct kg_profile *profile;
    struct kg_results results;
};

/* Mean time of the outermost scopes of a process, in ns. */
static double program_ns(const struct kg_profile *profile)
{
    double sum = 0;
    for (size_t i = 0; i < profile->row_count; i++)
        if (!profile->rows[i].path.depth && !profile->rows[i].path.span)
            sum += profile->rows[i].figures.total_ns;
    return profile->process_count ? sum / (double)profile->process_count : 0;
}

static const char *id_make(struct kg_arena *arena, const struct kg_profile *profile, size_t row)
{
    const struct kg_profile_path *path = &profile->rows[row].path;
    const char *text = kg_profile_path_text(arena, profile, row);
    return kg_arena_printf(arena, "%s%s%s/%s", text, path->backend ? "/backend=" : "",
                           path->backend ? path->backend : "", path->device);
}

static void rounds_fill(struct kg_arena *arena, const struct kg_profile_row *row,
                        struct kg_case_result *result)
{
    result->rounds = kg_arena_alloc(arena, row->round_count, sizeof *result->rounds);
    result->round_count = row->round_count;
    for (size_t i = 0; i < row->round_count; i++) {
        const double ns = row->rounds_ns[i];
        result->rounds[i] = (struct kg_round){KG_ROUND_ON_CPU,
                                              .median_ns = ns,
                                              .mean_ns = ns,
                                              .min_ns = ns,
                                              .max_ns = ns,
                                              .p95_ns = ns,
                                              .cpu_ns = NAN,
                                              .wall_ns = ns,
                                              .calls = 1,
                                              .batch = 1,
                                              .pulse_ns = NAN,
                                              .base_ratio = NAN,
                                              .peak_bytes = row->figures.peak_bytes};
    }
}

/* Whether the profile recorded what scopes allocate. */
static bool has_memory(const struct kg_profile *profile)
{
    for (size_t i = 0; i < profile->row_count; i++)
        if (profile->rows[i].figures.peak_bytes)
            return true;
    return false;
}

/* Adds the time of a path and, if `memory`, its peak memory. */
static void series_fill(struct kg_arena *arena, const struct kg_profile_judging *judging,
                        double whole_ns, bool memory, struct kg_case_result *result)
{
    struct kg_series *series = kg_series_grow(arena, result, 2);
    series[result->series_count++] =
        (struct kg_series){.name = kg_metric_kind_names[KG_METRIC_TIME],
                           .source = KG_SERIES_OF_ROUNDS,
                           .threshold = judging->threshold,
                           .min_effect = judging->share * whole_ns};
    if (memory)
        series[result->series_count++] =
            (struct kg_series){.name = kg_metric_kind_names[KG_METRIC_PEAK_MEMORY],
                               .source = KG_SERIES_OF_ROUNDS,
                               .threshold = judging->memory_threshold,
                               .min_effect = judging->memory_bytes};
}

static void case_fill(struct kg_arena *arena, const struct kg_profile *profile, size_t row,
                      const struct kg_profile_judging *judging, bool memory,
                      struct kg_case_result *result)
{
    const struct kg_profile_row *from = &profile->rows[row];
    *result = (struct kg_case_result){
        .id = id_make(arena, profile, row),
        .workload = kg_arena_copy(arena, from->path.name),
        .source = "command",
        .device = from->path.device,
        .backend = "profile",
        .definition_hash = "profile",
        .status = KG_STATUS_OK,
        .rounds_are_processes = true,
        .metrics = 1U << KG_METRIC_TIME | (memory ? 1U << KG_METRIC_PEAK_MEMORY : 0),
        KG_CASE_UNMEASURED,
    };
    rounds_fill(arena, from, result);
    series_fill(arena, judging, program_ns(profile), memory, result);
    kg_case_summarize(result);
}

/* Whether the path is a case. */
static bool is_case(const struct kg_profile_row *row)
{
    return row->path.kind != KGATE_SCOPE_PROFILER && row->round_count;
}

static int by_id(const void *a, const void *b)
{
    const struct kg_case_result *const *x = a, *const *y = b;
    const int order = strcmp((*x)->id, (*y)->id);
    return order ? order : (*x > *y) - (*x < *y);
}

/* If two paths have the same id, adds a number to the id of the later one. */
static void ids_distinguish(struct kg_results *results)
{
    const size_t count = results->case_count;
    struct kg_case_result **sorted =
        kg_arena_alloc(&results->arena, count, sizeof(struct kg_case_result *));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &results->cases[i];
    qsort(sorted, count, sizeof *sorted, by_id);
    const char *id = "";
    for (size_t i = 0, same = 1; i < count; i++) {
        same = !strcmp(sorted[i]->id, id) ? same + 1 : 1;
        id = sorted[i]->id;
        if (same > 1)
            sorted[i]->id = kg_arena_printf(&results->arena, "%s#%zu", id, same);
    }
}

/* Turns a profile into results: one case per path, except the profiler's own paths. If the profile has one process, the
 * parts of the process are the rounds (struct kg_profile_row).
 * memory   whether both sides recorded memory
 * results  the caller frees it with kg_results_free */
static void results_make(const struct kg_profile *profile, const struct kg_profile_judging *judging,
                         bool memory, struct kg_results *results)
{
    *results = (struct kg_results){
        .kgate_version = KGATE_VERSION,
        .suite = "profile",
        .suite_path = "",
        .policy = {.fail_on = 1U << KG_CHANGE_REGRESSION | 1U << KG_CHANGE_FAILED,
                   .missing_device = KG_MISSING_SKIP,
                   .alpha = judging->alpha,
                   .quarantine_instability = NAN},
        .complete = true,
        .is_base = judging->same_file,
        .ceilings = KG_CEILINGS_NONE,
        .cpu_ceilings = KG_CPU_CEILINGS_NONE,
        .machine = {.fingerprint = "profile", .cpu_model = "", .compiler = ""},
    };
    results->created = kg_timestamp(&results->arena);
    results->cases = kg_arena_alloc(&results->arena, profile->row_count, sizeof *results->cases);
    for (size_t i = 0; i < profile->row_count; i++)
        if (is_case(&profile->rows[i]))
            case_fill(&results->arena, profile, i, judging, memory,
                      &results->cases[results->case_count++]);
    ids_distinguish(results);
}

/* --- Overall ---------------------------------------------------------------------------------- */

static size_t outermost_count(const struct kg_profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->row_count; i++)
        count += !profile->rows[i].path.depth && !profile->rows[i].path.span &&
                 is_case(&profile->rows[i]);
    return count;
}

/* Adds the change of the whole program: of its outermost scopes, because they include the other scopes. */
static void overall_add(const struct kg_profile *base, const struct kg_profile *current,
                        struct kg_comparison *comparison)
{
    const double before = program_ns(base), now = program_ns(current);
    const size_t count = outermost_count(current);
    if (!(before > 0) || !(now > 0))
        return;
    comparison->overall = kg_arena_alloc(&comparison->arena, 1, sizeof *comparison->overall);
    comparison->overall_count = 1;
    comparison->overall[0] = (struct kg_overall){.of_program = true,
                                                 .cases = count,
                                                 .counted = count,
                                                 .geometric_ratio = now / before,
                                                 .baseline_ns = before,
                                                 .current_ns = now,
                                                 .compared = count,
                                                 .compared_ratio = now / before};
}

/* --- Notes ------------------------------------------------------------------------------------ */

static const char *host_of(const struct kg_profile *profile)
{
    return profile->process_count && profile->processes[0].host ? profile->processes[0].host : "";
}

static bool sampled(const struct kg_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].sample < 1)
            return true;
    return false;
}

static double calls_of(const struct kg_profile_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->process_count; i++)
        sum += row->calls[i];
    return row->process_count ? sum / (double)row->process_count : 0;
}

/* Number of calls of a path per process, with the id of its case. */
struct calls {
    const char *id;
    double calls;
};

static int calls_by_id(const void *a, const void *b)
{
    return strcmp(((const struct calls *)a)->id, ((const struct calls *)b)->id);
}

/* Lists the calls of all paths that are cases, sorted by id. */
static struct calls *calls_list(struct kg_arena *arena, const struct kg_profile *profile,
                                const struct kg_results *results)
{
    struct calls *list = kg_arena_alloc(arena, results->case_count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < profile->row_count; i++)
        if (is_case(&profile->rows[i])) {
            list[count] = (struct calls){results->cases[count].id, calls_of(&profile->rows[i])};
            count++;
        }
    qsort(list, count, sizeof *list, calls_by_id);
    return list;
}

/* A case with a changed number of calls. */
struct calls_moved {
    const char *id;
    double was, is;
    double effect_ns; /* absolute change of its time, in ns */
};

static int by_effect(const void *a, const void *b)
{
    const struct calls_moved *x = a, *y = b;
    return (x->effect_ns < y->effect_ns) - (x->effect_ns > y->effect_ns);
}

/* Absolute change of the case's time, in ns. */
static double time_effect(const struct kg_case_change *change)
{
    for (size_t m = 0; m < change->metric_count; m++)
        if (kg_metric_kind_find(change->metrics[m].name) == KG_METRIC_TIME)
            return fabs(change->metrics[m].difference);
    return 0;
}

/* Notes paths with a changed number of calls, which may explain a changed total. Names the paths with the largest
 * change of time. */
static void calls_note(const struct side *base, const struct side *current,
                       struct kg_comparison *comparison)
{
    struct kg_arena scratch = {0};
    const size_t most = comparison->case_count;
    const struct calls *before = calls_list(&scratch, base->profile, &base->results);
    const struct calls *now = calls_list(&scratch, current->profile, &current->results);
    struct calls_moved *moved = kg_arena_alloc(&scratch, most, sizeof *moved);
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        const struct calls key = {.id = change->id};
        if (change->change == KG_CHANGE_NO_CHANGE || !change->metric_count)
            continue;
        const struct calls *was =
            bsearch(&key, before, base->results.case_count, sizeof *before, calls_by_id);
        const struct calls *is =
            bsearch(&key, now, current->results.case_count, sizeof *now, calls_by_id);
        if (was && is && was->calls != is->calls)
            moved[count++] =
                (struct calls_moved){change->id, was->calls, is->calls, time_effect(change)};
    }
    qsort(moved, count, sizeof *moved, by_effect);
    for (size_t i = 0; i < count && i < CALLS_NOTED; i++)
        kg_comparison_note(comparison,
                           kg_arena_printf(&comparison->arena, "%s: %g calls per process, was %g",
                                           moved[i].id, moved[i].is, moved[i].was));
    kg_arena_free(&scratch);
}

/* Notes processes that crashed. Their totals lack all unwritten scopes. */
static void incomplete_note(const struct kg_profile *profile, const char *side,
                            struct kg_comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        count += !profile->processes[i].complete;
    if (count)
        kg_comparison_note(
            comparison, kg_arena_printf(&comparison->arena,
                                        "%zu of %zu processes of %s did not end their recording (a "
                                        "crash, or _exit) and may lack their last buffer",
                                        count, profile->process_count, side));
}

/* Sets reasons that fit a profile. The reasons of kg_compare speak of a suite. */
static void reasons_put(struct kg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++) {
        struct kg_case_change *change = &comparison->cases[i];
        if (change->change == KG_CHANGE_NEW)
            change->reason = "not in the baseline";
        else if (change->change == KG_CHANGE_REMOVED)
            change->reason = "in the baseline, but not in the candidate";
    }
}

static void notes_add(const struct side *base_side, const struct side *current_side,
                      struct kg_comparison *comparison)
{
    const struct kg_profile *base = base_side->profile, *current = current_side->profile;
    struct kg_arena *arena = &comparison->arena;
    reasons_put(comparison);
    /* the notes of kg_compare describe stored baselines and the machine's probes, which a profile lacks */
    comparison->note_count = 0;
    calls_note(base_side, current_side, comparison);
    if (base->process_count < 2 || current->process_count < 2)
        kg_comparison_note(
            comparison,
            "kgate splits the calls of a single process into parts, because it has no rounds. They "
            "do not "
            "show how much processes differ; record ten of each side and join them with `cat`");
    if (strcmp(host_of(base), host_of(current)) != 0)
        kg_comparison_note(comparison,
                           kg_arena_printf(arena, "recorded on '%s', the baseline on '%s'",
                                           host_of(current), host_of(base)));
    incomplete_note(base, BASE, comparison);
    incomplete_note(current, CURRENT, comparison);
    if (sampled(base) || sampled(current))
        kg_comparison_note(comparison,
                           "a profile is sampled: its totals cover only the recorded calls");
}

/* --- Checks before the comparison ------------------------------------------------------------- */

/* If a profile lost entries, its totals are too small. */
static bool nothing_lost(const struct kg_profile *profile, const char *side, struct kg_error *err)
{
    const struct kgate_profile_losses losses = kg_profile_losses(profile);
    if (losses.dropped)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "%s lost %llu entr%s (a full buffer, a full disk or the file's limit): "
                            "its totals cover only a part of the run and cannot be compared",
                            side, (unsigned long long)losses.dropped,
                            losses.dropped == 1 ? "y" : "ies");
    if (losses.too_deep)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "%s lacks %llu scope%s nested too deep, or of too many paths: its "
                            "totals cover only a part of the run and cannot be compared",
                            side, (unsigned long long)losses.too_deep,
                            losses.too_deep == 1 ? "" : "s");
    return true;
}

/* Whether the process recorded anything besides the profiler's own scopes. */
static bool process_recorded(const struct kg_profile *profile, size_t process)
{
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct kg_profile_row *row = &profile->rows[i];
        if (row->path.kind != KGATE_SCOPE_PROFILER && process < row->process_count &&
            row->calls[process] > 0)
            return true;
    }
    return false;
}

static bool all_recorded(const struct kg_profile *profile, const char *side, struct kg_error *err)
{
    size_t empty = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        empty += !process_recorded(profile, i);
    if (empty == profile->process_count)
        return kg_error_set(err, KG_ERROR_USAGE, "%s has no entries: nothing was recorded", side);
    if (empty)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "%zu of %zu processes of %s have no entries: record them again", empty,
                            profile->process_count, side);
    return true;
}

/* Two different programs, or two names of the outermost scope, have no common path to judge. */
static bool any_common(const struct kg_comparison *comparison, struct kg_error *err)
{
    if (comparison->counts.of[KG_CHANGE_NEW] + comparison->counts.of[KG_CHANGE_REMOVED] <
        comparison->case_count)
        return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "the profiles have no path in common: are they of the same program?");
}

/* If one side records a larger share of the calls, its totals are larger without being slower. */
static bool same_sampling(const struct kg_profile *base, const struct kg_profile *current,
                          struct kg_error *err)
{
    const double share = base->process_count ? base->processes[0].sample : 1;
    for (size_t i = 0; i < current->process_count; i++)
        if (current->processes[i].sample != share)
            return kg_error_set(err, KG_ERROR_USAGE,
                                "the profiles are sampled differently (%g %% and %g %%): their "
                                "totals cannot be compared",
                                100 * share, 100 * current->processes[i].sample);
    return true;
}

/* `run --profile` calls kernels and plugins for a fixed time. Its totals show how often they ran, not how long. */
static bool fixed_time(const struct kg_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        const char *program = profile->processes[i].program;
        const char *slash = program ? strrchr(program, '/') : NULL;
        if (slash && profile->processes[i].label && !strcmp(slash, "/kgate"))
            return true;
    }
    return false;
}

static bool totals_meant(const struct kg_profile *base, const struct kg_profile *current,
                         struct kg_error *err)
{
    return fixed_time(base) || fixed_time(current)
               ? kg_error_set(
                     err, KG_ERROR_USAGE,
                     "the cases of `kgate run --profile` ran for a fixed time, so the totals of "
                     "their profiles say nothing: compare the results beside them")
               : true;
}

bool kg_profile_compare(const struct kg_profile *base, const struct kg_profile *current,
                        const struct kg_profile_judging *judging, struct kg_comparison *comparison,
                        struct kg_error *err)
{
    struct side before = {.profile = base}, now = {.profile = current};
    struct kg_baseline baseline = {0};
    *comparison = (struct kg_comparison){0};
    bool good = nothing_lost(base, BASE, err) && nothing_lost(current, CURRENT, err) &&
                all_recorded(base, BASE, err) && all_recorded(current, CURRENT, err) &&
                totals_meant(base, current, err) && same_sampling(base, current, err);
    if (good) {
        const bool memory = has_memory(base) && has_memory(current);
        results_make(base, judging, memory, &before.results);
        results_make(current, judging, memory, &now.results);
        kg_baseline_from_results(&before.results, &baseline);
        kg_compare(&baseline, &now.results, KG_STAGE_PROFILE, comparison);
        good = any_common(comparison, err);
        if (good) {
            overall_add(base, current, comparison);
            notes_add(&before, &now, comparison);
        } else
            kg_comparison_free(comparison);
    }
    kg_baseline_free(&baseline);
    kg_results_free(&before.results);
    kg_results_free(&now.results);
    return good;
}
