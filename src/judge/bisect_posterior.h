/* bisect_posterior.h: the probable commits that made a case slower, from the builds measured so far. The two levels are
 * unknown. Each build also has an offset of its own, for example from the places of its code in memory. More pairs do
 * not remove an offset, and a few offsets are large. So one build never decides alone. Pure except for the arena;
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum kg_bisect_status {
    KG_BISECT_UNTRIED,
    KG_BISECT_MEASURED,
    KG_BISECT_SAME,        /* built, with the code of a measured neighbour */
    KG_BISECT_UNBUILDABLE, /* it does not build, or its build cannot be measured */
    KG_BISECT_LEFT_OUT,    /* no build reads the files that it changes */
};
extern const char *const kg_bisect_status_names[6];

/* Commits 1 to `count`, oldest first. Commit 0 is the good end, the last one is the bad end. */
struct kg_bisect_range {
    size_t count;
    /* per commit, from 0: prior weight as the cause; 0: it cannot matter. The entry of commit 0 is ignored. */
    const double *weights;
    const enum kg_bisect_status *status;
    double offset; /* usual standard deviation of a build's offset, as a log */
    double effect; /* log ratio of the bad end to the good end, above 0 */
};

/* A measured build: the log of its time over the good build's. */
struct kg_bisect_point {
    size_t commit; /* 1 to `count` */
    double mean;
    double variance; /* of `mean`, without the build's offset */
};

/* Probabilities. The arrays have `count` + 1 entries, by commit. */
struct kg_bisect_posterior {
    double *one;    /* the only cause, if there is one cause */
    double *first;  /* the older one, if there are two causes */
    double *second; /* the newer one, if there are two causes */
    double *cause;  /* a cause, in either situation */
    double two;     /* probability of two causes */
    /* levels as log ratios to the good build: before, between and after the causes, for the most probable causes */
    double good, middle, bad;
    /* number of builds with each level, without those of a large offset; `good` includes the good end */
    size_t good_builds, middle_builds, bad_builds;
};

/* points  in any order; one of them is of the bad end
 * arena   gets the arrays */
struct kg_bisect_posterior kg_bisect_posterior(const struct kg_bisect_range *range,
                                               const struct kg_bisect_point *points, size_t count,
                                               struct kg_arena *arena);

/* Whether two causes are more probable than one. */
bool kg_bisect_is_two(const struct kg_bisect_posterior *posterior);

/* Sources of hints about the cause. */
enum kg_bisect_hint {
    KG_BISECT_HINT_PROFILE, /* functions in which the ends differ */
    KG_BISECT_HINT_HISTORY, /* a step that a history recorded */
    KG_BISECT_HINTS
};
/* Prior weight of a commit, 1 to 10, from the strengths of its hints. A hint may be wrong, so it is bounded: the prior
 * probability of a commit stays above a tenth of that without hints. Halving then takes at most log2(10) = 3.3 more
 * builds. tests/studies/bisect has the mean: about one. Two sources share the bound.
 * strengths  0 to 1; NaN: the source has no hint */
double kg_bisect_weight(const double strengths[KG_BISECT_HINTS]);
/* Strength of a step after the commits `first` to `last`: 1 for these commits, less with the distance from them. */
double kg_bisect_nearness(size_t commit, size_t first, size_t last);

/* Probability from which a search ends with a commit, and the share of a set without one. */
extern const double KG_BISECT_SURE, KG_BISECT_SET;

/* The commits that no buildable commit between them can tell apart: `last`, and the unbuildable commits before it. Left
 * out commits between them belong to the group. A few untried commits between two unbuildable ones count as
 * unbuildable, too. */
struct kg_bisect_group {
    size_t first, last;
    double mass; /* sum of the probabilities */
};
/* The group with the largest mass. */
struct kg_bisect_group kg_bisect_best(const struct kg_bisect_range *range, const double *mass);

/* The untried commit that parts the mass best. Neighbours of unbuildable commits count less, because they often do not
 * build either.
 * most     set: the information of its build, in nats
 * returns  0 if no build is worth its time */
size_t kg_bisect_next(const struct kg_bisect_range *range, const double *mass, double *most);

/* A cause to search: its probabilities by commit, and the levels before and after it. */
struct kg_bisect_target {
    const double *mass;
    double good, bad;
};

/* The next step of a search. */
struct kg_bisect_choice {
    struct kg_bisect_target target;
    size_t next;   /* commit to build; 0: no build is worth its time */
    bool is_found; /* the cause is known, or both; `next` then supports the level between them */
    double sure;   /* least probability of a known cause: less if no build can part more */
};

/* Chooses the next build. With two causes: for the larger step, until its commits are hardly to part. A level between
 * two causes may be the offset of one build. So it needs a second one, if there is one. */
struct kg_bisect_choice kg_bisect_choose(const struct kg_bisect_range *range,
                                         const struct kg_bisect_posterior *posterior);

/* Marks the fewest groups that hold KG_BISECT_SET of the mass.
 * in       `count` + 1 entries; set
 * returns  the mass of the marked commits */
double kg_bisect_set(const struct kg_bisect_range *range, const double *mass, bool *in);

/* Level of a build, as a log ratio to the good end. */
struct kg_bisect_level {
    double mean;
    double variance; /* of `mean`, without the build's offset */
    bool is_clear;   /* most pairs agree */
};
/* Mean of the pairs. Those farther than three standard deviations from the median do not count. If more than a quarter
 * is so far, the level is the median, and its variance comes from the spread of these pairs.
 * pairs      log ratios
 * n          0: the level is NaN
 * deviation  usual standard deviation of a pair */
struct kg_bisect_level kg_bisect_level(const double *pairs, size_t n, double deviation);

/* Whether the pairs of a build suffice. They do if Wald's sequential test decides for one of the two levels with an
 * error of 0.1 %, and the mean is near it. They also do if the mean is known to a quarter of the effect, twice its
 * standard error. So a third level, of a second cause, gets more pairs. So does a level that is not clear. */
bool kg_bisect_pairs_enough(double good, double bad, struct kg_bisect_level level);
