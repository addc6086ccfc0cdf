#include "base/json_tree.h"
#include "recording_support.h"

#include <fcntl.h>

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

/* --- Tables ---------------------------------------------------------------------------------- */

static void the_table_is_by_total(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    kg_profile_table(&profile, 0, 0, &text);
    report_check(&text, "solver (nightly): 1 process, 2 threads, 8 entries, 10.0 us\n"
                        "name         calls    total      avg      min      max  std dev  % time "
                        " threads  busiest      gpu  gpu %  transfer     cpu  allocated   peak  "
                        "bandwidth\n"
                        "main             1  10.0 us  10.0 us  10.0 us  10.0 us     0 ns   100.0 "
                        "       1        -  2.20 us   22.0    800 ns       -          -      -   "
                        "       -\n"
                        "solve            4  9.00 us  2.75 us  2.00 us  4.00 us   957 ns    90.0 "
                        "       2    1.56x  2.20 us   24.4    800 ns       -          -      -   "
                        "       -\n"
                        "request;\"a\"      1  7.00 us  7.00 us  7.00 us  7.00 us     0 ns     "
                        "0.0        -        -        -      -         -       -          -      "
                        "-          -\n"
                        "copy             1  1.00 us  1.00 us  1.00 us  1.00 us     0 ns    10.0 "
                        "       1        -        -      -    800 ns  900 ns      512 B  256 B  "
                        "5.12 GB/s\n"
                        "(profiler)       1   100 ns   100 ns   100 ns   100 ns     0 ns     1.0 "
                        "       1        -        -      -         -       -          -      -   "
                        "       -\n"
                        "Lost: 3 entries dropped, 1 scope without its own end\n");
    kg_profile_free(&profile);
}

static void a_limit_names_what_it_left_out(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    kg_profile_table(&profile, 2, 0, &text);
    assert_non_null(strstr(kg_text_string(&text), "\n2 of 5 names are shown\n"));
    assert_null(strstr(kg_text_string(&text), "copy"));
    kg_text_free(&text);
    kg_profile_tree(&profile, 6, 0, &text);
    assert_non_null(strstr(kg_text_string(&text), "\n6 of 7 paths are shown\n"));
    kg_text_free(&text);
    kg_profile_free(&profile);
}

static void the_tree_is_by_nesting(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    kg_profile_tree(&profile, 0, 0, &text);
    report_check(&text,
                 "solver (nightly): 1 process, 2 threads, 8 entries, 10.0 us\n"
                 "path                     calls    total     self      avg  % time      gpu  "
                 "gpu %  transfer     cpu  allocated   peak  bandwidth\n"
                 "main                         1  10.0 us  3.00 us  10.0 us   100.0  2.20 us  "
                 " 22.0    800 ns       -          -      -          -\n"
                 "  solve [cuda cublas]        2  7.00 us  3.90 us  3.50 us    70.0  2.20 us  "
                 " 31.4    800 ns       -          -      -          -\n"
                 "    solve [cuda cublas]      1  2.00 us  2.00 us  2.00 us    20.0        -  "
                 "    -         -       -          -      -          -\n"
                 "    copy [cuda]              1  1.00 us  1.00 us  1.00 us    10.0        -  "
                 "    -    800 ns  900 ns      512 B  256 B  5.12 GB/s\n"
                 "    (profiler)               1   100 ns   100 ns   100 ns     1.0        -  "
                 "    -         -       -          -      -          -\n"
                 "request;\"a\" [span]           1  7.00 us  7.00 us  7.00 us       -        "
                 "-      -         -       -          -      -          -\n"
                 "solve [cuda cublas]          1  2.00 us  2.00 us  2.00 us    20.0        -  "
                 "    -         -       -          -      -          -\n"
                 "Lost: 3 entries dropped, 1 scope without its own end\n");
    kg_profile_free(&profile);
}

