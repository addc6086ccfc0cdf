#include "suite/adopt/cmake_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MADE_MOST = 65536 };

/* --- Words -------------------------------------------------------------------------------------- */

static void step(struct kg_cmake_reader *reader)
{
    reader->line += *reader->at == '\n';
    reader->at++;
}

static void blanks_skip(struct kg_cmake_reader *reader)
{
    while (*reader->at && (isspace((unsigned char)*reader->at) || *reader->at == ';'))
        step(reader);
    if (*reader->at == '#') {
        while (*reader->at && *reader->at != '\n')
            step(reader);
        blanks_skip(reader);
    }
}

/* A bracket argument, "[=[word]=]". Returns false if none begins here. */
static bool bracket_next(struct kg_cmake_reader *reader, char word[KG_CMAKE_WORD_MOST])
{
    char end[32];
    size_t length = 0;
    const size_t equals = *reader->at == '[' ? strspn(reader->at + 1, "=") : 0;
    if (*reader->at != '[' || reader->at[1 + equals] != '[' || equals + 3 > sizeof end)
        return false;
    snprintf(end, sizeof end, "]%.*s]", (int)equals, reader->at + 1);
    for (size_t i = 0; i < equals + 2; i++)
        step(reader);
    while (*reader->at && strncmp(reader->at, end, equals + 2) != 0) {
        if (length + 1 < KG_CMAKE_WORD_MOST)
            word[length++] = *reader->at;
        step(reader);
    }
    for (size_t i = 0; *reader->at && i < equals + 2; i++)
        step(reader);
    word[length] = '\0';
    return true;
}

/* The next word: a name, an argument, a parenthesis. Cut where it is too long. "" at the end. */
static void word_next(struct kg_cmake_reader *reader, char word[KG_CMAKE_WORD_MOST])
{
    size_t length = 0;
    blanks_skip(reader);
    if (bracket_next(reader, word))
        return;
    const bool quoted = *reader->at == '"';
    if (quoted)
        step(reader);
    if (!quoted && *reader->at && strchr("()", *reader->at)) {
        snprintf(word, KG_CMAKE_WORD_MOST, "%c", *reader->at);
        step(reader);
        return;
    }
    while (*reader->at &&
           (quoted ? *reader->at != '"'
                   : !isspace((unsigned char)*reader->at) && !strchr("()\";#", *reader->at))) {
        if (length + 1 < KG_CMAKE_WORD_MOST)
            word[length++] = *reader->at;
        step(reader);
    }
    if (quoted && *reader->at)
        step(reader);
    word[length] = '\0';
}

/* A copy that lasts; NULL where memory is out. */
static const char *keep(struct kg_cmake_reader *reader, const char *word)
{
    const char *kept = kg_arena_copy(&reader->arena, word);
    reader->failed = reader->failed || !kept;
    return kept;
}

static void word_add(struct kg_cmake_words *words, const char *word)
{
    if (word && words->count < KG_CMAKE_WORDS_MOST)
        words->at[words->count++] = word;
}

/* The words of a call, up to its parenthesis; false where none opens. */
static bool call_read(struct kg_cmake_reader *reader, struct kg_cmake_words *words)
{
    char word[KG_CMAKE_WORD_MOST];
    const struct kg_cmake_reader before = *reader;
    words->count = 0;
    word_next(reader, word);
    if (strcmp(word, "(") != 0) {
        reader->at = before.at;
        reader->line = before.line;
        return false;
    }
    for (int depth = 1; depth > 0;) {
        const char *start = reader->at;
        word_next(reader, word);
        if (reader->at == start && !*word)
            break;
        depth += !strcmp(word, "(") - !strcmp(word, ")");
        if (words->count < KG_CMAKE_WORDS_MOST && strcmp(word, "(") != 0 && strcmp(word, ")") != 0)
            word_add(words, keep(reader, word));
    }
    return true;
}

bool kg_cmake_is(const char *command, const char *name)
{
    for (; *command && *name; command++, name++)
        if (tolower((unsigned char)*command) != *name)
            return false;
    return !*command && !*name;
}

/* --- Variables ---------------------------------------------------------------------------------- */

static struct kg_cmake_variable *variable_find(struct kg_cmake_reader *reader, const char *name,
                                               size_t length)
{
    for (size_t i = reader->variable_count; i-- > 0;) {
        struct kg_cmake_variable *variable = &reader->variables[i];
        if (strlen(variable->name) == length && !memcmp(variable->name, name, length))
            return variable;
    }
    return NULL;
}

/* The variable that "${NAME}" at `word` names, and what is behind it; NULL: not known. */
static const struct kg_cmake_variable *reference_read(struct kg_cmake_reader *reader,
                                                      const char *word, const char **behind)
{
    const size_t length = strcspn(word + 2, "${}");
    const struct kg_cmake_variable *variable =
        word[2 + length] == '}' ? variable_find(reader, word + 2, length) : NULL;
    *behind = word + 2 + length + 1;
    return variable && variable->count ? variable : NULL;
}

/* Whether all that the word refers to is known. */
static bool is_known(struct kg_cmake_reader *reader, const char *word)
{
    for (;;) {
        word += strcspn(word, "${}");
        if (!*word)
            return true;
        if (strncmp(word, "${", 2) != 0 || !reference_read(reader, word, &word))
            return false;
    }
}

