#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/file_lock.h"
#include "test_support.h"

static void written_file_reads_back(void **state)
{
    char path[128];
    struct kg_error err;
    struct kg_text text = {0};
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/a/b/c", folder);
    assert_true(kg_directory_make(path, &err));
    assert_true(kg_directory_make(path, &err));
    snprintf(path, sizeof path, "%s/a/b/c/file", folder);
    assert_true(kg_file_write(path, "one\0two", 7, &err));
    assert_true(kg_file_read(path, 100, &text, &err));
    assert_int_equal(text.length, 7);
    assert_memory_equal(text.data, "one\0two", 7);
    kg_text_free(&text);
    assert_false(kg_file_read(path, 6, &text, &err));
    assert_int_equal(err.kind, KG_ERROR_USAGE);
    kg_text_free(&text);
    assert_false(kg_file_read(folder, 6, &text, &err));
    assert_non_null(strstr(err.message, "folder"));
    support_remove(folder);
}

/* In a child, since the limit on file size cannot be taken back. */
static void failed_write_leaves_the_old_file_and_no_other(void **state)
{
    char path[128], command[256];
    struct kg_error err;
    int status;
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(kg_file_write(path, "old", 3, &err));
    const pid_t pid = fork();
    if (pid == 0) {
        static const char large[100000];
        const struct rlimit limit = {50000, 50000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        const bool written = kg_file_write(path, large, sizeof large, &err);
        _exit(written || err.kind != KG_ERROR_SYSTEM || !strstr(err.message, "cannot write"));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = file && test \"$(cat %s)\" = old",
             folder, path);
    assert_int_equal(system(command), 0);
    support_remove(folder);
}

static void mode_and_link_are_kept(void **state)
{
    char path[128], link[128];
    struct stat status;
    struct kg_error err;
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_true(kg_file_write(path, "a", 1, &err));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_true(kg_file_write(link, "b", 1, &err));
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    support_remove(folder);
}

static void lock_is_exclusive(void **state)
{
    char path[128];
    struct kg_error err;
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/.lock", folder);
    const int first = kg_file_lock(path, 0, NULL, &err);
    assert_true(first >= 0);
    assert_int_equal(kg_file_lock(path, 0.1, NULL, &err), -1);
    assert_non_null(strstr(err.message, "has held the lock"));
    kg_file_unlock(first);
    const int second = kg_file_lock(path, 0, NULL, &err);
    assert_true(second >= 0);
    kg_file_unlock(second);
    support_remove(folder);
}

static void hash_is_fnv_1a(void **state)
{
    char path[128], hex[17];
    struct kg_error err;
    char *folder = support_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(kg_file_write(path, "foobar", 6, &err));
    assert_true(kg_file_hash(path, hex));
    assert_string_equal(hex, "85944171f73967e8"); /* the published value for "foobar" */
    assert_false(kg_file_hash("/no/such/file", hex));
    support_remove(folder);
}

static void alike_files_have_the_same_bytes(void **state)
{
    char a[128], b[128], c[128];
    static char large[40000];
    struct kg_error err;
    char *folder = support_folder();
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    snprintf(c, sizeof c, "%s/c", folder);
    assert_true(kg_file_write(a, large, sizeof large, &err));
    assert_true(kg_file_write(b, large, sizeof large, &err));
    large[sizeof large - 1] = 1;
    assert_true(kg_file_write(c, large, sizeof large, &err));
    assert_true(kg_file_alike(a, a));
    assert_true(kg_file_alike(a, b));
    assert_false(kg_file_alike(a, c));
    assert_true(kg_file_write(c, large, 10, &err));
    assert_false(kg_file_alike(a, c));
    assert_false(kg_file_alike(a, "/dev/null"));
    assert_false(kg_file_alike("/dev/null", "/dev/zero"));
    assert_false(kg_file_alike(a, folder));
    support_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_file_reads_back),
        cmocka_unit_test(alike_files_have_the_same_bytes),
        cmocka_unit_test(failed_write_leaves_the_old_file_and_no_other),
        cmocka_unit_test(mode_and_link_are_kept),
        cmocka_unit_test(lock_is_exclusive),
        cmocka_unit_test(hash_is_fnv_1a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
