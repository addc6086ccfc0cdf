/* The steps of the device's timer, seen by the stamping kernel: a histogram over all
 * multiprocessors and many launches. */
#include <inttypes.h>

#include "open.h"

enum { LAUNCHES = 200, KINDS_MOST = 64 };

struct steps {
    uint32_t ns[KINDS_MOST];
    size_t counts[KINDS_MOST];
    size_t kinds, unseen, all;
};

static void step_count(struct steps *steps, uint32_t ns)
{
    size_t i = 0;
    steps->all++;
    if (ns == 0) {
        steps->unseen++;
        return;
    }
    while (i < steps->kinds && steps->ns[i] != ns)
        i++;
    if (i == KINDS_MOST)
        return;
    if (i == steps->kinds)
        steps->ns[steps->kinds++] = ns;
    steps->counts[i]++;
}

int main(void)
{
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    struct steps steps = {.kinds = 0};
    size_t processors = 0, most = 0;
    int status;
    if (!timer_open(&timer, &status))
        return status;
    bool good = kg_gpu_warm(&timer, &err);
    for (int i = 0; good && i < LAUNCHES; i++) {
        good = kg_gpu_stamp(&timer, KG_STAMPS_BEFORE, &err) && kg_gpu_wait(&timer, &err);
        const struct kg_stamps *stamps = &timer.shared->stamps[KG_STAMPS_BEFORE];
        processors = 0;
        for (size_t s = 0; good && s < stamps->count; s++) {
            if (stamps->of[s].number != stamps->number)
                continue;
            processors++;
            step_count(&steps, stamps->of[s].step_ns);
        }
    }
    expect(good, "clocks are read: %s", err.message);
    for (size_t i = 0; i < steps.kinds; i++) {
        printf("      %7" PRIu32 " ns: %zu\n", steps.ns[i], steps.counts[i]);
        most = steps.counts[i] > steps.counts[most] ? i : most;
    }
    expect(processors == (size_t)timer.multiprocessors,
           "blocks that stamped: expected %d, found %zu", timer.multiprocessors, processors);
    expect(steps.all > 0 && steps.unseen * 100 < steps.all,
           "readings without a step: expected under 1 %%, found %zu of %zu", steps.unseen,
           steps.all);
    expect(steps.kinds > 0 && steps.ns[most] <= 1100,
           "the most frequent step: expected 1100 ns at most, found %" PRIu32,
           steps.kinds ? steps.ns[most] : 0);
    kg_gpu_timer_close(&timer);
    return expect_end();
}
