/* record_read.h: reads records from JSON text by their tables, for record_file.c. */
#pragma once
#include "base/json_text.h"
#include "base/record.h"

/* Fills `object`, which the caller has zeroed, from the next object of the text. Members outside
 * the table are checked and skipped.
 * returns  false with the text's err; if the table refuses a value, err has its place in the
 *          record */
bool kg_record_text_read(const struct kg_record *record, struct kg_json_text *text, void *object);

/* record_refusal.c: errors of record_read.c: "cases[3].rounds: expected a list, found a number". All return
 * false. */

/* Refuses a value of the record.
 * at  the value's place in the text */
__attribute__((cold)) bool kg_record_refuse(struct kg_json_text *text, const char *at,
                                            const char *expected, const char *found);
/* The next value has another type, or is malformed. */
__attribute__((cold)) bool kg_record_refuse_type(struct kg_json_text *text, const char *expected);
/* A number outside the field's range. */
__attribute__((cold)) bool kg_record_refuse_number(struct kg_json_text *text, const char *at,
                                                   const struct kg_field *field, double value);
/* A word that is not among `names`, which end at NULL. */
__attribute__((cold)) bool kg_record_refuse_name(struct kg_json_text *text, const char *at,
                                                 const char *const *names,
                                                 const struct kg_json_string *string);
/* An object has closed without a required field. */
__attribute__((cold)) bool kg_record_refuse_missing(struct kg_json_text *text,
                                                    const struct kg_field *field);
/* A column of another length than `count`, the length of the other columns. */
__attribute__((cold)) bool kg_record_refuse_length(struct kg_json_text *text, const char *at,
                                                   size_t count);
/* Puts a name or an index before the place in a refusal's message; other errors stay unchanged.
 * Returns false. */
__attribute__((cold)) bool kg_record_place_add(struct kg_json_text *text, const char *part);
__attribute__((cold)) bool kg_record_index_add(struct kg_json_text *text, size_t index);
