/* scopes_parts.h: what the time in a scope goes to besides work, how threads shared it, and what
 * could be fused. For scopes.c. */
#pragma once
#include "why/evidence/scopes_subject.h"

/* The profile's part of the facts, but calls, of a row and what is inside it; of the subject's root
 * everything. What there is nothing of stays as it is. false where memory is out. */
bool kg_scope_profile_tell(struct kg_scope_subject *subject, size_t row, struct kg_facts *facts,
                           struct kg_error *err);
