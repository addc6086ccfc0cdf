#include "why/evidence/growth.h"

#include <math.h>
#include <string.h>

#include "why/evidence/facts.h"

enum { POINTS_LEAST = 3 };

static double at(const struct kg_sweep_point *point, size_t offset)
{
    double value;
    memcpy(&value, (const char *)point + offset, sizeof value);
    return value;
}

double kg_sweep_work(const struct kg_growth *growth, const struct kg_sweep_point *point)
{
    return at(point, growth->work_offset);
}

static bool all_known(const struct kg_sweep_point *points, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++)
        if (!kg_known(at(&points[i], offset)))
            return false;
    return true;
}

double kg_n_log_n(double n)
{
    return n * log2(1 + n);
}

static double itself(double y)
{
    return y;
}

/* The exponent b of y = a x^b by least squares on logarithms, with y = of(member). NaN in three
 * cases: there are fewer than three points; a value is not finite and above 0; all x are equal. */
static double exponent_of(const struct kg_sweep_point *points, size_t count, size_t x, size_t y,
                          double (*of)(double))
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    if (count < POINTS_LEAST || !all_known(points, count, x) || !all_known(points, count, y))
        return NAN;
    for (size_t i = 0; i < count; i++) {
        mean_x += log(at(&points[i], x)) / (double)count;
        mean_y += log(of(at(&points[i], y))) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double dx = log(at(&points[i], x)) - mean_x;
        xx += dx * dx;
        xy += dx * (log(of(at(&points[i], y))) - mean_y);
    }
    return xx > 0 && isfinite(xy) ? xy / xx : NAN;
}

static double exponent(const struct kg_sweep_point *points, size_t count, size_t x, size_t y)
{
    return exponent_of(points, count, x, y, itself);
}

static bool rises(const struct kg_sweep_point *points, size_t count, size_t offset)
{
    for (size_t i = 1; i < count; i++)
        if (at(&points[i], offset) < at(&points[i - 1], offset))
            return false;
    return at(&points[count - 1], offset) > at(&points[0], offset);
}

static const struct measure {
    const char *name;
    size_t offset;
} measures[] = {{KG_SWEEP_FLOPS, offsetof(struct kg_sweep_point, flops)},
                {"items", offsetof(struct kg_sweep_point, items)},
                {"bytes", offsetof(struct kg_sweep_point, bytes)}};
enum { MEASURES = sizeof measures / sizeof measures[0] };

const char *kg_sweep_measure(const struct kg_growth *growth)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (measures[i].offset == growth->work_offset)
            return measures[i].name;
    return KG_SWEEP_PARAMETER;
}

/* Chooses the measure of work; measures[] has the most reliable first. If a measure is known but
 * none rises with the parameter, the sweep is not over sizes: it varies a tile or a number of
 * threads. If no measure is known, the parameter itself is the measure. */
static bool work_choose(const struct kg_sweep_point *points, size_t count, size_t *offset)
{
    bool known = false;
    for (size_t i = 0; i < MEASURES; i++) {
        if (!all_known(points, count, measures[i].offset))
            continue;
        known = true;
        *offset = measures[i].offset;
        if (rises(points, count, *offset))
            return true;
    }
    *offset = offsetof(struct kg_sweep_point, parameter);
    return !known;
}

/* Fits T = a + c x through the smallest size and the next size with a clearly different time.
 * The result a is the fixed cost of a call. The threshold is twice the noise, because an error
 * in the difference is multiplied in a. */
static double fixed(const struct kg_growth *growth, const struct kg_sweep_point *points,
                    size_t count)
{
    const struct kg_sweep_point *first = &points[0];
    const double x = kg_sweep_work(growth, first);
    for (size_t i = 1; i < count; i++) {
        const double dx = kg_sweep_work(growth, &points[i]) - x;
        const double dt = points[i].time_ns - first->time_ns;
        if (!(dx > 0) || !(dt > 2 * fmax(first->noise, points[i].noise) * first->time_ns))
            continue;
        const double a = first->time_ns - x * dt / dx;
        return a > 0 ? a : NAN;
    }
    return NAN;
}

double kg_sweep_linear_bytes(const struct kg_growth *growth, const struct kg_sweep_point *point)
{
    const struct kg_sweep_point *smallest = growth->smallest;
    const double square = pow(point->parameter / smallest->parameter, 2);
    const double data = point->bytes / smallest->bytes;
    const double linear =
        data * (smallest->peak_bytes * square - point->peak_bytes) / (square - data);
    return square > data && kg_known(linear) && linear < point->peak_bytes ? linear : NAN;
}

bool kg_growth_find(const struct kg_sweep_point *points, size_t count, struct kg_growth *growth)
{
    const size_t parameter = offsetof(struct kg_sweep_point, parameter);
    *growth = (struct kg_growth){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, points, parameter};
    if (count < 2 || !work_choose(points, count, &growth->work_offset))
        return false;
    double slowest = points[0].time_ns, fastest = slowest;
    for (size_t i = 1; i < count; i++) {
        slowest = fmax(slowest, points[i].time_ns);
        fastest = fmin(fastest, points[i].time_ns);
    }
    growth->spread = slowest / fastest;
    growth->smallest_ns = points[0].time_ns;
    growth->smallest_work = kg_sweep_work(growth, &points[0]);
    growth->time =
        exponent(points, count, growth->work_offset, offsetof(struct kg_sweep_point, time_ns));
    growth->log = exponent_of(points, count, growth->work_offset, growth->work_offset, kg_n_log_n);
    growth->work = exponent(points, count, parameter, growth->work_offset);
    growth->bytes = exponent(points, count, parameter, offsetof(struct kg_sweep_point, bytes));
    growth->memory =
        exponent(points, count, parameter, offsetof(struct kg_sweep_point, peak_bytes));
    growth->fixed_ns = fixed(growth, points, count);
    return true;
}
