/* A command that is a program of another benchmark harness (`format:` of a suite): one process measures
 * one of its benchmarks, whose times are what it writes, and not how long it runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adapters/adapter.h"
#include "stats/stats.h"
#include "timing/samples.h"
#include "util/file.h"
#include "worker/worker_state.h"

enum { OUTPUT_MOST = 64 * 1024 * 1024, NAMES_MOST = 10000 };
static const double LOOK_NS = 10e6; /* for calls whose times nobody takes */

static const struct kg_adapter *adapter_of(const struct kg_worker *worker)
{
    const char *format = worker->request.setting.format;
    return format ? kg_adapter_find(format) : NULL;
}

/* A file in memory, and its path for another process. */
static int file_make(const char *name, char path[64])
{
    const int file = memfd_create(name, MFD_CLOEXEC);
    snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), file);
    return file;
}

/* --- One benchmark ---------------------------------------------------------------------------- */

static double min_time_ns(const struct kg_request *request)
{
    switch (request->task) {
    case KG_TASK_ROUND:
        return request->min_time_ns;
    case KG_TASK_TURNS:
        return request->turn_ns;
    default:
        return fmin(LOOK_NS, request->min_time_ns);
    }
}

static const char *benchmark_name(struct kg_worker *worker)
{
    const struct kg_request *request = &worker->request;
    for (size_t i = 0; i < request->param_count; i++)
        if (!strcmp(request->params[i].name, KG_FOREIGN_PARAMETER))
            return kg_foreign_name_restore(&worker->arena, request->params[i].value);
    return "";
}

static bool words_extend(struct kg_worker *worker, const char *path)
{
    struct kg_request *request = &worker->request;
    size_t count = request->command_count;
    const char **words =
        kg_arena_alloc(&worker->arena, count + KG_ADAPTER_WORDS_MOST + 1, sizeof *words);
    if (!words)
        return false;
    memcpy(words, request->command, count * sizeof *words);
    if (!adapter_of(worker)->run_words(&worker->arena, worker->harness.name, path,
                                       min_time_ns(request), words, &count))
        return false;
    request->command = words;
    request->command_count = count;
    return true;
}

bool kg_worker_harness_open(struct kg_worker *worker, struct kg_error *err)
{
    char path[64];
    const struct kg_adapter *adapter = adapter_of(worker);
    if (!adapter || worker->request.task == KG_TASK_LIST)
        return true;
    worker->harness.file = file_make("kgate-harness", path);
    worker->harness.name = benchmark_name(worker);
    worker->response.timer_resolution_ns = 0; /* the harness has its own way with short calls */
    if (worker->harness.file < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "no memory for the benchmark's output");
    return (worker->harness.name && words_extend(worker, path)) || kg_error_memory(err);
}

bool kg_worker_has_harness(const struct kg_worker *worker)
{
    return worker->request.setting.format != NULL;
}

/* What the process wrote, into `arena`. */
static bool output_read(struct kg_worker *worker, struct kg_arena *arena,
                        struct kg_foreign *foreign, struct kg_error *err)
{
    char path[64];
    struct kg_text text = {0};
    json_t *json = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", worker->harness.file);
    bool good = kg_file_read(path, OUTPUT_MOST, &text, err);
    if (good && text.length) /* nothing is written where nothing was run */
        good = kg_json_parse("its output", kg_text_string(&text), text.length, &json, err) &&
               kg_foreign_read(adapter_of(worker), arena, path, json, foreign, err);
    json_decref(json);
    kg_text_free(&text);
    if (ftruncate(worker->harness.file, 0) != 0)
        return good && kg_error_set(err, KG_ERROR_SYSTEM, "cannot empty the benchmark's output");
    return good;
}

static bool found_take(struct kg_worker *worker, const struct kg_foreign_case *found, double *ns,
                       struct kg_error *err)
{
    struct kg_harness *harness = &worker->harness;
    if (!found)
        return kg_error_set(err, KG_ERROR_MEASURE, "the program has no benchmark '%.300s'",
                            harness->name);
    if (found->failure)
        return kg_error_set(err, KG_ERROR_MEASURE, "the benchmark '%.200s' failed: %.300s",
                            harness->name, found->failure);
    kg_sort(found->samples_ns, found->sample_count);
    *ns = kg_median_sorted(found->samples_ns, found->sample_count);
    harness->cpu_ns += found->cpu_ns;
    harness->runs++;
    harness->calls += found->calls;
    harness->timed_ns += found->calls * *ns;
    worker->response.work.items = found->items > 0 ? found->items : NAN;
    worker->response.work.bytes = found->bytes > 0 ? found->bytes : NAN;
    for (size_t i = 0; i < found->figure_count; i++)
        kg_host_report(&worker->host, found->figures[i].name, found->figures[i].value);
    return true;
}

double kg_worker_harness_ns(void *owner)
{
    struct kg_worker *worker = owner;
    struct kg_arena arena = {0};
    struct kg_foreign foreign = {0};
    struct kg_error err = {0};
    double ns = NAN;
    if (!output_read(worker, &arena, &foreign, &err) ||
        !found_take(worker, kg_foreign_case_find(&foreign, worker->harness.name), &ns, &err))
        worker->command.fail(worker, err.message);
    kg_arena_free(&arena);
    return ns;
}

void kg_worker_harness_record(const struct kg_worker *worker, struct kg_round *round)
{
    if (!kg_worker_has_harness(worker))
        return;
    round->cpu_ns = worker->harness.cpu_ns / (double)worker->harness.runs;
    round->user_ns = round->system_ns = NAN;
    round->calls = (uint64_t)fmax(1, worker->harness.calls);
    round->wall_ns = kg_samples_rounded(worker->harness.timed_ns);
}

/* --- Which there are -------------------------------------------------------------------------- */

static bool names_take(struct kg_worker *worker, char *text, struct kg_error *err)
{
    struct kg_response *response = &worker->response;
    char *rest = NULL;
    response->names = kg_arena_alloc(&worker->arena, NAMES_MOST, sizeof *response->names);
    if (!response->names)
        return kg_error_memory(err);
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        if (response->name_count == NAMES_MOST)
            return kg_error_set(err, KG_ERROR_MEASURE, "the program has more than %d benchmarks",
                                NAMES_MOST);
        response->names[response->name_count] = kg_arena_copy(&worker->arena, line);
        if (!response->names[response->name_count++])
            return kg_error_memory(err);
    }
    return response->name_count ||
           kg_error_set(err, KG_ERROR_MEASURE, "the program lists no benchmark");
}

bool kg_worker_harness_list(struct kg_worker *worker, struct kg_error *err)
{
    char path[64];
    struct kg_text text = {0};
    const struct kg_request *request = &worker->request;
    const size_t count = request->command_count;
    const char **words = kg_arena_alloc(&worker->arena, count + 2, sizeof *words);
    if (!words)
        return kg_error_memory(err);
    memcpy(words, request->command, count * sizeof *words);
    words[count] = adapter_of(worker)->list_word;
    worker->command.argv = (char *const *)words;
    worker->command.output = file_make("kgate-names", path);
    worker->command.shows = true;
    if (worker->command.output < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "no memory for the program's output");
    kg_command_call(&worker->command);
    bool good = kg_file_read(path, OUTPUT_MOST, &text, err);
    kg_text_append(&text, "\n");
    good = good && (text.failed ? kg_error_memory(err) : names_take(worker, text.data, err));
    kg_text_free(&text);
    return good;
}
