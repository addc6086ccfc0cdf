#include "xor_transform/xor_transform.h"

uint64_t kg_xor_transform_reference(const struct kg_xor_transform *transform, size_t i)
{
    const uint64_t product = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t mix = product ^ product >> 29;
    return transform->in[i] ^ transform->key[i % KG_XOR_KEY_WORDS] ^ mix;
}
