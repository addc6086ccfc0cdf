/* cupti_host.c: kgate's use of CUPTI's range profiler against NVIDIA's own library, on a machine
 * without a GPU. It tests the half that needs no GPU. For each of some chips, the library must know
 * every metric by kgate's name. It must accept kgate's structures with kgate's sizes. The test
 * prints the number of passes, that is calls, per count.
 *     cupti_host LIBRARY
 * Exit status: 0 good, 1 not good, 77 if the library has no range profiler (before CUDA 12.6). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "run/worker/cupti_abi.h"
#include "run/worker/cupti_counters.h"

enum { SKIPPED = 77, CHIPS = 3 };

/* Parameters of the call that counts a configuration's passes. Only this test needs it, not
 * kgate. */
struct passes {
    size_t size;
    void *reserved;
    size_t bytes;
    uint8_t *image;
    size_t passes; /* out */
};

static struct calls {
    int (*version)(uint32_t *version);
    int (*begin)(void *parameters);
    int (*add)(void *parameters);
    int (*config_size)(void *parameters);
    int (*config)(void *parameters);
    int (*passes)(void *parameters);
    int (*end)(void *parameters);
} calls;

#define CALL(member) offsetof(struct calls, member)
static const struct kg_symbol symbols[] = {
    {"cuptiGetVersion", NULL, CALL(version), false},
    {"cuptiProfilerHostInitialize", NULL, CALL(begin), false},
    {"cuptiProfilerHostConfigAddMetrics", NULL, CALL(add), false},
    {"cuptiProfilerHostGetConfigImageSize", NULL, CALL(config_size), false},
    {"cuptiProfilerHostGetConfigImage", NULL, CALL(config), false},
    {"cuptiProfilerHostGetNumOfPasses", NULL, CALL(passes), false},
    {"cuptiProfilerHostDeinitialize", NULL, CALL(end), false},
};

static int failures;

static bool good(int code, const char *chip, const char *what)
{
    if (code != KG_CUPTI_SUCCESS) {
        printf("FAIL  %s: %s: code %d\n", chip, what, code);
        failures++;
    }
    return code == KG_CUPTI_SUCCESS;
}

/* A chip may lack a metric. If all chips lack it, kgate's name is wrong. */
static size_t metrics_add(void *host, const char *chip, bool found[KG_CUPTI_METRICS])
{
    size_t count = 0;
    for (size_t i = 0; i < KG_CUPTI_METRICS; i++) {
        const char *name = kg_cupti_metrics[i].metric;
        struct kg_cupti_add_metrics add = {.size =
                                               KG_CUPTI_SIZE(struct kg_cupti_add_metrics, count),
                                           .host = host,
                                           .names = &name,
                                           .count = 1};
        const int code = calls.add(&add);
        if (code != KG_CUPTI_INVALID_METRIC_NAME && !good(code, chip, name))
            continue;
        found[i] = found[i] || code == KG_CUPTI_SUCCESS;
        count += code == KG_CUPTI_SUCCESS;
        if (code != KG_CUPTI_SUCCESS)
            printf("      %s has no %s\n", chip, name);
    }
    return count;
}

static size_t passes_count(void *host, const char *chip)
{
    struct kg_cupti_config_size size = {.size = KG_CUPTI_SIZE(struct kg_cupti_config_size, bytes),
                                        .host = host};
    if (!good(calls.config_size(&size), chip, "the size of what to count"))
        return 0;
    uint8_t *image = calloc(size.bytes ? size.bytes : 1, 1);
    struct kg_cupti_config config = {.size = KG_CUPTI_SIZE(struct kg_cupti_config, image),
                                     .host = host,
                                     .bytes = size.bytes,
                                     .image = image};
    struct passes passes = {
        .size = KG_CUPTI_SIZE(struct passes, passes), .bytes = size.bytes, .image = image};
    if (!image || !good(calls.config(&config), chip, "what to count") ||
        !good(calls.passes(&passes), chip, "the number of passes"))
        passes.passes = 0;
    free(image);
    return passes.passes;
}

/* A size that is too small has to be refused: else a right one proves nothing. */
static void sizes_matter(const char *chip)
{
    struct kg_cupti_host_initialize begin = {.size =
                                                 offsetof(struct kg_cupti_host_initialize, host),
                                             .profiler = KG_CUPTI_RANGE_PROFILER,
                                             .chip = chip};
    if (calls.begin(&begin) == KG_CUPTI_SUCCESS) {
        printf("FAIL  %s: a structure without its last member is taken\n", chip);
        failures++;
    }
}

static void chip_test(const char *chip, size_t passes_most, bool found[KG_CUPTI_METRICS])
{
    struct kg_cupti_host_initialize begin = {
        .size = KG_CUPTI_SIZE(struct kg_cupti_host_initialize, host),
        .profiler = KG_CUPTI_RANGE_PROFILER,
        .chip = chip};
    if (!good(calls.begin(&begin), chip, "the host's half of the profiler"))
        return;
    sizes_matter(chip);
    const size_t metrics = metrics_add(begin.host, chip, found);
    const size_t passes = passes_count(begin.host, chip);
    const bool few = passes > 0 && passes <= passes_most;
    printf("%s  %s: %zu metrics take %zu passes, of %zu at the most\n", few ? "ok  " : "FAIL", chip,
           metrics, passes, passes_most);
    failures += !few;
    struct kg_cupti_host end = {.size = KG_CUPTI_SIZE(struct kg_cupti_host, host),
                                .host = begin.host};
    good(calls.end(&end), chip, "closing it");
}

int main(int count, char **arguments)
{
    /* A100, H100 and H200, RTX 4090; passes as CUDA 13.0 counts them. A chip is added with a row. */
    static const struct {
        const char *chip;
        size_t passes_most;
    } chips[CHIPS] = {{"GA100", 8}, {"GH100", 8}, {"AD102", 8}};
    bool found[KG_CUPTI_METRICS] = {false};
    char why[256] = "";
    uint32_t version = 0;
    void *library = count == 2 ? kg_library_open(arguments[1], why, sizeof why) : NULL;
    if (!library) {
        printf("usage: cupti_host LIBRARY, which can be opened: %s\n", why);
        return EXIT_FAILURE;
    }
    const char *missing =
        kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, &calls);
    if (missing) {
        printf("skipped: this CUPTI has no %s\n", missing);
        return SKIPPED;
    }
    calls.version(&version);
    printf("CUPTI %u\n", version);
    for (size_t i = 0; i < CHIPS; i++)
        chip_test(chips[i].chip, chips[i].passes_most, found);
    for (size_t i = 0; i < KG_CUPTI_METRICS; i++)
        if (!found[i]) {
            printf("FAIL  no chip knows %s\n", kg_cupti_metrics[i].metric);
            failures++;
        }
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
