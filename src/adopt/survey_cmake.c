/* The targets of a CMakeLists.txt, by its text: add_executable and target_link_libraries. */
#include <stdio.h>
#include <string.h>

#include "adopt/cmake_words.h"
#include "adopt/survey.h"

static const struct library {
    const char *name; /* as linked */
    enum kg_finding_kind kind;
} libraries[] = {
    {"benchmark", KG_FOUND_GOOGLE_BENCHMARK},
    {"benchmark_main", KG_FOUND_GOOGLE_BENCHMARK},
    {"benchmark::benchmark", KG_FOUND_GOOGLE_BENCHMARK},
    {"benchmark::benchmark_main", KG_FOUND_GOOGLE_BENCHMARK},
    {"nvbench", KG_FOUND_NVBENCH},
    {"nvbench::nvbench", KG_FOUND_NVBENCH},
    {"nvbench::main", KG_FOUND_NVBENCH},
    {"gtest", KG_FOUND_GTEST},
    {"gtest_main", KG_FOUND_GTEST},
    {"gmock", KG_FOUND_GTEST},
    {"gmock_main", KG_FOUND_GTEST},
    {"GTest::GTest", KG_FOUND_GTEST},
    {"GTest::Main", KG_FOUND_GTEST},
    {"GTest::gtest", KG_FOUND_GTEST},
    {"GTest::gtest_main", KG_FOUND_GTEST},
    {"GTest::gmock", KG_FOUND_GTEST},
    {"GTest::gmock_main", KG_FOUND_GTEST},
};

static const struct library *library_find(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strcmp(libraries[i].name, name))
            return &libraries[i];
    return NULL;
}

/* A file as it is read. */
struct targets {
    struct kg_survey *survey;
    const char *path;
    struct kg_cmake_reader reader;
    const char **executables; /* a library that links benchmark is none */
    size_t executable_count, executable_capacity;
    struct kg_error *err;
};

/* The first library that says what the target is. One of a benchmark says more than one of tests. */
static const struct library *libraries_read(struct targets *targets,
                                            const struct kg_cmake_words *words)
{
    const struct library *best = NULL;
    struct kg_cmake_words linked = {.count = 0};
    for (size_t i = 1; i < words->count; i++)
        kg_cmake_expand(&targets->reader, words->at[i], &linked);
    for (size_t i = 0; i < linked.count; i++) {
        const struct library *library = library_find(linked.at[i]);
        if (library && (!best || library->kind < best->kind))
            best = library;
    }
    return best;
}

static bool is_there(const struct kg_survey *survey, const char *target)
{
    for (size_t i = 0; i < survey->count; i++)
        if (survey->findings[i].kind <= KG_FOUND_GTEST && !strcmp(survey->findings[i].name, target))
            return true;
    return false;
}

static bool link_read(struct targets *targets, const struct kg_cmake_words *words, unsigned line)
{
    char proof[KG_CMAKE_WORD_MOST + 16];
    struct kg_cmake_words names = {.count = 0};
    const struct library *library = libraries_read(targets, words);
    if (!library || !words->count)
        return true;
    snprintf(proof, sizeof proof, "links %s", library->name);
    kg_cmake_expand(&targets->reader, words->at[0], &names);
    for (size_t i = 0; i < names.count; i++) {
        const struct kg_finding finding = {.kind = library->kind,
                                           .name = names.at[i],
                                           .path = targets->path,
                                           .line = line,
                                           .proof = proof,
                                           .program = NULL};
        if (!is_there(targets->survey, names.at[i]) && /* linked in two calls */
            !kg_survey_add(targets->survey, &finding, targets->err))
            return false;
    }
    return true;
}

static bool executable_read(struct targets *targets, const struct kg_cmake_words *words)
{
    struct kg_cmake_words names = {.count = 0};
    if (words->count)
        kg_cmake_expand(&targets->reader, words->at[0], &names);
    for (size_t i = 0; i < names.count; i++) {
        if (!kg_arena_grow(&targets->reader.arena, &targets->executables, targets->executable_count,
                           &targets->executable_capacity, sizeof *targets->executables))
            return kg_error_memory(targets->err);
        targets->executables[targets->executable_count++] = names.at[i];
    }
    return true;
}

static bool is_executable(const struct targets *targets, const char *name)
{
    for (size_t i = 0; i < targets->executable_count; i++)
        if (!strcmp(targets->executables[i], name))
            return true;
    return false;
}

static bool calls_read(struct targets *targets)
{
    char command[KG_CMAKE_WORD_MOST];
    struct kg_cmake_words words;
    unsigned line;
    while (kg_cmake_next(&targets->reader, command, &line, &words))
        if ((kg_cmake_is(command, "target_link_libraries") && !link_read(targets, &words, line)) ||
            ((kg_cmake_is(command, "add_executable") ||
              kg_cmake_is(command, "cuda_add_executable")) &&
             !executable_read(targets, &words)))
            return false;
    return !targets->reader.failed || kg_error_memory(targets->err);
}

bool kg_survey_cmake(struct kg_survey *survey, const char *path, const char *text,
                     struct kg_error *err)
{
    struct targets targets = {
        .survey = survey, .path = path, .reader = {.at = text, .line = 1}, .err = err};
    const size_t before = survey->count;
    const bool good = calls_read(&targets);
    size_t kept = before;
    for (size_t i = before; i < survey->count; i++)
        if (is_executable(&targets, survey->findings[i].name))
            survey->findings[kept++] = survey->findings[i];
    survey->count = kept;
    kg_arena_free(&targets.reader.arena);
    return good;
}
