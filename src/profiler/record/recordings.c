#include "profiler/record/profiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/record/region.h"
#include "profiler/record/site.h"
#include "profiler/record/thread.h"

struct kg_registry kg_registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

int kg_registry_lock(void)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&kg_registry.lock);
    return cancel;
}

void kg_registry_unlock(int cancel)
{
    pthread_mutex_unlock(&kg_registry.lock);
    pthread_setcancelstate(cancel, NULL);
}

void kg_profiler_unbalanced(void)
{
    __atomic_fetch_add(&kg_registry.unbalanced, 1, __ATOMIC_RELAXED);
}

/* --- Threads ---------------------------------------------------------------------------------- */

void kg_registry_unlist(struct kgate_profiler *profiler, struct kgate_profiler_thread *thread)
{
    struct kgate_profiler_thread **at = &profiler->threads;
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
}

/* Ends the calling thread's recording in a slot. */
static void thread_leave(struct kg_slot *slot)
{
    struct kgate_profiler_thread *thread = slot->thread;
    *slot = (struct kg_slot){0};
    if (!thread)
        return;
    kg_thread_close(thread);
    kg_thread_drain(thread, 0);
    const int cancel = kg_registry_lock();
    thread->left = thread->profiler && kg_thread_waits(thread);
    const bool gone = !thread->left;
    if (gone && thread->profiler)
        kg_registry_unlist(thread->profiler, thread);
    kg_registry_unlock(cancel);
    if (gone)
        kg_thread_free(thread);
}

/* Runs at the end of a thread, even if the thread ends inside its scopes. */
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
    thread->device_memory = options->device_memory;
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
    if (kg_registry.profilers[profiler->slot] != profiler || profiler->ended)
        return NULL;
    struct kgate_profiler_thread *thread = kg_thread_new(profiler->options.buffer_entries);
    if (!thread)
        return NULL;
    thread_prepare(thread, profiler);
    thread->number = ++profiler->thread_count;
    thread->profiler = profiler;
    thread->next = profiler->threads;
    profiler->threads = thread;
    pthread_setspecific(kg_registry.key, &kg_registry);
    return thread;
}

struct kgate_profiler_thread *kg_profiler_thread(struct kgate_profiler *profiler)
{
    struct kg_slot *slot = &kg_slots[profiler->slot];
    if (slot->thread && slot->recording == kg_profiler_recording(profiler))
        return slot->thread;
    thread_leave(slot);
    const int cancel = kg_registry_lock();
    struct kgate_profiler_thread *thread = thread_enlist(profiler);
    kg_registry_unlock(cancel);
    if (thread)
        *slot = (struct kg_slot){.recording = thread->recording, .thread = thread};
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

/* --- Forks ------------------------------------------------------------------------------------ */

static void fork_prepare(void)
{
    pthread_mutex_lock(&kg_registry.lock);
    kg_sites_lock();
}

static void fork_parent(void)
{
    kg_sites_unlock();
    pthread_mutex_unlock(&kg_registry.lock);
}

/* Drops the buffer's entries, which are the parent's; open scopes go on. */
static void thread_forked(struct kgate_profiler_thread *thread)
{
    pthread_mutex_init(&thread->drain, NULL);
    thread->tail = thread->head_own;
    thread->room_end = thread->tail + thread->mask + 1;
    thread->nodes_written = 1;
    thread->announced = false;
    thread->next = NULL;
    thread->system_id = (uint64_t)getpid();
    /* CUDA does not survive a fork: its events are the parent's. */
    thread->gpu = NULL;
    memset(thread->gpu_frames, 0, sizeof thread->gpu_frames);
    memset(&thread->losses, 0, sizeof thread->losses);
    memset(&thread->losses_noted, 0, sizeof thread->losses_noted);
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
    kg_regions_forked();
    for (int slot = 0; slot < KG_SLOTS; slot++) {
        struct kgate_profiler *profiler = kg_registry.profilers[slot];
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
        kg_profiler_enabled_set(profiler, false);
        profiler->ended = true;
        if (own)
            own->profiler = NULL;
    }
    kg_sites_unlock();
    pthread_mutex_unlock(&kg_registry.lock);
}

bool kg_registry_prepare(void)
{
    return pthread_key_create(&kg_registry.key, thread_end) == 0 &&
           pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
}