/* Two processes of two threads: 100 and 300 ns, 400 and 400 ns. */
static void the_busiest_thread_is_noted_where_there_are_several(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    for (uint32_t process = 1; process <= 2; process++) {
        recording_process(&recording, process, 1, "");
        recording_name(&recording, 1, "main");
        recording_name(&recording, 2, "part");
        recording_node(&recording, 1, 1, 0, 1);
        recording_entry(&recording, 1, 1, 0, 1000, 0);
        for (uint32_t thread = 2; thread <= 3; thread++) {
            recording_node(&recording, thread, 1, 0, 2);
            recording_entry(&recording, thread, 1, 0,
                            process == 2  ? 400
                            : thread == 2 ? 100
                                          : 300,
                            0);
        }
        recording_end(&recording);
    }
    recording_read(&recording, folder, &profile);
    kg_profile_tree(&profile, 0, 0, &text);
    report_check(&text, "solver: 2 processes, 6 threads, 6 entries, 2.00 us\n"
                        "path  calls    total     self      avg  % time  threads  busiest\n"
                        "main      2  2.00 us  2.00 us  1.00 us   100.0        1        -\n"
                        "part      4  1.20 us  1.20 us   300 ns    35.0        2    1.17x\n");
    kg_profile_top(&profile, 0, 0, &text);
    assert_non_null(strstr(kg_text_string(&text), "2 threads, the busiest 1.2 times the average"));
    kg_text_free(&text);
    kg_profile_tree(&profile, 1, 0, &text);
    assert_null(strstr(kg_text_string(&text), "busiest"));
    kg_text_free(&text);
    kg_profile_free(&profile);
}

static void bottlenecks_are_by_time_of_their_own(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_rich(&recording, 7);
    recording_read(&recording, folder, &profile);
    kg_profile_top(&profile, 3, 0, &text);
    report_check(&text,
                 "   self  % time  calls      avg  path\n"
                 "3.90 us    39.0      2  3.50 us  main > solve          GPU 31 %, transfers 11 %\n"
                 "3.00 us    30.0      1  10.0 us  main                  GPU 22 %\n"
                 "2.00 us    20.0      1  2.00 us  main > solve > solve\n"
                 "3 of 5 paths with time of their own are shown\n");
    kg_profile_free(&profile);
}

static void waiting_and_parallel_regions_are_noted(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_parallel(&recording, 1, "");
    recording_read(&recording, folder, &profile);
    kg_profile_tree(&profile, 0, 0, &text);
    report_check(&text, "solver: 1 process, 2 threads, 12 entries, 3.00 us\n"
                        "path                 calls    total     self      avg  % time\n"
                        "call                     2  2.00 us   400 ns  1.00 us   100.0\n"
                        "  region [parallel]      2  1.60 us   400 ns   800 ns    80.0\n"
                        "    barrier [wait]       2   800 ns   800 ns   400 ns    40.0\n"
                        "    part [openmp]        2   400 ns   400 ns   200 ns    20.0\n"
                        "part [openmp]            2  1.00 us  1.00 us   500 ns    50.0\n"
                        "barrier [wait]           2   200 ns   200 ns   100 ns    10.0\n");
    kg_profile_top(&profile, 0, 0, &text);
    const char *shown = kg_text_string(&text);
    assert_non_null(strstr(shown, "call > region            starting and joining threads\n"));
    assert_non_null(strstr(shown, "call > region > barrier  waiting\n"));
    kg_text_free(&text);
    kg_profile_free(&profile);
}

static void what_each_thread_had_is_kept(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_parallel(&recording, 1, "");
    recording_parallel(&recording, 2, "");
    recording_read(&recording, folder, &profile);
    assert_int_equal(profile.share_count, 12);
    const struct kg_profile_share *share = &profile.shares[4]; /* the first of the second thread */
    assert_string_equal(profile.rows[share->row].path.name, "part");
    assert_int_equal(share->process, 0);
    assert_int_equal(share->thread, 2);
    assert_int_equal(share->calls, 2);
    assert_near(share->total_ns, 1000, 0);
    assert_near(share->start_ns, 200, 0);
    assert_near(share->end_ns, 2700, 0);
    kg_profile_free(&profile);
}

