/* sparkline.h: a few figures as a line of blocks. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* Appends a block for each value, from "▁" of the least to "█" of the greatest. What they differ by in
 * all is not drawn larger than it is: a spread of less than `share` of the least stays below the top.
 * values  finite, from 0 up */
void kg_sparkline(struct kg_text *text, const double *values, size_t count, double share);
