/* history.h: many runs of many commits and machines, in SQLite or PostgreSQL. kgate stores one point per run, case and
 * metric; the rounds stay in the results files. A gate reads no history. One thread per history. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/code/code_identity.h"
#include "base/error.h"
#include "base/record.h"
#include "model/stored_prior.h"

#define KG_HISTORY_SCHEMA "kgate.history.v1"
/* The history if the user names none. */
#define KG_HISTORY_DEFAULT "kgate-history.db"

enum { KG_HISTORY_RUNS_DEFAULT = 1000 };
/* More than this number of points makes a file that is too large to copy and back up. */
#define KG_HISTORY_SQLITE_POINTS UINT64_C(100000000)

/* Purpose of a run. */
enum kg_history_kind {
    KG_HISTORY_COMMIT,  /* a commit of the main branch */
    KG_HISTORY_NIGHTLY, /* the state of the branch at a time */
    KG_HISTORY_CONTROL, /* a kept build, which shows changes of the machine */
    KG_HISTORY_RELEASE,
    KG_HISTORY_PULL_REQUEST,
    KG_HISTORY_BISECT,
    KG_HISTORY_KINDS
};
extern const char *const kg_history_kind_names[KG_HISTORY_KINDS + 1];

/* Remarks on a point, bits 1u << enum. */
enum kg_history_flag {
    KG_HISTORY_INCOMPLETE, /* the run was interrupted */
    KG_HISTORY_NOTED,      /* the results doubt its numbers */
    KG_HISTORY_THROTTLED,  /* a round was throttled */
    KG_HISTORY_FLAGS
};

/* One run of a suite on a machine. Unknown texts are NULL. */
struct kg_history_run {
    int64_t id;       /* in the database; in no file */
    const char *hash; /* SHA-256 of the results file */
    const char *suite;
    enum kg_history_kind kind;
    const char *started; /* UTC, "2026-01-31T12:00:00Z" */
    const char *commit;  /* full hash if a repository knew it; else as in the results */
    const char *parent;  /* first parent */
    const char *branch;
    double depth; /* number of first parents up to the root; NaN: unknown */
    bool dirty;   /* tracked files differed from the commit */
    bool complete;
    const char *machine; /* fingerprint */
    const char *host;
    const char *epoch;
    const char *facts; /* the machine as JSON; in no file */
    const char *gpus;  /* UUIDs, separated by spaces */
    const char *boot;
    const char *kgate_version;
    const char *file; /* path at which kgate read the results */
    size_t points;
};

/* The figure of one metric of a case in a run. */
struct kg_history_point {
    size_t run;       /* index in struct kg_history */
    double value;     /* trimmed mean over the rounds, in the unit of its series */
    double error;     /* standard error of `value`; NaN: one round */
    double deviation; /* standard deviation between rounds; NaN: one round */
    size_t rounds;
    unsigned flags;   /* bits 1u << enum kg_history_flag */
    const char *code; /* 16 hexadecimal digits for the code of the case; NULL: unknown */
};

/* The place of a change among the points of its series. */
struct kg_trend_mark {
    size_t change;        /* index of the change in struct kg_history */
    size_t before, after; /* indices of the points between which the change lies */
    size_t at; /* index of the first point after the change: two levels then fit the points best */
};

/* A level of a series, up to the next one. */
struct kg_trend_level {
    size_t first; /* index of its first point */
    double value; /* median of its points */
};

/* The points of one metric of a case on a machine. */
struct kg_history_series {
    int64_t id; /* in the database; in no file */
    const char *suite;
    const char *id_of_case;
    const char *definition;
    const char *metric;
    const char *source; /* tool that counted; values of two tools are not compared */
    const char *unit;
    const char *machine; /* fingerprint */
    const char *host;
    bool control; /* a kept build was measured, which shows changes of the machine */
    struct kg_history_point
        *points; /* by the depth of the commits if all are known, else by time */
    size_t point_count, point_capacity;
    struct kg_trend_mark *marks; /* by `after` */
    size_t mark_count;
    struct kg_trend_level *levels; /* one more than there are steps */
    size_t level_count;
};

/* A step or a creep of a series, and its cause. */
struct kg_history_change {
    int64_t id;     /* in the database; in no file */
    int64_t series; /* likewise */
    const char *kind;
    const char *suite, *id_of_case, *metric, *machine, *host;
    const char *before, *after; /* hashes of the runs on either side of the step */
    const char *commit_before, *commit_after;
    const char *found; /* time of the run that showed the step */
    double ratio;      /* level after over level before */
    double low, high;  /* 95 % interval of `ratio` */
    const char *cause, *state, *proof, *culprit;
    double seconds; /* that paired rounds took to decide it; NaN: not measured */
};
extern const char *const kg_change_kind_names[3];
extern const char *const kg_history_cause_names[7];
extern const char *const kg_history_state_names[7];

/* A host that differed from its class in one night. Its times over those of its past: medians over its cases. */
struct kg_history_node {
    const char *suite, *machine, *host;
    const char *run;     /* hash */
    const char *started; /* of the run */
    const char *commit;
    double ratio;     /* against its own past */
    double excess;    /* `ratio` over that of the other hosts */
    double deviation; /* robust standard deviation of log `excess` in the nights before */
};

