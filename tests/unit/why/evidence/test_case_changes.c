/* The order of a case's changed evidence. */
#include "test_support.h"

#include "why/evidence/changed_rows.h"
#include "why/suggestions.h"

static const struct kg_system_calls uncounted;

/* A case with two threads at first. `check` has half of the samples, then more, or less. */
struct scene {
    struct kg_hot_site base_sites[2], current_sites[2];
    struct kg_sampled base, current;
    struct kg_evidence_change changes[KG_REASONS_MOST + 2];
    struct kg_difference_table differences[1];
    struct kg_suggestions suggestions;
};

static void sides_fill(struct kg_hot_site sites[2], double share, struct kg_sampled *sampled)
{
    sites[0] = (struct kg_hot_site){.place = {.function = "check", .file = "own.c", .line = 7},
                                    .share = share,
                                    .calls = NAN,
                                    .instructions = NAN};
    sites[1] = (struct kg_hot_site){.place = {.function = "read", .file = "own.c", .line = 9},
                                    .share = 1 - share,
                                    .calls = NAN,
                                    .instructions = NAN};
    *sampled = (struct kg_sampled){.samples = 500, .sites = sites, .site_count = 2};
}

static double faults; /* of the candidate per call, in addition; the next is theirs */
static double kernel_ns;

static const char *first_name(struct scene *scene, double time_ns, double cores_busy, double cpu_ns)
{
    struct kg_slower slower = {.metric = KG_METRIC_TIME,
                               .base_value = 20e6,
                               .current_value = time_ns,
                               .base_sampled = &scene->base,
                               .current_sampled = &scene->current,
                               .base_system_calls = &uncounted,
                               .current_system_calls = &uncounted,
                               .page_fault_ns = NAN,
                               .launch_ns = NAN,
                               .memory_latency_ns = NAN};
    kg_traits_clear(&slower.base);
    kg_traits_clear(&slower.current);
    slower.base.time_ns = 20e6;
    slower.base.cpu_ns = 38e6;
    slower.base.cores_busy = 1.9;
    slower.base.page_faults = 2;
    slower.base.kernel_ns = 1e6;
    slower.current.page_faults = 2 + faults;
    slower.current.kernel_ns = 1e6 + kernel_ns;
    slower.current.time_ns = time_ns;
    slower.current.cpu_ns = cpu_ns;
    slower.current.cores_busy = cores_busy;
    scene->suggestions =
        (struct kg_suggestions){.changes = scene->changes, .differences = scene->differences};
    sides_fill(scene->base_sites, 0.5, &scene->base);
    sides_fill(scene->current_sites, time_ns > 20e6 ? 0.7 : 0.2, &scene->current);
    kg_case_changes_add(&scene->suggestions, "w/cpu", &slower, 1);
    return scene->suggestions.change_count ? scene->suggestions.changes[0].name : "";
}

static void as_much_work_on_fewer_cpus_has_no_place(void **state)
{
    struct scene scene;
    assert_string_equal(first_name(&scene, 40e6, 1, 40e6), "cores_busy");
    kg_arena_free(&scene.suggestions.arena);
}

static void more_work_has_a_place(void **state)
{
    struct scene scene;
    assert_string_equal(first_name(&scene, 40e6, 1.9, 76e6), "function");
    kg_arena_free(&scene.suggestions.arena);
    assert_string_equal(first_name(&scene, 40e6, 1.6, 64e6), "function");
    kg_arena_free(&scene.suggestions.arena);
}

/* The parallel part became faster, so fewer CPUs are busy on average. */
static void faster_parallel_part_has_a_place(void **state)
{
    struct scene scene;
    assert_string_equal(first_name(&scene, 10e6, 1.2, 12e6), "function");
    kg_arena_free(&scene.suggestions.arena);
}

/* `ab` does not measure the cost of a page fault. */
static void page_faults_are_part_of_the_sentence(void **state)
{
    struct scene scene;
    faults = 8192;
    kernel_ns = 12e6;
    assert_string_equal(first_name(&scene, 40e6, 1.9, 76e6), "function");
    faults = kernel_ns = 0;
    const struct kg_evidence_change *change = &scene.suggestions.changes[0];
    assert_string_equal(change->text,
                        "check (own.c:7): +18.0 ms, 90 % of the slowdown; page faults rose from 2 "
                        "to 8194 per call, with 12.0 ms more in the kernel: each call allocates "
                        "this memory again");
    assert_non_null(strstr(change->hint, "Allocate buffers once"));
    for (size_t i = 1; i < scene.suggestions.change_count; i++)
        assert_string_not_equal(scene.suggestions.changes[i].name, "page_faults");
    kg_arena_free(&scene.suggestions.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_work_on_fewer_cpus_has_no_place),
        cmocka_unit_test(more_work_has_a_place),
        cmocka_unit_test(page_faults_are_part_of_the_sentence),
        cmocka_unit_test(faster_parallel_part_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
