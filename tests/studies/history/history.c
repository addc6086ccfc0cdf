/* history.c: runs kgate's detector over recorded series (README.md has their format and the results).
 *
 *     history steps DIR               prints the alarms, as score.py reads them
 *     history causes DIR LABELS       causes that kgate names, against the labels in the folder LABELS
 *     history creep DIR               slow drifts of planted.csv, by lags of 30 and 90 runs
 *     history drifts DIR              alarms of the creep rule in gpu_fleet.csv, as score.py reads them
 *     history nodes DIR               suspect nodes of planted_fleet.csv
 *     history control DIR             scatter of subject_control.csv, with and without the control
 *     history prior                   simulated alarms of one run's t test with a prior
 *     history time                    time of one append */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "judge/control_series.h"
#include "judge/creep.h"
#include "judge/prior.h"
#include "judge/step_cause.h"
#include "judge/suspect_node.h"

/* --- Tables ----------------------------------------------------------------------------------- */

enum { COLUMNS = 16 };

/* A CSV file without quotes in quotes. */
struct table {
    size_t rows;
    size_t columns;
    char **cells; /* row by row; row 0 is the head line */
};

static const char *cell(const struct table *table, size_t row, size_t column)
{
    return table->cells[row * table->columns + column];
}

static double number(const struct table *table, size_t row, size_t column)
{
    return strtod(cell(table, row, column), NULL);
}

static size_t whole(const struct table *table, size_t row, size_t column)
{
    return (size_t)strtoul(cell(table, row, column), NULL, 10);
}

/* The next field of a line, as strsep. */
static char *field_next(char **rest)
{
    char *field = *rest, *end = field;
    if (!field)
        return NULL;
    if (*field == '"') {
        end = strchr(++field, '"');
        *end++ = '\0';
    }
    end += strcspn(end, ",");
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return field;
}

static struct table table_read(const char *folder, const char *name)
{
    char path[4096], *line = NULL;
    size_t capacity = 0, room = 0;
    struct table table = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &room, file) > 0) {
        size_t column = 0;
        if (table.rows == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            table.cells = kg_realloc(table.cells, capacity * COLUMNS * sizeof *table.cells);
        }
        line[strcspn(line, "\r\n")] = '\0';
        for (char *rest = line, *word; (word = field_next(&rest)) && column < COLUMNS; column++)
            table.cells[table.rows * (table.rows ? table.columns : COLUMNS) + column] =
                kg_strdup(word);
        if (table.rows == 0)
            table.columns = column;
        table.rows++;
    }
    free(line);
    fclose(file);
    return table;
}

static bool same_series(const struct table *table, size_t row, size_t other, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (strcmp(cell(table, row, i), cell(table, other, i)) != 0)
            return false;
    return true;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static const struct kg_variance UNKNOWN = {NAN, 0};

static void steps_print(const char *folder, const char *set)
{
    char name[64];
    snprintf(name, sizeof name, "%s.csv", set);
    const struct table table = table_read(folder, name);
    const bool fleet = strcmp(set, "gpu_fleet") == 0;
    const size_t keys = fleet ? 2 : 1, value = fleet ? 5 : 2;
    struct kg_history_level level = {0};
    for (size_t row = 1; row < table.rows; row++) {
        struct kg_change_alarm alarm;
        if (row > 1 && !same_series(&table, row, row - 1, keys))
            level = (struct kg_history_level){0};
        const double x = number(&table, row, value);
        if (!kg_history_append(&level, fleet ? log(x) : x, UNKNOWN, &alarm))
            continue;
        const size_t index = whole(&table, row, keys);
        printf("%s,%s%s%s,%zu,%zu\n", set, cell(&table, row, 0), fleet ? "|" : "",
               fleet ? cell(&table, row, 1) : "", index + 1 - alarm.newer, index);
    }
}

static int steps(const char *folder)
{
    puts("set,series,index,found_at");
    steps_print(folder, "gpu_fleet");
    steps_print(folder, "planted");
    return 0;
}

/* --- Causes ----------------------------------------------------------------------------------- */

enum { HOSTS = 16, ALARMS = 4096 };

struct found {
    size_t row; /* first run of the new level */
    size_t host;
    long day;
    double step;
    bool same_commit;
};

/* Days since 1970 of a date as 2024-04-27. */
static long day_of(const char *date)
{
    long year = strtol(date, NULL, 10), month = strtol(date + 5, NULL, 10);
    const long day = strtol(date + 8, NULL, 10);
    year -= month <= 2;
    month += month <= 2 ? 9 : -3;
    const long era = year / 400, of_era = year % 400;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day -
           719469;
}

static size_t host_index(const struct table *table, size_t row, const char **hosts, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(hosts[i], cell(table, row, 0)) == 0)
            return i;
    if (*count == HOSTS)
        exit(2);
    hosts[*count] = cell(table, row, 0);
    return (*count)++;
}

