/* survey_ctest.c: tests of CTest with a benchmark label, as commands. It reads CTestTestfile.cmake files, which CMake
 * makes from add_test and set_tests_properties: their words are plain, their paths absolute. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/adopt/survey.h"

enum { WORDS_MOST = 256 };

struct test {
    const char *name, *path; /* path: the file with the call */
    unsigned line;
    const char *const *words;
    size_t word_count;
    const char *directory;
    bool labelled;
};

struct file {
    struct kg_survey *survey;
    const struct kg_test_file *from;
    const char *at; /* the unread text */
    struct kg_arena arena;
    struct test *tests;
    size_t count, capacity;
};

/* --- Words -------------------------------------------------------------------------------------- */

static void blanks_skip(struct file *file)
{
    for (;;) {
        while (isspace((unsigned char)*file->at))
            file->at++;
        if (*file->at != '#')
            return;
        file->at += strcspn(file->at, "\n");
    }
}

/* Reads "[=[word]=]". If no bracket begins here: false. */
static bool bracket_read(struct file *file, const char **word)
{
    const size_t length = *file->at == '[' ? 2 + strspn(file->at + 1, "=") : 0;
    char end[32];
    if (!length || file->at[length - 1] != '[' || length >= sizeof end)
        return false;
    snprintf(end, sizeof end, "]%.*s]", (int)length - 2, file->at + 1);
    const char *begin = file->at + length, *found = strstr(begin, end);
    const size_t inside = found ? (size_t)(found - begin) : strlen(begin);
    *word = kg_arena_copy_bytes(&file->arena, begin, inside);
    file->at = begin + inside + (found ? length : 0);
    return true;
}

/* Reads a word up to its closing quote. A backslash makes the next character literal. */
static const char *quoted_read(struct file *file)
{
    struct kg_text text = {0};
    for (file->at++; *file->at && *file->at != '"'; file->at++) {
        file->at += file->at[0] == '\\' && file->at[1];
        kg_text_append_bytes(&text, file->at, 1);
    }
    file->at += *file->at == '"';
    const char *word = kg_arena_copy(&file->arena, kg_text_string(&text));
    kg_text_free(&text);
    return word;
}

/* Reads the next word. "(" and ")" are words; "" is the end. */
static const char *word_read(struct file *file)
{
    const char *word;
    blanks_skip(file);
    if (bracket_read(file, &word))
        return word;
    if (*file->at == '"')
        return quoted_read(file);
    const char *begin = file->at;
    file->at += strchr("()", *begin) ? *begin != '\0' : strcspn(begin, " \t\r\n()\"#");
    return kg_arena_copy_bytes(&file->arena, begin, (size_t)(file->at - begin));
}

/* Reads the words of a call up to its closing parenthesis, and keeps the first WORDS_MOST. */
static void call_read(struct file *file, const char **words, size_t *count)
{
    *count = 0;
    for (;;) {
        blanks_skip(file);
        const bool is_plain = *file->at != '"' && *file->at != '[';
        const char *word = word_read(file);
        if (is_plain && (!*word || !strcmp(word, ")")))
            return;
        if (*count < WORDS_MOST && !(is_plain && !strcmp(word, "(")))
            words[(*count)++] = word;
    }
}

/* --- Calls -------------------------------------------------------------------------------------- */

/* add_test(name words…) */
static void test_read(struct file *file, const char *const *words, size_t count)
{
    if (count < 2)
        return;
    kg_arena_grow(&file->arena, &file->tests, file->count, &file->capacity, sizeof *file->tests);
    const char **kept = kg_arena_alloc(&file->arena, count - 1, sizeof *kept);
    memcpy(kept, words + 1, (count - 1) * sizeof *kept);
    file->tests[file->count++] =
        (struct test){.name = words[0], .words = kept, .word_count = count - 1};
}

/* Whether tests with these labels measure: "benchmark", "perf", "gpu;perf". */
static bool are_labels(const char *words)
{
    return kg_names_benchmark(words) || !strncmp(words, "perf", 4) || strstr(words, ";perf");
}

/* Reads the place of the original call: "/a/CMakeLists.txt;12;add_test;…". */
static void origin_read(struct file *file, const char *word, struct test *test)
{
    const size_t root = strlen(file->from->root);
    const char *end = strchr(word, ';');
    if (!end || strncmp(word, file->from->root, root) != 0 || word[root] != '/')
        return;
    test->path =
        kg_arena_copy_bytes(&file->arena, word + root + 1, (size_t)(end - word) - root - 1);
    test->line = (unsigned)strtoul(end + 1, NULL, 10);
}

