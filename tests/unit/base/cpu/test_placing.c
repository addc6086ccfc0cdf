/* kgate finds threads by their CPU time, and places them apart. Other threads of this process, of
 * OpenBLAS or a sanitizer, may be among them. */
#include "base/cpu/placing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "test_support.h"

static struct {
    pthread_t thread;
    atomic_bool stop;
    _Atomic pid_t id;
    bool spins;
} other;

static void *body(void *unused)
{
    (void)unused;
    other.id = gettid();
    while (!other.stop)
        if (!other.spins)
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    return NULL;
}

static void other_start(bool spins)
{
    other.stop = false;
    other.id = 0;
    other.spins = spins;
    assert_int_equal(pthread_create(&other.thread, NULL, body, NULL), 0);
    while (!other.id)
        continue;
}

static void other_stop(void)
{
    other.stop = true;
    pthread_join(other.thread, NULL);
}

static double cpu_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Until both threads have had 5 ms of CPU time, however long that takes. */
static void both_work(void)
{
    clockid_t clock;
    assert_int_equal(pthread_getcpuclockid(other.thread, &clock), 0);
    const double one = cpu_ms(clock), two = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ms(CLOCK_THREAD_CPUTIME_ID) < two + 5)
        continue;
    while (cpu_ms(clock) < one + 5)
        sched_yield();
}

static struct kg_placed *find(struct kg_placing *placing, pid_t id)
{
    for (size_t i = 0; i < placing->count; i++)
        if (placing->threads[i].id == id)
            return &placing->threads[i];
    return NULL;
}

static void both_see(struct kg_placing *placing)
{
    kg_placing_begin(placing);
    kg_placing_mark(placing);
    both_work();
    kg_placing_see(placing);
}

static void a_thread_more_is_counted(void **state)
{
    const size_t before = kg_placing_threads();
    assert_true(before >= 1);
    other_start(false);
    assert_int_equal(kg_placing_threads(), before + 1);
    other_stop();
}

static void threads_that_work_are_seen(void **state)
{
    static struct kg_placing placing;
    other_start(true);
    both_see(&placing);
    assert_non_null(find(&placing, gettid()));
    assert_non_null(find(&placing, other.id));
    assert_true(find(&placing, gettid())->cpu >= 0);
    other_stop();
}

static void a_thread_that_began_after_the_mark_is_seen(void **state)
{
    static struct kg_placing placing;
    kg_placing_begin(&placing);
    kg_placing_mark(&placing);
    other_start(true);
    both_work();
    kg_placing_see(&placing);
    assert_non_null(find(&placing, other.id));
    other_stop();
}

static void a_thread_that_sleeps_is_not_seen(void **state)
{
    static struct kg_placing placing;
    other_start(false);
    kg_placing_begin(&placing);
    kg_placing_mark(&placing);
    const double begun = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ms(CLOCK_THREAD_CPUTIME_ID) < begun + 20)
        continue;
    kg_placing_see(&placing);
    assert_null(find(&placing, other.id));
    other_stop();
}

static void two_on_one_cpu_are_crowded_and_come_apart(void **state)
{
    static struct kg_placing placing;
    kg_placing_begin(&placing);
    if (placing.cpus < 2)
        skip();
    other_start(true);
    both_see(&placing);
    /* only these two, as if both ran on the first one's CPU */
    struct kg_placed two[] = {*find(&placing, gettid()), *find(&placing, other.id)};
    placing.threads[0] = two[0];
    placing.threads[1] = two[1];
    placing.threads[1].cpu = two[0].cpu;
    placing.count = 2;
    assert_true(kg_placing_crowded(&placing));
    kg_placing_bind(&placing);
    assert_false(kg_placing_crowded(&placing));
    for (size_t i = 0; i < 2; i++) {
        cpu_set_t mask;
        assert_int_equal(sched_getaffinity(placing.threads[i].id, sizeof mask, &mask), 0);
        assert_int_equal(CPU_COUNT(&mask), 1);
        assert_true(CPU_ISSET((unsigned)placing.threads[i].cpu, &mask));
    }
    assert_int_not_equal(placing.threads[0].cpu, placing.threads[1].cpu);
    assert_int_equal(placing.threads[0].cpu, two[0].cpu);
    kg_placing_release(&placing);
    for (size_t i = 0; i < 2; i++) {
        cpu_set_t mask;
        assert_int_equal(sched_getaffinity(placing.threads[i].id, sizeof mask, &mask), 0);
        assert_true(CPU_EQUAL(&mask, &placing.allowed));
    }
    other_stop();
}

static void a_thread_that_the_workload_binds_is_left_alone(void **state)
{
    static struct kg_placing placing;
    cpu_set_t one, mask;
    kg_placing_begin(&placing);
    if (placing.cpus < 2)
        skip();
    other_start(true);
    both_see(&placing);
    const struct kg_placed first = *find(&placing, gettid());
    CPU_ZERO(&one);
    CPU_SET((unsigned)first.cpu, &one);
    assert_int_equal(sched_setaffinity(other.id, sizeof one, &one), 0);
    placing.threads[0] = (struct kg_placed){.id = other.id, .cpu = first.cpu};
    placing.threads[1] = first;
    placing.count = 2;
    kg_placing_bind(&placing);
    assert_int_equal(sched_getaffinity(other.id, sizeof mask, &mask), 0);
    assert_true(CPU_EQUAL(&mask, &one));
    /* the other makes room for it */
    assert_int_not_equal(placing.threads[1].cpu, first.cpu);
    kg_placing_release(&placing);
    assert_int_equal(sched_getaffinity(other.id, sizeof mask, &mask), 0);
    assert_true(CPU_EQUAL(&mask, &one));
    other_stop();
}

static void more_threads_than_cpus_are_shared_out_evenly(void **state)
{
    static struct kg_placing placing;
    kg_placing_begin(&placing);
    placing.cpus = 2;
    placing.count = 3;
    placing.threads[0].cpu = placing.threads[1].cpu = 0;
    placing.threads[2].cpu = 1;
    assert_false(kg_placing_crowded(&placing));
    placing.threads[2].cpu = 0;
    assert_true(kg_placing_crowded(&placing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_more_is_counted),
        cmocka_unit_test(threads_that_work_are_seen),
        cmocka_unit_test(a_thread_that_began_after_the_mark_is_seen),
        cmocka_unit_test(a_thread_that_sleeps_is_not_seen),
        cmocka_unit_test(two_on_one_cpu_are_crowded_and_come_apart),
        cmocka_unit_test(a_thread_that_the_workload_binds_is_left_alone),
        cmocka_unit_test(more_threads_than_cpus_are_shared_out_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
