#include "show/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "base/units.h"
#include "show/cells.h"

/* --- Cells ------------------------------------------------------------------------------------ */

static const char *duration(struct kg_arena *arena, const struct kg_case_result *result, double ns)
{
    return result->round_count ? kg_cell_time(arena, ns) : "";
}

/* A cell for one time of the summary. */
#define SUMMARY_CELL(member)                                                                       \
    static const char *cell_##member(struct kg_arena *arena,                                       \
                                     const struct kg_column_subject *subject)                      \
    {                                                                                              \
        return duration(arena, subject->result, subject->result->summary.member##_ns);             \
    }
SUMMARY_CELL(median)
SUMMARY_CELL(mean)
SUMMARY_CELL(standard_deviation)
SUMMARY_CELL(min)
SUMMARY_CELL(max)
SUMMARY_CELL(p95)

static const char *cell_cpu(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    return duration(arena, subject->result, subject->result->breakdown.cpu_ns);
}

static const char *cell_interval(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_summary *summary = &subject->result->summary;
    const double half = (summary->interval_high_ns - summary->interval_low_ns) / 2;
    /* the interval of a failed case would mislead, and the interval of one round has no width */
    if (subject->result->status != KG_STATUS_OK || subject->result->round_count < 2)
        return "";
    return kg_arena_printf(arena, "± %.1f %%", 100 * half / summary->median_ns);
}

/* "2.71 TB/s, 91 %": the rate, and its share of the device's measured peak. */
static const char *rate_and_share(struct kg_arena *arena, double rate, const char *unit,
                                  double share)
{
    char text[KG_UNIT_BYTES];
    if (!isfinite(rate))
        return "";
    kg_rate_format(rate, text);
    return isfinite(share) ? kg_arena_printf(arena, "%s%s, %.0f %%", text, unit, 100 * share)
                           : kg_arena_printf(arena, "%s%s", text, unit);
}

static const char *cell_flops(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_case_work *work = &subject->result->work;
    return rate_and_share(arena, work->flops_per_second, "FLOP/s",
                          isfinite(work->tensor_share) ? work->tensor_share : work->fma_share);
}

static const char *cell_bytes(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_case_work *work = &subject->result->work;
    return rate_and_share(arena, work->bytes_per_second, "B/s", work->bandwidth_share);
}

/* "5.43 M vectors/s": a rate with the name of the case's items; "" if it is unknown. */
static const char *items(struct kg_arena *arena, const struct kg_case_work *work, double per_second)
{
    enum { NAME_MOST = 32 };
    char rate[KG_UNIT_BYTES];
    struct kg_text text = {0};
    if (!isfinite(per_second))
        return "";
    kg_text_printf(&text, "%s ", kg_rate_format(per_second, rate));
    kg_escape_terminal(&text, work->item_name ? work->item_name : "items", NAME_MOST);
    kg_text_append(&text, "/s");
    return kg_cell_take(arena, &text);
}

static const char *cell_items(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_case_work *work = &subject->result->work;
    return items(arena, work, work->items_per_second);
}

/* The throughput that the device limits: FLOP/s or B/s. */
static const char *cell_throughput(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_case_work *work = &subject->result->work;
    /* bandwidth counts for a kernel with little arithmetic per byte */
    const bool compute = work->flops > 2 * (work->bytes > 0 ? work->bytes : 0);
    return isfinite(work->flops_per_second) && compute ? cell_flops(arena, subject)
                                                       : cell_bytes(arena, subject);
}

/* The rate of the case. If the workload names its items: items per second. Else the throughput that the device limits
 * (FLOP/s or B/s). Without a throughput: items per second. */
static const char *cell_rate(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    if (subject->result->work.item_name)
        return cell_items(arena, subject);
    const char *rate = cell_throughput(arena, subject);
    return !*rate ? cell_items(arena, subject) : rate;
}

/* The throughput, if the column `rate` has the items. */
static const char *cell_beside(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    return subject->result->work.item_name ? cell_throughput(arena, subject) : "";
}

static const char *size(struct kg_arena *arena, const struct kg_column_subject *subject,
                        uint64_t bytes)
{
    char text[KG_UNIT_BYTES];
    return subject->result->round_count ? kg_arena_copy(arena, kg_size_format((double)bytes, text))
                                        : "";
}

const char *kg_column_memory(struct kg_arena *arena, const struct kg_case_result *result)
{
    const double bytes = kg_case_peak_bytes(result);
    const struct kg_column_subject subject = {.result = result};
    return isnan(bytes) ? "" : size(arena, &subject, (uint64_t)bytes);
}

static const char *cell_memory(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    return kg_column_memory(arena, subject->result);
}

static const char *cell_allocated(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    return size(arena, subject, subject->result->memory.allocated_bytes);
}

static const char *cell_rounds(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    return subject->result->round_count
               ? kg_arena_printf(arena, "%zu", subject->result->round_count)
               : "";
}

static const char *cell_budgets(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    const struct kg_held *held = subject->held;
    if (!held || !held->count)
        return "";
    if (held->missed)
        return kg_arena_printf(arena, "%zu of %zu missed", held->missed, held->count);
    if (held->unknown)
        return kg_arena_printf(arena, "%zu of %zu unknown", held->unknown, held->count);
    return "met";
}

static const char *cell_status(struct kg_arena *arena, const struct kg_column_subject *subject)
{
    (void)arena;
    return kg_status_names[subject->result->status];
}

/* --- The table -------------------------------------------------------------------------------- */

/* All columns, in the order of a table without --columns. */
static const struct kg_column all[] = {
    {.name = "median",
     .head = "median of rounds",
     .head_narrow = "median",
     .usual = true,
     .cell = cell_median,
     .help = "median of the rounds' medians"},
    {.name = "interval",
     .spare = 4,
     .head = "95 %",
     .usual = true,
     .cell = cell_interval,
     .help = "half of the median's 95 % interval, in per cent of it"},
    {.name = "mean", .head = "mean", .cell = cell_mean, .help = "mean of the rounds' medians"},
    {.name = "sd",
     .head = "std dev",
     .cell = cell_standard_deviation,
     .help = "standard deviation between the rounds' medians"},
    {.name = "min", .head = "min", .cell = cell_min, .help = "least of all samples"},
    {.name = "max", .head = "max", .cell = cell_max, .help = "greatest of all samples"},
    {.name = "p95",
     .head = "p95",
     .cell = cell_p95,
     .help =
         "95th percentile of all samples; if some were dropped: median of the rounds' percentiles"},
    {.name = "cpu",
     .head = "CPU time",
     .cell = cell_cpu,
     .help = "CPU time of all threads per call"},
    {.name = "rate",
     .is_rate = true,
     .spare = KG_TABLE_NEEDED,
     .head = "rate",
     .usual = true,
     .cell = cell_rate,
     .help = "rate in the case's own unit: vectors, tokens, FLOP, bytes per second"},
    {.name = "throughput",
     .is_rate = true,
     .spare = 1,
     .head = "throughput",
     .usual = true,
     .optional = true,
     .cell = cell_beside,
     .help = "FLOP or bytes per second of cases with another unit of their own"},
    {.name = "items",
     .is_rate = true,
     .head = "items",
     .cell = cell_items,
     .help = "items per second"},
    {.name = "bytes",
     .is_rate = true,
     .head = "bandwidth",
     .cell = cell_bytes,
     .help = "bytes per second, and their share of the GPU's measured peak"},
    {.name = "flops",
     .is_rate = true,
     .head = "arithmetic",
     .cell = cell_flops,
     .help = "FLOP per second, and their share of the GPU's measured peak"},
    {.name = "memory",
     .spare = 3,
     .head = "peak memory",
     .usual = true,
     .cell = cell_memory,
     .help =
         "peak of resident memory above the harness's own; on the GPU peak of allocated memory"},
    {.name = "allocated",
     .head = "allocated",
     .cell = cell_allocated,
     .help = "peak of memory from kgate's allocator"},
    {.name = "rounds",
     .spare = 2,
     .head = "rounds",
     .usual = true,
     .cell = cell_rounds,
     .help = "number of processes that measured the case"},
    {.name = "budgets",
     .head = "budgets",
     .left = true,
     .usual = true,
     .optional = true,
     .cell = cell_budgets,
     .help = "result of the suite's absolute limits"},
    {.name = "status",
     .head = "status",
     .left = true,
     .usual = true,
     .cell = cell_status,
     .help = "OK, FAILED, SKIPPED, UNMEASURED or UNCHANGED"},
};
enum { ALL = sizeof all / sizeof *all, LONGEST = 60 };

static bool unknown(const char *name, int length, struct kg_error *err)
{
    const char *names[ALL];
    char given[64];
    snprintf(given, sizeof given, "%.*s", length, name);
    for (size_t i = 0; i < ALL; i++)
        names[i] = all[i].name;
    return kg_error_unknown(err, given, names, ALL, "--columns has no '%s'", given);
}

static bool column_add(const char *name, int length, struct kg_columns *columns,
                       struct kg_error *err)
{
    const struct kg_column *found = NULL;
    for (size_t i = 0; i < ALL; i++)
        if ((int)strlen(all[i].name) == length && !strncmp(all[i].name, name, (size_t)length))
            found = &all[i];
    if (!found)
        return unknown(name, length, err);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i] == found)
            return kg_error_set(err, KG_ERROR_USAGE, "--columns has '%s' twice", found->name);
    if (columns->count + 1 == KG_TABLE_COLUMNS_MOST)
        return kg_error_set(err, KG_ERROR_USAGE, "--columns has more than %d names",
                            KG_TABLE_COLUMNS_MOST - 1);
    columns->columns[columns->count++] = found;
    return true;
}

