#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device/driver.h"

static struct kg_driver driver;
static char why[256];

static void a_driver_that_works_opens(void **state)
{
    int count = 0;
    (void)state;
    if (!kg_driver_open(KGATE_FAKE_CUDA, &driver, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(driver.version, 13000);
    assert_int_equal(driver.device_count(&count), KG_DRIVER_SUCCESS);
    assert_int_equal(count, 1);
}

static void no_driver_is_noted(void **state)
{
    (void)state;
    assert_false(kg_driver_open("/nowhere/libcuda.so.1", &driver, why, sizeof why));
    assert_string_equal(why, "no NVIDIA driver is installed");
}

static void a_library_that_is_there_and_cannot_be_opened_is_not_called_missing(void **state)
{
    (void)state;
    assert_false(kg_driver_open("/dev/null", &driver, why, sizeof why));
    assert_string_equal(why,
                        "the NVIDIA driver's library cannot be opened: /dev/null: file too short");
}

static void another_library_is_not_taken_for_it(void **state)
{
    (void)state;
    assert_false(kg_driver_open("libm.so.6", &driver, why, sizeof why));
    assert_string_equal(why, "libm.so.6 is not NVIDIA's driver");
}

static void a_driver_that_does_not_start_gives_the_reason(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_FAIL", "init:803", 1);
    assert_false(kg_driver_open(KGATE_FAKE_CUDA, &driver, why, sizeof why));
    unsetenv("FAKE_CUDA_FAIL");
    assert_non_null(strstr(why, "the NVIDIA driver does not start"));
    assert_non_null(strstr(why, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
}

static void errors_are_put_into_words(void **state)
{
    struct kg_error err = {0};
    char words[256];
    (void)state;
    if (!kg_driver_open(KGATE_FAKE_CUDA, &driver, why, sizeof why))
        fail_msg("%s", why);
    assert_true(kg_driver_good(&driver, KG_DRIVER_SUCCESS, "cannot be", &err));
    assert_false(kg_driver_good(&driver, 700, "cannot record an event", &err));
    assert_string_equal(err.message, "cannot record an event: an illegal memory access was "
                                     "encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
    kg_driver_words(&driver, 12345, words, sizeof words);
    assert_string_equal(words, "error without words in this driver (code 12345)");
}

/* The toolkit has a stub driver to link with. It has all functions, and they do nothing. If it
 * opens up to the failing start, NVIDIA uses these names for all functions. */
static void the_toolkits_driver_has_every_function(void **state)
{
    const char *stub = KGATE_CUDA_STUB;
    (void)state;
    if (!*stub)
        skip();
    assert_false(kg_driver_open(stub, &driver, why, sizeof why));
    assert_non_null(strstr(why, "the NVIDIA driver does not start"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_works_opens),
        cmocka_unit_test(no_driver_is_noted),
        cmocka_unit_test(a_library_that_is_there_and_cannot_be_opened_is_not_called_missing),
        cmocka_unit_test(another_library_is_not_taken_for_it),
        cmocka_unit_test(a_driver_that_does_not_start_gives_the_reason),
        cmocka_unit_test(errors_are_put_into_words),
        cmocka_unit_test(the_toolkits_driver_has_every_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
