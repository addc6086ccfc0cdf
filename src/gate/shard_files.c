#include "gate/shard_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/record.h"
#include "base/text.h"
#include "model/comparison.h"
#include "model/journal.h"

enum { DEPTH_MOST = 3 };

static void note_add(struct kg_attempts *attempts, const char *note)
{
    kg_arena_grow(&attempts->arena, &attempts->notes, attempts->note_count,
                  &attempts->note_capacity, sizeof *attempts->notes);
    attempts->notes[attempts->note_count++] = note;
}

/* Notes a file that kgate does not use. */
static void left_out_note(struct kg_attempts *attempts, const char *path, const char *why)
{
    note_add(attempts, kg_arena_printf(&attempts->arena, "left out %.300s: %.600s", path, why));
}

static const char *join(struct kg_attempts *attempts, const char *directory, const char *name)
{
    return kg_arena_printf(&attempts->arena, "%s/%s", directory, name);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* --- One attempt ------------------------------------------------------------------------------ */

static struct kg_attempt *attempt_add(struct kg_attempts *attempts, const char *path)
{
    kg_arena_grow(&attempts->arena, &attempts->at, attempts->count, &attempts->capacity,
                  sizeof *attempts->at);
    struct kg_attempt *attempt = &attempts->at[attempts->count++];
    *attempt = (struct kg_attempt){.path = path};
    return attempt;
}

static void attempt_free(struct kg_attempt *attempt)
{
    kg_results_free(&attempt->results);
    kg_results_free(&attempt->base);
    kg_results_free(&attempt->head);
    kg_baseline_free(&attempt->baseline);
}

/* Reads the results file, or the journal beside it that a killed run left.
 * returns  whether any of them could be read; `err` has the reason otherwise */
static bool results_read(struct kg_attempts *attempts, const char *path, struct kg_results *results,
                         struct kg_error *err)
{
    const char *journal = kg_arena_printf(&attempts->arena, "%s.journal", path);
    return kg_results_load(is_file(path) || !is_file(journal) ? path : journal, results, err);
}

static bool has_results(struct kg_attempts *attempts, const char *directory, const char *name)
{
    const char *path = join(attempts, directory, name);
    return is_file(path) || is_file(kg_arena_printf(&attempts->arena, "%s.journal", path));
}

/* Reads both sides of an `ab`. A killed one left only the journal of its baseline, which names the node. */
static bool sides_read(struct kg_attempts *attempts, struct kg_attempt *attempt,
                       struct kg_error *err)
{
    const char *base = join(attempts, attempt->path, "base.json");
    if (!has_results(attempts, attempt->path, "head.json") && !is_file(base))
        return results_read(attempts, base, &attempt->results, err);
    attempt->is_pair = true;
    return results_read(attempts, join(attempts, attempt->path, "head.json"), &attempt->results,
                        err) &&
           results_read(attempts, base, &attempt->base, err);
}

/* Whether the shard of a `gate` lacks the runs that it compared with. The store may have other runs by now. */
static bool lacks_baseline(const struct kg_attempt *attempt)
{
    return !attempt->is_pair && !attempt->has_baseline && attempt->results.sequential &&
           attempt->results.shard.count;
}

/* Leaves out the last attempt. */
static void attempt_drop(struct kg_attempts *attempts, const char *path, const char *why)
{
    left_out_note(attempts, path, why);
    attempt_free(&attempts->at[--attempts->count]);
}

/* Reads the results of a `gate`, its baseline and its paired rounds. */
static bool gate_read(struct kg_attempts *attempts, struct kg_attempt *attempt,
                      struct kg_error *err)
{
    const char *baseline = join(attempts, attempt->path, "baseline.json");
    const char *base = join(attempts, attempt->path, "base.json");
    const char *head = join(attempts, attempt->path, "head.json");
    attempt->has_pairs = is_file(base) && is_file(head);
    attempt->has_baseline = is_file(baseline);
    return results_read(attempts, join(attempts, attempt->path, "results.json"), &attempt->results,
                        err) &&
           (!attempt->has_baseline || (kg_baseline_load(baseline, &attempt->baseline, err) &&
                                       kg_stored_prior_load(&attempt->baseline.arena, baseline,
                                                            attempt->results.machine.fingerprint,
                                                            &attempt->baseline.prior, err))) &&
           (!attempt->has_pairs || (kg_results_load(base, &attempt->base, err) &&
                                    kg_results_load(head, &attempt->head, err)));
}

/* Reads the folder of a shard. A half file makes it no attempt, and a note names it. */
static void folder_read(struct kg_attempts *attempts, const char *directory, bool gate)
{
    struct kg_error err;
    struct kg_attempt *attempt = attempt_add(attempts, directory);
    if (!(gate ? gate_read : sides_read)(attempts, attempt, &err)) {
        attempt_drop(attempts, *err.path ? err.path : directory, err.message);
        return;
    }
    /* a `run` compares nothing */
    const bool compares = attempt->is_pair || attempt->results.sequential;
    attempt->whole = attempt->results.complete &&
                     (!compares || is_file(join(attempts, directory, "comparison.json")));
    if (attempt->whole && lacks_baseline(attempt))
        attempt_drop(attempts, directory, "it has no baseline.json");
}

/* Reads the results file of a `run`, or its journal. */
static bool file_read(struct kg_attempts *attempts, const char *path, struct kg_error *err)
{
    struct kg_attempt *attempt = attempt_add(attempts, path);
    if (!results_read(attempts, path, &attempt->results, err)) {
        attempts->count--;
        return false;
    }
    attempt->whole = attempt->results.complete;
    return true;
}

/* --- Folders ---------------------------------------------------------------------------------- */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Whether the file begins as results do, complete or a journal. */
static bool is_results(const char *path)
{
    char start[64] = "";
    FILE *file = fopen(path, "re");
    if (file) {
        const size_t length = fread(start, 1, sizeof start - 1, file);
        start[length] = '\0';
        fclose(file);
    }
    return strstr(start, "kgate.results.") || strstr(start, KG_JOURNAL_MARK);
}

/* Reads a results file in a folder. Of FILE and FILE.journal, the journal is only read without the file. */
static void entry_read(struct kg_attempts *attempts, const char *path)
{
    static const char JOURNAL[] = ".journal";
    struct kg_error err;
    const char *file = path;
    if (kg_string_ends(path, JOURNAL)) {
        file = kg_arena_copy_bytes(&attempts->arena, path, strlen(path) - strlen(JOURNAL));
        if (is_file(file))
            return;
    } else if (!kg_string_ends(path, ".json")) {
        return;
    }
    if (is_results(path) && !file_read(attempts, file, &err))
        left_out_note(attempts, *err.path ? err.path : file, err.message);
}

static bool directory_read(struct kg_attempts *attempts, const char *directory, const char *skip,
                           int depth, struct kg_error *err)
{
    struct dirent **entries = NULL;
    if (skip && kg_directory_same(directory, skip))
        return true;
    const bool gate = has_results(attempts, directory, "results.json") ||
                      is_file(join(attempts, directory, "baseline.json"));
    if (gate || has_results(attempts, directory, "base.json") ||
        has_results(attempts, directory, "head.json")) {
        folder_read(attempts, directory, gate);
        return true;
    }
    const int count = scandir(directory, &entries, is_visible, compare_names);
    if (count < 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read the folder '%.300s': %s", directory,
                            strerror(errno));
    bool good = true;
    for (int i = 0; i < count; i++) {
        const char *path = join(attempts, directory, entries[i]->d_name);
        if (good && is_file(path))
            entry_read(attempts, path);
        else if (good && depth < DEPTH_MOST && is_folder(path))
            good = directory_read(attempts, path, skip, depth + 1, err);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool kg_attempts_read(const char *const *paths, size_t count, const char *skip,
                      struct kg_attempts *attempts, struct kg_error *err)
{
    *attempts = (struct kg_attempts){0};
    for (size_t i = 0; i < count; i++)
        if (!(is_folder(paths[i]) ? directory_read(attempts, paths[i], skip, 0, err)
                                  : file_read(attempts, paths[i], err)))
            return false;
    return attempts->count ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "no results in '%.300s'%s: give the folders that `gate`, `ab` or `run` "
                        "wrote%s%s",
                        paths[0], count > 1 ? " and the other folders" : "",
                        attempts->note_count ? "; " : "",
                        attempts->note_count ? attempts->notes[0] : "");
}

/* --- Choice ----------------------------------------------------------------------------------- */

/* Whether attempt `a` counts rather than `b`: whole before half, then the newer one. */
static bool is_better(const struct kg_attempt *a, const struct kg_attempt *b)
{
    if (a->whole != b->whole)
        return a->whole;
    const struct kg_shard *first = &a->results.shard, *second = &b->results.shard;
    /* within a job the scheduler counts: the clocks of two nodes may differ */
    if (first->job && second->job && !strcmp(first->job, second->job) &&
        first->attempt != second->attempt)
        return first->attempt > second->attempt;
    const int created = strcmp(a->results.created, b->results.created);
    return created ? created > 0 : a->results.shard.attempt > b->results.shard.attempt;
}

/* Makes "node n3, attempt 2". */
static const char *origin_of(struct kg_attempts *attempts, const struct kg_attempt *attempt)
{
    const struct kg_shard *shard = &attempt->results.shard;
    return kg_arena_printf(&attempts->arena, "%s%s%sattempt %zu", shard->node ? "node " : "",
                           shard->node ? shard->node : "", shard->node ? ", " : "", shard->attempt);
}

static void lose(struct kg_attempts *attempts, struct kg_attempt *loser,
                 const struct kg_attempt *winner)
{
    loser->why =
        kg_arena_printf(&attempts->arena, "%s of shard %zu; %s counts instead",
                        origin_of(attempts, loser), loser->results.shard.index, winner->path);
    left_out_note(attempts, loser->path, loser->why);
}

static void half_note(struct kg_attempts *attempts, struct kg_attempt *attempt)
{
    const struct kg_shard *shard = &attempt->results.shard;
    attempt->why = kg_arena_printf(&attempts->arena, "it ended before its verdict%s%s",
                                   shard->node ? ", on node " : "", shard->node ? shard->node : "");
    left_out_note(attempts, attempt->path, attempt->why);
}

static int compare_shards(const void *a, const void *b)
{
    const struct kg_attempt *x = a, *y = b;
    if (x->results.shard.index != y->results.shard.index)
        return x->results.shard.index < y->results.shard.index ? -1 : 1;
    return strcmp(x->path, y->path);
}

void kg_attempts_choose(struct kg_attempts *attempts)
{
    qsort(attempts->at, attempts->count, sizeof *attempts->at, compare_shards);
    bool sharded = false;
    for (size_t i = 0; i < attempts->count; i++)
        sharded = sharded || attempts->at[i].results.shard.count;
    struct kg_attempt *best = NULL;
    for (size_t i = 0; i < attempts->count; i++) {
        struct kg_attempt *attempt = &attempts->at[i];
        const size_t index = attempt->results.shard.index;
        if (sharded && !index) {
            attempt->why = "it is no shard, but the others are";
            left_out_note(attempts, attempt->path, attempt->why);
        } else if (!index || !best || best->results.shard.index != index) {
            best = attempt;
        } else if (is_better(attempt, best)) {
            lose(attempts, best, attempt);
            best = attempt;
        } else {
            lose(attempts, attempt, best);
        }
    }
    for (size_t i = 0; i < attempts->count; i++)
        if (!attempts->at[i].why && !attempts->at[i].whole)
            half_note(attempts, &attempts->at[i]);
}

void kg_attempts_free(struct kg_attempts *attempts)
{
    for (size_t i = 0; i < attempts->count; i++)
        attempt_free(&attempts->at[i]);
    kg_arena_free(&attempts->arena);
    *attempts = (struct kg_attempts){0};
}
