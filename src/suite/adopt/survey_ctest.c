/* Tests of CTest with a label that says benchmark, as commands. It reads add_test and set_tests_properties, of a
 * CMakeLists.txt and of the CTestTestfile.cmake that CMake makes of it, where paths are absolute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/adopt/cmake_words.h"
#include "suite/adopt/survey.h"

struct test {
    const char *name, *path; /* path: of the file that has the call */
    unsigned line;
    const char **words;
    size_t word_count;
    const char *directory;
    bool labelled;
};

struct file {
    struct kg_survey *survey;
    const struct kg_test_file *from;
    const char *text;
    struct kg_cmake_reader reader;
    struct test *tests;
    size_t count, capacity;
};

/* add_test(NAME name COMMAND words… [WORKING_DIRECTORY folder]), and add_test(name words…). */
static bool test_read(struct file *file, const struct kg_cmake_words *words, unsigned line)
{
    struct kg_cmake_words all = {.count = 0};
    for (size_t i = 0; i < words->count; i++)
        kg_cmake_expand(&file->reader, words->at[i], &all);
    const bool named = all.count && !strcmp(all.at[0], "NAME");
    if (all.count < 2U + named)
        return true;
    struct kg_arena *arena = &file->reader.arena;
    if (!kg_arena_grow(arena, &file->tests, file->count, &file->capacity, sizeof *file->tests))
        return false;
    struct test *test = &file->tests[file->count++];
    *test = (struct test){.name = all.at[named], .line = line};
    test->words = kg_arena_alloc(arena, all.count, sizeof *test->words);
    for (size_t i = 1U + named; test->words && i < all.count; i++) {
        if (named && !strcmp(all.at[i], "CONFIGURATIONS"))
            break;
        if (named && !strcmp(all.at[i], "WORKING_DIRECTORY") && i + 1 < all.count)
            test->directory = all.at[++i];
        else if (!named || strcmp(all.at[i], "COMMAND") != 0)
            test->words[test->word_count++] = all.at[i];
    }
    return test->words != NULL;
}

/* "benchmark", "perf": a label of tests that measure. */
static bool is_label(const char *word)
{
    return kg_names_benchmark(word) || !strncmp(word, "perf", 4);
}

/* "/a/CMakeLists.txt;12;add_test;…": where the call is that CMake made this one of. */
static void origin_read(struct file *file, const char *word, struct test *test)
{
    const size_t root = strlen(file->from->root);
    const char *end = strchr(word, ';');
    if (!end || strncmp(word, file->from->root, root) != 0 || word[root] != '/')
        return;
    test->path =
        kg_arena_copy_bytes(&file->reader.arena, word + root + 1, (size_t)(end - word) - root - 1);
    test->line = (unsigned)strtoul(end + 1, NULL, 10);
}

static void property_read(struct file *file, const struct kg_cmake_words *all, size_t first,
                          struct test *test)
{
    bool labels = false;
    for (size_t k = first; k < all->count; k++) {
        test->labelled = test->labelled || (labels && is_label(all->at[k]));
        labels = labels || !strcmp(all->at[k], "LABELS");
        if (k + 1 < all->count && !strcmp(all->at[k], "WORKING_DIRECTORY"))
            test->directory = all->at[k + 1];
        if (k + 1 < all->count && !strcmp(all->at[k], "_BACKTRACE_TRIPLES"))
            origin_read(file, all->at[k + 1], test);
    }
}

/* set_tests_properties(names… PROPERTIES key value…), set_property(TEST names… PROPERTY key values…) */
static void properties_read(struct file *file, const struct kg_cmake_words *words)
{
    struct kg_cmake_words all = {.count = 0};
    size_t middle = 0;
    for (size_t i = 0; i < words->count; i++)
        kg_cmake_expand(&file->reader, words->at[i], &all);
    while (middle < all.count && strncmp(all.at[middle], "PROPERT", 7) != 0)
        middle++;
    for (size_t i = 0; i < middle; i++)
        for (size_t t = 0; t < file->count; t++)
            if (!strcmp(file->tests[t].name, all.at[i]))
                property_read(file, &all, middle + 1, &file->tests[t]);
}

