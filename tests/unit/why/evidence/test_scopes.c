#include "suite/suggest_overrides.h"
#include "why/evidence/scopes_support.h"

#include <fcntl.h>
#include <pthread.h>

#include "base/random.h"
#include "profiler/read/profile_load.h"
#include "why/evidence/scopes.h"

enum { COST = 10 }; /* cost of a scope to the enclosing scope, ns */

static char *folder;
static struct kg_suggest_settings settings;

static int set_up(void **state)
{
    folder = support_folder();
    settings = (struct kg_suggest_settings){0};
    kg_suggest_settings_complete(&settings);
    return 0;
}

static int tear_down(void **state)
{
    support_remove(folder);
    return 0;
}

/* A case with only an id and a time per call. */
static struct kg_facts case_of(const char *id, double time_ns)
{
    struct kg_facts facts;
    kg_facts_clear(&facts);
    facts.operation = facts.whole = id;
    facts.device = "cpu";
    facts.traits.time_ns = facts.whole_ns = time_ns;
    return facts;
}

/* Asserts that the case's own part of the profile gives the same facts. */
static struct kg_facts look(const struct kg_profile *profile, struct kg_facts facts)
{
    struct kg_arena arena = {0};
    struct kg_scope_split split;
    struct kg_profile part;
    struct kg_facts of_part;
    memcpy(&of_part, &facts, sizeof facts);
    kg_scopes_of_case(profile, &settings, &facts);
    kg_scope_split_make(profile, &arena, &split);
    for (int i = 0; i < 2; i++) /* the second split of a case is empty */
        kg_scope_split_part(&split, facts.operation, &arena, &part);
    kg_scopes_of_case(&part, &settings, &of_part);
    assert_memory_equal(&facts, &of_part, sizeof facts);
    kg_arena_free(&arena);
    return facts;
}

/* Reads a scene, frees it, and looks at its profile. */
static struct kg_facts look_at(struct scene *scene, struct kg_facts facts)
{
    struct kg_profile profile;
    scene_read(scene, folder, &profile);
    facts = look(&profile, facts);
    kg_profile_free(&profile);
    return facts;
}

/* --- A case ---------------------------------------------------------------------------------- */

/* Two calls: see recording_parallel. */
static void read_parallel(struct kg_profile *profile)
{
    struct recording recording = {0};
    struct kg_error err;
    recording_parallel(&recording, 1, "call");
    assert_true(kg_profile_read(recording_save(&recording, folder, "p.kgprof"), profile, &err));
    recording_free(&recording);
}

static void check_parallel(const struct kg_facts *facts, double scale)
{
    assert_near(facts->wait_count, 1, 1e-9);
    assert_near(facts->wait_ns, scale * 400, 1e-9);
    assert_near(facts->parallel_count, 1, 1e-9);
    /* 800 minus 600 of the inner scopes, minus the cost of two scopes: waiting has a scope. */
    assert_near(facts->parallel_ns, scale * 180, 1e-9);
    assert_near(facts->scope_threads, 2, 0);
    assert_near(facts->imbalance, 500.0 / 350, 1e-9);
    assert_near(facts->imbalance_ns, scale * 150, 1e-9);
    /* 200 and 500 of the parts, and the call's own time: 1000 - 800 - 10. */
    assert_near(facts->thread_busy_ns, scale * 890, 1e-9);
}

static void waits_regions_and_threads_of_a_case_are_a_calls(void **state)
{
    struct kg_profile profile;
    read_parallel(&profile);
    const struct kg_facts facts = look(&profile, case_of("call", 1000 - 3 * COST));
    check_parallel(&facts, 1);
    kg_profile_free(&profile);
}

static void times_are_scaled_to_what_was_measured(void **state)
{
    struct kg_profile profile;
    read_parallel(&profile);
    const struct kg_facts facts = look(&profile, case_of("call", (1000 - 3 * COST) / 2.0));
    check_parallel(&facts, 0.5);
    kg_profile_free(&profile);
}

