/* Scopes as programs use them: finds the thread's struct, and does all work beyond two time stamps. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profiler/record/nvtx.h"
#include "profiler/record/profiler.h"
#include "profiler/record/region.h"
#include "profiler/record/site.h"
#include "profiler/record/thread_hot.h"

/* Special depths: MUTED for a scope inside a request that is not recorded. CLOSER is a flag beside a
 * depth; it makes the scope's end take the slow path. */
enum { MUTED = 0x7fffffff };

/* Number of scopes on streams after which the thread collects GPU times. */
enum { GPU_SCOPES_COLLECTED = 128 };
#define CLOSER UINT32_C(0x80000000)

static const struct kgate_scope NOT_RECORDED = {NULL, 0, 0};

/* --- Sampling --------------------------------------------------------------------------------- */

/* Number of scopes up to the next recorded one. It is uniform up to twice the mean, so that it never
 * follows a period of the program. */
static uint64_t interval_draw(struct kgate_profiler_thread *thread)
{
    thread->random = thread->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const double uniform = (double)(thread->random >> 11) * 0x1p-53;
    const double drawn = uniform * (2 / thread->sample - 1);
    return 1 + (uint64_t)drawn;
}

static bool sampled(struct kgate_profiler_thread *thread)
{
    if (thread->countdown == 0)
        thread->countdown = interval_draw(thread);
    if (--thread->countdown == 0)
        return true;
    /* Counted by its own thread alone. */
    __atomic_store_n(&thread->losses.sampled_out, thread->losses.sampled_out + 1, __ATOMIC_RELAXED);
    return false;
}

/* --- More than two time stamps ---------------------------------------------------------------- */

static void extra_fill(struct kgate_profiler_thread *thread, uint32_t depth)
{
    struct kg_frame_extra *extra = &thread->extras[depth];
    *extra = (struct kg_frame_extra){.serial = thread->frames[depth].serial,
                                     .allocated = kg_memory.allocated,
                                     .net = kg_memory.net,
                                     .peak_outside = kg_memory.peak,
                                     .cpu_ns = UINT64_MAX,
                                     .device_used = UINT64_MAX};
}

/* Makes extras for all open frames. Frames that were plain so far begin to watch now. */
static bool extras_make(struct kgate_profiler_thread *thread)
{
    if (!thread->extras)
        thread->extras = calloc(KG_DEPTH_MOST + 1, sizeof *thread->extras);
    if (!thread->extras)
        return false;
    for (uint32_t depth = thread->depth;
         depth && thread->extras[depth].serial != thread->frames[depth].serial; depth--)
        extra_fill(thread, depth);
    return true;
}

static void device_begin(struct kgate_profiler_thread *thread, struct kg_frame_extra *extra)
{
    uint64_t used;
    if (!thread->device_memory || !kg_gpu_memory_used(&used))
        return;
    extra->device_used = used;
    extra->device_outside = thread->device_peak;
    thread->device_peak = used;
}

/* Most device memory that the scope added, at its end or at one of a scope inside. */
static uint64_t device_end(struct kgate_profiler_thread *thread, const struct kg_frame_extra *extra)
{
    uint64_t used;
    if (extra->device_used == UINT64_MAX)
        return 0;
    if (kg_gpu_memory_used(&used) && used > thread->device_peak)
        thread->device_peak = used;
    const uint64_t most = thread->device_peak - extra->device_used;
    if (extra->device_outside > thread->device_peak)
        thread->device_peak = extra->device_outside;
    return most;
}

/* Only of the process-wide recording: one thread then knows one region. */
static bool is_region(const struct kgate_profiler_thread *thread, const struct kgate_site *site)
{
    return site->kind == KGATE_SCOPE_PARALLEL && !thread->slot;
}

