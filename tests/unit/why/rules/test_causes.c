/* Causes of a case's time: each from sufficient evidence, and from no less. */
#include "why/rules/causes.h"

#include <math.h>
#include <string.h>

#include "why/evidence/known_functions.h"
#include "why/facts_support.h"
#include "why/rules/rules.h"

enum { STACKS = 4, LINES = 4 };

/* A case of a millisecond at 3 GHz, with evidence that a test adds. */
struct scene {
    struct kg_facts facts;
    struct kg_hot hot;
    struct kg_place frames[STACKS][2];
    struct kg_hot_stack stacks[STACKS];
    struct kg_counted_line lines[LINES];
    struct kg_counted_edge edges[2];
    struct kg_system_call calls[1];
    struct kg_hot_loop loops[1];
    struct kg_experiment experiments[1];
    struct kg_suggest_settings settings;
    struct kg_causes causes;
};

static void scene_start(struct scene *scene)
{
    *scene = (struct scene){0};
    kg_facts_clear(&scene->facts);
    kg_hot_clear(&scene->hot);
    kg_suggest_settings_complete(&scene->settings);
    scene->facts.device = "cpu";
    scene->facts.operation = scene->facts.whole = "case/cpu";
    scene->facts.hot = &scene->hot;
    scene->facts.clock_hz = 3e9;
    scene->facts.traits.time_ns = 1e6;
    scene->facts.traits.threads = 1;
    scene->facts.traits.cores_busy = 1;
    scene->hot.sampled.source = "ptrace";
    scene->hot.sampled.stacks = scene->stacks;
    scene->hot.system_calls.kinds = scene->calls;
    scene->hot.counted.lines = scene->lines;
    scene->hot.counted.edges = scene->edges;
    scene->hot.loops = scene->loops;
    scene->hot.experiments = scene->experiments;
}

/* A share of the samples in a function, called from the workload's `work`. */
static void stack_add(struct scene *scene, double share, const char *function, const char *module,
                      const char *call)
{
    const size_t i = scene->hot.sampled.stack_count++;
    scene->frames[i][0] = (struct kg_place){.function = function, .module = module};
    scene->frames[i][1] = (struct kg_place){
        .function = "work", .file = "/src/work.c", .line = 12, .module = "own.so"};
    scene->stacks[i] = (struct kg_hot_stack){
        .frames = scene->frames[i], .frame_count = 2, .share = share, .call = call};
}

static void own_add(struct scene *scene, double share)
{
    stack_add(scene, share, "inner", "own.so", NULL);
}

static struct kg_hot_loop *loop_add(struct scene *scene, double share)
{
    own_add(scene, share);
    scene->hot.loop_count = 1;
    scene->loops[0] = (struct kg_hot_loop){.place = {.function = "inner", .module = "own.so"},
                                           .share = share,
                                           .instructions = 8,
                                           .loads = 2,
                                           .chain_cycles = 1,
                                           .throughput_cycles = 2};
    return &scene->loops[0];
}

static struct kg_counted_line *line_add(struct scene *scene)
{
    struct kg_counted_line *line = &scene->lines[scene->hot.counted.line_count++];
    line->place = (struct kg_place){.function = "inner", .module = "own.so", .line = 7};
    return line;
}

static enum kg_cause_kind first_of(struct scene *scene)
{
    kg_causes_weigh(&scene->facts, &scene->settings, &scene->causes);
    return scene->causes.count ? scene->causes.of[0].kind : KG_CAUSE_NONE;
}

#define ASSERT_CAUSE(scene, name) assert_string_equal(kg_cause_name(first_of(scene)), name)

static void known_functions_speak_for_their_cause(void **state)
{
    static const struct {
        const char *function, *module, *cause;
    } known[] = {
        {"_int_malloc", "libc.so.6", "allocation"},
        {"__memmove_avx_unaligned_erms", "libc.so.6", "copying"},
        {"__vfprintf_internal", "libc.so.6", "formatting"},
        {"____strtod_l_internal", "libc.so.6", "formatting"},
        {"__strlen_evex", "libc.so.6", "string_scanning"},
        {"__cxa_throw", "libstdc++.so.6", "exceptions"},
        {"_Unwind_RaiseException", "libgcc_s.so.1", "exceptions"},
        {"_dl_find_object", "ld-linux-x86-64.so.2", "exceptions"},
        {"regcomp", "libc.so.6", "repeated_work"},
        {"__cos_fma", "libm.so.6", "math_library"},
        {"pthread_mutex_lock@@GLIBC_2.2.5", "libc.so.6", "locks"},
        {"gomp_team_barrier_wait_end", "libgomp.so.1.0.0", "barriers"},
        {"qsort", "libc.so.6", "call_overhead"},
        {"do_lookup_x", "ld-linux-x86-64.so.2", "linking"},
        {"strcmp", "ld-linux-x86-64.so.2", "linking"},
        {"__tls_get_addr", "ld-linux-x86-64.so.2", "call_overhead"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct scene scene;
        scene_start(&scene);
        stack_add(&scene, 0.6, known[i].function, known[i].module, NULL);
        ASSERT_CAUSE(&scene, known[i].cause);
        assert_string_equal(scene.causes.of[0].caller->function, "work");
        /* the same name in the workload's own code says nothing */
        scene_start(&scene);
        stack_add(&scene, 0.6, known[i].function, "own.so", NULL);
        ASSERT_CAUSE(&scene, "none");
    }
}

/* The linker's work at the start of any program is not a cost of libraries. */
static void linking_is_what_libraries_cost(void **state)
{
    static const char *const others[] = {"init_cpu_features.constprop.0", "__tunables_init"};
    struct scene scene;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        scene_start(&scene);
        stack_add(&scene, 0.6, others[i], "ld-linux-x86-64.so.2", NULL);
        ASSERT_CAUSE(&scene, "none");
    }
    scene_start(&scene);
    stack_add(&scene, 0.6, "open_nocancel", "ld-linux-x86-64.so.2", "openat");
    ASSERT_CAUSE(&scene, "linking");
    scene_start(&scene);
    stack_add(&scene, 0.6, NULL, "ld-linux-x86-64.so.2", "execve");
    ASSERT_CAUSE(&scene, "processes");
}

