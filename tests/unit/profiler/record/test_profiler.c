/* The recording library as a program uses it: real threads, files and forks. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kgate/profiler.h"
#include "profiler/read/profile.h"
#include "test_support.h"

static char path[128];

static int set_up(void **state)
{
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/run.kgprof", folder);
    *state = folder;
    return 0;
}

static int tear_down(void **state)
{
    kgate_profiler_stop();
    support_remove(*state);
    return 0;
}

static void start(const struct kgate_profiler_options *wanted)
{
    char message[256] = "";
    struct kgate_profiler_options options = wanted ? *wanted : (struct kgate_profiler_options){0};
    if (!options.path)
        options.path = path;
    if (!kgate_profiler_start(&options, message))
        fail_msg("not started: %s", message);
}

/* The recording at `path`. */
static struct kg_profile read_back(void)
{
    struct kg_profile profile;
    struct kg_error err = {0};
    if (!kg_profile_read(path, &profile, &err))
        fail_msg("%s", err.message);
    return profile;
}

static const struct kg_profile_row *row_of(const struct kg_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->row_count; i++)
        if (!strcmp(profile->rows[i].path.name, name))
            return &profile->rows[i];
    fail_msg("no path ends in '%s'", name);
    return NULL;
}

static uint64_t calls_of(const struct kg_profile *profile, const char *name)
{
    return row_of(profile, name)->figures.calls;
}

static uint64_t name_calls(const struct kg_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->name_count; i++)
        if (!strcmp(profile->names[i].name, name))
            return profile->names[i].figures.calls;
    return 0;
}

static struct kgate_profile_losses losses_of(const struct kg_profile *profile)
{
    assert_int_equal(profile->process_count, 1);
    return profile->processes[0].losses;
}

static void inner(void)
{
    KGATE_FUNCTION();
}

static void outer(int inside)
{
    KGATE_SCOPE("outer");
    for (int i = 0; i < inside; i++)
        inner();
}

static void scopes_nest_by_blocks_and_functions(void **state)
{
    (void)state;
    start(NULL);
    outer(3);
    outer(2);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "outer"), 2);
    assert_int_equal(calls_of(&profile, "inner"), 5);
    const struct kg_profile_row *row = row_of(&profile, "inner");
    assert_string_equal(profile.rows[row->path.parent].path.name, "outer");
    assert_true(row->figures.total_ns <= row_of(&profile, "outer")->figures.total_ns);
    assert_true(profile.processes[0].complete);
    assert_non_null(strstr(row->path.file, "test_profiler.c"));
    kg_profile_free(&profile);
}

/* A program's JSON of its own recording misses nothing: the buffers were written for it. */
static void json_of_the_own_recording_is_complete(void **state)
{
    (void)state;
    char message[256] = "", json[4096] = "";
    start(NULL);
    outer(1);
    FILE *file = tmpfile();
    assert_non_null(file);
    if (!kgate_profiler_print(NULL, KGATE_PROFILE_JSON, file, 0, message))
        fail_msg("%s", message);
    rewind(file);
    assert_true(fread(json, 1, sizeof json - 1, file) > 0);
    assert_non_null(strstr(json, "\"complete\":true"));
    fclose(file);
    kgate_profiler_stop();
}

static void nothing_is_recorded_before_start_after_stop_or_while_paused(void **state)
{
    (void)state;
    outer(1);
    start(NULL);
    outer(1);
    kgate_profiler_enable(NULL, false);
    outer(1);
    kgate_profiler_enable(NULL, true);
    outer(1);
    kgate_profiler_stop();
    outer(1);
    kgate_profiler_enable(NULL, true);
    outer(1);
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "outer"), 2);
    kg_profile_free(&profile);
}

static void a_scope_open_while_paused_is_recorded_when_it_ends(void **state)
{
    (void)state;
    start(NULL);
    {
        KGATE_SCOPE("long");
        kgate_profiler_enable(NULL, false);
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "long"), 1);
    kg_profile_free(&profile);
}

