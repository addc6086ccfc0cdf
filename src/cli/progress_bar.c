#include "cli/progress_bar.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/terminal.h"
#include "cli/cli.h"

enum { CELLS = 24 };

/* Columns for a line. Leaves the last column free, because some terminals wrap there. */
static size_t bar_width(void)
{
    enum { WIDTH_USUAL = 80 };
    struct winsize size;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (known ? size.ws_col : WIDTH_USUAL) - 1;
}

static void bar_draw(struct kg_progress_bar *bar, size_t planned, const char *id)
{
    struct kg_text line = {0};
    const struct kg_progress_look look = {CELLS, bar_width(), bar->plain};
    kg_progress_line(&bar->meter, planned, id, &look, &line);
    const size_t width = kg_text_width(kg_text_string(&line));
    fprintf(stderr, "\r%s%*s", kg_text_string(&line),
            width < bar->width ? (int)(bar->width - width) : 0, "");
    fflush(stderr);
    bar->width = width;
    kg_text_free(&line);
}

static void line_print(const struct kg_progress_bar *bar, size_t planned, const char *id)
{
    struct kg_text line = {0};
    const struct kg_progress_look look = {.plain = bar->plain};
    kg_progress_line(&bar->meter, planned, id, &look, &line);
    fprintf(stderr, "kgate: %s\n", kg_text_string(&line));
    kg_text_free(&line);
}

static void report(void *user, size_t done, size_t planned, const char *id)
{
    struct kg_progress_bar *bar = user;
    const uint64_t now = kg_clock_ns();
    kg_progress_note(&bar->meter, done, now);
    if (bar->terminal)
        bar_draw(bar, planned, id);
    else if (kg_progress_due(&bar->meter, now))
        line_print(bar, planned, id);
}

struct kg_progress kg_progress_bar_start(struct kg_progress_bar *bar,
                                         const struct kg_arguments *arguments)
{
    *bar = (struct kg_progress_bar){.enabled = !arguments->quiet,
                                    .terminal = isatty(STDERR_FILENO),
                                    .plain = kg_terminal_plain(),
                                    .meter = {.started_ns = kg_clock_ns()}};
    return (struct kg_progress){.report = bar->enabled ? report : NULL, .user = bar};
}

void kg_progress_bar_clear(struct kg_progress_bar *bar)
{
    if (bar->enabled && bar->terminal)
        fprintf(stderr, "\r%*s\r", (int)bar->width, "");
}

void kg_progress_bar_note(void *user, const char *note)
{
    struct kg_progress_bar *bar = user;
    struct kg_text line = {0};
    if (!bar->enabled)
        return;
    kg_progress_bar_clear(bar);
    kg_escape_terminal(&line, note, SIZE_MAX);
    fprintf(stderr, "kgate: note: %s\n", kg_text_string(&line));
    kg_text_free(&line);
}
