#include "judge/baseline_store.h"

/* baseline_store.c: changes to the store: read, change and write back under the store's lock. The builds beside the
 * store have their own lock. Copying builds takes long, and a writer of runs must not wait for the copy. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/file_lock.h"
#include "judge/build_names.h"
#include "judge/renewal.h"
#include "model/baseline_index.h"
#include "model/stored_runs.h"
#include "model/stored_traits.h"

struct change {
    const struct kg_results *results;
    const struct kg_baseline_options *options;
    struct kg_error *err;
};

static int folder_lock(const char *folder, const struct kg_lock_wait *wait, struct kg_error *err)
{
    char path[PATH_MAX];
    if (!kg_directory_make(folder, err))
        return -1;
    if (snprintf(path, sizeof path, "%s/.lock", folder) >= PATH_MAX) {
        kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", folder);
        return -1;
    }
    return kg_file_lock(path, kg_lock_seconds(), wait, err);
}

/* Locks before it reads the names, so that a run stored later keeps its own build. */
static int builds_lock(const char *directory, struct kg_build_names *names, struct kg_error *err)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s/builds", directory) >= PATH_MAX) {
        kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
        return -1;
    }
    const int lock = folder_lock(folder, NULL, err);
    if (lock < 0 || kg_build_names_read(directory, names, err))
        return lock;
    kg_file_unlock(lock);
    return -1;
}

static struct kg_baseline_run *newest_ordinary(const struct kg_baseline *baseline,
                                               const char *suite)
{
    for (size_t i = baseline->run_count; i-- > 0;)
        if (!baseline->runs[i].pin && !strcmp(baseline->runs[i].suite, suite))
            return &baseline->runs[i];
    return NULL;
}

/* Leaves in `run` only the cases that no run of the suite has with this definition. */
static void run_keep_missing(const struct kg_baseline *baseline, struct kg_baseline_run *run)
{
    size_t kept = 0;
    struct kg_arena scratch = {0};
    struct kg_baseline_index index;
    kg_baseline_index_make(&scratch, baseline, run->suite, true, &index);
    for (size_t i = 0; i < run->case_count; i++)
        if (!kg_baseline_index_find(&index, run->cases[i].id, run->cases[i].definition_hash))
            run->cases[kept++] = run->cases[i];
    run->case_count = kept;
    kg_arena_free(&scratch);
}

/* The comparison describes changes against the newest ordinary run and the pins only. Features of older ordinary runs
 * would only make the file larger. */
static void older_traits_drop(struct kg_baseline *baseline, const char *suite)
{
    for (size_t i = 0; i < baseline->run_count; i++)
        if (!baseline->runs[i].pin && !strcmp(baseline->runs[i].suite, suite))
            kg_stored_traits_drop(&baseline->runs[i]);
}

static void run_append(struct kg_baseline *baseline, const struct kg_baseline_run *run)
{
    struct kg_baseline_run *runs =
        kg_arena_alloc(&baseline->arena, baseline->run_count + 1, sizeof *runs);
    if (baseline->run_count)
        memcpy(runs, baseline->runs, baseline->run_count * sizeof *runs);
    runs[baseline->run_count++] = *run;
    baseline->runs = runs;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Puts new cases into a run. Each replaces the case of the same id, whose definition differs. */
static void run_extend(struct kg_arena *arena, struct kg_baseline_run *into,
                       struct kg_baseline_run *from)
{
    struct kg_baseline_case *cases =
        kg_arena_alloc(arena, into->case_count + from->case_count, sizeof *cases);
    const char **ids = kg_arena_alloc(arena, from->case_count, sizeof *ids);
    size_t count = 0;
    kg_stored_traits_adopt(arena, into, from);
    for (size_t j = 0; j < from->case_count; j++)
        ids[j] = from->cases[j].id;
    qsort(ids, from->case_count, sizeof *ids, compare_strings);
    for (size_t i = 0; i < into->case_count; i++)
        if (!bsearch(&into->cases[i].id, ids, from->case_count, sizeof *ids, compare_strings))
            cases[count++] = into->cases[i];
    for (size_t j = 0; j < from->case_count; j++)
        cases[count++] = from->cases[j];
    into->cases = cases;
    into->case_count = count;
}

/* Removes ordinary runs of `suite` (NULL: of every suite) but the last `keep`. */
static size_t ordinary_prune(struct kg_baseline *baseline, const char *suite, size_t keep)
{
    size_t kept = 0, removed = 0;
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        size_t newer = 0;
        for (size_t j = i + 1; j < baseline->run_count; j++)
            newer += !baseline->runs[j].pin && !strcmp(baseline->runs[j].suite, run->suite);
        if (!run->pin && newer >= keep && (!suite || !strcmp(run->suite, suite)))
            removed++;
        else
            baseline->runs[kept++] = *run;
    }
    baseline->run_count = kept;
    return removed;
}

