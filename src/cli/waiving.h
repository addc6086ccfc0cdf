/* waiving.h: what was accepted and is in quarantine, as the subcommands that compare take it. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "judge/waive.h"
#include "model/results.h"

struct kg_cli_waiving {
    struct kg_arena arena;
    struct kg_waivers waivers;
    struct kg_waiving waiving; /* of the above, and today */
};

/* Reads --accepted, or the file beside the suite where there is one.
 * suite  its path; NULL, "" or "-": it is no file, and has none
 * own    to be freed with kg_cli_waiving_free, also on failure
 * err    KG_ERROR_USAGE too where --accepted names no file */
bool kg_cli_waiving_load(const struct kg_arguments *arguments, const char *suite,
                         struct kg_cli_waiving *own, struct kg_error *err);
/* The same of a suite that is prepared: with --trust from that branch, unless --accept-from head. Then the
 * waiving also says what is trusted: so read all else that is trusted before. */
bool kg_cli_waiving_prepared(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                             struct kg_cli_waiving *own, struct kg_error *err);
void kg_cli_waiving_free(struct kg_cli_waiving *own);

/* accepted.c: the entries of the file of accepted changes and cases in quarantine, as they are shown. */

/* "CASE: time up to +12.0 % is accepted until 2026-01-31", without a line's end. */
void kg_accepted_line(const struct kg_waiver *waiver, struct kg_text *text);

/* Prints those of a kind: what, why, who, since and until when, and which do not hold any more, in the suite
 * or because this machine's baseline has them. As text, or with --json.
 * err  KG_ERROR_USAGE too where --accepted names no file */
bool kg_accepted_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                      const struct kg_prepared *prepared, struct kg_error *err);

/* stored_slower.c: cases that `baseline update` stores though they became slower. */

/* Appends a line for each case that is a REGRESSION or SUSPECT against the runs stored so far, and that no
 * entry covers: later runs are compared with it too. Before the update. */
bool kg_stored_slower_text(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_waiving *waiving, struct kg_text *text,
                           struct kg_error *err);
