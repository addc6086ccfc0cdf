/* bisect_builds.c: one folder per build, and beside it the log and the exit status of its command. The shell writes the
 * status, so a build that ended while kgate was killed counts. The finished folder is unregistered from git, and git's
 * commands in the user's checkout never see it. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process/interrupt.h"
#include "base/process/supervise.h"
#include "gate/bisect_parts.h"
#include "suite/trust/git_ask.h"

enum {
    ANSWER_MOST = 1 << 20,
    HASH_SHOWN = 12,
    STATUS_MOST = 64,
    LOG_MOST = 64 << 20,
    LINE_MOST = 160
};

/* Paths of one build. */
struct paths {
    const char *tree;   /* the worktree */
    const char *moved;  /* the worktree while git forgets it */
    const char *log;    /* output of the command */
    const char *status; /* exit status of the command */
};

static struct paths paths_make(const struct kg_bisect_builder *builder, const char *commit,
                               const char *reverted)
{
    const uint64_t key = kg_hash_string(KG_HASH_START, builder->command);
    const char *tree = kg_arena_printf(builder->arena, "%s/%.*s%s%.*s-%08" PRIx32, builder->folder,
                                       HASH_SHOWN, commit, reverted ? "-without-" : "", HASH_SHOWN,
                                       reverted ? reverted : "", (uint32_t)(key ^ key >> 32));
    return (struct paths){tree, kg_arena_printf(builder->arena, "%s.moved", tree),
                          kg_arena_printf(builder->arena, "%s.log", tree),
                          kg_arena_printf(builder->arena, "%s.status", tree)};
}

/* --- Processes -------------------------------------------------------------------------------- */

/* Runs `sh -c SCRIPT sh ARGUMENT...` to its end.
 * words  the script and its arguments, at most 4 words
 * err    KG_ERROR_INTERRUPTED after Ctrl-C */
static bool shell_run(const char *directory, const char *const words[4], double timeout_ns,
                      struct kg_outcome *outcome, struct kg_error *err)
{
    const double ENDLESS_NS = 1e18;
    struct kg_interrupt interrupt;
    char *arguments[] = {(char *)"sh",     (char *)"-c",     (char *)words[0], (char *)"sh",
                         (char *)words[1], (char *)words[2], (char *)words[3], NULL};
    kg_interrupt_begin(&interrupt);
    const struct kg_launch launch = {.program = "/bin/sh",
                                     .arguments = arguments,
                                     .directory = directory,
                                     .request = "",
                                     .threads = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
                                     .pin = -1,
                                     .timeout_ns = fmin(timeout_ns, ENDLESS_NS),
                                     .mask = &interrupt.mask};
    bool good = kg_supervise(&launch, outcome, err);
    if (good && (outcome->ending == KG_ENDED_INTERRUPT || kg_interrupt_caught()))
        good = kg_error_set(err, KG_ERROR_INTERRUPTED,
                            "interrupted; the same command continues the search");
    kg_interrupt_end(&interrupt);
    return good;
}

/* Removes a folder with everything in it, as far as possible. */
static void tree_remove(const char *path)
{
    struct kg_outcome outcome;
    struct kg_error ignored;
    const char *const words[4] = {"rm -rf -- \"$1\"", path};
    shell_run(NULL, words, INFINITY, &outcome, &ignored);
    kg_outcome_free(&outcome);
}

/* Runs git. KG_ERROR_SYSTEM with git's answer if it fails. */
static bool git_run(const char *const *words, struct kg_error *err)
{
    struct kg_text text = {0};
    char answer[KG_GIT_ANSWER_MOST];
    int status;
    const bool good = kg_git_ask(words, ANSWER_MOST, &text, answer, &status, err);
    kg_text_free(&text);
    return good &&
           (!status || kg_error_set(err, KG_ERROR_SYSTEM, "git %s fails: %s", words[0], answer));
}

