#include "profiler/read/profile.h"

#include <math.h>

#include "profiler/read/path_texts.h"
#include "profiler/record/losses.h"

const char *const kg_scope_kind_names[KG_SCOPE_KINDS + 1] = {"compute", "transfer", "profiler",
                                                             "wait",    "parallel", NULL};

void kg_profile_free(struct kg_profile *profile)
{
    kg_arena_free(&profile->arena);
    *profile = (struct kg_profile){0};
}

double kg_profile_imbalance(const struct kg_profile_figures *figures)
{
    return figures->threads_most > 1 && figures->even_thread_ns > 0
               ? figures->busiest_thread_ns / figures->even_thread_ns
               : NAN;
}

double kg_profile_bandwidth(const struct kg_profile_figures *figures)
{
    const double gpu_ns = figures->gpu_ns + figures->transfer_ns;
    const double ns = gpu_ns > 0 ? gpu_ns : figures->total_ns;
    return figures->bytes && ns > 0 ? (double)figures->bytes / ns * 1e9 : NAN;
}

double kg_profile_gpu_utilization(const struct kg_profile_figures *figures)
{
    /* No machine has so many streams at work; a scope that only launches is over long before. */
    static const double MOST = 10;
    const double share = figures->gpu_ns / figures->total_ns;
    return figures->gpu_ns > 0 && figures->total_ns > 0 && share <= MOST ? share : NAN;
}

struct kgate_profile_losses kg_profile_losses(const struct kg_profile *profile)
{
    struct kgate_profile_losses sum = {0};
    for (size_t i = 0; i < profile->process_count; i++)
        kg_losses_add(&sum, &profile->processes[i].losses);
    return sum;
}

static void path_append(struct kg_text *text, const struct kg_profile *profile, size_t row)
{
    const struct kg_profile_path *path = &profile->rows[row].path;
    if (path->parent != row) {
        path_append(text, profile, path->parent);
        kg_text_append(text, ";");
    }
    kg_path_name_append(text, path->name);
}

const char *kg_profile_path_text(struct kg_arena *arena, const struct kg_profile *profile,
                                 size_t row)
{
    struct kg_text text = {0};
    path_append(&text, profile, row);
    const char *copy = text.failed ? NULL : kg_arena_copy_bytes(arena, text.data, text.length);
    kg_text_free(&text);
    return copy;
}

static bool source_scan(const struct kg_profile_source *source,
                        const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    return kg_profile_scan_file(source->file, source->path, visitor, err);
}

struct kg_profile_source kg_profile_source_file(int file, const char *path)
{
    return (struct kg_profile_source){.scan = source_scan, .path = path, .file = file};
}
