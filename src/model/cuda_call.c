#include "model/cuda_call.h"

const char *const kg_cuda_type_names[KG_CUDA_TYPE_COUNT + 1] = {
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", NULL};

#define STRUCT kg_cuda_arg
static const struct kg_field arg_fields[] = {
    KG_FIELD(name, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(type, ENUM, NULL, KG_NAMES(kg_cuda_type_names)),
    KG_FIELD(value, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(count, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(fill, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(out, BOOL, NULL, KG_OPTIONAL),
    KG_FIELD(expect, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(expect_file, STRING, NULL, KG_OPTIONAL),
};
static const struct kg_record arg_record = KG_RECORD_OF(arg_fields, NULL);
#undef STRUCT

#define STRUCT kg_cuda_call
static const struct kg_field call_fields[] = {
    KG_FIELD(folder, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(entry, STRING, NULL, KG_OPTIONAL),
    KG_LIST(grid, grid_count, STRINGS, NULL),
    KG_LIST(block, block_count, STRINGS, NULL),
    KG_FIELD(shared, STRING, NULL, KG_OPTIONAL),
    KG_LIST(options, option_count, STRINGS, NULL, KG_OPTIONAL),
    KG_LIST(args, arg_count, RECORDS, NULL, KG_OF(arg_record)),
    KG_FIELD(tolerance, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(items, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(bytes, STRING, NULL, KG_OPTIONAL),
    KG_FIELD(flops, STRING, NULL, KG_OPTIONAL),
};
const struct kg_record kg_cuda_call_record = KG_RECORD_OF(call_fields, NULL);
#undef STRUCT

const char *kg_cuda_expect_path(struct kg_arena *arena, const struct kg_cuda_call *call,
                                const struct kg_cuda_arg *arg)
{
    const char *folder = arg->expect_file[0] == '/' || !call->folder ? "" : call->folder;
    return kg_arena_printf(arena, "%s%s", folder, arg->expect_file);
}
