/* Messages from a worker to kgate, and from kgate to a worker. */
#include "fuzz.h"
#include "run/worker/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct {
        const struct kg_record *record;
        const char *schema;
    } kinds[] = {{&kg_response_record, KG_RESPONSE_SCHEMA},
                 {&kg_request_record, KG_REQUEST_SCHEMA}};
    for (size_t i = 0; i < 2; i++) {
        union {
            struct kg_response response;
            struct kg_request request;
        } message = {0};
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        struct kg_text text = {0};
        fuzz_record(kinds[i].record, kinds[i].schema, bytes, length);
        if (kg_record_parse(kinds[i].record, kinds[i].schema, "message", (const char *)bytes,
                            length, &arena, &message, &err) &&
            !kg_record_print(kinds[i].record, &message, kinds[i].schema, &text, &err))
            fuzz_fail("a message that was read cannot be written", err.message);
        kg_text_free(&text);
        kg_arena_free(&arena);
    }
    return 0;
}
