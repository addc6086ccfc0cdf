/* waiving.h: what was accepted and is in quarantine, as the subcommands that compare take it. */
#pragma once
#include "cli/cli.h"
#include "judge/waive.h"

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