static bool pin_free(const struct kg_baseline *baseline, const char *suite, const char *pin,
                     struct kg_error *err)
{
    for (size_t i = 0; pin && i < baseline->run_count; i++)
        if (baseline->runs[i].pin && !strcmp(baseline->runs[i].pin, pin) &&
            !strcmp(baseline->runs[i].suite, suite))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "there is a pinned run '%s' already; remove it first with `kgate "
                                "baseline prune --pin %s`, or choose another name",
                                pin, pin);
    return true;
}

/* If a run counted twice, two equal runs would make the noise between runs look small. The user may pin a run that is
 * also an ordinary run. */
static bool run_is_new(const struct kg_baseline *baseline, const struct kg_baseline_run *run,
                       struct kg_error *err)
{
    for (size_t i = 0; i < baseline->run_count && !run->pin; i++)
        if (!baseline->runs[i].pin && kg_stored_run_same(&baseline->runs[i], run))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "the baseline already has this run of %s. Stored twice it would "
                                "look like two runs that agree; measure again with `kgate run`",
                                run->created);
    return true;
}

/* Adds the results to the loaded baseline. Writes no file. */
static bool change_apply(const struct change *change, struct kg_baseline *baseline, size_t *added)
{
    const struct kg_results *results = change->results;
    const struct kg_baseline_options *options = change->options;
    struct kg_baseline_run run;
    if (!pin_free(baseline, results->suite, options->pin, change->err))
        return false;
    kg_baseline_run_make(&baseline->arena, results, &run);
    run.pin = options->pin;
    kg_renewals_mark(baseline, options->waivers, &run, options->pin ? NULL : options->renewals);
    if (options->missing_only)
        run_keep_missing(baseline, &run);
    if (!options->missing_only && !run_is_new(baseline, &run, change->err))
        return false;
    *added = run.case_count;
    if (!run.case_count)
        return true;
    struct kg_baseline_run *newest =
        options->missing_only ? newest_ordinary(baseline, results->suite) : NULL;
    if (!newest && !options->pin)
        older_traits_drop(baseline, results->suite);
    if (newest)
        run_extend(&baseline->arena, newest, &run);
    else
        run_append(baseline, &run);
    baseline->fingerprint = results->machine.fingerprint;
    baseline->machine = results->machine;
    if (!options->missing_only) /* missing_only never removes runs */
        ordinary_prune(baseline, results->suite, options->keep);
    return true;
}

/* The caller holds the lock. kgate checks the baseline first: a file that does not load fails every later gate of the
 * machine. */
static bool baseline_save(const struct kg_baseline *baseline, const char *path,
                          struct kg_error *err)
{
    if (!kg_baseline_validate(baseline, err)) {
        err->kind = KG_ERROR_SYSTEM;
        return kg_error_wrap(err, "the new baseline could not be read back");
    }
    kg_file_sweep(path);
    return kg_record_save(&kg_baseline_record, baseline, KG_BASELINE_SCHEMA, path, err);
}

static bool results_fit(const struct kg_results *results, const struct kg_baseline_options *options,
                        struct kg_error *err)
{
    size_t measured = 0, unchanged = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        measured += results->cases[i].status == KG_STATUS_OK;
        unchanged += results->cases[i].status == KG_STATUS_UNCHANGED;
    }
    if (!options->missing_only && unchanged)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "%zu case%s of these results %s not measured, because the code is "
                            "unchanged; measure the whole suite with `kgate run`",
                            unchanged, unchanged == 1 ? "" : "s", unchanged == 1 ? "was" : "were");
    if (!measured)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "no case of these results was measured: there is nothing to record");
    if (!options->missing_only && results->filter)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "these results leave cases out (%s): as a baseline they would make "
                            "the others look REMOVED; measure the whole suite",
                            results->filter);
    if (results->mixed)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "these results are of several kinds of machine; merge the shards of "
                            "each kind apart");
    if (!options->missing_only && !results->complete)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "these results are of an interrupted run; measure the whole suite");
    return true;
}