/* The row some runs beside `row`; within its series, and not after the newest run. */
static size_t code_row(const struct table *table, size_t row, int beside, size_t newest)
{
    const size_t index = whole(table, row, 2), least = row - index;
    const size_t wanted = beside < 0 && index < (size_t)-beside ? least : row + (size_t)beside;
    return wanted < newest ? wanted : newest;
}

static size_t alarms_find(const struct table *table, struct found *found, const char **hosts,
                          size_t *host_count)
{
    struct kg_change_state state = {0};
    size_t count = 0;
    for (size_t row = 1; row < table->rows; row++) {
        struct kg_change_alarm alarm;
        if (row > 1 && !same_series(table, row, row - 1, 2))
            state = (struct kg_change_state){0};
        const size_t host = host_index(table, row, hosts, host_count);
        if (!kg_change_append(&state, log(number(table, row, 5)), &alarm) || count == ALARMS)
            continue;
        const size_t first = row + 1 - alarm.newer, before = row - alarm.newer_most;
        const size_t after = row + 1 - alarm.newer_least;
        const char *code_before = cell(table, code_row(table, before, -KG_STEP_BESIDE, row), 4);
        const char *code_after = cell(table, code_row(table, after, KG_STEP_BESIDE, row), 4);
        found[count++] = (struct found){first, host, day_of(cell(table, first, 3)), alarm.step,
                                        strcmp(code_before, code_after) == 0};
    }
    return count;
}

/* The number of a case: the row of its name's first mention. */
static size_t case_number(const struct table *table, size_t row)
{
    for (size_t i = 1; i < row; i++)
        if (strcmp(cell(table, i, 1), cell(table, row, 1)) == 0)
            return i;
    return row;
}

/* Number of series of each host within a day of `day`: that of the runs, without repeats of a series. */
static void hosts_fill(const struct table *table, long day, const char *const *hosts,
                       size_t host_count, struct kg_night_host *night)
{
    size_t counted = 0; /* row of the series that was counted last */
    for (size_t h = 0; h < host_count; h++)
        night[h] = (struct kg_night_host){.class = h}; /* no two hosts are alike */
    for (size_t row = 1; row < table->rows; row++) {
        if (labs(day_of(cell(table, row, 3)) - day) > 1 ||
            (counted && same_series(table, row, counted, 2)))
            continue;
        counted = row;
        for (size_t h = 0; h < host_count; h++)
            night[h].series += strcmp(hosts[h], cell(table, row, 0)) == 0;
    }
}

/* The cause of alarm number `which`, from the alarms within a day of it. */
static enum kg_step_cause cause_of(const struct table *table, const struct found *found,
                                   size_t count, size_t which, const char *const *hosts,
                                   size_t host_count)
{
    struct kg_night_alarm alarms[256];
    struct kg_night_host night[HOSTS];
    size_t near = 0, mine = 0;
    hosts_fill(table, found[which].day, hosts, host_count, night);
    for (size_t i = 0; i < count && near < 256; i++) {
        if (labs(found[i].day - found[which].day) > 1)
            continue;
        if (i == which)
            mine = near;
        alarms[near++] = (struct kg_night_alarm){.host = found[i].host,
                                                 .case_number = case_number(table, found[i].row),
                                                 .step = found[i].step,
                                                 .code_unchanged = found[i].same_commit};
    }
    kg_step_causes_find(alarms, near, night, host_count);
    return alarms[mine].cause;
}

