/* cmake_reply.c: reads the reply of CMake's File API (cmake-file-api(7)): each program of a project, the libraries that
 * it links in any notation, and its path. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "suite/adopt/survey.h"

enum { REPLY_MOST = 64 << 20, PATH_BYTES = 4096, TESTS_MOST = 16 << 20 };

struct reply {
    struct kg_survey *survey;
    const char *root;  /* the repository, absolute */
    const char *built; /* the build folder, absolute */
    char folder[PATH_BYTES];
};

/* --- Files of the reply ------------------------------------------------------------------------- */

static const struct kg_json *json_read(const struct reply *reply, const char *name,
                                       struct kg_arena *arena)
{
    char path[PATH_BYTES + 256];
    struct kg_text text = {0};
    struct kg_error ignored;
    const struct kg_json *json = NULL;
    snprintf(path, sizeof path, "%s/%s", reply->folder, name ? name : "");
    if (name && !strchr(name, '/') && kg_file_read(path, REPLY_MOST, &text, &ignored))
        json = kg_json_read(path, kg_text_string(&text), text.length, arena, &ignored);
    kg_text_free(&text);
    return json;
}

/* Finds the newest index, which is the last one by name. */
static bool index_find(const struct reply *reply, char name[256])
{
    DIR *folder = opendir(reply->folder);
    name[0] = '\0';
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (!strncmp(entry->d_name, "index-", 6) && strcmp(entry->d_name, name) > 0)
            snprintf(name, 256, "%s", entry->d_name);
    if (folder)
        closedir(folder);
    return name[0] != '\0';
}

/* The codemodel of version 2 from the index, requested by any client; NULL: none. */
static const struct kg_json *codemodel_read(const struct reply *reply, struct kg_arena *arena)
{
    char name[256];
    const struct kg_json *index = index_find(reply, name) ? json_read(reply, name, arena) : NULL;
    const struct kg_json *objects = kg_json_member(index, "objects");
    for (const struct kg_json *object = NULL; (object = kg_json_next(objects, object));) {
        const char *kind = kg_json_member_string(object, "kind");
        const struct kg_json *version = kg_json_member(object, "version");
        if (kind && !strcmp(kind, "codemodel") &&
            kg_json_whole(kg_json_member(version, "major")) == 2)
            return json_read(reply, kg_json_member_string(object, "jsonFile"), arena);
    }
    return NULL;
}

/* --- A target ----------------------------------------------------------------------------------- */

static const struct library {
    const char *name; /* file name without "lib", or name of the CMake target */
    enum kg_finding_kind kind;
} libraries[] = {
    {"benchmark", KG_FOUND_GOOGLE_BENCHMARK},
    {"benchmark_main", KG_FOUND_GOOGLE_BENCHMARK},
    {"nvbench", KG_FOUND_NVBENCH},
    {"gtest", KG_FOUND_GTEST},
    {"gtest_main", KG_FOUND_GTEST},
    {"gmock", KG_FOUND_GTEST},
    {"gmock_main", KG_FOUND_GTEST},
};

/* The kind of programs that link the library; KG_FOUND_KINDS: unknown library. */
static enum kg_finding_kind library_kind(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strcmp(libraries[i].name, name))
            return libraries[i].kind;
    return KG_FOUND_KINDS;
}

/* The best kind so far, and the library that proves it. */
struct linked {
    enum kg_finding_kind kind;
    char library[64];
};

static void library_look(struct linked *linked, const char *name, size_t length)
{
    char copy[sizeof linked->library];
    if (length >= sizeof copy)
        return;
    memcpy(copy, name, length);
    copy[length] = '\0';
    const enum kg_finding_kind kind = library_kind(copy);
    if (kind >= linked->kind)
        return;
    linked->kind = kind;
    memcpy(linked->library, copy, sizeof copy);
}

/* Looks at dependencies on targets of the same build: "benchmark::@6890427a1f51a3e7e1df". */
static void dependencies_look(const struct kg_json *target, struct linked *linked)
{
    const struct kg_json *dependencies = kg_json_member(target, "dependencies");
    for (const struct kg_json *dependency = NULL;
         (dependency = kg_json_next(dependencies, dependency));) {
        const char *id = kg_json_member_string(dependency, "id");
        const char *end = id ? strstr(id, "::@") : NULL;
        if (end)
            library_look(linked, id, (size_t)(end - id));
    }
}

