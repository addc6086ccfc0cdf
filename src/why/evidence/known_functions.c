#include "why/evidence/known_functions.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Starts of function names, without leading underscores and `GI_`. The first match counts. A '$'
 * marks a whole name, which only a version suffix may follow. */
static const struct {
    const char *begins;
    enum kg_cause_kind cause;
} functions[] = {
    {"libc_malloc", KG_CAUSE_ALLOCATION},
    {"libc_free", KG_CAUSE_ALLOCATION},
    {"libc_calloc", KG_CAUSE_ALLOCATION},
    {"libc_realloc", KG_CAUSE_ALLOCATION},
    {"int_malloc", KG_CAUSE_ALLOCATION},
    {"int_free", KG_CAUSE_ALLOCATION},
    {"int_realloc", KG_CAUSE_ALLOCATION},
    {"int_memalign", KG_CAUSE_ALLOCATION},
    {"malloc", KG_CAUSE_ALLOCATION},
    {"calloc", KG_CAUSE_ALLOCATION},
    {"realloc", KG_CAUSE_ALLOCATION},
    {"free$", KG_CAUSE_ALLOCATION},
    {"cfree", KG_CAUSE_ALLOCATION},
    {"unlink_chunk", KG_CAUSE_ALLOCATION},
    {"sysmalloc", KG_CAUSE_ALLOCATION},
    {"systrim", KG_CAUSE_ALLOCATION},
    {"tcache_", KG_CAUSE_ALLOCATION},
    {"posix_memalign", KG_CAUSE_ALLOCATION},
    {"aligned_alloc", KG_CAUSE_ALLOCATION},
    {"strdup", KG_CAUSE_ALLOCATION},
    {"Znwm", KG_CAUSE_ALLOCATION},
    {"Znam", KG_CAUSE_ALLOCATION},
    {"ZdlPv", KG_CAUSE_ALLOCATION},
    {"ZdaPv", KG_CAUSE_ALLOCATION},
    {"operator new", KG_CAUSE_ALLOCATION},
    {"operator delete", KG_CAUSE_ALLOCATION},
    {"memcpy", KG_CAUSE_COPYING},
    {"memmove", KG_CAUSE_COPYING},
    {"mempcpy", KG_CAUSE_COPYING},
    {"memset", KG_CAUSE_COPYING},
    {"bcopy", KG_CAUSE_COPYING},
    {"strcpy", KG_CAUSE_COPYING},
    {"stpcpy", KG_CAUSE_COPYING},
    {"strncpy", KG_CAUSE_COPYING},
    {"vfprintf", KG_CAUSE_FORMATTING},
    {"vfwprintf", KG_CAUSE_FORMATTING},
    {"vsnprintf", KG_CAUSE_FORMATTING},
    {"vsprintf", KG_CAUSE_FORMATTING},
    {"snprintf", KG_CAUSE_FORMATTING},
    {"sprintf", KG_CAUSE_FORMATTING},
    {"fprintf", KG_CAUSE_FORMATTING},
    {"printf", KG_CAUSE_FORMATTING},
    {"Xprintf_buffer", KG_CAUSE_FORMATTING},
    {"itoa_word", KG_CAUSE_FORMATTING},
    {"mpn_", KG_CAUSE_FORMATTING},
    {"hack_digit", KG_CAUSE_FORMATTING},
    {"vfscanf", KG_CAUSE_FORMATTING},
    {"vsscanf", KG_CAUSE_FORMATTING},
    {"isoc99_", KG_CAUSE_FORMATTING},
    {"sscanf", KG_CAUSE_FORMATTING},
    {"strto", KG_CAUSE_FORMATTING},
    {"ato", KG_CAUSE_FORMATTING},
    {"round_and_return", KG_CAUSE_FORMATTING},
    {"str_to_mpn", KG_CAUSE_FORMATTING},
    {"IO_str_init", KG_CAUSE_FORMATTING},
    {"IO_default_xsputn", KG_CAUSE_FORMATTING},
    {"IO_padn", KG_CAUSE_FORMATTING},
    {"IO_no_init", KG_CAUSE_FORMATTING},
    {"strftime", KG_CAUSE_FORMATTING},
    {"strptime", KG_CAUSE_FORMATTING},
    {"asctime", KG_CAUSE_FORMATTING},
    {"offtime", KG_CAUSE_FORMATTING},
    {"tz_convert", KG_CAUSE_FORMATTING},
    {"tzset", KG_CAUSE_FORMATTING},
    {"tzfile", KG_CAUSE_FORMATTING},
    {"mktime", KG_CAUSE_FORMATTING},
    {"strlen", KG_CAUSE_STRING_SCANNING},
    {"strnlen", KG_CAUSE_STRING_SCANNING},
    {"strcmp", KG_CAUSE_STRING_SCANNING},
    {"strncmp", KG_CAUSE_STRING_SCANNING},
    {"strcasecmp", KG_CAUSE_STRING_SCANNING},
    {"strncasecmp", KG_CAUSE_STRING_SCANNING},
    {"memcmp", KG_CAUSE_STRING_SCANNING},
    {"strchr", KG_CAUSE_STRING_SCANNING},
    {"strrchr", KG_CAUSE_STRING_SCANNING},
    {"memchr", KG_CAUSE_STRING_SCANNING},
    {"rawmemchr", KG_CAUSE_STRING_SCANNING},
    {"strstr", KG_CAUSE_STRING_SCANNING},
    {"strcasestr", KG_CAUSE_STRING_SCANNING},
    {"two_way", KG_CAUSE_STRING_SCANNING},
    {"memmem", KG_CAUSE_STRING_SCANNING},
    {"strcat", KG_CAUSE_STRING_SCANNING},
    {"strncat", KG_CAUSE_STRING_SCANNING},
    {"strspn", KG_CAUSE_STRING_SCANNING},
    {"strcspn", KG_CAUSE_STRING_SCANNING},
    {"strpbrk", KG_CAUSE_STRING_SCANNING},
    {"strtok", KG_CAUSE_STRING_SCANNING},
    {"strsep", KG_CAUSE_STRING_SCANNING},
    {"strcoll", KG_CAUSE_STRING_SCANNING},
    {"regcomp", KG_CAUSE_REPEATED_WORK},
    {"re_compile", KG_CAUSE_REPEATED_WORK},
    {"re_", KG_CAUSE_STRING_SCANNING},
    {"regexec", KG_CAUSE_STRING_SCANNING},
    {"msort_with_tmp", KG_CAUSE_CALL_OVERHEAD},
    {"qsort", KG_CAUSE_CALL_OVERHEAD},
    {"quicksort", KG_CAUSE_CALL_OVERHEAD},
    {"bsearch", KG_CAUSE_CALL_OVERHEAD},
    {"tls_get_addr", KG_CAUSE_CALL_OVERHEAD},
    {"cxa_throw", KG_CAUSE_EXCEPTIONS},
    {"cxa_rethrow", KG_CAUSE_EXCEPTIONS},
    {"cxa_allocate_exception", KG_CAUSE_EXCEPTIONS},
    {"cxa_free_exception", KG_CAUSE_EXCEPTIONS},
    {"cxa_begin_catch", KG_CAUSE_EXCEPTIONS},
    {"cxa_end_catch", KG_CAUSE_EXCEPTIONS},
    {"gxx_personality", KG_CAUSE_EXCEPTIONS},
    {"Unwind_", KG_CAUSE_EXCEPTIONS},
    {"dl_find_object", KG_CAUSE_EXCEPTIONS},
    {"dl_iterate", KG_CAUSE_NONE},
    {"dl_allocate_tls", KG_CAUSE_NONE}, /* threads use these */
    {"dl_deallocate_tls", KG_CAUSE_NONE},
    {"dl_", KG_CAUSE_LINKING},
    {"dlopen", KG_CAUSE_LINKING},
    {"dlsym", KG_CAUSE_LINKING},
    {"do_lookup_x", KG_CAUSE_LINKING},
    {"check_match", KG_CAUSE_LINKING},
    {"call_init", KG_CAUSE_LINKING},
    {"sin", KG_CAUSE_MATH_LIBRARY},
    {"cos", KG_CAUSE_MATH_LIBRARY},
    {"tan", KG_CAUSE_MATH_LIBRARY},
    {"do_sin", KG_CAUSE_MATH_LIBRARY},
    {"do_cos", KG_CAUSE_MATH_LIBRARY},
    {"sincos", KG_CAUSE_MATH_LIBRARY},
    {"asin", KG_CAUSE_MATH_LIBRARY},
    {"acos", KG_CAUSE_MATH_LIBRARY},
    {"atan", KG_CAUSE_MATH_LIBRARY},
    {"sinh", KG_CAUSE_MATH_LIBRARY},
    {"cosh", KG_CAUSE_MATH_LIBRARY},
    {"tanh", KG_CAUSE_MATH_LIBRARY},
    {"exp", KG_CAUSE_MATH_LIBRARY},
    {"log", KG_CAUSE_MATH_LIBRARY},
    {"pow", KG_CAUSE_MATH_LIBRARY},
    {"sqrt", KG_CAUSE_MATH_LIBRARY},
    {"cbrt", KG_CAUSE_MATH_LIBRARY},
    {"hypot", KG_CAUSE_MATH_LIBRARY},
    {"erf", KG_CAUSE_MATH_LIBRARY},
    {"lgamma", KG_CAUSE_MATH_LIBRARY},
    {"tgamma", KG_CAUSE_MATH_LIBRARY},
    {"fmod", KG_CAUSE_MATH_LIBRARY},
    {"fmax", KG_CAUSE_MATH_LIBRARY},
    {"fmin", KG_CAUSE_MATH_LIBRARY},
    {"fdim", KG_CAUSE_MATH_LIBRARY},
    {"rint", KG_CAUSE_MATH_LIBRARY},
    {"nearbyint", KG_CAUSE_MATH_LIBRARY},
    {"floor", KG_CAUSE_MATH_LIBRARY},
    {"ceil", KG_CAUSE_MATH_LIBRARY},
    {"round", KG_CAUSE_MATH_LIBRARY},
    {"lround", KG_CAUSE_MATH_LIBRARY},
    {"trunc", KG_CAUSE_MATH_LIBRARY},
    {"ieee754_", KG_CAUSE_MATH_LIBRARY},
    {"branred", KG_CAUSE_MATH_LIBRARY},
    {"rand", KG_CAUSE_MATH_LIBRARY},
    {"udivti3", KG_CAUSE_DIVISION},
    {"umodti3", KG_CAUSE_DIVISION},
    {"divti3", KG_CAUSE_DIVISION},
    {"lll_lock", KG_CAUSE_LOCKS},
    {"pthread_mutex", KG_CAUSE_LOCKS},
    {"pthread_rwlock", KG_CAUSE_LOCKS},
    {"pthread_spin", KG_CAUSE_LOCKS},
    {"pthread_cond", KG_CAUSE_LOCKS},
    {"sem_wait", KG_CAUSE_LOCKS},
    {"new_sem", KG_CAUSE_LOCKS},
    {"sem_post", KG_CAUSE_LOCKS},
    {"gomp_mutex", KG_CAUSE_LOCKS},
    {"GOMP_critical", KG_CAUSE_LOCKS},
    {"omp_set_lock", KG_CAUSE_LOCKS},
    {"omp_unset_lock", KG_CAUSE_LOCKS},
    {"GOMP_atomic", KG_CAUSE_LOCKS},
    {"gomp_team", KG_CAUSE_BARRIERS},
    {"gomp_barrier", KG_CAUSE_BARRIERS},
    {"gomp_simple_barrier", KG_CAUSE_BARRIERS},
    {"gomp_thread_start", KG_CAUSE_BARRIERS},
    {"GOMP_", KG_CAUSE_BARRIERS},
    {"kmp", KG_CAUSE_BARRIERS},
    {"pthread_barrier", KG_CAUSE_BARRIERS},
    {"pthread_create", KG_CAUSE_PROCESSES},
    {"pthread_join", KG_CAUSE_PROCESSES},
    {"pthread_clockjoin", KG_CAUSE_PROCESSES},
    {"pthread_timedjoin", KG_CAUSE_PROCESSES},
    {"clone", KG_CAUSE_PROCESSES},
    {"fork", KG_CAUSE_PROCESSES},
    {"spawn", KG_CAUSE_PROCESSES},
    {"popen", KG_CAUSE_PROCESSES},
    {"system$", KG_CAUSE_PROCESSES},
};

