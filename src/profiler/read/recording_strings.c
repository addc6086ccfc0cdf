#include "profiler/read/recording_strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"

static const char REPLACEMENT[] = "\xef\xbf\xbd";

static void repair(struct kg_text *text, const unsigned char *bytes, size_t length)
{
    while (length) {
        const size_t step = kg_utf8_length(bytes, length), used = step ? step : 1;
        if (step)
            kg_text_append_bytes(text, (const char *)bytes, step);
        else
            kg_text_append(text, REPLACEMENT);
        bytes += used;
        length -= used;
    }
}

static const char *add(struct kg_strings *strings, uint64_t hash, const char *bytes, size_t length)
{
    if (!kg_grow(&strings->items, strings->count, &strings->capacity, sizeof *strings->items))
        return NULL;
    const char *copy = kg_arena_copy_bytes(strings->arena, bytes, length);
    uint64_t *place = copy ? kg_map_at(&strings->map, hash) : NULL;
    if (!place)
        return NULL;
    strings->items[strings->count++] = copy;
    *place = strings->count;
    return copy;
}

static const char *keep(struct kg_strings *strings, const char *bytes, size_t length)
{
    /* Of two texts with one hash the second is found at the next number. */
    for (uint64_t hash = kg_hash_bytes(KG_HASH_START, bytes, length);; hash++) {
        const uint64_t found = kg_map_get(&strings->map, hash);
        if (!found)
            return add(strings, hash, bytes, length);
        const char *kept = strings->items[found - 1];
        if (!strncmp(kept, bytes, length) && !kept[length])
            return kept;
    }
}

const char *kg_strings_keep(struct kg_strings *strings, const char *bytes, size_t length)
{
    const size_t whole = strnlen(bytes, length);
    if (kg_utf8_is_valid(bytes, whole))
        return keep(strings, bytes, whole);
    struct kg_text text = {0};
    repair(&text, (const unsigned char *)bytes, whole);
    const char *kept = text.failed ? NULL : keep(strings, kg_text_string(&text), text.length);
    kg_text_free(&text);
    return kept;
}

void kg_strings_free(struct kg_strings *strings)
{
    free(strings->items);
    kg_map_free(&strings->map);
    strings->items = NULL;
    strings->count = strings->capacity = 0;
}