static struct kgate_scope begin_closer(struct kgate_profiler_thread *thread,
                                       struct kgate_site *site, uint64_t bytes,
                                       const struct kg_gpu_mark *gpu)
{
    struct kgate_scope scope = kg_thread_open(thread, site, bytes);
    if (!scope.thread)
        return scope;
    if (is_region(thread, site))
        kg_region_open(thread);
    if (!extras_make(thread)) {
        thread->frames[scope.depth].start = kg_ticks();
        return scope;
    }
    struct kg_frame_extra *extra = &thread->extras[scope.depth];
    kg_memory.peak = kg_memory.net;
    if (gpu) {
        extra->gpu = *gpu;
        thread->gpu_frames[scope.depth / 64] |= UINT64_C(1) << scope.depth % 64;
        device_begin(thread, extra);
    }
    if (thread->unusual & KG_UNUSUAL_NVTX)
        kg_nvtx_push(kg_site_get(site->id)->name);
    if (thread->unusual & KG_UNUSUAL_CPU_TIME)
        extra->cpu_ns = kg_clock_thread_ns();
    /* Last, so that this function's time does not count as the scope's. */
    thread->frames[scope.depth].start = kg_ticks();
    scope.depth |= CLOSER;
    return scope;
}

/* The usage of a frame: memory and CPU time. */
static struct kg_entry_usage usage_of(const struct kg_frame_extra *extra, uint64_t cpu_ns)
{
    const int64_t peak = kg_memory.peak - extra->net;
    if (extra->peak_outside > kg_memory.peak)
        kg_memory.peak = extra->peak_outside;
    return (struct kg_entry_usage){
        .allocated_bytes = kg_memory.allocated - extra->allocated,
        .peak_bytes = peak > 0 ? (uint64_t)peak : 0,
        .cpu_ns = extra->cpu_ns == UINT64_MAX ? UINT64_MAX : cpu_ns - extra->cpu_ns,
    };
}

/* Puts the second event on the stream and keeps the entry as pending. false: there is no room. */
static bool gpu_end(struct kgate_profiler_thread *thread, struct kg_gpu_mark *mark,
                    const struct kg_entry *entry, const struct kg_entry_usage *usage)
{
    pthread_mutex_lock(&thread->drain);
    const bool waits = kg_gpu_end(thread->gpu, mark, entry, usage);
    pthread_mutex_unlock(&thread->drain);
    return waits;
}

/* Ends the innermost open scope. */
static void finish_closer(struct kgate_profiler_thread *thread, uint64_t now, uint32_t flags)
{
    const uint32_t depth = thread->depth;
    const struct kg_frame *frame = &thread->frames[depth];
    kg_region_close(thread);
    if (!thread->extras || thread->extras[depth].serial != frame->serial) {
        kg_thread_finish(thread, depth, now, flags);
        return;
    }
    struct kg_frame_extra *extra = &thread->extras[depth];
    const uint64_t cpu_ns = extra->cpu_ns == UINT64_MAX ? 0 : kg_clock_thread_ns();
    struct kg_entry_usage usage = usage_of(extra, cpu_ns);
    usage.device_peak_bytes = device_end(thread, extra);
    if (thread->unusual & KG_UNUSUAL_NVTX)
        kg_nvtx_pop();
    const bool has_usage = usage.allocated_bytes || usage.peak_bytes ||
                           usage.cpu_ns != UINT64_MAX || usage.device_peak_bytes;
    flags |= has_usage ? KG_ENTRY_USAGE : 0U;
    flags |= usage.device_peak_bytes ? KG_ENTRY_DEVICE : 0U;
    const uint32_t nested = thread->serial - frame->serial;
    struct kg_entry slots[2] = {{
        .start = frame->start,
        .duration = now - frame->start,
        .bytes = frame->bytes,
        .node = frame->node,
        .nested_flags = (nested < KG_ENTRY_NESTED_MOST ? nested : KG_ENTRY_NESTED_MOST) | flags
                                                                                              << 24,
    }};
    memcpy(&slots[1], &usage, sizeof usage);
    thread->depth = depth - 1;
    const uint64_t bit = UINT64_C(1) << depth % 64;
    if (thread->gpu_frames[depth / 64] & bit) {
        thread->gpu_frames[depth / 64] &= ~bit;
        if (gpu_end(thread, &extra->gpu, slots, has_usage ? &usage : NULL)) {
            if (++thread->gpu_scopes % GPU_SCOPES_COLLECTED == 0)
                kg_thread_pause(thread);
            return;
        }
    }
    kg_thread_put(thread, slots, has_usage ? 2 : 1);
}

