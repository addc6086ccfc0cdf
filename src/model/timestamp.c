/* Times in the form of kgate's files. */
#include <string.h>
#include <time.h>

#include "model/results.h"

static const char FORMAT[] = "%Y-%m-%dT%H:%M:%SZ";

const char *kg_timestamp(struct kg_arena *arena)
{
    char text[32];
    struct tm parts;
    const time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, FORMAT, &parts);
    return kg_arena_copy(arena, text);
}

bool kg_timestamp_is(const char *text)
{
    struct tm parts = {0};
    char again[32];
    const char *end = strptime(text, FORMAT, &parts);
    const time_t moment = timegm(&parts);
    return end && !*end && gmtime_r(&moment, &parts) &&
           strftime(again, sizeof again, FORMAT, &parts) && !strcmp(again, text);
}