static void a_second_start_is_refused_and_a_later_one_begins_anew(void **state)
{
    (void)state;
    char message[256] = "";
    start(NULL);
    outer(1);
    assert_false(kgate_profiler_start(NULL, message));
    assert_non_null(strstr(message, "runs already"));
    kgate_profiler_stop();
    start(NULL);
    outer(4);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "inner"), 4);
    kg_profile_free(&profile);
}

static void bad_options_are_refused_with_a_message(void **state)
{
    (void)state;
    char message[256];
    const struct kgate_profiler_options bad[] = {{.sample = 1.5},
                                                 {.sample = -1},
                                                 {.buffer_entries = 100},
                                                 {.buffer_entries = 1U << 21},
                                                 {.path = "/nonexistent/folder/x.kgprof"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        message[0] = '\0';
        assert_false(kgate_profiler_start(&bad[i], message));
        assert_true(strlen(message) > 10);
    }
}

static struct kgate_site site_a = {.name = "a"}, site_b = {.name = "b"}, site_c = {.name = "c"};

static void an_inner_scope_left_open_ends_with_the_outer_one(void **state)
{
    (void)state;
    start(NULL);
    struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0);
    struct kgate_scope b = kgate_scope_begin(NULL, &site_b, 0);
    struct kgate_scope c = kgate_scope_begin(NULL, &site_c, 0);
    kgate_scope_end(&a);
    kgate_scope_end(&c);
    kgate_scope_end(&b);
    outer(1);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const struct kgate_profile_losses losses = losses_of(&profile);
    assert_int_equal(losses.unfinished, 2);
    assert_int_equal(losses.unbalanced, 2);
    assert_int_equal(calls_of(&profile, "b"), 1);
    assert_int_equal(row_of(&profile, "b")->figures.unfinished, 1);
    assert_int_equal(row_of(&profile, "outer")->path.depth, 0);
    kg_profile_free(&profile);
}

static void an_end_twice_ends_no_other_scope(void **state)
{
    (void)state;
    start(NULL);
    struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0), again = a;
    kgate_scope_end(&a);
    kgate_scope_end(&a);
    struct kgate_scope b = kgate_scope_begin(NULL, &site_b, 0);
    kgate_scope_end(&again);
    kgate_scope_end(&b);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(losses_of(&profile).unbalanced, 1);
    assert_int_equal(losses_of(&profile).unfinished, 0);
    assert_int_equal(calls_of(&profile, "b"), 1);
    kg_profile_free(&profile);
}

static void *end_elsewhere(void *scope)
{
    kgate_scope_end(scope);
    return NULL;
}

static void an_end_on_another_thread_is_counted_and_does_nothing(void **state)
{
    (void)state;
    pthread_t thread;
    start(NULL);
    struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0), copy = a;
    assert_int_equal(pthread_create(&thread, NULL, end_elsewhere, &copy), 0);
    pthread_join(thread, NULL);
    kgate_scope_end(&a);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "a"), 1);
    assert_int_equal(losses_of(&profile).unbalanced, 1);
    kg_profile_free(&profile);
}

static void deep(int depth)
{
    KGATE_SCOPE("deep");
    if (depth > 1)
        deep(depth - 1);
}

static void scopes_too_deep_are_counted_and_what_is_around_them_is_right(void **state)
{
    (void)state;
    start(NULL);
    deep(200);
    outer(1);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(losses_of(&profile).too_deep, 72);
    assert_int_equal(name_calls(&profile, "deep"), 128);
    assert_int_equal(row_of(&profile, "outer")->path.depth, 0);
    kg_profile_free(&profile);
}

static void a_full_buffer_is_written_and_nothing_is_lost(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.buffer_entries = 64};
    start(&options);
    for (int i = 0; i < 1000; i++)
        outer(9);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(name_calls(&profile, "outer"), 1000);
    assert_int_equal(name_calls(&profile, "inner"), 9000);
    assert_int_equal(losses_of(&profile).dropped, 0);
    /* the pauses of writing are told */
    assert_true(name_calls(&profile, "(profiler)") > 100);
    kg_profile_free(&profile);
}