void kg_thread_close(struct kgate_profiler_thread *thread)
{
    const uint64_t now = kg_ticks();
    while (thread->depth) {
        kg_loss_add(&thread->losses.unfinished, 1);
        finish_closer(thread, now, KG_ENTRY_UNFINISHED);
    }
}

/* --- Beginning -------------------------------------------------------------------------------- */

static __attribute__((noinline)) struct kgate_scope
begin_unusual(struct kgate_profiler_thread *thread, struct kgate_site *site, uint64_t bytes,
              const struct kg_gpu_mark *gpu)
{
    const bool sampling = thread->unusual & KG_UNUSUAL_SAMPLE;
    const bool requests = thread->samples_requests;
    if (thread->muted || (sampling && requests && !thread->depth && !sampled(thread))) {
        thread->muted++;
        return (struct kgate_scope){thread, MUTED, 0};
    }
    if (sampling && !requests && !sampled(thread))
        return NOT_RECORDED;
    return begin_closer(thread, site, bytes, gpu);
}

/* A path that the cache does not know, as that of a parallel region, whose end takes the slow path. */
static __attribute__((noinline)) struct kgate_scope
begin_looked_up(struct kgate_profiler_thread *thread, struct kgate_site *site, uint64_t bytes)
{
    struct kgate_scope scope = kg_thread_begin(thread, site, bytes);
    if (!scope.thread || !is_region(thread, site))
        return scope;
    kg_region_open(thread);
    thread->frames[scope.depth].start = kg_ticks();
    scope.depth |= CLOSER;
    return scope;
}

/* Looks at the parallel regions if they have changed since the thread's last look. */
static void epoch_look(struct kgate_profiler_thread *thread)
{
    const uint32_t epoch = kg_profiler_epoch(&kg_process_wide);
    if (thread->slot || kg_slots[0].epoch == epoch)
        return;
    kg_slots[0].epoch = epoch;
    kg_region_join(thread);
}

/* Whatever is not the usual case. */
static __attribute__((noinline)) struct kgate_scope
begin_slowly(struct kgate_profiler *profiler, struct kgate_site *site, uint64_t bytes)
{
    struct kgate_profiler *to = kg_profiler_of(profiler);
    if (!kg_profiler_enabled(to))
        return NOT_RECORDED;
    const struct kg_slot *own = &kg_slots[to->slot];
    struct kgate_profiler_thread *thread =
        own->recording == kg_profiler_recording(to) ? own->thread : kg_profiler_thread(to);
    if (!thread)
        return NOT_RECORDED;
    epoch_look(thread);
    if (thread->unusual | thread->muted)
        return begin_unusual(thread, site, bytes, NULL);
    return begin_looked_up(thread, site, bytes);
}

/* This function and kgate_scope_finish are the cost of a scope. They call another function only in their
 * last step, for the slow paths. So they need no stack and save no registers. */
struct kgate_scope kgate_scope_begin(struct kgate_profiler *profiler, struct kgate_site *site,
                                     uint64_t bytes)
{
    const struct kg_slot *own = &kg_slots[0];
    struct kgate_profiler_thread *thread = own->thread;
    if (__builtin_expect(profiler || !__atomic_load_n(&kgate_profiling, __ATOMIC_RELAXED) ||
                             own->epoch != kg_profiler_epoch(&kg_process_wide) ||
                             (thread->unusual | thread->muted) || !kg_ticks_counted() ||
                             thread->depth == KG_DEPTH_MOST,
                         0))
        return begin_slowly(profiler, site, bytes);
    const uint32_t node = kg_child_known(thread, thread->frames[thread->depth].node, site);
    if (__builtin_expect(!node, 0))
        return begin_looked_up(thread, site, bytes);
    const struct kgate_scope scope = kg_frame_open(thread, node, bytes);
    thread->frames[scope.depth].start = kg_ticks_counter();
    return scope;
}

/* Counts a scope whose name gets no number, because the table of names is full. */
static void nameless(struct kgate_profiler *profiler)
{
    struct kgate_profiler_thread *thread = kg_profiler_thread(profiler);
    if (thread)
        kg_thread_too_deep(thread);
}

