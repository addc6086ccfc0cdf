#include "why/rules/rules.h"

#include <string.h>

#include "why/evidence/known_functions.h"

/* --- Comparison of a row's words with names --------------------------------------------------- */

typedef bool (*fitting)(const char *name, const char *word, size_t length);

static bool begins(const char *name, const char *word, size_t length)
{
    return !strncmp(name, word, length);
}

static bool equals(const char *name, const char *word, size_t length)
{
    return !strncmp(name, word, length) && !name[length];
}

static bool has(const char *name, const char *word, size_t length)
{
    for (; *name; name++)
        if (!strncmp(name, word, length))
            return true;
    return false;
}

static bool any_fits(const char *words, const char *name, fitting fits)
{
    while (*words) {
        const size_t length = strcspn(words, "|");
        if (fits(name, words, length))
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

static bool function_fits(const char *words, const struct kg_cause *cause)
{
    return cause->seen && cause->seen->function &&
           any_fits(words, kg_function_plain(cause->seen->function), begins);
}

static bool call_fits(const char *words, const struct kg_cause *cause)
{
    return cause->in_call && (!words || any_fits(words, cause->in_call, equals));
}

static bool code_fits(const char *words, const struct kg_hot_loop *loop)
{
    for (size_t i = 0; loop && i < loop->code_count; i++)
        if (any_fits(words, loop->code[i], has))
            return true;
    return false;
}

static bool is_of_whole_numbers(const struct kg_hot_loop *loop)
{
    return loop && !(loop->scalar_floats > 0) && !(loop->vector_floats > 0);
}

/* --- The library that starts threads ---------------------------------------------------------- */

static bool is_of_openmp(const struct kg_place *place)
{
    static const char *const libraries[] = {"libgomp", "libomp", "libiomp"};
    for (size_t i = 0; place->module && i < sizeof libraries / sizeof *libraries; i++)
        if (!strncmp(place->module, libraries[i], strlen(libraries[i])))
            return true;
    return place->function &&
           (strstr(place->function, "._omp_fn.") || strstr(place->function, "omp_outlined"));
}

static bool uses_openmp(const struct kg_hot *hot)
{
    for (size_t i = 0; hot && i < hot->sampled.stack_count; i++)
        for (size_t f = 0; f < hot->sampled.stacks[i].frame_count; f++)
            if (is_of_openmp(&hot->sampled.stacks[i].frames[f]))
                return true;
    return false;
}

/* --- The row ---------------------------------------------------------------------------------- */

static bool fits(const struct kg_sketch *row, const struct kg_facts *facts,
                 const struct kg_cause *cause)
{
    switch (row->by) {
    case KG_BY_FUNCTION:
        return function_fits(row->words, cause);
    case KG_BY_CALL:
        return call_fits(row->words, cause);
    case KG_BY_CODE:
        return code_fits(row->words, cause->loop);
    case KG_BY_LOOP:
        return cause->loop != NULL;
    case KG_BY_WHOLE_NUMBERS:
        return is_of_whole_numbers(cause->loop);
    case KG_BY_OPENMP:
        return uses_openmp(facts->hot);
    case KG_BY_THREADS:
        return facts->hot && facts->hot->sampled.stack_count && !uses_openmp(facts->hot);
    default:
        return false;
    }
}

const struct kg_sketch *kg_sketch_of(const struct kg_sketch *rows, const struct kg_facts *facts,
                                     const struct kg_cause *cause)
{
    for (const struct kg_sketch *row = rows; row && row->by; row++)
        if (fits(row, facts, cause))
            return row;
    return NULL;
}

void kg_sketch_text(const char *words, const struct kg_cause *cause, struct kg_text *text)
{
    static const char NAME[] = "{call}";
    for (const char *found; (found = strstr(words, NAME)); words = found + sizeof NAME - 1) {
        kg_text_append_bytes(text, words, (size_t)(found - words));
        kg_text_append(text, cause->in_call ? cause->in_call : "it");
    }
    kg_text_append(text, words);
}
