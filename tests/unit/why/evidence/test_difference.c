/* A differential profile of hand-made sites: rows, the cause, and the sentence. */
#include "difference_support.h"

static void library_function_is_named_with_its_caller(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "parse", "main", 0.8}, {NULL, "read", "main", 0.2}},
                               .time_ns = 1e6},
                &(struct side){.sites = {{"strlen", "parse", "main", 0.5},
                                         {NULL, "parse", "main", 0.4},
                                         {NULL, "read", "main", 0.1}},
                               .time_ns = 2e6},
                "strlen, called from parse (own.c:10): +1.00 ms, all of the slowdown; the "
                "baseline does not call it there");
}

static void own_function_is_named_with_its_caller(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "search", "index", 0.5}, {NULL, "read", "main", 0.5}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "search", "index", 0.65}, {NULL, "read", "main", 0.35}},
                       .time_ns = 2e6},
        "search (own.c:10), called from index: +800 us, 80 % of the slowdown");
}

static void gain_is_explained_likewise(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "search", "index", 0.75}, {NULL, "read", "main", 0.25}},
                       .time_ns = 2e6},
        &(struct side){.sites = {{NULL, "read", "main", 1}}, .time_ns = 0.5e6},
        "search (own.c:10), called from index: -1.50 ms, all of the gain; the "
        "candidate does not run it");
}

static void few_samples_do_not_prove_that_a_side_lacks_a_place(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "sort", "main", 0.1}, {NULL, "read", "main", 0.9}},
                               .time_ns = 1.1e6},
                &(struct side){.sites = {{NULL, "read", "main", 1}}, .time_ns = 1e6},
                "sort (own.c:10), called from main: -100 us, all of the gain");
}

/* The baseline calls `strlen` three times, too briefly for a sample. */
static void counts_disprove_an_absence(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse", "main", 1}, {"strlen", "parse", "main", 0}},
                       .calls = {1, 3},
                       .time_ns = 1e6},
        &(struct side){.sites = {{"strlen", "parse", "main", 0.5}, {NULL, "parse", "main", 0.5}},
                       .calls = {2000, 1},
                       .time_ns = 2e6},
        "strlen, called from parse (own.c:10): +1.00 ms, all of the slowdown; called "
        "3 → 2000 times");
}

/* Enough samples, but some are in sites that the profile does not have. */
static void profile_that_was_cut_proves_no_absence(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "parse", "main", 0.8}}, .time_ns = 1e6},
        &(struct side){.sites = {{"strlen", "parse", "main", 0.5}, {NULL, "parse", "main", 0.5}},
                       .time_ns = 2e6},
        "strlen, called from parse (own.c:10): +1.00 ms, all of the slowdown");
}

/* The baseline has `parse` on its stacks, without a sample of its own. */
static void function_on_a_stack_is_run(void **state)
{
    sentence_is(
        &(struct side){.sites = {{NULL, "read", "parse", 1}},
                       .functions = {{.place = {.function = "parse"}, .total = 1}},
                       .time_ns = 1e6},
        &(struct side){.sites = {{NULL, "parse", "main", 0.5}, {NULL, "read", "parse", 0.5}},
                       .time_ns = 2e6},
        "parse (own.c:10), called from main: +1.00 ms, all of the slowdown");
}

static void growth_within_the_noise_of_samples_is_no_cause(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "a", "main", 0.5}, {NULL, "b", "main", 0.5}},
                               .time_ns = 1e6},
                &(struct side){.sites = {{NULL, "a", "main", 0.52}, {NULL, "b", "main", 0.48}},
                               .time_ns = 1.06e6},
                "");
}

