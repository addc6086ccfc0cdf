/* source_diff.h: the change of source code between two commits, at a place that the profiles name. A reader of a
 * regression wants to see the lines that cause it, and the commit that brought them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/hot_code.h"

/* A part of one hunk of a unified diff. */
struct kg_source_hunk {
    const char *file; /* path in the repository */
    size_t line;      /* first changed line, as the candidate numbers them; at least 1 */
    size_t count;     /* lines of the candidate in the hunk; 0: it only removes */
    const char *text; /* "FILE:LINE", then a few lines with ' ', '-' or '+' in front */
};

/* Finds the hunk that touches one of the places: it has the place's line, lies in the place's function, or changes a
 * line that names the function; in this order. Pure; thread-safe.
 * diff     as `git diff --src-prefix=a/ --dst-prefix=b/` prints; any text is accepted
 * places   the most important first; those without a function and a file are skipped
 * returns  false if no hunk touches a place; strings of the hunk live in `arena`, as valid UTF-8 without
 *          control characters but line ends */
bool kg_source_hunk_find(struct kg_arena *arena, const char *diff, const struct kg_place *places,
                         size_t count, struct kg_source_hunk *hunk);

/* Two commits of the repository around the working directory. */
struct kg_source_diff {
    const char *text; /* unified diff; NULL: not known */
    const char *base; /* name of the commit for git */
    const char *head; /* the same; NULL: the working tree, with changes that no commit has */
};

/* Asks git. Nothing is known without git, if the repository lacks a commit, if the commits are the same, if the
 * diff is larger than a few MB, or if git takes longer than a few seconds. A hostile repository makes git start
 * nothing: the working tree is compared only if the repository has no filter of its own.
 * base, head  as kg_checkout_read names a commit; NULL: not known. A dirty base is not known. A dirty head is the
 *             working tree, if kg_checkout_read gives that name now */
struct kg_source_diff kg_source_diff_read(struct kg_arena *arena, const char *base,
                                          const char *head);

/* The newest commits that touched the lines of the hunk, at most three: "8d01e77 Read fields by sscanf", one per line.
 * NULL if the lines are in no commit, or git does not tell. */
const char *kg_source_diff_commits(struct kg_arena *arena, const struct kg_source_diff *diff,
                                   const struct kg_source_hunk *hunk);
