/* import_files.h: what is given to `kgate import` as read files. */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "suite/adapters/adapter.h"

struct kg_import_file {
    const char *path;
    char hash[17]; /* of its bytes */
    struct kg_foreign content;
};

struct kg_import_files {
    const struct kg_adapter *adapter; /* of all of them */
    struct kg_import_file *files;
    size_t count;
    size_t capacity;
};

/* Reads all.
 * format  NULL: as their content says */
bool kg_import_files_read(struct kg_arena *arena, const char *const *paths, size_t count,
                          const char *format, struct kg_import_files *files, struct kg_error *err);
