/* hash.h: FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv). For telling definitions and files
 * apart; not for anything that an attacker could exploit. Pure, thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define KG_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t kg_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Hashes the terminator too, so that "ab","c" and "a","bc" differ. */
static inline uint64_t kg_hash_string(uint64_t hash, const char *string)
{
    size_t length = 0;
    while (string[length])
        length++;
    return kg_hash_bytes(hash, string, length + 1);
}
