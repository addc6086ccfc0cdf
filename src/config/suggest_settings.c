#include "config/suggest_settings.h"

#include <string.h>

#include "config/suite_reader.h"

#define REAL(member)                                                                               \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_REAL, .optional = true,                                  \
        .offset = offsetof(struct kg_suggest_settings, member)                                     \
    }
#define COUNT(member)                                                                              \
    {                                                                                              \
        .name = #member, .kind = KG_FIELD_COUNT, .optional = true,                                 \
        .offset = offsetof(struct kg_suggest_settings, member)                                     \
    }
static const struct kg_field fields[] = {
    REAL(small_call_ns), REAL(large_call_ns), COUNT(batch_calls), COUNT(cache_calls),
    COUNT(memory_bytes), REAL(utilization),   REAL(gap_share),    REAL(wait_share),
    REAL(imbalance),     REAL(line_waste),    REAL(growth),       REAL(bound_share),
    REAL(attainable),    REAL(min_gain),
};
const struct kg_record kg_suggest_settings_record =
    KG_RECORD_OF(struct kg_suggest_settings, fields);

void kg_suggest_settings_complete(struct kg_suggest_settings *settings)
{
    for (size_t i = 0; i < kg_suggest_keys.count; i++) {
        const struct kg_key *key = &kg_suggest_keys.keys[i];
        if (!kg_key_holds(key, settings))
            kg_key_default(key, settings);
    }
}

/* As with a suite, in one of which nothing else is of use. */
static bool overrides_apply(struct kg_suite_reader *reader, const char *const *overrides,
                            size_t count)
{
    static const char prefix[] = "suggest.";
    for (size_t i = 0; i < count; i++) {
        const bool whole = !strncmp(overrides[i], prefix, sizeof prefix - 1);
        const char *text =
            kg_arena_printf(&reader->suite->arena, "%s%s", whole ? "" : prefix, overrides[i]);
        if (!text)
            return kg_error_memory(reader->err);
        if (!kg_suite_set(reader, text))
            return false;
    }
    return true;
}

bool kg_suggest_settings_set(struct kg_suggest_settings *settings, const char *const *overrides,
                             size_t count, struct kg_error *err)
{
    struct kg_suite suite = {.suggest = *settings};
    struct kg_suite_reader reader = {.suite = &suite, .err = err};
    kg_suggest_settings_complete(&suite.suggest);
    const bool good = overrides_apply(&reader, overrides, count);
    if (good)
        *settings = suite.suggest;
    kg_suite_free(&suite);
    return good;
}