static bool exists(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

/* --- Worktrees -------------------------------------------------------------------------------- */

static void worktree_forget(const char *path)
{
    const char *const words[] = {"worktree", "remove", "--force", "--force", path, NULL};
    struct kg_error ignored; /* git may not know the path */
    git_run(words, &ignored);
}

/* Makes git forget a built worktree. git removes the folder of a worktree with it, so the folder is elsewhere
 * meanwhile. Also ends an earlier call that was killed. */
static bool worktree_detach(const struct paths *paths, struct kg_error *err)
{
    struct kg_arena arena = {0};
    if (!exists(paths->moved) && rename(paths->tree, paths->moved) != 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot rename '%.300s': %s", paths->tree,
                            strerror(errno));
    worktree_forget(paths->tree);
    unlink(kg_arena_printf(&arena, "%s/.git", paths->moved));
    kg_arena_free(&arena);
    return rename(paths->moved, paths->tree) == 0 ||
           kg_error_set(err, KG_ERROR_SYSTEM, "cannot rename '%.300s': %s", paths->moved,
                        strerror(errno));
}

static void worktree_remove(const struct paths *paths)
{
    worktree_forget(paths->tree);
    if (exists(paths->tree))
        tree_remove(paths->tree);
}

/* Makes the worktree, with the commit reverted if one is given.
 * conflicts  set: git cannot revert it */
static bool worktree_make(const struct paths *paths, const char *commit, const char *reverted,
                          bool *conflicts, struct kg_error *err)
{
    const char *const words[] = {"worktree", "add",       "--force", "--quiet",
                                 "--detach", paths->tree, commit,    NULL};
    *conflicts = false;
    worktree_remove(paths);
    if (!git_run(words, err))
        return kg_error_wrap(err, "cannot make a worktree of %.12s", commit);
    if (!reverted)
        return true;
    const char *const plain[] = {"-C", paths->tree, "revert", "--no-commit", reverted, NULL};
    const char *const merge[] = {"-C", paths->tree, "revert", "--no-commit",
                                 "-m", "1",         reverted, NULL};
    *conflicts = !git_run(kg_bisect_is_merge(reverted) ? merge : plain, err);
    return true;
}

/* --- Builds ----------------------------------------------------------------------------------- */

/* Exit status of an earlier build; -1: there was none. */
static int status_read(const struct paths *paths)
{
    struct kg_text text = {0};
    struct kg_error absent;
    int status = -1;
    if (exists(paths->status) && kg_file_read(paths->status, STATUS_MOST, &text, &absent) &&
        text.length)
        status = (int)strtol(kg_text_string(&text), NULL, 10);
    kg_text_free(&text);
    return status;
}

/* The suite's folder within the tree. */
static const char *inside_of(const struct kg_bisect_builder *builder, const struct paths *paths)
{
    return *builder->inside ? kg_arena_printf(builder->arena, "%s/%s", paths->tree, builder->inside)
                            : paths->tree;
}

/* The last line of a log as " after 'LINE'"; "": there is none. Cuts the log. */
static const char *last_line(struct kg_arena *arena, struct kg_text *log)
{
    struct kg_text shown = {0};
    while (log->length && isspace((unsigned char)log->data[log->length - 1]))
        kg_text_truncate(log, log->length - 1);
    const char *line = log->length ? strrchr(log->data, '\n') : NULL;
    kg_text_append_ends(&shown, line ? line + 1 : kg_text_string(log), LINE_MOST);
    const char *words =
        shown.length ? kg_arena_printf(arena, " after '%s'", kg_text_string(&shown)) : "";
    kg_text_free(&shown);
    return words;
}

/* Whether the command failed for lack of space, which says nothing about the commit. */
static bool lacks_space(const struct kg_text *log)
{
    return log->length && (strstr(log->data, "No space left on device") ||
                           strstr(log->data, "Disk quota exceeded"));
}

/* A failed build leaves only its log. */
static bool failure_set(const struct kg_bisect_builder *builder, const struct paths *paths,
                        int status, struct kg_bisect_build *build, struct kg_error *err)
{
    struct kg_text log = {0};
    struct kg_error unread;
    const bool has_submodules =
        exists(kg_arena_printf(builder->arena, "%s/.gitmodules", paths->tree));
    worktree_remove(paths);
    kg_file_read(paths->log, LOG_MOST, &log, &unread);
    const bool is_full = lacks_space(&log);
    build->outcome = KG_BISECT_FAILED;
    build->reason = kg_arena_printf(
        builder->arena, "the build command ends with status %d%s: %s%s", status,
        last_line(builder->arena, &log), paths->log,
        has_submodules ? ". A worktree begins without submodules; --build can run `git submodule "
                         "update --init`"
                       : "");
    kg_text_free(&log);
    return !is_full || kg_error_set(err, KG_ERROR_SYSTEM,
                                    "a build lacked space on the disk: %s. The same command "
                                    "continues the search",
                                    paths->log);
}

/* Sets the outcome from the exit status. */
static bool outcome_set(const struct kg_bisect_builder *builder, const struct paths *paths,
                        int status, struct kg_bisect_build *build, struct kg_error *err)
{
    if (status)
        return failure_set(builder, paths, status, build, err);
    const char *link = kg_arena_printf(builder->arena, "%s/.git", paths->tree);
    build->outcome = KG_BISECT_BUILT;
    build->place = inside_of(builder, paths);
    return (!exists(paths->moved) && !exists(link)) || worktree_detach(paths, err);
}

/* Runs the command in the worktree. The status appears whole, after the command.
 * late  set: the time was used up */
static bool command_run(const struct kg_bisect_builder *builder, const struct paths *paths,
                        bool *late, struct kg_error *err)
{
    static const char script[] = "log=$1.log status=$1.status\n"
                                 "sh -c \"$2\" >\"$log\" 2>&1\n"
                                 "echo $? >\"$status.new\" && mv -f \"$status.new\" \"$status\"";
    const char *const words[4] = {script, paths->tree, builder->command};
    struct kg_outcome outcome;
    const bool good = shell_run(inside_of(builder, paths), words, builder->left_ns, &outcome, err);
    *late = good && outcome.ending == KG_ENDED_TIMEOUT;
    kg_outcome_free(&outcome);
    return good;
}

static bool build_run(const struct kg_bisect_builder *builder, const struct paths *paths,
                      const char *commit, const char *reverted, struct kg_bisect_build *build,
                      struct kg_error *err)
{
    const uint64_t started = kg_clock_ns();
    bool conflicts, late;
    unlink(paths->status);
    if (!worktree_make(paths, commit, reverted, &conflicts, err))
        return false;
    if (conflicts) {
        build->outcome = KG_BISECT_CONFLICTS;
        worktree_remove(paths);
        return true;
    }
    if (!exists(inside_of(builder, paths))) {
        build->outcome = KG_BISECT_FAILED;
        build->reason =
            kg_arena_printf(builder->arena, "it has no folder '%.200s'", builder->inside);
        worktree_remove(paths);
        return true;
    }
    if (!command_run(builder, paths, &late, err)) {
        worktree_forget(paths->tree);
        return false;
    }
    build->ran = true;
    build->seconds = 1e-9 * (double)(kg_clock_ns() - started);
    if (late) {
        build->outcome = KG_BISECT_LATE;
        worktree_remove(paths);
        return true;
    }
    const int status = status_read(paths);
    if (status >= 0)
        return outcome_set(builder, paths, status, build, err);
    worktree_remove(paths);
    return kg_error_set(err, KG_ERROR_SYSTEM,
                        "the build of %.12s left no status: is the disk full?", commit);
}

bool kg_bisect_build(const struct kg_bisect_builder *builder, const char *commit,
                     const char *reverted, struct kg_bisect_build *build, struct kg_error *err)
{
    const struct paths paths = paths_make(builder, commit, reverted);
    const int status = status_read(&paths);
    *build = (struct kg_bisect_build){.seconds = NAN};
    if (status == 0 && (exists(paths.tree) || exists(paths.moved)))
        return outcome_set(builder, &paths, status, build, err);
    return kg_directory_make(builder->folder, err) &&
           build_run(builder, &paths, commit, reverted, build, err);
}

const char *kg_bisect_build_tree(const struct kg_bisect_builder *builder, const char *place)
{
    const size_t length = strlen(builder->folder);
    if (strncmp(place, builder->folder, length) != 0 || place[length] != '/')
        return NULL;
    return kg_arena_copy_bytes(builder->arena, place,
                               length + 1 + strcspn(place + length + 1, "/"));
}

void kg_bisect_build_remove(const struct kg_bisect_builder *builder, const char *place)
{
    const char *tree = kg_bisect_build_tree(builder, place);
    if (!tree)
        return;
    unlink(kg_arena_printf(builder->arena, "%s.status", tree)); /* a part of a build is none */
    tree_remove(tree);
}
