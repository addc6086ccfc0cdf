#include "recording_support.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/random.h"
#include "profiler/read/profile_load.h"

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

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

/* Writes the recording `from` as JSON to `to`. */
static void convert(const char *from, const char *to)
{
    struct kg_error err;
    const int file = open(path_of(from), O_RDONLY | O_CLOEXEC);
    FILE *output = fopen(path_of(to), "we");
    assert_true(file >= 0 && output);
    if (!kg_profile_json(file, from, output, &err))
        fail_msg("refused: %s", err.message);
    assert_int_equal(fclose(output), 0);
    close(file);
}

/* r.kgprof and r.json, of `processes` processes. */
static void make_both(uint32_t processes)
{
    struct recording recording = {0};
    for (uint32_t i = 0; i < processes; i++)
        recording_rich(&recording, 7 + i);
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    convert("r.kgprof", "r.json");
}

static void write_text(const char *name, const char *text)
{
    support_file(path_of(name), text, strlen(text));
}

static void load(const char *name, struct kg_profile *profile)
{
    struct kg_error err;
    if (!kg_profile_load(path_of(name), profile, &err))
        fail_msg("%s: %s", name, err.message);
}

/* --- There and back -------------------------------------------------------------------------- */

static void check_string(const char *a, const char *b)
{
    assert_true(!a == !b);
    if (a)
        assert_string_equal(a, b);
}

static void check_figures(const struct kg_profile_figures *a, const struct kg_profile_figures *b)
{
    struct kg_profile_figures x = *a, y = *b;
    assert_true(isnan(x.cpu_ns) ? isnan(y.cpu_ns) : x.cpu_ns == y.cpu_ns);
    x.cpu_ns = y.cpu_ns = 0;
    assert_memory_equal(&x, &y, sizeof x);
}

static void check_process(const struct kg_profile_process *a, const struct kg_profile_process *b)
{
    check_string(a->label, b->label);
    check_string(a->program, b->program);
    check_string(a->host, b->host);
    assert_int_equal(a->number, b->number);
    assert_near(a->started_ns, b->started_ns, 0);
    assert_near(a->wall_ns, b->wall_ns, 0);
    assert_near(a->scope_cost_ns, b->scope_cost_ns, 0);
    assert_near(a->sample, b->sample, 0);
    assert_int_equal(a->sampling, b->sampling);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->complete, b->complete);
    assert_memory_equal(&a->losses, &b->losses, sizeof a->losses);
}

static void check_row(const struct kg_profile_row *a, const struct kg_profile_row *b)
{
    assert_string_equal(a->path.name, b->path.name);
    assert_int_equal(a->path.parent, b->path.parent);
    assert_int_equal(a->path.depth, b->path.depth);
    assert_string_equal(a->path.device, b->path.device);
    check_string(a->path.backend, b->path.backend);
    check_string(a->path.file, b->path.file);
    assert_int_equal(a->path.line, b->path.line);
    assert_int_equal(a->path.kind, b->path.kind);
    assert_int_equal(a->path.span, b->path.span);
    check_figures(&a->figures, &b->figures);
    assert_int_equal(a->round_count, b->round_count);
    assert_memory_equal(a->rounds_ns, b->rounds_ns, a->round_count * sizeof *a->rounds_ns);
    assert_int_equal(a->process_count, b->process_count);
    assert_memory_equal(a->calls, b->calls, a->process_count * sizeof *a->calls);
}

static void check_share(const struct kg_profile_share *a, const struct kg_profile_share *b)
{
    assert_int_equal(a->row, b->row);
    assert_int_equal(a->process, b->process);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->calls, b->calls);
    assert_near(a->total_ns, b->total_ns, 0);
    assert_near(a->start_ns, b->start_ns, 0);
    assert_near(a->end_ns, b->end_ns, 0);
}

