/* Costs of scopes of every sort, beside the floors: prints REPETITIONS lines per metric, with the
 * metrics interleaved.
 *     profiler_scopes FOLDER [PREFIX]     only metrics with this prefix */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kgate/profiler.h"
#include "loops.h"
#include "measure.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif

enum { REPETITIONS = 3 };

static struct kgate_profiler *instance;
static struct kgate_site site = {"site", NULL, __FILE__, __LINE__, KGATE_DEVICE_CPU, 0, 0};

/* --- Floors ----------------------------------------------------------------------------------- */

static void clock_loop(unsigned turns)
{
    struct timespec start, end;
    for (unsigned i = 0; i < turns; i++) {
        clock_gettime(CLOCK_MONOTONIC, &start);
        BARRIER();
        clock_gettime(CLOCK_MONOTONIC, &end);
        BARRIER();
    }
}

/* --- Scopes without the macros ---------------------------------------------------------------- */

static void explicit_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        struct kgate_scope scope = kgate_scope_begin(NULL, &site, 0);
        BARRIER();
        kgate_scope_end(&scope);
    }
}

static struct kgate_site sites[1000]; /* named by main */

/* Paths more than a thread remembers, all inside the same one. */
static inline void sites_loop(unsigned turns, unsigned count)
{
    static __thread unsigned at;
    for (unsigned i = 0; i < turns; i++) {
        at = at + 1 < count ? at + 1 : 0;
        struct kgate_scope scope = kgate_scope_begin(NULL, &sites[at], 0);
        BARRIER();
        kgate_scope_end(&scope);
    }
}

static void sites_100_loop(unsigned turns)
{
    sites_loop(turns, 100);
}

static void sites_1000_loop(unsigned turns)
{
    sites_loop(turns, 1000);
}

static void named_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        struct kgate_scope scope =
            kgate_scope_begin_named(NULL, "made at run time", KGATE_DEVICE_CPU, NULL, 0);
        BARRIER();
        kgate_scope_end(&scope);
    }
}

static void instance_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        struct kgate_scope scope = kgate_scope_begin(instance, &site, 0);
        BARRIER();
        kgate_scope_end(&scope);
    }
}

static void span_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        struct kgate_span span = kgate_span_begin(NULL, "span", 0);
        BARRIER();
        kgate_span_end(&span);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void watched_loop(unsigned turns)
{
    kgate_memory_allocated(64);
    kgate_memory_released(64);
    loops_on_empty(turns);
}

static void told_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("allocates");
        kgate_memory_allocated(64);
        BARRIER();
        kgate_memory_released(64);
    }
}

static void allocate(void)
{
    void *memory = malloc(64);
    __asm__ volatile("" : "+r"(memory)::"memory");
    free(memory);
}

static void malloc_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        allocate();
}

static void malloc_scope_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KGATE_SCOPE("allocates");
        allocate();
    }
}

/* --- NVTX ------------------------------------------------------------------------------------- */

#ifdef HAVE_NVTX
static void nvtx_loop(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        nvtxRangePushA("range");
        BARRIER();
        nvtxRangePop();
    }
}
#endif

/* --- Which, and in which recordings ----------------------------------------------------------- */

static void flush(void)
{
    kgate_profiler_flush(NULL);
}

static void flush_instance(void)
{
    kgate_profiler_flush(instance);
}

static const struct variant disabled[] = {
    {"floor_clock", clock_loop, 1, 0, NULL},
    {"floor_stamp", floor_loop, 1, 0, NULL},
    {"plain", loops_plain_empty, 1, 0, NULL},
    {"out", loops_out_empty, 1, 0, NULL},
    {"disabled", loops_on_empty, 1, 0, NULL},
    {"disabled_depth8", loops_on_depth8, 8, 0, NULL},
    {"disabled_explicit", explicit_loop, 1, 0, NULL},
    {"disabled_named", named_loop, 1, 0, NULL},
    {"malloc", malloc_loop, 1, 0, NULL},
#ifdef HAVE_NVTX
    {"nvtx", nvtx_loop, 1, 0, NULL},
#endif
};

