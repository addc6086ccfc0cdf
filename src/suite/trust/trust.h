/* trust.h: a change is judged by what the target branch has: suite, its data files, baselines and accepted
 * changes come from a commit, and what the change does to them is told, and not used. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* git.c: what the repository around the working directory has in a commit, as the program git says.
 * It is asked without a shell, and reads no file of the working tree. */

struct kg_repository {
    struct kg_arena arena;
    const char *top; /* its working tree, absolute */
};

/* The repository that the working directory lies in.
 * err  KG_ERROR_USAGE where that is none, is bare, or is a submodule of another: who wrote the change
 *      would choose what is trusted; KG_ERROR_SYSTEM where there is no git */
bool kg_repository_open(struct kg_repository *repository, struct kg_error *err);
void kg_repository_free(struct kg_repository *repository);

/* Who works here, as git is told it (`user.name`); NULL where it has none, or there is no git. In `arena`. */
void kg_git_user(struct kg_arena *arena, const char **name);

/* The commit that a branch, a tag, or an expression such as HEAD^1 stands for, in full. A name that a tag
 * and a branch have is refused where both are not the same commit. */
bool kg_commit_find(struct kg_repository *repository, const char *name, const char **commit,
                    struct kg_error *err);

/* Where both came from: NULL where that is not known, as in a shallow clone. */
bool kg_commit_common(struct kg_repository *repository, const char *one, const char *other,
                      const char **commit, struct kg_error *err);

/* Whether a commit is a merge of others into `into`: its first parent, which it names in a shallow clone,
 * too. */
bool kg_commit_merges(struct kg_repository *repository, const char *commit, const char *into,
                      bool *merges, struct kg_error *err);

/* The path in the repository that a path of the working directory has; links are not followed, so that a
 * change cannot lead it elsewhere. NULL for one that is outside. */
void kg_repository_path(struct kg_repository *repository, const char *given, const char **inside);

/* Appends a file of a commit as git has it: of one that Git LFS keeps, the pointer. *there is false where
 * the commit has none.
 * err  KG_ERROR_USAGE of what is no file there (a link, a folder, a submodule) */
bool kg_commit_blob(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err);

/* The SHA-256, in hexadecimal digits and what follows them, of the file that a pointer of Git LFS stands
 * for; NULL where the text is no pointer. */
const char *kg_commit_pointer(const struct kg_text *text);

/* The same as kg_commit_blob, but for a pointer of Git LFS, which is KG_ERROR_USAGE. */
bool kg_commit_read(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err);

/* checkout.c: the commit and the branch of the checkout around a path, as the program git names them.
 * Results carry both, so that a reader can tell which version was measured. */

struct kg_checkout {
    const char *commit; /* `git describe --tags --always --dirty`; NULL: not known */
    const char *branch; /* NULL: not known, or no branch is checked out */
    bool dirty; /* a tracked file differs from the commit, and git starts no filter to tell */
};

/* Asks git about the checkout that contains the file or folder. Nothing is known without git, without
 * a repository, in a repository of another user (git's safe.directory), or if git takes longer than a
 * few seconds.
 *
 * A hostile repository makes git start nothing: no hook, no file system monitor, no remote helper. If the
 * repository's own configuration has a filter, `commit` never ends in "-dirty": git would start the
 * filter to compare files.
 * path    symbolic links are followed; nothing is known if it does not exist
 * returns strings in `arena` */
struct kg_checkout kg_checkout_read(struct kg_arena *arena, const char *path);

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
 * err     KG_ERROR_USAGE of another option, and as above */
bool kg_trust_open(const char *option, struct kg_trust *trust, struct kg_error *err);
void kg_trust_free(struct kg_trust *trust);

/* The words, once all was read: with what a reader of the edits must know. */
void kg_trust_tell(struct kg_trust *trust, const char **told);

/* Whether a path of the working directory lies in the repository. */
void kg_trust_inside(struct kg_trust *trust, const char *given, bool *inside);

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
void kg_trust_uncovered(struct kg_trust *trust, const char **note);
