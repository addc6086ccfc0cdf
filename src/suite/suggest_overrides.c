#include "suite/suggest_overrides.h"

#include <string.h>

#include "base/nearest.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

void kg_suggest_settings_complete(struct kg_suggest_settings *settings)
{
    for (size_t i = 0; i < kg_suggest_keys.count; i++) {
        const struct kg_key *key = &kg_suggest_keys.keys[i];
        if (!kg_key_holds(key, settings))
            kg_key_default(key, settings);
    }
}

/* Refuses a key that only a suite has. The error quotes the user's text without the added prefix. */
static bool foreign(struct kg_suite_reader *reader, const char *override, const char *name)
{
    enum { KEYS_MOST = 32 };
    const char *names[KEYS_MOST];
    size_t count = 0;
    char quoted[KG_QUOTE_BYTES], quoted_name[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    for (; count < kg_suggest_keys.count && count < KEYS_MOST; count++)
        names[count] = kg_suggest_keys.keys[count].name;
    kg_text_printf(
        &message,
        "--set %s: unknown key '%s'; for saved results only keys of `suggest:` are allowed",
        kg_quote(override, quoted), kg_quote(name, quoted_name));
    kg_suggest_append(&message, name, names, count, "known keys");
    kg_error_set(reader->err, KG_ERROR_USAGE, "%s", kg_text_string(&message));
    kg_text_free(&message);
    return false;
}

/* Applies the overrides as in a suite, with the prefix "suggest." added if it is missing. */
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
