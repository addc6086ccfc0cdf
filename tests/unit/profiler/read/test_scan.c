#include "recording_support.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/random.h"

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

/* Scans a recording that is good. */
static void hear(const struct recording *recording, struct heard *heard)
{
    struct kg_error err = {0};
    *heard = (struct heard){0};
    const struct kg_profile_visitor visitor = heard_visitor(heard);
    if (!recording_scan(recording_save(recording, folder, "r.kgprof"), &visitor, &err))
        fail_msg("refused: %s", err.message);
}

/* Scans an invalid recording, and expects `part` in the error. */
static void refuse(const struct recording *recording, const char *part)
{
    struct kg_error err = {0};
    const struct kg_profile_visitor visitor = {0};
    assert_false(recording_scan(recording_save(recording, folder, "r.kgprof"), &visitor, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" is not in \"%s\"", part, err.message);
}

static void what_a_recording_holds_is_noted(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_rich(&recording, 7);
    hear(&recording, &heard);
    assert_int_equal(heard.process_count, 1);
    assert_string_equal(heard.processes[0].label, "nightly");
    assert_string_equal(heard.processes[0].program, "/opt/solver");
    assert_string_equal(heard.processes[0].host, "host");
    assert_int_equal(heard.processes[0].number, 7);
    assert_int_equal(heard.processes[0].threads, 2);
    assert_int_equal(heard.processes[0].losses.dropped, 3);
    assert_int_equal(heard.processes[0].losses.unfinished, 1);
    assert_true(heard.processes[0].complete);
    assert_near(heard.processes[0].wall_ns, 10000, 0);
    assert_int_equal(heard.path_count, 7);
    assert_string_equal(heard.paths[2].name, "copy");
    assert_int_equal(heard.paths[2].parent, 1);
    assert_int_equal(heard.paths[2].depth, 2);
    assert_string_equal(heard.paths[2].device, "cuda");
    assert_string_equal(heard.paths[2].backend, "cuda");
    assert_string_equal(heard.paths[2].file, "solver.c");
    assert_int_equal(heard.paths[2].line, 30);
    assert_int_equal(heard.paths[2].kind, KGATE_SCOPE_TRANSFER);
    assert_null(heard.paths[0].backend);
    assert_int_equal(heard.thread_count, 1);
    assert_string_equal(heard.threads[0].name, "main thread");
    assert_int_equal(heard.threads[0].system_id, 1001);
    assert_int_equal(heard.entry_count, 8);
    heard_free(&heard);
    recording_free(&recording);
}

static void an_entry_carries_all_that_it_has(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_rich(&recording, 7);
    hear(&recording, &heard);
    const struct kg_profile_entry *copy = &heard.entries[0], *main_scope = &heard.entries[6];
    assert_near(copy->start_ns, 1500, 0);
    assert_near(copy->duration_ns, 1000, 0);
    assert_int_equal(copy->bytes, 4096);
    assert_int_equal(copy->allocated_bytes, 512);
    assert_int_equal(copy->peak_bytes, 256);
    assert_near(copy->cpu_ns, 900, 0);
    assert_near(copy->gpu_start_ns, 1600, 0);
    assert_near(copy->gpu_ns, 800, 0);
    assert_int_equal(copy->stream, 0x10);
    assert_int_equal(copy->thread, 1);
    assert_false(copy->unfinished);
    assert_true(main_scope->unfinished);
    assert_int_equal(main_scope->nested, 4);
    assert_near(main_scope->overhead_ns, 40, 0);
    assert_true(isnan(main_scope->cpu_ns) && isnan(main_scope->gpu_ns));
    assert_true(heard.paths[heard.entries[7].path].span);
    heard_free(&heard);
    recording_free(&recording);
}

/* --- Time ------------------------------------------------------------------------------------ */

/* One entry of 1000 ticks; the process begins at tick 5000 and ends `ticks` and `ns` later. */
static void check_tick(double estimate, uint64_t ticks, uint64_t ns, double duration_ns)
{
    struct recording recording = {.ticks = 5000, .clock_ns = 77};
    struct heard heard;
    recording_process(&recording, 1, estimate, "");
    recording_name(&recording, 1, "main");
    recording_node(&recording, 1, 1, 0, 1);
    recording_entry(&recording, 1, 1, 5100, 1000, 0);
    recording.ticks += ticks;
    recording.clock_ns += ns;
    recording_end(&recording);
    hear(&recording, &heard);
    assert_near(heard.entries[0].duration_ns, duration_ns, 1e-9);
    assert_near(heard.entries[0].start_ns, duration_ns / 10, 1e-9);
    heard_free(&heard);
    recording_free(&recording);
}

static void the_length_of_a_tick_comes_from_the_ends(void **state)
{
    check_tick(0.505, 4000000, 2000000, 500);
}

static void a_short_recording_has_the_estimate(void **state)
{
    check_tick(0.505, 1900000, 950000, 505);
}

static void a_clock_that_stood_still_is_not_believed(void **state)
{
    check_tick(0.505, UINT64_C(4000000000), 2000000, 505);
    check_tick(0.505, 1, 2000000000, 505);
}

/* --- Paths ----------------------------------------------------------------------------------- */

static void a_path_is_one_for_all_threads_and_processes(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_rich(&recording, 7);
    recording_rich(&recording, 8);
    hear(&recording, &heard);
    assert_int_equal(heard.process_count, 2);
    assert_int_equal(heard.ended_count, 2);
    assert_int_equal(heard.path_count, 7);
    assert_int_equal(heard.entry_count, 16);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(heard.entries[i + 8].path, heard.entries[i].path);
        assert_int_equal(heard.entries[i + 8].process, 1);
    }
    heard_free(&heard);
    recording_free(&recording);
}