static void check_same(const struct kg_profile *a, const struct kg_profile *b)
{
    assert_int_equal(a->process_count, b->process_count);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->name_count, b->name_count);
    assert_int_equal(a->entry_count, b->entry_count);
    assert_near(a->wall_ns, b->wall_ns, 0);
    for (size_t i = 0; i < a->process_count; i++)
        check_process(&a->processes[i], &b->processes[i]);
    for (size_t i = 0; i < a->row_count; i++)
        check_row(&a->rows[i], &b->rows[i]);
    assert_int_equal(a->share_count, b->share_count);
    for (size_t i = 0; i < a->share_count; i++)
        check_share(&a->shares[i], &b->shares[i]);
    for (size_t i = 0; i < a->name_count; i++) {
        assert_string_equal(a->names[i].name, b->names[i].name);
        check_figures(&a->names[i].figures, &b->names[i].figures);
    }
}

static void check_both(const char *json)
{
    struct kg_profile read, loaded;
    load("r.kgprof", &read);
    load(json, &loaded);
    check_same(&read, &loaded);
    kg_profile_free(&read);
    kg_profile_free(&loaded);
}

static void json_has_all_that_the_recording_does(void **state)
{
    for (uint32_t processes = 1; processes <= 3; processes++) {
        make_both(processes);
        check_both("r.json");
    }
}

static void kinds_of_scopes_come_back(void **state)
{
    struct recording recording = {0};
    struct kg_profile profile;
    recording_parallel(&recording, 1, "case");
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    convert("r.kgprof", "r.json");
    check_both("r.json");
    load("r.json", &profile);
    assert_int_equal(profile.rows[1].path.kind, KGATE_SCOPE_PARALLEL);
    assert_int_equal(profile.rows[2].path.kind, KGATE_SCOPE_WAIT);
    kg_profile_free(&profile);
}

/* Numbers with all their digits, texts with everything in them. */
static void odd_values_come_back(void **state)
{
    struct recording recording = {.ticks = 1000, .clock_ns = 1};
    struct kg_random random = {5};
    recording_process(&recording, 1, 1.0 / 3, "\"\\\t\x01\x7f\xff ü;,");
    recording_name_as(&recording, 1, "a\"b\\c\n\x1f", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CUDA, "\n");
    recording_name(&recording, 2, "");
    recording_node(&recording, 1, 1, 0, 1);
    recording_node(&recording, 1, 2, 1, 2);
    for (int i = 0; i < 1000; i++)
        recording_entry(&recording, 1, 1 + (uint32_t)i % 2, kg_random_next(&random) >> 20,
                        kg_random_next(&random) >> (20 + i % 40), (uint32_t)i);
    const struct kg_entry entry = {.bytes = UINT64_MAX, .node = 1};
    recording_slots(&recording, 1, &entry, 1);
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    convert("r.kgprof", "r.json");
    check_both("r.json");
}

static void an_empty_profile_comes_back(void **state)
{
    struct recording recording = {0};
    recording_process(&recording, 1, 1, "");
    recording_save(&recording, folder, "r.kgprof");
    recording_free(&recording);
    convert("r.kgprof", "r.json");
    check_both("r.json");
}

static void it_is_as_the_schema_defines(void **state)
{
    char command[512];
    make_both(2);
    snprintf(
        command, sizeof command,
        "/usr/bin/python3 -W ignore -m jsonschema -i '%s' '%s/docs/schema/profile.v1.schema.json'",
        path_of("r.json"), KGATE_SOURCE_DIR);
    if (access("/usr/bin/python3", X_OK) != 0)
        skip();
    assert_int_equal(system(command), 0);
}

/* Writes r.json again as another program would, into other.json: with `space` behind brackets, commas and
 * colons, and no other. */
static void reformat(const char *space)
{
    struct kg_text text = {0}, other = {0};
    struct kg_error err;
    bool quoted = false;
    assert_true(kg_file_read(path_of("r.json"), SIZE_MAX / 2, &text, &err));
    for (const char *byte = text.data; *byte; byte++) {
        if (*byte == '"' && byte[-1] != '\\')
            quoted = !quoted;
        if (!quoted && strchr(" \n", *byte))
            continue;
        kg_text_append_bytes(&other, byte, 1);
        if (!quoted && strchr("{[,:", *byte))
            kg_text_append(&other, space);
    }
    write_text("other.json", other.data);
    kg_text_free(&text);
    kg_text_free(&other);
}

