#include "base/shell_words.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

static const char blanks[] = " \t\n";

/* State of splitting a line. */
struct splitter {
    const char *at;
    struct kg_text word;
    struct kg_error *err;
};

bool kg_words_check(struct kg_words words, struct kg_error *err)
{
    for (size_t i = 0; i < words.count; i++)
        for (const char *c = words.at[i]; *c;) {
            const size_t length = kg_utf8_length((const unsigned char *)c, KG_UTF8_MOST);
            if (!length)
                return kg_error_set(
                    err, KG_ERROR_USAGE,
                    "'%.300s': a command must be UTF-8 text; put other bytes into a script",
                    words.at[i]);
            c += length;
        }
    return true;
}

static bool shell_refuse(const struct splitter *splitter, char c)
{
    return kg_error_set(
        splitter->err, KG_ERROR_USAGE,
        "kgate starts no shell, so '%c' has no special meaning: quote it, or add --shell", c);
}

static bool single_quoted(struct splitter *splitter)
{
    const size_t length = strcspn(++splitter->at, "'");
    kg_text_append_bytes(&splitter->word, splitter->at, length);
    splitter->at += length;
    if (!*splitter->at)
        return kg_error_set(splitter->err, KG_ERROR_USAGE, "a quote ' has no matching quote");
    splitter->at++;
    return true;
}

static bool double_quoted(struct splitter *splitter)
{
    for (splitter->at++; *splitter->at != '"'; splitter->at++) {
        if (!*splitter->at)
            return kg_error_set(splitter->err, KG_ERROR_USAGE, "a quote \" has no matching quote");
        if (*splitter->at == '$' || *splitter->at == '`')
            return shell_refuse(splitter, *splitter->at);
        const bool keeps =
            *splitter->at == '\\' && splitter->at[1] && strchr("\"\\$`\n", splitter->at[1]) != NULL;
        splitter->at += keeps;
        if (!keeps || *splitter->at != '\n')
            kg_text_append_bytes(&splitter->word, splitter->at, 1);
    }
    splitter->at++;
    return true;
}

static bool escaped(struct splitter *splitter)
{
    if (!splitter->at[1])
        return kg_error_set(splitter->err, KG_ERROR_USAGE, "a backslash ends the command");
    if (splitter->at[1] != '\n')
        kg_text_append_bytes(&splitter->word, splitter->at + 1, 1);
    splitter->at += 2;
    return true;
}

static bool plain(struct splitter *splitter)
{
    const char c = *splitter->at;
    if (strchr("$`|&;<>()*?[", c) || (!splitter->word.length && (c == '~' || c == '#')))
        return shell_refuse(splitter, c);
    kg_text_append_bytes(&splitter->word, splitter->at++, 1);
    return true;
}

/* Takes one word, up to a blank or the end. */
static bool word_read(struct splitter *splitter)
{
    kg_text_truncate(&splitter->word, 0);
    while (*splitter->at && !strchr(blanks, *splitter->at)) {
        const bool good = *splitter->at == '\''   ? single_quoted(splitter)
                          : *splitter->at == '"'  ? double_quoted(splitter)
                          : *splitter->at == '\\' ? escaped(splitter)
                                                  : plain(splitter);
        if (!good)
            return false;
    }
    return true;
}

bool kg_words_split(struct kg_arena *arena, const char *line, struct kg_words *words,
                    struct kg_error *err)
{
    struct splitter splitter = {.at = line, .err = err};
    words->count = 0;
    words->at = kg_arena_alloc(arena, strlen(line) / 2 + 2, sizeof *words->at); /* blanks between */
    bool good = true;
    while (good && *(splitter.at += strspn(splitter.at, blanks)) && (good = word_read(&splitter)))
        words->at[words->count++] = kg_arena_copy(arena, kg_text_string(&splitter.word));
    kg_text_free(&splitter.word);
    return good;
}

size_t kg_words_program(struct kg_words words)
{
    const char *slash = strrchr(words.at[0], '/');
    size_t at = 1;
    if (strcmp(slash ? slash + 1 : words.at[0], "env") != 0)
        return 0;
    while (at < words.count && words.at[at][0] != '-' && strchr(words.at[at], '='))
        at++;
    return at < words.count && words.at[at][0] != '-' ? at : 0;
}