static int causes(const char *folder, const char *labels_folder)
{
    static const char *const of_labels[] = {"code", "machine", "unknown"};
    static struct found found[ALARMS];
    size_t matrix[3][KG_STEP_CAUSES + 1] = {{0}}, host_count = 0;
    const char *hosts[HOSTS];
    const struct table table = table_read(folder, "gpu_fleet.csv");
    const struct table labels = table_read(labels_folder, "gpu_fleet_labels.csv");
    const size_t count = alarms_find(&table, found, hosts, &host_count);
    for (size_t l = 1; l < labels.rows; l++) {
        size_t column = KG_STEP_CAUSES; /* missed */
        for (size_t i = 0; i < count && column == KG_STEP_CAUSES; i++)
            if (same_series(
                    &(struct table){2, 2,
                                    (char *[]){table.cells[found[i].row * table.columns],
                                               table.cells[found[i].row * table.columns + 1],
                                               labels.cells[l * labels.columns],
                                               labels.cells[l * labels.columns + 1]}},
                    0, 1, 2) &&
                labs((long)whole(&table, found[i].row, 2) - (long)whole(&labels, l, 2)) <= 3)
                column = cause_of(&table, found, count, i, hosts, host_count);
        for (size_t i = 0; i < 3; i++)
            if (strcmp(of_labels[i], cell(&labels, l, 13)) == 0)
                matrix[i][column]++;
    }
    printf("label    ");
    for (size_t c = 0; c < KG_STEP_CAUSES; c++)
        printf(" %11s", kg_step_cause_name((enum kg_step_cause)c));
    printf("      missed\n");
    for (size_t i = 0; i < 3; i++) {
        printf("%-9s", of_labels[i]);
        for (size_t c = 0; c <= KG_STEP_CAUSES; c++)
            printf(" %11zu", matrix[i][c]);
        printf("\n");
    }
    return 0;
}

/* --- Creep ------------------------------------------------------------------------------------ */

enum { RUNS = 200, LAGS = 2, SERIES_MOST = 512 };
static const size_t lags[LAGS] = {30, 90};

struct drifting {
    double x[RUNS];
    size_t reported; /* number of the first run after the last creep */
    size_t label;    /* row */
    long first;      /* first alarm of the creep rule at or after the label; -1: none */
    long first_step; /* likewise, of the detector */
    bool stepped;    /* the present run showed a step */
    size_t others;   /* alarms of the creep rule that the label does not explain */
    struct kg_history_level level;
};

/* Compares the runs since the last step and creep, as history_creep.c does. */
static bool comparison(const struct drifting *series, size_t run, size_t lag,
                       struct kg_creep *creep)
{
    const struct kg_change_state *change = &series->level.change;
    const size_t oldest = run + 1 - change->count; /* number of the oldest run in the state */
    const size_t first = series->reported > oldest ? series->reported - oldest : 0;
    return run + 1 >= oldest + first + lag &&
           kg_creep_compare(change->tail + first, change->count - first,
                            run + 1 - lag - oldest - first, creep);
}

static void steps_append(struct drifting *series, const struct table *labels, size_t run)
{
    struct kg_change_alarm alarm;
    series->stepped = kg_history_append(&series->level, series->x[run], UNKNOWN, &alarm);
    if (series->stepped && series->first_step < 0 && run + 5 >= whole(labels, series->label, 2))
        series->first_step = (long)run;
}

static void night(struct drifting *series, size_t count, const struct table *labels, size_t run)
{
    static struct kg_creep creeps[SERIES_MOST * LAGS];
    static struct drifting *compared[SERIES_MOST * LAGS];
    size_t compared_count = 0;
    for (size_t s = 0; s < count; s++)
        steps_append(&series[s], labels, run);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < LAGS && !series[s].stepped; i++) {
            compared[compared_count] = &series[s];
            compared_count += comparison(&series[s], run, lags[i], &creeps[compared_count]);
        }
    kg_creep_judge(creeps, compared_count);
    for (size_t i = 0; i < compared_count; i++) {
        struct drifting *one = compared[i];
        if (!creeps[i].creeps || one->reported == run + 1)
            continue;
        one->reported = run + 1;
        const bool labelled = strcmp(cell(labels, one->label, 1), "creep") == 0 &&
                              run + 5 >= whole(labels, one->label, 2);
        if (labelled && one->first < 0)
            one->first = (long)run;
        one->others += !labelled;
    }
}