static void name_device_backend_and_kind_make_a_path(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "x");
    recording_name_as(&recording, 2, "x", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CUDA, "");
    recording_name_as(&recording, 3, "x", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CPU, "openmp");
    recording_name_as(&recording, 4, "x", KGATE_SCOPE_TRANSFER, KGATE_DEVICE_CPU, "");
    recording_name(&recording, 50, "x"); /* another place in the source */
    for (uint32_t i = 1; i <= 4; i++)
        recording_node(&recording, 1, i, 0, i);
    recording_node(&recording, 1, 5, 0, 50);
    recording_span(&recording, 1, 1, 0, 1);
    hear(&recording, &heard);
    assert_int_equal(heard.path_count, 5);
    assert_true(heard.paths[4].span);
    assert_int_equal(heard.paths[4].parent, 4);
    assert_int_equal(heard.paths[0].line, 10);
    heard_free(&heard);
    recording_free(&recording);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_process(&recording, 1, 1, "a\xff");
    recording_name(&recording, 1, "\xc0\xaf zß\xed\xa0\x80");
    recording_node(&recording, 1, 1, 0, 1);
    hear(&recording, &heard);
    assert_string_equal(heard.processes[0].label, "a\xef\xbf\xbd");
    assert_string_equal(heard.paths[0].name,
                        "\xef\xbf\xbd\xef\xbf\xbd zß\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    heard_free(&heard);
    recording_free(&recording);
}

/* --- Errors ---------------------------------------------------------------------------------- */

static void an_unknown_chunk_is_passed_over(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_process(&recording, 1, 1, "");
    recording_chunk(&recording, 99, 1, "something else", 14);
    recording_name(&recording, 1, "main");
    recording_node(&recording, 1, 1, 0, 1);
    recording_entry(&recording, 1, 1, 0, 1, 0);
    hear(&recording, &heard);
    assert_int_equal(heard.entry_count, 1);
    assert_false(heard.processes[0].complete);
    heard_free(&heard);
    recording_free(&recording);
}

static void a_newer_version_is_refused(void **state)
{
    struct recording recording = {0};
    recording_rich(&recording, 1);
    recording.bytes.data[offsetof(struct kg_chunk, version)]++;
    refuse(&recording, "recorded by a newer kgate, in version 2");
    recording_free(&recording);
}

static void kinds_of_scopes_are_noted(void **state)
{
    struct recording recording = {0};
    struct heard heard;
    recording_parallel(&recording, 1, "");
    hear(&recording, &heard);
    assert_int_equal(heard.paths[0].kind, KGATE_SCOPE_COMPUTE);
    assert_int_equal(heard.paths[1].kind, KGATE_SCOPE_PARALLEL);
    assert_int_equal(heard.paths[3].kind, KGATE_SCOPE_WAIT);
    heard_free(&heard);
    recording_free(&recording);
}

/* A chunk after a process of one name and one path; the damage is `at` bytes into it. */
static void refuse_chunk(void (*damage)(struct recording *), size_t at, const char *part)
{
    struct recording recording = {0};
    char place[32];
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "main");
    recording_node(&recording, 1, 1, 0, 1);
    at += recording.bytes.length + sizeof(struct kg_chunk);
    snprintf(place, sizeof place, "at byte %zu", at);
    damage(&recording);
    refuse(&recording, part);
    refuse(&recording, place);
    recording_free(&recording);
}

