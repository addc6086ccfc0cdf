/* kernel_name.h: a kernel's name as people write it. Thread-safe. */
#pragma once
#include "base/arena.h"

/* "_ZN2ns4copyIfLi4EEEvPT_i" as "ns::copy<float, 4>": as the machine's C++ library reads it, where
 * there is one, without result and arguments.
 * returns the name itself where it is none of C++'s or cannot be read; NULL where memory is out */
const char *kg_kernel_name(struct kg_arena *arena, const char *name);

/* "void ns::copy<float, 4>(float*, int)" without result and arguments. */
const char *kg_kernel_name_short(struct kg_arena *arena, const char *declaration);
