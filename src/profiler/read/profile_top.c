/* The paths with the most self time. */
#include <stdlib.h>
#include <string.h>

#include "base/elide.h"
#include "base/escape.h"
#include "base/wrap.h"
#include "profiler/read/profile.h"
#include "profiler/read/profile_cells.h"
#include "profiler/read/profile_facts.h"

/* Default number of rows; most characters of a path, and characters between two of its names. */
enum { LIMIT_USUAL = 10, PLACE_MOST = 120, SEPARATOR = 3 };

/* The column of paths. */
enum { PLACE = 4 };

/* From here on a share is worth saying. */
static const double NOTABLE = 0.1;

struct ranked {
    double self_ns;
    size_t row;
};

static int ranked_compare(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    if (a->self_ns != b->self_ns)
        return a->self_ns > b->self_ns ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Rows with self time, the most first; NULL if memory is out. */
static struct ranked *rank(const struct kg_profile *profile, size_t *count)
{
    struct ranked *ranked = calloc(profile->row_count + 1, sizeof *ranked);
    *count = 0;
    for (size_t i = 0; i < profile->row_count && ranked; i++) {
        const struct kg_profile_row *row = &profile->rows[i];
        if (row->path.kind == KGATE_SCOPE_PROFILER || row->path.span || !(row->figures.self_ns > 0))
            continue;
        ranked[(*count)++] = (struct ranked){row->figures.self_ns, i};
    }
    if (ranked)
        qsort(ranked, *count, sizeof *ranked, ranked_compare);
    return ranked;
}

static const char *kind_note(size_t kind)
{
    return kind == KGATE_SCOPE_WAIT       ? "waiting"
           : kind == KGATE_SCOPE_PARALLEL ? "starting and joining threads"
                                          : NULL;
}

static void part_print(struct kg_text *text, const char *what, double part)
{
    if (part >= NOTABLE)
        kg_text_printf(text, "%s%s %.0f %%", text->length ? ", " : "", what, 100 * part);
}

/* Notes that suggest a reader's next question. */
static void notes_print(const struct kg_profile_row *row, struct kg_text *text)
{
    const struct kg_profile_figures *figures = &row->figures;
    const double total_ns = figures->total_ns;
    const char *kind = kind_note(row->path.kind);
    if (kind)
        kg_text_append(text, kind);
    part_print(text, "GPU", figures->gpu_ns / total_ns);
    part_print(text, "transfers", figures->transfer_ns / total_ns);
    part_print(text, "profiler", figures->overhead_ns / total_ns);
    if (figures->cpu_ns < total_ns)
        part_print(text, "waiting", 1 - figures->cpu_ns / total_ns);
    const double imbalance = kg_profile_imbalance(figures);
    if (imbalance > 1 + NOTABLE)
        kg_text_printf(text, "%s%llu threads, the busiest %.1f times the average",
                       text->length ? ", " : "", (unsigned long long)figures->threads_most,
                       imbalance);
}

/* --- Places ----------------------------------------------------------------------------------- */

/* Places of rows, in a column of `room` characters. A long path loses the names between the first and
 * the last ones. It always keeps the first, which may be a case's id, because other paths end alike. */
struct places {
    const struct kg_profile *profile;
    struct kg_arena arena;
    const char **outer; /* shown names of the outermost rows; else NULL */
    size_t room;
};

static const char *name_shown(struct places *places, size_t row)
{
    struct kg_text shown = {0};
    kg_escape_terminal(&shown, places->profile->rows[row].path.name, KG_PROFILE_NAME_MOST);
    const char *copy = shown.failed ? NULL : kg_arena_copy(&places->arena, kg_text_string(&shown));
    kg_text_free(&shown);
    return copy;
}

static size_t name_width(const struct kg_profile *profile, size_t row)
{
    struct kg_text shown = {0};
    kg_escape_terminal(&shown, profile->rows[row].path.name, KG_PROFILE_NAME_MOST);
    const size_t width = kg_text_width(kg_text_string(&shown));
    kg_text_free(&shown);
    return width;
}

/* Most characters of the outermost names. They leave room for the longest last name that stands beside
 * them, and not below. */
static size_t outer_most(const struct kg_profile *profile, const struct ranked *ranked,
                         size_t shown, size_t room)
{
    enum { LEAST = 18, BETWEEN = 2 * SEPARATOR + 1 /* " > … > " */ };
    size_t longest = 0;
    for (size_t i = 0; i < shown; i++) {
        const size_t width = profile->rows[ranked[i].row].path.depth
                                 ? name_width(profile, ranked[i].row) + BETWEEN
                                 : 0;
        longest = width > longest && width + LEAST <= room ? width : longest;
    }
    return room - longest;
}

/* Shortens the outermost names together, to keep them distinct. false if memory is out. */
static bool places_make(struct places *places, size_t most)
{
    const struct kg_profile *profile = places->profile;
    const char **names = kg_arena_alloc(&places->arena, profile->row_count, sizeof *names);
    const char **shown = kg_arena_alloc(&places->arena, profile->row_count, sizeof *shown);
    places->outer = kg_arena_alloc(&places->arena, profile->row_count, sizeof *places->outer);
    size_t count = 0;
    if (!names || !shown || !places->outer)
        return false;
    for (size_t i = 0; i < profile->row_count; i++) {
        places->outer[i] = NULL;
        if (!profile->rows[i].path.depth && !(names[count++] = name_shown(places, i)))
            return false;
    }
    if (!kg_elide(&places->arena, names, count, most, shown))
        return false;
    for (size_t i = 0, next = 0; i < profile->row_count; i++)
        if (!profile->rows[i].path.depth)
            places->outer[i] = shown[next++];
    return true;
}

static size_t outermost(const struct kg_profile *profile, size_t row)
{
    while (profile->rows[row].path.depth)
        row = profile->rows[row].path.parent;
    return row;
}

/* The first of the innermost scopes up to `row` whose names fit into `room` characters. Excludes the
 * outermost scope. */
static size_t first_that_fits(const struct kg_profile *profile, size_t row, size_t room)
{
    size_t used = name_width(profile, row);
    while (profile->rows[row].path.depth > 1) {
        const size_t outer = profile->rows[row].path.parent;
        used += SEPARATOR + name_width(profile, outer);
        if (used > room)
            break;
        row = outer;
    }
    return row;
}

/* " > first > … the names between … > row". */
static void names_print(const struct kg_profile *profile, size_t first, size_t row,
                        struct kg_text *text)
{
    const struct kg_profile_path *path = &profile->rows[row].path;
    if (row != first)
        names_print(profile, first, path->parent, text);
    kg_text_append(text, " > ");
    kg_escape_terminal(text, path->name, KG_PROFILE_NAME_MOST);
}

/* The names inside the outermost scope, in `room` characters if the last name allows it. */
static void inner_print(const struct kg_profile *profile, size_t row, size_t room,
                        struct kg_text *text)
{
    size_t first = first_that_fits(profile, row, room > SEPARATOR ? room - SEPARATOR : 0);
    if (profile->rows[first].path.depth > 1) {
        enum { HOLE = SEPARATOR + 1 };
        kg_text_append(text, " > …");
        first =
            first_that_fits(profile, row, room > SEPARATOR + HOLE ? room - SEPARATOR - HOLE : 0);
    }
    names_print(profile, first, row, text);
}

/* The path. If it does not fit the column, the rest goes below the row, in lines of `width`. */
static void place_print(const struct places *places, size_t row, size_t width, struct kg_text *text,
                        struct kg_text *below)
{
    const struct kg_profile *profile = places->profile;
    const size_t outer = outermost(profile, row);
    const size_t taken = kg_text_width(places->outer[outer]);
    struct kg_text inner = {0};
    kg_text_append(text, places->outer[outer]);
    if (row == outer)
        return;
    inner_print(profile, row, places->room > taken ? places->room - taken : 0, &inner);
    if (width && taken + kg_text_width(kg_text_string(&inner)) > places->room) {
        kg_text_free(&inner);
        inner_print(profile, row, width, &inner);
        kg_text_append_ends(below, kg_text_string(&inner) + 1, width);
        kg_text_append(below, "\n");
    } else {
        kg_text_append(text, kg_text_string(&inner));
    }
    text->failed = text->failed || inner.failed;
    kg_text_free(&inner);
}

/* --- The table -------------------------------------------------------------------------------- */

static void row_add(struct kg_table *table, const struct kg_profile *profile, size_t row)
{
    const struct kg_profile_figures *figures = &profile->rows[row].figures;
    struct kg_table_row *added = kg_table_row_add(table);
    if (!added)
        return;
    added->cells[0] = kg_cell_duration(table, figures->self_ns);
    added->cells[1] = kg_cell_share(table, figures->share * figures->self_ns / figures->total_ns);
    added->cells[2] = kg_cell_count(table, figures->calls);
    added->cells[3] = kg_cell_duration(table, figures->mean_ns);
}

/* Characters of a line that the figures leave. */
static size_t room_measure(const struct kg_table *table, size_t width)
{
    enum { GAP = 2, LEAST = 12 };
    size_t taken = 0;
    for (size_t c = 0; c < PLACE; c++) {
        size_t most = strlen(table->heads[c]);
        for (size_t r = 0; r < table->row_count; r++) {
            const char *cell = table->rows[r].cells[c];
            const size_t cell_width = cell ? kg_text_width(cell) : 0;
            most = cell_width > most ? cell_width : most;
        }
        taken += most + GAP;
    }
    return taken + LEAST < width ? width - taken : LEAST;
}

/* Fills the row's cells of words. In little room notes stand below. */
static void words_add(struct kg_table *table, struct kg_table_row *row, const struct places *places,
                      size_t ranked, size_t width)
{
    enum { UNDER = 6 }; /* indentation of the lines below a row */
    const size_t below_most = width > UNDER ? width - UNDER : width;
    struct kg_text place = {0}, notes = {0}, below = {0};
    place_print(places, ranked, below_most, &place, &below);
    notes_print(&places->profile->rows[ranked], &notes);
    table->failed = table->failed || below.failed || notes.failed;
    if (width && notes.length)
        kg_wrap(&below, "", kg_text_string(&notes), below_most);
    row->cells[PLACE] = kg_table_cell(table, &place);
    row->cells[PLACE + 1] = width ? NULL : kg_table_cell(table, &notes);
    row->under = below.length ? kg_table_cell(table, &below) : NULL;
    kg_text_free(&place);
    kg_text_free(&notes);
    kg_text_free(&below);
}

static void rows_add(struct kg_table *table, const struct kg_profile *profile,
                     const struct ranked *ranked, size_t shown, size_t width)
{
    struct places places = {.profile = profile};
    for (size_t i = 0; i < shown; i++)
        row_add(table, profile, ranked[i].row);
    places.room = width ? room_measure(table, width) : PLACE_MOST;
    if (places_make(&places, width ? outer_most(profile, ranked, shown, places.room) : SIZE_MAX))
        for (size_t i = 0; i < table->row_count; i++)
            words_add(table, &table->rows[i], &places, ranked[i].row, width);
    else
        table->failed = true;
    kg_arena_free(&places.arena);
}

void kg_profile_top(const struct kg_profile *profile, size_t limit, size_t width,
                    struct kg_text *text)
{
    struct kg_table table = {
        .columns = PLACE + 2,
        .heads = {"self", "% time", "calls", "avg", "path", ""},
        .left = {[PLACE] = true, [PLACE + 1] = true},
        .trimmed = true,
    };
    size_t count;
    struct ranked *ranked = rank(profile, &count);
    if (!ranked) {
        text->failed = true;
        return;
    }
    const size_t most = limit ? limit : LIMIT_USUAL, shown = most < count ? most : count;
    rows_add(&table, profile, ranked, shown, width);
    kg_table_print(&table, false, text);
    kg_table_free(&table);
    kg_profile_rest_print(shown, count, "paths with time of their own", text);
    free(ranked);
}