static void a_json_profile_gives_the_same(void **state)
{
    struct kg_profile profile;
    struct kg_error err;
    char from[128], to[128];
    read_parallel(&profile);
    kg_profile_free(&profile);
    snprintf(from, sizeof from, "%s/p.kgprof", folder);
    snprintf(to, sizeof to, "%s/p.json", folder);
    const int file = open(from, O_RDONLY | O_CLOEXEC);
    FILE *output = fopen(to, "we");
    assert_true(file >= 0 && output);
    assert_true(kg_profile_json(file, from, output, &err));
    fclose(output);
    close(file);
    assert_true(kg_profile_load(to, &profile, &err));
    const struct kg_facts facts = look(&profile, case_of("call", 1000 - 3 * COST));
    check_parallel(&facts, 1);
    kg_profile_free(&profile);
}

static void what_was_not_recorded_is_left_alone(void **state)
{
    struct kg_profile profile;
    read_parallel(&profile);
    struct kg_facts before = case_of("another", 1000);
    before.wait_ns = 5;
    const struct kg_facts after = look(&profile, before);
    assert_memory_equal(&before, &after, sizeof before);
    kg_profile_free(&profile);
}

/* The threads of all cases have scopes of one name, with the same path in the profile. */
static void other_cases_of_the_recording_do_not_count(void **state)
{
    static const char *const labels[] = {"a", "b", "c"};
    struct scene scene = {0};
    for (uint32_t i = 0; i < 3; i++) {
        scene_process(&scene, labels[i]);
        const uint32_t call = scene_work(&scene, 1, 0, labels[i], 1000);
        scene_work(&scene, 1, call, "part", 800);
        for (uint32_t thread = 2; thread < 4 + i; thread++)
            scene_work(&scene, thread, 0, "part", i == 1 ? 800 : 100);
    }
    const struct kg_facts facts = look_at(&scene, case_of("b", 1000 - COST));
    assert_near(facts.scope_threads, 4, 0);
    assert_near(facts.imbalance, 1, 1e-9);
    assert_near(facts.thread_busy_ns, 3200, 1e-9);
}

static void waiting_inside_waiting_counts_once(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    const uint32_t wait = scene_add(&scene, 1, call, "lock", KGATE_SCOPE_WAIT, 500);
    scene_add(&scene, 1, wait, "poll", KGATE_SCOPE_WAIT, 300);
    scene_add(&scene, 2, 0, "lock", KGATE_SCOPE_WAIT, 900);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - 2 * COST));
    assert_near(facts.wait_count, 1, 0);
    assert_near(facts.wait_ns, 500, 1e-9);
    assert_true(isnan(facts.imbalance) && isnan(facts.parallel_count));
}

/* A region of 900 on the thread that has 300 to do and waits, without a scope, for one with 700. */
static void waiting_for_the_slowest_is_no_cost_of_the_region(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    const uint32_t region = scene_add(&scene, 1, call, "region", KGATE_SCOPE_PARALLEL, 900);
    scene_work(&scene, 1, region, "part", 300);
    scene_work(&scene, 2, 0, "part", 700);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - 2 * COST));
    assert_near(facts.parallel_ns, 900 - 300 - COST - 400, 1e-9);
    assert_near(facts.imbalance, 1.4, 1e-9);
    assert_near(facts.imbalance_ns, 200, 1e-9);
}

/* The thread that calls has no part of the work. */
static void the_work_of_other_threads_explains_a_region(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    scene_add(&scene, 1, call, "region", KGATE_SCOPE_PARALLEL, 900);
    scene_work(&scene, 2, 0, "part", 400);
    scene_work(&scene, 3, 0, "part", 600);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - COST));
    assert_near(facts.scope_threads, 2, 0);
    assert_near(facts.parallel_ns, 300, 1e-9);
    assert_near(facts.imbalance, 1.2, 1e-9);
    assert_near(facts.thread_busy_ns, 1000 + 90, 1e-9);
}

static void a_scope_inside_a_shared_one_is_not_shared_again(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    const uint32_t part = scene_work(&scene, 1, call, "part", 400);
    scene_work(&scene, 1, part, "inner", 300);
    const uint32_t other = scene_work(&scene, 2, 0, "part", 800);
    scene_work(&scene, 2, other, "inner", 700);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - 2 * COST));
    assert_near(facts.imbalance_ns, 200, 1e-9);
}

/* Without a parallel region, the time around the threads' work may be waiting or work. */
static void what_is_around_parallel_work_is_not_busy(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    const uint32_t blur = scene_work(&scene, 1, call, "blur", 900);
    scene_work(&scene, 1, blur, "part", 300);
    scene_work(&scene, 1, call, "serial", 50);
    scene_work(&scene, 2, 0, "part", 800);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - 3 * COST));
    assert_near(facts.thread_busy_ns, 300 + 800 + 50, 1e-9);
}

