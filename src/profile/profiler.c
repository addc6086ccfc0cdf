/* Starting and ending recordings, and which of them the calling thread records into. */
#include "profile/profiler.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/nvtx.h"
#include "profile/site.h"
#include "profile/thread_hot.h"

enum { ENTRIES_LEAST = 64, ENTRIES_USUAL = 1024, ENTRIES_MOST = 1 << 20 };
static const uint64_t FILE_BYTES_USUAL = UINT64_C(4) << 30;
/* How long the end of a recording waits for a GPU time. */
static const double GPU_WAIT_NS = 1e9;

static struct kgate_profiler process_wide = {.recorder.file = -1};

static struct {
    pthread_mutex_t lock;
    struct kgate_profiler *profilers[KG_SLOTS]; /* those that record, or whose threads are listed */
    uint32_t recordings;                        /* so far */
    bool prepared;                              /* for forks and ends of threads */
    pthread_key_t key;
    uint64_t unbalanced;
    double scope_cost_ns;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread that is cancelled while it holds the lock would hold it for ever. Returns what
 * registry_unlock needs. */
static int registry_lock(void)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&registry.lock);
    return cancel;
}

static void registry_unlock(int cancel)
{
    pthread_mutex_unlock(&registry.lock);
    pthread_setcancelstate(cancel, NULL);
}

struct kgate_profiler *kg_profiler_of(struct kgate_profiler *profiler)
{
    return profiler ? profiler : &process_wide;
}

bool kg_profiler_enabled(const struct kgate_profiler *profiler)
{
    return __atomic_load_n(profiler->slot ? &profiler->enabled : &kgate_profiling,
                           __ATOMIC_RELAXED);
}

static void enabled_set(struct kgate_profiler *profiler, bool enabled)
{
    __atomic_store_n(profiler->slot ? &profiler->enabled : &kgate_profiling, enabled,
                     __ATOMIC_RELAXED);
}

void kg_profiler_unbalanced(void)
{
    __atomic_fetch_add(&registry.unbalanced, 1, __ATOMIC_RELAXED);
}

/* --- Threads ------------------------------------------------------------------------------------
 */

/* Takes the thread off its profiler's list. Under the registry's lock. */
static void thread_unlist(struct kgate_profiler *profiler, struct kgate_profiler_thread *thread)
{
    struct kgate_profiler_thread **at = &profiler->threads;
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
}

/* The calling thread is done with what it recorded into. */
static void thread_leave(struct kg_slot *slot)
{
    struct kgate_profiler_thread *thread = slot->thread;
    *slot = (struct kg_slot){0};
    if (!thread)
        return;
    kg_thread_close(thread);
    kg_thread_drain(thread, 0);
    const int cancel = registry_lock();
    thread->left = thread->profiler && kg_thread_waits(thread);
    const bool gone = !thread->left;
    if (gone && thread->profiler)
        thread_unlist(thread->profiler, thread);
    registry_unlock(cancel);
    if (gone)
        kg_thread_free(thread);
}

/* At the end of a thread, also of one that ends in the middle of its scopes. */
static void thread_end(void *unused)
{
    (void)unused;
    for (int slot = 0; slot < KG_SLOTS; slot++)
        thread_leave(&kg_slots[slot]);
}

static void thread_name_set(struct kgate_profiler_thread *thread)
{
    if (kg_thread_own_name[0])
        memcpy(thread->name, kg_thread_own_name, sizeof thread->name);
    else if (pthread_getname_np(pthread_self(), thread->name, sizeof thread->name) != 0)
        thread->name[0] = '\0';
}

static void thread_prepare(struct kgate_profiler_thread *thread,
                           const struct kgate_profiler *profiler)
{
    const struct kgate_profiler_options *options = &profiler->options;
    thread->slot = profiler->slot;
    thread->recording = profiler->recording;
    thread->drops = options->drop_when_full;
    thread->sample = options->sample;
    thread->samples_requests = options->sampling == KGATE_SAMPLE_REQUESTS;
    thread->random = thread->system_id * UINT64_C(0x9e3779b97f4a7c15) + profiler->recording;
    thread->unusual =
        (options->sample < 1 ? KG_UNUSUAL_SAMPLE : 0U) | (kg_memory.used ? KG_UNUSUAL_MEMORY : 0U) |
        (options->cpu_time ? KG_UNUSUAL_CPU_TIME : 0U) | (options->nvtx ? KG_UNUSUAL_NVTX : 0U);
    thread_name_set(thread);
}

