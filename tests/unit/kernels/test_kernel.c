/* A kernel's table (common/kernel.h) at work. Its arrays are made in order, filled or poisoned, and
 * released after every failure. Its version is chosen, or refused with a reason. */
#include <stdlib.h>

#include "common/common.h"
#include "common/device.h"
#include "common/kernel.h"
#include "test_support.h"

enum { LENGTH, VERSION, PARAMS };

struct sum {
    struct kg_call call;
    float *x;
    float *y;
    double *parts; /* none with one thread */
    uint32_t *order;
    size_t n;
    bool prepared;
};

static size_t length(const void *state)
{
    return ((const struct sum *)state)->n;
}

static size_t parts(const void *state)
{
    const struct sum *sum = state;
    return sum->call.threads > 1 ? (size_t)sum->call.threads : 0;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct sum, x), .role = KG_INPUT, .count = length, .fill = kg_array_floats,
     .seed = 3},
    {KG_ARRAY(struct sum, y), .role = KG_OUTPUT, .elements = 2},
    {KG_ARRAY(struct sum, parts), .role = KG_SCRATCH, .memory = KG_MEMORY_PINNED, .count = parts},
    {KG_ARRAY(struct sum, order), .role = KG_INPUT, .memory = KG_MEMORY_HOST, .count = length},
    {KG_ARRAY(struct sum, y), .role = KG_SCRATCH, .memory = KG_MEMORY_GPU, .elements = 9},
};

static void sum_run(void *state)
{
    const struct sum *sum = state;
    sum->y[0] = sum->y[1] = 0;
    for (size_t i = 0; i < sum->n; i++)
        sum->y[0] += sum->x[i];
}

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    struct sum *sum = state;
    sum->n = (size_t)context->values[LENGTH].integer;
    *work = (struct kgate_work){.items = (double)sum->n};
    return sum->n != 13 || kg_kernel_refuse(context, "13 is impossible");
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct sum *sum = state;
    *check = (struct kgate_check){.error = isnan(sum->y[0]) ? NAN : 0};
    return sum->n != 14; /* simulates missing memory */
}

static bool prepares = true;

static bool prepare(struct kgate_context *context, void *state)
{
    ((struct sum *)state)->prepared = prepares;
    return prepares || kg_kernel_refuse(context, "not prepared");
}

static int finished;

static void finish(struct kgate_context *context, void *state)
{
    (void)context, (void)state;
    finished++;
}

static const char *const names[] = {"plain", "other", NULL};
static void (*const versions[][2])(void *) = {{sum_run, NULL}, {NULL, sum_run}};
static const struct kg_kernel sum_kernel = {
    .state_bytes = sizeof(struct sum),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .compare = compare,
    .prepare = {prepare},
    .finish = {finish},
};
KG_KERNEL_WORKLOAD(sum, .summary = "Adds up.", .param_count = PARAMS, .revision = 1);

/* Memory that can run out, and is counted. */
struct pool {
    size_t taken;     /* allocations that are not released */
    size_t remaining; /* allocations that will succeed */
    size_t bytes[8];  /* of each, in order */
    size_t count;
};

static void *take(struct kgate_context *context, size_t bytes)
{
    struct pool *pool = context->host;
    if (!pool->remaining)
        return NULL;
    pool->remaining--;
    pool->taken++;
    pool->bytes[pool->count++] = bytes;
    return calloc(1, bytes);
}

static void give(struct kgate_context *context, void *memory)
{
    ((struct pool *)context->host)->taken -= memory != NULL;
    free(memory);
}

static struct kgate_context context_of(struct pool *pool, const struct kgate_value *values)
{
    *pool = (struct pool){.remaining = 8};
    return (struct kgate_context){.values = values,
                                  .threads = 2,
                                  .seed = 40,
                                  .allocate = take,
                                  .release = give,
                                  .host = pool};
}

static void arrays_are_made_in_order_and_filled_by_their_role(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 5000}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    void *state = NULL;
    (void)unused;
    assert_true(kg_kernel_sum.set_up(&context, &state));
    const struct sum *sum = state;
    const size_t expected[] = {sizeof *sum, 5000 * sizeof(float), 2 * sizeof(float),
                               2 * sizeof(double), 5000 * sizeof(uint32_t)};
    assert_int_equal(pool.count, 5); /* the GPU's array is not among them */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(pool.bytes[i], expected[i]);
    float *x = malloc(5000 * sizeof *x);
    assert_non_null(x);
    kg_fill_floats(x, 5000, 43, 1);
    assert_memory_equal(sum->x, x, 5000 * sizeof *x);
    assert_true(isnan(sum->y[0]) && isnan(sum->y[1]));
    assert_true(isnan(sum->parts[0]) && isnan(sum->parts[1]));
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(sum->order[i], 0);
    assert_true(sum->prepared);
    free(x);
    kg_kernel_sum.tear_down(&context, state);
    assert_int_equal(pool.taken, 0);
}

