/* blas.h: which BLAS the kernels call. Thread-safe. */
#pragma once

/* "OpenBLAS 0.3.21 for Haswell": its version, and the processor that it took this one for, which
 * may be an older one that it knows. Static. */
const char *kg_blas_name(void);
