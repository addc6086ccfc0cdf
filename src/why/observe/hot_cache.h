/* hot_cache.h: keeps the profile of a case (model/hot_code.h) in the user's cache. The key
 * consists of code, definition and machine. So kgate profiles unchanged code once. If the CPU time
 * of a call differs, something else changed, such as an environment variable or an input file: the
 * kept profile is not that of this run. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

#define KG_LOOKED_SCHEMA "kgate.looked.v1"

enum {
    KG_LOOKED_DIGITS = 32,      /* number of digits of a key */
    KG_LOOKED_FILES_MOST = 2000 /* maximum number of files kept */
};

/* The key of a case: hexadecimal digits in `arena`. NULL: its code is unknown, or includes
 * unknown programs or libraries.
 * kgate  hash of this kgate's program, because another version may observe more */
const char *kg_looked_key(const struct kg_session *session, size_t index, const char *kgate,
                          struct kg_arena *arena);

/* The cache folder, in `arena`; NULL: the user has no cache. */
const char *kg_looked_directory(struct kg_arena *arena);

/* Loads a kept profile; strings in `arena`. It is valid for 30 days after its last use, and for
 * one day if an observation failed.
 * cpu_ns     CPU time of a call in this run; NaN: unknown, and any profile is valid
 * hot, look  filled on success; `look` only with counts of lines
 * returns    false if there is none, or it cannot be read */
bool kg_looked_load(const char *directory, const char *key, int64_t now_s, double cpu_ns,
                    struct kg_arena *arena, struct kg_hot *hot, struct kg_look *look);

/* Stores a profile. A failure does not affect measuring: the next run profiles the case again. */
bool kg_looked_store(const char *directory, const char *key, double cpu_ns,
                     const struct kg_hot *hot, const struct kg_look *look, struct kg_error *err);

/* Removes files unused for 30 days, and the oldest files beyond `most`. */
void kg_looked_prune(const char *directory, int64_t now_s, size_t most);

extern const struct kg_record kg_looked_record;
