#include "judge/code_words.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

static bool has(const struct kg_code_identity *code, const char *library)
{
    return kg_word_is_among(library, code->libraries, code->library_count);
}

/* Whether an earlier library of `code` has the same name and also differs from the other side. Each name is printed
 * once. */
static bool is_printed(const struct kg_code_identity *code, const struct kg_code_identity *other,
                       size_t index)
{
    const size_t length = kg_code_library_name(code->libraries[index]);
    for (size_t i = 0; i < index; i++)
        if (kg_code_library_name(code->libraries[i]) == length &&
            !strncmp(code->libraries[i], code->libraries[index], length) &&
            !has(other, code->libraries[i]))
            return true;
    return false;
}

static bool has_name(const struct kg_code_identity *code, const char *library)
{
    const size_t length = kg_code_library_name(library);
    for (size_t i = 0; i < code->library_count; i++)
        if (kg_code_library_name(code->libraries[i]) == length &&
            !strncmp(code->libraries[i], library, length))
            return true;
    return false;
}

/* Appends names of libraries that the other side lacks or has in another version.
 * only_gone  append only names that the other side lacks
 * returns    `count` plus the number of appended names */
static size_t names_append(struct kg_text *text, const struct kg_code_identity *code,
                           const struct kg_code_identity *other, bool only_gone, size_t count)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < code->library_count; i++) {
        const char *library = code->libraries[i];
        if (has(other, library) || is_printed(code, other, i) ||
            (only_gone && has_name(other, library)))
            continue;
        if (count < MOST)
            kg_text_printf(text, "%s%.*s", count ? ", " : "", (int)kg_code_library_name(library),
                           library);
        count++;
    }
    return count;
}

static const char *libraries_words(struct kg_arena *arena, const struct kg_code_identity *now,
                                   const struct kg_code_identity *before)
{
    struct kg_text names = {0};
    size_t count = names_append(&names, now, before, false, 0);
    count = names_append(&names, before, now, true, count);
    const char *words =
        count > 3
            ? kg_arena_printf(arena, "the code is unchanged, but %zu libraries changed: %s, …",
                              count, kg_text_string(&names))
            : kg_arena_printf(arena, "the code is unchanged, but %s changed: %s",
                              count == 1 ? "a library" : "libraries", kg_text_string(&names));
    kg_text_free(&names);
    return words;
}

static const char *same_words(struct kg_arena *arena, const struct kg_code_identity *now,
                              const char *rest)
{
    if (now->library_count == 0)
        return kg_arena_printf(arena, "the code is unchanged%s", rest);
    if (now->library_count == 1)
        return kg_arena_printf(arena, "the code and its library are unchanged%s", rest);
    return kg_arena_printf(arena, "the code and its %zu libraries are unchanged%s",
                           now->library_count, rest);
}

const char *kg_code_words(struct kg_arena *arena, const struct kg_code_identity *now,
                          const struct kg_code_identity *before)
{
    switch (kg_code_match(now, before)) {
    case KG_CODE_OTHER:
        return "the code changed";
    case KG_CODE_OTHER_LIBRARIES:
        return libraries_words(arena, now, before);
    case KG_CODE_SAME_FILE:
        return "the code is unchanged, kgate did not check its libraries";
    case KG_CODE_SAME_OPEN:
        return same_words(arena, now,
                          ", kgate did not check code that the program loads or starts later");
    case KG_CODE_SAME_READING:
        return same_words(arena, now, ", kgate did not check files that the program may open");
    case KG_CODE_SAME:
        return same_words(arena, now, "");
    default:
        return NULL;
    }
}
