#include "suite/trust/git_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 28, ENVIRONMENT_MORE = 8 };

/* The first words of every call. A change can commit a folder that looks like a bare repository. git must not accept
 * such a folder, nor start a program that its configuration names. */
static const char *const settings[] = {"git",
                                       "-c",
                                       "safe.bareRepository=explicit",
                                       "-c",
                                       "core.fsmonitor=false",
                                       "-c",
                                       "core.hooksPath=/dev/null",
                                       "-c",
                                       "core.quotePath=false"};

/* Whether a variable can lead git to another repository or make it write elsewhere. Git hooks set such variables.
 * GIT_CONFIG_… stays, because pipelines use it to name safe folders. */
static bool is_left_out(const char *variable)
{
    return !strncmp(variable, "GIT_", 4) && strncmp(variable, "GIT_CONFIG", 10) != 0 &&
           strncmp(variable, "GIT_SSH", 7) != 0 && strncmp(variable, "GIT_ASKPASS", 11) != 0;
}

/* The environment for git.
 * is_offline  git fetches no object that a partial clone lacks */
static char **environment_make(struct kg_arena *arena, bool is_offline)
{
    static const char *const own[] = {"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
                                      "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
                                      "LC_ALL=C"};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **made = kg_arena_alloc(arena, count + ENVIRONMENT_MORE, sizeof *made);
    for (size_t i = 0; i < count; i++)
        if (!is_left_out(environ[i]) && strncmp(environ[i], "LC_ALL=", 7) != 0)
            made[kept++] = environ[i];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        made[kept++] = (char *)own[i];
    if (is_offline)
        made[kept++] = (char *)"GIT_ALLOW_PROTOCOL=none";
    return made;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits until the pipe is readable. Returns false if the time `until` of seconds_now comes first. */
static bool pipe_wait(int from, double until)
{
    struct pollfd pipe = {.fd = from, .events = POLLIN};
    while (isfinite(until)) {
        const double left = until - seconds_now();
        if (left <= 0)
            return false;
        if (poll(&pipe, 1, 1 + (int)(1e3 * left)) > 0)
            break;
    }
    return true;
}

/* Reads the pipe to its end. Returns false after more than `most` bytes, or at the time `until`. */
static bool pipe_read(int from, size_t most, double until, struct kg_text *text)
{
    char bytes[65536];
    ssize_t length = 1;
    while (length != 0) {
        if (!pipe_wait(from, until))
            return false;
        length = read(from, bytes, sizeof bytes);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0 || text->length + (size_t)length > most)
            return false;
        kg_text_append_bytes(text, bytes, (size_t)length);
    }
    return true;
}

static pid_t start(char *const *arguments, char *const *environment, int output, int errors)
{
    pid_t child = -1;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    const bool good =
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, output, 1) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, errors, 2) == 0;
    errno = good ? posix_spawnp(&child, "git", &actions, NULL, arguments, environment) : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    return errno ? -1 : child;
}

static int status_wait(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads git's standard error as one line. One blank replaces each run of line ends, tabs and blanks. */
static void answer_take(FILE *errors, char answer[KG_GIT_ANSWER_MOST])
{
    rewind(errors);
    const size_t length = fread(answer, 1, KG_GIT_ANSWER_MOST - 1, errors);
    char *to = answer;
    for (size_t i = 0; i < length; i++) {
        const char c = strchr("\n\t\r", answer[i]) ? ' ' : answer[i];
        if (c != ' ' || (to > answer && to[-1] != ' '))
            *to++ = c;
    }
    while (to > answer && to[-1] == ' ')
        to--;
    *to = '\0';
}

bool kg_git_top(const char *inside, char top[PATH_MAX])
{
    static const char name[] = "/.git";
    char path[PATH_MAX + sizeof name];
    if (!realpath(inside, top))
        return false;
    for (;;) {
        const size_t length = strlen(top);
        memcpy(path, top, length);
        memcpy(path + length, name, sizeof name);
        if (access(path, F_OK) == 0)
            return true;
        char *slash = strrchr(top, '/');
        if (!slash || !top[1])
            return false;
        slash[slash == top] = '\0';
    }
}

static bool ask(const char *const *words, size_t most, double seconds, struct kg_text *text,
                char *answer, int *status, struct kg_error *err)
{
    const double until = seconds_now() + seconds;
    char *arguments[ARGUMENTS_MOST] = {0};
    struct kg_arena arena = {0};
    char top[PATH_MAX];
    int ends[2];
    size_t count = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        arguments[count++] = (char *)settings[i];
    if (kg_git_top(".", top)) {
        arguments[count++] = (char *)"-C";
        arguments[count++] = top;
    }
    for (size_t i = 0; words[i] && count + 1 < ARGUMENTS_MOST; i++)
        arguments[count++] = (char *)words[i];
    char **environment = environment_make(&arena, isfinite(seconds));
    FILE *errors = tmpfile();
    if (!errors || pipe2(ends, O_CLOEXEC) != 0) {
        if (errors)
            fclose(errors);
        kg_arena_free(&arena);
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot start git: %s", strerror(errno));
    }
    const pid_t child = start(arguments, environment, ends[1], fileno(errors));
    const int why = errno;
    close(ends[1]);
    const bool whole = child > 0 && pipe_read(ends[0], most, until, text);
    close(ends[0]);
    if (child > 0 && !whole && isfinite(seconds))
        kill(child, SIGKILL);
    *status = child > 0 ? status_wait(child) : -1;
    answer_take(errors, answer);
    fclose(errors);
    kg_arena_free(&arena);
    if (child <= 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot start the program git: %s",
                            strerror(why));
    if (!whole && !*status)
        return kg_error_set(err, KG_ERROR_SYSTEM, "the answer of git is too long");
    return true;
}

bool kg_git_ask(const char *const *words, size_t most, struct kg_text *text, char *answer,
                int *status, struct kg_error *err)
{
    return ask(words, most, INFINITY, text, answer, status, err);
}

int kg_git_ask_within(const char *const *words, size_t most, double seconds, struct kg_text *text)
{
    char answer[KG_GIT_ANSWER_MOST];
    struct kg_error ignored;
    int status;
    return ask(words, most, seconds, text, answer, &status, &ignored) ? status : -1;
}

bool kg_git_line(struct kg_arena *arena, const char *const *words, const char **line,
                 struct kg_error *err)
{
    struct kg_text text = {0};
    char answer[KG_GIT_ANSWER_MOST];
    int status;
    *line = NULL;
    const bool good = kg_git_ask(words, PATH_MAX, &text, answer, &status, err);
    if (good && !status)
        *line =
            kg_arena_copy_bytes(arena, kg_text_string(&text), strcspn(kg_text_string(&text), "\n"));
    kg_text_free(&text);
    return good;
}
