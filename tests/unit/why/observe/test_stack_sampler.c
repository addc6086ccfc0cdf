/* Samples of programs with known hot functions. The limits of shares are wide: the number of
 * samples depends on other work of the machine. */
#include "why/observe/stack_sampler.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "test_support.h"
#include "why/observe/modules.h"
#include "why/observe/sampler_state.h"

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

static void rest_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* A child sets it when its work begins, so that samples exclude its start. */
static volatile bool *begun;

/* Starts a child that works until it is killed. */
static pid_t child_start(void (*work)(void))
{
    begun = mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(begun != MAP_FAILED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        *begun = true;
        work();
        _exit(0);
    }
    while (!*begun)
        rest_ms(1);
    munmap((void *)begun, sizeof *begun);
    return child;
}

/* Until the child waits in a call, however long this machine takes for that. */
static void wait_await(pid_t child)
{
    const struct kg_task task = {.process = child, .thread = child};
    struct kg_task_state seen;
    while (kg_task_look(&task, &seen) == KG_LOOKED && seen.running)
        rest_ms(1);
}

static void child_end(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
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
    kg_stack_sampler_summarize(sampler, &looked->arena, &looked->sampled, &looked->arena,
                               &looked->addresses);
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
    const pid_t child = child_start(sleep_forever);
    wait_await(child);
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
    const pid_t child = child_start(two_spin);
    wait_await(child);
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
    const pid_t child = child_start(spin_forever);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 10);
    kill(child, SIGKILL);
    ticks_take(sampler, 10);
    summarize(sampler, &looked);
    /* its parent can still collect its status */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    kg_arena_free(&looked.arena);
}

static void a_process_that_is_traced_already_gives_the_reason(void **state)
{
    struct looked looked;
    int ready[2];
    char byte;
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
        assert_non_null(strstr(looked.sampled.reason, "may not stop its threads"));
    }
    kg_arena_free(&looked.arena);
}

/* --- A command: only the children of the process are sampled ---------------------------------- */

static void spin_in_a_child(void)
{
    int status;
    const pid_t child = child_start(spin_forever);
    waitpid(child, &status, 0);
}

