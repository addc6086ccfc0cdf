/* Chooses the rows of a result that the check compares with the reference. */
#include <math.h>

#include "attention/attention_reference.h"

/* Limit and costs of a comparison, in additions of a product. A projection has two per term, for
 * value and error. A score has fourteen per column of a head, and an exponential. The limit is a
 * fraction of a second; a check compares twice. */
static const double steps_most = 0x1.8p29;
enum { STEPS_PRODUCT = 2, STEPS_PAIR = 14, STEPS_EXPONENTIAL = 40 };

/* Moves a row to an edge of a tile of queries. `number` selects the tile and one of four places:
 * two, one or no row before the edge, or one behind it. Tiles of 6 and of 16 are met often enough
 * at random. */
static size_t row_beside_edge(size_t number, size_t row, size_t seq_len)
{
    static const size_t tiles[] = {96, 128};
    const size_t tile = tiles[number % 2], i = row % seq_len, behind = number / 2 % 4;
    const size_t moved = (i + tile / 2) / tile * tile + behind, to = moved < 2 ? 0 : moved - 2;
    return row - i + (to < seq_len ? to : seq_len - 1);
}

size_t kg_attention_rows(const struct kg_attention *attention)
{
    const bool projects = attention->part == KG_ATTENTION_QKV_PROJECTION ||
                          attention->part == KG_ATTENTION_OUTPUT_PROJECTION;
    return kg_attention_tokens(attention) * (projects ? 1 : attention->num_heads);
}

void kg_attention_rows_choose(struct kg_random *random, size_t all, size_t tile_rows, size_t count,
                              size_t *rows)
{
    for (size_t r = 0; r < count; r++) {
        const size_t first = all * r / count, end = all * (r + 1) / count;
        rows[r] = first + (size_t)kg_random_below(random, end - first);
        if (tile_rows && count < all && r % 2)
            rows[r] = row_beside_edge(r / 2, rows[r], tile_rows);
    }
    rows[0] = 0;
    rows[count - 1] = all - 1;
}

/* How many of `all` can be had for `steps`, at least `least`. */
static size_t count_for(double steps, double steps_each, size_t least, size_t all)
{
    const double most = all < KG_ATTENTION_ROWS_MOST ? (double)all : KG_ATTENTION_ROWS_MOST;
    const double count = fmax(steps / steps_each, (double)least);
    return (size_t)fmin(count, most);
}

/* Steps per row: for the whole, from X to Y; for a component, of one head. And steps for all keys
 * and values. */
struct steps {
    double row;
    double operands;
};

static struct steps steps_of(const struct kg_attention *attention)
{
    const double d = (double)attention->d_model, n = (double)attention->seq_len;
    const double project = STEPS_PRODUCT * d * d;
    const double pairs = n * (STEPS_PAIR * (double)attention->d_head + STEPS_EXPONENTIAL);
    switch (attention->part) {
    case KG_ATTENTION_WHOLE:
        return (struct steps){2 * project + (double)attention->num_heads * pairs, 2 * project * n};
    case KG_ATTENTION_QKV_PROJECTION:
        return (struct steps){3 * project, 0};
    case KG_ATTENTION_OUTPUT_PROJECTION:
        return (struct steps){project, 0};
    default:
        return (struct steps){pairs, 0};
    }
}

void kg_attention_rows_count(const struct kg_attention *attention, size_t *sequences, size_t *rows)
{
    const struct steps steps = steps_of(attention);
    size_t all = attention->seq_len;
    *sequences = 1;
    if (attention->part == KG_ATTENTION_WHOLE)
        *sequences = count_for(steps_most, steps.operands + (double)all * steps.row,
                               KG_ATTENTION_SEQUENCES, attention->batch);
    else
        all = kg_attention_rows(attention);
    *rows = count_for(steps_most / (double)*sequences - steps.operands, steps.row,
                      KG_ATTENTION_CHECKED, all);
}
