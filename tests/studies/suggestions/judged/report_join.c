/* report_join.c: a report of many lines, put together in one buffer. */
#include "judged.h"

enum { LINES = 3500, LINE_MOST = 80 };

struct report {
    char *text;
    size_t length;
};

struct state {
    double result;
    struct report report;
    char lines[LINES][LINE_MOST];
};

static void report_clear(struct report *report)
{
    report->text[0] = '\0';
    report->length = 0;
}

static ELSEWHERE void append_line(struct report *report, const char *line)
{
    // NOLINTBEGIN(clang-analyzer-security.insecureAPI.strcpy)
    strcat(report->text, line);
    strcat(report->text, "\n");
    // NOLINTEND(clang-analyzer-security.insecureAPI.strcpy)
}

static ELSEWHERE void append_line_at_end(struct report *report, const char *line)
{
    const size_t length = strlen(line);
    memcpy(report->text + report->length, line, length);
    report->length += length;
    memcpy(report->text + report->length, "\n", 2);
    report->length++;
}

static double fingerprint(const struct report *report)
{
    const size_t length = strlen(report->text);
    const char middle = report->text[length / 2];
    return (double)length * 256 + middle;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    char *text = context->allocate(context, LINES * LINE_MOST + 1);
    if (!state || !text)
        return refuse(context, "out of memory");
    state->report.text = text;
    uint64_t random = context->seed | 1;
    for (int i = 0; i < LINES; i++)
        snprintf(state->lines[i], LINE_MOST,
                 "%06d  host-%04u  requests=%07u  errors=%03u  idle=%02u%%  p99=%04u", i,
                 below(&random, 9000), below(&random, 9000000), below(&random, 900),
                 below(&random, 90), below(&random, 9000));
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    report_clear(&state->report);
    for (int i = 0; i < LINES; i++)
        append_line(&state->report, state->lines[i]);
    state->result = fingerprint(&state->report);
}

static void run_good(void *place)
{
    struct state *state = place;
    report_clear(&state->report);
    for (int i = 0; i < LINES; i++)
        append_line_at_end(&state->report, state->lines[i]);
    state->result = fingerprint(&state->report);
}

PAIR(report_join, 0, "A report put together line by line.");
