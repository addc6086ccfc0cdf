/* kernel_file.h: finds the plugins that come with kgate. Thread-safe. */
#pragma once
#include "base/error.h"

/* Finds FAMILY.so beside a kgate: in kgate-kernels of a build, or in lib/kgate/kernels of an installation.
 * kgate    path of the executable; NULL: this executable
 * file     buffer of 4096 bytes
 * returns  false with KG_ERROR_SYSTEM if the file is missing, with the searched folders */
bool kg_kernel_file(const char *kgate, const char *family, char *file, struct kg_error *err);