static void one_thread_adds_no_note_of_threads(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    scene_work(&scene, 1, call, "part", 300);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000));
    assert_near(facts.scope_threads, 1, 0);
    assert_true(isnan(facts.imbalance) && isnan(facts.imbalance_ns) &&
                isnan(facts.thread_busy_ns) && isnan(facts.wait_ns));
}

/* Ten calls that start two threads each, with these durations. The second thread is late, except in
 * one call. */
static struct kg_facts start_anew(uint64_t one_ns, uint64_t other_ns, uint64_t late_ns)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_error err;
    recording_process(&recording, 1, 1, "case");
    recording_name(&recording, 1, "case");
    recording_name(&recording, 2, "part");
    recording_node(&recording, 1, 1, 0, 1);
    for (uint32_t i = 0; i < 10; i++) {
        const uint64_t at = 1000 * i;
        recording_node(&recording, 2 * i + 2, 1, 0, 2);
        recording_node(&recording, 2 * i + 3, 1, 0, 2);
        recording_entry(&recording, 2 * i + 2, 1, at + 10, one_ns, 0);
        recording_entry(&recording, 2 * i + 3, 1, at + (i == 4 ? 20 : late_ns), other_ns, 0);
        recording_entry(&recording, 1, 1, at, 900, 0);
    }
    recording_end(&recording);
    assert_true(
        kg_profile_load_usual(recording_save(&recording, folder, "a.kgprof"), &profile, &err));
    const struct kg_facts facts = look(&profile, case_of("case", 900));
    kg_profile_free(&profile);
    recording_free(&recording);
    return facts;
}

static void short_threads_that_a_call_starts_are_several(void **state)
{
    const struct kg_facts even = start_anew(300, 300, 400);
    assert_near(even.scope_threads, 2, 0); /* without the thread that starts them and waits */
    assert_near(even.imbalance, 1, 1e-9);
    assert_near(even.thread_busy_ns, 600, 1e-9);
    assert_near(start_anew(600, 200, 15).imbalance, 1.5, 1e-9);
    assert_near(start_anew(200, 600, 250).imbalance, 1.5, 1e-9);
    assert_near(start_anew(200, 600, 250).imbalance_ns, 200, 1e-9);
}

static void a_thread_that_only_starts_another_is_no_second(void **state)
{
    struct scene scene = {0};
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    scene_add(&scene, 1, call, "join", KGATE_SCOPE_WAIT, 800);
    scene_work(&scene, 2, 0, "part", 700);
    const struct kg_facts facts = look_at(&scene, case_of("case", 1000 - COST));
    assert_near(facts.scope_threads, 1, 0);
    assert_true(isnan(facts.imbalance));
}

/* --- Scopes that could be fused -------------------------------------------------------------- */

/* Siblings that move these bytes at 10 bytes per ns, on a memory of 10 GB/s. */
static struct kg_facts fuse(uint64_t a_bytes, uint64_t b_bytes, uint64_t b_ns, int b_calls)
{
    struct scene scene = {0};
    struct kg_facts facts = case_of("case", 10000 - (2 + b_calls) * COST);
    facts.memory_ceiling_bytes_per_s = 10e9;
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 10000);
    scene.bytes = a_bytes;
    scene_work(&scene, 1, call, "a", 1000);
    scene.bytes = b_bytes;
    for (int i = 0; i < b_calls; i++)
        scene_work(&scene, 1, call, "b", b_ns);
    scene.bytes = 0;
    scene_work(&scene, 1, call, "unknown", 1000);
    return look_at(&scene, facts);
}

static void siblings_that_memory_limits_could_be_fused(void **state)
{
    const struct kg_facts facts = fuse(8000, 10000, 2000, 1);
    assert_near(facts.fusible_count, 2, 0);
    assert_near(facts.fusible_ns, 3000, 1e-9);
    assert_near(facts.fused_bytes, 10000, 1e-9);
    assert_near(facts.separate_bytes, 18000, 1e-9);
}

static void what_is_not_limited_by_memory_is_not_fused(void **state)
{
    assert_true(isnan(fuse(8000, 9999, 2000, 1).fusible_count)); /* just under half the ceiling */
    assert_true(isnan(fuse(8000, 0, 1000, 1).fusible_count));
    assert_true(isnan(fuse(8000, 10000, 1000, 2).fusible_count)); /* called more often */
}

