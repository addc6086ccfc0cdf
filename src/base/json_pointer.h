/* json_pointer.h: a value inside a JSON text by its path: "/results/0/mean" (RFC 6901). Pure;
 * thread-safe. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

/* Whether the text is a pointer: empty, or each of its parts begins with '/'; '~' only in "~0", which
 * stands for '~', and "~1", which stands for '/'. */
bool kg_json_pointer_good(const char *pointer);

/* What a good pointer names in `json`, borrowed; the whole by an empty one. NULL where there is none. */
const json_t *kg_json_pointer_find(const json_t *json, const char *pointer);
