/* The targets of a CMakeLists.txt, by its text: add_executable, link_libraries, target_link_libraries,
 * add_subdirectory. It serves where CMake itself is not asked (cmake_reply.c). Tests are survey_ctest.c's. */
#include <stdio.h>
#include <string.h>

#include "suite/adopt/cmake_words.h"
#include "suite/adopt/survey.h"

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

enum kg_finding_kind kg_library_kind(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strcmp(libraries[i].name, name))
            return libraries[i].kind;
    return KG_FOUND_KINDS;
}

/* A program of the file, with what is known of it so far. */
struct executable {
    const char *name;
    unsigned line;       /* of the call that says its kind */
    const char *library; /* NULL: none that is known */
    enum kg_finding_kind kind;
};

/* A file as it is read. */
struct file {
    struct kg_survey *survey;
    const char *path, *folder;
    struct kg_cmake_reader reader;
    struct executable *executables; /* a library that links benchmark is none */
    size_t executable_count, executable_capacity;
    struct kg_cmake_words linked; /* by link_libraries, in all executables that follow */
    struct kg_error *err;
};

/* --- Programs ----------------------------------------------------------------------------------- */

/* The first library that says the target's kind. One of a benchmark says more than one of tests. */
static const char *library_best(const struct kg_cmake_words *linked, enum kg_finding_kind *kind)
{
    const char *best = NULL;
    *kind = KG_FOUND_KINDS;
    for (size_t i = 0; i < linked->count; i++) {
        const enum kg_finding_kind found = kg_library_kind(linked->at[i]);
        if (found < *kind) {
            *kind = found;
            best = linked->at[i];
        }
    }
    return best;
}

static struct executable *executable_find(const struct file *file, const char *name)
{
    for (size_t i = 0; i < file->executable_count; i++)
        if (!strcmp(file->executables[i].name, name))
            return &file->executables[i];
    return NULL;
}

static struct executable *executable_make(struct file *file, const char *name)
{
    struct executable *executable = executable_find(file, name);
    if (executable)
        return executable;
    if (!kg_arena_grow(&file->reader.arena, &file->executables, file->executable_count,
                       &file->executable_capacity, sizeof *file->executables))
        return NULL;
    executable = &file->executables[file->executable_count++];
    *executable = (struct executable){.name = name, .kind = KG_FOUND_KINDS};
    return executable;
}

static void libraries_apply(struct executable *executable, const struct kg_cmake_words *linked,
                            unsigned line)
{
    enum kg_finding_kind kind;
    const char *library = library_best(linked, &kind);
    if (!library || kind >= executable->kind)
        return;
    executable->kind = kind;
    executable->library = library;
    executable->line = line;
}

/* The names of the target that a call is about; several in a loop. */
static void target_expand(struct file *file, const struct kg_cmake_words *words,
                          struct kg_cmake_words *names)
{
    names->count = 0;
    kg_cmake_expand(&file->reader, words->at[0], names);
}

static bool link_read(struct file *file, const struct kg_cmake_words *words, unsigned line)
{
    struct kg_cmake_words names, linked = {.count = 0};
    target_expand(file, words, &names);
    for (size_t i = 1; i < words->count; i++)
        kg_cmake_expand(&file->reader, words->at[i], &linked);
    for (size_t i = 0; i < names.count; i++) {
        struct executable *executable = executable_find(file, names.at[i]);
        if (executable)
            libraries_apply(executable, &linked, line);
    }
    return true;
}

static bool executable_read(struct file *file, const struct kg_cmake_words *words, unsigned line)
{
    struct kg_cmake_words names;
    target_expand(file, words, &names);
    if (words->count > 1 && (!strcmp(words->at[1], "ALIAS") || !strcmp(words->at[1], "IMPORTED")))
        return true;
    for (size_t i = 0; i < names.count; i++) {
        struct executable *executable = executable_make(file, names.at[i]);
        if (!executable)
            return kg_error_memory(file->err);
        executable->line = executable->line ? executable->line : line;
        libraries_apply(executable, &file->linked, line);
        if (executable->kind == KG_FOUND_KINDS && kg_names_benchmark(names.at[i]))
            executable->kind = KG_FOUND_CMAKE_TARGET;
    }
    return true;
}