/* A thread with short calls is nearly always stopped in a call. So the kernel's account of CPU time
 * counts, and instructions explain the rest. */
static void samples_in_calls_count_as_much_as_the_kernel_took(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 1, "read", "libc.so.6", "read");
    scene.hot.system_calls.source = "ptrace";
    scene.hot.system_calls.user_ns = 0.8e6;
    scene.hot.system_calls.system_ns = 0.2e6;
    scene.hot.system_calls.kind_count = 1;
    scene.calls[0] =
        (struct kg_system_call){.name = "read", .calls = 100, .bytes = 1600, .time_ns = 0.2e6};
    struct kg_counted_line *line = line_add(&scene);
    line->place = (struct kg_place){.function = "_int_malloc", .module = "libc.so.6"};
    line->instructions = 500;
    scene.hot.counted.instructions = 1000;
    ASSERT_CAUSE(&scene, "allocation");
    assert_float_equal(scene.causes.of[0].share, 0.4, 1e-9);
    assert_string_equal(kg_cause_name(scene.causes.of[1].kind), "small_io");
    assert_float_equal(scene.causes.of[1].share, 0.2, 1e-9);
    /* calls that are known to take the time do */
    scene.calls[0].time_ns = 0.9e6;
    ASSERT_CAUSE(&scene, "small_io");
    assert_float_equal(scene.causes.of[0].share, 0.9, 1e-9);
}

static void who_calls_is_looked_for_where_there_is_source(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.9, "sqlite3_step", "libsqlite3.so.0", "fsync");
    ASSERT_CAUSE(&scene, "sync_io");
    assert_string_equal(scene.causes.of[0].caller->function, "work");
    scene.frames[0][1].file = NULL;
    ASSERT_CAUSE(&scene, "sync_io");
    assert_string_equal(scene.causes.of[0].caller->function, "sqlite3_step");
}

static void memory_that_is_given_back_is_measured_by_keeping_it(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.5, "memset", "libc.so.6", NULL);
    stack_add(&scene, 0.3, "brk", "libc.so.6", "brk");
    scene.hot.experiment_count = 1;
    scene.experiments[0] = (struct kg_experiment){
        .name = "kept_memory", .ratio = 0.1, .ratio_low = 0.09, .ratio_high = 0.11};
    ASSERT_CAUSE(&scene, "page_faults");
    assert_true(scene.causes.of[0].measured);
    assert_float_equal(scene.causes.of[0].share, 0.9, 1e-9);
    /* kgate knows more already than the experiment saves */
    scene.experiments[0] = (struct kg_experiment){
        .name = "kept_memory", .ratio = 0.85, .ratio_low = 0.8, .ratio_high = 0.9};
    ASSERT_CAUSE(&scene, "copying");
    assert_float_equal(scene.causes.of[1].share, 0.3, 1e-9);
}

static void a_twentieth_is_no_cause(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.05, "_int_malloc", "libc.so.6", NULL);
    ASSERT_CAUSE(&scene, "none");
    assert_true(fabs(scene.causes.unexplained - 1) < 1e-12);
}

static void system_calls_speak_for_theirs(void **state)
{
    static const struct {
        const char *call, *cause;
    } known[] = {{"fsync", "sync_io"}, {"clone3", "processes"},   {"nanosleep", "waiting"},
                 {"futex", "locks"},   {"munmap", "page_faults"}, {"read", "small_io"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct scene scene;
        scene_start(&scene);
        stack_add(&scene, 0.6, "syscall", "libc.so.6", known[i].call);
        ASSERT_CAUSE(&scene, known[i].cause);
    }
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.6, "read", "libc.so.6", "read");
    scene.hot.system_calls.kind_count = 1;
    scene.calls[0] = (struct kg_system_call){.name = "read", .calls = 2, .bytes = 2e6};
    ASSERT_CAUSE(&scene, "none"); /* large blocks */
}

