/* record_schema.h: what a record's table says, for others: a JSON Schema (2020-12), and a reference
 * in Markdown. Both follow the table that reading and writing follow. */
#pragma once
#include "base/record.h"

/* A kind of file. */
struct kg_file_kind {
    const char *name;   /* "results" */
    const char *schema; /* "kgate.results.v1" */
    const struct kg_record *record;
};

/* "results.v1.schema.json", the schema's file under docs/schema. */
void kg_schema_file_name(const struct kg_file_kind *kind, char *name, size_t bytes);

/* Appends the schema's text, as its file has it. */
void kg_schema_write(const struct kg_file_kind *kind, struct kg_text *text);

/* Appends a section of each kind and tables of its fields. What several kinds hold is told once. */
void kg_file_reference_write(const struct kg_file_kind *kinds, size_t count, struct kg_text *text);
