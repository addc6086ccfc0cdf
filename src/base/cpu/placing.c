#include "base/cpu/placing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char TASKS[] = "/proc/self/task";
static const double WORKED_SHARE = 0.05;

void kg_placing_begin(struct kg_placing *placing)
{
    *placing = (struct kg_placing){0};
    if (sched_getaffinity(0, sizeof placing->allowed, &placing->allowed) == 0)
        placing->cpus = (size_t)CPU_COUNT(&placing->allowed);
}

/* The folder of a process's threads has one link per thread, besides two of its own. */
size_t kg_placing_threads(void)
{
    struct stat facts;
    return stat(TASKS, &facts) == 0 && facts.st_nlink > 2 ? (size_t)facts.st_nlink - 2 : 1;
}

/* The clock of a thread's CPU time, made from the thread's number as in pthread_getcpuclockid. */
static double cpu_time_ns(pid_t id)
{
    const clockid_t clock = (clockid_t)(~(unsigned)id << 3 | 6U);
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? (double)time.tv_sec * 1e9 + (double)time.tv_nsec : 0;
}

/* The CPU that a thread last ran on, the 39th field of its `stat`; -1 if the thread has gone. */
static int cpu_of(pid_t id)
{
    enum { FIELDS_BETWEEN = 37 }; /* from the end of the thread's name, which may hold anything */
    char path[64], text[1024];
    snprintf(path, sizeof path, "%s/%ld/stat", TASKS, (long)id);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *field = strrchr(text, ')');
    for (int i = 0; field && i < FIELDS_BETWEEN; i++)
        field = strchr(field + 1, ' ');
    return field ? atoi(field) : -1;
}

static void list(struct kg_placing *placing)
{
    DIR *tasks = opendir(TASKS);
    const struct dirent *entry;
    placing->count = 0;
    while (tasks && placing->count < KG_PLACED_MOST && (entry = readdir(tasks)))
        if (entry->d_name[0] != '.')
            placing->threads[placing->count++] = (struct kg_placed){.id = atoi(entry->d_name)};
    if (tasks)
        closedir(tasks);
}

void kg_placing_mark(struct kg_placing *placing)
{
    list(placing);
    for (size_t i = 0; i < placing->count; i++)
        placing->threads[i].before_ns = cpu_time_ns(placing->threads[i].id);
}

static int busier_first(const void *a, const void *b)
{
    const struct kg_placed *one = a, *other = b;
    return (one->ran_ns < other->ran_ns) - (one->ran_ns > other->ran_ns);
}

/* CPU time of a thread at the mark; 0 if the thread began later. */
static double before_of(const struct kg_placed *marked, size_t count, pid_t id)
{
    for (size_t i = 0; i < count; i++)
        if (marked[i].id == id)
            return marked[i].before_ns;
    return 0;
}

static void ran_since(struct kg_placing *placing)
{
    struct kg_placed marked[KG_PLACED_MOST];
    const size_t count = placing->count;
    memcpy(marked, placing->threads, count * sizeof *marked);
    list(placing);
    for (size_t i = 0; i < placing->count; i++) {
        struct kg_placed *thread = &placing->threads[i];
        thread->ran_ns = cpu_time_ns(thread->id) - before_of(marked, count, thread->id);
    }
}

size_t kg_placing_see(struct kg_placing *placing)
{
    size_t busy = 0;
    ran_since(placing);
    qsort(placing->threads, placing->count, sizeof *placing->threads, busier_first);
    while (busy < placing->count && placing->threads[busy].ran_ns > 0 &&
           placing->threads[busy].ran_ns >= WORKED_SHARE * placing->threads[0].ran_ns)
        busy++;
    placing->count = busy;
    for (size_t i = 0; i < busy; i++)
        placing->threads[i].cpu = cpu_of(placing->threads[i].id);
    return busy;
}

/* The number of busy threads that one CPU must take. */
static size_t share(const struct kg_placing *placing)
{
    return placing->cpus ? (placing->count + placing->cpus - 1) / placing->cpus : placing->count;
}

bool kg_placing_crowded(const struct kg_placing *placing)
{
    for (size_t i = 0; i < placing->count; i++) {
        size_t here = 0;
        for (size_t j = 0; j < placing->count; j++)
            here +=
                placing->threads[j].cpu >= 0 && placing->threads[j].cpu == placing->threads[i].cpu;
        if (here > share(placing))
            return true;
    }
    return false;
}

/* The allowed CPU with the fewest placed threads; `taken` counts them by CPU. */
static int cpu_free(const struct kg_placing *placing, const unsigned char *taken)
{
    int found = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, &placing->allowed) && (found < 0 || taken[cpu] < taken[found]))
            found = cpu;
    return found;
}

static void bind_to(struct kg_placed *thread, int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    thread->cpu = cpu;
    thread->bound = sched_setaffinity(thread->id, sizeof one, &one) == 0;
}

/* Whether a thread may be moved; if not, it occupies its present CPU. */
static bool may_move(const struct kg_placing *placing, struct kg_placed *thread)
{
    return sched_getaffinity(thread->id, sizeof thread->mask, &thread->mask) == 0 &&
           CPU_EQUAL(&thread->mask, &placing->allowed);
}

static bool has_cpu(const struct kg_placed *thread)
{
    return thread->cpu >= 0 && thread->cpu < CPU_SETSIZE;
}

void kg_placing_bind(struct kg_placing *placing)
{
    unsigned char taken[CPU_SETSIZE] = {0};
    bool moves[KG_PLACED_MOST] = {false}, stays[KG_PLACED_MOST] = {false};
    for (size_t i = 0; i < placing->count; i++) {
        moves[i] = may_move(placing, &placing->threads[i]);
        if (!moves[i] && has_cpu(&placing->threads[i]))
            taken[placing->threads[i].cpu]++;
    }
    for (size_t i = 0; i < placing->count; i++) {
        const struct kg_placed *thread = &placing->threads[i];
        stays[i] = moves[i] && has_cpu(thread) && taken[thread->cpu] < share(placing);
        if (stays[i])
            taken[thread->cpu]++;
    }
    for (size_t i = 0; i < placing->count; i++) {
        struct kg_placed *thread = &placing->threads[i];
        const int cpu = stays[i] ? thread->cpu : cpu_free(placing, taken);
        if (!moves[i] || cpu < 0)
            continue;
        taken[cpu] = (unsigned char)(taken[cpu] + !stays[i]);
        bind_to(thread, cpu);
    }
}

void kg_placing_release(struct kg_placing *placing)
{
    for (size_t i = 0; i < placing->count; i++)
        if (placing->threads[i].bound)
            placing->threads[i].bound =
                sched_setaffinity(placing->threads[i].id, sizeof placing->threads[i].mask,
                                  &placing->threads[i].mask) != 0;
}
