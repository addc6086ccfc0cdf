#include "test_support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "run/worker/mark.h"
#include "why/observe/traced_calls.h"

/* A process that behaves like a worker: it waits for a byte, marks begin and end of its calls, and
 * answers with a byte. */
struct worker {
    pid_t pid;
    int to, from;
};

enum { CALLS = 3, READS = 7, MANY_READS = 2000, THREADS = 300 };

static int read_count = READS; /* number of reads per call of workers that start later */
static int later_writes;       /* number of writes per call after its reads */
static int reads_per_nap;      /* number of reads after which a call sleeps; 0: never */

static void mark(int what, uint64_t calls)
{
    syscall(SYS_prctl, what, calls, calls * 1000000, calls * 1000000, calls * 1000000);
}

static void *reads(void *user)
{
    char bytes[16];
    const int zeros = *(const int *)user;
    const struct timespec nap = {.tv_nsec = 300000};
    for (int i = 0; i < read_count; i++) {
        if (read(zeros, bytes, sizeof bytes) != sizeof bytes)
            abort();
        if (reads_per_nap && i % reads_per_nap == reads_per_nap - 1)
            nanosleep(&nap, NULL);
    }
    return NULL;
}

static void writes(void)
{
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < later_writes; i++)
        if (write(nothing, "12345678", i % 2 ? 2 : 6) < 0)
            abort();
    close(nothing);
}

static void one_call(int zeros, bool thread)
{
    pthread_t other;
    if (!thread)
        reads(&zeros);
    if (!thread && later_writes)
        writes();
    if (thread &&
        (pthread_create(&other, NULL, reads, &zeros) != 0 || pthread_join(other, NULL) != 0))
        abort();
}

#define THREADS_ONLY "KGATE_TEST_THREADS_ONLY"

/* This program as a command: threads that start, read, and end. */
static int command_main(void)
{
    const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < THREADS; i++)
        one_call(zeros, true);
    return 0;
}

