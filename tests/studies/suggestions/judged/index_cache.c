/* index_cache.c: an index of documents, cached in a file that can be made again. */
#include "judged.h"

enum { DOCUMENTS = 128, DOCUMENT_BYTES = 250 };

struct entry {
    uint32_t hash, length;
};

struct state {
    double result;
    int file;
    char documents[DOCUMENTS][DOCUMENT_BYTES];
    struct entry entries[DOCUMENTS];
};

static struct entry index_entry(const char *document)
{
    struct entry entry = {.hash = 2166136261u};
    for (; document[entry.length]; entry.length++)
        entry.hash = (entry.hash ^ (uint8_t)document[entry.length]) * 16777619u;
    return entry;
}

static ELSEWHERE void make_index(struct state *state)
{
    for (int i = 0; i < DOCUMENTS; i++)
        state->entries[i] = index_entry(state->documents[i]);
}

static ELSEWHERE bool save_index(const struct state *state)
{
    return pwrite(state->file, state->entries, sizeof state->entries, 0) ==
           (ssize_t)sizeof state->entries;
}

/* Waits for the disk, although a lost file would do no harm. */
static ELSEWHERE bool save_index_safely(const struct state *state)
{
    return save_index(state) && fdatasync(state->file) == 0;
}

static double saved(const struct state *state)
{
    struct entry entry;
    const off_t last = (off_t)(sizeof state->entries - sizeof entry);
    if (pread(state->file, &entry, sizeof entry, last) != (ssize_t)sizeof entry)
        return -1;
    return entry.hash;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->file = temporary_file();
    if (state->file < 0)
        return refuse(context, "no temporary file");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < DOCUMENTS; i++)
        for (int j = 0; j + 1 < DOCUMENT_BYTES; j++)
            state->documents[i][j] = (char)('a' + below(&random, 26));
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    make_index(state);
    state->result = save_index_safely(state) ? saved(state) : -1;
}

static void run_good(void *place)
{
    struct state *state = place;
    make_index(state);
    state->result = save_index(state) ? saved(state) : -1;
}

PAIR(index_cache, 0, "An index written to a file.");
