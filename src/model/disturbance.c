#include "model/disturbance.h"

#include <math.h>
#include <stdio.h>

#include "base/statistics/stats.h"

const double KG_DISTURBANCE_USUAL = 0.05;

/* Above this multiple of its limit a round is spoilt. If a tenth of a time is missing, the time is
 * a tenth too long: no threshold of a few per cent is then reliable. */
static const double SPOILT = 2;

/* Time that a CPU may need to leave an idle state. */
static const double WAKE_NS = 100e3;
/* Resolution of /proc/stat. */
static const double TICK_NS = 10e6;
/* If fewer than this share of the samples were hit, their median was not hit. */
static const double HIT_SHARE = 1.0 / 3;
static const double MOSTLY = 0.5;
enum { JUDGED_LEAST = 3 };

/* Whether enough samples may hold a wait that their median does too: each switch is one wait. */
static bool reaches_median(const struct kg_round *round, double stolen_ns)
{
    const double samples = (double)round->calls / (double)round->batch;
    const double waits = (double)(round->involuntary_switches + round->voluntary_switches);
    return stolen_ns > 0 || waits > HIT_SHARE * samples;
}

/* The wait, less the time that CPUs need to leave idle states; NaN if the wait is unknown. */
static double scheduler_wait_ns(const struct kg_round *round)
{
    const double wakes_ns = WAKE_NS * (double)round->voluntary_switches;
    return isnan(round->wait_ns) ? NAN : fmax(0, round->wait_ns - wakes_ns);
}

double kg_scheduler_wait_share(const struct kg_case_result *result)
{
    enum { ROUNDS_MOST = 1024 };
    double shares[ROUNDS_MOST];
    size_t known = 0;
    for (size_t i = 0; i < result->round_count && known < ROUNDS_MOST; i++) {
        const double share = scheduler_wait_ns(&result->rounds[i]) / result->rounds[i].wall_ns;
        if (isfinite(share))
            shares[known++] = share;
    }
    kg_sort(shares, known);
    return known ? kg_median_sorted(shares, known) : NAN;
}

double kg_round_disturbance(const struct kg_round *round)
{
    const double stolen_ns = fmax(0, round->stolen_ns - TICK_NS); /* 0 if unknown */
    const double lost_ns = scheduler_wait_ns(round) + stolen_ns;
    const double ran_ns = round->cpu_ns * (double)round->calls;
    if (isnan(round->wait_ns) || !(round->wall_ns > 0) || !round->batch)
        return NAN;
    const double share = lost_ns / fmax(round->wall_ns, ran_ns + lost_ns);
    return share > MOSTLY || reaches_median(round, stolen_ns) ? share : 0;
}

/* Time of a call without all lost time; below 0 if several threads waited at once. */
static double undisturbed_ns(const struct kg_round *round)
{
    const double lost_ns = round->wait_ns + (round->stolen_ns > 0 ? round->stolen_ns : 0);
    return (round->wall_ns - lost_ns) / (double)round->calls;
}

double kg_round_least_ns(const struct kg_round *round)
{
    const double ran = undisturbed_ns(round);
    return isnan(ran) ? NAN : fmax(0, fmin(round->median_ns, ran));
}

double kg_round_least_mean_ns(const struct kg_round *round)
{
    const double ran = undisturbed_ns(round);
    return isnan(ran) ? NAN : fmax(0, fmin(round->mean_ns, ran));
}

double kg_round_most_ns(const struct kg_round *round)
{
    return fmax(round->median_ns, round->mean_ns);
}

static double limit_of(const struct kg_case_result *result)
{
    return result->disturbance_limit > 0 ? result->disturbance_limit : KG_DISTURBANCE_USUAL;
}

static bool is_disturbed(const struct kg_case_result *result, size_t index)
{
    return result->rounds[index].disturbance > limit_of(result);
}

static bool is_spoilt(const struct kg_case_result *result, size_t index)
{
    return result->rounds[index].disturbance > SPOILT * limit_of(result);
}

