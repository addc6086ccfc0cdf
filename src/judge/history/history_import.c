/* history_import.c: reads CSV files of history_export.c. Rows of a run follow each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/nearest.h"
#include "base/units.h"
#include "judge/history/history_csv.h"
#include "judge/history/history_writer.h"
#include "model/results.h"

struct import {
    struct kg_history_writer writer;
    const char *path;
    unsigned line;
    char *fields[KG_CSV_COLUMNS];
    char run[65]; /* hash of the present run; "": none */
    bool open;    /* the present run is new, so its rows are written */
    struct kg_arena arena;
    struct kg_names seen; /* runs of these files */
    struct kg_error *err;
};

static bool refuse(const struct import *import, const char *column, const char *wanted,
                   const char *found)
{
    return kg_error_at(import->err, import->path, import->line, 0,
                       "column '%s': expected %s, found '%.100s'", column, wanted, found);
}

/* Splits a line in place. Quotes are those of RFC 4180; kg_csv_text puts an apostrophe before a text that a spreadsheet
 * would compute. */
static bool line_split(struct import *import, char *line)
{
    size_t count = 0;
    char *read = line;
    for (;;) {
        char *written = read;
        const bool quoted = *read == '"';
        if (count < KG_CSV_COLUMNS)
            import->fields[count] = written;
        count++;
        read += quoted;
        while (*read && (quoted || *read != ',')) {
            if (quoted && *read == '"' && *++read != '"')
                break;
            *written++ = *read++;
        }
        const char end = *read;
        if (end && end != ',')
            return kg_error_at(import->err, import->path, import->line, 0,
                               "text after a closing quote");
        read++;
        *written = '\0';
        if (!end)
            break;
    }
    for (size_t i = 0; i < count && i < KG_CSV_COLUMNS; i++)
        if (import->fields[i][0] == '\'' && import->fields[i][1] &&
            strchr("=+-@", import->fields[i][1]))
            import->fields[i]++;
    return count == KG_CSV_COLUMNS ||
           kg_error_at(import->err, import->path, import->line, 0, "%zu fields instead of %d",
                       count, KG_CSV_COLUMNS);
}

