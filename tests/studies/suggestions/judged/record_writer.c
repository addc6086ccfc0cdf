/* record_writer.c: records of fixed size written to a file. */
#include "judged.h"

enum { RECORDS = 1500, BUFFERED = 512 };

struct record {
    uint64_t key;
    uint32_t kind, checksum;
    uint8_t body[48];
};

struct writer {
    int file;
    size_t count;
    struct record buffer[BUFFERED];
};

struct state {
    double result;
    struct writer writer;
};

static struct record make_record(uint64_t key)
{
    struct record record = {.key = key * 0x9E3779B97F4A7C15u, .kind = (uint32_t)key % 5};
    for (size_t i = 0; i < sizeof record.body; i++) {
        record.body[i] = (uint8_t)(record.key >> i % 57);
        record.checksum = record.checksum * 31 + record.body[i];
    }
    return record;
}

static ELSEWHERE bool write_record(const struct writer *writer, const struct record *record)
{
    return write(writer->file, record, sizeof *record) == (ssize_t)sizeof *record;
}

static ELSEWHERE bool flush_records(struct writer *writer)
{
    const size_t bytes = writer->count * sizeof *writer->buffer;
    writer->count = 0;
    return write(writer->file, writer->buffer, bytes) == (ssize_t)bytes;
}

static ELSEWHERE bool buffer_record(struct writer *writer, const struct record *record)
{
    writer->buffer[writer->count++] = *record;
    return writer->count < BUFFERED || flush_records(writer);
}

static double last_checksum(int file)
{
    struct record record;
    const off_t place = (off_t)(RECORDS - 1) * (off_t)sizeof record;
    if (pread(file, &record, sizeof record, place) != (ssize_t)sizeof record)
        return -1;
    return record.checksum;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    state->writer.file = temporary_file();
    if (state->writer.file < 0)
        return refuse(context, "no temporary file");
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    bool good = lseek(state->writer.file, 0, SEEK_SET) == 0;
    for (uint64_t key = 0; good && key < RECORDS; key++) {
        const struct record record = make_record(key);
        good = write_record(&state->writer, &record);
    }
    state->result = last_checksum(state->writer.file);
}

static void run_good(void *place)
{
    struct state *state = place;
    bool good = lseek(state->writer.file, 0, SEEK_SET) == 0;
    for (uint64_t key = 0; good && key < RECORDS; key++) {
        const struct record record = make_record(key);
        good = buffer_record(&state->writer, &record);
    }
    if (good)
        flush_records(&state->writer);
    state->result = last_checksum(state->writer.file);
}

PAIR(record_writer, 0, "Records written to a file.");
