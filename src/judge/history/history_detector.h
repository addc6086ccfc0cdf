/* history_detector.h: appends added runs to the change detector of each series, and stores alarms as changes. For the
 * files of this folder. All of it happens in the transaction that adds the runs. */
#pragma once
#include "base/names.h"
#include "judge/control_series.h"
#include "judge/creep.h"
#include "judge/history/history_database.h"
#include "judge/prior.h"
#include "judge/step_cause.h"
#include "judge/suspect_node.h"

/* Two runs are of one night if they started at most this number of seconds apart. */
enum { KG_NIGHT_SECONDS = 12 * 3600 };

enum kg_change_kind { KG_CHANGE_STEP, KG_CHANGE_CREEP };

/* A run that was added in this transaction. */
struct kg_added_run {
    int64_t id, machine;
    const char *suite, *class, *started, *hash;
    double depth; /* NaN: unknown */
    bool control; /* of a kept build */
    bool
        known; /* the history has its changes already; the run only brings the detectors up to date */
    bool replayed;         /* it was in the detectors before (history_replay.h) */
    bool control_known;    /* night_control is set */
    int64_t night_control; /* control run of the replayed run; 0: none */
};

/* The detector of one series: one row of the table `level`. */
struct kg_level_row {
    struct kg_history_level level;
    int64_t runs[KG_CHANGE_WINDOW]; /* ids of the runs in level.change.tail */
    float past[KG_NODE_PAST];       /* newest log locations, with the machine's part */
    uint8_t past_count;
    int64_t control_run; /* newest control run in `control`; 0: none */
    struct kg_control_fit control;
    struct kg_creep_past levels;
};

/* level_text.c: a row as hexadecimal digits. Bytes are in the order of the machine. */
void kg_level_text_append(const struct kg_level_row *row, struct kg_text *text);
/* returns  false if the text is damaged; the row is then zero, as before the first run */
bool kg_level_text_read(const char *digits, struct kg_level_row *row);

/* A detector in memory, with the newest run in it. */
struct kg_kept_level {
    int64_t series, run;
    double depth;
    const char *started; /* NULL: there is no run, or it was removed */
    const char *hash;
    int64_t crept; /* run that showed the last creep; 0: none */
    bool asked;    /* kgate has looked for an older definition */
    bool changed;  /* since it was read or written */
    bool pruned;   /* points in the state are gone */
    struct kg_level_row row;
};

/* history_levels.c: the detectors of a transaction. Zero-initialise. */
struct kg_kept_levels {
    struct kg_kept_level *rows; /* by series, as far as `sorted` */
    size_t count, sorted, capacity;
    struct kg_arena arena; /* texts of the runs */
    struct kg_query read, one, batch;
};

/* A series of the run that is being appended. */
struct kg_tracked {
    int64_t series;
    const char *id_of_case, *metric, *source;
    double value, error;
    size_t rounds;
    bool skipped;    /* the detector does not take the point */
    bool stepped;    /* the run showed a step */
    double distance; /* from its past (suspect_node.h); NaN: unknown */
    int64_t crept;   /* run that showed the last creep; 0: none */
    struct kg_level_row row;
};

/* An alarm of the run. */
struct kg_found_change {
    enum kg_change_kind kind;
    const struct kg_tracked *tracked;
    int64_t before, after;           /* ids of the runs on either side */
    int64_t code_before, code_after; /* ids of the runs whose code is compared (KG_STEP_BESIDE) */
    double step, low, high;          /* logarithms */
};

/* Statements that several runs use. */
struct kg_detection_queries {
    struct kg_query times, pin;                            /* history_creep.c */
    struct kg_query controls, control_change, control_set; /* history_control.c */
    struct kg_query distance, anchors, nights, node;       /* history_nodes.c */
};

