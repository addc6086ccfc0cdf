/* builds.h: the builds behind stored runs, so that they can be measured again: files by the SHA-256
 * of their bytes, DIR/builds/HASH/NAME, beside the store in DIR. The folder is not meant for git
 * (it has a .gitignore of its own), but a cache may carry it. Whoever changes it holds the lock
 * DIR/builds/.lock; reading needs none, since a build appears and disappears whole. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/results.h"

#define KG_BUILDS_MOST_DEFAULT 1e9

struct kg_kept_build {
    const char *hash;
    const char *path; /* of the file */
    double bytes;
    double used; /* when it was kept, or measured again: seconds since 1970 */
};

struct kg_kept_builds {
    struct kg_kept_build *builds; /* the one that was used least recently first */
    size_t count;
    double bytes; /* of all */
};

/* Whether runs name a build: it may go where none does, and must not where a pinned one does. */
enum kg_build_use { KG_BUILD_UNUSED, KG_BUILD_USED, KG_BUILD_PINNED };

/* What the stored runs say of a build. */
struct kg_build_uses {
    enum kg_build_use (*of)(const void *user, const char *hash);
    const void *user;
};

/* What came of keeping files. */
struct kg_builds_outcome {
    size_t kept;    /* that are there now, of those that were given */
    size_t removed; /* others, to make room, or since no run names them */
    double bytes;   /* of all that are there now */
    /* of those that were not kept, by their paths: */
    size_t changed; /* the file is gone, or is another one since it was measured */
    const char *first_changed;
    size_t large; /* there was no room */
    const char *first_large;
    char problem[512]; /* why nothing could be kept; "" where it could */
};

/* Whether there is a folder of builds. */
bool kg_builds_any(const char *directory);

/* The builds that are kept, in `arena`. A folder that is not there has none. What is no build in it
 * is left alone, here and in all that follows.
 * returns  false where the folder cannot be read */
bool kg_builds_list(struct kg_arena *arena, const char *directory, struct kg_kept_builds *builds,
                    struct kg_error *err);

/* Whether the build of that hash is there; it may be damaged. */
bool kg_builds_has(const char *directory, const char *hash);

/* Finds a build to measure it: checks its bytes against the hash, and notes that it was used.
 * path     absolute, in `arena`
 * returns  false where it is not kept, or not what its name says: KG_ERROR_USAGE */
bool kg_builds_open(struct kg_arena *arena, const char *directory, const char *hash,
                    const char **path, struct kg_error *err);

/* Keeps copies of files, with their permissions, each only where its bytes still have the hash that
 * was measured. Then removes what was used least recently, unused ones first, until no more than
 * `most` bytes are kept; a file that does not fit beside the pinned ones is not kept. Under the
 * folder's lock.
 * uses     by the stored runs with the new one; files that are unused by them are not kept
 * outcome  filled; its paths are those of `files`
 * returns  false where the folder cannot be written */
bool kg_builds_keep(const char *directory, const struct kg_measured_file *files, size_t count,
                    double most, const struct kg_build_uses *uses,
                    struct kg_builds_outcome *outcome, struct kg_error *err);

/* Removes the builds that no stored run names, and as above what is beyond `most` bytes. Under the
 * folder's lock. */
bool kg_builds_prune(const char *directory, double most, const struct kg_build_uses *uses,
                     struct kg_builds_outcome *outcome, struct kg_error *err);