/* A struct for the calling thread on the profiler's list. Under the registry's lock. */
static struct kgate_profiler_thread *thread_enlist(struct kgate_profiler *profiler)
{
    if (registry.profilers[profiler->slot] != profiler || profiler->ended)
        return NULL;
    struct kgate_profiler_thread *thread = kg_thread_new(profiler->options.buffer_entries);
    if (!thread)
        return NULL;
    thread_prepare(thread, profiler);
    thread->number = ++profiler->thread_count;
    thread->profiler = profiler;
    thread->next = profiler->threads;
    profiler->threads = thread;
    pthread_setspecific(registry.key, &registry);
    return thread;
}

struct kgate_profiler_thread *kg_profiler_thread(struct kgate_profiler *profiler)
{
    struct kg_slot *slot = &kg_slots[profiler->slot];
    if (slot->thread && slot->recording == kg_profiler_recording(profiler))
        return slot->thread;
    thread_leave(slot);
    const int cancel = registry_lock();
    struct kgate_profiler_thread *thread = thread_enlist(profiler);
    registry_unlock(cancel);
    if (thread)
        *slot = (struct kg_slot){thread->recording, thread};
    return thread;
}

void kgate_thread_name(const char *name)
{
    snprintf(kg_thread_own_name, sizeof kg_thread_own_name, "%s", name ? name : "");
    for (int slot = 0; slot < KG_SLOTS; slot++) {
        struct kgate_profiler_thread *thread = kg_slots[slot].thread;
        if (!thread)
            continue;
        pthread_mutex_lock(&thread->drain);
        thread_name_set(thread);
        thread->announced = false;
        pthread_mutex_unlock(&thread->drain);
    }
}

/* --- Forks --------------------------------------------------------------------------------------
 */

static void fork_prepare(void)
{
    pthread_mutex_lock(&registry.lock);
    kg_sites_lock();
}

static void fork_parent(void)
{
    kg_sites_unlock();
    pthread_mutex_unlock(&registry.lock);
}

/* What the buffer holds is the parent's; open scopes go on. */
static void thread_forked(struct kgate_profiler_thread *thread)
{
    pthread_mutex_init(&thread->drain, NULL);
    thread->tail = thread->tail_seen = thread->head_own;
    thread->nodes_written = 1;
    thread->announced = false;
    thread->next = NULL;
    thread->system_id = (uint64_t)getpid();
    /* CUDA does not survive a fork: its events are the parent's. */
    thread->gpu = NULL;
    memset(thread->gpu_frames, 0, sizeof thread->gpu_frames);
    memset(&thread->losses, 0, sizeof thread->losses);
    memset(&thread->losses_told, 0, sizeof thread->losses_told);
}

/* The threads of the parent are not here. Their locks may be held for ever, so they are not
 * touched. */
static void threads_forget(struct kgate_profiler *profiler, const struct kgate_profiler_thread *own)
{
    while (profiler->threads) {
        struct kgate_profiler_thread *thread = profiler->threads;
        profiler->threads = thread->next;
        if (thread != own)
            kg_thread_release(thread);
    }
}

static void fork_child(void)
{
    for (int slot = 0; slot < KG_SLOTS; slot++) {
        struct kgate_profiler *profiler = registry.profilers[slot];
        if (!profiler)
            continue;
        struct kgate_profiler_thread *own =
            kg_slots[slot].recording == profiler->recording ? kg_slots[slot].thread : NULL;
        threads_forget(profiler, own);
        if (own)
            thread_forked(own);
        if (kg_recorder_forked(&profiler->recorder) && !profiler->ended) {
            profiler->threads = own;
            continue;
        }
        enabled_set(profiler, false);
        profiler->ended = true;
        if (own)
            own->profiler = NULL;
    }
    kg_sites_unlock();
    pthread_mutex_unlock(&registry.lock);
}

/* --- Starting -----------------------------------------------------------------------------------
 */

/* What a scope costs the one around it: the least of several batches. */
static double scope_cost_measure(double ns_per_tick)
{
    enum { BATCHES = 5, SCOPES = 200 };
    static struct kgate_site site = {"(profiler)",         NULL, NULL, 0, KGATE_DEVICE_CPU,
                                     KGATE_SCOPE_PROFILER, 0};
    struct kgate_profiler_thread *thread = kg_thread_new(2 * BATCHES * SCOPES);
    uint64_t least = UINT64_MAX;
    if (!thread)
        return NAN;
    thread->mask = UINT64_MAX / 2; /* never full: as many as there is room for are made */
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

/* What was left at 0 gets its value. */
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
    if (registry.prepared)
        return true;
    if (pthread_key_create(&registry.key, thread_end) != 0)
        return fail(message, "no thread-local key is left");
    if (pthread_atfork(fork_prepare, fork_parent, fork_child) != 0)
        return fail(message, "out of memory");
    kg_ticks_start();
    registry.scope_cost_ns = scope_cost_measure(kg_ticks_estimate());
    registry.prepared = true;
    return true;
}

