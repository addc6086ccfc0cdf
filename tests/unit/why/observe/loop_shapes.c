/* loop_shapes.c: functions whose machine code has a loop of a known kind, for test_loops.c. They
 * never run. Compilers neither inline nor remove them. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef VISIBLE
#define VISIBLE "default"
#endif
#define SHAPE __attribute__((noinline, used, visibility(VISIBLE)))

struct entry {
    uint64_t key;
    struct entry *next;
    double value;
};

struct tree {
    struct tree *children[2];
    uint64_t key;
};

SHAPE size_t list_walk(const struct entry *entry)
{
    size_t count = 0;
    for (; entry; entry = entry->next)
        count += entry->key;
    return count;
}

SHAPE double hash_chain(const struct entry *entry, uint64_t key)
{
    while (entry && entry->key != key)
        entry = entry->next;
    return entry ? entry->value : 0;
}

SHAPE const struct tree *tree_walk(const struct tree *tree, uint64_t key)
{
    while (tree && tree->key != key)
        tree = tree->children[key > tree->key];
    return tree;
}

SHAPE uint32_t index_chain(const uint32_t *next, uint32_t at, size_t turns)
{
    for (size_t i = 0; i < turns; i++)
        at = next[at];
    return at;
}

SHAPE double pointers_to_values(const double *const *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += *values[i];
    return sum;
}

SHAPE float serial_sum(const float *values, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

SHAPE double horner(const double *factors, size_t n, double x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = sum * x + factors[i];
    return sum;
}

/* Each element by itself: nothing goes from turn to turn. */
SHAPE void scaled(float *restrict to, const float *restrict from, size_t n, float factor)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] * factor + 1;
}

SHAPE void modulo(uint32_t *values, size_t n, uint32_t by)
{
    for (size_t i = 0; i < n; i++)
        values[i] %= by;
}

SHAPE void roots(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = 1 / __builtin_sqrt(values[i]);
}

SHAPE void atomic_increments(uint64_t *counter, size_t n)
{
    for (size_t i = 0; i < n; i++)
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

SHAPE void widened(double *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] * 2.5;
}

/* Stores single bytes and loads them as a word. */
SHAPE uint64_t bytes_then_word(const unsigned char *from, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        volatile unsigned char bytes[8];
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = from[8 * i + (k ^ 3)];
        sum ^= *(volatile uint64_t *)(void *)bytes;
    }
    return sum;
}

/* A variable passes through memory in each iteration, with the same width: no store forwarding
 * stall. */
SHAPE uint64_t through_memory(size_t n)
{
    volatile uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += i * i;
    return sum;
}

SHAPE uint64_t hash_bytes(const unsigned char *from, size_t n)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ from[i]) * 1099511628211U;
    return hash;
}

/* The next address depends on a loaded value, but the value is no address. */
SHAPE uint32_t checksum(const unsigned char *from, size_t n, const uint32_t *table)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = table[(sum ^ from[i]) & 255] ^ sum >> 8;
    return sum;
}

SHAPE double callee(double x)
{
    __asm__ volatile("");
    return x + 1;
}

SHAPE void calling(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = callee(values[i]);
}

SHAPE size_t calling_library(const char *const *words, size_t n, const char *word)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += strcmp(words[i], word) == 0;
    return found;
}

SHAPE uint64_t straight(uint64_t a, uint64_t b)
{
    return a / (b | 1);
}

/* The inner loop differs from the outer one. */
SHAPE void nested(double *sums, const double *values, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++)
            sum += values[i * columns + k];
        sums[i] = sum / (double)columns;
    }
}

/* A table of jumps leads to each case. */
SHAPE uint64_t interpreted(const unsigned char *code, uint64_t x)
{
    for (;; code++) {
        switch (*code) {
        case 0:
            return x;
        case 1:
            x += 3;
            break;
        case 2:
            x *= 5;
            break;
        case 3:
            x ^= x >> 7;
            break;
        case 4:
            x -= 11;
            break;
        case 5:
            x = x << 3 | 1;
            break;
        case 6:
            x /= 3;
            break;
        default:
            x = ~x;
        }
    }
}