/* A hundred nested scopes. Only the innermost has time of its own. */
static void a_long_path_is_shortened_in_the_middle(void **state)
{
    enum { DEPTH = 100 };
    struct kg_profile_row rows[DEPTH] = {0};
    struct kg_profile profile = {.rows = rows, .row_count = DEPTH};
    struct kg_text text = {0};
    for (size_t i = 0; i < DEPTH; i++) {
        rows[i].path = (struct kg_profile_path){
            .name = i ? "descend" : "main", .parent = i ? i - 1 : 0, .depth = i, .device = "cpu"};
        rows[i].figures = (struct kg_profile_figures){.calls = 1, .total_ns = 50, .cpu_ns = NAN};
    }
    rows[DEPTH - 1].path.name = "leaf";
    rows[DEPTH - 1].figures.self_ns = 50;
    kg_profile_top(&profile, 0, 0, &text);
    const char *place = strstr(kg_text_string(&text), "main > … > descend > ");
    assert_non_null(place);
    const char *end = strchr(place, '\n');
    assert_true(end - place <= 122 && end - place > 100); /* "…" is three bytes */
    assert_memory_equal(end - 17, " > descend > leaf", 17);
    kg_text_free(&text);
}

static void a_long_outermost_name_stays(void **state)
{
    struct kg_profile_row rows[3] = {0};
    struct kg_profile profile = {.rows = rows, .row_count = 3};
    struct kg_text text = {0};
    char outer[71], inner[61];
    memset(outer, 'o', 70);
    memset(inner, 'i', 60);
    outer[70] = inner[60] = '\0';
    for (size_t i = 0; i < 3; i++) {
        rows[i].path = (struct kg_profile_path){
            .name = i == 2 ? inner : outer, .parent = i ? i - 1 : 0, .depth = i, .device = "cpu"};
        rows[i].figures = (struct kg_profile_figures){.calls = 1, .total_ns = 50, .cpu_ns = NAN};
    }
    rows[2].figures.self_ns = 50;
    kg_profile_top(&profile, 0, 0, &text);
    assert_non_null(strstr(kg_text_string(&text), "oooo > … > iiii"));
    kg_text_free(&text);
}

static void control_characters_do_no_harm(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_process(&recording, 1, 1, "\x1b[31m");
    recording_name(&recording, 1, "Größe\x1b]0;\n\xc2\x9b\xe2\x80\xae!");
    recording_node(&recording, 1, 1, 0, 1);
    recording_entry(&recording, 1, 1, 0, 5000, 0);
    recording_end(&recording);
    recording_read(&recording, folder, &profile);
    kg_profile_table(&profile, 0, 0, &text);
    kg_profile_tree(&profile, 0, 0, &text);
    kg_profile_top(&profile, 0, 0, &text);
    kg_profile_folded(&profile, &text);
    const char *shown = kg_text_string(&text);
    assert_null(strpbrk(shown, "\x1b"));
    assert_null(strstr(shown, "\xc2\x9b"));
    assert_null(strstr(shown, "\xe2\x80\xae"));
    assert_non_null(strstr(shown, "Größe\\x1b]0;\\x0a\\xc2\\x9b\\xe2\\x80\\xae!"));
    assert_non_null(strstr(shown, "Größe\\x1b]0,\\x0a\\xc2\\x9b\\xe2\\x80\\xae! 5000\n"));
    kg_text_free(&text);
    kg_profile_free(&profile);
}

static void sampling_and_open_ends_are_noted(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    const double sample = 0.01;
    recording_process(&recording, 1, 1, "");
    memcpy(recording.bytes.data + sizeof(struct kg_chunk) +
               offsetof(struct kg_chunk_process, sample),
           &sample, sizeof sample);
    recording_read(&recording, folder, &profile);
    kg_profile_table(&profile, 0, 0, &text);
    report_check(&text,
                 "solver: 1 process, 0 threads, 0 entries, 0 ns\n"
                 "name  calls  total  avg  min  max  std dev  % time\n"
                 "1 process did not end the recording: the entries still in buffers are missing\n"
                 "1 % of requests were recorded: calls and totals count only these\n");
    kg_profile_free(&profile);
}