/* A recorder that takes the place of the profiler's once its file is there: what was recorded
 * before is not lost to a start that fails. */
static bool recorder_start(struct kgate_profiler *profiler, struct kgate_profiler_options *options,
                           char message[256])
{
    struct kg_error err;
    struct kg_recorder fresh = {.file = -1,
                                .most = options->file_bytes_most,
                                .process = {.ns_per_tick = kg_ticks_estimate(),
                                            .scope_cost_ns = registry.scope_cost_ns,
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

/* Under the registry's lock. Other threads may be looking at whether the process-wide profiler
 * records, and which recording it is, at this very moment. */
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
    __atomic_store_n(&profiler->recording, ++registry.recordings, __ATOMIC_RELAXED);
    registry.profilers[slot] = profiler;
    enabled_set(profiler, true);
    return true;
}

/* --- Ending -------------------------------------------------------------------------------------
 */

/* Under the registry's lock. */
static bool threads_drain(struct kgate_profiler *profiler, double wait_ns)
{
    bool good = true;
    /* Ends that no thread owns to. */
    const struct kgate_profile_losses foreign = {
        .unbalanced =
            profiler->slot ? 0 : __atomic_exchange_n(&registry.unbalanced, 0, __ATOMIC_RELAXED)};
    kg_recorder_lose(&profiler->recorder, &foreign);
    for (struct kgate_profiler_thread *thread = profiler->threads, *next; thread; thread = next) {
        next = thread->next;
        good = kg_thread_drain(thread, wait_ns) && good;
        if (thread->left && !kg_thread_waits(thread)) {
            thread_unlist(profiler, thread);
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
    enabled_set(profiler, false);
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
    const int cancel = registry_lock();
    const bool runs = process_wide.recording && !process_wide.ended;
    const bool good = runs ? fail(message, "the process-wide profiler runs already")
                           : recording_start(&process_wide, 0, options, message);
    if (good && !at_exit)
        at_exit = atexit(kgate_profiler_stop) == 0;
    registry_unlock(cancel);
    return good;
}

void kgate_profiler_stop(void)
{
    const int cancel = registry_lock();
    recording_end(&process_wide);
    registry_unlock(cancel);
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
    const int cancel = registry_lock();
    while (slot < KG_SLOTS && registry.profilers[slot])
        slot++;
    const bool good = slot == KG_SLOTS
                          ? fail(message, "seven profilers at a time are all there can be")
                          : recording_start(profiler, slot, options, message);
    registry_unlock(cancel);
    if (good)
        return profiler;
    free(profiler);
    return NULL;
}

void kgate_profiler_free(struct kgate_profiler *profiler)
{
    if (!profiler)
        return;
    const int cancel = registry_lock();
    recording_end(profiler);
    registry.profilers[profiler->slot] = NULL;
    kg_recorder_close(&profiler->recorder);
    registry_unlock(cancel);
    free(profiler);
}

void kgate_profiler_enable(struct kgate_profiler *profiler, bool enabled)
{
    struct kgate_profiler *to = kg_profiler_of(profiler);
    const int cancel = registry_lock();
    if (to->recording && !to->ended)
        enabled_set(to, enabled);
    registry_unlock(cancel);
}

bool kgate_profiler_flush(struct kgate_profiler *profiler)
{
    const int cancel = registry_lock();
    const bool good = threads_drain(kg_profiler_of(profiler), 0);
    registry_unlock(cancel);
    return good;
}

/* --- Reading ------------------------------------------------------------------------------------
 */

bool kg_profiler_path(const struct kgate_profiler *profiler, char *path, size_t bytes)
{
    const int cancel = registry_lock();
    const bool named = profiler->recorder.file >= 0 && profiler->recorder.path[0];
    snprintf(path, bytes, "%s", named ? profiler->recorder.path : "");
    registry_unlock(cancel);
    return named;
}

int kg_profiler_file(struct kgate_profiler *profiler, struct kgate_profile_losses *losses,
                     struct kg_error *err)
{
    int file = -1;
    const int cancel = registry_lock();
    const bool recorded = profiler->recording && profiler->recorder.file >= 0;
    if (recorded) {
        threads_drain(profiler, 0);
        *losses = profiler->recorder.losses;
        file = fcntl(profiler->recorder.file, F_DUPFD_CLOEXEC, 0);
    }
    registry_unlock(cancel);
    if (!recorded)
        kg_error_set(err, KG_ERROR_USAGE,
                     "nothing was recorded: no profiler was started (kgate_profiler_start, or "
                     "KGATE_PROFILE in the environment)");
    else if (file < 0)
        kg_error_set(err, KG_ERROR_SYSTEM, "no file descriptor is left");
    return file;
}
