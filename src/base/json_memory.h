/* json_memory.h: memory for jansson. Where malloc has none, jansson 2.14 leaves bytes out of a
 * string that it reads, or asserts, and says nothing. So a parse gets a small reserve then, and is
 * refused afterwards. Other texts are malloc's, which their owners free. Thread-safe: each thread
 * has a reserve and a flag of its own. */
#pragma once
#include <stdbool.h>

/* Before a parse: sets jansson's allocator, once in a process, and clears the flag. */
void kg_json_memory_begin(void);

/* After it, once: whether memory was out meanwhile. What was parsed is not to be trusted then. */
bool kg_json_memory_failed(void);
