/* Results, and the journals of runs that were killed. */
#include "fuzz.h"
#include "model/results.h"

FUZZ_READ_BACK(struct kg_results, kg_results_record, KG_RESULTS_SCHEMA, kg_results_load,
               kg_results_write, kg_results_free)
