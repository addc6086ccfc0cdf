/* Counters of a processor, from event trees as the kernel exports them. The use of a pipeline's
 * slots, from published counts. No hardware counter is needed here. */
#include "run/timing/core_events.h"
#include "run/timing/timed_loop.h"

#include <linux/perf_event.h>
#include <sys/stat.h>

#include "test_support.h"

static char *folder;
static char cpuinfo[128];

static void file_write(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    assert_int_equal(fclose(file), 0);
}

static void device_make(const char *device)
{
    static const char *const formats[][2] = {{"umask", "config:8-15"},
                                             {"edge", "config:18"},
                                             {"any", "config:21"},
                                             {"inv", "config:23"},
                                             {"cmask", "config:24-31"}};
    static const char *const folders[] = {"", "/events", "/format"};
    char name[64];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(name, sizeof name, "%s/%s%s", folder, device, folders[i]);
        assert_int_equal(mkdir(name, 0700), 0);
    }
    snprintf(name, sizeof name, "%s/type", device);
    file_write(name, "4");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        snprintf(name, sizeof name, "%s/format/%s", device, formats[i][0]);
        file_write(name, formats[i][1]);
    }
    snprintf(name, sizeof name, "%s/format/event", device);
    file_write(name, "config:0-7");
}

static void processor_write(const char *vendor, int family, int model)
{
    char text[256];
    snprintf(text, sizeof text,
             "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: 7\n",
             vendor, family, model);
    file_write("cpuinfo", text);
}

static int begin(void **state)
{
    folder = support_folder();
    snprintf(cpuinfo, sizeof cpuinfo, "%s/cpuinfo", folder);
    processor_write("GenuineIntel", 6, 106);
    return 0;
}

static int end(void **state)
{
    support_remove(folder);
    return 0;
}

static struct kg_core_events found(void)
{
    struct kg_core_events events;
    kg_core_events_find(folder, cpuinfo, &events);
    return events;
}

static void assert_event(const struct kg_core_events *events, enum kg_core_event event,
                         uint64_t config, double scale)
{
    if (!events->of[event].there || events->of[event].event.config != config)
        fail_msg("%s: %d, %#llx", kg_core_event_names[event], events->of[event].there,
                 (unsigned long long)events->of[event].event.config);
    assert_int_equal(events->of[event].event.type, 4);
    assert_true(events->of[event].scale >= scale && events->of[event].scale <= scale);
}

static void assert_no_slots(void)
{
    const struct kg_core_events events = found();
    for (int event = KG_CORE_SLOTS; event < KG_CORE_EVENTS; event++)
        assert_false(events.of[event].there);
    assert_int_equal(events.of[KG_CORE_CYCLES].event.type, PERF_TYPE_HARDWARE);
    assert_true(events.of[KG_CORE_MISPREDICTED].there);
}

static void without_counters_only_common_events_are_tried(void **state)
{
    assert_no_slots();
    processor_write("AuthenticAMD", 25, 17); /* in a virtual machine */
    assert_no_slots();
}

/* Events as in arch/x86/events/intel/core.c. */
static void ice_lake_write(const char *device)
{
    static const char *const events[][2] = {{"slots", "event=0x00,umask=0x4"},
                                            {"topdown-retiring", "event=0x00,umask=0x80"},
                                            {"topdown-bad-spec", "event=0x00,umask=0x81"},
                                            {"topdown-fe-bound", "event=0x00,umask=0x82"},
                                            {"topdown-be-bound", "event=0x00,umask=0x83"}};
    char name[64];
    device_make(device);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        snprintf(name, sizeof name, "%s/events/%s", device, events[i][0]);
        file_write(name, events[i][1]);
    }
}

static void four_shares_that_the_processor_knows(void **state)
{
    ice_lake_write("cpu");
    struct kg_core_events events = found();
    assert_event(&events, KG_CORE_SLOTS, 0x400, 1);
    assert_event(&events, KG_CORE_RETIRED, 0x8000, 1);
    assert_event(&events, KG_CORE_BLOCKED, 0x8300, 1);
    assert_false(events.of[KG_CORE_MEMORY].there);
    assert_int_equal(events.of[KG_CORE_RETIRED].group, events.of[KG_CORE_SLOTS].group);
    assert_int_not_equal(events.of[KG_CORE_CYCLES].group, events.of[KG_CORE_SLOTS].group);
    file_write("cpu/events/topdown-mem-bound", "event=0x00,umask=0x87");
    events = found();
    assert_event(&events, KG_CORE_MEMORY, 0x8700, 1);
}

