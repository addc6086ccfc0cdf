/* Exports a price list as CSV: article, pieces, price in euros and cents. */
#include <stdio.h>
#include <string.h>

#include "workload.h"

enum { ROWS = 2000, LINE_MOST = 48 };

struct row {
    uint32_t article;
    uint32_t pieces;
    uint32_t cents;
};

struct work {
    struct row rows[ROWS];
    char text[ROWS * LINE_MOST];
    size_t length;
};

static size_t print_row(char *text, const struct row *row)
{
    return (size_t)snprintf(text, LINE_MOST, "%u;%u;%u.%02u\n", row->article, row->pieces,
                            row->cents / 100, row->cents % 100);
}

static char *put_number(char *at, uint32_t value)
{
    char digits[10];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count)
        *at++ = digits[--count];
    return at;
}

static size_t put_row(char *text, const struct row *row)
{
    char *at = put_number(text, row->article);
    *at++ = ';';
    at = put_number(at, row->pieces);
    *at++ = ';';
    at = put_number(at, row->cents / 100);
    *at++ = '.';
    *at++ = (char)('0' + row->cents / 10 % 10);
    *at++ = (char)('0' + row->cents % 10);
    *at++ = '\n';
    return (size_t)(at - text);
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->length = 0;
    for (size_t i = 0; i < ROWS; i++)
        work->length += print_row(work->text + work->length, &work->rows[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->length = 0;
    for (size_t i = 0; i < ROWS; i++)
        work->length += put_row(work->text + work->length, &work->rows[i]);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < ROWS; i++)
        work->rows[i] = (struct row){.article = (uint32_t)(workload_random(&sequence) % 1000000),
                                     .pieces = (uint32_t)(workload_random(&sequence) % 500),
                                     .cents = (uint32_t)(workload_random(&sequence) % 300000)};
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0, at = 0;
    for (size_t i = 0; i < ROWS; i++) {
        char line[LINE_MOST];
        const size_t length = print_row(line, &work->rows[i]);
        wrong += at + length > work->length || memcmp(line, work->text + at, length) != 0;
        at += length;
    }
    return workload_wrong(check, wrong + (at != work->length));
}

PAIR(price_list, "Writes a price list as CSV.");
