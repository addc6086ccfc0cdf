/* thread_hot.h: what every scope goes through: two time stamps, a look at the tree of paths, one
 * entry. Inline, because a call costs as much as the rest. On the calling thread's struct only. */
#pragma once
#include "profiler/thread.h"
#include "profiler/ticks.h"

static inline struct kg_child *kg_child_cached(struct kgate_profiler_thread *thread,
                                               uint32_t parent, uint32_t site)
{
    return &thread->children[(site ^ parent * 31U) % KG_CHILDREN_CACHED];
}

/* The path of a site inside a path. */
static inline uint32_t kg_child_find(struct kgate_profiler_thread *thread, uint32_t parent,
                                     struct kgate_site *site)
{
    const uint32_t number = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    const struct kg_child *cached = kg_child_cached(thread, parent, number);
    if (__builtin_expect(number && cached->site == number && cached->parent == parent, 1))
        return cached->node;
    return kg_thread_child(thread, parent, site);
}

/* Room for `count` slots, once the thread has looked again at what was drained. */
static inline bool kg_room(struct kgate_profiler_thread *thread, uint32_t count)
{
    if (__builtin_expect(thread->head_own + count - thread->tail_seen <= thread->mask + 1, 1))
        return true;
    thread->tail_seen = __atomic_load_n(&thread->tail, __ATOMIC_ACQUIRE);
    return thread->head_own + count - thread->tail_seen <= thread->mask + 1;
}

static inline void kg_publish(struct kgate_profiler_thread *thread, uint32_t count)
{
    thread->head_own += count;
    __atomic_store_n(&thread->head, thread->head_own, __ATOMIC_RELEASE);
}

/* Begins a scope inside the innermost open one, but for its time stamp; one that cannot be recorded
 * is counted and gives zeros. */
static inline struct kgate_scope kg_thread_open(struct kgate_profiler_thread *thread,
                                                struct kgate_site *site, uint64_t bytes)
{
    const uint32_t depth = thread->depth;
    if (__builtin_expect(depth == KG_DEPTH_MOST, 0))
        return kg_thread_too_deep(thread);
    const uint32_t node = kg_child_find(thread, thread->frames[depth].node, site);
    if (__builtin_expect(!node, 0))
        return kg_thread_too_deep(thread);
    struct kg_frame *frame = &thread->frames[depth + 1];
    frame->node = node;
    frame->serial = ++thread->serial;
    frame->bytes = bytes;
    thread->depth = depth + 1;
    return (struct kgate_scope){thread, depth + 1, frame->serial};
}

static inline struct kgate_scope kg_thread_begin(struct kgate_profiler_thread *thread,
                                                 struct kgate_site *site, uint64_t bytes)
{
    const struct kgate_scope scope = kg_thread_open(thread, site, bytes);
    if (__builtin_expect(scope.thread != NULL, 1))
        thread->frames[scope.depth].start = kg_ticks();
    return scope;
}

/* Ends the scope at `depth`, the innermost open one. */
static inline void kg_thread_finish(struct kgate_profiler_thread *thread, uint32_t depth,
                                    uint64_t now, uint32_t flags)
{
    const struct kg_frame *frame = &thread->frames[depth];
    uint32_t nested = thread->serial - frame->serial;
    thread->depth = depth - 1;
    if (__builtin_expect(nested > KG_ENTRY_NESTED_MOST, 0))
        nested = KG_ENTRY_NESTED_MOST;
    const struct kg_entry entry = {.start = frame->start,
                                   .duration = now - frame->start,
                                   .bytes = frame->bytes,
                                   .node = frame->node,
                                   .nested_flags = nested | flags << 24};
    if (__builtin_expect(!kg_room(thread, 1), 0)) {
        kg_thread_put(thread, &entry, 1);
        return;
    }
    thread->ring[thread->head_own & thread->mask] = entry;
    kg_publish(thread, 1);
}
