#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "judge/builds.h"
#include "test_support.h"

static char *folder;
static struct kg_arena arena;

/* Use of a build by the runs, from the first letter of a file's name: 'p' is pinned, 'u' used, else
 * unused. */
static struct {
    char hash[KG_SHA256_DIGITS + 1];
    enum kg_build_use use;
} uses_known[16];
static size_t uses_count;

static enum kg_build_use use_of(const void *user, const char *hash)
{
    (void)user;
    for (size_t i = 0; i < uses_count; i++)
        if (!strcmp(uses_known[i].hash, hash))
            return uses_known[i].use;
    return KG_BUILD_UNUSED;
}

static const struct kg_build_uses uses = {use_of, NULL};

static int begin(void **state)
{
    folder = support_folder();
    uses_count = 0;
    return 0;
}

static int end(void **state)
{
    kg_arena_free(&arena);
    support_remove(folder);
    return 0;
}

/* An executable file of `bytes` bytes, with content made from its name. */
static struct kg_measured_file file_made(const char *name, size_t bytes, enum kg_build_use use)
{
    struct kg_error err;
    struct kg_text text = {0};
    char *path = kg_arena_printf(&arena, "%s/%s", folder, name);
    for (size_t i = 0; i < bytes; i++)
        kg_text_append_bytes(&text, &name[i % strlen(name)], 1);
    assert_true(kg_file_write(path, kg_text_string(&text), text.length, &err));
    assert_int_equal(chmod(path, 0750), 0);
    kg_text_free(&text);
    assert_true(kg_sha256_file(path, uses_known[uses_count].hash));
    uses_known[uses_count].use = use;
    return (struct kg_measured_file){.hash = uses_known[uses_count++].hash, .path = path};
}

static struct kg_builds_outcome keep(const struct kg_measured_file *files, size_t count,
                                     double most)
{
    struct kg_builds_outcome outcome;
    struct kg_error err;
    assert_true(kg_builds_keep(folder, files, count, most, &uses, &outcome, &err));
    return outcome;
}

/* Makes a kept build look as if it was used that long ago. */
static void age(const struct kg_measured_file *file, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = 1000000000 - seconds},
                                      {.tv_sec = 1000000000 - seconds}};
    char *path = kg_arena_printf(&arena, "%s/builds/%s", folder, file->hash);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_kept_build_is_the_file_with_its_mode(void **state)
{
    const struct kg_measured_file file = file_made("program", 100000, KG_BUILD_USED);
    struct kg_kept_builds builds;
    struct kg_error err;
    struct stat facts;
    const char *path;
    char hex[KG_SHA256_DIGITS + 1];
    const struct kg_builds_outcome outcome = keep(&file, 1, 1e9);
    assert_int_equal(outcome.kept, 1);
    assert_true(outcome.bytes == 100000);
    assert_true(kg_builds_open(&arena, folder, file.hash, &path, &err));
    assert_non_null(strstr(path, "/program"));
    assert_int_equal(path[0], '/');
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0750);
    assert_true(kg_sha256_file(path, hex));
    assert_string_equal(hex, file.hash);
    assert_true(kg_builds_list(&arena, folder, &builds, &err));
    assert_int_equal(builds.count, 1);
    assert_string_equal(builds.builds[0].hash, file.hash);
    assert_int_equal(access(kg_arena_printf(&arena, "%s/builds/.gitignore", folder), F_OK), 0);
}

static void a_file_that_changed_since_is_not_kept(void **state)
{
    struct kg_measured_file files[] = {file_made("a", 10, KG_BUILD_USED),
                                       file_made("b", 10, KG_BUILD_USED)};
    struct kg_error err;
    assert_true(kg_file_write(files[0].path, "other", 5, &err));
    files[1].path = "/nowhere/at/all";
    const struct kg_builds_outcome outcome = keep(files, 2, 1e9);
    assert_int_equal(outcome.kept, 0);
    assert_int_equal(outcome.changed, 2);
    assert_string_equal(outcome.first_changed, files[0].path);
    assert_false(kg_builds_has(folder, files[0].hash));
}

static void a_damaged_build_is_refused_and_kept_anew(void **state)
{
    const struct kg_measured_file file = file_made("program", 1000, KG_BUILD_USED);
    struct kg_error err;
    const char *path;
    keep(&file, 1, 1e9);
    assert_true(kg_builds_open(&arena, folder, file.hash, &path, &err));
    assert_true(kg_file_write(path, "damage", 6, &err));
    assert_false(kg_builds_open(&arena, folder, file.hash, &path, &err));
    assert_non_null(strstr(err.message, "damaged"));
    keep(&file, 1, 1e9);
    assert_true(kg_builds_open(&arena, folder, file.hash, &path, &err));
}

static void names_that_are_no_hash_are_no_path(void **state)
{
    struct kg_error err;
    const char *path;
    file_made("secret", 10, KG_BUILD_USED);
    assert_false(kg_builds_has(folder, ".."));
    assert_false(kg_builds_open(&arena, folder, "../..", &path, &err));
    assert_false(kg_builds_open(&arena, folder, "", &path, &err));
}

