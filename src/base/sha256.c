#include "base/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#include <immintrin.h>
#endif

enum { BLOCK = 64, ROUNDS = 64, WORDS = 16 };

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* The message schedule, section 6.2.2, step 1. */
static void schedule_fill(const unsigned char *block, uint32_t schedule[ROUNDS])
{
    for (size_t t = 0; t < WORDS; t++)
        schedule[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
                      (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (size_t t = WORDS; t < ROUNDS; t++) {
        const uint32_t a = schedule[t - 15], b = schedule[t - 2];
        schedule[t] = (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10) + schedule[t - 7] +
                      (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + schedule[t - 16];
    }
}

/* Section 6.2.2, steps 2 to 4, with its names. */
static void block_add(struct kg_sha256 *sum, const unsigned char *block)
{
    uint32_t schedule[ROUNDS], *state = sum->state;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    schedule_fill(block, schedule);
    for (size_t t = 0; t < ROUNDS; t++) {
        const uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                             ((e & f) ^ (~e & g)) + constants[t] + schedule[t];
        const uint32_t two =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    const uint32_t worked[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        state[i] += worked[i];
}

#if defined __x86_64__ && defined __GNUC__
static bool has_instructions(void)
{
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA &&
           __builtin_cpu_supports("sse4.1");
}

/* The same steps, four at a time. The instructions want the state as the words a, b, e, f and c, d, g, h. */
__attribute__((target("sha,sse4.1"))) static void block_add_fast(struct kg_sha256 *sum,
                                                                 const unsigned char *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const void *)sum->state), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(sum->state + 4)), 0x1b);
    const __m128i abef_before = _mm_alignr_epi8(cdab, efgh, 8);
    const __m128i cdgh_before = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i abef = abef_before, cdgh = cdgh_before, words[4];
    for (size_t t = 0; t < ROUNDS / 4; t++) {
        __m128i *now = &words[t % 4];
        const __m128i last = words[(t + 3) % 4];
        *now =
            t < 4
                ? _mm_shuffle_epi8(_mm_loadu_si128((const void *)(block + 16 * t)), swap)
                : _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, words[(t + 1) % 4]),
                                                     _mm_alignr_epi8(last, words[(t + 2) % 4], 4)),
                                       last);
        const __m128i sums =
            _mm_add_epi32(*now, _mm_loadu_si128((const void *)(constants + 4 * t)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
    }
    abef = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128((void *)sum->state, _mm_blend_epi16(abef, cdgh, 0xf0));
    _mm_storeu_si128((void *)(sum->state + 4), _mm_alignr_epi8(cdgh, abef, 8));
}
#else
static bool has_instructions(void)
{
    return false;
}

static void block_add_fast(struct kg_sha256 *sum, const unsigned char *block)
{
    block_add(sum, block);
}
#endif

void kg_sha256_start(struct kg_sha256 *sum)
{
    *sum = (struct kg_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                              .instructions = has_instructions()};
}

void kg_sha256_add(struct kg_sha256 *sum, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    while (length) {
        const size_t filled = (size_t)(sum->length % BLOCK);
        const size_t count = length < BLOCK - filled ? length : BLOCK - filled;
        const unsigned char *block = count == BLOCK ? from : sum->block;
        if (block != from)
            memcpy(sum->block + filled, from, count);
        sum->length += count;
        from += count;
        length -= count;
        if (filled + count == BLOCK)
            (sum->instructions ? block_add_fast : block_add)(sum, block);
    }
}

void kg_sha256_end(struct kg_sha256 *sum, char hex[KG_SHA256_DIGITS + 1])
{
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = sum->length * 8;
    unsigned char length[8];
    for (size_t i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    const size_t filled = (size_t)(sum->length % BLOCK);
    kg_sha256_add(sum, padding, (filled < 56 ? 56 : 56 + BLOCK) - filled);
    kg_sha256_add(sum, length, sizeof length);
    for (size_t i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08" PRIx32, sum->state[i]);
}

bool kg_sha256_file(const char *path, char hex[KG_SHA256_DIGITS + 1])
{
    unsigned char bytes[65536];
    struct kg_sha256 sum;
    ssize_t count;
    struct kg_error unread;
    const int file = kg_file_open(path, &unread);
    if (file < 0)
        return false;
    kg_sha256_start(&sum);
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        kg_sha256_add(&sum, bytes, (size_t)count);
    close(file);
    kg_sha256_end(&sum, hex);
    return count == 0;
}
