#include "base/code/symbol_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/text.h"

/* The demangler of the Itanium C++ ABI. Every C++ library has it. kgate links none,
 * so it opens the machine's library at run time. */
typedef char *(*demangle)(const char *name, char *buffer, size_t *bytes, int *status);

/* The library stays open: profiles have thousands of names. */
static demangle demangler_find(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static const struct kg_symbol symbol = {"__cxa_demangle", NULL, 0, true};
    static _Thread_local bool tried;
    static _Thread_local demangle function;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !tried && !function; i++) {
        void *library = kg_library_open(libraries[i], NULL, 0);
        if (library)
            kg_library_symbols(library, &symbol, 1, &function);
    }
    tried = true;
    return function;
}

/* --- Declarations ----------------------------------------------------------------------------- */

static bool opens(char c)
{
    return c == '<' || c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == '>' || c == ')' || c == ']' || c == '}';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Length of "operator" with its symbol, whose brackets are none. 0: the text begins otherwise. */
static size_t operator_length(const char *text, bool word_before)
{
    /* longer ones first */
    static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "->",
                                          "<<",  ">>",  "<=",  ">=",  "<",  ">"};
    const size_t length = strlen("operator");
    if (word_before || !begins(text, "operator") || is_word(text[length]))
        return 0;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (begins(text + length, symbols[i]))
            return length + strlen(symbols[i]);
    return length + strspn(text + length, "=-+*/%^&|~!,");
}

/* Parts of a declaration: indices into its text. */
struct parts {
    size_t begin; /* of the name */
    size_t end;
};

/* Whether only qualifiers of a member function follow. */
static bool is_qualified(const char *rest)
{
    static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};
    while (*rest) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words && !begins(rest, words[i]))
            i++;
        if (i == sizeof words / sizeof *words)
            return false;
        rest += strlen(words[i]);
    }
    return true;
}

/* Finds the name: after the last outer space, and before the last outer parenthesis.
 * returns  false if the brackets do not match, as in comparisons between template arguments */
static bool parts_find(const char *text, struct parts *parts)
{
    size_t depth = 0, open = 0, after = 0;
    bool is_operator = false;
    *parts = (struct parts){0, strlen(text)};
    for (size_t i = 0; text[i]; i++) {
        const size_t word = operator_length(text + i, i && is_word(text[i - 1]));
        if (word && !depth) {
            is_operator = true; /* spaces belong to the name: operator new */
            i += word - 1;
        } else if (begins(text + i, "->")) {
            i++;
        } else if (opens(text[i])) {
            open = depth++ || text[i] != '(' ? open : i;
        } else if (closes(text[i])) {
            if (!depth--)
                return false;
            after = !depth && text[i] == ')' ? i + 1 : after;
        } else if (text[i] == ' ' && !depth && !is_operator && !after) {
            parts->begin = i + 1;
        }
    }
    if (after && is_qualified(text + after))
        parts->end = open;
    return !depth && parts->begin < parts->end;
}

const char *kg_name_last(const char *name, size_t *length)
{
    size_t depth = 0, begin = 0, end = 0;
    for (size_t i = 0; name[i]; i++) {
        const size_t word = operator_length(name + i, i && is_word(name[i - 1]));
        if (word && !depth)
            i += word - 1;
        else if (opens(name[i]))
            end = depth++ || end > begin ? end : i;
        else if (closes(name[i]) && depth)
            depth--;
        else if (!depth && begins(name + i, "::"))
            begin = i + 2;
    }
    *length = end > begin ? end - begin : strlen(name + begin);
    return name + begin;
}

/* Adds the name without ABI tags, and ">>" for "> >". */
static void name_add(struct kg_text *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (begins(text + i, "[abi:"))
            i += strcspn(text + i, "]");
        else if (text[i] != ' ' || !i || text[i - 1] != '>' || text[i + 1] != '>')
            kg_text_append_bytes(name, text + i, 1);
    }
}

/* Length of the text without "::h0123456789abcdef", which Rust appends and each build changes. */
static size_t hash_cut(const char *text, size_t length)
{
    enum { DIGITS = 16, BYTES = DIGITS + 3 };
    if (length <= BYTES || !begins(text + length - BYTES, "::h") ||
        strspn(text + length - DIGITS, "0123456789abcdef") < DIGITS)
        return length;
    return length - BYTES;
}

