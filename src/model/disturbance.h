/* disturbance.h: rounds that something disturbed: threads that waited for a CPU, a host that took
 * it away, a GPU that was held back. Which of them count, and how many are measured again. Pure
 * functions; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "model/results.h"

/* A round above its case's limit is disturbed, one above twice the limit is spoilt. This one holds
 * where a case has none: the change that suites usually ask for. */
extern const double KG_DISTURBANCE_USUAL;

/* Share of the round in which its threads waited for a CPU, or the host had it, 0 to 1: of the time
 * that they wanted to run, or of the round where that is longer. 0 where that cannot have reached
 * the median of the samples, because there were fewer waits than a third of the samples, unless it
 * is more than half. Left out are 100 us for each time that a thread slept, as a CPU needs time to
 * leave an idle state, and 10 ms of what the host took, which are not known for sure. NaN where the
 * wait is not known. */
double kg_round_disturbance(const struct kg_round *round);

/* Share of its rounds in which the case's threads waited for a CPU, summed over them, their median;
 * without the wakes that are left out above. NaN where it is not known of any round. */
double kg_scheduler_wait_share(const struct kg_case_result *result);

/* The least time of a call that the round allows if nothing had disturbed it, in ns: the mean
 * without everything that its threads waited and the host took, or the median if that is less. At
 * least 0; NaN if the wait is not known. */
double kg_round_least_ns(const struct kg_round *round);

/* Mean time of a call without all that the threads waited and the host took, in ns. At least 0; NaN if the
 * wait is not known. */
double kg_round_least_mean_ns(const struct kg_round *round);

/* The most that a call took: the median or the mean, in ns. */
double kg_round_most_ns(const struct kg_round *round);

/* How many of a case's rounds are to be measured again because they were disturbed, or the device
 * was held back: all such, but no more than half of `wanted`, at least one. A device that is always
 * held back, as one at its power limit is, and a machine that is always busy, must not be measured
 * for ever. */
size_t kg_rounds_to_repeat(const struct kg_case_result *result, size_t wanted);

/* Whether round `index` is judged. Throttled rounds are not, but where more than half of all are
 * such: that is how the device works here. Of disturbed ones those are judged that belong to the
 * calmest third of all rounds, or the calmest three; spoilt ones never are. */
bool kg_round_judged(const struct kg_case_result *result, size_t index);

/* How much others had the CPUs of a case. */
struct kg_disturbance {
    size_t rounds;
    size_t disturbed; /* of them */
    size_t spoilt;    /* of those */
    size_t judged;
    size_t confirming; /* of the rounds */
    size_t confirmed;  /* of these judged: where there are any, they alone decide */
    double share;      /* mean over the disturbed ones; NaN without any */
    double limit;
};
struct kg_disturbance kg_disturbance_of(const struct kg_case_result *result);

/* Whether the machine was too busy for a result: fewer than three rounds are judged, or not all of
 * fewer, because others are spoilt. */
bool kg_disturbance_too_busy(const struct kg_disturbance *found);

/* In a sentence for people: where the machine was too busy, or where more rounds were disturbed than
 * others were measured for. "" where there is nothing to say. Returns `words`. */
enum { KG_DISTURBANCE_WORDS = 384 };
const char *kg_disturbance_words(const struct kg_disturbance *found,
                                 char words[KG_DISTURBANCE_WORDS]);
