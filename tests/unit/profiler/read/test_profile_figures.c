#include "recording_support.h"

static char *folder;

static int make_folder(void **state)
{
    folder = support_folder();
    return 0;
}

static int remove_folder(void **state)
{
    support_remove(folder);
    return 0;
}

static const struct kg_profile_row *row_of(const struct kg_profile *profile, const char *path)
{
    struct kg_arena arena = {0};
    const struct kg_profile_row *found = NULL;
    for (size_t i = 0; i < profile->row_count && !found; i++)
        if (!strcmp(kg_profile_path_text(&arena, profile, i), path))
            found = &profile->rows[i];
    kg_arena_free(&arena);
    if (!found)
        fail_msg("there is no path %s", path);
    return found;
}

static void rows_are_nested_and_by_total(void **state)
{
    static const char *const order[] = {"main",
                                        "main;solve",
                                        "main;solve;solve",
                                        "main;solve;copy",
                                        "main;solve;(profiler)",
                                        "request,\"a\"",
                                        "solve"};
    static const size_t parents[] = {0, 0, 1, 1, 1, 5, 6};
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_arena arena = {0};
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.row_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(kg_profile_path_text(&arena, &profile, i), order[i]);
        assert_int_equal(profile.rows[i].path.parent, parents[i]);
    }
    assert_int_equal(profile.entry_count, 8);
    assert_near(profile.wall_ns, 10000, 0);
    kg_arena_free(&arena);
    kg_profile_free(&profile);
}

/* Each case of a suite is recorded for an equally long time, so totals have no meaning. */
static void cases_are_by_the_time_of_a_call(void **state)
{
    static const struct {
        const char *name, *label;
        uint32_t calls;
        uint64_t ns;
    } processes[] = {
        {"quick", "quick", 5, 100}, {"slow", "slow", 1, 400}, {"program", "", 1, 10000}};
    struct recording recording = {0};
    struct kg_profile profile;
    for (uint32_t i = 0; i < 3; i++) {
        recording_process(&recording, i + 1, 1, processes[i].label);
        recording_name(&recording, 1, processes[i].name);
        recording_node(&recording, 1, 1, 0, 1);
        for (uint32_t k = 0; k < processes[i].calls; k++)
            recording_entry(&recording, 1, 1, 1000 * k, processes[i].ns, 0);
        recording_end(&recording);
    }
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.row_count, 3);
    assert_string_equal(profile.rows[0].path.name, "slow");
    assert_string_equal(profile.rows[1].path.name, "quick");
    assert_string_equal(profile.rows[2].path.name, "program");
    kg_profile_free(&profile);
}

static void figures_of_paths_are_as_by_hand(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_figures *outer = &row_of(&profile, "main")->figures;
    assert_int_equal(outer->calls, 1);
    assert_int_equal(outer->unfinished, 1);
    assert_near(outer->total_ns, 10000, 0);
    assert_near(outer->self_ns, 3000, 0);
    assert_near(outer->share, 1, 1e-15);
    assert_near(outer->gpu_ns, 2200, 0);
    assert_near(outer->transfer_ns, 800, 0);
    assert_near(outer->overhead_ns, 140, 0);
    assert_true(isnan(outer->cpu_ns));
    const struct kg_profile_figures *solve = &row_of(&profile, "main;solve")->figures;
    assert_int_equal(solve->calls, 2);
    assert_near(solve->total_ns, 7000, 0);
    assert_near(solve->self_ns, 3900, 0);
    assert_near(solve->mean_ns, 3500, 0);
    assert_near(solve->standard_deviation_ns, sqrt(500000), 1e-9);
    assert_near(solve->min_ns, 3000, 0);
    assert_near(solve->max_ns, 4000, 0);
    assert_near(solve->p50_ns, 3500, 35);
    assert_near(solve->overhead_ns, 120, 0);
    assert_near(solve->gpu_ns, 2200, 0);
    const struct kg_profile_figures *copy = &row_of(&profile, "main;solve;copy")->figures;
    assert_near(copy->cpu_ns, 900, 0);
    assert_near(copy->gpu_ns, 0, 0);
    assert_near(copy->transfer_ns, 800, 0);
    assert_int_equal(copy->bytes, 4096);
    assert_int_equal(copy->allocated_bytes, 512);
    assert_int_equal(copy->peak_bytes, 256);
    assert_near(row_of(&profile, "main;solve;(profiler)")->figures.overhead_ns, 100, 0);
    assert_near(row_of(&profile, "request,\"a\"")->figures.share, 0, 0);
    kg_profile_free(&profile);
}

