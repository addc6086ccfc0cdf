/* quantize.h: fake quantization of weights, for training that prepares a model for a later quantization (Jacob et
 * al. 2018). Forward and backward use rounded weights. The optimizer updates the weights in float by the gradients of
 * the rounded ones (straight-through estimator, Bengio et al. 2013). Pure functions; thread-safe.
 *
 * Each weight matrix w of a layer has one step, max |w| / KG_QUANTIZATION_LEVELS. In units of the step:
 *   int8  each weight becomes the nearest whole number, as 8-bit integers hold it;
 *   d4    each four consecutive weights become the nearest point of the lattice D4: whole numbers with an even sum
 *         (Conway and Sloane 1982, algorithm 2). Last weights of a matrix that make no whole group: like int8.
 * Embeddings, biases and layernorm stay as they are. */
#pragma once
#include "transformer/model.h"

enum kg_quantization { KG_QUANTIZATION_NONE, KG_QUANTIZATION_INT8, KG_QUANTIZATION_D4 };
extern const char *const kg_quantizations[];

/* Steps on either side of zero: 8 bits for int8, 4 bits for d4. 0 for none. */
double kg_quantization_levels(enum kg_quantization quantization);

/* Whether the parameter is a weight matrix of a layer. */
bool kg_is_quantized(size_t kind);

/* Copies the parameters, with rounded weights.
 * parameters, quantized  buffers of the layout model->parameters
 * threads                of OpenMP */
void kg_quantize(const struct kg_model *model, enum kg_quantization quantization,
                 const float *parameters, float *quantized, int threads);

/* The reference: double precision, and D4 by comparing candidates. */
void kg_reference_quantize(const struct kg_model *model, enum kg_quantization quantization,
                           const double *parameters, double *quantized);

/* Distance of quantized parameters from right ones, in steps: the largest of
 *   - a weight's distance from a whole number, or infinity if the sum of a group of d4 is odd;
 *   - the distance of a weight or group from its parameters, beyond that of the nearest point;
 *   - infinity if another parameter differs at all beyond float's rounding. */
double kg_quantization_error(const struct kg_model *model, enum kg_quantization quantization,
                             const double *parameters, const double *quantized);
