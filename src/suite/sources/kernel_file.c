#include "suite/sources/kernel_file.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"

enum { PATH_BYTES = 4096 };

bool kg_kernel_file(const char *kgate, const char *family, char *file, struct kg_error *err)
{
    static const char *const folders[] = {"kgate-kernels",
                                          KGATE_LIBRARIES_FROM_BIN "/kgate/kernels"};
    enum { FOLDERS = sizeof folders / sizeof *folders };
    char self[PATH_BYTES], places[FOLDERS][PATH_BYTES];
    const char *paths[FOLDERS];
    const ssize_t length = kgate ? 0 : readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < FOLDERS; i++) {
        snprintf(places[i], PATH_BYTES, "%s/%s.so", folders[i], family);
        paths[i] = places[i];
    }
    return kg_file_beside(kgate ? kgate : self, paths, FOLDERS, file) ||
           kg_error_set(err, KG_ERROR_SYSTEM,
                        "beside '%.300s' there is no '%s' or '%s', which comes with kgate: "
                        "install all of it (`cmake --install`), or copy the file there",
                        kgate ? kgate : self, paths[0], paths[1]);
}
