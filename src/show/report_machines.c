/* report_machines.c: results of several machines as one, for tables and pictures over machines. A time of one machine
 * says nothing about another, so kgate shows them side by side and gives no verdict. */
#include <stdio.h>
#include <string.h>

#include "profiler/read/profile_load.h"
#include "show/format_parts.h"

/* The GPU if the results have cases on it; else the CPU. */
static const char *model_of(const struct kg_results *results)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&results->machine);
    for (size_t i = 0; i < results->case_count && gpu; i++)
        if (results->cases[i].round_count && !strcmp(results->cases[i].device, "cuda"))
            return gpu->name;
    return results->machine.cpu_model;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The model of the machine. If another file has it too: with the name of the file. */
static const char *name_of(const struct kg_report_file *file, const char *const *paths,
                           size_t index, struct kg_arena *arena)
{
    const char *model = model_of(&file->machines[index]);
    bool shared = !*model;
    for (size_t i = 0; i < file->machine_count; i++)
        shared = shared || (i != index && !strcmp(model_of(&file->machines[i]), model));
    return shared
               ? kg_arena_printf(arena, "%s%s%s", model, *model ? ", " : "", file_of(paths[index]))
               : model;
}

/* Appends the cases of a machine, each with the parameter `machine`. */
static void cases_append(const struct kg_results *from, const char *name, struct kg_arena *arena,
                         struct kg_results *into)
{
    for (size_t i = 0; i < from->case_count; i++) {
        struct kg_case_result *result = &into->cases[into->case_count++];
        *result = from->cases[i];
        result->params = kg_arena_alloc(arena, result->param_count + 1, sizeof *result->params);
        if (result->param_count)
            memcpy(result->params, from->cases[i].params,
                   result->param_count * sizeof *result->params);
        result->params[result->param_count++] = (struct kg_pair){KG_MACHINE_KEY, name};
    }
}

static void machines_join(const char *const *paths, struct kg_report_file *file)
{
    struct kg_results *all = &file->results;
    size_t count = 0;
    for (size_t i = 0; i < file->machine_count; i++)
        count += file->machines[i].case_count;
    *all = file->machines[0];
    all->arena = (struct kg_arena){0};
    all->mixed = true;
    all->profile = NULL;
    all->cases = kg_arena_alloc(&file->arena, count, sizeof *all->cases);
    all->case_count = 0;
    for (size_t i = 0; i < file->machine_count; i++)
        cases_append(&file->machines[i], name_of(file, paths, i, &file->arena), &file->arena, all);
}

/* Whether the file has results. A journal has no schema. */
static bool is_results(const char *path)
{
    char schema[64];
    struct kg_error ignored;
    return !kg_profile_is(path) &&
           (!kg_schema_peek(path, schema, &ignored) || kg_schema_is(KG_RESULTS_SCHEMA, schema));
}

static bool machines_load(const char *const *paths, size_t count, struct kg_report_file *file,
                          struct kg_error *err)
{
    file->machines = kg_arena_alloc(&file->arena, count, sizeof *file->machines);
    for (size_t i = 0; i < count; i++) {
        if (!is_results(paths[i]))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "kgate prints one file at a time, or results of several machines; "
                                "--format html shows several");
        if (!kg_results_load(paths[i], &file->machines[i], err))
            return false;
        file->machine_count++;
    }
    return true;
}

/* Whether the format can show several machines. */
static bool format_check(const struct kg_report_format *format, struct kg_error *err)
{
    static const char *const names[] = {"text", "markdown", "csv", "png", "svg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(format->name, names[i]))
            return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--format %s prints one file at a time; text, markdown, csv, png, svg and "
                        "html show several results",
                        format->name);
}

bool kg_report_machines_open(const struct kg_report_request *request, const char *const *paths,
                             size_t count, struct kg_report_file *file, struct kg_error *err)
{
    *file = (struct kg_report_file){
        .recording = -1,
        .request = *request,
        .subject = {.style = request->style, .plot = request->plot, .top = KG_REPORT_TOP_USUAL}};
    struct kg_report_request *own = &file->request;
    file->subject.axis = &own->sweep;
    if (!kg_report_options_check(request, true, err))
        return false;
    file->format = kg_report_format_find(KG_RESULTS_SCHEMA, request->format, err);
    if (!file->format || !format_check(file->format, err) ||
        !machines_load(paths, count, file, err))
        return false;
    if (!own->sweep.by && (file->format->document || file->format->page))
        own->sweep.by = KG_MACHINE_KEY;
    machines_join(paths, file);
    return kg_report_results_prepare(own, file, err);
}
