#include "run/worker/worker_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/sysfs.h"

#define POWERCAP "/sys/class/powercap/intel-rapl:"

/* A counter in microjoules, as joules; NaN if it cannot be read. */
static double joules_of(const char *root, int number, const char *file)
{
    char line[KG_TREE_LINE];
    double value;
    const char *rest;
    if (kg_tree_line(root, line, POWERCAP "%d/%s", number, file) != 0 ||
        !kg_tree_number(line, &value, &rest))
        return NAN;
    return value * 1e-6;
}

/* Only the domains of packages: domains of cores and memory are parts of a package's. */
static bool is_package(const char *root, int number)
{
    char line[KG_TREE_LINE];
    return kg_tree_line(root, line, POWERCAP "%d/name", number) == 0 &&
           !strncmp(line, "package-", strlen("package-"));
}

bool kg_powercap_open(const char *root, struct kg_powercap *powercap, char why[KG_READING_WHY])
{
    *powercap = (struct kg_powercap){0};
    snprintf(powercap->root, sizeof powercap->root, "%s", root);
    snprintf(why, KG_READING_WHY, "%s",
             "energy is not known: /sys/class/powercap has no counter of a CPU package");
    for (int number = 0; number < KG_PACKAGES_MOST; number++) {
        const size_t at = powercap->packages;
        if (!is_package(root, number))
            continue;
        powercap->numbers[at] = number;
        powercap->range_j[at] = joules_of(root, number, "max_energy_range_uj");
        powercap->last_j[at] = joules_of(root, number, "energy_uj");
        if (isnan(powercap->last_j[at]) || !(powercap->range_j[at] > 0)) {
            snprintf(why, KG_READING_WHY,
                     "energy is not known: this user may not read " POWERCAP "%d/energy_uj",
                     number);
            return false;
        }
        powercap->packages++;
    }
    return powercap->packages > 0;
}

double kg_powercap_read(struct kg_powercap *powercap)
{
    for (size_t i = 0; i < powercap->packages; i++) {
        const double now_j = joules_of(powercap->root, powercap->numbers[i], "energy_uj");
        const double used_j = now_j - powercap->last_j[i];
        powercap->used_j += used_j < 0 ? used_j + powercap->range_j[i] : used_j;
        powercap->last_j[i] = now_j;
    }
    return powercap->used_j;
}

/* --- The readers ---------------------------------------------------------------------------- */

struct kg_reader {
    enum kg_metric_kind metric;
    bool on_stream; /* for work on the GPU, else for work on the CPU */
    const char *source;
    bool (*open)(struct kg_worker *worker, char why[KG_READING_WHY]);
    double (*read)(struct kg_worker *worker); /* a sum that only grows; NaN on failure */
};

static bool powercap_open(struct kg_worker *worker, char why[KG_READING_WHY])
{
    return kg_powercap_open("", &worker->readings.powercap, why);
}

static double powercap_read(struct kg_worker *worker)
{
    return kg_powercap_read(&worker->readings.powercap);
}

static double nvml_read(struct kg_worker *worker)
{
    return kg_nvml_energy_read(&worker->gpu.nvml, worker->gpu.nvml_index);
}

/* Between the calls of `cold` the flush moves more bytes than most calls. */
static bool nvml_open(struct kg_worker *worker, char why[KG_READING_WHY])
{
    if (worker->request.timing == KG_TIMING_COLD) {
        snprintf(why, KG_READING_WHY, "%s",
                 "energy is not known: with `timing: cold` most of it is the flush's; use `hot`");
        return false;
    }
    snprintf(why, KG_READING_WHY, "%s",
             "energy is not known: NVML has no energy counter for this GPU");
    return !isnan(nvml_read(worker));
}

static const struct kg_reader readers[] = {
    {KG_METRIC_ENERGY, false, "powercap", powercap_open, powercap_read},
    {KG_METRIC_ENERGY, true, "nvml", nvml_open, nvml_read},
};
enum { READERS = sizeof readers / sizeof *readers };

/* --- Around a round ------------------------------------------------------------------------- */

static void tally_open(struct kg_worker *worker, enum kg_metric_kind metric)
{
    struct kg_tally *tally = &worker->readings.tallies[worker->readings.count++];
    *tally = (struct kg_tally){.metric = metric};
    snprintf(tally->why, sizeof tally->why, "this machine has no counter for %s",
             kg_metric_kind_names[metric]);
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].metric == metric && readers[i].on_stream == kg_worker_on_stream(worker) &&
            readers[i].open(worker, tally->why))
            tally->reader = &readers[i];
}

void kg_readings_open(struct kg_worker *worker)
{
    worker->readings.count = 0;
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++)
        if (kg_metric_rows[kind].origin == KG_ORIGIN_READING &&
            worker->request.metrics & 1u << kind && worker->readings.count < KG_READINGS_MOST)
            tally_open(worker, (enum kg_metric_kind)kind);
}

void kg_readings_begin(struct kg_worker *worker)
{
    for (size_t i = 0; i < worker->readings.count; i++) {
        struct kg_tally *tally = &worker->readings.tallies[i];
        tally->before = tally->reader ? tally->reader->read(worker) : NAN;
    }
}

void kg_readings_end(struct kg_worker *worker)
{
    for (size_t i = 0; i < worker->readings.count; i++) {
        struct kg_tally *tally = &worker->readings.tallies[i];
        tally->sum += tally->reader ? tally->reader->read(worker) - tally->before : NAN;
    }
}

static const char *why_unknown(struct kg_worker *worker, const struct kg_tally *tally)
{
    if (!tally->reader)
        return tally->why;
    return kg_arena_printf(
        &worker->arena, "%s is not known: its counter %s", kg_metric_kind_names[tally->metric],
        tally->sum != 0              ? "could not be read"
        : worker->request.iterations ? "did not move in a round; raise `iterations`"
                                     : "did not move in a round; raise `min_time`");
}

void kg_readings_collect(struct kg_worker *worker)
{
    struct kg_response *response = &worker->response;
    const double calls = (double)response->rounds->calls;
    response->readings =
        kg_arena_alloc(&worker->arena, worker->readings.count, sizeof *response->readings);
    for (size_t i = 0; i < worker->readings.count; i++) {
        const struct kg_tally *tally = &worker->readings.tallies[i];
        const bool known = tally->reader && tally->sum > 0 && isfinite(tally->sum) && calls > 0;
        response->readings[response->reading_count++] = (struct kg_reading){
            .metric = tally->metric,
            .source = known ? tally->reader->source : KG_SERIES_OF_NOTHING,
            .value = known ? tally->sum / calls : NAN,
            .reason = known ? NULL : why_unknown(worker, tally),
        };
    }
}