static void a_full_buffer_drops_and_counts_where_that_was_asked_for(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.buffer_entries = 64, .drop_when_full = true};
    start(&options);
    for (int i = 0; i < 100; i++)
        inner();
    assert_true(kgate_profiler_flush(NULL));
    for (int i = 0; i < 10; i++)
        inner();
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "inner"), 74);
    assert_int_equal(losses_of(&profile).dropped, 36);
    assert_int_equal(name_calls(&profile, "(profiler)"), 0);
    kg_profile_free(&profile);
}

static void beyond_the_limit_of_the_file_entries_are_dropped_and_counted(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.file_bytes_most = 8192};
    start(&options);
    for (int i = 0; i < 20000; i++)
        inner();
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const uint64_t dropped = losses_of(&profile).dropped;
    assert_true(dropped > 10000);
    assert_int_equal(name_calls(&profile, "inner") + name_calls(&profile, "(profiler)") + dropped,
                     20000 + 20000 / 1023);
    kg_profile_free(&profile);
}

static void a_full_disk_is_counted_and_the_program_goes_on(void **state)
{
    (void)state;
    /* Less than the last buffer needs, however close its time stamps are: it is never written. */
    const struct rlimit limit = {.rlim_cur = 1024, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    start(NULL);
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 5000; i++)
        inner();
    assert_false(kgate_profiler_flush(NULL));
    setrlimit(RLIMIT_FSIZE, &before);
    outer(1);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_true(losses_of(&profile).dropped > 1000);
    assert_int_equal(calls_of(&profile, "outer"), 1);
    kg_profile_free(&profile);
}

static void *scopes_on_a_thread(void *count)
{
    kgate_thread_name("worker");
    for (int i = 0; i < *(int *)count; i++)
        outer(2);
    return NULL;
}

static void threads_record_by_themselves(void **state)
{
    (void)state;
    pthread_t threads[8];
    int count = 5000;
    start(NULL);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, scopes_on_a_thread, &count), 0);
    for (int i = 0; i < 50; i++)
        kgate_profiler_flush(NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "outer"), 40000);
    assert_int_equal(calls_of(&profile, "inner"), 80000);
    assert_int_equal(row_of(&profile, "outer")->figures.threads, 8);
    assert_int_equal(losses_of(&profile).dropped, 0);
    kg_profile_free(&profile);
}

static void thousands_of_sites_in_one_path_are_distinguished(void **state)
{
    (void)state;
    enum { SITES = 5000 };
    static struct kgate_site sites[SITES];
    static char names[SITES][24];
    start(NULL);
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < SITES; i++) {
            snprintf(names[i], sizeof names[i], "site %d", i);
            sites[i].name = names[i];
            struct kgate_scope scope = kgate_scope_begin(NULL, &sites[i], 0);
            kgate_scope_end(&scope);
        }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_in_range(profile.row_count, SITES, SITES + 1); /* and "(profiler)" */
    assert_int_equal(calls_of(&profile, "site 0"), 3);
    assert_int_equal(calls_of(&profile, "site 4999"), 3);
    kg_profile_free(&profile);
}

static void wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void *scopes_until_cancelled(void *unused)
{
    for (;;) {
        outer(3);
        pthread_testcancel();
    }
    return unused;
}

static void cancelled_threads_leave_no_lock_behind(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.buffer_entries = 64};
    pthread_t threads[4];
    start(&options);
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, scopes_until_cancelled, NULL), 0);
        usleep(1000);
        for (int i = 0; i < 4; i++) {
            pthread_cancel(threads[i]);
            pthread_join(threads[i], NULL);
        }
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_true(calls_of(&profile, "outer") > 0);
    assert_int_equal(losses_of(&profile).dropped, 0);
    kg_profile_free(&profile);
}

static void a_start_that_fails_takes_nothing_away(void **state)
{
    (void)state;
    char message[256];
    start(NULL);
    outer(2);
    kgate_profiler_stop();
    assert_false(kgate_profiler_start(&(struct kgate_profiler_options){.sample = 2}, message));
    assert_false(kgate_profiler_start(
        &(struct kgate_profiler_options){.path = "/nonexistent/folder/x"}, message));
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    assert_non_null(results);
    assert_int_equal(results->path_count, 2);
    kgate_profile_results_free(results);
    const pid_t child = fork();
    if (!child)
        _exit(fcntl(STDIN_FILENO, F_GETFD) < 0);
    wait_for(child);
}

