/* A command that is a program of another benchmark harness (`format:` of a suite). One process measures
 * one of its benchmarks. kgate takes the times that the program writes, not the time that it runs. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/statistics/stats.h"
#include "run/timing/samples.h"
#include "run/worker/worker_state.h"
#include "suite/adapters/adapter.h"

enum { OUTPUT_MOST = 64 * 1024 * 1024 };
static const double LOOK_NS = 10e6; /* for calls whose times kgate does not use */

static const struct kg_adapter *adapter_of(const struct kg_worker *worker)
{
    const char *format = worker->request.setting.format;
    return format ? kg_adapter_find(format) : NULL;
}

/* A file in memory, and its path for another process. */
static int file_make(const char *name, char *path)
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

/* A parameter names the benchmark. Further parameters are its axes. */
static void run_make(struct kg_worker *worker)
{
    struct kg_arena *arena = &worker->arena;
    const struct kg_request *request = &worker->request;
    struct kg_foreign_run *run = &worker->harness.run;
    struct kg_pair *axes = kg_arena_alloc(arena, request->param_count, sizeof *axes);
    *run = (struct kg_foreign_run){
        .axes = axes,
        .file = worker->harness.path,
        .one_file = !worker->harness.folder[0],
        .min_time_ns = min_time_ns(request),
    };
    for (size_t i = 0; i < request->param_count; i++) {
        const char *value = kg_foreign_name_restore(arena, request->params[i].value);
        const char *name = kg_foreign_name_restore(arena, request->params[i].name);
        if (!strcmp(name, KG_FOREIGN_PARAMETER))
            run->name = value;
        else if (run->name && adapter_of(worker)->has_axes)
            axes[run->axis_count++] = (struct kg_pair){name, value};
    }
}

/* Some harnesses write files beside their output. These need a folder, which is outside any process's
 * memory. In tasks without timing kgate may end the process at any moment, and the folder would stay.
 * So only timed tasks make one. */
static bool output_open(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_harness *harness = &worker->harness;
    harness->file = -1;
    const enum kg_task task = worker->request.task;
    if (!adapter_of(worker)->has_folder || (task != KG_TASK_ROUND && task != KG_TASK_TURNS)) {
        harness->file = file_make("kgate-harness", harness->path);
        return harness->file >= 0 ||
               kg_error_set(err, KG_ERROR_SYSTEM, "no memory for the benchmark's output");
    }
    if (!kg_directory_temporary("harness", harness->folder, sizeof harness->folder, err)) {
        harness->folder[0] = '\0';
        return false;
    }
    snprintf(harness->path, sizeof harness->path, "%s/out.json", harness->folder);
    kg_worker_harness_close(worker); /* keeps the folder's name, not the folder */
    return true;
}

bool kg_worker_harness_open(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_request *request = &worker->request;
    const struct kg_adapter *adapter = adapter_of(worker);
    if (!adapter || request->task == KG_TASK_LIST)
        return true;
    worker->response.timer_resolution_ns = 0; /* the harness has its own way with short calls */
    if (!output_open(worker, err))
        return false;
    run_make(worker);
    if (!worker->harness.run.name)
        return kg_error_set(err, KG_ERROR_MEASURE, "the case names no benchmark");
    return adapter->run_words(&worker->arena, &worker->harness.run, &request->command,
                              &request->command_count, err);
}

/* The folder exists only while a process runs. So a worker that kgate ends between turns leaves no
 * folder. */
void kg_worker_harness_call(void *state)
{
    char message[256];
    struct kg_command_run *command = state;
    const char *folder = ((struct kg_worker *)command->owner)->harness.folder;
    if (*folder && mkdir(folder, 0700) != 0) {
        snprintf(message, sizeof message, "cannot make the folder '%.100s': %s", folder,
                 strerror(errno));
        command->fail(command->owner, message);
        return;
    }
    kg_command_time(command);
}

void kg_worker_harness_close(struct kg_worker *worker)
{
    static const char *const beside[] = {"-bin", "-freqs-bin"};
    const struct kg_harness *harness = &worker->harness;
    char path[160];
    if (!harness->folder[0])
        return;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", harness->path, beside[i]);
        kg_directory_remove(path);
    }
    kg_directory_remove(harness->folder);
}

