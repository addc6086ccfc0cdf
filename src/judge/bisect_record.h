/* bisect_record.h: the state and the result of `kgate bisect`: the commits between two ends, their builds and pairs, and
 * the causes. JSON in kgate.bisect.v1, from which an interrupted search goes on. gate/bisect.h fills it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"
#include "judge/bisect_posterior.h"

#define KG_BISECT_SCHEMA "kgate.bisect.v1"

/* How far the search is. */
enum kg_bisect_state {
    KG_BISECT_ENDS,      /* the ends are not measured yet */
    KG_BISECT_SEARCHING, /* commits between the ends are built and measured */
    KG_BISECT_ABSENT,    /* the bad end is not slower than the good end */
    KG_BISECT_UNCLEAR,   /* the comparison of the ends is undecided */
    KG_BISECT_FOUND,     /* the cause is known, or both */
    KG_BISECT_SET_ONLY,  /* no further build can part the set */
    KG_BISECT_BUDGET,    /* the time was used up */
    KG_BISECT_REFUTED,   /* the culprit is not slower than its parent in fresh pairs */
    KG_BISECT_UNBUILT,   /* no commit between the ends could be built and measured */
};
extern const char *const kg_bisect_state_names[10];

/* The test with the culprit reverted on the bad end. */
enum kg_bisect_revert {
    KG_REVERT_UNTRIED,
    KG_REVERT_CONFLICTS, /* git cannot revert it */
    KG_REVERT_UNBUILDABLE,
    KG_REVERT_FASTER, /* the bad end gets faster */
    KG_REVERT_SAME,   /* it does not */
};
extern const char *const kg_bisect_revert_names[6];

struct kg_bisect_commit {
    const char *hash;
    const char *subject;
    enum kg_bisect_status status;
    const char *reason; /* why it is unbuildable or left out; NULL: neither */
    const char *code;   /* digits for the code of the case; NULL: unknown */
    const char *folder; /* its kept build; NULL: none */
    double weight;      /* prior weight as the cause */
    double seconds;     /* time of its build; NaN: unknown */
    double *pairs;      /* per pair: log of the value over the good build's */
    size_t pair_count;
    double probability; /* as a cause */
    bool in_set;
};

/* A proven or probable cause: the commits `first` to `last`. Several are one group of commits that do not build. */
struct kg_bisect_cause {
    size_t first, last; /* index in `commits` */
    double probability;
    double ratio;                       /* value after it over the value before it */
    size_t builds_before, builds_after; /* number of builds with these values */
    /* Fresh pairs of `last` against the nearest build before `first`; NaN: not measured, like the revert. */
    size_t parent; /* index of that build */
    double proof_ratio;
    double proof_low; /* 95 % interval */
    double proof_high;
    bool proven;  /* fresh pairs confirmed the regression */
    bool refuted; /* fresh pairs show no regression */
    enum kg_bisect_revert revert;
    double revert_ratio; /* value of the bad end with the cause reverted, over the bad end */
    const char *place;   /* sentence of the differential profile; NULL: none */
};

struct kg_bisect {
    struct kg_arena arena; /* owns everything below */
    const char *created;
    const char *kgate_version;
    const char *suite_path;
    const char *filter;     /* glob of --case; NULL: all cases */
    const char *build;      /* the build command */
    const char *good, *bad; /* as given */
    enum kg_bisect_state state;
    const char *id_of_case; /* the followed case; NULL: the ends are not measured */
    const char *definition; /* hash of its definition */
    const char *metric;     /* its searched metric: the time, or another with a value per round */
    size_t others;          /* number of other cases that became slower */
    double offset;          /* usual standard deviation of a build's own offset, as a log */
    double effect;          /* log ratio of the ends */
    double low, high;       /* its 95 % interval if the ends are undecided; otherwise NaN */
    double deviation;       /* standard deviation of a pair */
    double two;             /* probability of two causes; NaN: not searched */
    double set;     /* probability that the marked commits hold the cause; NaN: not searched */
    size_t builds;  /* number of build commands that ran */
    bool keeps_all; /* no commit is left out: a proof refuted the search with left-out commits */
    struct kg_bisect_commit *commits; /* the good end, then oldest first */
    size_t commit_count;
    struct kg_bisect_cause *causes; /* the larger step first */
    size_t cause_count;
};

extern const struct kg_record kg_bisect_record;

/* Reads bisect.json. Folders of builds become paths from the working directory, or absolute as `path` is.
 * bisect  filled; its strings live in `arena`
 * err     KG_ERROR_USAGE as in kg_record_load, or if the members contradict each other */
bool kg_bisect_load(const char *path, struct kg_arena *arena, struct kg_bisect *bisect,
                    struct kg_error *err);

/* Writes bisect.json. Folders of builds within its folder are stored relative to it, so a copied folder works. */
bool kg_bisect_write(const struct kg_bisect *bisect, const char *path, struct kg_error *err);

void kg_bisect_free(struct kg_bisect *bisect);

/* Standard deviation of a pair, as a log: the median distance of all pairs from the median of their commit, scaled to a
 * normal distribution. At least 0.01 %. */
double kg_bisect_deviation(const struct kg_bisect *bisect);
