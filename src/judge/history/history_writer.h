/* history_writer.h: writes runs with their points, for `add` and for `import`. One writer per transaction. */
#pragma once
#include "base/names.h"
#include "judge/history/history_database.h"
#include "judge/history/history_detector.h"
#include "model/results.h"

enum { KG_WRITER_BATCH = 128 };

struct kg_history_writer {
    struct kg_history_database *database;
    struct kg_query run_find, run_make, run_end, machine_make, epoch_find, epoch_make, commit_make,
        series_list, series_make, batch_make, rest_make, total_add;
    struct kg_arena arena;  /* names of the series below */
    struct kg_names series; /* ids of the series of the suite on the machine */
    int64_t machine;        /* of `series`; 0: none */
    char *suite;            /* of `series` */
    int64_t run;            /* the present run */
    int64_t commit;         /* of the present run; 0: unknown */
    bool control;           /* the present run is of a kept build */
    size_t points;          /* of the present run */
    struct kg_history_point batch[KG_WRITER_BATCH];
    int64_t batch_series[KG_WRITER_BATCH];
    char codes[KG_WRITER_BATCH][17];
    size_t batched;
    size_t rest; /* number of points of rest_make; 0: not prepared */
    struct kg_history_outcome outcome;
    struct kg_arena added_arena; /* texts of the runs below */
    struct kg_added_run *added;  /* runs for the change detector */
    size_t added_count, added_capacity;
};

/* Begins a transaction. The caller ends it with kg_history_writer_close, also on failure. */
bool kg_history_writer_open(struct kg_history_writer *writer, struct kg_history_database *database,
                            struct kg_error *err);

/* Begins a run.
 * present  true: the history has the run already, and the caller writes no point of it */
bool kg_history_writer_run(struct kg_history_writer *writer, const struct kg_history_run *run,
                           bool *present, struct kg_error *err);
/* Writes a point of the run. Machine and suite are the run's. */
bool kg_history_writer_point(struct kg_history_writer *writer,
                             const struct kg_history_series *series,
                             const struct kg_history_point *point, struct kg_error *err);
/* history_builds.c: writes the builds behind the run. */
bool kg_history_builds_write(struct kg_history_writer *writer, const struct kg_results *results,
                             struct kg_error *err);
/* A hash of code as an integer: its 16 digits; another text by its hash. */
int64_t kg_history_code_number(const char *code);
/* Ends the run. err: KG_ERROR_USAGE if the history now has more points than the database takes */
bool kg_history_writer_run_end(struct kg_history_writer *writer, struct kg_error *err);

/* Appends the runs to the change detectors, and ends the transaction.
 * good     false: nothing is written, and err stays unchanged
 * returns  false if `good` is false, or if the database could not store the changes */
bool kg_history_writer_close(struct kg_history_writer *writer, bool good, struct kg_error *err);
