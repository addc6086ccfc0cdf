/* blas.h: which BLAS the kernels call. Thread-safe. */
#pragma once

/* "OpenBLAS 0.3.21 for Haswell": its version, and the processor that it took this one for, which
 * may be an older one that it knows. Static. */
const char *kg_blas_name(void);

/* Ends OpenBLAS's own threads, which it starts when it is loaded. They then spin for some 50 ms,
 * longer than a short round, and disturb a kernel that has no use for them. The next operation of
 * several threads starts them again. */
void kg_blas_rest(void);
