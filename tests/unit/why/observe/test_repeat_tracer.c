/* Calls with equal and with other arguments, of a program with debug information
 * (repeated_program.c). */
#include "test_support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "why/observe/repeated_calls.h"

enum { CALLS = 20 };

struct program {
    pid_t pid;
    int to, from;
};

static struct program program_start(const char *const *words)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execv(words[0], (char *const *)words);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return (struct program){pid, to[1], from[0]};
}

static void byte_await(const struct program *program)
{
    char byte;
    assert_int_equal(read(program->from, &byte, 1), 1);
}

static void turn(const struct program *program)
{
    assert_int_equal(write(program->to, "t", 1), 1);
    byte_await(program);
}

/* Every process must end by itself: a breakpoint that stays would kill it. */
static void program_end(const struct program *program)
{
    int status;
    close(program->to);
    close(program->from);
    assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static struct kg_repeat_tracer *tracer_of(const char *const *functions)
{
    struct kg_repeat_tracer *tracer = kg_alloc(1, sizeof *tracer);
    tracer->watch_ns = UINT64_C(30000000000);
    for (; functions[tracer->count]; tracer->count++)
        tracer->counts[tracer->count].function = (struct kg_watched_function){
            .name = functions[tracer->count], .module = "repeated_program"};
    return tracer;
}

/* Skips if the machine or a sandbox refuses. */
static void start(struct kg_repeat_tracer *tracer, const struct program *program, bool command)
{
    struct kg_error err;
    assert_true(kg_repeat_tracer_start(tracer, program->pid, command, &err));
    if (!tracer->reason)
        return;
    print_message("%s: %s\n", tracer->reason, strerror(tracer->refusal));
    kg_repeat_tracer_stop(tracer);
    free(tracer);
    kill(program->pid, SIGKILL);
    skip();
}

/* Watches one function while the program makes calls. */
static struct kg_repeat_tracer *watch(const char *pattern, const char *way, const char *function)
{
    const char *const words[] = {KGATE_REPEATED_PROGRAM, pattern, way, NULL};
    const struct program program = program_start(words);
    struct kg_repeat_tracer *tracer = tracer_of((const char *const[]){function, NULL});
    byte_await(&program);
    start(tracer, &program, false);
    turn(&program);
    kg_repeat_tracer_stop(tracer);
    turn(&program); /* it goes on as before */
    program_end(&program);
    return tracer;
}

static void expect(const char *pattern, const char *function, size_t repeated)
{
    struct kg_repeat_tracer *tracer = watch(pattern, NULL, function);
    const struct kg_repeat_count *count = &tracer->counts[0];
    if (count->function.reason || count->calls != CALLS || count->repeated != repeated)
        fail_msg("%s: %zu of %zu calls repeated, not %zu of %d; %s", pattern, count->repeated,
                 count->calls, repeated, CALLS,
                 count->function.reason ? count->function.reason : "no reason");
    free(tracer);
}

static void expect_reason(const char *pattern, const char *function, const char *reason)
{
    struct kg_repeat_tracer *tracer = watch(pattern, NULL, function);
    assert_int_equal(tracer->counts[0].calls, 0);
    assert_non_null(tracer->counts[0].function.reason);
    assert_string_equal(tracer->counts[0].function.reason, reason);
    free(tracer);
}

static void numbers_are_equal_by_their_values(void **state)
{
    expect("numbers", "take_number", CALLS - 2);
    expect("new_numbers", "take_number", 0);
    expect("floats", "take_floats", CALLS - 1);
    expect("new_floats", "take_floats", 0);
}

static void pointers_are_equal_by_the_contents(void **state)
{
    expect("equal_arrays", "take_array", CALLS - 1);
    expect("changed_array", "take_array", 0);
    expect("far_array", "take_array", 0);
    expect("array_end", "take_array", CALLS - 1);
    expect("squares", "take_square", 0);
    expect("texts", "take_text", CALLS - 1);
    expect("new_texts", "take_text", 0);
    expect("objects", "take_object", CALLS - 1);
    expect("changed_object", "take_object", 0);
}

/* A pointer to void may be the name of something elsewhere, so its value counts too. */
static void a_pointer_to_void_is_equal_by_value_and_contents(void **state)
{
    expect("voids", "take_void", CALLS - 2);
}

static void other_arguments_are_a_reason(void **state)
{
    expect_reason("structures", "take_structure", "a parameter is neither a number nor a pointer");
    expect_reason("several", "take_several", "its number of parameters varies");
    expect_reason("nothing", "take_nothing", "it has no parameters");
    expect_reason("nothing", "take_anything", "it has no symbol");
}

static void new_threads_are_watched_too(void **state)
{
    struct kg_repeat_tracer *tracer = watch("new_numbers", "threads", "take_number");
    assert_int_equal(tracer->counts[0].calls, 4 * CALLS);
    assert_int_equal(tracer->counts[0].repeated, 3 * CALLS);
    free(tracer);
}

static void no_more_than_the_first_calls_are_counted(void **state)
{
    struct kg_repeat_tracer *tracer = watch("many_numbers", NULL, "take_number");
    assert_int_equal(tracer->counts[0].calls, KG_REPEAT_CALLS_MOST);
    assert_int_equal(tracer->counts[0].repeated, KG_REPEAT_CALLS_MOST - 2);
    assert_true(tracer->done);
    free(tracer);
}

/* Threads that meet a breakpoint just when kgate leaves must not die of it. */
static void leaving_in_the_middle_kills_nothing(void **state)
{
    const char *const words[] = {KGATE_REPEATED_PROGRAM, "many_numbers", "threads", NULL};
    for (int i = 0; i < 20; i++) {
        const struct program program = program_start(words);
        struct kg_repeat_tracer *tracer = tracer_of((const char *const[]){"take_number", NULL});
        byte_await(&program);
        start(tracer, &program, false);
        assert_int_equal(write(program.to, "t", 1), 1);
        usleep((useconds_t)(500 + i * 150));
        kg_repeat_tracer_stop(tracer);
        byte_await(&program);
        program_end(&program);
        free(tracer);
    }
}

static void several_functions_are_counted_apart(void **state)
{
    static const char *const functions[] = {"take_array", "take_number", "take_structure", NULL};
    const char *const words[] = {KGATE_REPEATED_PROGRAM, "numbers", NULL};
    const struct program program = program_start(words);
    struct kg_repeat_tracer *tracer = tracer_of(functions);
    byte_await(&program);
    start(tracer, &program, false);
    turn(&program);
    kg_repeat_tracer_stop(tracer);
    program_end(&program);
    assert_int_equal(tracer->counts[0].calls, 0);
    assert_null(tracer->counts[0].function.reason);
    assert_int_equal(tracer->counts[1].calls, CALLS);
    assert_non_null(tracer->counts[2].function.reason);
    free(tracer);
}

/* A process that starts the program, as a worker starts a command. */
static struct program starter_start(void)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char byte;
        int status = 1;
        close(to[1]); /* or it would wait for itself */
        alarm(120);
        while (read(to[0], &byte, 1) == 1) {
            const pid_t child = fork();
            if (child == 0) {
                execl(KGATE_REPEATED_PROGRAM, "program", "changed_array", "at_once", (char *)NULL);
                _exit(127);
            }
            if (waitpid(child, &status, 0) != child || status || write(from[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    return (struct program){pid, to[1], from[0]};
}

static void a_program_that_the_process_starts_is_watched(void **state)
{
    const struct program starter = starter_start();
    struct kg_repeat_tracer *tracer = tracer_of((const char *const[]){"take_array", NULL});
    start(tracer, &starter, true);
    turn(&starter);
    kg_repeat_tracer_stop(tracer);
    turn(&starter);
    program_end(&starter);
    assert_int_equal(tracer->counts[0].calls, CALLS);
    assert_int_equal(tracer->counts[0].repeated, 0);
    free(tracer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_equal_by_their_values),
        cmocka_unit_test(pointers_are_equal_by_the_contents),
        cmocka_unit_test(a_pointer_to_void_is_equal_by_value_and_contents),
        cmocka_unit_test(other_arguments_are_a_reason),
        cmocka_unit_test(new_threads_are_watched_too),
        cmocka_unit_test(no_more_than_the_first_calls_are_counted),
        cmocka_unit_test(leaving_in_the_middle_kills_nothing),
        cmocka_unit_test(several_functions_are_counted_apart),
        cmocka_unit_test(a_program_that_the_process_starts_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
