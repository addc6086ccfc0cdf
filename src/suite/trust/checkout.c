/* checkout.c: asks git for the measured version, without running any program that the repository names. */
#include "suite/trust/trust.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "suite/trust/git_ask.h"

enum { WORDS_MOST = 15, NAME_MOST = 250, ANSWER_MOST = 1 << 20 };
static const double SECONDS = 5;

/* Appends to `text` the answer of git in the top folder of a checkout; returns git's exit status. */
static int ask(const char *top, const char *const *question, struct kg_text *text)
{
    const char *words[WORDS_MOST] = {"-C", top};
    size_t count = 2;
    for (size_t i = 0; question[i] && count + 1 < WORDS_MOST; i++)
        words[count++] = question[i];
    return kg_git_ask_within(words, ANSWER_MOST, SECONDS, text);
}

/* The first line of the text, if reports can print it as a name; else NULL. */
static const char *name_keep(struct kg_arena *arena, const struct kg_text *text)
{
    const char *name = kg_text_string(text);
    const size_t length = strcspn(name, "\n");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return NULL;
    return length && length <= NAME_MOST && kg_utf8_is_valid(name, length)
               ? kg_arena_copy_bytes(arena, name, length)
               : NULL;
}

static const char *name_ask(struct kg_arena *arena, const char *top, const char *const *question)
{
    struct kg_text text = {0};
    const char *name = ask(top, question, &text) == 0 ? name_keep(arena, &text) : NULL;
    kg_text_free(&text);
    return name;
}

/* Whether the repository's own configuration has a filter, which git would start. If git cannot answer: true. */
static bool has_own_filter(const char *top)
{
    enum { NONE_FOUND = 1 };
    static const char *const question[] = {"config",       "--show-scope", "--name-only",
                                           "--get-regexp", "^filter\\.",   NULL};
    struct kg_text text = {0};
    const int status = ask(top, question, &text);
    const char *lines = kg_text_string(&text);
    const bool own = status != NONE_FOUND &&
                     (status != 0 || strstr(lines, "local\t") || strstr(lines, "worktree\t"));
    kg_text_free(&text);
    return own;
}

/* Whether a tracked file differs from the commit. */
static bool is_dirty(const char *top)
{
    static const char *const question[] = {"status", "--porcelain", "--untracked-files=no",
                                           "--ignore-submodules=dirty", NULL};
    struct kg_text text = {0};
    if (!has_own_filter(top))
        ask(top, question, &text);
    const bool dirty = text.length > 0;
    kg_text_free(&text);
    return dirty;
}

struct kg_checkout kg_checkout_read(struct kg_arena *arena, const char *path)
{
    static const char *const describe[] = {"describe", "--tags", "--always", NULL};
    static const char *const branch[] = {"symbolic-ref", "--quiet", "--short", "HEAD", NULL};
    char top[PATH_MAX];
    struct kg_checkout checkout = {0};
    if (!kg_git_top(path, top))
        return checkout;
    checkout.commit = name_ask(arena, top, describe);
    if (!checkout.commit)
        return checkout;
    checkout.branch = name_ask(arena, top, branch);
    checkout.dirty = is_dirty(top);
    if (checkout.dirty)
        checkout.commit = kg_arena_printf(arena, "%s-dirty", checkout.commit);
    return checkout;
}
