/* bisect_parts.h: the parts of a bisection, for bisect.c: the commits, their builds, their pairs, the proof. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "gate/bisect.h"
#include "run/build.h"
#include "why/suggestions.h"

/* --- bisect_commits.c: the commits between two ends ------------------------------------------------ */

/* Reads the commits from `good` to `bad` along the first parents into bisect->commits. The good end is the first.
 * err  KG_ERROR_USAGE if a name is unknown, or if `good` is no first-parent ancestor of `bad` */
bool kg_bisect_commits_read(struct kg_bisect *bisect, struct kg_error *err);

/* Runs `git log` over the commits after the good end, for kg_bisect_log_next.
 * form     what to print of each: "--name-only", or "--unified=0" for the patch
 * most     limit of its bytes
 * returns  false if git fails, prints too much or needs too long */
bool kg_bisect_log(const struct kg_bisect *bisect, const char *form, size_t most,
                   struct kg_text *text);
/* Cuts the next commit's part out of the text.
 * rest     the text; moved to the next part
 * index    of the commit; 0 at the first call
 * returns  NULL at the end */
char *kg_bisect_log_next(const struct kg_bisect *bisect, char **rest, size_t *index);

/* Whether the commit has several parents. */
bool kg_bisect_is_merge(const char *commit);

/* --- bisect_builds.c: builds of commits, each in a git worktree ------------------------------------ */

/* The place and the way of building. A build is known by its commit and the hash of the command. */
struct kg_bisect_builder {
    struct kg_arena *arena;
    const char *folder;  /* absolute path of the folder for builds */
    const char *inside;  /* the user's folder within the repository; "": its top */
    const char *command; /* for `sh -c`, in the same folder of the worktree */
    double left_ns;      /* time until a build is ended; INFINITY: no limit */
};

enum kg_bisect_outcome {
    KG_BISECT_BUILT,
    KG_BISECT_FAILED,
    KG_BISECT_CONFLICTS, /* git cannot revert the commit */
    KG_BISECT_LATE,      /* ended, because no time was left; a later call builds again */
};

struct kg_bisect_build {
    enum kg_bisect_outcome outcome;
    const char *place;  /* KG_BISECT_BUILT: folder in which the suite's paths begin */
    const char *reason; /* KG_BISECT_FAILED: why, with the log's path */
    double seconds;     /* NaN: an earlier call built it */
    bool ran;           /* whether the command ran */
};

/* Builds a commit, unless an earlier call has built it with success. The worktree is registered with git only while the
 * command runs. So a killed kgate leaves at most one, which the next call for the commit removes.
 * reverted  commit to revert first; NULL: none
 * err       KG_ERROR_INTERRUPTED after Ctrl-C: nothing is kept of this build */
bool kg_bisect_build(const struct kg_bisect_builder *builder, const char *commit,
                     const char *reverted, struct kg_bisect_build *build, struct kg_error *err);

/* The whole folder of a build with this place; NULL: the place is in another folder. */
const char *kg_bisect_build_tree(const struct kg_bisect_builder *builder, const char *place);

/* Removes the folder of a build as far as possible. */
void kg_bisect_build_remove(const struct kg_bisect_builder *builder, const char *place);

/* --- bisect_prior.c: probable commits ----------------------------------------------------------------- */

/* Sets the prior weights of the commits.
 * suggestions  of the comparison of the ends; NULL: none */
void kg_bisect_weigh(struct kg_bisect_search *search, const struct kg_suggestions *suggestions);

/* --- bisect_reads.c: commits that cannot matter ------------------------------------------------------- */

/* Marks untried commits as left out if the builds of both ends read none of their files. */
void kg_bisect_leave_out(const struct kg_bisect_builder *builder, struct kg_bisect *bisect);

/* --- bisect_pairs.c: paired rounds of one case against the good build ------------------------------- */

/* A suite's plan with one case of it. */
struct kg_bisect_case {
    struct kg_plan plan;
    struct kg_prepared_suite what;
    const char *metric; /* name of the metric to compare */
};
void kg_bisect_case_make(const struct kg_prepared_suite *what, size_t index,
                         struct kg_bisect_case *one);

struct kg_bisect_pairs {
    double *logs; /* per pair: log of the time over the good build's; in the arena */
    size_t count;
    const char *failure; /* why the build cannot be measured; NULL: it can */
};

/* Measures pairs until kg_bisect_pairs_enough. At least the suite's minimum rounds, at most its maximum.
 * good, bad, deviation  as of kg_bisect_pairs_enough
 * err                   KG_ERROR_INTERRUPTED after Ctrl-C; KG_ERROR_UNDECIDED if every round was disturbed */
struct kg_bisect_levels {
    double good, bad, deviation;
};
bool kg_bisect_pairs_measure(const struct kg_bisect_case *one, const struct kg_build *base,
                             const struct kg_build *head, struct kg_bisect_levels levels,
                             struct kg_progress progress, struct kg_arena *arena,
                             struct kg_bisect_pairs *pairs, struct kg_error *err);

/* A case of both builds after paired rounds. */
struct kg_bisect_sides {
    const struct kg_case_result *base, *head;
    const char *metric; /* its name; it has a value per round */
};

/* The judged log ratios of a case of `ab`: of the confirming rounds if there are any. */
void kg_bisect_pairs_of(const struct kg_bisect_sides *sides, struct kg_arena *arena,
                        struct kg_bisect_pairs *pairs);

/* Digits for the code of the case on a build. Two builds with the same digits need no pairs. NULL: unknown, or the code
 * may load code or read files that kgate does not see. */
const char *kg_bisect_code(const struct kg_bisect_case *one, const struct kg_build *build,
                           struct kg_arena *arena);

/* --- bisect_open.c: a search, and its file ---------------------------------------------------------- */

/* A bisection at work. */
struct kg_bisect_search {
    const struct kg_bisect_options *options;
    const struct kg_prepared_suite *what; /* NULL until the ends are built */
    struct kg_bisect *bisect;
    struct kg_bisect_builder builder;
    struct kg_bisect_case one;
    uint64_t started_ns;
    size_t builds_before; /* builds of earlier calls */
};

/* Builds a commit, notes the outcome and saves.
 * late  set: the budget ended the build */
bool kg_bisect_commit_build(struct kg_bisect_search *search, size_t index, bool *late,
                            struct kg_error *err);

/* Whether both texts are equal, or both NULL. */
bool kg_bisect_text_same(const char *a, const char *b);

/* Writes bisect.json. */
bool kg_bisect_save(const struct kg_bisect_search *search, struct kg_error *err);

/* Reports a step to the caller. */
__attribute__((format(printf, 2, 3))) void kg_bisect_note(const struct kg_bisect_search *search,
                                                          const char *format, ...);

/* Time left of the budget, in ns, and whether the budget has one more build. */
double kg_bisect_left_ns(const struct kg_bisect_search *search);
bool kg_bisect_has_build(const struct kg_bisect_search *search);

/* --- bisect_ends.c: the comparison of the two ends, and the proof ----------------------------------- */

/* Compares the ends by `ab` and chooses case and metric: the change for the worse that is largest against its interval.
 * Sets the state. */
bool kg_bisect_ends_measure(struct kg_bisect_search *search, struct kg_error *err);

/* Proves a cause: fresh pairs against its parent, then the bad end without it. */
bool kg_bisect_prove(struct kg_bisect_search *search, struct kg_bisect_cause *cause,
                     struct kg_error *err);

/* The nearest built commit at or before `from` (step -1), or at or after it (step 1). */
size_t kg_bisect_built_near(const struct kg_bisect *bisect, size_t from, int step);
