/* Makes an article's text fit for a search index: small letters, and everything but letters and
 * digits a blank. */
#include <string.h>

#include "workload.h"

enum { LENGTH = 6000 };

struct work {
    char article[LENGTH + 1];
    char text[LENGTH + 1];
};

static char folded(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return (char)(letter - 'A' + 'a');
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9'))
        return letter;
    return ' ';
}

static void fold_to_end(char *text)
{
    for (size_t i = 0; i < strlen(text); i++)
        text[i] = folded(text[i]);
}

static void fold_length(char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        text[i] = folded(text[i]);
}

static void run_bad(void *state)
{
    struct work *work = state;
    memcpy(work->text, work->article, sizeof work->text);
    fold_to_end(work->text);
}

static void run_good(void *state)
{
    struct work *work = state;
    memcpy(work->text, work->article, sizeof work->text);
    fold_length(work->text);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < LENGTH; i++)
        work->article[i] = (char)(' ' + workload_random(&sequence) % 95);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    size_t wrong = 0;
    for (size_t i = 0; i <= LENGTH; i++)
        wrong += work->text[i] != (i < LENGTH ? folded(work->article[i]) : '\0');
    return workload_wrong(check, wrong);
}

PAIR(indexed, "Folds the letters of an article for a search index.");
