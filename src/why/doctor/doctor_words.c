/* The meaning of measured noise. In a normal distribution, 3.29 standard deviations lie between the
 * 5th and the 95th percentile. The difference of two samples varies sqrt(2) times as much as a
 * sample. If the threshold equals the spread, two single samples differ by more in 2 % of all pairs.
 * If it is twice the spread: in 3 of a million pairs. Medians of rounds vary less than samples; runs
 * on different days vary more. */
#include <math.h>

#include "base/units.h"
#include "why/doctor/doctor_noise.h"

enum fit { FIT_ROOM, FIT_TIGHT, FIT_DOUBTFUL, FIT_UNKNOWN };

static enum fit fit_of(double spread, double threshold)
{
    if (!isfinite(spread))
        return FIT_UNKNOWN;
    return spread <= threshold / 2 ? FIT_ROOM : spread <= threshold ? FIT_TIGHT : FIT_DOUBTFUL;
}

double kg_noise_threshold(double spread, double threshold)
{
    /* a spread of exactly 3 % must not become 4 % by the last bit of 0.03 */
    const double percent = ceil(100 * spread - 1e-6);
    return fmax(threshold, percent / 100);
}

/* A gate must find a slowdown of 50 %, so a wider threshold is useless. */
static const double THRESHOLD_MOST = 0.5;

static const char *doubtful_remedy(double spread, double threshold, struct kg_findings *findings)
{
    const double advised = kg_noise_threshold(spread, threshold);
    if (advised > THRESHOLD_MOST)
        return kg_finding_text(findings, "first find and stop the other load: no threshold helps");
    return kg_finding_text(findings, "use `kgate ab`, or raise the threshold to %.0f %% or more",
                           100 * advised);
}

static void series_judge(const struct kg_noise_series *series, const char *topic, double threshold,
                         struct kg_findings *findings)
{
    static const enum kg_finding_level levels[] = {
        [FIT_ROOM] = KG_FINDING_GOOD,
        [FIT_TIGHT] = KG_FINDING_NOTE,
        [FIT_DOUBTFUL] = KG_FINDING_WARNING,
    };
    char median[KG_UNIT_BYTES];
    const enum fit fit = fit_of(series->spread, threshold);
    if (fit == FIT_UNKNOWN)
        return;
    const char *remedy = fit == FIT_TIGHT ? "use `kgate ab`, or more rounds" : NULL;
    if (fit == FIT_DOUBTFUL)
        remedy = doubtful_remedy(series->spread, threshold, findings);
    kg_finding_add(findings, levels[fit], topic, remedy,
                   "%s, spread %.1f %%, %.1f %% of %zu samples more than 5 %% above",
                   kg_duration_format(series->median_ns, median), 100 * series->spread,
                   100 * series->slow_share, series->samples);
}

static void pause_judge(const struct kg_noise *noise, struct kg_findings *findings)
{
    static const double NOTE_NS = 1e6, WARNING_NS = 10e6;
    char length[KG_UNIT_BYTES];
    if (!isfinite(noise->pause_ns))
        return;
    const bool good = noise->pause_ns < NOTE_NS;
    const char *where = noise->pinned ? kg_finding_text(findings, " on CPU %llu",
                                                        (unsigned long long)noise->pause_cpu)
                                      : "";
    kg_finding_add(findings,
                   noise->pause_ns >= WARNING_NS ? KG_FINDING_WARNING
                   : good                        ? KG_FINDING_GOOD
                                                 : KG_FINDING_NOTE,
                   "pauses",
                   good ? NULL
                        : "stop other load or isolate CPUs; keep samples short (kgate's medians "
                          "ignore single long ones)",
                   "the longest was %s%s", kg_duration_format(noise->pause_ns, length), where);
}

/* Judges whether the CPUs have the same speed. They may be of two kinds, or some may be busy
 * with other work. */
static void cpus_judge(const struct kg_noise *noise, double threshold, struct kg_findings *findings)
{
    const struct kg_noise_cpu *fast = noise->cpus, *slow = noise->cpus;
    if (!noise->pinned || noise->cpu_count < 2)
        return;
    for (size_t i = 1; i < noise->cpu_count; i++) {
        const struct kg_noise_cpu *cpu = &noise->cpus[i];
        if (cpu->compute.median_ns < fast->compute.median_ns)
            fast = cpu;
        if (cpu->compute.median_ns > slow->compute.median_ns)
            slow = cpu;
    }
    const double apart = slow->compute.median_ns / fast->compute.median_ns - 1;
    const enum fit fit = fit_of(apart, threshold);
    if (fit == FIT_UNKNOWN)
        return;
    kg_finding_add(findings,
                   fit == FIT_DOUBTFUL ? KG_FINDING_WARNING
                   : fit == FIT_TIGHT  ? KG_FINDING_NOTE
                                       : KG_FINDING_GOOD,
                   "CPU speeds",
                   fit == FIT_ROOM ? NULL : "pin to CPUs of one kind: taskset -c LIST kgate ...",
                   "CPU %llu is %.1f %% slower than CPU %llu (%zu of %llu measured)",
                   (unsigned long long)slow->cpu, 100 * apart, (unsigned long long)fast->cpu,
                   noise->cpu_count, (unsigned long long)noise->cpus_most);
}

void kg_noise_judge(const struct kg_noise *noise, double threshold, struct kg_findings *findings)
{
    series_judge(&noise->compute, "compute noise", threshold, findings);
    series_judge(&noise->memory, "memory noise", threshold, findings);
    cpus_judge(noise, threshold, findings);
    pause_judge(noise, findings);
    if (noise->seconds > 0 && !noise->pinned)
        kg_finding_add(findings, KG_FINDING_NOTE, "pinning",
                       "allow sched_setaffinity in the sandbox or container",
                       "refused: this process could not choose its CPU");
}

const char *kg_noise_words(const struct kg_noise *noise, double threshold,
                           struct kg_findings *findings)
{
    const enum fit compute = fit_of(noise->compute.spread, threshold);
    const enum fit memory = fit_of(noise->memory.spread, threshold);
    if (compute == FIT_UNKNOWN || memory == FIT_UNKNOWN)
        return kg_finding_text(findings, "noise was not measured");
    const enum fit worst = compute > memory ? compute : memory;
    const double spread = fmax(noise->compute.spread, noise->memory.spread);
    const char *start =
        kg_finding_text(findings,
                        "compute repeats within %.1f %%, memory within %.1f %%: stored baselines "
                        "with a %.3g %% threshold",
                        100 * noise->compute.spread, 100 * noise->memory.spread, 100 * threshold);
    const char *which = compute == memory  ? "all cases"
                        : memory > compute ? "memory-bound cases"
                                           : "compute-bound cases";
    if (worst == FIT_ROOM)
        return kg_finding_text(findings, "%s are safe", start);
    if (worst == FIT_TIGHT)
        return kg_finding_text(findings, "%s are marginal for %s; `kgate ab` is safer", start,
                               which);
    const char *remedy = doubtful_remedy(spread, threshold, findings);
    return kg_finding_text(findings, "%s are unreliable for %s; %s", start, which, remedy);
}