static void property_read(struct file *file, const char *name, const char *value, struct test *test)
{
    if (!strcmp(name, "LABELS"))
        test->labelled = are_labels(value);
    else if (!strcmp(name, "WORKING_DIRECTORY"))
        test->directory = value;
    else if (!strcmp(name, "_BACKTRACE_TRIPLES"))
        origin_read(file, value, test);
}

/* set_tests_properties(names… PROPERTIES key value…) */
static void properties_read(struct file *file, const char *const *words, size_t count)
{
    size_t middle = 0;
    while (middle < count && strcmp(words[middle], "PROPERTIES") != 0)
        middle++;
    for (size_t i = 0; i < middle; i++)
        for (size_t t = 0; t < file->count; t++)
            for (size_t k = middle + 1; k + 1 < count && !strcmp(file->tests[t].name, words[i]);
                 k += 2)
                property_read(file, words[k], words[k + 1], &file->tests[t]);
}

/* --- Commands ----------------------------------------------------------------------------------- */

/* Makes an absolute path relative to the root. NULL if it lies neither in the repository nor in the build folder. */
static const char *path_relative(struct file *file, const char *word)
{
    const struct kg_test_file *from = file->from;
    const size_t root = strlen(from->root), built = strlen(from->built);
    if (!strncmp(word, from->built, built) && (!word[built] || word[built] == '/'))
        return kg_arena_printf(&file->arena, "%s%s", from->tree, word + built);
    if (!strncmp(word, from->root, root) && (!word[root] || word[root] == '/'))
        return kg_arena_copy(&file->arena, word[root] ? word + root + 1 : "");
    return NULL;
}

/* The program as seen from the repository's root. A name without a slash is a CMake target, or a program of PATH. */
static const char *program_word(struct file *file, const char *word)
{
    const char *relative = path_relative(file, word);
    if (relative)
        return kg_arena_printf(&file->arena, "./%s", relative);
    if (!strchr(word, '/') && kg_survey_target_find(file->survey, word))
        return kg_arena_printf(&file->arena, "./%s/%s%s%s", file->from->tree, file->from->folder,
                               *file->from->folder ? "/" : "", word);
    return word;
}

static void test_add(struct file *file, const struct test *test)
{
    struct kg_arena *arena = &file->arena;
    const char **words = kg_arena_alloc(arena, test->word_count + 1, sizeof *words);
    const char *directory = test->directory ? path_relative(file, test->directory) : NULL;
    /* CTest runs a test in the build folder of its CMakeLists.txt. */
    if (!directory)
        directory = kg_arena_printf(arena, "%s%s%s", file->from->tree,
                                    *file->from->folder ? "/" : "", file->from->folder);
    for (size_t i = 0; i < test->word_count; i++) {
        const char *relative = i ? path_relative(file, test->words[i]) : NULL;
        words[i] = !i         ? program_word(file, test->words[i])
                   : relative ? kg_path_seen_from(arena, directory, relative)
                              : test->words[i];
    }
    const struct kg_finding finding = {.kind = KG_FOUND_CTEST,
                                       .name = test->name,
                                       .path = test->path ? test->path : file->from->path,
                                       .line = test->line,
                                       .of_cmake = true,
                                       .words = words,
                                       .word_count = test->word_count,
                                       .directory = *directory ? directory : NULL};
    kg_survey_add(file->survey, &finding);
}

void kg_survey_tests(struct kg_survey *survey, const struct kg_test_file *from, const char *text)
{
    struct file file = {.survey = survey, .from = from, .at = text};
    const char *words[WORDS_MOST];
    size_t count;
    for (const char *command; *(command = word_read(&file));) {
        if (!strcmp(command, "add_test")) {
            call_read(&file, words, &count);
            test_read(&file, words, count);
        } else if (!strcmp(command, "set_tests_properties")) {
            call_read(&file, words, &count);
            properties_read(&file, words, count);
        }
    }
    for (size_t i = 0; i < file.count; i++)
        if (file.tests[i].labelled)
            test_add(&file, &file.tests[i]);
    kg_arena_free(&file.arena);
}