static void a_program_that_closes_all_descriptors_keeps_its_files(void **state)
{
    char other[128];
    snprintf(other, sizeof other, "%s/own", (char *)*state);
    const pid_t child = fork();
    if (!child) {
        start(NULL);
        for (int i = 0; i < 5000; i++)
            inner();
        for (int file = 3; file < 1024; file++)
            close(file);
        int own = -1;
        for (int i = 0; i < 700; i++)
            own = open(other, O_CREAT | O_RDWR, 0600);
        for (int i = 0; i < 5000; i++)
            inner();
        kgate_profiler_stop();
        _exit(own < 0 || lseek(own, 0, SEEK_END) != 0);
    }
    wait_for(child);
    struct kg_profile profile = read_back();
    assert_in_range(name_calls(&profile, "inner"), 4000, 5000);
    kg_profile_free(&profile);
}

static void names_beyond_the_last_number_are_counted(void **state)
{
    (void)state;
    enum { NAMES = 70000 };
    char name[32];
    start(NULL);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "request %d", i);
        struct kgate_scope scope = kgate_scope_begin_named(NULL, name, KGATE_DEVICE_CPU, NULL, 0);
        kgate_scope_end(&scope);
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const uint64_t lost = losses_of(&profile).too_deep;
    uint64_t calls = 0;
    for (size_t i = 0; i < profile.row_count; i++)
        if (profile.rows[i].path.kind != KGATE_SCOPE_PROFILER)
            calls += profile.rows[i].figures.calls;
    assert_true(lost >= NAMES - 65535);
    assert_int_equal(calls + lost, NAMES);
    kg_profile_free(&profile);
}

static int over;

static void *scopes_until_over(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        outer(3);
        struct kgate_span span = kgate_span_begin(NULL, "span", 0);
        kgate_scope_bytes(NULL, 1);
        kgate_span_end(&span);
    }
    return unused;
}

static void recordings_begin_and_end_while_threads_are_inside_scopes(void **state)
{
    (void)state;
    pthread_t threads[3];
    over = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, scopes_until_over, NULL), 0);
    for (int i = 0; i < 60; i++) {
        const struct kgate_profiler_options options = {.buffer_entries = 64,
                                                       .sample = i % 3 ? 0 : 0.5};
        start(&options);
        usleep(500);
        kgate_profiler_stop();
        struct kg_profile profile = read_back();
        assert_true(profile.processes[0].complete);
        kg_profile_free(&profile);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void *die_inside(void *unused)
{
    (void)unused;
    struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0);
    outer(1);
    struct kgate_scope b = kgate_scope_begin(NULL, &site_b, 0);
    (void)a;
    (void)b;
    pthread_exit(NULL);
}

static void a_thread_that_ends_inside_its_scopes_has_them_ended(void **state)
{
    (void)state;
    pthread_t thread;
    start(NULL);
    assert_int_equal(pthread_create(&thread, NULL, die_inside, NULL), 0);
    pthread_join(thread, NULL);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "a"), 1);
    assert_int_equal(calls_of(&profile, "b"), 1);
    assert_int_equal(losses_of(&profile).unfinished, 2);
    assert_int_equal(row_of(&profile, "outer")->path.depth, 1);
    kg_profile_free(&profile);
}

static void a_forked_child_adds_nothing_to_its_parents_recording(void **state)
{
    (void)state;
    start(NULL);
    outer(1);
    struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0);
    const pid_t child = fork();
    if (!child) {
        kgate_scope_end(&a);
        for (int i = 0; i < 5000; i++)
            outer(1);
        kgate_profiler_flush(NULL);
        kgate_profiler_stop();
        _exit(0);
    }
    wait_for(child);
    kgate_scope_end(&a);
    outer(1);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "outer"), 2);
    assert_int_equal(calls_of(&profile, "a"), 1);
    assert_int_equal(losses_of(&profile).dropped, 0);
    kg_profile_free(&profile);
}

