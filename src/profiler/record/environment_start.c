/* KGATE_PROFILE in the environment: records a program that says nothing of recording itself. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/record/profiler.h"

/* Read by every scope, and here, so that whoever makes scopes links this file, too. */
int kgate_profiling;

/* A program that runs other programs' code under a profiler, as kgate does, defines it as true. Such a
 * program starts and stops the recordings itself. */
__attribute__((weak)) bool kgate_profiler_ignores_environment = false;

/* Endings of a path that ask for a report at the process's end; the longest first. */
static const struct {
    const char *ending;
    enum kgate_profile_format format;
} endings[] = {
    {".trace.json", KGATE_PROFILE_TRACE}, {".json", KGATE_PROFILE_JSON},
    {".folded", KGATE_PROFILE_FOLDED},    {".csv", KGATE_PROFILE_CSV},
    {".txt", KGATE_PROFILE_TREE},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* The report at the process's end; only if `asked`. */
static bool asked;
static enum kgate_profile_format asked_format;

/* The path that asks for a report on the terminal. Standard output belongs to the program. */
static const char TERMINAL[] = "-";

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && !strcmp(text + length - tail, ending);
}

/* The report's path is the recording's without RECORDING: "run.json". If another process uses that
 * recording, it is "run.json.4711". */
static const char RECORDING[] = ".kgprof";

/* A forked child has no recording, and prints nothing. */
static void print_at_end(void)
{
    char message[256];
    kgate_profiler_stop();
    kgate_profiler_print(NULL, KGATE_PROFILE_TREE, stderr, 0, message);
}

/* Writes the report. If that fails, the recording stays. A forked child that records nothing has no
 * report. */
static void report_at_end(void)
{
    char message[256], recording[512], report[sizeof recording];
    if (!asked || !kg_profiler_path(kg_profiler_of(NULL), recording, sizeof recording))
        return;
    memcpy(report, recording, sizeof report);
    char *ending = strstr(report, RECORDING);
    for (char *next = ending; next; next = strstr(next + 1, RECORDING))
        ending = next;
    if (!ending)
        return;
    memmove(ending, ending + strlen(RECORDING), strlen(ending + strlen(RECORDING)) + 1);
    kgate_profiler_stop();
    /* A limit on the size of files is no reason to end a program at its end. */
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
        return;
    if (kgate_profiler_write(NULL, asked_format, report, 0, message))
        unlink(recording);
    else
        fprintf(stderr, "kgate profiler: %s; the recording is in %s\n", message, recording);
}

/* "0.01" or "1%"; NaN for another text. */
static double share_parse(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    const bool percent = *end == '%';
    if (end == text || end[percent])
        return NAN;
    return percent ? value / 100 : value;
}

static bool is_on(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

static bool options_read(struct kgate_profiler_options *options)
{
    const char *sample = secure_getenv("KGATE_PROFILE_SAMPLE");
    options->label = secure_getenv("KGATE_PROFILE_LABEL");
    options->cpu_time = is_on("KGATE_PROFILE_CPU");
    options->device_memory = is_on("KGATE_PROFILE_DEVICE_MEMORY");
    if (!sample || !*sample)
        return true;
    options->sample = share_parse(sample);
    if (options->sample > 0 && options->sample <= 1)
        return true;
    fprintf(stderr,
            "kgate profiler: KGATE_PROFILE_SAMPLE is '%.60s', but must be a share such as 0.01 or "
            "1%%; kgate records nothing\n",
            sample);
    return false;
}

/* Runs early, so that constructors are recorded too. A program with more rights than its user ignores
 * the variable, which that user controls. */
__attribute__((constructor(101))) static void environment_start(void)
{
    const char *path = secure_getenv("KGATE_PROFILE");
    char message[256], recording[512];
    struct kgate_profiler_options options = {.path = path};
    if (!path || !*path || kgate_profiler_ignores_environment || kgate_profiling ||
        !options_read(&options))
        return;
    const bool terminal = !strcmp(path, TERMINAL);
    if (terminal)
        options.path = NULL;
    for (int i = 0; i < ENDINGS && !asked; i++)
        if (ends_with(path, endings[i].ending) &&
            strlen(path) + sizeof RECORDING < sizeof recording) {
            asked = true;
            asked_format = endings[i].format;
            snprintf(recording, sizeof recording, "%s%s", path, RECORDING);
            options.path = recording;
        }
    if (!kgate_profiler_start(&options, message)) {
        fprintf(stderr, "kgate profiler: %s; kgate records nothing\n", message);
        asked = false;
        return;
    }
    if (terminal && atexit(print_at_end) != 0)
        fprintf(stderr, "kgate profiler: out of memory; kgate prints no report\n");
    if (asked && atexit(report_at_end) != 0)
        asked = false;
}