static void the_least_recently_used_go_first_and_unused_before_used(void **state)
{
    const struct kg_measured_file files[] = {
        file_made("old", 100, KG_BUILD_USED), file_made("recent", 100, KG_BUILD_USED),
        file_made("pinned", 100, KG_BUILD_PINNED), file_made("stale", 100, KG_BUILD_USED)};
    const struct kg_measured_file added = file_made("added", 100, KG_BUILD_USED);
    keep(files, 4, 1e9);
    for (size_t i = 0; i < 4; i++)
        age(&files[i], i == 2 ? 900 : (time_t)(100 * (4 - i)));
    uses_known[3].use = KG_BUILD_UNUSED;
    /* room for four of five: the unused one goes, although it is not the oldest */
    struct kg_builds_outcome outcome = keep(&added, 1, 400);
    assert_int_equal(outcome.kept, 1);
    assert_int_equal(outcome.removed, 1);
    assert_false(kg_builds_has(folder, files[3].hash));
    /* for three: the oldest that is not pinned */
    outcome = keep(&added, 1, 300);
    assert_int_equal(outcome.removed, 1);
    assert_false(kg_builds_has(folder, files[0].hash));
    assert_true(kg_builds_has(folder, files[1].hash));
    assert_true(kg_builds_has(folder, files[2].hash));
    assert_true(outcome.bytes == 300);
}

static void what_does_not_fit_beside_the_pinned_ones_is_not_kept(void **state)
{
    const struct kg_measured_file pinned = file_made("pinned", 300, KG_BUILD_PINNED);
    const struct kg_measured_file large = file_made("large", 201, KG_BUILD_USED);
    keep(&pinned, 1, 500);
    const struct kg_builds_outcome outcome = keep(&large, 1, 500);
    assert_int_equal(outcome.kept, 0);
    assert_int_equal(outcome.large, 1);
    assert_string_equal(outcome.first_large, large.path);
    assert_true(kg_builds_has(folder, pinned.hash));
}

static void pruning_removes_what_no_run_names_and_nothing_else(void **state)
{
    const struct kg_measured_file files[] = {file_made("a", 100, KG_BUILD_USED),
                                             file_made("b", 100, KG_BUILD_USED),
                                             file_made("c", 100, KG_BUILD_PINNED)};
    struct kg_builds_outcome outcome;
    struct kg_error err;
    keep(files, 3, 1e9);
    char *half = kg_arena_printf(&arena, "%s/builds/.new-1", folder);
    char *other = kg_arena_printf(&arena, "%s/builds/mine", folder);
    assert_true(kg_directory_make(half, &err) && kg_directory_make(other, &err));
    uses_known[1].use = KG_BUILD_UNUSED;
    assert_true(kg_builds_prune(folder, INFINITY, &uses, &outcome, &err));
    assert_int_equal(outcome.removed, 1);
    assert_true(kg_builds_has(folder, files[0].hash));
    assert_false(kg_builds_has(folder, files[1].hash));
    assert_int_equal(access(half, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    /* a limit takes used ones too, but not pinned ones */
    assert_true(kg_builds_prune(folder, 0, &uses, &outcome, &err));
    assert_int_equal(outcome.removed, 1);
    assert_true(kg_builds_has(folder, files[2].hash));
}

static void a_build_of_a_history_goes_after_unused_and_before_used_ones(void **state)
{
    const struct kg_measured_file files[] = {
        file_made("used", 100, KG_BUILD_USED), file_made("history", 100, KG_BUILD_USED),
        file_made("stale", 100, KG_BUILD_USED), file_made("added", 100, KG_BUILD_USED)};
    struct kg_builds_outcome outcome;
    struct kg_error err;
    const char *path;
    keep(files, 3, 1e9);
    assert_true(kg_builds_mark(folder, files[1].hash, &err));
    assert_true(kg_builds_open(&arena, folder, files[1].hash, &path, &err));
    uses_known[1].use = uses_known[2].use = KG_BUILD_UNUSED;
    age(&files[1], 300);
    /* no run names either, and only one has the mark */
    outcome = keep(&files[3], 1, 300);
    assert_int_equal(outcome.removed, 1);
    assert_int_equal(outcome.history, 1);
    assert_false(kg_builds_has(folder, files[2].hash));
    assert_true(kg_builds_prune(folder, INFINITY, &uses, &outcome, &err));
    assert_int_equal(outcome.removed, 0);
    assert_int_equal(outcome.history, 1);
    assert_true(kg_builds_prune(folder, 200, &uses, &outcome, &err));
    assert_int_equal(outcome.removed_history, 1);
    assert_int_equal(outcome.history, 0);
    assert_true(kg_builds_has(folder, files[0].hash));
    assert_false(kg_builds_has(folder, files[1].hash));
}

static void a_folder_that_is_not_there_has_none(void **state)
{
    struct kg_kept_builds builds;
    struct kg_builds_outcome outcome;
    struct kg_error err;
    assert_true(kg_builds_list(&arena, folder, &builds, &err));
    assert_int_equal(builds.count, 0);
    assert_true(kg_builds_prune(folder, INFINITY, &uses, &outcome, &err));
    assert_int_equal(outcome.removed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kept_build_is_the_file_with_its_mode, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_changed_since_is_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_damaged_build_is_refused_and_kept_anew, begin, end),
        cmocka_unit_test_setup_teardown(names_that_are_no_hash_are_no_path, begin, end),
        cmocka_unit_test_setup_teardown(the_least_recently_used_go_first_and_unused_before_used,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_fit_beside_the_pinned_ones_is_not_kept, begin,
                                        end),
        cmocka_unit_test_setup_teardown(pruning_removes_what_no_run_names_and_nothing_else, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_build_of_a_history_goes_after_unused_and_before_used_ones,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_has_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
