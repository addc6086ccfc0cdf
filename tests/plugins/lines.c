/* Workloads whose lines differ in one property: calls of a function, unpredictable branches,
 * columns of a matrix, or denormal numbers. Or pages in no order, and one long call. Built with
 * debug information. */
#include <string.h>
#include <unistd.h>

#include "kgate/plugin.h"

enum { ENTRIES = 240, NUMBERS = 4096, SIDE = 256, LONG_TURNS = 120000000 };

struct work {
    char names[ENTRIES][16];
    uint32_t numbers[NUMBERS], number;
    double matrix[SIDE][SIDE];
    double value;
    volatile double factor;
    uint64_t *pages;
    size_t page_words;
    volatile uint64_t result;
};

static const struct kgate_param params[] = {
    {.name = "start",
     .type = KGATE_PARAM_REAL,
     .default_text = "1",
     .minimum = 0,
     .maximum = 1e300,
     .help = "the first number"},
    {.name = "pages",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "0",
     .minimum = 0,
     .maximum = 1e6,
     .help = "pages that are touched"},
};
enum { WORDS_OF_PAGE = 4096 / sizeof(uint64_t) };

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = context->allocate(context, sizeof *work);
    if (!work)
        return false;
    uint32_t seed = 1;
    for (int i = 0; i < NUMBERS; i++) {
        seed = seed * 1664525 + 1013904223;
        work->numbers[i] = seed >> 8;
    }
    work->number = seed;
    for (int i = 0; i < ENTRIES; i++) {
        memset(work->names[i], 'a', 8);
        work->names[i][8] = (char)('a' + i % 26);
        work->names[i][9] = '\0';
    }
    memset(work->matrix, 0, sizeof work->matrix);
    work->value = context->values[0].real;
    work->factor = 2;
    work->page_words = (size_t)context->values[1].integer * WORDS_OF_PAGE;
    work->pages = work->page_words
                      ? context->allocate(context, work->page_words * sizeof *work->pages)
                      : NULL;
    for (size_t i = 0; work->pages && i < work->page_words; i++)
        work->pages[i] = i;
    *state = work;
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work->pages)
        context->release(context, work->pages);
    context->release(context, work);
}

__attribute__((noinline)) int name_differs(const char *a, const char *b);
__attribute__((noinline)) int name_differs(const char *a, const char *b)
{
    while (*a && *a == *b) { /* COMPARED */
        a++;
        b++;
    }
    return *a - *b;
}

static void search(void *state)
{
    struct work *work = state;
    uint64_t found = 0;
    for (int i = 0; i < ENTRIES; i++)
        found += name_differs(work->names[i], "aaaaaaaaz") == 0;
    work->result = found;
}

/* Each call continues the sequence of the last one: a processor would learn a repeated sequence. */
static void branch(void *state)
{
    struct work *work = state;
    uint32_t number = work->number;
    uint64_t sum = 0;
    for (int i = 0; i < NUMBERS; i++) {
        number = number * 1664525 + 1013904223;
        if (number >> 31) { /* FORETOLD */
            __asm__ volatile("");
            sum += number;
        }
    }
    work->number = number;
    work->result = sum;
}

static void columns(void *state)
{
    struct work *work = state;
    for (int column = 0; column < SIDE; column++)
        for (int row = 0; row < SIDE; row++) {
            work->matrix[row][column] += 1; /* STRIDE */
            __asm__ volatile("" ::: "memory");
        }
}

/* A division and a multiplication for each turn, of a number that stays as it is. */
static void decay(void *state)
{
    struct work *work = state;
    double value = work->value;
    for (int i = 0; i < 5000; i++)
        value = value / work->factor * work->factor;
    work->result = value > 0;
}

static void touch(void *state)
{
    struct work *work = state;
    uint64_t at = 0;
    const uint64_t page_count = work->page_words / WORDS_OF_PAGE;
    for (uint64_t i = 0; i < page_count; i++) {
        at = (at * 1664525 + 1013904223) % page_count;
        at = work->pages[at * WORDS_OF_PAGE + at % WORDS_OF_PAGE] / WORDS_OF_PAGE;
    }
    work->result = at;
}

static void lengthy(void *state)
{
    struct work *work = state;
    uint64_t sum = 1;
    for (int i = 0; i < LONG_TURNS; i++)
        sum = sum * 6364136223846793005 + work->numbers[i % NUMBERS]; /* LENGTHY */
    work->result = sum;
}

#define WORKLOAD(called)                                                                           \
    static const struct kgate_workload called##_workload = {                                       \
        .name = #called,                                                                           \
        .summary = "One kind of line.",                                                            \
        .params = params,                                                                          \
        .param_count = sizeof params / sizeof *params,                                             \
        .devices = 1u << KGATE_DEVICE_CPU,                                                         \
        .revision = 1,                                                                             \
        .set_up = set_up,                                                                          \
        .run = called,                                                                             \
        .tear_down = tear_down,                                                                    \
    }
WORKLOAD(search);
WORKLOAD(branch);
WORKLOAD(columns);
WORKLOAD(decay);
WORKLOAD(touch);
WORKLOAD(lengthy);

static const struct kgate_workload *const workloads[] = {&search_workload,  &branch_workload,
                                                         &columns_workload, &decay_workload,
                                                         &touch_workload,   &lengthy_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
