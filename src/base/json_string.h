/* json_string.h: any bytes as a JSON string. Thread-safe. */
#pragma once
#include <jansson.h>

/* A new reference to a JSON string of the text. JSON holds Unicode only, but what programs print and
 * how files are named may be any bytes: one that is not part of a UTF-8 character becomes \xNN. A
 * text that is UTF-8 is kept as it is. NULL where memory is out, and for a NULL text. */
json_t *kg_json_string(const char *text);
