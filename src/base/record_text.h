/* record_text.h: a struct filled straight from the text of a file, by its table: what is large is read
 * so, in a tenth of the time that a tree of every number takes and without its memory. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/json_text.h"
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

/* record_members.c: which field of a record a member of an object is, for record_text.c. */

enum { KG_RECORD_FIELDS_MOST = 256 };

/* Which fields of a record have been read, and other names. Zero-initialise but for the record, which has no
 * more fields than the above, and do not move. */
struct kg_record_members {
    const struct kg_record *record;
    uint64_t seen[KG_RECORD_FIELDS_MOST / 64];
    size_t next, count; /* the field that is expected next; members so far */
    struct kg_json_names others;
};

bool kg_record_member_seen(const struct kg_record_members *members, size_t field);

/* Takes what comes before the value of the next member of an open object, or closes it.
 * *field  of the record; NULL where it has none of that name
 * *more   whether there is a member
 * returns false where the text is not good, or the name was there before */
bool kg_record_member(struct kg_json_text *text, struct kg_record_members *members,
                      struct kg_json_string *name, const struct kg_field **field, bool *more);
