/* What CMake says of a project in the reply of its File API (cmake-file-api(7)): the programs with the libraries that
 * they link, however the project spells that, and where each program is put. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"
#include "suite/adopt/survey.h"

enum { REPLY_MOST = 64 << 20, PATH_BYTES = 4096, TESTS_MOST = 16 << 20 };

struct reply {
    struct kg_survey *survey;
    const char *root;  /* the repository, absolute */
    const char *built; /* the build folder, absolute */
    char folder[PATH_BYTES];
    struct kg_error *err;
};

/* --- Files of the reply ------------------------------------------------------------------------- */

static json_t *json_read(const struct reply *reply, const char *name)
{
    char path[PATH_BYTES + 256];
    struct kg_text text = {0};
    struct kg_error ignored;
    json_t *json = NULL;
    snprintf(path, sizeof path, "%s/%s", reply->folder, name ? name : "");
    if (name && !strchr(name, '/') && kg_file_read(path, REPLY_MOST, &text, &ignored))
        kg_json_parse(path, kg_text_string(&text), text.length, &json, &ignored);
    kg_text_free(&text);
    return json;
}

/* The newest index is the last by name. */
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

/* The codemodel of version 2 that the index names, whoever asked for it; NULL: none. */
static json_t *codemodel_read(const struct reply *reply)
{
    char name[256];
    json_t *index = index_find(reply, name) ? json_read(reply, name) : NULL;
    const json_t *object;
    json_t *model = NULL;
    size_t i;
    json_array_foreach(json_object_get(index, "objects"), i, object)
    {
        const char *kind = json_string_value(json_object_get(object, "kind"));
        const json_t *version = json_object_get(object, "version");
        if (!model && kind && !strcmp(kind, "codemodel") &&
            json_integer_value(json_object_get(version, "major")) == 2)
            model = json_read(reply, json_string_value(json_object_get(object, "jsonFile")));
    }
    json_decref(index);
    return model;
}

/* --- A target ----------------------------------------------------------------------------------- */

static const struct library {
    const char *name; /* of its file without "lib", or of its target */
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

/* KG_FOUND_KINDS: not known. */
static enum kg_finding_kind library_kind(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strcmp(libraries[i].name, name))
            return libraries[i].kind;
    return KG_FOUND_KINDS;
}

/* The best of the kinds so far, and the name that says it. */
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

/* "benchmark::@6890427a1f51a3e7e1df": a target of the same build. */
static void dependencies_look(const json_t *target, struct linked *linked)
{
    const json_t *dependency;
    size_t i;
    json_array_foreach(json_object_get(target, "dependencies"), i, dependency)
    {
        const char *id = json_string_value(json_object_get(dependency, "id"));
        const char *end = id ? strstr(id, "::@") : NULL;
        if (end)
            library_look(linked, id, (size_t)(end - id));
    }
}

/* "-lbenchmark", "/usr/lib/libbenchmark.a", "-Wl,-rpath,x lib/libbenchmark.so.1.7": words of a link line. */
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

static void fragments_look(const json_t *target, struct linked *linked)
{
    const json_t *fragments = json_object_get(json_object_get(target, "link"), "commandFragments");
    const json_t *fragment;
    size_t i;
    json_array_foreach(fragments, i, fragment)
    {
        const char *text = json_string_value(json_object_get(fragment, "fragment"));
        if (text)
            fragment_look(text, linked);
    }
}

/* Where the project makes the target: a file, and a line or 0. */
static const char *place_read(const json_t *target, unsigned *line)
{
    const json_t *graph = json_object_get(target, "backtraceGraph");
    const json_t *at = json_object_get(target, "backtrace");
    const json_t *node =
        at ? json_array_get(json_object_get(graph, "nodes"), (size_t)json_integer_value(at)) : NULL;
    const json_t *file = json_array_get(json_object_get(graph, "files"),
                                        (size_t)json_integer_value(json_object_get(node, "file")));
    *line = (unsigned)json_integer_value(json_object_get(node, "line"));
    return node ? json_string_value(file) : NULL;
}

/* An artifact's path relative to the repository: CMake's is relative to the build folder, or absolute. */
static const char *artifact_path(const struct reply *reply, const json_t *target)
{
    const char *path = json_string_value(
        json_object_get(json_array_get(json_object_get(target, "artifacts"), 0), "path"));
    const size_t root = strlen(reply->root);
    if (!path || (*path == '/' && (strncmp(path, reply->root, root) != 0 || path[root] != '/')))
        return NULL;
    if (*path == '/')
        return path + root + 1;
    return kg_arena_printf(&reply->survey->arena, "%s/%s", kg_survey_tree(reply->survey), path);
}

