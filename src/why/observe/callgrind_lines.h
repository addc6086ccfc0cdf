/* callgrind_lines.h: reads what Callgrind counted by line of source and by call from its files: the
 * format of Valgrind's manual, "Callgrind Format Specification", with its names and positions that
 * are cut short. What does not fit the format is passed over. */
#pragma once
#include <stdbool.h>

#include "why/observe/callgrind_sums.h"

/* Adds a file. kgate's own functions, which make the calls, are left out.
 * returns  false where it cannot be read, has no event that is known, or memory is out: then it
 *          adds nothing or a part */
bool kg_callgrind_lines_add(struct kg_callgrind_lines *lines, const char *path);
