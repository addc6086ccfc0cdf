/* attention_projection.h: every row of the whole's result against double precision, by Freivalds'
 * method (1979): Y r for a random vector r. Then V and W_out are needed as vectors only; what is
 * left are the scores and their exponentials. Pure but for the memory that it takes. */
#pragma once
#include "attention/attention.h"
#include "base/random.h"

/* Y r against the reference's of the rows of `sequence`: of all where that takes no more than
 * 2^32 multiply-adds, else of tiles of rows drawn at random. Of a row it is relative to the root
 * of the sum of squares of the terms P_ij (V W_out r)_j of all heads, and over
 * KG_ATTENTION_PROJECTED sqrt(seq_len).
 *
 * The elements of r have random signs and are uniform from 1/2 to 3/2, so that an element of Y that
 * is off by e deviates Y r by at least t with probability 1 - t / e, whatever else of its row is
 * wrong.
 * random  what r and rows are drawn by
 * worst   at most 1 where no row is wrong
 * returns false where there is no memory for it */
bool kg_attention_projected(const struct kg_attention *attention, struct kg_random *random,
                            size_t sequence, double *worst);
