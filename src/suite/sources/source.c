#include "suite/sources/source.h"

#define KG_SOURCE(constant, key, ...) extern const struct kg_source_operations kg_source_##key;
#include "model/sources.def"
#undef KG_SOURCE

const struct kg_source_operations *const kg_sources[KG_SOURCE_COUNT] = {
#define KG_SOURCE(constant, key, ...) &kg_source_##key,
#include "model/sources.def"
#undef KG_SOURCE
};
