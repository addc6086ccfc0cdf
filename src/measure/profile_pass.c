#include "measure/profile_pass.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/case_worker.h"
#include "measure/pass.h"

enum { PATH_BYTES = 4096, COPY_BYTES = 1 << 16 };

struct pass {
    struct kg_measurement *measurement;
    char folder[PATH_BYTES]; /* beside the recording, for the pieces */
    char joined[PATH_BYTES];
    FILE *output;
    struct kg_error *err;
};

char *kg_profile_beside(struct kg_arena *arena, const char *results_path)
{
    const size_t length = strlen(results_path), ending = strlen(".json");
    const bool json = length > ending && !strcmp(results_path + length - ending, ".json");
    return kg_arena_printf(arena, "%.*s.kgprof", (int)(json ? length - ending : length),
                           results_path);
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
        kg_error_set(pass->err, KG_ERROR_SYSTEM, "cannot add '%.300s' to the profile: %s", path,
                     strerror(errno));
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

/* Appends what a case's processes left, and removes it. */
static bool pieces_join(struct pass *pass)
{
    char path[PATH_BYTES + 260];
    struct dirent **entries = NULL;
    bool good = true;
    const int count = scandir(pass->folder, &entries, is_piece, by_name);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", pass->folder, entries[i]->d_name);
        good = good && piece_append(pass, path);
        unlink(path);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* The time of a round is enough where a median of many rounds is taken. Here is only one: if it
 * holds five calls, a single interrupted call changes the picture. So a second is recorded, unless
 * the case's time-out is too short for that. */
static double recorded_ns(const struct kg_settings *settings)
{
    static const double ENOUGH_NS = 1e9, TIMEOUT_SHARE = 0.1;
    return fmax(settings->min_time_ns, fmin(ENOUGH_NS, TIMEOUT_SHARE * settings->timeout_ns));
}

static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    return kg_case_measurable(&measurement->results.cases[index]);
}

static bool case_profile(struct kg_measurement *measurement, size_t index, void *user,
                         struct kg_error *err)
{
    struct pass *pass = user;
    const struct kg_settings *settings = &measurement->plan->cases[index].spec->settings;
    struct kg_arena arena = {0};
    struct kg_response response = {0};
    char pattern[PATH_BYTES + 32];
    snprintf(pattern, sizeof pattern, "%s/p%%p.kgprof", pass->folder);
    const struct kg_task_options options = {.task = KG_TASK_PROFILE,
                                            .patience = 1,
                                            .profile_path = pattern,
                                            .profile_time_ns = recorded_ns(settings),
                                            .profile_label = measurement->results.cases[index].id};
    const bool good = kg_case_worker_run(measurement, index, &options, &arena, &response, err) &&
                      pieces_join(pass);
    kg_arena_free(&arena);
    return good;
}

static bool pass_start(struct pass *pass, const char *path)
{
    if (snprintf(pass->folder, sizeof pass->folder, "%s.XXXXXX", path) + 16 >= PATH_BYTES)
        return kg_error_set(pass->err, KG_ERROR_USAGE, "the profile's path is too long");
    if (!mkdtemp(pass->folder))
        return kg_error_set(pass->err, KG_ERROR_SYSTEM,
                            "cannot make a folder beside '%.300s' for the profile: %s", path,
                            strerror(errno));
    snprintf(pass->joined, sizeof pass->joined, "%.4080s/joined", pass->folder);
    pass->output = fopen(pass->joined, "wxe");
    return pass->output ? true
                        : kg_error_set(pass->err, KG_ERROR_SYSTEM, "cannot write '%.300s': %s",
                                       pass->joined, strerror(errno));
}

static bool pass_end(struct pass *pass, const char *path, bool good)
{
    struct kg_results *results = &pass->measurement->results;
    const char *slash = strrchr(path, '/');
    if (pass->output) {
        const bool whole = !ferror(pass->output) && ftell(pass->output) > 0;
        const bool flushed = fflush(pass->output) == 0 && fsync(fileno(pass->output)) == 0;
        if (fclose(pass->output) != 0 || (good && !flushed))
            good = kg_error_set(pass->err, KG_ERROR_SYSTEM, "cannot write '%.300s': %s",
                                pass->joined, strerror(errno));
        if (good && whole && rename(pass->joined, path) == 0) {
            results->profile = kg_arena_copy(&results->arena, slash ? slash + 1 : path);
            good = results->profile ? true : kg_error_memory(pass->err);
        }
        unlink(pass->joined);
    }
    rmdir(pass->folder);
    return good;
}

bool kg_profile_pass(struct kg_measurement *measurement, const char *path, struct kg_error *err)
{
    static const struct kg_pass profiling = {
        .verb = "profiling", .wanted = wanted, .each = case_profile};
    struct pass pass = {.measurement = measurement, .err = err};
    const bool good = pass_start(&pass, path) && kg_pass_run(&profiling, measurement, &pass, err);
    return pass_end(&pass, path, good);
}
