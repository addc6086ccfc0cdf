/* thread.h: the recording of one thread: open scopes, a tree of paths, a buffer. Only the thread
 * itself begins and ends scopes; any thread may drain the buffer into the file.
 *
 * The thread owns its struct. It frees the struct when it ends, or at the first scope of a later
 * recording. A profiler that ends first detaches from the struct (kg_thread_detach). If GPU times
 * are incomplete when the thread ends, it leaves the struct to the profiler and does not wait. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kgate/profiler.h"
#include "profiler/record/gpu.h"
#include "profiler/record/recorder.h"
#include "profiler/record/recording.h"

/* Hidden symbols need no lookup in the table of symbols that a program may replace. */
#define KG_HIDDEN __attribute__((visibility("hidden")))

enum {
    KG_DEPTH_MOST = 128,
    KG_NODE_BLOCK = 256,
    KG_NODE_BLOCKS_MOST = 256, /* of KG_NODE_BLOCK paths */
    KG_CHILDREN_CACHED = 256,
    KG_SLOTS = 8, /* profilers at a time */
    KG_LINE = 64, /* bytes of a cache line */
    KG_PACKED_BYTES = 16384,
};

/* Reasons for the slow path of a scope; bits of a thread's `unusual`. */
enum kg_unusual {
    KG_UNUSUAL_SAMPLE = 1,
    KG_UNUSUAL_MEMORY = 2,
    KG_UNUSUAL_CPU_TIME = 4,
    KG_UNUSUAL_NVTX = 8,
};

/* A path: a site inside a path. Sites are numbers, because an address may be used again. A site with
 * KG_SITE_OUTER is a scope on another thread, whose parallel region started this one. */
#define KG_SITE_OUTER UINT32_C(0x80000000)
struct kg_node {
    uint32_t site;
    uint32_t parent;
};

/* An open scope. */
struct kg_frame {
    uint64_t start;
    uint64_t bytes;
    uint32_t node;
    uint32_t serial;
};

/* Further data of an unusual open scope. */
struct kg_frame_extra {
    uint32_t serial; /* the frame's serial; another serial: no data of this frame */
    uint64_t allocated;
    int64_t net;
    int64_t peak_outside;
    uint64_t cpu_ns;
    uint64_t device_used;    /* device memory at the beginning; UINT64_MAX: not measured */
    uint64_t device_outside; /* the thread's device_peak before */
    struct kg_gpu_mark gpu;  /* valid if the frame's bit in gpu_frames is set */
};

/* The last found child of a path: saves the walk over its children. */
struct kg_child {
    uint32_t site;
    uint32_t parent;
    uint32_t node;
};

struct kgate_profiler_thread {
    /* The thread's own, used by every scope. frames[0] stands for the root, or for the parallel region
     * that started this thread. */
    uint32_t depth;
    uint32_t serial;
    uint32_t unusual;
    uint32_t muted; /* number of open scopes inside a request that is not recorded */
    struct kg_entry *ring;
    uint64_t mask;
    uint64_t head_own; /* head, for the thread itself */
    uint64_t room_end; /* limit of head, by the last known `tail` */
    uint32_t slot;
    uint32_t number;
    struct kg_frame frames[KG_DEPTH_MOST + 1];
    struct kg_child children[KG_CHILDREN_CACHED];
    /* The thread's own, rarely used. */
    struct kg_frame_extra *extras; /* one per frame; NULL until a scope is unusual */
    uint64_t gpu_frames[(KG_DEPTH_MOST + 64) / 64];
    uint32_t gpu_scopes; /* number of scopes on streams */
    uint64_t countdown;  /* number of scopes up to the next recorded one, when sampling */
    uint64_t random;
    double sample; /* share of recorded requests or scopes */
    bool samples_requests;
    bool device_memory;   /* scopes on streams read the device's memory */
    uint64_t device_peak; /* most of the readings inside the innermost such scope */
    uint32_t recording;   /* number of the profiler's recording */
    uint32_t regions;     /* number of open parallel regions of this thread that are noted */
    uint32_t region;      /* id of the region that frames[0] stands for; 0: none */
    bool draining;        /* the thread itself drains: a signal handler must not drain too */
    bool drops;           /* a full buffer drops entries */
    struct kg_node *blocks[KG_NODE_BLOCKS_MOST];
    uint32_t *table; /* paths by site and parent, open addressing; 0: free; at most half full */
    uint32_t table_mask;

