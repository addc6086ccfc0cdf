/* builds.h: the builds behind stored runs, so that kgate can measure them again. A build is one file,
 * DIR/builds/HASH/NAME, beside the store in DIR; HASH is the SHA-256 of its bytes. A file .history beside NAME marks a
 * build that a history needs: no stored run names it. The folder's own .gitignore keeps it out of git. A cache may
 * carry it. A writer holds the lock DIR/builds/.lock. A reader needs no lock, since kgate creates and removes a build
 * in one step. */
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
    const char *path; /* path of the file */
    double bytes;
    double used;  /* time when the build was kept or last measured, in seconds since 1970 */
    bool history; /* a history needs it */
};

struct kg_kept_builds {
    struct kg_kept_build *builds; /* sorted by `used`, oldest first */
    size_t count;
    double bytes; /* size of all builds */
};

/* How stored runs use a build. kgate may remove an unused build, and must not remove a pinned one. An unused build with
 * the mark of a history counts as KG_BUILD_HISTORY. */
enum kg_build_use { KG_BUILD_UNUSED, KG_BUILD_HISTORY, KG_BUILD_USED, KG_BUILD_PINNED };

/* Callback that returns a build's use. */
struct kg_build_uses {
    enum kg_build_use (*of)(const void *user, const char *hash);
    const void *user;
};

/* Outcome of kg_builds_keep or kg_builds_prune. */
struct kg_builds_outcome {
    size_t kept;            /* number of the caller's files that the folder has now */
    size_t removed;         /* number of other builds that were removed */
    size_t removed_history; /* those of them that a history needed */
    size_t history;         /* number of builds that stay only for a history */
    double bytes;           /* size of all builds in the folder */
    /* numbers of files that were not kept, each with the path of the first: */
    size_t changed; /* the file does not exist or changed since it was measured */
    const char *first_changed;
    size_t large; /* no room */
    const char *first_large;
    char problem[512]; /* reason why kgate could keep nothing; "" on success */
};

/* Whether the folder of builds exists. */
bool kg_builds_any(const char *directory);

/* Lists the kept builds, in `arena`. A folder that does not exist has no builds. All functions of this file ignore
 * entries of the folder that are not builds.
 * returns  false if the folder is unreadable */
bool kg_builds_list(struct kg_arena *arena, const char *directory, struct kg_kept_builds *builds,
                    struct kg_error *err);

/* Whether the folder has a build of that hash. The build may be damaged. */
bool kg_builds_has(const char *directory, const char *hash);

/* Finds a build to measure it. Checks its bytes against the hash and sets the time of its last use.
 * path     absolute path, in `arena`
 * returns  false with KG_ERROR_USAGE if the build is not kept or damaged */
bool kg_builds_open(struct kg_arena *arena, const char *directory, const char *hash,
                    const char **path, struct kg_error *err);

/* Copies files with their permissions if their bytes still have the hash of the measured file. Then removes other
 * builds until at most `most` bytes remain: unused ones first, then those of a history, each by time of last use. Skips
 * a file that does not fit beside the pinned builds. The caller holds the folder's lock.
 * uses     uses by the stored runs, the new run included; the function skips a file that no run uses
 * outcome  filled; its paths belong to `files`
 * returns  false if the folder is not writable */
bool kg_builds_keep(const char *directory, const struct kg_measured_file *files, size_t count,
                    double most, const struct kg_build_uses *uses,
                    struct kg_builds_outcome *outcome, struct kg_error *err);

/* Marks a kept build: a history needs it. The caller holds the folder's lock. */
bool kg_builds_mark(const char *directory, const char *hash, struct kg_error *err);

/* Removes the builds that no stored run and no history needs. Then it removes others beyond `most` bytes: those of a
 * history first, each by time of last use. The caller holds the folder's lock. */
bool kg_builds_prune(const char *directory, double most, const struct kg_build_uses *uses,
                     struct kg_builds_outcome *outcome, struct kg_error *err);
