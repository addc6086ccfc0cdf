/* explain_code.c: the hottest loop of a case, the processor's counters, and the system calls per call. */
#include <math.h>

#include "base/code/symbol_name.h"
#include "show/explain/explain_parts.h"
#include "why/rules/cause.h"

/* Share of samples in the kernel above which the program's own code explains nothing. */
static const double IN_KERNEL = 0.5;

/* --- The hottest loop ------------------------------------------------------------------------- */

static void place_print(struct kg_document *document, const struct kg_hot_loop *loop)
{
    struct kg_text words = {0};
    kg_text_printf(&words, "%.0f %% of the samples, in ", 100 * loop->share);
    kg_place_words(&loop->place, &words);
    kg_part_add(document, KG_PART_SENTENCE, NULL);
    kg_span_take(document, &words);
}

/* Prints the hottest instruction and two neighbours on each side. */
static void code_print(struct kg_document *document, const struct kg_hot_loop *loop)
{
    enum { AROUND = 2, SHOWN = 2 * AROUND + 1 };
    size_t first = loop->code_hottest > AROUND ? loop->code_hottest - AROUND : 0;
    if (loop->code_count > SHOWN && first > loop->code_count - SHOWN)
        first = loop->code_count - SHOWN;
    for (size_t i = first; i < loop->code_count && i < first + SHOWN; i++) {
        kg_part_text(document, KG_PART_WHOLE, NULL, "%c ", i == loop->code_hottest ? '>' : ' ');
        kg_span_add(document, KG_SPAN_NAME, loop->code[i]);
    }
}

static void amount_append(struct kg_text *words, double count, const char *one, const char *several)
{
    if (count > 0)
        kg_text_printf(words, "%s%g %s", words->length ? ", " : "", count,
                       count > 1 ? several : one);
}

static void cycles_append(struct kg_text *words, const struct kg_hot_loop *loop)
{
    if (loop->chain_cycles > loop->throughput_cycles)
        kg_text_printf(words, "; each iteration waits %.3g cycles for the previous one",
                       loop->chain_cycles);
    else if (isnan(loop->throughput_cycles))
        kg_text_printf(words, "; some instructions cannot be disassembled");
    else if (loop->throughput_cycles > 0)
        kg_text_printf(words, "; %.3g cycles or more", loop->throughput_cycles);
}

static void iteration_print(struct kg_document *document, const struct kg_hot_loop *loop)
{
    const struct {
        double count;
        const char *one, *several;
    } rows[] = {
        {loop->instructions, "instruction", "instructions"},
        {loop->loads, "load", "loads"},
        {loop->stores, "store", "stores"},
        {loop->address_loads, "load for the next address", "loads for the next addresses"},
        {loop->calls, "call", "calls"},
        {loop->branches, "branch", "branches"},
        {loop->divisions, "division or root", "divisions or roots"},
        {loop->locked, "locked", "locked"},
        {loop->conversions, "conversion", "conversions"},
        {loop->gathers, "gather", "gathers"},
        {loop->forwarded, "load of a value just stored", "loads of values just stored"},
        {loop->scalar_floats, "scalar float operation", "scalar float operations"},
        {loop->vector_floats, "vector float operation", "vector float operations"},
    };
    struct kg_text words = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        amount_append(&words, rows[i].count, rows[i].one, rows[i].several);
    cycles_append(&words, loop);
    kg_part_take(document, KG_PART_FIGURE, loop->whole_function ? "a call" : "an iteration",
                 &words);
}

void kg_explain_loop(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_hot *hot = &explanation->result->hot;
    if (!hot->loop_count || !hot->loops[0].code_count)
        return;
    const struct kg_hot_loop *loop = &hot->loops[0];
    if (loop->whole_function && kg_hot_kernel_share(hot) > IN_KERNEL)
        return; /* this function only enters the kernel */
    kg_part_heading(document, loop->whole_function ? "the hottest code" : "the hottest loop");
    place_print(document, loop);
    code_print(document, loop);
    iteration_print(document, loop);
}

/* --- Counters --------------------------------------------------------------------------------- */