static void many_comparisons_in_a_call_are_a_search(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.6, "__strcmp_avx2", "libc.so.6", NULL);
    scene.hot.counted.edge_count = 2;
    scene.edges[0] = (struct kg_counted_edge){
        .caller = "run", .callee = "work", .calls = 10, .instructions = 1e4};
    scene.edges[1] = (struct kg_counted_edge){
        .caller = "work", .callee = "__strcmp_avx2", .calls = 70, .instructions = 1e4};
    ASSERT_CAUSE(&scene, "string_scanning");
    scene.edges[1].calls = 90;
    ASSERT_CAUSE(&scene, "linear_search");
    /* also if the compiler has specialised the searching function */
    scene.edges[0].callee = scene.edges[1].caller = "work.isra.0";
    ASSERT_CAUSE(&scene, "linear_search");
    scene.edges[0].callee = scene.edges[1].caller = "worker";
    ASSERT_CAUSE(&scene, "string_scanning");
}

static void many_short_looks_through_a_text_prove_nothing(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.8, "__memchr_avx2", "libc.so.6", NULL);
    scene.hot.counted.edge_count = 1;
    scene.edges[0] = (struct kg_counted_edge){
        .caller = "work", .callee = "__memchr_avx2", .calls = 6000, .instructions = 6000 * 20};
    ASSERT_CAUSE(&scene, "string_scanning");
    assert_false(scene.causes.of[0].proven);
    scene.edges[0].instructions = 6000 * 400; /* each a long way */
    ASSERT_CAUSE(&scene, "string_scanning");
    assert_true(scene.causes.of[0].proven);
}

static void what_is_called_often_is_so_by_whatever_name_it_was_seen(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.4, "__pthread_mutex_unlock_usercnt", "libc.so.6", NULL);
    scene.hot.counted.edge_count = 1;
    scene.edges[0] = (struct kg_counted_edge){.caller = "work",
                                              .callee = "pthread_mutex_unlock@@GLIBC_2.2.5",
                                              .calls = 4000,
                                              .instructions = 1e5};
    ASSERT_CAUSE(&scene, "locks");
    assert_true(scene.causes.of[0].proven);
    /* nor does it matter that the most samples wait in the kernel */
    stack_add(&scene, 0.5, "__lll_lock_wait", "libc.so.6", "futex");
    scene.hot.system_calls.kind_count = 1;
    scene.calls[0] = (struct kg_system_call){.name = "futex", .calls = 3.9};
    ASSERT_CAUSE(&scene, "locks");
    assert_true(scene.causes.of[0].proven);
}

static void who_waits_to_read_from_programs_waits_for_these(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.5, "read", "libc.so.6", "read");
    scene.stacks[0].waiting = true;
    stack_add(&scene, 0.2, "_Fork", "libc.so.6", "clone");
    struct kg_system_call calls[] = {{.name = "read", .calls = 120, .bytes = 1e3},
                                     {.name = "clone", .calls = 60},
                                     {.name = "execve", .calls = 60}};
    scene.hot.system_calls.kinds = calls;
    scene.hot.system_calls.kind_count = 3;
    ASSERT_CAUSE(&scene, "processes");
    assert_float_equal(scene.causes.of[0].share, 0.7, 1e-9);
    calls[2].calls = 1; /* the program itself */
    ASSERT_CAUSE(&scene, "waiting");
}

static void loops_speak_for_what_they_are_made_of(void **state)
{
    struct scene scene;
    scene_start(&scene);
    loop_add(&scene, 0.8)->divisions = 1;
    ASSERT_CAUSE(&scene, "division");
    scene_start(&scene);
    loop_add(&scene, 0.8)->locked = 1;
    ASSERT_CAUSE(&scene, "atomics");
    scene_start(&scene);
    loop_add(&scene, 0.8)->forwarded = 1;
    ASSERT_CAUSE(&scene, "store_forwarding");
    scene_start(&scene);
    struct kg_hot_loop *loop = loop_add(&scene, 0.8);
    loop->conversions = 1;
    loop->scalar_floats = 2;
    ASSERT_CAUSE(&scene, "conversion");
    scene_start(&scene);
    loop_add(&scene, 0.8)->scalar_floats = 2;
    ASSERT_CAUSE(&scene, "scalar_loop");
    scene_start(&scene);
    loop = loop_add(&scene, 0.8);
    loop->chained = 1;
    loop->chain_cycles = 12;
    ASSERT_CAUSE(&scene, "dependency_chain");
    loop->chain_cycles = 3; /* hidden behind the other instructions */
    ASSERT_CAUSE(&scene, "none");
    scene_start(&scene);
    loop_add(&scene, 0.8)->calls = 1;
    ASSERT_CAUSE(&scene, "call_overhead");
    scene_start(&scene);
    loop_add(&scene, 0.8)->vector_floats = 4;
    ASSERT_CAUSE(&scene, "none");
}

/* A loop of ten thousand turns in a call, each of 300 cycles: its instructions explain three. */
static struct kg_hot_loop *stalled_add(struct scene *scene, struct kg_counted_line **line)
{
    scene_start(scene);
    struct kg_hot_loop *loop = loop_add(scene, 1);
    scene->hot.counted.calls = 1;
    *line = line_add(scene);
    (*line)->instructions = 10e3 * loop->instructions;
    return loop;
}

