/* record_text.h: a struct filled straight from the text of a file, by its table: what is large is read
 * so, in a tenth of the time that a tree of every number takes and without its memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/record.h"
#include "util/text.h"

/* Fills `object` (which the caller has zeroed) as kg_json_parse and kg_record_read do.
 * returns false where those refuse the text, but also where it is of another version, or memory is out,
 *         or an object has more than 64 members that the table does not name: they tell which. The
 *         object is as it was, then */
bool kg_record_text_read(const struct kg_record *record, const char *schema, const char *bytes,
                         size_t length, struct kg_arena *arena, void *object);

/* The same, and the memory of the text goes back to the system as it is read: what is left is only to be
 * freed, by kg_text_free. */
bool kg_record_text_spend(const struct kg_record *record, const char *schema, struct kg_text *text,
                          struct kg_arena *arena, void *object);
