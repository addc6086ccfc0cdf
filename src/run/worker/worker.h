/* worker.h: the process that runs a workload. Everything that user code can break happens here.
 *
 * The parent also includes protocol.h, what it and the worker say to each other, and
 * cupti_counters.h, the names of the device's counters. */
#pragma once

/* Reads a request from standard input, does it, writes the response to KG_WORKER_RESPONSE.
 * returns the process's exit status: 0 where a response was written, whatever it says; 2 where the
 *         request cannot be read. A failing command ends the process by itself. */
int kg_worker_main(void);

/* The same for one request after the other, as protocol.h says, until the last or one that
 * failed. */
int kg_worker_group_main(void);

/* Says on KG_WORKER_RESPONSE which workloads the plugin has, a line each, or on standard error why
 * that cannot be said. Returns the exit status. */
int kg_worker_list_main(const char *plugin);