static void a_name_counts_recursion_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.name_count, 5);
    assert_string_equal(profile.names[0].name, "main");
    assert_string_equal(profile.names[1].name, "solve");
    const struct kg_profile_figures *solve = profile_name(&profile, "solve");
    assert_int_equal(solve->calls, 4);
    assert_near(solve->total_ns, 9000, 0);
    assert_near(solve->self_ns, 7900, 0);
    assert_near(solve->mean_ns, 2750, 1e-9);
    assert_near(solve->standard_deviation_ns, sqrt(2750000.0 / 3), 1e-9);
    assert_near(solve->min_ns, 2000, 0);
    assert_near(solve->max_ns, 4000, 0);
    assert_near(solve->share, 0.9, 1e-15);
    assert_near(solve->gpu_ns, 2200, 0);
    assert_near(solve->overhead_ns, 120, 0);
    assert_int_equal(solve->threads, 2);
    assert_near(solve->busiest_thread_ns, 7000, 0);
    assert_near(solve->even_thread_ns, 4500, 0);
    kg_profile_free(&profile);
}

static void cpu_time_of_a_name_counts_recursion_once(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    const struct kg_entry inner = {.start = 100, .duration = 500, .node = 2};
    const struct kg_entry outer = {.start = 0, .duration = 1000, .node = 1, .nested_flags = 1};
    const struct kg_entry_usage less = {.cpu_ns = 400}, more = {.cpu_ns = 900};
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "fib");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 1);
    recording_entry_full(&recording, 1, &inner, &less, NULL);
    recording_entry_full(&recording, 1, &outer, &more, NULL);
    recording_end(&recording);
    recording_read(&recording, folder, &profile);
    assert_near(row_of(&profile, "fib;fib")->figures.cpu_ns, 400, 0);
    assert_near(profile_name(&profile, "fib")->cpu_ns, 900, 0);
    assert_near(profile_name(&profile, "fib")->total_ns, 1000, 0);
    kg_profile_free(&profile);
}

/* `threads` threads of one process, thread i with i scopes of 100 ns. */
static void threads_add(struct recording *recording, uint32_t number, uint32_t threads)
{
    recording_process(recording, number, 1, "");
    recording_name(recording, 1, "task");
    for (uint32_t thread = 1; thread <= threads; thread++) {
        recording_node(recording, thread, 1, 0, 1);
        for (uint32_t i = 0; i < thread; i++)
            recording_entry(recording, thread, 1, 100 * i, 100, 0);
    }
    recording_end(recording);
}

/* One process with `calls` scopes of 1, 2, 3… ns. */
static void calls_add(struct recording *recording, uint32_t calls)
{
    recording_process(recording, 1, 1, "");
    recording_name(recording, 1, "task");
    recording_node(recording, 1, 1, 0, 1);
    for (uint32_t i = 0; i < calls; i++)
        recording_entry(recording, 1, 1, 10000 * i, i + 1, 0);
    recording_end(recording);
}

/* kgate compares threads of one process, never threads of different processes. */
static void threads_are_balanced_within_processes(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    threads_add(&recording, 1, 3);
    threads_add(&recording, 2, 5);
    recording_read(&recording, folder, &profile);
    for (int turn = 0; turn < 2; turn++) {
        const struct kg_profile_figures *task =
            turn ? profile_name(&profile, "task") : &row_of(&profile, "task")->figures;
        assert_int_equal(task->calls, 6 + 15);
        assert_int_equal(task->threads, 8);
        assert_int_equal(task->threads_most, 5);
        assert_near(task->busiest_thread_ns, 300 + 500, 0);
        assert_near(task->even_thread_ns, 600.0 / 3 + 1500.0 / 5, 0);
        assert_near(kg_profile_imbalance(task), 800.0 / 500, 1e-15);
    }
    assert_int_equal(profile.processes[1].threads, 5);
    assert_near(profile.wall_ns, 300 + 500, 0);
    kg_profile_free(&profile);
}

