#include "run/build.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/code/code_identity.h"
#include "base/code/elf.h"
#include "base/code/harness.h"
#include "base/file.h"
#include "base/text.h"
#include "run/case_result.h"
#include "run/worker/protocol.h"

/* Usual paths of a checkout's build. */
static const char *const places[] = {"build/release/kgate", "build/gate/kgate", "build/kgate",
                                     "bin/kgate", "kgate"};
enum { PROGRAM_MOST = 256 * 1024 * 1024 };
/* A kgate is known by the protocol's name in its data, so that no unknown program is run. */
#define KGATE_PROGRAM_MARK "kgate.request.v"

static bool contains(const struct kg_text *text, const char *mark)
{
    return text->length && memmem(text->data, text->length, mark, strlen(mark)) != NULL;
}

/* A program names an interpreter. A program linked without one has the flag DF_1_PIE. An entry point
 * proves nothing: libc.so.6 has one. */
static bool is_library(const struct kg_text *text)
{
    struct kg_elf elf;
    Elf64_Ehdr header;
    if (text->length < sizeof header || !kg_elf_open(text->data, text->length, &elf))
        return false;
    memcpy(&header, text->data, sizeof header);
    return header.e_type == ET_DYN && !kg_elf_interpreter(&elf) && !kg_elf_is_pie(&elf);
}

/* Refuses an empty folder. The likely cause is a checkout that the job has not fetched. Both sides
 * would then run the same programs of the system. */
static bool folder_check(const char *path, const struct kg_build *build, struct kg_error *err)
{
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;
    if (!folder)
        return kg_error_set(err, KG_ERROR_USAGE, "%s: cannot read '%.300s': %s", build->label,
                            build->given, strerror(errno));
    do
        entry = readdir(folder);
    while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    const bool empty = !entry;
    closedir(folder);
    return !empty || kg_error_set(err, KG_ERROR_USAGE,
                                  "%s: '%.300s' is an empty folder: there is nothing to compare",
                                  build->label, build->given);
}

static bool kind_find(const char *path, struct kg_build *build, struct kg_error *err)
{
    struct kg_text text = {0};
    struct stat facts;
    if (stat(path, &facts) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "%s: cannot find '%.300s': %s", build->label,
                            build->given, strerror(errno));
    if (S_ISDIR(facts.st_mode)) {
        build->kind = KG_BUILD_CHECKOUT;
        return folder_check(path, build, err);
    }
    if (!kg_file_read(path, PROGRAM_MOST, &text, err))
        return kg_error_wrap(err, "%s", build->label);
    const bool kgate = contains(&text, KGATE_PROGRAM_MARK);
    const bool plugin =
        contains(&text, "kgate_plugin_workloads") || contains(&text, "kgate_bench_");
    const bool library = !plugin && is_library(&text);
    kg_text_free(&text);
    const bool executable = access(path, X_OK) == 0;
    build->kind = kgate && executable ? KG_BUILD_KGATE
                  : plugin            ? KG_BUILD_PLUGIN
                                      : KG_BUILD_COMMAND;
    if (build->kind == KG_BUILD_COMMAND && library)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "%s: '%.300s' is a shared library, not a plugin of kgate nor a program. To compare two "
            "versions of a library give two folders: each has one version, and the plugin or "
            "program that loads it (docs/ab.md, `Two versions of a library`)",
            build->label, build->given);
    if (build->kind == KG_BUILD_COMMAND && !executable)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "%s: '%.300s' is neither a folder, a kgate, a plugin nor an executable program",
            build->label, build->given);
    return true;
}

/* A folder or a script of that name is no kgate. */
static bool is_kgate(const char *path)
{
    struct kg_text text = {0};
    struct kg_error unread;
    const bool kgate = kg_file_is_regular(path) && access(path, X_OK) == 0 &&
                       kg_file_read(path, PROGRAM_MOST, &text, &unread) &&
                       contains(&text, KGATE_PROGRAM_MARK);
    kg_text_free(&text);
    return kgate;
}

static void checkout_build_find(struct kg_arena *arena, struct kg_build *build)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = kg_arena_printf(arena, "%s/%s", build->directory, places[i]);
        if (is_kgate(path)) {
            build->kgate = path;
            return;
        }
    }
}

bool kg_build_resolve(struct kg_arena *arena, const char *label, const char *given,
                      struct kg_build *build, struct kg_error *err)
{
    char absolute[PATH_MAX];
    *build = (struct kg_build){.label = label, .given = given};
    if (!realpath(given, absolute))
        return kg_error_set(err, KG_ERROR_USAGE, "%s: cannot find '%.300s': %s", label, given,
                            strerror(errno));
    const char *path = kg_arena_copy(arena, absolute);
    if (!kind_find(path, build, err))
        return false;
    switch (build->kind) {
    case KG_BUILD_CHECKOUT:
        build->directory = path;
        checkout_build_find(arena, build);
        return true;
    case KG_BUILD_KGATE:
        build->kgate = path;
        break;
    case KG_BUILD_PLUGIN:
        build->plugin = path;
        break;
    case KG_BUILD_COMMAND:
        build->command = path;
        break;
    }
    return true;
}