static void share_append(struct kg_text *words, double share, const char *name)
{
    if (kg_known(share))
        kg_text_printf(words, "%s%.0f %% %s", words->length ? ", " : "", 100 * share, name);
}

void kg_explain_core(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_core_counts *core = &explanation->result->hot.core;
    struct kg_text work = {0}, slots = {0};
    if (!core->source)
        return;
    kg_part_heading(document, "processor counters per call");
    kg_trait_format(KG_TRAIT_COUNT, core->cycles, &work);
    kg_text_append(&work, " cycles");
    if (kg_known(core->instructions))
        kg_text_printf(&work, ", %.3g instructions a cycle", core->instructions / core->cycles);
    if (core->branches > 0 && kg_known(core->mispredicted))
        kg_text_printf(&work, ", %.2g %% of branches mispredicted",
                       100 * core->mispredicted / core->branches);
    kg_part_take(document, KG_PART_FIGURE, "work", &work);
    share_append(&slots, core->retiring, "retiring");
    share_append(&slots, core->bad_speculation, "wrong guesses");
    share_append(&slots, core->frontend_bound, "waiting for code");
    share_append(&slots, core->backend_bound, "waiting for results");
    if (kg_known(core->memory_bound))
        kg_text_printf(&slots, " (of memory: %.0f %%)", 100 * core->memory_bound);
    if (slots.length)
        kg_part_take(document, KG_PART_FIGURE, "slots", &slots);
}

/* --- System calls ----------------------------------------------------------------------------- */

static void bytes_append(struct kg_text *words, const struct kg_system_call *kind)
{
    if (!(kind->bytes > 0))
        return;
    kg_text_append(words, kind->calls > 1 ? " of " : ", ");
    kg_trait_format(KG_TRAIT_BYTES, kind->bytes / fmax(kind->calls, 1), words);
}

/* partial  only a part of a call was traced: without its bytes, the number of a kind is an estimate */
static void kind_print(struct kg_document *document, bool partial,
                       const struct kg_system_call *kind, double call_ns)
{
    static const double SHARE_SHOWN = 0.01;
    struct kg_text words = {0};
    if (partial && isnan(kind->bytes))
        kg_text_append(&words, "about ");
    kg_trait_format(KG_TRAIT_COUNT, kind->calls, &words);
    bytes_append(&words, kind);
    if (kind->time_ns >= SHARE_SHOWN * call_ns)
        kg_text_printf(&words, ", %.0f %% of its time", 100 * fmin(1, kind->time_ns / call_ns));
    if (kind->from) {
        kg_text_append(&words, ", mostly from ");
        kg_name_print(&words, kind->from);
    }
    kg_part_take(document, KG_PART_FIGURE, kind->name, &words);
}

/* Adds the system calls of a case. If a call makes fewer than SELDOM on average: nothing. If they are unknown: the
 * reason. */
void kg_explain_calls(struct kg_document *document, const struct kg_explanation *explanation)
{
    enum { SHOWN = 5 };
    static const double SELDOM = 0.05;
    const struct kg_case_result *result = explanation->result;
    const struct kg_system_calls *calls = &result->hot.system_calls;
    if (!calls->reason && (!(calls->calls >= SELDOM) || !calls->kind_count))
        return;
    kg_part_heading(document, "system calls per call");
    kg_part_prose(document, KG_PART_FIGURE, calls->source ? "note" : "unknown", calls->reason);
    if (calls->partial)
        kg_part_text(document, KG_PART_FIGURE, "note",
                     "only a part of a call was traced: other kinds are possible");
    for (size_t i = 0; i < calls->kind_count && i < SHOWN; i++)
        kind_print(document, calls->partial, &calls->kinds[i], result->summary.median_ns);
    if (kg_hot_account_is_precise(&result->hot)) {
        struct kg_text words = {0};
        kg_trait_format(KG_TRAIT_NS, calls->user_ns, &words);
        kg_text_append(&words, " in the program, ");
        kg_trait_format(KG_TRAIT_NS, calls->system_ns, &words);
        kg_text_append(&words, " in the kernel");
        kg_part_take(document, KG_PART_FIGURE, "CPU time", &words);
    }
}
