/* Puts the parameters of a request together: name=value&name=value, and so on. */
#include <stdio.h>
#include <string.h>

#include "workload.h"

enum { PARAMETERS = 1500, NAME_MOST = 16 };

struct parameter {
    char name[NAME_MOST];
    char value[NAME_MOST];
};

struct work {
    struct parameter parameters[PARAMETERS];
    char query[PARAMETERS * (2 * NAME_MOST + 2)];
};

static void add_at_end(char *query, const struct parameter *parameter)
{
    if (*query)
        strncat(query, "&", 2);
    strncat(query, parameter->name, NAME_MOST);
    strncat(query, "=", 2);
    strncat(query, parameter->value, NAME_MOST);
}

static char *add_here(char *at, const struct parameter *parameter, bool first)
{
    if (!first)
        *at++ = '&';
    at = stpcpy(at, parameter->name);
    *at++ = '=';
    return stpcpy(at, parameter->value);
}

static void run_bad(void *state)
{
    struct work *work = state;
    *work->query = '\0';
    for (size_t i = 0; i < PARAMETERS; i++)
        add_at_end(work->query, &work->parameters[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    char *at = work->query;
    for (size_t i = 0; i < PARAMETERS; i++)
        at = add_here(at, &work->parameters[i], i == 0);
    *at = '\0';
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < PARAMETERS; i++) {
        snprintf(work->parameters[i].name, NAME_MOST, "field%zu", i);
        snprintf(work->parameters[i].value, NAME_MOST, "%u",
                 (unsigned)(workload_random(&sequence) >> 40));
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    const char *at = work->query;
    for (size_t i = 0; i < PARAMETERS; i++) {
        char part[2 * NAME_MOST + 2];
        const int length = snprintf(part, sizeof part, "%s%s=%s", i ? "&" : "",
                                    work->parameters[i].name, work->parameters[i].value);
        if (strncmp(at, part, (size_t)length) != 0)
            return workload_wrong(check, 1);
        at += length;
    }
    return workload_wrong(check, wrong + (*at != '\0'));
}

PAIR(query_string, "Puts the parameters of a request together.");
