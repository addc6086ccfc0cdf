/* kernel_file.h: where the plugins of kgate's own lie. Thread-safe. */
#pragma once
#include "base/error.h"

/* Finds FAMILY.so beside a kgate: in kgate-kernels (of a build), or in lib/kgate/kernels (of an installation).
 * kgate    path of the executable; NULL: this one
 * file     4096 bytes
 * returns  false with KG_ERROR_SYSTEM if there is none; err says where it was looked for */
bool kg_kernel_file(const char *kgate, const char *family, char *file, struct kg_error *err);
