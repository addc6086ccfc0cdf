#include <sys/stat.h>

#include "base/file.h"
#include "device/code/ceilings_code.h"
#include "run/ceilings/ceilings_measure.h"
#include "run/timing/gpu_fake.h"

/* --- A device that follows ceilings.cu, at rates that the test knows --- */

/* bytes and operations per ns */
static const double COPY = 3, STREAMING = 3.1, READ = 2.5, FMA = 6e3, TENSOR = 60e3, WGMMA = 90e3;
/* so that copies are small: the emulation really makes them */
enum { L2_BYTES = 1 << 18, MEMORY_BYTES = 10 << 20 };

static struct kg_gpu_timer timer;
static struct kg_driver real;
static struct kg_arena arena;
static struct kg_error err;

static struct {
    char name[32];
    void *function;
    unsigned runs;
} kernels[16];
static size_t kernel_count;
static void *work_function;
static const char *broken;  /* a kernel that does something else */
static const char *missing; /* a kernel that this device has no code for */
static double wgmma_slower; /* slowdown factor of wgmma */
static const struct kg_ceilings_watch unwatched;

static int function_find(void **function, void *module, const char *name)
{
    enum { NOT_FOUND = 500 };
    const bool absent = missing && !strcmp(name, missing);
    const int code = absent ? NOT_FOUND : real.module_function(function, module, name);
    size_t at = 0;
    while (at < kernel_count && strcmp(kernels[at].name, name) != 0)
        at++;
    if (code != KG_DRIVER_SUCCESS || at == 16)
        return code;
    snprintf(kernels[at].name, sizeof kernels[0].name, "%s", name);
    kernels[at].function = *function;
    kernels[at].runs = 0;
    kernel_count += at == kernel_count;
    return real.module_function(&work_function, module, "work");
}

/* Another module's functions may get the same handles. */
static int unload(void *module)
{
    kernel_count = 0;
    return real.module_unload(module);
}

static int attribute(int *value, int which, int device)
{
    const int code = real.device_attribute(value, which, device);
    if (which == KG_ATTRIBUTE_L2_BYTES)
        *value = L2_BYTES;
    return code;
}

static void *address_of(void *parameter)
{
    uint64_t address;
    memcpy(&address, parameter, sizeof address);
    return (void *)(uintptr_t)address;
}

static uint64_t number_of(const void *parameter)
{
    uint64_t number;
    memcpy(&number, parameter, sizeof number);
    return number;
}

static void sums_leave(void **parameters, size_t threads, float sum)
{
    float *results = address_of(parameters[0]);
    for (size_t i = 0; i < threads; i++)
        results[i] = sum;
}

static void words_check(void **parameters)
{
    const uint32_t *words = address_of(parameters[0]);
    struct kg_ceiling_found *found = address_of(parameters[2]);
    for (uint64_t i = 0; i < number_of(parameters[1]); i++) {
        found->words++;
        found->wrong += words[i] != kg_ceiling_word(i);
    }
}

static void words_add(void **parameters, bool wrong)
{
    const uint32_t *words = address_of(parameters[0]);
    uint32_t *sum = address_of(parameters[2]);
    for (uint64_t i = 0; i < number_of(parameters[1]) * KG_CEILING_TILE_BYTES / 4; i++)
        *sum += words[i];
    *sum += wrong;
}

