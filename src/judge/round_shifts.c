/* round_shifts.c: shifts of a case that the medians of its rounds do not show. A few long calls move the means. The CPU
 * time per call hardly depends on other work on the machine. */
#include <math.h>
#include <string.h>

#include "base/statistics/stats.h"
#include "judge/gathering.h"

/* Whether every mean equals the median of its round, as in rounds of one call. The means then add nothing. */
static bool means_are_medians(const struct kg_gathering *gathering)
{
    const struct kg_case_result *result = gathering->result;
    const struct kg_reference *reference = gathering->reference;
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *medians =
            kg_gathered_series(gathering, reference->cases[i]);
        const struct kg_baseline_series *means =
            kg_gathered_beside(reference->cases[i], KG_SERIES_MEAN);
        for (size_t r = 0; means && r < means->value_count; r++)
            if (!medians || r >= medians->value_count || means->values[r] != medians->values[r])
                return false;
    }
    for (size_t i = 0; i < result->round_count; i++)
        if (result->rounds[i].mean_ns != result->rounds[i].median_ns)
            return false;
    return true;
}

/* One statistic of each round, on both sides, in logarithms. */
struct sides {
    struct kg_location was, is;
    double was_most; /* largest round of the reference, in ns; not a logarithm */
    double is_mean;  /* mean of the candidate without its largest round, in ns; not a logarithm */
    bool known;      /* whether all rounds have the value, and all values are above 0 */
};

static double mean_of(const struct kg_round *round)
{
    return round->mean_ns;
}

static double call_cpu_of(const struct kg_round *round)
{
    return round->cpu_ns;
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            return false;
    return count > 0;
}

static void sides_find(const struct kg_gathering *gathering, const char *name,
                       double (*of)(const struct kg_round *round), struct sides *sides)
{
    const struct kg_case_result *result = gathering->result;
    const struct kg_reference *reference = gathering->reference;
    size_t base = 0, now = 0;
    double *before = kg_arena_alloc(gathering->scratch, reference->round_count + 1, sizeof *before);
    double *after = kg_arena_alloc(gathering->scratch, result->round_count + 1, sizeof *after);
    for (size_t i = 0; i < reference->case_count; i++) {
        const struct kg_baseline_series *stored = kg_gathered_beside(reference->cases[i], name);
        for (size_t r = 0; stored && r < stored->value_count; r++)
            before[base++] = stored->values[r];
    }
    for (size_t i = 0; i < result->round_count; i++)
        if (kg_gathering_wants(gathering, i))
            after[now++] = of(&result->rounds[i]);
    sides->known =
        base == reference->round_count && all_positive(before, base) && all_positive(after, now);
    if (!sides->known)
        return;
    kg_sort(before, base);
    kg_sort(after, now);
    sides->was_most = before[base - 1];
    sides->is_mean = now > 1 ? kg_mean(after, now - 1) : after[0];
    sides->was = kg_log_location(before, base, before);
    sides->is = kg_log_location(after, now, after);
}

/* paced  logarithm of the factor that the core clock put on the candidate's times */
static struct kg_shift shift_of(const struct sides *sides, double paced)
{
    const struct kg_variance parts[] = {
        {sides->was.variance / sides->was.count, sides->was.freedom},
        {sides->is.variance / sides->is.count, sides->is.freedom}};
    const struct kg_variance variance = kg_variance_sum(parts, 2);
    const double was = sides->was.value, is = sides->is.value - paced;
    return (struct kg_shift){
        .ratio = exp(is - was),
        .effect = fabs(exp(is) - exp(was)),
        .excess = sides->is_mean / sides->was_most,
        .p = 2 * kg_student_tail(fabs(is - was) / sqrt(variance.value), variance.freedom)};
}

/* Whether one thread of the calls uses the CPU time. If several threads run, an idle thread may spin. The limit allows
 * a tenth for other work of the process. */
static bool on_one_core(const struct kg_gathering *gathering, const struct sides *means,
                        const struct sides *cpu)
{
    const bool on_cpu = !strcmp(gathering->result->device, kg_device_names[KGATE_DEVICE_CPU]);
    return on_cpu && exp(cpu->was.value - means->was.value) < 1.1;
}

bool kg_gathering_one_core(const struct kg_gathering *gathering)
{
    struct sides means, cpu;
    sides_find(gathering, KG_SERIES_MEAN, mean_of, &means);
    sides_find(gathering, KG_SERIES_CALL_CPU, call_cpu_of, &cpu);
    return means.known && cpu.known && on_one_core(gathering, &means, &cpu);
}

void kg_shifts_find(const struct kg_gathering *gathering, const struct kg_metric *metric,
                    struct kg_evidence *evidence)
{
    struct sides means, least, cpu;
    const double paced = metric->pace_exponent * metric->pace_shift;
    if (gathering->means || means_are_medians(gathering))
        return;
    sides_find(gathering, KG_SERIES_MEAN, mean_of, &means);
    sides_find(gathering, KG_SERIES_MEAN, kg_round_least_mean_ns, &least);
    sides_find(gathering, KG_SERIES_CALL_CPU, call_cpu_of, &cpu);
    if (least.known)
        evidence->least_means = shift_of(&least, 0);
    if (means.known)
        evidence->means = shift_of(&means, 0);
    if (means.known && cpu.known && on_one_core(gathering, &means, &cpu))
        evidence->cpu = shift_of(&cpu, isnan(paced) ? 0 : paced);
}
