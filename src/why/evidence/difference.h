/* difference.h: a differential profile: time per call of each place in code, in the baseline and
 * in the candidate. It also finds the place that explains the change. Samples of each side are
 * shares. A share times the side's time per call is comparable, and the growths add up to the
 * change. Pure except for the arena; thread-safe. */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/record.h"
#include "model/hot_code.h"

/* A place on both sides. Times are per call of the workload. */
struct kg_difference_row {
    /* place in the candidate, or in the baseline if the candidate lacks it */
    struct kg_place place;
    struct kg_place caller; /* all NULL: none; the same for the next two */
    struct kg_place header; /* function of a system header that the place calls: std::map::find */
    struct kg_place callee; /* function of an installed library that the place entered */
    const char *call;       /* system call; NULL: none */
    double base_ns;
    double current_ns;
    /* Calls of the callee, without a callee of the place, per call of the workload; NaN: not counted.
     * Then the instructions that these calls execute, with all that they call. */
    double base_calls;
    double current_calls;
    double base_instructions;
    double current_instructions;
    bool sure; /* rows of a table only, like `note`: the growth exceeds the noise of the samples */
    const char *note; /* the one side that has the place, or the calls of both; NULL: not known */
};

enum { KG_DIFFERENCE_RENAMED_MOST = 32, KG_DIFFERENCE_MODULES_MOST = 16 };

/* A function that has another name in the candidate, or is in another file. */
struct kg_difference_renamed {
    struct kg_place old, new;
};

/* A file of machine code that has another name in the candidate. */
struct kg_difference_module {
    const char *old, *new;
};

struct kg_difference {
    struct kg_difference_row *rows; /* by absolute growth, the largest first */
    size_t count;
    struct kg_difference_renamed renamed[KG_DIFFERENCE_RENAMED_MOST];
    size_t renamed_count;
    struct kg_difference_module modules[KG_DIFFERENCE_MODULES_MOST];
    size_t module_count;
    const struct kg_sampled *base, *current; /* borrowed */
    double base_ns;                          /* whole call */
    double current_ns;
    double base_samples;
    double current_samples;
};

/* Subtracts the sites of two profiles. Strings are borrowed.
 * base, current        if one has no samples, the difference has no rows
 * base_ns, current_ns  time per call of each side */
void kg_difference_make(struct kg_arena *arena, const struct kg_sampled *base, double base_ns,
                        const struct kg_sampled *current, double current_ns,
                        struct kg_difference *difference);

/* Whether both are the same function of a library, by name: a preloaded library may replace another. */
bool kg_difference_same_callee(const struct kg_place *a, const struct kg_place *b);

/* Sum of two counts. NaN: not counted, and the other count is the sum. */
double kg_difference_count_add(double a, double b);

/* Whether place, caller, header, callee and system call are the same. */
bool kg_difference_same_row(const struct kg_difference_row *a, const struct kg_difference_row *b);

/* difference_modules.c: pairs own files of machine code that only one side has, by their functions and then by their
 * time. A rebuilt program or library may have another name. */
void kg_difference_modules_pair(struct kg_difference *difference, const struct kg_sampled *base,
                                const struct kg_sampled *current);

/* A place of the baseline, with the candidate's name of its file of machine code. */
struct kg_place kg_difference_place(const struct kg_difference *difference,
                                    const struct kg_place *base_place);

/* difference_match.c: joins the rows of functions that were moved to another file, renamed, inlined or split off. A
 * function was moved if each side has one function of its name. A function of one side is renamed if the other side
 * alone has a function of about the same time, in the same file and with the same caller or the same hottest line. It
 * is inlined if its only caller took over its time. */
void kg_difference_match(struct kg_difference *difference);

/* difference_sums.c: sums of rows. */

/* The function's rows over all callers and callees. */
struct kg_difference_row kg_difference_function_sum(const struct kg_difference *difference,
                                                    const struct kg_place *place);

/* A neighbour of a place: its caller, or a library function that it entered. */
enum kg_difference_neighbour { KG_DIFFERENCE_CALLER, KG_DIFFERENCE_HEADER, KG_DIFFERENCE_CALLEE };
const struct kg_place *kg_difference_neighbour_of(const struct kg_difference_row *row,
                                                  enum kg_difference_neighbour kind);

/* The place's rows with the same neighbour as `row`. */
struct kg_difference_row kg_difference_neighbour_sum(const struct kg_difference *difference,
                                                     const struct kg_difference_row *row,
                                                     enum kg_difference_neighbour kind);

