#include "show/progress.h"

#include <math.h>
#include <stdint.h>

#include "base/escape.h"

static const uint64_t EVERY_NS = 30000000000ULL;
enum { STEPS_LEAST = 3, ID_MOST = 100, ID_LEAST = 20 };

void kg_progress_note(struct kg_progress_meter *meter, size_t done, uint64_t now_ns)
{
    if (done < meter->done) /* a new measurement began, such as paired rounds after a screening */
        meter->done = meter->count = 0;
    for (; meter->done < done; meter->done++)
        meter->ended_ns[meter->count++ % KG_PROGRESS_STEPS] = now_ns;
}

double kg_progress_left_ns(const struct kg_progress_meter *meter, size_t planned)
{
    const size_t seen = meter->count < KG_PROGRESS_STEPS ? meter->count : KG_PROGRESS_STEPS;
    if (seen < STEPS_LEAST || planned < meter->done)
        return NAN;
    const uint64_t newest = meter->ended_ns[(meter->count - 1) % KG_PROGRESS_STEPS];
    const uint64_t oldest = meter->ended_ns[(meter->count - seen) % KG_PROGRESS_STEPS];
    return (double)(newest - oldest) / (double)(seen - 1) * (double)(planned - meter->done);
}

bool kg_progress_due(struct kg_progress_meter *meter, uint64_t now_ns)
{
    const uint64_t last = meter->noted_ns ? meter->noted_ns : meter->started_ns;
    if (now_ns - last < EVERY_NS)
        return false;
    meter->noted_ns = now_ns;
    return true;
}

static void bar_append(const struct kg_progress_meter *meter, size_t planned, size_t cells,
                       struct kg_text *text)
{
    const size_t full = planned ? meter->done * cells / planned : 0;
    for (size_t i = 0; i < cells; i++)
        kg_text_append(text, i < full ? "█" : "░");
    kg_text_append(text, cells ? " " : "");
}

/* Appends the remaining time in whole units, at most two of them. */
static void left_append(double left_ns, struct kg_text *text)
{
    const unsigned long seconds = (unsigned long)ceil(left_ns / 1e9);
    if (seconds < 60)
        kg_text_printf(text, ", about %lu s left", seconds);
    else if (seconds < 3600)
        kg_text_printf(text, ", about %lu min %lu s left", seconds / 60, seconds % 60);
    else
        kg_text_printf(text, ", about %lu h %lu min left", seconds / 3600, seconds / 60 % 60);
}

void kg_progress_line(const struct kg_progress_meter *meter, size_t planned, const char *id,
                      const struct kg_progress_look *look, struct kg_text *text)
{
    struct kg_text figures = {0}, name = {0}, line = {0};
    const double left_ns = kg_progress_left_ns(meter, planned);
    kg_text_printf(&figures, "%zu/%zu", meter->done, planned);
    if (isfinite(left_ns) && meter->done < planned)
        left_append(left_ns, &figures);
    kg_text_append(&figures, "  ");
    const size_t room = look->width > figures.length ? look->width - figures.length : 0;
    const bool bar = !look->width || room >= look->cells + 1 + ID_LEAST;
    const size_t cells = bar ? look->cells : 0;
    const size_t id_most = !look->width ? ID_MOST : room - (cells ? cells + 1 : 0);
    kg_escape_terminal(&name, id, SIZE_MAX);
    bar_append(meter, planned, cells, &line);
    kg_text_append(&line, kg_text_string(&figures));
    kg_text_append_ends(&line, kg_text_string(&name), id_most);
    (look->plain ? kg_escape_plain : kg_text_append)(text, kg_text_string(&line));
    kg_text_free(&line);
    kg_text_free(&figures);
    kg_text_free(&name);
}
