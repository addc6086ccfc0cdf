#include "base/file.h"
#include "base/random.h"
#include "model/journal.h"
#include "test_support.h"

static char *folder;
static char path[128];

static int begin(void **state)
{
    folder = support_folder();
    snprintf(path, sizeof path, "%s/results.json", folder);
    return 0;
}

static int end(void **state)
{
    support_remove(folder);
    return 0;
}

static struct kg_text text_of(const struct kg_results *results)
{
    struct kg_text text = {0};
    struct kg_error err;
    assert_true(kg_record_print(&kg_results_record, results, KG_RESULTS_SCHEMA, &text, &err));
    return text;
}

static void results_go_to_disk_and_back_without_loss(void **state)
{
    struct kg_results results, read;
    struct kg_error err;
    support_results(&results, 3, 7, 1234.567);
    results.cases[1].reason = "why \"not\"\n";
    results.cases[2].params = (struct kg_pair[]){{"m", "1"}, {"a", "2"}};
    results.cases[2].param_count = 2;
    assert_true(kg_results_write(&results, path, &err));
    assert_true(kg_results_load(path, &read, &err));
    struct kg_text before = text_of(&results), after = text_of(&read);
    assert_string_equal(before.data, after.data);
    assert_string_equal(read.cases[2].params[0].name, "m"); /* the order is kept */
    assert_true(isnan(read.cases[0].work.items));
    kg_text_free(&before);
    kg_text_free(&after);
    kg_results_free(&results);
    kg_results_free(&read);
}

static bool parses(const char *bytes, size_t length, struct kg_error *err)
{
    struct kg_results read;
    support_file(path, bytes, length);
    if (!kg_results_load(path, &read, err)) {
        assert_int_equal(err->kind, KG_ERROR_USAGE);
        assert_true(strlen(err->message) > 5);
        return false;
    }
    kg_results_free(&read);
    return true;
}

static void truncation_at_any_byte_is_refused(void **state)
{
    struct kg_results results;
    struct kg_error err;
    support_results(&results, 1, 2, 100);
    struct kg_text text = text_of(&results);
    /* the last byte is a newline, which may be missing */
    for (size_t length = 0; length + 1 < text.length; length++)
        if (parses(text.data, length, &err))
            fail_msg("a file cut after %zu bytes was read", length);
    kg_text_free(&text);
    kg_results_free(&results);
}

static void damaged_bytes_never_crash(void **state)
{
    struct kg_results results;
    struct kg_error err;
    struct kg_random random = {20261121};
    print_message("seed %u\n", 20261121);
    support_results(&results, 2, 3, 100);
    struct kg_text text = text_of(&results);
    for (int i = 0; i < 1500; i++) {
        char *at = &text.data[kg_random_below(&random, text.length)];
        const char old = *at;
        *at = (char)kg_random_next(&random);
        parses(text.data, text.length, &err);
        *at = old;
    }
    kg_text_free(&text);
    kg_results_free(&results);
}

/* Replaces the first `old` by `new` and expects a refusal with `message`. */
static void refuse(const struct kg_text *text, const char *old, const char *new,
                   const char *message)
{
    struct kg_text changed = {0};
    struct kg_error err;
    const char *at = strstr(text->data, old);
    assert_non_null(at);
    kg_text_append_bytes(&changed, text->data, (size_t)(at - text->data));
    kg_text_append(&changed, new);
    kg_text_append(&changed, at + strlen(old));
    if (parses(changed.data, changed.length, &err))
        fail_msg("'%s' in place of '%s' was read", new, old);
    if (!strstr(err.message, message))
        fail_msg("expected '%s' in the message: %s", message, err.message);
    kg_text_free(&changed);
}

