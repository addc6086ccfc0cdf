#include "run/import/import.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "device/machine.h"
#include "model/suite.h"
#include "run/import/importing.h"

/* --- Machine and time ------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return !a || !b || !strcmp(a, b);
}

/* Facts of all files as one machine's. */
static bool machine_find(struct kg_importing *importing)
{
    struct kg_machine *machine = &importing->results->machine;
    const struct kg_import_files *files = &importing->files;
    *machine = (struct kg_machine){.fingerprint = importing->options->machine};
    const char *gpu = NULL;
    for (size_t i = 0; i < files->count; i++) {
        const struct kg_foreign *content = &files->files[i].content;
        if (!same(machine->cpu_model, content->cpu_model) || !same(gpu, content->gpu) ||
            (machine->cpu_count && content->cpu_count && machine->cpu_count != content->cpu_count))
            return kg_error_at(importing->err, files->files[i].path, 0, 0,
                               "measured on another machine than the files before it");
        machine->cpu_model = content->cpu_model ? content->cpu_model : machine->cpu_model;
        machine->cpu_count = content->cpu_count ? content->cpu_count : machine->cpu_count;
        gpu = content->gpu ? content->gpu : gpu;
    }
    if (!machine->cpu_model)
        machine->cpu_model = "unknown";
    machine->cuda_missing = "not this machine's results";
    if (gpu) {
        machine->gpus = kg_arena_alloc(importing->arena, 1, sizeof *machine->gpus);
        machine->gpus[0] = (struct kg_gpu){.name = gpu,
                                           .uuid = "",
                                           .compute_capability = "",
                                           .sm_clock_hz = NAN,
                                           .memory_clock_hz = NAN};
        machine->gpu_count = 1;
        machine->cuda_missing = NULL;
    }
    if (!machine->fingerprint)
        machine->fingerprint = kg_machine_fingerprint(importing->arena, machine);
    return kg_fingerprint_check("--machine", machine->fingerprint, importing->err);
}

static const char *modified(struct kg_arena *arena, const char *path)
{
    struct stat facts;
    struct tm moment;
    char text[32];
    if (stat(path, &facts) != 0 || !gmtime_r(&facts.st_mtime, &moment) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &moment))
        return NULL;
    return kg_arena_copy(arena, text);
}

/* The latest date in the files. A file without a date counts with its time of modification. */
static const char *created_find(const struct kg_importing *importing)
{
    const char *latest = NULL;
    for (size_t i = 0; i < importing->files.count; i++) {
        const struct kg_import_file *file = &importing->files.files[i];
        const char *created =
            file->content.created ? file->content.created : modified(importing->arena, file->path);
        if (created && (!latest || strcmp(created, latest) > 0))
            latest = created;
    }
    return latest ? latest : kg_timestamp(importing->arena);
}

/* --- All -------------------------------------------------------------------------------------- */

static bool suite_make(struct kg_importing *importing)
{
    static const char text[] = "version: 1\nworkloads: [{name: imported, command: [imported]}]\n";
    return kg_suite_parse("import", text, sizeof text - 1, importing->options->set,
                          importing->options->set_count, &importing->suite, importing->err);
}

static void results_start(struct kg_importing *importing)
{
    struct kg_results *results = importing->results;
    const struct kg_policy *policy = &importing->suite.policy;
    const struct kg_import_options *options = importing->options;
    results->kgate_version = KGATE_VERSION;
    results->policy = (struct kg_results_policy){.fail_on = policy->fail_on,
                                                 .missing_device = policy->missing_device,
                                                 .undecided = policy->undecided,
                                                 .alpha = policy->alpha,
                                                 .reports = policy->reports};
    results->suggest = importing->suite.suggest;
    results->suite = options->suite ? options->suite : importing->files.adapter->name;
    results->suite_path = ""; /* no suite can measure the cases again */
    results->complete = true;
    results->ceilings = (struct kg_ceilings)KG_CEILINGS_NONE;
    results->cpu_ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    results->created = created_find(importing);
}

static bool files_import(struct kg_importing *importing)
{
    const struct kg_import_files *files = &importing->files;
    results_start(importing);
    for (size_t i = 0; i < files->count; i++)
        for (size_t c = 0; c < files->files[i].content.case_count; c++)
            if (!kg_import_case(importing, files->files[i].path, &files->files[i].content.cases[c]))
                return false;
    for (size_t i = 0; i < importing->results->case_count; i++)
        kg_import_case_finish(&importing->results->cases[i]);
    importing->results->elapsed_ns = importing->results->measured_ns;
    return importing->results->case_count ||
           kg_error_at(importing->err, files->files[0].path, 0, 0, "has no benchmark");
}

bool kg_import(const char *const *paths, size_t count, const struct kg_import_options *options,
               struct kg_results *results, struct kg_error *err)
{
    *results = (struct kg_results){0};
    struct kg_importing importing = {
        .options = options, .results = results, .arena = &results->arena, .err = err};
    const bool good = kg_import_files_read(&results->arena, paths, count, options->format,
                                           &importing.files, err) &&
                      suite_make(&importing) && machine_find(&importing) &&
                      files_import(&importing);
    kg_suite_free(&importing.suite);
    if (!good)
        kg_results_free(results);
    return good;
}

void kg_import_formats_append(struct kg_text *text)
{
    for (size_t i = 0; kg_adapters[i]; i++)
        kg_text_printf(text, "  %-18s%s\n", kg_adapters[i]->name, kg_adapters[i]->help);
}

void kg_import_formats_words(struct kg_text *text)
{
    for (size_t i = 0; kg_adapters[i]; i++)
        kg_text_printf(text, "%s%s", i ? " " : "", kg_adapters[i]->name);
}
