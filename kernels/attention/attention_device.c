/* The GPU's side of attention. */
#include "attention/attention.h"
#include "common/common.h"

bool kg_attention_device_has(enum kg_attention_part part, int64_t version,
                             enum kg_attention_type *type)
{
    (void)part, (void)version, (void)type;
    return false;
}

bool kg_attention_device_set_up(struct kgate_context *context, struct kg_attention *attention,
                                int64_t version)
{
    return kg_device_refuse_version(context, kg_attention_version_name(attention->part, version));
}

bool kg_attention_device_fetch(struct kgate_context *context, struct kg_attention *attention)
{
    (void)attention;
    return kg_device_good(context);
}

void kg_attention_device_forget(struct kg_attention *attention)
{
    (void)attention;
}

void kg_attention_device_tear_down(struct kgate_context *context, struct kg_attention *attention)
{
    (void)context, (void)attention;
}
