/* sha256.h: SHA-256 (FIPS 180-4), for what is run again because of the hash of its bytes: who can
 * write the file must not be able to choose the hash. Pure but for kg_sha256_file; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KG_SHA256_DIGITS = 64 };

struct kg_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
    bool instructions; /* the processor has instructions for it, which take a sixth of the time */
};

void kg_sha256_start(struct kg_sha256 *sum);
void kg_sha256_add(struct kg_sha256 *sum, const void *bytes, size_t length);
/* Gives the hash in hexadecimal digits; the sum must be started again before it is used again. */
void kg_sha256_end(struct kg_sha256 *sum, char hex[KG_SHA256_DIGITS + 1]);

/* The hash of a file's bytes; false where it cannot be read. */
bool kg_sha256_file(const char *path, char hex[KG_SHA256_DIGITS + 1]);
