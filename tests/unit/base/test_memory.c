#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/memory.h"
#include "base/text.h"
#include "test_support.h"

static const size_t TOO_MUCH = (size_t)1 << 60;

static void arena_asks(void)
{
    struct kg_arena arena = {0};
    kg_arena_alloc(&arena, TOO_MUCH, 1);
}

static void arena_overflows(void)
{
    struct kg_arena arena = {0};
    kg_arena_alloc(&arena, SIZE_MAX / 2, 3);
}

static void text_asks(void)
{
    struct kg_text text = {0};
    kg_text_reserve(&text, TOO_MUCH);
}

static void array_asks(void)
{
    size_t capacity = TOO_MUCH;
    void *array = NULL;
    kg_grow(&array, capacity, &capacity, 1);
}

/* As code of the profiler library does, which kgate's own processes run too. */
static void error_prints(void)
{
    struct kg_error err;
    kg_error_memory(&err);
}

/* Status of a process of its own that does this, and the text that it prints on standard error. */
static int status_of(void (*asks)(void), bool ends, char *printed, size_t bytes)
{
    int ends_of_pipe[2], status;
    assert_int_equal(pipe(ends_of_pipe), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends_of_pipe[1], STDERR_FILENO);
        if (ends)
            kg_memory_end_process(3, "kgate: no memory");
        asks();
        _exit(0);
    }
    close(ends_of_pipe[1]);
    const ssize_t length = read(ends_of_pipe[0], printed, bytes - 1);
    printed[length > 0 ? length : 0] = '\0';
    close(ends_of_pipe[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void (*const asking[])(void) = {arena_asks, arena_overflows, text_asks, array_asks,
                                       error_prints};

static void failed_allocation_ends_a_program_with_a_line_and_status_3(void **state)
{
    char printed[256];
#ifdef __SANITIZE_ADDRESS__
    skip(); /* AddressSanitizer ends a process that has no memory */
#endif
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        assert_int_equal(status_of(asking[i], true, printed, sizeof printed), 3);
        assert_string_equal(printed, "kgate: no memory\n");
    }
}

static void failed_allocation_leaves_other_peoples_programs_alone(void **state)
{
    char printed[256];
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        assert_int_equal(status_of(asking[i], false, printed, sizeof printed), 0);
        assert_string_equal(printed, "");
    }
}

static char target[4096];

static void write_asks(void)
{
    struct kg_file_writing writing;
    struct kg_error err;
    if (kg_file_begin(&writing, target, &err))
        text_asks();
}

static void failed_allocation_leaves_no_temporary_file(void **state)
{
    char *folder = support_folder(), printed[256];
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    snprintf(target, sizeof target, "%s/report.md", folder);
    assert_int_equal(status_of(write_asks, true, printed, sizeof printed), 3);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocation_ends_a_program_with_a_line_and_status_3),
        cmocka_unit_test(failed_allocation_leaves_no_temporary_file),
        cmocka_unit_test(failed_allocation_leaves_other_peoples_programs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
