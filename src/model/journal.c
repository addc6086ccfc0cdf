#include "model/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"

static bool too_long(const struct kg_journal *journal, struct kg_error *err)
{
    char most[KG_UNIT_BYTES];
    return kg_error_set(err, KG_ERROR_SYSTEM,
                        "'%.300s' would be longer than the %s that kgate reads: measure fewer "
                        "cases at a time (`--filter`, `--shard`), or fewer rounds",
                        journal->path, kg_size_format((double)journal->most, most));
}

/* Writes the line and frees it. */
static bool line_write(struct kg_journal *journal, struct kg_text *line, struct kg_error *err)
{
    kg_text_append(line, "\n");
    if (line->length > journal->most - journal->length) {
        kg_text_free(line);
        return too_long(journal, err);
    }
    journal->length += line->length;
    /* flushed, the line outlives the process; only a power cut could lose it */
    const bool good = fwrite(line->data, 1, line->length, journal->file) == line->length &&
                      fflush(journal->file) == 0;
    const int code = errno;
    kg_text_free(line);
    return good ? true
                : kg_error_set(err, KG_ERROR_SYSTEM, "cannot write '%s': %s", journal->path,
                               strerror(code));
}

/* The file is the lock of its results: two runs with the same results file would mix their
 * lines. kgate does not follow a symbolic link: if others can write to the folder, it may lead
 * anywhere. */
static bool file_open(struct kg_journal *journal, struct kg_error *err)
{
    struct stat status;
    const int file =
        open(journal->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    int code = errno;
    const bool locked = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (file >= 0 && !locked && fstat(file, &status) == 0 && status.st_nlink &&
        ftruncate(file, 0) == 0)
        journal->file = fdopen(file, "w");
    if (journal->file)
        return true;
    code = file >= 0 ? errno : code;
    if (file >= 0)
        close(file);
    if (locked)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "another kgate is writing '%.300s': give this kgate another name with -o",
            journal->path);
    return kg_error_set(err, code == ENOSPC ? KG_ERROR_SYSTEM : KG_ERROR_USAGE,
                        "cannot write '%s': %s", journal->path,
                        code == ELOOP ? "it is a symbolic link" : strerror(code));
}

bool kg_journal_open(const char *results_path, const struct kg_results *results,
                     struct kg_journal *journal, struct kg_error *err)
{
    *journal = (struct kg_journal){.most = KG_RECORD_FILE_MOST};
    const int length = snprintf(journal->path, sizeof journal->path, "%s.journal", results_path);
    if (length < 0 || (size_t)length >= sizeof journal->path)
        return kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", results_path);
    if (!file_open(journal, err))
        return false;
    kg_file_sweep(results_path);
    struct kg_text line = {0};
    kg_record_line(&kg_results_record, results, KG_JOURNAL_SCHEMA, &line);
    if (line_write(journal, &line, err))
        return true;
    kg_journal_remove(journal);
    return false;
}

static bool entry_write(struct kg_journal *journal, size_t index, const char *name,
                        const struct kg_record *record, const void *object, struct kg_error *err)
{
    struct kg_text line = {0};
    kg_text_printf(&line, "{\"case\": %zu, \"%s\": ", index, name);
    kg_record_line(record, object, NULL, &line);
    kg_text_append(&line, "}");
    return line_write(journal, &line, err);
}

bool kg_journal_round(struct kg_journal *journal, size_t index, const struct kg_round *round,
                      struct kg_error *err)
{
    return entry_write(journal, index, "round", &kg_round_record, round, err);
}

bool kg_journal_case(struct kg_journal *journal, size_t index, const struct kg_case_result *result,
                     struct kg_error *err)
{
    struct kg_case_result bare = *result;
    bare.rounds = NULL;
    bare.round_count = 0;
    return entry_write(journal, index, "update", &kg_case_result_record, &bare, err);
}

void kg_journal_close(struct kg_journal *journal)
{
    if (journal->file)
        fclose(journal->file);
    journal->file = NULL;
}

void kg_journal_remove(struct kg_journal *journal)
{
    unlink(journal->path); /* before the lock is released */
    kg_journal_close(journal);
}

/* A line: a new round of a case, or the rest of the case's result. */
struct entry {
    size_t index;
    struct kg_round round;
    struct kg_case_result update;
};

#define STRUCT entry
static const struct kg_field entry_fields[] = {
    KG_FIELD_AS("case", index, SIZE, NULL),
    KG_FIELD(round, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_round_record)),
    KG_FIELD(update, RECORD, NULL, KG_OPTIONAL, KG_OF(kg_case_result_record)),
};
static const struct kg_record entry_record = KG_RECORD_OF(entry_fields, NULL);
#undef STRUCT

static void round_append(struct kg_results *results, struct kg_case_result *result,
                         const struct kg_round *round)
{
    kg_arena_grow(&results->arena, &result->rounds, result->round_count, &result->round_capacity,
                  sizeof *result->rounds);
    result->rounds[result->round_count++] = *round;
    result->status = KG_STATUS_OK;
    results->measured_ns += round->wall_ns;
}

static void case_update(struct kg_case_result *result, const struct kg_case_result *update)
{
    const struct kg_case_result before = *result;
    *result = *update;
    result->rounds = before.rounds;
    result->round_count = before.round_count;
    result->round_capacity = before.round_capacity;
}

static bool entry_apply(struct kg_results *results, const struct entry *entry, struct kg_error *err)
{
    if (entry->index >= results->case_count)
        return kg_error_set(err, KG_ERROR_USAGE, "case: expected the index of a case");
    struct kg_case_result *result = &results->cases[entry->index];
    if (!isnan(entry->round.median_ns)) {
        round_append(results, result, &entry->round);
        return true;
    }
    if (!entry->update.id)
        return kg_error_set(err, KG_ERROR_USAGE, "expected a round or an update");
    case_update(result, &entry->update);
    return true;
}

static bool lines_apply(const char *path, const char *bytes, const char *end,
                        struct kg_results *results, struct kg_error *err)
{
    unsigned number = 2;
    for (const char *line = bytes; line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        struct entry entry = {0};
        if (!stop)
            return true; /* cut short: the writer was killed while it wrote */
        if (!kg_record_parse(&entry_record, NULL, path, line, (size_t)(stop - line),
                             &results->arena, &entry, err) ||
            !entry_apply(results, &entry, err)) {
            snprintf(err->path, sizeof err->path, "%s", path);
            err->line = number;
            return false;
        }
        line = stop + 1;
    }
    return true;
}

bool kg_journal_parse(const char *path, const char *bytes, size_t length,
                      struct kg_results *results, struct kg_error *err)
{
    const char *end = bytes + length, *first = memchr(bytes, '\n', length);
    *results = (struct kg_results){0};
    if (!first)
        return kg_error_at(err, path, 1, 0, "the journal's first line is incomplete");
    if (!kg_record_parse(&kg_results_record, KG_JOURNAL_SCHEMA, path, bytes,
                         (size_t)(first - bytes), &results->arena, results, err) ||
        !lines_apply(path, first + 1, end, results, err)) {
        kg_results_free(results);
        return false;
    }
    results->complete = false;
    for (size_t i = 0; i < results->case_count; i++)
        kg_case_summarize(&results->cases[i]);
    return true;
}
