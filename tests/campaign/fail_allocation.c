/* Preloaded into kgate: the allocation whose number is in KGATE_FAIL_ALLOCATION finds no memory. With 0
 * none does, and how many there were goes to the file KGATE_COUNT_ALLOCATIONS at the end. What
 * libraries allocate before main is theirs. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

static atomic_ulong allocations;
static atomic_bool counting;
static unsigned long failing;
static main_function *program;

static void count_write(void)
{
    const char *path = getenv("KGATE_COUNT_ALLOCATIONS");
    const unsigned long count = atomic_load(&allocations);
    atomic_store(&counting, 0);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%lu\n", count);
    fclose(file);
}

static int counted_main(int argc, char **argv, char **environment)
{
    const char *number = getenv("KGATE_FAIL_ALLOCATION");
    failing = number ? strtoul(number, NULL, 10) : 0;
    /* what kgate starts is left alone: its allocations are not kgate's */
    unsetenv("LD_PRELOAD");
    atexit(count_write);
    atomic_store(&counting, 1);
    return program(argc, argv, environment);
}

/* libc's, which calls main when the libraries are ready. */
int __libc_start_main(main_function *called, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_function *start = NULL;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = called;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static int fails(void)
{
    if (!atomic_load_explicit(&counting, memory_order_relaxed))
        return 0;
    const unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
    if (!failing || number != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}
