#include "base/elide.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"

enum { PIECES_MOST = 64 }; /* pieces after them are never hidden */

/* --- Pieces ----------------------------------------------------------------------------------- */

/* Bytes of the piece at `s`, with the separator behind it. */
static size_t piece_length(const char *s)
{
    const size_t length = strcspn(s, "/,");
    return length + (s[length] != '\0');
}

/* Bytes of a piece's key, with its '='; 0: no key. */
static size_t key_length(const char *piece)
{
    const size_t length = strcspn(piece, "=/,");
    return piece[length] == '=' ? length + 1 : 0;
}

/* The parts that all names of a group share, one bit per piece. */
struct common {
    uint64_t pieces;
    uint64_t keys;
};

/* Clears the bits of each piece and key that this name does not share. */
static void common_narrow(struct common *common, const char *first, const char *name)
{
    for (size_t i = 0; i < PIECES_MOST; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        const size_t length = piece_length(first), key = key_length(first);
        /* the first piece names the group; the last piece, such as a device, has no separator: both
         * stay */
        if (!i || !length || !strchr("/,", first[length - 1]) || strncmp(first, name, length) != 0)
            common->pieces &= ~bit;
        if (!i || !key || strncmp(first, name, key) != 0)
            common->keys &= ~bit;
        first += length;
        name += piece_length(name);
    }
}

/* --- A group ---------------------------------------------------------------------------------- */

/* Names with the same first piece. */
struct group {
    const char *const **names; /* into the caller's */
    size_t count;
    struct common common;
    size_t hidden;    /* number of common pieces that are hidden, from the first */
    bool keys_hidden; /* keys of the other pieces are hidden */
};

static void hole_append(struct kg_text *text, bool *open)
{
    if (!*open)
        kg_text_append(text, "…");
    *open = true;
}

static void name_append(const struct group *group, const char *name, struct kg_text *text)
{
    size_t hidden = 0;
    bool open = false; /* the text ends with a hole */
    for (size_t i = 0; *name; i++) {
        const uint64_t bit = i < PIECES_MOST ? UINT64_C(1) << i : 0;
        const size_t length = piece_length(name);
        size_t from = 0;
        if (group->common.pieces & bit && hidden < group->hidden) {
            hidden++;
            hole_append(text, &open);
            from = name[length - 1] == '/' ? length - 1 : length;
        } else if (group->common.keys & bit && group->keys_hidden) {
            hole_append(text, &open);
            from = key_length(name);
        }
        open = open && from == length;
        kg_text_append_bytes(text, name + from, length - from);
        name += length;
    }
}

static bool group_fits(const struct group *group, size_t most)
{
    size_t widest = 0;
    for (size_t i = 0; i < group->count && widest <= most; i++) {
        struct kg_text text = {0};
        name_append(group, *group->names[i], &text);
        const size_t width = kg_text_width(kg_text_string(&text));
        widest = width > widest ? width : widest;
        kg_text_free(&text);
    }
    return widest <= most;
}

/* Hides as few pieces and keys as let all names of the group fit, or all that may be hidden. */
static void group_shorten(struct group *group, size_t most)
{
    group->common = (struct common){UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < group->count; i++)
        common_narrow(&group->common, *group->names[0], *group->names[i]);
    const size_t pieces = (size_t)__builtin_popcountll(group->common.pieces);
    while (!group_fits(group, most) && group->hidden < pieces)
        group->hidden++;
    group->keys_hidden = !group_fits(group, most);
}

/* The place to cut a text that is still too long. */
enum cut { CUT_FIRST_HOLE, CUT_MIDDLE };

/* Appends the text in at most `most` characters. */
static void cut_append(struct kg_text *text, const char *name, enum cut cut, size_t most)
{
    enum { BEGINNING_LEAST = 6 }; /* a reader recognises the group by them */
    static const char hole[] = "…";
    const char *rest = strstr(name, hole);
    const size_t rest_width = rest ? kg_text_width(rest) : 0;
    if (cut == CUT_MIDDLE || !rest || rest_width + BEGINNING_LEAST > most ||
        kg_text_width(name) <= most) {
        kg_text_append_ends(text, name, most);
        return;
    }
    kg_text_append_beginning(text, name, most - rest_width);
    kg_text_append(text, rest);
}

static bool group_show(struct kg_arena *arena, const struct group *group, enum cut cut, size_t most,
                       const char *const *names, const char **shown)
{
    for (size_t i = 0; i < group->count; i++) {
        struct kg_text text = {0}, fitting = {0};
        name_append(group, *group->names[i], &text);
        cut_append(&fitting, kg_text_string(&text), cut, most);
        const char *copy =
            text.failed || fitting.failed ? NULL : kg_arena_copy(arena, kg_text_string(&fitting));
        shown[group->names[i] - names] = copy;
        kg_text_free(&text);
        kg_text_free(&fitting);
        if (!copy)
            return false;
    }
    return true;
}

/* --- All -------------------------------------------------------------------------------------- */

static int names_compare(const void *left, const void *right)
{
    return strcmp(**(const char *const *const *)left, **(const char *const *const *)right);
}

static bool same_group(const char *one, const char *other)
{
    const size_t length = strcspn(one, "/");
    return !strncmp(one, other, length) && (other[length] == '/' || !other[length]);
}

/* sorted: the names, with each group together */
static bool groups_show(struct kg_arena *arena, const char *const *names, size_t count,
                        const char *const **sorted, enum cut cut, size_t most, const char **shown)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_group(*sorted[first], *sorted[end]); end++) {
        }
        struct group group = {.names = sorted + first, .count = end - first};
        group_shorten(&group, most);
        if (!group_show(arena, &group, cut, most, names, shown))
            return false;
    }
    return true;
}

/* Whether different names look different. sorted: room for count, in any order */
static bool are_apart(const char *const *names, size_t count, const char **shown,
                      const char *const **sorted)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = &shown[i];
    qsort(sorted, count, sizeof *sorted, names_compare);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(*sorted[i - 1], *sorted[i]) &&
            strcmp(names[sorted[i - 1] - shown], names[sorted[i] - shown]) != 0)
            return false;
    return true;
}

bool kg_elide(struct kg_arena *arena, const char *const *names, size_t count, size_t most,
              const char **shown)
{
    size_t longest = 0;
    const char *const **sorted = kg_arena_alloc(arena, 2 * count, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &names[i];
        longest = kg_text_width(names[i]) > longest ? kg_text_width(names[i]) : longest;
    }
    qsort(sorted, count, sizeof *sorted, names_compare);
    for (;; most += most / 8 + 1) {
        for (enum cut cut = CUT_FIRST_HOLE; cut <= CUT_MIDDLE; cut++) {
            if (!groups_show(arena, names, count, sorted, cut, most, shown))
                return false;
            if (most >= longest || are_apart(names, count, shown, sorted + count))
                return true;
        }
    }
}
