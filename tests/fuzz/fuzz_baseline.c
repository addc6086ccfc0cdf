/* Baselines of a store. */
#include "fuzz.h"
#include "model/baseline.h"

static bool baseline_write(const struct kg_baseline *baseline, const char *path,
                           struct kg_error *err)
{
    return kg_record_save(&kg_baseline_record, baseline, KG_BASELINE_SCHEMA, path, err);
}

FUZZ_READ_BACK(struct kg_baseline, kg_baseline_record, KG_BASELINE_SCHEMA, kg_baseline_load,
               baseline_write, kg_baseline_free)
