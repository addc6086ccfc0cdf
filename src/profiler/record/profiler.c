/* Starting, ending and reading recordings. */
#include "profiler/record/profiler.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/record/nvtx.h"
#include "profiler/record/region.h"
#include "profiler/record/thread_hot.h"

enum { ENTRIES_LEAST = 64, ENTRIES_USUAL = 1024, ENTRIES_MOST = 1 << 20 };
static const uint64_t FILE_BYTES_USUAL = UINT64_C(4) << 30;
/* How long the end of a recording waits for a GPU time. */
static const double GPU_WAIT_NS = 1e9;

struct kgate_profiler kg_process_wide = {.recorder.file = -1};

void kg_profiler_enabled_set(struct kgate_profiler *profiler, bool enabled)
{
    __atomic_store_n(profiler->slot ? &profiler->enabled : &kgate_profiling, enabled,
                     __ATOMIC_RELAXED);
}

/* --- Starting --------------------------------------------------------------------------------- */

/* The cost of a scope for the scope around it: the least of several batches. */
static double scope_cost_measure(double ns_per_tick)
{
    enum { BATCHES = 5, SCOPES = 200, ENTRIES = 1024 };
    static struct kgate_site site = {"(profiler)",         NULL, NULL, 0, KGATE_DEVICE_CPU,
                                     KGATE_SCOPE_PROFILER, 0};
    struct kgate_profiler_thread *thread = kg_thread_new(ENTRIES);
    uint64_t least = UINT64_MAX;
    if (!thread)
        return NAN;
    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t start = kg_ticks();
        for (int i = 0; i < SCOPES; i++) {
            const struct kgate_scope scope = kg_thread_begin(thread, &site, 0);
            kg_thread_finish(thread, scope.depth, kg_ticks(), 0);
        }
        const uint64_t took = kg_ticks() - start;
        least = took < least ? took : least;
    }
    kg_thread_free(thread);
    return (double)least / SCOPES * ns_per_tick;
}

static bool fail(char message[256], const char *text)
{
    if (message)
        snprintf(message, 256, "%.255s", text);
    return false;
}

/* Gives options that are 0 their default values. */
static bool options_complete(struct kgate_profiler_options *options, char message[256])
{
    if (options->sample == 0)
        options->sample = 1;
    if (options->buffer_entries == 0)
        options->buffer_entries = ENTRIES_USUAL;
    if (options->file_bytes_most == 0)
        options->file_bytes_most = FILE_BYTES_USUAL;
    if (!(options->sample > 0 && options->sample <= 1))
        return fail(message, "the sampled share must be above 0 and at most 1");
    if (options->buffer_entries < ENTRIES_LEAST || options->buffer_entries > ENTRIES_MOST ||
        (options->buffer_entries & (options->buffer_entries - 1)) != 0)
        return fail(message, "a buffer has 64 to 1048576 entries, a power of two");
    if (options->path && strlen(options->path) + 32 > sizeof((struct kg_recorder *)NULL)->pattern)
        return fail(message, "the recording's path is too long");
    options->nvtx = kg_nvtx_wanted(options->nvtx);
    return true;
}

static bool registry_prepare(char message[256])
{
    if (kg_registry.prepared)
        return true;
    if (!kg_registry_prepare())
        return fail(message, "no thread-local key is left, or no memory");
    kg_ticks_start();
    kg_registry.scope_cost_ns = scope_cost_measure(kg_ticks_estimate());
    kg_registry.prepared = true;
    return true;
}

/* Replaces the profiler's recorder once the new file exists. So a failed start keeps the recording
 * before. */
static bool recorder_start(struct kgate_profiler *profiler, struct kgate_profiler_options *options,
                           char message[256])
{
    struct kg_error err;
    struct kg_recorder fresh = {.file = -1,
                                .most = options->file_bytes_most,
                                .process = {.ns_per_tick = kg_ticks_estimate(),
                                            .scope_cost_ns = kg_registry.scope_cost_ns,
                                            .sample = options->sample,
                                            .sampling = options->sampling,
                                            .buffer_entries = options->buffer_entries}};
    snprintf(fresh.pattern, sizeof fresh.pattern, "%s", options->path ? options->path : "");
    snprintf(fresh.label, sizeof fresh.label, "%s", options->label ? options->label : "");
    if (!kg_recorder_open(&fresh, &err))
        return fail(message, err.message);
    kg_recorder_close(&profiler->recorder);
    profiler->recorder = fresh;
    pthread_mutex_init(&profiler->recorder.lock, NULL);
    options->path = profiler->recorder.pattern;
    options->label = profiler->recorder.label;
    profiler->options = *options;
    return true;
}

/* Under the registry's lock. Other threads may read kgate_profiling and the number of the recording at
 * the same time, without the lock. */
static bool recording_start(struct kgate_profiler *profiler, uint32_t slot,
                            const struct kgate_profiler_options *wanted, char message[256])
{
    struct kgate_profiler_options options = wanted ? *wanted : (struct kgate_profiler_options){0};
    if (!options_complete(&options, message) || !registry_prepare(message) ||
        !recorder_start(profiler, &options, message))
        return false;
    profiler->ended = false;
    profiler->threads = NULL;
    profiler->thread_count = 0;
    if (slot)
        profiler->slot = slot;
    __atomic_store_n(&profiler->recording, ++kg_registry.recordings, __ATOMIC_RELAXED);
    if (!profiler->slot)
        kg_regions_forget();
    kg_registry.profilers[slot] = profiler;
    kg_profiler_enabled_set(profiler, true);
    return true;
}

