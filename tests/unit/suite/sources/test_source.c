/* The rows of the ways to bring a workload. */
#include "suite/sources/source.h"
#include "test_support.h"

static void every_source_has_what_the_stages_call(void **state)
{
    for (size_t i = 0; i < KG_SOURCE_COUNT; i++) {
        const struct kg_source_operations *source = kg_sources[i];
        const struct kg_source_facts *facts = kg_source_find(kg_source_names[i]);
        if (!source->target)
            fail_msg("%s has no target", kg_source_names[i]);
        /* a source without its own process is opened in the worker */
        if (!source->open != facts->own_process)
            fail_msg("%s must be opened, or be a process of its own", kg_source_names[i]);
        if (!source->expand != (facts->target != KG_TARGET_WORDS))
            fail_msg("%s must expand a list of words, and only that", kg_source_names[i]);
        if (!source->call != (facts->target != KG_TARGET_CODE))
            fail_msg("%s must say how GPU code is called, and only that", kg_source_names[i]);
        assert_ptr_equal(facts, &kg_source_facts[i]);
    }
    assert_null(kg_source_names[KG_SOURCE_COUNT]);
    assert_null(kg_source_find("nowhere"));
}

static const struct kg_source_operations *source_named(const char *key)
{
    const struct kg_source_facts *facts = kg_source_find(key);
    assert_non_null(facts);
    return kg_sources[facts - kg_source_facts];
}

static void a_kernel_is_found_by_its_name_or_the_nearest_is_noted(void **state)
{
    const struct kg_source_operations *source = source_named("kernel");
    struct kg_workload_spec spec = {.target = "gemm", .target_mark = {3, 5}};
    struct kg_source_found found = {0};
    struct kg_arena arena = {0};
    struct kg_error err;
    if (!source->find(&arena, "s.yaml", &spec, &found, &err))
        fail_msg("%s", err.message);
    assert_string_equal(found.workload->name, "gemm");
    assert_non_null(strstr(found.file, "kgate-kernels/gemm.so"));
    struct kg_source_opening opening = {.target = found.file, .entry = "gemm"};
    assert_ptr_equal(source->open(&opening, &err), found.workload);
    found = (struct kg_source_found){0};
    spec.target = "gem";
    assert_false(source->find(&arena, "s.yaml", &spec, &found, &err));
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.message, "did you mean 'gemm'?"));
    kg_arena_free(&arena);
}

static void a_command_takes_parameters_into_its_words(void **state)
{
    const struct kg_source_operations *source = source_named("command");
    const char *words[] = {"app", "--n={n}", "{{{n}}}", "{{\"a\": {n}}}", "{m}"};
    struct kg_pair params[] = {{"n", "64"}};
    struct kg_axis axis = {.name = "n", .value_count = 2};
    struct kg_workload_spec spec = {
        .name = "w", .command = words, .command_count = 4, .axes = &axis, .axis_count = 1};
    struct kg_arena arena = {0};
    const char **command;
    struct kg_command_setting setting;
    struct kg_error err;
    assert_true(source->expand(&arena, "s.yaml", &spec, params, &command, &setting, &err));
    assert_string_equal(command[0], "app");
    assert_string_equal(command[1], "--n=64");
    assert_string_equal(command[2], "{64}");
    assert_string_equal(command[3], "{\"a\": 64}");
    assert_null(command[4]);
    assert_string_equal(source->target(&arena, &spec, command), "app");
    spec.command_count = 5;
    assert_false(source->expand(&arena, "s.yaml", &spec, params, &command, &setting, &err));
    assert_non_null(strstr(err.message, "the command has {m}, but there is no such parameter"));
    axis.name = "o";
    assert_false(source->expand(&arena, "s.yaml", &spec, params, &command, &setting, &err));
    assert_non_null(strstr(err.message, "no word of the command has the parameter 'o'"));
    kg_arena_free(&arena);
}

