#include "plan/case_id.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/text.h"

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
    const char *id = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return id;
}

const char *kg_case_definition_hash(struct kg_arena *arena, const struct kg_case *planned,
                                    const struct kgate_workload *kernel)
{
    const struct kg_workload_spec *spec = planned->spec;
    uint64_t hash = kg_hash_string(KG_HASH_START, kg_source_names[spec->source]);
    /* a command's target is the first of its words */
    hash = kg_hash_string(hash, planned->command_count ? "" : spec->target);
    hash = kg_hash_string(hash, spec->entry ? spec->entry : "");
    for (size_t i = 0; i < planned->command_count; i++)
        hash = kg_hash_string(hash, planned->command[i]);
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
    return kg_arena_printf(arena, "%016" PRIx64, hash);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two cases with the same id would be compared with each other's baseline. */
bool kg_case_ids_unique(struct kg_plan *plan, const char *path, struct kg_error *err)
{
    const char **ids = kg_arena_alloc(&plan->arena, plan->case_count, sizeof *ids);
    if (!ids)
        return kg_error_memory(err);
    for (size_t i = 0; i < plan->case_count; i++)
        ids[i] = plan->cases[i].id;
    qsort(ids, plan->case_count, sizeof *ids, compare_ids);
    for (size_t i = 1; i < plan->case_count; i++)
        if (!strcmp(ids[i], ids[i - 1]))
            return kg_error_at(err, path, 0, 0,
                               "two cases have the id '%s'; take one of the equal values out",
                               ids[i]);
    return true;
}
