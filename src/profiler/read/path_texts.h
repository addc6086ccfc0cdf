/* path_texts.h: texts that a report writes with every entry of a path, made once for each path. Not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "profiler/read/profile.h"

struct kg_path_text {
    const char *text;
    size_t length;
    size_t kind;
    bool span;
};

/* Zero-initialise before first use. */
struct kg_path_texts {
    struct kg_arena arena;
    struct kg_path_text *items;
    size_t count, capacity;
    size_t bytes; /* of all texts */
};

/* Adds the text of a scan's next path.
 * text  freed by the function
 * err   KG_ERROR_USAGE if all texts together are longer than any program's */
bool kg_path_texts_add(struct kg_path_texts *texts, const struct kg_profile_path *path,
                       struct kg_text *text, struct kg_error *err);
void kg_path_texts_free(struct kg_path_texts *texts);

/* Appends a name as a part of "outer;inner". */
void kg_path_name_append(struct kg_text *text, const char *name);
