/* beside.c: runs a program beside the bursty neighbour, which ends with it.
 *     beside SEED PROGRAM [ARGUMENT...]
 * Exits as the program does. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../neighbour.h"

int main(int argc, char **argv)
{
    struct neighbour neighbour;
    pid_t program;
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: beside SEED PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (!neighbour_start(&neighbour, (unsigned)strtoul(argv[1], NULL, 10))) {
        fprintf(stderr, "beside: cannot start the neighbour\n");
        return 2;
    }
    const int failed = posix_spawnp(&program, argv[2], NULL, NULL, argv + 2, environ);
    if (!failed)
        waitpid(program, &status, 0);
    neighbour_stop(&neighbour);
    return failed ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
