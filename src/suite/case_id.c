#include "suite/case_id.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/cuda_call.h"

const char *kg_case_id(struct kg_arena *arena, const struct kg_case *planned)
{
    struct kg_text text = {0};
    kg_text_append(&text, planned->spec->name);
    for (size_t i = 0; i < planned->param_count; i++)
        kg_text_printf(&text, "%c%s=%s", i ? ',' : '/', planned->params[i].name,
                       planned->params[i].value);
    if (kg_case_on_stream(planned) && planned->timing != KG_TIMING_COLD)
        kg_text_printf(&text, "%ctiming=%s", planned->param_count ? ',' : '/',
                       kg_timing_names[planned->timing]);
    kg_text_printf(&text, "/%s", kg_device_names[planned->device]);
    const char *id = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return id;
}

/* Hashes the settings as the suite writes them, with unexpanded {parameters}. The suite's folder is not part of the
 * hash. A missing setting leaves the hash unchanged.
 * input  path of the file for standard input; the hash covers the content of the file */
static uint64_t setting_hash(uint64_t hash, const struct kg_command_setting *setting,
                             const char *input)
{
    char content[17];
    for (size_t i = 0; i < setting->environment_count; i++) {
        hash = kg_hash_string(hash, setting->environment[i].name);
        hash = kg_hash_string(hash, setting->environment[i].value);
    }
    const struct {
        const char *key, *value;
    } paths[] = {
        {"format", setting->format}, {"directory", setting->directory}, {"stdin", setting->input}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i].value)
            hash = kg_hash_string(kg_hash_string(hash, paths[i].key), paths[i].value);
    if (input && kg_file_is_regular(input) && kg_file_hash(input, content))
        hash = kg_hash_string(hash, content);
    const struct {
        const char *key, **words;
        size_t count;
    } commands[] = {{"setup", setting->setup, setting->setup_count},
                    {"cleanup", setting->cleanup, setting->cleanup_count}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t w = 0; w < commands[i].count; w++)
            hash = kg_hash_string(w ? hash : kg_hash_string(hash, commands[i].key),
                                  commands[i].words[w]);
    for (size_t i = 0; i < setting->figure_count; i++) {
        const struct kg_output_figure *figure = &setting->figures[i];
        const char *const texts[] = {figure->name, figure->json, figure->regex, figure->file};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            hash = kg_hash_string(hash, texts[t] ? texts[t] : "");
    }
    return setting->exit_code_count
               ? kg_hash_bytes(hash, setting->exit_codes,
                               setting->exit_code_count * sizeof *setting->exit_codes)
               : hash;
}

/* Hashes the call of a CUDA source: the suite's texts with the parameters' values. The code of a CUDA source or plugin
 * is not part of the definition, because kgate measures changes of the code. */
static uint64_t call_hash(uint64_t hash, const struct kg_cuda_call *given)
{
    struct kg_cuda_call call = *given;
    call.folder = NULL;
    struct kg_text text = {0};
    kg_record_compact(&kg_cuda_call_record, &call, &text);
    hash = kg_hash_string(hash, kg_text_string(&text));
    kg_text_free(&text);
    return hash;
}

const char *kg_case_definition_hash(struct kg_arena *arena, const struct kg_case *planned,
                                    const struct kgate_workload *kernel)
{
    const struct kg_workload_spec *spec = planned->spec;
    uint64_t hash = kg_hash_string(KG_HASH_START, kg_source_names[spec->source]);
    /* the target of a command is its first word, which is hashed below */
    hash = kg_hash_string(hash, planned->command_count ? "" : spec->target);
    hash = kg_hash_string(hash, spec->entry ? spec->entry : "");
    for (size_t i = 0; i < planned->command_count; i++)
        hash = kg_hash_string(hash, planned->command[i]);
    hash = setting_hash(hash, &spec->setting, planned->setting.input);
    for (size_t i = 0; i < planned->param_count; i++) {
        hash = kg_hash_string(hash, planned->params[i].name);
        hash = kg_hash_string(hash, planned->params[i].value);
    }
    hash = kg_hash_string(hash, kg_device_names[planned->device]);
    if (kg_case_on_stream(planned))
        hash = kg_hash_string(hash, kg_timing_names[planned->timing]);
    const uint64_t numbers[] = {kernel ? kernel->revision : 0, spec->settings.threads,
                                spec->settings.seed};
    hash = kg_hash_bytes(hash, numbers, sizeof numbers);
    if (spec->settings.warmup)
        hash = kg_hash_bytes(hash, &spec->settings.warmup, sizeof spec->settings.warmup);
    if (planned->call)
        hash = call_hash(hash, planned->call);
    return kg_arena_printf(arena, "%016" PRIx64, hash);
}

/* Two cases with the same id would be compared with each other's baseline. */
bool kg_case_ids_unique(struct kg_plan *plan, const char *path, struct kg_error *err)
{
    const char **ids = kg_arena_alloc(&plan->arena, plan->case_count, sizeof *ids);
    for (size_t i = 0; i < plan->case_count; i++)
        ids[i] = plan->cases[i].id;
    const char *repeated = kg_strings_repeated(ids, plan->case_count);
    return !repeated ||
           kg_error_at(err, path, 0, 0,
                       "two cases have the id '%s'; remove one of the equal values", repeated);
}
