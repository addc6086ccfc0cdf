/* recording.h: the format of a recording (.kgprof), a file of chunks. One system call writes each
 * chunk while the program runs, so a crash loses only the buffers. In the byte order of the machine.
 *
 * A file has one segment per process, one after the other; `cat a.kgprof b.kgprof` is a recording of
 * both. A segment begins with KG_CHUNK_PROCESS. Chunks of one thread are in order. A name precedes
 * the nodes that use it, and a node precedes its entries. Any segment may end in the middle of a
 * chunk. */
#pragma once
#include <stdint.h>

#define KG_CHUNK_MAGIC UINT32_C(0x3150674b) /* "KgP1" in little-endian order */
enum { KG_RECORDING_VERSION = 1 };

enum kg_chunk_type {
    KG_CHUNK_PROCESS = 1, /* struct kg_chunk_process and strings */
    KG_CHUNK_NAMES,       /* struct kg_chunk_name and strings, again and again */
    KG_CHUNK_THREAD,      /* struct kg_chunk_thread */
    KG_CHUNK_NODES,       /* struct kg_chunk_node of the chunk's thread, again and again */
    KG_CHUNK_LOSSES = 6,  /* struct kgate_profile_losses of the chunk's thread, so far */
    KG_CHUNK_PACKED = 7,  /* number of entries in 8 bytes, entries as in pack.h, and zeros up to a
                             multiple of 8 */
    KG_CHUNK_END = 16,    /* empty: the process ended its recording itself */
};

/* Before each chunk. `ticks` and `clock_ns` (CLOCK_MONOTONIC) were read together: the first and the
 * last pair of a segment give the length of a tick. */
struct kg_chunk {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t bytes; /* size of the chunk after this struct, a multiple of 8 */
    uint32_t thread;
    uint64_t ticks;
    uint64_t clock_ns;
};

/* Then `label_bytes`, `program_bytes` and `host_bytes` of text. */
struct kg_chunk_process {
    uint64_t started_ns;     /* CLOCK_REALTIME */
    double ns_per_tick;      /* first estimate, within 1 % */
    double scope_cost_ns;    /* cost of a scope for the scope around it */
    double sample;           /* share recorded, above 0 up to 1 */
    uint32_t sampling;       /* enum kgate_sampling */
    uint32_t process;        /* number of the process */
    uint32_t entry_bytes;    /* size of a slot */
    uint32_t buffer_entries; /* slots of each thread's buffer */
    uint16_t label_bytes;
    uint16_t program_bytes;
    uint16_t host_bytes;
    uint16_t clock; /* enum kg_clock_source */
};

enum kg_clock_source { KG_CLOCK_MONOTONIC, KG_CLOCK_TSC, KG_CLOCK_CNTVCT };

/* Then the bytes of name, backend and file, and zeros up to a multiple of 8. */
struct kg_chunk_name {
    uint32_t id; /* from 1 */
    uint32_t line;
    uint8_t device; /* enum kgate_device */
    uint8_t kind;   /* enum kgate_scope_kind */
    uint16_t name_bytes;
    uint16_t backend_bytes;
    uint16_t file_bytes;
};

struct kg_chunk_thread {
    uint64_t system_id; /* gettid */
    char name[32];      /* terminated; may be empty */
};

/* A path: a name inside a path. Numbers are the thread's, from 1; 0 is the root. */
struct kg_chunk_node {
    uint32_t node;
    uint32_t parent;
    uint32_t name;
    uint32_t flags;
};

enum kg_node_flags {
    KG_NODE_STARTED =
        1, /* outermost on its thread: the parent is a parallel region of another one */
};

/* An entry as it is in memory: a slot of 32 bytes, and up to two more. Times in ticks. */
struct kg_entry {
    uint64_t start;
    uint64_t duration;
    uint64_t bytes;        /* read and written; 0: not known */
    uint32_t node;         /* KG_ENTRY_SPAN: the id of a name, which is outermost */
    uint32_t nested_flags; /* low 24 bits: scopes recorded inside, at most 2^24-1; high 8: flags */
};

enum kg_entry_flags {
    KG_ENTRY_UNFINISHED = 1, /* ended by an outer scope's end or by the thread's */
    KG_ENTRY_SPAN = 2,       /* not nested; see kgate_span_begin */
    KG_ENTRY_USAGE = 4,      /* a slot struct kg_entry_usage follows */
    KG_ENTRY_GPU = 8,        /* a slot struct kg_entry_gpu follows, after the usage */
    KG_ENTRY_DEVICE = 16,    /* the usage has the memory of the device */
};
enum { KG_ENTRY_NESTED_MOST = 0xffffff };

struct kg_entry_usage {
    uint64_t allocated_bytes;
    uint64_t peak_bytes;        /* peak of the allocated bytes, less those at the beginning */
    uint64_t cpu_ns;            /* UINT64_MAX: not measured */
    uint64_t device_peak_bytes; /* with KG_ENTRY_DEVICE, else 0 */
};

struct kg_entry_gpu {
    uint64_t start; /* ticks of the host's clock; 0: not known */
    uint64_t duration_ns;
    uint64_t stream;
    uint64_t reserved;
};

#define KG_ENTRY_SLOTS_MOST 3

_Static_assert(sizeof(struct kg_chunk) == 32, "chunks are read as written");
_Static_assert(sizeof(struct kg_chunk_process) == 56, "chunks are read as written");
_Static_assert(sizeof(struct kg_chunk_name) == 16, "chunks are read as written");
_Static_assert(sizeof(struct kg_entry) == 32, "a slot");
_Static_assert(sizeof(struct kg_entry_usage) == 32, "a slot");
_Static_assert(sizeof(struct kg_entry_gpu) == 32, "a slot");
