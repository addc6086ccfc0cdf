/* expect.h: what the programs of this folder share. Each shows one thing that only a device can,
 * and prints what it expected and what it found. Exit status: 0 good, or no driver or GPU here; 1
 * not good. */
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
    fflush(stdout); /* a program that is ended for its time keeps what it found */
    failures += !good;
}

static inline int expect_end(void)
{
    printf("%d failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
