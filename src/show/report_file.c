/* report_file.c: opens a saved file for a report: detects its kind, and loads the parts that its format needs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/record.h"
#include "profiler/read/profile.h"
#include "profiler/read/profile_load.h"
#include "show/format_parts.h"
#include "why/suggest.h"

/* --- Kinds of files --------------------------------------------------------------------------- */

/* Keeps the matching cases. */
static bool results_filter(const char *filter, struct kg_results *results, struct kg_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (kg_filter_matches(filter, result->id, result->tags, result->tag_count))
            results->cases[kept++] = *result;
    }
    results->case_count = kept;
    results->filter = kg_arena_printf(&results->arena, "--filter %s", filter);
    return kept || kg_error_set(err, KG_ERROR_USAGE,
                                "no case of the results matches --filter %.200s", filter);
}

bool kg_report_results_prepare(const struct kg_report_request *request, struct kg_report_file *file,
                               struct kg_error *err)
{
    const char *against = request->sweep.by ? NULL : request->sweep.against;
    struct kg_sweep_cell *references = NULL;
    /* a format of the recording filters its processes instead */
    const char *filter = file->format->recording ? NULL : request->filter;
    if ((filter && !results_filter(filter, &file->results, err)) ||
        !kg_columns_read(request->columns, &file->columns, err) ||
        (against && !strcmp(file->format->name, "csv") &&
         !kg_sweep_references(&file->arena, &file->results, against, &references, err)))
        return false;
    file->subject.references = references;
    if (request->sweep.by && (file->format->document || file->format->page)) {
        if (!kg_sweeps_find(&file->arena, &file->results, &request->sweep, &file->sweeps, err))
            return false;
        file->subject.sweeps = &file->sweeps;
        file->subject.sweep = &request->sweep;
    }
    file->subject.results = &file->results;
    file->subject.style.columns = request->columns ? &file->columns : NULL;
    return true;
}

static bool results_load(const struct kg_report_request *request, struct kg_report_file *file,
                         struct kg_error *err)
{
    return kg_results_load(request->path, &file->results, err) &&
           kg_report_results_prepare(request, file, err);
}

/* Loads the suggestions beside a comparison, if both were created at the same moment. */
static bool suggestions_beside(const char *path, struct kg_report_file *file)
{
    struct kg_error ignored;
    const char *slash = strrchr(path, '/');
    const char *beside = kg_arena_printf(&file->arena, "%.*ssuggestions.json",
                                         slash ? (int)(slash + 1 - path) : 0, path);
    return access(beside, R_OK) == 0 && kg_suggestions_load(beside, &file->suggestions, &ignored) &&
           !strcmp(file->suggestions.created, file->comparison.created);
}

static bool comparison_load(const struct kg_report_request *request, struct kg_report_file *file,
                            struct kg_error *err)
{
    if (!kg_comparison_load(request->path, &file->comparison, err))
        return false;
    file->subject.comparison = &file->comparison;
    if (suggestions_beside(request->path, file))
        file->subject.suggestions = &file->suggestions;
    return true;
}

static bool suggestions_load(const struct kg_report_request *request, struct kg_report_file *file,
                             struct kg_error *err)
{
    file->subject.suggestions = &file->suggestions;
    return kg_suggestions_load(request->path, &file->suggestions, err);
}

static bool calibration_load(const struct kg_report_request *request, struct kg_report_file *file,
                             struct kg_error *err)
{
    file->subject.calibration = &file->calibration;
    return kg_record_load(&kg_calibration_record, KG_CALIBRATION_SCHEMA, request->path,
                          &file->calibration.arena, &file->calibration, err);
}

static bool bisect_load(const struct kg_report_request *request, struct kg_report_file *file,
                        struct kg_error *err)
{
    file->subject.bisect = &file->bisect;
    return kg_bisect_load(request->path, &file->bisect.arena, &file->bisect, err);
}

static bool baseline_load(const struct kg_report_request *request, struct kg_report_file *file,
                          struct kg_error *err)
{
    file->subject.baseline = &file->baseline;
    return kg_baseline_load(request->path, &file->baseline, err);
}