/* The kernel's work at its first call; later calls only take its time. */
static void kernel_run(const char *name, unsigned blocks, void **parameters)
{
    const bool wrong = broken && !strcmp(name, broken);
    const size_t threads = (size_t)blocks * KG_CEILING_THREADS;
    const size_t bytes = (size_t)blocks * KG_CEILING_TILE_BYTES;
    uint32_t iterations = 0;
    if (!strcmp(name, "kg_ceiling_fill")) {
        uint32_t *words = address_of(parameters[0]);
        for (uint64_t i = 0; i < number_of(parameters[1]); i++)
            words[i] = kg_ceiling_word(i);
    } else if (!strcmp(name, "kg_ceiling_check")) {
        words_check(parameters);
    } else if (!strncmp(name, "kg_ceiling_copy", 15)) {
        memcpy(address_of(parameters[1]), address_of(parameters[0]), bytes - (wrong ? 4 : 0));
    } else if (!strcmp(name, "kg_ceiling_read")) {
        words_add(parameters, wrong);
    } else if (!strcmp(name, "kg_ceiling_fma")) {
        memcpy(&iterations, parameters[1], sizeof iterations);
        const double steps = (double)iterations * KG_CEILING_CHAIN_STEPS;
        sums_leave(parameters, threads, (float)(28 + 8 * steps) + (wrong ? 1 : 0));
    } else if (!strcmp(name, "kg_ceiling_tensor")) {
        memcpy(&iterations, parameters[1], sizeof iterations);
        const double steps = (double)iterations * KG_CEILING_TILE_STEPS;
        sums_leave(parameters, threads, (float)(8 * 4 * 16 * steps) + (wrong ? 1 : 0));
    } else if (!strcmp(name, "kg_ceiling_wgmma")) {
        memcpy(&iterations, parameters[1], sizeof iterations);
        const double steps = (double)iterations * KG_CEILING_WGMMA_STEPS;
        sums_leave(parameters, threads, (float)(128 * 16 * steps) * (wrong ? 0.5F : 1));
    }
}

static double kernel_ns(const char *name, unsigned blocks, void **parameters)
{
    const double threads = (double)blocks * KG_CEILING_THREADS;
    uint32_t iterations;
    memcpy(&iterations, parameters[1], sizeof iterations);
    if (!strncmp(name, "kg_ceiling_copy", 15))
        return 2.0 * (double)blocks * KG_CEILING_TILE_BYTES /
               (strcmp(name, "kg_ceiling_copy") ? STREAMING : COPY);
    if (!strcmp(name, "kg_ceiling_read"))
        return (double)(number_of(parameters[1]) * KG_CEILING_TILE_BYTES) / READ;
    if (!strcmp(name, "kg_ceiling_fma"))
        return threads * 2 * 8 * iterations * KG_CEILING_CHAIN_STEPS / FMA;
    if (!strcmp(name, "kg_ceiling_tensor"))
        return threads / 32 * 8 * iterations * KG_CEILING_TILE_STEPS * 2 * 16 * 8 * 16 / TENSOR;
    if (!strcmp(name, "kg_ceiling_wgmma"))
        return threads / 128 * iterations * KG_CEILING_WGMMA_STEPS * 2 * 64 * 256 * 16 / WGMMA *
               wgmma_slower;
    return 1000;
}

static int launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **parameters, void **extra)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].function != function)
            continue;
        double ns = kernel_ns(kernels[i].name, grid_x, parameters), cold_ns = 0;
        if (!kernels[i].runs++)
            kernel_run(kernels[i].name, grid_x, parameters);
        void *of_work[] = {&ns, &cold_ns};
        assert_int_equal(block_x, KG_CEILING_THREADS);
        assert_int_equal(shared_bytes, strcmp(kernels[i].name, "kg_ceiling_wgmma")
                                           ? 0
                                           : KG_CEILING_WGMMA_SHARED_BYTES);
        return real.launch(work_function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                           shared_bytes, stream, of_work, extra);
    }
    return real.launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                       stream, parameters, extra);
}

