#include "profiler/read/writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool kg_writer_open(struct kg_writer *output, FILE *file, struct kg_error *err)
{
    *output = (struct kg_writer){.file = file, .buffer = malloc(KG_WRITER_BYTES)};
    return output->buffer ? true : kg_error_memory(err);
}

static bool flush(struct kg_writer *output)
{
    errno = 0;
    if (!output->failure && fwrite(output->buffer, 1, output->used, output->file) != output->used)
        output->failure = errno ? errno : EIO;
    output->used = 0;
    return !output->failure;
}

bool kg_writer_close(struct kg_writer *output, bool good, struct kg_error *err)
{
    if (good && flush(output) && fflush(output->file) != 0)
        output->failure = errno ? errno : EIO;
    if (good && output->failure)
        good = kg_error_set(err, KG_ERROR_SYSTEM, "cannot write the report: %s",
                            strerror(output->failure));
    free(output->buffer);
    *output = (struct kg_writer){0};
    return good;
}

void kg_writer_bytes(struct kg_writer *output, const char *bytes, size_t length)
{
    while (length > KG_WRITER_BYTES - output->used) {
        const size_t room = KG_WRITER_BYTES - output->used;
        memcpy(output->buffer + output->used, bytes, room);
        output->used += room;
        flush(output);
        bytes += room;
        length -= room;
    }
    memcpy(output->buffer + output->used, bytes, length);
    output->used += length;
}

/* Room for a number. */
static char *room(struct kg_writer *output)
{
    if (KG_WRITER_BYTES - output->used < KG_WRITER_NUMBER_BYTES)
        flush(output);
    return output->buffer + output->used;
}

/* Digits of a number, at least `least`; returns how many. */
static size_t digits(char *to, uint64_t value, size_t least)
{
    char reversed[24];
    size_t count = 0;
    for (; value || count < least; value /= 10)
        reversed[count++] = (char)('0' + value % 10);
    for (size_t i = 0; i < count; i++)
        to[i] = reversed[count - 1 - i];
    return count;
}

void kg_writer_count(struct kg_writer *output, uint64_t value)
{
    char *to = room(output);
    output->used += digits(to, value, 1);
}

void kg_writer_us(struct kg_writer *output, int64_t ns)
{
    char *to = room(output);
    const uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    size_t used = 0;
    if (ns < 0)
        to[used++] = '-';
    used += digits(to + used, size / 1000, 1);
    to[used++] = '.';
    used += digits(to + used, size % 1000, 3);
    output->used += used;
}

void kg_writer_ns(struct kg_writer *output, double ns)
{
    char *to = room(output);
    const double size = fabs(ns);
    uint64_t whole = (uint64_t)size;
    uint64_t thousandths = (uint64_t)((size - (double)whole) * 1000 + 0.5);
    size_t used = 0;
    if (thousandths == 1000) {
        whole++;
        thousandths = 0;
    }
    if (ns < 0 && (whole || thousandths))
        to[used++] = '-';
    used += digits(to + used, whole, 1);
    if (thousandths) {
        to[used++] = '.';
        used += digits(to + used, thousandths, 3);
        while (to[used - 1] == '0')
            used--;
    }
    output->used += used;
}

void kg_writer_real(struct kg_writer *output, double value)
{
    char *to = room(output);
    const int length = snprintf(to, KG_WRITER_NUMBER_BYTES, "%.17g", value);
    /* A program may have set a locale with another point. */
    char *point = strchr(to, ',');
    if (point)
        *point = '.';
    output->used += (size_t)length;
}