/* `b` has more of the growth than `a`, and grew less than the whole call. */
static void place_that_grew_like_the_whole_call_is_no_cause(void **state)
{
    struct side base = {.sites = {{NULL, "a", "main", 0.1},
                                  {NULL, "b", "main", 0.3},
                                  {NULL, "c", "main", 0.3},
                                  {NULL, "d", "main", 0.3}},
                        .time_ns = 1e6};
    const struct side grown = {.sites = {{NULL, "a", "main", 0.2},
                                         {NULL, "b", "main", 0.28},
                                         {NULL, "c", "main", 0.26},
                                         {NULL, "d", "main", 0.26}},
                               .time_ns = 4e6};
    struct kg_arena arena = {0};
    struct kg_difference_cause cause;
    assert_string_not_equal(sentence(&arena, &base, &grown, &cause), "");
    assert_string_equal(cause.row.place.function, "a");
    assert_true(cause.explains > 0.23 && cause.explains < 0.24);
    base.sites[0].share = 0.2; /* now all of them grew alike */
    base.sites[1].share = 0.28;
    base.sites[2].share = base.sites[3].share = 0.26;
    assert_string_equal(sentence(&arena, &base, &grown, &cause), "");
    kg_arena_free(&arena);
}

static void one_fifth_of_the_change_is_the_least(void **state)
{
    const struct side base = {.sites = {{NULL, "a", "main", 0.02},
                                        {NULL, "b", "main", 0.26},
                                        {NULL, "c", "main", 0.36},
                                        {NULL, "d", "main", 0.36}},
                              .time_ns = 1e6};
    struct side grown = {.sites = {{NULL, "a", "main", 0.16},
                                   {NULL, "b", "main", 0.24},
                                   {NULL, "c", "main", 0.3},
                                   {NULL, "d", "main", 0.3}},
                         .time_ns = 4e6};
    struct kg_arena arena = {0};
    struct kg_difference_cause cause;
    assert_string_not_equal(sentence(&arena, &base, &grown, &cause), "");
    assert_string_equal(cause.row.place.function, "a");
    grown.sites[0].share = 0.14; /* 18 % of the change */
    grown.sites[1].share = 0.26;
    assert_string_equal(sentence(&arena, &base, &grown, &cause), "");
    kg_arena_free(&arena);
}

static void function_around_is_named_if_no_function_has_it_alone(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "a", "build", 0.1}, {NULL, "read", "main", 0.9}},
                               .functions = {{.place = {.function = "main"}, .total = 1},
                                             {.place = {.function = "build"}, .total = 0.1}},
                               .time_ns = 1e6},
                &(struct side){.sites = {{NULL, "a", "build", 0.2},
                                         {NULL, "b", "build", 0.2},
                                         {NULL, "c", "build", 0.2},
                                         {NULL, "read", "main", 0.4}},
                               .functions = {{.place = {.function = "main"}, .total = 1},
                                             {.place = {.function = "build"}, .total = 0.6}},
                               .time_ns = 2.5e6},
                "build: +1.40 ms with all that it calls, 93 % of the slowdown");
}

/* `main` has the whole growth too, and says nothing. */
static void main_is_never_the_function_around(void **state)
{
    sentence_is(&(struct side){.sites = {{NULL, "a", "main", 0.2},
                                         {NULL, "b", "main", 0.35},
                                         {NULL, "c", "main", 0.35}},
                               .functions = {{.place = {.function = "main"}, .total = 0.7}},
                               .time_ns = 1e6},
                &(struct side){.sites = {{NULL, "a", "main", 0.34},
                                         {NULL, "b", "main", 0.3},
                                         {NULL, "c", "main", 0.3}},
                               .functions = {{.place = {.function = "main"}, .total = 0.9}},
                               .time_ns = 2e6},
                "a (own.c:10), called from main: +480 us, 48 % of the slowdown");
}

/* A comparison grew most, and the search around it with it. */
static void search_around_a_comparison_is_named_too(void **state)
{
    struct kg_arena arena = {0};
    struct kg_difference_cause cause;
    const struct side base = {.sites = {{NULL, "compare", "search", 0.2},
                                        {NULL, "search", "main", 0.1},
                                        {NULL, "read", "main", 0.7}},
                              .functions = {{.place = {.function = "search"}, .total = 0.3}},
                              .time_ns = 1e6};
    const struct side current = {.sites = {{NULL, "compare", "search", 0.4},
                                           {NULL, "search", "main", 0.25},
                                           {NULL, "read", "main", 0.35}},
                                 .functions = {{.place = {.function = "search"}, .total = 0.65}},
                                 .time_ns = 2e6};
    assert_string_equal(sentence(&arena, &base, &current, &cause),
                        "compare (own.c:10), called from search: +600 us, 60 % of the "
                        "slowdown; search with all that it calls: all of the slowdown");
    assert_float_equal(cause.alone, 0.6, 1e-9);
    assert_float_equal(cause.explains, 1, 1e-9);
    kg_arena_free(&arena);
}