static void a_loop_that_stalls_names_the_counts_in_it(void **state)
{
    struct scene scene;
    struct kg_counted_line *line;
    stalled_add(&scene, &line);
    ASSERT_CAUSE(&scene, "none");
    line->mispredicted = 100e3;
    ASSERT_CAUSE(&scene, "branch_misses");
    assert_string_equal(scene.causes.of[0].seen->function, "inner");
    /* other programs had its CPU: its CPU time is 1 %, and its instructions explain this */
    scene.facts.traits.cores_busy = 0.01;
    scene.facts.traits.waits = 0;
    scene.facts.traits.cpu_ns = 1e4;
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.cpu_ns = 1e6; /* in calls outside the timed ones */
    ASSERT_CAUSE(&scene, "branch_misses");
    stalled_add(&scene, &line);
    line->line_misses = 5e3;
    ASSERT_CAUSE(&scene, "cache_misses");
    scene.facts.traits.bandwidth_share = 0.8;
    ASSERT_CAUSE(&scene, "memory_traffic");
    stalled_add(&scene, &line)->address_loads = 1;
    line->line_misses = 5e3;
    ASSERT_CAUSE(&scene, "pointer_chasing");
    stalled_add(&scene, &line)->loads = 1; /* goes on by itself, to another line in each turn */
    line->line_misses = 10e3;
    ASSERT_CAUSE(&scene, "access_pattern");
    stalled_add(&scene, &line)->stores = 1;
    ASSERT_CAUSE(&scene, "store_forwarding");
    scene.facts.traits.cores_busy = 2;
    ASSERT_CAUSE(&scene, "false_sharing");
}

/* Callgrind's predictor is simple, and its caches start empty. So the processor's own counts of the
 * same calls take precedence. */
static void the_processors_counters_count_instead_of_what_is_simulated(void **state)
{
    struct scene scene;
    struct kg_counted_line *line;
    stalled_add(&scene, &line);
    scene.hot.counted.instructions = line->instructions;
    scene.hot.counted.mispredicted = line->mispredicted = 100e3;
    ASSERT_CAUSE(&scene, "branch_misses");
    scene.hot.core = (struct kg_core_counts){.source = "perf",
                                             .instructions = line->instructions,
                                             .mispredicted = 100,
                                             .cache_misses = 10e3,
                                             .bad_speculation = NAN,
                                             .memory_bound = NAN};
    ASSERT_CAUSE(&scene, "cache_misses"); /* each turn waits for memory, and guesses right */
    scene.hot.core.mispredicted = 100e3;
    scene.hot.core.cache_misses = 0;
    ASSERT_CAUSE(&scene, "branch_misses");
    scene.hot.core.bad_speculation = 0.05; /* the pipeline slots give the cost */
    scene.hot.core.memory_bound = 0.7;
    ASSERT_CAUSE(&scene, "cache_misses");
    scene.hot.core.bad_speculation = 0.6;
    scene.hot.core.memory_bound = 0.1;
    ASSERT_CAUSE(&scene, "branch_misses");
    /* without Callgrind they count, too: the share of the workload's own code, by time */
    scene.hot.counted.line_count = 0;
    scene.hot.counted.instructions = scene.hot.counted.mispredicted = scene.hot.counted.calls = NAN;
    scene.hot.core.bad_speculation = scene.hot.core.memory_bound = NAN;
    ASSERT_CAUSE(&scene, "branch_misses");
    scene.hot.core.instructions = NAN;
    ASSERT_CAUSE(&scene, "none");
}

/* For example insertion: 4 instructions per iteration, and no stalls. */
static void a_loop_over_all_pairs_is_quadratic_at_most(void **state)
{
    struct scene scene;
    scene_start(&scene);
    struct kg_hot_loop *loop = loop_add(&scene, 1);
    struct kg_counted_line *line = line_add(&scene);
    loop->instructions = 4;
    loop->stores = loop->branches = 1;
    scene.hot.counted.calls = 1;
    scene.facts.traits.items = 1000;
    line->instructions = scene.hot.counted.instructions = 1e6; /* 250000 turns in 3e6 cycles */
    scene.loops[0].chain_cycles = 12;
    ASSERT_CAUSE(&scene, "quadratic_loop");
    assert_false(scene.causes.of[0].proven);
    scene.facts.traits.items = 10000; /* 25 turns for each */
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.items = NAN; /* unknown number */
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.bytes = 4000;
    ASSERT_CAUSE(&scene, "quadratic_loop");
    scene.hot.counted.calls = NAN; /* a part of a call */
    ASSERT_CAUSE(&scene, "none");
}

static void fresh_pages_take_their_share_from_what_was_seen(void **state)
{
    struct scene scene;
    struct kg_counted_line *line;
    stalled_add(&scene, &line);
    line->line_misses = 5e3;
    scene.facts.page_fault_ns = 500;
    scene.facts.traits.page_faults = 1600;
    ASSERT_CAUSE(&scene, "page_faults");
    assert_true(scene.causes.of[1].share < 0.3);
}