static bool history_load(const struct kg_report_request *request, struct kg_report_file *file,
                         struct kg_error *err)
{
    file->subject.history = &file->history;
    file->subject.top = request->top;
    return kg_history_load(request->path, &file->history, err);
}

/* The first kind is the default, because a journal is lines of JSON, not one document, and has no schema. */
static const struct kind {
    const char *schema;
    bool (*load)(const struct kg_report_request *request, struct kg_report_file *file,
                 struct kg_error *err);
} kinds[] = {
    {KG_RESULTS_SCHEMA, results_load},         {KG_COMPARISON_SCHEMA, comparison_load},
    {KG_SUGGESTIONS_SCHEMA, suggestions_load}, {KG_CALIBRATION_SCHEMA, calibration_load},
    {KG_BASELINE_SCHEMA, baseline_load},       {KG_BISECT_SCHEMA, bisect_load},
    {KG_HISTORY_SCHEMA, history_load},
};

static const struct kind *kind_of(const char *path)
{
    char schema[64];
    struct kg_error ignored;
    if (kg_schema_peek(path, schema, &ignored))
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            if (kg_schema_is(kinds[i].schema, schema))
                return &kinds[i];
    return &kinds[0];
}

/* --- Profiles --------------------------------------------------------------------------------- */

static bool json_scan(const struct kg_profile_source *source,
                      const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    return kg_profile_json_scan(source->path, visitor, err);
}

/* Replaces the recording by a temporary recording of the matching processes. */
static bool recording_filter(const char *path, const char *filter, int *recording,
                             struct kg_error *err)
{
    FILE *part = tmpfile();
    const int copy = part ? fcntl(fileno(part), F_DUPFD_CLOEXEC, 0) : -1;
    const bool good = copy >= 0 ? kg_profile_filter(*recording, path, filter, copy, err)
                                : kg_error_set(err, KG_ERROR_SYSTEM,
                                               "cannot make a temporary file: %s", strerror(errno));
    if (part)
        fclose(part);
    close(*recording);
    *recording = copy;
    return good;
}

static bool source_open(const char *path, const char *filter, struct kg_report_file *file,
                        struct kg_error *err)
{
    if (!kg_profile_is_recording(path)) {
        file->subject.source =
            (struct kg_profile_source){.scan = json_scan, .path = path, .file = -1};
        return !filter || kg_error_set(err, KG_ERROR_USAGE,
                                       "a JSON profile has only sums; give --filter the recording");
    }
    file->recording = kg_file_open(path, err);
    if (file->recording < 0)
        return false;
    if (filter && !recording_filter(path, filter, &file->recording, err))
        return false;
    file->subject.source = kg_profile_source_file(file->recording, path);
    return true;
}

/* Adds bottlenecks and suggestions of the profile, of the results, or of both. */
static void advise(const struct kg_report_request *request, struct kg_report_file *file)
{
    const struct kg_suggest_input input = {.source = request->path,
                                           .results = file->subject.results,
                                           .profile = file->subject.profile};
    kg_suggest(&input, &file->suggestions);
    file->subject.suggestions = &file->suggestions;
}

/* Opens a profile. A `stream` format reads the entries itself; other formats need the summed figures. */
static bool profile_open(const struct kg_report_request *request, const char *path,
                         struct kg_report_file *file, struct kg_error *err)
{
    if (!source_open(path, request->filter, file, err))
        return false;
    file->subject.top = request->top;
    if (file->format->stream)
        return true;
    if (!(file->recording < 0 ? kg_profile_load(path, &file->profile, err)
                              : kg_profile_read_file(file->recording, path, &file->profile, err)))
        return false;
    file->subject.profile = &file->profile;
    if (file->format->need == KG_REPORT_ADVICE)
        advise(request, file);
    return true;
}

/* Opens the recording that the results name. */
static bool beside_open(const struct kg_report_request *request, struct kg_report_file *file,
                        struct kg_error *err)
{
    const char *name = file->format->name;
    if (!file->results.profile)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "'%.300s' has no profile for --format %s; `kgate run --profile` makes one",
            request->path, name);
    const char *beside = kg_results_recording(&file->arena, request->path, &file->results);
    if (access(beside, R_OK) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "the profile '%.300s' of these results is gone",
                            file->results.profile);
    file->format = kg_report_format_find(KG_PROFILE_SCHEMA, name, err);
    return file->format && profile_open(request, beside, file, err);
}