/* Builds of stored runs, and other files that count as used. */
struct used_builds {
    struct kg_build_names names;
    const struct kg_measured_file *files;
    size_t count;
};

static enum kg_build_use used_builds_use(const void *of, const char *hash)
{
    const struct used_builds *used = of;
    const enum kg_build_use use = kg_build_names_use(&used->names, hash);
    for (size_t i = 0; use == KG_BUILD_UNUSED && i < used->count; i++)
        if (!strcmp(used->files[i].hash, hash))
            return KG_BUILD_USED;
    return use;
}

/* Marks the kept files for the history. */
static bool files_mark(const char *directory, const struct kg_measured_file *files, size_t count,
                       struct kg_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (kg_builds_has(directory, files[i].hash) &&
            !kg_builds_mark(directory, files[i].hash, err))
            return false;
    return true;
}

/* If kgate cannot keep the builds, outcome->problem gives the reason. */
static void builds_keep(const char *directory, struct used_builds *used,
                        const struct kg_measured_file *files, size_t count, double most,
                        struct kg_builds_outcome *outcome)
{
    struct kg_error err;
    *outcome = (struct kg_builds_outcome){0};
    const struct kg_build_uses uses = {used_builds_use, used};
    const int lock = builds_lock(directory, &used->names, &err);
    if (lock < 0 || !kg_builds_keep(directory, files, count, most, &uses, outcome, &err) ||
        !files_mark(directory, used->files, used->count, &err))
        snprintf(outcome->problem, sizeof outcome->problem, "%.500s", err.message);
    kg_file_unlock(lock);
    kg_build_names_free(&used->names);
}

void kg_history_builds_keep(const char *directory, const struct kg_measured_file *files,
                            size_t count, double most, struct kg_builds_outcome *outcome)
{
    struct used_builds used = {.files = files, .count = count};
    builds_keep(directory, &used, files, count, most, outcome);
}

bool kg_baseline_update(const char *directory, const struct kg_results *results,
                        const struct kg_baseline_options *options, size_t *added,
                        struct kg_error *err)
{
    const struct change change = {.results = results, .options = options, .err = err};
    struct kg_baseline baseline = {0};
    struct kg_arena arena = {0};
    size_t count = 0;
    if (!results_fit(results, options, err) ||
        !kg_fingerprint_check("machine.fingerprint", results->machine.fingerprint, err))
        return false;
    char *path = kg_baseline_path(&arena, directory, results->machine.fingerprint);
    const int lock = folder_lock(directory, options->wait, err);
    bool good = lock >= 0;
    good = good && kg_baseline_load(path, &baseline, err) &&
           change_apply(&change, &baseline, &count) &&
           (count == 0 || baseline_save(&baseline, path, err));
    kg_file_unlock(lock);
    struct used_builds used = {0};
    if (good && count && options->builds && options->builds_most > 0)
        builds_keep(directory, &used, results->files, results->file_count, options->builds_most,
                    options->builds);
    kg_baseline_free(&baseline);
    kg_arena_free(&arena);
    if (added)
        *added = good ? count : 0;
    return good;
}

static size_t pin_prune(struct kg_baseline *baseline, const char *pin, const char *suite)
{
    size_t kept = 0;
    const size_t before = baseline->run_count;
    for (size_t i = 0; i < before; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (!run->pin || strcmp(run->pin, pin) != 0 || (suite && strcmp(run->suite, suite) != 0))
            baseline->runs[kept++] = *run;
    }
    baseline->run_count = kept;
    return before - kept;
}

/* Appends the ordinary runs to an error text: "2026-01-31T12:00:00Z of suite kernels".
 * time  prefix of the runs' times; NULL: all runs */
static void runs_name(const struct kg_baseline *baseline, const char *suite, const char *time,
                      struct kg_text *text)
{
    enum { MOST = 8 };
    size_t count = 0;
    for (size_t i = baseline->run_count; i-- > 0;) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (run->pin || (suite && strcmp(run->suite, suite) != 0) ||
            (time && strncmp(run->created, time, strlen(time)) != 0) || ++count > MOST)
            continue;
        kg_text_printf(text, "%s%s of suite %.60s", count > 1 ? ", " : "", run->created,
                       run->suite);
    }
    if (count > MOST)
        kg_text_printf(text, " and %zu older ones", count - MOST);
    kg_text_append(text, count ? "" : "none");
}

