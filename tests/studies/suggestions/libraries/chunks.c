/* Expat: a document with a picture in an attribute comes in short pieces, as from a connection. Without
 * reparse deferral each piece reads the whole unfinished tag again (CVE-2023-52425). */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "../developed/workload.h"

enum { PICTURE = 24 << 10, DOCUMENT = PICTURE + 64, PIECE = 128 };

struct work {
    char document[DOCUMENT];
    int length;
    size_t found;
};

static void XMLCALL element_seen(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct work *work = user;
    (void)name;
    if (attributes[0])
        work->found = strlen(attributes[1]);
}

static void feed(struct work *work, XML_Bool deferred)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return;
    XML_SetReparseDeferralEnabled(parser, deferred);
    XML_SetUserData(parser, work);
    XML_SetStartElementHandler(parser, element_seen);
    for (int at = 0; at < work->length; at += PIECE) {
        const int piece = work->length - at < PIECE ? work->length - at : PIECE;
        if (XML_Parse(parser, work->document + at, piece, at + piece == work->length) == 0)
            break;
    }
    XML_ParserFree(parser);
}

static void run_bad(void *state)
{
    feed(state, XML_FALSE);
}

static void run_good(void *state)
{
    feed(state, XML_TRUE);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    int at = snprintf(work->document, DOCUMENT, "<card><picture data='");
    for (size_t i = 0; i < PICTURE; i++)
        work->document[at++] = (char)('a' + workload_random(&sequence) % 26);
    at += snprintf(work->document + at, (size_t)(DOCUMENT - at), "'/></card>");
    work->length = at;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->found != PICTURE);
}

PAIR(chunks, "Reads a document in pieces.");