static void what_does_not_fit_is_named(void **state)
{
    struct kg_results results;
    support_results(&results, 2, 3, 100);
    struct kg_text text = text_of(&results);
    refuse(&text, "kgate.results.v1", "kgate.results.v9",
           "written by a newer kgate (kgate.results.v9; this kgate reads up to v");
    refuse(&text, "\"median_ns\": [100.0", "\"median_ns\": [\"x\"",
           "cases[0].rounds.median_ns[0]: expected a number, found a string");
    refuse(&text, "\"median_ns\": [100.0", "\"median_ns\": [-5",
           "expected a number above 0, found -5");
    refuse(&text, "\"median_ns\": [100.0, 100.0, 100.0]", "\"median_ns\": [100.0]",
           "cases[0].rounds.mean_ns");
    refuse(&text, "\"cpu_count\": 2", "\"cpu_count\": -2", "machine.cpu_count: expected a whole");
    refuse(&text, "\"cpu_count\": 2", "\"cpu_count\": 2.5", "machine.cpu_count: expected a whole");
    refuse(&text, "\"status\": \"OK\"", "\"status\": \"FINE\"", "cases[0].status: expected one of");
    refuse(&text, "\"id\": \"w1/cpu\"", "\"id\": \"w0/cpu\"", "two cases have the id 'w0/cpu'");
    refuse(&text, "\"suite\": \"suite\",", "", "suite: expected a value, found nothing");
    refuse(&text, "\"suite\": \"suite\",", "\"suite\": \"a\", \"suite\": \"b\",", "occurs twice");
    kg_text_free(&text);
    kg_results_free(&results);
}

/* Three rounds of a case on the second of two GPUs, with all that only a GPU has. */
static void gpu_results(struct kg_results *results, struct kg_gpu gpus[2])
{
    support_results(results, 1, 3, 100);
    for (size_t i = 0; i < 2; i++)
        gpus[i] = (struct kg_gpu){.name = "GPU",
                                  .uuid = "GPU-0",
                                  .compute_capability = "9.0",
                                  .memory_bytes = 1,
                                  .sm_clock_hz = 1980e6,
                                  .memory_clock_hz = 2619e6};
    results->machine.gpus = gpus;
    results->machine.gpu_count = 2;
    results->machine.gpu_chosen = 1;
    results->ceilings.copy_bytes_per_s = 3e12;
    results->cpu_ceilings.one.l1_bytes_per_s = 4e11;
    results->cpu_ceilings.barrier_ns = 250;
    results->cases[0].timing = "cold";
    for (size_t r = 0; r < 3; r++) {
        struct kg_round *round_ = &results->cases[0].rounds[r];
        round_->call_ns = 7000;
        round_->launch_ns = 1500;
        round_->median_cycles = 4000;
        round_->sm_clock_hz = 1755e6;
        round_->memory_clock_hz = 2600e6;
        round_->power_w = 300;
        round_->utilization = 0;
        round_->other_processes = 0;
        round_->throttle = 4;
    }
}

