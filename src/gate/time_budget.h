/* time_budget.h: when the time for measuring is over, and whether it is long enough. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "model/comparison.h"
#include "model/results.h"

/* Takes a note while something is measured that the measurement may be worth nothing without. */
struct kg_foresaid {
    void (*say)(void *user, const char *note); /* NULL: nobody does */
    void *user;
};

enum { KG_BUDGET_NOTE_BYTES = 256 };

/* The moment by kg_clock_ns; 0 where there is no limit. */
uint64_t kg_budget_end(uint64_t started_ns, double budget_ns);

/* Whether the fewest rounds surely end after the budget, and by how much is worth a word: a first
 * round may be a slow one.
 * missing_ns  time that those take which are still to come, at the least
 * note        KG_BUDGET_NOTE_BYTES; then says so, and which budget does */
bool kg_budget_short(double elapsed_ns, double missing_ns, double budget_ns, char *note);
/* Says that once: `foresaid` is then empty. */
void kg_budget_foresay(struct kg_foresaid *foresaid, double elapsed_ns, double missing_ns,
                       double budget_ns);

/* Notes where the fewest rounds, which are always taken, were more than the budget pays for.
 * budget_ns  INFINITY: none */
void kg_budget_note(const struct kg_results *results, double budget_ns,
                    struct kg_comparison *comparison);