static void refuse_after(void (*damage)(struct recording *), const char *part)
{
    refuse_chunk(damage, 0, part);
}

/* In the first entry, which comes after their number. */
static void refuse_entry(void (*damage)(struct recording *), const char *part)
{
    refuse_chunk(damage, 8, part);
}

static void with_unknown_node(struct recording *recording)
{
    recording_entry(recording, 1, 2, 0, 1, 0);
}
static void with_other_threads_node(struct recording *recording)
{
    recording_entry(recording, 2, 1, 0, 1, 0);
}
static void with_unknown_span(struct recording *recording)
{
    recording_span(recording, 1, 2, 0, 1);
}
static void with_absurd_duration(struct recording *recording)
{
    recording_entry(recording, 1, 1, 0, UINT64_C(1) << 60, 0);
}
static void with_absurd_start(struct recording *recording)
{
    recording_entry(recording, 1, 1, UINT64_C(1) << 62, 1, 0);
}
static void with_unknown_flag(struct recording *recording)
{
    recording_entry(recording, 1, 1, 0, 1, UINT32_C(128) << 24);
}
/* `count` entries said to be in `length` bytes. */
static void with_packed(struct recording *recording, uint64_t count, const char *entries,
                        size_t length)
{
    char bytes[8 + 64];
    memcpy(bytes, &count, sizeof count);
    memcpy(bytes + 8, entries, length);
    recording_chunk(recording, KG_CHUNK_PACKED, 1, bytes, 8 + length);
}
static void with_missing_entry(struct recording *recording)
{
    with_packed(recording, 1, "", 0);
}
static void with_half_an_entry(struct recording *recording)
{
    with_packed(recording, 1, "\x04\0\x80\x80\x80\x80\x80\x80", 8);
}
static void with_missing_slot(struct recording *recording)
{
    with_packed(recording, 1, "\x06\0\x01\x04\0\x80\x80\x80", 8);
}
static void with_more_than_its_entries(struct recording *recording)
{
    with_packed(recording, 0, "\x04\0\1\4\0\1\4\0", 8);
}
static void with_no_number_of_entries(struct recording *recording)
{
    recording_chunk(recording, KG_CHUNK_PACKED, 1, "", 0);
}
static void with_name_twice(struct recording *recording)
{
    recording_name(recording, 1, "other");
}
static void with_skipped_node(struct recording *recording)
{
    recording_node(recording, 1, 3, 0, 1);
}
static void with_unknown_parent(struct recording *recording)
{
    recording_node(recording, 1, 2, 2, 1);
}
static void with_unknown_name(struct recording *recording)
{
    recording_node(recording, 1, 2, 1, 9);
}
static void with_unknown_device(struct recording *recording)
{
    recording_name_as(recording, 2, "x", KGATE_SCOPE_COMPUTE, (enum kgate_device)2, "");
}
static void with_half_a_node(struct recording *recording)
{
    recording_chunk(recording, KG_CHUNK_NODES, 1, "12345678", 8);
}

static void damage_is_named_with_its_place(void **state)
{
    refuse_entry(with_unknown_node, "unknown path 2");
    refuse_entry(with_other_threads_node, "unknown path 1");
    refuse_entry(with_unknown_span, "unknown name 2");
    refuse_entry(with_absurd_duration, "an impossible time");
    refuse_entry(with_absurd_start, "an impossible time");
    refuse_entry(with_unknown_flag, "unknown flags");
    refuse_after(with_no_number_of_entries, "entries without their number");
    refuse_after(with_name_twice, "name 1 occurs twice");
    refuse_after(with_skipped_node, "path 3 where 2 was to come");
    refuse_after(with_unknown_parent, "path 2 is inside unknown path 2");
    refuse_after(with_unknown_name, "path 2 has unknown name 9");
    refuse_after(with_unknown_device, "an impossible name");
    refuse_after(with_half_a_node, "half a path");
}

static void an_entry_that_is_not_all_there_is_damage(void **state)
{
    refuse_entry(with_missing_entry, "an entry that is none");
    refuse_entry(with_half_an_entry, "an entry that is none");
    refuse_entry(with_missing_slot, "an entry that is none");
    refuse_entry(with_more_than_its_entries, "more than its entries");
}

static void too_deep_a_path_is_refused(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "main");
    for (uint32_t i = 1; i <= 513; i++)
        recording_node(&recording, 1, i, i - 1, 1);
    refuse(&recording, "nested more than 512 deep");
    recording_free(&recording);
}

