/* sha256.h: SHA-256 (FIPS 180-4), for files that kgate runs again because it knows their hash.
 * Whoever can write such a file must not be able to choose the hash. Pure except for
 * kg_sha256_file; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KG_SHA256_DIGITS = 64 };

struct kg_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
    bool instructions; /* the processor has SHA instructions, which take a sixth of the time */
};

void kg_sha256_start(struct kg_sha256 *sum);
void kg_sha256_add(struct kg_sha256 *sum, const void *bytes, size_t length);
/* Gives the hash in hexadecimal digits. The sum must be started again before further use. */
void kg_sha256_end(struct kg_sha256 *sum, char hex[KG_SHA256_DIGITS + 1]);

/* The hash of a file's bytes; false if the file cannot be read. */
bool kg_sha256_file(const char *path, char hex[KG_SHA256_DIGITS + 1]);