/* The place's other time is as noisy as the growth; a call that one side lacks is not. */
static void new_library_call_is_sure_in_a_noisy_place(void **state)
{
    sentence_is(
        &(struct side){.sites = {{"strtod", "parse", "main", 0.45}, {NULL, "read", "main", 0.55}},
                       .time_ns = 28e6},
        &(struct side){.sites = {{"strtod", "parse", "main", 0.44},
                                 {"free", "parse", "main", 0.055},
                                 {NULL, "read", "main", 0.505}},
                       .time_ns = 30.5e6},
        "free, called from parse (own.c:11): +1.68 ms, 67 % of the slowdown");
}

static void calls_of_both_sides_are_compared(void **state)
{
    const struct side base = {.sites = {{NULL, "find", "main", 0.5}, {NULL, "read", "main", 0.5}},
                              .calls = {2000, 10},
                              .time_ns = 1e6};
    struct side current = {.sites = {{NULL, "find", "main", 0.75}, {NULL, "read", "main", 0.25}},
                           .calls = {6000, 10},
                           .time_ns = 2e6};
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "2000 → 6000 times");
    current.calls[0] = 2000;
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "2000 times on both sides, each takes 3.0 times as long");
    struct side once = base;
    once.calls[0] = current.calls[0] = 1;
    sentence_is(&once, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "once on both sides, each takes 3.0 times as long");
    current.calls[0] = 0;
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown");
}

static void instructions_show_whether_each_call_does_more(void **state)
{
    const struct side base = {.sites = {{NULL, "find", "main", 0.5}, {NULL, "read", "main", 0.5}},
                              .calls = {2000, 10},
                              .instructions = {1e6, 1e6},
                              .time_ns = 1e6};
    struct side current = {.sites = {{NULL, "find", "main", 0.75}, {NULL, "read", "main", 0.25}},
                           .calls = {2000, 10},
                           .instructions = {2.5e6, 1e6},
                           .time_ns = 2e6};
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "2000 times on both sides, each executes 2.5 times as many instructions");
    current.instructions[0] = 1e6;
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "2000 times on both sides, each takes 3.0 times as long for as many instructions");
    current.calls[0] = 8000;
    sentence_is(&base, &current,
                "find (own.c:10), called from main: +1.00 ms, all of the slowdown; called "
                "2000 → 8000 times, each executes 1/4.0 of the instructions");
}

/* Some processors copy any number of bytes with one instruction. */
static void instructions_of_copying_prove_nothing(void **state)
{
    sentence_is(
        &(struct side){.sites = {{"memset", "clear", "main", 0.5}, {NULL, "read", "main", 0.5}},
                       .calls = {2000, 10},
                       .instructions = {1e6, 1e6},
                       .time_ns = 1e6},
        &(struct side){.sites = {{"memset", "clear", "main", 0.75}, {NULL, "read", "main", 0.25}},
                       .calls = {2000, 10},
                       .instructions = {9e6, 1e6},
                       .time_ns = 2e6},
        "memset, called from clear (own.c:10): +1.00 ms, all of the slowdown; called "
        "2000 times on both sides, each takes 3.0 times as long");
}

/* Two system calls of one place are two sites, but its calls count once; two callers are added. */
static void calls_of_a_place_are_summed_over_callers(void **state)
{
    struct kg_hot_site sites[] = {
        {.place = {.function = "f"}, .caller = {.function = "a"}, .share = 0.4, .calls = 5},
        {.place = {.function = "f"},
         .caller = {.function = "a"},
         .call = "read",
         .share = 0.3,
         .calls = 5},
        {.place = {.function = "f"}, .caller = {.function = "b"}, .share = 0.3, .calls = 7}};
    const struct kg_sampled sampled = {.samples = 500, .sites = sites, .site_count = 3};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    kg_difference_make(&arena, &sampled, 1e6, &sampled, 2e6, &difference);
    struct kg_difference_row row = {.place = {.function = "f"}};
    kg_difference_count(&difference, &row);
    assert_float_equal(row.base_calls, 12, 0);
    assert_float_equal(row.current_calls, 12, 0);
    kg_arena_free(&arena);
}

