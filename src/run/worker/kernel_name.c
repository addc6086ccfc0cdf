#include "run/worker/trace_task.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* The demangler of the Itanium C++ ABI. Every C++ library has it. kgate links none,
 * so it opens the machine's library at run time. */
typedef char *(*demangle)(const char *name, char *buffer, size_t *bytes, int *status);

static demangle demangler_find(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static const struct kg_symbol symbol = {"__cxa_demangle", NULL, 0, true};
    demangle function = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !function; i++) {
        void *library = kg_library_open(libraries[i], NULL, 0);
        if (library)
            kg_library_symbols(library, &symbol, 1, &function);
    }
    return function;
}

static bool opens(char c)
{
    return c == '<' || c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == '>' || c == ')' || c == ']' || c == '}';
}

/* Index of the arguments: the last outermost parenthesis whose partner ends the text. The parenthesis
 * of "(anonymous namespace)::" does not count, since more text follows. */
static size_t arguments_begin(const char *text, size_t length)
{
    size_t depth = 0;
    if (!length || text[length - 1] != ')')
        return length;
    for (size_t i = length; i-- > 0;) {
        if (closes(text[i]))
            depth++;
        else if (opens(text[i]) && --depth == 0)
            return i;
    }
    return length;
}

/* Index of the name: after the last space outside all brackets. */
static size_t name_begin(const char *text, size_t end)
{
    size_t depth = 0, begin = 0;
    for (size_t i = 0; i < end; i++) {
        if (opens(text[i]))
            depth++;
        else if (closes(text[i]) && depth)
            depth--;
        else if (text[i] == ' ' && !depth)
            begin = i + 1;
    }
    return begin;
}

const char *kg_kernel_name_short(struct kg_arena *arena, const char *declaration)
{
    /* Comparisons and arrows unbalance the brackets; operators are no kernels. */
    if (strstr(declaration, "operator") || strstr(declaration, "->"))
        return kg_arena_copy(arena, declaration);
    const size_t end = arguments_begin(declaration, strlen(declaration));
    const size_t begin = name_begin(declaration, end);
    return begin < end ? kg_arena_copy_bytes(arena, declaration + begin, end - begin)
                       : kg_arena_copy(arena, declaration);
}

const char *kg_kernel_name(struct kg_arena *arena, const char *name)
{
    int status = -1;
    const demangle function = strncmp(name, "_Z", 2) == 0 ? demangler_find() : NULL;
    char *declaration = function ? function(name, NULL, NULL, &status) : NULL;
    const char *words = declaration && status == 0 ? kg_kernel_name_short(arena, declaration)
                                                   : kg_arena_copy(arena, name);
    free(declaration);
    return words;
}
