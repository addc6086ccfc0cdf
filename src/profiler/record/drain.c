/* From a thread's buffer to the file. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/record/pack.h"
#include "profiler/record/profiler.h"
#include "profiler/record/thread.h"

/* Reads all counts. */
static struct kgate_profile_losses losses_read(const struct kgate_profile_losses *losses)
{
    return (struct kgate_profile_losses){
        .dropped = __atomic_load_n(&losses->dropped, __ATOMIC_RELAXED),
        .too_deep = __atomic_load_n(&losses->too_deep, __ATOMIC_RELAXED),
        .unbalanced = __atomic_load_n(&losses->unbalanced, __ATOMIC_RELAXED),
        .unfinished = __atomic_load_n(&losses->unfinished, __ATOMIC_RELAXED),
        .sampled_out = __atomic_load_n(&losses->sampled_out, __ATOMIC_RELAXED),
        .gpu_dropped = __atomic_load_n(&losses->gpu_dropped, __ATOMIC_RELAXED),
    };
}

/* All of these under thread->drain, with a profiler. */

static bool announce(struct kgate_profiler_thread *thread, struct kg_recorder *recorder)
{
    struct kg_chunk_thread announced = {.system_id = thread->system_id};
    memcpy(announced.name, thread->name, sizeof announced.name);
    const struct iovec part = {&announced, sizeof announced};
    thread->announced =
        thread->announced || kg_recorder_write(recorder, KG_CHUNK_THREAD, thread->number, &part, 1);
    return thread->announced;
}

static uint32_t node_flags(const struct kgate_profiler_thread *thread, const struct kg_node *node)
{
    const uint32_t parent = node->parent;
    const struct kg_node *around = &thread->blocks[parent / KG_NODE_BLOCK][parent % KG_NODE_BLOCK];
    const bool outer = parent && around->site & KG_SITE_OUTER;
    return outer && !(node->site & KG_SITE_OUTER) ? KG_NODE_STARTED : 0;
}

static bool nodes_write(struct kgate_profiler_thread *thread, struct kg_recorder *recorder)
{
    struct kg_chunk_node nodes[KG_NODE_BLOCK];
    const uint32_t count = __atomic_load_n(&thread->node_count, __ATOMIC_ACQUIRE);
    while (thread->nodes_written < count) {
        uint32_t next = thread->nodes_written, used = 0;
        for (; next < count && used < KG_NODE_BLOCK; next++, used++) {
            const struct kg_node *node =
                &thread->blocks[next / KG_NODE_BLOCK][next % KG_NODE_BLOCK];
            nodes[used] = (struct kg_chunk_node){.node = next,
                                                 .parent = node->parent,
                                                 .name = node->site & ~KG_SITE_OUTER,
                                                 .flags = node_flags(thread, node)};
        }
        const struct iovec part = {nodes, used * sizeof *nodes};
        if (!kg_recorder_write(recorder, KG_CHUNK_NODES, thread->number, &part, 1))
            return false;
        thread->nodes_written = next;
    }
    return true;
}

/* A chunk that is being filled. */
struct packing {
    struct kgate_profiler_thread *thread;
    struct kg_recorder *recorder;
    struct kg_pack_state state;
    uint8_t *to; /* into the thread's packed bytes */
    uint64_t count;
    bool good;
};

static void chunk_begin(struct packing *packing)
{
    packing->to = packing->thread->packed;
    packing->state = (struct kg_pack_state){0};
    packing->count = 0;
}

/* Writes the chunk so far. Entries that the file does not take are lost, and counted. */
static void chunk_end(struct packing *packing)
{
    uint8_t *packed = packing->thread->packed;
    if (!packing->count)
        return;
    while ((packing->to - packed) % 8)
        *packing->to++ = 0;
    const struct iovec parts[] = {{&packing->count, sizeof packing->count},
                                  {packed, (size_t)(packing->to - packed)}};
    if (!packing->recorder ||
        !kg_recorder_write(packing->recorder, KG_CHUNK_PACKED, packing->thread->number, parts, 2)) {
        kg_loss_add(&packing->thread->losses.dropped, packing->count);
        packing->good = false;
    }
    chunk_begin(packing);
}

/* End of the room for entries. The bytes after it are for zeros, up to a multiple of 8. */
static const uint8_t *packed_end(const struct packing *packing)
{
    return packing->thread->packed + KG_PACKED_BYTES - 8;
}

static void chunk_end_if_full(struct packing *packing)
{
    if (packed_end(packing) - packing->to < KG_PACKED_MOST)
        chunk_end(packing);
}

static void chunk_put(struct packing *packing, const struct kg_entry *slots)
{
    packing->to = kg_entry_pack(&packing->state, slots, packing->to);
    packing->count++;
    chunk_end_if_full(packing);
}

