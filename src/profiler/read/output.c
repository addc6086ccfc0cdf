/* Functions for a program's own recording: figures, reports, and a report at its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "profiler/read/profile.h"
#include "profiler/record/profiler.h"

static void message_copy(char message[256], const struct kg_error *err)
{
    if (message)
        snprintf(message, 256, "%.255s", err->message);
}

/* --- Figures ---------------------------------------------------------------------------------- */

struct owner {
    struct kgate_profile_results results;
    struct kg_profile profile;
};

static struct kgate_scope_statistics statistics_of(const char *name,
                                                   const struct kg_profile_figures *figures)
{
    return (struct kgate_scope_statistics){
        .name = name,
        .calls = figures->calls,
        .total_ns = figures->total_ns,
        .self_ns = figures->self_ns,
        .mean_ns = figures->mean_ns,
        .min_ns = figures->min_ns,
        .max_ns = figures->max_ns,
        .standard_deviation_ns = figures->standard_deviation_ns,
        .p50_ns = figures->p50_ns,
        .p95_ns = figures->p95_ns,
        .p99_ns = figures->p99_ns,
        .share = figures->share,
        .gpu_ns = figures->gpu_ns,
        .transfer_ns = figures->transfer_ns,
        .cpu_ns = figures->cpu_ns,
        .overhead_ns = figures->overhead_ns,
        .allocated_bytes = figures->allocated_bytes,
        .peak_bytes = figures->peak_bytes,
        .device_peak_bytes = figures->device_peak_bytes,
        .gpu_utilization = kg_profile_gpu_utilization(figures),
        .bytes_per_second = kg_profile_bandwidth(figures),
    };
}

static bool statistics_fill(struct owner *owner, struct kg_error *err)
{
    struct kg_profile *profile = &owner->profile;
    struct kgate_profile_results *results = &owner->results;
    results->paths = kg_arena_alloc(&profile->arena, profile->row_count, sizeof *results->paths);
    results->names = kg_arena_alloc(&profile->arena, profile->name_count, sizeof *results->names);
    if (!results->paths || !results->names)
        return kg_error_memory(err);
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct kg_profile_row *row = &profile->rows[i];
        results->paths[i] = statistics_of(row->path.name, &row->figures);
        results->paths[i].parent = row->path.parent;
        results->paths[i].depth = (unsigned)row->path.depth;
    }
    for (size_t i = 0; i < profile->name_count; i++)
        results->names[i] = statistics_of(profile->names[i].name, &profile->names[i].figures);
    results->path_count = profile->row_count;
    results->name_count = profile->name_count;
    results->wall_ns = profile->wall_ns;
    results->owner = owner;
    return true;
}

struct kgate_profile_results *kgate_profiler_results(struct kgate_profiler *profiler,
                                                     char message[256])
{
    struct kg_error err = {0};
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner) {
        kg_error_memory(&err);
        message_copy(message, &err);
        return NULL;
    }
    const int file = kg_profiler_file(kg_profiler_of(profiler), &owner->results.losses, &err);
    const bool good = file >= 0 &&
                      kg_profile_read_file(file, "the recording", &owner->profile, &err) &&
                      statistics_fill(owner, &err);
    if (file >= 0)
        close(file);
    if (good)
        return &owner->results;
    message_copy(message, &err);
    kg_profile_free(&owner->profile);
    free(owner);
    return NULL;
}

void kgate_profile_results_free(struct kgate_profile_results *results)
{
    if (!results)
        return;
    struct owner *owner = results->owner;
    kg_profile_free(&owner->profile);
    free(owner);
}

/* --- Reports ---------------------------------------------------------------------------------- */

static bool text_report(int file, enum kgate_profile_format format, FILE *output, size_t limit,
                        struct kg_error *err)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    if (!kg_profile_read_file(file, "the recording", &profile, err))
        return false;
    /* It goes on, but its buffers were written for this: nothing is missing. */
    for (size_t i = 0; i < profile.process_count; i++)
        profile.processes[i].complete = true;
    if (format == KGATE_PROFILE_TABLE)
        kg_profile_table(&profile, limit, 0, &text);
    else if (format == KGATE_PROFILE_TREE)
        kg_profile_tree(&profile, limit, 0, &text);
    else
        kg_profile_folded(&profile, &text);
    if (format != KGATE_PROFILE_FOLDED)
        kg_profile_bottlenecks(&profile, &text);
    const bool written = fwrite(kg_text_string(&text), 1, text.length, output) == text.length;
    const bool good = text.failed ? kg_error_memory(err)
                      : written
                          ? true
                          : kg_error_set(err, KG_ERROR_SYSTEM, "cannot write: %s", strerror(errno));
    kg_text_free(&text);
    kg_profile_free(&profile);
    return good;
}

static bool report(int file, enum kgate_profile_format format, FILE *output, size_t limit,
                   struct kg_error *err)
{
    bool good = false;
    switch (format) {
    case KGATE_PROFILE_TABLE:
    case KGATE_PROFILE_TREE:
    case KGATE_PROFILE_FOLDED:
        good = text_report(file, format, output, limit, err);
        break;
    case KGATE_PROFILE_JSON:
        good = kg_profile_json_own(file, "the recording", output, err);
        break;
    case KGATE_PROFILE_TRACE:
        good = kg_profile_trace(file, "the recording", output, err);
        break;
    case KGATE_PROFILE_CSV:
        good = kg_profile_csv(file, "the recording", output, err);
        break;
    default:
        return kg_error_set(err, KG_ERROR_USAGE, "there is no such format");
    }
    if (good && fflush(output) != 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write: %s", strerror(errno));
    return good;
}

bool kgate_profiler_print(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          FILE *file, size_t limit, char message[256])
{
    struct kg_error err;
    struct kgate_profile_losses losses;
    const int recording = kg_profiler_file(kg_profiler_of(profiler), &losses, &err);
    const bool good = recording >= 0 && report(recording, format, file, limit, &err);
    if (recording >= 0)
        close(recording);
    if (!good)
        message_copy(message, &err);
    return good;
}

/* Into a file beside the path, which takes its place once it is complete. */
static bool file_report(struct kgate_profiler *profiler, enum kgate_profile_format format,
                        const char *path, size_t limit, char message[256])
{
    struct kg_file_writing writing;
    struct kg_error err;
    if (!kg_file_begin(&writing, path, &err)) {
        message_copy(message, &err);
        return false;
    }
    const bool printed = kgate_profiler_print(profiler, format, writing.file, limit, message);
    const bool written = kg_file_end(&writing, printed, &err);
    if (printed && !written)
        message_copy(message, &err);
    return written;
}

bool kgate_profiler_write(struct kgate_profiler *profiler, enum kgate_profile_format format,
                          const char *path, size_t limit, char message[256])
{
    return strcmp(path, "-") ? file_report(profiler, format, path, limit, message)
                             : kgate_profiler_print(profiler, format, stdout, limit, message);
}
