#include "judge/build_names.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/baseline.h"

static bool is_store_file(const char *name)
{
    const size_t length = strlen(name);
    return name[0] != '.' && length > 5 && !strcmp(name + length - 5, ".json");
}

/* Adds the builds that one run names. Consecutive cases often share a build. */
static void run_add(struct kg_build_names *names, size_t *capacity,
                    const struct kg_baseline_run *run)
{
    const char *before = NULL;
    for (size_t i = 0; i < run->case_count; i++) {
        const char *hash = run->cases[i].build;
        if (!hash || (before && !strcmp(before, hash)))
            continue;
        kg_arena_grow(&names->arena, &names->names, names->count, capacity, sizeof *names->names);
        struct kg_build_name *name = &names->names[names->count];
        *name = (struct kg_build_name){.hash = kg_arena_copy(&names->arena, hash),
                                       .pinned = run->pin != NULL};
        before = name->hash;
        names->count++;
    }
}

static void file_add(const char *path, struct kg_build_names *names, size_t *capacity)
{
    struct kg_baseline baseline;
    struct kg_error unread;
    char schema[64];
    if (kg_schema_peek(path, schema, &unread) && !kg_schema_is(KG_BASELINE_SCHEMA, schema))
        return;
    if (!kg_baseline_load(path, &baseline, &unread)) {
        names->unread = true;
        return;
    }
    for (size_t i = 0; i < baseline.run_count; i++)
        run_add(names, capacity, &baseline.runs[i]);
    kg_baseline_free(&baseline);
}

static int by_hash(const void *a, const void *b)
{
    return strcmp(((const struct kg_build_name *)a)->hash, ((const struct kg_build_name *)b)->hash);
}

bool kg_build_names_read(const char *directory, struct kg_build_names *names, struct kg_error *err)
{
    char path[PATH_MAX];
    size_t capacity = 0;
    *names = (struct kg_build_names){0};
    DIR *entries = opendir(directory);
    if (!entries)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", directory,
                            strerror(errno));
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (is_store_file(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < PATH_MAX) {
            file_add(path, names, &capacity);
        }
    closedir(entries);
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, by_hash);
    return true;
}

void kg_build_names_free(struct kg_build_names *names)
{
    kg_arena_free(&names->arena);
    *names = (struct kg_build_names){0};
}

enum kg_build_use kg_build_names_use(const void *of, const char *hash)
{
    const struct kg_build_names *names = of;
    const struct kg_build_name wanted = {.hash = hash};
    const struct kg_build_name *found =
        names->count ? bsearch(&wanted, names->names, names->count, sizeof wanted, by_hash) : NULL;
    if (names->unread)
        return KG_BUILD_PINNED;
    if (!found)
        return KG_BUILD_UNUSED;
    while (found > names->names && !strcmp(found[-1].hash, hash))
        found--;
    for (; found < names->names + names->count && !strcmp(found->hash, hash); found++)
        if (found->pinned)
            return KG_BUILD_PINNED;
    return KG_BUILD_USED;
}

void kg_stored_builds_count(const char *directory, const struct kg_baseline_run *run,
                            struct kg_stored_builds *builds)
{
    const char *before = NULL;
    bool kept = false;
    for (size_t i = 0; i < run->case_count; i++) {
        const char *hash = run->cases[i].build;
        if (!hash)
            continue;
        if (!before || strcmp(before, hash) != 0)
            kept = kg_builds_has(directory, hash);
        before = hash;
        builds->cases++;
        builds->kept += kept;
    }
}