/* For a report with suggestions: reads the recording that the results name. A missing or unreadable recording is no
 * error. */
static void results_advise(const struct kg_report_request *request, struct kg_report_file *file)
{
    struct kg_error ignored;
    const char *beside = kg_results_recording(&file->arena, request->path, &file->results);
    if (beside && access(beside, R_OK) == 0 && kg_profile_load(beside, &file->profile, &ignored))
        file->subject.profile = &file->profile;
    advise(request, file);
}

/* For the page: opens the recording that the results name. A missing recording is no error. */
static bool recording_add(struct kg_report_file *file, const char *path, struct kg_error *err)
{
    if (!file->results.profile)
        return true;
    const char *beside = kg_results_recording(&file->arena, path, &file->results);
    return access(beside, R_OK) != 0 || !kg_profile_is(beside) ||
           source_open(beside, NULL, file, err);
}

bool kg_report_options_check(const struct kg_report_request *request, bool results,
                             struct kg_error *err)
{
    const char *name = request->format ? request->format : "text";
    const struct kg_sweep_request *sweep = &request->sweep;
    const char *option = request->columns ? "columns"
                         : sweep->by      ? "by"
                         : sweep->across  ? "across"
                         : sweep->against ? "against"
                                          : NULL;
    const bool picture = !strcmp(name, "png") || !strcmp(name, "svg");
    if (request->plot && !picture)
        return kg_error_set(err, KG_ERROR_USAGE, "--plot is for --format png or svg");
    if (!option || (results && picture && !request->columns && !sweep->across))
        return true;
    if (results && !strcmp(name, "csv") && sweep->against && !sweep->by && !sweep->across &&
        !request->columns)
        return true;
    if (!results || (strcmp(name, "text") != 0 && strcmp(name, "markdown") != 0))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--%s is for results, with --format text or markdown", option);
    if (!sweep->by && (sweep->across || sweep->against))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--%s needs --by: the parameter whose values are the rows", option);
    return true;
}

/* --- Opening ---------------------------------------------------------------------------------- */

bool kg_report_file_open(const struct kg_report_request *request, struct kg_report_file *file,
                         struct kg_error *err)
{
    *file = (struct kg_report_file){.recording = -1,
                                    .subject = {.style = request->style,
                                                .axis = &request->sweep,
                                                .plot = request->plot,
                                                .top = KG_REPORT_TOP_USUAL}};
    if (!kg_profile_or_json(request->path, err))
        return false;
    const bool profile = kg_profile_is(request->path);
    const struct kind *kind = profile ? NULL : kind_of(request->path);
    if (!kg_report_options_check(request, !profile && kind == &kinds[0], err))
        return false;
    file->format =
        kg_report_format_find(profile ? KG_PROFILE_SCHEMA : kind->schema, request->format, err);
    if (!file->format)
        return false;
    if (profile)
        return profile_open(request, request->path, file, err);
    const bool beside = file->format->recording;
    if (request->filter && kind != &kinds[0])
        return kg_error_set(err, KG_ERROR_USAGE, "--filter is for results and profiles");
    if (!kind->load(request, file, err) || (beside && !beside_open(request, file, err)) ||
        (file->format->need == KG_REPORT_PAGE && !recording_add(file, request->path, err)))
        return false;
    if (kind == &kinds[0] && !beside && file->format->need == KG_REPORT_ADVICE)
        results_advise(request, file);
    return true;
}

void kg_report_file_close(struct kg_report_file *file)
{
    if (file->recording >= 0)
        close(file->recording);
    for (size_t i = 0; i < file->machine_count; i++)
        kg_results_free(&file->machines[i]);
    kg_profile_free(&file->profile);
    kg_history_free(&file->history);
    kg_baseline_free(&file->baseline);
    kg_calibration_free(&file->calibration);
    kg_bisect_free(&file->bisect);
    kg_suggestions_free(&file->suggestions);
    kg_comparison_free(&file->comparison);
    kg_results_free(&file->results);
    kg_arena_free(&file->arena);
}