static void few_regions_that_end_apart_are_uneven(void **state)
{
    struct scene scene;
    scene_start(&scene);
    scene.facts.traits.threads = scene.facts.traits.cores_busy = 2;
    stack_add(&scene, 0.4, NULL, "libgomp.so.1.0.0", NULL);
    ASSERT_CAUSE(&scene, "barriers");
    scene.hot.counted.edge_count = 1;
    scene.edges[0] = (struct kg_counted_edge){
        .caller = "work", .callee = "GOMP_parallel", .calls = 2, .instructions = 1e4};
    ASSERT_CAUSE(&scene, "load_imbalance");
    scene.facts.traits.threads = scene.facts.traits.cores_busy = 1;
    ASSERT_CAUSE(&scene, "barriers"); /* one thread has no other to wait for */
    scene.facts.traits.threads = scene.facts.traits.cores_busy = 2;
    scene.edges[0].calls = 100;
    ASSERT_CAUSE(&scene, "barriers");
}

static void who_sleeps_makes_others_wait(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.5, "sem_wait", "libc.so.6", "futex");
    ASSERT_CAUSE(&scene, "locks");
    stack_add(&scene, 0.3, "clock_nanosleep", "libc.so.6", "clock_nanosleep");
    ASSERT_CAUSE(&scene, "waiting");
    assert_true(fabs(scene.causes.of[0].share - 0.8) < 1e-9);
}

/* A function with most of the time, whose calls are counted and were observed. */
struct repeats {
    struct kg_hot_place functions[2];
    struct kg_repeated repeated[2];
};

static void repeats_add(struct scene *scene, struct repeats *repeats)
{
    scene_start(scene);
    own_add(scene, 0.9);
    *repeats = (struct repeats){
        .functions = {{.place = {.function = "inner", .module = "own.so"}, .total = 0.9},
                      {.place = {.function = "deeper", .module = "own.so"}, .total = 0.8}},
        .repeated = {
            {.place = {.function = "inner", .module = "own.so"}, .calls = 100, .repeated = 99}}};
    scene->hot.sampled.functions = repeats->functions;
    scene->hot.sampled.function_count = 1;
    scene->hot.repeats.functions = repeats->repeated;
    scene->hot.repeats.function_count = 1;
    scene->hot.counted.edge_count = 1;
    scene->edges[0] = (struct kg_counted_edge){
        .caller = "work", .callee = "inner", .calls = 100, .instructions = 1e6};
}

static void a_function_with_equal_arguments_repeats_its_work(void **state)
{
    struct scene scene;
    struct repeats repeats;
    repeats_add(&scene, &repeats);
    ASSERT_CAUSE(&scene, "repeated_work");
    assert_ptr_equal(scene.causes.of[0].repeated, &repeats.repeated[0]);
    assert_true(fabs(scene.causes.of[0].saves_most - 0.9 * 0.99) < 1e-9);
    assert_false(scene.causes.of[0].proven);
    /* it does no more work than the workload states per call */
    scene.hot.counted.calls = 1;
    scene.hot.counted.instructions = 1e6;
    scene.facts.traits.flops = 2e6;
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.flops = 0.5e6;
    ASSERT_CAUSE(&scene, "repeated_work");
    scene.facts.traits.bytes = 8e6;
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.bytes = NAN;
    scene.edges[0].calls = 2;
    ASSERT_CAUSE(&scene, "none");
}

static void calls_without_equal_arguments_are_no_evidence(void **state)
{
    struct scene scene;
    struct repeats repeats;
    repeats_add(&scene, &repeats);
    repeats.repeated[0].repeated = 50;
    ASSERT_CAUSE(&scene, "repeated_work");
    assert_true(fabs(scene.causes.of[0].saves_most - 0.9 * 0.5) < 1e-9);
    repeats.repeated[0].repeated = 49; /* less than a half */
    ASSERT_CAUSE(&scene, "none");
    repeats.repeated[0].calls = 7; /* too few */
    repeats.repeated[0].repeated = 6;
    ASSERT_CAUSE(&scene, "none");
    repeats.repeated[0].calls = repeats.repeated[0].repeated = NAN;
    ASSERT_CAUSE(&scene, "none");
    scene.hot.repeats.function_count = 0;
    ASSERT_CAUSE(&scene, "none");
}

static void the_function_with_the_most_repeated_work_is_named(void **state)
{
    struct scene scene;
    struct repeats repeats;
    repeats_add(&scene, &repeats);
    scene.hot.sampled.function_count = scene.hot.counted.edge_count = 2;
    scene.hot.repeats.function_count = 2;
    scene.edges[1] = (struct kg_counted_edge){
        .caller = "inner", .callee = "deeper", .calls = 100, .instructions = 0.9e6};
    repeats.repeated[0].repeated = 60;
    repeats.repeated[1] = (struct kg_repeated){
        .place = {.function = "deeper", .module = "own.so"}, .calls = 100, .repeated = 99};
    ASSERT_CAUSE(&scene, "repeated_work");
    assert_string_equal(scene.causes.of[0].seen->function, "deeper");
}

