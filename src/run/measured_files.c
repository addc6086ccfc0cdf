#include "run/measured_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/code/code_identity.h"
#include "base/file.h"
#include "base/sha256.h"
#include "run/case_result.h"
#include "suite/sources/source.h"

/* The last search and its hash: neighbouring cases often belong to one workload. */
struct memory {
    const char *given;
    struct kg_code_search search;
    const char *hash;
};

/* Whether the name begins with the word and is followed by a version or nothing: "python3.12". */
static bool is_version_of(const char *name, const char *word)
{
    const size_t length = strlen(word);
    return !strncmp(name, word, length) && !name[length + strspn(name + length, "0123456789.-")];
}

/* Programs that run other code, given by their arguments: a stored copy would run today's code. */
static bool starts_others(const char *path)
{
    static const char *const names[] = {
        "bash",    "cargo", "dash",    "docker", "env",     "go",       "hyperfine",
        "java",    "julia", "ksh",     "lua",    "make",    "nice",     "node",
        "numactl", "perl",  "php",     "pypy",   "python",  "R",        "Rscript",
        "ruby",    "sh",    "taskset", "time",   "timeout", "valgrind", "zsh"};
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_version_of(slash ? slash + 1 : path, names[i]))
            return true;
    return false;
}

/* A package of the system changes with the system, not with a commit. */
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/", "/bin/", "/sbin/", "/lib"};
    if (!strncmp(path, "/usr/local/", 11))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    return false;
}

static bool is_elf(const char *path)
{
    char mark[4] = "";
    struct kg_error unread;
    const int file = kg_file_open(path, &unread);
    const bool whole = file >= 0 && read(file, mark, sizeof mark) == sizeof mark;
    if (file >= 0)
        close(file);
    return whole && !memcmp(mark, "\177ELF", sizeof mark);
}

const char *kg_measured_file_of(struct kg_arena *arena, const struct kg_build *build,
                                const struct kg_case *planned)
{
    const struct kg_source_operations *source = kg_sources[planned->spec->source];
    const bool fits = build && !source->unfit[build->kind];
    switch (source->code) {
    case KG_CODE_IN_FILE:
        return kg_build_object(arena, build, planned);
    case KG_CODE_COMPILED:
        break;
    case KG_CODE_ANYWHERE:
        return fits && build->command   ? build->command
               : planned->command_count ? planned->command[0]
                                        : NULL;
    }
    return NULL;
}

/* The path of the file itself, absolute and without links. False if the file is missing, or if its
 * copy would not bring the code. */
static bool file_locate(struct kg_arena *arena, struct kg_code_search search, const char *given,
                        bool command, char path[PATH_MAX])
{
    const char *found = command ? kg_code_program(NULL, arena, given, search)
                                : kg_code_beside(arena, search.worker, given);
    return found && realpath(found, path) && is_elf(path) &&
           !(command && (is_of_system(path) || starts_others(path)));
}

/* Sets *hash to the file's hash, NULL if it is unreadable. results->files lists each file once. */
static void file_add(struct kg_results *results, size_t *capacity, const char *path,
                     const char **hash)
{
    char hex[KG_SHA256_DIGITS + 1];
    *hash = NULL;
    for (size_t i = 0; i < results->file_count; i++)
        if (!strcmp(results->files[i].path, path)) {
            *hash = results->files[i].hash;
            return;
        }
    if (!kg_sha256_file(path, hex))
        return;
    kg_arena_grow(&results->arena, &results->files, results->file_count, capacity,
                  sizeof *results->files);
    struct kg_measured_file *file = &results->files[results->file_count];
    *file = (struct kg_measured_file){.hash = kg_arena_copy(&results->arena, hex),
                                      .path = kg_arena_copy(&results->arena, path)};
    results->file_count++;
    *hash = file->hash;
}

void kg_measured_files_find(const struct kg_plan *plan, const struct kg_build *const *builds,
                            struct kg_results *results)
{
    struct memory memory = {0};
    size_t capacity = 0;
    char path[PATH_MAX];
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        const struct kg_build *build = builds ? builds[i] : NULL;
        const bool command = kg_sources[planned->spec->source]->code == KG_CODE_ANYWHERE;
        const char *given = kg_measured_file_of(&results->arena, build, planned);
        const struct kg_code_search search =
            kg_case_program_search(&planned->setting, build ? build->directory : NULL);
        const bool asked = memory.given && given && !builds && !strcmp(memory.given, given) &&
                           kg_code_search_same(&memory.search, &search);
        if (!given || results->cases[i].status == KG_STATUS_SKIPPED)
            continue;
        if (!asked)
            memory = (struct memory){.given = given, .search = search};
        if (!asked && file_locate(&results->arena, search, given, command, path))
            file_add(results, &capacity, path, &memory.hash);
        results->cases[i].build = memory.hash;
    }
}