static void of_two_kinds_of_cores_the_large_ones(void **state)
{
    ice_lake_write("cpu_core");
    const struct kg_core_events events = found();
    assert_event(&events, KG_CORE_WASTED, 0x8100, 1);
}

static void a_method_that_lacks_an_event_is_none(void **state)
{
    char path[256];
    ice_lake_write("cpu");
    snprintf(path, sizeof path, "%s/cpu/events/topdown-fe-bound", folder);
    assert_int_equal(unlink(path), 0);
    assert_no_slots();
}

static void what_cannot_be_read_is_not_there(void **state)
{
    static const char *const formats[] = {"config1:8-15", "config:8-14",  "config:15-8",
                                          "config:8-",    "config:60-70", "bits"};
    static const char *const terms[] = {"event=0x00,umask=0x181", "event=0x00,shape=1", "", ","};
    ice_lake_write("cpu");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        file_write("cpu/format/umask", formats[i]);
        assert_no_slots();
    }
    file_write("cpu/format/umask", "config:8-15");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        file_write("cpu/events/topdown-bad-spec", terms[i]);
        assert_no_slots();
    }
    file_write("cpu/events/topdown-bad-spec", "event=0x00,umask=0x81");
    file_write("cpu/type", "none");
    assert_no_slots();
}

/* Two threads per core, in the format of such a kernel. */
static void shares_that_are_found_by_recovery(void **state)
{
    device_make("cpu");
    file_write("cpu/events/topdown-total-slots", "event=0x3c,umask=0x0,any=1");
    file_write("cpu/events/topdown-total-slots.scale", "2");
    file_write("cpu/events/topdown-slots-issued", "event=0xe,umask=0x1");
    file_write("cpu/events/topdown-slots-retired", "event=0xc2,umask=0x2");
    file_write("cpu/events/topdown-fetch-bubbles", "event=0x9c,umask=0x1");
    file_write("cpu/events/topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1,any=1");
    file_write("cpu/events/topdown-recovery-bubbles.scale", "2");
    const struct kg_core_events events = found();
    assert_event(&events, KG_CORE_SLOTS, 0x20003c, 2);
    assert_event(&events, KG_CORE_ISSUED, 0x10e, 1);
    assert_event(&events, KG_CORE_RECOVERY, 0x120030d, 2);
    assert_false(events.of[KG_CORE_BLOCKED].there);
}

static void amd_by_model(void **state)
{
    static const struct {
        int family, model;
        double slots; /* 0: not known */
    } models[] = {{0x19, 0x01, 0}, {0x19, 0x21, 0}, {0x19, 0x11, 6}, {0x19, 0x61, 6},
                  {0x1a, 0x02, 8}, {0x1a, 0x44, 8}, {0x1a, 0x50, 0}, {0x17, 0x31, 0}};
    device_make("cpu");
    file_write("cpu/format/event", "config:0-7,32-35");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        processor_write("AuthenticAMD", models[i].family, models[i].model);
        if (!(models[i].slots > 0)) {
            assert_no_slots();
            continue;
        }
        const struct kg_core_events events = found();
        assert_event(&events, KG_CORE_SLOTS, 0x76, models[i].slots);
        assert_event(&events, KG_CORE_UNFED, UINT64_C(0x1000001a0), 1);
        assert_event(&events, KG_CORE_LOADING, 0xa2d6, 1);
    }
    processor_write("GenuineIntel", 0x19, 0x11);
    assert_no_slots();
}

/* --- Recorded counts -------------------------------------------------------------------------- */

static double *nothing_counted(void)
{
    static double counts[KG_CORE_EVENTS];
    for (int i = 0; i < KG_CORE_EVENTS; i++)
        counts[i] = NAN;
    return counts;
}

