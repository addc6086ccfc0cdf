/* The kernels of PTX, and the sizes of what they take. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code/gpu_kernels.h"

/* --- Words ------------------------------------------------------------------------------------- */

struct scanner {
    const char *at, *end;
    unsigned line;
    const char *open; /* "comment" or "string" where one does not end; NULL */
    unsigned open_line;
};

/* A word, a directive with its dot, a string's quotation mark, or one other character. */
struct token {
    const char *text;
    size_t length; /* 0: the end */
    unsigned line;
};

static void skip_to(struct scanner *scanner, const char *to)
{
    for (; scanner->at < to; scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Behind the mark that closes what begins here. */
static void closed_skip(struct scanner *scanner, size_t begin, const char *mark, const char *what)
{
    const size_t left = (size_t)(scanner->end - scanner->at);
    const char *from = scanner->at + begin;
    const char *found = left > begin ? memmem(from, left - begin, mark, strlen(mark)) : NULL;
    if (!found) {
        scanner->open = what;
        scanner->open_line = scanner->line;
    }
    skip_to(scanner, found ? found + strlen(mark) : scanner->end);
}

static void line_skip(struct scanner *scanner)
{
    const char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    scanner->at = end ? end : scanner->end;
}

static bool begins(const struct scanner *scanner, const char *mark)
{
    return (size_t)(scanner->end - scanner->at) >= strlen(mark) &&
           !memcmp(scanner->at, mark, strlen(mark));
}

/* Blanks, comments, and lines of a preprocessor. */
static void blanks_skip(struct scanner *scanner)
{
    while (scanner->at < scanner->end) {
        if (isspace((unsigned char)*scanner->at))
            skip_to(scanner, scanner->at + 1);
        else if (begins(scanner, "/*"))
            closed_skip(scanner, 2, "*/", "comment");
        else if (begins(scanner, "//") || begins(scanner, "#"))
            line_skip(scanner);
        else
            return;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool token_next(struct scanner *scanner, struct token *token)
{
    blanks_skip(scanner);
    *token = (struct token){.text = scanner->at, .line = scanner->line};
    if (scanner->at == scanner->end)
        return false;
    const char first = *scanner->at;
    token->length = 1;
    if (first == '"') {
        closed_skip(scanner, 1, "\"", "string");
        return true;
    }
    scanner->at++;
    while ((first == '.' || is_word(first)) && scanner->at < scanner->end && is_word(*scanner->at))
        scanner->at++;
    token->length = (size_t)(scanner->at - token->text);
    return true;
}

static bool token_is(const struct token *token, const char *word)
{
    return token->length == strlen(word) && !memcmp(token->text, word, token->length);
}

/* --- Parameters -------------------------------------------------------------------------------- */

struct reading {
    struct scanner scanner;
    const char *wanted;
    struct kg_arena *arena;
    struct kg_gpu_kernels *kernels;
    size_t names_capacity;
    struct kg_error *err;
};

static bool unexpected(const struct reading *reading, const struct token *token, const char *must)
{
    enum { SHOWN = 40 };
    const char *open = reading->scanner.open;
    if (!token->length && open)
        return kg_error_set(reading->err, KG_ERROR_USAGE, "is no PTX: line %u: a %s does not end",
                            reading->scanner.open_line, open);
    if (!token->length)
        return kg_error_set(reading->err, KG_ERROR_USAGE,
                            "is no PTX: it ends in line %u, where %s must stand", token->line,
                            must);
    if (!isprint((unsigned char)*token->text))
        return kg_error_set(reading->err, KG_ERROR_USAGE,
                            "is no PTX: line %u has the byte 0x%02x where %s must stand",
                            token->line, (unsigned)(unsigned char)*token->text, must);
    return kg_error_set(reading->err, KG_ERROR_USAGE,
                        "is no PTX: line %u has '%.*s' where %s must stand", token->line,
                        (int)(token->length < SHOWN ? token->length : SHOWN), token->text, must);
}

/* Bytes of a fundamental type; 0 of what is none. */
static size_t type_bytes(const struct token *token)
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
            if (token_is(token, *type))
                return rows[i].bytes;
    return 0;
}

/* The number of an array's elements, behind its '['; 0 where it is not said, or cannot be. */
static size_t elements_read(struct scanner *scanner, struct token *token)
{
    enum { DIGITS = 20, MOST = 1 << 20 };
    char digits[DIGITS + 1] = "";
    if (!token_next(scanner, token) || token->length > DIGITS)
        return 0;
    memcpy(digits, token->text, token->length);
    const unsigned long long number = strtoull(digits, NULL, 0);
    return number <= MOST ? (size_t)number : 0;
}

/* .param .align 4 .b8 NAME[12], or .param .u64 .ptr .global .align 16 NAME
 * token  the first; on success the ',' or ')' behind */
static bool parameter_read(struct reading *reading, struct token *token, size_t *bytes)
{
    static const char must[] = "a parameter of the kernel, or its ',' or ')',";
    size_t size = 0, elements = 1;
    if (!token_is(token, ".param"))
        return unexpected(reading, token, "'.param' or ')'");
    while (token_next(&reading->scanner, token)) {
        if (token_is(token, ",") || token_is(token, ")")) {
            *bytes = size * elements;
            return true;
        }
        if (token_is(token, "["))
            elements = elements_read(&reading->scanner, token);
        else if (*token->text == '.')
            size = size ? size : type_bytes(token);
        else if (!is_word(*token->text) && !token_is(token, "]"))
            break;
    }
    return unexpected(reading, token, must);
}

/* Behind the '('. Those of the kernel that is wanted are kept. */
static bool parameters_read(struct reading *reading, struct token *token, size_t **bytes,
                            size_t *count)
{
    size_t capacity = 0, one = 0;
    *count = 0;
    token_next(&reading->scanner, token);
    while (!token_is(token, ")")) {
        if (!parameter_read(reading, token, &one))
            return false;
        if (bytes) {
            if (!kg_arena_grow(reading->arena, bytes, *count, &capacity, sizeof **bytes))
                return kg_error_memory(reading->err);
            (*bytes)[*count] = one;
        }
        ++*count;
        if (token_is(token, ",")) {
            token_next(&reading->scanner, token);
            if (token_is(token, ")"))
                return unexpected(reading, token, "'.param'");
        }
    }
    return true;
}

/* --- Kernels ----------------------------------------------------------------------------------- */

/* Behind name and parameters: directives, then '{'. A ';' makes it a declaration. */
static bool body_find(struct reading *reading, bool *defined)
{
    struct token token;
    bool pragma = false;
    while (token_next(&reading->scanner, &token)) {
        *defined = token_is(&token, "{");
        if (*defined || (token_is(&token, ";") && !pragma))
            return true;
        if (token_is(&token, "}") || token_is(&token, ".entry"))
            break;
        pragma = token_is(&token, ".pragma") || (pragma && !token_is(&token, ";"));
    }
    return unexpected(reading, &token, "the '{' of a kernel");
}

static bool kernel_keep(struct reading *reading, const struct token *name, size_t *bytes,
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
    if (!token_is(name, reading->wanted))
        return true;
    kernels->found = kernels->parameters_known = true;
    kernels->parameter_bytes = bytes;
    kernels->parameter_count = count;
    return true;
}

/* Behind .entry; on success `defined` where a '{' has been read. */
static bool kernel_read(struct reading *reading, bool *defined)
{
    struct scanner before;
    struct token name, token;
    size_t *bytes = NULL, count = 0;
    if (!token_next(&reading->scanner, &name) || !is_word(*name.text))
        return unexpected(reading, &name, "the name of a kernel");
    before = reading->scanner;
    if (!token_next(&reading->scanner, &token) || !token_is(&token, "("))
        reading->scanner = before;
    else if (!parameters_read(reading, &token, token_is(&name, reading->wanted) ? &bytes : NULL,
                              &count))
        return false;
    return body_find(reading, defined) && (!*defined || kernel_keep(reading, &name, bytes, count));
}

/* .version 8.0 .target sm_90: nothing may come before. */
static bool head_read(struct reading *reading)
{
    struct token token;
    if (!token_next(&reading->scanner, &token) || !token_is(&token, ".version"))
        return unexpected(reading, &token, "'.version', such as '.version 8.0',");
    if (!token_next(&reading->scanner, &token) || !isdigit((unsigned char)*token.text))
        return unexpected(reading, &token, "a version, such as 8.0,");
    if (!token_next(&reading->scanner, &token) || *token.text != '.' || token.length < 2 ||
        !isdigit((unsigned char)token.text[1]))
        return unexpected(reading, &token, "the second number of the version");
    if (!token_next(&reading->scanner, &token) || !token_is(&token, ".target"))
        return unexpected(reading, &token, "'.target', such as '.target sm_90',");
    return (token_next(&reading->scanner, &token) && is_word(*token.text)) ||
           unexpected(reading, &token, "a target, such as sm_90,");
}

/* Kernels stand outside of all braces. */
static bool module_read(struct reading *reading)
{
    struct token token;
    size_t depth = 0;
    unsigned opened = 0;
    while (token_next(&reading->scanner, &token)) {
        bool defined = false;
        if (token_is(&token, "}") && !depth)
            return unexpected(reading, &token, "a directive");
        if (!depth && token_is(&token, ".entry") && !kernel_read(reading, &defined))
            return false;
        if ((defined || token_is(&token, "{")) && !depth++)
            opened = token.line;
        depth -= token_is(&token, "}");
    }
    if (reading->scanner.open)
        return unexpected(reading, &token, "");
    return !depth ||
           kg_error_set(reading->err, KG_ERROR_USAGE,
                        "is no PTX: the '{' of line %u is not closed: is the file whole?", opened);
}

bool kg_gpu_kernels_ptx(const char *text, size_t length, const char *wanted, struct kg_arena *arena,
                        struct kg_gpu_kernels *kernels, struct kg_error *err)
{
    struct reading reading = {.scanner = {text, text + strnlen(text, length), 1, NULL, 0},
                              .wanted = wanted,
                              .arena = arena,
                              .kernels = kernels,
                              .err = err};
    *kernels = (struct kg_gpu_kernels){0};
    return head_read(&reading) && module_read(&reading);
}
