#include <string.h>

#include "why/observe/repeated_calls.h"
#include "why/observe/sampler_state.h"

/* Bytes behind a pointer, if no parameter tells their number; most bytes of a text. */
enum { ARRAY_LEAST = 256, TEXT_MOST = 4096 };
/* Numbers that may be the length of an array. Smaller ones are flags, and larger ones are not. */
static const uint64_t LENGTH_LEAST = 16, LENGTH_MOST = 1 << 20;
/* Bytes in the middle of a square of numbers. */
enum { MIDDLE = 64 };
/* Of an unknown structure: bytes in which kgate looks for pointers. */
enum { POINTERS_WITHIN = 256 };
/* Addresses of a user's memory. */
static const uint64_t ADDRESS_LEAST = 0x10000, ADDRESS_MOST = UINT64_C(1) << 47;

struct arguments {
    pid_t process;
    unsigned char *buffer; /* KG_PROCESS_PART_MOST bytes */
    uint64_t length;       /* product of the lengths among the parameters; 1: none */
    size_t lengths;        /* number of these lengths */
    uint64_t hash;
};

static void word_add(struct arguments *arguments, uint64_t word)
{
    const uint64_t mixed = (arguments->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    arguments->hash = mixed ^ mixed >> 32;
}

static void bytes_add(struct arguments *arguments, const unsigned char *bytes, size_t count)
{
    uint64_t word;
    word_add(arguments, count);
    for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        word_add(arguments, word);
    }
    word = 0;
    memcpy(&word, bytes, count);
    word_add(arguments, word);
}

/* Adds the memory at an address as far as it is readable; false: it is not. */
static bool memory_add(struct arguments *arguments, uint64_t address, uint64_t count)
{
    const size_t most = count < KG_PROCESS_PART_MOST ? (size_t)count : (size_t)KG_PROCESS_PART_MOST;
    const size_t got = kg_process_memory_part(arguments->process, address, arguments->buffer, most);
    if (got)
        bytes_add(arguments, arguments->buffer, got);
    return got > 0;
}

/* Adds an array. A function of square matrices has only their side as parameter, and their first
 * rows may never change: the middle tells more. */
static bool array_add(struct arguments *arguments, uint64_t address, size_t element)
{
    const uint64_t bytes = arguments->length * element, side = arguments->length;
    if (!memory_add(arguments, address, bytes > ARRAY_LEAST ? bytes : ARRAY_LEAST))
        return false;
    if (arguments->lengths == 1)
        memory_add(arguments, address + (side / 2 * side + side / 2) * element, MIDDLE);
    return true;
}

/* Adds a text without its terminator. */
static bool text_add(struct arguments *arguments, uint64_t address)
{
    const size_t got =
        kg_process_memory_part(arguments->process, address, arguments->buffer, TEXT_MOST);
    const unsigned char *end = got ? memchr(arguments->buffer, '\0', got) : NULL;
    if (got)
        bytes_add(arguments, arguments->buffer, end ? (size_t)(end - arguments->buffer) : got);
    return got > 0;
}

/* Adds the memory behind words that look like pointers. */
static void words_follow(struct arguments *arguments, uint64_t address)
{
    uint64_t words[POINTERS_WITHIN / sizeof(uint64_t)];
    const size_t got = kg_process_memory_part(arguments->process, address, words, sizeof words);
    for (size_t i = 0; i < got / sizeof *words; i++)
        if (words[i] >= ADDRESS_LEAST && words[i] < ADDRESS_MOST)
            memory_add(arguments, words[i], ARRAY_LEAST);
}

static void pointer_follow(struct arguments *arguments, uint64_t address,
                           const struct kg_pointer *pointer)
{
    uint64_t behind;
    if (!kg_process_memory(arguments->process, address + pointer->offset, &behind, sizeof behind))
        return;
    if (pointer->kind == KG_PARAMETER_TEXT)
        text_add(arguments, behind);
    else if (pointer->kind == KG_PARAMETER_OBJECT)
        memory_add(arguments, behind, pointer->bytes);
    else
        array_add(arguments, behind, pointer->bytes);
}

static bool object_add(struct arguments *arguments, uint64_t address,
                       const struct kg_parameter *parameter)
{
    if (!memory_add(arguments, address, parameter->bytes))
        return false;
    for (size_t i = 0; i < parameter->pointer_count; i++)
        pointer_follow(arguments, address, &parameter->pointers[i]);
    return true;
}

/* Adds the memory behind a pointer; false: there is none. */
static bool contents_add(struct arguments *arguments, const struct kg_parameter *parameter,
                         uint64_t address)
{
    switch (parameter->kind) {
    case KG_PARAMETER_TEXT:
        return text_add(arguments, address);
    case KG_PARAMETER_OBJECT:
        return object_add(arguments, address, parameter);
    case KG_PARAMETER_ARRAY:
        return array_add(arguments, address, parameter->bytes);
    case KG_PARAMETER_UNTYPED:
        word_add(arguments, address); /* it may be the name of something elsewhere */
        if (array_add(arguments, address, 1))
            words_follow(arguments, address);
        return true;
    default:
        return false;
    }
}

/* The part of a register that belongs to a number: the upper part is undefined. */
static uint64_t value_of(const struct kg_parameter *parameter, uint64_t whole)
{
    const bool number =
        parameter->kind == KG_PARAMETER_WHOLE || parameter->kind == KG_PARAMETER_FLOAT;
    return number && parameter->bytes < sizeof whole
               ? whole & ((UINT64_C(1) << 8 * parameter->bytes) - 1)
               : whole;
}

/* Puts the values of the parameters in their order. */
static void values_find(const struct kg_parameters *parameters,
                        const struct kg_call_registers *registers,
                        uint64_t values[KG_PARAMETERS_MOST])
{
    size_t whole = 0, floats = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        const struct kg_parameter *parameter = &parameters->of[i];
        values[i] =
            value_of(parameter, parameter->kind == KG_PARAMETER_FLOAT ? registers->floats[floats++]
                                                                      : registers->whole[whole++]);
    }
}

static void lengths_find(struct arguments *arguments, const struct kg_parameters *parameters,
                         const uint64_t values[KG_PARAMETERS_MOST])
{
    for (size_t i = 0; i < parameters->count; i++) {
        if (parameters->of[i].kind != KG_PARAMETER_WHOLE || values[i] < LENGTH_LEAST ||
            values[i] > LENGTH_MOST || arguments->length * values[i] > LENGTH_MOST)
            continue;
        arguments->length *= values[i];
        arguments->lengths++;
    }
}

uint64_t kg_arguments_hash(pid_t process, const struct kg_parameters *parameters,
                           const struct kg_call_registers *registers, unsigned char *buffer)
{
    struct arguments arguments = {.process = process, .buffer = buffer, .length = 1};
    uint64_t values[KG_PARAMETERS_MOST];
    values_find(parameters, registers, values);
    lengths_find(&arguments, parameters, values);
    for (size_t i = 0; i < parameters->count; i++)
        if (!contents_add(&arguments, &parameters->of[i], values[i]))
            word_add(&arguments, values[i]);
    return arguments.hash;
}
