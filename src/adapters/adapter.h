/* adapter.h: what other benchmark harnesses write, read into one struct, a row each harness; and how
 * their programs are asked for one benchmark. To add a harness: a file adapter_NAME.c with its row, and
 * the row's name in adapter.c. Constant data; thread-safe. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/error.h"
#include "util/names.h"
#include "util/record.h"

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

struct kg_adapter {
    const char *name; /* as `format:` and --format have it */
    const char *help; /* what it is: a phrase */

    /* Whether a file's JSON is of this harness. */
    bool (*is_json)(const json_t *json);
    /* Reads one into `arena`: every time that is in it, also what is none. `path` is for errors, and
     * for files beside it.
     * err  KG_ERROR_USAGE by name of what does not fit */
    bool (*read)(struct kg_arena *arena, const char *path, const json_t *json,
                 struct kg_foreign *foreign, struct kg_error *err);

    /* Of harnesses whose programs can be asked for one benchmark; else NULL. The word that makes a
     * program print its benchmarks' names, one a line. */
    const char *list_word;
    /* Appends the words that make it run the one called `name` alone, for min_time_ns, and write `file`.
     * returns  false where memory is out */
    bool (*run_words)(struct kg_arena *arena, const char *name, const char *file,
                      double min_time_ns, const char **words, size_t *count);
    /* Of the others: why, and what to do, for a suite whose `format` names it. NULL: nothing more to say. */
    const char *not_run;
};
enum { KG_ADAPTER_WORDS_MOST = 8 };

/* All of them, then NULL. */
extern const struct kg_adapter *const kg_adapters[];

/* The one of that name; NULL where there is none. */
const struct kg_adapter *kg_adapter_find(const char *name);

/* Reads a file as the adapter's `read` does, and judges the times: a case that has none, or one that
 * cannot be a time (NaN, 0, less), has a `failure`. */
bool kg_foreign_read(const struct kg_adapter *adapter, struct kg_arena *arena, const char *path,
                     const json_t *json, struct kg_foreign *foreign, struct kg_error *err);

/* The next case of a file, zeroed but for what is not known; NULL where memory is out. */
struct kg_foreign_case *kg_foreign_case_add(struct kg_arena *arena, struct kg_foreign *foreign,
                                            const char *name);
/* The latest case of that name; NULL where there is none. */
struct kg_foreign_case *kg_foreign_case_find(const struct kg_foreign *foreign, const char *name);

/* A benchmark's name as the value of a parameter, which has no ',', '=' or control character: these,
 * and '%', become %XX. In `arena`; NULL where memory is out. And back. */
const char *kg_foreign_name_escape(struct kg_arena *arena, const char *name);
const char *kg_foreign_name_restore(struct kg_arena *arena, const char *value);

/* The parameter that such a name is the value of, in suites and ids. */
#define KG_FOREIGN_PARAMETER "benchmark"

/* A member of an object that is a number; NaN where there is none. */
double kg_foreign_number(const json_t *object, const char *name);
/* An element of an array likewise. */
double kg_foreign_element(const json_t *array, size_t index);
/* A member that is text, in `arena`; NULL where there is none. *good is cleared where memory is out. */
const char *kg_foreign_text(struct kg_arena *arena, const json_t *object, const char *name,
                            bool *good);
/* A date in ISO 8601 as results have it: seconds, in UTC. NULL where it is none. */
const char *kg_foreign_date(struct kg_arena *arena, const char *text, bool *good);