static void a_forked_child_can_start_a_recording_of_its_own(void **state)
{
    (void)state;
    char other[160];
    const struct kgate_profiler_options options = {.path = other};
    snprintf(other, sizeof other, "%s.child", path);
    start(NULL);
    outer(1);
    const pid_t child = fork();
    if (!child) {
        const bool started = kgate_profiler_start(&options, NULL);
        outer(7);
        kgate_profiler_stop();
        _exit(!started);
    }
    wait_for(child);
    kgate_profiler_stop();
    memcpy(path, other, sizeof path);
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "inner"), 7);
    kg_profile_free(&profile);
}

static void with_a_process_number_in_the_path_each_process_has_its_recording(void **state)
{
    char pattern[128], child_path[160];
    struct kgate_profiler_options options = {.path = pattern};
    snprintf(pattern, sizeof pattern, "%s/p%%p.kgprof", (char *)*state);
    start(&options);
    outer(1);
    const pid_t child = fork();
    if (!child) {
        outer(3);
        kgate_profiler_stop();
        _exit(0);
    }
    wait_for(child);
    outer(1);
    kgate_profiler_stop();
    snprintf(path, sizeof path, "%s/p%ld.kgprof", (char *)*state, (long)getpid());
    struct kg_profile profile = read_back();
    assert_int_equal(calls_of(&profile, "inner"), 2);
    kg_profile_free(&profile);
    snprintf(child_path, sizeof child_path, "%s/p%ld.kgprof", (char *)*state, (long)child);
    memcpy(path, child_path, sizeof path);
    profile = read_back();
    assert_int_equal(calls_of(&profile, "inner"), 3);
    assert_int_equal(profile.processes[0].number, child);
    kg_profile_free(&profile);
}

static void a_killed_process_leaves_what_it_had_written(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (!child) {
        start(NULL);
        struct kgate_scope a = kgate_scope_begin(NULL, &site_a, 0);
        for (int i = 0; i < 10000; i++)
            inner();
        (void)a;
        kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    struct kg_profile profile = read_back();
    /* all but the last buffer; under the scope that never ended */
    assert_in_range(calls_of(&profile, "inner"), 10000 - 1024, 10000);
    assert_string_equal(profile.rows[row_of(&profile, "inner")->path.parent].path.name, "a");
    assert_false(profile.processes[0].complete);
    kg_profile_free(&profile);
}

static void sampling_requests_records_whole_ones(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.sample = 0.1};
    start(&options);
    for (int i = 0; i < 20000; i++)
        outer(3);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const uint64_t requests = calls_of(&profile, "outer");
    /* drawn evenly up to twice the mean: the standard deviation of 2,000 is below 30 */
    assert_in_range(requests, 1800, 2200);
    assert_int_equal(calls_of(&profile, "inner"), 3 * requests);
    assert_int_equal(losses_of(&profile).sampled_out, 20000 - requests);
    assert_true(profile.processes[0].sample == 0.1);
    kg_profile_free(&profile);
}

static void sampling_scopes_leaves_out_each_by_itself(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.sample = 0.2, .sampling = KGATE_SAMPLE_SCOPES};
    start(&options);
    for (int i = 0; i < 5000; i++)
        outer(3);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const uint64_t recorded = name_calls(&profile, "outer") + name_calls(&profile, "inner");
    assert_in_range(recorded, 3700, 4300);
    assert_int_equal(losses_of(&profile).sampled_out, 20000 - recorded);
    kg_profile_free(&profile);
}