static void folded_stacks_add_up_to_the_time_on_threads(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    struct kg_text text = {0};
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "main");
    recording_name(&recording, 2, "a;b c");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    recording_node(&recording, 1, 3, 2, 1);
    recording_entry(&recording, 1, 3, 20, 30, 0);
    recording_entry(&recording, 1, 2, 10, 100, 1);
    recording_entry(&recording, 1, 1, 0, 500, 2);
    recording_span(&recording, 1, 2, 0, 400);
    recording_read(&recording, folder, &profile);
    kg_profile_folded(&profile, &text);
    report_check(&text, "main 400\nmain;a,b c 70\nmain;a,b c;main 30\n");
    kg_profile_free(&profile);
}

/* --- Traces ---------------------------------------------------------------------------------- */

/* A report of r.kgprof; the caller frees it. */
static char *reported(bool (*make)(int, const char *, FILE *, struct kg_error *))
{
    char path[128], *bytes = NULL;
    size_t length;
    struct kg_error err;
    snprintf(path, sizeof path, "%s/r.kgprof", folder);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    FILE *output = open_memstream(&bytes, &length);
    assert_non_null(output);
    if (!make(file, path, output, &err))
        fail_msg("refused: %s", err.message);
    fclose(output);
    close(file);
    return bytes;
}

static void lines_of_entries_have_the_kind(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_parallel(&recording, 1, "");
    recording_read(&recording, folder, &profile);
    char *trace = reported(kg_profile_trace), *csv = reported(kg_profile_csv);
    assert_non_null(strstr(trace, "\"name\":\"region\",\"cat\":\"parallel,cpu\""));
    assert_non_null(strstr(trace, "\"name\":\"barrier\",\"cat\":\"wait,cpu\""));
    assert_non_null(strstr(csv, "call;region,region,cpu,,parallel,0"));
    assert_non_null(strstr(csv, "call;region;barrier,barrier,cpu,,wait,0"));
    free(trace);
    free(csv);
    kg_profile_free(&profile);
}

static struct kg_arena arena; /* of traces */

static const struct kg_json *trace_of(struct recording *recording)
{
    struct kg_error err;
    recording_save(recording, folder, "r.kgprof");
    recording_free(recording);
    char *bytes = reported(kg_profile_trace);
    const struct kg_json *trace = kg_json_read("trace", bytes, strlen(bytes), &arena, &err);
    if (!trace)
        fail_msg("line %u: %s", err.line, err.message);
    free(bytes);
    return trace;
}

static const char *string_of(const struct kg_json *event, const char *member)
{
    const char *string = kg_json_member_string(event, member);
    return string ? string : "";
}

static double number_of(const struct kg_json *event, const char *member)
{
    const struct kg_json *number = kg_json_member(event, member);
    if (!kg_json_is_number(number))
        fail_msg("an event without %s", member);
    return kg_json_real(number);
}

/* The format's requirements for every event. */
static void event_check(const struct kg_json *event)
{
    const char *phase = string_of(event, "ph");
    assert_true(kg_json_is(kg_json_member(event, "pid"), KG_JSON_WHOLE));
    assert_true(kg_json_is(kg_json_member(event, "tid"), KG_JSON_WHOLE));
    const struct kg_json *args = kg_json_member(event, "args");
    assert_true(!args || (kg_json_is(args, KG_JSON_OBJECT) && kg_json_count(args) > 0));
    assert_true(strlen(string_of(event, "name")) > 0);
    number_of(event, "ts");
    if (!strcmp(phase, "X")) {
        assert_true(number_of(event, "dur") >= 0);
    } else if (!strcmp(phase, "b") || !strcmp(phase, "e")) {
        assert_true(kg_json_is(kg_json_member(event, "id"), KG_JSON_WHOLE));
        assert_string_equal(string_of(event, "cat"), "span,cpu");
    } else {
        assert_string_equal(phase, "M");
        assert_true(strlen(string_of(kg_json_member(event, "args"), "name")) > 0);
    }
}

