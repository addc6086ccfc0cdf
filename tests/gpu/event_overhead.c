/* The time between two events around nothing, in a new process, before and after the device has
 * warmed up. kgate must subtract the time of the warm device. */
#include "base/statistics/stats.h"
#include "open.h"

enum { LOOKS = 101 };

/* Sorted times between two events around nothing; false if the driver fails. */
static bool overheads(struct kg_gpu_timer *timer, double times[LOOKS])
{
    const struct kg_driver *driver = &timer->driver;
    struct kg_error err = {0};
    for (int i = 0; i < LOOKS; i++) {
        const bool held = kg_gpu_hold(timer, 100e6, &err);
        driver->event_record(timer->start, timer->stream);
        driver->event_record(timer->stop, timer->stream);
        kg_gpu_release(timer);
        if (!held || !kg_gpu_wait(timer, &err) || !kg_gpu_elapsed_ns(timer, &times[i], &err)) {
            expect(false, "events around nothing: %s", err.message);
            return false;
        }
    }
    kg_sort(times, LOOKS);
    return true;
}

static void overheads_print(const char *when, const double times[LOOKS])
{
    printf("      %s: least %.0f ns, median %.0f, 95 %% %.0f, most %.0f\n", when, times[0],
           kg_median_sorted(times, LOOKS), times[LOOKS * 95 / 100], times[LOOKS - 1]);
}

int main(void)
{
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    double before[LOOKS], after[LOOKS];
    int status;
    if (!timer_open(&timer, &status))
        return status;
    printf("      when the process began, kgate found %.0f ns\n", timer.overhead_ns);
    if (overheads(&timer, before))
        overheads_print("right after", before);
    expect(kg_gpu_warm(&timer, &err), "the device warms up: %s", err.message);
    if (overheads(&timer, after)) {
        const double median = kg_median_sorted(after, LOOKS);
        overheads_print("warm", after);
        expect(median > 0 && median < 20e3, "warm: expected 0 to 20000 ns, found %.0f", median);
        expect(timer.overhead_ns > median - 500 && timer.overhead_ns < median + 500,
               "kgate's own: expected the warm one within 500 ns, %.0f, found %.0f", median,
               timer.overhead_ns);
    }
    kg_gpu_timer_close(&timer);
    return expect_end();
}
