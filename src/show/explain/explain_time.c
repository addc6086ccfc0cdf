/* Where the time of one case goes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "base/wrap.h"
#include "show/advice_text.h"
#include "show/explain/explain_page.h"

static const double SHARE_LEAST = 0.001;

/* A part of the whole; none that is too small to be shown with one decimal. */
static void part_print(struct kg_explain_page *page, const char *name, double part_ns,
                       double whole_ns, const char *after)
{
    const double share = fmin(part_ns / whole_ns, 1);
    if (!kg_known(part_ns) || !(share >= SHARE_LEAST))
        return;
    kg_explain_label(page, name);
    kg_explain_bar(page, share);
    kg_text_printf(page->text, "  %.1f %%", 100 * share);
    kg_explain_amount(page, ", ", KG_TRAIT_NS, share * whole_ns, after);
    kg_text_append(page->text, "\n");
}

/* Threads whose time it is; of a program nobody says how many it has, but how many were busy. */
static double threads_of(const struct kg_case_result *result, const struct kg_traits *traits)
{
    static const double BUSY_SLACK = 0.1;
    const bool told = kg_known(traits->threads) && strcmp(result->source, "command") != 0;
    const double most = told ? traits->threads : 1;
    const double busy = kg_known(traits->cores_busy) ? ceil(traits->cores_busy - BUSY_SLACK) : 1;
    return fmax(fmax(most, busy), 1);
}

/* Of all threads, over the time that they could have had a CPU. How busy they were is a matter of
 * the rounds in which others disturbed the least: the CPU time and the median are of different
 * rounds, and one may be more than the other. */
static void cpu_print(struct kg_explain_page *page, double wall_ns, double threads)
{
    const double busy = page->explanation->facts.traits.cores_busy;
    const double used_ns =
        kg_known(busy) ? busy * wall_ns : page->explanation->result->breakdown.cpu_ns;
    if (!kg_known(used_ns))
        return;
    part_print(page, "on the CPU", used_ns, wall_ns * threads, "");
    part_print(page, "waiting", wall_ns * threads - used_ns, wall_ns * threads, ", or preempted");
}

static void breakdown_heading(struct kg_explain_page *page, double wall_ns, double threads)
{
    struct kg_text words = {0};
    kg_text_append(&words, "where its time goes");
    if (threads > 1) {
        kg_text_printf(&words, ": that of %.0f threads, each ", threads);
        kg_trait_format(KG_TRAIT_NS, wall_ns, &words);
    }
    kg_advice_heading(page->text, page->style, kg_text_string(&words));
    page->text->failed = page->text->failed || words.failed;
    kg_text_free(&words);
}

void kg_explain_breakdown(struct kg_explain_page *page)
{
    const struct kg_breakdown *breakdown = &page->explanation->result->breakdown;
    const bool on_cpu = strcmp(page->explanation->result->device, "cpu") == 0;
    const double threads =
        on_cpu ? threads_of(page->explanation->result, &page->explanation->facts.traits) : 1;
    const double wall_ns = breakdown->wall_ns;
    if (!kg_known(wall_ns))
        return;
    breakdown_heading(page, wall_ns, threads);
    part_print(page, "GPU", breakdown->gpu_ns, wall_ns, "");
    part_print(page, "transfers", breakdown->transfer_ns, wall_ns, "");
    if (on_cpu)
        cpu_print(page, wall_ns, threads);
    else
        part_print(page, "overhead", breakdown->overhead_ns, wall_ns, "");
}

void kg_explain_scopes(struct kg_explain_page *page)
{
    enum { MOST = 8 };
    const struct kg_explanation *explanation = page->explanation;
    const size_t id = strlen(explanation->result->id);
    for (size_t i = 0; i < explanation->scope_count && i < MOST; i++) {
        const struct kg_facts *scope = &explanation->scopes[i];
        const bool inside =
            !strncmp(scope->operation, explanation->result->id, id) && scope->operation[id] == ';';
        if (!i)
            kg_advice_heading(page->text, page->style, "scopes, by the profile");
        kg_text_append(page->text, "  ");
        kg_explain_bar(page, scope->traits.time_ns / scope->whole_ns);
        kg_explain_amount(page, "  ", KG_TRAIT_SHARE, scope->traits.time_ns / scope->whole_ns,
                          "  ");
        kg_text_append(page->text, kg_advice_shown(&page->arena, page->text,
                                                   scope->operation + (inside ? id + 1 : 0),
                                                   KG_EXPLAIN_NAME_MOST));
        kg_explain_amount(page, ": ", KG_TRAIT_NS, scope->traits.time_ns, "");
        if (kg_known(scope->calls))
            kg_explain_amount(page, " in ", KG_TRAIT_COUNT, scope->calls, " calls");
        kg_text_append(page->text, "\n");
    }
}

/* What a call launches on the GPU, the longest first. */
static int kernel_compare(const void *left, const void *right)
{
    const struct kg_kernel_use *a = left, *b = right;
    const double times[] = {kg_known(a->gpu_ns) ? a->gpu_ns : 0,
                            kg_known(b->gpu_ns) ? b->gpu_ns : 0};
    return (times[0] < times[1]) - (times[0] > times[1]);
}

static void kernel_print(struct kg_explain_page *page, const struct kg_kernel_use *kernel)
{
    char time[KG_UNIT_BYTES];
    struct kg_text before = {0}, text = {0};
    kg_text_printf(&before, "  %10s  ", kg_duration_format(kernel->gpu_ns, time));
    kg_escape_terminal(&text, kernel->name, KG_EXPLAIN_NAME_MOST);
    kg_text_printf(&text, ": %g launch%s of %g x %g threads", kernel->launches,
                   kernel->launches == 1 ? "" : "es", kernel->blocks, kernel->threads);
    if (isfinite(kernel->registers))
        kg_text_printf(&text, ", %g registers", kernel->registers);
    if (isfinite(kernel->occupancy))
        kg_text_printf(&text, ", occupancy %.0f %%", 100 * kernel->occupancy);
    if (isfinite(kernel->waves))
        kg_text_printf(&text, ", %.3g waves", kernel->waves);
    kg_wrap(page->text, kg_text_string(&before), kg_text_string(&text), page->style->width);
    page->text->failed = page->text->failed || before.failed || text.failed;
    kg_text_free(&before);
    kg_text_free(&text);
}

void kg_explain_kernels(struct kg_explain_page *page)
{
    enum { MOST = 10 };
    const struct kg_trace *trace = &page->explanation->result->trace;
    const size_t count = trace->kernel_count;
    struct kg_kernel_use *kernels = kg_arena_alloc(&page->arena, count, sizeof *kernels);
    if (!kernels || !count) {
        page->text->failed = page->text->failed || !kernels;
        return;
    }
    memcpy(kernels, trace->kernels, count * sizeof *kernels);
    qsort(kernels, count, sizeof *kernels, kernel_compare);
    kg_advice_heading(page->text, page->style, "kernels of a call");
    for (size_t i = 0; i < count && i < MOST; i++)
        kernel_print(page, &kernels[i]);
    if (count > MOST)
        kg_text_printf(page->text, "  … and %zu more\n", count - MOST);
}
