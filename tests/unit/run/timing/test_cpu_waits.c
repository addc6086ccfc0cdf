/* Waiting for a CPU, beside a process that has one of the same CPU. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/sysfs.h"
#include "run/timing/timed_loop.h"
#include "test_support.h"

enum { RIVALS = 3 };
static const double PIECE_NS = 200e6;

static cpu_set_t allowed;

static void busy_for(double ns)
{
    const uint64_t start = kg_clock_ns();
    while ((double)(kg_clock_ns() - start) < ns)
        ;
}

/* To the first CPU that this process may use. */
static void one_cpu_take(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* Processes that spin on this one's CPU. */
static void rivals_start(pid_t rivals[RIVALS])
{
    for (int i = 0; i < RIVALS; i++) {
        rivals[i] = fork();
        assert_true(rivals[i] >= 0);
        if (rivals[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                busy_for(1e9);
        }
    }
}

static void rivals_end(const pid_t rivals[RIVALS])
{
    for (int i = 0; i < RIVALS; i++) {
        kill(rivals[i], SIGKILL);
        waitpid(rivals[i], NULL, 0);
    }
}

static int contention_make(void **state)
{
    static pid_t rivals[RIVALS];
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    one_cpu_take();
    rivals_start(rivals);
    *state = rivals;
    return 0;
}

static int contention_end(void **state)
{
    rivals_end(*state);
    return sched_setaffinity(0, sizeof allowed, &allowed);
}

static struct kg_waiting waiting; /* larger than a stack should be asked for */

static void waiting_beside_others_is_counted_within_the_pieces(void **state)
{
    struct kg_waited waited = {.wait_ns = INFINITY};
    /* a piece may be preempted, however short: not time and again */
    for (int turn = 0; turn < 5 && waited.wait_ns >= PIECE_NS / 4; turn++) {
        kg_waiting_open(&waiting);
        kg_waiting_begin(&waiting);
        kg_waiting_end(&waiting);
        busy_for(PIECE_NS); /* not in a piece */
        waited = kg_waiting_close(&waiting);
    }
    if (isnan(waited.wait_ns))
        skip();
    assert_true(waited.wait_ns < PIECE_NS / 4);
    kg_waiting_begin(&waiting);
    busy_for(PIECE_NS);
    kg_waiting_end(&waiting);
    waited = kg_waiting_close(&waiting);
    print_message("waited %.1f of %.1f ms\n", waited.wait_ns / 1e6, PIECE_NS / 1e6);
    assert_true(waited.wait_ns > PIECE_NS / 2);
    assert_true(waited.stolen_ns >= 0);
}

static void a_process_that_has_ended_reports_how_long_it_waited(void **state)
{
    siginfo_t end;
    char folder[32];
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        busy_for(PIECE_NS);
        _exit(0);
    }
    assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    const double wait_ns = kg_tree_wait_ns(folder);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(isnan(kg_tree_wait_ns(folder)));
    if (isnan(wait_ns))
        skip();
    assert_true(wait_ns > PIECE_NS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_beside_others_is_counted_within_the_pieces),
        cmocka_unit_test(a_process_that_has_ended_reports_how_long_it_waited),
    };
    return cmocka_run_group_tests(tests, contention_make, contention_end);
}
