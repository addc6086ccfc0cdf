/* attention_projection.h: compares every row of the whole's result with double precision, by
 * Freivalds' method (1979): Y r for a random vector r. V and W_out then act as vectors only. Scores
 * and exponentials are the remaining work. Pure, except for the memory that it takes. */
#pragma once
#include "attention/attention.h"
#include "base/random.h"

/* Compares Y r with the reference for rows of `sequence`. It takes all rows if they need at most
 * 2^32 multiply-adds, otherwise tiles of rows drawn at random. The error of a row is divided by
 * KG_ATTENTION_PROJECTED sqrt(seq_len) and by the root of the sum of its terms' squares. The terms
 * are P_ij (V W_out r)_j of all heads.
 *
 * The elements of r have random signs and sizes uniform from 1/2 to 3/2. So an error e of one
 * element of Y changes Y r by at least t with probability 1 - t / e. Other errors in the row do not
 * matter.
 * random  source of r and of the rows
 * worst   largest error; at most 1 if no row is wrong
 * returns false if memory is missing */
bool kg_attention_projected(const struct kg_attention *attention, struct kg_random *random,
                            size_t sequence, double *worst);
