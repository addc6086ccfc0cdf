#include "show/markdown_parts.h"

#include <math.h>

void kg_sparkline(struct kg_text *text, const double *values, size_t count, double share)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HIGHEST = sizeof blocks / sizeof *blocks - 1 };
    double least = INFINITY, greatest = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    const double range = fmax(greatest - least, share > 0 ? share * least : 0);
    for (size_t i = 0; i < count; i++) {
        const double at = range > 0 ? (values[i] - least) / range : 0;
        kg_text_append(text, blocks[(size_t)lround(HIGHEST * fmin(1, fmax(0, at)))]);
    }
}
