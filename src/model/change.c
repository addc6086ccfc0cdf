#include "model/change.h"

#include <string.h>

const struct kg_change_row kg_changes[KG_CHANGE_COUNT] = {
#define KG_CHANGE(constant, count, later, rank, sign, word, tone, waivable, symbol, done, exit,    \
                  passes, listed, ink, point, meaning)                                             \
    {rank,           word,   KG_TONE_##tone, waivable, symbol, done,                               \
     KG_EXIT_##exit, passes, listed,         ink,      point},
#include "model/changes.def"
};

const struct kg_verdict_row kg_verdicts[KG_VERDICT_COUNT] = {
#define KG_VERDICT(constant, sign, tone, symbol) {KG_TONE_##tone, symbol},
#include "model/changes.def"
};

bool kg_change_is_shard(const struct kg_case_change *change)
{
    return change->change == KG_CHANGE_MISSING && !strchr(change->id, '/');
}

enum kg_change kg_change_ranked(int rank)
{
    int change = 0;
    while (change < KG_CHANGE_COUNT - 1 && kg_changes[change].rank != rank)
        change++;
    return (enum kg_change)change;
}
