/* A case's profile, cached from run to run. */
#include "why/observe/hot_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "test_support.h"

#define KEY "0123456789abcdef0123456789abcdef"
#define CPU_NS 5e6
static const int64_t DAY_S = 24 * 3600;

static char *folder;
static struct kg_arena arena;
static struct kg_hot hot;
static struct kg_look look;
static struct kg_counted_line line;
static struct kg_repeated repeated;

static int begin(void **state)
{
    folder = support_folder();
    kg_hot_clear(&hot);
    look = (struct kg_look)KG_LOOK_NONE;
    line = (struct kg_counted_line){.place = {.function = "strcmp", .line = 7},
                                    .instructions = 240,
                                    .loads = NAN,
                                    .branches = NAN,
                                    .mispredicted = NAN,
                                    .line_misses = NAN,
                                    .memory_misses = NAN};
    hot.kept = KEY;
    hot.counted.source = "callgrind";
    hot.counted.lines = &line;
    hot.counted.line_count = 1;
    repeated =
        (struct kg_repeated){.place = {.function = "fill_table"}, .calls = 60, .repeated = 59};
    hot.repeats.source = "ptrace";
    hot.repeats.functions = &repeated;
    hot.repeats.function_count = 1;
    look.instructions = 1000;
    look.source = "callgrind";
    return 0;
}

static int end(void **state)
{
    kg_arena_free(&arena);
    support_remove(folder);
    return 0;
}

static void store(void)
{
    struct kg_error err;
    if (!kg_looked_store(folder, KEY, CPU_NS, &hot, &look, &err))
        fail_msg("%s", err.message);
}

static bool load(int64_t now_s)
{
    struct kg_hot found;
    struct kg_look found_look;
    return kg_looked_load(folder, KEY, now_s, CPU_NS, &arena, &found, &found_look);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    return path;
}

static void used_set(const char *name, int64_t at_s)
{
    const struct timespec times[2] = {{.tv_sec = at_s}, {.tv_sec = at_s}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static void what_was_kept_is_found_again(void **state)
{
    struct kg_hot found;
    struct kg_look found_look;
    store();
    assert_true(kg_looked_load(folder, KEY, (int64_t)time(NULL), 1.2 * CPU_NS, &arena, &found,
                               &found_look));
    assert_int_equal(found.counted.line_count, 1);
    assert_string_equal(found.counted.lines[0].place.function, "strcmp");
    assert_true(found.counted.lines[0].instructions == 240);
    assert_int_equal(found.repeats.function_count, 1);
    assert_string_equal(found.repeats.functions[0].place.function, "fill_table");
    assert_true(found.repeats.functions[0].calls == 60);
    assert_true(found.repeats.functions[0].repeated == 59);
    assert_true(found_look.instructions == 1000 && isnan(found_look.alone_ns));
    assert_string_equal(found.kept, KEY);
}

static void another_key_is_not_found(void **state)
{
    struct kg_hot found;
    struct kg_look found_look;
    store();
    assert_false(kg_looked_load(folder, "f123456789abcdef0123456789abcdef", (int64_t)time(NULL),
                                CPU_NS, &arena, &found, &found_look));
    assert_false(
        kg_looked_load("/nowhere", KEY, (int64_t)time(NULL), CPU_NS, &arena, &found, &found_look));
}

/* With another environment or input, the same code spends its time elsewhere. */
static void profile_of_other_cpu_time_is_not_found(void **state)
{
    const int64_t now_s = (int64_t)time(NULL);
    struct kg_hot found;
    struct kg_look found_look;
    (void)state;
    store();
    assert_false(kg_looked_load(folder, KEY, now_s, 2 * CPU_NS, &arena, &found, &found_look));
    assert_false(kg_looked_load(folder, KEY, now_s, CPU_NS / 2, &arena, &found, &found_look));
    assert_true(kg_looked_load(folder, KEY, now_s, NAN, &arena, &found, &found_look));
}

static void it_holds_for_thirty_days_after_its_last_use(void **state)
{
    const int64_t now_s = (int64_t)time(NULL);
    store();
    used_set(KEY, now_s - 31 * DAY_S);
    assert_false(load(now_s));
    used_set(KEY, now_s - 29 * DAY_S);
    assert_true(load(now_s));
    assert_true(load(now_s + 29 * DAY_S)); /* for it was used now */
}

static void what_could_not_be_seen_is_tried_again_the_next_day(void **state)
{
    const int64_t now_s = (int64_t)time(NULL);
    hot.counted.reason = "timed out";
    store();
    assert_true(load(now_s + DAY_S / 2));
    used_set(KEY, now_s);
    assert_false(load(now_s + DAY_S + 60));
}

static void what_is_no_such_file_is_ignored(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"schema\": \"kgate.looked.v1\"}",
        "{\"schema\": \"kgate.looked.v9\", \"method\": 1, \"made_s\": 1, \"hot\": {}}",
        "{\"schema\": \"kgate.looked.v1\", \"method\": 99, \"made_s\": 1, \"hot\": {}}",
        "{\"schema\": \"kgate.looked.v1\", \"method\": 1, \"made_s\": 1, \"hot\": {\"counted\": "
        "5}}",
        "{\"schema\": \"kgate.looked.v1\", \"method\": 1, \"made_s\": 1, \"hot\": {\"counted\": "
        "{\"instructions\": -1}}}",
        "{\"schema\": \"kgate.looked.v1\", \"method\": 1, \"made_s\": 9223372036854775807, "
        "\"hot\": "
        "{}}"};
    struct kg_error err;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(kg_file_write(path_of(KEY), texts[i], strlen(texts[i]), &err));
        if (load((int64_t)time(NULL)))
            fail_msg("taken: '%s'", texts[i]);
    }
}

static void a_file_cut_short_is_ignored(void **state)
{
    struct kg_text text = {0};
    struct kg_error err;
    store();
    assert_true(kg_file_read(path_of(KEY), 1 << 20, &text, &err));
    for (size_t length = 0; length + 2 < text.length; length += 11) {
        assert_true(kg_file_write(path_of(KEY), text.data, length, &err));
        assert_false(load((int64_t)time(NULL)));
    }
    kg_text_free(&text);
}

static bool there(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static void the_oldest_are_removed(void **state)
{
    static const char *const names[] = {
        "00000000000000000000000000000000", "11111111111111111111111111111111",
        "22222222222222222222222222222222", "33333333333333333333333333333333"};
    static const int64_t days[] = {2, 1, 31, 3};
    const int64_t now_s = (int64_t)time(NULL);
    struct kg_error err;
    for (size_t i = 0; i < 4; i++) {
        assert_true(kg_file_write(path_of(names[i]), "{}", 2, &err));
        used_set(names[i], now_s - days[i] * DAY_S);
    }
    assert_true(kg_file_write(path_of("mine"), "{}", 2, &err));
    used_set("mine", now_s - 100 * DAY_S);
    kg_looked_prune(folder, now_s, 2);
    assert_true(there(names[0]) && there(names[1]));
    assert_false(there(names[2]) || there(names[3]));
    assert_true(there("mine")); /* no file of kgate's */
    kg_looked_prune("/nowhere", now_s, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_kept_is_found_again),
        TEST(another_key_is_not_found),
        TEST(profile_of_other_cpu_time_is_not_found),
        TEST(it_holds_for_thirty_days_after_its_last_use),
        TEST(what_could_not_be_seen_is_tried_again_the_next_day),
        TEST(what_is_no_such_file_is_ignored),
        TEST(a_file_cut_short_is_ignored),
        TEST(the_oldest_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