static void assert_shares(const double *counts, struct kg_topdown expected, double exact)
{
    const struct kg_topdown of = kg_topdown_of(counts);
    const double pairs[][2] = {{of.retiring, expected.retiring},
                               {of.bad_speculation, expected.bad_speculation},
                               {of.frontend_bound, expected.frontend_bound},
                               {of.backend_bound, expected.backend_bound},
                               {of.memory_bound, expected.memory_bound}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (isnan(pairs[i][0]) != isnan(pairs[i][1]) || fabs(pairs[i][0] - pairs[i][1]) > exact)
            fail_msg("share %zu: %g, not %g", i, pairs[i][0], pairs[i][1]);
}

/* Counts and the shares that perf stat printed beside them. */
static void as_perf_prints_them(void **state)
{
    /* Ice Lake: `make -s -j96 bzImage`, in a patch to the kernel for Linux 5.15-rc6, linux-kernel
     * mailing list, October 2021: means of five runs */
    double *counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 22511903971150;
    counts[KG_CORE_RETIRED] = 7377211958188;
    counts[KG_CORE_WASTED] = 3145247374138;
    counts[KG_CORE_UNFED] = 8018664899041;
    counts[KG_CORE_BLOCKED] = 4167103609622;
    assert_shares(counts, (struct kg_topdown){0.325, 0.139, 0.352, 0.183, NAN}, 0.002);

    /* Sapphire Rapids: `sleep 1`, of "perf stat: Add Topdown metrics L2 events as default events"
     * (Kan Liang, linux-kernel mailing list) */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 8431908;
    counts[KG_CORE_RETIRED] = 1554116;
    counts[KG_CORE_WASTED] = 1289585;
    counts[KG_CORE_UNFED] = 2810636;
    counts[KG_CORE_BLOCKED] = 2810636;
    counts[KG_CORE_MEMORY] = 1454917;
    assert_shares(counts, (struct kg_topdown){0.184, 0.152, 0.332, 0.332, 0.172}, 0.001);

    /* Skylake or before, by `perf stat -M TopdownL1`: a program of a course, `rdf original input
     * 30` */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 4 * 191218334772.0;
    counts[KG_CORE_ISSUED] = 437075361555;
    counts[KG_CORE_RETIRED] = 373401307787;
    counts[KG_CORE_UNFED] = 128748925064;
    counts[KG_CORE_RECOVERY] = 4 * 7158428964.0;
    assert_shares(counts, (struct kg_topdown){0.49, 0.12, 0.17, 0.22, NAN}, 0.006);

    /* also from Arm's learning path on the top-down method: a chain of divisions */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 4 * 19201754818.0;
    counts[KG_CORE_ISSUED] = 7017115812;
    counts[KG_CORE_RETIRED] = 7026625438;
    counts[KG_CORE_UNFED] = 31942584;
    counts[KG_CORE_RECOVERY] = 4 * 704834.0;
    assert_shares(counts, (struct kg_topdown){0.09, 0, 0, 0.91, NAN}, 0.006);

    /* Zen 4, by `perf stat -M PipelineL2`: kinematics-demo, OmpSimdSim, compiled by gcc 13.3 */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 6 * 61729721447.0;
    counts[KG_CORE_ISSUED] = 57926321273;
    counts[KG_CORE_RETIRED] = 55104498184;
    counts[KG_CORE_UNFED] = 12892057596;
    counts[KG_CORE_BLOCKED] = 299048140951;
    counts[KG_CORE_UNRETIRED] = 47689982568;
    counts[KG_CORE_LOADING] = 35573254326;
    assert_shares(counts, (struct kg_topdown){0.148, 0.007, 0.035, 0.807, 0.602}, 0.001);

    /* Zen 4, by `perf stat -M PipelineL1`: input processing without branches */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 6 * 44116386583.0;
    counts[KG_CORE_ISSUED] = 219730483625;
    counts[KG_CORE_RETIRED] = 214351198437;
    counts[KG_CORE_UNFED] = 5543991665;
    counts[KG_CORE_BLOCKED] = 39403115284;
    assert_shares(counts, (struct kg_topdown){0.81, 0.02, 0.021, 0.149, NAN}, 0.001);
}

static void nonsense_is_not_known(void **state)
{
    const struct kg_topdown unknown = {NAN, NAN, NAN, NAN, NAN};
    double *counts = nothing_counted();
    assert_shares(counts, unknown, 0);
    /* a small core's counts for these events, of which perf made "1211.9% frontend bound": a thread
     * on the linux-kernel mailing list about the names of events */
    counts[KG_CORE_SLOTS] = 194420;
    counts[KG_CORE_ISSUED] = 1073595;
    counts[KG_CORE_RETIRED] = 944133;
    counts[KG_CORE_UNFED] = 2356235;
    counts[KG_CORE_RECOVERY] = 226132;
    assert_shares(counts, unknown, 0);
    /* one counter never ran */
    counts = nothing_counted();
    counts[KG_CORE_SLOTS] = 100;
    counts[KG_CORE_ISSUED] = counts[KG_CORE_RETIRED] = counts[KG_CORE_UNFED] = 30;
    assert_shares(counts, unknown, 0);
    /* they take more than there is */
    counts[KG_CORE_BLOCKED] = 60;
    assert_shares(counts, unknown, 0);
    counts[KG_CORE_BLOCKED] = 40;
    counts[KG_CORE_UNRETIRED] = counts[KG_CORE_LOADING] = 0;
    assert_shares(counts, (struct kg_topdown){0.3, 0, 0.3, 0.4, NAN}, 1e-9);
    /* nothing ran */
    counts = nothing_counted();
    counts[KG_CORE_RETIRED] = counts[KG_CORE_WASTED] = 0;
    counts[KG_CORE_UNFED] = counts[KG_CORE_BLOCKED] = 0;
    assert_shares(counts, unknown, 0);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* The kernel's software events instead of the processor's. If a group's leader is refused, nothing
 * in its group is counted. */
static void what_is_refused_is_left_out(void **state)
{
    static struct kg_core_counting counting;
    double counts[KG_CORE_EVENTS];
    const struct kg_core_counter time = {
        true, {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}, 2, 0};
    counting.events.of[KG_CORE_CYCLES] = counting.events.of[KG_CORE_BRANCHES] = time;
    counting.events.of[KG_CORE_BRANCHES].scale = 3;
    counting.events.of[KG_CORE_SLOTS] = counting.events.of[KG_CORE_ISSUED] = time;
    counting.events.of[KG_CORE_SLOTS].group = counting.events.of[KG_CORE_ISSUED].group = 1;
    counting.events.of[KG_CORE_SLOTS].event.config = UINT64_MAX;
    if (!kg_core_counting_open(&counting))
        skip(); /* perf_event is forbidden altogether */
    kg_core_counting_start(&counting);
    for (volatile int i = 0; i < 10000000; i++)
        continue;
    kg_core_counting_stop(&counting, counts);
    assert_true(counts[KG_CORE_CYCLES] > 1e6);
    assert_true(fabs(counts[KG_CORE_BRANCHES] / counts[KG_CORE_CYCLES] - 1.5) < 0.1);
    assert_true(isnan(counts[KG_CORE_SLOTS]) && isnan(counts[KG_CORE_ISSUED]));
    assert_true(isnan(counts[KG_CORE_INSTRUCTIONS]));
    kg_core_counting_close(&counting);
    assert_int_equal(counting.descriptors[KG_CORE_CYCLES], -1);
}

/* --- This machine ----------------------------------------------------------------------------- */

/* One branch per iteration. Assembler, since a sanitizer adds code to each addition of C. */
static void turns_take(int turns)
{
#ifdef __x86_64__
    __asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#else
    for (volatile int i = 0; i < turns; i++)
        continue;
#endif
}

/* If there are counters: a loop of a million iterations has a million branches, almost all
 * predicted correctly. */
static void this_machine_counts_or_reports_that_it_cannot(void **state)
{
    enum { TURNS = 1000000 };
    static struct kg_core_counting counting;
    double counts[KG_CORE_EVENTS];
    kg_core_events_find(KG_CORE_DEVICES, KG_CORE_CPUINFO, &counting.events);
    if (!kg_core_counting_open(&counting)) {
        for (int i = 0; i < KG_CORE_EVENTS; i++)
            assert_int_equal(counting.descriptors[i], -1);
        skip();
    }
    kg_core_counting_start(&counting);
    turns_take(TURNS);
    kg_core_counting_stop(&counting, counts);
    kg_core_counting_close(&counting);
    assert_true(counts[KG_CORE_CYCLES] > 0);
    if (!isnan(counts[KG_CORE_BRANCHES]))
        assert_true(counts[KG_CORE_BRANCHES] >= TURNS && counts[KG_CORE_BRANCHES] < 1.2 * TURNS);
    if (!isnan(counts[KG_CORE_MISPREDICTED]))
        assert_true(counts[KG_CORE_MISPREDICTED] < 0.01 * TURNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_counters_only_common_events_are_tried, begin, end),
        cmocka_unit_test_setup_teardown(four_shares_that_the_processor_knows, begin, end),
        cmocka_unit_test_setup_teardown(of_two_kinds_of_cores_the_large_ones, begin, end),
        cmocka_unit_test_setup_teardown(a_method_that_lacks_an_event_is_none, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_there, begin, end),
        cmocka_unit_test_setup_teardown(shares_that_are_found_by_recovery, begin, end),
        cmocka_unit_test_setup_teardown(amd_by_model, begin, end),
        cmocka_unit_test(as_perf_prints_them),
        cmocka_unit_test(nonsense_is_not_known),
        cmocka_unit_test(what_is_refused_is_left_out),
        cmocka_unit_test(this_machine_counts_or_reports_that_it_cannot),
    };
    return cmocka_run_group_tests_name("core_events", tests, NULL, NULL);
}
