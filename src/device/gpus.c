#include "device/gpus.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/gpus_ask.h"
#include "util/text.h"
#include "util/units.h"

/* How long a process is waited for that was killed: one that hangs in the kernel is left to it. */
enum { KILLED_MS = 1000 };

/* The answer as it arrives: the facts, then the problem. */
struct answer {
    struct kg_gpus gpus;
    char problem[sizeof((struct kg_gpus *)NULL)->problem];
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the end, the deadline or everything; the number of bytes. */
static size_t answer_read(int pipe, int64_t deadline_ms, struct answer *answer)
{
    size_t length = 0;
    while (length < sizeof *answer) {
        const int64_t left = deadline_ms - now_ms();
        struct pollfd watched = {.fd = pipe, .events = POLLIN};
        if (left <= 0)
            break;
        const int ready = poll(&watched, 1, (int)left);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        const ssize_t count = read(pipe, (char *)answer + length, sizeof *answer - length);
        if (count == 0 || (count < 0 && errno != EINTR))
            break;
        length += count > 0 ? (size_t)count : 0;
    }
    return length;
}

/* Whether the process ended by the deadline; its status. */
static bool child_gone(pid_t child, int64_t deadline_ms, int *status)
{
    const struct timespec nap = {.tv_nsec = 200000};
    for (;;) {
        const pid_t gone = waitpid(child, status, WNOHANG);
        if (gone == child || (gone < 0 && errno != EINTR))
            return true;
        if (now_ms() >= deadline_ms)
            return false;
        nanosleep(&nap, NULL);
    }
}

/* What became of a process that did not answer in full. */
static void ending_words(bool late, int status, int timeout_ms, char *text, size_t bytes)
{
    if (late)
        snprintf(text, bytes, "the NVIDIA driver did not answer in %g s", timeout_ms / 1000.0);
    else if (WIFSIGNALED(status))
        snprintf(text, bytes, "the NVIDIA driver crashed: signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, bytes, "the NVIDIA driver ended the process that asked it, with status %d",
                 WEXITSTATUS(status));
}

/* What a driver writes beside the answer must not be able to end a string past its array. */
static void strings_end(struct answer *answer)
{
    struct kg_gpus *gpus = &answer->gpus;
    gpus->nvidia_driver[sizeof gpus->nvidia_driver - 1] = '\0';
    gpus->why[sizeof gpus->why - 1] = '\0';
    answer->problem[sizeof answer->problem - 1] = '\0';
    if (gpus->count > KG_GPUS_MOST)
        gpus->count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        gpus->devices[i].name[sizeof gpus->devices[i].name - 1] = '\0';
        gpus->devices[i].uuid[sizeof gpus->devices[i].uuid - 1] = '\0';
        gpus->devices[i].pci_bus_id[sizeof gpus->devices[i].pci_bus_id - 1] = '\0';
    }
}

/* Waits for the answer and the end of the process, by force if need be. */
static void answer_await(pid_t child, int pipe, int timeout_ms, struct answer *answer)
{
    int status = 0;
    char words[256];
    const int64_t deadline_ms = now_ms() + timeout_ms;
    const size_t length = answer_read(pipe, deadline_ms, answer);
    /* also after a full answer: a device that one process may have for itself is free again only
     * when the process is gone */
    const bool late = !child_gone(child, deadline_ms, &status);
    if (late) {
        kill(child, SIGKILL);
        child_gone(child, now_ms() + KILLED_MS, &status);
    }
    ending_words(late, status, timeout_ms, words, sizeof words);
    if (length < sizeof answer->gpus) {
        answer->gpus = (struct kg_gpus){0};
        snprintf(answer->gpus.why, sizeof answer->gpus.why, "%s", words);
    }
    if (length < sizeof *answer)
        snprintf(answer->problem, sizeof answer->problem, "%s", words);
    strings_end(answer);
}

static void ask(const struct kg_gpus_query *query, struct answer *answer)
{
    int ends[2];
    pid_t child = -1;
    *answer = (struct answer){0};
    if (pipe2(ends, O_CLOEXEC) == 0) {
        child = fork();
        if (child == 0)
            kg_gpus_ask(query, ends[1]);
        const int code = errno;
        close(ends[1]);
        if (child > 0)
            answer_await(child, ends[0], query->timeout_ms, answer);
        close(ends[0]);
        errno = code;
    }
    if (child < 0)
        snprintf(answer->gpus.why, sizeof answer->gpus.why,
                 "cannot start a process to ask the NVIDIA driver: %s", strerror(errno));
}

bool kg_gpus_read(const struct kg_gpus_query *query, struct kg_gpus *gpus, struct kg_error *err)
{
    *gpus = (struct kg_gpus){0};
    if (!kg_gpus_choose(gpus, query->device, &gpus->chosen, err)) /* no device's name at all */
        return false;
    struct answer *answer = malloc(sizeof *answer);
    if (!answer)
        return kg_error_memory(err);
    ask(query, answer);
    *gpus = answer->gpus;
    if (gpus->count)
        memcpy(gpus->problem, answer->problem, sizeof gpus->problem);
    free(answer);
    return kg_gpus_choose(gpus, query->device, &gpus->chosen, err);
}

static bool unknown(const struct kg_gpus *gpus, const char *device, const char *what,
                    struct kg_error *err)
{
    struct kg_text there = {0};
    for (size_t i = 0; i < gpus->count; i++)
        kg_text_printf(&there, "%s cuda:%zu is %s (%s)", i ? "," : "", i, gpus->devices[i].name,
                       gpus->devices[i].uuid);
    kg_error_set(err, KG_ERROR_USAGE, "--device is '%.80s', but %s;%s", device, what,
                 kg_text_string(&there));
    kg_text_free(&there);
    return false;
}

static bool choose_by_uuid(const struct kg_gpus *gpus, const char *device, const char *uuid,
                           size_t *chosen, struct kg_error *err)
{
    size_t matches = 0;
    for (size_t i = 0; i < gpus->count; i++)
        if (!strncasecmp(gpus->devices[i].uuid, uuid, strlen(uuid)) && !matches++)
            *chosen = i;
    if (matches == 1 || !gpus->count)
        return true;
    return unknown(gpus, device,
                   matches ? "several devices have a UUID that begins so"
                           : "no device has a UUID that begins so",
                   err);
}

bool kg_gpus_choose(const struct kg_gpus *gpus, const char *device, size_t *chosen,
                    struct kg_error *err)
{
    uint64_t number = 0;
    *chosen = 0;
    if (!device || !strcmp(device, "cuda"))
        return true;
    const char *which = !strncmp(device, "cuda:", 5) ? device + 5 : "";
    if (!strncasecmp(which, "GPU-", 4) || !strncasecmp(which, "MIG-", 4))
        return choose_by_uuid(gpus, device, which, chosen, err);
    if (!kg_count_parse(which, &number))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--device is '%.80s', but must be cuda, cuda:NUMBER or cuda:UUID, such "
                            "as cuda:1 or cuda:GPU-8f2c; `kgate doctor` lists the devices",
                            device);
    if (gpus->count && number >= gpus->count)
        return unknown(gpus, device, "there is no device of that number", err);
    *chosen = gpus->count ? (size_t)number : 0;
    return true;
}
