#include "why/observe/hot_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/counting/callgrind.h"
#include "run/timing/counting.h"
#include "suite/sources/source.h"

/* METHOD: to be raised if the meaning of the profile or its method changes. */
enum { METHOD = 1, FILES_READ_MOST = 20000 };
static const int64_t DAY_S = 24 * 3600;
enum { KEPT_DAYS = 30 };

/* --- The key ---------------------------------------------------------------------------------- */

/* Adds the code to the key; false: it is unknown. If kgate did not identify the libraries, the
 * hash of the whole file must be part of the key. */
static bool code_print(const struct kg_case_result *result, struct kg_text *text)
{
    const struct kg_code_identity *code = &result->code;
    if (!code->hash || (code->scope != KG_CODE_WITH_LIBRARIES && !result->build))
        return false;
    kg_text_printf(text, "code %s %s\n", code->hash, kg_code_scope_names[code->scope]);
    if (code->scope != KG_CODE_WITH_LIBRARIES)
        kg_text_printf(text, "file %s\n", result->build);
    for (size_t i = 0; i < code->library_count; i++)
        kg_text_printf(text, "library %s\n", code->libraries[i]);
    return true;
}

/* Adds the contents of files that the command's words name: its inputs or scripts. */
static void words_print(const struct kg_case *planned, const char *directory, struct kg_text *text)
{
    char path[PATH_MAX], hex[KG_SHA256_DIGITS + 1];
    for (size_t i = 1; i < planned->command_count; i++) {
        struct stat status;
        const char *word = planned->command[i];
        const bool beside = directory && *word != '/';
        snprintf(path, sizeof path, "%s%s%s", beside ? directory : "", beside ? "/" : "", word);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && kg_sha256_file(path, hex))
            kg_text_printf(text, "word %zu %s\n", i, hex);
    }
}

/* Adds the tools that make observations possible, because they may be installed or removed. */
static void tools_print(struct kg_text *text)
{
    char valgrind[4096];
    kg_text_printf(text, "valgrind %d perf %d\n", kg_callgrind_find(valgrind, sizeof valgrind),
                   kg_counting_perf_usable());
}

const char *kg_looked_key(const struct kg_session *session, size_t index, const char *kgate,
                          struct kg_arena *arena)
{
    const struct kg_case *planned = &session->plan->cases[index];
    const struct kg_case_result *result = &session->results->cases[index];
    const struct kg_build *build = kg_session_build(session, index);
    char hex[KG_SHA256_DIGITS + 1];
    struct kg_text text = {0};
    struct kg_sha256 sum;
    kg_text_printf(&text, "method %d\nkgate %s %s\nmachine %s %" PRIu64 "\n", METHOD,
                   session->results->kgate_version, kgate, session->results->machine.fingerprint,
                   session->results->machine.cpu_count);
    kg_text_printf(&text, "definition %s\nthreads %" PRIu64 "\nsample_time %.17g\ncounted %d\n",
                   planned->definition_hash, result->threads,
                   planned->spec->settings.sample_time_ns,
                   (result->metrics & 1u << KG_METRIC_INSTRUCTIONS) != 0);
    const bool known = code_print(result, &text);
    words_print(planned, build ? build->directory : NULL, &text);
    tools_print(&text);
    kg_sha256_start(&sum);
    kg_sha256_add(&sum, kg_text_string(&text), text.length);
    kg_sha256_end(&sum, hex);
    const bool good = known;
    kg_text_free(&text);
    return good ? kg_arena_copy_bytes(arena, hex, KG_LOOKED_DIGITS) : NULL;
}

/* --- Files ------------------------------------------------------------------------------------ */

struct stored {
    uint64_t method;
    uint64_t made_s;
    double cpu_ns;
    struct kg_hot hot;
    struct kg_look look;
};

#define STRUCT stored
static const struct kg_field fields[] = {
    KG_FIELD(method, COUNT, "version of the method", KG_FROM(1)),
    KG_FIELD(made_s, COUNT, "time of writing in seconds since 1970"),
    KG_FIELD(cpu_ns, REAL, "CPU time per call in the profiled run, ns", KG_OPTIONAL, KG_ABOVE_0),
    KG_FIELD(hot, RECORD, "Profile, as in results.", KG_OF(kg_hot_record)),
    KG_FIELD(look, RECORD, "Figures counted with the profile, as in results.", KG_OPTIONAL,
             KG_OF(kg_look_record)),
};
const struct kg_record kg_looked_record = KG_RECORD_OF(
    fields,
    "Profile of a case on the CPU in the user's cache. Code, definition and machine form the "
    "file's name. kgate removes a file after 30 days without use.");
