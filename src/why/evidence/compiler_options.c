#include "why/evidence/compiler_options.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* The words of a producer: "GNU", "C17", "12.2.0", "-O2". The first words name the compiler. */
struct words {
    const char *at; /* the text after the word */
    const char *word;
    size_t length;
};

static bool next_word(struct words *words)
{
    words->at += strspn(words->at, " ");
    words->word = words->at;
    words->length = strcspn(words->at, " ");
    words->at += words->length;
    return words->length > 0;
}

/* Options that do not affect speed. */
static bool is_neutral(const struct words *words)
{
    static const char *const neutral[] = {"-g",    "-std=", "-fPI",       "-fpi",   "-ffile-prefix",
                                          "-fasy", "-fdeb", "-fdiag",     "-fmac",  "-fstack-clash",
                                          "-fcf-", "-D",    "-frandom-s", "-fworki"};
    for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
        if (!strncmp(words->word, neutral[i], strlen(neutral[i])))
            return true;
    return false;
}

/* The last -O option decides; the compiler's default is -O0. */
static bool is_level(const struct words *words)
{
    return words->length >= 2 && !strncmp(words->word, "-O", 2);
}

static bool has_word(const char *producer, const struct words *wanted)
{
    struct words words = {.at = producer};
    while (next_word(&words))
        if (words.length == wanted->length && !strncmp(words.word, wanted->word, words.length))
            return true;
    return false;
}

static struct words level_of(const char *producer)
{
    static const char none[] = "-O0";
    struct words words = {.at = producer}, level = {.word = none, .length = sizeof none - 1};
    while (next_word(&words))
        if (is_level(&words))
            level = words;
    return level;
}

static bool same_word(const struct words *a, const struct words *b)
{
    return a->length == b->length && !strncmp(a->word, b->word, a->length);
}

/* Appends the options that `producer` has and `other` lacks. */
static void options_add(struct kg_text *text, const char *label, const char *producer,
                        const char *other)
{
    struct words words = {.at = producer};
    bool first = true;
    while (next_word(&words)) {
        if (words.word[0] != '-' || is_neutral(&words) || is_level(&words) ||
            has_word(other, &words))
            continue;
        kg_text_append(text, first && text->length ? ", " : "");
        kg_text_printf(text, "%s%.*s", first ? label : " ", (int)words.length, words.word);
        first = false;
    }
}

static void level_add(struct kg_text *text, const char *base, const char *candidate)
{
    const struct words old = level_of(base), new = level_of(candidate);
    if (same_word(&old, &new))
        return;
    if (!strncmp(new.word, "-O0", new.length))
        kg_text_printf(text, "built without %.*s", (int)old.length, old.word);
    else
        kg_text_printf(text, "built with %.*s instead of %.*s", (int)new.length, new.word,
                       (int)old.length, old.word);
}

/* Length of the compiler's name and version, up to the first option. */
static size_t name_length(const char *producer)
{
    const char *option = strstr(producer, " -");
    return option ? (size_t)(option - producer) : strlen(producer);
}

static void name_add(struct kg_text *text, const char *base, const char *candidate)
{
    const size_t old = name_length(base), new = name_length(candidate);
    if (old == new && !strncmp(base, candidate, old))
        return;
    kg_text_printf(text, "%sbuilt by %.*s instead of %.*s", text->length ? ", " : "", (int)new,
                   candidate, (int)old, base);
}

const char *kg_compiler_change(struct kg_arena *arena, const char *base, const char *candidate)
{
    struct kg_text text = {0};
    if (!base || !candidate)
        return NULL;
    level_add(&text, base, candidate);
    options_add(&text, "built with ", candidate, base);
    options_add(&text, "built without ", base, candidate);
    name_add(&text, base, candidate);
    const char *kept = text.length ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return kept;
}
