/* The moment of writing, as files name it. */
#include <time.h>

#include "results/results.h"

const char *kg_timestamp(struct kg_arena *arena)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return kg_arena_copy(arena, text);
}
