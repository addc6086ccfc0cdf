#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/record.h"
#include "test_support.h"

enum { LONG = 8 * 1024 * 1024, MORE = 4 * 1024 * 1024 };

/* Lets this process have so many bytes more than it has now. */
static void memory_limit(size_t more)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%zu", &pages) != 1)
        _exit(3);
    fclose(file);
    const struct rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + more, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(3);
}

/* In a process of its own. */
static int parse_without_memory(const char *text)
{
    struct kg_error err;
    json_t *json = NULL;
    memory_limit(MORE);
    if (kg_json_parse("long", text, strlen(text), &json, &err))
        return 1;
    return err.kind == KG_ERROR_MEMORY ? 0 : 2;
}

static void string_that_memory_does_not_hold_is_an_error_and_no_shorter_string(void **state)
{
    int status;
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it ends a process that has no memory */
#endif
    char *text = malloc(LONG + 16);
    assert_non_null(text);
    strcpy(text, "{\"a\": \"");
    const size_t start = strlen(text);
    memset(text + start, 'x', LONG);
    strcpy(text + start + LONG, "\"}");
    const pid_t child = fork();
    if (child == 0)
        _exit(parse_without_memory(text));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(text);
}

static void zero_byte_after_a_number_is_no_json(void **state)
{
    static const char text[] = "{\"a\": 1\0}";
    struct kg_error err;
    json_t *json = NULL;
    (void)state;
    assert_false(kg_json_parse("zero", text, sizeof text - 1, &json, &err));
    assert_string_equal(err.message, "malformed JSON: it has a zero byte");
    assert_null(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_byte_after_a_number_is_no_json),
        cmocka_unit_test(string_that_memory_does_not_hold_is_an_error_and_no_shorter_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