/* Reports why `--run` selects no single ordinary run.
 * count  number of ordinary runs with that time
 * pin    pin of a pinned run with that time, or NULL */
static bool run_refuse(const struct kg_baseline *baseline, const struct kg_prune_options *options,
                       size_t count, const char *pin, struct kg_error *err)
{
    struct kg_text runs = {0};
    runs_name(baseline, options->suite, count ? options->run : NULL, &runs);
    if (count)
        kg_error_set(err, KG_ERROR_USAGE,
                     "--run %.40s fits %zu runs: %.600s; give the whole time, and --only-suite if "
                     "two suites have it",
                     options->run, count, kg_text_string(&runs));
    else if (pin)
        kg_error_set(err, KG_ERROR_USAGE,
                     "--run does not remove the pinned run of %.40s; use `kgate baseline prune "
                     "--pin %.100s`",
                     options->run, pin);
    else
        kg_error_set(err, KG_ERROR_USAGE, "no run has the time %.40s; the ordinary runs: %.600s",
                     options->run, kg_text_string(&runs));
    kg_text_free(&runs);
    return false;
}

/* Removes the ordinary run whose time begins with options->run. More than one such run is an error. */
static bool run_prune(struct kg_baseline *baseline, const struct kg_prune_options *options,
                      struct kg_error *err)
{
    size_t count = 0, chosen = 0;
    const char *pin = NULL;
    for (size_t i = 0; i < baseline->run_count; i++) {
        const struct kg_baseline_run *run = &baseline->runs[i];
        if (strncmp(run->created, options->run, strlen(options->run)) != 0 ||
            (options->suite && strcmp(run->suite, options->suite) != 0))
            continue;
        if (run->pin) {
            pin = run->pin;
        } else {
            chosen = i;
            count++;
        }
    }
    if (count != 1)
        return run_refuse(baseline, options, count, pin, err);
    baseline->run_count--;
    memmove(baseline->runs + chosen, baseline->runs + chosen + 1,
            (baseline->run_count - chosen) * sizeof *baseline->runs);
    return true;
}

/* count  number of removed runs */
static bool runs_prune(struct kg_baseline *baseline, const char *path,
                       const struct kg_prune_options *options, size_t *count, struct kg_error *err)
{
    if (options->run) {
        *count = 1;
        return run_prune(baseline, options, err);
    }
    if (!options->pin) {
        *count = ordinary_prune(baseline, options->suite, options->keep);
        return true;
    }
    *count = pin_prune(baseline, options->pin, options->suite);
    return *count ||
           kg_error_set(err, KG_ERROR_USAGE, "'%s' has no run pinned as '%s'", path, options->pin);
}

static bool builds_prune(const char *directory, double most, struct kg_builds_outcome *outcome,
                         struct kg_error *err)
{
    struct kg_build_names names = {0};
    const struct kg_build_uses uses = {kg_build_names_use, &names};
    *outcome = (struct kg_builds_outcome){0};
    if (!kg_builds_any(directory))
        return true;
    const int lock = builds_lock(directory, &names, err);
    const bool good = lock >= 0 && kg_builds_prune(directory, most, &uses, outcome, err);
    kg_file_unlock(lock);
    kg_build_names_free(&names);
    return good;
}

bool kg_baseline_prune(const char *directory, const char *fingerprint,
                       const struct kg_prune_options *options, struct kg_prune_outcome *outcome,
                       struct kg_error *err)
{
    struct kg_baseline baseline = {0};
    struct kg_arena arena = {0};
    size_t count = 0;
    if (!kg_fingerprint_check("the machine", fingerprint, err))
        return false;
    char *path = kg_baseline_path(&arena, directory, fingerprint);
    const int lock = folder_lock(directory, NULL, err);
    bool good = lock >= 0;
    *outcome = (struct kg_prune_outcome){0};
    good = good && kg_baseline_load(path, &baseline, err);
    if (good && !baseline.fingerprint)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "there is no baseline '%s'; `kgate baseline record` makes one", path);
    good = good && runs_prune(&baseline, path, options, &count, err);
    if (good && count)
        good = baseline_save(&baseline, path, err);
    kg_file_unlock(lock);
    good = good && builds_prune(directory, options->builds_most, &outcome->builds, err);
    kg_baseline_free(&baseline);
    kg_arena_free(&arena);
    outcome->runs = good ? count : 0;
    return good;
}