/* Whether the rest of a name is empty or a version suffix. */
static bool ends_well(const char *rest)
{
    return !*rest || *rest == '_' || *rest == '@' || *rest == '.' || isdigit((unsigned char)*rest);
}

const char *kg_function_plain(const char *function)
{
    function += strspn(function, "_");
    if (!strncmp(function, "GI_", 3))
        function += 3 + strspn(function + 3, "_");
    return function;
}

/* Whether a plain name is one of libstdc++'s throw helpers: `std::__throw_out_of_range`, or mangled
 * with a length, `ZSt20__throw_out_of_rangePKc`. */
static bool is_throw_helper(const char *function)
{
    static const char mangled[] = "ZSt", demangled[] = "std::", throws[] = "__throw_";
    if (!strncmp(function, mangled, sizeof mangled - 1))
        function += sizeof mangled - 1 + strspn(function + sizeof mangled - 1, "0123456789");
    else if (!strncmp(function, demangled, sizeof demangled - 1))
        function += sizeof demangled - 1;
    else
        return false;
    return !strncmp(function, throws, sizeof throws - 1);
}

enum kg_cause_kind kg_known_function(const char *function)
{
    if (!function)
        return KG_CAUSE_NONE;
    function = kg_function_plain(function);
    if (is_throw_helper(function))
        return KG_CAUSE_EXCEPTIONS;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const size_t length = strcspn(functions[i].begins, "$");
        if (!strncmp(function, functions[i].begins, length) &&
            (!functions[i].begins[length] || ends_well(function + length)))
            return functions[i].cause;
    }
    return KG_CAUSE_NONE;
}

