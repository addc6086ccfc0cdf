#include "config/suggest_settings.h"

#include <string.h>

#include "config/suite_message.h"
#include "config/suite_reader.h"
#include "util/nearest.h"

#define STRUCT kg_suggest_settings
static const struct kg_field fields[] = {
    KG_FIELD(small_call_ns, REAL, "a call that takes less is small", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(large_call_ns, REAL,
             "a call on the CPU that takes more may be worth the way to the GPU", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(batch_calls, COUNT, "calls in sequence that may be made one", KG_OPTIONAL),
    KG_FIELD(cache_calls, COUNT, "small calls from which on keeping results may be cheaper",
             KG_OPTIONAL),
    KG_FIELD(memory_bytes, COUNT, "memory of which more is asked why", KG_OPTIONAL),
    KG_FIELD(utilization, REAL,
             "share of the cores, or of what the GPU can hold, under which parallelism is missing",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gap_share, REAL, "share of the time spent on starting work", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(wait_share, REAL, "share of the time spent on waiting or on transfers", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(imbalance, REAL, "how much more than an even share the busiest thread may have to do",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(line_waste, REAL, "cache lines beyond the bytes that the work needs, over those bytes",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(growth, REAL, "by how much the exponent that time grows with may be above the work's",
             KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(bound_share, REAL, "share of a roof from which on it is what limits", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(attainable, REAL, "share of a roof that a well-made kernel reaches", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(min_gain, REAL, "least share of the time that a suggestion must save", KG_OPTIONAL,
             KG_FROM_0),
};
const struct kg_record kg_suggest_settings_record =
    KG_RECORD_OF(fields, "The suite's thresholds for suggestions; 0: the default.");
#undef STRUCT

void kg_suggest_settings_complete(struct kg_suggest_settings *settings)
{
    for (size_t i = 0; i < kg_suggest_keys.count; i++) {
        const struct kg_key *key = &kg_suggest_keys.keys[i];
        if (!kg_key_holds(key, settings))
            kg_key_default(key, settings);
    }
}

/* A key that only a suite has: what was typed is what is answered about. */
static bool foreign(struct kg_suite_reader *reader, const char *override, const char *name)
{
    enum { KEYS_MOST = 32 };
    const char *names[KEYS_MOST];
    size_t count = 0;
    char quoted[KG_QUOTE_BYTES], quoted_name[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    for (; count < kg_suggest_keys.count && count < KEYS_MOST; count++)
        names[count] = kg_suggest_keys.keys[count].name;
    kg_text_printf(&message,
                   "--set %s: unknown key '%s': saved results have only those of `suggest:`",
                   kg_quote(override, quoted), kg_quote(name, quoted_name));
    kg_suggest_append(&message, name, names, count, "known keys");
    const bool good = !message.failed;
    if (good)
        kg_error_set(reader->err, KG_ERROR_USAGE, "%s", kg_text_string(&message));
    kg_text_free(&message);
    return good ? false : kg_error_memory(reader->err);
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
        const char *name = kg_arena_printf(&reader->suite->arena, "%.*s",
                                           (int)strcspn(overrides[i], "="), overrides[i]);
        if (!text || !name)
            return kg_error_memory(reader->err);
        if (!whole && strlen(name) < strlen(overrides[i]) && !kg_key_find(&kg_suggest_keys, name))
            return foreign(reader, overrides[i], name);
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
