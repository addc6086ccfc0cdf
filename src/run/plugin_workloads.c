#include "run/opening.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/process/supervise.h"
#include "run/worker_program.h"

static const double ANSWER_NS = 60e9; /* a plugin may load gigabytes of libraries */

/* Names, a line each, as an array. */
static bool lines_take(struct kg_arena *arena, const char *lines, struct kg_words *names,
                       struct kg_error *err)
{
    char *text = kg_arena_copy(arena, lines), *rest = text;
    names->count = 0;
    names->at = kg_arena_alloc(arena, strlen(lines) / 2 + 2, sizeof *names->at);
    if (!text || !names->at)
        return kg_error_memory(err);
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n"))
        names->at[names->count++] = line;
    return true;
}

/* kgate itself has libraries loaded that the plugin may bring in another version. */
static bool worker_find(char worker[PATH_MAX])
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    return kg_worker_program_find(program, worker);
}

bool kg_plugin_workloads(struct kg_arena *arena, const char *path, struct kg_words *names,
                         struct kg_error *err)
{
    char *const of_kgate[] = {(char *)"kgate", (char *)"worker", (char *)"--list", (char *)path,
                              NULL};
    char *const of_worker[] = {(char *)"kgate-worker", (char *)"--list", (char *)path, NULL};
    char worker[PATH_MAX];
    struct kg_outcome outcome;
    const bool found = worker_find(worker);
    if (!kg_supervise_question(found ? worker : "/proc/self/exe", found ? of_worker : of_kgate,
                               ANSWER_NS, &outcome, err))
        return false;
    bool good = outcome.ending == KG_ENDED_EXIT && outcome.code == 0;
    if (!good)
        kg_error_set(err, KG_ERROR_USAGE, "'%.300s': %.*s", path,
                     *outcome.tail ? (int)strcspn(outcome.tail, "\n") : 100,
                     *outcome.tail ? outcome.tail : "its process ended while it was loaded");
    good = good && lines_take(arena, kg_text_string(&outcome.response), names, err);
    kg_outcome_free(&outcome);
    if (good && !names->count)
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is a plugin without a workload", path);
    return good;
}