static void memory_is_of_the_scope_and_those_inside(void **state)
{
    (void)state;
    start(NULL);
    {
        KGATE_SCOPE("first");
        kgate_memory_allocated(1000);
        {
            KGATE_SCOPE("second");
            kgate_memory_allocated(500);
            kgate_memory_released(500);
            kgate_memory_allocated(300);
        }
        kgate_memory_released(1300);
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    assert_int_equal(row_of(&profile, "first")->figures.allocated_bytes, 1800);
    assert_int_equal(row_of(&profile, "first")->figures.peak_bytes, 1500);
    assert_int_equal(row_of(&profile, "second")->figures.allocated_bytes, 800);
    assert_int_equal(row_of(&profile, "second")->figures.peak_bytes, 500);
    kg_profile_free(&profile);
}

static void cpu_time_is_measured_where_asked_for(void **state)
{
    (void)state;
    const struct kgate_profiler_options options = {.cpu_time = true};
    start(&options);
    {
        KGATE_SCOPE("sleep");
        usleep(20000);
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const struct kg_profile_figures *figures = &row_of(&profile, "sleep")->figures;
    assert_true(figures->total_ns >= 20e6);
    assert_true(figures->cpu_ns < 0.5 * figures->total_ns);
    kg_profile_free(&profile);
}

static void *span_end(void *span)
{
    kgate_span_end(span);
    return NULL;
}

static void a_span_ends_on_another_thread_and_need_not_nest(void **state)
{
    (void)state;
    pthread_t thread;
    start(NULL);
    struct kgate_span span = kgate_span_begin(NULL, "request", 4096);
    outer(1);
    assert_int_equal(pthread_create(&thread, NULL, span_end, &span), 0);
    pthread_join(thread, NULL);
    kgate_span_end(&span);
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const struct kg_profile_row *row = row_of(&profile, "request");
    assert_true(row->path.span);
    assert_int_equal(row->figures.calls, 1);
    assert_int_equal(row->figures.bytes, 4096);
    assert_int_equal(row_of(&profile, "outer")->path.depth, 0);
    kg_profile_free(&profile);
}

static void instances_record_apart_from_each_other(void **state)
{
    (void)state;
    char message[256], first[160], second[160];
    snprintf(first, sizeof first, "%s.1", path);
    snprintf(second, sizeof second, "%s.2", path);
    struct kgate_profiler *one =
        kgate_profiler_new(&(struct kgate_profiler_options){.path = first}, message);
    struct kgate_profiler *two =
        kgate_profiler_new(&(struct kgate_profiler_options){.path = second}, message);
    assert_non_null(one);
    assert_non_null(two);
    struct kgate_scope a = kgate_scope_begin(one, &site_a, 0);
    struct kgate_scope b = kgate_scope_begin(two, &site_b, 0);
    outer(1); /* a scope of the process-wide profiler, which is off */
    kgate_scope_end(&a);
    kgate_scope_end(&b);
    kgate_profiler_free(one);
    b = kgate_scope_begin(two, &site_b, 0);
    kgate_scope_end(&b);
    kgate_profiler_free(two);
    memcpy(path, first, sizeof path);
    struct kg_profile profile = read_back();
    assert_int_equal(profile.row_count, 1);
    assert_int_equal(calls_of(&profile, "a"), 1);
    kg_profile_free(&profile);
    memcpy(path, second, sizeof path);
    profile = read_back();
    assert_int_equal(calls_of(&profile, "b"), 2);
    kg_profile_free(&profile);
}

static void an_eighth_instance_is_refused(void **state)
{
    (void)state;
    struct kgate_profiler *profilers[8];
    char message[256] = "";
    for (int i = 0; i < 8; i++)
        profilers[i] = kgate_profiler_new(NULL, message);
    assert_non_null(profilers[6]);
    assert_null(profilers[7]);
    assert_non_null(strstr(message, "seven"));
    for (int i = 0; i < 8; i++)
        kgate_profiler_free(profilers[i]);
    struct kgate_profiler *again = kgate_profiler_new(NULL, message);
    assert_non_null(again);
    kgate_profiler_free(again);
}

static void call_me(void *argument)
{
    (*(int *)argument)++;
}

static void a_function_pointer_is_profiled_by_its_given_name(void **state)
{
    (void)state;
    int called = 0;
    char name[] = "given";
    kgate_profile_call(NULL, name, call_me, &called);
    start(NULL);
    kgate_profile_call(NULL, name, call_me, &called);
    memset(name, 'x', 5); /* it was copied */
    kgate_profile_call(NULL, "given", call_me, &called);
    kgate_profiler_stop();
    assert_int_equal(called, 3);
    struct kg_profile profile = read_back();
    assert_int_equal(profile.row_count, 1);
    assert_int_equal(calls_of(&profile, "given"), 2);
    kg_profile_free(&profile);
}

static void results_are_to_be_had_while_it_runs(void **state)
{
    (void)state;
    char message[256] = "";
    start(&(struct kgate_profiler_options){.path = NULL});
    outer(2);
    KGATE_SCOPE("open");
    struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
    if (!results)
        fail_msg("%s", message);
    assert_int_equal(results->path_count, 3);
    assert_string_equal(results->paths[0].name, "outer");
    assert_string_equal(results->paths[1].name, "inner");
    assert_int_equal(results->paths[1].parent, 0);
    assert_int_equal(results->paths[1].calls, 2);
    assert_true(results->paths[0].self_ns < results->paths[0].total_ns);
    assert_string_equal(results->paths[2].name, "open");
    assert_int_equal(results->paths[2].calls, 0);
    kgate_profile_results_free(results);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_true(kgate_profiler_print(NULL, KGATE_PROFILE_TREE, file, 0, message));
    fclose(file);
    assert_non_null(strstr(text, "inner"));
    free(text);
}

static void bytes_added_later_are_the_innermost_scopes(void **state)
{
    (void)state;
    start(NULL);
    {
        KGATE_SCOPE_ON("copy", KGATE_DEVICE_CPU, "memcpy", 10);
        kgate_scope_bytes(NULL, 64);
    }
    kgate_profiler_stop();
    struct kg_profile profile = read_back();
    const struct kg_profile_row *row = row_of(&profile, "copy");
    assert_int_equal(row->figures.bytes, 64);
    assert_string_equal(row->path.backend, "memcpy");
    kg_profile_free(&profile);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(scopes_nest_by_blocks_and_functions),
        TEST(json_of_the_own_recording_is_complete),
        TEST(nothing_is_recorded_before_start_after_stop_or_while_paused),
        TEST(a_scope_open_while_paused_is_recorded_when_it_ends),
        TEST(a_second_start_is_refused_and_a_later_one_begins_anew),
        TEST(bad_options_are_refused_with_a_message),
        TEST(an_inner_scope_left_open_ends_with_the_outer_one),
        TEST(an_end_twice_ends_no_other_scope),
        TEST(an_end_on_another_thread_is_counted_and_does_nothing),
        TEST(scopes_too_deep_are_counted_and_what_is_around_them_is_right),
        TEST(a_full_buffer_is_written_and_nothing_is_lost),
        TEST(a_full_buffer_drops_and_counts_where_that_was_asked_for),
        TEST(beyond_the_limit_of_the_file_entries_are_dropped_and_counted),
        TEST(a_full_disk_is_counted_and_the_program_goes_on),
        TEST(threads_record_by_themselves),
        TEST(thousands_of_sites_in_one_path_are_distinguished),
        TEST(recordings_begin_and_end_while_threads_are_inside_scopes),
        TEST(cancelled_threads_leave_no_lock_behind),
        TEST(a_start_that_fails_takes_nothing_away),
        TEST(a_program_that_closes_all_descriptors_keeps_its_files),
        TEST(a_thread_that_ends_inside_its_scopes_has_them_ended),
        TEST(a_forked_child_adds_nothing_to_its_parents_recording),
        TEST(a_forked_child_can_start_a_recording_of_its_own),
        TEST(with_a_process_number_in_the_path_each_process_has_its_recording),
        TEST(a_killed_process_leaves_what_it_had_written),
        TEST(sampling_requests_records_whole_ones),
        TEST(sampling_scopes_leaves_out_each_by_itself),
        TEST(memory_is_of_the_scope_and_those_inside),
        TEST(cpu_time_is_measured_where_asked_for),
        TEST(a_span_ends_on_another_thread_and_need_not_nest),
        TEST(instances_record_apart_from_each_other),
        TEST(an_eighth_instance_is_refused),
        TEST(a_function_pointer_is_profiled_by_its_given_name),
        TEST(results_are_to_be_had_while_it_runs),
        TEST(bytes_added_later_are_the_innermost_scopes),
        TEST(names_beyond_the_last_number_are_counted), /* uses them up: the last */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
