/* Samples of programs whose hot functions are known. Shares are held loosely: how many samples there
 * are depends on what else the machine does. */
#include "look/sampler.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test_support.h"
#include "timing/clock.h"

#define APART __attribute__((noinline, used))

static volatile double sink;

APART static void look_at_me(void)
{
    for (int i = 0; i < 100000; i++)
        sink = sink * 0.5 + i;
}

APART static void spin_forever(void)
{
    for (;;)
        look_at_me();
}

APART static void sleep_forever(void)
{
    for (;;)
        pause();
}

static void *spin_thread(void *user)
{
    (void)user;
    spin_forever();
    return NULL;
}

/* A child that does something until it is killed. */
static pid_t child_start(void (*work)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work();
        _exit(0);
    }
    return child;
}

static void child_end(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void rest_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

struct looked {
    struct kg_arena arena;
    struct kg_sampled sampled;
    struct kg_hot_addresses addresses;
};

static void ticks_take(struct kg_stack_sampler *sampler, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        rest_ms(1);
        kg_stack_sampler_take(sampler);
    }
}

static void summarize(struct kg_stack_sampler *sampler, struct looked *looked)
{
    *looked = (struct looked){0};
    assert_true(kg_stack_sampler_summarize(sampler, &looked->arena, &looked->sampled,
                                           &looked->arena, &looked->addresses));
    kg_stack_sampler_close(sampler);
}

static struct kg_stack_sampler *sampler_of(pid_t process)
{
    const struct kg_sampled_process target = {.process = process};
    struct kg_stack_sampler *sampler = kg_stack_sampler_open(&target);
    assert_non_null(sampler);
    return sampler;
}

static double share_of(const struct kg_sampled *sampled, const char *function)
{
    for (size_t i = 0; i < sampled->function_count; i++)
        if (sampled->functions[i].place.function &&
            !strcmp(sampled->functions[i].place.function, function))
            return sampled->functions[i].self;
    return 0;
}

static void the_function_that_runs_is_named(void **state)
{
    struct looked looked;
    (void)state;
    const pid_t child = child_start(spin_forever);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 40);
    summarize(sampler, &looked);
    child_end(child);
    assert_string_equal(looked.sampled.source, "ptrace");
    assert_true(looked.sampled.samples >= 10);
    assert_true(share_of(&looked.sampled, "look_at_me") > 0.8);
    assert_true(looked.addresses.count > 0);
    assert_true(looked.addresses.of[0].share > 0);
    assert_string_equal(looked.addresses.of[0].place.function, "look_at_me");
    assert_int_equal(looked.addresses.of[0].module_path[0], '/');
    kg_arena_free(&looked.arena);
}

/* Some microseconds of arithmetic, then a call of the kernel that takes a small part of that. */
APART static void spin_with_calls(void)
{
    for (;;) {
        for (int i = 0; i < 4000; i++)
            sink = sink * 0.5 + i;
        syscall(SYS_getppid);
    }
}

static void samples_do_not_gather_at_system_calls(void **state)
{
    struct looked looked;
    (void)state;
    const pid_t child = child_start(spin_with_calls);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 60);
    summarize(sampler, &looked);
    child_end(child);
    assert_true(looked.sampled.samples >= 10);
    assert_true(share_of(&looked.sampled, "spin_with_calls") > 0.5);
    kg_arena_free(&looked.arena);
}

static void a_thread_that_waits_is_seen_in_its_call(void **state)
{
    struct looked looked;
    (void)state;
    const pid_t child = child_start(sleep_forever);
    rest_ms(20);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 40);
    summarize(sampler, &looked);
    child_end(child);
    assert_true(looked.sampled.waiting > 0.5);
    assert_true(looked.sampled.stack_count >= 1);
    assert_true(looked.sampled.stacks[0].waiting);
    assert_string_equal(looked.sampled.stacks[0].call, "pause");
    kg_arena_free(&looked.arena);
}

static void two_spin(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, spin_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void a_thread_that_waits_for_another_at_work_does_not_count(void **state)
{
    struct looked looked;
    (void)state;
    const pid_t child = child_start(two_spin);
    rest_ms(20);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 40);
    summarize(sampler, &looked);
    child_end(child);
    assert_true(share_of(&looked.sampled, "look_at_me") > 0.8);
    kg_arena_free(&looked.arena);
}

static void the_end_of_the_process_in_the_middle_is_no_error(void **state)
{
    struct looked looked;
    int status;
    (void)state;
    const pid_t child = child_start(spin_forever);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 10);
    kill(child, SIGKILL);
    ticks_take(sampler, 10);
    summarize(sampler, &looked);
    /* its end is still there for who started it */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    kg_arena_free(&looked.arena);
}

static void a_process_that_is_traced_already_gives_the_reason(void **state)
{
    struct looked looked;
    int ready[2];
    char byte;
    (void)state;
    const pid_t child = child_start(spin_forever);
    assert_int_equal(pipe(ready), 0);
    const pid_t tracer = fork();
    assert_true(tracer >= 0);
    if (tracer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const bool traced = ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
        byte = traced ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1)
            sleep_forever();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 10);
    summarize(sampler, &looked);
    child_end(tracer);
    child_end(child);
    close(ready[0]);
    close(ready[1]);
    if (byte == 'y') {
        assert_null(looked.sampled.source);
        assert_non_null(strstr(looked.sampled.reason, "may not be stopped"));
    }
    kg_arena_free(&looked.arena);
}

/* --- A command: what the process starts is sampled, and not the process itself ------------------ */

static void spin_in_a_child(void)
{
    int status;
    const pid_t child = child_start(spin_forever);
    waitpid(child, &status, 0);
}

static void of_a_process_that_was_started_the_children_count(void **state)
{
    struct looked looked;
    (void)state;
    const pid_t child = child_start(spin_in_a_child);
    rest_ms(20);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 60);
    summarize(sampler, &looked);
    child_end(child);
    assert_true(share_of(&looked.sampled, "look_at_me") > 0.1);
    kg_arena_free(&looked.arena);
}

static void signals_arrive_at_a_process_that_is_sampled(void **state)
{
    struct looked looked;
    int status;
    (void)state;
    const pid_t child = child_start(spin_forever);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 5);
    kill(child, SIGTERM);
    for (int i = 0; i < 5000 && waitpid(child, &status, WNOHANG) == 0; i++) {
        rest_ms(1);
        kg_stack_sampler_take(sampler);
    }
    summarize(sampler, &looked);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    kg_arena_free(&looked.arena);
}

static void the_next_look_is_about_a_millisecond_away(void **state)
{
    (void)state;
    const pid_t child = child_start(sleep_forever);
    struct kg_stack_sampler *sampler = sampler_of(child);
    const uint64_t first = kg_stack_sampler_next_ns(sampler);
    kg_stack_sampler_take(sampler);
    assert_true(kg_stack_sampler_next_ns(sampler) >= first + 900000);
    kg_stack_sampler_close(sampler);
    child_end(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_that_runs_is_named),
        cmocka_unit_test(samples_do_not_gather_at_system_calls),
        cmocka_unit_test(a_thread_that_waits_is_seen_in_its_call),
        cmocka_unit_test(a_thread_that_waits_for_another_at_work_does_not_count),
        cmocka_unit_test(the_end_of_the_process_in_the_middle_is_no_error),
        cmocka_unit_test(a_process_that_is_traced_already_gives_the_reason),
        cmocka_unit_test(of_a_process_that_was_started_the_children_count),
        cmocka_unit_test(signals_arrive_at_a_process_that_is_sampled),
        cmocka_unit_test(the_next_look_is_about_a_millisecond_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