/* The suffix of an outlined parallel region, which is code of its own; NULL: none. */
static const char *region_find(const char *clones)
{
    const char *region = strstr(clones, "._omp_fn.");
    return region ? region : strstr(clones, ".omp_outlined");
}

const char *kg_declaration_name(struct kg_arena *arena, const char *declaration)
{
    const char *clones = strstr(declaration, " [clone ");
    const size_t whole = clones ? (size_t)(clones - declaration) : strlen(declaration);
    const char *text = kg_arena_copy_bytes(arena, declaration, whole);
    const char *region = clones ? region_find(clones) : NULL;
    struct kg_text name = {0};
    struct parts parts;
    if (!parts_find(text, &parts))
        parts = (struct parts){0, whole};
    const size_t end = parts.begin + hash_cut(text + parts.begin, parts.end - parts.begin);
    name_add(&name, text + parts.begin, end - parts.begin);
    if (region)
        kg_text_append_bytes(&name, region, strcspn(region, "]"));
    const char *kept = kg_arena_copy(arena, kg_text_string(&name));
    kg_text_free(&name);
    return kept;
}

const char *kg_symbol_name(struct kg_arena *arena, const char *symbol)
{
    int status = -1;
    const demangle function = begins(symbol, "_Z") ? demangler_find() : NULL;
    char *declaration = function ? function(symbol, NULL, NULL, &status) : NULL;
    const char *name = declaration && status == 0 ? kg_declaration_name(arena, declaration)
                                                  : kg_arena_copy(arena, symbol);
    free(declaration);
    return name;
}

/* --- Names for readers ------------------------------------------------------------------------ */

/* Length of the template arguments that begin here; 0: they have no end. */
static size_t arguments_length(const char *text)
{
    size_t depth = 0;
    for (size_t i = 0; text[i]; i++) {
        if (begins(text + i, "->"))
            i++;
        else if (text[i] == '<')
            depth++;
        else if (text[i] == '>' && !--depth)
            return i + 1;
    }
    return 0;
}

static void arguments_add(struct kg_text *brief, const char *arguments, size_t length, bool library)
{
    enum { ARGUMENTS_MOST = 16 };
    if (length > ARGUMENTS_MOST && !library)
        kg_text_append(brief, "<…>");
    else if (!library)
        kg_text_append_bytes(brief, arguments, length);
}

/* Length of a namespace that only versions of a library have; 0: none. */
static size_t version_length(const char *text)
{
    static const char *const versions[] = {"__cxx11::", "__1::"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (begins(text, versions[i]))
            return strlen(versions[i]);
    return 0;
}

/* Adds the name by the first two rules. */
static void arguments_cut(struct kg_text *brief, const char *name)
{
    const bool library = begins(name, "std::") || begins(name, "__gnu_cxx::");
    for (size_t i = 0, length; name[i]; i += length) {
        const bool word_before = i && is_word(name[i - 1]);
        length = word_before ? 0 : version_length(name + i);
        if (length)
            continue;
        length = operator_length(name + i, word_before);
        if (!length && name[i] == '<' && (length = arguments_length(name + i))) {
            arguments_add(brief, name + i, length, library);
            continue;
        }
        if (library && begins(name + i, "basic_string<")) {
            kg_text_append(brief, "string");
            length = strlen("basic_string");
            continue;
        }
        length = length ? length : 1;
        if (!library || name[i] != ' ' || name[i + 1] != '<')
            kg_text_append_bytes(brief, name + i, length);
    }
}

/* Whether the byte continues a character of UTF-8. */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void kg_name_print(struct kg_text *text, const char *name)
{
    enum { BEGIN = 16, END = KG_NAME_WIDTH - BEGIN - 1 };
    struct kg_text brief = {0};
    arguments_cut(&brief, name);
    const char *shown = kg_text_string(&brief);
    if (brief.length <= KG_NAME_WIDTH) {
        kg_text_append(text, shown);
    } else {
        size_t begin = BEGIN, end = brief.length - END;
        while (continues(shown[begin]))
            begin--;
        while (continues(shown[end]))
            end++;
        kg_text_append_bytes(text, shown, begin);
        kg_text_append(text, "…");
        kg_text_append(text, shown + end);
    }
    kg_text_free(&brief);
}
