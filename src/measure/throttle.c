#include "measure/throttle.h"

static size_t throttled_count(const struct kg_round *rounds, size_t count)
{
    size_t throttled = 0;
    for (size_t i = 0; i < count; i++)
        throttled += rounds[i].throttled;
    return throttled;
}

size_t kg_rounds_to_repeat(const struct kg_round *rounds, size_t count, size_t wanted)
{
    const size_t throttled = throttled_count(rounds, count);
    const size_t most = wanted > 1 ? wanted / 2 : 1;
    return throttled < most ? throttled : most;
}

bool kg_rounds_keep_throttled(const struct kg_round *rounds, size_t count)
{
    return 2 * throttled_count(rounds, count) > count;
}

bool kg_round_judged(const struct kg_round *rounds, size_t count, size_t index)
{
    return !rounds[index].throttled || kg_rounds_keep_throttled(rounds, count);
}
