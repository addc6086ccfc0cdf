/* start_note.h: what a machine is doing before anything is measured. */
#pragma once
#include "base/arena.h"
#include "device/machine.h"

/* "when measuring began the load was 5.3 on 2 CPUs; a quota allows 1.5 of 2 CPUs; the host took 4 %
 * of the CPUs' time since boot", as far as each is worth a word.
 * returns a sentence in `arena`; "" where there is nothing to say */
const char *kg_start_note(struct kg_arena *arena, const struct kg_machine *machine);