/* Packs entries of one slot; returns the place of the first other entry. */
static uint64_t plain_put(struct packing *packing, uint64_t tail, uint64_t head)
{
    struct kg_ring_part part = {packing->thread->ring, packing->thread->mask, tail, head};
    packing->to = kg_entries_pack(&packing->state, &part, packing->to, packed_end(packing));
    packing->count += part.tail - tail;
    chunk_end_if_full(packing);
    return part.tail;
}

static void ring_pack(struct packing *packing, uint64_t head)
{
    struct kgate_profiler_thread *thread = packing->thread;
    struct kg_entry slots[KG_ENTRY_SLOTS_MOST];
    for (uint64_t tail = plain_put(packing, thread->tail, head); tail < head;
         tail = plain_put(packing, tail, head)) {
        const struct kg_entry *entry = &thread->ring[tail & thread->mask];
        const uint32_t count = kg_entry_slots(entry);
        if (count > 1) { /* they may go over the end of the ring */
            for (uint32_t i = 0; i < count; i++)
                slots[i] = thread->ring[(tail + i) & thread->mask];
            entry = slots;
        }
        chunk_put(packing, entry);
        tail += count;
    }
    chunk_end(packing);
    __atomic_store_n(&thread->tail, head, __ATOMIC_RELEASE);
}

/* Packs the entries whose GPU times are complete. */
static void gpu_pack(struct packing *packing, double wait_ns)
{
    enum { AT_ONCE = 16 };
    struct kgate_profiler_thread *thread = packing->thread;
    struct kg_gpu_done done[AT_ONCE];
    size_t count = AT_ONCE;
    while (thread->gpu && count == AT_ONCE) {
        count = kg_gpu_collect(thread->gpu, wait_ns, done, AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            const uint32_t flags = done[i].entry.nested_flags >> 24;
            struct kg_entry slots[KG_ENTRY_SLOTS_MOST] = {done[i].entry};
            if (flags & KG_ENTRY_USAGE)
                memcpy(&slots[1], &done[i].usage, sizeof *slots);
            if (flags & KG_ENTRY_GPU)
                memcpy(&slots[flags & KG_ENTRY_USAGE ? 2 : 1], &done[i].gpu, sizeof *slots);
            chunk_put(packing, slots);
        }
    }
    chunk_end(packing);
    if (thread->gpu)
        __atomic_store_n(&thread->losses.gpu_dropped, kg_gpu_dropped(thread->gpu),
                         __ATOMIC_RELAXED);
}

/* Adds the losses since the last call to the file's. */
static void losses_note(struct kgate_profiler_thread *thread, struct kg_recorder *recorder)
{
    const struct kgate_profile_losses now = losses_read(&thread->losses);
    const struct kgate_profile_losses *noted = &thread->losses_noted;
    const struct kgate_profile_losses more = {
        .dropped = now.dropped - noted->dropped,
        .too_deep = now.too_deep - noted->too_deep,
        .unbalanced = now.unbalanced - noted->unbalanced,
        .unfinished = now.unfinished - noted->unfinished,
        .sampled_out = now.sampled_out - noted->sampled_out,
        .gpu_dropped = now.gpu_dropped - noted->gpu_dropped,
    };
    kg_recorder_lose(recorder, &more);
    thread->losses_noted = now;
}

/* Everything to the file, under thread->drain. */
static bool drain(struct kgate_profiler_thread *thread, double wait_ns)
{
    /* Read before the paths are written: the thread goes on meanwhile, and its later entries may have
     * paths that are not in the file yet. */
    const uint64_t head = __atomic_load_n(&thread->head, __ATOMIC_ACQUIRE);
    struct packing packing = {.thread = thread, .good = true};
    /* If the file does not take the thread's name and paths, it must not get the entries: no reader
     * could use them. */
    if (thread->profiler && announce(thread, &thread->profiler->recorder) &&
        nodes_write(thread, &thread->profiler->recorder))
        packing.recorder = &thread->profiler->recorder;
    chunk_begin(&packing);
    ring_pack(&packing, head);
    gpu_pack(&packing, wait_ns);
    if (thread->profiler)
        losses_note(thread, &thread->profiler->recorder);
    return packing.good;
}

bool kg_thread_drain(struct kgate_profiler_thread *thread, double wait_ns)
{
    int cancel;
    /* A thread cancelled while it writes would keep its lock for ever. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&thread->drain);
    const bool good = drain(thread, wait_ns);
    pthread_mutex_unlock(&thread->drain);
    pthread_setcancelstate(cancel, NULL);
    return good;
}

bool kg_thread_waits(struct kgate_profiler_thread *thread)
{
    pthread_mutex_lock(&thread->drain);
    const bool waits = thread->gpu && kg_gpu_waiting(thread->gpu);
    pthread_mutex_unlock(&thread->drain);
    return waits;
}

void kg_thread_detach(struct kgate_profiler_thread *thread)
{
    pthread_mutex_lock(&thread->drain);
    thread->profiler = NULL;
    pthread_mutex_unlock(&thread->drain);
}
