/* Expat: short documents, a parser for each; one parser can be reset. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "../developed/workload.h"

enum { STANZAS = 200, STANZA = 96 };

struct work {
    XML_Parser parser;
    char stanzas[STANZAS][STANZA];
    size_t found;
};

static void XMLCALL element_seen(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct work *work = user;
    (void)name;
    for (size_t i = 0; attributes[i]; i += 2)
        work->found++;
}

static void parse(struct work *work, XML_Parser parser, const char *stanza)
{
    XML_SetUserData(parser, work);
    XML_SetStartElementHandler(parser, element_seen);
    XML_Parse(parser, stanza, (int)strlen(stanza), 1);
}

static void read_fresh(struct work *work, const char *stanza)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return;
    parse(work, parser, stanza);
    XML_ParserFree(parser);
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->found = 0;
    for (size_t i = 0; i < STANZAS; i++)
        read_fresh(work, work->stanzas[i]);
}

static void run_good(void *state)
{
    struct work *work = state;
    work->found = 0;
    for (size_t i = 0; i < STANZAS; i++) {
        XML_ParserReset(work->parser, NULL);
        parse(work, work->parser, work->stanzas[i]);
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work || !(work->parser = XML_ParserCreate(NULL)))
        return false;
    uint64_t sequence = context->seed;
    for (size_t i = 0; i < STANZAS; i++)
        snprintf(work->stanzas[i], STANZA, "<message from='user%u' to='user%u' id='%zu'/>",
                 (unsigned)workload_random(&sequence) % 100,
                 (unsigned)workload_random(&sequence) % 100, i);
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->found != 3 * (size_t)STANZAS);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work)
        XML_ParserFree(work->parser);
    workload_end(context, state);
}

PAIR_ENDED(stanzas, "Reads short documents.", tear_down);
