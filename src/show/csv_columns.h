/* csv_columns.h: the columns of a CSV file as one table: heads and fields come from it. Pure. */
#pragma once
#include <stddef.h>

#include "base/record.h"
#include "base/text.h"

enum { KG_CSV_STRUCTS = 3 };

/* A field of one of the structs that a row is made of. */
struct kg_csv_column {
    size_t of;             /* which of them */
    struct kg_field field; /* STRING, REAL, SIZE, BOOL or ENUM: its head is the name */
};

/* After the member: its kind, then attributes of struct kg_field. */
#define KG_CSV_COLUMN(head, index, type, member, ...)                                              \
    {                                                                                              \
        .of = (index), .field = {                                                                  \
            .name = (head),                                                                        \
            .offset = offsetof(struct type, member),                                               \
            .kind = KG_FIELD_##__VA_ARGS__                                                         \
        }                                                                                          \
    }

/* Append the heads, or the fields, without the end of the line. A struct that is NULL makes its
 * fields empty. */
void kg_csv_heads(const struct kg_csv_column *columns, size_t count, struct kg_text *text);
void kg_csv_fields(const struct kg_csv_column *columns, size_t count,
                   const void *const structs[KG_CSV_STRUCTS], struct kg_text *text);
