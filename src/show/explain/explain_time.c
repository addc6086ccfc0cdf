/* explain_time.c: the distribution of one case's time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "show/explain/explain_parts.h"

static const double SHARE_LEAST = 0.001;

/* Adds one part of the whole time. If its share is below 0.1 %: nothing. */
static void part_print(struct kg_document *document, const char *name, double part_ns,
                       double whole_ns, const char *after)
{
    const double share = fmin(part_ns / whole_ns, 1);
    if (!kg_known(part_ns) || !(share >= SHARE_LEAST))
        return;
    kg_part_add(document, KG_PART_FIGURE, name);
    kg_explain_bar(document, share);
    kg_span_text(document, "  %.1f %%", 100 * share);
    kg_span_amount(document, ", ", KG_TRAIT_NS, share * whole_ns, after);
}

/* The number of threads whose time the parts divide. Programs and plugins are often serial, so a default of several threads
 * counts only for kernels. Otherwise the profile and the busy cores show the threads. */
static double threads_of(const struct kg_case_result *result, const struct kg_facts *facts)
{
    static const double BUSY_SLACK = 0.1;
    const struct kg_traits *traits = &facts->traits;
    const bool known =
        kg_known(traits->threads) && (result->threads_said || !strcmp(result->source, "kernel"));
    const double most =
        known ? traits->threads : (kg_known(facts->scope_threads) ? facts->scope_threads : 1);
    const double busy = kg_known(traits->cores_busy) ? ceil(traits->cores_busy - BUSY_SLACK) : 1;
    return fmax(fmax(most, busy), 1);
}

/* The CPU time of all threads, as a share of wall time times threads. `cores_busy` comes from the least disturbed
 * rounds, so it is preferred: CPU time and median come from different rounds, and the CPU time may exceed the
 * median. */
static void cpu_print(struct kg_document *document, const struct kg_explanation *explanation,
                      double wall_ns, double threads)
{
    const double busy = explanation->facts.traits.cores_busy;
    const double used_ns = kg_known(busy) ? busy * wall_ns : explanation->result->breakdown.cpu_ns;
    if (!kg_known(used_ns))
        return;
    part_print(document, "on the CPU", used_ns, wall_ns * threads, "");
    part_print(document, "waiting", wall_ns * threads - used_ns, wall_ns * threads,
               ", or preempted");
}

static void breakdown_heading(struct kg_document *document, double wall_ns, double threads)
{
    kg_part_heading(document, "where its time goes");
    if (threads <= 1)
        return;
    kg_span_text(document, ": %.0f threads, each ", threads);
    kg_span_amount(document, "", KG_TRAIT_NS, wall_ns, "");
}

void kg_explain_breakdown(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_breakdown *breakdown = &explanation->result->breakdown;
    const bool on_cpu = strcmp(explanation->result->device, "cpu") == 0;
    const double threads = on_cpu ? threads_of(explanation->result, &explanation->facts) : 1;
    const double wall_ns = breakdown->wall_ns;
    if (!kg_known(wall_ns))
        return;
    breakdown_heading(document, wall_ns, threads);
    part_print(document, "GPU", breakdown->gpu_ns, wall_ns, "");
    part_print(document, "transfers", breakdown->transfer_ns, wall_ns, "");
    if (on_cpu)
        cpu_print(document, explanation, wall_ns, threads);
    else
        part_print(document, "overhead", breakdown->overhead_ns, wall_ns, "");
}

void kg_explain_scopes(struct kg_document *document, const struct kg_explanation *explanation)
{
    enum { MOST = 8 };
    const size_t id = strlen(explanation->result->id);
    for (size_t i = 0; i < explanation->scope_count && i < MOST; i++) {
        const struct kg_facts *scope = &explanation->scopes[i];
        const bool inside =
            !strncmp(scope->operation, explanation->result->id, id) && scope->operation[id] == ';';
        if (!i)
            kg_part_heading(document, "scopes, by the profile");
        kg_part_add(document, KG_PART_ITEM, NULL);
        kg_explain_bar(document, scope->traits.time_ns / scope->whole_ns);
        kg_span_amount(document, "  ", KG_TRAIT_SHARE, scope->traits.time_ns / scope->whole_ns,
                       "  ");
        kg_span_add(document, KG_SPAN_NAME, scope->operation + (inside ? id + 1 : 0));
        kg_span_amount(document, ": ", KG_TRAIT_NS, scope->traits.time_ns, "");
        if (kg_known(scope->calls))
            kg_span_amount(document, " in ", KG_TRAIT_COUNT, scope->calls, " calls");
    }
}

/* Order of a call's GPU kernels: the longest first. */
static int kernel_compare(const void *left, const void *right)
{
    const struct kg_kernel_use *a = left, *b = right;
    const double times[] = {kg_known(a->gpu_ns) ? a->gpu_ns : 0,
                            kg_known(b->gpu_ns) ? b->gpu_ns : 0};
    return (times[0] < times[1]) - (times[0] > times[1]);
}

static void kernel_print(struct kg_document *document, const struct kg_kernel_use *kernel)
{
    char time[KG_UNIT_BYTES];
    kg_part_add(
        document, KG_PART_FIGURE,
        kg_arena_printf(&document->arena, "%10s", kg_duration_format(kernel->gpu_ns, time)));
    kg_span_add(document, KG_SPAN_NAME, kernel->name);
    kg_span_text(document, ": %g launch%s of %g x %g threads", kernel->launches,
                 kernel->launches == 1 ? "" : "es", kernel->blocks, kernel->threads);
    if (isfinite(kernel->registers))
        kg_span_text(document, ", %g registers", kernel->registers);
    if (isfinite(kernel->occupancy))
        kg_span_text(document, ", occupancy %.0f %%", 100 * kernel->occupancy);
    if (isfinite(kernel->waves))
        kg_span_text(document, ", %.3g waves", kernel->waves);
}

void kg_explain_kernels(struct kg_document *document, const struct kg_explanation *explanation)
{
    enum { MOST = 10 };
    const struct kg_trace *trace = &explanation->result->trace;
    const size_t count = trace->kernel_count;
    struct kg_kernel_use *kernels = kg_arena_alloc(&document->arena, count, sizeof *kernels);
    if (!count)
        return;
    memcpy(kernels, trace->kernels, count * sizeof *kernels);
    qsort(kernels, count, sizeof *kernels, kernel_compare);
    kg_part_heading(document, "kernels per call");
    for (size_t i = 0; i < count && i < MOST; i++)
        kernel_print(document, &kernels[i]);
    if (count > MOST) {
        kg_part_text(document, KG_PART_ITEM, NULL, "… and %zu more", count - MOST);
    }
}
