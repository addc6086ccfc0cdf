/* trust.h: a change is judged by what the target branch has: suite, its data files, baselines and accepted
 * changes come from a commit, and what the change does to them is told, and not used. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "suite/trust/git.h"

/* A data file of the suite, and where it is read. */
struct kg_trust_data {
    const char *given;
    const char *path;
    int held; /* a descriptor; -1: none */
};

struct kg_trust {
    struct kg_repository repository;
    const char *commit; /* in full */
    const char *words;  /* "origin/main at 1a2b3c4d5e6f", "commit 1a2b3c4d5e6f" */
    const char **edits; /* "kgate.yaml: defaults.threshold 5% -> 50% (not used)" */
    size_t edit_count;
    const char **uncovered; /* data files that the commit does not have */
    size_t uncovered_count;
    /* its own */
    const char *common; /* the commit that the change began at; NULL: not known */
    size_t edit_capacity, uncovered_capacity;
    struct kg_trust_data *data;
    size_t data_count, data_capacity;
    bool judges_itself; /* the commit is checked out */
};

/* option  "git:REF" as --trust has it
 * trust   to be freed with kg_trust_free, also on failure
 * err     KG_ERROR_USAGE of another option, and as git.h says */
bool kg_trust_open(const char *option, struct kg_trust *trust, struct kg_error *err);
void kg_trust_free(struct kg_trust *trust);

/* The words, once all was read: with what a reader of the edits must know. */
bool kg_trust_tell(struct kg_trust *trust, const char **told, struct kg_error *err);

/* Whether a path of the working directory lies in the repository. */
bool kg_trust_inside(struct kg_trust *trust, const char *given, bool *inside, struct kg_error *err);

/* What a file is, for what is told of its edits. */
enum kg_trust_file {
    KG_TRUST_SUITE,
    KG_TRUST_OTHER,
    KG_TRUST_HEAD_COUNTS, /* the change's own is used all the same: --accept-from head */
};

/* Appends the trusted file of that path, and adds what the change edited of it to `edits`.
 * there  whether the commit has it
 * err    KG_ERROR_USAGE of a path outside of the repository too */
bool kg_trust_read(struct kg_trust *trust, const char *given, enum kg_trust_file file,
                   struct kg_text *text, bool *there, struct kg_error *err);

/* Where a data file that the suite names is to be read, so that it is as the commit has it: an absolute
 * path, or `given` of one that is outside of the repository or not in the commit, which is added to
 * `uncovered`. What the change edited of it is added to `edits`; then the path leads to a copy that nobody
 * can change, and that is gone with kg_trust_free or the process.
 * err  KG_ERROR_UNDECIDED where the change edits a file that Git LFS keeps: the commit's is not here */
bool kg_trust_data(struct kg_trust *trust, const char *given, const char **path,
                   struct kg_error *err);

/* Says in one sentence which data files the commit does not have; *note is NULL where there is none. */
bool kg_trust_uncovered(struct kg_trust *trust, const char **note, struct kg_error *err);