/* --- Commands ----------------------------------------------------------------------------------- */

/* An absolute path below the repository or below the build folder, relative to the root; NULL: neither. */
static const char *path_relative(struct file *file, const char *word)
{
    struct kg_arena *arena = &file->reader.arena;
    const struct kg_test_file *from = file->from;
    const size_t root = strlen(from->root), built = from->built ? strlen(from->built) : 0;
    if (built && !strncmp(word, from->built, built) && (!word[built] || word[built] == '/'))
        return kg_arena_printf(arena, "%s%s", from->tree, word + built);
    if (!strncmp(word, from->root, root) && (!word[root] || word[root] == '/'))
        return kg_arena_copy(arena, word[root] ? word + root + 1 : "");
    return NULL;
}

/* Whether the file itself makes a program of that name. */
static bool is_executable(const struct file *file, const char *name)
{
    char call[KG_CMAKE_WORD_MOST + 32];
    snprintf(call, sizeof call, "add_executable(%s", name);
    return strstr(file->text, call) || kg_survey_target_find(file->survey, name);
}

/* The program as the repository's root sees it. A name without a slash is a target's, or one of PATH. */
static const char *program_word(struct file *file, const char *word)
{
    struct kg_arena *arena = &file->reader.arena;
    const char *relative = path_relative(file, word);
    if (relative)
        return kg_arena_printf(arena, "./%s", relative);
    if (strchr(word, '/'))
        return word;
    if (is_executable(file, word))
        return kg_arena_printf(arena, "./%s/%s%s%s", file->from->tree, file->from->folder,
                               *file->from->folder ? "/" : "", word);
    return word;
}

static bool test_add(struct file *file, const struct test *test, struct kg_error *err)
{
    struct kg_arena *arena = &file->reader.arena;
    const char **words = kg_arena_alloc(arena, test->word_count + 1, sizeof *words);
    const char *directory = test->directory ? path_relative(file, test->directory) : NULL;
    /* CTest runs a test in the build folder of its CMakeLists.txt. */
    if (!directory)
        directory = kg_arena_printf(arena, "%s%s%s", file->from->tree,
                                    *file->from->folder ? "/" : "", file->from->folder);
    if (!words || !directory)
        return kg_error_memory(err);
    for (size_t i = 0; i < test->word_count; i++) {
        const char *relative = i ? path_relative(file, test->words[i]) : NULL;
        words[i] = !i         ? program_word(file, test->words[i])
                   : relative ? kg_path_seen_from(arena, directory, relative)
                              : test->words[i];
        if (!words[i])
            return kg_error_memory(err);
    }
    const struct kg_finding finding = {.kind = KG_FOUND_CTEST,
                                       .name = test->name,
                                       .path = test->path ? test->path : file->from->path,
                                       .line = test->line,
                                       .source = file->from->built ? "" : NULL,
                                       .words = words,
                                       .word_count = test->word_count,
                                       .directory = *directory ? directory : NULL};
    return kg_survey_add(file->survey, &finding, err);
}

bool kg_survey_tests(struct kg_survey *survey, const struct kg_test_file *from, const char *text,
                     struct kg_error *err)
{
    struct file file = {
        .survey = survey, .from = from, .text = text, .reader = {.at = text, .line = 1}};
    char command[KG_CMAKE_WORD_MOST];
    struct kg_cmake_words words;
    unsigned line;
    bool good = true;
    while (good && kg_cmake_next(&file.reader, command, &line, &words)) {
        if (kg_cmake_is(command, "add_test"))
            good = test_read(&file, &words, line);
        else if (kg_cmake_is(command, "set_tests_properties") ||
                 kg_cmake_is(command, "set_property"))
            properties_read(&file, &words);
    }
    good = (good && !file.reader.failed) || kg_error_memory(err);
    for (size_t i = 0; good && i < file.count; i++)
        good = !file.tests[i].labelled || !file.tests[i].word_count ||
               test_add(&file, &file.tests[i], err);
    kg_arena_free(&file.reader.arena);
    return good;
}