/* Two files have a static function `step`. */
static void functions_of_one_name_are_two_places(void **state)
{
    struct kg_hot_site base[] = {
        {.place = {"step", "old/lexer.c", 3, "app", NULL}, .share = 0.5, .calls = 100},
        {.place = {"step", "old/parser.c", 7, "app", NULL}, .share = 0.4, .calls = 20},
        {.place = {"next", "old/main.c", 5, "app", NULL},
         .caller = {"step", "old/lexer.c", 4, "app", NULL},
         .share = 0.1,
         .calls = NAN}};
    struct kg_hot_site current[] = {
        {.place = {"step", "new/lexer.c", 3, "app", NULL}, .share = 0.25, .calls = 100},
        {.place = {"step", "new/parser.c", 9, "app", NULL}, .share = 0.7, .calls = 60},
        {.place = {"next", "new/main.c", 5, "app", NULL},
         .caller = {"step", "new/lexer.c", 4, "app", NULL},
         .share = 0.05,
         .calls = NAN}};
    const struct kg_sampled old = {.samples = 500, .sites = base, .site_count = 3};
    const struct kg_sampled new = {.samples = 500, .sites = current, .site_count = 3};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    struct kg_difference_cause cause;
    kg_difference_make(&arena, &old, 1e6, &new, 2e6, &difference);
    assert_int_equal(difference.count, 3);
    assert_true(kg_difference_explain(&difference, &old, &new, &cause));
    assert_string_equal(kg_difference_sentence(&arena, &difference, &cause),
                        "step (parser.c:9): +1.00 ms, all of the slowdown; called 20 → 60 times");
    assert_string_equal(
        kg_difference_caller(&arena, difference.rows, difference.count, &difference.rows[2]),
        "step (lexer.c)");
    kg_arena_free(&arena);
}

/* The source of `lookup` names std::map::find; the comparison of strings in it does not occur there. */
static void function_of_a_header_is_named_with_its_user(void **state)
{
    const struct kg_place find = {
        .function = "std::map<std::__cxx11::basic_string<char>, int>::find", .module = "app"};
    const struct kg_place lookup = {
        .function = "Index::lookup", .file = "x.cpp", .line = 16, .module = "app"};
    const struct kg_place memcmp_ = {.function = "memcmp", .module = "libc.so.6"};
    struct kg_hot_site base[] = {
        {.place = {.function = "main", .file = "x.cpp"}, .share = 1, .calls = NAN}};
    struct kg_hot_site current[] = {
        {.place = lookup, .header = find, .share = 0.2, .calls = NAN},
        {.place = lookup, .header = find, .callee = memcmp_, .share = 0.3, .calls = NAN},
        {.place = {.function = "main", .file = "x.cpp"}, .share = 0.5, .calls = NAN}};
    const struct kg_sampled old = {.samples = 500, .sites = base, .site_count = 1};
    const struct kg_sampled new = {.samples = 500, .sites = current, .site_count = 3};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    struct kg_difference_cause cause;
    kg_difference_make(&arena, &old, 1e6, &new, 2e6, &difference);
    assert_true(kg_difference_explain(&difference, &old, &new, &cause));
    assert_string_equal(kg_difference_sentence(&arena, &difference, &cause),
                        "Index::lookup (x.cpp:16), in std::map::find: +1.00 ms, all of the "
                        "slowdown; the baseline does not call it there");
    assert_string_equal(cause.entered.function, "memcmp"); /* its rule has the hint */
    kg_arena_free(&arena);
}

