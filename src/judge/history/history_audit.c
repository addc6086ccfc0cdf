/* history_audit.c: false alarms at unchanged code, code steps up and down, and the smallest change that a gate detects.
 * A process of false alarms shows itself: it alarms where nothing changed, and it finds no improvements. */
#include "judge/history/history_audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/prior.h"
#include "judge/step_cause.h"
#include "model/metric_table.h"

/* change_point.h */
static const double NOMINAL = 0.001;
/* A gate misses a change of the size `visible` once in ten trials. */
static const double MISSED = 0.1;
enum { RUNS_LEAST = 10 };

/* --- Statistics ------------------------------------------------------------------------------- */

struct kg_interval kg_share_interval(size_t count, size_t all)
{
    static const double Z = 1.959964;
    const double n = (double)all, share = (double)count / n;
    if (!all)
        return (struct kg_interval){NAN, NAN};
    const double middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n);
    const double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n);
    return (struct kg_interval){fmax(0, middle - half), fmin(1, middle + half)};
}

double kg_sign_test(size_t ups, size_t downs)
{
    const size_t n = ups + downs, fewer = ups < downs ? ups : downs;
    double sum = 0, log_term = -(double)n * log(2);
    if (!n)
        return NAN;
    for (size_t i = 0; i <= fewer; i++) {
        sum += exp(log_term);
        log_term += log((double)(n - i)) - log((double)(i + 1));
    }
    return fmin(1, 2 * sum);
}

/* --- False alarms ----------------------------------------------------------------------------- */

static bool same_code(const struct kg_history_point *a, const struct kg_history_point *b)
{
    return a->code && b->code && !strcmp(a->code, b->code);
}

/* The detector takes runs of these kinds. */
static bool is_branch(const struct kg_history *history, const struct kg_history_point *point)
{
    const enum kg_history_kind kind = history->runs[point->run].kind;
    return kind == KG_HISTORY_COMMIT || kind == KG_HISTORY_NIGHTLY;
}

static bool is_control(const struct kg_history *history, const struct kg_history_point *point)
{
    return history->runs[point->run].kind == KG_HISTORY_CONTROL;
}

/* Appends a point to the detector of its series.
 * tested   whether the detector had enough runs for a test
 * returns  whether it found a step */
static bool append(const struct kg_history_point *point, struct kg_history_level *level,
                   bool *tested)
{
    struct kg_change_alarm alarm;
    const double relative = point->deviation / point->value;
    const struct kg_variance within = {relative * relative, isfinite(relative) && point->rounds > 1
                                                                ? (double)(point->rounds - 1)
                                                                : 0};
    *tested = point->value > 0 && level->change.count >= KG_CHANGE_RUNS_LEAST;
    return point->value > 0 && kg_history_append(level, log(point->value), within, &alarm);
}

/* Counts the tests at unchanged code. The points of the branch leave their variances in `level`. */
static void points_replay(const struct kg_history *history, const struct kg_history_series *series,
                          struct kg_history_audit *audit, struct kg_history_level *level)
{
    const struct kg_history_point *last = NULL;
    struct kg_history_level control = {0};
    bool tested;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct kg_history_point *point = &series->points[i];
        if (is_control(history, point)) {
            audit->alarms += append(point, &control, &tested);
            audit->same += tested;
        }
        if (!is_branch(history, point))
            continue;
        append(point, level, &tested);
        audit->same += tested && last && same_code(last, point);
        last = point;
    }
}

/* Whether all points around the change have the same code. */
static bool is_unchanged(const struct kg_history_series *series, const struct kg_trend_mark *mark)
{
    const size_t first = mark->before > KG_STEP_BESIDE ? mark->before - KG_STEP_BESIDE : 0;
    const size_t last = mark->after + KG_STEP_BESIDE;
    for (size_t i = first + 1; i <= last && i < series->point_count; i++)
        if (!same_code(&series->points[i - 1], &series->points[i]))
            return false;
    return mark->after > mark->before;
}

/* --- Changes ---------------------------------------------------------------------------------- */

static bool is_blamed(const struct kg_history_change *change)
{
    return (!strcmp(change->cause, kg_step_cause_name(KG_STEP_CODE)) ||
            !strcmp(change->cause, kg_step_cause_name(KG_STEP_UNKNOWN))) &&
           strcmp(change->state, "refuted") != 0;
}

/* The times between which a step of the code lies. */
struct step {
    const char *began, *ended;
    bool up;
};

struct steps {
    struct step *rows;
    size_t count, capacity;
};

/* Less is better for every metric of kgate. The direction of a workload's own metric is unknown. */
static void changes_count(struct kg_history *history, const struct kg_history_series *series,
                          struct kg_history_audit *audit, struct steps *steps)
{
    const bool known = kg_metric_kind_find(series->metric) != KG_METRIC_KINDS;
    for (size_t i = 0; i < series->mark_count; i++) {
        const struct kg_trend_mark *mark = &series->marks[i];
        const struct kg_history_change *change = &history->changes[mark->change];
        const bool blamed = is_blamed(change);
        if (strcmp(change->kind, kg_change_kind_names[0]) != 0 ||
            is_control(history, &series->points[mark->after]))
            continue; /* points_replay has the steps of control runs */
        if (is_unchanged(series, mark)) {
            audit->alarms++;
            audit->blamed += blamed;
        }
        if (!blamed || !known)
            continue;
        kg_arena_grow(&history->arena, &steps->rows, steps->count, &steps->capacity,
                      sizeof *steps->rows);
        steps->rows[steps->count++] = (struct step){
            history->runs[series->points[mark->before].run].started,
            history->runs[series->points[mark->after].run].started, change->ratio > 1};
    }
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return strcmp(x->ended, y->ended);
}

