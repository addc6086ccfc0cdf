#include "measure/hot_pass.h"

#include "measure/case_worker.h"
#include "measure/hot_step.h"
#include "measure/pass.h"

/* In this order: what comes later may read what those before found. */
static kg_hot_step *const steps[] = {NULL};

static bool wanted(const struct kg_measurement *measurement, size_t index)
{
    const struct kg_case *planned = &measurement->plan->cases[index];
    return kg_pass_observes(measurement, index) && !kg_case_on_stream(planned) &&
           planned->spec->settings.sample_time_ns > 0;
}

static bool case_look(struct kg_measurement *measurement, size_t index, void *user,
                      struct kg_error *err)
{
    struct kg_hot_look look = {0};
    bool good = true;
    (void)user;
    kg_hot_clear(&measurement->results.cases[index].hot);
    for (size_t i = 0; steps[i] && good && !kg_interrupt_caught(); i++)
        good = steps[i](measurement, index, &look, err);
    kg_arena_free(&look.arena);
    return good;
}

bool kg_hot_pass(struct kg_measurement *measurement, struct kg_error *err)
{
    static const struct kg_pass pass = {
        .verb = "looking into", .wanted = wanted, .each = case_look, .stored = true};
    return kg_pass_run(&pass, measurement, NULL, err);
}
