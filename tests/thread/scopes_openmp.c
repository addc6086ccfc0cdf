/* Scopes on all threads of OpenMP at once, with another thread reading what there is meanwhile:
 * what ThreadSanitizer is to look at, and whether nothing is lost. Exits 0 if so. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgate/profiler.h"

enum { THREADS = 4, REGIONS = 40, ITEMS = 400 };

static int over;

static void *read_meanwhile(void *unused)
{
    char message[256];
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        kgate_profiler_flush(NULL);
        kgate_profile_results_free(kgate_profiler_results(NULL, message));
        kgate_profiler_enable(NULL, true);
    }
    return unused;
}

static double item(int i)
{
    KGATE_FUNCTION();
    double sum = 0;
    for (int j = 1; j <= 20; j++)
        sum += 1.0 / (i + j);
    if (i % 7 == 0) {
        KGATE_SCOPE("rare");
        kgate_memory_allocated(64);
        sum *= 2;
        kgate_memory_released(64);
    }
    return sum;
}

static double region(void)
{
    KGATE_SCOPE_PARALLEL_REGION("region");
    double sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        KGATE_SCOPE("part");
#pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < ITEMS; i++)
            sum += item(i);
    }
    return sum;
}

static uint64_t calls(const struct kgate_profile_results *results, const char *name)
{
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(results->names[i].name, name))
            return results->names[i].calls;
    return 0;
}

static int check(const char *name, uint64_t found, uint64_t expected)
{
    if (found == expected)
        return 0;
    fprintf(stderr, "%s: %llu, expected %llu\n", name, (unsigned long long)found,
            (unsigned long long)expected);
    return 1;
}

/* The parts of all threads are below the region, which is the whole of the wall time. */
static int tree_check(const struct kgate_profile_results *results)
{
    int wrong = 0;
    for (size_t i = 0; i < results->path_count; i++) {
        const struct kgate_scope_statistics *path = &results->paths[i];
        const bool outermost = path->parent == i && strcmp(path->name, "(profiler)") != 0;
        if (outermost)
            wrong += check(path->name, strcmp(path->name, "region") != 0, 0);
        if (outermost && !(path->share > 0.9 && path->share <= 1))
            wrong += check("share of the region in per cent", (uint64_t)(100 * path->share), 100);
    }
    return wrong;
}

int main(void)
{
    const struct kgate_profiler_options options = {.buffer_entries = 64};
    char message[256] = "";
    pthread_t reader;
    double sum = 0;
    if (!kgate_profiler_start(&options, message) ||
        pthread_create(&reader, NULL, read_meanwhile, NULL) != 0) {
        fprintf(stderr, "not started: %s\n", message);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < REGIONS; i++)
        sum += region();
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    kgate_profiler_stop();
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    if (!results) {
        fprintf(stderr, "no results: %s\n", message);
        return EXIT_FAILURE;
    }
    int wrong = check("region", calls(results, "region"), REGIONS);
    wrong += check("part", calls(results, "part"), REGIONS * THREADS);
    wrong += check("item", calls(results, "item"), REGIONS * ITEMS);
    wrong += check("rare", calls(results, "rare"), (uint64_t)REGIONS * ((ITEMS + 6) / 7));
    wrong += check("dropped", results->losses.dropped, 0);
    wrong += tree_check(results);
    kgate_profile_results_free(results);
    printf("%d wrong, sum %g\n", wrong, sum);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