static void a_process_that_cannot_be_is_refused(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, NAN, "");
    refuse(&recording, "an impossible process");
    recording_free(&recording);
    recording_name(&recording, 1, "main");
    refuse(&recording, "no process at the expected place");
    recording_free(&recording);
}

static void other_files_are_no_recordings(void **state)
{
    struct recording recording = {0};
    struct kg_error err;
    char path[128];
    refuse(&recording, "it is too short");
    kg_text_append(&recording.bytes, "{\"schema\": \"kgate.results.v1\", \"cases\": []}\n");
    refuse(&recording, "not a recording of a profile");
    assert_false(kg_profile_is_recording(recording_save(&recording, folder, "r.kgprof")));
    snprintf(path, sizeof path, "%s/none", folder);
    const struct kg_profile_visitor visitor = {0};
    assert_false(recording_scan(path, &visitor, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_false(recording_scan(folder, &visitor, &err));
    assert_non_null(strstr(err.message, "not a regular file"));
    assert_false(kg_profile_is_recording(path));
    recording_free(&recording);
}

static bool stop(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    (void)entry;
    return --*(int *)user || kg_error_set(err, KG_ERROR_INTERRUPTED, "enough");
}

static void a_visitor_can_end_the_scan(void **state)
{
    struct recording recording = {0};
    struct kg_error err;
    int left = 3;
    const struct kg_profile_visitor visitor = {.user = &left, .entry = stop};
    recording_rich(&recording, 7);
    assert_false(recording_scan(recording_save(&recording, folder, "r.kgprof"), &visitor, &err));
    assert_string_equal(err.message, "enough");
    assert_int_equal(left, 0);
    recording_free(&recording);
}

/* --- Crashes and damage ---------------------------------------------------------------------- */

/* Scans the first bytes of a recording of two processes. */
static size_t heard_of(const struct recording *recording, size_t length, size_t first_process)
{
    static struct heard heard;
    struct kg_error err;
    heard = (struct heard){0};
    const struct kg_profile_visitor visitor = heard_visitor(&heard);
    const char *path = recording_save_part(recording, folder, "cut.kgprof", length);
    if (length < first_process) {
        assert_false(recording_scan(path, &visitor, &err));
        return 0;
    }
    if (!recording_scan(path, &visitor, &err))
        fail_msg("cut at %zu: %s", length, err.message);
    assert_int_equal(heard.ended_count, heard.process_count);
    if (length < recording->bytes.length && heard.process_count == 2)
        assert_false(heard.processes[1].complete);
    heard_free(&heard);
    return heard.entry_count;
}

static void a_recording_cut_anywhere_is_read_as_far_as_it_goes(void **state)
{
    struct recording recording = {0};
    size_t before = 0;
    recording_process(&recording, 7, 1, "nightly");
    const size_t first_process = recording.bytes.length;
    recording_free(&recording);
    recording_rich(&recording, 7);
    recording_rich(&recording, 8);
    for (size_t length = 0; length <= recording.bytes.length; length++) {
        const size_t now = heard_of(&recording, length, first_process);
        if (now < before)
            fail_msg("fewer entries at %zu than before", length);
        before = now;
    }
    assert_int_equal(before, 16);
    recording_free(&recording);
}

/* --- Joined recordings ----------------------------------------------------------------------- */

/* The first `length` bytes of a recording, `between`, and all of another one. */
static void join(struct recording *joined, const struct recording *first, size_t length,
                 const char *between, const struct recording *second)
{
    kg_text_truncate(&joined->bytes, 0);
    kg_text_append_bytes(&joined->bytes, kg_text_string(&first->bytes), length);
    kg_text_append(&joined->bytes, between);
    kg_text_append_bytes(&joined->bytes, second->bytes.data, second->bytes.length);
}

/* Compares `part` with the last process of `all`, entry by entry. It must be complete. */
static void check_last(const struct heard *all, const struct heard *part, size_t length)
{
    const size_t before = all->entry_count - part->entry_count;
    if (all->entry_count < part->entry_count || !all->process_count ||
        all->processes[all->process_count - 1].number != part->processes[0].number)
        fail_msg("cut at %zu: the second is not there", length);
    assert_true(all->processes[all->process_count - 1].complete);
    assert_int_equal(all->ended_count, all->process_count);
    for (size_t i = 0; i < part->entry_count; i++) {
        const struct kg_profile_entry *a = &all->entries[before + i], *b = &part->entries[i];
        assert_int_equal(a->process, all->process_count - 1);
        assert_string_equal(all->paths[a->path].name, part->paths[b->path].name);
        assert_near(a->start_ns, b->start_ns, 0);
        assert_near(a->duration_ns, b->duration_ns, 0);
    }
}

/* Compares the first process's entries with the start of `first`. */
static void check_first(const struct heard *all, const struct heard *first, size_t count,
                        bool whole)
{
    if (all->process_count < 2) {
        assert_int_equal(count, 0);
        return;
    }
    assert_int_equal(all->process_count, 2);
    assert_int_equal(all->processes[0].complete, whole);
    assert_in_range(count, whole ? first->entry_count : 0, first->entry_count);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(&all->entries[i], &first->entries[i], sizeof *first->entries);
}

static void cut_first(const struct recording *first, const struct recording *second)
{
    static struct heard one, other, both;
    struct recording joined = {0};
    size_t before = 0;
    hear(first, &one);
    hear(second, &other);
    for (size_t length = 0; length <= first->bytes.length; length++) {
        join(&joined, first, length, "", second);
        hear(&joined, &both);
        check_last(&both, &other, length);
        const size_t count = both.entry_count - other.entry_count;
        check_first(&both, &one, count, length == first->bytes.length);
        assert_true(kg_profile_is_recording(recording_save(&joined, folder, "r.kgprof")));
        assert_true(count >= before);
        before = count;
        heard_free(&both);
    }
    assert_int_equal(before, one.entry_count);
    heard_free(&one);
    heard_free(&other);
    recording_free(&joined);
}

/* A process with one chunk of entries. */
static void plain_add(struct recording *recording, uint32_t number, size_t count)
{
    struct kg_entry entries[HEARD_MOST];
    recording_process(recording, number, 1, "");
    recording_name(recording, 1, "main");
    recording_node(recording, 1, 1, 0, 1);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct kg_entry){.start = 1000 * i, .duration = 300, .node = 1};
    recording_slots(recording, 1, entries, count);
    recording_end(recording);
}

static void after_a_recording_cut_anywhere_the_next_is_whole(void **state)
{
    struct recording first = {0}, second = {0};
    recording_rich(&first, 7);
    recording_rich(&second, 8);
    cut_first(&first, &second);
    recording_free(&first);
    recording_free(&second);
}

/* The truncated chunk's length reaches into the next recording, to one of its chunks, or beyond its
 * end. */
static void a_chunk_that_is_cut_off_does_not_take_the_next_recording(void **state)
{
    struct recording first = {0}, second = {0};
    plain_add(&first, 1, 200);
    plain_add(&second, 2, 3);
    assert_true(first.bytes.length > 2 * second.bytes.length);
    cut_first(&first, &second);
    recording_free(&first);
    recording_free(&second);
}

static void what_is_no_chunk_ends_at_the_next_process(void **state)
{
    static struct heard one, other, both;
    struct recording first = {0}, second = {0}, joined = {0};
    recording_rich(&first, 7);
    recording_rich(&second, 8);
    hear(&first, &one);
    hear(&second, &other);
    join(&joined, &first, first.bytes.length, "The disk was full. KgP1KgKgP1 It was not mine.",
         &second);
    hear(&joined, &both);
    check_last(&both, &other, 0);
    check_first(&both, &one, one.entry_count, false);
    kg_text_append(&joined.bytes, "Nothing comes after this, and so it is damage.");
    refuse(&joined, "no chunk at the expected place");
    heard_free(&one);
    heard_free(&other);
    heard_free(&both);
    recording_free(&first);
    recording_free(&second);
    recording_free(&joined);
}

static void a_newer_version_after_a_cut_is_refused(void **state)
{
    struct recording first = {0}, second = {0}, joined = {0};
    recording_rich(&first, 7);
    recording_rich(&second, 8);
    second.bytes.data[offsetof(struct kg_chunk, version)]++;
    for (size_t cut = 0; cut < 200; cut++) {
        join(&joined, &first, first.bytes.length - cut, "", &second);
        refuse(&joined, "recorded by a newer kgate, in version 2");
    }
    recording_free(&first);
    recording_free(&second);
    recording_free(&joined);
}

/* --- Noise ----------------------------------------------------------------------------------- */

/* Everything that is made from a recording, into nothing. */
static void report_all(const char *path, FILE *nowhere)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    struct kg_error err;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    if (kg_profile_read_file(file, path, &profile, &err)) {
        kg_profile_table(&profile, 0, 0, &text);
        kg_profile_tree(&profile, 0, 0, &text);
        kg_profile_top(&profile, 0, 0, &text);
        kg_profile_folded(&profile, &text);
        assert_true(kg_profile_trace(file, path, nowhere, &err));
        assert_true(kg_profile_csv(file, path, nowhere, &err));
        assert_true(kg_profile_json(file, path, nowhere, &err));
        assert_false(text.failed);
        kg_profile_free(&profile);
    } else {
        assert_int_equal(err.kind, KG_ERROR_USAGE);
    }
    kg_text_free(&text);
    close(file);
}

