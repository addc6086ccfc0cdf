/* change.h: the properties of each kind of change and of each verdict: the rows of changes.def.
 * Constant data, thread-safe. */
#pragma once
#include "model/comparison.h"

/* The colours of the page have these names too: style/colours.css. */
enum kg_tone {
    KG_TONE_FAILED,
    KG_TONE_WORSE,
    KG_TONE_DOUBT,
    KG_TONE_BETTER,
    KG_TONE_SAME,
    KG_TONE_OTHER,
    KG_TONE_COUNT
};

/* Members: see changes.def. */
struct kg_change_row {
    int rank;
    const char *word;
    enum kg_tone tone;
    bool waivable;
    const char *symbol, *done;
    enum kg_exit exit;
    bool passes, listed;
    const char *ink;
    int point;
};
extern const struct kg_change_row kg_changes[KG_CHANGE_COUNT];

struct kg_verdict_row {
    enum kg_tone tone;
    const char *symbol;
};
extern const struct kg_verdict_row kg_verdicts[KG_VERDICT_COUNT];

/* Whether the case stands for a whole shard, whose cases are unknown. Its id is "shard 2 of 3". */
bool kg_change_is_shard(const struct kg_case_change *change);

/* The change of a rank, below KG_CHANGE_COUNT. */
enum kg_change kg_change_ranked(int rank);