static void other_layouts_load_too(void **state)
{
    static const char *const layouts[] = {"", " ", "\n", "\r\n\t"};
    make_both(2);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        reformat(layouts[i]);
        check_both("other.json");
    }
}

static void entries_may_be_left_out(void **state)
{
    struct kg_text text = {0};
    struct kg_error err;
    make_both(1);
    assert_true(kg_file_read(path_of("r.json"), SIZE_MAX / 2, &text, &err));
    const char *entries = strstr(text.data, ",\n  \"entries\"");
    assert_non_null(entries);
    kg_text_truncate(&text, (size_t)(entries - text.data));
    kg_text_append(&text, "}");
    write_text("other.json", text.data);
    kg_text_free(&text);
    check_both("other.json");
}

static void kinds_of_files_are_distinguished(void **state)
{
    make_both(1);
    reformat("");
    assert_true(kg_profile_is(path_of("r.kgprof")));
    assert_true(kg_profile_is(path_of("r.json")));
    assert_true(kg_profile_is(path_of("other.json")));
    write_text("other.json", "{\"schema\": \"kgate.results.v1\", \"cases\": []}\n");
    assert_false(kg_profile_is(path_of("other.json")));
    write_text("other.json", "");
    assert_false(kg_profile_is(path_of("other.json")));
    assert_false(kg_profile_is(path_of("none")));
    assert_false(kg_profile_is(folder));
}

/* --- Entries --------------------------------------------------------------------------------- */

static void hear(const char *name, struct heard *heard)
{
    struct kg_error err;
    const struct kg_profile_visitor visitor = heard_visitor(heard);
    *heard = (struct heard){0};
    const bool good = kg_profile_is_recording(path_of(name))
                          ? recording_scan(path_of(name), &visitor, &err)
                          : kg_profile_json_scan(path_of(name), &visitor, &err);
    if (!good)
        fail_msg("%s: %s", name, err.message);
}

static void check_entry(const struct heard *a, const struct heard *b, size_t i)
{
    const struct kg_profile_entry *x = &a->entries[i], *y = &b->entries[i];
    assert_int_equal(x->process, y->process);
    assert_int_equal(x->thread, y->thread);
    assert_string_equal(a->paths[x->path].name, b->paths[y->path].name);
    assert_int_equal(a->paths[x->path].depth, b->paths[y->path].depth);
    assert_int_equal(x->unfinished, y->unfinished);
    assert_near(x->start_ns, y->start_ns, 1e-3);
    assert_near(x->duration_ns, y->duration_ns, 1e-3);
    assert_near(x->overhead_ns, y->overhead_ns, 1e-3);
    assert_int_equal(x->nested, y->nested);
    assert_int_equal(x->bytes, y->bytes);
    assert_int_equal(x->allocated_bytes, y->allocated_bytes);
    assert_int_equal(x->peak_bytes, y->peak_bytes);
    assert_int_equal(x->stream, y->stream);
    assert_true(isnan(x->cpu_ns) == isnan(y->cpu_ns) && isnan(x->gpu_ns) == isnan(y->gpu_ns));
    if (!isnan(x->gpu_ns)) {
        assert_near(x->gpu_ns, y->gpu_ns, 1e-3);
        assert_near(x->gpu_start_ns, y->gpu_start_ns, 1e-3);
    }
}

