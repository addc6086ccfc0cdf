/* The cost of scopes to a program.
 *     profiler_program calibrate            lengths: 10 us, 1 us, 10 us of reading memory;
 *     profiler_program turns LENGTH COUNT   this much work in scopes, nothing else;
 *     profiler_program blocks FOLDER A B C  all variants in blocks of 10 ms, forwards and
 *                                           backwards; ratios to the plain variant */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgate/profiler.h"
#include "loops.h"
#include "measure.h"

enum { GROUPS = 50, LENGTHS = 3, VARIANTS = 4 };

typedef void work_loop(unsigned turns, unsigned length);

static const struct {
    const char *name;
    void (*work)(unsigned length);
    double ns;
    unsigned turns; /* of a block */
    work_loop *plain, *out, *on;
} works[LENGTHS] = {
    {"10us", work_arithmetic, 10e3, 1000, loops_plain_arithmetic, loops_out_arithmetic,
     loops_on_arithmetic},
    {"1us", work_arithmetic, 1e3, 10000, loops_plain_arithmetic, loops_out_arithmetic,
     loops_on_arithmetic},
    {"memory", work_memory, 10e3, 1000, loops_plain_memory, loops_out_memory, loops_on_memory},
};

static double ns_of(void (*work)(unsigned length), unsigned length)
{
    double took[101];
    for (size_t i = 0; i < sizeof took / sizeof *took; i++) {
        const double start = now_ns();
        work(length);
        took[i] = now_ns() - start;
    }
    return median(took, sizeof took / sizeof *took);
}

static int calibrate(void)
{
    for (int i = 0; i < LENGTHS; i++) {
        const double unit = ns_of(works[i].work, 100000) / 100000;
        printf("%.0f%c", works[i].ns / unit, i + 1 < LENGTHS ? ' ' : '\n');
    }
    return 0;
}

enum variant_number { PLAIN, OUT, DISABLED, RECORDED };
static const char *const variant_names[VARIANTS] = {"plain", "out", "disabled", "recorded"};

static double block(int which, enum variant_number variant, unsigned length)
{
    work_loop *const loops[VARIANTS] = {works[which].plain, works[which].out, works[which].on,
                                        works[which].on};
    kgate_profiler_enable(NULL, variant == RECORDED);
    const double start = now_ns();
    loops[variant](works[which].turns, length);
    return now_ns() - start;
}

/* Forwards and backwards, so that a steady drift affects all variants alike. */
static void group(int which, unsigned length, double ns[VARIANTS])
{
    for (int i = 0; i < VARIANTS; i++)
        ns[i] = block(which, (enum variant_number)i, length);
    for (int i = VARIANTS; i-- > 0;)
        ns[i] += block(which, (enum variant_number)i, length);
}

static void compare(int which, unsigned length)
{
    double ns[GROUPS][VARIANTS], ratios[GROUPS], totals[VARIANTS] = {0};
    group(which, length, ns[0]); /* to warm up */
    for (int i = 0; i < GROUPS; i++) {
        group(which, length, ns[i]);
        for (int variant = 0; variant < VARIANTS; variant++)
            totals[variant] += ns[i][variant];
    }
    for (int variant = OUT; variant < VARIANTS; variant++) {
        for (int i = 0; i < GROUPS; i++)
            ratios[i] = ns[i][variant] / ns[i][PLAIN];
        printf("program.%s.%s.median\t%.6f\n", works[which].name, variant_names[variant],
               median(ratios, GROUPS));
        printf("program.%s.%s.total\t%.6f\n", works[which].name, variant_names[variant],
               totals[variant] / totals[PLAIN]);
    }
    printf("program.%s.scope_ns\t%.1f\n", works[which].name,
           totals[PLAIN] / GROUPS / 2 / works[which].turns);
}

static int blocks(const char *folder, char **lengths)
{
    char path[4096], message[256];
    snprintf(path, sizeof path, "%s/program.kgprof", folder);
    const struct kgate_profiler_options options = {.path = path};
    if (!kgate_profiler_start(&options, message)) {
        fprintf(stderr, "profiler_program: %s\n", message);
        return 1;
    }
    for (int i = 0; i < LENGTHS; i++)
        compare(i, (unsigned)strtoul(lengths[i], NULL, 10));
    return 0;
}

int main(int count, char **arguments)
{
    pin(0);
    if (count == 2 && !strcmp(arguments[1], "calibrate"))
        return calibrate();
    if (count == 4 && !strcmp(arguments[1], "turns")) {
        loops_on_arithmetic((unsigned)strtoul(arguments[3], NULL, 10),
                            (unsigned)strtoul(arguments[2], NULL, 10));
        return 0;
    }
    if (count == 3 + LENGTHS && !strcmp(arguments[1], "blocks"))
        return blocks(arguments[2], arguments + 3);
    fputs("usage: profiler_program calibrate | turns LENGTH COUNT | blocks FOLDER A B C\n", stderr);
    return 2;
}
