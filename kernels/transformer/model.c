#include "transformer/model.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

#define OF_MODEL(kind_name, kind_rows, kind_columns)                                               \
    {                                                                                              \
        .name = (kind_name), .of_layer = false, .rows = KG_EXTENT_##kind_rows,                     \
        .columns = KG_EXTENT_##kind_columns                                                        \
    }
#define OF_LAYER(kind_name, kind_rows, kind_columns)                                               \
    {                                                                                              \
        .name = (kind_name), .of_layer = true, .rows = KG_EXTENT_##kind_rows,                      \
        .columns = KG_EXTENT_##kind_columns                                                        \
    }

static const struct kg_tensor_kind parameter_kinds[KG_PARAMETERS] = {
    [KG_TOKEN_EMBEDDING] = OF_MODEL("token_embedding", VOCABULARY, D),
    [KG_POSITION_EMBEDDING] = OF_MODEL("position_embedding", SEQ, D),
    [KG_FINAL_NORM_GAIN] = OF_MODEL("final_norm_gain", ONE, D),
    [KG_FINAL_NORM_BIAS] = OF_MODEL("final_norm_bias", ONE, D),
    [KG_ATTENTION_NORM_GAIN] = OF_LAYER("attention_norm_gain", ONE, D),
    [KG_ATTENTION_NORM_BIAS] = OF_LAYER("attention_norm_bias", ONE, D),
    [KG_QKV_WEIGHT] = OF_LAYER("qkv_weight", D, 3D),
    [KG_QKV_BIAS] = OF_LAYER("qkv_bias", ONE, 3D),
    [KG_PROJECTION_WEIGHT] = OF_LAYER("projection_weight", D, D),
    [KG_PROJECTION_BIAS] = OF_LAYER("projection_bias", ONE, D),
    [KG_FEED_FORWARD_NORM_GAIN] = OF_LAYER("feed_forward_norm_gain", ONE, D),
    [KG_FEED_FORWARD_NORM_BIAS] = OF_LAYER("feed_forward_norm_bias", ONE, D),
    [KG_EXPAND_WEIGHT] = OF_LAYER("expand_weight", D, FF),
    [KG_EXPAND_BIAS] = OF_LAYER("expand_bias", ONE, FF),
    [KG_CONTRACT_WEIGHT] = OF_LAYER("contract_weight", FF, D),
    [KG_CONTRACT_BIAS] = OF_LAYER("contract_bias", ONE, D),
};

static const struct kg_tensor_kind activation_kinds[KG_ACTIVATIONS] = {
    [KG_RESULT] = OF_MODEL("result", ROWS, D),
    [KG_FINAL_NORM] = OF_MODEL("final_norm", ROWS, D),
    [KG_FINAL_MEAN] = OF_MODEL("final_mean", ROWS, ONE),
    [KG_FINAL_SCALE] = OF_MODEL("final_scale", ROWS, ONE),
    [KG_LOGITS] = OF_MODEL("logits", ROWS, VOCABULARY),
    [KG_INPUT] = OF_LAYER("input", ROWS, D),
    [KG_ATTENTION_NORM] = OF_LAYER("attention_norm", ROWS, D),
    [KG_ATTENTION_MEAN] = OF_LAYER("attention_mean", ROWS, ONE),
    [KG_ATTENTION_SCALE] = OF_LAYER("attention_scale", ROWS, ONE),
    [KG_QKV] = OF_LAYER("qkv", ROWS, 3D),
    [KG_PROBABILITIES] = OF_LAYER("probabilities", ROWS, HEADS_SEQ),
    [KG_ATTENDED] = OF_LAYER("attended", ROWS, D),
    [KG_MIDDLE] = OF_LAYER("middle", ROWS, D),
    [KG_FEED_FORWARD_NORM] = OF_LAYER("feed_forward_norm", ROWS, D),
    [KG_FEED_FORWARD_MEAN] = OF_LAYER("feed_forward_mean", ROWS, ONE),
    [KG_FEED_FORWARD_SCALE] = OF_LAYER("feed_forward_scale", ROWS, ONE),
    [KG_EXPANDED] = OF_LAYER("expanded", ROWS, FF),
    [KG_HIDDEN] = OF_LAYER("hidden", ROWS, FF),
};

