/* Loads the plugin that measures the CPU's ceilings. The plugin uses OpenMP, whose costs are among the
 * ceilings; kgate itself does not. */
#include "base/library.h"
#include "run/ceilings/ceilings_measure.h"
#include "suite/sources/kernel_file.h"

bool kg_cpu_ceilings_load_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                                  struct kg_error *err)
{
    static const struct kg_symbol symbol = {"kg_cpu_ceilings_measure", NULL, 0, false};
    bool (*measure)(struct kg_arena *, struct kg_cpu_ceilings *, struct kg_error *);
    char file[4096], why[1024] = "";
    if (!kg_kernel_file(NULL, "ceilings", file, err))
        return false;
    void *library = kg_library_open(file, why, sizeof why);
    if (!library || kg_library_symbols(library, &symbol, 1, &measure))
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot load '%.300s'%s%s", file,
                            *why ? ": " : "", why);
    return measure(arena, ceilings, err);
}
