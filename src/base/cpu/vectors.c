#include "base/cpu/vectors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool avx512;

static void ask(void)
{
#if defined __x86_64__ && defined __GNUC__
    const char *setting = secure_getenv("KGATE_AVX512");
    avx512 = __builtin_cpu_supports("avx512f") && !(setting && strcmp(setting, "no") == 0);
#endif
}

bool kg_avx512(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return avx512;
}
