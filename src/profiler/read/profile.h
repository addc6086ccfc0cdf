/* profile.h: what a recording holds, read back: entry by entry, or added up.
 *
 * kg_profile_scan_file streams: its memory grows with the distinct paths, never with the entries. All
 * reports are made from one or the other. Part of the profiler library: depends on nothing but
 * util, stats and src/profiler. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "kgate/profiler.h"

#define KG_PROFILE_SCHEMA "kgate.profile.v1"

/* The scope inside a case's on the GPU: from the call's beginning to its end on the stream. */
#define KG_PROFILE_STREAM_SCOPE "on the stream"

enum kg_clock_name_count { KG_CLOCK_NAMES = 3 };

/* "compute", "transfer", "profiler", "wait", "parallel": of enum kgate_scope_kind. */
enum { KG_SCOPE_KINDS = 5 };
extern const char *const kg_scope_kind_names[KG_SCOPE_KINDS + 1];

/* One process of a recording: a segment. */
struct kg_profile_process {
    const char *label;   /* what it was said to do; NULL where nothing was */
    const char *program; /* its executable's path; NULL where not known */
    const char *host;    /* NULL where not known */
    uint64_t number;     /* the system's */
    double started_ns;   /* CLOCK_REALTIME */
    double wall_ns;      /* from the first beginning to the last end; 0 without entries */
    double scope_cost_ns;
    double sample;
    size_t sampling;  /* enum kgate_sampling */
    uint64_t threads; /* that recorded */
    bool complete;    /* it ended its recording itself */
    struct kgate_profile_losses losses;
};

/* A path: a name inside a path, the same for all threads and processes. */
struct kg_profile_path {
    const char *name;
    size_t parent; /* index; its own where it is outermost */
    size_t depth;
    const char *device;  /* "cpu" or "cuda" */
    const char *backend; /* NULL where nothing was said */
    const char *file;    /* NULL where not known */
    uint64_t line;
    size_t kind; /* enum kgate_scope_kind */
    bool span;   /* of kgate_span_begin: beside the nesting */
};

/* One scope that ended. Times in ns since its process's first reading of the clock. */
struct kg_profile_entry {
    size_t process;  /* index */
    size_t path;     /* index */
    uint32_t thread; /* its number in the process, from 1 */
    bool unfinished;
    double start_ns;
    double duration_ns;
    double overhead_ns; /* the profiler's own within, estimated: scopes recorded inside by what one
                           costs; without what "(profiler)" scopes say */
    uint64_t nested;    /* scopes recorded inside */
    uint64_t bytes;     /* 0: not known */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;
    double cpu_ns;       /* NaN: not measured */
    double gpu_start_ns; /* NaN: not known, or no GPU time */
    double gpu_ns;       /* NaN: no GPU time */
    uint64_t stream;
};

/* What a scan tells; each may be NULL. Returning false ends the scan with `err` as the function set
 * it. */
struct kg_profile_visitor {
    void *user;
    /* before the entries of the process; its wall_ns, threads, complete and losses are not known
     * yet */
    bool (*process)(void *user, size_t index, const struct kg_profile_process *process,
                    struct kg_error *err);
    /* a new path: its index is one more than that of the last one. Also paths without entries. */
    bool (*path)(void *user, size_t index, const struct kg_profile_path *path,
                 struct kg_error *err);
    /* a thread's name was told, or told anew */
    bool (*thread)(void *user, size_t process, uint32_t thread, uint64_t system_id,
                   const char *name, struct kg_error *err);
    bool (*entry)(void *user, const struct kg_profile_entry *entry, struct kg_error *err);
    /* after them, with everything known */
    bool (*process_end)(void *user, size_t index, const struct kg_profile_process *process,
                        struct kg_error *err);
};

/* Reads a recording from a descriptor, which stays open: it is read by pread from its start. `path` is
 * for errors. A process's part that is cut off, as a crash or a full disk leaves it, is read as
 * far as it goes (its `complete` is false), and then the next one's; what is no recording, or
 * damaged, is KG_ERROR_USAGE with the byte it was noticed at. Everything told is owned by the scan
 * and valid until it returns. */
bool kg_profile_scan_file(int file, const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err);

/* Whether a file begins as a recording does; false also where it cannot be read. */
bool kg_profile_is_recording(const char *path);

/* The figures of one path, or of one name, over all its entries. Times in ns; quantiles within 1 %.
 * A path without calls was still open when the recording ended: all its figures are 0 but for
 * those that are of what is inside it. */
struct kg_profile_figures {
    uint64_t calls;
    double total_ns;
    double self_ns; /* without the scopes inside: not below 0 */
    double mean_ns;
    double standard_deviation_ns;
    double min_ns;
    double max_ns;
    double p50_ns, p95_ns, p99_ns;
    double share;       /* of the total of all outermost paths, without spans; of a span 0 */
    double gpu_ns;      /* here and inside; transfers apart */
    double transfer_ns; /* of transfers, on the GPU where known, here and inside */
    double cpu_ns;      /* NaN: not measured */
    double overhead_ns; /* the profiler's own, here and inside, estimated, with "(profiler)" */
    uint64_t bytes;
    uint64_t allocated_bytes; /* of its entries */
    uint64_t peak_bytes;      /* the most of an entry */
    uint64_t unfinished;
    uint64_t threads;         /* that it ran on, over all processes; of a span none */
    uint64_t threads_most;    /* in one process */
    double busiest_thread_ns; /* total of the thread that had most of it in its process, summed over
                                 processes */
    double even_thread_ns;    /* the same, had all threads of a process had as much of it */
};

