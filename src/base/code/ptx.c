/* The kernels of PTX, and the sizes of what they take. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/code/gpu_kernels.h"
#include "base/code/gpu_words.h"

/* --- Parameters -------------------------------------------------------------------------------- */

struct reading {
    struct kg_gpu_scanner scanner;
    const char *wanted;
    struct kg_arena *arena;
    struct kg_gpu_kernels *kernels;
    size_t names_capacity;
    struct kg_error *err;
};

static bool unexpected(const struct reading *reading, const struct kg_gpu_word *word,
                       const char *must)
{
    enum { SHOWN = 40 };
    const char *open = reading->scanner.open;
    if (!word->length && open)
        return kg_error_set(reading->err, KG_ERROR_USAGE, "is no PTX: line %u: a %s does not end",
                            reading->scanner.open_line, open);
    if (!word->length)
        return kg_error_set(reading->err, KG_ERROR_USAGE,
                            "is no PTX: it ends in line %u, where %s must stand", word->line, must);
    if (!isprint((unsigned char)*word->text))
        return kg_error_set(reading->err, KG_ERROR_USAGE,
                            "is no PTX: line %u has the byte 0x%02x where %s must stand",
                            word->line, (unsigned)(unsigned char)*word->text, must);
    return kg_error_set(reading->err, KG_ERROR_USAGE,
                        "is no PTX: line %u has '%.*s' where %s must stand", word->line,
                        (int)(word->length < SHOWN ? word->length : SHOWN), word->text, must);
}

