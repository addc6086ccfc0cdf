/* disturbance.h: disturbed rounds: threads waited for a CPU (CPU contention), the host took the CPU
 * (steal time), or the GPU was throttled. The functions decide which rounds count, and how many
 * kgate measures again. Pure functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* Above its case's limit a round is disturbed, above twice the limit it is spoilt. This is the
 * default limit: the change that suites usually ask for. */
extern const double KG_DISTURBANCE_USUAL;

/* Share of the round in which its threads waited for a CPU, or the host had it, 0 to 1. The whole
 * is the time that the threads wanted to run, or the round if that is longer. A share of up to one
 * half becomes 0 if it cannot have reached the median of the samples. That is so if the host took
 * nothing, and waits are fewer than a third of the samples. Two uncertain amounts are left out: 10
 * ms of the host's time, and 100 us per sleep of a thread. A CPU may need that long to leave an
 * idle state. NaN if the wait is unknown. */
double kg_round_disturbance(const struct kg_round *round);

/* Median over the rounds of the share in which the case's threads waited for a CPU, summed over
 * threads. Wakes are left out as above. NaN if unknown for all rounds. */
double kg_scheduler_wait_share(const struct kg_case_result *result);

/* The least possible time of a call in an undisturbed round, in ns: the mean without waits and
 * steal time, or the median if it is less. At least 0; NaN if the wait is unknown. */
double kg_round_least_ns(const struct kg_round *round);

/* Mean time of a call without waits and steal time, in ns. At least 0; NaN if the wait is
 * unknown. */
double kg_round_least_mean_ns(const struct kg_round *round);

/* The most that a call took: the larger of median and mean, in ns. */
double kg_round_most_ns(const struct kg_round *round);

/* Number of a case's rounds to measure again: all disturbed or throttled rounds, but at most half
 * of `wanted`, or one if that is 0. A device may always be throttled, for example at its power
 * limit, and a machine may always be busy. Without the limit kgate would measure such rounds for
 * ever. */
size_t kg_rounds_to_repeat(const struct kg_case_result *result, size_t wanted);

/* Whether round `index` is judged. Throttled rounds are not, unless more than half of all rounds
 * are throttled: then the device works like this here. Disturbed rounds are judged if they belong
 * to the calmest third of all rounds, or to the calmest three. Spoilt rounds never are. */
bool kg_round_judged(const struct kg_case_result *result, size_t index);

/* CPU contention of a case. */
struct kg_disturbance {
    size_t rounds;
    size_t disturbed; /* number of disturbed rounds, spoilt ones included */
    size_t spoilt;    /* number of spoilt rounds */
    size_t judged;
    size_t confirming; /* number of confirming rounds */
    /* number of judged confirming rounds; with confirming rounds, these alone decide */
    size_t confirmed;
    double share; /* mean over the disturbed rounds; NaN: none */
    double limit;
};
struct kg_disturbance kg_disturbance_of(const struct kg_case_result *result);

/* Whether the machine was too busy for a result: some rounds are spoilt, and fewer than three
 * rounds, or fewer than all if a case has fewer, are judged. */
bool kg_disturbance_too_busy(const struct kg_disturbance *found);

/* A sentence for the user if the machine was too busy, or if more than a third of the rounds were
 * disturbed. Else "". Returns `words`. */
enum { KG_DISTURBANCE_WORDS = 384 };
const char *kg_disturbance_words(const struct kg_disturbance *found,
                                 char words[KG_DISTURBANCE_WORDS]);
