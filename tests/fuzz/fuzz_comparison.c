/* Comparisons that were saved. */
#include "fuzz.h"
#include "model/comparison.h"

FUZZ_READ_BACK(struct kg_comparison, kg_comparison_record, KG_COMPARISON_SCHEMA, kg_comparison_load,
               kg_comparison_write, kg_comparison_free)
