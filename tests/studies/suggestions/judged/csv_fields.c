/* csv_fields.c: cuts rows of a CSV file into fields, and sums one field. */
#include "judged.h"

enum { ROWS = 400, COLUMNS = 12, ROW_MOST = 160 };

struct slice {
    const char *start;
    size_t length;
};

struct state {
    double result;
    char rows[ROWS][ROW_MOST];
};

/* Cuts a row into fields, each a string of its own. */
static ELSEWHERE int split_row(const char *row, char *fields[])
{
    int count = 0;
    while (*row && count < COLUMNS) {
        const char *end = strchr(row, ',');
        if (!end)
            end = row + strlen(row);
        const size_t length = (size_t)(end - row);
        char *field = malloc(length + 1);
        if (!field)
            break;
        memcpy(field, row, length);
        field[length] = '\0';
        fields[count++] = field;
        row = *end ? end + 1 : end;
    }
    return count;
}

static ELSEWHERE void free_fields(char *fields[], int count)
{
    for (int i = 0; i < count; i++)
        free(fields[i]);
}

/* Cuts a row into fields in place. */
static ELSEWHERE int slice_row(const char *row, struct slice fields[])
{
    int count = 0;
    while (*row && count < COLUMNS) {
        const char *end = strchr(row, ',');
        if (!end)
            end = row + strlen(row);
        fields[count++] = (struct slice){row, (size_t)(end - row)};
        row = *end ? end + 1 : end;
    }
    return count;
}

static unsigned whole_number(const char *text, size_t length)
{
    unsigned value = 0;
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        value = value * 10 + (unsigned)(text[i] - '0');
    return value;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0, length = 0; j < COLUMNS; j++)
            length += snprintf(state->rows[i] + length, ROW_MOST - (size_t)length, "%s%u",
                               j ? "," : "", below(&random, 1000000));
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        char *fields[COLUMNS];
        const int count = split_row(state->rows[i], fields);
        if (count > 7)
            sum += whole_number(fields[7], strlen(fields[7]));
        free_fields(fields, count);
    }
    state->result = sum;
}

static void run_good(void *place)
{
    struct state *state = place;
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        struct slice fields[COLUMNS];
        if (slice_row(state->rows[i], fields) > 7)
            sum += whole_number(fields[7].start, fields[7].length);
    }
    state->result = sum;
}

PAIR(csv_fields, 0, "Rows of CSV cut into fields.");