static void an_experiment_is_measured(void **state)
{
    struct scene scene;
    scene_start(&scene);
    loop_add(&scene, 0.9)->scalar_floats = 2;
    scene.hot.experiment_count = 1;
    scene.experiments[0] = (struct kg_experiment){
        .name = "flush_denormals", .ratio = 0.2, .ratio_low = 0.18, .ratio_high = 0.22};
    ASSERT_CAUSE(&scene, "denormals");
    assert_true(scene.causes.of[0].measured);
    assert_true(fabs(scene.causes.of[0].share - (0.8)) < 1e-9);
    scene.experiments[0].ratio_high = 1.1; /* not sure */
    ASSERT_CAUSE(&scene, "scalar_loop");
    scene.experiments[0] = (struct kg_experiment){
        .name = "huge_pages", .ratio = 0.5, .ratio_low = 0.4, .ratio_high = 0.6};
    ASSERT_CAUSE(&scene, "page_walks");
}

static void one_thread_that_is_faster_notes_it(void **state)
{
    struct scene scene;
    scene_start(&scene);
    own_add(&scene, 0.9);
    scene.facts.traits.threads = scene.facts.traits.cores_busy = 2;
    scene.facts.traits.alone_ns = 0.4e6;
    ASSERT_CAUSE(&scene, "oversubscription");
    stack_add(&scene, 0.3, "pthread_mutex_lock", "libc.so.6", NULL);
    ASSERT_CAUSE(&scene, "locks"); /* the threads' quarrel has a name */
    assert_true(fabs(scene.causes.of[0].share - (0.6)) < 1e-9);
    scene.facts.traits.alone_ns = 2e6;
    ASSERT_CAUSE(&scene, "locks");
    assert_false(scene.causes.of[0].measured);
}

/* --- Samples that are not believed --- */

static void what_only_looks_like_it_must_take_a_quarter(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.2, "_int_malloc", "libc.so.6", NULL);
    ASSERT_CAUSE(&scene, "none");
    scene.hot.counted.edge_count = 1; /* counted: over and over */
    scene.edges[0] = (struct kg_counted_edge){
        .caller = "work", .callee = "_int_malloc", .calls = 100, .instructions = 1e4};
    ASSERT_CAUSE(&scene, "allocation");
}

static void one_or_two_requests_are_not_many(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.4, "lseek", "libc.so.6", "lseek");
    scene.hot.system_calls.source = "ptrace";
    scene.hot.system_calls.kind_count = 1;
    scene.calls[0] = (struct kg_system_call){.name = "lseek", .calls = 1, .bytes = NAN};
    ASSERT_CAUSE(&scene, "none");
    scene.calls[0].calls = 50;
    ASSERT_CAUSE(&scene, "small_io");
}

/* Huge pages help code that uses much memory. Sequential code lacks bandwidth instead. */
static void pages_are_no_cause_of_what_goes_on_line_by_line(void **state)
{
    struct scene scene;
    struct kg_counted_line *line;
    stalled_add(&scene, &line);
    scene.hot.experiment_count = 1;
    scene.experiments[0] = (struct kg_experiment){
        .name = "huge_pages", .ratio = 0.5, .ratio_low = 0.4, .ratio_high = 0.6};
    scene.hot.counted.loads = 100e3;
    scene.hot.counted.line_misses = 80e3;
    ASSERT_CAUSE(&scene, "page_walks");
    assert_true(scene.causes.of[0].measured);
    scene.hot.counted.line_misses = line->line_misses = 12e3;
    line->memory_misses = 11e3;
    scene.loops[0].vectors = 2;
    scene.facts.memory_ceiling_bytes_per_s = 2e9;
    ASSERT_CAUSE(&scene, "memory_traffic");
    for (size_t i = 0; i < scene.causes.count; i++)
        assert_false(scene.causes.of[i].measured);
}

/* --- Threads --- */

static void threads_add(struct scene *scene, double alone_ns)
{
    scene_start(scene);
    scene->facts.traits.threads = scene->facts.traits.cores_busy = 2;
    scene->facts.traits.alone_ns = alone_ns;
    scene->hot.sampled.samples = 500;
}

static void the_first_thread_that_works_on_alone_has_too_much(void **state)
{
    struct scene scene;
    threads_add(&scene, 1.1e6);
    stack_add(&scene, 0.9, "hash._omp_fn.0", "own.so", NULL); /* called from work */
    stack_add(&scene, 0.1, "hash._omp_fn.0", "own.so", NULL);
    scene.stacks[1].frame_count = 1; /* a pool's thread */
    ASSERT_CAUSE(&scene, "load_imbalance");
    assert_string_equal(scene.causes.of[0].seen->function, "hash._omp_fn.0");
    assert_true(fabs(scene.causes.of[0].share - 0.4) < 1e-9);
    assert_true(kg_pool_share(&scene.hot) < 0.2);
    scene.stacks[0].share = scene.stacks[1].share = 0.5;
    ASSERT_CAUSE(&scene, "none");
    assert_true(fabs(kg_pool_share(&scene.hot) - 0.5) < 1e-9);
}

static void threads_that_gain_all_that_they_can_do_not_wait(void **state)
{
    struct scene scene;
    threads_add(&scene, 1.9e6);
    stack_add(&scene, 0.5, NULL, "libgomp.so.1.0.0", NULL);
    ASSERT_CAUSE(&scene, "none");
    scene.facts.traits.alone_ns = 1.2e6;
    ASSERT_CAUSE(&scene, "barriers");
    assert_true(fabs(scene.causes.of[0].share - 0.4) < 1e-9);
}

