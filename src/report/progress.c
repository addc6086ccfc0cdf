#include "report/progress.h"

#include <math.h>

#include "util/escape.h"
#include "util/units.h"

static const uint64_t EVERY_NS = 30000000000ULL;
enum { STEPS_LEAST = 3, ID_MOST = 40 };

void kg_progress_note(struct kg_progress_meter *meter, size_t done, uint64_t now_ns)
{
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
    const double left =
        (double)(newest - oldest) / (double)(seen - 1) * (double)(planned - meter->done);
    return left < 1e9 ? left : 1e9 * round(left / 1e9);
}

bool kg_progress_due(struct kg_progress_meter *meter, uint64_t now_ns)
{
    const uint64_t last = meter->said_ns ? meter->said_ns : meter->started_ns;
    if (now_ns - last < EVERY_NS)
        return false;
    meter->said_ns = now_ns;
    return true;
}

void kg_progress_line(const struct kg_progress_meter *meter, size_t planned, const char *id,
                      size_t cells, bool plain, struct kg_text *text)
{
    char left[KG_UNIT_BYTES];
    const size_t full = planned ? meter->done * cells / planned : 0;
    const double left_ns = kg_progress_left_ns(meter, planned);
    const char *done = plain ? "#" : "█", *open = plain ? "." : "░";
    for (size_t i = 0; i < cells; i++)
        kg_text_append(text, i < full ? done : open);
    kg_text_printf(text, "%s%zu/%zu", cells ? " " : "", meter->done, planned);
    if (isfinite(left_ns) && meter->done < planned)
        kg_text_printf(text, ", about %s left", kg_duration_format(left_ns, left));
    kg_text_append(text, "  ");
    kg_escape_terminal(text, id, ID_MOST);
}
