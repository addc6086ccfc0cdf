#include "base/process/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

enum { WORKERS_MOST = 9 }; /* the guard included */
static const uint64_t PATIENCE_NS = 2000000000;

/* Global, since children belong to the process. */
static pid_t workers[WORKERS_MOST];
static bool adopts;

enum { KEPT_MOST = 64 };
static pid_t kept[KEPT_MOST];
static size_t kept_count;

static bool is_worker(pid_t process)
{
    for (int i = 0; i < WORKERS_MOST; i++)
        if (workers[i] == process)
            return true;
    return false;
}

static bool is_kept(pid_t process)
{
    for (size_t i = 0; i < kept_count; i++)
        if (kept[i] == process)
            return true;
    return false;
}

/* Calls `found` with each child of this process except live workers and kept children; returns
 * their number. The kernel lists children by thread (proc(5), CONFIG_PROC_CHILDREN). */
static size_t strangers_each(void (*found)(pid_t child))
{
    char path[64];
    size_t count = 0;
    const struct dirent *entry;
    DIR *threads = opendir("/proc/self/task");
    while (threads && (entry = readdir(threads))) {
        int child;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/children", entry->d_name);
        FILE *children = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        while (children && fscanf(children, "%d", &child) == 1)
            if (!is_worker(child) && !is_kept(child)) {
                count++;
                if (found)
                    found(child);
            }
        if (children)
            fclose(children);
    }
    if (threads)
        closedir(threads);
    return count;
}

void kg_descendants_adopt(void)
{
    if (!adopts && !strangers_each(NULL))
        adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void kg_descendants_expect(pid_t worker)
{
    for (int i = 0; i < WORKERS_MOST; i++)
        if (!workers[i]) {
            workers[i] = worker;
            return;
        }
    /* More workers than entries: kgate could mistake a live worker for a stranger, so it ends
     * nothing. */
    adopts = false;
}

void kg_descendants_forget(pid_t worker)
{
    for (int i = 0; i < WORKERS_MOST; i++)
        if (workers[i] == worker)
            workers[i] = 0;
}

/* Ends a child. Its own children then become children of this process; the next pass finds them. */
static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, WNOHANG);
}

static void keep(pid_t child)
{
    if (kept_count < KEPT_MOST)
        kept[kept_count++] = child;
}

void kg_descendants_keep(void)
{
    if (adopts)
        strangers_each(keep);
}

void kg_descendants_end_new(void)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000};
    const uint64_t deadline_ns = kg_clock_ns() + PATIENCE_NS;
    while (adopts && strangers_each(end) && kg_clock_ns() < deadline_ns)
        nanosleep(&pause, NULL);
}

void kg_descendants_end(void)
{
    kept_count = 0;
    kg_descendants_end_new();
}
