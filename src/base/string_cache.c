#include "base/json_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEPT_MOST = 4096 };

struct kg_shared_string {
    const char *bytes;
    size_t length;
};

/* Hashes eight bytes at once, since every string of a file passes here. A collision only costs
 * another copy. */
static size_t place_of(const char *bytes, size_t length)
{
    uint64_t hash = length, eight = 0;
    for (; length >= sizeof eight; bytes += sizeof eight, length -= sizeof eight) {
        memcpy(&eight, bytes, sizeof eight);
        hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    eight = 0;
    memcpy(&eight, bytes, length);
    hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 32) % KEPT_MOST;
}

void kg_shared_begin(struct kg_shared *shared)
{
    shared->kept = kg_alloc(KEPT_MOST, sizeof *shared->kept);
}

void kg_shared_end(struct kg_shared *shared)
{
    free(shared->kept);
    shared->kept = NULL;
}

const char *kg_shared_copy(struct kg_shared *shared, struct kg_arena *arena, const char *bytes,
                           size_t length)
{
    if (!shared->kept)
        return kg_arena_copy_bytes(arena, bytes, length);
    struct kg_shared_string *kept = &shared->kept[place_of(bytes, length)];
    if (kept->bytes && kept->length == length && !memcmp(kept->bytes, bytes, length))
        return kept->bytes;
    const char *copy = kg_arena_copy_bytes(arena, bytes, length);
    *kept = (struct kg_shared_string){copy, length};
    return copy;
}