/* Two events of a track are nested or disjoint. */
static void nesting_check(const struct kg_json *one, const struct kg_json *other)
{
    const double begin = number_of(one, "ts"), end = begin + number_of(one, "dur");
    const double begin_other = number_of(other, "ts");
    const double end_other = begin_other + number_of(other, "dur"), near = 1e-7;
    const bool apart = end <= begin_other + near || end_other <= begin + near;
    const bool inside = (begin >= begin_other - near && end <= end_other + near) ||
                        (begin_other >= begin - near && end_other <= end + near);
    if (!apart && !inside)
        fail_msg("%s %.3f-%.3f and %s %.3f-%.3f", string_of(one, "name"), begin, end,
                 string_of(other, "name"), begin_other, end_other);
}

static size_t trace_check(const struct kg_json *trace)
{
    const struct kg_json *events = kg_json_member(trace, "traceEvents");
    assert_string_equal(string_of(trace, "displayTimeUnit"), "ns");
    for (size_t i = 0; i < kg_json_count(events); i++) {
        const struct kg_json *one = kg_json_item(events, i);
        event_check(one);
        for (size_t j = 0; j < i && !strcmp(string_of(one, "ph"), "X"); j++) {
            const struct kg_json *other = kg_json_item(events, j);
            if (!strcmp(string_of(other, "ph"), "X") &&
                number_of(one, "pid") == number_of(other, "pid") &&
                number_of(one, "tid") == number_of(other, "tid"))
                nesting_check(one, other);
        }
    }
    return kg_json_count(events);
}

/* The n-th event of a phase and name. */
static const struct kg_json *event_of(const struct kg_json *trace, const char *phase,
                                      const char *name, size_t n)
{
    const struct kg_json *events = kg_json_member(trace, "traceEvents");
    for (size_t i = 0; i < kg_json_count(events); i++) {
        const struct kg_json *event = kg_json_item(events, i);
        if (!strcmp(string_of(event, "ph"), phase) && !strcmp(string_of(event, "name"), name) &&
            n-- == 0)
            return event;
    }
    fail_msg("no event %s %s", phase, name);
    return NULL;
}

static void a_trace_is_as_its_format_defines(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    const struct kg_json *trace = trace_of(&recording);
    /* process, thread, stream; seven scopes, two GPU times, a span's two ends */
    assert_int_equal(trace_check(trace), 3 + 7 + 2 + 2);
    const struct kg_json *outer = event_of(trace, "X", "main", 0);
    assert_near(number_of(outer, "ts"), 0, 0);
    assert_near(number_of(outer, "dur"), 10, 0);
    assert_int_equal(number_of(outer, "pid"), 7);
    assert_int_equal(number_of(outer, "tid"), 1);
    assert_true(
        kg_json_is(kg_json_member(kg_json_member(outer, "args"), "unfinished"), KG_JSON_TRUE));
    assert_string_equal(
        string_of(kg_json_member(event_of(trace, "M", "process_name", 0), "args"), "name"),
        "/opt/solver: nightly");
    assert_string_equal(
        string_of(kg_json_member(event_of(trace, "M", "thread_name", 0), "args"), "name"),
        "main thread");
    kg_arena_free(&arena);
}

static void copies_have_what_is_known(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    const struct kg_json *trace = trace_of(&recording);
    const struct kg_json *copy = event_of(trace, "X", "copy", 0);
    const struct kg_json *args = kg_json_member(copy, "args");
    assert_string_equal(string_of(copy, "cat"), "transfer,cuda");
    assert_int_equal(number_of(args, "bytes"), 4096);
    assert_int_equal(number_of(args, "allocated_bytes"), 512);
    assert_int_equal(number_of(args, "peak_bytes"), 256);
    assert_near(number_of(args, "cpu_ns"), 900, 0);
    assert_near(number_of(args, "gpu_ns"), 800, 0);
    assert_null(kg_json_member(kg_json_member(event_of(trace, "X", "main", 0), "args"), "bytes"));
    kg_arena_free(&arena);
}