/* One path of a profile with its figures, and, for comparing, its rounds: with more than one
 * process a value for each, with one its calls in up to KG_PROFILE_BLOCKS consecutive parts of
 * nearly as many. A round is the path's total in a process (a block's mean times all calls). */
enum { KG_PROFILE_BLOCKS = 10 };
struct kg_profile_row {
    struct kg_profile_path path;
    struct kg_profile_figures figures;
    double *rounds_ns;
    size_t round_count;
    double *calls; /* of each process */
    size_t process_count;
};

/* What a path had on one thread of one process. Not of spans, which are on no thread. */
struct kg_profile_share {
    size_t row;
    size_t process;
    uint64_t thread; /* its number in the process, from 1 */
    uint64_t calls;
    double total_ns;
    double start_ns; /* of the first of them, not below 0, and */
    double end_ns;   /* of the last, since the process's first reading of the clock */
};

struct kg_profile_name {
    const char *name;
    struct kg_profile_figures figures; /* total, share, gpu, transfer and overhead without calls
                                          inside one of the same name; the rest over all */
};

/* A profile, added up. */
struct kg_profile {
    struct kg_arena arena; /* owns everything below */
    struct kg_profile_process *processes;
    size_t process_count;
    struct kg_profile_row *rows; /* by nesting, a scope directly before those inside it; each level
                                    by total, largest first, but before them outermost scopes that
                                    a process was recorded for, by the time of a call */
    size_t row_count;
    struct kg_profile_name *names; /* by total, largest first */
    size_t name_count;
    struct kg_profile_share *shares; /* by process, thread and row; old JSON has none */
    size_t share_count;
    uint64_t entry_count;
    double wall_ns; /* of all processes */
};

/* Adds up a recording. Memory grows with paths, processes and threads, not with entries.
 * profile  filled on success, to be freed with kg_profile_free; zeroed on failure */
bool kg_profile_read(const char *path, struct kg_profile *profile, struct kg_error *err);
bool kg_profile_read_file(int file, const char *path, struct kg_profile *profile,
                          struct kg_error *err);
void kg_profile_free(struct kg_profile *profile);

/* How much more the busiest thread had than if all had had as much, from 1 up; NaN where it ran on
 * one thread in each process. */
double kg_profile_imbalance(const struct kg_profile_figures *figures);

/* Bytes read and written a second: of the time on the GPU where that is known, else of the total;
 * NaN where no bytes were told. */
double kg_profile_bandwidth(const struct kg_profile_figures *figures);

/* The share of its time that the GPU worked for it, which streams that overlap can make more than
 * 1; NaN where there is no GPU time, or the scope only launched its work. */
double kg_profile_gpu_utilization(const struct kg_profile_figures *figures);

/* What was lost in all processes together. */
struct kgate_profile_losses kg_profile_losses(const struct kg_profile *profile);

/* The row's path as "outer;inner"; in `arena`, NULL where memory is out. A semicolon in a name
 * becomes a comma. */
const char *kg_profile_path_text(struct kg_arena *arena, const struct kg_profile *profile,
                                 size_t row);

/* Reports as text.
 * limit  rows; 0 for all
 * width  characters of a line, for which columns give way and names are cut; 0: any */
void kg_profile_table(const struct kg_profile *profile, size_t limit, size_t width,
                      struct kg_text *text);
void kg_profile_tree(const struct kg_profile *profile, size_t limit, size_t width,
                     struct kg_text *text);
/* The `limit` (0: 10) paths with the most self time: what is worth looking at. */
void kg_profile_top(const struct kg_profile *profile, size_t limit, size_t width,
                    struct kg_text *text);
/* The bottleneck of each of the slowest cases (bottleneck.h), a sentence each:
 * how table and tree end. */
void kg_profile_bottlenecks(const struct kg_profile *profile, struct kg_text *text);
void kg_profile_folded(const struct kg_profile *profile, struct kg_text *text);

/* What a report of every entry is made from: a recording, or (profile_load.h) a JSON profile. */
struct kg_profile_source {
    bool (*scan)(const struct kg_profile_source *source, const struct kg_profile_visitor *visitor,
                 struct kg_error *err);
    const char *path;
    int file; /* a recording's descriptor */
};
struct kg_profile_source kg_profile_source_file(int file, const char *path);

/* Reports that hold every entry: streamed to `output`, which is flushed. KG_ERROR_SYSTEM where it
 * takes no more. */
bool kg_profile_trace_write(const struct kg_profile_source *source, FILE *output,
                            struct kg_error *err);
bool kg_profile_csv_write(const struct kg_profile_source *source, FILE *output,
                          struct kg_error *err);
/* The same of a recording; `path` is for messages. */
bool kg_profile_trace(int file, const char *path, FILE *output, struct kg_error *err);
bool kg_profile_csv(int file, const char *path, FILE *output, struct kg_error *err);
/* kgate.profile.v1: what kg_profile_read gives, then "threads" and "entries", one a line. */
bool kg_profile_json(int file, const char *path, FILE *output, struct kg_error *err);
