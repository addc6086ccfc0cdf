#include "test_support.h"

#include "base/cuda_folders.h"

#include <sys/stat.h>

enum { TAKEN_MOST = 64 };

static char folder[64];
static char taken[TAKEN_MOST][256];
static size_t taken_count;

static void make(const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    for (char *slash = whole + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_int_equal(fchmod(fileno(file), 0700), 0);
    fclose(file);
}

static void variable_set(const char *name, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    setenv(name, path ? whole : "", 1);
}

/* Notes paths in the test's own folder, and the bare name. */
static bool take(const char *path, void *user)
{
    const size_t *stop = user;
    if (strchr(path, '/') && strncmp(path, folder, strlen(folder)) != 0)
        return false;
    assert_true(taken_count < TAKEN_MOST);
    snprintf(taken[taken_count++], sizeof taken[0], "%s",
             strchr(path, '/') ? path + strlen(folder) + 1 : path);
    return stop && taken_count == *stop;
}

static int places_make(void **state)
{
    static const char *const names[] = {"KGATE_CUDA_LIBS", "CUDA_PATH",    "CUDA_HOME",
                                        "VIRTUAL_ENV",     "CONDA_PREFIX", "HOME"};
    strcpy(folder, "/tmp/kgate-places-XXXXXX");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    taken_count = 0;
    return mkdtemp(folder) ? 0 : -1;
}

static int places_remove(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void a_library_is_looked_for_where_images_have_it(void **state)
{
    static const char *const files[] = {
        "mine/libx.so.13",
        "libx.so.13", /* the loader's */
        "toolkit/lib64/libx.so.13",
        "toolkit/extras/CUPTI/lib64/libx.so.13",
        "toolkit/lib/libx.so.13",
        "toolkit/targets/x86_64-linux/lib/libx.so.13",
        "home/lib/libx.so.13",
        "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libx.so.13",
        "conda/lib/python3.11/site-packages/nvidia/cublas/lib/libx.so.13",
        "user/.local/lib/python3.12/site-packages/nvidia/cu13/lib/libx.so.13",
        "image/.venv/lib/python3.12/site-packages/nvidia/cu13/lib/libx.so.13",
        "conda/lib/libx.so.13",
    };
    enum { FILES = sizeof files / sizeof *files };
    for (size_t i = 0; i < FILES; i++)
        if (strchr(files[i], '/'))
            make(files[i]);
    make("other/libx.so.12");
    /* packages of a python3 in $PATH; a folder in $PATH without python3 gives none */
    make("image/.venv/bin/python3");
    make("image/none/lib/python3.12/site-packages/nvidia/cu13/lib/libx.so.13");
    make("image/none/bin/python2");
    char list[512];
    snprintf(list, sizeof list, "%s/other::%s/mine:", folder, folder);
    setenv("KGATE_CUDA_LIBS", list, 1);
    snprintf(list, sizeof list, "bin::/bin:%s/image/none/bin:%s/image/.venv/bin", folder, folder);
    setenv("PATH", list, 1);
    variable_set("CUDA_PATH", "toolkit");
    variable_set("CUDA_HOME", "home");
    variable_set("VIRTUAL_ENV", "venv");
    variable_set("CONDA_PREFIX", "conda");
    variable_set("HOME", "user");
    assert_false(kg_cuda_places("libx.so.13", take, NULL));
    for (size_t i = 0; i < FILES && i < taken_count; i++)
        assert_string_equal(taken[i], files[i]);
    assert_int_equal(taken_count, FILES);
}

static void the_first_that_is_taken_is_the_last_that_is_offered(void **state)
{
    size_t stop = 2;
    make("toolkit/lib64/libx.so.13");
    make("toolkit/lib/libx.so.13");
    variable_set("CUDA_PATH", "toolkit");
    assert_true(kg_cuda_places("libx.so.13", take, &stop));
    assert_int_equal(taken_count, 2);
    assert_string_equal(taken[1], "toolkit/lib64/libx.so.13");
}

static void a_python_that_is_a_link_into_an_environment_is_followed(void **state)
{
    static const char library[] = "image/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libx.so";
    char link[256], program[256], path[256];
    make(library);
    make("image/venv/bin/python3");
    make("image/bin/other");
    snprintf(link, sizeof link, "%s/image/bin/python3", folder);
    snprintf(program, sizeof program, "%s/image/venv/bin/python3", folder);
    assert_int_equal(symlink(program, link), 0);
    snprintf(path, sizeof path, "%s/image/bin:/bin", folder);
    setenv("PATH", path, 1);
    assert_false(kg_cuda_places("libx.so", take, NULL));
    assert_int_equal(taken_count, 2);
    assert_string_equal(taken[1], library);
}

static void without_any_place_there_is_the_loader(void **state)
{
    assert_false(kg_cuda_places("libkgate-test-of-places.so.13", take, NULL));
    assert_int_equal(taken_count, 1);
    assert_string_equal(taken[0], "libkgate-test-of-places.so.13");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_library_is_looked_for_where_images_have_it, places_make,
                                        places_remove),
        cmocka_unit_test_setup_teardown(the_first_that_is_taken_is_the_last_that_is_offered,
                                        places_make, places_remove),
        cmocka_unit_test_setup_teardown(a_python_that_is_a_link_into_an_environment_is_followed,
                                        places_make, places_remove),
        cmocka_unit_test_setup_teardown(without_any_place_there_is_the_loader, places_make,
                                        places_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
