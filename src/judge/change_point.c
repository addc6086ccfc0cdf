/* change_point.c: the largest |t| over all splits, against a simulated threshold. A test of one
 * given split would be far too lenient: the largest of a hundred statistics is large by chance. */
#include "judge/change_point.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/statistics/stats.h"

/* Least step, in either direction. */
static const double STEP_LEAST = 0.02;
/* Least variance of logs: clocks and counters repeat no better than a part in 10^4. */
static const double VARIANCE_LEAST = 1e-8;

/* Thresholds for 9, 10 … 127 runs since the last change, and for a full window. Each is exceeded
 * with probability 0.1 % by independent normal values if no threshold before it was. The rules of the newest runs make
 * alarms rarer still. Printed by
 * tests/studies/history/thresholds.c. */
static const double thresholds[KG_CHANGE_WINDOW - KG_CHANGE_RUNS_LEAST] = {
#include "judge/change_thresholds.def"
};

/* Neighbouring nights resemble each other. A correlation of 0.2 makes |t| sqrt(1.2 / 0.8) times as large. */
static const double INFLATION = 1.2;

/* The split after the first `older` of the runs. */
struct split {
    uint32_t older;
    double step;    /* newer mean minus older mean */
    double between; /* part of the sum of squares that the step explains */
};

/* Sums over the runs, relative to the first one: the digits go to the differences. */
struct sums {
    double total;
    double squares; /* about the mean */
};

static struct sums sums_of(const struct kg_change_state *state)
{
    struct sums sums = {0, 0};
    double squares = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const double x = (double)state->tail[i] - (double)state->tail[0];
        sums.total += x;
        squares += x * x;
    }
    sums.squares = fmax(0, squares - sums.total * sums.total / state->count);
    return sums;
}

static struct split split_at(double total, double older_sum, uint32_t older, uint32_t count)
{
    const double newer = count - older;
    const double step = (total - older_sum) / newer - older_sum / older;
    return (struct split){older, step, step * step * older * newer / count};
}

/* Fills the splits. Returns the best one of those with enough runs at the old level: one run that the last change left
 * behind would hide any smaller step. */
static struct split splits_find(const struct kg_change_state *state, double total,
                                struct split *splits)
{
    double older_sum = 0;
    struct split best = {0};
    for (uint32_t i = 1; i < state->count; i++) {
        older_sum += (double)state->tail[i - 1] - (double)state->tail[0];
        splits[i] = split_at(total, older_sum, i, state->count);
        if (i >= KG_CHANGE_LEVEL_LEAST && splits[i].between > best.between)
            best = splits[i];
    }
    return best;
}

/* Splits that the data do not reject, by the ratio of likelihoods. 7.35 is the 95 % point of its
 * limit distribution (Hansen 2000, table 1). */
static void range_find(const struct kg_change_state *state, const struct split *splits,
                       double squares, double rest, struct kg_change_alarm *alarm)
{
    static const double POINT = 7.35;
    const uint32_t count = state->count;
    const double most = rest * exp(POINT / count);
    alarm->newer_least = alarm->newer_most = alarm->newer;
    for (uint32_t i = KG_CHANGE_LEVEL_LEAST; i < count; i++) {
        if (squares - splits[i].between > most)
            continue;
        if (count - i > alarm->newer_most)
            alarm->newer_most = count - i;
        if (count - i < alarm->newer_least)
            alarm->newer_least = count - i;
    }
}

bool kg_change_state_valid(const struct kg_change_state *state)
{
    if (state->count > KG_CHANGE_WINDOW || state->count > state->since)
        return false;
    for (uint32_t i = 0; i < state->count; i++)
        if (!isfinite(state->tail[i]))
            return false;
    return state->count == state->since || state->count == KG_CHANGE_WINDOW;
}

static void push(struct kg_change_state *state, double log_location)
{
    if (state->count == KG_CHANGE_WINDOW) {
        state->count--;
        memmove(state->tail, state->tail + 1, state->count * sizeof *state->tail);
    }
    state->tail[state->count++] = (float)log_location;
    state->since++;
}

static void keep_newest(struct kg_change_state *state, uint32_t count)
{
    memmove(state->tail, state->tail + (state->count - count), count * sizeof *state->tail);
    state->count = count;
    state->since = count;
}

/* Whether the newest two runs lie on the new level's side of the middle between the levels. Otherwise one or two bad
 * nights that are over would pass for a level of three runs. */
static bool newest_agree(const struct kg_change_state *state, double total,
                         const struct split *split)
{
    const double newer = state->count - split->older;
    /* total / count is newer / count of the step above the old level */
    const double old =
        (double)state->tail[0] + total / state->count - split->step * newer / state->count;
    for (uint32_t i = 1; i <= 2; i++)
        if (((double)state->tail[state->count - i] - old) / split->step < 0.5)
            return false;
    return true;
}

bool kg_change_append(struct kg_change_state *state, double log_location,
                      struct kg_change_alarm *alarm)
{
    struct split splits[KG_CHANGE_WINDOW];
    if (!isfinite((float)log_location))
        return false;
    push(state, log_location);
    const uint32_t count = state->count;
    if (count <= KG_CHANGE_RUNS_LEAST)
        return false;
    const struct sums sums = sums_of(state);
    const struct split best = splits_find(state, sums.total, splits);
    /* A bad night, or a step that is too young. An alarm now would name a split that is too early. */
    if (count - best.older < KG_CHANGE_LEVEL_LEAST)
        return false;
    const double freedom = count - 2;
    const double rest = fmax(sums.squares - best.between, freedom * VARIANCE_LEAST);
    const double statistic = sqrt(best.between * freedom / rest);
    const double threshold = INFLATION * thresholds[count - KG_CHANGE_RUNS_LEAST - 1];
    if (!(statistic > threshold) || fabs(best.step) < log1p(STEP_LEAST) ||
        !newest_agree(state, sums.total, &best))
        return false;
    const double doubt = kg_student_point(0.025, freedom) * fabs(best.step) / statistic;
    *alarm = (struct kg_change_alarm){.newer = count - best.older,
                                      .step = best.step,
                                      .step_low = best.step - doubt,
                                      .step_high = best.step + doubt,
                                      .statistic = statistic,
                                      .threshold = threshold};
    range_find(state, splits, sums.squares, rest, alarm);
    keep_newest(state, alarm->newer);
    return true;
}