enum kg_cause_kind kg_known_linker_function(const char *function)
{
    static const char *const start[] = {"init_cpu_features", "handle_amd",  "handle_intel",
                                        "intel_check_word",  "get_common",  "update_active",
                                        "cpu_features",      "dl_cet",      "tunables_init",
                                        "dl_non_dynamic",    "get_extended"};
    const enum kg_cause_kind known = kg_known_function(function);
    const char *plain = function ? kg_function_plain(function) : "";
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        if (!strncmp(plain, start[i], strlen(start[i])))
            return KG_CAUSE_NONE;
    if (known == KG_CAUSE_CALL_OVERHEAD ||
        known == KG_CAUSE_EXCEPTIONS) /* a thread-local variable */
        return known;
    return known == KG_CAUSE_NONE && !strncmp(plain, "dl_", 3) ? KG_CAUSE_NONE : KG_CAUSE_LINKING;
}

static const struct {
    const char *name;
    enum kg_cause_kind cause;
} system_calls[] = {
    {"fsync", KG_CAUSE_SYNC_IO},        {"fdatasync", KG_CAUSE_SYNC_IO},
    {"msync", KG_CAUSE_SYNC_IO},        {"sync", KG_CAUSE_SYNC_IO},
    {"syncfs", KG_CAUSE_SYNC_IO},       {"sync_file_range", KG_CAUSE_SYNC_IO},
    {"clone", KG_CAUSE_PROCESSES},      {"clone3", KG_CAUSE_PROCESSES},
    {"fork", KG_CAUSE_PROCESSES},       {"vfork", KG_CAUSE_PROCESSES},
    {"execve", KG_CAUSE_PROCESSES},     {"wait4", KG_CAUSE_PROCESSES},
    {"waitid", KG_CAUSE_PROCESSES},     {"exit", KG_CAUSE_PROCESSES},
    {"exit_group", KG_CAUSE_PROCESSES}, {"mmap", KG_CAUSE_PAGE_FAULTS},
    {"munmap", KG_CAUSE_PAGE_FAULTS},   {"mremap", KG_CAUSE_PAGE_FAULTS},
    {"brk", KG_CAUSE_PAGE_FAULTS},      {"madvise", KG_CAUSE_PAGE_FAULTS},
    {"mprotect", KG_CAUSE_PAGE_FAULTS}, {"nanosleep", KG_CAUSE_WAITING},
    {"poll", KG_CAUSE_WAITING},         {"clock_nanosleep", KG_CAUSE_WAITING},
    {"ppoll", KG_CAUSE_WAITING},        {"select", KG_CAUSE_WAITING},
    {"pselect6", KG_CAUSE_WAITING},     {"epoll_wait", KG_CAUSE_WAITING},
    {"epoll_pwait", KG_CAUSE_WAITING},  {"pause", KG_CAUSE_WAITING},
    {"accept", KG_CAUSE_WAITING},       {"connect", KG_CAUSE_WAITING},
    {"futex", KG_CAUSE_LOCKS},          {"sched_yield", KG_CAUSE_LOCKS},
};

/* A smaller transfer costs less than the system call itself. */
static const double SMALL_BYTES = 4096;

enum kg_cause_kind kg_known_system_call(const char *name, double bytes)
{
    if (!name)
        return KG_CAUSE_NONE;
    for (size_t i = 0; i < sizeof system_calls / sizeof *system_calls; i++)
        if (!strcmp(name, system_calls[i].name))
            return system_calls[i].cause;
    return isfinite(bytes) && bytes >= SMALL_BYTES ? KG_CAUSE_NONE : KG_CAUSE_SMALL_IO;
}
