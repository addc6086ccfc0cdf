#include "cli/ab_sides.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/discover.h"

static bool is_folder(const char *path)
{
    struct stat facts;
    return path && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Returns the path of the candidate's suite in the base's checkout; NULL if the suite is outside the candidate's
 * checkout. */
static const char *base_path(struct kg_arena *arena, const struct kg_sides *sides,
                             const char *suite)
{
    char head[PATH_MAX], path[PATH_MAX];
    if (!*suite || !is_folder(sides->given[0]) || !is_folder(sides->given[1]) ||
        !realpath(sides->given[1], head) || !realpath(suite, path))
        return NULL;
    const size_t length = strlen(head);
    if (strncmp(path, head, length) != 0 || path[length] != '/')
        return NULL;
    return kg_arena_printf(arena, "%s%s", sides->given[0], path + length);
}

static bool suite_has(const struct kg_suite *suite, const char *workload)
{
    for (size_t i = 0; i < suite->workload_count; i++)
        if (!strcmp(suite->workloads[i].name, workload))
            return true;
    return false;
}

static bool plan_has(const struct kg_plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->case_count; i++)
        if (!strcmp(plan->cases[i].id, id))
            return true;
    return false;
}

/* Compares with the base's suite and its planned cases. If the suite gets cases from programs, compares only its
 * workloads, because other code asks the programs. */
static bool suite_lacks(const struct kg_prepared *prepared, const char *path, bool *alone)
{
    const struct kg_plan_options all = {0};
    struct kg_suite suite;
    struct kg_plan plan = {0};
    struct kg_error unread;
    if (!kg_suite_load(path, NULL, 0, &suite, &unread))
        return false;
    const bool planned = !kg_discover_needed(&suite) &&
                         kg_plan_make(&suite, &prepared->machine, &all, &plan, &unread);
    for (size_t i = 0; i < prepared->plan.case_count; i++) {
        const struct kg_case *own = &prepared->plan.cases[i];
        alone[i] = !suite_has(&suite, own->spec->name) || (planned && !plan_has(&plan, own->id));
    }
    if (planned)
        kg_plan_free(&plan);
    kg_suite_free(&suite);
    return true;
}

const bool *kg_base_lacks(const struct kg_sides *sides, struct kg_prepared *prepared)
{
    const size_t count = prepared->plan.case_count;
    bool *lacks = kg_arena_alloc(&prepared->arena, count, sizeof *lacks);
    for (size_t i = 0; i < count; i++)
        lacks[i] = kg_prepared_untrusted(prepared, &prepared->plan.cases[i]);
    if (prepared->trusted)
        return lacks;
    if (sides->kind != KG_SIDES_BUILDS)
        return NULL;
    const char *path = base_path(&prepared->arena, sides, prepared->suite.path);
    if (!path)
        return NULL;
    if (access(path, F_OK) == 0)
        return suite_lacks(prepared, path, lacks) ? lacks : NULL;
    memset(lacks, true, count * sizeof *lacks);
    return lacks;
}