static bool is_hex(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

/* An unknown number is an empty field. */
static bool number_read(const struct import *import, enum kg_csv_column column, const char *name,
                        double *number)
{
    const char *field = import->fields[column];
    *number = NAN;
    return !*field || kg_number_parse(field, number) || refuse(import, name, "a number", field);
}

static bool count_read(const struct import *import, enum kg_csv_column column, const char *name,
                       uint64_t most, uint64_t *count)
{
    const char *field = import->fields[column];
    return (kg_count_parse(field, count) && *count <= most) ||
           refuse(import, name, "a whole number", field);
}

static const char *known(const char *field)
{
    return *field ? field : NULL;
}

static bool run_read(const struct import *import, struct kg_history_run *run)
{
    char *const *fields = import->fields;
    const size_t kind = kg_word_index(fields[KG_CSV_KIND], kg_history_kind_names, KG_HISTORY_KINDS);
    uint64_t dirty, complete;
    double depth;
    if (!is_hex(fields[KG_CSV_RUN], 64))
        return refuse(import, "run", "64 hexadecimal digits", fields[KG_CSV_RUN]);
    if (kind == KG_HISTORY_KINDS)
        return refuse(import, "kind", "a kind of run, such as commit", fields[KG_CSV_KIND]);
    if (!kg_timestamp_is(fields[KG_CSV_STARTED]))
        return refuse(import, "started", "a time, such as 2026-01-31T12:00:00Z",
                      fields[KG_CSV_STARTED]);
    if (!*fields[KG_CSV_SUITE] || !*fields[KG_CSV_MACHINE])
        return refuse(import, "suite or machine", "a name", "");
    if (!number_read(import, KG_CSV_DEPTH, "depth", &depth) ||
        !count_read(import, KG_CSV_DIRTY, "dirty", 1, &dirty) ||
        !count_read(import, KG_CSV_COMPLETE, "complete", 1, &complete))
        return false;
    if (!isnan(depth) && !(depth >= 0 && depth <= INT32_MAX && depth == (double)(int64_t)depth))
        return refuse(import, "depth", "a whole number", fields[KG_CSV_DEPTH]);
    *run = (struct kg_history_run){
        .hash = fields[KG_CSV_RUN],
        .suite = fields[KG_CSV_SUITE],
        .kind = (enum kg_history_kind)kind,
        .started = fields[KG_CSV_STARTED],
        .commit = known(fields[KG_CSV_COMMIT]),
        .parent = known(fields[KG_CSV_PARENT]),
        .branch = known(fields[KG_CSV_BRANCH]),
        .depth = depth,
        .dirty = dirty != 0,
        .complete = complete != 0,
        .machine = fields[KG_CSV_MACHINE],
        .host = known(fields[KG_CSV_HOST]),
        .epoch = known(fields[KG_CSV_EPOCH]),
        .gpus = known(fields[KG_CSV_GPUS]),
        .boot = known(fields[KG_CSV_BOOT]),
        .kgate_version = known(fields[KG_CSV_VERSION]),
    };
    return true;
}

static bool run_end(struct import *import)
{
    const bool good = !import->open || kg_history_writer_run_end(&import->writer, import->err);
    import->open = false;
    return good;
}

static bool run_begin(struct import *import)
{
    struct kg_history_run run;
    bool present;
    if (!run_end(import) || !run_read(import, &run))
        return false;
    if (kg_names_find(&import->seen, run.hash, 64))
        return kg_error_at(import->err, import->path, import->line, 0,
                           "the rows of run %.12s do not follow each other: sort the file by `run`",
                           run.hash);
    kg_names_set(&import->arena, &import->seen, kg_arena_copy(&import->arena, run.hash), 64, 1);
    snprintf(import->run, sizeof import->run, "%s", run.hash);
    if (!kg_history_writer_run(&import->writer, &run, &present, import->err))
        return false;
    import->open = !present;
    return true;
}

static bool point_write(struct import *import)
{
    char *const *fields = import->fields;
    struct kg_history_point point = {.code = known(fields[KG_CSV_CODE])};
    uint64_t rounds, flags;
    const struct kg_history_series series = {.id_of_case = fields[KG_CSV_CASE],
                                             .definition = fields[KG_CSV_DEFINITION],
                                             .metric = fields[KG_CSV_METRIC],
                                             .source = fields[KG_CSV_SOURCE],
                                             .unit = fields[KG_CSV_UNIT]};
    if (!*fields[KG_CSV_CASE] || !*fields[KG_CSV_METRIC])
        return refuse(import, "case or metric", "a name", "");
    if (!number_read(import, KG_CSV_VALUE, "value", &point.value) ||
        !number_read(import, KG_CSV_ERROR, "error", &point.error) ||
        !number_read(import, KG_CSV_DEVIATION, "deviation", &point.deviation) ||
        !count_read(import, KG_CSV_ROUNDS, "rounds", INT32_MAX, &rounds) ||
        !count_read(import, KG_CSV_FLAGS, "flags", (1u << KG_HISTORY_FLAGS) - 1, &flags))
        return false;
    if (isnan(point.value))
        return refuse(import, "value", "a number", "");
    if (point.code && !is_hex(point.code, 16))
        return refuse(import, "code", "16 hexadecimal digits", point.code);
    point.rounds = (size_t)rounds;
    point.flags = (unsigned)flags;
    return kg_history_writer_point(&import->writer, &series, &point, import->err);
}

static bool row_read(struct import *import, char *line)
{
    if (!line_split(import, line))
        return false;
    if (strcmp(import->fields[KG_CSV_RUN], import->run) != 0 && !run_begin(import))
        return false;
    return !import->open || point_write(import);
}

static bool file_read(struct import *import, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    import->line = 0;
    import->run[0] = '\0';
    while (good && (length = getline(&line, &capacity, file)) > 0) {
        import->line++;
        while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (import->line > 1)
            good = row_read(import, line);
        else if (strcmp(line, KG_CSV_HEAD) != 0)
            good = kg_error_at(import->err, import->path, 1, 0,
                               "no CSV file of `kgate history export`: its first line is another");
    }
    if (good && ferror(file))
        good = kg_error_set(import->err, KG_ERROR_SYSTEM, "cannot read '%.300s'", import->path);
    free(line);
    return good && run_end(import);
}

static bool path_read(struct import *import, const char *path)
{
    FILE *file = fopen(path, "re");
    import->path = path;
    if (!file)
        return kg_error_set(import->err, KG_ERROR_USAGE, "cannot read '%.300s': %s", path,
                            strerror(errno));
    const bool good = file_read(import, file);
    fclose(file);
    return good;
}

bool kg_history_import(struct kg_history_database *database, const char *const *paths, size_t count,
                       struct kg_history_outcome *outcome, struct kg_error *err)
{
    struct import *import = kg_alloc(1, sizeof *import);
    import->err = err;
    *outcome = (struct kg_history_outcome){0};
    bool good = kg_history_writer_open(&import->writer, database, err);
    for (size_t i = 0; good && i < count; i++)
        good = path_read(import, paths[i]);
    good = kg_history_writer_close(&import->writer, good, err);
    if (good)
        *outcome = import->writer.outcome;
    if (good && outcome->runs)
        snprintf(
            outcome->note, sizeof outcome->note,
            "a CSV file has only points, so changes are suspected again; `kgate history import` "
            "of the database itself copies all");
    kg_arena_free(&import->arena);
    free(import);
    return good;
}

bool kg_history_csv_begins(const char *path)
{
    char head[sizeof KG_CSV_HEAD - 1];
    FILE *file = fopen(path, "re");
    const bool good =
        file && fread(head, sizeof head, 1, file) == 1 && !memcmp(head, KG_CSV_HEAD, sizeof head);
    if (file)
        fclose(file);
    return good;
}
