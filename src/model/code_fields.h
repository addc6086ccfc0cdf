/* code_fields.h: field-table rows for a struct whose member `code` is a kg_code_identity: equal in
 * results and in baselines. */
#pragma once
#include "base/code/code_identity.h"
#include "base/record.h"

#define KG_CODE_FIELDS                                                                             \
    KG_FIELD_AS("code_hash", code.hash, STRING, "hash of the machine code", KG_OPTIONAL,           \
                KG_PATTERN_HASH),                                                                  \
        KG_FIELD_AS(                                                                               \
            "code_scope", code.scope, ENUM,                                                        \
            "extent of the known code: its file alone; also the libraries loaded at start; "       \
            "both, but the code can load or start more (open); both, but the code can open "       \
            "files, which are not known (files)",                                                  \
            KG_OPTIONAL, KG_NAMES(kg_code_scope_names)),                                           \
        KG_LIST_AS("libraries", code.libraries, code.library_count, STRINGS,                       \
                   "NAME HASH of each library", KG_OPTIONAL)
