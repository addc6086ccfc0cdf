/* record_schema.h: publishes a record's table as a JSON Schema (2020-12) and as a reference in
 * Markdown. Both follow the table for reading and writing. */
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

/* Appends the text of the schema's file. */
void kg_schema_write(const struct kg_file_kind *kind, struct kg_text *text);

/* Appends a section per kind with tables of its fields. Fields of several kinds are explained
 * once. */
void kg_file_reference_write(const struct kg_file_kind *kinds, size_t count, struct kg_text *text);
