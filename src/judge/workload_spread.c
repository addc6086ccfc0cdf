#include "judge/compare_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Limits: counted workloads, printed workloads, bytes of a name. */
enum { SEEN_MOST = 64, NAMED_MOST = 3, NAME_MOST = 60 };

struct share {
    const char *workload;
    size_t changed;
    size_t all;
    size_t order;
};

static int share_compare(const void *one, const void *other)
{
    const struct share *a = one, *b = other;
    if (a->changed != b->changed)
        return a->changed > b->changed ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static struct share *share_find(struct share *shares, size_t count, const char *workload)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(shares[i].workload, workload))
            return &shares[i];
    return NULL;
}

static bool has_changed(const struct kg_case_change *change, enum kg_change kind)
{
    return change->change == kind && change->waived == KG_WAIVER_NONE;
}

/* Fills the workloads with such a change, sorted by their number of changed cases. Returns their number. */
static size_t shares_fill(const struct kg_comparison *comparison, enum kg_change kind,
                          struct share *shares)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        if (has_changed(change, kind) && count < SEEN_MOST &&
            !share_find(shares, count, change->workload)) {
            shares[count] = (struct share){.workload = change->workload, .order = count};
            count++;
        }
    }
    for (size_t i = 0; i < comparison->case_count; i++) {
        const struct kg_case_change *change = &comparison->cases[i];
        struct share *share = share_find(shares, count, change->workload);
        if (share) {
            share->all++;
            share->changed += has_changed(change, kind);
        }
    }
    if (count)
        qsort(shares, count, sizeof *shares, share_compare);
    return count;
}

const char *kg_spread_words(struct kg_comparison *comparison, enum kg_change change)
{
    struct share shares[SEEN_MOST];
    struct kg_text text = {0};
    const size_t count = shares_fill(comparison, change, shares);
    for (size_t i = 0; count && shares[0].changed > 1 && i < count && i < NAMED_MOST; i++) {
        const struct share *share = &shares[i];
        kg_text_append(&text, i ? ", " : "");
        kg_text_printf(&text, "%.*s: %zu of %zu%s", (int)NAME_MOST, share->workload, share->changed,
                       share->all, i ? "" : " cases");
    }
    if (text.length && count > NAMED_MOST)
        kg_text_append(&text, ", …");
    const char *words = kg_arena_copy(&comparison->arena, kg_text_string(&text));
    kg_text_free(&text);
    return words;
}
