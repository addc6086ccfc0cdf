/* record_text.h: a struct filled straight from the text of a file, by its table: what is large is read
 * so, in a tenth of the time that a tree of every number takes and without its memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"

/* Fills `object` (which the caller has zeroed) as kg_json_parse and kg_record_read do.
 * returns false where those refuse the text, but also where it is of another version, or memory is out,
 *         or an object has more than 64 members that the table does not name: they tell which. The
 *         object is as it was, then */
bool kg_record_text_read(const struct kg_record *record, const char *schema, const char *bytes,
                         size_t length, struct kg_arena *arena, void *object);

/* The same of a file that is open, part by part: its text is never in memory as a whole.
 * returns false also where reading fails, and where one of the objects of a list is longer than
 *         KG_JSON_LEFT and happens to end behind what was read */
bool kg_record_file_read(const struct kg_record *record, const char *schema, int file,
                         struct kg_arena *arena, void *object);
