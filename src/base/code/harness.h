/* harness.h: which benchmark library a program is linked with. Thread-safe. */
#pragma once
#include <stdbool.h>

/* Whether the file is an ELF64 program of Google Benchmark: it needs libbenchmark.so, or has the
 * library's own options in it. false also where it cannot be read. */
bool kg_code_is_google_benchmark(const char *path);