bool kg_worker_has_harness(const struct kg_worker *worker)
{
    return worker->request.setting.format != NULL;
}

static bool output_empty(struct kg_worker *worker)
{
    kg_worker_harness_close(worker);
    return worker->harness.file < 0 || ftruncate(worker->harness.file, 0) == 0;
}

/* Reads the process's output, into `arena`. */
static bool output_read(struct kg_worker *worker, struct kg_arena *arena,
                        struct kg_foreign *foreign, struct kg_error *err)
{
    const char *path = worker->harness.path;
    struct kg_text text = {0};
    const struct kg_json *json = NULL;
    /* a process that ran no benchmark writes no file */
    bool good = access(path, F_OK) != 0 || kg_file_read(path, OUTPUT_MOST, &text, err);
    if (good && text.length)
        good =
            (json = kg_json_read("its output", kg_text_string(&text), text.length, arena, err)) &&
            kg_foreign_read(adapter_of(worker), arena, path, json, foreign, err);
    kg_text_free(&text);
    if (!output_empty(worker))
        return good && kg_error_set(err, KG_ERROR_SYSTEM, "cannot empty the benchmark's output");
    return good;
}

static bool found_take(struct kg_worker *worker, const struct kg_foreign_case *found, double *ns,
                       struct kg_error *err)
{
    struct kg_harness *harness = &worker->harness;
    if (!found)
        return false;
    if (found->failure)
        return kg_error_set(err, KG_ERROR_MEASURE, "the benchmark '%.200s' failed: %.300s",
                            harness->run.name, found->failure);
    kg_sort(found->samples_ns, found->sample_count);
    *ns = kg_median_sorted(found->samples_ns, found->sample_count);
    harness->cpu_ns += found->cpu_ns;
    harness->runs++;
    harness->calls += found->calls;
    harness->timed_ns += found->calls * *ns;
    harness->clock_hz += found->clock_hz;
    harness->cycles += found->cycles;
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
        !found_take(worker, kg_foreign_run_find(&foreign, &worker->harness.run, &err), &ns, &err))
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
    /* waits on the CPU concern the program's start and end; the GPU's clock times the benchmark */
    if (!adapter_of(worker)->on_cuda)
        return;
    round->wait_ns = round->stolen_ns = round->disturbance = NAN;
    kg_samples_clock(worker->harness.clock_hz / (double)worker->harness.runs,
                     worker->harness.cycles / (double)worker->harness.runs, round);
}

/* --- The names of the benchmarks -------------------------------------------------------------- */

/* Runs the program and keeps its output. */
static bool list_print(struct kg_worker *worker, const char *word, struct kg_text *printed,
                       struct kg_error *err)
{
    char path[64];
    const struct kg_request *request = &worker->request;
    const char **words = request->command;
    size_t count = request->command_count;
    kg_foreign_words_append(&worker->arena, &words, &count, &word, 1);
    worker->command.argv = (char *const *)words;
    worker->command.output = file_make("kgate-names", path);
    worker->command.shows = true;
    if (worker->command.output < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "no memory for the program's output");
    worker->response.unavailable =
        adapter_of(worker)->on_cuda; /* should it fail: for want of a GPU */
    kg_command_call(&worker->command);
    worker->response.unavailable = false;
    if (!kg_file_read(path, OUTPUT_MOST, printed, err))
        return false;
    kg_text_append(printed, "\n");
    return true;
}

bool kg_worker_harness_list(struct kg_worker *worker, struct kg_error *err)
{
    struct kg_text printed = {0};
    struct kg_foreign_names names = {0};
    const struct kg_adapter *adapter = adapter_of(worker);
    bool good = list_print(worker, adapter->list_word, &printed, err) &&
                adapter->list(&worker->arena, worker->request.command,
                              worker->request.command_count, printed.data, &names, err);
    worker->response.names = names.at;
    worker->response.name_count = names.count;
    kg_text_free(&printed);
    return good &&
           (names.count || kg_error_set(err, KG_ERROR_MEASURE, "the program lists no benchmark"));
}