/* --- Calls that took unusually long ---------------------------------------------------------- */

/* Ten calls of 1000, each waiting for 100. One was interrupted during its wait. The recording also
 * has another process with two calls. */
static void calls_that_took_unusually_long_are_left_out(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_error err;
    for (uint32_t process = 1; process <= 2; process++) {
        recording_process(&recording, process, 1, process == 1 ? "case" : "few");
        recording_name(&recording, 1, process == 1 ? "case" : "few");
        recording_name_as(&recording, 2, "wait", KGATE_SCOPE_WAIT, KGATE_DEVICE_CPU, "");
        recording_name(&recording, 3, "part");
        recording_node(&recording, 1, 1, 0, 1);
        recording_node(&recording, 1, 2, 1, 2);
        recording_node(&recording, 2, 1, 0, 3);
        for (uint64_t i = 0; i < (process == 1 ? 10 : 2); i++) {
            const uint64_t at = 100000 * i, more = i == 1 ? 50000 : 0;
            recording_entry(&recording, 2, 1, at + 10, 900 + more, 0);
            recording_entry(&recording, 1, 2, at + 500, 100 + more, 0);
            recording_entry(&recording, 1, 1, at, 1000 + more, 1);
        }
        recording_end(&recording);
    }
    const char *path = recording_save(&recording, folder, "u.kgprof");
    assert_true(kg_profile_load_usual(path, &profile, &err));
    struct kg_facts facts = look(&profile, case_of("case", 1000 - COST));
    assert_near(facts.wait_count, 1, 1e-9);
    assert_near(facts.wait_ns, 100, 1e-9);
    assert_near(facts.thread_busy_ns, 900, 1e-9);
    facts = look(&profile, case_of("few", 1000));
    assert_near(facts.wait_ns, 1000 * 50200 / (52000.0 - 2 * COST), 1e-9);
    kg_profile_free(&profile);
    assert_true(kg_profile_load(recording_save(&recording, folder, "u.kgprof"), &profile, &err));
    assert_near(look(&profile, case_of("case", 1000)).wait_ns, 1000 * 51000 / (60000.0 - 10 * COST),
                1e-9);
    kg_profile_free(&profile);
    recording_free(&recording);
}

/* --- Scopes ---------------------------------------------------------------------------------- */

/* The facts of that operation. */
static const struct kg_facts *find(const struct kg_facts_list *list, const char *operation)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->of[i].operation, operation))
            return &list->of[i];
    fail_msg("no facts of '%s'", operation);
    return NULL;
}

struct found {
    struct kg_profile profile;
    struct kg_arena arena;
    struct kg_facts_list list;
};

static void find_all(struct scene *scene, const struct kg_facts *of, double least_share,
                     struct found *found)
{
    *found = (struct found){0};
    scene_read(scene, folder, &found->profile);
    kg_scopes_find(&found->profile, of, &settings, NULL, least_share, &found->arena, &found->list);
}

static void found_free(struct found *found)
{
    kg_profile_free(&found->profile);
    kg_arena_free(&found->arena);
}

/* Two calls of four iterations of three steps of 200 each, with 90 in between in each. */
static void loops(struct scene *scene, const char *label, const char *outermost)
{
    scene_process(scene, label);
    for (int call = 0; call < 2; call++) {
        const uint32_t root = scene_work(scene, 1, 0, outermost, 4000);
        for (int i = 0; i < 4; i++) {
            const uint32_t around = scene_work(scene, 1, root, "iteration", 720);
            for (int step = 0; step < 3; step++) {
                scene->bytes = 400;
                scene_work(scene, 1, around, "step", 200);
                scene->bytes = 0;
            }
        }
        scene_work(scene, 1, root, "rare", 10);
    }
}