/* Looks at the words of a link line: "-lbenchmark", "/usr/lib/libbenchmark.a",
 * "-Wl,-rpath,x lib/libbenchmark.so.1.7". */
static void fragment_look(const char *fragment, struct linked *linked)
{
    while (*fragment) {
        const size_t length = strcspn(fragment, " ");
        const char *name = fragment;
        for (size_t i = 0; i < length; i++)
            if (fragment[i] == '/')
                name = fragment + i + 1;
        const size_t rest = length - (size_t)(name - fragment);
        if (rest > 2 && !strncmp(name, "-l", 2))
            library_look(linked, name + 2, rest - 2);
        else if (rest > 3 && !strncmp(name, "lib", 3))
            library_look(linked, name + 3, strcspn(name + 3, ". "));
        fragment += length + strspn(fragment + length, " ");
    }
}

static void fragments_look(const struct kg_json *target, struct linked *linked)
{
    const struct kg_json *fragments =
        kg_json_member(kg_json_member(target, "link"), "commandFragments");
    for (const struct kg_json *fragment = NULL; (fragment = kg_json_next(fragments, fragment));) {
        const char *text = kg_json_member_string(fragment, "fragment");
        if (text)
            fragment_look(text, linked);
    }
}

/* The place of the target in the project: returns the file and sets *line, 0 if unknown. */
static const char *place_read(const struct kg_json *target, unsigned *line)
{
    const struct kg_json *graph = kg_json_member(target, "backtraceGraph");
    const struct kg_json *at = kg_json_member(target, "backtrace");
    const struct kg_json *node =
        at ? kg_json_item(kg_json_member(graph, "nodes"), (size_t)kg_json_whole(at)) : NULL;
    const struct kg_json *file = kg_json_item(kg_json_member(graph, "files"),
                                              (size_t)kg_json_whole(kg_json_member(node, "file")));
    *line = (unsigned)kg_json_whole(kg_json_member(node, "line"));
    return node ? kg_json_string(file) : NULL;
}

/* An artifact's path relative to the repository; NULL if it lies outside. CMake's path is absolute or relative to the
 * build folder. */
static const char *artifact_path(const struct reply *reply, const struct kg_json *target)
{
    const char *path = kg_json_string(
        kg_json_member(kg_json_item(kg_json_member(target, "artifacts"), 0), "path"));
    const size_t root = strlen(reply->root);
    if (!path || (*path == '/' && (strncmp(path, reply->root, root) != 0 || path[root] != '/')))
        return NULL;
    if (*path == '/')
        return path + root + 1;
    return kg_arena_printf(&reply->survey->arena, "%s/%s", kg_survey_tree(reply->survey), path);
}

/* Adds CMake's facts to a finding of the same name: a built program, or a target of an earlier reply. */
static void finding_complete(const struct reply *reply, struct kg_finding *finding,
                             const char *artifact, const struct linked *linked)
{
    finding->artifact = kg_arena_keep(&reply->survey->arena, artifact);
    finding->of_cmake = true;
    if (finding->kind == KG_FOUND_CMAKE_TARGET && linked->kind < KG_FOUND_KINDS) {
        finding->kind = linked->kind;
        finding->proof = kg_arena_printf(&reply->survey->arena, "links %s", linked->library);
        finding->doubt = NULL;
    }
}

