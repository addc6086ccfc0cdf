/* history_add.c: results files become runs of the history. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "base/statistics/stats.h"
#include "base/text.h"
#include "judge/baseline_store.h"
#include "judge/history/history_writer.h"
#include "model/baseline.h"
#include "model/series.h"

/* Results that become a run. Zero-initialise. */
struct addition {
    struct kg_results results;
    struct kg_arena arena; /* strings of the run */
    struct kg_history_run run;
    char hash[KG_SHA256_DIGITS + 1];
};

/* Splits "v1.7.19-dirty", and asks the repository. */
static void commit_fill(const struct kg_history_add_options *options, struct addition *addition)
{
    static const char dirty[] = "-dirty";
    struct kg_history_run *run = &addition->run;
    const char *named = addition->results.commit;
    const size_t length = named ? strlen(named) : 0, ending = sizeof dirty - 1;
    run->depth = NAN;
    run->branch = addition->results.branch;
    if (!length)
        return;
    run->dirty = length > ending && !strcmp(named + length - ending, dirty);
    run->commit = kg_arena_copy_bytes(&addition->arena, named, length - (run->dirty ? ending : 0));
    if (!options->commit)
        return;
    const struct kg_history_commit commit =
        options->commit(&addition->arena, run->commit, options->user);
    if (!commit.hash)
        return;
    run->commit = commit.hash;
    run->parent = commit.parent;
    run->depth = commit.depth;
}

static void machine_fill(struct addition *addition)
{
    const struct kg_machine *machine = &addition->results.machine;
    struct kg_text facts = {0}, gpus = {0};
    kg_record_compact(&kg_machine_record, machine, &facts);
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (machine->gpus[i].uuid)
            kg_text_printf(&gpus, "%s%s", gpus.length ? " " : "", machine->gpus[i].uuid);
    addition->run.machine = machine->fingerprint;
    addition->run.host = machine->host;
    addition->run.epoch = machine->epoch;
    addition->run.boot = machine->boot;
    addition->run.facts = kg_arena_copy(&addition->arena, kg_text_string(&facts));
    addition->run.gpus = kg_arena_copy(&addition->arena, kg_text_string(&gpus));
    kg_text_free(&facts);
    kg_text_free(&gpus);
}

static bool addition_load(const char *path, const struct kg_history_add_options *options,
                          struct addition *addition, struct kg_error *err)
{
    char resolved[PATH_MAX];
    if (!kg_sha256_file(path, addition->hash))
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read the results file '%.300s'", path);
    if (!kg_results_load(path, &addition->results, err))
        return false;
    const struct kg_results *results = &addition->results;
    addition->run = (struct kg_history_run){
        .hash = addition->hash,
        .suite = results->suite,
        .kind = options->kind,
        .started = results->created,
        .complete = results->complete,
        .kgate_version = results->kgate_version,
        .file = kg_arena_copy(&addition->arena, realpath(path, resolved) ? resolved : path),
    };
    commit_fill(options, addition);
    machine_fill(addition);
    return true;
}

static void addition_free(struct addition *addition)
{
    kg_results_free(&addition->results);
    kg_arena_free(&addition->arena);
}

static unsigned flags_of(const struct kg_results *results, const struct kg_case_result *result)
{
    unsigned flags = 0;
    if (!results->complete)
        flags |= 1u << KG_HISTORY_INCOMPLETE;
    if (result->note)
        flags |= 1u << KG_HISTORY_NOTED;
    for (size_t i = 0; i < result->round_count; i++)
        if (result->rounds[i].throttled)
            flags |= 1u << KG_HISTORY_THROTTLED;
    return flags;
}

/* values  reordered */
static void point_make(double *values, size_t count, struct kg_history_point *point)
{
    kg_sort(values, count);
    const struct kg_location location = kg_location_find(values, count);
    point->value = location.value;
    point->error = sqrt(location.variance / location.count);
    point->deviation = kg_standard_deviation(values, count);
    point->rounds = count;
}

/* Whether the history keeps the series. Time is kept always, other metrics if the suite compares them. */
static bool is_kept(const struct kg_case_result *result, const struct kg_series *series)
{
    return kg_series_compared(result, series) || kg_series_row(series)->timed;
}

static bool case_write(struct kg_history_writer *writer, const struct kg_results *results,
                       const struct kg_case_result *result, const struct kg_baseline_case *judged,
                       struct kg_error *err)
{
    struct kg_history_point point = {.flags = flags_of(results, result), .code = result->code.hash};
    for (size_t i = 0; i < result->series_count; i++) {
        const struct kg_series *series = &result->series[i];
        const struct kg_baseline_series *values =
            kg_baseline_series_find(judged, series->name, series->source);
        if (!values || !is_kept(result, series))
            continue;
        const struct kg_history_series named = {.id_of_case = result->id,
                                                .definition = result->definition_hash,
                                                .metric = series->name,
                                                .source = series->source,
                                                .unit = kg_series_unit(series)};
        point_make(values->values, values->value_count, &point);
        if (isfinite(point.value) && !kg_history_writer_point(writer, &named, &point, err))
            return false;
    }
    return true;
}

/* The judged values of the measured cases, as the store of baselines takes them. */
static bool cases_write(struct kg_history_writer *writer, const struct kg_results *results,
                        struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_baseline_run judged;
    bool good = true;
    size_t next = 0;
    kg_baseline_run_make(&arena, results, &judged);
    for (size_t i = 0; good && i < results->case_count && next < judged.case_count; i++)
        if (results->cases[i].id == judged.cases[next].id)
            good = case_write(writer, results, &results->cases[i], &judged.cases[next++], err);
    kg_arena_free(&arena);
    return good;
}

