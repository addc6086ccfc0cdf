#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "profiler/record/nvtx.h"

#ifdef KGATE_NVTX_INJECTION
#include <dlfcn.h>
#include <string.h>

#include "drivers/nvtx_injection.h"

static const char *record(void)
{
    const char *(*read)(void) = NULL;
    void *library = dlopen(KGATE_NVTX_INJECTION, RTLD_NOW);
    assert_non_null(library);
    void *address = dlsym(library, "nvtx_injection_record");
    memcpy(&read, &address, sizeof address);
    return read();
}

static void ranges_are_wanted_when_asked_for_or_a_tool_is_there(void **state)
{
    (void)state;
    unsetenv("NVTX_INJECTION64_PATH");
    assert_false(kg_nvtx_wanted(false));
    assert_true(kg_nvtx_wanted(true));
    setenv("NVTX_INJECTION64_PATH", KGATE_NVTX_INJECTION, 1);
    assert_true(kg_nvtx_wanted(false));
}

static void ranges_arrive_in_the_tool_nested_and_by_name(void **state)
{
    (void)state;
    kg_nvtx_push("outer");
    kg_nvtx_push("inner, first");
    kg_nvtx_pop();
    kg_nvtx_push("inner, second");
    kg_nvtx_pop();
    kg_nvtx_pop();
    assert_string_equal(record(), "push:outer;push:inner, first;pop;push:inner, second;pop;pop;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_wanted_when_asked_for_or_a_tool_is_there),
        cmocka_unit_test(ranges_arrive_in_the_tool_nested_and_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* Without the toolkit the profiler has no NVTX header. The header may still exist elsewhere. */
static void no_ranges_are_ever_wanted(void **state)
{
    (void)state;
    if (kg_nvtx_wanted(true))
        skip();
    setenv("NVTX_INJECTION64_PATH", "tool.so", 1);
    assert_false(kg_nvtx_wanted(false));
    kg_nvtx_push("name");
    kg_nvtx_pop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_ranges_are_ever_wanted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