static void entries_are_read_from_json_too(void **state)
{
    static struct heard recorded, from_json;
    make_both(2);
    reformat("\n");
    hear("r.kgprof", &recorded);
    for (int turn = 0; turn < 2; turn++) {
        hear(turn ? "other.json" : "r.json", &from_json);
        assert_int_equal(from_json.process_count, 2);
        assert_int_equal(from_json.ended_count, 2);
        assert_int_equal(from_json.path_count, recorded.path_count);
        assert_int_equal(from_json.thread_count, 2);
        assert_string_equal(from_json.threads[1].name, "main thread");
        assert_int_equal(from_json.threads[1].process, 1);
        assert_int_equal(from_json.entry_count, recorded.entry_count);
        for (size_t i = 0; i < from_json.entry_count; i++)
            check_entry(&recorded, &from_json, i);
        heard_free(&from_json);
    }
    heard_free(&recorded);
}

static bool json_scan(const struct kg_profile_source *source,
                      const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    return kg_profile_json_scan(source->path, visitor, err);
}

static void reports_of_entries_are_the_same_from_json(void **state)
{
    struct kg_error err;
    make_both(1);
    for (int turn = 0; turn < 2; turn++) {
        char *texts[2];
        size_t lengths[2];
        const int file = open(path_of("r.kgprof"), O_RDONLY | O_CLOEXEC);
        const struct kg_profile_source sources[] = {
            kg_profile_source_file(file, "r.kgprof"),
            {.scan = json_scan, .path = path_of("r.json"), .file = -1}};
        for (size_t i = 0; i < 2; i++) {
            FILE *output = open_memstream(&texts[i], &lengths[i]);
            assert_true(turn ? kg_profile_csv_write(&sources[i], output, &err)
                             : kg_profile_trace_write(&sources[i], output, &err));
            fclose(output);
        }
        if (turn)
            assert_string_equal(texts[0], texts[1]);
        else
            assert_int_equal(lengths[0], lengths[1]); /* in another order */
        free(texts[0]);
        free(texts[1]);
        close(file);
    }
}

/* --- Errors ---------------------------------------------------------------------------------- */

/* Replaces `old` by `new` in r.json, and expects `part` in the error. */
static void refuse(const char *old, const char *new, const char *part)
{
    struct kg_text text = {0}, changed = {0};
    struct kg_profile profile;
    struct kg_error err = {0};
    const struct kg_profile_visitor visitor = {0};
    assert_true(kg_file_read(path_of("r.json"), SIZE_MAX / 2, &text, &err));
    const char *place = strstr(kg_text_string(&text), old);
    if (!place)
        fail_msg("there is no %s", old);
    kg_text_append_bytes(&changed, text.data, (size_t)(place - text.data));
    kg_text_append(&changed, new);
    kg_text_append(&changed, place + strlen(old));
    write_text("bad.json", kg_text_string(&changed));
    if (kg_profile_load(path_of("bad.json"), &profile, &err)) {
        kg_profile_free(&profile);
        assert_false(kg_profile_json_scan(path_of("bad.json"), &visitor, &err));
    }
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    assert_string_equal(err.path, path_of("bad.json"));
    if (!strstr(err.message, part))
        fail_msg("\"%s\" is not in \"%s\"", part, err.message);
    kg_text_free(&text);
    kg_text_free(&changed);
}

