#include "run/extra_passes.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "run/case_worker.h"
#include "run/pass.h"
#include "run/worker_ask.h"

enum { PATH_BYTES = 4096, COPY_BYTES = 1 << 16 };

/* Functions are seen without any: by sampling, in every run. */
static const char NO_SCOPES[] = "no program of these cases has scopes (kgate/profiler.h); `kgate "
                                "explain` lists functions without scopes";

struct pass {
    const struct kg_session *session;
    const char *path;        /* of the recording */
    char folder[PATH_BYTES]; /* beside it, for the pieces */
    char joined[PATH_BYTES];
    char memory[PATH_BYTES]; /* the library that records allocations; empty: none */
    FILE *output;
    bool asked; /* a case was run */
    struct kg_error *err;
};

char *kg_profile_beside(struct kg_arena *arena, const char *results_path)
{
    const size_t length = strlen(results_path), ending = strlen(".json");
    const bool json = length > ending && !strcmp(results_path + length - ending, ".json");
    return kg_arena_printf(arena, "%.*s.kgprof", (int)(json ? length - ending : length),
                           results_path);
}

/* Named as the recording that was asked for, not as a temporary file. */
static bool unwritten(const struct pass *pass)
{
    return kg_error_set(pass->err, KG_ERROR_SYSTEM, "cannot write '%.300s': %s", pass->path,
                        strerror(errno));
}

static bool piece_append(struct pass *pass, const char *path)
{
    char bytes[COPY_BYTES];
    size_t length = 1;
    FILE *piece = fopen(path, "re");
    bool good = piece != NULL;
    while (good && length) {
        length = fread(bytes, 1, sizeof bytes, piece);
        good = !ferror(piece) && fwrite(bytes, 1, length, pass->output) == length;
    }
    if (!good)
        unwritten(pass);
    if (piece)
        fclose(piece);
    unlink(path);
    return good;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_piece(const struct dirent *entry)
{
    return entry->d_name[0] == 'p';
}

/* Removes the recordings of a case's processes. If `join`, appends them to the whole first. */
static bool pieces_take(struct pass *pass, bool join)
{
    char path[PATH_BYTES + 260];
    struct dirent **entries = NULL;
    bool good = true;
    const int count = scandir(pass->folder, &entries, is_piece, by_name);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", pass->folder, entries[i]->d_name);
        good = good && (!join || piece_append(pass, path));
        unlink(path);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* A round's time suffices for a median of many rounds, but this pass makes only one recording. If it
 * had five calls, one interrupted call would change the picture. So it lasts a second, unless the
 * case's time-out is too short for that. */
static double recorded_ns(const struct kg_settings *settings)
{
    static const double ENOUGH_NS = 1e9, TIMEOUT_SHARE = 0.1;
    return fmax(settings->min_time_ns, fmin(ENOUGH_NS, TIMEOUT_SHARE * settings->timeout_ns));
}

static bool wanted(const struct kg_session *session, size_t index)
{
    return kg_case_measurable(&session->results->cases[index]);
}

/* Some programs do not start with a library that replaces malloc, for example because they check their
 * allocator. kgate records such programs without the library. */
static bool case_ask(struct pass *pass, size_t index, struct kg_task_options *options,
                     struct kg_arena *arena, struct kg_answer *answer)
{
    options->preload = pass->memory[0] ? pass->memory : NULL;
    if (!kg_worker_ask(pass->session, index, options, arena, answer, pass->err))
        return false;
    if (!answer->reason || !options->preload)
        return true;
    pieces_take(pass, false);
    options->preload = NULL;
    return kg_worker_ask(pass->session, index, options, arena, answer, pass->err);
}

static bool case_profile(const struct kg_session *session, size_t index, void *user,
                         struct kg_error *err)
{
    struct pass *pass = user;
    const struct kg_settings *settings = &session->plan->cases[index].spec->settings;
    struct kg_arena arena = {0};
    struct kg_answer answer;
    char pattern[PATH_BYTES + 32];
    snprintf(pattern, sizeof pattern, "%s/p%%p.kgprof", pass->folder);
    struct kg_task_options options = {.task = KG_TASK_PROFILE,
                                      .patience = 1,
                                      .profile_path = pattern,
                                      .profile_time_ns = recorded_ns(settings),
                                      .profile_label = session->results->cases[index].id};
    pass->asked = true;
    const bool good = case_ask(pass, index, &options, &arena, &answer) &&
                      kg_case_answer_take(session, index, &answer, err) && pieces_take(pass, true);
    kg_arena_free(&arena);
    return good;
}

/* The libkgate_memory.so of a kgate. Without one nothing is recorded of memory but the workload's own notes. */
static void memory_library_find(const char *kgate, char *path)
{
    static const char *const places[] = {"libkgate_memory.so",
                                         KGATE_LIBRARIES_FROM_BIN "/libkgate_memory.so",
                                         "../lib/libkgate_memory.so"};
    kg_file_beside(kgate, places, sizeof places / sizeof *places, path);
}

static bool pass_start(struct pass *pass)
{
    if (snprintf(pass->folder, sizeof pass->folder, "%s.XXXXXX", pass->path) + 16 >= PATH_BYTES)
        return kg_error_set(pass->err, KG_ERROR_USAGE, "the profile's path is too long");
    if (!mkdtemp(pass->folder))
        return kg_error_set(pass->err, KG_ERROR_SYSTEM,
                            "cannot make a folder beside '%.300s' for the profile: %s", pass->path,
                            strerror(errno));
    snprintf(pass->joined, sizeof pass->joined, "%.4080s/joined", pass->folder);
    pass->output = fopen(pass->joined, "wxe");
    return pass->output ? true : unwritten(pass);
}

static bool recording_keep(const struct pass *pass)
{
    struct kg_results *results = pass->session->results;
    const char *slash = strrchr(pass->path, '/');
    if (rename(pass->joined, pass->path) != 0)
        return unwritten(pass);
    results->profile = kg_arena_copy(&results->arena, slash ? slash + 1 : pass->path);
    return true;
}

static bool pass_end(struct pass *pass, bool good)
{
    struct kg_results *results = pass->session->results;
    if (pass->output) {
        const bool whole = !ferror(pass->output) && ftell(pass->output) > 0;
        const bool flushed = fflush(pass->output) == 0 && fsync(fileno(pass->output)) == 0;
        if (fclose(pass->output) != 0 || (good && !flushed))
            good = unwritten(pass);
        if (good && whole)
            good = recording_keep(pass);
        else if (good && pass->asked && !kg_interrupt_caught())
            results->no_profile = NO_SCOPES;
        unlink(pass->joined);
    }
    rmdir(pass->folder);
    return good;
}

bool kg_profile_pass(const struct kg_session *session, const char *path, struct kg_error *err)
{
    static const struct kg_pass profiling = {
        .verb = "profiling", .wanted = wanted, .each = case_profile};
    struct pass pass = {.session = session, .path = path, .err = err};
    memory_library_find(session->launcher->program, pass.memory);
    const bool good = pass_start(&pass) && kg_pass_run(&profiling, session, &pass, err);
    return pass_end(&pass, good);
}
