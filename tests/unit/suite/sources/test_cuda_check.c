/* Buffers of a CUDA source, filled and checked by several threads: bit for bit as by one. The device's
 * memory is the host's. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "suite/sources/cuda_source.h"
#include "test_support.h"

enum { ADDRESS = 4096 }; /* of the only buffer */
static char *device_memory;

static int to_device(uint64_t device, const void *host, size_t bytes, void *stream)
{
    (void)stream;
    memcpy(device_memory + (device - ADDRESS), host, bytes);
    return KG_DRIVER_SUCCESS;
}

static int to_host(void *host, uint64_t device, size_t bytes, void *stream)
{
    (void)stream;
    memcpy(host, device_memory + (device - ADDRESS), bytes);
    return KG_DRIVER_SUCCESS;
}

static int synchronize(void *stream)
{
    (void)stream;
    return KG_DRIVER_SUCCESS;
}

static const struct kg_driver driver = {.copy_to_device_async = to_device,
                                        .copy_to_host_async = to_host,
                                        .stream_synchronize = synchronize};
static const struct kg_cuda_device device = {&driver, NULL};

static struct kg_arena arena;
static char message[256];

/* More than two of the pieces in which a buffer travels; the last one, and its last part, are not whole. */
enum { COUNT = 9 * 1024 * 1024 + 12345 };

static struct kg_cuda_argument argument_of(enum kg_cuda_type type, const char *text, bool out)
{
    const struct kg_cuda_arg arg = {.type = type, .fill = text, .out = out};
    struct kg_cuda_argument argument = {.buffer = true,
                                        .type = type,
                                        .count = COUNT,
                                        .out = out,
                                        .tolerance = kg_cuda_type_tolerance(type),
                                        .name = "x"};
    struct kg_error err;
    if (!kg_cuda_fill_make(&arena, &arg, 0, 7, &argument.fill, &err))
        fail_msg("%s", err.message);
    return argument;
}

static void *filled(const struct kg_cuda_argument *argument)
{
    void *memory = kg_alloc(argument->count, kg_cuda_type_bytes(argument->type));
    device_memory = memory;
    assert_int_equal(kg_cuda_buffer_fill(&device, argument, ADDRESS), KG_DRIVER_SUCCESS);
    return memory;
}

static bool checked(struct kg_cuda_argument *argument, struct kgate_check *found)
{
    const struct kg_cuda_launch launch = {.args = argument, .arg_count = 1};
    const uint64_t address = ADDRESS;
    message[0] = '\0';
    return kg_cuda_check(&device, &launch, &address, found, message, sizeof message);
}

static int end(void **state)
{
    (void)state;
    kg_arena_free(&arena);
    return 0;
}

static void a_buffer_is_filled_as_by_one_thread(void **state)
{
    static const struct {
        enum kg_cuda_type type;
        const char *text;
    } fills[] = {{KG_CUDA_F32, "random"}, {KG_CUDA_U8, "i * 3"}, {KG_CUDA_BF16, "random"}};
    (void)state;
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
        const struct kg_cuda_argument argument = argument_of(fills[k].type, fills[k].text, false);
        const size_t size = kg_cuda_type_bytes(argument.type);
        void *memory = filled(&argument), *expected = kg_alloc(COUNT, size);
        kg_cuda_fill_write(&argument.fill, 0, COUNT, expected);
        if (memcmp(memory, expected, COUNT * size) != 0)
            fail_msg("%s of %s", fills[k].text, kg_cuda_type_names[fills[k].type]);
        free(memory);
        free(expected);
    }
}

static void the_first_wrong_element_is_named_wherever_it_is(void **state)
{
    static const size_t places[] = {0, 16 * 1024 - 1, 16 * 1024, 4 * 1024 * 1024, COUNT - 1};
    struct kg_cuda_argument argument = argument_of(KG_CUDA_F32, "random", false);
    struct kgate_check found;
    (void)state;
    float *memory = filled(&argument);
    assert_true(checked(&argument, &found));
    for (size_t k = sizeof places / sizeof *places; k-- > 0;) {
        char expected[32];
        memory[places[k]] += 1; /* those behind it are wrong already */
        snprintf(expected, sizeof expected, "x[%zu] is ", places[k]);
        assert_false(checked(&argument, &found));
        if (strncmp(message, expected, strlen(expected)) != 0)
            fail_msg("'%s', expected '%s'", message, expected);
    }
    free(memory);
}

/* All expected values are 1: an error is that of the element. */
static void the_largest_error_is_found_wherever_it_is(void **state)
{
    struct kg_cuda_argument argument = argument_of(KG_CUDA_F32, "1", true);
    struct kgate_check found;
    (void)state;
    argument.expect = argument.fill.formula;
    argument.tolerance = 0.5;
    float *memory = filled(&argument);
    memory[20000] = 1.125F;
    memory[COUNT - 1] = 1.25F;
    memory[5000000] = 0.875F;
    if (!checked(&argument, &found))
        fail_msg("%s", message);
    assert_true(found.error == 0.25 && found.tolerance == 0.5);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_is_filled_as_by_one_thread),
        cmocka_unit_test(the_first_wrong_element_is_named_wherever_it_is),
        cmocka_unit_test(the_largest_error_is_found_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
