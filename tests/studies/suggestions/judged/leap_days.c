/* leap_days.c: a call of some fifty nanoseconds: the day of the week of a few dates. */
#include "judged.h"

enum { DATES = 8 };

struct date {
    int year, month, day;
};

struct state {
    double result;
    struct date dates[DATES];
};

/* Sakamoto (1993). */
static ELSEWHERE int day_of_week(struct date date)
{
    static const int offsets[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    const int year = date.year - (date.month < 3);
    return (year + year / 4 - year / 100 + year / 400 + offsets[date.month - 1] + date.day) % 7;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < DATES; i++)
        state->dates[i] = (struct date){1970 + (int)below(&random, 100),
                                        1 + (int)below(&random, 12), 1 + (int)below(&random, 28)};
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    int sum = 0;
    for (int i = 0; i < DATES; i++)
        sum = sum * 2 + day_of_week(state->dates[i]);
    state->result = sum;
}

static int days_before(struct date date)
{
    static const int months[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int days = date.day - 1;
    for (int year = 1970; year < date.year; year++)
        days += 365 + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
    for (int month = 1; month < date.month; month++)
        days += months[month - 1];
    const bool leap = (date.year % 4 == 0 && date.year % 100 != 0) || date.year % 400 == 0;
    return days + (leap && date.month > 2);
}

/* 1 January 1970 was a Thursday. */
static double reference(const struct state *state)
{
    int sum = 0;
    for (int i = 0; i < DATES; i++)
        sum = sum * 2 + (4 + days_before(state->dates[i])) % 7;
    return sum;
}

SINGLE(leap_days, 0, "Days of the week of a few dates.");
