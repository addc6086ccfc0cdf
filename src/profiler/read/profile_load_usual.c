#include "profiler/read/profile_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/statistics/stats.h"
#include "profiler/read/profile_sum.h"
#include "profiler/read/scan.h"

/* Limit of a usual call, in medians; least number of calls for a median; most calls kept. */
static const double USUAL = 1.25;
enum { CALLS_LEAST = 5, CALLS_MOST = 1 << 20 };

struct call {
    double start_ns, duration_ns;
};

/* The calls of a process, by start. */
struct process {
    struct call *calls;
    size_t count, capacity;
    double most_ns; /* longer ones are unusual; infinite: none is */
};

struct usual {
    struct process *processes;
    size_t process_count, process_capacity;
    const char **labels; /* per process, until the scan ends */
    size_t label_capacity;
    const char **outermost; /* names of outermost paths, until the scan ends; else NULL */
    size_t path_count, path_capacity;
    struct kg_sum sum;
    struct kg_profile_visitor adding;
};

/* --- The calls ------------------------------------------------------------------------------- */

static bool process_note(void *user, size_t index, const struct kg_profile_process *process,
                         struct kg_error *err)
{
    struct usual *usual = user;
    (void)err;
    kg_grow(&usual->processes, index, &usual->process_capacity, sizeof *usual->processes);
    kg_grow(&usual->labels, index, &usual->label_capacity, sizeof *usual->labels);
    usual->processes[index] = (struct process){.most_ns = INFINITY};
    usual->labels[index] = process->label;
    usual->process_count = index + 1;
    return true;
}

static bool path_note(void *user, size_t index, const struct kg_profile_path *path,
                      struct kg_error *err)
{
    struct usual *usual = user;
    (void)err;
    kg_grow(&usual->outermost, index, &usual->path_capacity, sizeof *usual->outermost);
    usual->outermost[index] = path->parent == index && !path->span ? path->name : NULL;
    usual->path_count = index + 1;
    return true;
}

static bool call_note(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct usual *usual = user;
    struct process *process = &usual->processes[entry->process];
    (void)err;
    const char *label = usual->labels[entry->process], *name = usual->outermost[entry->path];
    if (!label || !name || strcmp(label, name) != 0 || process->count == CALLS_MOST)
        return true;
    kg_grow(&process->calls, process->count, &process->capacity, sizeof *process->calls);
    process->calls[process->count++] = (struct call){entry->start_ns, entry->duration_ns};
    return true;
}

static int by_start(const void *one, const void *other)
{
    const struct call *a = one, *b = other;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void process_judge(struct process *process)
{
    if (process->count < CALLS_LEAST || process->count == CALLS_MOST)
        return;
    double *durations = kg_alloc(2 * process->count, sizeof *durations);
    for (size_t i = 0; i < process->count; i++)
        durations[i] = process->calls[i].duration_ns;
    process->most_ns = USUAL * kg_median_of(durations, process->count, durations + process->count);
    free(durations);
    qsort(process->calls, process->count, sizeof *process->calls, by_start);
}

/* --- Their entries --------------------------------------------------------------------------- */

/* Whether a moment lies in an unusual call. */
static bool is_unusual(const struct process *process, double moment_ns)
{
    size_t low = 0, high = process->count;
    if (isinf(process->most_ns))
        return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (process->calls[middle].start_ns <= moment_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct call *call = &process->calls[low - 1];
    return call->duration_ns > process->most_ns && moment_ns <= call->start_ns + call->duration_ns;
}

static bool entry_pass(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct usual *usual = user;
    return is_unusual(&usual->processes[entry->process], entry->start_ns) ||
           usual->adding.entry(usual->adding.user, entry, err);
}

static bool process_pass(void *user, size_t index, const struct kg_profile_process *process,
                         struct kg_error *err)
{
    const struct kg_profile_visitor *adding = &((struct usual *)user)->adding;
    return adding->process(adding->user, index, process, err);
}

static bool path_pass(void *user, size_t index, const struct kg_profile_path *path,
                      struct kg_error *err)
{
    const struct kg_profile_visitor *adding = &((struct usual *)user)->adding;
    return adding->path(adding->user, index, path, err);
}

static bool end_pass(void *user, size_t index, const struct kg_profile_process *process,
                     struct kg_error *err)
{
    const struct kg_profile_visitor *adding = &((struct usual *)user)->adding;
    return adding->process_end(adding->user, index, process, err);
}

/* --- The whole ------------------------------------------------------------------------------- */

/* Twice over the same bytes, as of a recording that is still being written. */
static bool read_twice(struct usual *usual, int file, const char *path, struct kg_profile *profile,
                       struct kg_error *err)
{
    const struct kg_profile_visitor first = {
        .user = usual, .process = process_note, .path = path_note, .entry = call_note};
    const struct kg_profile_visitor second = {.user = usual,
                                              .process = process_pass,
                                              .path = path_pass,
                                              .entry = entry_pass,
                                              .process_end = end_pass};
    uint64_t size;
    if (!kg_profile_size(file, path, &size, err) ||
        !kg_profile_scan_part(file, path, size, &first, err))
        return false;
    for (size_t i = 0; i < usual->process_count; i++)
        process_judge(&usual->processes[i]);
    usual->adding = kg_sum_visitor(&usual->sum);
    return kg_profile_scan_part(file, path, size, &second, err) &&
           kg_sum_finish(&usual->sum, profile, NULL, err);
}

bool kg_profile_load_usual(const char *path, struct kg_profile *profile, struct kg_error *err)
{
    struct usual usual = {0};
    *profile = (struct kg_profile){0};
    if (!kg_profile_is_recording(path))
        return kg_profile_load(path, profile, err);
    const int file = kg_profile_open(path, err);
    if (file < 0)
        return false;
    const bool good = read_twice(&usual, file, path, profile, err);
    close(file);
    for (size_t i = 0; i < usual.process_count; i++)
        free(usual.processes[i].calls);
    free(usual.processes);
    free(usual.labels);
    free(usual.outermost);
    kg_sum_free(&usual.sum);
    return good;
}