static void of_a_process_that_was_started_the_children_count(void **state)
{
    struct looked looked;
    const pid_t child = child_start(spin_in_a_child);
    wait_await(child);
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

/* --- Nothing is left behind ------------------------------------------------------------------- */

/* A child's own exit status; -1 if it does not end by itself. Uses a pidfd, since a wait would take
 * the stops of the sampled children. */
static int end_await(pid_t child, struct kg_stack_sampler *sampler)
{
    enum { LONG_MS = 60000 };
    const uint64_t end_ns = kg_clock_ns() + UINT64_C(1000000) * LONG_MS;
    struct pollfd ended = {.fd = pidfd_open(child, 0), .events = POLLIN};
    int status;
    assert_true(ended.fd >= 0);
    while (poll(&ended, 1, sampler ? 0 : LONG_MS) == 0 && kg_clock_ns() < end_ns)
        if (sampler)
            kg_stack_sampler_take(sampler);
    close(ended.fd);
    if (!ended.revents)
        kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Starts processes whose threads work until their end. */
static void end_at_work(void)
{
    enum { PROCESSES = 60, THREADS = 3 };
    for (int i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();
        if (child == 0) {
            pthread_t threads[THREADS];
            for (int t = 0; t < THREADS; t++)
                pthread_create(&threads[t], NULL, spin_thread, NULL);
            rest_ms(2);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

/* If a stopped process is killed, the sampler still passes on its end. Otherwise its parent would
 * wait for ever. */
static void processes_that_end_in_a_look_end(void **state)
{
    struct looked looked;
    const pid_t child = child_start(end_at_work);
    struct kg_stack_sampler *sampler = sampler_of(child);
    assert_int_equal(end_await(child, sampler), 0);
    summarize(sampler, &looked);
    kg_arena_free(&looked.arena);
}

static bool by_read;

/* Exits with 1 if the sampler's stop made its call return early. */
static void receive_with_limit(void)
{
    const struct timeval limit = {.tv_usec = 300000};
    int ends[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 ||
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
        _exit(2);
    const ssize_t got = by_read ? read(ends[0], &byte, 1) : recv(ends[0], &byte, 1, 0);
    _exit(got >= 0 || errno != EAGAIN);
}

/* Whoever is seen waiting in it is left to wait. */
static void a_socket_with_a_time_limit_keeps_it(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct looked looked;
        by_read = i;
        const pid_t child = child_start(receive_with_limit);
        wait_await(child);
        struct kg_stack_sampler *sampler = sampler_of(child);
        assert_int_equal(end_await(child, sampler), 0);
        summarize(sampler, &looked);
        kg_arena_free(&looked.arena);
    }
}

static int held[2]; /* a pipe: a reader waits until the other end is closed */

/* A separate function, so that the vfork child cannot overwrite its caller's counters. */
APART static void vfork_held(void)
{
    char byte;
    const pid_t child = vfork();
    if (child == 0)
        _exit(read(held[0], &byte, 1) != 0);
    waitpid(child, NULL, 0);
}

static void wait_in_vfork(void)
{
    close(held[1]);
    vfork_held();
}

/* The task stops only after its child continues, which happens last here. kgate does not wait for
 * this stop, and releases the task afterwards. */
static void who_does_not_stop_is_not_waited_for(void **state)
{
    static struct kg_stopped stopped;
    assert_int_equal(pipe(held), 0);
    const pid_t child = child_start(wait_in_vfork);
    const struct kg_task task = {.process = child, .thread = child};
    int refusal;
    wait_await(child);
    const enum kg_stop stop = kg_task_stop(&task, true, &stopped, &refusal);
    if (stop != KG_STOP_REFUSED) { /* tracing is not allowed here */
        assert_int_equal(stop, KG_STOP_LATE);
        assert_false(kg_task_release(&task, true, 0));
    }
    close(held[0]);
    close(held[1]);
    if (stop != KG_STOP_REFUSED)
        assert_true(kg_task_release(&task, true, UINT64_C(60000000000)));
    assert_int_equal(end_await(child, NULL), 0);
}

/* --- Invisible processes ---------------------------------------------------------------------- */

static void hide(void)
{
    if (prctl(PR_SET_DUMPABLE, 0) != 0)
        _exit(1);
    spin_forever();
}

/* Returns 0 if the reason names the refusal. A refusal by the machine looks the same. */
static int hidden_look(void)
{
    struct looked looked;
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
        return 0; /* this cannot be tried here */
    const pid_t child = child_start(hide);
    rest_ms(50);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 10);
    summarize(sampler, &looked);
    child_end(child);
    return !looked.sampled.reason || !strstr(looked.sampled.reason, "may not stop its threads");
}

static void a_process_that_may_not_be_looked_at_gives_the_reason(void **state)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(hidden_look());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#ifdef __x86_64__
/* Like a just-in-time compiler. */
static void spin_in_made_code(void)
{
    enum { ROOM = 4 << 20 };
    static const unsigned char jump_to_itself[] = {0xeb, 0xfe};
    unsigned char *code =
        mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*run)(void);
    if (code == MAP_FAILED)
        _exit(1);
    code += ROOM / 2; /* code near a library may count as a part of it */
    memcpy(code, jump_to_itself, sizeof jump_to_itself);
    memcpy(&run, &code, sizeof run);
    run();
}

static void code_in_no_file_counts(void **state)
{
    struct looked looked;
    const pid_t child = child_start(spin_in_made_code);
    rest_ms(20);
    struct kg_stack_sampler *sampler = sampler_of(child);
    ticks_take(sampler, 40);
    summarize(sampler, &looked);
    child_end(child);
    assert_true(looked.sampled.samples >= 10);
    assert_null(looked.sampled.functions[0].place.function);
    assert_string_equal(looked.sampled.functions[0].place.module, KG_MODULE_NO_FILE);
    assert_true(looked.sampled.functions[0].self > 0.8);
    assert_true(looked.sampled.blocks > 0.8);
    kg_arena_free(&looked.arena);
}
#endif

static void the_next_look_is_about_a_millisecond_away(void **state)
{
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
        cmocka_unit_test(processes_that_end_in_a_look_end),
        cmocka_unit_test(a_socket_with_a_time_limit_keeps_it),
        cmocka_unit_test(who_does_not_stop_is_not_waited_for),
        cmocka_unit_test(a_process_that_may_not_be_looked_at_gives_the_reason),
#ifdef __x86_64__
        cmocka_unit_test(code_in_no_file_counts),
#endif
        cmocka_unit_test(the_next_look_is_about_a_millisecond_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
