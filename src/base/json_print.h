/* json_print.h: values appended to a text as JSON. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Prints any bytes as a string in quotes. A byte outside valid UTF-8 becomes \xNN. */
void kg_json_print_string(struct kg_text *text, const char *string);

/* A finite number with a point or an exponent; null if it is not finite. It reads back as the same double: 15
 * significant digits if they are enough, otherwise 17. A report of a stored comparison is equal to the first
 * report only because of this: 861.4999999999999 ns rounds to 861, and 861.5 ns rounds to 862. */
void kg_json_print_real(struct kg_text *text, double value);

void kg_json_print_whole(struct kg_text *text, int64_t value);

/* A new line, indented for its depth. */
void kg_json_print_line(struct kg_text *text, int depth);

/* Objects and lists with a line per member or item. Zero-initialise all but the text.
 * name  of the member; NULL for an item of a list, and for the whole */
struct kg_json_writer {
    struct kg_text *text;
    int depth; /* of the object or list that is open */
    bool more; /* it has an item already */
    bool flat; /* everything on one line, until the caller clears it */
};
void kg_json_begin(struct kg_json_writer *writer, const char *name, const char *bracket);
void kg_json_finish(struct kg_json_writer *writer, const char *bracket);
/* Only the name: the caller appends the value to the text. */
void kg_json_put(struct kg_json_writer *writer, const char *name);
/* string  NULL becomes null */
void kg_json_put_string(struct kg_json_writer *writer, const char *name, const char *string);
void kg_json_put_real(struct kg_json_writer *writer, const char *name, double value);
void kg_json_put_whole(struct kg_json_writer *writer, const char *name, int64_t value);
void kg_json_put_bool(struct kg_json_writer *writer, const char *name, bool value);