static void processes_of_one_thread_are_not_unbalanced(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    calls_add(&recording, 40);
    calls_add(&recording, 4);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_figures *task = &row_of(&profile, "task")->figures;
    assert_int_equal(task->threads, 2);
    assert_int_equal(task->threads_most, 1);
    assert_near(task->busiest_thread_ns, 820 + 10, 0);
    assert_near(task->even_thread_ns, 820 + 10, 0);
    assert_true(isnan(kg_profile_imbalance(task)));
    kg_profile_free(&profile);
}

/* Like OpenMP: the first thread works inside its caller's scope, the others outermost. */
static void by_name_workers_are_balanced_with_the_thread_that_called_them(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "main");
    recording_name(&recording, 2, "part");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    for (uint32_t thread = 2; thread <= 4; thread++)
        recording_node(&recording, thread, 1, 0, 2);
    recording_entry(&recording, 1, 2, 0, 100, 0);
    recording_entry(&recording, 1, 2, 200, 100, 0);
    recording_entry(&recording, 2, 1, 0, 600, 0);
    recording_entry(&recording, 3, 1, 0, 300, 0);
    recording_entry(&recording, 4, 1, 0, 300, 0);
    recording_entry(&recording, 1, 1, 0, 1000, 2);
    recording_span(&recording, 4, 2, 0, 5000);
    recording_read(&recording, folder, &profile);
    assert_true(isnan(kg_profile_imbalance(&row_of(&profile, "main;part")->figures)));
    const struct kg_profile_figures *part = profile_name(&profile, "part");
    assert_int_equal(part->threads, 4);
    assert_near(part->busiest_thread_ns, 600, 0);
    assert_near(part->even_thread_ns, 1400.0 / 4, 0);
    assert_near(kg_profile_imbalance(part), 600 / 350.0, 1e-15);
    const struct kg_profile_row *workers = row_of(&profile, "part");
    while (workers->path.span)
        workers++;
    assert_int_equal(workers->figures.threads, 3);
    assert_near(kg_profile_imbalance(&workers->figures), 1.5, 1e-15);
    kg_profile_free(&profile);
}

static void entries_of_threads_may_alternate(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "task");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 2, 1, 0, 1);
    for (uint32_t i = 0; i < 10; i++)
        recording_entry(&recording, 1 + i % 2, 1, 100 * i, i % 2 ? 30 : 20, 0);
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.rows[0].figures.threads, 2);
    assert_near(profile.rows[0].figures.busiest_thread_ns, 150, 0);
    assert_near(profile.rows[0].figures.even_thread_ns, 125, 0);
    kg_profile_free(&profile);
}

/* --- Rounds ---------------------------------------------------------------------------------- */

static void each_process_is_a_round(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    threads_add(&recording, 1, 3);
    threads_add(&recording, 2, 5);
    recording_process(&recording, 3, 1, ""); /* without scopes */
    recording_end(&recording);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_row *row = &profile.rows[0];
    assert_int_equal(row->round_count, 3);
    assert_int_equal(row->process_count, 3);
    assert_near(row->rounds_ns[0], 600, 0);
    assert_near(row->rounds_ns[1], 1500, 0);
    assert_near(row->rounds_ns[2], 0, 0);
    assert_near(row->calls[0], 6, 0);
    assert_near(row->calls[1], 15, 0);
    assert_near(row->calls[2], 0, 0);
    kg_profile_free(&profile);
}

static void parts_of_one_process_are_rounds(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    calls_add(&recording, 40);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_row *row = &profile.rows[0];
    assert_int_equal(row->round_count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_near(row->rounds_ns[i], 40 * (2.5 + 4 * (double)i), 1e-9);
    assert_int_equal(row->process_count, 1);
    assert_near(row->calls[0], 40, 0);
    kg_profile_free(&profile);
}

static void few_calls_give_few_rounds(void **state)
{
    for (uint32_t calls = 0; calls <= 3; calls++) {
        struct recording recording = {0};
        struct kg_profile profile;
        calls_add(&recording, calls);
        recording_read(&recording, folder, &profile);
        const struct kg_profile_row *row = &profile.rows[0];
        assert_int_equal(row->round_count, calls < 2 ? 1 : calls);
        assert_near(row->rounds_ns[0], calls, 0);
        kg_profile_free(&profile);
    }
}

/* --- Special cases --------------------------------------------------------------------------- */

/* A crash: `main` and one request never ended. */
static void open_scopes_have_what_is_inside(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "main");
    recording_name(&recording, 2, "request");
    recording_name(&recording, 3, "work");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    recording_node(&recording, 1, 3, 2, 3);
    recording_entry(&recording, 1, 3, 0, 60, 0);
    recording_entry(&recording, 1, 2, 0, 100, 1);
    recording_entry(&recording, 1, 3, 200, 300, 0);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_figures *outer = &row_of(&profile, "main")->figures;
    assert_int_equal(outer->calls, 0);
    assert_near(outer->total_ns, 0, 0);
    assert_near(outer->self_ns, 0, 0);
    assert_near(outer->min_ns, 0, 0);
    assert_near(outer->overhead_ns, 10, 0);
    assert_near(row_of(&profile, "main;request")->figures.share, 1, 0);
    assert_near(row_of(&profile, "main;request")->figures.self_ns, 0, 0);
    assert_int_equal(profile.name_count, 2);
    assert_false(profile.processes[0].complete);
    kg_profile_free(&profile);
}

