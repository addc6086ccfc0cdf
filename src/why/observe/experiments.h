/* experiments.h: measures a case again with one thing changed, turn by turn with itself: what a
 * change would gain is then measured, not guessed. */
#pragma once
#include "why/observe/hot_step.h"

/* Tries what may gain by what is known of the case: flushing denormal numbers to zero where its
 * instructions take longer than instructions do; huge pages where it works on more than a little
 * memory; keeping memory that the C library gives back to the kernel and takes again.
 * Some ten milliseconds each where nothing moves. */
kg_hot_step kg_experiments_step;
