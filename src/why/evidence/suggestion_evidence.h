/* suggestion_evidence.h: the figures that something said of an operation follows from. Texts live in an arena. */
#pragma once
#include "why/suggestions.h"

struct kg_evidence {
    struct kg_arena *arena;
    struct kg_evidence_figure *figures;
    size_t count, capacity;
};

/* Adds those of the facts that are known; `names` ends at NULL or `most`.
 * returns  false where memory is out, as the next */
bool kg_evidence_facts(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const char *const *names, size_t most);

/* Adds what was seen, counted and measured of a cause. */
bool kg_evidence_cause(struct kg_evidence *evidence, const struct kg_facts *facts,
                       const struct kg_cause *cause);
