/* adapter.h: reads the files of other benchmark harnesses into one struct, and makes the command lines that measure one
 * benchmark of their programs. Each harness is one row. To add a harness: write adapter_NAME.c with the row, and add
 * the row's name to adapter.c. Constant data; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/names.h"
#include "base/record.h"

/* A number from the harness that is no time. */
struct kg_foreign_figure {
    const char *name;
    double value;
};

/* One benchmark of a file; usually one process wrote the file. Times are ns per call. An unknown number is NaN. */
struct kg_foreign_case {
    const char *name; /* name in the harness */
    struct kg_pair *params;
    size_t param_count;
    const char *device; /* "cpu" or "cuda" */
    double *samples_ns; /* in the order of the file */
    size_t sample_count;
    bool processes; /* each sample comes from a separate process */
    double calls;   /* number of calls in all samples */
    double cpu_ns;
    double user_ns;
    double system_ns;
    double clock_hz; /* clock of the GPU's multiprocessors, median over the samples */
    double cycles;   /* of a multiprocessor per call, median over the samples */
    double items;    /* items per call */
    double bytes;    /* bytes per call */
    struct kg_foreign_figure *figures;
    size_t figure_count;
    const char *failure; /* reason for missing times; NULL if the case has times */
};

/* The content of a file. A missing fact is NULL, 0 or NaN. */
struct kg_foreign {
    const char *created; /* UTC, "2026-01-31T12:00:00Z" */
    const char *host;
    const char *cpu_model;
    uint64_t cpu_count;
    const char *gpu;
    struct kg_foreign_case *cases;
    size_t case_count;
    size_t case_capacity;
    struct kg_names names; /* maps a case's name to its index */
};

/* A request to a process: measure one benchmark. */
struct kg_foreign_run {
    const char *name;           /* name in the harness */
    const struct kg_pair *axes; /* parameters and values; only if the adapter has_axes */
    size_t axis_count;
    const char *file; /* path of the output file */
    bool one_file;    /* the process writes no further files; times may be means */
    double min_time_ns;
};

/* The names of a program's benchmarks. */
struct kg_foreign_names {
    const char **at;
    size_t count, capacity;
};

struct kg_adapter {
    const char *name; /* value of `format:` and --format */
    const char *help; /* a phrase about the file */

    /* Whether this harness wrote the JSON of a file. */
    bool (*is_json)(const struct kg_json *json);
    /* Reads a file into `arena`. The function keeps every time, also impossible times.
     * path  for errors, and for files in the same folder
     * err   KG_ERROR_USAGE with the name of the wrong member */
    bool (*read)(struct kg_arena *arena, const char *path, const struct kg_json *json,
                 struct kg_foreign *foreign, struct kg_error *err);

    /* The members below are for harnesses whose programs kgate runs itself; for others they are NULL or false. */

    /* Changes the words of a command so that it measures only one benchmark.
     * words  `count` words; replaced by an array in `arena`
     * err    KG_ERROR_MEASURE if the command's own options conflict; with the option and the fix */
    bool (*run_words)(struct kg_arena *arena, const struct kg_foreign_run *run, const char ***words,
                      size_t *count, struct kg_error *err);
    /* The option that makes a program print its benchmarks. */
    const char *list_word;
    /* Reads the program's benchmarks from its output.
     * words   words of the command
     * output  output of the program; the function overwrites it
     * err     as run_words */
    bool (*list)(struct kg_arena *arena, const char *const *words, size_t count, char *output,
                 struct kg_foreign_names *names, struct kg_error *err);
    bool has_axes;   /* benchmarks have parameters; names come from kg_foreign_benchmark_text */
    bool has_folder; /* the program writes further files beside its file, unless `one_file` */
    bool on_cuda;    /* the programs find and use a GPU themselves */
};

/* All adapters, then NULL. */
extern const struct kg_adapter *const kg_adapters[];

/* The adapter `name`; NULL if there is none. */
const struct kg_adapter *kg_adapter_find(const char *name);

/* Reads a file with the adapter's `read` and checks the times. A case gets a `failure` if it has no time or an
 * impossible time: NaN, 0, negative, or above ten years. */
bool kg_foreign_read(const struct kg_adapter *adapter, struct kg_arena *arena, const char *path,
                     const struct kg_json *json, struct kg_foreign *foreign, struct kg_error *err);

/* Appends a case on the CPU to a file. Unknown numbers are NaN, the rest is zero. */
struct kg_foreign_case *kg_foreign_case_add(struct kg_arena *arena, struct kg_foreign *foreign,
                                            const char *name);
/* The last case with the name; NULL if there is none. */
struct kg_foreign_case *kg_foreign_case_find(const struct kg_foreign *foreign, const char *name);

/* Escapes a benchmark's name for use as a parameter's value: ',', '=', '%' and control characters become %XX.
 * kg_foreign_name_restore is the inverse. Both return text in `arena`. */
const char *kg_foreign_name_escape(struct kg_arena *arena, const char *name);
const char *kg_foreign_name_restore(struct kg_arena *arena, const char *value);

/* Joins a benchmark and its parameters to one text in `arena`, "NAME,AXIS=VALUE,…", each part escaped. */
const char *kg_foreign_benchmark_text(struct kg_arena *arena, const char *name,
                                      const struct kg_pair *axes, size_t axis_count);

/* Adds a copy of a name. Beyond 10,000 names: KG_ERROR_MEASURE. */
bool kg_foreign_name_add(struct kg_arena *arena, struct kg_foreign_names *names, const char *name,
                         struct kg_error *err);

/* Finds the requested case in a file, by name and by the values of the run's axes.
 * err  KG_ERROR_MEASURE if the file has no such case, or several */
const struct kg_foreign_case *kg_foreign_run_find(const struct kg_foreign *foreign,
                                                  const struct kg_foreign_run *run,
                                                  struct kg_error *err);

/* Appends words to the words of a command: a new array in `arena`, with a final NULL. */
void kg_foreign_words_append(struct kg_arena *arena, const char ***words, size_t *count,
                             const char *const *added, size_t added_count);

/* The parameter of suites and ids whose value is an escaped benchmark name. */
#define KG_FOREIGN_PARAMETER "benchmark"

/* The number in a member of an object; NaN if the member is missing or no number. */
double kg_foreign_number(const struct kg_json *object, const char *name);
/* The number in an element of an array; NaN if the element is missing or no number. */
double kg_foreign_element(const struct kg_json *array, size_t index);
/* The text of a member, in `arena`; NULL if the member is missing, empty or no text. */
const char *kg_foreign_text(struct kg_arena *arena, const struct kg_json *object, const char *name);
/* Converts a date in ISO 8601 to the form of results, in UTC with whole seconds. If the text is no date: NULL. */
const char *kg_foreign_date(struct kg_arena *arena, const char *text);
