/* trust.h: judges a change by the files of the target branch. Suite, data files, baselines and accepted changes come
 * from a trusted commit. The report lists the edits of the change to these files; kgate does not use the edits. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* git.c: reads files of a commit from the repository of the working directory, by the program git. It starts no shell
 * and reads no file of the working tree. */

struct kg_repository {
    struct kg_arena arena;
    const char *top; /* absolute path of the working tree */
};

/* Opens the repository of the working directory.
 * err  KG_ERROR_USAGE if there is none, or if it is bare or a submodule. Reason: the author of a change to the outer
 *      repository could choose the trusted files. KG_ERROR_SYSTEM if git is missing. */
bool kg_repository_open(struct kg_repository *repository, struct kg_error *err);
void kg_repository_free(struct kg_repository *repository);

/* Sets *name to git's `user.name`, in `arena`. If it is not set or git is missing: NULL. */
void kg_git_user(struct kg_arena *arena, const char **name);

/* Finds the full hash of a commit by a branch, a tag or an expression such as HEAD^1. If a tag and a branch share the
 * name but not the commit, the function refuses the name. */
bool kg_commit_find(struct kg_repository *repository, const char *name, const char **commit,
                    struct kg_error *err);

/* Finds the merge base of two commits. If it is unknown, as in a shallow clone: NULL. */
bool kg_commit_common(struct kg_repository *repository, const char *one, const char *other,
                      const char **commit, struct kg_error *err);

/* Whether a commit is a merge whose first parent is `into`. A commit names its parents also in a shallow clone. */
bool kg_commit_merges(struct kg_repository *repository, const char *commit, const char *into,
                      bool *merges, struct kg_error *err);

/* Converts a path of the working directory to a path in the repository. The function follows no symbolic links, because
 * a change could redirect them. If the path lies outside: NULL. */
void kg_repository_path(struct kg_repository *repository, const char *given, const char **inside);

/* Appends a file of a commit. For a file in Git LFS: its pointer. If the commit lacks the path, *there is false.
 * err  KG_ERROR_USAGE if the path is a link, a folder or a submodule */
bool kg_commit_blob(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err);

/* The SHA-256 from a Git LFS pointer: hexadecimal digits, followed by the rest of the text. "" if the pointer has no
 * SHA-256; NULL if the text is no pointer. */
const char *kg_commit_pointer(const struct kg_text *text);

/* As kg_commit_blob, but a Git LFS pointer is KG_ERROR_USAGE. */
bool kg_commit_read(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err);

/* checkout.c: commit and branch of the checkout around a path, in git's notation. Results contain both, so that a
 * reader knows the measured version. */

struct kg_checkout {
    const char *commit; /* as by `git describe --tags --always --dirty`; NULL: unknown */
    const char *branch; /* NULL: unknown, or no branch is checked out */
    bool dirty; /* a tracked file differs from the commit; false if a filter is configured */
};

/* Asks git about the checkout that contains the file or folder `path`. The result is empty in these cases: no git, no
 * repository, a repository of another user (git's safe.directory), or no answer within a few seconds.
 *
 * A hostile repository cannot make git start a program: no hook, no file system monitor, no remote helper. If the
 * repository's own configuration has a filter, kgate does not compare files, because git would start the filter. Then
 * `commit` never ends in "-dirty".
 * path     the function follows symbolic links; a missing path gives an empty result
 * returns  strings in `arena` */
struct kg_checkout kg_checkout_read(struct kg_arena *arena, const char *path);

/* A data file of the suite, and the path at which kgate reads the file. */
struct kg_trust_data {
    const char *given;
    const char *path;
    int held; /* descriptor of the copy in memory; -1: none */
};

struct kg_trust {
    struct kg_repository repository;
    const char *commit; /* full hash of the trusted commit */
    const char *words;  /* "origin/main at 1a2b3c4d5e6f", "commit 1a2b3c4d5e6f" */
    const char **edits; /* "kgate.yaml: defaults.threshold 5% -> 50% (not used)" */
    size_t edit_count;
    const char **uncovered; /* data files that the commit lacks */
    size_t uncovered_count;
    /* private */
    const char *common; /* start of the change; NULL: unknown */
    size_t edit_capacity, uncovered_capacity;
    struct kg_trust_data *data;
    size_t data_count, data_capacity;
    bool judges_itself; /* the trusted commit is checked out */
};

/* Opens the repository and finds the trusted commit.
 * option  value of --trust: "git:REF"
 * trust   freed by the caller with kg_trust_free, also on failure.
 * err     KG_ERROR_USAGE for another option; else as kg_repository_open and kg_commit_find */
bool kg_trust_open(const char *option, struct kg_trust *trust, struct kg_error *err);
void kg_trust_free(struct kg_trust *trust);

/* Sets *words to the trusted commit in words, with a remark for readers of the edits if one is needed. The caller reads
 * all files before. */
void kg_trust_describe(struct kg_trust *trust, const char **words);

/* Whether a path of the working directory lies in the repository. */
void kg_trust_inside(struct kg_trust *trust, const char *given, bool *inside);

/* The kind of a file, for the words of its edits. */
enum kg_trust_file {
    KG_TRUST_SUITE,
    KG_TRUST_OTHER,
    KG_TRUST_HEAD_COUNTS, /* kgate uses the file of the change: --accept-from head */
};

/* Appends the trusted version of a file, and adds the edits of the change to `edits`.
 * there  whether the commit has the file
 * err    as kg_commit_read; KG_ERROR_USAGE also for a path outside of the repository */
bool kg_trust_read(struct kg_trust *trust, const char *given, enum kg_trust_file file,
                   struct kg_text *text, bool *there, struct kg_error *err);

/* Finds the path at which kgate reads the trusted version of a data file. If the change edits the file, the path leads
 * to an immutable copy, and the edit is added to `edits`. The copy lives until kg_trust_free or the end of the process.
 * If the commit lacks the file, the function adds it to `uncovered`.
 * path  Absolute path; `given` for a file outside of the repository or missing in the commit.
 * err   KG_ERROR_UNDECIDED if the change edits a file in Git LFS: the commit's version is not available */
bool kg_trust_data(struct kg_trust *trust, const char *given, const char **path,
                   struct kg_error *err);

/* Sets *note to a sentence with the data files that the commit lacks. If there are none: NULL. */
void kg_trust_uncovered(struct kg_trust *trust, const char **note);
