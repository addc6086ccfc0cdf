/* cmake_configure.c: runs CMake on a repository in a temporary folder, to read CMake's own list of targets. CMake runs
 * code of the repository, as the user's own build does. It gets no network and at most a minute. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "suite/adopt/survey.h"

enum { SECONDS_MOST = 60, LOG_MOST = 4 << 20, CACHE_MOST = 8 << 20, WORDS_MOST = 24 };

#define QUERY ".cmake/api/v1/query/client-kgate"

/* --- The process -------------------------------------------------------------------------------- */

/* The environment of CMake: kgate's, with dead proxies. So downloads fail at once instead of waiting for a network. */
static char **environment_make(struct kg_arena *arena)
{
    static char *const offline[] = {(char *)"http_proxy=http://127.0.0.1:9",
                                    (char *)"https_proxy=http://127.0.0.1:9",
                                    (char *)"all_proxy=http://127.0.0.1:9",
                                    (char *)"no_proxy=", (char *)"GIT_TERMINAL_PROMPT=0"};
    const size_t offline_count = sizeof offline / sizeof *offline;
    size_t count = 0;
    while (environ[count])
        count++;
    char **made = kg_arena_alloc(arena, count + offline_count + 1, sizeof *made);
    memcpy(made, offline, sizeof offline);
    count = offline_count;
    for (char **entry = environ; *entry; entry++) {
        bool is_set = !strncmp(*entry, "HTTP", 4) || !strncmp(*entry, "ALL_PROXY=", 10);
        for (size_t i = 0; i < offline_count; i++)
            is_set = is_set || !strncmp(*entry, offline[i], strcspn(offline[i], "=") + 1);
        if (!is_set)
            made[count++] = *entry;
    }
    made[count] = NULL;
    return made;
}

/* A run of CMake in its own process group, so that kgate can end CMake with all child processes. Signals that would end
 * kgate wait until the group has ended and kgate has removed the folder. */
struct process {
    sigset_t blocked, before;
    int signal; /* signal received during the run; 0: none */
};

static void signals_block(struct process *process)
{
    process->signal = 0;
    sigemptyset(&process->blocked);
    sigaddset(&process->blocked, SIGINT);
    sigaddset(&process->blocked, SIGTERM);
    sigaddset(&process->blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &process->blocked, &process->before);
}

static void signals_release(const struct process *process)
{
    sigprocmask(SIG_SETMASK, &process->before, NULL);
    if (process->signal)
        raise(process->signal);
}

/* Waits for CMake, at most SECONDS_MOST. Returns true if CMake exits with status 0. */
static bool ends_well(struct process *process, pid_t pid)
{
    const struct timespec step = {.tv_nsec = 20000000};
    struct timespec now, begin;
    int status = -1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR)
            return false;
        const int came = sigtimedwait(&process->blocked, NULL, &step);
        process->signal = came > 0 ? came : process->signal;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (process->signal || now.tv_sec - begin.tv_sec > SECONDS_MOST)
            kill(-pid, SIGKILL);
    }
}

static bool actions_make(posix_spawn_file_actions_t *actions, const char *log)
{
    return posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log,
                                            O_WRONLY | O_CREAT | O_APPEND, 0600) == 0 &&
           posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO) == 0;
}

static bool cmake_run(struct process *process, struct kg_arena *arena, char *const *words,
                      const char *log)
{
    char **environment = environment_make(arena);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    if (process->signal || posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    const bool started =
        actions_make(&actions, log) &&
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) ==
            0 &&
        posix_spawnattr_setsigmask(&attributes, &process->before) == 0 &&
        posix_spawnp(&pid, words[0], &actions, &attributes, words, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return started && ends_well(process, pid);
}

/* --- The folder --------------------------------------------------------------------------------- */

static int entry_remove(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    remove(path);
    return 0;
}

static bool query_write(const char *built, struct kg_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" QUERY, built);
    if (!kg_directory_make(path, err))
        return false;
    snprintf(path, sizeof path, "%s/" QUERY "/codemodel-v2", built);
    return kg_file_write(path, "", 0, err);
}

/* --- Options that leave benchmarks out ---------------------------------------------------------- */

static const char *const bench_parts[] = {"BENCH",          "Bench",    "bench",
                                          "DEVELOPER_MODE", "DEV_MODE", NULL};
/* For projects that build benchmarks together with tests. */
static const char *const test_parts[] = {"BUILD_TEST", "ENABLE_TEST", NULL};

static bool names_part(const char *name, size_t length, const char *const *parts)
{
    if (!strncmp(name, "BENCHMARK_", 10)) /* an option of Google Benchmark itself */
        return false;
    for (size_t i = 0; parts[i]; i++)
        for (size_t at = 0; at + strlen(parts[i]) <= length; at++)
            if (!strncmp(name + at, parts[i], strlen(parts[i])))
                return true;
    return false;
}

/* Appends " -DX=ON" for each disabled switch of CMake's cache whose name contains one of the parts. */
static void options_read(const char *built, const char *const *parts, struct kg_text *options)
{
    char path[PATH_MAX + 32];
    struct kg_text text = {0};
    struct kg_error ignored;
    snprintf(path, sizeof path, "%s/CMakeCache.txt", built);
    if (kg_file_read(path, CACHE_MOST, &text, &ignored))
        for (const char *line = kg_text_string(&text); *line;) {
            const size_t length = strcspn(line, "\n"), name = strcspn(line, ":=\n");
            const bool off =
                !strncmp(line + name, ":BOOL=OFF", 9) || !strncmp(line + name, ":BOOL=0", 7) ||
                !strncmp(line + name, ":BOOL=NO", 8) || !strncmp(line + name, ":BOOL=FALSE", 11);
            if (off && names_part(line, name, parts))
                kg_text_printf(options, " -D%.*s=ON", (int)name, line);
            line += length + (line[length] == '\n');
        }
    kg_text_free(&text);
}

/* --- Configuring -------------------------------------------------------------------------------- */

struct configuring {
    struct kg_survey *survey;
    struct process *process;
    const char *root, *built, *log;
};

/* Runs CMake once. options: " -DX=ON …", added to the words */
static bool configure(const struct configuring *with, const char *options)
{
    static const char *const fixed[] = {"-DCMAKE_BUILD_TYPE=Release",
                                        "-DFETCHCONTENT_FULLY_DISCONNECTED=ON"};
    struct kg_arena arena = {0};
    char *rest = kg_arena_copy(&arena, options);
    char *words[WORDS_MOST + 1] = {(char *)"cmake", (char *)"-S", (char *)with->root, (char *)"-B",
                                   (char *)with->built};
    size_t count = 5;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words[count++] = (char *)fixed[i];
    for (char *word; rest && (word = strsep(&rest, " ")) && count < WORDS_MOST;)
        if (*word)
            words[count++] = word;
    const bool good = cmake_run(with->process, &arena, words, with->log);
    kg_arena_free(&arena);
    return good;
}

/* Number of benchmarks that CMake lists. Tests by GoogleTest do not count. */
static size_t listed(const struct kg_survey *survey)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++)
        count += survey->findings[i].of_cmake && survey->findings[i].kind != KG_FOUND_GTEST;
    return count;
}