static int creep(const char *folder)
{
    static struct drifting series[SERIES_MOST];
    const struct table table = table_read(folder, "planted.csv");
    const struct table labels = table_read(folder, "planted_labels.csv");
    size_t count = 0, next = 1, total[9] = {0}, rule[9] = {0}, step[9] = {0}, either[9] = {0};
    size_t others = 0, quiet = 0, large = 0, large_found = 0;
    for (size_t row = 1; row < table.rows; row++) {
        if (row == 1 || !same_series(&table, row, row - 1, 1)) {
            while (next < labels.rows && strcmp(cell(&labels, next, 0), cell(&table, row, 0)) != 0)
                next++;
            series[count] = (struct drifting){.label = next, .first = -1, .first_step = -1};
            count++;
        }
        series[count - 1].x[whole(&table, row, 1)] = number(&table, row, 2);
    }
    for (size_t run = 0; run < RUNS; run++)
        night(series, count, &labels, run);
    for (size_t s = 0; s < count; s++) {
        const char *kind = cell(&labels, series[s].label, 1);
        if (strcmp(kind, "creep") != 0) {
            if (strcmp(kind, "step") == 0)
                continue; /* a step below the detector's least one is a drift too */
            others += series[s].others;
            quiet++;
            continue;
        }
        static const double LARGE = 0.02;
        const double drift = fabs(number(&labels, series[s].label, 3));
        const size_t size = (size_t)lround(drift / number(&labels, series[s].label, 4));
        const bool found = series[s].first >= 0 || series[s].first_step >= 0;
        total[size]++;
        rule[size] += series[s].first >= 0;
        step[size] += series[s].first_step >= 0;
        either[size] += found;
        large += drift >= log1p(LARGE);
        large_found += drift >= log1p(LARGE) && found;
    }
    puts("size  creeps  by change point  by creep rule  by either");
    for (size_t size = 0; size < 9; size++)
        if (total[size])
            printf("%4zu %7zu %16zu %14zu %10zu\n", size, total[size], step[size], rule[size],
                   either[size]);
    printf("creeps of at least 2 %%: %zu of %zu by either\n", large_found, large);
    printf("alarms of the creep rule in series without step or creep: %zu in %zu points, "
           "%.2f a thousand\n",
           others, quiet * RUNS, 1000.0 * (double)others / (double)(quiet * RUNS));
    return 0;
}

/* --- Drifts of the fleet ---------------------------------------------------------------------- */

/* A point of the fleet. */
struct fleet_point {
    size_t row, series, index; /* index: within the series */
    const char *host, *date;   /* the first ten characters of the date count */
};

enum { DAY = 10 };

static int compare_nights(const void *a, const void *b)
{
    const struct fleet_point *x = a, *y = b;
    const int host = strcmp(x->host, y->host), day = strncmp(x->date, y->date, DAY);
    if (host || day)
        return host ? host : day;
    return (x->row > y->row) - (x->row < y->row);
}

/* Judges the points of one host and day. */
static void fleet_night_judge(const struct table *table, const struct fleet_point *points,
                              size_t count, struct drifting *series)
{
    static struct kg_creep creeps[SERIES_MOST * LAGS];
    static const struct fleet_point *compared[SERIES_MOST * LAGS];
    size_t compared_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct drifting *one = &series[points[i].series];
        struct kg_change_alarm alarm;
        const double x = log(number(table, points[i].row, 5));
        one->stepped = kg_history_append(&one->level, x, UNKNOWN, &alarm);
        for (size_t lag = 0; lag < LAGS && !one->stepped; lag++) {
            compared[compared_count] = &points[i];
            compared_count += comparison(one, points[i].index, lags[lag], &creeps[compared_count]);
        }
    }
    kg_creep_judge(creeps, compared_count);
    for (size_t i = 0; i < compared_count; i++) {
        struct drifting *one = &series[compared[i]->series];
        if (!creeps[i].creeps || one->reported == compared[i]->index + 1)
            continue;
        one->reported = compared[i]->index + 1;
        printf("gpu_fleet,%s|%s,%zu,%zu\n", cell(table, compared[i]->row, 0),
               cell(table, compared[i]->row, 1), compared[i]->index, compared[i]->index);
    }
}

