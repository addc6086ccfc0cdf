/* memory.h: the only reaction to a failed allocation. A program of kgate's prints a line on
 * standard error and ends. Its status is 3, or the status of a verdict that already stands.
 * Journals and atomic writes keep the measured rounds. The profiler library lives in other people's
 * programs: there an allocation returns NULL. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* From now on a failed allocation ends this process. To be called while no other thread allocates.
 * status  exit status of the process
 * line    printed on standard error, without a new line at its end; borrowed */
void kg_memory_end_process(int status, const char *line);

/* Sets the function that runs before a failed allocation ends this process. It must not allocate.
 * deed  replaces an earlier function; NULL: none
 * returns  whether a failed allocation ends this process */
bool kg_memory_before_end(void (*deed)(void));

/* Reports that memory is out.
 * returns  NULL, if nobody has called kg_memory_end_process; otherwise it does not return */
void *kg_memory_out(void);

/* As calloc, realloc and strdup. Memory for 0 bytes is no failure. */
void *kg_alloc(size_t count, size_t size);
void *kg_realloc(void *memory, size_t bytes);
char *kg_strdup(const char *string);