static const struct variant usual[] = {
    {"enabled", loops_on_empty, 1, 1, flush},
    {"enabled_depth2", loops_on_depth2, 2, 2, flush},
    {"enabled_depth8", loops_on_depth8, 8, 8, flush},
    {"explicit", explicit_loop, 1, 1, flush},
    {"sites_100", sites_100_loop, 1, 1, flush},
    {"sites_1000", sites_1000_loop, 1, 1, flush},
    {"named", named_loop, 1, 1, flush},
    {"span", span_loop, 1, 1, flush},
    {"memory_watched", watched_loop, 1, 1, flush},
    {"memory_told", told_loop, 1, 2, flush},
    {"malloc_scope", malloc_scope_loop, 1, 2, flush},
};

static const struct variant with_cpu_time[] = {{"cpu_time", loops_on_empty, 1, 2, flush}};

/* Sampling skips nearly all scopes: one in a hundred fills the buffer. */
static const struct variant of_requests[] = {
    {"sampled_requests", loops_on_empty, 1, 0, flush},
    {"sampled_requests_depth8", loops_on_depth8, 8, 0, flush},
};
static const struct variant of_scopes[] = {{"sampled_scopes", loops_on_empty, 1, 0, flush}};

static const struct variant with_nvtx[] = {{"enabled_nvtx", loops_on_empty, 1, 1, flush}};
static const struct variant of_instance[] = {{"instance", instance_loop, 1, 1, flush_instance}};

/* Variants of one recording. */
struct set {
    const struct variant *variants;
    size_t count;
    bool records, own; /* own: in an instance */
    struct kgate_profiler_options options;
};
#define VARIANTS(array) array, sizeof(array) / sizeof *(array)

static const struct set sets[] = {
    {VARIANTS(disabled), false, false, {0}},
    {VARIANTS(usual), true, false, {0}},
    {VARIANTS(with_cpu_time), true, false, {.cpu_time = true}},
    {VARIANTS(of_requests), true, false, {.sample = 0.01}},
    {VARIANTS(of_scopes), true, false, {.sample = 0.01, .sampling = KGATE_SAMPLE_SCOPES}},
    {VARIANTS(with_nvtx), true, false, {.nvtx = true}},
    {VARIANTS(of_instance), true, true, {0}},
};

static bool recording_begin(const struct set *set, const char *path, char message[256])
{
    struct kgate_profiler_options options = set->options;
    options.path = path;
    if (set->records && !set->own)
        return kgate_profiler_start(&options, message);
    if (set->own)
        instance = kgate_profiler_new(&options, message);
    return !set->own || instance;
}

static void recording_end(const struct set *set)
{
    if (set->own)
        kgate_profiler_free(instance);
    else if (set->records)
        kgate_profiler_stop();
}

static bool set_measure(const struct set *set, const char *path, const char *prefix)
{
    char message[256];
    if (!recording_begin(set, path, message)) {
        fprintf(stderr, "profiler_scopes: %s\n", message);
        return false;
    }
    for (size_t i = 0; i < set->count; i++)
        if (!strncmp(set->variants[i].name, prefix, strlen(prefix)))
            measure(&set->variants[i]);
    recording_end(set);
    return true;
}

int main(int count, char **arguments)
{
    char path[4096], own_path[4096];
    const char *prefix = count > 2 ? arguments[2] : "";
    if (count < 2) {
        fputs("usage: profiler_scopes FOLDER [PREFIX]\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        sites[i].name = "one of many";
    snprintf(path, sizeof path, "%s/scopes.kgprof", arguments[1]);
    snprintf(own_path, sizeof own_path, "%s/instance.kgprof", arguments[1]);
    for (int repetition = 0; repetition < REPETITIONS; repetition++)
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            if (!set_measure(&sets[i], sets[i].own ? own_path : path, prefix))
                return 1;
    return 0;
}