static int drifts(const char *folder)
{
    static struct drifting series[SERIES_MOST];
    const struct table table = table_read(folder, "gpu_fleet.csv");
    struct fleet_point *points = kg_alloc(table.rows, sizeof *points);
    size_t count = 0, number_of = 0;
    for (size_t row = 1; row < table.rows; row++) {
        number_of += row > 1 && !same_series(&table, row, row - 1, 2);
        points[count++] = (struct fleet_point){row, number_of, whole(&table, row, 2),
                                               cell(&table, row, 0), cell(&table, row, 3)};
    }
    qsort(points, count, sizeof *points, compare_nights);
    puts("set,series,index,found_at");
    for (size_t i = 0, night; i < count; i += night) {
        for (night = 1; i + night < count && !strcmp(points[i].host, points[i + night].host) &&
                        !strncmp(points[i].date, points[i + night].date, DAY);)
            night++;
        fleet_night_judge(&table, points + i, night, series);
    }
    free(points);
    return 0;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

enum { FLEETS = 6, MACHINES = 6, CASES = 12, NIGHTS = 100, START = 12 };

struct fleet {
    bool there;
    double x[MACHINES][CASES][NIGHTS];
};

/* Distance of a machine in a night from its past. */
static double distance_of(const struct fleet *fleet, size_t machine, size_t run)
{
    const size_t past = run < KG_NODE_PAST ? run : KG_NODE_PAST;
    double distances[CASES];
    for (size_t c = 0; c < CASES; c++) {
        const double *x = fleet->x[machine][c];
        double values[KG_NODE_PAST];
        memcpy(values, x + run - past, past * sizeof *values);
        distances[c] = kg_node_case_distance(x[run], values, past);
    }
    return kg_node_distance(distances, CASES);
}

/* Judges one night of a fleet, from the nights up to it. */
static void fleet_night(const struct fleet *fleet, size_t run, struct kg_node_night *nodes)
{
    static double distances[MACHINES * NIGHTS];
    for (size_t m = 0; m < MACHINES; m++)
        for (size_t i = 0; i <= run; i++)
            distances[m * (run + 1) + i] = distance_of(fleet, m, i);
    kg_suspect_nodes_find(distances, MACHINES, run + 1, nodes);
}

static int nodes_judge(const char *folder)
{
    static struct fleet fleets[FLEETS];
    const struct table table = table_read(folder, "planted_fleet.csv");
    const struct table labels = table_read(folder, "planted_fleet_labels.csv");
    size_t runs = 0, runs_found = 0, machines = 0, machines_found = 0, elsewhere = 0, judged = 0;
    for (size_t row = 1; row < table.rows; row++) {
        struct fleet *fleet = &fleets[whole(&table, row, 0)];
        fleet->there = true;
        fleet->x[whole(&table, row, 1)][whole(&table, row, 2)][whole(&table, row, 3)] =
            number(&table, row, 4);
    }
    for (size_t f = 0; f < FLEETS; f++) {
        bool explained[MACHINES][NIGHTS] = {{false}}, suspect[MACHINES][NIGHTS] = {{false}};
        if (!fleets[f].there)
            continue;
        for (size_t run = START; run < NIGHTS; run++) {
            struct kg_node_night nodes[MACHINES];
            fleet_night(&fleets[f], run, nodes);
            for (size_t m = 0; m < MACHINES; m++)
                suspect[m][run] = nodes[m].suspect;
        }
        for (size_t l = 1; l < labels.rows; l++) {
            const bool run = strcmp(cell(&labels, l, 1), "run") == 0;
            if (whole(&labels, l, 0) != f || (!run && strcmp(cell(&labels, l, 1), "machine") != 0))
                continue;
            const size_t m = whole(&labels, l, 2), at = whole(&labels, l, 4);
            *(run ? &runs : &machines) += 1;
            *(run ? &runs_found : &machines_found) += suspect[m][at];
            for (size_t i = at; i < NIGHTS && i < (run ? at + 1 : at + KG_NODE_PAST); i++)
                explained[m][i] = true;
        }
        for (size_t m = 0; m < MACHINES; m++)
            for (size_t run = START; run < NIGHTS; run++, judged++)
                elsewhere += suspect[m][run] && !explained[m][run];
    }
    printf("bad runs: %zu of %zu; stepped machines: %zu of %zu; false: %zu of %zu\n", runs_found,
           runs, machines_found, machines, elsewhere, judged);
    return 0;
}

/* --- Control ---------------------------------------------------------------------------------- */

/* Sum of squared changes from night to night. */
static double squares(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
    return sum;
}

/* The rest of each benchmark's scatter, from its tenth night on: before, the factor is 0. */
static int control(const char *folder)
{
    enum { MOST = 64, SKIPPED = 9 };
    const struct table table = table_read(folder, "subject_control.csv");
    double logs[3] = {0}; /* plain, ratio, fitted: sums of log standard deviations */
    size_t count = 0, better[2] = {0};
    for (size_t row = 1; row < table.rows;) {
        struct kg_control_fit fit = {0};
        double plain[MOST], ratio[MOST], fitted[MOST];
        size_t n = 0;
        for (const size_t first = row;
             row < table.rows && n < MOST && same_series(&table, row, first, 1); row++, n++) {
            plain[n] = log(number(&table, row, 3));
            ratio[n] = plain[n] - log(number(&table, row, 4));
            fitted[n] = kg_control_remove(&fit, plain[n], log(number(&table, row, 4)));
        }
        if (n <= SKIPPED + 2)
            continue;
        const double all[3] = {squares(plain + SKIPPED, n - SKIPPED),
                               squares(ratio + SKIPPED, n - SKIPPED),
                               squares(fitted + SKIPPED, n - SKIPPED)};
        for (size_t i = 0; i < 3; i++)
            logs[i] += log(all[i]) / 2;
        better[0] += all[1] < all[0];
        better[1] += all[2] <= all[0];
        count++;
    }
    printf("%zu benchmarks; scatter against the subject alone: ratio %+.1f %% (better in %zu), "
           "fitted %+.1f %% (no worse in %zu)\n",
           count, 100 * expm1((logs[1] - logs[0]) / (double)count), better[0],
           100 * expm1((logs[2] - logs[0]) / (double)count), better[1]);
    return 0;
}

/* --- Prior ------------------------------------------------------------------------------------ */

static double normal(struct kg_random *random)
{
    return sqrt(-2 * log1p(-kg_random_unit(random))) *
           cos(2 * 3.14159265358979323846 * kg_random_unit(random));
}

/* Mean of five rounds; adds their squares about it. */
static double rounds_draw(struct kg_random *random, double deviation, double *squares)
{
    enum { ROUNDS = 5 };
    double x[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++)
        x[i] = deviation * normal(random);
    const double mean = kg_mean(x, ROUNDS);
    for (size_t i = 0; i < ROUNDS; i++)
        *squares += (x[i] - mean) * (x[i] - mean);
    return mean;
}

/* Five rounds against five of the same code, one-sided at 0.1 %. History has a deviation of 1 and 60 degrees of
 * freedom; tonight has `deviation`. */
static void prior_row(struct kg_random *random, double deviation)
{
    enum { TRIALS = 200000, FREEDOM = 60, OWN = 8 };
    struct kg_student_points points = {0};
    size_t alarms[3] = {0};
    for (size_t trial = 0; trial < TRIALS; trial++) {
        double squares = 0, past = 0;
        const double shift =
            rounds_draw(random, deviation, &squares) - rounds_draw(random, deviation, &squares);
        for (size_t i = 0; i < FREEDOM; i++)
            past += pow(normal(random), 2);
        const struct kg_variance own = {squares / OWN, OWN}, prior = {past / FREEDOM, FREEDOM};
        struct kg_variance used[3] = {own, kg_variance_moderate(own, prior), own};
        kg_prior_moderate(&used[2], prior);
        for (size_t i = 0; i < 3; i++)
            alarms[i] += shift / sqrt(used[i].value * 2 / 5) >
                         kg_student_point_kept(&points, 0.001, used[i].freedom);
    }
    printf("%9.2f %8.3f %12.3f %10.3f\n", deviation, 100.0 * (double)alarms[0] / TRIALS,
           100.0 * (double)alarms[1] / TRIALS, 100.0 * (double)alarms[2] / TRIALS);
}

/* Variance of a night's five rounds; the nights' own variances differ by a factor of exp(2 `scatter`) or so. */
static struct kg_variance night_draw(struct kg_random *random, double scatter, size_t sides)
{
    double squares = 0;
    const double deviation = exp(scatter * normal(random));
    for (size_t i = 0; i < sides; i++)
        rounds_draw(random, deviation, &squares);
    const double freedom = 4 * (double)sides;
    return (struct kg_variance){squares / freedom, freedom};
}

/* Median over trials of the smallest difference that five rounds against five call, among 100 tests at 1 %, with the
 * prior of 60 nights over the same without. */
static void effect_row(struct kg_random *random, double scatter)
{
    enum { TRIALS = 4001, PAST = 60 };
    static double own[TRIALS], used[TRIALS], freedom[TRIALS];
    for (size_t trial = 0; trial < TRIALS; trial++) {
        struct kg_log_variances sum = {0};
        for (size_t i = 0; i < PAST; i++)
            kg_log_variances_add(&sum, night_draw(random, scatter, 1));
        struct kg_variance variance = night_draw(random, scatter, 2);
        const struct kg_variance past = kg_log_variances_usual(&sum, KG_PRIOR_FREEDOM_MOST);
        freedom[trial] = past.freedom;
        own[trial] = sqrt(variance.value) * kg_student_point(1e-4, variance.freedom);
        kg_prior_moderate(&variance, past);
        used[trial] = sqrt(variance.value) * kg_student_point(1e-4, variance.freedom);
    }
    kg_sort(own, TRIALS);
    kg_sort(used, TRIALS);
    kg_sort(freedom, TRIALS);
    printf("%7.2f %18.1f %15.0f %%\n", scatter, kg_median_sorted(freedom, TRIALS),
           100 * (kg_median_sorted(used, TRIALS) / kg_median_sorted(own, TRIALS) - 1));
}

static int prior(void)
{
    static const double scatters[] = {0, 0.1, 0.2, 0.5};
    static const double deviations[] = {1, 1.25, 1.5, 2, 3};
    struct kg_random random = {60};
    puts("alarms in %, of 0.1\ndeviation      own    moderated     F test");
    for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++)
        prior_row(&random, deviations[i]);
    puts("nights differ, degrees of freedom, smallest effect");
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        effect_row(&random, scatters[i]);
    return 0;
}