/* Number of steps of one direction that overlap no earlier one.
 * steps  sorted by their ends */
static size_t events_count(const struct steps *steps, bool up)
{
    const char *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->rows[i].up != up || (last && strcmp(steps->rows[i].began, last) < 0))
            continue;
        last = steps->rows[i].ended;
        count++;
    }
    return count;
}

/* Adds what paired rounds made of a change. */
static void confirmation_count(const struct kg_history_change *change,
                               struct kg_history_audit *audit)
{
    if (!(change->seconds > 0))
        return;
    audit->seconds += change->seconds;
    audit->confirmed += !strcmp(change->state, "confirmed");
    audit->refuted += !strcmp(change->state, "refuted");
    audit->undecided += !strcmp(change->state, "suspected");
}

/* --- Smallest visible change ------------------------------------------------------------------ */

/* Variance of the location of a run with `rounds` rounds. The history has the variance of runs with other numbers. */
static struct kg_variance variance_of(const struct kg_history_level *level, size_t rounds)
{
    struct kg_variance run = kg_prior_location(level);
    const struct kg_variance within = kg_prior_within(level);
    if (within.freedom > 0)
        run.value = kg_prior_between(level).value + within.value / (double)rounds;
    return run;
}

/* Bonferroni's correction for the series of the audit, as for the first step of the gate's. */
static double visible_change(struct kg_variance run, const struct kg_history_audit *audit)
{
    const double tail = audit->alpha / (2 * (double)audit->series);
    const double points =
        kg_student_point(tail, run.freedom) + kg_student_point(MISSED, run.freedom);
    return expm1(points * sqrt(2 * run.value));
}

static void case_add(struct kg_history *history, const struct kg_history_series *series,
                     const struct kg_history_level *level, struct kg_history_audit *audit)
{
    static const double FREEDOM_LEAST = 4;
    const struct kg_variance run = variance_of(level, audit->rounds);
    if (series->point_count < RUNS_LEAST || !(run.freedom >= FREEDOM_LEAST))
        return;
    kg_arena_grow(&history->arena, &audit->cases, audit->case_count, &audit->case_capacity,
                  sizeof *audit->cases);
    audit->cases[audit->case_count++] =
        (struct kg_audited_case){.id_of_case = series->id_of_case,
                                 .metric = series->metric,
                                 .runs = series->point_count,
                                 .between = sqrt(kg_prior_location(level).value),
                                 .within = sqrt(kg_prior_within(level).value),
                                 .visible = visible_change(run, audit)};
}

static int compare_cases(const void *a, const void *b)
{
    const struct kg_audited_case *x = a, *y = b;
    if (x->visible != y->visible)
        return x->visible > y->visible ? -1 : 1;
    const int by_case = strcmp(x->id_of_case, y->id_of_case);
    return by_case ? by_case : strcmp(x->metric, y->metric);
}

/* --- Audits ----------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static struct kg_history_audit *audit_find(struct kg_history *history, const char *suite,
                                           const char *machine, const char *host)
{
    for (size_t i = 0; i < history->audit_count; i++) {
        struct kg_history_audit *audit = &history->audits[i];
        if (same_text(audit->suite, suite) && same_text(audit->machine, machine) &&
            same_text(audit->host, host))
            return audit;
    }
    return NULL;
}

static struct kg_history_audit *audit_of(struct kg_history *history,
                                         const struct kg_history_series *series)
{
    struct kg_history_audit *found =
        audit_find(history, series->suite, series->machine, series->host);
    if (found)
        return found;
    kg_arena_grow(&history->arena, &history->audits, history->audit_count, &history->audit_capacity,
                  sizeof *history->audits);
    struct kg_history_audit *audit = &history->audits[history->audit_count++];
    *audit = (struct kg_history_audit){
        .suite = series->suite, .machine = series->machine, .host = series->host};
    return audit;
}

static void audit_end(struct kg_history_audit *audit, struct steps *steps)
{
    if (steps->count)
        qsort(steps->rows, steps->count, sizeof *steps->rows, compare_steps);
    audit->regressions = events_count(steps, true);
    audit->improvements = events_count(steps, false);
    const struct kg_interval share = kg_share_interval(audit->alarms, audit->same);
    audit->nominal = NOMINAL;
    audit->low = share.low;
    audit->high = share.high;
    audit->sign_p = kg_sign_test(audit->regressions, audit->improvements);
    if (audit->case_count)
        qsort(audit->cases, audit->case_count, sizeof *audit->cases, compare_cases);
}

void kg_history_audit(struct kg_history *history, double alpha, size_t rounds)
{
    history->content = KG_HISTORY_AUDITS;
    for (size_t i = 0; i < history->series_count; i++)
        audit_of(history, &history->series[i])->series++;
    struct steps *steps = kg_arena_alloc(&history->arena, history->audit_count, sizeof *steps);
    for (size_t i = 0; i < history->series_count; i++) {
        const struct kg_history_series *series = &history->series[i];
        struct kg_history_audit *audit = audit_of(history, series);
        struct kg_history_level level = {0};
        audit->alpha = alpha;
        audit->rounds = rounds;
        points_replay(history, series, audit, &level);
        changes_count(history, series, audit, &steps[audit - history->audits]);
        case_add(history, series, &level, audit);
    }
    for (size_t i = 0; i < history->change_count; i++) {
        const struct kg_history_change *change = &history->changes[i];
        struct kg_history_audit *audit =
            audit_find(history, change->suite, change->machine, change->host);
        if (audit)
            confirmation_count(change, audit);
    }
    for (size_t i = 0; i < history->audit_count; i++)
        audit_end(&history->audits[i], &steps[i]);
}