    /* Shared with the draining thread. */
    _Alignas(KG_LINE) uint64_t head;    /* written by the thread: entries before it are whole */
    uint32_t node_count;                /* written by the thread; includes the root */
    struct kgate_profile_losses losses; /* counted by atomic additions */
    _Alignas(KG_LINE) uint64_t tail;    /* written under `drain` */
    pthread_mutex_t drain;              /* protects the draining and the fields below */
    struct kgate_profiler *profiler;    /* NULL once it has ended */
    uint8_t *packed;                    /* KG_PACKED_BYTES: the chunk being made */
    uint32_t nodes_written;
    bool announced; /* its name is in the file */
    struct kgate_profile_losses losses_noted;
    struct kg_gpu_times *gpu; /* NULL until a scope has a stream */
    bool left; /* the thread has ended with incomplete GPU times; the profiler owns this struct */
    uint64_t system_id;
    char name[32];
    struct kgate_profiler_thread *next; /* in the profiler's list, under the registry's lock */
};

/* The calling thread's recordings, by the profiler's slot. */
struct kg_slot {
    uint32_t recording; /* serial of the profiler; 0: none */
    uint32_t epoch;     /* the process-wide profiler's, when the thread last looked */
    struct kgate_profiler_thread *thread;
};
extern KG_HIDDEN __thread struct kg_slot kg_slots[KG_SLOTS];

/* Memory that the calling thread has reported. */
struct kg_memory_count {
    bool used;
    uint64_t allocated;
    int64_t net;
    int64_t peak;
};
extern KG_HIDDEN __thread struct kg_memory_count kg_memory;

/* The calling thread's name for reports; empty: the system's. */
extern KG_HIDDEN __thread char kg_thread_own_name[32];

/* A new struct for the calling thread, with `entries` slots in its buffer; NULL if memory is out. */
struct kgate_profiler_thread *kg_thread_new(uint32_t entries);
void kg_thread_free(struct kgate_profiler_thread *thread);
/* Frees a struct of the parent's thread in a forked child, without touching its locks and events. */
void kg_thread_release(struct kgate_profiler_thread *thread);

/* The path of a site inside a path, if the cache lacks it; 0 if there is no room. */
uint32_t kg_thread_child(struct kgate_profiler_thread *thread, uint32_t parent,
                         struct kgate_site *site);

/* The path of sites of other threads' scopes, the outermost first; 0 if there is no room. */
uint32_t kg_thread_outer(struct kgate_profiler_thread *thread, const uint32_t *sites,
                         uint32_t count);

/* Writes the sites of a path, the outermost first; returns their number. */
uint32_t kg_thread_path(const struct kgate_profiler_thread *thread, uint32_t node,
                        uint32_t sites[KG_DEPTH_MOST]);

/* Counts a scope that cannot be recorded. */
struct kgate_scope kg_thread_too_deep(struct kgate_profiler_thread *thread);

/* Puts an entry and its further slots into the buffer. Drains or drops if the buffer is full. */
void kg_thread_put(struct kgate_profiler_thread *thread, const struct kg_entry *slots,
                   uint32_t count);

/* Writes a full buffer to the file, and records the time as a scope.
 * returns false if the thread drops entries instead */
bool kg_thread_pause(struct kgate_profiler_thread *thread);

/* Ends all open scopes as unfinished. Only the thread itself may call it. */
void kg_thread_close(struct kgate_profiler_thread *thread);

/* Whether GPU times are incomplete. */
bool kg_thread_waits(struct kgate_profiler_thread *thread);

/* Writes the buffer's entries to the file.
 * wait_ns  longest wait for each incomplete GPU time
 * returns  false if the file did not take all of them; the others count as dropped */
bool kg_thread_drain(struct kgate_profiler_thread *thread, double wait_ns);

/* Separates the struct from a profiler that ends: nothing is written any more. */
void kg_thread_detach(struct kgate_profiler_thread *thread);

/* For the counters in `losses`: off the hot path. */
static inline void kg_loss_add(uint64_t *count, uint64_t more)
{
    __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}