static void an_uneven_share_never_takes_longer_than_one_thread(void **state)
{
    struct scene scene;
    threads_add(&scene, 0.5e6);
    loop_add(&scene, 0.4)->stores = 1;
    stack_add(&scene, 0.6, NULL, "libgomp.so.1.0.0", NULL);
    scene.hot.counted.edge_count = 1;
    scene.edges[0] = (struct kg_counted_edge){
        .caller = "work", .callee = "GOMP_parallel", .calls = 1, .instructions = 1e4};
    ASSERT_CAUSE(&scene, "false_sharing");
    assert_int_equal(scene.causes.count, 1);
    scene.facts.traits.alone_ns = 1e6;
    ASSERT_CAUSE(&scene, "load_imbalance");
}

/* --- Savings --- */

/* NaN if there is no estimate. */
static double saved_of(struct scene *scene, const char *name)
{
    struct kg_judged judged;
    kg_causes_weigh(&scene->facts, &scene->settings, &scene->causes);
    scene->facts.causes = &scene->causes;
    assert_true(kg_rule_judge(rule_find(name), &scene->facts, &scene->settings, &judged));
    assert_true(judged.rank > 0);
    const struct kg_cause *cause = kg_cause_of(&scene->facts, rule_find(name)->cause);
    assert_true(fabs(judged.share - cause->share) < 1e-12);
    return judged.saved_ns / judged.current_ns;
}

static void an_estimate_is_given_where_it_is_known_within_half_as_much_again(void **state)
{
    struct scene scene;
    scene_start(&scene);
    scene.hot.sampled.samples = 500;
    stack_add(&scene, 0.6, "_int_malloc", "libc.so.6", NULL);
    const double saved = saved_of(&scene, "allocation");
    assert_true(saved > 0.54 && saved < 0.6);
    /* if a cause has nearly all samples, they cannot show the remaining time */
    scene.stacks[0].share = 0.95;
    assert_true(isnan(saved_of(&scene, "allocation")));
    scene_start(&scene);
    loop_add(&scene, 1)->scalar_floats = 2;
    assert_true(isnan(saved_of(&scene, "scalar_loop")));
    scene_start(&scene);
    struct kg_hot_loop *loop = loop_add(&scene, 1);
    loop->chained = 1;
    loop->chain_cycles = 8; /* in four parts 2, as the ports need; or 8 / 3 by its instructions */
    assert_true(fabs(saved_of(&scene, "dependency_chain") - (1 - sqrt(2 * 8 / 3.0) / 8)) < 1e-9);
}

static void what_looks_through_strings_may_go_with_its_caller(void **state)
{
    struct scene scene;
    scene_start(&scene);
    scene.hot.sampled.samples = 500;
    stack_add(&scene, 0.6, "strlen", "libc.so.6", NULL);
    assert_true(saved_of(&scene, "string_scanning") > 0.5);
    struct kg_hot_place caller = {
        .place = {.function = "work", .module = "own.so"}, .self = 0.35, .total = 0.95};
    scene.hot.sampled.functions = &caller;
    scene.hot.sampled.function_count = 1;
    assert_true(isnan(saved_of(&scene, "string_scanning")));
}

static void what_keeping_memory_saved_has_the_place_that_was_seen(void **state)
{
    struct scene scene;
    scene_start(&scene);
    scene.hot.sampled.samples = 500;
    stack_add(&scene, 0.3, "munmap", "libc.so.6", "munmap");
    scene.hot.experiment_count = 1;
    scene.experiments[0] = (struct kg_experiment){
        .name = "kept_memory", .ratio = 0.5, .ratio_low = 0.45, .ratio_high = 0.55};
    const double saved = saved_of(&scene, "page_faults");
    assert_true(saved > 0.45 && saved < 0.55);
    assert_true(scene.causes.of[0].measured);
    assert_string_equal(scene.causes.of[0].caller->function, "work");
}

static void nothing_seen_gives_nothing(void **state)
{
    struct scene scene;
    scene_start(&scene);
    scene.hot.sampled.source = NULL;
    stack_add(&scene, 0.9, "_int_malloc", "libc.so.6", NULL);
    ASSERT_CAUSE(&scene, "none");
    assert_true(isnan(scene.causes.unexplained));
    scene.facts.hot = NULL;
    ASSERT_CAUSE(&scene, "none");
}

static void what_a_call_of_the_mathematics_library_takes_is_the_librarys(void **state)
{
    struct scene scene;
    scene_start(&scene);
    stack_add(&scene, 0.4, "expf", "libm.so.6", NULL);
    stack_add(&scene, 0.5, "work", "own.so", NULL);
    scene.hot.loop_count = 1;
    scene.loops[0] = (struct kg_hot_loop){.place = {.function = "work", .module = "own.so"},
                                          .share = 0.5,
                                          .instructions = 8,
                                          .calls = 1};
    ASSERT_CAUSE(&scene, "math_library");
    assert_true(fabs(scene.causes.of[0].share - 0.9) < 1e-9);
    assert_string_equal(scene.causes.of[0].seen->function, "expf");
    scene.loops[0].place.function = "other";
    ASSERT_CAUSE(&scene, "call_overhead");
}

