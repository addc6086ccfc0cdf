/* slice_template.h: struct SLICE of REAL, both defined by the includer, and functions SLICE_…. They
 * give the address of a slice's tensor; tensors of the model ignore `layer`. passes.h includes it
 * for float and for double. */
#define SLICE_JOIN_(slice, name) slice##_##name
#define SLICE_JOIN(slice, name) SLICE_JOIN_(slice, name)
#define SLICE_FUNCTION(name) SLICE_JOIN(SLICE, name)

/* Whole sequences, and the buffers of their values. */
struct SLICE {
    const struct kg_model *model;
    size_t sequences;
    size_t rows;             /* sequences * seq_len */
    struct kg_layout layout; /* of the activations */
    const REAL *parameters;  /* laid out as model->parameters */
    REAL *activations;
    REAL *gradients; /* laid out as the parameters; written, except for the gaps between tensors */
    REAL *stream;    /* rows by d: backward's gradient of x, from the last layer to the first */
    REAL *scratch;   /* kg_slice_scratch(model, rows) elements */
    /* plain.c and reference.c: attention of every `attending`-th row only, including the last; 0 is
     * all. */
    size_t attending;
    REAL loss_scale; /* 1 / the tokens of the whole batch: factor of the loss in gradients */
};

static inline REAL *SLICE_FUNCTION(activation)(const struct SLICE *slice, enum kg_activation kind,
                                               size_t layer)
{
    return slice->activations + kg_layout_at(&slice->layout, kind, layer);
}

static inline const REAL *SLICE_FUNCTION(parameter)(const struct SLICE *slice,
                                                    enum kg_parameter kind, size_t layer)
{
    return slice->parameters + kg_layout_at(&slice->model->parameters, kind, layer);
}

static inline REAL *SLICE_FUNCTION(gradient)(const struct SLICE *slice, enum kg_parameter kind,
                                             size_t layer)
{
    return slice->gradients + kg_layout_at(&slice->model->parameters, kind, layer);
}

/* x before a layer; of number `layers`, after the last. */
static inline REAL *SLICE_FUNCTION(x)(const struct SLICE *slice, size_t layer)
{
    return layer < slice->model->layers ? SLICE_FUNCTION(activation)(slice, KG_INPUT, layer)
                                        : SLICE_FUNCTION(activation)(slice, KG_RESULT, 0);
}

#undef SLICE_FUNCTION
#undef SLICE_JOIN
#undef SLICE_JOIN_
#undef SLICE
#undef REAL
