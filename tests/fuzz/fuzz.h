/* fuzz.h: what a harness is made of. A harness is one reader of kgate on bytes that somebody else made:
 * libFuzzer calls it with bytes of its own, replay.c with those of files. Nothing may crash, hang or
 * leak; and what a reader takes, kgate must be able to write, and to read again. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Path of a file with these bytes, until the next call. Ends the process where none can be made. */
const char *fuzz_file(const uint8_t *bytes, size_t length);

/* Path of a file that a harness may write, and read after that. */
const char *fuzz_written(void);

/* Reads a record of this schema. Ends the process if what is read is no JSON, or another value part by part or
 * after it was written. */
void fuzz_record(const struct kg_record *record, const char *schema, const uint8_t *bytes,
                 size_t length);

/* A harness of a kind of file: what is read must be written, and that be read again.
 * load, write  as kg_results_load and kg_results_write */
#define FUZZ_READ_BACK(type, record, schema, load, write, release)                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)                                \
    {                                                                                              \
        type read;                                                                                 \
        struct kg_error err = {0};                                                                 \
        fuzz_record(&record, schema, bytes, length);                                               \
        if (!load(fuzz_file(bytes, length), &read, &err))                                          \
            return 0;                                                                              \
        if (!write(&read, fuzz_written(), &err))                                                   \
            fuzz_fail("what was read cannot be written", err.message);                             \
        release(&read);                                                                            \
        if (!load(fuzz_written(), &read, &err))                                                    \
            fuzz_fail("what was written cannot be read", err.message);                             \
        release(&read);                                                                            \
        return 0;                                                                                  \
    }

/* Ends the process, as a fault that was found: `what` happened to what was read, for `why`. */
_Noreturn void fuzz_fail(const char *what, const char *why);