static void a_scope_is_found_by_a_call_of_the_case(void **state)
{
    struct scene scene = {0};
    struct found found;
    struct kg_facts of = case_of("case", (4000 - 17 * COST) / 2.0);
    of.memory_ceiling_bytes_per_s = 8e9;
    of.machine_cores = 4;
    loops(&scene, "case", "case");
    find_all(&scene, &of, 0.05, &found);
    assert_int_equal(found.list.count, 2);
    const struct kg_facts *step = find(&found.list, "case;iteration;step");
    assert_int_equal(step->kind, KG_OPERATION_SCOPE);
    assert_string_equal(step->whole, "case");
    assert_near(step->whole_ns, of.traits.time_ns, 0);
    assert_near(step->calls, 3, 1e-9);
    assert_near(step->call_ns, 100, 1e-9);
    assert_near(step->traits.time_ns, 1200, 1e-9);
    assert_near(step->between_ns, 4 * 45, 1e-9);
    assert_near(step->traits.bytes, 4800, 1e-9);
    assert_near(step->traits.bandwidth_share, 0.5, 1e-9);
    assert_near(step->machine_cores, 4, 0);
    const struct kg_facts *iteration = find(&found.list, "case;iteration");
    assert_near(iteration->calls, 4, 1e-9);
    assert_near(iteration->traits.time_ns, 1440, 1e-9);
    assert_near(iteration->between_ns, (4000 - 4 * 720 - 10 - 50) / 2.0, 1e-9);
    found_free(&found);
}

/* In a call of the case: a hundred tiny ones, with as much again in between. */
static struct kg_facts tiny(uint64_t call_ns, uint64_t between_ns)
{
    enum { TINY = 100 };
    const uint64_t around = TINY * (call_ns + between_ns + COST);
    struct scene scene = {0};
    struct found found;
    const struct kg_facts of = case_of("case", (double)around + 1000 - (TINY + 1) * COST);
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", around + 1000);
    const uint32_t loop = scene_work(&scene, 1, call, "loop", around);
    for (int i = 0; i < TINY; i++)
        scene_work(&scene, 1, loop, "tiny", call_ns);
    find_all(&scene, &of, 0.05, &found);
    struct kg_facts facts = *find(&found.list, "case;loop;tiny");
    found_free(&found);
    facts.operation = facts.whole = NULL;
    return facts;
}

static void between_calls_near_the_profilers_cost_there_is_nothing_to_know(void **state)
{
    assert_true(isnan(tiny(50, 49).between_ns));
    assert_near(tiny(50, 49).call_ns, 50, 1e-6);
    assert_near(tiny(50, 51).between_ns, 5100, 1e-6);
    assert_near(tiny(90, 11).between_ns, 1100, 1e-6);
}

static void scopes_that_wait_and_regions_are_not_called_too_often(void **state)
{
    struct scene scene = {0};
    struct found found;
    const struct kg_facts of = case_of("case", 1000 - 12 * COST);
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    for (int i = 0; i < 4; i++) {
        const uint32_t region = scene_add(&scene, 1, call, "region", KGATE_SCOPE_PARALLEL, 200);
        scene_work(&scene, 1, region, "part", 90);
        scene_add(&scene, 1, call, "wait", KGATE_SCOPE_WAIT, 40);
    }
    find_all(&scene, &of, 0.1, &found);
    const struct kg_facts *region = find(&found.list, "case;region");
    assert_true(isnan(region->calls) && isnan(region->between_ns));
    assert_near(region->parallel_count, 4, 1e-9);
    assert_near(region->parallel_ns, 400, 1e-9);
    const struct kg_facts *wait = find(&found.list, "case;wait");
    assert_true(isnan(wait->calls) && isnan(wait->call_ns));
    assert_near(wait->wait_count, 4, 1e-9);
    assert_near(wait->wait_ns, 160, 1e-9);
    const struct kg_facts *part = find(&found.list, "case;region;part");
    assert_near(part->calls, 1, 1e-9);
    assert_true(isnan(part->between_ns)); /* that is the region's */
    found_free(&found);
}

static void a_scope_knows_how_evenly_threads_shared_it(void **state)
{
    struct scene scene = {0};
    struct found found;
    const struct kg_facts of = case_of("case", 1000 - 3 * COST);
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1000);
    const uint32_t part = scene_work(&scene, 1, call, "part", 400);
    scene_work(&scene, 1, part, "inner", 300);
    const uint32_t other = scene_work(&scene, 2, 0, "part", 800);
    scene_work(&scene, 2, other, "inner", 700);
    scene_work(&scene, 1, call, "serial", 100);
    find_all(&scene, &of, 0.05, &found);
    assert_int_equal(found.list.count, 3);
    assert_near(find(&found.list, "case;part")->imbalance_ns, 200, 1e-9);
    assert_near(find(&found.list, "case;part")->scope_threads, 2, 0);
    assert_near(find(&found.list, "case;part;inner")->imbalance, 1.4, 1e-9);
    assert_true(isnan(find(&found.list, "case;serial")->imbalance));
    assert_near(find(&found.list, "case;serial")->scope_threads, 1, 0);
    found_free(&found);
}

