/* profile_sum.h: adds up the entries of a scan, by path, by process and by thread. A visitor of
 * kg_profile_scan_file. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/read/number_map.h"
#include "profiler/read/profile.h"
#include "profiler/read/recording_strings.h"

/* histogram.c: the distribution of durations, in bounded memory. It counts by octave and by 64ths of an
 * octave, so every value is known within 0.8 %. Not thread-safe. */

enum {
    KG_HISTOGRAM_PARTS = 64,   /* parts of an octave */
    KG_HISTOGRAM_OCTAVES = 64, /* octaves, from 1/16 of the unit up */
    KG_HISTOGRAM_LOWEST = -4,  /* exponent of the first octave */
};

/* Zero-initialise before first use. Octaves without values take no memory. */
struct kg_histogram {
    uint64_t *octaves[KG_HISTOGRAM_OCTAVES];
    uint64_t count;
};

/* Adds a value, not NaN. A value below the first octave counts as its beginning; a value above the
 * last counts as its end. false: memory is out. */
bool kg_histogram_add(struct kg_histogram *histogram, double value);
/* Adds all values of `more`. */
bool kg_histogram_merge(struct kg_histogram *histogram, const struct kg_histogram *more);

/* Quantile p, 0 to 1, by linear interpolation between the two nearest values (Hyndman and Fan 1996,
 * type 7). Within 1 % of the exact quantile; 0 without values. */
double kg_histogram_quantile(const struct kg_histogram *histogram, double p);
void kg_histogram_free(struct kg_histogram *histogram);

/* blocks.c: the means of consecutive parts of a series whose length is not known beforehand. Not
 * thread-safe. */

/* Number of parts in memory: eight per returned block, so that blocks have nearly equal counts. */
enum { KG_BLOCK_PARTS = 80 };

/* Zero-initialise before first use. */
struct kg_blocks {
    double sums[KG_BLOCK_PARTS];
    size_t used;        /* parts with values */
    uint64_t part_size; /* values in each but the last */
    uint64_t last_size; /* values in the last */
};

void kg_blocks_add(struct kg_blocks *blocks, double value);

/* Writes the means of up to `most` consecutive blocks into `means`; `most` is at most
 * KG_BLOCK_PARTS / 2. Fewer values than that are a block each.
 * returns the number of blocks: 0 without values */
size_t kg_blocks_means(const struct kg_blocks *blocks, size_t most, double *means);

/* How the threads of a process share a path, or a name. */
struct kg_sum_balance {
    uint64_t threads, threads_most;
    double busiest_ns, even_ns; /* summed over processes; even: mean per thread of a process */
    /* Of the current process: */
    uint64_t process_threads;
    double process_total_ns, process_busiest_ns;
};

/* The entries of a path, or of several together. */
struct kg_sum_entries {
    uint64_t calls;
    double total_ns;
    double mean_ns, squares; /* Welford's: sum of the squared deviations from the mean */
    double min_ns, max_ns;
    double gpu_ns; /* without transfers */
    double transfer_ns;
    double overhead_ns;
    double started_ns, elsewhere_ns; /* of the entries with these marks */
    double cpu_ns;                   /* NaN: no entry has a CPU time */
    uint64_t bytes, allocated_bytes, peak_bytes, device_peak_bytes, unfinished;
    struct kg_sum_balance balance;
    struct kg_histogram histogram;
    struct kg_blocks blocks; /* of the first process: of the calls that are not elsewhere, if any */
    bool blocks_own;         /* such calls are in `blocks` */
    /* Of the current process: */
    uint64_t process_calls;
    double process_ns;
    /* Of the current thread, not yet in kg_sum's `threads`: */
    uint32_t thread;
    double thread_ns, thread_start_ns, thread_end_ns;
    uint64_t thread_calls;
};

struct kg_sum_path {
    struct kg_profile_path path;
    size_t name;                    /* index */
    struct kg_sum_entries *entries; /* NULL: none yet */
};

struct kg_sum_name {
    const char *name;
    struct kg_sum_balance balance;
};

/* A thread with its name and id. */
struct kg_sum_named {
    size_t process;
    uint32_t thread;
    uint64_t system_id;
    const char *name; /* in the profile's arena, like all strings */
};

/* The calls of a path in one process. */
struct kg_sum_share {
    size_t path, process;
    uint64_t calls;
    double total_ns;
};

/* The calls of a path, or a name, on one thread of the current process. */
struct kg_sum_thread {
    size_t owner;
    uint32_t thread;
    uint64_t calls;
    double total_ns;
    double start_ns, end_ns; /* start of the first call, end of the last */
};

struct kg_sum_threads {
    struct kg_map map; /* owner and thread to index + 1 */
    struct kg_sum_thread *items;
    size_t count, capacity;
};

/* Zero-initialise before first use. */
struct kg_sum {
    struct kg_arena arena; /* the profile's */
    struct kg_strings strings;
    struct kg_profile_process *processes;
    size_t process_count, process_capacity;
    struct kg_sum_path *paths;
    size_t path_count, path_capacity;
    struct kg_map name_by_text; /* to index + 1 */
    struct kg_sum_name *names;
    size_t name_count, name_capacity;
    struct kg_sum_share *shares;
    size_t share_count, share_capacity;
    struct kg_profile_share *thread_shares; /* `row` is a path here */
    size_t thread_share_count, thread_share_capacity;
    size_t *touched; /* paths with entries in the current process */
    size_t touched_count, touched_capacity;
    struct kg_sum_threads threads;
    struct kg_sum_threads name_threads;
    struct kg_sum_threads outermost; /* the outermost scopes of each thread, with owner 0 */
    struct kg_map named_by_thread;   /* process and thread to index + 1 */
    struct kg_sum_named *named;
    size_t named_count, named_capacity;
    uint64_t entry_count;
    double wall_ns; /* of the processes that ended: outermost scopes of the busiest thread */
};

/* The visitor that adds a scan's data to `sum`. */
struct kg_profile_visitor kg_sum_visitor(struct kg_sum *sum);

/* Computes the figures, into *profile, which then owns the arena.
 * rows  NULL, or receives an array with the row of each path, to be freed */
bool kg_sum_finish(struct kg_sum *sum, struct kg_profile *profile, size_t **rows,
                   struct kg_error *err);
void kg_sum_free(struct kg_sum *sum);

/* Whether a path is inside a recorded path of the same name, which then includes its time. A call that
 * was still open when its process was killed has no entry. A path inside such a call counts by
 * itself. */
bool kg_sum_is_inner(const struct kg_sum *sum, size_t index);

/* Adds the entries of one path to those of another, except the figures per thread and process. */
bool kg_sum_merge(struct kg_sum_entries *sum, const struct kg_sum_entries *more,
                  struct kg_error *err);
