#include "run/counting/callgrind.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 1024, EVENTS_MOST = 32 };

bool kg_callgrind_find(char *path, size_t bytes)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        snprintf(path, bytes, "%.*s/valgrind", (int)length, folders);
        if (access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

void kg_callgrind_last_level(double bytes, char *text, size_t text_bytes)
{
    enum { LINE = 64, WAYS = 16 };
    static const double LEAST = 64 * 1024, MOST = 1024.0 * 1024 * 1024;
    uint64_t sets = 1;
    text[0] = '\0';
    if (!(bytes >= LEAST) || bytes > MOST)
        return;
    while (2 * sets * LINE * WAYS <= (uint64_t)bytes)
        sets *= 2;
    const uint64_t ways = (uint64_t)(bytes / (double)(sets * LINE));
    snprintf(text, text_bytes, "--LL=%" PRIu64 ",%" PRIu64 ",%d", sets * ways * LINE, ways, LINE);
}

/* --- A file ----------------------------------------------------------------------------------- */

enum amount { INSTRUCTIONS, LINES, MEMORY_LINES, AMOUNTS, NONE = AMOUNTS };

/* A miss of the first level, read or write, brings a line into it. A miss of the last level brings a
 * line from memory. If the replaced line was modified, that line goes to memory. */
static const struct {
    const char *event;
    enum amount amount;
} events[] = {
    {"Ir", INSTRUCTIONS},    {"D1mr", LINES},         {"D1mw", LINES},
    {"DLmr", MEMORY_LINES},  {"DLmw", MEMORY_LINES},  {"ILdmr", MEMORY_LINES},
    {"DLdmr", MEMORY_LINES}, {"DLdmw", MEMORY_LINES},
};

struct reading {
    enum amount columns[EVENTS_MOST]; /* columns of a line of totals */
    size_t column_count;
    double unit_bytes[AMOUNTS]; /* size of a cache line; 1 for an instruction */
    double sums[AMOUNTS];       /* NaN: missing in the totals */
};

static enum amount amount_of(const char *event, size_t length)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strlen(events[i].event) == length && !strncmp(events[i].event, event, length))
            return events[i].amount;
    return NONE;
}

static void columns_read(struct reading *reading, const char *words)
{
    reading->column_count = 0;
    for (words += strspn(words, " ");
         *words && *words != '\n' && reading->column_count < EVENTS_MOST;
         words += strspn(words, " ")) {
        const size_t length = strcspn(words, " \n");
        reading->columns[reading->column_count++] = amount_of(words, length);
        words += length;
    }
}

/* Zeros at the end are left out. */
static void totals_add(struct reading *reading, const char *numbers)
{
    for (size_t i = 0; i < reading->column_count; i++) {
        char *after;
        const double value = strtod(numbers, &after);
        const enum amount amount = reading->columns[i];
        numbers = after;
        if (amount != NONE)
            reading->sums[amount] = fmax(reading->sums[amount], 0) + value;
    }
}

static void line_read(struct reading *reading, const char *line)
{
    double bytes;
    if (sscanf(line, "desc: D1 cache: %*f B, %lf B", &bytes) == 1)
        reading->unit_bytes[LINES] = bytes;
    else if (sscanf(line, "desc: LL cache: %*f B, %lf B", &bytes) == 1)
        reading->unit_bytes[MEMORY_LINES] = bytes;
    else if (!strncmp(line, "events: ", 8))
        columns_read(reading, line + 8);
    else if (!strncmp(line, "totals: ", 8))
        totals_add(reading, line + 8);
}

struct kg_counts kg_callgrind_read(const char *path)
{
    char line[LINE_BYTES];
    struct reading reading = {.unit_bytes = {1, NAN, NAN}, .sums = {NAN, NAN, NAN}};
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        line_read(&reading, line);
    if (file)
        fclose(file);
    return (struct kg_counts){
        .instructions = reading.sums[INSTRUCTIONS],
        .line_bytes = reading.sums[LINES] * reading.unit_bytes[LINES],
        .memory_line_bytes = reading.sums[MEMORY_LINES] * reading.unit_bytes[MEMORY_LINES],
    };
}

/* --- A folder --------------------------------------------------------------------------------- */

/* A NaN is left out of the sum: that process counted nothing of the kind. */
static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

struct kg_counts kg_callgrind_take(const char *folder, bool asked_for)
{
    char path[PATH_BYTES + 260];
    struct kg_counts counts = KG_COUNTS_NONE;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const struct kg_counts of_file = kg_callgrind_read(path);
        unlink(path);
        if (asked_for != (strchr(entry->d_name, '.') != NULL))
            continue;
        counts.instructions = sum(counts.instructions, of_file.instructions);
        counts.line_bytes = sum(counts.line_bytes, of_file.line_bytes);
        counts.memory_line_bytes = sum(counts.memory_line_bytes, of_file.memory_line_bytes);
    }
    if (directory)
        closedir(directory);
    return counts;
}
