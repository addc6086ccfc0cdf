#include "show/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/record.h"

/* With more cases than this, the page leaves out hottest functions and lines, which are most of a file. */
enum { HOT_CASES_MOST = 300, PART_BYTES = 1 << 20 };

#define STRUCT kg_held
static const struct kg_field held_fields[] = {
    KG_FIELD(count, SIZE, "number of budgets of the case"),
    KG_FIELD(missed, SIZE, "number of missed budgets"),
    KG_FIELD(unknown, SIZE, "number of budgets with an unknown metric"),
    KG_FIELD(reason, STRING, "reason of the first missed budget, else of the first unknown budget",
             KG_OPTIONAL),
};
static const struct kg_record held_record = KG_RECORD_OF(held_fields, "Budgets of a case.");
#undef STRUCT

/* The output, and the buffers for one case. */
struct printer {
    FILE *output;
    struct kg_text line, safe; /* JSON of one case; escaped text that waits for printing */
    struct kg_round *rounds;   /* room for the rounds of the longest case */
    struct kg_error *err;
};

static bool printer_flush(struct printer *printer)
{
    const bool good = kg_file_print(printer->output, &printer->safe, printer->err);
    kg_text_truncate(&printer->safe, 0);
    return good;
}

/* Moves the line to the output. */
static bool line_print(struct printer *printer)
{
    kg_page_json(&printer->safe, kg_text_string(&printer->line), printer->line.length);
    kg_text_truncate(&printer->line, 0);
    return printer->safe.length < PART_BYTES || printer_flush(printer);
}

static bool case_print(struct printer *printer, const struct kg_case_result *result, bool hot,
                       const struct kg_held *held)
{
    struct kg_case_result shown = *result;
    struct kg_text *line = &printer->line;
    for (size_t i = 0; i < result->round_count; i++) {
        printer->rounds[i] = result->rounds[i];
        printer->rounds[i].sample_count = 0;
    }
    shown.rounds = printer->rounds;
    if (!hot)
        kg_hot_clear(&shown.hot);
    kg_record_line(&kg_case_result_record, &shown, NULL, line);
    if (held && held->count) {
        kg_text_truncate(line, line->length - 1);
        kg_text_append(line, ", \"held\": ");
        kg_record_line(&held_record, held, NULL, line);
        kg_text_append(line, "}");
    }
    return line_print(printer);
}

/* Prints the results case by case. This works because the cases are the last member of results. */
static bool results_print(struct printer *printer, const struct kg_results *results,
                          const struct kg_held *held)
{
    static const char CLOSING[] = "]}";
    struct kg_results others = *results;
    others.case_count = 0;
    kg_record_line(&kg_results_record, &others, KG_RESULTS_SCHEMA, &printer->line);
    kg_text_truncate(&printer->line, printer->line.length - strlen(CLOSING));
    for (size_t i = 0; i < results->case_count; i++) {
        if (i)
            kg_text_append(&printer->line, ", ");
        if (!case_print(printer, &results->cases[i], results->case_count <= HOT_CASES_MOST,
                        held ? &held[i] : NULL))
            return false;
    }
    kg_text_append(&printer->line, CLOSING);
    return line_print(printer) && printer_flush(printer);
}

bool kg_page_results(const struct kg_results *results, const struct kg_held *held, FILE *output,
                     struct kg_error *err)
{
    struct printer printer = {.output = output, .err = err};
    size_t most = 0;
    for (size_t i = 0; i < results->case_count; i++)
        most = results->cases[i].round_count > most ? results->cases[i].round_count : most;
    printer.rounds = kg_alloc(most + 1, sizeof *printer.rounds);
    const bool good = results_print(&printer, results, held);
    kg_text_free(&printer.line);
    kg_text_free(&printer.safe);
    free(printer.rounds);
    return good;
}
