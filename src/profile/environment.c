/* KGATE_PROFILE in the environment: records a program that says nothing of recording itself. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/profiler.h"

/* Read by every scope, and here, so that whoever makes scopes links this file, too. */
int kgate_profiling;

/* A program that runs other people's code under a profiler, as kgate does, defines it as true: it
 * decides itself what is recorded. */
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

static struct {
    char report[480]; /* the path asked for; empty where it is the recording itself */
    enum kgate_profile_format format;
    long process; /* that it was asked of: not of one it forked */
} asked;

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && !strcmp(text + length - tail, ending);
}

/* The recording is kept where its report fails. */
static void report_at_end(void)
{
    char message[256], recording[sizeof asked.report + 8];
    if (asked.process != (long)getpid())
        return;
    kgate_profiler_stop();
    snprintf(recording, sizeof recording, "%s.kgprof", asked.report);
    if (kgate_profiler_write(NULL, asked.format, asked.report, 0, message))
        unlink(recording);
    else
        fprintf(stderr, "kgate profiler: %s; what was recorded is in %s\n", message, recording);
}

static double share_of(const char *text)
{
    return text && *text ? strtod(text, NULL) : 0;
}

__attribute__((constructor)) static void environment_start(void)
{
    const char *path = getenv("KGATE_PROFILE"), *label = getenv("KGATE_PROFILE_LABEL");
    const char *cpu = getenv("KGATE_PROFILE_CPU");
    char message[256], recording[sizeof asked.report + 8];
    if (!path || !*path || kgate_profiler_ignores_environment)
        return;
    struct kgate_profiler_options options = {.path = path,
                                             .label = label,
                                             .sample = share_of(getenv("KGATE_PROFILE_SAMPLE")),
                                             .cpu_time = cpu && *cpu && strcmp(cpu, "0") != 0};
    for (int i = 0; i < ENDINGS && strlen(path) < sizeof asked.report && !asked.report[0]; i++)
        if (ends_with(path, endings[i].ending)) {
            snprintf(asked.report, sizeof asked.report, "%s", path);
            asked.format = endings[i].format;
            asked.process = (long)getpid();
            snprintf(recording, sizeof recording, "%s.kgprof", path);
            options.path = recording;
        }
    if (!kgate_profiler_start(&options, message)) {
        fprintf(stderr, "kgate profiler: %s; nothing is recorded\n", message);
        asked.report[0] = '\0';
        return;
    }
    if (asked.report[0] && atexit(report_at_end) != 0)
        asked.report[0] = '\0';
}
