/* bisect_open.c: opens a search: the folder, an earlier bisect.json, the builds of the ends. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "gate/bisect_parts.h"
#include "model/results.h"
#include "suite/trust/git_ask.h"

/* Usual standard deviation of a build's own offset. */
static const double OFFSET_USUAL = 0.005;

/* A search with what only this file needs. */
struct opened {
    struct kg_bisect_search search; /* first, so that both have one address */
    struct kg_bisect_options options;
    struct kg_arena arena;
    int lock;
};

/* --- Small helpers ---------------------------------------------------------------------------- */

void kg_bisect_note(const struct kg_bisect_search *search, const char *format, ...)
{
    char text[512];
    va_list values;
    if (!search->options->step.print)
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    search->options->step.print(search->options->step.user, text);
}

double kg_bisect_left_ns(const struct kg_bisect_search *search)
{
    return search->options->budget_ns - (double)(kg_clock_ns() - search->started_ns);
}

bool kg_bisect_has_build(const struct kg_bisect_search *search)
{
    return search->bisect->builds - search->builds_before < search->options->builds_most;
}

static const char *journal_of(const struct kg_bisect_search *search)
{
    return kg_arena_printf(&search->bisect->arena, "%s/bisect.json", search->options->directory);
}

bool kg_bisect_save(const struct kg_bisect_search *search, struct kg_error *err)
{
    return kg_bisect_write(search->bisect, journal_of(search), err);
}

bool kg_bisect_is_over(const struct kg_bisect *bisect)
{
    return bisect->state == KG_BISECT_ABSENT || bisect->state == KG_BISECT_FOUND ||
           bisect->state == KG_BISECT_SET_ONLY || bisect->state == KG_BISECT_REFUTED;
}

/* --- Opening ---------------------------------------------------------------------------------- */

bool kg_bisect_text_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether the stored search has these ends and settings. */
static bool journal_check(const struct kg_bisect *now, const struct kg_bisect *stored,
                          const char *path, struct kg_error *err)
{
    const size_t last = now->commit_count - 1;
    const char *other = !kg_bisect_text_same(now->build, stored->build)             ? "--build"
                        : !kg_bisect_text_same(now->filter, stored->filter)         ? "--case"
                        : !kg_bisect_text_same(now->suite_path, stored->suite_path) ? "--suite"
                        : stored->commit_count != now->commit_count ||
                                strcmp(now->commits[0].hash, stored->commits[0].hash) != 0 ||
                                strcmp(now->commits[last].hash, stored->commits[last].hash) != 0
                            ? "ends"
                            : NULL;
    return !other || kg_error_set(err, KG_ERROR_USAGE,
                                  "'%.300s' is of a search with other %s. Give another -o, or "
                                  "remove its folder",
                                  path, other);
}

/* Forgets builds that were removed, or that are not in the folder of the search. They are built again if needed. */
static void folders_check(struct kg_bisect_search *search)
{
    struct kg_bisect *bisect = search->bisect;
    for (size_t c = 0; c < bisect->commit_count; c++) {
        const char **folder = &bisect->commits[c].folder;
        if (*folder &&
            (!kg_bisect_build_tree(&search->builder, *folder) || access(*folder, F_OK) != 0))
            *folder = NULL;
    }
}

/* Full disks and lost networks fail every build, and end. */
static void failures_forget(struct kg_bisect *bisect)
{
    for (size_t c = 0; c < bisect->commit_count; c++)
        if (bisect->commits[c].status == KG_BISECT_UNBUILDABLE) {
            bisect->commits[c].status = KG_BISECT_UNTRIED;
            bisect->commits[c].reason = NULL;
        }
}

/* A search without steps yet. */
static void search_start(struct kg_bisect *bisect, const struct kg_bisect_options *options)
{
    bisect->created = kg_timestamp(&bisect->arena);
    bisect->kgate_version = KGATE_VERSION;
    bisect->suite_path = options->suite_path;
    bisect->filter = options->filter;
    bisect->build = options->build;
    bisect->good = options->good;
    bisect->bad = options->bad;
    bisect->offset = OFFSET_USUAL;
    bisect->effect = bisect->low = bisect->high = NAN;
    bisect->deviation = bisect->two = bisect->set = NAN;
}

/* Continues a stored search. */
static void search_continue(struct kg_bisect_search *search)
{
    struct kg_bisect *bisect = search->bisect;
    search->builds_before = bisect->builds;
    if (bisect->state == KG_BISECT_UNBUILT)
        failures_forget(bisect);
    if (!kg_bisect_is_over(bisect))
        folders_check(search);
    if (bisect->state == KG_BISECT_UNCLEAR) {
        bisect->state = KG_BISECT_ENDS;
        bisect->id_of_case = bisect->metric = NULL;
        bisect->effect = bisect->low = bisect->high = NAN;
    }
    if (bisect->state == KG_BISECT_BUDGET || bisect->state == KG_BISECT_UNBUILT)
        bisect->state = KG_BISECT_SEARCHING;
}