static bool executables_add(struct file *file)
{
    char proof[KG_CMAKE_WORD_MOST + 16];
    for (size_t i = 0; i < file->executable_count; i++) {
        const struct executable *executable = &file->executables[i];
        snprintf(proof, sizeof proof, "links %s", executable->library ? executable->library : "");
        const struct kg_finding finding = {.kind = executable->kind,
                                           .name = executable->name,
                                           .path = file->path,
                                           .line = executable->line,
                                           .proof = executable->library ? proof : NULL,
                                           .doubt = executable->kind == KG_FOUND_CMAKE_TARGET
                                                        ? kg_name_doubt(executable->name)
                                                        : NULL};
        if (executable->kind != KG_FOUND_KINDS &&
            !kg_survey_target_find(file->survey, executable->name) &&
            !kg_survey_add(file->survey, &finding, file->err))
            return false;
    }
    return true;
}

/* --- Folders ------------------------------------------------------------------------------------ */

static bool folder_keep(struct file *file, const char *name, const char ***list, size_t *count,
                        size_t *capacity)
{
    struct kg_arena *arena = &file->survey->arena;
    const char *path =
        kg_arena_printf(arena, "%s%s%s", file->folder, *file->folder && *name ? "/" : "", name);
    if (!path || !kg_arena_grow(arena, list, *count, capacity, sizeof **list))
        return kg_error_memory(file->err);
    (*list)[(*count)++] = path;
    return true;
}

/* "${CMAKE_CURRENT_SOURCE_DIR}/x" is x. */
static bool subdirectory_read(struct file *file, const struct kg_cmake_words *words)
{
    struct kg_survey *survey = file->survey;
    if (!words->count)
        return true;
    const char *brace = strrchr(words->at[0], '}');
    const char *name = brace ? brace + 1 + (brace[1] == '/') : words->at[0];
    return !*name ||
           folder_keep(file, name, &survey->added, &survey->added_count, &survey->added_capacity);
}

static bool project_keep(struct file *file)
{
    struct kg_survey *survey = file->survey;
    struct kg_cmake_words name = {.count = 0};
    kg_cmake_expand(&file->reader, "${PROJECT_NAME}", &name);
    return !name.count || folder_keep(file, "", &survey->projects, &survey->project_count,
                                      &survey->project_capacity);
}

/* --- The file ----------------------------------------------------------------------------------- */

static bool call_read(struct file *file, const char *command, const struct kg_cmake_words *words,
                      unsigned line)
{
    if (!words->count)
        return true;
    if (kg_cmake_is(command, "target_link_libraries"))
        return link_read(file, words, line);
    if (kg_cmake_is(command, "add_executable") || kg_cmake_is(command, "cuda_add_executable"))
        return executable_read(file, words, line);
    if (kg_cmake_is(command, "add_subdirectory"))
        return subdirectory_read(file, words);
    if (kg_cmake_is(command, "link_libraries"))
        for (size_t i = 0; i < words->count; i++)
            kg_cmake_expand(&file->reader, words->at[i], &file->linked);
    return true;
}

bool kg_survey_cmake(struct kg_survey *survey, const char *path, const char *text,
                     struct kg_error *err)
{
    const char *slash = strrchr(path, '/');
    struct file file = {
        .survey = survey, .path = path, .reader = {.at = text, .line = 1}, .err = err};
    char command[KG_CMAKE_WORD_MOST];
    struct kg_cmake_words words;
    unsigned line;
    bool good = true;
    file.folder = kg_arena_copy_bytes(&survey->arena, path, slash ? (size_t)(slash - path) : 0);
    if (!file.folder)
        return kg_error_memory(err);
    while (good && kg_cmake_next(&file.reader, command, &line, &words))
        good = call_read(&file, command, &words, line);
    good = good && (!file.reader.failed || kg_error_memory(err)) && project_keep(&file) &&
           executables_add(&file);
    kg_arena_free(&file.reader.arena);
    return good;
}