static void an_array_of_no_elements_is_none(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 7}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    void *state = NULL;
    (void)unused;
    context.threads = 1;
    assert_true(kg_kernel_sum.set_up(&context, &state));
    assert_null(((const struct sum *)state)->parts);
    assert_int_equal(pool.count, 4);
    kg_kernel_sum.tear_down(&context, state);
    assert_int_equal(pool.taken, 0);
}

static void what_was_never_run_is_not_a_result(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 7}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    struct kgate_check check;
    void *state = NULL;
    (void)unused;
    assert_true(kg_kernel_sum.set_up(&context, &state));
    assert_true(kg_kernel_sum.check(&context, state, &check));
    assert_false(check.error <= check.tolerance);
    kg_kernel_sum.run(state);
    assert_true(kg_kernel_sum.check(&context, state, &check));
    assert_true(check.error <= check.tolerance);
    kg_kernel_sum.tear_down(&context, state);
}

static void wherever_memory_ends_all_of_it_is_released(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 7}};
    (void)unused;
    for (size_t remaining = 0; remaining < 5; remaining++) {
        struct pool pool;
        struct kgate_context context = context_of(&pool, values);
        void *state = NULL;
        pool.remaining = remaining;
        assert_false(kg_kernel_sum.set_up(&context, &state));
        assert_null(state);
        assert_non_null(strstr(context.message, "no memory"));
        assert_int_equal(pool.taken, 0);
    }
}

static void what_prepare_refuses_is_finished_and_released(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 7}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    void *state = NULL;
    (void)unused;
    prepares = false;
    finished = 0;
    assert_false(kg_kernel_sum.set_up(&context, &state));
    prepares = true;
    assert_string_equal(context.message, "not prepared");
    assert_int_equal(finished, 1);
    assert_int_equal(pool.taken, 0);
}

static void versions_and_values_are_refused_with_a_reason(void **unused)
{
    struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 13}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    struct kgate_work work;
    (void)unused;
    assert_false(kg_kernel_sum.describe(&context, &work));
    assert_string_equal(context.message, "13 is impossible");
    assert_false(context.unavailable);
    values[LENGTH].integer = 12;
    assert_true(kg_kernel_sum.describe(&context, &work));
    assert_float_equal(work.items, 12, 0);
    values[VERSION].integer = 1;
    assert_false(kg_kernel_sum.describe(&context, &work));
    assert_string_equal(context.message, "version 'other' does not exist on the CPU");
    assert_true(context.unavailable);
    assert_int_equal(pool.count, 0); /* describing allocates nothing */
}

static void a_check_without_memory_notes_it(void **unused)
{
    const struct kgate_value values[PARAMS] = {[LENGTH] = {.integer = 14}};
    struct pool pool;
    struct kgate_context context = context_of(&pool, values);
    struct kgate_check check;
    void *state = NULL;
    (void)unused;
    assert_true(kg_kernel_sum.set_up(&context, &state));
    assert_false(kg_kernel_sum.check(&context, state, &check));
    assert_string_equal(context.message, "no memory for the reference");
    kg_kernel_sum.tear_down(&context, state);
}

static void blank_memory_is_blank_to_its_end_and_no_further(void **unused)
{
    static const size_t sizes[] = {1, 7, 16383, 16384, 16385, 100001};
    (void)unused;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned char *memory = calloc(1, sizes[s] + 1);
        assert_non_null(memory);
        kg_fill_blank(memory, sizes[s], 3);
        for (size_t i = 0; i < sizes[s]; i++)
            assert_int_equal(memory[i], 0xff);
        assert_int_equal(memory[sizes[s]], 0);
        free(memory);
    }
}

/* 132 processors want 264 blocks of 256 threads. */
static void accesses_in_flight_are_fewer_where_blocks_would_not_fill_the_device(void **unused)
{
    static const struct {
        size_t accesses;
        unsigned most, flight;
    } cases[] = {{0, 4, 1},      {65536, 4, 1},   {135168, 4, 2},  {262144, 4, 2}, {270335, 4, 2},
                 {270336, 4, 4}, {1 << 30, 4, 4}, {1 << 30, 1, 1}, {135168, 2, 2}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(kg_device_flight(cases[i].accesses, 256, cases[i].most, 132),
                         cases[i].flight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_made_in_order_and_filled_by_their_role),
        cmocka_unit_test(an_array_of_no_elements_is_none),
        cmocka_unit_test(what_was_never_run_is_not_a_result),
        cmocka_unit_test(wherever_memory_ends_all_of_it_is_released),
        cmocka_unit_test(what_prepare_refuses_is_finished_and_released),
        cmocka_unit_test(versions_and_values_are_refused_with_a_reason),
        cmocka_unit_test(a_check_without_memory_notes_it),
        cmocka_unit_test(blank_memory_is_blank_to_its_end_and_no_further),
        cmocka_unit_test(accesses_in_flight_are_fewer_where_blocks_would_not_fill_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
