/* writer.h: writes large texts: into a buffer, from there to a file. A failure is stored, so the caller
 * checks once at the end. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { KG_WRITER_BYTES = 256 << 10, KG_WRITER_NUMBER_BYTES = 32 };

struct kg_writer {
    FILE *file;
    char *buffer;
    size_t used;
    int failure; /* errno of the first failure */
};

/* returns false if memory is out */
bool kg_writer_open(struct kg_writer *output, FILE *file, struct kg_error *err);
/* Writes the rest of the buffer, and flushes the file's own buffer.
 * good     false if err is already filled; the result is then false too
 * returns  false if a write failed */
bool kg_writer_close(struct kg_writer *output, bool good, struct kg_error *err);

void kg_writer_bytes(struct kg_writer *output, const char *bytes, size_t length);
/* A whole number. A time in ns with up to three decimals. A time of whole ns in us, with three
 * decimals. */
void kg_writer_count(struct kg_writer *output, uint64_t value);
void kg_writer_ns(struct kg_writer *output, double ns);
void kg_writer_us(struct kg_writer *output, int64_t ns);
/* A number that reads back as the same double; finite. */
void kg_writer_real(struct kg_writer *output, double value);

static inline void kg_writer_string(struct kg_writer *output, const char *string)
{
    kg_writer_bytes(output, string, strlen(string));
}