/* A hand-made trace. */
static void a_trace_has_three_causes_at_most_with_a_place_and_what_is_left(void **state)
{
    struct kg_facts facts;
    struct kg_causes causes;
    const struct kg_suggest_settings settings = settings_default();
    facts_make(&facts, "cuda", false,
               (const struct named_fact[]){{"time_ns", 200e3},
                                           {"gpu_ns", 90e3},
                                           {"transfer_ns", 55e3},
                                           {"overhead_ns", 55e3},
                                           {"launches", 10},
                                           {"launch_ns", 55e3},
                                           {"hidden_ns", 0},
                                           {"main_kernel_ns", 80e3},
                                           {"waves", 0.25},
                                           {"occupancy", 0.25},
                                           {"roof_ns", 5e3},
                                           {"bandwidth_share", 0.05},
                                           {0}});
    facts.main_kernel.function = "update";
    kg_causes_weigh(&facts, &settings, &causes);
    assert_int_equal(causes.count, 3);
    double explained = 0;
    for (size_t i = 0; i < causes.count; i++) {
        const struct kg_rule *rule = rule_find(kg_cause_name(causes.of[i].kind));
        assert_true(rule->before && rule->after);
        explained += causes.of[i].share;
    }
    assert_string_equal(kg_cause_name(causes.of[0].kind), "small_grid");
    assert_string_equal(causes.of[0].seen->function, "update");
    assert_true(fabs(causes.unexplained - fmax(0, 1 - explained)) < 1e-9);
    /* nothing was traced */
    facts.traits.gpu_ns = NAN;
    kg_causes_weigh(&facts, &settings, &causes);
    assert_true(isnan(causes.unexplained));
}

static void every_cause_has_a_rule(void **state)
{
    for (int kind = 1; kind < KG_CAUSE_COUNT; kind++) {
        const struct kg_rule *rule = kg_rule_of_cause((enum kg_cause_kind)kind);
        assert_non_null(rule);
        assert_true(rule->before && rule->after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_functions_speak_for_their_cause),
        cmocka_unit_test(linking_is_what_libraries_cost),
        cmocka_unit_test(samples_in_calls_count_as_much_as_the_kernel_took),
        cmocka_unit_test(who_calls_is_looked_for_where_there_is_source),
        cmocka_unit_test(memory_that_is_given_back_is_measured_by_keeping_it),
        cmocka_unit_test(a_twentieth_is_no_cause),
        cmocka_unit_test(system_calls_speak_for_theirs),
        cmocka_unit_test(many_comparisons_in_a_call_are_a_search),
        cmocka_unit_test(many_short_looks_through_a_text_prove_nothing),
        cmocka_unit_test(what_is_called_often_is_so_by_whatever_name_it_was_seen),
        cmocka_unit_test(who_waits_to_read_from_programs_waits_for_these),
        cmocka_unit_test(loops_speak_for_what_they_are_made_of),
        cmocka_unit_test(a_loop_that_stalls_names_the_counts_in_it),
        cmocka_unit_test(the_processors_counters_count_instead_of_what_is_simulated),
        cmocka_unit_test(a_loop_over_all_pairs_is_quadratic_at_most),
        cmocka_unit_test(fresh_pages_take_their_share_from_what_was_seen),
        cmocka_unit_test(few_regions_that_end_apart_are_uneven),
        cmocka_unit_test(who_sleeps_makes_others_wait),
        cmocka_unit_test(a_function_with_equal_arguments_repeats_its_work),
        cmocka_unit_test(calls_without_equal_arguments_are_no_evidence),
        cmocka_unit_test(the_function_with_the_most_repeated_work_is_named),
        cmocka_unit_test(an_experiment_is_measured),
        cmocka_unit_test(one_thread_that_is_faster_notes_it),
        cmocka_unit_test(what_only_looks_like_it_must_take_a_quarter),
        cmocka_unit_test(one_or_two_requests_are_not_many),
        cmocka_unit_test(pages_are_no_cause_of_what_goes_on_line_by_line),
        cmocka_unit_test(the_first_thread_that_works_on_alone_has_too_much),
        cmocka_unit_test(threads_that_gain_all_that_they_can_do_not_wait),
        cmocka_unit_test(an_uneven_share_never_takes_longer_than_one_thread),
        cmocka_unit_test(an_estimate_is_given_where_it_is_known_within_half_as_much_again),
        cmocka_unit_test(what_looks_through_strings_may_go_with_its_caller),
        cmocka_unit_test(what_keeping_memory_saved_has_the_place_that_was_seen),
        cmocka_unit_test(nothing_seen_gives_nothing),
        cmocka_unit_test(what_a_call_of_the_mathematics_library_takes_is_the_librarys),
        cmocka_unit_test(a_trace_has_three_causes_at_most_with_a_place_and_what_is_left),
        cmocka_unit_test(every_cause_has_a_rule),
    };
    return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
