/* start_note.h: a note on a busy or limited machine before kgate measures. */
#pragma once
#include "base/arena.h"
#include "device/machine.h"

/* Returns "when measuring began the load was 5.3 on 2 CPUs; a quota allowed 1.5 of 2 CPUs; the host had taken 4 % of
 * the CPUs' time since boot", with the parts that exceed a limit. In `arena`; "" if no part does. */
const char *kg_start_note(struct kg_arena *arena, const struct kg_machine *machine);
