/* survey_columns.c: a table of answers, a row for each person asked: the mean of each question. */
#include "judged.h"

enum { PEOPLE = 3000, QUESTIONS = 700 };

struct table {
    int rows, columns;
    float *cells; /* row by row */
};

struct state {
    double result;
    struct table table;
    double means[QUESTIONS];
};

static ELSEWHERE double column_sum(const struct table *table, int column)
{
    double sum = 0;
    for (int row = 0; row < table->rows; row++)
        sum += table->cells[row * table->columns + column];
    return sum;
}

static ELSEWHERE void add_row(const struct table *table, int row, double *restrict sums)
{
    const float *cells = table->cells + (size_t)row * (size_t)table->columns;
    for (int column = 0; column < table->columns; column++)
        sums[column] += cells[column];
}

static void means_by_column(const struct table *table, double *means)
{
    for (int column = 0; column < table->columns; column++)
        means[column] = column_sum(table, column) / table->rows;
}

static void means_by_row(const struct table *table, double *means)
{
    memset(means, 0, (size_t)table->columns * sizeof *means);
    for (int row = 0; row < table->rows; row++)
        add_row(table, row, means);
    for (int column = 0; column < table->columns; column++)
        means[column] /= table->rows;
}

static double total(const double *means)
{
    double sum = 0;
    for (int i = 0; i < QUESTIONS; i++)
        sum += means[i] * (i + 1);
    return sum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    float *cells = context->allocate(context, PEOPLE * QUESTIONS * sizeof *cells);
    if (!state || !cells)
        return refuse(context, "out of memory");
    state->table = (struct table){PEOPLE, QUESTIONS, cells};
    uint64_t random = context->seed | 1;
    for (int i = 0; i < PEOPLE * QUESTIONS; i++)
        cells[i] = (float)below(&random, 6);
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    means_by_column(&state->table, state->means);
    state->result = total(state->means);
}

static void run_good(void *place)
{
    struct state *state = place;
    means_by_row(&state->table, state->means);
    state->result = total(state->means);
}

PAIR(survey_columns, 1e-9, "Means of a table's columns.");
