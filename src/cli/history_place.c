/* history_place.c: the history that a command means, the suite's rate of false alarms, and commits of the repository
 * around the working directory. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/history_parts.h"
#include "suite/trust/git_ask.h"

static bool is_url(const char *place)
{
    return strstr(place, "://") != NULL;
}

/* A path of the suite's key is relative to the suite's folder, like all paths of a suite. */
static const char *beside(struct kg_arena *arena, const char *suite, const char *place)
{
    static const char sqlite[] = "sqlite:";
    const bool prefixed = !strncmp(place, sqlite, sizeof sqlite - 1);
    const char *path = prefixed ? place + sizeof sqlite - 1 : place;
    const char *slash = strrchr(suite, '/');
    if (is_url(place) || *path == '/' || !slash)
        return place;
    return kg_arena_printf(arena, "%.*s/%s", (int)(slash - suite), suite, path);
}

bool kg_history_place(const struct kg_arguments *arguments, struct kg_arena *arena,
                      const char **place, struct kg_error *err)
{
    struct kg_suite suite;
    struct kg_error missing;
    const char *path = arguments->suite;
    *place = arguments->history ? arguments->history : KG_HISTORY_DEFAULT;
    if (arguments->history || (!path && !kg_suite_find(arena, &path, &missing)))
        return true;
    if (!kg_suite_load(path, NULL, 0, &suite, err)) {
        kg_error_wrap(err, "the suite may name the history; --history overrides it");
        return false;
    }
    if (suite.history)
        *place = beside(arena, path, kg_arena_copy(arena, suite.history));
    kg_suite_free(&suite);
    return true;
}

bool kg_history_alpha(const struct kg_arguments *arguments, double *alpha, struct kg_error *err)
{
    static const double USUAL = 0.01;
    struct kg_arena arena = {0};
    struct kg_suite suite;
    struct kg_error missing;
    const char *path = arguments->suite;
    bool good = true;
    *alpha = USUAL;
    if (path || kg_suite_find(&arena, &path, &missing)) {
        good = kg_suite_load(path, NULL, 0, &suite, err);
        if (good) {
            *alpha = suite.policy.alpha;
            kg_suite_free(&suite);
        }
    }
    kg_arena_free(&arena);
    return good;
}

/* Whether git takes the name for a commit, not for an option. Results may come from others. */
static bool is_harmless(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._/+-", *c))
            return false;
    return isalnum((unsigned char)*name) && !strstr(name, "..");
}

/* The first line of git's answer; NULL if it has none. */
static const char *line_ask(struct kg_arena *arena, const char *const *words)
{
    enum { ANSWER_MOST = 4096 };
    static const double SECONDS = 10;
    struct kg_text text = {0};
    const char *line = NULL;
    if (kg_git_ask_within(words, ANSWER_MOST, SECONDS, &text) == 0 && text.length)
        line = kg_arena_copy_bytes(arena, text.data, strcspn(text.data, "\n"));
    kg_text_free(&text);
    return line;
}

/* A shallow clone lacks the older first parents, so their number is unknown. */
static double depth_ask(struct kg_arena *arena, const char *hash)
{
    const char *const shallow[] = {"rev-parse", "--is-shallow-repository", NULL};
    const char *const count[] = {"rev-list", "--first-parent", "--count", hash, "--", NULL};
    const char *answer = line_ask(arena, shallow);
    uint64_t depth;
    if (!answer || strcmp(answer, "false") != 0)
        return NAN;
    answer = line_ask(arena, count);
    return answer && kg_count_parse(answer, &depth) ? (double)depth : (double)NAN;
}

const char *kg_history_here_ask(struct kg_arena *arena)
{
    const char *const words[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
    return line_ask(arena, words);
}

struct kg_history_commit kg_history_commit_ask(struct kg_arena *arena, const char *named,
                                               void *user)
{
    const char *const words[] = {"log", "-1", "--format=%H %P", named, "--", NULL};
    struct kg_history_commit commit = {.depth = NAN};
    (void)user;
    const char *line = is_harmless(named) ? line_ask(arena, words) : NULL;
    const size_t length = line ? strcspn(line, " ") : 0;
    if (!length)
        return commit;
    commit.hash = kg_arena_copy_bytes(arena, line, length);
    const char *parents = line + length + (line[length] == ' ');
    if (*parents)
        commit.parent = kg_arena_copy_bytes(arena, parents, strcspn(parents, " "));
    commit.depth = depth_ask(arena, commit.hash);
    return commit;
}