/* Rows of one function, which its file does not tell apart. */
static void counts_of_rows_that_are_one_place_are_summed(void **state)
{
    struct kg_hot_site sites[] = {{.place = {"step", "a/util.c", 3, "app", NULL},
                                   .caller = {.function = "main"},
                                   .share = 0.5,
                                   .calls = 10,
                                   .instructions = 100},
                                  {.place = {"step", "b/util.c", 7, "app", NULL},
                                   .caller = {.function = "main"},
                                   .share = 0.5,
                                   .calls = 5,
                                   .instructions = 900}};
    const struct kg_sampled sampled = {.samples = 500, .sites = sites, .site_count = 2};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    kg_difference_make(&arena, &sampled, 1e6, &sampled, 2e6, &difference);
    assert_int_equal(difference.count, 1);
    assert_float_equal(difference.rows[0].base_calls, 15, 0);
    assert_float_equal(difference.rows[0].current_calls, 15, 0);
    assert_float_equal(difference.rows[0].current_instructions, 1000, 0);
    kg_arena_free(&arena);
}

static void system_call_of_most_growth_is_the_causes(void **state)
{
    struct kg_hot_site base[] = {{.place = {.function = "emit"}, .share = 1, .calls = NAN}};
    struct kg_hot_site current[] = {
        {.place = {.function = "emit"}, .call = "write", .share = 0.8, .calls = NAN},
        {.place = {.function = "emit"}, .share = 0.2, .calls = NAN}};
    const struct kg_sampled old = {.samples = 500, .sites = base, .site_count = 1};
    const struct kg_sampled new = {.samples = 500, .sites = current, .site_count = 2};
    struct kg_arena arena = {0};
    struct kg_difference difference;
    struct kg_difference_cause cause;
    kg_difference_make(&arena, &old, 1e6, &new, 5e6, &difference);
    assert_true(kg_difference_explain(&difference, &old, &new, &cause));
    assert_string_equal(kg_difference_system_call(&difference, &cause), "write");
    kg_difference_make(&arena, &old, 1e6, &old, 5e6, &difference);
    assert_true(kg_difference_explain(&difference, &old, &old, &cause));
    assert_null(kg_difference_system_call(&difference, &cause));
    kg_arena_free(&arena);
}

static void numbers_and_bytes_of_system_calls_are_compared(void **state)
{
    struct kg_system_call few = {.name = "write", .calls = 10, .bytes = 1048576};
    struct kg_system_call many = {.name = "write", .calls = 12000, .bytes = 1048576};
    struct kg_system_call syncs = {.name = "fsync", .calls = 100, .bytes = NAN};
    const struct kg_system_calls base = {.source = "ptrace", .kinds = &few, .kind_count = 1};
    struct kg_system_calls current = {.source = "ptrace", .kinds = &many, .kind_count = 1};
    struct kg_arena arena = {0};
    assert_string_equal(
        kg_difference_system_calls(&arena, "write", &base, &current),
        "write: 10 → 12.0 k system calls, 1.00 MiB on both sides, 102 KiB → 87.4 B each");
    assert_null(kg_difference_system_calls(&arena, "write", &base, &base));
    many.bytes *= 4;
    assert_string_equal(kg_difference_system_calls(&arena, "write", &base, &current),
                        "write: 10 → 12.0 k system calls, 1.00 MiB → 4.00 MiB");
    current.kinds = &syncs;
    assert_string_equal(kg_difference_system_calls(&arena, "fsync", &base, &current),
                        "fsync: 0 → 100 system calls");
    many = (struct kg_system_call){.name = "write", .calls = 10, .bytes = 16777216};
    current.kinds = &many;
    assert_string_equal(kg_difference_system_calls(&arena, "write", &base, &current),
                        "write: 10 system calls on both sides, 1.00 MiB → 16.0 MiB");
    current.source = NULL;
    assert_null(kg_difference_system_calls(&arena, "fsync", &base, &current));
    kg_arena_free(&arena);
}

