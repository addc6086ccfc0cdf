/* Processes of a recording by their labels. */
#include "recording_support.h"

#include <fcntl.h>

#include "profiler/read/profile.h"

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

/* A process with a label and one entry. The entry's duration is the process's number. */
static void process_add(struct recording *recording, uint32_t number, const char *label)
{
    recording_process(recording, number, 1, label);
    recording_name(recording, 1, "main");
    recording_node(recording, 1, 1, 0, 1);
    recording_entry(recording, 1, 1, 0, number, 0);
    recording_end(recording);
}

/* Filters a recording and scans the rest. False: err has the reason. */
static bool filtered(const struct recording *recording, const char *glob, struct heard *heard,
                     struct kg_error *err)
{
    char copy[256];
    const struct kg_profile_visitor visitor = heard_visitor(heard);
    snprintf(copy, sizeof copy, "%s/part.kgprof", folder);
    const char *path = recording_save(recording, folder, "all.kgprof");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int part = open(copy, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0 && part >= 0);
    *heard = (struct heard){0};
    const bool good = kg_profile_filter(file, path, glob, part, err);
    if (good && !kg_profile_scan_file(part, copy, &visitor, err))
        fail_msg("what is left is no recording: %s", err->message);
    close(file);
    close(part);
    return good;
}

static void processes_are_chosen_by_their_labels(void **state)
{
    static struct heard heard;
    struct recording recording = {0};
    struct kg_error err;
    process_add(&recording, 1, "gemm/m=1");
    process_add(&recording, 2, "bfs");
    process_add(&recording, 3, "gemm/m=2");
    assert_true(filtered(&recording, "gemm/*", &heard, &err));
    assert_int_equal(heard.process_count, 2);
    assert_int_equal(heard.processes[0].number, 1);
    assert_int_equal(heard.processes[1].number, 3);
    assert_int_equal(heard.entry_count, 2);
    heard_free(&heard);
    assert_false(filtered(&recording, "gemm", &heard, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_non_null(strstr(err.message, "has a label that matches 'gemm'"));
    recording_free(&recording);
}

static void each_process_is_there_or_not_where_one_is_cut_off(void **state)
{
    static struct heard heard;
    struct recording first = {0}, recording = {0};
    struct kg_error err;
    process_add(&first, 1, "first");
    for (size_t length = 0; length < first.bytes.length; length++) {
        kg_text_append_bytes(&recording.bytes, kg_text_string(&first.bytes), length);
        process_add(&recording, 2, "second");
        assert_true(filtered(&recording, "second", &heard, &err));
        assert_int_equal(heard.process_count, 1);
        assert_int_equal(heard.processes[0].number, 2);
        assert_true(heard.processes[0].complete);
        assert_int_equal(heard.entry_count, 1);
        heard_free(&heard);
        if (filtered(&recording, "first", &heard, &err)) {
            assert_int_equal(heard.process_count, 1);
            assert_int_equal(heard.processes[0].number, 1);
            assert_false(heard.processes[0].complete);
        }
        heard_free(&heard);
        recording_free(&recording);
    }
    recording_free(&first);
}

static void damage_is_noted(void **state)
{
    static struct heard heard;
    struct recording recording = {0};
    struct kg_error err;
    assert_false(filtered(&recording, "*", &heard, &err));
    assert_non_null(strstr(err.message, "it is too short"));
    process_add(&recording, 1, "first");
    kg_text_append(&recording.bytes, "This is not a chunk of any recording.");
    assert_false(filtered(&recording, "*", &heard, &err));
    assert_non_null(strstr(err.message, "damaged recording"));
    recording_free(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_chosen_by_their_labels),
        cmocka_unit_test(each_process_is_there_or_not_where_one_is_cut_off),
        cmocka_unit_test(damage_is_noted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
