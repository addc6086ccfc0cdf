/* main.c: kgate-worker, the process that runs plugins and commands on the CPU. It is a program of its
 * own and not kgate, so that beside the code that is measured there is no thread and no library of
 * kgate's: OpenBLAS and OpenMP start threads that spin, and a second thread makes malloc lock.
 *
 * It is built from the worker's sources, with what this folder has in the place of kernels, GPU and
 * ceilings. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kgate/profiler.h"
#include "run/worker/protocol.h"
#include "run/worker/worker.h"

/* What is switched on for the user's own programs must not slow down what is timed. */
bool kgate_profiler_ignores_environment = true;

int main(int argc, char **argv)
{
    (void)signal(SIGCHLD, SIG_DFL); /* a command is waited for */
    if (argc == 1)
        return kg_worker_main();
    if (argc == 2 && !strcmp(argv[1], "--protocol")) {
        puts(KG_REQUEST_SCHEMA);
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "--list"))
        return kg_worker_list_main(argv[2]);
    fputs("kgate-worker: kgate starts this program by itself; see kgate --help\n", stderr);
    return 2;
}
