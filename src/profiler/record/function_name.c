/* Signatures of gcc and clang: "RESULT NAME(PARAMETERS) QUALIFIERS [with T = int]". The name itself may
 * have blanks ("operator bool"), parameters of an outer function ("main()::<lambda(int)>") and
 * template arguments ("List<std::pair<int, int> >::add"). */
#include "profiler/record/site.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char OPERATOR[] = "operator";

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The end of a group that opens at `at`: behind its closing bracket. "(" and "<" nest. */
static const char *group_end(const char *at)
{
    int depth = 0;
    do {
        depth += (*at == '(' || *at == '<') - (*at == ')' || (*at == '>' && at[-1] != '-'));
        at++;
    } while (*at && depth > 0);
    return at;
}

/* The end of "operator()", "operator<<", "operator bool": where its parameters begin. */
static const char *operator_end(const char *at)
{
    at += strlen(OPERATOR);
    if (begins(at, "()"))
        return at + 2;
    return at + strcspn(at, "(");
}

/* Whether the name ends with a text so far. */
static bool ends(const char *name, size_t length, const char *with)
{
    const size_t tail = strlen(with);
    return length >= tail && !strncmp(name + length - tail, with, tail);
}

/* The text after a group in parentheses that is no list of the function's own parameters: "main()::"
 * before "<lambda(int)>", "(anonymous namespace)::", "decltype (auto)". NULL: it is that list. */
static const char *group_skip(const char *at, const char *name, size_t length)
{
    const char *after = group_end(at);
    if (ends(name, length, "decltype"))
        return after;
    if (!begins(after, "::"))
        return NULL;
    return !length || ends(name, length, "::") ? after + 2 : after;
}

/* Copies the name of a signature to `name`, at or before it; returns the number of bytes. */
static size_t name_copy(const char *signature, char *name)
{
    const char *at = signature, *end;
    size_t length = 0;
    for (; *at; at = end) {
        const bool word = at == signature || !is_word(at[-1]);
        end = at + 1;
        if (*at == '(' && !(end = group_skip(at, name, length)))
            break;
        if (*at == '(') {
            length = ends(name, length, "decltype") ? 0 : length;
            continue;
        }
        if (strchr(" *&", *at)) {
            length = ends(name, length, "decltype") ? length : 0;
            continue;
        }
        if (word && begins(at, OPERATOR) && !is_word(at[strlen(OPERATOR)]))
            end = operator_end(at);
        else if (*at == '<')
            end = group_end(at);
        memmove(name + length, at, (size_t)(end - at));
        length += (size_t)(end - at);
    }
    return length;
}

void kg_function_name(char *signature)
{
    /* gcc's word for a nameless namespace. */
    static const char nameless[] = "{anonymous}::";
    if (!strchr(signature, '('))
        return;
    const size_t length = name_copy(signature, signature);
    if (!length)
        return;
    signature[length] = '\0';
    if (begins(signature, nameless))
        memmove(signature, signature + strlen(nameless), length - strlen(nameless) + 1);
}