/* Neither has most of the growth alone. */
static void library_functions_of_one_kind_are_named_together(void **state)
{
    const struct side base = {.sites = {{NULL, "take", "main", 0.5}, {NULL, "work", "main", 0.5}},
                              .time_ns = 20e6};
    const struct side current = {.sites = {{"pthread_mutex_unlock", "take", "main", 0.2},
                                           {"pthread_mutex_lock", "take", "main", 0.25},
                                           {NULL, "take", "main", 0.3},
                                           {NULL, "work", "main", 0.25}},
                                 .time_ns = 40e6};
    struct kg_difference_cause cause;
    struct kg_arena arena = {0};
    (void)state;
    assert_string_equal(sentence(&arena, &base, &current, &cause),
                        "take (own.c:11), called from main: +20.0 ms, all of the slowdown, mostly "
                        "in pthread_mutex_lock and pthread_mutex_unlock");
    assert_string_equal(cause.entered.function, "pthread_mutex_lock");
    kg_arena_free(&arena);
}

/* What throws is a function of its own, and the change is in its caller. */
static void caller_of_a_place_that_one_side_has_is_named(void **state)
{
    const struct side base = {.sites = {{NULL, "get", "read_all", 1}}, .time_ns = 20e6};
    const struct side current = {
        .sites = {{NULL, "get", "read_all", 0.5}, {"cxa_throw", "fail", "get", 0.5}},
        .time_ns = 40e6};
    struct kg_difference_cause cause;
    struct kg_arena arena = {0};
    (void)state;
    const char *text = sentence(&arena, &base, &current, &cause);
    assert_non_null(strstr(text, "cxa_throw, called from fail (own.c:11): +20.0 ms, all of the"));
    assert_non_null(strstr(text, "; fail is called from get"));
    kg_arena_free(&arena);
}

/* Each of many functions has little of the change, and two functions share it in their calls. */
static void function_whose_calls_hold_a_third_is_better_than_none(void **state)
{
    enum { PARTS = 10 };
    static const char *const names[PARTS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    struct kg_hot_site sites[2][PARTS];
    struct kg_hot_place functions[2][2];
    struct kg_sampled sampled[2];
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < PARTS; i++)
            sites[side][i] = (struct kg_hot_site){.place = place_of(names[i], "own.c", 1 + i),
                                                  .share = 0.1,
                                                  .calls = NAN,
                                                  .instructions = NAN};
        functions[side][0] = (struct kg_hot_place){.place = place_of("feed", "own.c", 20),
                                                   .total = side ? 0.25 : 0.1};
        functions[side][1] = (struct kg_hot_place){.place = place_of("reply", "own.c", 30),
                                                   .total = side ? 0.6 : 0.8};
        sampled[side] = (struct kg_sampled){.source = "ptrace",
                                            .samples = 500,
                                            .sites = sites[side],
                                            .site_count = PARTS,
                                            .functions = functions[side],
                                            .function_count = 2};
    }
    struct kg_difference difference;
    struct kg_difference_cause cause;
    struct kg_arena arena = {0};
    (void)state;
    kg_difference_make(&arena, &sampled[0], 20e6, &sampled[1], 40e6, &difference);
    assert_true(kg_difference_explain(&difference, &sampled[0], &sampled[1], &cause));
    assert_string_equal(kg_difference_sentence(&arena, &difference, &cause),
                        "feed (own.c:20): +8.00 ms with all that it calls, 40 % of the slowdown");
    kg_arena_free(&arena);
}

static void number_from_a_partial_trace_is_an_estimate_or_the_kernels(void **state)
{
    struct kg_system_call kinds[] = {{.name = "write", .calls = 12000, .bytes = 1048576},
                                     {.name = "fsync", .calls = 12000, .bytes = NAN}};
    struct kg_system_call few = {.name = "write", .calls = 10, .bytes = 1048576};
    const struct kg_system_calls current = {
        .source = "ptrace", .partial = true, .kinds = kinds, .kind_count = 2};
    struct kg_system_calls base = {.source = "ptrace", .kinds = &few, .kind_count = 1};
    struct kg_arena arena = {0};
    assert_string_equal(
        kg_difference_system_calls(&arena, "write", &base, &current),
        "write: 10 → 12.0 k system calls, 1.00 MiB on both sides, 102 KiB → 87.4 B each");
    assert_string_equal(kg_difference_system_calls(&arena, "fsync", &base, &current),
                        "fsync: 0 → about 12.0 k system calls");
    base.partial = true; /* the rest of the call may make it */
    assert_null(kg_difference_system_calls(&arena, "fsync", &base, &current));
    kg_arena_free(&arena);
}