struct kgate_scope kgate_scope_begin_named(struct kgate_profiler *profiler, const char *name,
                                           enum kgate_device device, const char *backend,
                                           uint64_t bytes)
{
    if (!kg_profiler_enabled(kg_profiler_of(profiler)))
        return NOT_RECORDED;
    struct kgate_site *site = kg_site_intern(name ? name : "(null)", device, backend);
    if (site)
        return kgate_scope_begin(profiler, site, bytes);
    nameless(kg_profiler_of(profiler));
    return NOT_RECORDED;
}

struct kgate_scope kgate_scope_begin_labelled(struct kgate_profiler *profiler, const char *name,
                                              const char *format, ...)
{
    enum { BYTES = 256 };
    char whole[BYTES];
    va_list arguments;
    if (!kg_profiler_enabled(kg_profiler_of(profiler)))
        return NOT_RECORDED;
    const int length = snprintf(whole, BYTES, "%s ", name ? name : "(null)");
    va_start(arguments, format);
    if (length > 0 && length < BYTES)
        vsnprintf(whole + length, BYTES - (size_t)length, format, arguments);
    va_end(arguments);
    return kgate_scope_begin_named(profiler, whole, KGATE_DEVICE_CPU, NULL, 0);
}

struct kgate_scope kgate_scope_begin_cuda(struct kgate_profiler *profiler, struct kgate_site *site,
                                          void *stream, uint64_t bytes)
{
    struct kgate_profiler *to = kg_profiler_of(profiler);
    struct kgate_profiler_thread *thread = kg_profiler_enabled(to) ? kg_profiler_thread(to) : NULL;
    struct kg_gpu_mark mark;
    if (!thread)
        return NOT_RECORDED;
    epoch_look(thread);
    pthread_mutex_lock(&thread->drain);
    if (!thread->gpu)
        thread->gpu = kg_gpu_new();
    const bool timed = !thread->muted && thread->gpu && kg_gpu_begin(thread->gpu, stream, &mark);
    pthread_mutex_unlock(&thread->drain);
    const struct kgate_scope scope = begin_unusual(thread, site, bytes, timed ? &mark : NULL);
    if (timed && !(scope.depth & CLOSER)) {
        pthread_mutex_lock(&thread->drain);
        kg_gpu_cancel(thread->gpu, &mark);
        pthread_mutex_unlock(&thread->drain);
    }
    return scope;
}

struct kgate_scope kgate_scope_begin_auto(struct kgate_profiler *profiler,
                                          struct kgate_site sites[2], void *stream, uint64_t bytes)
{
    return kg_profiler_enabled(kg_profiler_of(profiler)) && kg_gpu_present()
               ? kgate_scope_begin_cuda(profiler, &sites[1], stream, bytes)
               : kgate_scope_begin(profiler, &sites[0], bytes);
}

/* --- Ending ----------------------------------------------------------------------------------- */

/* Whether the struct is one of the calling thread's: another's must not be looked at, it may be
 * gone. */
static bool is_own(const struct kgate_profiler_thread *thread)
{
    for (int slot = 0; slot < KG_SLOTS; slot++)
        if (kg_slots[slot].thread == thread)
            return true;
    return false;
}

/* A scope of a request that is not recorded: no time stamp is read for it. */
static void muted_end(const struct kgate_scope *scope)
{
    if (is_own(scope->thread))
        scope->thread->muted -= scope->thread->muted > 0;
    else
        kg_profiler_unbalanced();
}

static void finish_checked(const struct kgate_scope *scope, uint64_t now)
{
    struct kgate_profiler_thread *thread = scope->thread;
    if (!is_own(thread)) {
        kg_profiler_unbalanced();
        return;
    }
    const uint32_t depth = scope->depth & ~CLOSER;
    if (!depth || depth > thread->depth || thread->frames[depth].serial != scope->serial) {
        kg_loss_add(&thread->losses.unbalanced, 1);
        return;
    }
    for (; thread->depth > depth; kg_loss_add(&thread->losses.unfinished, 1))
        finish_closer(thread, now, KG_ENTRY_UNFINISHED);
    finish_closer(thread, now, 0);
}

static __attribute__((noinline)) void finish_slowly(struct kgate_scope *scope, uint64_t now)
{
    finish_checked(scope, now);
    scope->thread = NULL;
}

