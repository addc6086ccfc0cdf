/* cmocka_cpp.h: cmocka and its required headers for tests in C++, as C declarations. */
#pragma once
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" {
#include <cmocka.h>
}
