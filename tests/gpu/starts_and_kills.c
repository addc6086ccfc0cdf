/* Kills fifty processes with a live context, memory and a running kernel. The device's free memory
 * must return; other processes measure it.
 *
 *   gpu_starts_and_kills          the whole test;
 *   gpu_starts_and_kills hold     holds memory and a kernel, prints this and waits to be killed;
 *   gpu_starts_and_kills probe    prints the device's free memory */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "open.h"

enum { KILLS = 50, SECONDS_MOST = 60, HELD_BYTES = 256 << 20, SLACK_BYTES = 64 << 20 };

static int hold(void)
{
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    uint64_t address = 0;
    int status;
    if (!timer_open(&timer, &status))
        return status;
    if (timer.driver.memory_allocate(&address, HELD_BYTES) != KG_DRIVER_SUCCESS ||
        !kg_gpu_busy(&timer, 1e9, &err))
        return EXIT_FAILURE;
    puts("held");
    fflush(stdout);
    for (;;)
        pause();
}

static int probe(void)
{
    struct kg_gpu_timer timer;
    size_t free_bytes = 0, total = 0;
    int status;
    if (!timer_open(&timer, &status))
        return status;
    timer.driver.memory_info(&free_bytes, &total);
    printf("%zu\n", free_bytes);
    kg_gpu_timer_close(&timer);
    return EXIT_SUCCESS;
}

/* Starts this program as `role`, and reads its first line; the line is empty if there is none. */
static pid_t started(const char *self, const char *role, char *line, size_t bytes)
{
    int ends[2];
    line[0] = '\0';
    if (pipe(ends) != 0)
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(self, self, role, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    if (!from || !fgets(line, (int)bytes, from))
        line[0] = '\0';
    if (from)
        fclose(from);
    return pid;
}

/* The device's free memory in bytes, read by a process of its own; 0 if unknown. */
static size_t free_bytes_probed(const char *self)
{
    char line[256];
    const pid_t pid = started(self, "probe", line, sizeof line);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return (size_t)strtoull(line, NULL, 10);
}

static bool started_and_killed(const char *self)
{
    char line[256];
    const pid_t pid = started(self, "hold", line, sizeof line);
    if (pid <= 0)
        return false;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return strcmp(line, "held\n") == 0;
}

int main(int count, char **arguments)
{
    struct kg_gpu_timer timer;
    const struct timespec pause = {.tv_nsec = 200000000};
    int status, killed = 0, good = 0;
    if (count > 1)
        return strcmp(arguments[1], "hold") == 0 ? hold() : probe();
    /* If the probe finds no device, this process opens it itself, to get the exit status. */
    const size_t before = free_bytes_probed("/proc/self/exe");
    if (before == 0) {
        if (timer_open(&timer, &status))
            kg_gpu_timer_close(&timer);
        return status;
    }
    /* If a start takes seconds, fewer kills are enough. */
    const time_t end = time(NULL) + SECONDS_MOST;
    for (; killed < KILLS && time(NULL) < end; killed++) {
        good += started_and_killed("/proc/self/exe");
        if (killed % 10 == 9) {
            nanosleep(&pause, NULL);
            printf("      after %d kills: %zu MiB free\n", killed + 1,
                   free_bytes_probed("/proc/self/exe") >> 20);
        }
    }
    const size_t after = free_bytes_probed("/proc/self/exe");
    expect(good == killed && killed > 0, "starts: expected %d, found %d", killed, good);
    expect(after + SLACK_BYTES >= before, "free memory: expected %zu MiB, found %zu MiB",
           before >> 20, after >> 20);
    return expect_end();
}
