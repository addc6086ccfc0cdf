/* history_audit.h: how far the alarms of a history and of the gate can be trusted, from the history itself. Pure
 * functions; no input or output. */
#pragma once
#include "base/statistics/stats.h"
#include "judge/history/history.h"

/* One series, as a gate with a few rounds sees it. */
struct kg_audited_case {
    const char *id_of_case, *metric;
    size_t runs;
    double
        between;   /* standard deviation of the log value between runs at one level; NaN: unknown */
    double within; /* the same between the rounds of a run; NaN: unknown */
    double
        visible; /* smallest change that a gate detects in nine of ten trials, a share; NaN: unknown */
};

/* The series of one suite on one machine. */
struct kg_history_audit {
    const char *suite, *machine, *host;
    size_t series;    /* number of series: the tests of a gate */
    size_t same;      /* number of points that repeat the code of the point before */
    size_t alarms;    /* steps found at those points: false alarms of the detector */
    size_t blamed;    /* false alarms that the history does not attribute to the machine */
    double nominal;   /* share of points with an alarm that the detector allows */
    double low, high; /* 95 % interval of alarms / same; NaN: no points */
    /* Steps with cause code or unknown, not refuted. Steps of one direction whose ranges overlap count once: one commit
     * moves many cases. */
    size_t regressions;
    size_t improvements;
    double
        sign_p; /* probability of a difference at least as large if both are equally likely; NaN: no steps */
    /* Changes of these series that paired rounds measured, and their seconds. */
    size_t confirmed, refuted, undecided;
    double seconds;
    double alpha;                  /* rate of false alarms of the suite, for `visible` */
    size_t rounds;                 /* number of rounds on either side, for `visible` */
    struct kg_audited_case *cases; /* the largest `visible` first */
    size_t case_count, case_capacity;
};
extern const struct kg_record kg_history_audit_record;

/* Audits the series of the history: one row of `audits` per suite and machine. Control runs are replayed through the
 * detector, because their alarms are false ones.
 * history  from kg_history_show: all cases, with changes
 * alpha    rate of false alarms of a whole suite, 0 to 1
 * rounds   at least 2 */
void kg_history_audit(struct kg_history *history, double alpha, size_t rounds);

/* 95 % interval of the share `count` of `all` (Wilson 1927). NaN if `all` is 0. */
struct kg_interval kg_share_interval(size_t count, size_t all);
/* Two-sided p of the sign test; NaN if both are 0. */
double kg_sign_test(size_t ups, size_t downs);
