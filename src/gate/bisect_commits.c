/* bisect_commits.c: asks git for the commits between two ends. First parents only: the branch had these states. */
#include <math.h>
#include <string.h>

#include "gate/bisect_parts.h"
#include "suite/trust/git_ask.h"

enum { LIST_MOST = 64 << 20 };
static const double LOG_SECONDS = 30;
#define COMMIT_MARK "\x01" /* begins a commit in a log; no line of a patch begins so */

static bool commit_find(struct kg_arena *arena, const char *name, const char **hash,
                        struct kg_error *err)
{
    const char *whole = kg_arena_printf(arena, "%s^{commit}", name);
    const char *const words[] = {"rev-parse",        "--verify", "--quiet",
                                 "--end-of-options", whole,      NULL};
    if (!kg_git_line(arena, words, hash, err))
        return false;
    return *hash || kg_error_set(err, KG_ERROR_USAGE,
                                 "git finds no commit '%.200s' here; a shallow clone needs `git "
                                 "fetch --unshallow`",
                                 name);
}

bool kg_bisect_is_merge(const char *commit)
{
    struct kg_arena arena = {0};
    struct kg_error ignored;
    const char *whole = kg_arena_printf(&arena, "%s^2", commit), *parent = NULL;
    const char *const words[] = {"rev-parse",        "--verify", "--quiet",
                                 "--end-of-options", whole,      NULL};
    const bool is_merge = kg_git_line(&arena, words, &parent, &ignored) && parent;
    kg_arena_free(&arena);
    return is_merge;
}

/* Adds "HASH SUBJECT" lines to the commits. */
static void lines_add(struct kg_bisect *bisect, const char *text)
{
    size_t capacity = bisect->commit_count;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n"), hash = strcspn(line, " \n");
        kg_arena_grow(&bisect->arena, &bisect->commits, bisect->commit_count, &capacity,
                      sizeof *bisect->commits);
        bisect->commits[bisect->commit_count++] = (struct kg_bisect_commit){
            .hash = kg_arena_copy_bytes(&bisect->arena, line, hash),
            .subject = hash < length
                           ? kg_arena_copy_bytes(&bisect->arena, line + hash + 1, length - hash - 1)
                           : "",
            .weight = 1,
            .seconds = NAN,
            .probability = NAN};
        line += length + (line[length] == '\n');
    }
}

static bool log_read(struct kg_bisect *bisect, const char *range, bool one, struct kg_error *err)
{
    const char *const words[] = {"-c",
                                 "log.showSignature=false",
                                 "log",
                                 "--first-parent",
                                 "--no-notes",
                                 "--no-color",
                                 one ? "--max-count=1" : "--reverse",
                                 "--format=%H %s",
                                 range,
                                 "--",
                                 NULL};
    struct kg_text text = {0};
    char answer[KG_GIT_ANSWER_MOST];
    int status;
    bool good = kg_git_ask(words, LIST_MOST, &text, answer, &status, err);
    if (good && status)
        good = kg_error_set(err, KG_ERROR_SYSTEM, "git cannot list the commits: %s", answer);
    if (good)
        lines_add(bisect, kg_text_string(&text));
    kg_text_free(&text);
    return good;
}

/* Whether git lacks older commits. */
static bool is_shallow(struct kg_arena *arena)
{
    static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
    const char *answer = NULL;
    struct kg_error ignored;
    return kg_git_line(arena, words, &answer, &ignored) && answer && !strcmp(answer, "true");
}

/* A commit of a merged branch is an ancestor, but no state of the branch. */
static bool chain_check(struct kg_bisect *bisect, const char *good, struct kg_error *err)
{
    const char *parent = NULL;
    if (bisect->commit_count > 1) {
        const char *name = kg_arena_printf(&bisect->arena, "%s^1", bisect->commits[1].hash);
        const char *const words[] = {"rev-parse",        "--verify", "--quiet",
                                     "--end-of-options", name,       NULL};
        if (!kg_git_line(&bisect->arena, words, &parent, err))
            return false;
    }
    return (parent && !strcmp(parent, good)) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "'%.100s' is no ancestor of '%.100s' along the first parents: %s",
                        bisect->good, bisect->bad,
                        is_shallow(&bisect->arena)
                            ? "this clone is shallow; `git fetch --unshallow` completes it"
                            : "give the older commit first, and one of the same branch");
}

bool kg_bisect_commits_read(struct kg_bisect *bisect, struct kg_error *err)
{
    const char *good, *bad;
    char top[PATH_MAX];
    if (!kg_git_top(".", top))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate bisect` needs a working directory in a git repository");
    if (!commit_find(&bisect->arena, bisect->good, &good, err) ||
        !commit_find(&bisect->arena, bisect->bad, &bad, err))
        return false;
    if (!strcmp(good, bad))
        return kg_error_set(err, KG_ERROR_USAGE, "'%.100s' and '%.100s' are the same commit",
                            bisect->good, bisect->bad);
    const char *range = kg_arena_printf(&bisect->arena, "%s..%s", good, bad);
    return log_read(bisect, good, true, err) && log_read(bisect, range, false, err) &&
           chain_check(bisect, good, err);
}

bool kg_bisect_log(const struct kg_bisect *bisect, const char *form, size_t most,
                   struct kg_text *text)
{
    struct kg_arena arena = {0};
    const char *range = kg_arena_printf(&arena, "%s..%s", bisect->commits[0].hash,
                                        bisect->commits[bisect->commit_count - 1].hash);
    const char *const words[] = {"log",
                                 "--first-parent",
                                 "--diff-merges=first-parent",
                                 "--reverse",
                                 "--no-renames",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-show-signature",
                                 "--no-color",
                                 "--format=%x01%H",
                                 form,
                                 range,
                                 "--",
                                 NULL};
    const bool good = kg_git_ask_within(words, most, LOG_SECONDS, text) == 0 && text->length;
    kg_arena_free(&arena);
    return good;
}

char *kg_bisect_log_next(const struct kg_bisect *bisect, char **rest, size_t *index)
{
    if (**rest != *COMMIT_MARK)
        return NULL;
    char *hash = *rest + 1, *end = strstr(hash, "\n" COMMIT_MARK);
    *rest = end ? end + 1 : *rest + strlen(*rest);
    if (end)
        *end = '\0';
    char *part = hash + strcspn(hash, "\n");
    if (*part)
        *part++ = '\0';
    while (*index < bisect->commit_count && strcmp(bisect->commits[*index].hash, hash) != 0)
        ++*index;
    return *index < bisect->commit_count ? part : NULL;
}
