/* worker_environment.h: the variables that a worker is started with: how many threads, how these
 * wait, which GPU, what is preloaded. What the user has set holds, but for what the suite says. */
#pragma once
#include "base/process/process.h"

enum { KG_WORKER_VARIABLES_MOST = 10 };

struct kg_worker_environment {
    char **all; /* for execve, NULL-terminated */
    /* its own: the variables that are added, as text of malloc's */
    char *text[KG_WORKER_VARIABLES_MOST];
    size_t added;
    bool failed; /* memory is out */
};

/* The caller's environment with those put in, whose strings are borrowed. To be freed also on
 * failure.
 * returns  `all`; NULL where memory is out */
char **kg_worker_environment_make(struct kg_worker_environment *environment,
                                  const struct kg_launch *launch);
void kg_worker_environment_free(struct kg_worker_environment *environment);
