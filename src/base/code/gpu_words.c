#include "base/code/gpu_words.h"

#include <ctype.h>
#include <string.h>

static void skip_to(struct kg_gpu_scanner *scanner, const char *to)
{
    for (; scanner->at < to; scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Behind the mark that closes what begins here. */
static void closed_skip(struct kg_gpu_scanner *scanner, size_t begin, const char *mark,
                        const char *what)
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

static void line_skip(struct kg_gpu_scanner *scanner)
{
    const char *end = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
    scanner->at = end ? end : scanner->end;
}

static bool begins(const struct kg_gpu_scanner *scanner, const char *mark)
{
    return (size_t)(scanner->end - scanner->at) >= strlen(mark) &&
           !memcmp(scanner->at, mark, strlen(mark));
}

/* Blanks, comments, and lines of a preprocessor. */
static void blanks_skip(struct kg_gpu_scanner *scanner)
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

bool kg_gpu_word_has(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

bool kg_gpu_word_next(struct kg_gpu_scanner *scanner, struct kg_gpu_word *word)
{
    blanks_skip(scanner);
    *word = (struct kg_gpu_word){.text = scanner->at, .line = scanner->line};
    if (scanner->at == scanner->end)
        return false;
    const char first = *scanner->at;
    word->length = 1;
    if (first == '"') {
        closed_skip(scanner, 1, "\"", "string");
        return true;
    }
    scanner->at++;
    while ((first == '.' || kg_gpu_word_has(first)) && scanner->at < scanner->end &&
           kg_gpu_word_has(*scanner->at))
        scanner->at++;
    word->length = (size_t)(scanner->at - word->text);
    return true;
}

bool kg_gpu_word_is(const struct kg_gpu_word *word, const char *text)
{
    return word->length == strlen(text) && !memcmp(word->text, text, word->length);
}

struct kg_gpu_scanner kg_gpu_scanner_make(const char *text, size_t length)
{
    return (struct kg_gpu_scanner){text, text + strnlen(text, length), 1, NULL, 0};
}