/* Kind of the rows that a report prints. */
enum kg_history_content {
    KG_HISTORY_LIST,   /* runs */
    KG_HISTORY_TRENDS, /* series */
    KG_HISTORY_CHANGES,
    KG_HISTORY_AUDITS,
    KG_HISTORY_CONTENTS
};

/* Rows of a history. The caller frees them with kg_history_free. */
struct kg_history {
    struct kg_arena arena;
    const char *database;
    enum kg_history_content content;
    const char *here; /* commit of the user's checkout; NULL: unknown */
    struct kg_history_run *runs;
    size_t run_count, run_capacity;
    struct kg_history_series *series;
    size_t series_count, series_capacity;
    struct kg_history_change *changes;
    size_t change_count, change_capacity;
    struct kg_history_node *nodes;
    size_t node_count, node_capacity;
    struct kg_history_audit *audits; /* history_audit.h */
    size_t audit_count, audit_capacity;
};
extern const struct kg_record kg_history_record;
void kg_history_free(struct kg_history *history);
/* Reads rows that kgate printed as JSON.
 * err  KG_ERROR_USAGE: malformed, or an index beyond its list */
bool kg_history_load(const char *path, struct kg_history *history, struct kg_error *err);

/* history_trend.c: finds marks and levels of all series. The arena of the history owns them. */
void kg_history_trends_find(struct kg_history *history);
/* Index of the newest point of the user's checkout; of the newest point if there is none. The series has points. */
size_t kg_history_here(const struct kg_history *history, const struct kg_history_series *series);

struct kg_history_database;
enum kg_history_access { KG_HISTORY_READ, KG_HISTORY_CHANGE, KG_HISTORY_WRITE };

/* Opens a history. KG_HISTORY_CHANGE writes too. Only KG_HISTORY_WRITE makes a missing file and missing tables.
 * place     "sqlite:PATH", "postgresql://…", "postgres://…", or a path
 * database  for kg_history_close; NULL on failure
 * err       KG_ERROR_USAGE: no history there, another program's database, or a newer version */
bool kg_history_open(const char *place, enum kg_history_access access,
                     struct kg_history_database **database, struct kg_error *err);
/* Whether the text names a history: a URL, "sqlite:PATH", or a SQLite file. */
bool kg_history_is_place(const char *place);
void kg_history_close(struct kg_history_database *database);
/* Name for messages: the path, or the URL without its password. */
const char *kg_history_name(const struct kg_history_database *database);

/* Facts about a commit that only a repository knows. */
struct kg_history_commit {
    const char *hash;   /* NULL: the repository does not know the commit */
    const char *parent; /* NULL: none, or unknown */
    double depth;       /* NaN: unknown */
};

struct kg_history_add_options {
    enum kg_history_kind kind;
    /* Describes the commit of results; strings live in `arena`. NULL: no repository */
    struct kg_history_commit (*commit)(struct kg_arena *arena, const char *named, void *user);
    void *user;
    /* Folder of the store that keeps the builds of runs of kind commit and nightly, as far as their files are
     * unchanged (judge/builds.h). NULL: none is kept */
    const char *store;
    double builds_most; /* room for all kept builds, in bytes */
};

struct kg_history_outcome {
    size_t runs;    /* added or removed */
    size_t points;  /* added or removed */
    size_t present; /* runs that the history already had */
    size_t
        late; /* runs that are not newer than the newest of a series: change detection skips them there */
    size_t changes; /* found by change detection */
    size_t nodes;   /* hosts that became suspect */
    char note[768]; /* remarks on a success, separated by "; "; "": none */
};

/* Adds results files in one transaction: either all files are added or none. A file that the history has already, by
 * the hash of its bytes, is no failure.
 * err  KG_ERROR_USAGE: a file is no results file, or has no measured case; or the history would have too many points */
bool kg_history_add(struct kg_history_database *database, const char *const *paths, size_t count,
                    const struct kg_history_add_options *options,
                    struct kg_history_outcome *outcome, struct kg_error *err);

/* Adds the runs of CSV files, as kg_history_export writes them, in one transaction. A run that the history has already
 * is no failure. */
bool kg_history_import(struct kg_history_database *database, const char *const *paths, size_t count,
                       struct kg_history_outcome *outcome, struct kg_error *err);
/* Copies all rows of a history into an empty one, in one transaction: builds, decisions and detector states, too.
 * from  opened for reading
 * err   KG_ERROR_USAGE: `to` has runs, or cannot take so many points */
bool kg_history_copy(struct kg_history_database *from, struct kg_history_database *to,
                     struct kg_history_outcome *outcome, struct kg_error *err);
/* Whether a regular file begins like a CSV file of kg_history_export. */
bool kg_history_csv_begins(const char *path);