static void gpu_times_have_a_track_of_their_stream(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    const struct kg_json *trace = trace_of(&recording);
    const struct kg_json *scope = event_of(trace, "X", "copy", 0),
                         *gpu = event_of(trace, "X", "copy", 1);
    const struct kg_json *track = event_of(trace, "M", "thread_name", 1);
    assert_near(number_of(gpu, "ts"), 1.6, 1e-12);
    assert_near(number_of(gpu, "dur"), 0.8, 1e-12);
    assert_true(number_of(gpu, "tid") != number_of(scope, "tid"));
    assert_true(number_of(gpu, "tid") == number_of(track, "tid"));
    assert_string_equal(string_of(kg_json_member(track, "args"), "name"), "CUDA stream 0x10");
    assert_true(number_of(event_of(trace, "X", "solve", 1), "tid") == number_of(gpu, "tid"));
    kg_arena_free(&arena);
}

static void spans_are_asynchronous_pairs(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    const struct kg_json *trace = trace_of(&recording);
    const struct kg_json *begin = event_of(trace, "b", "request;\"a\"", 0);
    const struct kg_json *end = event_of(trace, "e", "request;\"a\"", 0);
    assert_near(number_of(begin, "ts"), 0.5, 1e-12);
    assert_near(number_of(end, "ts"), 7.5, 1e-12);
    assert_true(number_of(begin, "id") == number_of(end, "id"));
    kg_arena_free(&arena);
}

static void processes_of_one_number_are_distinguished(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    recording_rich(&recording, 8);
    recording_rich(&recording, 7);
    const struct kg_json *trace = trace_of(&recording);
    trace_check(trace);
    double pids[3];
    for (size_t i = 0; i < 3; i++)
        pids[i] = number_of(event_of(trace, "X", "main", i), "pid");
    assert_true(pids[0] == 7 && pids[1] == 8 && pids[2] != 7 && pids[2] != 8);
    /* the second process began a millisecond later */
    assert_near(number_of(event_of(trace, "X", "main", 1), "ts"), 1000, 0.3);
    kg_arena_free(&arena);
}

/* Ticks of a third of a nanosecond: rounding must not push a scope out of the one around it. */
static void rounded_times_stay_nested(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, 1.0 / 3, "");
    recording_name(&recording, 1, "outer");
    recording_name(&recording, 2, "inner");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    for (uint64_t i = 0; i < 100; i++) {
        recording_entry(&recording, 1, 2, 101 * i + 1 + i % 3, 20 + i % 7, 0);
        recording_entry(&recording, 1, 1, 101 * i + i % 4 / 3, 23 + i % 7 + i % 3, 1);
    }
    const struct kg_json *trace = trace_of(&recording);
    trace_check(trace);
    kg_arena_free(&arena);
}

static void an_empty_profile_is_a_trace(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, 1, "");
    const struct kg_json *trace = trace_of(&recording);
    assert_int_equal(trace_check(trace), 1);
    kg_arena_free(&arena);
}

/* --- CSV ------------------------------------------------------------------------------------- */

static void csv_has_nothing_that_a_terminal_or_a_spreadsheet_obeys(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "=cmd()");
    recording_name(&recording, 2, "a\033[2J");
    for (uint32_t node = 1; node <= 2; node++) {
        recording_node(&recording, 1, node, 0, node);
        recording_entry(&recording, 1, node, 100 * node, 50, 0);
    }
    recording_end(&recording);
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    char *csv = reported(kg_profile_csv);
    assert_non_null(strstr(csv, "1,'=cmd(),'=cmd(),cpu,"));
    assert_non_null(strstr(csv, "1,a\\x1b[2J,a\\x1b[2J,cpu,"));
    assert_null(strchr(csv, '\033'));
    free(csv);
}

