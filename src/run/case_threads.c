#include "run/case_threads.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "run/case_worker.h"

static const char COUNT_VARIABLE[] = "OMP_NUM_THREADS";
/* Variables that place threads or set their way of waiting. kgate itself sets only OMP_WAIT_POLICY and
 * GOMP_SPINCOUNT (worker_environment.c). */
static const char *const kept[] = {
    "OMP_PROC_BIND",   "OMP_PLACES",     "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
    "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",     "OPENBLAS_THREAD_TIMEOUT"};

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* The first number of the variable's list, which has one per level of nesting; 0 if there is none. */
static uint64_t count_of_environment(void)
{
    const char *value = getenv(COUNT_VARIABLE);
    const long count = value ? strtol(value, NULL, 10) : 0;
    return count > 0 ? (uint64_t)count : 0;
}

uint64_t kg_case_threads(const struct kg_session *session, const struct kg_settings *settings,
                         int pin)
{
    if (settings->threads)
        return settings->threads;
    if (pin >= 0)
        return 1;
    const uint64_t threads = count_of_environment();
    return threads ? threads : session->results->machine.cpu_count;
}

bool kg_case_threads_are_set(const struct kg_settings *settings)
{
    return settings->threads || count_of_environment();
}

static void count_add(struct kg_text *text, const struct kg_settings *settings, int pin,
                      uint64_t threads)
{
    if (!settings->threads && pin < 0 && count_of_environment())
        kg_text_printf(text, "%s in the environment sets %llu threads", COUNT_VARIABLE,
                       (unsigned long long)threads);
}

static void cpus_add(struct kg_text *text, uint64_t threads, uint64_t cpus, bool pinned)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= cpus)
        return;
    kg_text_printf(text, "%s%llu threads share %llu CPU%s", text->length ? "; " : "",
                   (unsigned long long)threads, (unsigned long long)cpus, cpus == 1 ? "" : "s");
    if (!pinned && online > 0 && (uint64_t)online > cpus)
        kg_text_printf(text, ": kgate may use only these of %ld (taskset, a cpuset)", online);
}

static void variables_add(struct kg_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (is_set(kept[i]))
            kg_text_printf(text, "%s%s",
                           count++        ? ", "
                           : text->length ? "; the environment sets how threads run or wait: "
                                          : "the environment sets how threads run or wait: ",
                           kept[i]);
}

const char *kg_case_threads_note(const struct kg_session *session, size_t index,
                                 struct kg_arena *arena)
{
    const struct kg_case *planned = &session->plan->cases[index];
    const struct kg_settings *settings = &planned->spec->settings;
    const int pin = kg_case_pin(session, index);
    const uint64_t threads = kg_case_threads(session, settings, pin);
    const uint64_t cpus = pin >= 0 ? 1 : session->results->machine.cpu_count;
    struct kg_text text = {0};
    if (kg_case_on_stream(planned))
        return NULL;
    count_add(&text, settings, pin, threads);
    cpus_add(&text, threads, cpus, pin >= 0);
    if (threads > 1)
        variables_add(&text);
    const char *note = kg_arena_keep(arena, text.data);
    kg_text_free(&text);
    return note;
}
