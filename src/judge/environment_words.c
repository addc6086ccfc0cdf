#include "judge/environment_words.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

/* Returns a variable's value; NULL if the variable is not set. */
static const char *value_of(const struct kg_environment *environment, const char *name)
{
    for (size_t i = 0; i < environment->count; i++)
        if (!strcmp(environment->variables[i].name, name))
            return environment->variables[i].value;
    return NULL;
}

static bool case_sets(const struct kg_case_result *result, const char *name)
{
    return kg_word_is_among(name, result->own_variables, result->own_variable_count);
}

struct sides {
    const struct kg_results *results;
    const struct kg_case_result *result;
    const struct kg_environment *now, *before;
};

/* Whether the case inherits the variable from kgate's environment. Without a case: whether any case does. */
static bool is_callers(const struct sides *sides, const char *name)
{
    if (sides->result)
        return !case_sets(sides->result, name);
    for (size_t i = 0; i < sides->results->case_count; i++)
        if (!case_sets(&sides->results->cases[i], name))
            return true;
    return false;
}

static bool overridden(const struct sides *sides, const char *name)
{
    static const char ALL[] = "LC_ALL";
    const char *now = value_of(sides->now, ALL), *before = value_of(sides->before, ALL);
    if (!kg_environment_of_locale(name) || !strcmp(name, ALL))
        return false;
    return !is_callers(sides, ALL) || (now && before && !strcmp(now, before));
}

static void value_append(struct kg_text *text, const char *value)
{
    if (!value)
        kg_text_append(text, "not set");
    else if (strstr(value, KG_ENVIRONMENT_HASH))
        kg_text_printf(text, "set (%.80s)", value);
    else
        kg_text_printf(text, "'%.80s'", value);
}

/* Describes the variable if it differs, unless `print` is false. Returns whether it differs. */
static bool variable_append(const struct sides *sides, const char *name, bool print,
                            struct kg_text *text)
{
    const char *now = value_of(sides->now, name), *before = value_of(sides->before, name);
    const bool same = now && before ? !strcmp(now, before) : !now && !before;
    if (same || !is_callers(sides, name) || overridden(sides, name))
        return false;
    if (!print)
        return true;
    kg_text_printf(text, "%s%.64s is ", text->length ? "; " : "", name);
    value_append(text, now);
    kg_text_append(text, " here, was ");
    value_append(text, before);
    return true;
}

const char *kg_environment_words(struct kg_arena *arena, const struct kg_results *results,
                                 const struct kg_case_result *result,
                                 const struct kg_baseline_run *run)
{
    enum { MOST = 4 };
    const struct sides sides = {results, result, &results->environment, &run->environment};
    struct kg_text text = {0};
    size_t count = 0;
    if (!sides.now->known || !sides.before->known)
        return NULL;
    for (size_t i = 0; i < sides.now->count; i++)
        count += variable_append(&sides, sides.now->variables[i].name, count < MOST, &text);
    for (size_t i = 0; i < sides.before->count; i++)
        if (!value_of(sides.now, sides.before->variables[i].name))
            count += variable_append(&sides, sides.before->variables[i].name, count < MOST, &text);
    if (count > MOST)
        kg_text_printf(&text, "; and %zu more variable%s", count - MOST,
                       count == MOST + 1 ? "" : "s");
    const char *words = kg_arena_keep(arena, text.data);
    kg_text_free(&text);
    return words;
}