static void what_no_gpu_could_have_reported_is_named(void **state)
{
    static const char *const edits[][3] = {
        {"\"timing\": \"cold\"", "\"timing\": \"warm\"",
         "cases[0].timing: expected one of cold, hot"},
        {"\"gpu_chosen\": 1", "\"gpu_chosen\": 99", "machine.gpu_chosen: expected the number of"},
        {"\"gpu_chosen\": 1", "\"gpu_chosen\": 2", "machine.gpu_chosen: "},
        {"\"sm_clock_hz\": 1980000000.0", "\"sm_clock_hz\": 0",
         "machine.gpus[0].sm_clock_hz: expected a number above 0, found 0"},
        {"\"memory_clock_hz\": 2619000000.0", "\"memory_clock_hz\": -1",
         "machine.gpus[0].memory_clock_hz: "},
        {"\"sm_clock_hz\": [1755000000.0", "\"sm_clock_hz\": [0",
         "cases[0].rounds.sm_clock_hz[0]: expected a number above 0"},
        {"\"memory_clock_hz\": [2600000000.0", "\"memory_clock_hz\": [-5",
         "cases[0].rounds.memory_clock_hz[0]: expected a number from 0 up, found -5"},
        {"\"throttle\": [4.0", "\"throttle\": [1e30",
         "cases[0].rounds.throttle[0]: expected a whole"},
        {"\"throttle\": [4.0", "\"throttle\": [0.5", "cases[0].rounds.throttle[0]: "},
        {"\"throttle\": [4.0", "\"throttle\": [-4", "cases[0].rounds.throttle[0]: "},
        {"\"call_ns\": [7000.0", "\"call_ns\": [-7", "cases[0].rounds.call_ns[0]: "},
        {"\"launch_ns\": [1500.0", "\"launch_ns\": [-7", "cases[0].rounds.launch_ns[0]: "},
        {"\"copy_bytes_per_s\": 3000000000000.0", "\"copy_bytes_per_s\": -3e12",
         "ceilings.copy_bytes_per_s: expected a number from 1e+06"},
        {"\"l1_bytes_per_s\": 400000000000.0", "\"l1_bytes_per_s\": 0",
         "cpu_ceilings.one.l1_bytes_per_s: "},
        {"\"barrier_ns\": 250.0", "\"barrier_ns\": -250", "cpu_ceilings.barrier_ns: "},
    };
    struct kg_results results;
    struct kg_error err;
    struct kg_gpu gpus[2];
    gpu_results(&results, gpus);
    struct kg_text text = text_of(&results);
    if (!parses(text.data, text.length, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        refuse(&text, edits[i][0], edits[i][1], edits[i][2]);
    kg_text_free(&text);
    kg_results_free(&results);
}

/* Profiles apart from the rounds: one case on the GPU, another on the CPU. */
static void looks_of(struct kg_results *results)
{
    support_results(results, 2, 3, 100);
    results->cases[0].target = "gemm";
    results->cases[0].threads = 4;
    results->cases[0].look = (struct kg_look){.alone_ns = 350,
                                              .instructions = 900,
                                              .line_bytes = 6400,
                                              .memory_line_bytes = 128,
                                              .source = "callgrind",
                                              .reason = "half of it"};
    results->cases[1].trace = (struct kg_trace){.launches = 3,
                                                .kernel_ns = 41,
                                                .transfer_ns = 42,
                                                .other_ns = 43,
                                                .gap_ns = 44,
                                                .to_device_bytes = 45,
                                                .to_host_bytes = 46,
                                                .pageable_bytes = 47};
}

static void what_was_seen_apart_comes_back(void **state)
{
    struct kg_results results, read;
    struct kg_error err;
    looks_of(&results);
    assert_true(kg_results_write(&results, path, &err));
    assert_true(kg_results_load(path, &read, &err));
    assert_string_equal(read.cases[0].target, "gemm");
    assert_int_equal(read.cases[0].threads, 4);
    const struct kg_look *look = &read.cases[0].look;
    assert_true(look->alone_ns == 350 && look->instructions == 900);
    assert_true(look->line_bytes == 6400 && look->memory_line_bytes == 128);
    assert_string_equal(look->source, "callgrind");
    assert_string_equal(look->reason, "half of it");
    assert_true(read.cases[1].trace.pageable_bytes == 47);
    /* of the other, nothing is known */
    assert_null(read.cases[1].target);
    assert_int_equal(read.cases[1].threads, 0);
    assert_true(isnan(read.cases[1].look.alone_ns) && isnan(read.cases[1].look.line_bytes));
    assert_true(isnan(read.cases[0].trace.pageable_bytes));
    kg_results_free(&results);
    kg_results_free(&read);
}

static void nonsense_of_what_was_seen_apart_is_named(void **state)
{
    static const char *const edits[][3] = {
        {"\"alone_ns\": 350", "\"alone_ns\": 0",
         "cases[0].look.alone_ns: expected a number above 0, found 0"},
        {"\"alone_ns\": 350", "\"alone_ns\": 1e999", "number"},
        {"\"instructions\": 900", "\"instructions\": -1", "cases[0].look.instructions: "},
        {"\"line_bytes\": 6400", "\"line_bytes\": -64", "cases[0].look.line_bytes: "},
        {"\"memory_line_bytes\": 128", "\"memory_line_bytes\": -64",
         "cases[0].look.memory_line_bytes: expected a number from 0 up, found -64"},
        {"\"threads\": 4", "\"threads\": -4", "cases[0].threads: "},
        {"\"launches\": 3", "\"launches\": -3", "cases[1].trace.launches: "},
        {"\"kernel_ns\": 41", "\"kernel_ns\": -41", "cases[1].trace.kernel_ns: "},
        {"\"transfer_ns\": 42", "\"transfer_ns\": -42", "cases[1].trace.transfer_ns: "},
        {"\"other_ns\": 43", "\"other_ns\": -43", "cases[1].trace.other_ns: "},
        {"\"gap_ns\": 44", "\"gap_ns\": -44", "cases[1].trace.gap_ns: "},
        {"\"to_device_bytes\": 45", "\"to_device_bytes\": -45", "cases[1].trace.to_device_bytes: "},
        {"\"to_host_bytes\": 46", "\"to_host_bytes\": -46", "cases[1].trace.to_host_bytes: "},
        {"\"pageable_bytes\": 47", "\"pageable_bytes\": -47", "cases[1].trace.pageable_bytes: "},
    };
    struct kg_results results;
    looks_of(&results);
    struct kg_text text = text_of(&results);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        refuse(&text, edits[i][0], edits[i][1], edits[i][2]);
    kg_text_free(&text);
    kg_results_free(&results);
}

static void figures_of_a_gpu_may_be_missing(void **state)
{
    struct kg_results results;
    struct kg_error err;
    struct kg_gpu gpus[2];
    gpu_results(&results, gpus);
    gpus[0].sm_clock_hz = gpus[1].memory_clock_hz = NAN;
    results.ceilings.copy_bytes_per_s = NAN;
    struct kg_round *round_ = &results.cases[0].rounds[1];
    round_->call_ns = round_->launch_ns = round_->median_cycles = round_->sm_clock_hz = NAN;
    round_->memory_clock_hz = round_->power_w = round_->utilization = NAN;
    round_->other_processes = round_->throttle = NAN;
    struct kg_text text = text_of(&results);
    if (!parses(text.data, text.length, &err))
        fail_msg("%s", err.message);
    kg_text_free(&text);
    kg_results_free(&results);
}

static void summary_is_of_rounds(void **state)
{
    struct kg_results results;
    support_results(&results, 1, 5, 1000);
    results.cases[0].work.items = 10;
    kg_case_summarize(&results.cases[0]);
    const struct kg_case_result *result = &results.cases[0];
    assert_float_equal(result->summary.median_ns, 1000, 1e-9);
    assert_float_equal(result->summary.min_ns, 994, 1e-9);
    assert_float_equal(result->summary.max_ns, 1010, 1e-9);
    assert_true(result->summary.interval_low_ns >= 995 && result->summary.interval_low_ns < 1000);
    assert_float_equal(result->work.items_per_second, 1e7, 1e-3);
    assert_int_equal(result->memory.peak_bytes, 1 << 20);
    kg_results_free(&results);
}

static void p95_is_of_all_samples_where_all_are_kept(void **state)
{
    enum { ROUNDS = 5 };
    struct kg_results results;
    double samples[ROUNDS];
    support_results(&results, 1, ROUNDS, 1000);
    for (int i = 0; i < ROUNDS; i++) { /* as of a command: one sample a round */
        struct kg_round *round = &results.cases[0].rounds[i];
        samples[i] = 1000 + 100 * i;
        round->median_ns = round->p95_ns = samples[i];
        round->samples_ns = &samples[i];
        round->sample_count = 1;
        round->samples_dropped = 0;
    }
    kg_case_summarize(&results.cases[0]);
    assert_float_equal(results.cases[0].summary.p95_ns, 1380, 1e-9);
    results.cases[0].rounds[0].samples_dropped = 1;
    kg_case_summarize(&results.cases[0]);
    assert_float_equal(results.cases[0].summary.p95_ns, 1200, 1e-9);
    kg_results_free(&results);
}

static void journal_reads_as_incomplete_results(void **state)
{
    struct kg_results results, read;
    struct kg_journal journal;
    struct kg_error err;
    struct kg_pair locale = {"LC_ALL", "C"};
    const char *own[] = {"LANG"};
    char name[sizeof journal.path];
    support_results(&results, 2, 3, 100);
    results.environment = (struct kg_environment){true, &locale, 1};
    results.cases[0].own_variables = own;
    results.cases[0].own_variable_count = 1;
    struct kg_round rounds[3];
    memcpy(rounds, results.cases[1].rounds, sizeof rounds);
    for (int i = 0; i < 2; i++) {
        results.cases[i].round_count = 0;
        results.cases[i].status = KG_STATUS_UNMEASURED;
    }
    assert_true(kg_journal_open(path, &results, &journal, &err));
    for (int r = 0; r < 3; r++)
        assert_true(kg_journal_round(&journal, 1, &rounds[r], &err));
    results.cases[0].status = KG_STATUS_FAILED;
    results.cases[0].reason = "crashed";
    assert_true(kg_journal_case(&journal, 0, &results.cases[0], &err));
    fputs("{\"case\": 1, \"round\": {\"media", journal.file); /* killed while it wrote */
    snprintf(name, sizeof name, "%s", journal.path);
    kg_journal_close(&journal);
    assert_true(kg_results_load(name, &read, &err));
    assert_false(read.complete);
    assert_true(read.environment.known && read.environment.count == 1);
    assert_string_equal(read.environment.variables[0].value, "C");
    assert_int_equal(read.cases[0].own_variable_count, 1);
    assert_int_equal(read.cases[1].round_count, 3);
    assert_int_equal(read.cases[1].status, KG_STATUS_OK);
    assert_float_equal(read.cases[1].summary.median_ns, 200, 1);
    assert_int_equal(read.cases[0].status, KG_STATUS_FAILED);
    assert_string_equal(read.cases[0].reason, "crashed");
    kg_results_free(&read);
    FILE *file = fopen(name, "a");
    fputs("\n{}\n", file);
    fclose(file);
    assert_false(kg_results_load(name, &read, &err));
    assert_int_equal(err.line, 6);
    kg_results_free(&results);
}

/* The reader's limit is a parameter here, so that the test need not write a GiB. */
static void a_journal_ends_before_it_is_too_long_to_be_read(void **state)
{
    struct kg_results results, read;
    struct kg_journal journal;
    struct kg_error err;
    struct kg_text text = {0};
    char name[sizeof journal.path];
    size_t written = 0;
    support_results(&results, 1, 1, 100);
    struct kg_round round = results.cases[0].rounds[0];
    results.cases[0].round_count = 0;
    assert_true(kg_journal_open(path, &results, &journal, &err));
    assert_int_equal(journal.most, KG_RECORD_FILE_MOST);
    journal.most = journal.length + 10000;
    while (written < 1000 && kg_journal_round(&journal, 0, &round, &err))
        written++;
    assert_in_range(written, 2, 999);
    assert_int_equal(err.kind, KG_ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "journal' would be longer than the "));
    assert_non_null(strstr(err.message, "`--shard`"));
    snprintf(name, sizeof name, "%s", journal.path);
    assert_true(kg_file_read(name, journal.most, &text, &err));
    assert_int_equal(text.length, journal.length);
    kg_text_free(&text);
    kg_journal_close(&journal);
    assert_true(kg_results_load(name, &read, &err));
    assert_int_equal(read.cases[0].round_count, written);
    kg_results_free(&read);
    kg_results_free(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_go_to_disk_and_back_without_loss, begin, end),
        cmocka_unit_test_setup_teardown(truncation_at_any_byte_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(damaged_bytes_never_crash, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_named, begin, end),
        cmocka_unit_test_setup_teardown(what_no_gpu_could_have_reported_is_named, begin, end),
        cmocka_unit_test_setup_teardown(figures_of_a_gpu_may_be_missing, begin, end),
        cmocka_unit_test_setup_teardown(what_was_seen_apart_comes_back, begin, end),
        cmocka_unit_test_setup_teardown(nonsense_of_what_was_seen_apart_is_named, begin, end),
        cmocka_unit_test_setup_teardown(summary_is_of_rounds, begin, end),
        cmocka_unit_test_setup_teardown(p95_is_of_all_samples_where_all_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_journal_ends_before_it_is_too_long_to_be_read, begin,
                                        end),
        cmocka_unit_test_setup_teardown(journal_reads_as_incomplete_results, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
