/* record_members.h: which field of a record a member of an object is, for record_text.c. */
#pragma once
#include "base/json_text.h"
#include "base/record.h"

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