static void malformed_values_are_named(void **state)
{
    make_both(1);
    refuse("kgate.profile.v1", "kgate.profile.v2",
           "written by a newer kgate (kgate.profile.v2; this kgate reads up to v1)");
    refuse("\"wall_ns\": 10000", "\"wall_ns\": \"long\"", "wall_ns: expected a number");
    refuse("\"wall_ns\": 10000", "\"wall_ns\": null", "wall_ns: expected a number, found null");
    refuse("\"wall_ns\": 10000", "\"wall_ns\": -1", "wall_ns: expected a number from 0 up");
    refuse("\"sampling\":\"requests\"", "\"sampling\":\"all\"", "processes[0].sampling");
    refuse("\"sample\":1", "\"sample\":2", "processes[0].sample");
    refuse("\"number\":7", "\"number\":-7", "processes[0].number");
    refuse("\"dropped\":3,\"too_deep\":0,\"unbalanced\":0,\"unfinished\":1,\"sampled_out\":0,"
           "\"gpu_dropped\":0}}",
           "\"dropped\":3}}", "processes[0].losses.too_deep");
    refuse("\"parent\":1,\"depth\":2", "\"parent\":6,\"depth\":2", "paths[2].parent");
    refuse("\"parent\":1,\"depth\":2", "\"parent\":1,\"depth\":7", "paths[2].depth");
    refuse("\"parent\":6", "\"parent\":3", "paths[6].parent");
    refuse("\"device\":\"cuda\"", "\"device\":\"tpu\"", "paths[1].device");
    refuse("\"kind\":\"transfer\"", "\"kind\":\"move\"", "paths[3].kind");
    refuse("\"self_ns\":3900", "\"self_ns\":null", "paths[1].self_ns");
    refuse("\"self_ns\":3900", "\"self_ns\":-1", "paths[1].self_ns");
    refuse("\"process_calls\":[1]", "\"process_calls\":[1,2]", "paths[0].process_calls");
    refuse("\"rounds_ns\":[10000]", "\"rounds_ns\":[null]", "paths[0].rounds_ns");
    refuse("{\"process\":0,\"thread\":1,\"system", "{\"process\":9,\"thread\":1,\"system",
           "threads[0].process");
    refuse("{\"path\":0,\"process\":0", "{\"path\":7,\"process\":0", "thread_shares[0].path");
    refuse("{\"path\":0,\"process\":0", "{\"path\":0,\"process\":1", "thread_shares[0].process");
    refuse("{\"path\":0,\"process\":0", "{\"path\":2,\"process\":0", "thread_shares[1].path");
}

static void malformed_entries_are_named(void **state)
{
    make_both(1);
    refuse("{\"process\":0,\"thread\":1,\"path\":3", "{\"process\":0,\"thread\":1,\"path\":7",
           "entries[0]");
    refuse("\"gpu_ns\":3000,\"stream\":\"0x10\"", "\"gpu_ns\":3000,\"stream\":\"10\"",
           "entries[2]: stream");
    refuse("\"start_ns\":3000,\"d", "\"start_ns\":true,\"d", "entries[1]: start_ns");
    refuse("\"start_ns\":3000,\"d", "\"start_ns\":1e300,\"d", "entries[1]: an impossible time");
    refuse("\"start_ns\":3000,\"d", "\"start_ns\":,\"d", "malformed JSON");
}

static void a_json_profile_that_is_cut_off_is_refused(void **state)
{
    struct kg_text text = {0};
    struct kg_profile profile;
    struct kg_error err;
    make_both(1);
    assert_true(kg_file_read(path_of("r.json"), SIZE_MAX / 2, &text, &err));
    for (size_t length = 0; length + 2 < text.length; length += 13) {
        support_file(path_of("cut.json"), text.data, length);
        assert_false(kg_profile_load(path_of("cut.json"), &profile, &err));
        assert_int_equal(err.kind, KG_ERROR_USAGE);
    }
    kg_text_free(&text);
}

static void flipped_bits_in_json_do_no_harm(void **state)
{
    struct kg_text text = {0};
    struct kg_random random = {77};
    struct kg_error err;
    const struct kg_profile_visitor visitor = {0};
    make_both(2);
    assert_true(kg_file_read(path_of("r.json"), SIZE_MAX / 2, &text, &err));
    for (int i = 0; i < 1000; i++) {
        struct kg_profile profile;
        struct kg_text report = {0};
        const uint64_t value = kg_random_next(&random);
        char *byte = &text.data[value % text.length], before = *byte;
        *byte ^= (char)(1 << (value >> 32) % 7);
        unlink(path_of("flip.json"));
        support_file(path_of("flip.json"), text.data, text.length);
        if (kg_profile_load(path_of("flip.json"), &profile, &err)) {
            kg_profile_table(&profile, 0, 0, &report);
            kg_profile_tree(&profile, 0, 0, &report);
            kg_profile_top(&profile, 0, 0, &report);
            kg_profile_folded(&profile, &report);
            kg_profile_free(&profile);
        }
        (void)kg_profile_json_scan(path_of("flip.json"), &visitor, &err);
        kg_text_free(&report);
        *byte = before;
    }
    kg_text_free(&text);
}