/* The program of a command. `env` may set the PATH on which it is found. */
static const char *program_find(struct kg_arena *arena, struct kg_words words)
{
    const size_t at = kg_words_program(words);
    struct kg_code_search search = {0};
    for (size_t i = 1; i < at; i++)
        if (!strncmp(words.at[i], "PATH=", strlen("PATH=")))
            search.path = words.at[i] + strlen("PATH=");
    return kg_code_program(NULL, arena, words.at[at], search);
}

bool kg_build_of_words(struct kg_arena *arena, const char *label, const char *given,
                       struct kg_words words, struct kg_build *build, struct kg_error *err)
{
    const char *found = program_find(arena, words);
    if (!found || access(found, X_OK) != 0)
        found = kg_code_program(NULL, arena, words.at[0], (struct kg_code_search){0});
    *build = (struct kg_build){
        .label = label, .given = given, .kind = KG_BUILD_COMMAND, .command = found, .words = words};
    if (found && access(found, X_OK) == 0)
        return true;
    const char *mistake = strchr(words.at[0], '=') && !strchr(words.at[0], '/')
                              ? "; a command that sets a variable begins with `env`"
                              : "";
    if (!found)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s': cannot find the program '%.300s'%s",
                            given, words.at[0], mistake);
    return kg_error_set(err, KG_ERROR_USAGE, "'%.300s': cannot execute '%.300s': %s%s", given,
                        found, strerror(errno), mistake);
}

/* Why this build says nothing about workloads of a source; NULL if it does. */
static const char *source_skip(const struct kg_build *build,
                               const struct kg_source_operations *source)
{
    if (source->beside && build->kind == KG_BUILD_CHECKOUT && !build->kgate)
        return "is a folder without a built kgate, and this is a built-in kernel";
    return source->unfit[build->kind];
}

struct kg_build kg_build_of_file(const char *label, const char *path, enum kg_source source)
{
    struct kg_build build = {.label = label, .given = path};
    if (kg_sources[source]->code == KG_CODE_ANYWHERE) {
        build.kind = KG_BUILD_COMMAND;
        build.command = path;
        return build;
    }
    build.kind = kg_sources[source]->beside ? KG_BUILD_KGATE : KG_BUILD_PLUGIN;
    build.plugin = path;
    return build;
}

const char *kg_build_object(struct kg_arena *arena, const struct kg_build *build,
                            const struct kg_case *planned)
{
    char file[4096];
    struct kg_error absent;
    const struct kg_source_operations *source = kg_sources[planned->spec->source];
    if (!build || source->unfit[build->kind])
        return planned->file;
    if (build->plugin)
        return build->plugin;
    if (!source->beside)
        return planned->file;
    return build->kgate && source->beside(build->kgate, planned->spec->target, file, &absent)
               ? kg_arena_copy(arena, file)
               : NULL;
}

bool kg_build_is_google_benchmark(const struct kg_build *build)
{
    return build->words.count && build->command && kg_code_is_google_benchmark(build->command);
}

const char *kg_build_place(const struct kg_build *build)
{
    if (build->stored)
        return NULL;
    return build->directory ? build->directory
           : build->command ? build->command
           : build->plugin  ? build->plugin
                            : build->kgate;
}

bool kg_build_fits(const struct kg_build *build, enum kg_source source)
{
    return !source_skip(build, kg_sources[source]);
}

/* The plugin or program with the case's code on this build, from here on; NULL if there is none. */
static const char *code_file(struct kg_code_memory *memory, struct kg_arena *arena,
                             const struct kg_build *build, const struct kg_case *planned)
{
    if (kg_sources[planned->spec->source]->code == KG_CODE_ANYWHERE)
        return build->command
                   ? build->command
                   : kg_code_program(memory, arena, planned->command[0],
                                     kg_case_program_search(&planned->setting, build->directory));
    const char *object = kg_build_object(arena, build, planned);
    return object ? kg_code_beside(arena, build->directory, object) : NULL;
}

/* Folder in which a case's command runs; NULL: here. */
static const char *run_folder(struct kg_arena *arena, const struct kg_build *build,
                              const struct kg_case *planned)
{
    return kg_code_beside(arena, build->directory, planned->setting.directory);
}

