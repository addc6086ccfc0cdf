/* text.h: text to learn from: sentences of a small probabilistic context-free grammar, the same for
 * the same seed on every machine. Lower-case ASCII. Pure functions; thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes n bytes of sentences, one after the other, the last one cut off. A longer text of the same
 * seed begins with a shorter one. */
void kg_text_fill(uint8_t *text, size_t n, uint64_t seed);

/* The entropy of a byte drawn by the text's frequencies, in nats: the loss of a guess that knows
 * only these frequencies, not the preceding bytes. n at least 1. */
double kg_text_unigram_entropy(const uint8_t *text, size_t n);

#ifdef __cplusplus
}
#endif
