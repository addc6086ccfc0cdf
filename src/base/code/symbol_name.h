/* symbol_name.h: names of functions as people write them, from the symbols of compilers.
 * Thread-safe. */
#pragma once
#include "base/arena.h"
#include "base/text.h"

/* "_ZN5Lexer4nextIcEEiT_" as "Lexer::next<char>". The machine's C++ library decodes the name if it
 * is present.
 * returns the name unchanged if it is not a C++ name or cannot be decoded */
const char *kg_symbol_name(struct kg_arena *arena, const char *symbol);

/* "void ns::copy<float, 4>(float*, int) [clone .isra.0]" as "ns::copy<float, 4>": without result,
 * arguments and version. The suffix of an outlined parallel region stays. */
const char *kg_declaration_name(struct kg_arena *arena, const char *declaration);

/* The last part of a name, without scopes and template arguments: "find" of "std::map<int>::find".
 * length   its length
 * returns  its begin in `name` */
const char *kg_name_last(const char *name, size_t *length);

enum { KG_NAME_WIDTH = 48 };

/* Adds a name as tables and sentences show it. JSON has the whole name. Three rules, in this order:
 * 1. Names of std lose their template arguments, and `__cxx11::`. std::basic_string is std::string.
 * 2. Template arguments of more than 16 bytes in other names become "<…>".
 * 3. A name of more than KG_NAME_WIDTH bytes loses its middle. Its end tells more than its begin. */
void kg_name_print(struct kg_text *text, const char *name);
