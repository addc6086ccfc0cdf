/* level_text.c: the state of a change detector as text, the one type of both databases that takes it. A full window of
 * 128 runs has about 1.5 kB: ids of runs are stored as differences. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "judge/history/history_detector.h"

static void digits_append(struct kg_text *text, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        const char pair[] = {digits[from[i] >> 4], digits[from[i] & 15]};
        kg_text_append_bytes(text, pair, sizeof pair);
    }
}

/* Seven bits per byte, the lowest first. The sign is the lowest bit, so that small differences are short. */
static void difference_append(struct kg_text *text, int64_t difference)
{
    uint64_t rest = (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0);
    do {
        const unsigned char byte = (unsigned char)((rest & 127) | (rest > 127 ? 128 : 0));
        digits_append(text, &byte, 1);
        rest >>= 7;
    } while (rest);
}

void kg_level_text_append(const struct kg_level_row *row, struct kg_text *text)
{
    const struct kg_history_level *level = &row->level;
    digits_append(text, &level->runs, sizeof level->runs);
    digits_append(text, &level->change.since, sizeof level->change.since);
    digits_append(text, &level->change.count, sizeof level->change.count);
    digits_append(text, &level->before, sizeof level->before);
    digits_append(text, &level->within, sizeof level->within);
    digits_append(text, level->change.tail, level->change.count * sizeof *level->change.tail);
    for (uint32_t i = 0; i < level->change.count; i++)
        difference_append(text, row->runs[i] - (i ? row->runs[i - 1] : 0));
    digits_append(text, &row->past_count, sizeof row->past_count);
    digits_append(text, row->past, row->past_count * sizeof *row->past);
    difference_append(text, row->control_run);
    if (row->control_run)
        digits_append(text, &row->control, sizeof row->control);
    digits_append(text, &row->levels.count, sizeof row->levels.count);
    for (size_t i = 0; i < row->levels.count; i++) {
        const struct kg_creep_level *level_kept = &row->levels.levels[i];
        digits_append(text, &level_kept->value, sizeof level_kept->value);
        difference_append(text, level_kept->day);
        difference_append(text, level_kept->run);
    }
}

/* Returns the value of a digit; 16: none. */
static unsigned digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return (unsigned)(digit - '0');
    return digit >= 'a' && digit <= 'f' ? (unsigned)(digit - 'a' + 10) : 16;
}

static bool bytes_read(const char **digits, void *bytes, size_t count)
{
    unsigned char *to = bytes;
    for (size_t i = 0; i < count; i++) {
        const unsigned high = digit_value(**digits);
        const unsigned low = high < 16 ? digit_value((*digits)[1]) : 16;
        if (low == 16)
            return false;
        to[i] = (unsigned char)(high << 4 | low);
        *digits += 2;
    }
    return true;
}

static bool difference_read(const char **digits, int64_t *id)
{
    uint64_t number = 0;
    unsigned char byte = 128;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        if (shift > 63 || !bytes_read(digits, &byte, 1))
            return false;
        number |= (uint64_t)(byte & 127) << shift;
    }
    /* Unsigned, since a damaged text may hold any number. */
    const uint64_t difference = number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
    *id = (int64_t)((uint64_t)*id + difference);
    return true;
}

static bool sum_valid(const struct kg_prior_sum *sum)
{
    return isfinite(sum->squares) && isfinite(sum->trace) && isfinite(sum->trace_square) &&
           sum->squares >= 0 && sum->trace >= 0 && sum->trace_square >= 0;
}

static bool control_valid(const struct kg_control_fit *fit)
{
    return isfinite(fit->nights) && isfinite(fit->last_series) && isfinite(fit->last_control) &&
           isfinite(fit->products) && isfinite(fit->squares) && isfinite(fit->offset);
}

static bool levels_read(const char **digits, struct kg_creep_past *past)
{
    if (!bytes_read(digits, &past->count, sizeof past->count) || past->count > KG_CREEP_LEVELS)
        return false;
    for (size_t i = 0; i < past->count; i++) {
        struct kg_creep_level *level = &past->levels[i];
        int64_t day = 0;
        if (!bytes_read(digits, &level->value, sizeof level->value) || !isfinite(level->value) ||
            !difference_read(digits, &day) || !difference_read(digits, &level->run) ||
            day < INT32_MIN / 2 || day > INT32_MAX / 2)
            return false;
        level->day = (int32_t)day;
    }
    return true;
}

/* The past of the series, the fit of its control, and the kept levels. */
static bool rest_read(const char **digits, struct kg_level_row *row)
{
    if (!bytes_read(digits, &row->past_count, sizeof row->past_count) ||
        row->past_count > KG_NODE_PAST ||
        !bytes_read(digits, row->past, row->past_count * sizeof *row->past) ||
        !difference_read(digits, &row->control_run))
        return false;
    for (size_t i = 0; i < row->past_count; i++)
        if (!isfinite(row->past[i]))
            return false;
    return (!row->control_run || (bytes_read(digits, &row->control, sizeof row->control) &&
                                  control_valid(&row->control))) &&
           levels_read(digits, &row->levels);
}

static bool within_valid(const struct kg_prior_within *within)
{
    const struct kg_log_variances *sums = &within->variances;
    return isfinite(sums->logs) && isfinite(sums->weight) && sums->weight >= 0 &&
           isfinite(sums->weight_square) && sums->weight_square >= 0 && isfinite(sums->squares) &&
           sums->squares >= 0 && isfinite(sums->expected) && sums->expected >= 0 &&
           isfinite(within->explained) && within->explained >= 0;
}

static bool row_read(const char *digits, struct kg_level_row *row)
{
    struct kg_history_level *level = &row->level;
    int64_t id = 0;
    if (!bytes_read(&digits, &level->runs, sizeof level->runs) ||
        !bytes_read(&digits, &level->change.since, sizeof level->change.since) ||
        !bytes_read(&digits, &level->change.count, sizeof level->change.count) ||
        level->change.count > KG_CHANGE_WINDOW ||
        !bytes_read(&digits, &level->before, sizeof level->before) ||
        !bytes_read(&digits, &level->within, sizeof level->within) ||
        !bytes_read(&digits, level->change.tail, level->change.count * sizeof *level->change.tail))
        return false;
    for (uint32_t i = 0; i < level->change.count; i++) {
        if (!difference_read(&digits, &id))
            return false;
        row->runs[i] = id;
    }
    return rest_read(&digits, row) && !*digits && kg_change_state_valid(&level->change) &&
           sum_valid(&level->before) && within_valid(&level->within);
}

bool kg_level_text_read(const char *digits, struct kg_level_row *row)
{
    *row = (struct kg_level_row){0};
    if (row_read(digits, row))
        return true;
    *row = (struct kg_level_row){0};
    return false;
}
