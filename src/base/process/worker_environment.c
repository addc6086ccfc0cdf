#include "base/process/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process/guard.h"

/* Adds "NAME=value". */
static void variable_add(struct kg_worker_environment *environment, const char *name,
                         const char *value)
{
    char *text;
    if (asprintf(&text, "%s=%s", name, value) < 0)
        kg_memory_out();
    environment->text[environment->added++] = text;
}

static bool users_has(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* Adds a variable unless the user has set it: the user's value stays. */
static void variable_offer(struct kg_worker_environment *environment, const char *name,
                           const char *value)
{
    if (!users_has(name))
        variable_add(environment, name, value);
}

/* Adds a library to the user's preloads. If its path has a blank or a colon, kgate leaves it out:
 * the loader would take these for the end of a path. */
static void preload_add(struct kg_worker_environment *environment, const char *library)
{
    static const char NAME[] = "LD_PRELOAD";
    char *both;
    if (strpbrk(library, " :"))
        return;
    if (!users_has(NAME)) {
        variable_add(environment, NAME, library);
        return;
    }
    if (asprintf(&both, "%s:%s", getenv(NAME), library) < 0)
        kg_memory_out();
    variable_add(environment, NAME, both);
    free(both);
}

/* Adds the variables of a worker. If two processes alternate, waiting threads must sleep. Spinning
 * threads would take the cores from the other process and make it a hundred times slower. If kgate
 * counts instructions, spinning threads would add to the count.
 *
 * kgate cannot place a command's threads on CPUs of their own. Threads of libgomp spin 300,000
 * times before they sleep, longer than the scheduler's tick. If two threads share a CPU, each
 * parallel region costs that much. With this limit they spin for a tenth of a millisecond, then
 * make room. */
static void variables_add(struct kg_worker_environment *environment, const struct kg_launch *launch)
{
    static const char *const counts[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                         "MKL_NUM_THREADS"};
    char threads[32], mark[KG_GUARD_MARK_BYTES];
    kg_guard_mark(mark);
    variable_add(environment, KG_GUARD_VARIABLE, mark);
    snprintf(threads, sizeof threads, "%" PRIu64, launch->threads);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (launch->threads_set)
            variable_add(environment, counts[i], threads);
        else
            variable_offer(environment, counts[i], threads);
    variable_offer(environment, "OMP_DYNAMIC", "false");
    if (launch->waits_asleep)
        variable_offer(environment, "OMP_WAIT_POLICY", "passive");
    else if (launch->spins_briefly && !users_has("OMP_WAIT_POLICY"))
        variable_offer(environment, "GOMP_SPINCOUNT", "3000");
    if (launch->huge_pages)
        variable_offer(environment, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    if (launch->keeps_memory)
        variable_offer(environment, "GLIBC_TUNABLES",
                       "glibc.malloc.mmap_threshold=33554432:"
                       "glibc.malloc.trim_threshold=17179869184");
    if (launch->gpu)
        variable_add(environment, "CUDA_VISIBLE_DEVICES", launch->gpu);
    if (launch->preload)
        preload_add(environment, launch->preload);
}

static bool replaced(const struct kg_worker_environment *environment, const char *variable)
{
    for (size_t j = 0; j < environment->added; j++) {
        const size_t length = strcspn(environment->text[j], "=") + 1;
        if (!strncmp(variable, environment->text[j], length))
            return true;
    }
    return false;
}

char **kg_worker_environment_make(struct kg_worker_environment *environment,
                                  const struct kg_launch *launch)
{
    size_t count = 0, used = 0;
    *environment = (struct kg_worker_environment){0};
    variables_add(environment, launch);
    while (environ[count])
        count++;
    char **all = kg_alloc(count + KG_WORKER_VARIABLES_MOST + 1, sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (!replaced(environment, environ[i]))
            all[used++] = environ[i];
    for (size_t j = 0; j < environment->added; j++)
        all[used++] = environment->text[j];
    environment->all = all;
    return all;
}

void kg_worker_environment_free(struct kg_worker_environment *environment)
{
    for (size_t i = 0; i < environment->added; i++)
        free(environment->text[i]);
    free(environment->all);
    *environment = (struct kg_worker_environment){0};
}