/* Reads the commits, and takes an earlier search of them. A search without a measurement may change its settings. */
static bool journal_open(struct kg_bisect_search *search, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect, stored = {0};
    search_start(bisect, search->options);
    if (!kg_bisect_commits_read(bisect, err))
        return false;
    const char *path = journal_of(search);
    if (access(path, F_OK) != 0)
        return true;
    if (!kg_bisect_load(path, &bisect->arena, &stored, err))
        return false;
    if (!journal_check(bisect, &stored, path, err))
        return stored.state == KG_BISECT_ENDS || stored.state == KG_BISECT_UNCLEAR;
    stored.arena = bisect->arena;
    *bisect = stored;
    search_continue(search);
    return true;
}

/* The user's folder within the repository. */
static bool inside_find(struct kg_arena *arena, const char **inside, struct kg_error *err)
{
    char top[PATH_MAX], here[PATH_MAX];
    if (!kg_git_top(".", top) || !realpath(".", here))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate bisect` needs a working directory in a git repository");
    const size_t length = strlen(top);
    *inside = kg_arena_copy(arena, here[length] == '/' ? here + length + 1 : "");
    return true;
}

/* Makes the folder. git ignores a new one; an older one may hold files of the user. */
static bool folder_make(const char *directory, struct kg_error *err)
{
    static const char ignored[] = "# builds and reports of a search: not for git\n*\n";
    char path[PATH_MAX];
    if (access(directory, F_OK) == 0)
        return true;
    if (snprintf(path, sizeof path, "%s/.gitignore", directory) >= PATH_MAX)
        return kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
    return kg_directory_make(directory, err) &&
           kg_file_write(path, ignored, sizeof ignored - 1, err);
}

static bool folder_open(struct opened *opened, struct kg_error *err)
{
    char absolute[PATH_MAX];
    struct kg_bisect_builder *builder = &opened->search.builder;
    const char *directory = opened->options.directory;
    if (!folder_make(directory, err) || !kg_directory_lock(directory, &opened->lock, err))
        return false;
    if (!realpath(directory, absolute))
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot find '%.300s'", directory);
    opened->options.directory = kg_arena_copy(&opened->arena, absolute);
    *builder =
        (struct kg_bisect_builder){.arena = &opened->arena,
                                   .folder = kg_arena_printf(&opened->arena, "%s/builds", absolute),
                                   .command = opened->options.build};
    return inside_find(&opened->arena, &builder->inside, err);
}

bool kg_bisect_commit_build(struct kg_bisect_search *search, size_t index, bool *late,
                            struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_bisect_commit *commit = &bisect->commits[index];
    struct kg_bisect_build build;
    search->builder.left_ns = kg_bisect_left_ns(search);
    kg_bisect_note(search, "building %.12s, %zu of %zu: %.60s", commit->hash, index,
                   bisect->commit_count - 1, commit->subject);
    if (!kg_bisect_build(&search->builder, commit->hash, NULL, &build, err))
        return false;
    /* a killed call has not counted its last build */
    bisect->builds += build.ran || (build.outcome == KG_BISECT_BUILT && isnan(commit->seconds));
    *late = build.outcome == KG_BISECT_LATE;
    if (!isnan(build.seconds))
        commit->seconds = build.seconds;
    if (build.outcome == KG_BISECT_BUILT)
        commit->folder = kg_arena_copy(&bisect->arena, build.place);
    if (build.outcome == KG_BISECT_FAILED) {
        commit->status = KG_BISECT_UNBUILDABLE;
        commit->reason = kg_arena_copy(&bisect->arena, build.reason);
        kg_bisect_note(search, "%.12s does not build", commit->hash);
    }
    return kg_bisect_save(search, err);
}

/* Builds an end. A search cannot begin without it. */
static bool end_build(struct kg_bisect_search *search, size_t index, struct kg_error *err)
{
    struct kg_bisect *bisect = search->bisect;
    struct kg_bisect_commit *end = &bisect->commits[index];
    bool late;
    if (end->folder)
        return true;
    end->status = bisect->state == KG_BISECT_ENDS ? KG_BISECT_UNTRIED : KG_BISECT_MEASURED;
    end->reason = NULL;
    if (!kg_bisect_commit_build(search, index, &late, err))
        return false;
    const char *side = index ? "bad" : "good";
    if (late)
        return kg_error_set(err, KG_ERROR_UNDECIDED,
                            "--budget ended the build of the %s end, %.12s. Raise --budget", side,
                            end->hash);
    return end->folder ||
           kg_error_set(err, KG_ERROR_MEASURE, "the %s end, %.12s, does not build: %s", side,
                        end->hash, end->reason);
}

struct kg_bisect_search *kg_bisect_open(const struct kg_bisect_options *options,
                                        struct kg_bisect *bisect, struct kg_error *err)
{
    struct opened *opened = kg_arena_alloc(&bisect->arena, 1, sizeof *opened);
    struct kg_bisect_search *search = &opened->search;
    *opened = (struct opened){.options = *options, .lock = -1};
    *search = (struct kg_bisect_search){
        .options = &opened->options, .bisect = bisect, .started_ns = kg_clock_ns()};
    if (folder_open(opened, err) && journal_open(search, err) &&
        (kg_bisect_is_over(bisect) ||
         (end_build(search, 0, err) && end_build(search, bisect->commit_count - 1, err))))
        return search;
    kg_bisect_close(search);
    return NULL;
}

void kg_bisect_close(struct kg_bisect_search *search)
{
    struct opened *opened = (struct opened *)search;
    kg_file_unlock(opened->lock);
    kg_arena_free(&opened->arena);
}
