/* Chooses the hunk of a unified diff that touches a place in code. Profiles name a function and
 * its hottest line. The change is often some lines away, or in another file that calls the
 * function, so hunks are rated. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/code/symbol_name.h"
#include "base/escape.h"
#include "base/text.h"
#include "why/evidence/source_diff.h"

enum { LINES_SHOWN = 8, WIDTH_SHOWN = 120 };
static const char TAB[] = "    ";

/* A hunk: pointers into the diff's text. */
struct hunk {
    const char *old_file, *new_file; /* path, up to the end of the line */
    size_t old_line, old_count, new_line, new_count;
    const char *heading; /* the function, as git guesses it */
    const char *body, *end;
};

/* How well a hunk fits a place; the largest wins. */
enum fit { FIT_NONE, FIT_NAMED, FIT_HEADING, FIT_LINE };

/* --- Reading the diff ------------------------------------------------------------------------- */

static const char *line_next(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static bool begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* Reads "-A,B +C,D @@ heading". A missing count is 1. */
static bool range_read(const char *line, struct hunk *hunk)
{
    char *at;
    hunk->old_count = hunk->new_count = 1;
    hunk->old_line = strtoul(line + strlen("@@ -"), &at, 10);
    if (*at == ',')
        hunk->old_count = strtoul(at + 1, &at, 10);
    if (!begins(at, " +"))
        return false;
    hunk->new_line = strtoul(at + 2, &at, 10);
    if (*at == ',')
        hunk->new_count = strtoul(at + 1, &at, 10);
    if (!begins(at, " @@"))
        return false;
    hunk->heading = at + strlen(" @@");
    return true;
}

/* Reads the next hunk and moves `at` to its end. Returns false if there is none. */
static bool hunk_next(const char **at, struct hunk *hunk)
{
    const char *line = *at;
    for (; *line && !begins(line, "@@ -"); line = line_next(line)) {
        if (begins(line, "--- "))
            hunk->old_file = line + strlen("--- ");
        else if (begins(line, "+++ "))
            hunk->new_file = line + strlen("+++ ");
    }
    if (!*line)
        return false;
    const bool good = range_read(line, hunk) && hunk->old_file && hunk->new_file;
    line = hunk->body = line_next(line);
    while (*line && strchr(" -+\\\n", *line))
        line = line_next(line);
    *at = hunk->end = line;
    if (!good)
        hunk->body = hunk->end;
    return true;
}

/* --- Rating ----------------------------------------------------------------------------------- */

/* The path of a file line without "a/" or "b/", up to the end of the line. For a removed file:
 * its old path. */
static size_t path_of(const struct hunk *hunk, const char **path)
{
    const char *file = begins(hunk->new_file, "/dev/null") ? hunk->old_file : hunk->new_file;
    *path = file + (begins(file, "a/") || begins(file, "b/") ? 2 : 0);
    return strcspn(*path, "\t\n");
}

/* Whether the path of debug information is this file: one path must end with the other, at a
 * folder. */
static bool same_file(const char *debug, const char *path, size_t length)
{
    const size_t own = strlen(debug), least = own < length ? own : length;
    return least && !strncmp(debug + own - least, path + length - least, least) &&
           (own == length ||
            (own > length ? debug[own - least - 1] : path[length - least - 1]) == '/');
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the line has this word. */
static bool line_names(const char *line, const char *name, size_t length)
{
    const char *end = line + strcspn(line, "\n");
    for (const char *at = line; length && at + length <= end; at++)
        if (!strncmp(at, name, length) && (at == line || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

static bool changes_name(const struct hunk *hunk, const char *name, size_t length)
{
    for (const char *line = hunk->body; line < hunk->end; line = line_next(line))
        if ((*line == '-' || *line == '+') && line_names(line + 1, name, length))
            return true;
    return false;
}

/* Whether the file is source code. In other files, a matching word means nothing. */
static bool is_source(const char *path, size_t length)
{
    static const char *const endings[] = {".c",   ".h",   ".cc",  ".cpp", ".cxx", ".hh",
                                          ".hpp", ".hxx", ".inl", ".ipp", ".cu",  ".cuh",
                                          ".S",   ".rs",  ".go",  ".f90", ".zig", ".d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t end = strlen(endings[i]);
        if (length > end && !strncmp(path + length - end, endings[i], end))
            return true;
    }
    return false;
}

/* first  the most important place; a library function that it calls counts only in the place's
 *        file */
static enum fit fit_of(const struct hunk *hunk, const struct kg_place *place,
                       const struct kg_place *first)
{
    const char *path;
    size_t length;
    const size_t path_length = path_of(hunk, &path);
    const char *name = kg_name_last(place->function ? place->function : "", &length);
    if (place->file && same_file(place->file, path, path_length)) {
        if (place->line >= hunk->new_line && place->line < hunk->new_line + hunk->new_count)
            return FIT_LINE;
        if (line_names(hunk->heading, name, length))
            return FIT_HEADING;
    }
    const char *file = place != first && !place->file ? first->file : NULL;
    if (!is_source(path, path_length) || (file && !same_file(file, path, path_length)) ||
        (length == strlen("main") && !strncmp(name, "main", length)))
        return FIT_NONE;
    return changes_name(hunk, name, length) ? FIT_NAMED : FIT_NONE;
}

/* --- Showing ---------------------------------------------------------------------------------- */

/* The changed line nearest to the place, or the one that names its function; else the first one.
 * Sets its number. */
static const char *line_choose(const struct hunk *hunk, const struct kg_place *place,
                               size_t *number)
{
    size_t length;
    const char *name = kg_name_last(place->function ? place->function : "", &length), *found = NULL;
    size_t at = hunk->new_line;
    for (const char *line = hunk->body; line < hunk->end; line = line_next(line)) {
        const bool changed = *line == '-' || *line == '+';
        if (changed && (!found || at <= place->line || line_names(line + 1, name, length))) {
            found = line;
            *number = at;
            if (line_names(line + 1, name, length))
                break;
        }
        at += *line != '-' && *line != '\\';
    }
    return found;
}

/* Start of the changed lines around this one, with a line of context. Sets the number of the
 * first changed line. */
static const char *block_start(const struct hunk *hunk, const char *line, size_t *number)
{
    for (size_t back = 0; line > hunk->body && back < LINES_SHOWN / 2; back++) {
        const char *before = line - 1;
        while (before > hunk->body && before[-1] != '\n')
            before--;
        line = before;
        if (*before != '-' && *before != '+')
            break;
        *number -= *before == '+';
    }
    return line;
}

/* Appends a line of any bytes without terminal escapes, cut to WIDTH_SHOWN. */
static void line_append(const char *line, struct kg_text *text)
{
    struct kg_text plain = {0};
    for (size_t length = strcspn(line, "\n"), step; length; line += step, length -= step) {
        step = strcspn(line, "\t\n");
        kg_text_append_bytes(&plain, line, step);
        if (step < length)
            kg_text_append(&plain, TAB);
        step += step < length;
    }
    kg_escape_terminal(text, kg_text_string(&plain), WIDTH_SHOWN);
    kg_text_append(text, "\n");
    kg_text_free(&plain);
}

static void hunk_take(struct kg_arena *arena, const struct hunk *from, const struct kg_place *place,
                      struct kg_source_hunk *hunk)
{
    const char *path;
    const size_t length = path_of(from, &path);
    size_t number = from->new_line;
    struct kg_text text = {0};
    const char *line = line_choose(from, place, &number);
    line = block_start(from, line ? line : from->body, &number);
    kg_text_append_bytes(&text, path, length);
    kg_text_printf(&text, ":%zu", number ? number : 1);
    struct kg_text shown = {0};
    line_append(kg_text_string(&text), &shown);
    for (size_t i = 0; line < from->end; line = line_next(line), i++) {
        if (i == LINES_SHOWN) {
            kg_text_append(&shown, "…\n");
            break;
        }
        line_append(line, &shown);
    }
    kg_text_truncate(&shown, shown.length - 1);
    *hunk = (struct kg_source_hunk){.file = kg_arena_copy_bytes(arena, path, length),
                                    .line = from->new_line ? from->new_line : 1,
                                    .count = from->new_count,
                                    .text = kg_arena_copy(arena, kg_text_string(&shown))};
    kg_text_free(&text);
    kg_text_free(&shown);
}

bool kg_source_hunk_find(struct kg_arena *arena, const char *diff, const struct kg_place *places,
                         size_t count, struct kg_source_hunk *hunk)
{
    const struct kg_place *place = NULL;
    struct hunk one = {0}, best = {0};
    size_t most = 0;
    while (hunk_next(&diff, &one))
        for (size_t p = 0; p < count && one.body < one.end; p++) {
            const size_t fit = fit_of(&one, &places[p], places) * (count + 1);
            if (fit && fit + count - p > most) {
                most = fit + count - p;
                best = one;
                place = &places[p];
            }
        }
    if (place)
        hunk_take(arena, &best, place, hunk);
    return place;
}

enum kg_source_touch kg_source_touch_find(const char *diff, const struct kg_place *places,
                                          size_t count)
{
    enum kg_source_touch touch = KG_TOUCH_OTHER;
    struct hunk one = {0};
    while (hunk_next(&diff, &one))
        for (size_t p = 0; p < count && one.body < one.end; p++) {
            struct kg_place place = places[p];
            const char *path;
            const size_t length = path_of(&one, &path);
            place.line = 0;
            if (fit_of(&one, &place, p ? places : &place) != FIT_NONE)
                return KG_TOUCH_FUNCTION;
            if (place.file && same_file(place.file, path, length))
                touch = KG_TOUCH_FILE;
        }
    return touch;
}
