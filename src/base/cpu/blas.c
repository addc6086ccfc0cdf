#include "base/cpu/blas.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[128];

static void name_make(void)
{
    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …" */
    const char *config = openblas_get_config();
    const char *version = strchr(config, ' ');
    const size_t words = version ? strcspn(version + 1, " ") + (size_t)(version + 1 - config) : 0;
    snprintf(name, sizeof name, "%.*s for %s", (int)words, config, openblas_get_corename());
}

/* OpenBLAS's own, which its headers leave out: what it does before a fork. */
int blas_thread_shutdown_(void); /* NOLINT(readability-identifier-naming) */

void kg_blas_rest(void)
{
    blas_thread_shutdown_();
}

const char *kg_blas_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, name_make);
    return name;
}