/* The text of CMake's first error, on one line. */
static const char *reason_read(const struct configuring *with)
{
    static const char mark[] = "CMake Error";
    struct kg_text text = {0}, line = {0};
    struct kg_error ignored;
    const char *why = "it took too long, or ended without a reason";
    if (kg_file_read(with->log, LOG_MOST, &text, &ignored)) {
        const char *at = strstr(kg_text_string(&text), mark);
        at += at ? strcspn(at, "\n") : 0;
        while (at && *at && strncmp(at, "\n\n\n", 3) != 0 && strncmp(at, "\nCall Stack", 11) != 0) {
            at += strspn(at, " \n");
            const size_t length = strcspn(at, " \n");
            kg_text_append(&line, line.length ? " " : "");
            kg_text_append_bytes(&line, at, length);
            at += length;
        }
        why = line.length ? kg_arena_copy(&with->survey->arena, kg_text_string(&line)) : why;
    }
    kg_text_free(&text);
    kg_text_free(&line);
    return why;
}

/* Configures with options. If CMake then lists more than `before` benchmarks, the survey keeps the options. */
static void configure_again(const struct configuring *with, const char *options, size_t before,
                            const char **why)
{
    struct kg_survey *survey = with->survey;
    bool found = false;
    if (!configure(with, options)) {
        *why = reason_read(with);
        *why = *why ? kg_arena_printf(&survey->arena, "with%s: %s", options, *why) : NULL;
        return;
    }
    kg_survey_reply(survey, with->root, with->built, &found);
    if (listed(survey) > before)
        survey->options = kg_arena_copy(&survey->arena, options);
}

/* Configures the project as it is, then once more with all disabled switches that name benchmarks. If there is neither
 * such a switch nor a benchmark, the second try uses the switches that name tests. */
static void configure_both(const struct configuring *with, const char **why)
{
    struct kg_survey *survey = with->survey;
    struct kg_text options = {0};
    if (!configure(with, "")) {
        *why = reason_read(with);
        return;
    }
    kg_survey_reply(survey, with->root, with->built, &survey->is_configured);
    const size_t before = listed(survey);
    options_read(with->built, bench_parts, &options);
    if (!options.length && !before)
        options_read(with->built, test_parts, &options);
    if (survey->is_configured && options.length)
        configure_again(with, kg_text_string(&options), before, why);
    kg_text_free(&options);
}

bool kg_survey_configure(const char *root, struct kg_survey *survey, const char **why,
                         struct kg_error *err)
{
    char built[PATH_MAX - 64], log[PATH_MAX], real_root[PATH_MAX], real_built[PATH_MAX];
    struct process process;
    *why = NULL;
    signals_block(&process);
    if (!kg_directory_temporary("cmake", built, sizeof built, err)) {
        signals_release(&process);
        return false;
    }
    snprintf(log, sizeof log, "%s/kgate.log", built);
    bool good = query_write(built, err);
    if (good && realpath(root, real_root) && realpath(built, real_built)) {
        const struct configuring with = {survey, &process, real_root, real_built, log};
        configure_both(&with, why);
        kg_survey_join(root, survey);
    }
    nftw(built, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
    signals_release(&process);
    return good;
}

const char *kg_survey_configure_command(const struct kg_survey *survey)
{
    const char *rest = getenv("PATH");
    char path[PATH_MAX];
    if (!survey->has_cmake || survey->is_configured)
        return NULL;
    while (rest && *rest) {
        const size_t length = strcspn(rest, ":");
        if (snprintf(path, sizeof path, "%.*s/cmake", (int)length, rest) < (int)sizeof path &&
            access(path, X_OK) == 0)
            return "cmake -S . -B TEMPORARY -DCMAKE_BUILD_TYPE=Release";
        rest += length + (rest[length] == ':');
    }
    return NULL;
}
