#include "run/pairing.h"

#include <string.h>

#include "base/code/code_identity.h"
#include "run/case_result.h"
#include "run/measured_files.h"
#include "suite/sources/source.h"

/* Fills the facts of file->path; without a readable file the path becomes NULL. */
static void facts_take(struct kg_watched_file *file)
{
    if (file->path && (stat(file->path, &file->facts) != 0 || !S_ISREG(file->facts.st_mode) ||
                       (file->by_contents && !kg_sha256_file(file->path, file->hash))))
        file->path = NULL;
}

struct kg_watched_file *kg_watched_files_make(struct kg_arena *arena, const struct kg_plan *plan,
                                              const struct kg_build *const *builds)
{
    struct kg_watched_file *files = kg_arena_alloc(arena, plan->case_count, sizeof *files);
    struct kg_code_memory *memory = kg_code_memory_make(arena);
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        const struct kg_build *build = builds ? builds[i] : NULL;
        const bool command = kg_sources[planned->spec->source]->code == KG_CODE_ANYWHERE;
        const char *directory = build ? build->directory : NULL;
        const char *given = kg_measured_file_of(arena, build, planned);
        struct kg_watched_file *file = &files[i];
        if (!given)
            continue;
        if (command)
            file->path = kg_code_program(memory, arena, given,
                                         kg_case_program_search(&planned->setting, directory));
        else if (directory && given[0] != '/')
            file->path = kg_arena_printf(arena, "%s/%s", directory, given);
        else
            file->path = given;
        file->by_contents = planned->setting.setup_count > 0;
        if (i && files[i - 1].path && file->path && !strcmp(files[i - 1].path, file->path) &&
            files[i - 1].by_contents == file->by_contents)
            *file = files[i - 1];
        else
            facts_take(file);
    }
    return files;
}

struct kg_watched_file kg_watched_file_again(const struct kg_watched_file *file)
{
    struct kg_watched_file again = {.path = file->path};
    facts_take(&again);
    return again;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The kernel sets the time of change (ctime), and no user can set it back: a file that was replaced
 * for a while and restored shows too. */
bool kg_watched_file_changed(const struct kg_watched_file *file)
{
    char hash[KG_SHA256_DIGITS + 1];
    struct stat now;
    if (!file->path)
        return false;
    if (file->by_contents)
        return !kg_sha256_file(file->path, hash) || strcmp(hash, file->hash) != 0;
    return stat(file->path, &now) != 0 || now.st_dev != file->facts.st_dev ||
           now.st_ino != file->facts.st_ino || now.st_size != file->facts.st_size ||
           !same_time(&now.st_ctim, &file->facts.st_ctim);
}