/* Whether one side alone has the function, and the other side alone has one of about the same time in the same file.
 * Their work may only have moved, as in a function that was split. */
bool kg_difference_moved(const struct kg_difference *difference, const struct kg_place *place);

/* The place with the largest part of the change, in the change's direction. */
struct kg_difference_cause {
    struct kg_difference_row row; /* time of the place, with its callees in installed libraries */
    double alone;                 /* part of the change in `row`, 0 to 1 */
    double explains;              /* part of the change in the place and in `around`, 0 to 1 */
    bool inclusive;               /* the row's time includes calls to other own functions */
    /* function whose calls hold nearly all of the change and little else; all NULL: none, or not
     * much more than the place alone */
    struct kg_place around;
    /* function of an installed library with most of the growth, also within the row's header; all
     * NULL: none */
    struct kg_place entered;
    /* library functions of one kind, such as lock and unlock, with most of the growth together: the
     * larger one first; all NULL: none, or one function alone has it */
    struct kg_place together[2];
};

/* Finds the cause. A growth counts if it clearly exceeds the noise of the samples. First choice:
 * one function with half of the change. Second choice: the function whose calls hold half of the
 * change, and little else. Then a function with a fifth, or a library function that one function
 * calls. Last a function whose calls hold a fifth.
 * returns  false if no place explains enough */
bool kg_difference_explain(const struct kg_difference *difference, const struct kg_sampled *base,
                           const struct kg_sampled *current, struct kg_difference_cause *cause);

/* difference_sentence.c: "strlen, called from parse_number (cJSON.c:321): +0.65 ms, all of the
 * slowdown; …". A name that several functions have is followed by its source file. */
const char *kg_difference_sentence(struct kg_arena *arena, const struct kg_difference *difference,
                                   const struct kg_difference_cause *cause);

/* "the baseline does not call it there"; NULL: both sides have the place, or the samples do not prove it. They prove it
 * if the side has enough samples, all of them are in its sites, and no stack has the function. A function without debug
 * information may be inlined unseen. */
const char *kg_difference_side(const struct kg_difference *difference,
                               const struct kg_difference_row *row);

/* The caller's name, with its source file if several functions have the name; NULL: no caller. */
const char *kg_difference_caller(struct kg_arena *arena, const struct kg_difference_row *rows,
                                 size_t count, const struct kg_difference_row *row);

/* Sets the row's calls and their instructions: of its callee by its place, without a callee of its place by all
 * callers; NaN if the calls were not counted. */
void kg_difference_count(const struct kg_difference *difference, struct kg_difference_row *row);

/* "called 2,000 → 10,000 times, each executes 1.5 times as many instructions"; NULL: not counted on both
 * sides. */
const char *kg_difference_calls(struct kg_arena *arena, const struct kg_difference_row *row);

/* System call that most of the cause's growth is in; NULL: none. */
const char *kg_difference_system_call(const struct kg_difference *difference,
                                      const struct kg_difference_cause *cause);

/* "write: 10 → 12000 calls per call, 1.2 MiB on both sides"; NULL: number and bytes are alike, or not counted on
 * both sides. */
const char *kg_difference_system_calls(struct kg_arena *arena, const char *name,
                                       const struct kg_system_calls *base,
                                       const struct kg_system_calls *current);

/* A first thing to try, for a place that became slower; NULL: nothing known.
 * system_call  that most of the growth is in; NULL: none
 * calls        of the candidate */
const char *kg_difference_hint(struct kg_arena *arena, const struct kg_difference_cause *cause,
                               const char *system_call, const struct kg_system_calls *calls);

/* Whether the growth is at least two standard errors of the samples. */
bool kg_difference_beyond_noise(const struct kg_difference *difference,
                                const struct kg_difference_row *row);

/* The rows of one case that reports show. */
struct kg_difference_table {
    const char *operation; /* id of the case */
    double base_ns;        /* whole call */
    double current_ns;
    double base_samples;
    double current_samples;
    struct kg_difference_row *rows; /* by absolute growth, the largest first */
    size_t row_count;
};

/* Keeps the rows with at least 1 % of the call. The table and its strings live in `arena`.
 * returns  false if there are none */
bool kg_difference_table_make(struct kg_arena *arena, const struct kg_difference *difference,
                              struct kg_difference_table *table);

/* The time of the call outside of the table's rows. */
struct kg_difference_row kg_difference_rest(const struct kg_difference_table *table);

extern const struct kg_record kg_difference_table_record;