/* The most memory that the process ever had, in kB. */
static long memory_most(void)
{
    char line[128];
    long most = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6))
            most = strtol(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return most;
}

static void flip(uint64_t seed, int times)
{
    struct recording recording = {0};
    struct kg_random random = {seed};
    FILE *nowhere = fopen("/dev/null", "we");
    assert_non_null(nowhere);
    recording_rich(&recording, 7);
    recording_rich(&recording, 8);
    char *good = malloc(recording.bytes.length);
    assert_non_null(good);
    memcpy(good, recording.bytes.data, recording.bytes.length);
    for (int i = 0; i < times; i++) {
        const int flips = 1 + (int)(kg_random_next(&random) % 4);
        memcpy(recording.bytes.data, good, recording.bytes.length);
        for (int f = 0; f < flips; f++) {
            const uint64_t value = kg_random_next(&random);
            recording.bytes.data[value % recording.bytes.length] ^= (char)(1 << (value >> 32) % 8);
        }
        report_all(recording_save(&recording, folder, "flip.kgprof"), nowhere);
    }
    free(good);
    fclose(nowhere);
    recording_free(&recording);
}

static void flipped_bits_neither_crash_nor_take_memory(void **state)
{
    const uint64_t seed = 20251121;
    print_message("seed %" PRIu64 "\n", seed);
    const long before = memory_most();
    flip(seed, 4000);
    const long more = memory_most() - before;
    if (MEMORY_MEASURED && more > 32 << 10)
        fail_msg("%ld kB more", more);
}

