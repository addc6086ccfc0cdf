/* page_profile.c: shortens a JSON profile for the HTML page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/page.h"

/* Largest number of entries, and the number guaranteed to each process. */
enum { ENTRIES_MOST = 20000, ENTRIES_LEAST = 200 };

/* Number of length classes: durations by powers of two, up to 2^63 ns. */
enum { LENGTHS = 64 };

/* The entries of a process that the page keeps: whole length classes from the longest down, then the first entries
 * of shorter classes. */
struct share {
    uint32_t counts[LENGTHS];
    int longest;  /* lowest length class that is kept whole */
    size_t first; /* number of shorter entries to keep, in order of their ends */
};

/* Reads the file line by line: its lists have one item per line. */
struct reader {
    struct kg_text *text;
    bool processes, entries; /* whether the line is in that list */
    struct share *shares;    /* by process */
    size_t process_count, capacity;
    void (*entry)(struct reader *reader, const char *line, size_t length);
    void (*other)(struct reader *reader, const char *line, size_t length);
    bool any;
};

static bool begins(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

static void line_read(struct reader *reader, const char *line, size_t length)
{
    const bool ends = begins(line, "  ]");
    if (reader->entries && !ends) {
        reader->entry(reader, line, length);
        return;
    }
    reader->other(reader, line, length && line[length - 1] == '\n' ? length - 1 : length);
    reader->processes = begins(line, "  \"processes\": [\n") || (reader->processes && !ends);
    reader->entries = begins(line, "  \"entries\": [\n");
}

static bool file_read(struct reader *reader, FILE *profile)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    reader->processes = reader->entries = false;
    rewind(profile);
    while ((length = getline(&line, &capacity, profile)) >= 0)
        line_read(reader, line, (size_t)length);
    free(line);
    return !ferror(profile);
}

/* --- First pass: count the entries ------------------------------------------------------------ */

static void process_count(struct reader *reader, const char *line, size_t length)
{
    (void)length;
    if (!reader->processes || !begins(line, "    {"))
        return;
    if (reader->process_count == reader->capacity) {
        const size_t capacity = reader->capacity ? 2 * reader->capacity : 16;
        reader->shares = kg_realloc(reader->shares, capacity * sizeof *reader->shares);
        reader->capacity = capacity;
    }
    reader->shares[reader->process_count++] = (struct share){0};
}

/* The share of the entry's process; NULL if the line is no entry.
 * length  floor of the binary logarithm of the duration in ns */
static struct share *share_of(struct reader *reader, const char *line, int *length)
{
    static const char ENTRY[] = "    {\"process\":", DURATION[] = "\"duration_ns\":";
    const char *duration = strstr(line, DURATION);
    if (!begins(line, ENTRY) || !duration)
        return NULL;
    const unsigned long process = strtoul(line + strlen(ENTRY), NULL, 10);
    const double ns = strtod(duration + strlen(DURATION), NULL);
    *length = ns >= 1 ? ilogb(ns) : 0;
    if (*length >= LENGTHS)
        *length = LENGTHS - 1;
    return process < reader->process_count ? &reader->shares[process] : NULL;
}

static void entry_count(struct reader *reader, const char *line, size_t length)
{
    int log2_ns;
    (void)length;
    struct share *share = share_of(reader, line, &log2_ns);
    if (share)
        share->counts[log2_ns]++;
}

static void share_choose(struct share *share, size_t room)
{
    share->longest = LENGTHS;
    while (share->longest > 0 && share->counts[share->longest - 1] <= room)
        room -= share->counts[--share->longest];
    share->first = room;
}

/* --- Second pass: copy the kept entries -------------------------------------------------------- */

static void text_add(struct reader *reader, const char *line, size_t length)
{
    kg_page_json(reader->text, line, length);
}

/* The function writes the commas itself, because the next item may be left out. */
static void entry_add(struct reader *reader, const char *line, size_t length)
{
    int log2_ns;
    struct share *share = share_of(reader, line, &log2_ns);
    if (!share || (log2_ns < share->longest && !share->first))
        return;
    if (log2_ns < share->longest)
        share->first--;
    while (length && (line[length - 1] == '\n' || line[length - 1] == ','))
        length--;
    kg_text_append(reader->text, reader->any ? "," : "");
    kg_page_json(reader->text, line, length);
    reader->any = true;
}

bool kg_page_profile(FILE *profile, struct kg_text *text, struct kg_error *err)
{
    struct reader reader = {.text = text, .entry = entry_count, .other = process_count};
    bool read = file_read(&reader, profile);
    const size_t even = reader.process_count ? ENTRIES_MOST / reader.process_count : ENTRIES_MOST;
    for (size_t i = 0; i < reader.process_count; i++)
        share_choose(&reader.shares[i], even > ENTRIES_LEAST ? even : ENTRIES_LEAST);
    reader.entry = entry_add;
    reader.other = text_add;
    read = read && file_read(&reader, profile);
    free(reader.shares);
    return read || kg_error_set(err, KG_ERROR_SYSTEM, "cannot read a temporary file");
}
