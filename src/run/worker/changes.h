/* changes.h: what an experiment changes in the process that runs a workload. */
#pragma once

/* Denormal numbers are 0, as operands and as results, in this thread and those that it starts from
 * here on. x86-64 alone; nothing elsewhere. */
void kg_denormals_flush(void);

/* Asks for huge pages for all memory that this process has allocated, and has the kernel put
 * together those that can be. */
void kg_huge_pages_ask(void);
