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

int64_t kg_timestamp_seconds(const char *text)
{
    struct tm parts = {0};
    const char *end = strptime(text, FORMAT, &parts);
    return end && !*end ? (int64_t)timegm(&parts) : INT64_MIN;
}

void kg_timestamp_format(int64_t seconds, char text[KG_TIMESTAMP_BYTES])
{
    struct tm parts;
    const time_t moment = (time_t)seconds;
    if (!gmtime_r(&moment, &parts) || !strftime(text, KG_TIMESTAMP_BYTES, FORMAT, &parts))
        text[0] = '\0';
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