/* --- Time ------------------------------------------------------------------------------------- */

static int append_time(void)
{
    enum { APPENDS = 200000 };
    struct kg_random random = {1};
    struct kg_history_level level = {0};
    struct kg_change_alarm alarm;
    const uint64_t start = kg_clock_ns();
    size_t alarms = 0;
    for (size_t i = 0; i < APPENDS; i++)
        alarms += kg_history_append(&level, 0.001 * kg_random_unit(&random), UNKNOWN, &alarm);
    printf("%.2f us per append, %zu bytes of state, %zu alarms in %d appends\n",
           1e-3 * (double)(kg_clock_ns() - start) / APPENDS, sizeof level, alarms, APPENDS);
    return 0;
}

int main(int argc, char **argv)
{
    const char *subject = argc > 1 ? argv[1] : "";
    if (argc == 2 && strcmp(subject, "time") == 0)
        return append_time();
    if (argc == 2 && strcmp(subject, "prior") == 0)
        return prior();
    if (argc == 4 && strcmp(subject, "causes") == 0)
        return causes(argv[2], argv[3]);
    if (argc == 3) {
        static const struct {
            const char *name;
            int (*run)(const char *folder);
        } subjects[] = {{"steps", steps},
                        {"creep", creep},
                        {"drifts", drifts},
                        {"nodes", nodes_judge},
                        {"control", control}};
        for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
            if (strcmp(subject, subjects[i].name) == 0)
                return subjects[i].run(argv[2]);
    }
    fputs(
        "usage: history steps|creep|drifts|nodes|control DIR | causes DIR LABELS | prior | time\n",
        stderr);
    return 2;
}
