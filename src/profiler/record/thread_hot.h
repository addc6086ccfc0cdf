/* thread_hot.h: the fast path of every scope: two time stamps, a look-up in the tree of paths, one
 * entry. Inline, because a call costs as much as the rest. On the calling thread's struct only. */
#pragma once
#include "profiler/record/thread.h"
#include "profiler/record/ticks.h"

static inline struct kg_child *kg_child_cached(struct kgate_profiler_thread *thread,
                                               uint32_t parent, uint32_t site)
{
    return &thread->children[(site ^ parent * 31U) % KG_CHILDREN_CACHED];
}

/* The path of a site inside a path, if it is in the cache; else 0. */
static inline uint32_t kg_child_known(struct kgate_profiler_thread *thread, uint32_t parent,
                                      const struct kgate_site *site)
{
    const uint32_t number = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    const struct kg_child *cached = kg_child_cached(thread, parent, number);
    return cached->site == number && cached->parent == parent ? cached->node : 0;
}

static inline uint32_t kg_child_find(struct kgate_profiler_thread *thread, uint32_t parent,
                                     struct kgate_site *site)
{
    const uint32_t node = kg_child_known(thread, parent, site);
    return __builtin_expect(node != 0, 1) ? node : kg_thread_child(thread, parent, site);
}

/* Whether there is room for `count` slots. If not, reads `tail` again first. */
static inline bool kg_room(struct kgate_profiler_thread *thread, uint32_t count)
{
    if (__builtin_expect(thread->head_own + count <= thread->room_end, 1))
        return true;
    thread->room_end = __atomic_load_n(&thread->tail, __ATOMIC_ACQUIRE) + thread->mask + 1;
    return thread->head_own + count <= thread->room_end;
}

static inline void kg_publish(struct kgate_profiler_thread *thread, uint32_t count)
{
    thread->head_own += count;
    __atomic_store_n(&thread->head, thread->head_own, __ATOMIC_RELEASE);
}

/* Opens a scope of a path inside the innermost open one. The caller sets the time stamp. */
static inline struct kgate_scope kg_frame_open(struct kgate_profiler_thread *thread, uint32_t node,
                                               uint64_t bytes)
{
    const uint32_t depth = thread->depth + 1, serial = thread->serial + 1;
    struct kg_frame *frame = &thread->frames[depth];
    frame->bytes = bytes;
    frame->node = node;
    frame->serial = serial;
    thread->depth = depth;
    thread->serial = serial;
    return (struct kgate_scope){thread, depth, serial};
}

/* Opens a scope of a site. A scope that cannot be recorded is counted, and the result is zeros. */
static inline struct kgate_scope kg_thread_open(struct kgate_profiler_thread *thread,
                                                struct kgate_site *site, uint64_t bytes)
{
    if (thread->depth == KG_DEPTH_MOST)
        return kg_thread_too_deep(thread);
    const uint32_t node = kg_child_find(thread, thread->frames[thread->depth].node, site);
    return node ? kg_frame_open(thread, node, bytes) : kg_thread_too_deep(thread);
}

static inline struct kgate_scope kg_thread_begin(struct kgate_profiler_thread *thread,
                                                 struct kgate_site *site, uint64_t bytes)
{
    const struct kgate_scope scope = kg_thread_open(thread, site, bytes);
    if (__builtin_expect(scope.thread != NULL, 1))
        thread->frames[scope.depth].start = kg_ticks();
    return scope;
}

/* Writes the entry of the scope at `depth`, the innermost open one; there is room. It stores each field
 * by itself. An entry made on the stack would be copied in halves, and no single store wrote such a
 * half: the processor would wait until the stores reach the cache. */
static inline void kg_thread_record(struct kgate_profiler_thread *thread, uint32_t depth,
                                    uint64_t now, uint32_t flags)
{
    const struct kg_frame *frame = &thread->frames[depth];
    struct kg_entry *entry = &thread->ring[thread->head_own & thread->mask];
    const uint32_t nested = thread->serial - frame->serial;
    const uint64_t start = frame->start;
    thread->depth = depth - 1;
    entry->start = start;
    entry->duration = now - start;
    entry->bytes = frame->bytes;
    entry->node = frame->node;
    entry->nested_flags =
        (nested < KG_ENTRY_NESTED_MOST ? nested : KG_ENTRY_NESTED_MOST) | flags << 24;
    kg_publish(thread, 1);
}

/* Ends the scope at `depth`, the innermost open one. */
static inline void kg_thread_finish(struct kgate_profiler_thread *thread, uint32_t depth,
                                    uint64_t now, uint32_t flags)
{
    thread->depth = depth - 1; /* a pause belongs to the scope around */
    if (__builtin_expect(!kg_room(thread, 1) && !kg_thread_pause(thread), 0))
        kg_loss_add(&thread->losses.dropped, 1);
    else
        kg_thread_record(thread, depth, now, flags);
}
