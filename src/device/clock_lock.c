#include "device/clock_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/nvml.h"

enum { ANSWER_BYTES = 200, ANSWER_MS = 20000 };

/* What the holder answers: "" if the clocks are locked, else the reason. */
struct answer {
    char why[ANSWER_BYTES];
};

/* The signals that end kgate must not end the holder before it has reset the clocks. */
static void signals_ignore(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    setsid();
}

/* Keeps no file of kgate's open: a pipe that somebody reads would otherwise end later. */
static void files_close(int from_kgate, int to_kgate)
{
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    const long most = sysconf(_SC_OPEN_MAX);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        dup2(nowhere, i);
    for (int i = 3; i < (most > 0 && most < 1024 ? (int)most : 1024); i++)
        if (i != from_kgate && i != to_kgate)
            close(i);
}

/* Waits until kgate has closed its end. */
static void end_await(int from_kgate)
{
    char byte;
    ssize_t count;
    do
        count = read(from_kgate, &byte, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
}

_Noreturn static void hold(const char *library, const char *uuid, int from_kgate, int to_kgate)
{
    struct answer answer = {0};
    struct kg_nvml nvml;
    size_t index = 0;
    signals_ignore();
    files_close(from_kgate, to_kgate);
    const bool found = kg_nvml_open(library, &nvml, answer.why, sizeof answer.why) == KG_NVML_GOOD;
    if (found && !kg_nvml_find(&nvml, uuid, &index))
        snprintf(answer.why, sizeof answer.why, "NVML does not know the device");
    const bool locked =
        found && !*answer.why && kg_nvml_clocks_lock(&nvml, index, answer.why, sizeof answer.why);
    const bool told = write(to_kgate, &answer, sizeof answer) == (ssize_t)sizeof answer;
    close(to_kgate);
    if (locked && told)
        end_await(from_kgate);
    if (locked)
        kg_nvml_clocks_reset(&nvml, index);
    _exit(EXIT_SUCCESS);
}

/* Whether the holder answered in time; a holder that died closed its end. */
static bool answer_read(int pipe, struct answer *answer)
{
    struct pollfd watched = {.fd = pipe, .events = POLLIN};
    int ready;
    do
        ready = poll(&watched, 1, ANSWER_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 && read(pipe, answer, sizeof *answer) == (ssize_t)sizeof *answer;
}

/* Starts the holder; its pipes: holder_ends[0] and kgate_ends[1] are its own. */
static bool holder_start(const char *library, const char *uuid, const int holder_ends[2],
                         const int kgate_ends[2], struct kg_clock_lock *lock)
{
    lock->pid = fork();
    if (lock->pid == 0) {
        close(holder_ends[1]);
        hold(library, uuid, holder_ends[0], kgate_ends[1]);
    }
    close(holder_ends[0]);
    close(kgate_ends[1]);
    lock->pipe = holder_ends[1];
    return lock->pid > 0;
}

bool kg_clocks_lock(const char *library, const char *uuid, struct kg_clock_lock *lock,
                    struct kg_error *err)
{
    int holder_ends[2], kgate_ends[2];
    struct answer answer = {.why = "the NVIDIA driver did not answer"};
    *lock = (struct kg_clock_lock){.pipe = -1};
    if (pipe2(holder_ends, O_CLOEXEC) != 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(kgate_ends, O_CLOEXEC) != 0) {
        close(holder_ends[0]);
        close(holder_ends[1]);
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    }
    const bool answered = holder_start(library, uuid, holder_ends, kgate_ends, lock) &&
                          answer_read(kgate_ends[0], &answer);
    close(kgate_ends[0]);
    if (answered && !*answer.why)
        return true;
    kg_clocks_unlock(lock);
    return kg_error_set(err, KG_ERROR_SYSTEM, "cannot lock the clocks of the GPU: %s", answer.why);
}

void kg_clocks_unlock(struct kg_clock_lock *lock)
{
    if (lock->pipe >= 0)
        close(lock->pipe);
    while (lock->pid > 0 && waitpid((pid_t)lock->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *lock = (struct kg_clock_lock){.pipe = -1};
}
