/* scan_state.h: the state of a scan through a recording. For the files scan*.c only. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/read/number_map.h"
#include "profiler/read/paths.h"
#include "profiler/read/profile.h"
#include "profiler/read/recording_strings.h"
#include "profiler/read/window.h"
#include "profiler/record/recording.h"

/* A name of the current process. */
struct kg_scan_name {
    const char *name, *backend, *file;
    uint32_t line;
    uint8_t device;
    uint8_t kind;
    size_t span; /* index + 1 of its path as a span; 0: not a span yet */
};

/* A path of a thread. */
struct kg_scan_node {
    uint32_t path;  /* index + 1; of the root: 0 */
    bool started;   /* outermost on this thread, which the parent's parallel region started */
    bool elsewhere; /* this, or inside of such a path */
};

/* A thread of the current process. */
struct kg_scan_thread {
    struct kg_scan_node *nodes; /* by node; [0] is the root's */
    size_t node_count;          /* with the root */
    size_t node_capacity;
    bool recorded;
    struct kgate_profile_losses losses;
};

struct kg_scan {
    struct kg_window window;
    const struct kg_profile_visitor *visitor;
    struct kg_arena arena;
    struct kg_strings strings;
    struct kg_paths paths;
    size_t process_count;
    /* Of the current process: */
    struct kg_profile_process *process;
    uint64_t first_ticks;
    double ns_per_tick;
    double first_ns, last_ns; /* beginning and end of its entries */
    struct kg_map name_by_id; /* id to index + 1 */
    struct kg_scan_name *names;
    size_t name_count, name_capacity;
    struct kg_map thread_by_number; /* number to index + 1 */
    struct kg_scan_thread *threads;
    size_t thread_count, thread_capacity;
};

/* A chunk, or the part of it before the end of the file. */
struct kg_scan_chunk {
    struct kg_chunk header;
    uint64_t start; /* offset of the bytes after the header */
    uint64_t end;
    bool cut; /* the file ends inside the chunk */
};

/* Fills err with the damage and its offset. Returns false. */
__attribute__((format(printf, 4, 5))) bool kg_scan_damaged(const struct kg_scan *scan,
                                                           uint64_t offset, struct kg_error *err,
                                                           const char *format, ...);

/* Each reads one chunk of its type. */
bool kg_scan_names(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err);
bool kg_scan_thread(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err);
bool kg_scan_nodes(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err);
bool kg_scan_losses(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err);
bool kg_scan_entries(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err);

/* A text of the recording; NULL if it is empty.
 * returns false if memory is out */
bool kg_scan_text(struct kg_scan *scan, const unsigned char *bytes, size_t length,
                  const char **text, struct kg_error *err);
/* The thread of a number. Makes the thread if the number is new. Valid until the next call.
 * returns NULL if memory is out */
struct kg_scan_thread *kg_scan_thread_of(struct kg_scan *scan, uint32_t number,
                                         struct kg_error *err);
/* The path of a name as a span.
 * where  offset for err */
bool kg_scan_span(struct kg_scan *scan, uint32_t name, uint64_t where, size_t *path,
                  struct kg_error *err);
/* Forgets the current process. */
void kg_scan_tables_free(struct kg_scan *scan);
