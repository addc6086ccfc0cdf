/* history_csv.h: the columns of a history's CSV file, in their order. */
#pragma once

enum kg_csv_column {
    KG_CSV_RUN,
    KG_CSV_SUITE,
    KG_CSV_KIND,
    KG_CSV_STARTED,
    KG_CSV_COMMIT,
    KG_CSV_PARENT,
    KG_CSV_BRANCH,
    KG_CSV_DEPTH,
    KG_CSV_DIRTY,
    KG_CSV_COMPLETE,
    KG_CSV_MACHINE,
    KG_CSV_HOST,
    KG_CSV_EPOCH,
    KG_CSV_GPUS,
    KG_CSV_BOOT,
    KG_CSV_VERSION,
    KG_CSV_CASE,
    KG_CSV_DEFINITION,
    KG_CSV_METRIC,
    KG_CSV_SOURCE,
    KG_CSV_UNIT,
    KG_CSV_VALUE,
    KG_CSV_ERROR,
    KG_CSV_DEVIATION,
    KG_CSV_ROUNDS,
    KG_CSV_FLAGS,
    KG_CSV_CODE,
    KG_CSV_COLUMNS
};

#define KG_CSV_HEAD                                                                                \
    "run,suite,kind,started,commit,parent,branch,depth,dirty,complete,machine,host,epoch,gpus,"    \
    "boot,version,case,definition,metric,source,unit,value,error,deviation,rounds,flags,code"
