#include "profiler/read/optional_columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/units.h"

enum { CELL_BYTES = 48 };

/* Each fills its cell, and says whether the figure is known. */

static bool threads(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    if (figures->threads_most)
        snprintf(cell, CELL_BYTES, "%" PRIu64, figures->threads_most);
    return figures->threads_most > 1;
}

static bool busiest(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    const double imbalance = kg_profile_imbalance(figures);
    if (!isnan(imbalance))
        snprintf(cell, CELL_BYTES, "%.2fx", imbalance);
    return !isnan(imbalance);
}

static bool duration(double ns, bool known, char cell[CELL_BYTES])
{
    if (known)
        kg_duration_format(ns, cell);
    return known;
}

static bool gpu(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return duration(figures->gpu_ns, figures->gpu_ns > 0, cell);
}

static bool gpu_share(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    const double utilization = kg_profile_gpu_utilization(figures);
    if (!isnan(utilization))
        snprintf(cell, CELL_BYTES, "%.1f", 100 * utilization);
    return !isnan(utilization);
}

static bool transfer(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return duration(figures->transfer_ns, figures->transfer_ns > 0, cell);
}

static bool cpu(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return duration(figures->cpu_ns, !isnan(figures->cpu_ns), cell);
}

static bool size(uint64_t bytes, char cell[CELL_BYTES])
{
    if (bytes)
        kg_size_format((double)bytes, cell);
    return bytes;
}

static bool allocated(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return size(figures->allocated_bytes, cell);
}

static bool peak(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return size(figures->peak_bytes, cell);
}

static bool device_peak(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    return size(figures->device_peak_bytes, cell);
}

static bool bandwidth(const struct kg_profile_figures *figures, char cell[CELL_BYTES])
{
    char rate[KG_UNIT_BYTES];
    const double bytes_per_s = kg_profile_bandwidth(figures);
    if (!isnan(bytes_per_s))
        snprintf(cell, CELL_BYTES, "%sB/s", kg_rate_format(bytes_per_s, rate));
    return !isnan(bytes_per_s);
}

static const struct {
    const char *head;
    bool (*fill)(const struct kg_profile_figures *figures, char cell[CELL_BYTES]);
    unsigned spare; /* as in kg_table: columns that follow from others are dropped first */
} extras[] = {
    {"threads", threads, 5},      {"busiest", busiest, 6},   {"gpu", gpu, 9},
    {"gpu %", gpu_share, 4},      {"transfer", transfer, 7}, {"cpu", cpu, 3},
    {"allocated", allocated, 1},  {"peak", peak, 8},         {"bandwidth", bandwidth, 2},
    {"gpu peak", device_peak, 8},
};
enum { EXTRAS = sizeof extras / sizeof *extras };

unsigned kg_extras_noted(const struct kg_profile_figures *figures)
{
    char cell[CELL_BYTES];
    unsigned shown = 0;
    for (unsigned i = 0; i < EXTRAS; i++)
        shown |= extras[i].fill(figures, cell) ? 1U << i : 0;
    return shown;
}

void kg_extras_heads(struct kg_table *table, unsigned shown)
{
    for (unsigned i = 0; i < EXTRAS; i++) {
        if (!(shown & 1U << i))
            continue;
        table->spare[table->columns] = extras[i].spare;
        table->heads[table->columns++] = extras[i].head;
    }
}

void kg_extras_cells(struct kg_table *table, struct kg_table_row *row,
                     const struct kg_profile_figures *figures, unsigned shown)
{
    size_t column = table->columns;
    for (unsigned i = 0; i < EXTRAS; i++)
        column -= (shown & 1U << i) != 0;
    for (unsigned i = 0; i < EXTRAS; i++) {
        char cell[CELL_BYTES] = "-";
        struct kg_text text = {0};
        if (!(shown & 1U << i))
            continue;
        extras[i].fill(figures, cell);
        kg_text_append(&text, cell);
        row->cells[column++] = kg_table_cell(table, &text);
    }
}