static void csv_has_a_line_for_each_entry(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 7);
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    char *csv = reported(kg_profile_csv);
    assert_string_equal(
        csv,
        "process,pid,thread,path,name,device,backend,kind,span,start_ns,duration_ns,nested,"
        "overhead_ns,bytes,allocated_bytes,peak_bytes,cpu_ns,gpu_start_ns,gpu_ns,stream,"
        "unfinished\n"
        "0,7,1,main;solve;copy,copy,cuda,cuda,transfer,0,1500,1000,0,0,4096,512,256,900,1600,800,"
        "0x10,0\n"
        "0,7,1,main;solve;(profiler),(profiler),cpu,,profiler,0,3000,100,0,0,,,,,,,,0\n"
        "0,7,1,main;solve,solve,cuda,cublas,compute,0,1000,4000,1,10,,,,,1100,3000,0x10,0\n"
        "0,7,2,solve,solve,cuda,cublas,compute,0,2000,2000,0,0,,,,,,,,0\n"
        "0,7,1,main;solve;solve,solve,cuda,cublas,compute,0,6500,2000,0,0,,,,,,,,0\n"
        "0,7,1,main;solve,solve,cuda,cublas,compute,0,6000,3000,1,10,,,,,,,,0\n"
        "0,7,1,main,main,cpu,,compute,0,0,10000,4,40,,,,,,,,1\n"
        "0,7,2,\"request,\"\"a\"\"\",\"request;\"\"a\"\"\",cpu,,compute,1,500,7000,0,0,,,,,,,,0\n");
    free(csv);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void a_full_disk_is_an_error(void **state)
{
    static bool (*const reports[])(int, const char *, FILE *, struct kg_error *) = {
        kg_profile_trace, kg_profile_csv, kg_profile_json};
    struct recording recording = {0};
    struct kg_error err;
    recording_rich(&recording, 7);
    const char *path = recording_save(&recording, folder, "r.kgprof");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < 3; i++) {
        FILE *full = fopen("/dev/full", "we");
        assert_non_null(full);
        assert_false(reports[i](file, path, full, &err));
        assert_int_equal(err.kind, KG_ERROR_SYSTEM);
        assert_non_null(strstr(err.message, "No space left"));
        fclose(full);
    }
    close(file);
    recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_by_total),
        cmocka_unit_test(a_limit_names_what_it_left_out),
        cmocka_unit_test(the_tree_is_by_nesting),
        cmocka_unit_test(the_busiest_thread_is_noted_where_there_are_several),
        cmocka_unit_test(bottlenecks_are_by_time_of_their_own),
        cmocka_unit_test(waiting_and_parallel_regions_are_noted),
        cmocka_unit_test(what_each_thread_had_is_kept),
        cmocka_unit_test(lines_of_entries_have_the_kind),
        cmocka_unit_test(a_long_path_is_shortened_in_the_middle),
        cmocka_unit_test(a_long_outermost_name_stays),
        cmocka_unit_test(control_characters_do_no_harm),
        cmocka_unit_test(sampling_and_open_ends_are_noted),
        cmocka_unit_test(folded_stacks_add_up_to_the_time_on_threads),
        cmocka_unit_test(a_trace_is_as_its_format_defines),
        cmocka_unit_test(copies_have_what_is_known),
        cmocka_unit_test(gpu_times_have_a_track_of_their_stream),
        cmocka_unit_test(spans_are_asynchronous_pairs),
        cmocka_unit_test(processes_of_one_number_are_distinguished),
        cmocka_unit_test(rounded_times_stay_nested),
        cmocka_unit_test(an_empty_profile_is_a_trace),
        cmocka_unit_test(csv_has_a_line_for_each_entry),
        cmocka_unit_test(csv_has_nothing_that_a_terminal_or_a_spreadsheet_obeys),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