/* --- Programs -------------------------------------------------------------------------------- */

static void of_any_program_each_outermost_scope_is_a_whole(void **state)
{
    struct scene scene = {0};
    struct found found;
    loops(&scene, "", "solve");
    scene_add(&scene, 1, 0, "idle", KGATE_SCOPE_WAIT, 500);
    scene_work(&scene, 2, 0, "helper", 700);
    find_all(&scene, NULL, 0.05, &found);
    assert_int_equal(found.list.count, 4); /* the helper is no whole */
    const struct kg_facts *solve = find(&found.list, "solve");
    assert_string_equal(solve->whole, "solve");
    assert_near(solve->whole_ns, 4000, 1e-9);
    assert_near(solve->traits.time_ns, 4000, 1e-9);
    assert_near(solve->scope_threads, 2, 0);
    assert_true(isnan(solve->calls));
    const struct kg_facts *step = find(&found.list, "solve;iteration;step");
    assert_near(step->traits.time_ns, 2400, 1e-9);
    assert_near(step->whole_ns, 4000, 1e-9);
    assert_near(find(&found.list, "idle")->wait_ns, 500, 1e-9);
    found_free(&found);
}

/* Two commands of one program, each called twice: only their labels differ. A process starts and
 * ends outside of its scopes, so nothing is made longer. */
static void a_commands_processes_are_its_calls(void **state)
{
    struct scene scene = {0};
    struct found found;
    const struct kg_facts of = case_of("large", 5000);
    for (int i = 0; i < 2; i++) {
        loops(&scene, "small", "main");
        loops(&scene, "large", "main");
        scene_add(&scene, 1, 0, "lock", KGATE_SCOPE_WAIT, 600);
    }
    find_all(&scene, &of, 0.05, &found);
    const struct kg_facts *step = find(&found.list, "large;main;iteration;step");
    assert_near(step->traits.time_ns, 4800, 1e-9);
    assert_near(step->calls, 3, 1e-9);
    assert_near(find(&found.list, "large;main")->calls, 2, 1e-9);
    assert_string_equal(step->whole, "large");
    const struct kg_facts facts = look(&found.profile, of);
    assert_near(facts.wait_count, 1, 1e-9);
    assert_near(facts.wait_ns, 600, 1e-9);
    found_free(&found);
}

static void scopes_sampled_one_by_one_note_nothing(void **state)
{
    struct scene scene = {0};
    struct found found;
    const struct kg_chunk_process sampled = {.sample = 0.5, .sampling = KGATE_SAMPLE_SCOPES};
    loops(&scene, "case", "case");
    char *process = scene.recording.bytes.data + sizeof(struct kg_chunk);
    memcpy(process + offsetof(struct kg_chunk_process, sample), &sampled.sample,
           sizeof sampled.sample);
    memcpy(process + offsetof(struct kg_chunk_process, sampling), &sampled.sampling,
           sizeof sampled.sampling);
    find_all(&scene, NULL, 0, &found);
    assert_int_equal(found.list.count, 0);
    found_free(&found);
}

/* --- The GPU --------------------------------------------------------------------------------- */

/* A call of 1000 on the device; the host launches two kernels of 400 in no time and waits. */
static void on_the_gpu_scopes_take_what_they_take_there(void **state)
{
    struct scene scene = {.device = KGATE_DEVICE_CUDA};
    struct found found;
    struct kg_facts of = case_of("case", 2000);
    of.device = "cuda";
    of.traits.bandwidth_ceiling_bytes_per_s = 1e12;
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 1200);
    scene.gpu_ns = 1000;
    const uint32_t stream = scene_work(&scene, 1, call, "on the stream", 1000);
    scene.gpu_ns = 400;
    scene.bytes = 320000;
    scene_work(&scene, 1, stream, "first", 5);
    scene_work(&scene, 1, stream, "second", 5);
    scene.gpu_ns = scene.bytes = 0;
    scene_add(&scene, 1, stream, "synchronise", KGATE_SCOPE_WAIT, 300);
    find_all(&scene, &of, 0.05, &found);
    assert_int_equal(found.list.count, 3); /* not kgate's own scope around the call */
    const struct kg_facts *first = find(&found.list, "case;on the stream;first");
    assert_near(first->traits.time_ns, 800, 1e-9);
    assert_near(first->traits.gpu_ns, 800, 1e-9);
    assert_near(first->traits.bandwidth_share, 0.4, 1e-9);
    assert_string_equal(first->device, "cuda");
    assert_near(find(&found.list, "case;on the stream;synchronise")->wait_count, 1, 0);
    of.traits.bandwidth_ceiling_bytes_per_s = 0.8e12;
    const struct kg_facts facts = look(&found.profile, of);
    assert_near(facts.fusible_count, 2, 0);
    assert_near(facts.fusible_ns, 1600, 1e-9);
    found_free(&found);
}