/* The timer first flushes memory of its cache's size. The device is smaller afterwards. */
static int open_timer(void **state)
{
    fake_restart();
    fake->device->event_ns = 400;
    fake->device->event_step_ns = 32;
    err = (struct kg_error){0};
    kernel_count = 0;
    broken = missing = NULL;
    wgmma_slower = 1;
    if (!kg_gpu_timer_open(KGATE_FAKE_CUDA, &timer, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return -1;
    }
    fake->device->memory_bytes = 2 * timer.flush_bytes + MEMORY_BYTES;
    timer.multiprocessors = 4;
    real = timer.driver;
    timer.driver.module_function = function_find;
    timer.driver.module_unload = unload;
    timer.driver.device_attribute = attribute;
    timer.driver.launch = launch;
    return 0;
}

static int close_timer(void **state)
{
    kg_gpu_timer_close(&timer);
    kg_arena_free(&arena);
    assert_nothing_left();
    return 0;
}

static void assert_share(const char *what, double value, double expected)
{
    if (!(fabs(value / expected - 1) < 0.02))
        fail_msg("%s is %g, not about %g", what, value, expected);
}

struct answers {
    unsigned asked;
    unsigned at; /* which time the telemetry is told; before and after nothing is the matter */
    struct kg_nvml_telemetry telemetry;
    bool dumb;
};

static bool answer(void *state, struct kg_nvml_telemetry *telemetry)
{
    struct answers *answers = state;
    *telemetry = (struct kg_nvml_telemetry){.throttle = -1, .other_processes = -1};
    if (answers->asked++ == answers->at)
        *telemetry = answers->telemetry;
    return !answers->dumb;
}

static void ceilings_come_of_the_best_times_and_the_faster_copy(void **state)
{
    struct kg_ceilings ceilings;
    if (!kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err))
        fail_msg("%s", err.message);
    assert_share("copy", ceilings.copy_bytes_per_s, STREAMING * 1e9);
    assert_share("read", ceilings.read_bytes_per_s, READ * 1e9);
    assert_share("fma", ceilings.fma_flops_per_s, FMA * 1e9);
    assert_share("tensor", ceilings.tensor_flops_per_s, WGMMA * 1e9);
    assert_string_equal(ceilings.tensor_by, "wgmma");
    assert_share("launch", ceilings.launch_ns, 1000 + fake->device->gap_ns);
    assert_share("clock", ceilings.sm_clock_hz, fake->device->nominal_clock_hz);
    assert_non_null(ceilings.measured);
    assert_null(ceilings.uuid);
}