/* Bytes of a fundamental type; 0 of what is none. */
static size_t type_bytes(const struct kg_gpu_word *word)
{
    static const struct {
        const char *types[10];
        size_t bytes;
    } rows[] = {
        {{".b8", ".u8", ".s8"}, 1},
        {{".b16", ".u16", ".s16", ".f16", ".bf16"}, 2},
        {{".b32", ".u32", ".s32", ".f32", ".f16x2", ".bf16x2", ".tf32"}, 4},
        {{".b64", ".u64", ".s64", ".f64"}, 8},
        {{".b128"}, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *const *type = rows[i].types; *type; type++)
            if (kg_gpu_word_is(word, *type))
                return rows[i].bytes;
    return 0;
}

/* The number of an array's elements, behind its '['; 0 where it is not said, or cannot be. */
static size_t elements_read(struct kg_gpu_scanner *scanner, struct kg_gpu_word *word)
{
    enum { DIGITS = 20, MOST = 1 << 20 };
    char digits[DIGITS + 1] = "";
    if (!kg_gpu_word_next(scanner, word) || word->length > DIGITS)
        return 0;
    memcpy(digits, word->text, word->length);
    const unsigned long long number = strtoull(digits, NULL, 0);
    return number <= MOST ? (size_t)number : 0;
}

/* .param .align 4 .b8 NAME[12], or .param .u64 .ptr .global .align 16 NAME
 * word  the first; on success the ',' or ')' behind */
static bool parameter_read(struct reading *reading, struct kg_gpu_word *word, size_t *bytes)
{
    static const char must[] = "a parameter of the kernel, or its ',' or ')',";
    size_t size = 0, elements = 1;
    if (!kg_gpu_word_is(word, ".param"))
        return unexpected(reading, word, "'.param' or ')'");
    while (kg_gpu_word_next(&reading->scanner, word)) {
        if (kg_gpu_word_is(word, ",") || kg_gpu_word_is(word, ")")) {
            *bytes = size * elements;
            return true;
        }
        if (kg_gpu_word_is(word, "["))
            elements = elements_read(&reading->scanner, word);
        else if (*word->text == '.')
            size = size ? size : type_bytes(word);
        else if (!kg_gpu_word_has(*word->text) && !kg_gpu_word_is(word, "]"))
            break;
    }
    return unexpected(reading, word, must);
}

/* Behind the '('. Those of the kernel that is wanted are kept. */
static bool parameters_read(struct reading *reading, struct kg_gpu_word *word, size_t **bytes,
                            size_t *count)
{
    size_t capacity = 0, one = 0;
    *count = 0;
    kg_gpu_word_next(&reading->scanner, word);
    while (!kg_gpu_word_is(word, ")")) {
        if (!parameter_read(reading, word, &one))
            return false;
        if (bytes) {
            if (!kg_arena_grow(reading->arena, bytes, *count, &capacity, sizeof **bytes))
                return kg_error_memory(reading->err);
            (*bytes)[*count] = one;
        }
        ++*count;
        if (kg_gpu_word_is(word, ",")) {
            kg_gpu_word_next(&reading->scanner, word);
            if (kg_gpu_word_is(word, ")"))
                return unexpected(reading, word, "'.param'");
        }
    }
    return true;
}

/* --- Kernels ----------------------------------------------------------------------------------- */

/* Behind name and parameters: directives, then '{'. A ';' makes it a declaration. */
static bool body_find(struct reading *reading, bool *defined)
{
    struct kg_gpu_word word;
    bool pragma = false;
    while (kg_gpu_word_next(&reading->scanner, &word)) {
        *defined = kg_gpu_word_is(&word, "{");
        if (*defined || (kg_gpu_word_is(&word, ";") && !pragma))
            return true;
        if (kg_gpu_word_is(&word, "}") || kg_gpu_word_is(&word, ".entry"))
            break;
        pragma = kg_gpu_word_is(&word, ".pragma") || (pragma && !kg_gpu_word_is(&word, ";"));
    }
    return unexpected(reading, &word, "the '{' of a kernel");
}

static bool kernel_keep(struct reading *reading, const struct kg_gpu_word *name, size_t *bytes,
                        size_t count)
{
    struct kg_gpu_kernels *kernels = reading->kernels;
    if (!kg_arena_grow(reading->arena, &kernels->names, kernels->count, &reading->names_capacity,
                       sizeof *kernels->names))
        return kg_error_memory(reading->err);
    const char *kept = kg_arena_copy_bytes(reading->arena, name->text, name->length);
    if (!kept)
        return kg_error_memory(reading->err);
    kernels->names[kernels->count++] = kept;
    if (!kg_gpu_word_is(name, reading->wanted))
        return true;
    kernels->found = kernels->parameters_known = true;
    kernels->parameter_bytes = bytes;
    kernels->parameter_count = count;
    return true;
}

/* Behind .entry; on success `defined` where a '{' has been read. */
static bool kernel_read(struct reading *reading, bool *defined)
{
    struct kg_gpu_scanner before;
    struct kg_gpu_word name, word;
    size_t *bytes = NULL, count = 0;
    if (!kg_gpu_word_next(&reading->scanner, &name) || !kg_gpu_word_has(*name.text))
        return unexpected(reading, &name, "the name of a kernel");
    before = reading->scanner;
    if (!kg_gpu_word_next(&reading->scanner, &word) || !kg_gpu_word_is(&word, "("))
        reading->scanner = before;
    else if (!parameters_read(reading, &word,
                              kg_gpu_word_is(&name, reading->wanted) ? &bytes : NULL, &count))
        return false;
    return body_find(reading, defined) && (!*defined || kernel_keep(reading, &name, bytes, count));
}

/* .version 8.0 .target sm_90: nothing may come before. */
static bool head_read(struct reading *reading)
{
    struct kg_gpu_word word;
    if (!kg_gpu_word_next(&reading->scanner, &word) || !kg_gpu_word_is(&word, ".version"))
        return unexpected(reading, &word, "'.version', such as '.version 8.0',");
    if (!kg_gpu_word_next(&reading->scanner, &word) || !isdigit((unsigned char)*word.text))
        return unexpected(reading, &word, "a version, such as 8.0,");
    if (!kg_gpu_word_next(&reading->scanner, &word) || *word.text != '.' || word.length < 2 ||
        !isdigit((unsigned char)word.text[1]))
        return unexpected(reading, &word, "the second number of the version");
    if (!kg_gpu_word_next(&reading->scanner, &word) || !kg_gpu_word_is(&word, ".target"))
        return unexpected(reading, &word, "'.target', such as '.target sm_90',");
    return (kg_gpu_word_next(&reading->scanner, &word) && kg_gpu_word_has(*word.text)) ||
           unexpected(reading, &word, "a target, such as sm_90,");
}

/* Kernels stand outside of all braces. */
static bool module_read(struct reading *reading)
{
    struct kg_gpu_word word;
    size_t depth = 0;
    unsigned opened = 0;
    while (kg_gpu_word_next(&reading->scanner, &word)) {
        bool defined = false;
        if (kg_gpu_word_is(&word, "}") && !depth)
            return unexpected(reading, &word, "a directive");
        if (!depth && kg_gpu_word_is(&word, ".entry") && !kernel_read(reading, &defined))
            return false;
        if ((defined || kg_gpu_word_is(&word, "{")) && !depth++)
            opened = word.line;
        depth -= kg_gpu_word_is(&word, "}");
    }
    if (reading->scanner.open)
        return unexpected(reading, &word, "");
    return !depth ||
           kg_error_set(reading->err, KG_ERROR_USAGE,
                        "is no PTX: the '{' of line %u is not closed: is the file whole?", opened);
}

bool kg_gpu_kernels_ptx(const char *text, size_t length, const char *wanted, struct kg_arena *arena,
                        struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    struct reading reading = {.scanner = kg_gpu_scanner_make(text, length),
                              .wanted = wanted,
                              .arena = arena,
                              .kernels = kernels,
                              .err = err};
    *kernels = (struct kg_gpu_kernels){0};
    return head_read(&reading) && module_read(&reading);
}
