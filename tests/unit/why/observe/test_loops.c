#include "test_support.h"

#include <stddef.h>

#include "why/observe/disassembly.h"
#include "why/observe/loops.h"

/* Loops of known kinds (loop_shapes.c), compiled with -O2 by the compiler of this build. */

/* The function with this name in a file; it must exist. */
static struct kg_function function_of(const struct kg_machine_code *code, const char *wanted)
{
    Elf64_Sym symbol;
    const char *name;
    struct kg_function function;
    for (size_t table = 0; table < code->elf.section_count; table++)
        for (size_t i = 1; kg_elf_symbol(&code->elf, table, i, &symbol, &name); i++)
            if (!strcmp(name, wanted) && symbol.st_size &&
                kg_machine_code_function(code, symbol.st_value, &function))
                return function;
    fail_msg("no function '%s'", wanted);
    return (struct kg_function){0};
}

/* The amount at that offset of a loop. */
static double amount(const struct kg_hot_loop *loop, size_t offset)
{
    return *(const double *)(const void *)((const char *)loop + offset);
}

/* A sampler's loop if one instruction of the function is hot. Tries all instructions and takes the
 * loop with the largest value at `offset`; of several, the smallest loop. */
static struct kg_hot_loop loop_in(struct kg_arena *arena, const char *path, const char *path_there,
                                  const char *name, size_t offset)
{
    struct kg_machine_code code;
    struct kg_instruction *instructions;
    struct kg_hot_loop best = {.instructions = 1e9};
    size_t count;
    assert_true(kg_machine_code_open(path, &code));
    const struct kg_function function = function_of(&code, name);
    kg_disassemble(arena, function.bytes, function.length, function.address, &instructions, &count);
    for (size_t i = 0; i < count; i++) {
        const struct kg_hot_address hot = {
            .module_path = path_there, .address = instructions[i].address, .share = 0.5};
        struct kg_hot_loop *loops;
        size_t loop_count;
        kg_loops_find(arena, &hot, 1, &loops, &loop_count);
        assert_int_equal(loop_count, 1);
        const double more = amount(&loops[0], offset) - amount(&best, offset);
        if (best.code_count && !best.whole_function && loops[0].whole_function)
            continue;
        if (!best.code_count || (best.whole_function && !loops[0].whole_function) || more > 0 ||
            (more >= 0 && loops[0].instructions < best.instructions))
            best = loops[0];
    }
    kg_machine_code_close(&code);
    return best;
}

enum { ANY = -1 };

/* Expected counts of a loop: a number, or ANY for 1 and above. */
static void each_shape_matches_its_source(void **state)
{
#define AT(member) offsetof(struct kg_hot_loop, member)
    static const struct {
        const char *path, *function;
        size_t offset;
        int count;
    } rows[] = {
        {KGATE_LOOP_SHAPES, "list_walk", AT(address_loads), 1},
        {KGATE_LOOP_SHAPES, "hash_chain", AT(address_loads), 1},
        {KGATE_LOOP_SHAPES, "hash_chain", AT(branches), 1},
        {KGATE_LOOP_SHAPES, "tree_walk", AT(address_loads), 1},
        {KGATE_LOOP_SHAPES, "index_chain", AT(address_loads), ANY},
        {KGATE_LOOP_SHAPES, "pointers_to_values", AT(address_loads), 0},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(chained), ANY},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(scalar_floats), ANY},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(vector_floats), 0},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(address_loads), 0},
        {KGATE_LOOP_SHAPES, "horner", AT(chained), ANY},
        {KGATE_LOOP_SHAPES, "hash_bytes", AT(chained), ANY},
        {KGATE_LOOP_SHAPES, "checksum", AT(address_loads), 0},
        {KGATE_LOOP_SHAPES, "checksum", AT(chained), ANY},
        {KGATE_LOOP_SHAPES, "scaled", AT(chained), 0},
        {KGATE_LOOP_SHAPES, "modulo", AT(divisions), ANY},
        {KGATE_LOOP_SHAPES, "modulo", AT(chained), 0},
        {KGATE_LOOP_SHAPES, "roots", AT(divisions), ANY},
        {KGATE_LOOP_SHAPES, "atomic_increments", AT(locked), ANY},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(locked), 0},
        {KGATE_LOOP_SHAPES, "widened", AT(conversions), ANY},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(conversions), 0},
        {KGATE_LOOP_SHAPES, "bytes_then_word", AT(forwarded), ANY},
        {KGATE_LOOP_SHAPES, "through_memory", AT(forwarded), 0},
        {KGATE_LOOP_SHAPES, "calling", AT(calls), ANY},
        {KGATE_LOOP_SHAPES, "calling_library", AT(calls), ANY},
        {KGATE_LOOP_SHAPES, "serial_sum", AT(calls), 0},
        {KGATE_LOOP_SHAPES, "interpreted", AT(chained), ANY},
        {KGATE_LOOP_SHAPES_WIDE, "gathered", AT(gathers), ANY},
        {KGATE_LOOP_SHAPES_WIDE, "vector_loop", AT(vector_floats), ANY},
        {KGATE_LOOP_SHAPES_WIDE, "vector_loop", AT(chained), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        const struct kg_hot_loop loop =
            loop_in(&arena, rows[i].path, rows[i].path, rows[i].function, rows[i].offset);
        const double found = amount(&loop, rows[i].offset);
        if (loop.whole_function)
            fail_msg("%s: no loop is found", rows[i].function);
        if (rows[i].count == ANY ? found < 1 : (int)found != rows[i].count)
            fail_msg("%s: %g at offset %zu (row %zu), not %d", rows[i].function, found,
                     rows[i].offset, i, rows[i].count);
        kg_arena_free(&arena);
    }
}

