/* memory.h: the one answer to a failed allocation. A program of kgate's ends: a line on standard error and
 * status 3, or the status of a verdict that stands. Journals and atomic writes keep the rounds that were measured. In the profiler library,
 * which lives in other people's programs, an allocation returns NULL. */
#pragma once
#include <stddef.h>

/* From now on a failed allocation ends this process. To be called while no other thread allocates.
 * status  exit status of the process
 * line    printed on standard error, without a new line at its end; borrowed */
void kg_memory_end_process(int status, const char *line);

/* Says that memory is out.
 * returns  NULL, if nobody has called kg_memory_end_process; else it does not return */
void *kg_memory_out(void);

/* As calloc, realloc and strdup. Memory for 0 bytes is no failure. */
void *kg_alloc(size_t count, size_t size);
void *kg_realloc(void *memory, size_t bytes);
char *kg_strdup(const char *string);