/* Whether `env` sets a variable of the loader, so that the program loads unexamined code. */
static bool loads_more(const struct kg_build *build)
{
    const size_t program = build->words.count ? kg_words_program(build->words) : 0;
    for (size_t i = 1; i < program; i++)
        if (!strncmp(build->words.at[i], "LD_", 3))
            return true;
    return false;
}

static struct kg_code_identity code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                                             const struct kg_build *build,
                                             const struct kg_case *planned)
{
    const enum kg_code_place place = kg_sources[planned->spec->source]->code;
    if (place == KG_CODE_COMPILED)
        return (struct kg_code_identity){0};
    const bool program = place == KG_CODE_ANYWHERE;
    const struct kg_code_owner owner = {.file = code_file(memory, arena, build, planned),
                                        .directory = program ? run_folder(arena, build, planned)
                                                             : build->directory,
                                        .program = program,
                                        .own = kg_sources[planned->spec->source]->beside != NULL,
                                        .device = planned->device};
    struct kg_code_identity code = {0};
    if (owner.file)
        code = kg_code_identify(memory, arena, owner);
    kg_case_code_widen(&planned->setting, &code);
    if (code.hash && loads_more(build))
        code.scope = KG_CODE_OPEN_ENDED;
    return code;
}

/* Whether both identities have the same libraries. True if one of them is unknown. */
static bool same_libraries(const struct kg_code_identity *a, const struct kg_code_identity *b)
{
    if (!a->hash || !b->hash || a->scope == KG_CODE_FILE_ALONE || b->scope == KG_CODE_FILE_ALONE)
        return true;
    if (a->library_count != b->library_count)
        return false;
    for (size_t i = 0; i < a->library_count; i++)
        if (strcmp(a->libraries[i], b->libraries[i]) != 0)
            return false;
    return true;
}

void kg_builds_apply(const struct kg_build *const *builds, const struct kg_plan *plan,
                     struct kg_results *results)
{
    struct kg_code_memory *memory = kg_code_memory_make(&results->arena);
    for (size_t i = 0; i < plan->case_count; i++) {
        struct kg_case_result *result = &results->cases[i];
        const struct kg_source_operations *source = kg_sources[plan->cases[i].spec->source];
        const struct kg_build *build = builds[i];
        if (!build)
            continue;
        const char *why = source_skip(build, source);
        if (!why && source->beside && !kg_build_object(&results->arena, build, &plan->cases[i]))
            why = "has no such kernel beside its kgate";
        result->code = code_identify(memory, &results->arena, build, &plan->cases[i]);
        if (!why && build->stored && !same_libraries(build->stored, &result->code))
            why = "would not run with the libraries of its stored run";
        if (!why || result->status == KG_STATUS_SKIPPED)
            continue;
        result->status = KG_STATUS_SKIPPED;
        result->reason =
            kg_arena_printf(&results->arena, "%s %s", build->stored ? "it" : build->label, why);
    }
}

/* --- Equal builds ----------------------------------------------------------------------------- */

/* Word i of the case's command on the build; NULL beyond its end. */
static const char *word_of(const struct kg_build *build, const struct kg_case *planned, size_t i)
{
    if (build && build->words.count)
        return i < build->words.count ? build->words.at[i] : NULL;
    if (!i && build && build->command)
        return build->command;
    return i < planned->command_count ? planned->command[i] : NULL;
}

/* A program's own name, by which programs such as busybox choose their behaviour. */
static const char *name_of(const char *word)
{
    const char *slash = word ? strrchr(word, '/') : NULL;
    return slash ? slash + 1 : word;
}

bool kg_builds_command_alike(const struct kg_build *a, const struct kg_build *b,
                             const struct kg_case *planned)
{
    if (!planned->command_count)
        return true;
    if (!kg_string_same(name_of(word_of(a, planned, 0)), name_of(word_of(b, planned, 0))))
        return false;
    for (size_t i = 1;; i++) {
        const char *word = word_of(a, planned, i);
        if (!kg_string_same(word, word_of(b, planned, i)))
            return false;
        if (!word)
            return true;
    }
}

/* Whether both are the same files in the same folder. */
static bool files_same(const struct kg_build *a, const struct kg_build *b)
{
    return a == b ||
           (a && b && kg_string_same(a->kgate, b->kgate) &&
            kg_string_same(a->directory, b->directory) && kg_string_same(a->plugin, b->plugin) &&
            kg_string_same(a->command, b->command));
}

bool kg_builds_alike(const struct kg_build *a, const struct kg_build *b,
                     const struct kg_case *planned, enum kg_code_match match)
{
    return kg_code_is_same(match) && kg_builds_command_alike(a, b, planned) &&
           (match == KG_CODE_SAME || files_same(a, b));
}
