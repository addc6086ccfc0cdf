/* history_names.c: refuses names that a history lacks. A mistyped name would otherwise look like a history without
 * changes. */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "judge/history/history_database.h"

struct names {
    struct kg_arena arena;
    const char **names;
    size_t count, capacity;
};

static void name_add(struct names *names, const char *name)
{
    kg_arena_grow(&names->arena, &names->names, names->count, &names->capacity,
                  sizeof *names->names);
    names->names[names->count++] = name;
}

static bool names_read(struct kg_history_database *database, const char *sql, struct names *names,
                       struct kg_error *err)
{
    struct kg_query query = {0};
    enum kg_step step;
    if (!kg_query_prepare(database, sql, &query, err))
        return false;
    while ((step = kg_query_step(&query, err)) == KG_STEP_ROW)
        name_add(names, kg_row_copy(&query, 0, &names->arena));
    kg_query_free(&query);
    return step == KG_STEP_DONE;
}

/* count  of the names that the message lists; more names may only be near */
static bool refuse(const struct kg_history_database *database, const char *kind, const char *wanted,
                   const struct names *names, size_t count, struct kg_error *err)
{
    enum { LISTED = 8 };
    struct kg_text list = {0};
    char meant[KG_MEANT_BYTES];
    for (size_t i = 0; i < count && i < LISTED; i++)
        kg_text_printf(&list, "%s%.80s", i ? ", " : "", names->names[i]);
    if (count > LISTED)
        kg_text_printf(&list, " and %zu more", count - LISTED);
    kg_error_set(err, KG_ERROR_USAGE, "the history '%.200s' has no %s '%.200s'%s; there are %s",
                 database->name, kind, wanted, kg_meant(meant, wanted, names->names, names->count),
                 kg_text_string(&list));
    kg_text_free(&list);
    return false;
}

static bool name_check(struct kg_history_database *database, const char *kind, const char *wanted,
                       const char *sql, struct kg_error *err)
{
    struct names names = {0};
    if (!wanted)
        return true;
    bool good = names_read(database, sql, &names, err);
    if (good && names.count && !kg_word_is_among(wanted, names.names, names.count))
        good = refuse(database, kind, wanted, &names, names.count, err);
    kg_arena_free(&names.arena);
    return good;
}

bool kg_history_filter_check(struct kg_history_database *database,
                             const struct kg_history_filter *filter, struct kg_error *err)
{
    return name_check(database, "suite", filter->suite,
                      "SELECT DISTINCT suite FROM series ORDER BY suite", err) &&
           name_check(database, "metric", filter->metric,
                      "SELECT DISTINCT metric FROM series ORDER BY metric", err) &&
           name_check(database, "machine", filter->machine,
                      "SELECT class AS name FROM machine UNION SELECT host FROM machine WHERE host "
                      "<> '' ORDER BY name",
                      err);
}

bool kg_history_case_refuse(struct kg_history_database *database, const char *wanted,
                            struct kg_error *err)
{
    struct names names = {0};
    const bool good =
        names_read(database, "SELECT DISTINCT case_ FROM series ORDER BY case_", &names, err);
    const size_t count = names.count;
    /* an id is long, and the name of its workload alone finds it too */
    for (size_t i = 0; i < count; i++)
        name_add(&names,
                 kg_arena_copy_bytes(&names.arena, names.names[i], strcspn(names.names[i], "/")));
    if (good && count)
        refuse(database, "case", wanted, &names, count, err);
    else if (good)
        kg_error_set(err, KG_ERROR_USAGE, "the history '%.200s' has no cases", database->name);
    kg_arena_free(&names.arena);
    return false;
}
