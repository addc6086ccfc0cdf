/* hot_cache.h: what was seen of a case (model/hot_code.h) is kept in the user's cache from run to run,
 * by its code, definition and machine: code that did not change is looked into once. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/session.h"

#define KG_LOOKED_SCHEMA "kgate.looked.v1"

enum {
    KG_LOOKED_DIGITS = 32,      /* of a key */
    KG_LOOKED_FILES_MOST = 2000 /* that are kept */
};

/* The key of a case: hexadecimal digits in `arena`. NULL where its code is not known, or where a
 * program starts or loads what is not known.
 * kgate  the hash of this kgate's program: another one may see more */
const char *kg_looked_key(const struct kg_session *session, size_t index, const char *kgate,
                          struct kg_arena *arena);

/* The folder, in `arena`; NULL where the user has no cache. */
const char *kg_looked_directory(struct kg_arena *arena);

/* What was kept by that key; strings in `arena`. It holds for 30 days after it was used last, and
 * for one day where something could not be seen.
 * hot, look  filled on success; of `look` what is counted along
 * returns    false where there is none, or it cannot be read */
bool kg_looked_load(const char *directory, const char *key, int64_t now_s, struct kg_arena *arena,
                    struct kg_hot *hot, struct kg_look *look);

/* Keeps it. A failure is none of measuring: it will be seen anew. */
bool kg_looked_store(const char *directory, const char *key, const struct kg_hot *hot,
                     const struct kg_look *look, struct kg_error *err);

/* Removes what is 30 days old, and the oldest beyond `most` files. */
void kg_looked_prune(const char *directory, int64_t now_s, size_t most);

extern const struct kg_record kg_looked_record;
