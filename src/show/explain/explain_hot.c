/* Of one case the functions that its time goes to, as samples found them. */
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "show/advice_text.h"
#include "show/explain/explain_page.h"
#include "why/rules/cause.h"
#include "why/rules/causes.h"

enum { FUNCTIONS_MOST = 8 };
static const double SHARE_LEAST = 0.02;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* The hottest stack that ends in a function. */
static const struct kg_hot_stack *stack_of(const struct kg_sampled *sampled,
                                           const struct kg_place *place)
{
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_hot_stack *stack = &sampled->stacks[i];
        if (stack->frame_count && same_text(stack->frames[0].function, place->function) &&
            same_text(stack->frames[0].module, place->module))
            return stack;
    }
    return NULL;
}

/* Who called it: of a library's function the code that is outside of that library, of others the
 * next. */
static const struct kg_place *caller_of(const struct kg_hot_stack *stack)
{
    for (size_t i = 1; i < stack->frame_count; i++)
        if (!same_text(stack->frames[i].module, stack->frames[0].module))
            return &stack->frames[i];
    return stack->frame_count > 1 && stack->frames[1].function ? &stack->frames[1] : NULL;
}

/* "cos (libm.so.6), called from make_window (window.c:41)"; names are a file's. */
static void function_words(const struct kg_sampled *sampled, const struct kg_hot_place *function,
                           struct kg_text *words)
{
    enum { MOST = 300 };
    const struct kg_hot_stack *stack = stack_of(sampled, &function->place);
    const struct kg_place *caller = stack ? caller_of(stack) : NULL;
    struct kg_text plain = {0};
    kg_place_words(&function->place, &plain);
    if (stack && stack->call)
        kg_text_printf(&plain, stack->waiting ? ", waiting in %s" : ", in %s", stack->call);
    if (caller) {
        kg_text_append(&plain, ", called from ");
        kg_place_words(caller, &plain);
    }
    kg_escape_terminal(words, kg_text_string(&plain), MOST);
    words->failed = words->failed || plain.failed;
    kg_text_free(&plain);
}

static void function_print(struct kg_explain_page *page, const struct kg_hot_place *function)
{
    struct kg_text before = {0}, words = {0};
    kg_text_printf(&before, "  %5.1f %%  ", 100 * function->self);
    function_words(&page->explanation->result->hot.sampled, function, &words);
    kg_wrap(page->text, kg_text_string(&before), kg_text_string(&words), page->style->width);
    page->text->failed = page->text->failed || before.failed || words.failed;
    kg_text_free(&before);
    kg_text_free(&words);
}

/* The shares beside: of waiting, and of the kernel. */
static void shares_print(struct kg_explain_page *page)
{
    const struct kg_hot *hot = &page->explanation->result->hot;
    const double waiting = kg_off_cpu(&page->explanation->facts);
    const double kernel = kg_hot_kernel_share(hot);
    struct kg_text words = {0};
    if (waiting >= SHARE_LEAST)
        kg_text_printf(&words, "off the CPU %.0f %% of the time", 100 * waiting);
    if (kernel >= SHARE_LEAST)
        kg_text_printf(&words, "%sin the kernel %.0f %% of the CPU time", words.length ? "; " : "",
                       100 * kernel);
    if (words.length)
        kg_explain_line(page, "besides", &words);
    kg_text_free(&words);
}

static void reason_print(struct kg_explain_page *page, const char *label, const char *reason)
{
    enum { MOST = 400 };
    struct kg_text words = {0};
    kg_escape_terminal(&words, reason, MOST);
    kg_explain_line(page, label, &words);
}

void kg_explain_hot(struct kg_explain_page *page)
{
    const struct kg_sampled *sampled = &page->explanation->result->hot.sampled;
    struct kg_text heading = {0};
    if (!sampled->source && !sampled->reason)
        return;
    kg_text_append(&heading, "its hottest functions");
    if (sampled->source)
        kg_text_printf(&heading, ", by %.0f sample%s", sampled->samples,
                       sampled->samples == 1 ? "" : "s");
    kg_advice_heading(page->text, page->style, kg_text_string(&heading));
    page->text->failed = page->text->failed || heading.failed;
    kg_text_free(&heading);
    for (size_t i = 0; i < sampled->function_count && i < FUNCTIONS_MOST; i++)
        if (!i || sampled->functions[i].self >= SHARE_LEAST)
            function_print(page, &sampled->functions[i]);
    shares_print(page);
    if (sampled->reason)
        reason_print(page, sampled->source ? "note" : "unknown", sampled->reason);
}