/* Files with measured code, to keep once their runs are stored. */
struct builds {
    struct kg_arena arena;
    struct kg_measured_file *files;
    size_t count, capacity;
    const char *gone; /* a measured file that is not on this machine; NULL: none */
};

static bool is_new(const struct builds *builds, const struct kg_measured_file *file)
{
    for (size_t i = 0; i < builds->count; i++)
        if (!strcmp(builds->files[i].hash, file->hash))
            return false;
    return true;
}

/* Paired rounds need the builds of the runs that change detection takes. */
static void builds_add(struct builds *builds, const struct kg_results *results,
                       const struct kg_history_add_options *options)
{
    const bool detects = options->kind == KG_HISTORY_COMMIT || options->kind == KG_HISTORY_NIGHTLY;
    for (size_t i = 0; options->store && detects && i < results->file_count; i++) {
        const struct kg_measured_file *file = &results->files[i];
        if (!is_new(builds, file))
            continue;
        if (access(file->path, R_OK) != 0) {
            builds->gone = kg_arena_copy(&builds->arena, file->path);
            continue;
        }
        kg_arena_grow(&builds->arena, &builds->files, builds->count, &builds->capacity,
                      sizeof *builds->files);
        builds->files[builds->count++] =
            (struct kg_measured_file){.hash = kg_arena_copy(&builds->arena, file->hash),
                                      .path = kg_arena_copy(&builds->arena, file->path)};
    }
}

/* Adds a remark to the note. */
__attribute__((format(printf, 2, 3))) static void note_add(struct kg_history_outcome *outcome,
                                                           const char *format, ...)
{
    const size_t length = strlen(outcome->note), room = sizeof outcome->note;
    va_list args;
    if (length + 2 >= room)
        return;
    snprintf(outcome->note + length, room - length, "%s", length ? "; " : "");
    const size_t begin = strlen(outcome->note);
    va_start(args, format);
    vsnprintf(outcome->note + begin, room - begin, format, args);
    va_end(args);
}

/* The runs are stored. If kgate cannot keep their builds, a note gives the reason. */
static void builds_keep(const struct builds *builds, const struct kg_history_add_options *options,
                        struct kg_history_outcome *outcome)
{
    struct kg_builds_outcome kept = {0};
    if (builds->count)
        kg_history_builds_keep(options->store, builds->files, builds->count, options->builds_most,
                               &kept);
    if (*kept.problem)
        note_add(outcome, "builds are not kept: %.200s", kept.problem);
    if (kept.large)
        note_add(outcome, "not kept, because there is no room (--keep-builds): %.150s",
                 kept.first_large);
    if (kept.changed)
        note_add(outcome, "not kept, because the file changed after the measurement: %.150s",
                 kept.first_changed);
    if (kept.removed_history)
        note_add(outcome, "removed %zu older build%s to make room (--keep-builds)",
                 kept.removed_history, kept.removed_history == 1 ? "" : "s");
    if (builds->gone)
        note_add(outcome, "not kept, because the file is not on this machine: %.150s",
                 builds->gone);
}

/* A run of the future makes change detection skip every other run of its machine until then. */
static void future_note(const char *path, const char *started, struct kg_history_outcome *outcome)
{
    static const int64_t CLOCKS_DIFFER = 3600; /* seconds that clocks may differ */
    if (kg_timestamp_seconds(started) > (int64_t)time(NULL) + CLOCKS_DIFFER)
        note_add(outcome,
                 "%.100s is of %.20s, in the future: change detection skips older runs; `kgate "
                 "history prune --run %.20s` removes it",
                 path, started, started);
}

static bool file_add(struct kg_history_writer *writer, const char *path,
                     const struct kg_history_add_options *options, struct builds *builds,
                     struct kg_error *err)
{
    struct addition addition = {0};
    bool present = false;
    bool good = addition_load(path, options, &addition, err) &&
                kg_history_writer_run(writer, &addition.run, &present, err);
    if (good && !present) {
        good = cases_write(writer, &addition.results, err) &&
               kg_history_builds_write(writer, &addition.results, err);
        if (good && !writer->points)
            good = kg_error_set(err, KG_ERROR_USAGE,
                                "'%.300s' has no measured case, so a history cannot take it", path);
        good = good && kg_history_writer_run_end(writer, err);
        if (good)
            future_note(path, addition.run.started, &writer->outcome);
    }
    if (good)
        builds_add(builds, &addition.results, options);
    addition_free(&addition);
    return good;
}

bool kg_history_add(struct kg_history_database *database, const char *const *paths, size_t count,
                    const struct kg_history_add_options *options,
                    struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct kg_history_writer *writer = kg_alloc(1, sizeof *writer);
    struct builds builds = {0};
    *outcome = (struct kg_history_outcome){0};
    bool good = kg_history_writer_open(writer, database, err);
    for (size_t i = 0; good && i < count; i++)
        good = file_add(writer, paths[i], options, &builds, err);
    good = kg_history_writer_close(writer, good, err);
    if (good) {
        *outcome = writer->outcome;
        builds_keep(&builds, options, outcome);
    }
    kg_arena_free(&builds.arena);
    free(writer);
    return good;
}
