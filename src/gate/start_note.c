#include "gate/start_note.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "device/sysfs.h"

/* Limits that a quiet machine stays below: load per CPU, and share of CPU time taken by the host. */
static const double LOAD_SHARE = 0.5, STEAL_SHARE = 0.01;

/* Share of CPU time since boot that the host gave to other machines (proc(5), `steal`); 0: unknown. */
static double stolen_share(void)
{
    double part[8] = {0}, all = 0;
    FILE *file = fopen("/proc/stat", "re");
    const int read = file ? fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &part[0], &part[1],
                                   &part[2], &part[3], &part[4], &part[5], &part[6], &part[7])
                          : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < 8; i++)
        all += part[i];
    return read == 8 && all > 0 ? part[7] / all : 0;
}

static void part_begin(struct kg_text *text)
{
    kg_text_append(text, text->length ? "; " : "when measuring began ");
}

const char *kg_start_note(struct kg_arena *arena, const struct kg_machine *machine)
{
    const double cpus = (double)machine->cpu_count, stolen = stolen_share();
    const double quota = kg_tree_quota_cpus("");
    struct kg_text text = {0};
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load > LOAD_SHARE * cpus) {
        part_begin(&text);
        kg_text_printf(&text, "the load was %.1f on %.0f CPU%s", load, cpus, cpus == 1 ? "" : "s");
    }
    if (quota < cpus) {
        part_begin(&text);
        kg_text_printf(&text, "a quota allowed %.3g of %.0f CPUs", quota, cpus);
    }
    if (stolen > STEAL_SHARE) {
        part_begin(&text);
        kg_text_printf(&text, "the host had taken %.0f %% of the CPUs' time since boot",
                       100 * stolen);
    }
    const char *copy = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}
