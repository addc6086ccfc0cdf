/* Jansson: json_dumpfd writes each piece of the text to the file as it comes; json_dumps makes all of
 * the text first. */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../developed/workload.h"

enum { ENTRIES = 100 };

struct work {
    json_t *entries;
    int file;
};

static void dump_unbuffered(const struct work *work)
{
    if (lseek(work->file, 0, SEEK_SET) == 0)
        json_dumpfd(work->entries, work->file, 0);
}

static void dump_at_once(const struct work *work)
{
    char *text = json_dumps(work->entries, 0);
    if (text && pwrite(work->file, text, strlen(text), 0) < 0)
        perror("dumped");
    free(text);
}

static void run_bad(void *state)
{
    dump_unbuffered(state);
}

static void run_good(void *state)
{
    dump_at_once(state);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    work->entries = json_array();
    for (int i = 0; i < ENTRIES; i++)
        json_array_append_new(work->entries,
                              json_pack("{s: i, s: s}", "number", i, "state", "open"));
    work->file = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (work->file < 0)
        snprintf(context->message, sizeof context->message, "no file in /var/tmp");
    return work->file >= 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    lseek(work->file, 0, SEEK_SET);
    json_t *found = json_loadfd(work->file, 0, NULL);
    const bool wrong = !json_equal(found, work->entries);
    json_decref(found);
    return workload_wrong(check, wrong);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct work *work = state;
    if (work) {
        json_decref(work->entries);
        close(work->file);
    }
    workload_end(context, state);
}

PAIR_ENDED(dumped, "Writes entries to a file as JSON.", tear_down);