static void sides_without_samples_have_no_cause(void **state)
{
    sentence_is(&(struct side){.time_ns = 1e6},
                &(struct side){.sites = {{NULL, "a", "main", 1}}, .time_ns = 2e6}, "");
}

static void table_has_a_rest_and_notes_that_are_proven(void **state)
{
    const struct side old = {.sites = {{NULL, "parse", "main", 0.99}, {NULL, "tiny", "main", 0.01}},
                             .time_ns = 1e6};
    const struct side new = {.sites = {{"strlen", "parse", "main", 0.5},
                                       {NULL, "parse", "other", 0.4},
                                       {NULL, "rare", "main", 0.01}},
                             .time_ns = 2e6};
    struct kg_hot_site old_sites[SITES_MOST], new_sites[SITES_MOST];
    const struct kg_sampled base = sampled_make(&old, old_sites);
    const struct kg_sampled current = sampled_make(&new, new_sites);
    struct kg_arena arena = {0};
    struct kg_difference difference;
    struct kg_difference_table table;
    kg_difference_make(&arena, &base, old.time_ns, &current, new.time_ns, &difference);
    assert_true(kg_difference_table_make(&arena, &difference, &table));
    assert_int_equal(table.row_count, 4); /* "tiny" is less than 1 % of the longer call */
    assert_string_equal(table.rows[0].callee.function, "strlen");
    assert_string_equal(table.rows[0].note, "the baseline does not call it there");
    assert_true(table.rows[0].sure);
    assert_null(table.rows[1].note); /* parse has another caller now, and both sides run it */
    assert_null(table.rows[2].note);
    assert_string_equal(table.rows[3].place.function, "rare");
    assert_null(table.rows[3].note); /* five samples prove nothing */
    const struct kg_difference_row rest = kg_difference_rest(&table);
    assert_float_equal(rest.base_ns, 0.01e6, 1);
    assert_float_equal(rest.current_ns, 0.18e6, 1);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_function_is_named_with_its_caller),
        cmocka_unit_test(own_function_is_named_with_its_caller),
        cmocka_unit_test(gain_is_explained_likewise),
        cmocka_unit_test(few_samples_do_not_prove_that_a_side_lacks_a_place),
        cmocka_unit_test(counts_disprove_an_absence),
        cmocka_unit_test(profile_that_was_cut_proves_no_absence),
        cmocka_unit_test(function_on_a_stack_is_run),
        cmocka_unit_test(growth_within_the_noise_of_samples_is_no_cause),
        cmocka_unit_test(place_that_grew_like_the_whole_call_is_no_cause),
        cmocka_unit_test(one_fifth_of_the_change_is_the_least),
        cmocka_unit_test(function_around_is_named_if_no_function_has_it_alone),
        cmocka_unit_test(main_is_never_the_function_around),
        cmocka_unit_test(search_around_a_comparison_is_named_too),
        cmocka_unit_test(new_library_call_is_sure_in_a_noisy_place),
        cmocka_unit_test(calls_of_both_sides_are_compared),
        cmocka_unit_test(instructions_show_whether_each_call_does_more),
        cmocka_unit_test(instructions_of_copying_prove_nothing),
        cmocka_unit_test(calls_of_a_place_are_summed_over_callers),
        cmocka_unit_test(functions_of_one_name_are_two_places),
        cmocka_unit_test(function_of_a_header_is_named_with_its_user),
        cmocka_unit_test(counts_of_rows_that_are_one_place_are_summed),
        cmocka_unit_test(system_call_of_most_growth_is_the_causes),
        cmocka_unit_test(numbers_and_bytes_of_system_calls_are_compared),
        cmocka_unit_test(library_functions_of_one_kind_are_named_together),
        cmocka_unit_test(caller_of_a_place_that_one_side_has_is_named),
        cmocka_unit_test(function_whose_calls_hold_a_third_is_better_than_none),
        cmocka_unit_test(number_from_a_partial_trace_is_an_estimate_or_the_kernels),
        cmocka_unit_test(sides_without_samples_have_no_cause),
        cmocka_unit_test(table_has_a_rest_and_notes_that_are_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
