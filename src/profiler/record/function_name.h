/* function_name.h: the short name of a C++ function, from the compiler's signature of it. Pure. It needs no memory,
 * which base/code/symbol_name.h does: the library of other people's programs goes on without. */
#pragma once

/* Shortens __PRETTY_FUNCTION__ in place: "virtual double ns::Layer::forward(int) const" becomes
 * "ns::Layer::forward". A name without parameters, such as C's __func__, stays. */
void kg_function_name(char *signature);
