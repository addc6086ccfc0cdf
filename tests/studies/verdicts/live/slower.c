/* slower.c: the true slowdown of the slower builds, without kgate. A plain loop alternates calls of
 * each workload of two builds, in processes one after the other.
 *     slower BASE SLOWER [SECONDS]      two folders that live.cmake fills; seconds per workload
 * Prints the median and the middle half of the processes' ratios. A process's ratio is the median
 * ratio of neighbouring calls. */
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kgate/plugin.h"

enum { SIDES = 2, PROCESSES = 12, PAIRS_MOST = 100000, LIMIT = 4096 };
static const char *const plugins[] = {"own.so", "openmp.so", "json.so", "deflate.so"};
static const char *const programs[] = {"sql", "yaml"};

/* One side of a comparison: a workload that is set up, or a program. */
struct side {
    const struct kgate_workload *workload;
    struct kgate_context context;
    void *state;
    char program[LIMIT];
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void call(struct side *side, unsigned calls)
{
    char *const arguments[] = {side->program, NULL};
    pid_t process;
    for (unsigned i = 0; i < calls; i++)
        if (side->workload)
            side->workload->run(side->state);
        else if (posix_spawn(&process, side->program, NULL, NULL, arguments, environ) == 0)
            waitpid(process, NULL, 0);
}

static double seconds_of(struct side *side, unsigned calls)
{
    const double start = now();
    call(side, calls);
    return now() - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Result of one process. */
struct finding {
    double ratio;
    double seconds; /* time per call of the baseline, s */
};

/* Rounds of at least a millisecond, so that the clock costs nothing. Each side comes first in half
 * of the rounds. */
static struct finding sides_compare(struct side sides[SIDES], double seconds)
{
    static double ratios[PAIRS_MOST];
    struct finding finding;
    unsigned calls = 1;
    size_t count = 0;
    while (seconds_of(&sides[0], calls) < 1e-3)
        calls *= 2;
    call(&sides[1], calls);
    const double start = now();
    while (count == 0 || (now() - start < seconds && count < PAIRS_MOST)) {
        double each[SIDES];
        for (size_t k = 0; k < SIDES; k++) {
            const size_t side = (k + count) % SIDES;
            each[side] = seconds_of(&sides[side], calls);
        }
        ratios[count++] = each[1] / each[0];
        finding.seconds = each[0] / calls;
    }
    qsort(ratios, count, sizeof *ratios, compare);
    finding.ratio = ratios[count / 2];
    return finding;
}

/* Sets up both sides, in one order in even and in the other in odd processes: the order decides
 * their memory. */
static bool sides_set_up(struct side sides[SIDES], size_t process)
{
    for (size_t k = 0; k < SIDES; k++) {
        struct side *side = &sides[(k + process) % SIDES];
        side->context = (struct kgate_context){.threads = 2, .seed = 1};
        if (side->workload && !side->workload->set_up(&side->context, &side->state))
            return false;
    }
    return true;
}

/* Compares in a new process. */
static bool finding_make(struct side sides[SIDES], size_t process, double seconds,
                         struct finding *finding)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        if (!sides_set_up(sides, process))
            _exit(1);
        const struct finding found = sides_compare(sides, seconds);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    const bool good = read(ends[0], finding, sizeof *finding) == sizeof *finding;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return good;
}

static void row_print(const char *name, struct side sides[SIDES], double seconds)
{
    double ratios[PROCESSES], times[PROCESSES];
    for (size_t i = 0; i < PROCESSES; i++) {
        struct finding finding;
        if (!finding_make(sides, i, seconds / PROCESSES, &finding)) {
            fprintf(stderr, "slower: %s does not run\n", name);
            return;
        }
        ratios[i] = finding.ratio;
        times[i] = finding.seconds;
    }
    qsort(ratios, PROCESSES, sizeof *ratios, compare);
    qsort(times, PROCESSES, sizeof *times, compare);
    printf("%-8s %+6.1f %%   middle half %+6.1f to %+6.1f %%   %10.3f us a call\n", name,
           100 * ((ratios[PROCESSES / 2 - 1] + ratios[PROCESSES / 2]) / 2 - 1),
           100 * (ratios[PROCESSES / 4] - 1), 100 * (ratios[PROCESSES * 3 / 4] - 1),
           1e6 * times[PROCESSES / 2]);
}

static void plugin_compare(const struct kgate_plugin *const found[SIDES], double seconds)
{
    static struct side sides[SIDES];
    for (size_t i = 0; i < found[0]->workload_count; i++) {
        for (size_t k = 0; k < SIDES; k++)
            sides[k].workload = found[k]->workloads[i];
        row_print(found[0]->workloads[i]->name, sides, seconds);
    }
}

static const struct kgate_plugin *plugin_load(const char *folder, const char *name)
{
    char path[LIMIT];
    kgate_plugin_workloads_function workloads;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "kgate_plugin_workloads") : NULL;
    if (!symbol)
        return NULL;
    memcpy(&workloads, &symbol, sizeof workloads);
    return workloads();
}

int main(int argc, char **argv)
{
    static struct side sides[SIDES];
    if (argc < 3) {
        fprintf(stderr, "usage: slower BASE SLOWER [SECONDS]\n");
        return 2;
    }
    const double seconds = argc > 3 ? strtod(argv[3], NULL) : 1;
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        const struct kgate_plugin *const found[SIDES] = {plugin_load(argv[1], plugins[i]),
                                                         plugin_load(argv[2], plugins[i])};
        if (found[0] && found[1])
            plugin_compare(found, seconds);
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        for (size_t k = 0; k < SIDES; k++)
            snprintf(sides[k].program, LIMIT, "%s/%s", argv[k + 1], programs[i]);
        if (access(sides[0].program, X_OK) == 0)
            row_print(programs[i], sides, seconds);
    }
    return 0;
}
