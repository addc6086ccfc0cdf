/* sensor_export.c: writes sensors' readings as lines of text. */
#include "judged.h"

enum { READINGS = 1000, LINE_MOST = 40 };

struct reading {
    unsigned time, sensor;
    int value;
};

struct state {
    double result;
    struct reading readings[READINGS];
    char text[READINGS * LINE_MOST];
};

static ELSEWHERE size_t put_reading(char *text, const struct reading *reading)
{
    return (size_t)sprintf(text, "%u,%u,%d\n", reading->time, reading->sensor, reading->value);
}

static char *put_number(char *text, unsigned value)
{
    char digits[10];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *text++ = digits[--count];
    return text;
}

static ELSEWHERE size_t put_reading_by_hand(char *text, const struct reading *reading)
{
    char *end = put_number(text, reading->time);
    *end++ = ',';
    end = put_number(end, reading->sensor);
    *end++ = ',';
    if (reading->value < 0)
        *end++ = '-';
    end = put_number(end, (unsigned)abs(reading->value));
    *end++ = '\n';
    return (size_t)(end - text);
}

static double fingerprint(const char *text, size_t length)
{
    unsigned sum = 0;
    for (size_t i = 0; i < length; i += 97)
        sum = sum * 31 + (unsigned char)text[i];
    return sum + (double)length;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (unsigned i = 0; i < READINGS; i++)
        state->readings[i] = (struct reading){.time = 1700000000 + 5 * i,
                                              .sensor = below(&random, 64),
                                              .value = (int)below(&random, 20000) - 10000};
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    size_t length = 0;
    for (int i = 0; i < READINGS; i++)
        length += put_reading(state->text + length, &state->readings[i]);
    state->result = fingerprint(state->text, length);
}

static void run_good(void *place)
{
    struct state *state = place;
    size_t length = 0;
    for (int i = 0; i < READINGS; i++)
        length += put_reading_by_hand(state->text + length, &state->readings[i]);
    state->result = fingerprint(state->text, length);
}

PAIR(sensor_export, 0, "Readings of sensors as text.");
