/* adapter.h: what other benchmark harnesses write, read into one struct, a row each harness; and how
 * their programs are asked for one benchmark. To add a harness: a file adapter_NAME.c with its row, and
 * the row's name in adapter.c. Constant data; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/names.h"
#include "base/record.h"

/* A number that the harness gives besides times. */
struct kg_foreign_figure {
    const char *name;
    double value;
};

/* One benchmark in one file, a process's as a rule. Times are ns a call; what is not known is NaN. */
struct kg_foreign_case {
    const char *name; /* as the harness has it */
    struct kg_pair *params;
    size_t param_count;
    const char *device; /* "cpu" or "cuda" */
    double *samples_ns; /* in their order */
    size_t sample_count;
    bool processes; /* each sample is of a process of its own */
    double calls;   /* in all samples */
    double cpu_ns;
    double user_ns;
    double system_ns;
    double items; /* a call, as the next */
    double bytes;
    struct kg_foreign_figure *figures;
    size_t figure_count;
    const char *failure; /* why it was not measured; NULL where it was */
};

/* A file. What it does not say is NULL, 0 or NaN. */
struct kg_foreign {
    const char *created; /* UTC, "2026-01-31T12:00:00Z" */
    const char *host;
    const char *cpu_model;
    uint64_t cpu_count;
    const char *gpu;
    struct kg_foreign_case *cases;
    size_t case_count;
    size_t case_capacity;
    struct kg_names names; /* of the cases, to their indices */
};

/* One benchmark that a process is to measure. */
struct kg_foreign_run {
    const char *name; /* as the harness has it */
    const struct kg_pair
        *axes; /* its parameters and their values; only of an adapter that has_axes */
    size_t axis_count;
    const char *file; /* that the process is to write */
    bool one_file;    /* nothing beside it: its times may be means */
    double min_time_ns;
};

/* The benchmarks that a program has. */
struct kg_foreign_names {
    const char **at;
    size_t count, capacity;
};

struct kg_adapter {
    const char *name; /* as `format:` and --format have it */
    const char *help; /* what it is: a phrase */

    /* Whether a file's JSON is of this harness. */
    bool (*is_json)(const struct kg_json *json);
    /* Reads one into `arena`: every time that is in it, also what is none. `path` is for errors, and
     * for files beside it.
     * err  KG_ERROR_USAGE by name of what does not fit */
    bool (*read)(struct kg_arena *arena, const char *path, const struct kg_json *json,
                 struct kg_foreign *foreign, struct kg_error *err);

    /* Of harnesses whose programs kgate runs itself; else NULL, and so are those below. Makes the words of a
     * command into those that measure one benchmark alone.
     * words  `count` of them; replaced by words in `arena`
     * err    KG_ERROR_MEASURE where the words cannot be had: what is in the way, and what to do */
    bool (*run_words)(struct kg_arena *arena, const struct kg_foreign_run *run, const char ***words,
                      size_t *count, struct kg_error *err);
    /* The word that makes a program print its benchmarks. */
    const char *list_word;
    /* Which benchmarks there are.
     * words   those of the command
     * output  what the program has printed, which is written to
     * err     as of run_words */
    bool (*list)(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                 struct kg_foreign_names *names, struct kg_error *err);
    bool
        has_axes; /* a benchmark has parameters of its own: its names are kg_foreign_benchmark_text's */
    bool has_folder; /* the file that it writes has others beside it, unless told */
    bool on_cuda;    /* its programs measure on a GPU that they find themselves */
};

/* All of them, then NULL. */
extern const struct kg_adapter *const kg_adapters[];

/* The one of that name; NULL where there is none. */
const struct kg_adapter *kg_adapter_find(const char *name);

/* Reads a file as the adapter's `read` does, and judges the times: a case that has none, or one that
 * cannot be a time (NaN, 0, less), has a `failure`. */
bool kg_foreign_read(const struct kg_adapter *adapter, struct kg_arena *arena, const char *path,
                     const struct kg_json *json, struct kg_foreign *foreign, struct kg_error *err);

/* The next case of a file, zeroed but for what is not known. */
struct kg_foreign_case *kg_foreign_case_add(struct kg_arena *arena, struct kg_foreign *foreign,
                                            const char *name);
/* The latest case of that name; NULL where there is none. */
struct kg_foreign_case *kg_foreign_case_find(const struct kg_foreign *foreign, const char *name);

/* A benchmark's name as the value of a parameter, which has no ',', '=' or control character: these,
 * and '%', become %XX. In `arena`. And back. */
const char *kg_foreign_name_escape(struct kg_arena *arena, const char *name);
const char *kg_foreign_name_restore(struct kg_arena *arena, const char *value);

/* A benchmark with parameters of its own as one text, "NAME,AXIS=VALUE,…", each of them escaped. */
const char *kg_foreign_benchmark_text(struct kg_arena *arena, const char *name,
                                      const struct kg_pair *axes, size_t axis_count);

/* Adds a copy of a name. KG_ERROR_MEASURE where there are too many. */
bool kg_foreign_name_add(struct kg_arena *arena, struct kg_foreign_names *names, const char *name,
                         struct kg_error *err);

/* The case of a file that a run asked for: of that name, and where it has axes, of those values.
 * err  KG_ERROR_MEASURE where there is none, or more than one */
const struct kg_foreign_case *kg_foreign_run_find(const struct kg_foreign *foreign,
                                                  const struct kg_foreign_run *run,
                                                  struct kg_error *err);

/* Appends words to a command's: an array in `arena` with a NULL behind them. */
void kg_foreign_words_append(struct kg_arena *arena, const char ***words, size_t *count,
                             const char *const *added, size_t added_count);

/* The parameter that such a name is the value of, in suites and ids. */
#define KG_FOREIGN_PARAMETER "benchmark"

/* A member of an object that is a number; NaN where there is none. */
double kg_foreign_number(const struct kg_json *object, const char *name);
/* An element of an array likewise. */
double kg_foreign_element(const struct kg_json *array, size_t index);
/* A member that is text, in `arena`; NULL where there is none. */
const char *kg_foreign_text(struct kg_arena *arena, const struct kg_json *object, const char *name);
/* A date in ISO 8601 as results have it: seconds, in UTC. NULL where it is none. */
const char *kg_foreign_date(struct kg_arena *arena, const char *text);