/* Without a time stamp so far: there is nothing to end, or the counter cannot be read. */
static __attribute__((noinline)) void finish_unstamped(struct kgate_scope *scope)
{
    if (scope->thread && scope->depth == MUTED)
        muted_end(scope);
    else if (scope->thread)
        finish_checked(scope, kg_ticks());
    scope->thread = NULL;
}

void kgate_scope_finish(struct kgate_scope *scope)
{
    struct kgate_profiler_thread *thread = scope->thread;
    const uint32_t depth = scope->depth;
    if (__builtin_expect(!thread || depth == MUTED || !kg_ticks_counted(), 0)) {
        finish_unstamped(scope);
        return;
    }
    const uint64_t now = kg_ticks_counter();
    /* Only slot 0's struct surely belongs to this thread. Scopes of instances take the slow path. */
    if (__builtin_expect(thread != kg_slots[0].thread || depth != thread->depth ||
                             thread->frames[depth].serial != scope->serial || thread->unusual ||
                             thread->head_own >= thread->room_end,
                         0)) {
        finish_slowly(scope, now);
        return;
    }
    kg_thread_record(thread, depth, now, 0);
    scope->thread = NULL;
}

/* --- Data for an open scope ------------------------------------------------------------------- */

void kgate_scope_bytes(struct kgate_profiler *profiler, uint64_t bytes)
{
    const struct kgate_profiler *to = kg_profiler_of(profiler);
    struct kgate_profiler_thread *thread = kg_slots[to->slot].thread;
    if (thread && kg_slots[to->slot].recording == kg_profiler_recording(to) && thread->depth &&
        !thread->muted)
        thread->frames[thread->depth].bytes = bytes;
}

void kgate_profile_call(struct kgate_profiler *profiler, const char *name,
                        void (*function)(void *argument), void *argument)
{
    struct kgate_scope scope = kgate_scope_begin_named(profiler, name, KGATE_DEVICE_CPU, NULL, 0);
    function(argument);
    kgate_scope_end(&scope);
}

/* The first time on this thread: the scopes that are open begin to watch. */
static void memory_watch(void)
{
    kg_memory.used = true;
    for (int slot = 0; slot < KG_SLOTS; slot++) {
        struct kgate_profiler_thread *thread = kg_slots[slot].thread;
        if (thread && extras_make(thread))
            thread->unusual |= KG_UNUSUAL_MEMORY;
    }
}

void kgate_memory_allocated(uint64_t bytes)
{
    if (!kg_memory.used)
        memory_watch();
    kg_memory.allocated += bytes;
    kg_memory.net += (int64_t)bytes;
    if (kg_memory.net > kg_memory.peak)
        kg_memory.peak = kg_memory.net;
}

void kgate_memory_released(uint64_t bytes)
{
    if (!kg_memory.used)
        memory_watch();
    kg_memory.net -= (int64_t)bytes;
}

/* --- Spans ------------------------------------------------------------------------------------ */

struct kgate_span kgate_span_begin(struct kgate_profiler *profiler, const char *name,
                                   uint64_t bytes)
{
    struct kgate_profiler *to = kg_profiler_of(profiler);
    struct kgate_span span = {.profiler = profiler, .bytes = bytes};
    if (!kg_profiler_enabled(to))
        return span;
    const struct kgate_site *site = kg_site_intern(name ? name : "(null)", KGATE_DEVICE_CPU, NULL);
    if (!site) {
        nameless(to);
        return span;
    }
    span.site = site->id;
    span.recording = kg_profiler_recording(to);
    span.start = kg_ticks();
    return span;
}

void kgate_span_end(struct kgate_span *span)
{
    const uint64_t now = span->site ? kg_ticks() : 0;
    struct kgate_profiler *to = kg_profiler_of(span->profiler);
    struct kgate_profiler_thread *thread =
        span->site && span->recording == kg_profiler_recording(to) ? kg_profiler_thread(to) : NULL;
    if (thread) {
        const struct kg_entry entry = {.start = span->start,
                                       .duration = now - span->start,
                                       .bytes = span->bytes,
                                       .node = span->site,
                                       .nested_flags = (uint32_t)KG_ENTRY_SPAN << 24};
        kg_thread_put(thread, &entry, 1);
    }
    span->site = 0;
}