/* --- Nonsense -------------------------------------------------------------------------------- */

static void scopes_of_no_time_note_nothing(void **state)
{
    struct scene scene = {0};
    struct found found;
    scene_process(&scene, "case");
    const uint32_t call = scene_work(&scene, 1, 0, "case", 0);
    const uint32_t region = scene_add(&scene, 1, call, "region", KGATE_SCOPE_PARALLEL, 0);
    scene.bytes = 100;
    scene_work(&scene, 1, region, "part", 0);
    scene_work(&scene, 2, 0, "part", 0);
    find_all(&scene, NULL, 0, &found);
    assert_int_equal(found.list.count, 0);
    const double times[] = {NAN, 0, -1, INFINITY, 1000};
    for (size_t i = 0; i < 5; i++) {
        const struct kg_facts facts = look(&found.profile, case_of("case", times[i]));
        assert_true(isnan(facts.imbalance) && isnan(facts.fusible_count));
        assert_false(isinf(facts.parallel_ns) || facts.parallel_ns > 0);
    }
    found_free(&found);
}

static void a_scope_open_to_the_end_does_no_harm(void **state)
{
    struct scene scene = {0};
    struct found found;
    scene_process(&scene, "case");
    const uint32_t root = scene_node(&scene, 1, 0, scene_name(&scene, "main", KGATE_SCOPE_COMPUTE));
    scene_work(&scene, 1, root, "part", 500);
    find_all(&scene, NULL, 0, &found);
    assert_int_equal(found.list.count, 0);
    const struct kg_facts facts = look(&found.profile, case_of("case", 1000));
    assert_near(facts.scope_threads, 1, 0);
    found_free(&found);
}

/* Any readable profile gives known or unknown facts, never invalid ones. */
static void look_at_all(const char *path)
{
    struct kg_profile profile;
    struct kg_arena arena = {0};
    struct kg_facts_list list = {0};
    struct kg_error err;
    struct kg_facts facts = case_of("call", 1000);
    if (!kg_profile_load_usual(path, &profile, &err))
        return;
    facts.memory_ceiling_bytes_per_s = 1;
    kg_scopes_of_case(&profile, &settings, &facts);
    kg_scopes_find(&profile, &facts, &settings, NULL, 0, &arena, &list);
    kg_scopes_find(&profile, NULL, &settings, NULL, 0, &arena, &list);
    for (size_t i = 0; i < list.count; i++)
        assert_true(isfinite(list.of[i].traits.time_ns) && list.of[i].traits.time_ns >= 0);
    kg_arena_free(&arena);
    kg_profile_free(&profile);
}

static void flipped_bits_do_no_harm(void **state)
{
    const uint64_t seed = 20261121;
    struct kg_random random = {seed};
    struct recording recording = {0};
    print_message("seed %llu\n", (unsigned long long)seed);
    recording_parallel(&recording, 1, "call");
    recording_parallel(&recording, 2, "");
    for (int turn = 0; turn < 2000; turn++) {
        char *byte =
            &recording.bytes.data[kg_random_below(&random, (uint64_t)recording.bytes.length)];
        const char before = *byte;
        *byte = (char)(before ^ 1 << kg_random_below(&random, 8));
        look_at_all(recording_save(&recording, folder, "flipped.kgprof"));
        *byte = before;
    }
    recording_free(&recording);
}

/* --- Real threads ---------------------------------------------------------------------------- */

enum { CALLS = 20, ROUNDS = 5 };

