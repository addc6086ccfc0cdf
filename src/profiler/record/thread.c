/* The slow parts of recording: the hot path calls them if it cannot go on by itself. */
#include "profiler/record/thread_hot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/record/site.h"
#include "profiler/record/ticks.h"

__thread struct kg_slot kg_slots[KG_SLOTS];
__thread struct kg_memory_count kg_memory;
__thread char kg_thread_own_name[32];

enum { TABLE_FIRST = 256 };

static uint32_t serials;

/* Written in the place of a scope while the buffer is written to the file. */
static struct kgate_site pause_site = {"(profiler)",         NULL, NULL, 0, KGATE_DEVICE_CPU,
                                       KGATE_SCOPE_PROFILER, 0};

struct kgate_profiler_thread *kg_thread_new(uint32_t entries)
{
    struct kgate_profiler_thread *thread;
    if (posix_memalign((void **)&thread, KG_LINE, sizeof *thread) != 0)
        return NULL;
    memset(thread, 0, sizeof *thread);
    thread->ring = calloc(entries, sizeof *thread->ring);
    thread->blocks[0] = calloc(KG_NODE_BLOCK, sizeof *thread->blocks[0]);
    thread->packed = malloc(KG_PACKED_BYTES);
    thread->table = calloc(TABLE_FIRST, sizeof *thread->table);
    thread->table_mask = TABLE_FIRST - 1;
    if (!thread->ring || !thread->blocks[0] || !thread->packed || !thread->table) {
        kg_thread_release(thread);
        return NULL;
    }
    pthread_mutex_init(&thread->drain, NULL);
    thread->mask = entries - 1;
    thread->room_end = entries;
    /* A scope of an earlier recording must not be taken for one of this. */
    thread->serial = __atomic_fetch_add(&serials, UINT32_C(0x01000193), __ATOMIC_RELAXED);
    thread->node_count = 1;
    thread->nodes_written = 1;
    thread->system_id = (uint64_t)syscall(SYS_gettid);
    return thread;
}

void kg_thread_release(struct kgate_profiler_thread *thread)
{
    for (int i = 0; i < KG_NODE_BLOCKS_MOST; i++)
        free(thread->blocks[i]);
    free(thread->extras);
    free(thread->packed);
    free(thread->table);
    free(thread->ring);
    free(thread);
}

void kg_thread_free(struct kgate_profiler_thread *thread)
{
    if (!thread)
        return;
    kg_gpu_free(thread->gpu);
    pthread_mutex_destroy(&thread->drain);
    kg_thread_release(thread);
}

static struct kg_node *node_of(const struct kgate_profiler_thread *thread, uint32_t node)
{
    return &thread->blocks[node / KG_NODE_BLOCK][node % KG_NODE_BLOCK];
}

static uint32_t *place_of(const struct kgate_profiler_thread *thread, uint32_t parent,
                          uint32_t site)
{
    const uint64_t mixed = ((uint64_t)parent << 32 | site) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 32) & thread->table_mask;
    while (thread->table[at]) {
        const struct kg_node *node = node_of(thread, thread->table[at]);
        if (node->site == site && node->parent == parent)
            break;
        at = (at + 1) & thread->table_mask;
    }
    return &thread->table[at];
}

/* Doubles the size of the table of paths, if the table is half full. */
static bool table_room(struct kgate_profiler_thread *thread)
{
    const uint32_t size = thread->table_mask + 1;
    if (2 * thread->node_count <= size)
        return true;
    uint32_t *larger = calloc(2 * (size_t)size, sizeof *larger);
    if (!larger)
        return false;
    free(thread->table);
    thread->table = larger;
    thread->table_mask = 2 * size - 1;
    for (uint32_t i = 1; i < thread->node_count; i++) {
        const struct kg_node *node = node_of(thread, i);
        *place_of(thread, node->parent, node->site) = i;
    }
    return true;
}

/* Adds a new path of this thread; 0 if there is no room. */
static uint32_t child_make(struct kgate_profiler_thread *thread, uint32_t parent, uint32_t site)
{
    const uint32_t node = thread->node_count;
    if (node == KG_NODE_BLOCK * KG_NODE_BLOCKS_MOST || !table_room(thread))
        return 0;
    if (node % KG_NODE_BLOCK == 0) {
        thread->blocks[node / KG_NODE_BLOCK] = calloc(KG_NODE_BLOCK, sizeof(struct kg_node));
        if (!thread->blocks[node / KG_NODE_BLOCK])
            return 0;
    }
    *node_of(thread, node) = (struct kg_node){.site = site, .parent = parent};
    *place_of(thread, parent, site) = node;
    __atomic_store_n(&thread->node_count, node + 1, __ATOMIC_RELEASE);
    return node;
}

uint32_t kg_thread_child(struct kgate_profiler_thread *thread, uint32_t parent,
                         struct kgate_site *site)
{
    const uint32_t number = kg_site_number(site);
    uint32_t node = number ? *place_of(thread, parent, number) : 0;
    if (!node && number)
        node = child_make(thread, parent, number);
    /* A parallel region takes the slow path each time (begin_looked_up). */
    if (node && site->kind != KGATE_SCOPE_PARALLEL)
        *kg_child_cached(thread, parent, number) =
            (struct kg_child){.site = number, .parent = parent, .node = node};
    return node;
}

uint32_t kg_thread_outer(struct kgate_profiler_thread *thread, const uint32_t *sites,
                         uint32_t count)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t site = sites[i] | KG_SITE_OUTER, parent = node;
        node = *place_of(thread, parent, site);
        if (!node && !(node = child_make(thread, parent, site)))
            return 0;
    }
    return node;
}

uint32_t kg_thread_path(const struct kgate_profiler_thread *thread, uint32_t node,
                        uint32_t sites[KG_DEPTH_MOST])
{
    uint32_t count = 0;
    for (uint32_t at = node; at && count < KG_DEPTH_MOST; at = node_of(thread, at)->parent)
        sites[count++] = node_of(thread, at)->site & ~KG_SITE_OUTER;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t site = sites[i];
        sites[i] = sites[count - 1 - i];
        sites[count - 1 - i] = site;
    }
    return count;
}

bool kg_thread_pause(struct kgate_profiler_thread *thread)
{
    if (thread->drops || thread->draining)
        return false;
    thread->draining = true;
    const uint64_t start = kg_ticks();
    kg_thread_drain(thread, 0);
    thread->draining = false;
    thread->room_end = __atomic_load_n(&thread->tail, __ATOMIC_ACQUIRE) + thread->mask + 1;
    const uint32_t node = kg_child_find(thread, thread->frames[thread->depth].node, &pause_site);
    if (!node)
        return true;
    thread->ring[thread->head_own & thread->mask] =
        (struct kg_entry){.start = start, .duration = kg_ticks() - start, .node = node};
    kg_publish(thread, 1);
    return true;
}

void kg_thread_put(struct kgate_profiler_thread *thread, const struct kg_entry *slots,
                   uint32_t count)
{
    if (!kg_room(thread, count) && !kg_thread_pause(thread)) {
        kg_loss_add(&thread->losses.dropped, 1);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        thread->ring[(thread->head_own + i) & thread->mask] = slots[i];
    kg_publish(thread, count);
}

struct kgate_scope kg_thread_too_deep(struct kgate_profiler_thread *thread)
{
    kg_loss_add(&thread->losses.too_deep, 1);
    return (struct kgate_scope){NULL, 0, 0};
}