/* Narrows the rows that are read. */
struct kg_history_filter {
    const char *which;   /* id of a case, a part of it, or a glob; NULL: all cases */
    const char *suite;   /* NULL: all */
    const char *metric;  /* NULL: all */
    const char *machine; /* fingerprint or host; NULL: all */
    size_t last;         /* number of newest runs of each suite and machine; 0: all */
    bool refuted;        /* changes that are refuted with cause machine, too */
};

/* Whether the history knows suite, metric and machine of the filter. An empty history refuses none.
 * err  KG_ERROR_USAGE: the unknown name, and known ones */
bool kg_history_filter_check(struct kg_history_database *database,
                             const struct kg_history_filter *filter, struct kg_error *err);

/* Reads runs, oldest first. */
bool kg_history_runs(struct kg_history_database *database, const struct kg_history_filter *filter,
                     struct kg_history *history, struct kg_error *err);
/* Reads the series that match, with their points, runs, changes and levels.
 * err  KG_ERROR_USAGE: no case matches */
bool kg_history_show(struct kg_history_database *database, const struct kg_history_filter *filter,
                     struct kg_history *history, struct kg_error *err);
/* Reads changes, newest first. A change that paired rounds blamed on its machine is only for the owner of the machine:
 * see `refuted`. */
bool kg_history_changes(struct kg_history_database *database,
                        const struct kg_history_filter *filter, struct kg_history *history,
                        struct kg_error *err);
/* Reads suspect nodes, newest first. */
bool kg_history_nodes(struct kg_history_database *database, const struct kg_history_filter *filter,
                      struct kg_history *history, struct kg_error *err);
/* The file with the code behind a run. The store may keep it (judge/builds.h). */
struct kg_history_build {
    const char *hash;             /* SHA-256 of the file */
    struct kg_code_identity code; /* at the time of the run */
};

enum kg_history_side { KG_HISTORY_BEFORE, KG_HISTORY_AFTER, KG_HISTORY_SIDES };

/* A suspected change that paired rounds may decide. */
struct kg_history_suspect {
    struct kg_history_change *change; /* of struct kg_history */
    const char *definition;           /* hash of the case's definition; NULL: unknown */
    double value;                     /* of the run before the change; NaN: pruned */
    bool adjacent; /* the commit after the change is the child of the one before */
    struct kg_history_build *builds[KG_HISTORY_SIDES]; /* candidates, best first */
    size_t build_counts[KG_HISTORY_SIDES];
};

/* Reads the suspected changes of one machine whose cause is unknown or code, oldest first. A build belongs to a side
 * if its code hash is that of the point. If the point is pruned, it is the only build of the commit.
 * filter    its machine does not count
 * machine   fingerprint
 * host      NULL: unknown
 * history   gets the changes
 * suspects  in the arena of `history`, like `count` of them */
bool kg_history_suspects(struct kg_history_database *database,
                         const struct kg_history_filter *filter, const char *machine,
                         const char *host, struct kg_history *history,
                         struct kg_history_suspect **suspects, size_t *count, struct kg_error *err);

/* Decision on a suspected change. NULL: the row keeps its text. */
struct kg_history_decision {
    const char *state;   /* a name of kg_history_state_names; NULL: none */
    const char *cause;   /* a name of kg_history_cause_names */
    const char *proof;   /* numbers of the paired rounds, in words */
    const char *culprit; /* commit; NULL: unknown */
    double seconds;      /* of measuring, added to those of earlier attempts */
};
/* Stores the decision, or only the seconds of an attempt without one, in one transaction.
 * stored  false: the change is no longer suspected, and stays as it is */
bool kg_history_decide(struct kg_history_database *database, int64_t change,
                       const struct kg_history_decision *decision, bool *stored,
                       struct kg_error *err);

/* Writes a row per point, run by run. Memory does not grow with the number of runs. */
bool kg_history_export(struct kg_history_database *database, const struct kg_history_filter *filter,
                       FILE *file, struct kg_error *err);

/* Fills the prior of all series of the machine, sorted. No point is read.
 * filter  its `machine` is a fingerprint, its `suite` may be NULL; the rest has no effect
 * arena   owner of the prior, except its fingerprint
 * err     KG_ERROR_USAGE: no case has two runs there */
bool kg_history_prior(struct kg_history_database *database, const struct kg_history_filter *filter,
                      struct kg_arena *arena, struct kg_stored_prior *prior, struct kg_error *err);

/* Removes all runs except the newest `keep` of each suite and machine. A run that a change names keeps its row. Change
 * detectors keep their state, so no change is found again. */
bool kg_history_prune(struct kg_history_database *database, size_t keep, const char *suite,
                      struct kg_history_outcome *outcome, struct kg_error *err);
/* Removes one run. Change detection of its suite and machine begins again, as if the run had never been added: changes
 * that it caused go. Confirmed changes, and those found before it, stay.
 * time    of the run, or the beginning of that time
 * filter  narrows the runs by suite and machine
 * err     KG_ERROR_USAGE: not exactly one run has that time */
bool kg_history_run_prune(struct kg_history_database *database, const char *time,
                          const struct kg_history_filter *filter,
                          struct kg_history_outcome *outcome, struct kg_error *err);
