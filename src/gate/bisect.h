/* bisect.h: finds the commit that made a case slower. Each commit is built in a git worktree and measured in paired
 * rounds against the good build (judge/bisect_posterior.h). bisect.json has every step, so a killed search goes on
 * without building twice. */
#pragma once
#include <stdbool.h>

#include "gate/time_budget.h"
#include "judge/bisect_record.h"
#include "run/run.h"

struct kg_bisect_options {
    const char *good, *bad; /* names of commits */
    const char *build;      /* command for `sh -c` */
    const char *suite_path;
    const char *filter;    /* of the cases, in words for bisect.json; NULL: none */
    const char *history;   /* for kg_history_open: its steps weigh the commits; NULL: none */
    const char *directory; /* folder of bisect.json, builds and reports; created if missing */
    double budget_ns;      /* of this call; INFINITY: no limit */
    size_t builds_most;    /* builds of this call; SIZE_MAX: no limit */
    struct kg_progress progress;
    struct kg_warning step; /* receives a line for each build and each measurement */
};

struct kg_bisect_search;

/* Opens or resumes a search, and builds the two ends, whose folders the caller needs to plan the suite.
 * bisect   the search so far; the caller frees it with kg_bisect_free, also on failure
 * returns  NULL on failure
 * err      KG_ERROR_USAGE: an unknown commit, or a folder with another search; KG_ERROR_MEASURE: an end does not build */
struct kg_bisect_search *kg_bisect_open(const struct kg_bisect_options *options,
                                        struct kg_bisect *bisect, struct kg_error *err);

/* Whether the search is over, so that it needs neither a suite nor a measurement. */
bool kg_bisect_is_over(const struct kg_bisect *bisect);

/* Searches to the end, or until the budget is used up.
 * what  the suite with the cases to compare */
bool kg_bisect_run(struct kg_bisect_search *search, const struct kg_prepared_suite *what,
                   struct kg_error *err);

/* Releases the folder. */
void kg_bisect_close(struct kg_bisect_search *search);