static void expand(struct kg_cmake_reader *reader, const char *before, const char *word,
                   struct kg_cmake_words *words)
{
    char begun[KG_CMAKE_WORD_MOST];
    const char *behind;
    const size_t literal = strcspn(word, "$");
    if (!word[literal]) {
        const int length = snprintf(begun, sizeof begun, "%s%s", before, word);
        if (length > 0 && (size_t)length < sizeof begun)
            word_add(words, keep(reader, begun));
        return;
    }
    const struct kg_cmake_variable *variable = reference_read(reader, word + literal, &behind);
    for (size_t i = 0; variable && i < variable->count && words->count < KG_CMAKE_WORDS_MOST &&
                       reader->made++ < MADE_MOST;
         i++) {
        const int length = snprintf(begun, sizeof begun, "%s%.*s%s", before, (int)literal, word,
                                    variable->values[i]);
        if (length >= 0 && (size_t)length < sizeof begun)
            expand(reader, begun, behind, words);
    }
}

void kg_cmake_expand(struct kg_cmake_reader *reader, const char *word, struct kg_cmake_words *words)
{
    if (reader->made < MADE_MOST && is_known(reader, word))
        expand(reader, "", word, words);
}

/* words: added to those that the variable has, or in their place */
static void variable_set(struct kg_cmake_reader *reader, const char *name, bool loop, bool append,
                         const struct kg_cmake_words *words)
{
    struct kg_cmake_variable *variable = loop ? NULL : variable_find(reader, name, strlen(name));
    if (!variable) {
        if (!kg_arena_grow(&reader->arena, &reader->variables, reader->variable_count,
                           &reader->variable_capacity, sizeof *reader->variables)) {
            reader->failed = true;
            return;
        }
        variable = &reader->variables[reader->variable_count++];
        *variable = (struct kg_cmake_variable){.name = name, .loop = loop};
    }
    const size_t kept = append ? variable->count : 0;
    const char **values = kg_arena_alloc(&reader->arena, kept + words->count, sizeof *values);
    if (!values) {
        reader->failed = true;
        return;
    }
    if (kept)
        memcpy(values, variable->values, kept * sizeof *values);
    if (words->count)
        memcpy(values + kept, words->at, words->count * sizeof *values);
    variable->values = values;
    variable->count = kept + words->count;
}

/* set(NAME word...), list(APPEND NAME word...), project(NAME ...) */
static void set_do(struct kg_cmake_reader *reader, const struct kg_cmake_words *words, size_t first,
                   bool append)
{
    struct kg_cmake_words values = {.count = 0};
    if (first >= words->count || strpbrk(words->at[first], "${}"))
        return;
    for (size_t i = first + 1; i < words->count && strcmp(words->at[i], "CACHE") != 0 &&
                               strcmp(words->at[i], "PARENT_SCOPE") != 0;
         i++)
        kg_cmake_expand(reader, words->at[i], &values);
    variable_set(reader, words->at[first], false, append, &values);
}

/* foreach(NAME word...), and IN ITEMS word... LISTS NAME...: the body is read once, for all values. */
static void foreach_do(struct kg_cmake_reader *reader, const struct kg_cmake_words *words)
{
    struct kg_cmake_words values = {.count = 0};
    bool lists = false;
    if (!words->count)
        return;
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->at[i];
        if (!strcmp(word, "RANGE") || !strcmp(word, "ZIP_LISTS"))
            break;
        if (!strcmp(word, "IN") || !strcmp(word, "ITEMS") || !strcmp(word, "LISTS")) {
            lists = !strcmp(word, "LISTS");
            continue;
        }
        const struct kg_cmake_variable *list =
            lists ? variable_find(reader, word, strlen(word)) : NULL;
        for (size_t v = 0; list && v < list->count; v++)
            word_add(&values, list->values[v]);
        if (!lists)
            kg_cmake_expand(reader, word, &values);
    }
    variable_set(reader, words->at[0], true, false, &values);
}

static void endforeach_do(struct kg_cmake_reader *reader)
{
    for (size_t i = reader->variable_count; i-- > 0;) {
        struct kg_cmake_variable *variable = &reader->variables[i];
        if (!variable->loop)
            continue;
        memmove(variable, variable + 1, (--reader->variable_count - i) * sizeof *variable);
        return;
    }
}

/* --- Calls -------------------------------------------------------------------------------------- */

/* Whether it is one that sets a variable, which is done. */
static bool is_done(struct kg_cmake_reader *reader, const char *command,
                    const struct kg_cmake_words *words)
{
    if (kg_cmake_is(command, "set")) {
        set_do(reader, words, 0, false);
    } else if (kg_cmake_is(command, "list")) {
        if (words->count && !strcmp(words->at[0], "APPEND"))
            set_do(reader, words, 1, true);
    } else if (kg_cmake_is(command, "project")) {
        const struct kg_cmake_words name = {.at = {words->count ? words->at[0] : NULL},
                                            .count = words->count ? 1 : 0};
        variable_set(reader, "PROJECT_NAME", false, false, &name);
    } else if (kg_cmake_is(command, "foreach")) {
        foreach_do(reader, words);
    } else if (kg_cmake_is(command, "endforeach")) {
        endforeach_do(reader);
    } else {
        return false;
    }
    return true;
}

bool kg_cmake_next(struct kg_cmake_reader *reader, char *command, unsigned *line,
                   struct kg_cmake_words *words)
{
    while (*reader->at && !reader->failed) {
        const char *start = reader->at;
        word_next(reader, command);
        *line = reader->line;
        if (reader->at == start)
            step(reader); /* a character that begins no word */
        else if (*command && call_read(reader, words) && !is_done(reader, command, words))
            return !reader->failed;
    }
    return false;
}