_Noreturn static void worker_main(int from, int to, bool thread, const char *command)
{
    char byte;
    uint64_t calls = 0;
    const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    alarm(120); /* ends the process even if the test crashes */
    while (read(from, &byte, 1) == 1) {
        mark(KG_MARK_BEGIN, calls);
        for (int i = 0; i < CALLS; i++, calls++) {
            const pid_t child = command ? fork() : -1;
            if (!child) {
                setenv(THREADS_ONLY, "1", 1);
                setenv("OPENBLAS_NUM_THREADS", "1", 1); /* which the tests link */
                execl(command, "test", "test_system_calls", (char *)NULL);
                _exit(1);
            }
            if (child > 0)
                waitpid(child, NULL, 0);
            else
                one_call(zeros, thread);
            mark(KG_MARK_PAUSE, 0);
            getppid();
            mark(KG_MARK_RESUME, 0);
        }
        mark(KG_MARK_END, calls);
        getpgrp(); /* the worker's own */
        if (write(to, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

static struct worker worker_start(bool thread, const char *command)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(to[1]); /* or it would wait for itself */
        worker_main(to[0], from[1], thread, command);
    }
    close(to[0]);
    close(from[1]);
    return (struct worker){pid, to[1], from[0]};
}

static void turn(const struct worker *worker)
{
    char byte = 't';
    assert_int_equal(write(worker->to, &byte, 1), 1);
    assert_int_equal(read(worker->from, &byte, 1), 1);
}

static int worker_end(const struct worker *worker)
{
    int status;
    close(worker->to);
    close(worker->from);
    assert_int_equal(waitpid(worker->pid, &status, 0), worker->pid);
    return status;
}

/* Traces a process: one round before the tracer starts, two rounds during, one round after. False
 * if ptrace is not allowed here. */
static bool target_trace(const struct worker *worker, const struct kg_traced_process *target,
                         const struct kg_moved *untraced, struct kg_arena *arena,
                         struct kg_system_calls *calls)
{
    struct kg_call_tracer *tracer;
    struct kg_error err;
    int refusal;
    turn(worker);
    assert_true(kg_call_tracer_start(target, &tracer, &refusal, &err));
    if (!tracer) {
        print_message("ptrace is refused here: %s\n", strerror(refusal));
        return false;
    }
    turn(worker);
    turn(worker);
    kg_call_tracer_stop(tracer);
    assert_true(!target->reads_most || kg_call_tracer_full(tracer));
    kg_call_tracer_summarize(tracer, untraced, NAN, arena, calls);
    kg_call_tracer_free(tracer);
    turn(worker); /* it goes on as before */
    return true;
}

static bool trace(const struct worker *worker, bool command, size_t most, struct kg_arena *arena,
                  struct kg_system_calls *calls)
{
    const struct kg_traced_process target = {
        .process = worker->pid, .command = command, .calls_most = most};
    return target_trace(worker, &target, &kg_moved_unknown, arena, calls);
}

static const struct kg_system_call *kind(const struct kg_system_calls *calls, const char *name)
{
    for (size_t i = 0; i < calls->kind_count; i++)
        if (!strcmp(calls->kinds[i].name, name))
            return &calls->kinds[i];
    return NULL;
}

static void reads_are_counted_with_their_bytes_and_nothing_of_the_workers(void **state)
{
    const struct worker worker = worker_start(false, NULL);
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    if (trace(&worker, false, 20000, &arena, &calls)) {
        assert_string_equal(calls.source, "ptrace");
        assert_null(calls.reason);
        assert_int_equal(calls.kind_count, 1);
        assert_string_equal(calls.kinds[0].name, "read");
        assert_float_equal(calls.kinds[0].calls, READS, 1e-9);
        assert_float_equal(calls.kinds[0].bytes, READS * 16, 1e-9);
        assert_float_equal(calls.calls, READS, 1e-9);
        assert_true(calls.kinds[0].time_ns >= 0 && calls.kinds[0].time_ns <= 1e6);
        /* the worker's report on its first round */
        assert_float_equal(calls.system_ns, 1e6, 1e-3);
        assert_float_equal(calls.user_ns, 0, 1e-3);
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

static void threads_that_a_call_starts_are_followed(void **state)
{
    const struct worker worker = worker_start(true, NULL);
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    if (trace(&worker, false, 20000, &arena, &calls)) {
        assert_non_null(kind(&calls, "read"));
        assert_float_equal(kind(&calls, "read")->calls, READS, 1e-9);
        assert_true(kind(&calls, "clone3") || kind(&calls, "clone"));
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

static void of_a_command_its_process_counts_from_its_exec_on(void **state)
{
    const struct worker worker = worker_start(false, "/bin/true");
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    if (trace(&worker, true, 20000, &arena, &calls)) {
        assert_non_null(kind(&calls, "execve"));
        assert_float_equal(kind(&calls, "execve")->calls, 1, 1e-9);
        assert_non_null(kind(&calls, "mmap")); /* the loader */
        assert_null(kind(&calls, "wait4"));
        assert_null(kind(&calls, "clone"));
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* All calls of the command's threads count. This includes a thread that stops before kgate hears of
 * its creation. */
static void threads_of_a_command_count_from_their_first_call(void **state)
{
    const struct worker worker = worker_start(false, "/proc/self/exe");
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    if (trace(&worker, true, 100000, &arena, &calls)) {
        /* One of the first calls of each thread, and of the program itself. If enough other kinds
         * took longer, as under a sanitizer, it is not listed. */
        const struct kg_system_call *first = kind(&calls, "set_robust_list");
        assert_true(first || calls.kind_count == KG_HOT_CALLS_MOST);
        if (first)
            assert_float_equal(first->calls, THREADS + 1, 1e-9);
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* A process with more calls than the limit continues untraced. kgate then scales by the reads of
 * earlier calls. They are unknown here, so a reason replaces the counts. */
static void a_call_that_is_not_seen_to_its_end_is_found_by_its_reads(void **state)
{
    const struct worker worker = worker_start(false, NULL);
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    if (trace(&worker, false, READS, &arena, &calls)) {
        assert_string_equal(calls.source, "ptrace");
        assert_int_equal(calls.kind_count, 0);
        assert_non_null(strstr(calls.reason, "too many"));
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* The kernel counts reads without a tracer, so tracing of a long call ends after some of them. */
static void some_reads_of_a_long_call_suffice(void **state)
{
    read_count = MANY_READS;
    const struct worker worker = worker_start(false, NULL);
    read_count = READS;
    const struct kg_traced_process target = {
        .process = worker.pid, .calls_most = 100000, .reads_most = MANY_READS / 2};
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    (void)state;
    const struct kg_moved moved = {.calls = {CALLS * MANY_READS, 0},
                                   .bytes = {CALLS * MANY_READS * 16, 0}};
    if (target_trace(&worker, &target, &moved, &arena, &calls)) {
        assert_null(calls.reason);
        assert_true(calls.partial);
        assert_float_equal(calls.calls, MANY_READS, 1e-6);
        assert_float_equal(kind(&calls, "read")->bytes, MANY_READS * 16, 1e-6);
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* The traced part of a call may differ from its rest: the kernel's counts are the sums, and nothing
 * is said of kinds that the part lacks. */
static void sums_of_a_partial_trace_are_the_kernels(void **state)
{
    enum { WRITES = 3000 };
    read_count = MANY_READS;
    later_writes = WRITES;
    const struct worker worker = worker_start(false, NULL);
    read_count = READS;
    later_writes = 0;
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    const struct kg_traced_process target = {
        .process = worker.pid, .calls_most = 100000, .reads_most = MANY_READS + WRITES / 2};
    /* reads of 16 bytes, and 20 more; writes of 6 and 2 bytes */
    const struct kg_moved moved = {.calls = {CALLS * MANY_READS, CALLS * WRITES},
                                   .bytes = {CALLS * (MANY_READS * 16 + 20), CALLS * WRITES * 4}};
    (void)state;
    if (target_trace(&worker, &target, &moved, &arena, &calls)) {
        assert_null(calls.reason);
        assert_true(calls.partial);
        assert_float_equal(kind(&calls, "read")->calls, MANY_READS, 1e-6);
        assert_float_equal(kind(&calls, "read")->bytes, MANY_READS * 16 + 20, 1e-6);
        assert_float_equal(kind(&calls, "write")->calls, WRITES, 1e-6);
        assert_float_equal(kind(&calls, "write")->bytes, WRITES * 4, 1e-6);
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* Of the calls, 0.5 % take most of the time. */
static void few_long_calls_of_a_partial_trace_count(void **state)
{
    enum { PER_NAP = 200 };
    read_count = MANY_READS;
    reads_per_nap = PER_NAP;
    const struct worker worker = worker_start(false, NULL);
    read_count = READS;
    reads_per_nap = 0;
    const struct kg_traced_process target = {
        .process = worker.pid, .calls_most = 100000, .reads_most = MANY_READS / 2};
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    (void)state;
    const struct kg_moved moved = {.calls = {CALLS * MANY_READS, 0},
                                   .bytes = {CALLS * MANY_READS * 16, 0}};
    if (target_trace(&worker, &target, &moved, &arena, &calls)) {
        const struct kg_system_call *naps = kind(&calls, "clock_nanosleep");
        assert_true(calls.partial);
        assert_non_null(naps);
        assert_float_equal(naps->calls, MANY_READS / PER_NAP, 2);
        /* the worker reports 1e6 */
        assert_true(naps->time_ns + kind(&calls, "read")->time_ns <= 1.001e6);
    }
    assert_int_equal(worker_end(&worker), 0);
    kg_arena_free(&arena);
}

/* A tracer's noise of 15 us per call, in 4,000 of 40,000 short calls. */
static struct kg_traced_calls noisy_calls(void)
{
    struct kg_traced_calls traced = {
        .any = true, .inside = true, .marks_ns = {10000}, .mark_count = 1, .now_count = 4000};
    traced.first = (struct kg_marked){.calls = 1, .wall_ns = 80000000, .cpu_ns = 8000000};
    traced.now[SYS_pread64] = (struct kg_traced_kind){4000, 80000, 4000 * 25000, 4000};
    return traced;
}

static const struct kg_moved noisy_moved = {.calls = {40000, 0}, .bytes = {800000, 0}};

static void short_calls_leave_their_time_to_calls_that_wait(void **state)
{
    struct kg_traced_calls traced = noisy_calls();
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    (void)state;
    traced.now[SYS_nanosleep] = (struct kg_traced_kind){20, 0, 20 * 360000, 4000};
    kg_traced_summarize(&traced, &noisy_moved, NAN, &arena, &calls);
    assert_float_equal(kind(&calls, "nanosleep")->calls, 200, 1e-6);
    assert_true(kind(&calls, "nanosleep")->time_ns > 60e6);
    assert_true(kind(&calls, "pread64")->time_ns < 10e6);
    kg_arena_free(&arena);
}

static void a_late_mark_takes_no_time_from_long_calls(void **state)
{
    struct kg_traced_calls traced = noisy_calls();
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    (void)state;
    traced.marks_ns[0] = 1e6;
    traced.now[SYS_nanosleep] = (struct kg_traced_kind){20, 0, 20 * 360000, 4000};
    kg_traced_summarize(&traced, &noisy_moved, NAN, &arena, &calls);
    assert_non_null(kind(&calls, "nanosleep"));
    assert_true(kind(&calls, "nanosleep")->time_ns > 60e6);
    kg_arena_free(&arena);
}

/* Several processes, one after the other: their short calls do not overlap. */
static void short_calls_of_several_processes_take_no_longer_than_all(void **state)
{
    struct kg_traced_calls traced = noisy_calls();
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    (void)state;
    traced.several = true;
    traced.now_count += 4000;
    traced.now[SYS_lseek] = (struct kg_traced_kind){4000, 0, 4000 * 24000, 8000};
    kg_traced_summarize(&traced, &noisy_moved, NAN, &arena, &calls);
    assert_int_equal(calls.kind_count, 2);
    assert_true(calls.kinds[0].time_ns + calls.kinds[1].time_ns <= 80.001e6);
    kg_arena_free(&arena);
}

/* If another program traces the process, the tracer refuses, and nothing breaks. */
static void a_process_that_is_traced_already_is_a_refusal(void **state)
{
    const struct worker worker = worker_start(false, NULL);
    const struct kg_traced_process target = {.process = worker.pid, .calls_most = 100};
    struct kg_call_tracer *tracer;
    struct kg_error err;
    int refusal;
    if (ptrace(PTRACE_SEIZE, worker.pid, NULL, NULL) == 0) {
        assert_true(kg_call_tracer_start(&target, &tracer, &refusal, &err));
        assert_null(tracer);
        assert_int_equal(refusal, EPERM);
    }
    turn(&worker);
    assert_int_equal(worker_end(&worker), 0);
}

/* The worker dies in the middle: who started it hears of its end. */
static void the_end_of_the_process_is_left_for_who_started_it(void **state)
{
    const struct worker worker = worker_start(false, NULL);
    const struct kg_traced_process target = {.process = worker.pid, .calls_most = 100000};
    struct kg_call_tracer *tracer;
    struct kg_error err;
    int refusal;
    assert_true(kg_call_tracer_start(&target, &tracer, &refusal, &err));
    if (tracer) {
        turn(&worker);
        kill(worker.pid, SIGKILL);
        kg_call_tracer_stop(tracer);
        kg_call_tracer_free(tracer);
        assert_int_equal(WTERMSIG(worker_end(&worker)), SIGKILL);
        return;
    }
    worker_end(&worker);
}

/* --- Interrupted calls ------------------------------------------------------------------------ */

/* A separate function, so that the vfork child cannot overwrite its caller's counters. */
__attribute__((noinline)) static void vfork_nap(const struct timespec *nap)
{
    const pid_t child = vfork();
    if (child == 0) {
        nanosleep(nap, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *vforks(void *user)
{
    const struct timespec nap = {.tv_nsec = *(const long *)user};
    for (int i = 0; i < 40; i++)
        vfork_nap(&nap);
    return NULL;
}

_Noreturn static void vforker_main(void)
{
    static const long naps_ns[] = {300000, 1000000, 7000000, 20000000};
    enum { VFORKERS = sizeof naps_ns / sizeof *naps_ns };
    pthread_t threads[VFORKERS];
    alarm(120);
    mark(KG_MARK_BEGIN, 0);
    for (;;) {
        for (int i = 0; i < VFORKERS; i++)
            if (pthread_create(&threads[i], NULL, vforks, (void *)&naps_ns[i]) != 0)
                _exit(1);
        for (int i = 0; i < VFORKERS; i++)
            pthread_join(threads[i], NULL);
    }
}

/* A thread that waits for a vfork child stops only after the child continues, and the child is
 * stopped, too. */
static void who_is_in_the_middle_of_a_vfork_is_let_go(void **state)
{
    for (int i = 0; i < 20; i++) {
        struct kg_call_tracer *tracer;
        struct kg_error err;
        int refusal, status;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            vforker_main();
        const struct kg_traced_process target = {.process = child, .calls_most = 100000};
        const struct timespec nap = {.tv_nsec = 20000000 + i * 1300000L};
        nanosleep(&nap, NULL);
        assert_true(kg_call_tracer_start(&target, &tracer, &refusal, &err));
        nanosleep(&nap, NULL);
        if (tracer)
            kg_call_tracer_stop(tracer);
        kg_call_tracer_free(tracer);
        nanosleep(&nap, NULL);
        assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* it goes on */
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
}

#ifdef __x86_64__
/* getpid by the entry for 32-bit programs. Its number there is writev's in 64-bit programs. */
static long call_of_32_bits(void)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return result;
}

static void calls_of_32_bits_do_not_count_as_others(void **state)
{
    struct kg_arena arena = {0};
    struct kg_system_calls calls;
    struct kg_call_tracer *tracer;
    struct kg_error err;
    int refusal, status, ready[2], alive[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(alive), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(120);
        signal(SIGSEGV, SIG_DFL);                         /* not cmocka's handler */
        const bool known = call_of_32_bits() == getpid(); /* or it ends here */
        if (write(alive[1], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1)
            _exit(1);
        mark(KG_MARK_BEGIN, 0);
        call_of_32_bits();
        mark(KG_MARK_END, 1);
        _exit(!known);
    }
    close(alive[1]);
    const bool there = read(alive[0], &byte, 1) == 1; /* the kernel may not know that way */
    const struct kg_traced_process target = {.process = child, .calls_most = 100};
    tracer = NULL;
    if (there)
        assert_true(kg_call_tracer_start(&target, &tracer, &refusal, &err));
    if (there) {
        assert_int_equal(write(ready[1], &byte, 1), 1);
        /* a wait of this thread's would take the stops, too */
        const int descriptor = pidfd_open(child, 0);
        struct pollfd ends = {.fd = descriptor, .events = POLLIN};
        assert_int_equal(poll(&ends, 1, 60000), 1);
        close(descriptor);
    }
    if (tracer) {
        kg_call_tracer_stop(tracer);
        kg_call_tracer_summarize(tracer, &kg_moved_unknown, NAN, &arena, &calls);
        assert_null(kind(&calls, "writev"));
        if (!calls.reason || !strstr(calls.reason, "32-bit"))
            fail_msg("%s", calls.reason ? calls.reason : "no reason");
    }
    kg_call_tracer_free(tracer);
    assert_int_equal(waitpid(child, &status, 0), child);
    kg_arena_free(&arena);
    close(alive[0]);
    close(ready[0]);
    close(ready[1]);
}
#endif

int main(void)
{
    if (getenv(THREADS_ONLY))
        return command_main();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_counted_with_their_bytes_and_nothing_of_the_workers),
        cmocka_unit_test(threads_that_a_call_starts_are_followed),
        cmocka_unit_test(of_a_command_its_process_counts_from_its_exec_on),
        cmocka_unit_test(threads_of_a_command_count_from_their_first_call),
        cmocka_unit_test(a_call_that_is_not_seen_to_its_end_is_found_by_its_reads),
        cmocka_unit_test(some_reads_of_a_long_call_suffice),
        cmocka_unit_test(sums_of_a_partial_trace_are_the_kernels),
        cmocka_unit_test(few_long_calls_of_a_partial_trace_count),
        cmocka_unit_test(short_calls_leave_their_time_to_calls_that_wait),
        cmocka_unit_test(a_late_mark_takes_no_time_from_long_calls),
        cmocka_unit_test(short_calls_of_several_processes_take_no_longer_than_all),
        cmocka_unit_test(a_process_that_is_traced_already_is_a_refusal),
        cmocka_unit_test(the_end_of_the_process_is_left_for_who_started_it),
        cmocka_unit_test(who_is_in_the_middle_of_a_vfork_is_let_go),
#ifdef __x86_64__
        cmocka_unit_test(calls_of_32_bits_do_not_count_as_others),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