/* --- Ending ----------------------------------------------------------------------------------- */

/* Under the registry's lock. */
static bool threads_drain(struct kgate_profiler *profiler, double wait_ns)
{
    bool good = true;
    /* Ends that no thread owns to. */
    const struct kgate_profile_losses foreign = {
        .unbalanced =
            profiler->slot ? 0 : __atomic_exchange_n(&kg_registry.unbalanced, 0, __ATOMIC_RELAXED)};
    kg_recorder_lose(&profiler->recorder, &foreign);
    for (struct kgate_profiler_thread *thread = profiler->threads, *next; thread; thread = next) {
        next = thread->next;
        good = kg_thread_drain(thread, wait_ns) && good;
        if (thread->left && !kg_thread_waits(thread)) {
            kg_registry_unlist(profiler, thread);
            kg_thread_free(thread);
        }
    }
    return good;
}

/* Under the registry's lock. The file stays open for reports. */
static void recording_end(struct kgate_profiler *profiler)
{
    if (profiler->ended || !profiler->recording)
        return;
    kg_profiler_enabled_set(profiler, false);
    const struct kg_slot *own = &kg_slots[profiler->slot];
    if (own->thread && own->recording == profiler->recording)
        kg_thread_close(own->thread);
    threads_drain(profiler, GPU_WAIT_NS);
    while (profiler->threads) {
        struct kgate_profiler_thread *thread = profiler->threads;
        profiler->threads = thread->next;
        if (thread->left)
            kg_thread_free(thread);
        else
            kg_thread_detach(thread);
    }
    kg_recorder_write(&profiler->recorder, KG_CHUNK_END, 0, NULL, 0);
    kg_recorder_unlock(&profiler->recorder);
    profiler->ended = true;
}

bool kgate_profiler_start(const struct kgate_profiler_options *options, char message[256])
{
    static bool at_exit;
    const int cancel = kg_registry_lock();
    const bool runs = kg_process_wide.recording && !kg_process_wide.ended;
    const bool good = runs ? fail(message, "the process-wide profiler runs already")
                           : recording_start(&kg_process_wide, 0, options, message);
    if (good && !at_exit)
        at_exit = atexit(kgate_profiler_stop) == 0;
    kg_registry_unlock(cancel);
    return good;
}

void kgate_profiler_stop(void)
{
    const int cancel = kg_registry_lock();
    recording_end(&kg_process_wide);
    kg_registry_unlock(cancel);
}

struct kgate_profiler *kgate_profiler_new(const struct kgate_profiler_options *options,
                                          char message[256])
{
    struct kgate_profiler *profiler = calloc(1, sizeof *profiler);
    uint32_t slot = 1;
    if (!profiler) {
        fail(message, "out of memory");
        return NULL;
    }
    profiler->recorder.file = -1;
    const int cancel = kg_registry_lock();
    while (slot < KG_SLOTS && kg_registry.profilers[slot])
        slot++;
    const bool good = slot == KG_SLOTS ? fail(message, "at most seven profilers can run at a time")
                                       : recording_start(profiler, slot, options, message);
    kg_registry_unlock(cancel);
    if (good)
        return profiler;
    free(profiler);
    return NULL;
}

void kgate_profiler_free(struct kgate_profiler *profiler)
{
    if (!profiler)
        return;
    const int cancel = kg_registry_lock();
    recording_end(profiler);
    kg_registry.profilers[profiler->slot] = NULL;
    kg_recorder_close(&profiler->recorder);
    kg_registry_unlock(cancel);
    free(profiler);
}

void kgate_profiler_enable(struct kgate_profiler *profiler, bool enabled)
{
    struct kgate_profiler *to = kg_profiler_of(profiler);
    const int cancel = kg_registry_lock();
    if (to->recording && !to->ended)
        kg_profiler_enabled_set(to, enabled);
    kg_registry_unlock(cancel);
}

bool kgate_profiler_flush(struct kgate_profiler *profiler)
{
    const int cancel = kg_registry_lock();
    const bool good = threads_drain(kg_profiler_of(profiler), 0);
    kg_registry_unlock(cancel);
    return good;
}

/* --- Reading ---------------------------------------------------------------------------------- */

bool kg_profiler_path(const struct kgate_profiler *profiler, char *path, size_t bytes)
{
    const int cancel = kg_registry_lock();
    const bool named = profiler->recorder.file >= 0 && profiler->recorder.path[0];
    snprintf(path, bytes, "%s", named ? profiler->recorder.path : "");
    kg_registry_unlock(cancel);
    return named;
}

int kg_profiler_file(struct kgate_profiler *profiler, struct kgate_profile_losses *losses,
                     struct kg_error *err)
{
    int file = -1;
    const int cancel = kg_registry_lock();
    const bool recorded = profiler->recording && profiler->recorder.file >= 0;
    if (recorded) {
        threads_drain(profiler, 0);
        *losses = profiler->recorder.losses;
        file = kg_recorder_file(&profiler->recorder);
    }
    kg_registry_unlock(cancel);
    if (!recorded)
        kg_error_set(err, KG_ERROR_USAGE,
                     "nothing was recorded: start a profiler (kgate_profiler_start, or "
                     "KGATE_PROFILE in the environment)");
    else if (file < 0)
        kg_error_set(err, KG_ERROR_SYSTEM,
                     "the recording's file was closed, or no file descriptor is left");
    return file;
}
