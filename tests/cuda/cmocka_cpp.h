/* cmocka_cpp.h: cmocka, with what it needs, for tests in C++, which it does not know of. */
#pragma once
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}
