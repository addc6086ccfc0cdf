#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "why/suggestions.h"

/* Reads words separated by commas, with or without blanks. Sets a bit per word, by its index in
 * `names`. Without text all bits are set. */
static bool words_read(const char *what, const char *text, const char *const *names, size_t count,
                       unsigned *bits, struct kg_error *err)
{
    *bits = text ? 0 : ~0U;
    while (text) {
        char word[64];
        text += strspn(text, " \t");
        const size_t whole = strcspn(text, ",");
        size_t length = whole;
        while (length && strchr(" \t", text[length - 1]))
            length--;
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 63, text);
        const size_t n = kg_word_index(word, names, count);
        if (n == count)
            return kg_error_unknown(err, word, names, count, "there is no %s '%.60s'", what, word);
        *bits |= 1U << n;
        text = text[whole] ? text + whole + 1 : NULL;
    }
    return true;
}

/* Whether a filter matches the operation or its case. */
static bool matches(const char *filter, const char *operation, const char *whole)
{
    return !filter || fnmatch(filter, operation, 0) == 0 ||
           (whole && fnmatch(filter, whole, 0) == 0);
}

/* Removes changes, findings and suggestions of operations that do not match. */
static bool operations_keep(struct kg_suggestions *suggestions, const char *filter,
                            struct kg_error *err)
{
    const size_t looked_at = suggestions->finding_count;
    size_t findings = 0, changes = 0, differences = 0, count = 0;
    for (size_t i = 0; i < suggestions->finding_count; i++)
        if (matches(filter, suggestions->findings[i].operation, NULL))
            suggestions->findings[findings++] = suggestions->findings[i];
    for (size_t i = 0; i < suggestions->change_count; i++)
        if (matches(filter, suggestions->changes[i].operation, NULL))
            suggestions->changes[changes++] = suggestions->changes[i];
    for (size_t i = 0; i < suggestions->difference_count; i++)
        if (matches(filter, suggestions->differences[i].operation, NULL))
            suggestions->differences[differences++] = suggestions->differences[i];
    for (size_t i = 0; i < suggestions->suggestion_count; i++)
        if (matches(filter, suggestions->suggestions[i].operation,
                    suggestions->suggestions[i].whole))
            suggestions->suggestions[count++] = suggestions->suggestions[i];
    suggestions->finding_count = findings;
    suggestions->change_count = changes;
    suggestions->difference_count = differences;
    suggestions->suggestion_count = count;
    return !filter || findings || changes || count ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "--filter '%.200s' matches none of the %zu operation%s, and no scope with "
                        "a suggestion",
                        filter, looked_at, looked_at == 1 ? "" : "s");
}

bool kg_suggestions_keep(struct kg_suggestions *suggestions, const struct kg_suggest_wanted *wanted,
                         struct kg_error *err)
{
    unsigned priorities, types;
    size_t fitting = 0;
    if (!words_read("priority", wanted->priority, kg_priority_names, KG_PRIORITY_COUNT, &priorities,
                    err) ||
        !words_read("type", wanted->type, kg_suggestion_type_names, KG_TYPE_COUNT, &types, err) ||
        !operations_keep(suggestions, wanted->filter, err))
        return false;
    for (size_t i = 0; i < suggestions->suggestion_count; i++) {
        const struct kg_suggestion *suggestion = &suggestions->suggestions[i];
        if ((priorities & 1U << suggestion->priority) && (types & 1U << suggestion->type))
            suggestions->suggestions[fitting++] = *suggestion;
    }
    suggestions->left_out_count = suggestions->suggestion_count - fitting;
    suggestions->suggestion_count = wanted->top && wanted->top < fitting ? wanted->top : fitting;
    return true;
}
