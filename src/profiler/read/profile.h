/* profile.h: reads a recording back: entry by entry, or added up.
 *
 * kg_profile_scan_file streams: its memory grows with the distinct paths, never with the entries. All
 * reports use one of the two. Part of the profiler library: depends only on src/base and
 * src/profiler. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "kgate/profiler.h"

#define KG_PROFILE_SCHEMA "kgate.profile.v1"

/* The scope inside a case's scope on the GPU: from the call's start to its end on the stream. */
#define KG_PROFILE_STREAM_SCOPE "on the stream"

enum kg_clock_name_count { KG_CLOCK_NAMES = 3 };

/* "compute", "transfer", "profiler", "wait", "parallel": of enum kgate_scope_kind. */
enum { KG_SCOPE_KINDS = 5 };
extern const char *const kg_scope_kind_names[KG_SCOPE_KINDS + 1];

/* One process of a recording: a segment. */
struct kg_profile_process {
    const char *label;   /* its task, as given by its starter; NULL if none was given */
    const char *program; /* its executable's path; NULL if not known */
    const char *host;    /* NULL if not known */
    uint64_t number;     /* the system's */
    double started_ns;   /* CLOCK_REALTIME */
    double wall_ns;      /* from the first beginning to the last end; 0 without entries */
    double scope_cost_ns;
    double sample;
    size_t sampling;  /* enum kgate_sampling */
    uint64_t threads; /* number of threads that recorded */
    bool complete;    /* it ended its recording itself */
    struct kgate_profile_losses losses;
};

/* A path: a name inside a path, the same for all threads and processes. */
struct kg_profile_path {
    const char *name;
    size_t parent; /* index; its own index if outermost */
    size_t depth;
    const char *device;  /* "cpu" or "cuda" */
    const char *backend; /* NULL if none was given */
    const char *file;    /* NULL if not known */
    uint64_t line;
    size_t kind; /* enum kgate_scope_kind */
    bool span;   /* of kgate_span_begin: outside the nesting */
};

/* One scope that ended. Times in ns since its process's first reading of the clock. */
struct kg_profile_entry {
    size_t process;  /* index */
    size_t path;     /* index */
    uint32_t thread; /* its number in the process, from 1 */
    bool unfinished;
    bool started;   /* outermost on its thread, which its parent, a parallel region, started */
    bool elsewhere; /* started, or inside such an entry */
    double start_ns;
    double duration_ns;
    double overhead_ns; /* the profiler's own time inside, estimated: `nested` times the cost of a
                           scope; excludes the "(profiler)" scopes */
    uint64_t nested;    /* number of scopes recorded inside */
    uint64_t bytes;     /* 0: not known */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;
    uint64_t device_peak_bytes; /* of a recording; JSON entries have none */
    double cpu_ns;              /* NaN: not measured */
    double gpu_start_ns;        /* NaN: not known, or no GPU time */
    double gpu_ns;              /* NaN: no GPU time */
    uint64_t stream;
};

/* The callbacks of a scan; each may be NULL. If one returns false, the scan ends with the `err` that
 * the callback has set. */
struct kg_profile_visitor {
    void *user;
    /* before the entries of the process; its wall_ns, threads, complete and losses are not known
     * yet */
    bool (*process)(void *user, size_t index, const struct kg_profile_process *process,
                    struct kg_error *err);
    /* a new path, even without entries; indices count up from 0 */
    bool (*path)(void *user, size_t index, const struct kg_profile_path *path,
                 struct kg_error *err);
    /* a thread's name, or its new name */
    bool (*thread)(void *user, size_t process, uint32_t thread, uint64_t system_id,
                   const char *name, struct kg_error *err);
    bool (*entry)(void *user, const struct kg_profile_entry *entry, struct kg_error *err);
    /* after the entries of the process, with all fields known */
    bool (*process_end)(void *user, size_t index, const struct kg_profile_process *process,
                        struct kg_error *err);
};

/* Reads a recording from its start, by pread from a descriptor, which stays open. `path` is for errors.
 * A crash or a full disk may cut off a process's part. The scan then reads this part up to the cut,
 * leaves its `complete` false, and goes on with the next part. If the file is no recording, or damaged,
 * err is KG_ERROR_USAGE with the byte's position. The scan owns all data that it passes; they are
 * valid until it returns. */
bool kg_profile_scan_file(int file, const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err);

/* Whether a file begins like a recording; false also if it cannot be read. */
bool kg_profile_is_recording(const char *path);

/* The figures of one path, or of one name, over all its entries. Times in ns; quantiles within 1 %.
 * A path without calls was still open when the recording ended: only the figures that include inner
 * scopes are set, and the others are 0. */
struct kg_profile_figures {
    uint64_t calls;
    double total_ns;
    double self_ns; /* without the scopes inside: not below 0 */
    double mean_ns;
    double standard_deviation_ns;
    double min_ns;
    double max_ns;
    double p50_ns, p95_ns, p99_ns;
    double elsewhere_ns; /* part of total_ns on threads that a parallel region around started */
    double share;  /* share of the program's wall time in scopes: of the busiest thread, or without
                     elsewhere_ns; 0 for a span */
    double gpu_ns; /* GPU time here and inside, without transfers */
    double transfer_ns; /* time of transfers here and inside, on the GPU if known */
    double cpu_ns;      /* NaN: not measured */
    double overhead_ns; /* estimate of the profiler's own time here and inside, with "(profiler)" */
    uint64_t bytes;
    uint64_t allocated_bytes;   /* sum over its entries */
    uint64_t peak_bytes;        /* greatest peak of an entry */
    uint64_t device_peak_bytes; /* the same of the device's memory, here and inside */
    uint64_t unfinished;
    uint64_t threads;         /* number of threads, over all processes; 0 for a span */
    uint64_t threads_most;    /* most threads in one process */
    double busiest_thread_ns; /* total of each process's busiest thread, summed over processes */
    double even_thread_ns;    /* mean total of each process's threads, summed over processes */
};