static pthread_barrier_t barrier;
static _Thread_local volatile double sink;

static void part(int turns)
{
    KGATE_SCOPE("part");
    double x = 1;
    for (int i = 0; i < turns; i++)
        x = x * 0.999 + 0.5;
    sink = x;
}

static void rounds(int turns)
{
    for (int i = 0; i < ROUNDS; i++) {
        part(turns);
        KGATE_SCOPE_WAITING("barrier");
        pthread_barrier_wait(&barrier);
    }
}

static void *other_thread(void *argument)
{
    (void)argument;
    rounds(20000);
    return NULL;
}

static void call(void)
{
    static struct kgate_site site = {.name = "case"};
    struct kgate_scope scope = kgate_scope_begin(NULL, &site, 0);
    pthread_t thread;
    {
        KGATE_SCOPE_PARALLEL_REGION("region");
        assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
        rounds(2000);
        pthread_join(thread, NULL);
    }
    kgate_scope_end(&scope);
}

static void what_the_profiler_records_of_threads_is_understood(void **state)
{
    struct kg_profile profile;
    struct kg_error err;
    char path[128], message[256];
    snprintf(path, sizeof path, "%s/threads.kgprof", folder);
    const struct kgate_profiler_options options = {.path = path, .label = "case"};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    assert_true(kgate_profiler_start(&options, message));
    for (int i = 0; i < CALLS; i++)
        call();
    kgate_profiler_stop();
    pthread_barrier_destroy(&barrier);
    assert_true(kg_profile_read(path, &profile, &err));
    const struct kg_facts facts = look(&profile, case_of("case", 1e6));
    assert_near(facts.wait_count, ROUNDS, 1e-9);
    assert_near(facts.parallel_count, 1, 1e-9);
    assert_near(facts.scope_threads, 2, 0); /* though each call starts another one */
    assert_true(facts.imbalance >= 1 && facts.imbalance <= 2);
    assert_true(facts.wait_ns > 0 && facts.wait_ns < 1e6);
    assert_true(facts.parallel_ns >= 0 && facts.parallel_ns + facts.wait_ns <= 1e6);
    assert_true(facts.thread_busy_ns > 0);
    kg_profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_regions_and_threads_of_a_case_are_a_calls),
        cmocka_unit_test(times_are_scaled_to_what_was_measured),
        cmocka_unit_test(a_json_profile_gives_the_same),
        cmocka_unit_test(what_was_not_recorded_is_left_alone),
        cmocka_unit_test(other_cases_of_the_recording_do_not_count),
        cmocka_unit_test(waiting_inside_waiting_counts_once),
        cmocka_unit_test(waiting_for_the_slowest_is_no_cost_of_the_region),
        cmocka_unit_test(the_work_of_other_threads_explains_a_region),
        cmocka_unit_test(a_scope_inside_a_shared_one_is_not_shared_again),
        cmocka_unit_test(what_is_around_parallel_work_is_not_busy),
        cmocka_unit_test(one_thread_adds_no_note_of_threads),
        cmocka_unit_test(short_threads_that_a_call_starts_are_several),
        cmocka_unit_test(a_thread_that_only_starts_another_is_no_second),
        cmocka_unit_test(siblings_that_memory_limits_could_be_fused),
        cmocka_unit_test(what_is_not_limited_by_memory_is_not_fused),
        cmocka_unit_test(calls_that_took_unusually_long_are_left_out),
        cmocka_unit_test(a_scope_is_found_by_a_call_of_the_case),
        cmocka_unit_test(between_calls_near_the_profilers_cost_there_is_nothing_to_know),
        cmocka_unit_test(scopes_that_wait_and_regions_are_not_called_too_often),
        cmocka_unit_test(a_scope_knows_how_evenly_threads_shared_it),
        cmocka_unit_test(of_any_program_each_outermost_scope_is_a_whole),
        cmocka_unit_test(a_commands_processes_are_its_calls),
        cmocka_unit_test(scopes_sampled_one_by_one_note_nothing),
        cmocka_unit_test(on_the_gpu_scopes_take_what_they_take_there),
        cmocka_unit_test(scopes_of_no_time_note_nothing),
        cmocka_unit_test(a_scope_open_to_the_end_does_no_harm),
        cmocka_unit_test(flipped_bits_do_no_harm),
        cmocka_unit_test(what_the_profiler_records_of_threads_is_understood),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
