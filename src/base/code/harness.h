/* harness.h: recognises the benchmark library of a program. Thread-safe. */
#pragma once
#include <stdbool.h>

/* Whether the file is an ELF64 program of Google Benchmark: it needs libbenchmark.so, or contains
 * the library's own options. false also if the file cannot be read. */
bool kg_code_is_google_benchmark(const char *path);
