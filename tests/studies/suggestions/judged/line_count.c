/* line_count.c: the lines of a text and its longest line, by the C library's search. */
#include "judged.h"

enum { BYTES = 800000 };

struct state {
    double result;
    char text[BYTES];
};

static ELSEWHERE double measure_lines(const char *text, size_t bytes)
{
    size_t lines = 0, longest = 0;
    const char *end = text + bytes;
    for (const char *line = text; line < end; lines++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            stop = end;
        if ((size_t)(stop - line) > longest)
            longest = (size_t)(stop - line);
        line = stop + 1;
    }
    return (double)lines * 10000 + (double)longest;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    memset(state->text, 'x', BYTES);
    for (size_t i = 50 + below(&random, 300); i < BYTES - 1; i += 50 + below(&random, 300))
        state->text[i] = '\n';
    state->text[BYTES - 1] = '\n';
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = measure_lines(state->text, BYTES);
}

static double reference(const struct state *state)
{
    int lines = 0, length = 0, longest = 0;
    for (int i = 0; i < BYTES; i++) {
        length = state->text[i] == '\n' ? 0 : length + 1;
        lines += state->text[i] == '\n';
        longest = length > longest ? length : longest;
    }
    return lines * 10000.0 + longest;
}

SINGLE(line_count, 0, "Lines counted, and the longest found.");
