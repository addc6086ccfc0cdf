#include "transformer/text.h"

#include <math.h>
#include <stdbool.h>

#include "base/random.h"

/* A capital letter is a symbol, everything else stands for itself. A symbol's first rule leads back
 * to no symbol that it came from: taken from some depth on, it ends every sentence. */
struct rule {
    char symbol;
    unsigned weight;
    const char *expansion;
};

static const struct rule rules[] = {
    {'S', 6, "C. "},        {'S', 2, "C, and C. "}, {'S', 1, "if C, then C. "},
    {'C', 6, "N T N"},      {'C', 4, "N I"},        {'C', 2, "P says that C"},
    {'C', 1, "P thinks C"}, {'N', 6, "the O"},      {'N', 3, "the A O"},
    {'N', 2, "a O"},        {'N', 2, "P"},          {'N', 1, "the O that I"},
    {'N', 1, "the O of N"}, {'O', 4, "kernel"},     {'O', 3, "cache"},
    {'O', 3, "thread"},     {'O', 2, "queue"},      {'O', 2, "stream"},
    {'O', 2, "vector"},     {'O', 1, "lattice"},    {'O', 1, "matrix"},
    {'A', 3, "fast"},       {'A', 3, "slow"},       {'A', 2, "small"},
    {'A', 1, "very A"},     {'A', 1, "cold"},       {'I', 3, "waits"},
    {'I', 2, "runs"},       {'I', 2, "sleeps"},     {'I', 1, "runs and I"},
    {'T', 3, "reads"},      {'T', 3, "feeds"},      {'T', 2, "follows"},
    {'T', 1, "stops"},      {'P', 2, "ada"},        {'P', 2, "grace"},
    {'P', 1, "alan"},
};
enum { RULES = sizeof rules / sizeof *rules };

/* Deeper than sentences hardly ever nest. */
enum { DEPTH_MOST = 32, DEPTH_PLAIN = DEPTH_MOST - 8 };

static const char *rule_choose(struct kg_random *random, char symbol, bool first_only)
{
    size_t begin = 0, end = 0;
    unsigned total = 0;
    while (begin < RULES && rules[begin].symbol != symbol)
        begin++;
    for (end = begin; end < RULES && rules[end].symbol == symbol; end++)
        total += rules[end].weight;
    if (first_only)
        return rules[begin].expansion;
    uint64_t left = kg_random_below(random, total);
    while (left >= rules[begin].weight)
        left -= rules[begin++].weight;
    return rules[begin].expansion;
}

void kg_text_fill(uint8_t *text, size_t n, uint64_t seed)
{
    struct kg_random random = {seed};
    const char *rest[DEPTH_MOST]; /* of the current expansions, innermost last */
    size_t depth = 0, at = 0;
    while (at < n) {
        if (depth == 0) {
            rest[depth++] = "S";
        } else if (*rest[depth - 1] == '\0') {
            depth--;
        } else {
            const char next = *rest[depth - 1]++;
            if (next < 'A' || next > 'Z') {
                text[at++] = (uint8_t)next;
            } else {
                rest[depth] = rule_choose(&random, next, depth >= DEPTH_PLAIN);
                depth++;
            }
        }
    }
}

double kg_text_unigram_entropy(const uint8_t *text, size_t n)
{
    size_t count[256] = {0};
    double entropy = 0;
    for (size_t i = 0; i < n; i++)
        count[text[i]]++;
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        if (count[i] > 0) {
            const double share = (double)count[i] / (double)n;
            entropy -= share * log(share);
        }
    return entropy;
}