static void noise_is_refused(void **state)
{
    struct kg_random random = {3};
    FILE *nowhere = fopen("/dev/null", "we");
    for (int i = 0; i < 300; i++) {
        struct recording recording = {0};
        recording_process(&recording, 1, 1, "");
        recording_name(&recording, 1, "main");
        const uint64_t type = kg_random_next(&random) % 9;
        uint64_t noise[64];
        for (size_t n = 0; n < 64; n++)
            noise[n] = kg_random_next(&random) >> kg_random_next(&random) % 64;
        recording_chunk(&recording, (unsigned)type, 1, noise, sizeof noise);
        report_all(recording_save(&recording, folder, "noise.kgprof"), nowhere);
        recording_free(&recording);
    }
    fclose(nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_recording_holds_is_noted),
        cmocka_unit_test(kinds_of_scopes_are_noted),
        cmocka_unit_test(an_entry_carries_all_that_it_has),
        cmocka_unit_test(the_length_of_a_tick_comes_from_the_ends),
        cmocka_unit_test(a_short_recording_has_the_estimate),
        cmocka_unit_test(a_clock_that_stood_still_is_not_believed),
        cmocka_unit_test(a_path_is_one_for_all_threads_and_processes),
        cmocka_unit_test(name_device_backend_and_kind_make_a_path),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(an_unknown_chunk_is_passed_over),
        cmocka_unit_test(a_newer_version_is_refused),
        cmocka_unit_test(damage_is_named_with_its_place),
        cmocka_unit_test(an_entry_that_is_not_all_there_is_damage),
        cmocka_unit_test(too_deep_a_path_is_refused),
        cmocka_unit_test(a_process_that_cannot_be_is_refused),
        cmocka_unit_test(other_files_are_no_recordings),
        cmocka_unit_test(a_visitor_can_end_the_scan),
        cmocka_unit_test(a_recording_cut_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(after_a_recording_cut_anywhere_the_next_is_whole),
        cmocka_unit_test(a_chunk_that_is_cut_off_does_not_take_the_next_recording),
        cmocka_unit_test(what_is_no_chunk_ends_at_the_next_process),
        cmocka_unit_test(a_newer_version_after_a_cut_is_refused),
        cmocka_unit_test(flipped_bits_neither_crash_nor_take_memory),
        cmocka_unit_test(noise_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