bool kg_columns_read(const char *list, struct kg_columns *columns, struct kg_error *err)
{
    *columns = (struct kg_columns){.asked = list != NULL};
    for (size_t i = 0; i < ALL && !list; i++)
        if (all[i].usual)
            columns->columns[columns->count++] = &all[i];
    while (list) {
        const size_t length = strcspn(list, ",");
        if (!column_add(list, length < LONGEST ? (int)length : LONGEST, columns, err))
            return false;
        list = list[length] ? list + length + 1 : NULL;
    }
    return true;
}

void kg_columns_words(struct kg_text *text)
{
    for (size_t i = 0; i < ALL; i++)
        kg_text_printf(text, "%s%s", text->length ? " " : "", all[i].name);
}

void kg_columns_help(struct kg_text *text)
{
    struct kg_table table = {
        .columns = 2, .heads = {"column", ""}, .left = {true, true}, .indent = 2, .trimmed = true};
    for (size_t i = 0; i < ALL; i++) {
        struct kg_table_row *row = kg_table_row_add(&table);
        row->cells[0] = all[i].name;
        row->cells[1] = all[i].help;
    }
    kg_table_print(&table, false, text);
    kg_table_free(&table);
}

/* --- Rows ------------------------------------------------------------------------------------- */

void kg_columns_heads(const struct kg_columns *columns, struct kg_table *table)
{
    table->columns = columns->count + 1;
    table->heads[0] = "case";
    table->left[0] = true;
    for (size_t i = 0; i < columns->count; i++) {
        const struct kg_column *column = columns->columns[i];
        table->heads[i + 1] =
            table->width && column->head_narrow ? column->head_narrow : column->head;
        table->left[i + 1] = column->left;
    }
}

struct kg_table_row *kg_columns_row(const struct kg_columns *columns,
                                    const struct kg_column_subject *subject, struct kg_table *table)
{
    struct kg_table_row *row = kg_table_row_add(table);
    row->cells[0] = subject->result->id;
    for (size_t i = 0; i < columns->count; i++)
        row->cells[i + 1] = columns->columns[i]->cell(&table->arena, subject);
    return row;
}

static bool is_empty(const struct kg_table *table, size_t column)
{
    for (size_t r = 0; r < table->row_count; r++)
        if (table->rows[r].cells[column] && *table->rows[r].cells[column])
            return false;
    return true;
}

void kg_columns_trim(const struct kg_columns *columns, struct kg_table *table)
{
    unsigned long kept = (1UL << table->columns) - 1;
    for (size_t c = 1; c < table->columns && !columns->asked; c++) {
        table->spare[c] = columns->columns[c - 1]->spare;
        if (columns->columns[c - 1]->optional && is_empty(table, c))
            kept &= ~(1UL << c);
    }
    kg_table_columns_keep(table, kept);
}
