/* Asks git for the change between two commits. This runs after the verdict, so a failure does
 * not fail the gate: the report then lacks the lines. */
#include "why/evidence/source_diff.h"

#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "suite/trust/git_ask.h"
#include "suite/trust/trust.h"

enum { DIFF_MOST = 4 << 20, LOG_MOST = 1 << 20, COMMIT_MOST = 250, LINE_MOST = 100 };
static const double DIFF_SECONDS = 5, LOG_SECONDS = 1;
static const char DIRTY[] = "-dirty";

/* Whether git can read the name only as a commit. The name may come from any file. */
static bool is_name(const char *name, size_t length)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+";
    return length && length < COMMIT_MOST && *name != '-' && strspn(name, letters) >= length;
}

/* The name without "-dirty" at the end. NULL: it is not the name of a commit. */
static const char *commit_of(struct kg_arena *arena, const char *name, bool *dirty)
{
    size_t length = name ? strlen(name) : 0;
    const size_t end = strlen(DIRTY);
    *dirty = length > end && !strcmp(name + length - end, DIRTY);
    length -= *dirty ? end : 0;
    return length && is_name(name, length) ? kg_arena_copy_bytes(arena, name, length) : NULL;
}

/* Whether the working tree has this name now. kg_checkout_read calls it dirty only if git needs
 * no filter. */
static bool is_here(struct kg_arena *arena, const char *name)
{
    const struct kg_checkout here = kg_checkout_read(arena, ".");
    return here.dirty && !strcmp(here.commit, name);
}

struct kg_source_diff kg_source_diff_read(struct kg_arena *arena, const char *base,
                                          const char *head)
{
    struct kg_source_diff diff = {0};
    bool base_dirty, dirty;
    diff.base = commit_of(arena, base, &base_dirty);
    diff.head = commit_of(arena, head, &dirty);
    if (!diff.base || base_dirty || !diff.head || (!dirty && !strcmp(diff.base, diff.head)) ||
        (dirty && !is_here(arena, head)))
        return diff;
    const char *words[] = {"diff",
                           "--no-ext-diff",
                           "--no-textconv",
                           "--no-color",
                           "--unified=3",
                           "--src-prefix=a/",
                           "--dst-prefix=b/",
                           "--ignore-submodules",
                           "--end-of-options",
                           diff.base,
                           dirty ? "--" : diff.head,
                           dirty ? NULL : "--",
                           NULL};
    struct kg_text text = {0};
    if (dirty)
        diff.head = NULL;
    if (kg_git_ask_within(words, DIFF_MOST, DIFF_SECONDS, &text) == 0)
        diff.text = kg_arena_copy_bytes(arena, kg_text_string(&text), text.length);
    kg_text_free(&text);
    return diff;
}

const char *kg_source_diff_commits(struct kg_arena *arena, const struct kg_source_diff *diff,
                                   const struct kg_source_hunk *hunk)
{
    if (!diff->head)
        return NULL;
    const char *range = kg_arena_printf(arena, "%s..%s", diff->base, diff->head);
    const char *lines = kg_arena_printf(arena, "-L%zu,+%zu:%s", hunk->line,
                                        hunk->count ? hunk->count : 1, hunk->file);
    const char *words[] = {
        "log",           "--no-patch",       "--no-color",    "--no-show-signature",
        "--max-count=3", "--no-ext-diff",    "--no-textconv", "--format=%h %s",
        lines,           "--end-of-options", range,           NULL};
    struct kg_text text = {0}, shown = {0};
    if (kg_git_ask_within(words, LOG_MOST, LOG_SECONDS, &text) != 0)
        kg_text_truncate(&text, 0);
    for (char *rest = NULL, *line = text.data ? strtok_r(text.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        kg_text_append(&shown, shown.length ? "\n" : "");
        kg_escape_terminal(&shown, line, LINE_MOST);
    }
    const char *commits = shown.length ? kg_arena_copy(arena, kg_text_string(&shown)) : NULL;
    kg_text_free(&text);
    kg_text_free(&shown);
    return commits;
}
