/* sketches.h: code as it is often found, and mended, by the function or the system call that a
 * cause was seen in: a rule has one sketch, but `write` is not mended as `read` is. Pure.
 *
 * To add one: a row in sketches_table.c. */
#pragma once
#include "base/text.h"
#include "why/rules/cause.h"

/* What a sketch is chosen by. */
enum kg_sketch_by {
    KG_BY_FUNCTION,      /* a function of a library: what its plain name begins with */
    KG_BY_CALL,          /* a system call: its name; of no words: any */
    KG_BY_CODE,          /* a part of the text of an instruction in the hot loop */
    KG_BY_LOOP,          /* it was seen in a loop of the workload's own */
    KG_BY_WHOLE_NUMBERS, /* likewise, in one without floating point */
    KG_BY_OPENMP,        /* OpenMP starts the case's threads */
    KG_BY_THREADS,       /* something else does */
};

struct kg_sketch {
    enum kg_cause_kind cause;
    enum kg_sketch_by by;
    const char *words;  /* parted by '|', of the first three; else NULL */
    const char *hint;   /* NULL: as the rule has it; "{call}" is the system call's name, here too */
    const char *before; /* NULL: the rule's own sketch is the one for these */
    const char *after;
};
extern const struct kg_sketch kg_sketch_table[];
extern const size_t kg_sketch_count;

/* The first row that fits a cause of a case; NULL: the rule's own sketch is all there is. */
const struct kg_sketch *kg_sketch_of(const struct kg_facts *facts, const struct kg_cause *cause);

/* Appends a sketch's words with each "{call}" replaced. */
void kg_sketch_text(const char *words, const struct kg_cause *cause, struct kg_text *text);