static void what_a_command_gets_has_parameters_and_lies_beside_the_suite(void **state)
{
    const struct kg_source_operations *source = source_named("command");
    const char *words[] = {"app"};
    struct kg_pair params[] = {{"n", "64"}}, variables[] = {{"N", "n is {n}"}};
    struct kg_axis axis = {.name = "n", .value_count = 2};
    struct kg_workload_spec spec = {.name = "w",
                                    .command = words,
                                    .command_count = 1,
                                    .axes = &axis,
                                    .axis_count = 1,
                                    .setting = {.environment = variables,
                                                .environment_count = 1,
                                                .directory = "data/{n}",
                                                .input = "/abs/{n}.txt"}};
    struct kg_arena arena = {0};
    const char **command;
    struct kg_command_setting setting;
    struct kg_error err;
    assert_true(source->expand(&arena, "bench/s.yaml", &spec, params, &command, &setting, &err));
    assert_string_equal(setting.environment[0].value, "n is 64");
    assert_string_equal(setting.directory, "bench/data/64");
    assert_string_equal(setting.input, "/abs/64.txt");
    assert_true(source->expand(&arena, "s.yaml", &spec, params, &command, &setting, &err));
    assert_string_equal(setting.directory, "data/64");
    kg_arena_free(&arena);
}

static void a_cuda_source_takes_parameters_into_its_texts_and_its_macros(void **state)
{
    const struct kg_source_operations *source = source_named("source");
    const char *grid[] = {"ceil({n} / 32)"}, *block[] = {"{each}"}, *options[] = {"-DT={n}"};
    struct kg_pair params[] = {{"n", "64"}, {"each", "8"}, {"x-y", "1"}};
    struct kg_cuda_arg args[] = {
        {.name = "y", .type = KG_CUDA_F32, .count = "{n}", .mark = {9, 1}}};
    struct kg_cuda_call call = {.grid = grid,
                                .grid_count = 1,
                                .block = block,
                                .block_count = 1,
                                .options = options,
                                .option_count = 1,
                                .args = args,
                                .arg_count = 1};
    struct kg_workload_spec spec = {
        .name = "w", .target = "a.cu", .entry = "f<{each}>", .call = &call, .axis_count = 3};
    const struct kg_cuda_call *expanded;
    struct kg_arena arena = {0};
    struct kg_error err;
    if (!source->call(&arena, "bench/s.yaml", &spec, params, &expanded, &err))
        fail_msg("%s", err.message);
    assert_string_equal(expanded->folder, "bench/");
    assert_string_equal(expanded->entry, "f<8>");
    assert_string_equal(expanded->grid[0], "ceil(64 / 32)");
    assert_string_equal(expanded->block[0], "8");
    assert_int_equal(expanded->option_count, 3); /* a name that is invalid in C gives no macro */
    assert_string_equal(expanded->options[0], "-DT=64");
    assert_string_equal(expanded->options[1], "-DKGATE_n=64");
    assert_string_equal(expanded->options[2], "-DKGATE_each=8");
    assert_string_equal(expanded->args[0].count, "64");
    assert_string_equal(source->target(&arena, &spec, NULL), "a.cu:f<{each}>");
    args[0].count = "{m}";
    assert_false(source->call(&arena, "s.yaml", &spec, params, &expanded, &err));
    assert_int_equal(err.line, 9);
    assert_non_null(strstr(err.message, "'{m}' has {m}, but there is no such parameter"));
    kg_arena_free(&arena);
}

/* `ab` skips a source that a build cannot bring, with a reason. */
static void builds_fit_the_sources_that_they_can_bring(void **state)
{
    assert_null(source_named("plugin")->unfit[KG_BUILD_PLUGIN]);
    assert_null(source_named("plugin")->unfit[KG_BUILD_KGATE]);
    assert_null(source_named("command")->unfit[KG_BUILD_COMMAND]);
    assert_null(source_named("kernel")->unfit[KG_BUILD_KGATE]);
    assert_non_null(source_named("kernel")->unfit[KG_BUILD_PLUGIN]);
    assert_non_null(source_named("command")->unfit[KG_BUILD_KGATE]);
    for (size_t i = 0; i < KG_SOURCE_COUNT; i++)
        assert_null(kg_sources[i]->unfit[KG_BUILD_CHECKOUT]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_source_has_what_the_stages_call),
        cmocka_unit_test(a_kernel_is_found_by_its_name_or_the_nearest_is_noted),
        cmocka_unit_test(a_command_takes_parameters_into_its_words),
        cmocka_unit_test(what_a_command_gets_has_parameters_and_lies_beside_the_suite),
        cmocka_unit_test(a_cuda_source_takes_parameters_into_its_texts_and_its_macros),
        cmocka_unit_test(builds_fit_the_sources_that_they_can_bring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
