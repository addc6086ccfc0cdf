/* explain_hot.c: the hottest functions of one case, from samples. */

#include "base/text.h"
#include "show/explain/explain_parts.h"
#include "why/rules/cause.h"
#include "why/rules/causes.h"

enum { FUNCTIONS_MOST = 8 };
static const double SHARE_LEAST = 0.02;

/* The hottest stack whose innermost frame is the function; NULL: none. */
static const struct kg_hot_stack *stack_of(const struct kg_sampled *sampled,
                                           const struct kg_place *place)
{
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        if (stack->frame_count && kg_string_same(stack->frames[0].function, place->function) &&
            kg_string_same(stack->frames[0].module, place->module))
            return stack;
    }
    return NULL;
}

/* The caller of the hottest function: the first frame of another module, or of other code than system headers. If the
 * stack has none: the next frame. */
static const struct kg_place *caller_of(const struct kg_hot_stack *stack)
{
    const bool header = kg_place_is_header(&stack->frames[0]);
    for (size_t i = 1; i < stack->frame_count; i++)
        if ((header || !kg_string_same(stack->frames[i].module, stack->frames[0].module)) &&
            !kg_place_is_header(&stack->frames[i]))
            return &stack->frames[i];
    return stack->frame_count > 1 && stack->frames[1].function ? &stack->frames[1] : NULL;
}

/* "cos (libm.so.6), called from make_window (window.c:41)" */
static void function_add(struct kg_document *document, const struct kg_explanation *explanation,
                         const struct kg_hot_place *function)
{
    const struct kg_sampled *sampled = &explanation->result->hot.sampled;
    const struct kg_hot_stack *stack = stack_of(sampled, &function->place);
    const struct kg_place *caller = stack ? caller_of(stack) : NULL;
    struct kg_text words = {0};
    kg_place_words(&function->place, &words);
    if (stack && stack->call)
        kg_text_printf(&words, stack->waiting ? ", waiting in %s" : ", in %s", stack->call);
    if (caller) {
        kg_text_append(&words, ", called from ");
        kg_place_words(caller, &words);
    }
    kg_part_take(document, KG_PART_FIGURE,
                 kg_arena_printf(&document->arena, "%5.1f %%", 100 * function->self), &words);
}

/* Adds the share of time off the CPU, and the kernel's share of the CPU time. */
static void shares_print(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_hot *hot = &explanation->result->hot;
    const double waiting = kg_off_cpu(&explanation->facts);
    const double kernel = kg_hot_kernel_share(hot);
    struct kg_text words = {0};
    if (waiting >= SHARE_LEAST)
        kg_text_printf(&words, "off the CPU %.0f %% of the time", 100 * waiting);
    if (kernel >= SHARE_LEAST)
        kg_text_printf(&words, "%sin the kernel %.0f %% of the CPU time", words.length ? "; " : "",
                       100 * kernel);
    if (words.length)
        kg_part_take(document, KG_PART_FIGURE, "besides", &words);
}

void kg_explain_hot(struct kg_document *document, const struct kg_explanation *explanation)
{
    const struct kg_sampled *sampled = &explanation->result->hot.sampled;
    if (!sampled->source && !sampled->reason)
        return;
    kg_part_heading(document, "its hottest functions");
    if (sampled->source)
        kg_span_text(document, ", by %.0f sample%s", sampled->samples,
                     sampled->samples == 1 ? "" : "s");
    for (size_t i = 0; i < sampled->function_count && i < FUNCTIONS_MOST; i++)
        if (!i || sampled->functions[i].self >= SHARE_LEAST)
            function_add(document, explanation, &sampled->functions[i]);
    shares_print(document, explanation);
    kg_part_prose(document, KG_PART_FIGURE, sampled->source ? "note" : "unknown", sampled->reason);
}