static void what_is_computed_wrongly_is_not_believed_and_the_rest_is(void **state)
{
    static const struct {
        const char *kernel, *message;
        bool copy, read, fma, tensor; /* whether each rate is still known */
    } cases[] = {
        {"kg_ceiling_copy", "1 differ", false, false, true, true},
        {"kg_ceiling_copy_streaming", "1 differ", true, false, true, true},
        {"kg_ceiling_read", "wrong sum", true, false, true, true},
        {"kg_ceiling_fma", "kg_ceiling_fma on the GPU is wrong", true, true, false, true},
        {"kg_ceiling_tensor", "kg_ceiling_tensor on the GPU is wrong", true, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_ceilings ceilings;
        broken = cases[i].kernel;
        assert_false(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
        if (!strstr(err.message, cases[i].message) ||
            isnan(ceilings.copy_bytes_per_s) == cases[i].copy ||
            isnan(ceilings.read_bytes_per_s) == cases[i].read ||
            isnan(ceilings.fma_flops_per_s) == cases[i].fma ||
            isnan(ceilings.tensor_flops_per_s) == cases[i].tensor || isnan(ceilings.launch_ns))
            fail_msg("%s: %s; %g %g %g %g", broken, err.message, ceilings.copy_bytes_per_s,
                     ceilings.read_bytes_per_s, ceilings.fma_flops_per_s,
                     ceilings.tensor_flops_per_s);
    }
}

static void without_wgmma_the_figure_is_that_of_mma_sync(void **state)
{
    struct kg_ceilings ceilings;
    missing = "kg_ceiling_wgmma";
    assert_true(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
    assert_share("tensor", ceilings.tensor_flops_per_s, TENSOR * 1e9);
    assert_string_equal(ceilings.tensor_by, "mma.sync");
    assert_null(ceilings.note);
}

static void where_wgmma_is_wrong_that_is_noted_beside_what_else_there_is(void **state)
{
    struct answers answers = {.telemetry = {.other_processes = 1}};
    const struct kg_ceilings_watch watch = {answer, &answers};
    struct kg_ceilings ceilings;
    broken = "kg_ceiling_wgmma";
    assert_true(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
    assert_share("tensor", ceilings.tensor_flops_per_s, TENSOR * 1e9);
    assert_string_equal(ceilings.tensor_by, "mma.sync");
    const char *message =
        strstr(ceilings.note, "tensor cores not by wgmma: kg_ceiling_wgmma on the "
                              "GPU is wrong: the sum of thread 0 is ");
    assert_ptr_equal(message, ceilings.note);
    assert_true(kg_ceilings_measure(&timer, &watch, &arena, &ceilings, &err));
    assert_ptr_equal(strstr(ceilings.note, "measured beside 1 other process on the GPU; tensor "),
                     ceilings.note);
}

static void the_faster_instruction_counts(void **state)
{
    struct kg_ceilings ceilings;
    wgmma_slower = 2;
    assert_true(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
    assert_share("tensor", ceilings.tensor_flops_per_s, TENSOR * 1e9);
    assert_string_equal(ceilings.tensor_by, "mma.sync");
}

static void no_tensor_cores_that_are_right_are_no_figure(void **state)
{
    struct kg_ceilings ceilings;
    broken = "kg_ceiling_tensor";
    missing = "kg_ceiling_wgmma";
    assert_false(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
    assert_true(isnan(ceilings.tensor_flops_per_s));
    assert_null(ceilings.tensor_by);
}

static void too_little_free_memory_leaves_the_arithmetic(void **state)
{
    struct kg_ceilings ceilings;
    fake->device->memory_bytes = 2 * timer.flush_bytes + (3 << 20);
    assert_false(kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err));
    assert_non_null(strstr(err.message, "too little device memory is free"));
    assert_true(isnan(ceilings.copy_bytes_per_s));
    assert_share("fma", ceilings.fma_flops_per_s, FMA * 1e9);
}

/* Every call of the driver refused once: nothing is left behind, and the rest is measured. */
static void a_driver_that_refuses_anything_leaves_nothing_behind(void **state)
{
    unsigned calls = 0;
    bool refused = true;
    for (; refused && calls < 400; calls += calls < 150 ? 1 : 37) {
        struct kg_ceilings ceilings;
        const unsigned modules = fake->counts->modules_live, memory = fake->counts->memory_live;
        fake->refuse_later(calls, KG_DRIVER_OUT_OF_MEMORY);
        err = (struct kg_error){0};
        const bool all = kg_ceilings_measure(&timer, &unwatched, &arena, &ceilings, &err);
        refused = fake->refused();
        if ((!all && !*err.message) || fake->counts->modules_live != modules ||
            fake->counts->memory_live != memory)
            fail_msg("call %u: %u modules, %u blocks of memory; %s", calls,
                     fake->counts->modules_live, fake->counts->memory_live, err.message);
        kg_arena_free(&arena);
    }
    fake->refuse_later(1000000, 0);
    assert_true(calls > 20);
}

/* --- How the device did meanwhile --- */

static void what_disturbs_any_part_is_noted_and_the_figures_are_there(void **state)
{
    for (unsigned at = 0; at < 7; at++) {
        struct answers answers = {
            .at = at, .telemetry = {.throttle = KG_NVML_THERMAL_SOFTWARE, .other_processes = 0}};
        const struct kg_ceilings_watch watch = {answer, &answers};
        struct kg_ceilings ceilings;
        if (!kg_ceilings_measure(&timer, &watch, &arena, &ceilings, &err))
            fail_msg("%s", err.message);
        if (answers.asked < 7 || !ceilings.note ||
            strcmp(ceilings.note, "measured throttled by temperature (driver)") != 0)
            fail_msg("asked %u times, told the %uth: %s", answers.asked, at, ceilings.note);
        assert_share("fma", ceilings.fma_flops_per_s, FMA * 1e9);
    }
}

static void a_device_that_does_not_answer_is_not_doubted(void **state)
{
    struct answers answers = {.dumb = true,
                              .telemetry = {.throttle = KG_NVML_POWER_BRAKE, .other_processes = 3}};
    const struct kg_ceilings_watch watch = {answer, &answers};
    struct kg_ceilings ceilings;
    assert_true(kg_ceilings_measure(&timer, &watch, &arena, &ceilings, &err));
    assert_null(ceilings.note);
}

static void all_but_the_power_limit_and_what_was_asked_for_is_a_disturbance(void **state)
{
    static const struct {
        int64_t throttle;
        int others;
        const char *note;
    } cases[] = {
        {0, 0, NULL},
        {-1, -1, NULL},
        {KG_NVML_IDLE | KG_NVML_APPLICATION_CLOCKS, 0, NULL},
        {KG_NVML_POWER_CAP, 0, NULL},
        {KG_NVML_POWER_CAP | KG_NVML_SYNC_BOOST, 0,
         "measured throttled by sync boost with another GPU"},
        {KG_NVML_POWER_BRAKE, -1, "measured throttled by the power brake"},
        {KG_NVML_THERMAL_HARDWARE, 0, "measured throttled by temperature (hardware)"},
        {-1, 1, "measured beside 1 other process on the GPU"},
        {KG_NVML_SLOWDOWN, 2,
         "measured beside 2 other processes on the GPU, throttled by a hardware slowdown"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kg_nvml_telemetry none = {.throttle = -1, .other_processes = -1},
                                       telemetry = {.throttle = cases[i].throttle,
                                                    .other_processes = cases[i].others};
        struct kg_ceilings_seen seen = {0};
        kg_ceilings_see(&seen, &none);
        kg_ceilings_see(&seen, &telemetry);
        kg_ceilings_see(&seen, &none);
        const char *note = kg_ceilings_seen_words(&seen, &arena);
        if (!note != !cases[i].note || (note && strcmp(note, cases[i].note) != 0))
            fail_msg("%zu: %s", i, note ? note : "nothing");
    }
    kg_arena_free(&arena);
}

/* --- Arithmetic --- */

static void rates_are_of_positive_finite_figures_only(void **state)
{
    static const double not [] = {0, -1, NAN, INFINITY};
    assert_true(kg_ceiling_rate(3000, 2) == 1.5e12);
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        assert_true(isnan(kg_ceiling_rate(not [i], 1)));
        assert_true(isnan(kg_ceiling_rate(1, not [i])));
    }
}

static void buffers_are_large_for_the_cache_and_small_for_the_memory(void **state)
{
    static const size_t MIB = (size_t)1 << 20;
    static const struct {
        size_t l2_mib, free_mib, expected_mib;
    } cases[] = {
        {50, 80000, 1024}, {100, 80000, 1600}, {0, 80000, 1024}, {50, 1601, 400},
        {50, 799, 0},      {50, 800, 200},     {0, 3, 0},        {0, 4, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t bytes =
            kg_ceiling_buffer_bytes(cases[i].l2_mib * MIB, cases[i].free_mib * MIB);
        if (bytes != cases[i].expected_mib * MIB)
            fail_msg("%zu: %zu bytes", i, bytes);
        assert_int_equal(bytes % KG_CEILING_TILE_BYTES, 0);
    }
}

static void the_sum_of_the_words_is_that_of_the_formula(void **state)
{
    uint32_t sum = 0;
    for (uint64_t count = 0; count < 5000; count++) {
        if (kg_ceiling_words_sum(count) != sum)
            fail_msg("of %llu words", (unsigned long long)count);
        sum += kg_ceiling_word(count);
    }
    /* beyond 32 bits: two blocks of 2^32 words sum to twice one block */
    const uint64_t block = UINT64_C(1) << 32;
    assert_int_equal(kg_ceiling_words_sum(2 * block), (uint32_t)(2 * kg_ceiling_words_sum(block)));
    assert_int_equal((uint32_t)(kg_ceiling_words_sum(block) + kg_ceiling_words_sum(3)),
                     kg_ceiling_words_sum(block + 3));
}

/* --- The cache --- */

static const struct kg_ceilings_key key = {"GPU-0a1b-2c", "580.65.06", 1.98e9};
static const struct kg_ceilings some = {.copy_bytes_per_s = 3e12,
                                        .read_bytes_per_s = NAN,
                                        .fma_flops_per_s = 6e13,
                                        .tensor_flops_per_s = 6e14,
                                        .tensor_clock_hz = 1.7e9,
                                        .launch_ns = 1234.5,
                                        .sm_clock_hz = 1.9e9,
                                        .tensor_by = KG_TENSOR_BY_WGMMA,
                                        .measured = "2026-01-31T12:00:00Z"};
static char folder[64], cache[96], file[160];

static void figures_that_no_gpu_has_are_not_good(void **state)
{
    static const double wrong[] = {0, -5, -INFINITY, INFINITY, 1e-3, 1e30};
    const struct kg_ceilings none = KG_CEILINGS_NONE;
    struct kg_ceilings ceilings = some;
    double *const figures[] = {&ceilings.copy_bytes_per_s, &ceilings.read_bytes_per_s,
                               &ceilings.fma_flops_per_s,  &ceilings.tensor_flops_per_s,
                               &ceilings.launch_ns,        &ceilings.sm_clock_hz,
                               &ceilings.tensor_clock_hz};
    assert_true(kg_ceilings_good(&none));
    assert_true(kg_ceilings_good(&some));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            const double right = *figures[i];
            *figures[i] = wrong[j];
            if (kg_ceilings_good(&ceilings))
                fail_msg("figure %zu is taken for good at %g", i, wrong[j]);
            *figures[i] = right;
        }
    assert_true(kg_ceilings_good(&ceilings));
}

/* `some` was measured at noon of 31 January 2026. */
static void ceilings_hold_for_thirty_days_and_not_before_they_were_measured(void **state)
{
    static const int64_t MEASURED_S = 1769860800, DAY_S = 86400;
    static const char *const times[] = {NULL,
                                        "",
                                        "yesterday",
                                        "2026-01-31",
                                        "2026-01-31T12:00:00Zx",
                                        "2026-13-31T12:00:00Z",
                                        "1969-12-31T12:00:00Z"};
    struct kg_ceilings ceilings = some;
    assert_true(kg_ceilings_current(&some, MEASURED_S, NAN));
    assert_true(kg_ceilings_current(&some, MEASURED_S + 30 * DAY_S, NAN));
    assert_false(kg_ceilings_current(&some, MEASURED_S + 30 * DAY_S + 1, NAN));
    assert_true(kg_ceilings_current(&some, MEASURED_S - 60, NAN));
    assert_false(kg_ceilings_current(&some, MEASURED_S - DAY_S - 1, NAN));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ceilings.measured = times[i];
        if (kg_ceilings_current(&ceilings, MEASURED_S, NAN))
            fail_msg("'%s' is taken for a time", times[i] ? times[i] : "nothing");
    }
}

static void ceilings_do_not_hold_for_another_clock(void **state)
{
    static const int64_t MEASURED_S = 1769860800;
    struct kg_ceilings unknown = some;
    unknown.sm_clock_hz = NAN;
    assert_true(kg_ceilings_current(&some, MEASURED_S, 1.9e9));
    assert_true(kg_ceilings_current(&some, MEASURED_S, 1.6e9));
    assert_false(kg_ceilings_current(&some, MEASURED_S, 1.2e9));
    assert_true(kg_ceilings_current(&some, MEASURED_S, 2.3e9));
    assert_false(kg_ceilings_current(&some, MEASURED_S, 2.4e9));
    assert_true(kg_ceilings_current(&unknown, MEASURED_S, 1.2e9));
}

static int folder_make(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/kgate-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(cache, sizeof cache, "%s/deeper/kgate", folder);
    snprintf(file, sizeof file, "%s/ceilings-%s.json", cache, key.uuid);
    return 0;
}

static int folder_remove(void **state)
{
    char command[96];
    kg_arena_free(&arena);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void what_was_stored_is_found_again_and_follows_its_schema(void **state)
{
    struct kg_ceilings found;
    char command[512];
    assert_false(kg_ceilings_cached(cache, &key, &arena, &found));
    assert_true(kg_ceilings_store(cache, &key, &some, &err));
    assert_true(kg_ceilings_cached(cache, &key, &arena, &found));
    assert_true(found.copy_bytes_per_s == 3e12 && isnan(found.read_bytes_per_s));
    assert_true(found.launch_ns == 1234.5 && found.sm_clock_hz == 1.9e9);
    assert_string_equal(found.uuid, key.uuid);
    assert_string_equal(found.measured, some.measured);
    assert_string_equal(found.tensor_by, "wgmma");
    snprintf(command, sizeof command,
             "/usr/bin/python3 -W ignore -m jsonschema -i '%s' "
             "'" KGATE_SOURCE_DIR "/docs/schema/ceilings.v1.schema.json'",
             file);
    assert_int_equal(system(command), 0);
}

static void another_gpu_driver_or_clock_is_measured_anew(void **state)
{
    struct kg_ceilings found;
    struct kg_ceilings_key other[4] = {key, key, key, key};
    other[0].uuid = "GPU-0a1b-2d";
    other[1].driver = "580.65.07";
    other[2].clock_limit_hz = 1.2e9;
    other[3].clock_limit_hz = NAN;
    assert_true(kg_ceilings_store(cache, &key, &some, &err));
    for (size_t i = 0; i < 4; i++)
        if (kg_ceilings_cached(cache, &other[i], &arena, &found))
            fail_msg("key %zu is taken for the other", i);
    /* a limit that is known on neither side is the same */
    assert_true(kg_ceilings_store(cache, &other[3], &some, &err));
    assert_true(kg_ceilings_cached(cache, &other[3], &arena, &found));
    assert_false(kg_ceilings_cached(cache, &key, &arena, &found));
}

/* Replacements in the file's text, as sed scripts. */
static void what_cannot_be_read_or_makes_no_sense_is_measured_anew(void **state)
{
    static const char *const scripts[] = {
        "s/ceilings.v1/ceilings.v2/",
        "s/1234.5/-1234.5/",
        "s/1234.5/0/",
        "s/1234.5/\"x\"/",
        "s/\"code\": \"./\"code\": \"x/",
        "s/}//",
        "s/.*//",
        "1d",
        "s/GPU-0a1b-2c/GPU-ffff/",
        "s/1234.5/1e999/",
        "s/\"driver\".*//",
    };
    struct kg_ceilings found;
    char command[320];
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        assert_true(kg_ceilings_store(cache, &key, &some, &err));
        assert_true(kg_ceilings_cached(cache, &key, &arena, &found));
        snprintf(command, sizeof command, "sed -i '%s' '%s'", scripts[i], file);
        assert_int_equal(system(command), 0);
        if (kg_ceilings_cached(cache, &key, &arena, &found))
            fail_msg("after %s it is believed", scripts[i]);
    }
    const struct kg_ceilings none = KG_CEILINGS_NONE;
    assert_true(kg_ceilings_store(cache, &key, &none, &err));
    assert_false(kg_ceilings_cached(cache, &key, &arena, &found));
}

static void a_folder_that_cannot_be_written_is_an_error_with_its_name(void **state)
{
    struct kg_ceilings_key nameless = key;
    char below[200];
    assert_true(kg_ceilings_store(cache, &key, &some, &err));
    snprintf(below, sizeof below, "%s/below", file); /* a file is no folder, for root neither */
    assert_false(kg_ceilings_store(below, &key, &some, &err));
    assert_non_null(strstr(err.message, folder));
    static const char *const uuids[] = {NULL, "", "../../up", "GPU 1", "GPU/1"};
    for (size_t i = 0; i < sizeof uuids / sizeof *uuids; i++) {
        struct kg_ceilings found;
        nameless.uuid = uuids[i];
        assert_false(kg_ceilings_store(cache, &nameless, &some, &err));
        assert_false(kg_ceilings_cached(cache, &nameless, &arena, &found));
    }
}

static void the_folder_is_the_one_of_the_xdg_specification(void **state)
{
    setenv("HOME", "/home/me", 1);
    setenv("XDG_CACHE_HOME", "/var/cache/me", 1);
    assert_string_equal(kg_ceilings_directory(&arena), "/var/cache/me/kgate");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_string_equal(kg_ceilings_directory(&arena), "/home/me/.cache/kgate");
    unsetenv("XDG_CACHE_HOME");
    assert_string_equal(kg_ceilings_directory(&arena), "/home/me/.cache/kgate");
    setenv("HOME", "", 1);
    assert_null(kg_ceilings_directory(&arena));
    unsetenv("HOME");
    assert_null(kg_ceilings_directory(&arena));
}

#define MEASURED(test) cmocka_unit_test_setup_teardown(test, open_timer, close_timer)
#define CACHED(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

static void operands_are_of_all_mantissas_and_both_signs(void **state)
{
    enum { WORDS = 4096 };
    bool seen[256] = {false};
    uint32_t negative = 0;
    size_t different = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t word = kg_ceiling_operands(i);
        for (int half = 0; half < 2; half++) {
            const uint32_t bits = half ? word >> 16 : word & 0xffff;
            assert_int_equal(bits & 0x7f00, 0x3f00); /* 0.5 to 2 */
            negative += bits >> 15;
            seen[bits & 0xff] = true;
        }
    }
    for (int i = 0; i < 256; i++)
        different += seen[i];
    assert_int_equal(different, 256);
    assert_true(abs((int)negative - WORDS) < 400); /* nine standard deviations */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_of_all_mantissas_and_both_signs),
        MEASURED(ceilings_come_of_the_best_times_and_the_faster_copy),
        MEASURED(what_is_computed_wrongly_is_not_believed_and_the_rest_is),
        MEASURED(without_wgmma_the_figure_is_that_of_mma_sync),
        MEASURED(where_wgmma_is_wrong_that_is_noted_beside_what_else_there_is),
        MEASURED(the_faster_instruction_counts),
        MEASURED(no_tensor_cores_that_are_right_are_no_figure),
        MEASURED(too_little_free_memory_leaves_the_arithmetic),
        MEASURED(a_driver_that_refuses_anything_leaves_nothing_behind),
        MEASURED(what_disturbs_any_part_is_noted_and_the_figures_are_there),
        MEASURED(a_device_that_does_not_answer_is_not_doubted),
        cmocka_unit_test(all_but_the_power_limit_and_what_was_asked_for_is_a_disturbance),
        cmocka_unit_test(figures_that_no_gpu_has_are_not_good),
        cmocka_unit_test(ceilings_hold_for_thirty_days_and_not_before_they_were_measured),
        cmocka_unit_test(ceilings_do_not_hold_for_another_clock),
        cmocka_unit_test(rates_are_of_positive_finite_figures_only),
        cmocka_unit_test(buffers_are_large_for_the_cache_and_small_for_the_memory),
        cmocka_unit_test(the_sum_of_the_words_is_that_of_the_formula),
        CACHED(what_was_stored_is_found_again_and_follows_its_schema),
        CACHED(another_gpu_driver_or_clock_is_measured_anew),
        CACHED(what_cannot_be_read_or_makes_no_sense_is_measured_anew),
        CACHED(a_folder_that_cannot_be_written_is_an_error_with_its_name),
        CACHED(the_folder_is_the_one_of_the_xdg_specification),
    };
    fake_open();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