#undef STRUCT

const char *kg_looked_directory(struct kg_arena *arena)
{
    const char *cache = kg_ceilings_directory(arena);
    return cache ? kg_arena_printf(arena, "%s/looked", cache) : NULL;
}

static void path_make(const char *directory, const char *key, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.json", directory, key);
}

/* Whether an observation failed, which may succeed later. */
static bool has_reason(const struct kg_hot *hot)
{
    return hot->sampled.reason || hot->system_calls.reason || hot->counted.reason ||
           hot->core.reason || hot->repeats.reason;
}

/* Whether both runs took about the same CPU time per call. Noise is below a quarter. */
static bool same_time(double kept_ns, double now_ns)
{
    static const double DIFFERS = 1.25;
    return isnan(kept_ns) || isnan(now_ns) ||
           (now_ns < DIFFERS * kept_ns && kept_ns < DIFFERS * now_ns);
}

bool kg_looked_load(const char *directory, const char *key, int64_t now_s, double cpu_ns,
                    struct kg_arena *arena, struct kg_hot *hot, struct kg_look *look)
{
    char path[PATH_MAX];
    struct stored stored = {.cpu_ns = NAN};
    struct stat status;
    struct kg_error unread;
    path_make(directory, key, path);
    if (stat(path, &status) != 0 || status.st_mtime > now_s + DAY_S ||
        now_s - status.st_mtime > KEPT_DAYS * DAY_S ||
        !kg_record_load(&kg_looked_record, KG_LOOKED_SCHEMA, path, arena, &stored, &unread))
        return false;
    const int64_t age_s = now_s - (int64_t)stored.made_s;
    if (stored.method != METHOD || age_s < -DAY_S || !same_time(stored.cpu_ns, cpu_ns) ||
        (has_reason(&stored.hot) && age_s > DAY_S))
        return false;
    utimensat(AT_FDCWD, path, NULL, 0); /* marks the file as used */
    *hot = stored.hot;
    *look = stored.look;
    return true;
}

bool kg_looked_store(const char *directory, const char *key, double cpu_ns,
                     const struct kg_hot *hot, const struct kg_look *look, struct kg_error *err)
{
    char path[PATH_MAX];
    const struct stored stored = {.method = METHOD,
                                  .made_s = (uint64_t)time(NULL),
                                  .cpu_ns = cpu_ns,
                                  .hot = *hot,
                                  .look = *look};
    path_make(directory, key, path);
    return kg_directory_make(directory, err) &&
           kg_record_save(&kg_looked_record, &stored, KG_LOOKED_SCHEMA, path, err);
}

/* --- Their number and age --------------------------------------------------------------------- */

struct file {
    char name[KG_LOOKED_DIGITS + sizeof ".json"];
    int64_t used_s;
};

static bool is_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == KG_LOOKED_DIGITS &&
           !strcmp(name + KG_LOOKED_DIGITS, ".json");
}

static int newest_first(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return (x->used_s < y->used_s) - (x->used_s > y->used_s);
}

static size_t files_list(int folder, DIR *directory, struct file *files)
{
    size_t count = 0;
    struct stat status;
    for (struct dirent *entry; count < FILES_READ_MOST && (entry = readdir(directory));) {
        if (!is_name(entry->d_name) || fstatat(folder, entry->d_name, &status, 0) != 0)
            continue;
        memcpy(files[count].name, entry->d_name, sizeof files[count].name);
        files[count++].used_s = status.st_mtime;
    }
    return count;
}

void kg_looked_prune(const char *directory, int64_t now_s, size_t most)
{
    DIR *opened = opendir(directory);
    struct file *files = opened ? kg_alloc(FILES_READ_MOST, sizeof *files) : NULL;
    if (files) {
        const size_t count = files_list(dirfd(opened), opened, files);
        qsort(files, count, sizeof *files, newest_first);
        for (size_t i = 0; i < count; i++)
            if (i >= most || now_s - files[i].used_s > KEPT_DAYS * DAY_S)
                unlinkat(dirfd(opened), files[i].name, 0);
    }
    free(files);
    if (opened)
        closedir(opened);
}
