/* completion_values.h: what the value of an option may be, for shells that complete it. Pure. */
#pragma once
#include "base/text.h"
#include "cli/arguments.h"

enum kg_value_kind {
    KG_VALUE_OTHER, /* nothing can be said */
    KG_VALUE_FILE,  /* a file or a folder */
    KG_VALUE_WORD,  /* one of some words */
    KG_VALUE_LIST,  /* some of these, with commas between */
    KG_VALUE_CASE,  /* the id of a case of the suite */
};

/* What the option takes there.
 * words  appended: of WORD and LIST, separated by spaces */
enum kg_value_kind kg_value_kind(const struct kg_subcommand *subcommand,
                                 const struct kg_option *option, struct kg_text *words);

/* The same of its operands; words of the first one alone. */
enum kg_value_kind kg_operand_kind(const struct kg_subcommand *subcommand, struct kg_text *words);
