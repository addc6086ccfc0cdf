#include "measure/count_pass.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/case_counters.h"
#include "measure/case_worker.h"
#include "measure/counting.h"

/* Counts repeat; three show where they do not, and then there are as many as a test needs. */
enum { COUNTS = 3, COUNTS_MOST = 12, PATH_BYTES = 4096 };
static const double REPEATS = 1e-3;
/* Callgrind runs code some fifty times slower. */
static const double CALLGRIND_PATIENCE = 50;

enum source { SOURCE_PERF, SOURCE_CALLGRIND, SOURCE_NONE };
static const char *const source_names[] = {"perf", "callgrind", "none"};

static bool valgrind_find(char path[PATH_BYTES])
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        snprintf(path, PATH_BYTES, "%.*s/valgrind", (int)length, folders);
        if (access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* "totals: 12345" of one of Callgrind's files; NaN where there is none. */
static double totals_read(const char *path)
{
    char line[512];
    double total = NAN;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "totals: ", 8))
            total = (isnan(total) ? 0 : total) + strtod(line + 8, NULL);
    if (file)
        fclose(file);
    return total;
}

/* The instructions in the files of a folder, which are removed; NaN where there are none. A process
 * under Callgrind leaves PID at its end, and PID.1 where a worker asked for what was counted so
 * far: then what comes after that is not the workload's. */
static double folder_sum(const char *folder, bool asked_for)
{
    char path[PATH_BYTES + 260];
    double sum = NAN;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const double count = totals_read(path);
        if (!isnan(count) && asked_for == (strchr(entry->d_name, '.') != NULL))
            sum = (isnan(sum) ? 0 : sum) + count;
        unlink(path);
    }
    if (directory)
        closedir(directory);
    return sum;
}

struct pass {
    struct kg_measurement *measurement;
    enum source source;
    char valgrind[PATH_BYTES];
    char folder[PATH_BYTES]; /* of Callgrind's files */
    struct kg_error *err;
};

/* Runs the worker of a kernel or plugin under Callgrind, which counts only where it is told to. */
static bool callgrind_run(struct pass *pass, size_t index, struct kg_arena *arena,
                          struct kg_response *response)
{
    struct kg_measurement *measurement = pass->measurement;
    const bool command = measurement->plan->cases[index].spec->source == KG_SOURCE_COMMAND;
    const char *program = measurement->side && measurement->side->program
                              ? measurement->side->program
                              : measurement->program;
    char output[PATH_BYTES + 40];
    snprintf(output, sizeof output, "--callgrind-out-file=%s/%%p", pass->folder);
    char *arguments[] = {(char *)"valgrind",
                         (char *)"--tool=callgrind",
                         (char *)"--quiet",
                         (char *)"--instr-atstart=no",
                         output,
                         (char *)program,
                         (char *)"worker",
                         NULL};
    const struct kg_task_options options = {
        .task = KG_TASK_COUNT,
        .patience = CALLGRIND_PATIENCE,
        .count_source = source_names[SOURCE_CALLGRIND],
        .count_directory = command ? pass->folder : NULL,
        .program = command ? NULL : pass->valgrind,
        .arguments = command ? NULL : arguments,
    };
    return kg_case_worker_run(measurement, index, &options, arena, response, pass->err);
}

/* One count of a case; NaN where the worker gave none. */
static bool count_once(struct pass *pass, size_t index, double *instructions)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    const struct kg_task_options by_perf = {
        .task = KG_TASK_COUNT, .patience = 1, .count_source = source_names[SOURCE_PERF]};
    const bool command = measurement->plan->cases[index].spec->source == KG_SOURCE_COMMAND;
    bool good = pass->source == SOURCE_PERF
                    ? kg_case_worker_run(measurement, index, &by_perf, &arena, &response, pass->err)
                    : callgrind_run(pass, index, &arena, &response);
    *instructions = NAN;
    if (good && response.good && response.reported_count == 1)
        *instructions = response.reported[0].value;
    if (good && pass->source == SOURCE_CALLGRIND)
        *instructions =
            folder_sum(pass->folder, !command) / (command ? 1 : (double)measurement->batch[index]);
    if (good && response.good && isnan(*instructions))
        good = kg_case_fail(measurement, index, "its instructions were not counted", "", pass->err);
    kg_arena_free(&arena);
    return good;
}

