#include "run/suite_check.h"

#include <string.h>

#include "base/process/supervise.h"

static const double ANSWER_NS = 60e9; /* a plugin may load gigabytes of libraries */

/* Names, a line each, as an array. */
static void lines_take(struct kg_arena *arena, const char *lines, struct kg_words *names)
{
    char *text = kg_arena_copy(arena, lines), *rest = text;
    names->count = 0;
    names->at = kg_arena_alloc(arena, strlen(lines) / 2 + 2, sizeof *names->at);
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n"))
        names->at[names->count++] = line;
}

bool kg_plugin_workloads(struct kg_arena *arena, const char *path, struct kg_words *names,
                         struct kg_error *err)
{
    char *const of_kgate[] = {(char *)"kgate", (char *)"worker", (char *)"--list", (char *)path,
                              NULL};
    struct kg_outcome outcome;
    if (!kg_supervise_question("/proc/self/exe", of_kgate, ANSWER_NS, &outcome, err))
        return false;
    bool good = outcome.ending == KG_ENDED_EXIT && outcome.code == 0;
    if (!good)
        kg_error_set(err, KG_ERROR_USAGE, "'%.300s': %.*s", path,
                     *outcome.tail ? (int)strcspn(outcome.tail, "\n") : 100,
                     *outcome.tail ? outcome.tail : "its process ended while it was loaded");
    if (good)
        lines_take(arena, kg_text_string(&outcome.response), names);
    kg_outcome_free(&outcome);
    if (good && !names->count)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is a plugin without a workload", path);
    return good;
}
