/* Whether a text is plain ASCII, eight bytes at a time. */
#include <string.h>

#include "workload.h"

enum { BYTES = 128 * 1024 };

struct work {
    char text[BYTES];
    bool plain;
};

static bool is_ascii(const char *text, size_t count)
{
    uint64_t high = 0;
    for (size_t i = 0; i + 32 <= count; i += 32) {
        uint64_t words[4];
        memcpy(words, text + i, sizeof words);
        high |= (words[0] | words[1]) | (words[2] | words[3]);
    }
    return (high & 0x8080808080808080U) == 0;
}

static void run(void *state)
{
    struct work *work = state;
    work->plain = is_ascii(work->text, BYTES);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < BYTES; i++)
        work->text[i] = (char)(workload_random(&sequence) % 128);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    const bool plain = work->plain;
    work->text[BYTES / 2] = (char)0xc3;
    const bool other = is_ascii(work->text, BYTES);
    work->text[BYTES / 2] = 'a';
    return workload_wrong(check, !plain || other);
}

WORKLOAD(ascii, "Looks whether a text is plain ASCII.", run);
