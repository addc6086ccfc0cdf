/* accepted.h: the entries of the file of accepted changes and cases in quarantine, as they are shown. */
#pragma once
#include "cli/cli.h"
#include "judge/waive.h"

/* "CASE: time up to +12.0 % is accepted until 2026-01-31", without a line's end. */
void kg_accepted_line(const struct kg_waiver *waiver, struct kg_text *text);

/* Prints those of a kind: what, why, who, since and until when, and which do not hold any more, in the suite
 * or because this machine's baseline has them. As text, or with --json.
 * err  KG_ERROR_USAGE too where --accepted names no file */
bool kg_accepted_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                      const struct kg_prepared *prepared, struct kg_error *err);
