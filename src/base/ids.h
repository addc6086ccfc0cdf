/* ids.h: the same names in a list and in the sentences about it, in little room. Pure.
 *
 * First every name that may occur is given, then the sentences that are shown; what these have is
 * shortened as one list (elide.h), and is then the same everywhere. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

struct kg_id; /* a name, and what is shown of it */

/* Zero-initialised it has no names: all stay as they are. */
struct kg_ids {
    struct kg_id *ids; /* by name */
    size_t count;
};

/* Names in any order, harmless: escaped for where they are shown; they must outlive `ids`. The same
 * one may come twice. returns false where memory is out */
bool kg_ids_make(struct kg_arena *arena, const char *const *names, size_t count,
                 struct kg_ids *ids);

/* Remembers a name that is shown alone. */
void kg_ids_see(struct kg_ids *ids, const char *name);

/* Remembers the names that the sentence has as words of their own: between blanks, with or without
 * quotes, backticks and marks around them. Several words between backticks are a command, which
 * stays whole: it is to be copied. */
void kg_ids_see_in(struct kg_ids *ids, const char *sentence);

/* Shortens those that were seen to at most `most` characters, as far as they stay apart. returns
 * false where memory is out */
bool kg_ids_shorten(struct kg_arena *arena, struct kg_ids *ids, size_t most);

/* What is shown of a name; itself, where it is none of these. */
const char *kg_ids_shown(const struct kg_ids *ids, const char *name);

/* Appends the sentence with the short forms. */
void kg_ids_append(const struct kg_ids *ids, const char *sentence, struct kg_text *text);
