/* expect.h: common code of the programs in this folder. Each tests one property that needs a
 * device, and prints the expected and the found value. Exit status: 0 good, or no driver or GPU
 * here; 1 not good. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

__attribute__((format(printf, 2, 3))) static inline void expect(bool good, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf(good ? "ok    " : "FAIL  ");
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    fflush(stdout); /* if a timeout ends the program, its results are kept */
    failures += !good;
}

static inline int expect_end(void)
{
    printf("%d failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
