/* lattice_arrays.h: the arrays of a lattice workload: allocation, input, check and reported values.
 * Needs only the first thread's context. */
#pragma once
#include "lattice/lattice.h"

/* The arrays that a workload reads and writes, and its versions by number and device. */
struct kg_lattice_coding {
    bool codes_read;
    bool codes_written;
    bool decoded_written;
    const char *const *names;
    void (*versions[3][2])(struct kg_lattice *lattice);
};

/* Makes the arrays of a version, as memory of the workload. It fills the input, on the CPU in
 * place, and the others with bytes 0xff, which no result contains. `codes`: whether the version has
 * codes. False with context->message. *lattice then holds the arrays made so far, for
 * kg_lattice_arrays_free. */
bool kg_lattice_arrays_make(struct kgate_context *context, struct kg_lattice *lattice,
                            const struct kg_lattice_coding *coding, bool codes);
void kg_lattice_arrays_free(struct kgate_context *context, struct kg_lattice *lattice);

/* Runs lattice->version on the first KG_LATTICE_SAMPLE vectors, reports their figures, and makes
 * the results bytes 0xff again. */
bool kg_lattice_sample_report(struct kgate_context *context, const struct kg_lattice *lattice,
                              const struct kg_lattice_coding *coding);

/* Counts the vectors that differ from the reference, with the input made again. */
bool kg_lattice_check(struct kgate_context *context, const struct kg_lattice *lattice,
                      const struct kg_lattice_coding *coding, struct kgate_check *check);