/* One path of a profile, with its figures and, for comparing, its rounds. If there are several
 * processes, a round is the path's total in one process. If there is one, its calls are divided into
 * up to KG_PROFILE_BLOCKS consecutive blocks of nearly equal size; a round is a block's mean times
 * all calls. */
enum { KG_PROFILE_BLOCKS = 10 };
struct kg_profile_row {
    struct kg_profile_path path;
    struct kg_profile_figures figures;
    double *rounds_ns;
    size_t round_count;
    double *calls; /* calls per process */
    size_t process_count;
};

/* The part of a path's calls on one thread of one process. Spans have none: they are on no thread. */
struct kg_profile_share {
    size_t row;
    size_t process;
    uint64_t thread; /* its number in the process, from 1 */
    uint64_t calls;
    double total_ns;
    double start_ns; /* start of the first call, at least 0 */
    double end_ns;   /* end of the last; both since the process's first reading of the clock */
};

struct kg_profile_name {
    const char *name;
    struct kg_profile_figures figures; /* total, share, gpu, transfer and overhead without calls
                                          inside a scope of this name; the others over all calls */
};

/* A profile, added up. */
struct kg_profile {
    struct kg_arena arena; /* owns everything below */
    struct kg_profile_process *processes;
    size_t process_count;
    struct kg_profile_row *rows; /* by nesting, a scope directly before its inner scopes; each level
                                    by total, largest first. Outermost scopes with a process's label
                                    as name come first, by the time per call */
    size_t row_count;
    struct kg_profile_name *names; /* by total, largest first */
    size_t name_count;
    struct kg_profile_share *shares; /* by process, thread and row; old JSON has none */
    size_t share_count;
    uint64_t entry_count;
    double wall_ns; /* sum over the processes */
};

/* Adds up a recording. Memory grows with paths, processes and threads, not with entries.
 * profile  filled on success, to be freed with kg_profile_free; zeroed on failure */
bool kg_profile_read(const char *path, struct kg_profile *profile, struct kg_error *err);
bool kg_profile_read_file(int file, const char *path, struct kg_profile *profile,
                          struct kg_error *err);
void kg_profile_free(struct kg_profile *profile);

/* The busiest thread's total over that of an even division, from 1 up; NaN if the path ran on one
 * thread in each process. */
double kg_profile_imbalance(const struct kg_profile_figures *figures);

/* Bytes read and written per second: of the time on the GPU if it is known, else of the total; NaN
 * without bytes. */
double kg_profile_bandwidth(const struct kg_profile_figures *figures);

/* GPU time per total time of the scope; above 1 if streams overlap. NaN without GPU time, or if the
 * scope only launched its work. */
double kg_profile_gpu_utilization(const struct kg_profile_figures *figures);

/* The losses of all processes together. */
struct kgate_profile_losses kg_profile_losses(const struct kg_profile *profile);

/* The row's path as "outer;inner"; in `arena`, NULL if memory is out. A semicolon in a name becomes a
 * comma. */
const char *kg_profile_path_text(struct kg_arena *arena, const struct kg_profile *profile,
                                 size_t row);

/* Reports as text.
 * limit  number of rows; 0: all
 * width  characters per line; longer lines lose columns, and names are cut; 0: any */
void kg_profile_table(const struct kg_profile *profile, size_t limit, size_t width,
                      struct kg_text *text);
void kg_profile_tree(const struct kg_profile *profile, size_t limit, size_t width,
                     struct kg_text *text);
/* The `limit` (0: 10) paths with the most self time. */
void kg_profile_top(const struct kg_profile *profile, size_t limit, size_t width,
                    struct kg_text *text);
/* The bottleneck of each of the slowest cases (bottleneck.h), one sentence each. Table and tree end
 * with it. */
void kg_profile_bottlenecks(const struct kg_profile *profile, struct kg_text *text);
void kg_profile_folded(const struct kg_profile *profile, struct kg_text *text);

/* The input of a report of every entry: a recording, or (profile_load.h) a JSON profile. */
struct kg_profile_source {
    bool (*scan)(const struct kg_profile_source *source, const struct kg_profile_visitor *visitor,
                 struct kg_error *err);
    const char *path;
    int file; /* a recording's descriptor */
};
struct kg_profile_source kg_profile_source_file(int file, const char *path);

/* Reports with every entry, streamed to `output`, which is flushed. KG_ERROR_SYSTEM if a write
 * fails. */
bool kg_profile_trace_write(const struct kg_profile_source *source, FILE *output,
                            struct kg_error *err);
bool kg_profile_csv_write(const struct kg_profile_source *source, FILE *output,
                          struct kg_error *err);
/* The same of a recording; `path` is for messages. */
bool kg_profile_trace(int file, const char *path, FILE *output, struct kg_error *err);
bool kg_profile_csv(int file, const char *path, FILE *output, struct kg_error *err);
/* kgate.profile.v1: the result of kg_profile_read, then "threads" and "entries", one per line. */
bool kg_profile_json(int file, const char *path, FILE *output, struct kg_error *err);
/* The same of this process's own recording: it goes on, but its buffers were written for the report,
 * so nothing is missing. */
bool kg_profile_json_own(int file, const char *path, FILE *output, struct kg_error *err);

/* Appends the segments of a recording whose label matches the glob (fnmatch) to the descriptor `to`.
 * err: KG_ERROR_USAGE if no label matches, or if the recording is damaged */
bool kg_profile_filter(int file, const char *path, const char *glob, int to, struct kg_error *err);