static struct kg_hot_loop smallest(struct kg_arena *arena, const char *function)
{
    return loop_in(arena, KGATE_LOOP_SHAPES, KGATE_LOOP_SHAPES, function, AT(share));
}

static void a_chain_takes_as_long_as_its_latencies_sum_to(void **state)
{
    static const struct {
        const char *function;
        size_t offset; /* per iteration of the source; a compiler may put several into one */
        double least;
    } rows[] = {
        {"serial_sum", AT(chained), 3}, /* an addition */
        {"horner", AT(chained), 3},     /* a product too, or both in one */
        {"list_walk", AT(address_loads), 4},
        {"hash_bytes", AT(chained), 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        const struct kg_hot_loop loop =
            loop_in(&arena, KGATE_LOOP_SHAPES, KGATE_LOOP_SHAPES, rows[i].function, rows[i].offset);
        const double least = rows[i].least * fmax(1, amount(&loop, rows[i].offset) / 2);
        if (!(loop.chain_cycles >= least) || !(loop.chain_cycles > loop.throughput_cycles))
            fail_msg("%s: a chain of %g cycles, %g by the units", rows[i].function,
                     loop.chain_cycles, loop.throughput_cycles);
        kg_arena_free(&arena);
    }
}

static void loops_that_nothing_goes_through_are_held_up_by_units(void **state)
{
    static const char *const functions[] = {"scaled", "modulo", "widened"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct kg_arena arena = {0};
        const struct kg_hot_loop loop = smallest(&arena, functions[i]);
        if (!(loop.chain_cycles <= loop.throughput_cycles))
            fail_msg("%s: a chain of %g cycles, %g by the units", functions[i], loop.chain_cycles,
                     loop.throughput_cycles);
        kg_arena_free(&arena);
    }
}

static bool shows(const struct kg_hot_loop *loop, const char *text)
{
    for (size_t i = 0; i < loop->code_count; i++)
        if (strstr(loop->code[i], text))
            return true;
    return false;
}

static void calls_are_shown_by_name_also_through_the_linkage_table(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_hot_loop own = smallest(&arena, "calling");
    const struct kg_hot_loop library = smallest(&arena, "calling_library");
    assert_true(shows(&own, "call callee"));
    assert_true(shows(&library, "call strcmp"));
    assert_true(own.code_hottest < own.code_count && own.code_count <= KG_HOT_CODE_MOST);
    assert_string_equal(own.place.function, "calling");
    assert_null(own.place.file);
    kg_arena_free(&arena);
}

static void the_inner_loop_is_not_the_one_around_it(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_hot_loop inner =
        loop_in(&arena, KGATE_LOOP_SHAPES, KGATE_LOOP_SHAPES, "nested", AT(chained));
    const struct kg_hot_loop outer =
        loop_in(&arena, KGATE_LOOP_SHAPES, KGATE_LOOP_SHAPES, "nested", AT(divisions));
    assert_true(inner.divisions < 1 && inner.stores < 1);
    assert_true(outer.divisions >= 1 && outer.stores >= 1);
    assert_true(outer.instructions > inner.instructions);
    kg_arena_free(&arena);
}

static void code_without_a_loop_is_a_whole_function(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_hot_loop loop = smallest(&arena, "straight");
    assert_true(loop.whole_function);
    assert_true(loop.divisions >= 1);
    assert_true(isnan(loop.chain_cycles));
    kg_arena_free(&arena);
}

/* The same code with only the dynamic linker's symbols, which exclude local functions. A function's
 * start is known from its frame. */
static void functions_are_found_without_symbols(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_hot_loop named = loop_in(
        &arena, KGATE_LOOP_SHAPES_HIDDEN, KGATE_LOOP_SHAPES_HIDDEN, "list_walk", AT(address_loads));
    const struct kg_hot_loop bare = loop_in(&arena, KGATE_LOOP_SHAPES_HIDDEN,
                                            KGATE_LOOP_SHAPES_BARE, "list_walk", AT(address_loads));
    assert_string_equal(named.place.function, "list_walk");
    assert_null(bare.place.function);
    assert_true(bare.address_loads > 0 && !bare.whole_function);
    assert_int_equal((int)bare.instructions, (int)named.instructions);
    kg_arena_free(&arena);
}

/* Shares of addresses in the same loop add up; the hotter loop comes first. */
static void addresses_of_one_loop_count_together(void **state)
{
    struct kg_arena arena = {0};
    struct kg_machine_code code;
    struct kg_instruction *instructions;
    struct kg_hot_address hot[64];
    struct kg_hot_loop *loops;
    size_t count, hot_count = 0, loop_count;
    static const char *const functions[] = {"list_walk", "serial_sum"};
    assert_true(kg_machine_code_open(KGATE_LOOP_SHAPES, &code));
    for (size_t f = 0; f < 2; f++) {
        const struct kg_function function = function_of(&code, functions[f]);
        kg_disassemble(&arena, function.bytes, function.length, function.address, &instructions,
                       &count);
        /* the hottest is the last of a loop's: the jump back */
        for (size_t i = count; i-- && hot_count < 64;)
            if (instructions[i].conditional && instructions[i].target < instructions[i].address) {
                for (size_t k = i - f; k <= i; k++)
                    hot[hot_count++] = (struct kg_hot_address){.module_path = KGATE_LOOP_SHAPES,
                                                               .address = instructions[k].address,
                                                               .share = 0.3};
                break;
            }
    }
    assert_int_equal(hot_count, 3);
    kg_loops_find(&arena, hot, hot_count, &loops, &loop_count);
    assert_int_equal(loop_count, 2);
    assert_string_equal(loops[0].place.function, "serial_sum");
    assert_float_equal(loops[0].share, 0.6, 1e-9);
    assert_float_equal(loops[1].share, 0.3, 1e-9);
    kg_machine_code_close(&code);
    kg_arena_free(&arena);
}

/* kgate still finds the loop, but gives no time per iteration. */
static void a_loop_with_an_unknown_instruction_notes_nothing_of_its_time(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_hot_loop loop = loop_in(&arena, KGATE_LOOP_SHAPES_WIDE, KGATE_LOOP_SHAPES_WIDE,
                                            "unknown_bytes", AT(branches));
    assert_true(loop.code_count > 0 && !loop.whole_function);
    assert_true(!(loop.throughput_cycles >= 0) && !(loop.chain_cycles >= 0));
    bool shown = false;
    for (size_t i = 0; i < loop.code_count; i++)
        shown |= strstr(loop.code[i], "(unknown)") != NULL;
    assert_true(shown);
    const struct kg_hot_loop known = loop_in(&arena, KGATE_LOOP_SHAPES_WIDE, KGATE_LOOP_SHAPES_WIDE,
                                             "vector_loop", AT(vector_floats));
    assert_true(known.throughput_cycles > 0);
    kg_arena_free(&arena);
}

static void what_cannot_be_read_has_no_loops(void **state)
{
    struct kg_arena arena = {0};
    struct kg_hot_loop *loops;
    size_t count;
    static const struct kg_hot_address hot[] = {
        {.module_path = NULL, .address = 4096, .share = 0.5},
        {.module_path = "/nowhere/at/all", .address = 4096, .share = 0.5},
        {.module_path = __FILE__, .address = 4096, .share = 0.5},
        {.module_path = KGATE_LOOP_SHAPES, .address = 0xffffffffff, .share = 0.5},
    };
    kg_loops_find(&arena, hot, 4, &loops, &count);
    assert_int_equal(count, 0);
    kg_arena_free(&arena);
}

/* Whatever the bytes are, they are looked at without harm. */
static void code_that_is_none_does_no_harm(void **state)
{
    unsigned char bytes[256];
    uint64_t random = 88172645463325252U;
    for (int turn = 0; turn < 400; turn++) {
        struct kg_arena arena = {0};
        struct kg_instruction *code;
        size_t count;
        for (size_t i = 0; i < sizeof bytes; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bytes[i] = (unsigned char)random;
        }
        kg_disassemble(&arena, bytes, sizeof bytes, 0x1000, &code, &count);
        for (size_t i = 0; i < count; i++)
            assert_true(code[i].length > 0 && code[i].read_count <= KG_INSTRUCTION_READS);
        kg_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_matches_its_source),
        cmocka_unit_test(a_chain_takes_as_long_as_its_latencies_sum_to),
        cmocka_unit_test(loops_that_nothing_goes_through_are_held_up_by_units),
        cmocka_unit_test(calls_are_shown_by_name_also_through_the_linkage_table),
        cmocka_unit_test(the_inner_loop_is_not_the_one_around_it),
        cmocka_unit_test(code_without_a_loop_is_a_whole_function),
        cmocka_unit_test(functions_are_found_without_symbols),
        cmocka_unit_test(addresses_of_one_loop_count_together),
        cmocka_unit_test(a_loop_with_an_unknown_instruction_notes_nothing_of_its_time),
        cmocka_unit_test(what_cannot_be_read_has_no_loops),
        cmocka_unit_test(code_that_is_none_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
