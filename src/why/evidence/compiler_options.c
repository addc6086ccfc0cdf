#include "why/evidence/compiler_options.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Speed never depends on neutral options, much on decisive ones, and on others seldom. */
enum weight { NEUTRAL, OTHER, DECISIVE };

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

static const char *const neutral[] = {"-g",    "-std=", "-fPI",       "-fpi",    "-ffile-prefix",
                                      "-fasy", "-fdeb", "-fdiag",     "-fmac",   "-fstack-clash",
                                      "-fcf-", "-D",    "-frandom-s", "-fworki", NULL};

/* Starts of decisive options. Each also stands for its opposite, such as -fno-inline. */
static const char *const decisive[] = {
    "-fsanitize",
    "-flto",
    "-fopenmp",
    /* instrumentation */
    "-pg",
    "-fprofile-arcs",
    "-finstrument-functions",
    "-ftrapv",
    "-march=",
    "-mtune=",
    "-mcpu=",
    /* vectors */
    "-msse",
    "-mssse",
    "-mavx",
    "-mfma",
    "-mf16c",
    "-mprefer-vector-width",
    "-ftree-vectorize",
    "-ftree-loop-vectorize",
    "-ftree-slp-vectorize",
    "-fvectorize",
    "-fslp-vectorize",
    "-fvect-cost-model",
    "-fsimd-cost-model",
    /* loops and calls */
    "-funroll",
    "-finline",
    /* parts of -ffast-math */
    "-ffast-math",
    "-funsafe-math",
    "-ffinite-math",
    "-fmath-errno",
    "-fassociative-math",
    "-freciprocal-math",
    "-fsigned-zeros",
    "-ftrapping-math",
    "-frounding-math",
    "-fsignaling-nans",
    "-fcx-limited-range",
    "-fexcess-precision",
    "-ffp-contract",
    NULL,
};

static bool begins(const struct words *words, const char *start)
{
    const size_t length = strlen(start);
    return words->length >= length && !strncmp(words->word, start, length);
}

/* Whether the word is the opposite of an option with this start: "-mno-avx" of "-mavx". */
static bool begins_opposite(const struct words *words, const char *start)
{
    const size_t kind = strlen("-m"), no = strlen("no-");
    const struct words rest = {.word = words->word + kind + no,
                               .length = words->length - kind - no};
    return words->length > kind + no && !strncmp(words->word, start, kind) &&
           !strncmp(words->word + kind, "no-", no) && begins(&rest, start + kind);
}

static enum weight weight_of(const struct words *words)
{
    for (size_t i = 0; neutral[i]; i++)
        if (begins(words, neutral[i]))
            return NEUTRAL;
    for (size_t i = 0; decisive[i]; i++)
        if (begins(words, decisive[i]) || begins_opposite(words, decisive[i]))
            return DECISIVE;
    return OTHER;
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

static const struct words LEVEL_0 = {.word = "-O0", .length = 3};
static const struct words LEVEL_1 = {.word = "-O1", .length = 3};

static struct words level_of(const char *producer)
{
    struct words words = {.at = producer}, level = LEVEL_0;
    while (next_word(&words))
        if (is_level(&words))
            level = words.length == 2 ? LEVEL_1 : words; /* -O is -O1 */
    return level;
}

static bool same_word(const struct words *a, const struct words *b)
{
    return a->length == b->length && !strncmp(a->word, b->word, a->length);
}

/* Appends the options of this weight that `producer` has and `other` lacks. */
static void options_add(struct kg_text *text, enum weight weight, const char *label,
                        const char *producer, const char *other)
{
    struct words words = {.at = producer};
    bool first = true;
    while (next_word(&words)) {
        if (words.word[0] != '-' || is_level(&words) || weight_of(&words) != weight ||
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
    if (same_word(&new, &LEVEL_0))
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

/* GCC's name has the language as its second word: "GNU C17 12.2.0". Another language standard is
 * no other compiler.
 * returns  length of the first two words; 0: not GCC */
static size_t language_end(const char *producer)
{
    static const char gcc[] = "GNU ";
    const size_t start = sizeof gcc - 1;
    return strncmp(producer, gcc, start) ? 0 : start + strcspn(producer + start, " ");
}

static void name_add(struct kg_text *text, const char *base, const char *candidate)
{
    const size_t old = name_length(base), new = name_length(candidate);
    const size_t old_start = language_end(base), new_start = language_end(candidate);
    if (old - old_start == new - new_start &&
        !strncmp(base + old_start, candidate + new_start, old - old_start))
        return;
    kg_text_printf(text, "%sbuilt by %.*s instead of %.*s", text->length ? ", " : "", (int)new,
                   candidate, (int)old, base);
}

static const char *kept(struct kg_arena *arena, struct kg_text *text)
{
    const char *copy = text->length ? kg_arena_copy(arena, kg_text_string(text)) : NULL;
    kg_text_free(text);
    return copy;
}

const char *kg_compiler_change(struct kg_arena *arena, const char *base, const char *candidate)
{
    struct kg_text text = {0};
    if (!base || !candidate)
        return NULL;
    level_add(&text, base, candidate);
    options_add(&text, DECISIVE, "built with ", candidate, base);
    options_add(&text, DECISIVE, "built without ", base, candidate);
    name_add(&text, base, candidate);
    return kept(arena, &text);
}

const char *kg_compiler_other_options(struct kg_arena *arena, const char *base,
                                      const char *candidate)
{
    struct kg_text text = {0};
    if (!base || !candidate)
        return NULL;
    options_add(&text, OTHER, "built with ", candidate, base);
    options_add(&text, OTHER, "built without ", base, candidate);
    return kept(arena, &text);
}
