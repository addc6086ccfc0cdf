#include "why/observe/hot_steps.h"

#include "why/observe/loops.h"

bool kg_loops_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                   struct kg_error *err)
{
    (void)err;
    struct kg_results *results = session->results;
    struct kg_hot *hot = &results->cases[index].hot;
    kg_loops_find(&results->arena, look->addresses.of, look->addresses.count, &hot->loops,
                  &hot->loop_count);
    return true;
}
