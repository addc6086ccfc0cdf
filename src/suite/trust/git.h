/* git.h: what the repository around the working directory has in a commit, as the program git says.
 * It is asked without a shell, and reads no file of the working tree. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct kg_repository {
    struct kg_arena arena;
    const char *top; /* its working tree, absolute */
};

/* The repository that the working directory lies in.
 * err  KG_ERROR_USAGE where that is none, is bare, or is a submodule of another: who wrote the change
 *      would choose what is trusted; KG_ERROR_SYSTEM where there is no git */
bool kg_repository_open(struct kg_repository *repository, struct kg_error *err);
void kg_repository_free(struct kg_repository *repository);

/* Who works here, as git is told it (`user.name`); NULL where it has none, or there is no git. In `arena`.
 * returns  false where memory is out */
bool kg_git_user(struct kg_arena *arena, const char **name, struct kg_error *err);

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
 * change cannot lead it elsewhere. NULL for one that is outside.
 * returns  false where memory is out */
bool kg_repository_path(struct kg_repository *repository, const char *given, const char **inside,
                        struct kg_error *err);

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