_Static_assert((int)KG_PARAMETERS <= (int)KG_TENSOR_KINDS_MOST &&
                   (int)KG_ACTIVATIONS <= (int)KG_TENSOR_KINDS_MOST,
               "a layout has no room for the table");

static size_t extent_of(const struct kg_model *model, enum kg_extent extent, size_t rows)
{
    switch (extent) {
    case KG_EXTENT_ONE:
        return 1;
    case KG_EXTENT_D:
        return model->d_model;
    case KG_EXTENT_3D:
        return 3 * model->d_model;
    case KG_EXTENT_FF:
        return model->d_ff;
    case KG_EXTENT_SEQ:
        return model->seq_len;
    case KG_EXTENT_HEADS_SEQ:
        return model->num_heads * model->seq_len;
    case KG_EXTENT_VOCABULARY:
        return model->vocabulary;
    case KG_EXTENT_ROWS:
        break;
    }
    return rows;
}

static size_t kind_rows(const struct kg_model *model, const struct kg_tensor_kind *kind,
                        size_t rows)
{
    const bool lacking = model->layer_only && !kind->of_layer && kind->rows != KG_EXTENT_ROWS;
    return lacking ? 0 : extent_of(model, kind->rows, rows);
}

static size_t kind_floats(const struct kg_model *model, const struct kg_tensor_kind *kind,
                          size_t rows)
{
    const size_t columns = extent_of(model, kind->columns, rows);
    const size_t floats = kind_rows(model, kind, rows) * columns;
    return (floats + KG_TENSOR_ALIGNMENT - 1) / KG_TENSOR_ALIGNMENT * KG_TENSOR_ALIGNMENT;
}

static struct kg_layout layout_make(const struct kg_model *model,
                                    const struct kg_tensor_kind *kinds, size_t count, size_t rows,
                                    bool recomputed)
{
    struct kg_layout layout = {
        .kinds = kinds, .kind_count = count, .rows = rows, .recomputed = recomputed};
    for (size_t i = 0; i < count; i++) {
        size_t *end = kg_layout_is_of_layer(&layout, i) ? &layout.layer_floats : &layout.layers_at;
        layout.offset[i] = *end;
        *end += kind_floats(model, &kinds[i], rows);
    }
    layout.floats = layout.layers_at + model->layers * layout.layer_floats;
    return layout;
}

struct kg_model kg_model_make(size_t layers, size_t d_model, size_t num_heads, size_t seq_len)
{
    struct kg_model model = {
        .layers = layers,
        .d_model = d_model,
        .num_heads = num_heads,
        .d_ff = 4 * d_model,
        .seq_len = seq_len,
        .vocabulary = KG_MODEL_VOCABULARY,
    };
    model.parameters = layout_make(&model, parameter_kinds, KG_PARAMETERS, 0, false);
    return model;
}

struct kg_model kg_model_make_layer(size_t d_model, size_t num_heads, size_t seq_len)
{
    struct kg_model model = kg_model_make(1, d_model, num_heads, seq_len);
    model.vocabulary = 0;
    model.layer_only = true;
    model.parameters = layout_make(&model, parameter_kinds, KG_PARAMETERS, 0, false);
    return model;
}

struct kg_layout kg_activations_layout(const struct kg_model *model, size_t rows)
{
    return layout_make(model, activation_kinds, KG_ACTIVATIONS, rows, model->recomputed);
}

