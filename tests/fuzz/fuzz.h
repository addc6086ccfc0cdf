/* fuzz.h: what a harness is made of. A harness is one reader of kgate on bytes that somebody else made:
 * libFuzzer calls it with bytes of its own, replay.c with those of files. Nothing may crash, hang or
 * leak; and what a reader takes, kgate must be able to write, and to read again. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Path of a file with these bytes, until the next call. Ends the process where none can be made. */
const char *fuzz_file(const uint8_t *bytes, size_t length);

/* Path of a file that a harness may write, and read after that. */
const char *fuzz_written(void);

/* Ends the process, as a fault that was found: `what` happened to what was read, for `why`. */
_Noreturn void fuzz_fail(const char *what, const char *why);