/* The run that is being appended, with its series and alarms. */
struct kg_detection {
    struct kg_history_database *database;
    struct kg_detection_queries *queries;
    struct kg_arena *arena;           /* of this run */
    const struct kg_added_run *run;   /* one of `added` */
    const struct kg_added_run *added; /* runs of the transaction, in the order of their appends */
    size_t added_count;
    struct kg_tracked *tracked;
    size_t tracked_count, tracked_capacity;
    struct kg_found_change *found;
    size_t found_count, found_capacity;
    int64_t control;               /* control run of the night; 0: none */
    struct kg_names control_names; /* numbers of the changes of control runs */
    double *control_changes;       /* logarithms */
    size_t control_change_count, control_change_capacity;
    size_t nodes; /* hosts that became suspect */
};

bool kg_kept_levels_prepare(struct kg_kept_levels *levels, struct kg_history_database *database,
                            struct kg_error *err);
/* Reads the detectors of the run's series, except those in memory. */
bool kg_kept_levels_load(struct kg_kept_levels *levels, int64_t run, struct kg_error *err);
/* NULL: the series has no detector in memory */
struct kg_kept_level *kg_kept_levels_find(const struct kg_kept_levels *levels, int64_t series);
/* Reads the first five columns: state, crept, and depth, start and hash of the newest run. A damaged state begins
 * again. */
void kg_level_read(const struct kg_query *query, struct kg_arena *arena,
                   struct kg_kept_level *level);
/* Takes the detectors of a run. Its strings must live until kg_kept_levels_free. */
bool kg_kept_levels_keep(struct kg_kept_levels *levels, const struct kg_detection *detection,
                         struct kg_error *err);
/* Writes the detectors that changed. */
bool kg_kept_levels_write(struct kg_kept_levels *levels, struct kg_error *err);
void kg_kept_levels_free(struct kg_kept_levels *levels);

void kg_detection_add(struct kg_detection *detection, const struct kg_found_change *found);

/* history_control.c: finds the control run of the night, and stores it. A replayed run keeps its control: others may
 * have been added later. */
bool kg_history_control_find(struct kg_detection *detection, struct kg_error *err);
/* Removes the machine's part from the run's value of a series.
 * location  log location on entry */
bool kg_history_control_remove(struct kg_detection *detection, struct kg_tracked *tracked,
                               double *location, struct kg_error *err);
/* Step of the control in a range of time, of the same metric. 0: none, or unknown */
bool kg_history_control_step(struct kg_detection *detection, const struct kg_tracked *tracked,
                             const char *began, const char *ended, double *step,
                             struct kg_error *err);
/* Begins the rows of a control again whose kept build is another one now. */
bool kg_history_control_begin(struct kg_detection *detection, struct kg_error *err);
bool kg_history_control_prepare(struct kg_history_database *database,
                                struct kg_detection_queries *queries, struct kg_error *err);

/* history_nodes.c: stores the run's distance, and marks the suspect hosts of its night. */
bool kg_history_nodes_find(struct kg_detection *detection, struct kg_error *err);
bool kg_history_nodes_prepare(struct kg_history_database *database,
                              struct kg_detection_queries *queries, struct kg_error *err);

/* history_creep.c: adds the creeps of the run. Time does not grow with the history. */
bool kg_history_creep_prepare(struct kg_history_database *database,
                              struct kg_detection_queries *queries, struct kg_error *err);
bool kg_history_creeps_find(struct kg_detection *detection, struct kg_error *err);
/* history_causes.c: finds the causes of the alarms, and inserts them into the table `change`. */
bool kg_history_changes_store(struct kg_detection *detection, struct kg_error *err);

/* Puts the runs into the order of their appends. */
void kg_added_runs_sort(struct kg_added_run *runs, size_t count);
/* Appends the runs to the detectors of their series, the oldest first.
 * runs     reordered
 * outcome  gets the numbers of changes and of late runs */
bool kg_history_detect(struct kg_history_database *database, struct kg_added_run *runs,
                       size_t count, struct kg_history_outcome *outcome, struct kg_error *err);
