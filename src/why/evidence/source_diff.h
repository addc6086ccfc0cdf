/* source_diff.h: the change of source code between two commits, at a place that profiles name.
 * The reader of a regression wants to see the lines that cause it, and their commit. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/hot_code.h"

/* A part of one hunk of a unified diff. */
struct kg_source_hunk {
    const char *file; /* path in the repository */
    size_t line;      /* first changed line, by the candidate's numbers; at least 1 */
    size_t count;     /* number of the candidate's lines in the hunk; 0: it only removes */
    const char *text; /* "FILE:LINE", then a few lines with ' ', '-' or '+' in front */
};

/* Finds the hunk that touches one of the places. A hunk may contain the place's line, lie in the
 * place's function, or change a line that names the function; in this order of preference. Pure;
 * thread-safe.
 * diff     output of `git diff --src-prefix=a/ --dst-prefix=b/`; any text is accepted
 * places   the most important first; places without a function and a file are skipped
 * returns  false if no hunk touches a place. The hunk's strings live in `arena`, as valid UTF-8
 *          without control characters except line ends */
bool kg_source_hunk_find(struct kg_arena *arena, const char *diff, const struct kg_place *places,
                         size_t count, struct kg_source_hunk *hunk);

/* The part of a program that a diff touches. */
enum kg_source_touch { KG_TOUCH_OTHER, KG_TOUCH_FILE, KG_TOUCH_FUNCTION };

/* Finds whether a hunk lies in a place's function, or names it in a changed line, or else in its
 * file. Lines of places are ignored. Pure; thread-safe.
 * diff     as of kg_source_hunk_find; --unified=0 makes git name the function of a hunk rightly
 * returns  the closest touch of all hunks and places */
enum kg_source_touch kg_source_touch_find(const char *diff, const struct kg_place *places,
                                          size_t count);

/* Two commits of the repository around the working directory. */
struct kg_source_diff {
    const char *text; /* unified diff; NULL: unknown */
    const char *base; /* name of the commit for git */
    const char *head; /* name of the commit; NULL: the working tree, with uncommitted changes */
};

/* Asks git for the diff. The text stays NULL in these cases: git is missing or needs more than a
 * few seconds; the repository lacks a commit; both commits are the same; the diff exceeds a few
 * MB. Security: a hostile repository cannot make git start a program. The working tree is
 * compared only if the repository defines no filter.
 * base, head  names from kg_checkout_read; NULL: unknown. A dirty base counts as unknown. A
 *             dirty head is the working tree, if kg_checkout_read gives the same name now */
struct kg_source_diff kg_source_diff_read(struct kg_arena *arena, const char *base,
                                          const char *head);

/* The newest commits that touched the lines of the hunk, at most three, one per line: "8d01e77
 * Read fields by sscanf". NULL: the lines are in no commit, or git failed. */
const char *kg_source_diff_commits(struct kg_arena *arena, const struct kg_source_diff *diff,
                                   const struct kg_source_hunk *hunk);
