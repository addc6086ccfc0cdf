/* slice_template.h: struct SLICE of REAL, both to be defined before, and SLICE_…, functions that
 * say where a slice has a tensor; `layer` is ignored for those of the model. passes.h includes it
 * for float and for double. */
#define SLICE_JOIN_(slice, name) slice##_##name
#define SLICE_JOIN(slice, name) SLICE_JOIN_(slice, name)
#define SLICE_FUNCTION(name) SLICE_JOIN(SLICE, name)

/* Whole sequences, and where what is computed of them goes. */
struct SLICE {
    const struct kg_model *model;
    size_t sequences;
    size_t rows;             /* sequences * seq_len */
    struct kg_layout layout; /* of the activations */
    const REAL *parameters;  /* laid out as model->parameters */
    REAL *activations;
    REAL *gradients; /* as the parameters; written, what lies between left as it is */
    REAL *stream;    /* rows by d: backward's gradient of x, from the last layer to the first */
    REAL *scratch;   /* kg_slice_scratch(model, rows) of them */
    /* plain.c and reference.c: attention of every so manieth row alone, the last one's among them;
     * 0 is all. */
    size_t attending;
    REAL loss_scale; /* 1 / the tokens of the whole batch: what gradients are of */
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