static void gpu_time_of_other_streams_counts(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "outer");
    recording_name_as(&recording, 2, "kernel", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CUDA, "cuda");
    recording_name_as(&recording, 3, "copy", KGATE_SCOPE_TRANSFER, KGATE_DEVICE_CPU, "");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    recording_node(&recording, 1, 3, 1, 3);
    const struct kg_entry entry = {.start = 10, .duration = 5, .node = 2};
    const struct kg_entry_gpu gpu = {.start = 20, .duration_ns = 700};
    recording_entry_full(&recording, 1, &entry, NULL, &gpu);
    recording_entry_full(&recording, 1, &entry, NULL, &gpu);
    recording_entry(&recording, 1, 3, 100, 50, 0);
    recording_entry(&recording, 1, 1, 0, 200, 3);
    recording_read(&recording, folder, &profile);
    const struct kg_profile_figures *outer = &row_of(&profile, "outer")->figures;
    assert_near(outer->gpu_ns, 1400, 0);
    assert_near(outer->transfer_ns, 50, 0);
    assert_near(outer->self_ns, 140, 0);
    kg_profile_free(&profile);
}

static void sums_do_not_wrap(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "task");
    recording_node(&recording, 1, 1, 0, 1);
    const struct kg_entry entry = {.bytes = UINT64_MAX, .duration = 1, .node = 1};
    recording_slots(&recording, 1, &entry, 1);
    recording_slots(&recording, 1, &entry, 1);
    recording_read(&recording, folder, &profile);
    assert_true(profile.rows[0].figures.bytes == INT64_MAX);
    kg_profile_free(&profile);
}

static void a_process_without_entries_is_a_profile(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_process(&recording, 1, 1, "");
    recording_end(&recording);
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.process_count, 1);
    assert_int_equal(profile.row_count, 0);
    assert_int_equal(profile.name_count, 0);
    assert_near(profile.wall_ns, 0, 0);
    kg_profile_free(&profile);
}

static void a_failure_leaves_nothing_behind(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_error err;
    memset(&profile, 1, sizeof profile);
    recording_rich(&recording, 1);
    recording.bytes.data[recording.bytes.length - 30] ^= 1;
    assert_false(kg_profile_read(recording_save(&recording, folder, "bad"), &profile, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    const struct kg_profile empty = {0};
    assert_memory_equal(&profile, &empty, sizeof empty);
    assert_false(kg_profile_read("/nowhere/none", &profile, &err));
    recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_nested_and_by_total),
        cmocka_unit_test(cases_are_by_the_time_of_a_call),
        cmocka_unit_test(figures_of_paths_are_as_by_hand),
        cmocka_unit_test(a_name_counts_recursion_once),
        cmocka_unit_test(cpu_time_of_a_name_counts_recursion_once),
        cmocka_unit_test(threads_are_balanced_within_processes),
        cmocka_unit_test(processes_of_one_thread_are_not_unbalanced),
        cmocka_unit_test(by_name_workers_are_balanced_with_the_thread_that_called_them),
        cmocka_unit_test(entries_of_threads_may_alternate),
        cmocka_unit_test(each_process_is_a_round),
        cmocka_unit_test(parts_of_one_process_are_rounds),
        cmocka_unit_test(few_calls_give_few_rounds),
        cmocka_unit_test(open_scopes_have_what_is_inside),
        cmocka_unit_test(gpu_time_of_other_streams_counts),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(a_process_without_entries_is_a_profile),
        cmocka_unit_test(a_failure_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