/* --- A million entries ----------------------------------------------------------------------- */

/* big.kgprof: `chunks` chunks of 1024 entries on four threads. */
static void make_big(uint32_t chunks)
{
    struct recording recording = {0};
    static struct kg_entry entries[1024];
    FILE *file = fopen(path_of("big.kgprof"), "we");
    recording_process(&recording, 1, 1, "");
    recording_name(&recording, 1, "outer");
    recording_name(&recording, 2, "inner");
    for (uint32_t thread = 1; thread <= 4; thread++) {
        recording_node(&recording, thread, 1, 0, 1);
        recording_node(&recording, thread, 2, 1, 2);
    }
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        for (uint32_t i = 0; i < 1024; i++)
            entries[i] = (struct kg_entry){.start = (chunk / 4 * 1024 + i) * UINT64_C(100),
                                           .duration = i % 2 ? 150 : 40 + i % 7,
                                           .node = i % 2 ? 1 : 2,
                                           .nested_flags = i % 2};
        recording_slots(&recording, 1 + chunk % 4, entries, 1024);
        assert_int_equal(fwrite(recording.bytes.data, 1, recording.bytes.length, file),
                         recording.bytes.length);
        kg_text_truncate(&recording.bytes, 0);
    }
    recording_free(&recording);
    assert_int_equal(fclose(file), 0);
}

/* The memory, in kB, that `work` takes in a process of its own. */
static long memory_of(void (*work)(void))
{
    struct rusage usage;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss;
}

static void work_nothing(void)
{
}

static void work_load(void)
{
    struct kg_profile profile;
    load("big.kgprof", &profile);
    kg_profile_free(&profile);
}

static void work_reports(void)
{
    struct kg_error err;
    FILE *nowhere = fopen("/dev/null", "we");
    const int file = open(path_of("big.kgprof"), O_RDONLY | O_CLOEXEC);
    if (!kg_profile_trace(file, "big", nowhere, &err) ||
        !kg_profile_csv(file, "big", nowhere, &err))
        _exit(1);
}

static void work_json(void)
{
    convert("big.kgprof", "big.json");
}

static void work_load_json(void)
{
    struct kg_profile profile;
    load("big.json", &profile);
    if (profile.entry_count != 1024 * 1024)
        _exit(1);
    kg_profile_free(&profile);
}

static void work_scan_json(void)
{
    struct kg_error err;
    const struct kg_profile_visitor visitor = {0};
    if (!kg_profile_json_scan(path_of("big.json"), &visitor, &err))
        _exit(1);
}

static void a_million_entries_take_little_memory(void **state)
{
    void (*const works[])(void) = {work_load, work_reports, work_json, work_load_json,
                                   work_scan_json};
    make_big(1024);
    const long least = memory_of(work_nothing);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const long more = memory_of(works[i]) - least;
        if (MEMORY_MEASURED && more > 8 << 10)
            fail_msg("number %zu took %ld kB", i, more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_all_that_the_recording_does),
        cmocka_unit_test(kinds_of_scopes_come_back),
        cmocka_unit_test(odd_values_come_back),
        cmocka_unit_test(an_empty_profile_comes_back),
        cmocka_unit_test(it_is_as_the_schema_defines),
        cmocka_unit_test(other_layouts_load_too),
        cmocka_unit_test(entries_may_be_left_out),
        cmocka_unit_test(kinds_of_files_are_distinguished),
        cmocka_unit_test(entries_are_read_from_json_too),
        cmocka_unit_test(reports_of_entries_are_the_same_from_json),
        cmocka_unit_test(malformed_values_are_named),
        cmocka_unit_test(malformed_entries_are_named),
        cmocka_unit_test(a_json_profile_that_is_cut_off_is_refused),
        cmocka_unit_test(flipped_bits_in_json_do_no_harm),
        cmocka_unit_test(a_million_entries_take_little_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