static void executable_add(const struct reply *reply, const struct kg_json *target,
                           const char *name)
{
    char proof[96];
    unsigned line;
    const char *path = place_read(target, &line);
    const char *artifact = artifact_path(reply, target);
    struct linked linked = {.kind = KG_FOUND_KINDS};
    dependencies_look(target, &linked);
    fragments_look(target, &linked);
    struct kg_finding *known = kg_survey_target_find(reply->survey, name);
    if (known) {
        finding_complete(reply, known, artifact, &linked);
        return;
    }
    const bool named = linked.kind == KG_FOUND_KINDS && kg_names_benchmark(name);
    snprintf(proof, sizeof proof, "links %s", linked.library);
    const struct kg_finding finding = {.kind = named ? KG_FOUND_CMAKE_TARGET : linked.kind,
                                       .name = name,
                                       .path = path ? path : "CMakeLists.txt",
                                       .line = line,
                                       .proof = named ? NULL : proof,
                                       .artifact = artifact,
                                       .of_cmake = true,
                                       .doubt = named ? kg_name_doubt(name) : NULL};
    /* a file fetched by CMake does not belong to this repository */
    if (finding.kind != KG_FOUND_KINDS && finding.path[0] != '/')
        kg_survey_add(reply->survey, &finding);
}

static void target_read(const struct reply *reply, const struct kg_json *entry)
{
    struct kg_arena arena = {0};
    const struct kg_json *target =
        json_read(reply, kg_json_member_string(entry, "jsonFile"), &arena);
    const char *type = kg_json_member_string(target, "type");
    const char *name = kg_json_member_string(target, "name");
    if (type && name && strcmp(type, "EXECUTABLE") == 0)
        executable_add(reply, target, name);
    kg_arena_free(&arena);
}

/* --- Tests -------------------------------------------------------------------------------------- */

/* Removes the tests of an earlier reply, because a later reply replaces them. */
static void tests_forget(struct kg_survey *survey)
{
    size_t kept = 0;
    for (size_t i = 0; i < survey->count; i++)
        if (survey->findings[i].kind != KG_FOUND_CTEST)
            survey->findings[kept++] = survey->findings[i];
    survey->count = kept;
}

static void tests_read(const struct reply *reply, const char *folder)
{
    char path[PATH_BYTES + 64], from_path[PATH_BYTES];
    struct kg_text text = {0};
    struct kg_error ignored;
    const char *below = strcmp(folder, ".") != 0 ? folder : "";
    if (*folder == '/') /* outside of the build folder */
        return;
    snprintf(path, sizeof path, "%s/%s/CTestTestfile.cmake", reply->built, below);
    snprintf(from_path, sizeof from_path, "%s%sCMakeLists.txt", below, *below ? "/" : "");
    const struct kg_test_file from = {.path = from_path,
                                      .folder = below,
                                      .root = reply->root,
                                      .built = reply->built,
                                      .tree = kg_survey_tree(reply->survey)};
    if (kg_file_read(path, TESTS_MOST, &text, &ignored))
        kg_survey_tests(reply->survey, &from, kg_text_string(&text));
    kg_text_free(&text);
}

/* --- All ---------------------------------------------------------------------------------------- */

/* Whether the reply belongs to this repository. A moved build folder has a reply of another one. */
static bool is_of_root(const struct reply *reply, const struct kg_json *model)
{
    const char *source = kg_json_member_string(kg_json_member(model, "paths"), "source");
    return source && !strcmp(source, reply->root);
}

void kg_survey_reply(struct kg_survey *survey, const char *root, const char *built, bool *found)
{
    struct reply reply = {.survey = survey, .root = root, .built = built};
    struct kg_arena arena = {0};
    if (snprintf(reply.folder, sizeof reply.folder, "%s/.cmake/api/v1/reply", built) >=
        (int)sizeof reply.folder)
        return;
    const struct kg_json *model = codemodel_read(&reply, &arena);
    const struct kg_json *configuration = kg_json_item(kg_json_member(model, "configurations"), 0);
    if (configuration && is_of_root(&reply, model)) {
        *found = true;
        tests_forget(survey);
        const struct kg_json *targets = kg_json_member(configuration, "targets");
        for (const struct kg_json *entry = NULL; (entry = kg_json_next(targets, entry));)
            target_read(&reply, entry);
        const struct kg_json *directories = kg_json_member(configuration, "directories");
        for (const struct kg_json *entry = NULL; (entry = kg_json_next(directories, entry));) {
            const char *folder = kg_json_member_string(entry, "build");
            if (folder)
                tests_read(&reply, folder);
        }
    }
    kg_arena_free(&arena);
}