size_t kg_rounds_to_repeat(const struct kg_case_result *result, size_t wanted)
{
    const size_t most = wanted > 1 ? wanted / 2 : 1;
    size_t bad = 0;
    for (size_t i = 0; i < result->round_count; i++)
        bad += result->rounds[i].throttled || is_disturbed(result, i);
    return bad < most ? bad : most;
}

static bool keep_throttled(const struct kg_case_result *result)
{
    size_t throttled = 0;
    for (size_t i = 0; i < result->round_count; i++)
        throttled += result->rounds[i].throttled;
    return 2 * throttled > result->round_count;
}

/* Whether the round is among the calmest third of the rounds, or among the calmest three. */
static bool is_calm(const struct kg_case_result *result, size_t index)
{
    size_t calmer = 0;
    for (size_t i = 0; i < result->round_count; i++)
        calmer += !(result->rounds[i].disturbance >= result->rounds[index].disturbance);
    return calmer < JUDGED_LEAST || 3 * calmer < result->round_count;
}

bool kg_round_judged(const struct kg_case_result *result, size_t index)
{
    if (is_spoilt(result, index) || (result->rounds[index].throttled && !keep_throttled(result)))
        return false;
    return !is_disturbed(result, index) || is_calm(result, index);
}

struct kg_disturbance kg_disturbance_of(const struct kg_case_result *result)
{
    struct kg_disturbance found = {.rounds = result->round_count, .limit = limit_of(result)};
    double sum = 0;
    for (size_t i = 0; i < result->round_count; i++) {
        const bool judged = kg_round_judged(result, i);
        found.judged += judged;
        found.confirming += result->rounds[i].confirms;
        found.confirmed += judged && result->rounds[i].confirms;
        found.spoilt += is_spoilt(result, i);
        found.disturbed += is_disturbed(result, i);
        sum += is_disturbed(result, i) ? result->rounds[i].disturbance : 0;
    }
    found.share = sum / (double)found.disturbed;
    return found;
}

bool kg_disturbance_too_busy(const struct kg_disturbance *found)
{
    const size_t least = found->rounds < JUDGED_LEAST ? found->rounds : JUDGED_LEAST;
    return found->spoilt && found->judged < least;
}

/* Names the rounds that still decide. */
enum { JUDGED_WORDS = 96 };
static void judged_words(const struct kg_disturbance *found, char words[JUDGED_WORDS])
{
    if (!found->confirming)
        snprintf(words, JUDGED_WORDS, "kgate judges only the %zu that waited least", found->judged);
    else if (!found->confirmed)
        snprintf(words, JUDGED_WORDS, "none of the %zu confirming rounds counts",
                 found->confirming);
    else
        snprintf(words, JUDGED_WORDS, "%zu of the %zu confirming rounds %s", found->confirmed,
                 found->confirming, found->confirmed == 1 ? "counts" : "count");
}

const char *kg_disturbance_words(const struct kg_disturbance *found,
                                 char words[KG_DISTURBANCE_WORDS])
{
    char judged[JUDGED_WORDS];
    words[0] = '\0';
    judged_words(found, judged);
    if (kg_disturbance_too_busy(found))
        snprintf(
            words, KG_DISTURBANCE_WORDS,
            "the machine is too busy: %zu of %zu rounds waited for a CPU for %.0f %% of their "
            "time on average (limit %.0f %%). Too few rounds are left to judge. `kgate doctor` "
            "names the running programs. On a busy machine `--set metrics=instructions` still "
            "decides, and `--set disturbance=100%%` judges every round",
            found->disturbed, found->rounds, 100 * found->share, 100 * SPOILT * found->limit);
    else if (3 * found->disturbed > found->rounds)
        snprintf(words, KG_DISTURBANCE_WORDS,
                 "%zu of %zu rounds waited for a CPU for more than %.3g %% of their time (%.0f %% "
                 "on average): %s. Measure again when the machine is idle",
                 found->disturbed, found->rounds, 100 * found->limit, 100 * found->share, judged);
    return words;
}