bool kg_layout_tensor(const struct kg_layout *layout, const struct kg_model *model, size_t number,
                      struct kg_tensor *tensor)
{
    size_t of_model = 0;
    while (of_model < layout->kind_count && !layout->kinds[of_model].of_layer)
        of_model++;
    const size_t of_layer = layout->kind_count - of_model;
    if (number >= of_model + model->layers * of_layer)
        return false;
    const bool in_layer = number >= of_model;
    const size_t layer = in_layer ? (number - of_model) / of_layer : 0;
    const size_t kind = in_layer ? of_model + (number - of_model) % of_layer : number;
    *tensor = (struct kg_tensor){
        .name = layout->kinds[kind].name,
        .kind = kind,
        .layer = layer,
        .of_layer = in_layer,
        .offset = kg_layout_at(layout, kind, layer),
        .rows = kind_rows(model, &layout->kinds[kind], layout->rows),
        .columns = extent_of(model, layout->kinds[kind].columns, layout->rows),
    };
    return true;
}

size_t kg_model_parameter_count(const struct kg_model *model)
{
    struct kg_tensor tensor;
    size_t count = 0;
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++)
        count += tensor.rows * tensor.columns;
    return count;
}

/* How a tensor's values are drawn: uniform around a centre. */
struct range {
    double centre;
    double deviation;
};

static void parameters_fill(const struct kg_model *model, float *parameters, uint64_t seed,
                            struct range (*range_of)(const struct kg_model *model,
                                                     const struct kg_tensor *tensor))
{
    struct kg_random random = {seed};
    struct kg_tensor tensor;
    memset(parameters, 0, model->parameters.floats * sizeof *parameters);
    for (size_t i = 0; kg_layout_tensor(&model->parameters, model, i, &tensor); i++) {
        const struct range range = range_of(model, &tensor);
        const double half = sqrt(3) * range.deviation; /* a uniform variable's half width */
        for (size_t j = 0; j < tensor.rows * tensor.columns; j++)
            parameters[tensor.offset + j] =
                (float)(range.centre + half * kg_random_between(&random, -1, 1));
    }
}

static bool is_vector(const struct kg_tensor *tensor)
{
    return parameter_kinds[tensor->kind].rows == KG_EXTENT_ONE;
}

static bool is_gain(const struct kg_tensor *tensor)
{
    return tensor->kind == KG_FINAL_NORM_GAIN || tensor->kind == KG_ATTENTION_NORM_GAIN ||
           tensor->kind == KG_FEED_FORWARD_NORM_GAIN;
}

static struct range initial_range(const struct kg_model *model, const struct kg_tensor *tensor)
{
    if (is_vector(tensor))
        return (struct range){is_gain(tensor) ? 1 : 0, 0};
    const bool into_residual =
        tensor->kind == KG_PROJECTION_WEIGHT || tensor->kind == KG_CONTRACT_WEIGHT;
    return (struct range){0, 0.02 / (into_residual ? sqrt(2 * (double)model->layers) : 1)};
}

static struct range random_range(const struct kg_model *model, const struct kg_tensor *tensor)
{
    (void)model;
    if (is_vector(tensor))
        return (struct range){is_gain(tensor) ? 1 : 0, 0.5 / sqrt(3)};
    return (struct range){0, 1 / sqrt((double)tensor->rows)};
}

void kg_model_initialize(const struct kg_model *model, float *parameters, uint64_t seed)
{
    parameters_fill(model, parameters, seed, initial_range);
}

void kg_model_randomize(const struct kg_model *model, float *parameters, uint64_t seed)
{
    parameters_fill(model, parameters, seed, random_range);
}

double kg_model_layer_forward_flops(const struct kg_model *model)
{
    const double d = (double)model->d_model, t = (double)model->seq_len;
    return 2 * 12 * d * d + 4 * d * (t + 1) / 2;
}

double kg_model_forward_flops(const struct kg_model *model)
{
    return (double)model->layers * kg_model_layer_forward_flops(model) +
           2 * (double)model->vocabulary * (double)model->d_model;
}
