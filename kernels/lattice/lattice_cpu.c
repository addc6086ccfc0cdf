
#include "lattice/lattice.h"

/* --- plain ---------------------------------------------------------------------------------------
 * 0 plain: one vector after the other, on one thread. */

/* In order: the even vector's count begins the byte. */
static void count_write(uint8_t *counts, size_t index, unsigned count)
{
    counts[index / 2] = (uint8_t)(index % 2 ? counts[index / 2] | count << 4 : count);
}

KG_BOTH void encode_plain(enum kg_lattice_kind kind, struct kg_lattice *lattice)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    for (size_t v = 0; v < lattice->batch; v++) {
        struct kg_lattice_code code;
        const float *x = lattice->x + v * kg_lattice_dimensions(kind);
        count_write(lattice->counts, v, kg_lattice_encode_one(kind, plan, x, &code));
        kg_lattice_code_write(lattice->codes, v, plan->code_bytes,
                              kg_lattice_code_join(kind, plan, code));
    }
}

KG_BOTH void decode_plain(enum kg_lattice_kind kind, struct kg_lattice *lattice)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    for (size_t v = 0; v < lattice->batch; v++) {
        const uint64_t joined = kg_lattice_code_read(lattice->codes, v, plan->code_bytes);
        kg_lattice_decode_one(kind, plan, kg_lattice_code_split(kind, plan, joined),
                              kg_lattice_count_read(lattice->counts, v),
                              lattice->decoded + v * kg_lattice_dimensions(kind));
    }
}

KG_BOTH void quantize_plain(enum kg_lattice_kind kind, struct kg_lattice *lattice)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    for (size_t v = 0; v < lattice->batch; v++) {
        struct kg_lattice_code code;
        const size_t at = v * kg_lattice_dimensions(kind);
        const unsigned count = kg_lattice_encode_one(kind, plan, lattice->x + at, &code);
        kg_lattice_decode_one(kind, plan, code, count, lattice->decoded + at);
    }
}

/* Defines `name` as `function` with a compile-time lattice. */
#define FOR_EACH_LATTICE(name, function)                                                           \
    void name(struct kg_lattice *lattice)                                                          \
    {                                                                                              \
        if (lattice->kind == KG_LATTICE_Z2)                                                        \
            function(KG_LATTICE_Z2, lattice);                                                      \
        else if (lattice->kind == KG_LATTICE_D4)                                                   \
            function(KG_LATTICE_D4, lattice);                                                      \
        else                                                                                       \
            function(KG_LATTICE_E8, lattice);                                                      \
    }

FOR_EACH_LATTICE(kg_lattice_encode_plain, encode_plain)
FOR_EACH_LATTICE(kg_lattice_decode_plain, decode_plain)
FOR_EACH_LATTICE(kg_lattice_quantize_plain, quantize_plain)