/* Adds what CMake knows to a finding of the same name: a built program, or a target of an earlier reply. */
static bool finding_complete(const struct reply *reply, struct kg_finding *finding,
                             const char *artifact, const struct linked *linked)
{
    bool good = true;
    finding->artifact = kg_arena_keep(&reply->survey->arena, artifact, &good);
    finding->of_cmake = true;
    if (finding->kind == KG_FOUND_CMAKE_TARGET && linked->kind < KG_FOUND_KINDS) {
        finding->kind = linked->kind;
        finding->proof = kg_arena_printf(&reply->survey->arena, "links %s", linked->library);
        finding->doubt = NULL;
    }
    return (good && (finding->proof || linked->kind == KG_FOUND_KINDS)) ||
           kg_error_memory(reply->err);
}

static bool executable_add(const struct reply *reply, const json_t *target, const char *name)
{
    char proof[96];
    unsigned line;
    const char *path = place_read(target, &line);
    const char *artifact = artifact_path(reply, target);
    struct linked linked = {.kind = KG_FOUND_KINDS};
    dependencies_look(target, &linked);
    fragments_look(target, &linked);
    struct kg_finding *known = kg_survey_target_find(reply->survey, name);
    if (known)
        return finding_complete(reply, known, artifact, &linked);
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
    /* a file that CMake fetched is not of this repository */
    return finding.kind == KG_FOUND_KINDS || finding.path[0] == '/' ||
           kg_survey_add(reply->survey, &finding, reply->err);
}

static bool target_read(const struct reply *reply, const json_t *entry)
{
    json_t *target = json_read(reply, json_string_value(json_object_get(entry, "jsonFile")));
    const char *type = json_string_value(json_object_get(target, "type"));
    const char *name = json_string_value(json_object_get(target, "name"));
    const bool good =
        !type || !name || strcmp(type, "EXECUTABLE") != 0 || executable_add(reply, target, name);
    json_decref(target);
    return good;
}

/* --- Tests -------------------------------------------------------------------------------------- */

/* The tests of a later reply stand for those of an earlier one. */
static void tests_forget(struct kg_survey *survey)
{
    size_t kept = 0;
    for (size_t i = 0; i < survey->count; i++)
        if (survey->findings[i].kind != KG_FOUND_CTEST)
            survey->findings[kept++] = survey->findings[i];
    survey->count = kept;
}

static bool tests_read(const struct reply *reply, const char *folder)
{
    char path[PATH_BYTES + 64], from_path[PATH_BYTES];
    struct kg_text text = {0};
    struct kg_error ignored;
    bool good = true;
    const char *below = strcmp(folder, ".") != 0 ? folder : "";
    if (*folder == '/') /* outside of the build folder */
        return true;
    snprintf(path, sizeof path, "%s/%s/CTestTestfile.cmake", reply->built, below);
    snprintf(from_path, sizeof from_path, "%s%sCMakeLists.txt", below, *below ? "/" : "");
    const struct kg_test_file from = {.path = from_path,
                                      .folder = below,
                                      .root = reply->root,
                                      .built = reply->built,
                                      .tree = kg_survey_tree(reply->survey)};
    if (kg_file_read(path, TESTS_MOST, &text, &ignored))
        good = kg_survey_tests(reply->survey, &from, kg_text_string(&text), reply->err);
    kg_text_free(&text);
    return good;
}

/* --- All ---------------------------------------------------------------------------------------- */

/* Whether the reply is of this repository: a build folder may have been moved here. */
static bool is_of_root(const struct reply *reply, const json_t *model)
{
    const char *source =
        json_string_value(json_object_get(json_object_get(model, "paths"), "source"));
    return source && !strcmp(source, reply->root);
}

bool kg_survey_reply(struct kg_survey *survey, const char *root, const char *built, bool *found,
                     struct kg_error *err)
{
    struct reply reply = {.survey = survey, .root = root, .built = built, .err = err};
    const json_t *entry;
    bool good = true;
    size_t i;
    if (snprintf(reply.folder, sizeof reply.folder, "%s/.cmake/api/v1/reply", built) >=
        (int)sizeof reply.folder)
        return true;
    json_t *model = codemodel_read(&reply);
    const json_t *configuration = json_array_get(json_object_get(model, "configurations"), 0);
    if (configuration && is_of_root(&reply, model)) {
        *found = true;
        tests_forget(survey);
        json_array_foreach(json_object_get(configuration, "targets"), i, entry) good =
            good && target_read(&reply, entry);
        json_array_foreach(json_object_get(configuration, "directories"), i, entry)
        {
            const char *folder = json_string_value(json_object_get(entry, "build"));
            good = good && (!folder || tests_read(&reply, folder));
        }
    }
    json_decref(model);
    return good;
}
