/* lattice_arrays.h: the arrays of a lattice workload: what is allocated and filled, what the check
 * finds in them and what is reported of them. Needs only the first thread's context. */
#pragma once
#include "lattice/lattice.h"

/* Which arrays a workload reads and writes, and its versions by their number and the device. */
struct kg_lattice_coding {
    bool codes_read;
    bool codes_written;
    bool decoded_written;
    const char *const *names;
    void (*versions[3][2])(struct kg_lattice *lattice);
};

/* What is reported of a sample. clipped_share: of vectors whose x / (beta alpha^15) was clipped. */
struct kg_lattice_figures {
    double mse;
    double overload_share;
    double clipped_share;
};

/* The arrays that a version uses, counted as the workload's: the input filled, on the CPU in place,
 * the others of bytes 0xff, which no result consists of. `codes`: whether there are any. False with
 * context->message; what was made is in *lattice in any case, for kg_lattice_arrays_free. */
bool kg_lattice_arrays_make(struct kgate_context *context, struct kg_lattice *lattice,
                            const struct kg_lattice_coding *coding, bool codes);
void kg_lattice_arrays_free(struct kgate_context *context, struct kg_lattice *lattice);

/* The figures of the vectors at `result`, whose arrays are on the host: of its decoded values, or,
 * where there are none, of what the reference decodes from its codes; by its counts, or, where
 * there are none, by the reference's. x is not read but made again from `seed`. */
struct kg_lattice_figures kg_lattice_figures_of(const struct kg_lattice *result, uint64_t seed);

/* Runs lattice->version on the first KG_LATTICE_SAMPLE vectors, reports their figures, and makes
 * the results bytes 0xff again. */
bool kg_lattice_sample_report(struct kgate_context *context, const struct kg_lattice *lattice,
                              const struct kg_lattice_coding *coding);

/* Counts the vectors whose results are not the reference's, of an input that is made again. */
bool kg_lattice_check(struct kgate_context *context, const struct kg_lattice *lattice,
                      const struct kg_lattice_coding *coding, struct kgate_check *check);
