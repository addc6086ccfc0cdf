/* time_budget.h: the end of the time for measurement, and whether that time is long enough. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "model/comparison.h"
#include "model/results.h"

/* Receives a note during the measurement. It warns early that the result may be useless. */
struct kg_warning {
    void (*print)(void *user, const char *note); /* NULL: nobody receives the note */
    void *user;
};

enum { KG_BUDGET_NOTE_BYTES = 256 };

/* Returns the end of the budget by kg_clock_ns; 0: no limit. */
uint64_t kg_budget_end(uint64_t started_ns, double budget_ns);

/* Whether the minimum rounds will clearly end after the budget. The excess must be large, since a first round may be
 * slow.
 * missing_ns  least time for the missing minimum rounds
 * note        KG_BUDGET_NOTE_BYTES; on true: the problem and a sufficient budget */
bool kg_budget_short(double elapsed_ns, double missing_ns, double budget_ns, char *note);
/* Sends the note of kg_budget_short once: `warned` is then empty. */
void kg_budget_warn(struct kg_warning *warned, double elapsed_ns, double missing_ns,
                    double budget_ns);

/* Adds a note if the minimum rounds, which kgate always takes, needed more than the budget.
 * budget_ns  INFINITY: no budget */
void kg_budget_note(const struct kg_results *results, double budget_ns,
                    struct kg_comparison *comparison);