/* A further counter of a case. */
static struct kg_counter *counter_add(struct pass *pass, size_t index)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_case_result *result = &measurement->results.cases[index];
    struct kg_counter *counters =
        kg_arena_alloc(&measurement->results.arena, result->counter_count + 1, sizeof *counters);
    if (!counters) {
        kg_error_memory(pass->err);
        return NULL;
    }
    if (result->counter_count)
        memcpy(counters, result->counters, result->counter_count * sizeof *counters);
    result->counters = counters;
    counters[result->counter_count] = (struct kg_counter){
        .name = kg_metric_kind_names[KG_METRIC_INSTRUCTIONS],
        .source = source_names[pass->source],
        .better = KG_BETTER_LOWER,
        .threshold = measurement->plan->cases[index].spec->settings.instructions_threshold};
    if (pass->source == SOURCE_NONE)
        counters[result->counter_count].reason =
            "this machine does not let its instructions be counted (perf_event), and there is no "
            "valgrind to count them with";
    return &counters[result->counter_count++];
}

static bool repeats(const struct kg_counter *counter)
{
    for (size_t i = 1; i < counter->value_count; i++)
        if (fabs(counter->values[i] / counter->values[0] - 1) > REPEATS)
            return false;
    return true;
}

static bool case_count(struct pass *pass, size_t index)
{
    struct kg_measurement *measurement = pass->measurement;
    struct kg_case_result *result = &measurement->results.cases[index];
    struct kg_counter *counter = counter_add(pass, index);
    double instructions;
    if (!counter)
        return false;
    for (int i = 0; pass->source != SOURCE_NONE && !kg_interrupt_caught() &&
                    i < (repeats(counter) ? COUNTS : COUNTS_MOST);
         i++) {
        if (!count_once(pass, index, &instructions))
            return false;
        if (!kg_case_measurable(result))
            return true;
        if (!isnan(instructions) &&
            !kg_case_value_append(measurement, counter, instructions, pass->err))
            return false;
    }
    return !measurement->journaled ||
           kg_journal_case(&measurement->journal, index, result, pass->err);
}

static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    const struct kg_case_result *result = &measurement->results.cases[index];
    /* of work on the GPU the processor only sees the launching */
    return result->metrics & 1u << KG_METRIC_INSTRUCTIONS && kg_case_measurable(result) &&
           !kg_case_on_stream(&measurement->plan->cases[index]);
}

static bool pass_start(struct pass *pass)
{
    const char *folder = getenv("TMPDIR");
    pass->source = kg_counting_perf_usable()       ? SOURCE_PERF
                   : valgrind_find(pass->valgrind) ? SOURCE_CALLGRIND
                                                   : SOURCE_NONE;
    if (pass->source != SOURCE_CALLGRIND)
        return true;
    snprintf(pass->folder, sizeof pass->folder, "%.4000s/kgate-count-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (mkdtemp(pass->folder))
        return true;
    return kg_error_set(pass->err, KG_ERROR_SYSTEM,
                        "cannot make a folder like '%.300s' for what Callgrind counts",
                        pass->folder);
}

bool kg_count_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    struct pass pass = {.measurement = measurement, .err = err};
    const struct kg_results *results = &measurement->results;
    size_t first = 0;
    while (first < results->case_count && !wanted(measurement, first))
        first++;
    if (first == results->case_count)
        return true;
    bool good = pass_start(&pass);
    for (size_t i = first; i < results->case_count && good && !kg_interrupt_caught(); i++) {
        if (!wanted(measurement, i))
            continue;
        kg_measurement_progress(measurement, results->cases[i].id);
        good = case_count(&pass, i);
    }
    if (pass.source == SOURCE_CALLGRIND) {
        folder_sum(pass.folder, false);
        rmdir(pass.folder);
    }
    return good;
}
