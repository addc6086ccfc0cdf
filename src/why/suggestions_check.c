#include "why/suggest_parts.h"

#include <string.h>

#include "base/record_range.h"

/* One list of the file. */
struct list {
    const struct kg_record *record;
    char *items;
    size_t *count;
    const char *what; /* description of an item */
};

static const char *operation_of(const struct list *list, size_t index)
{
    const char *item = list->items + index * list->record->size;
    for (size_t i = 0; i < list->record->field_count; i++) {
        const struct kg_field *field = &list->record->fields[i];
        if (!strcmp(field->name, "operation"))
            return *(const char *const *)(const void *)(item + field->offset);
    }
    return NULL;
}

/* Counts an entry and names the first: "a suggestion for copy/cpu: current_ns". */
static void first_name(struct kg_suggestions *made, const struct list *list, size_t index,
                       const struct kg_field *field)
{
    const char *operation = operation_of(list, index);
    if (!made->unwritable)
        made->unwritable = kg_arena_printf(&made->arena, "%s %.200s: %s", list->what,
                                           operation ? operation : "no case", field->name);
    made->unwritable_count++;
}

static void list_check(struct kg_suggestions *made, const struct list *list)
{
    const size_t size = list->record->size;
    size_t kept = 0;
    for (size_t i = 0; i < *list->count; i++) {
        const struct kg_field *field = kg_record_unwritable(list->record, list->items + i * size);
        if (field)
            first_name(made, list, i, field);
        if (!field && kept != i)
            memcpy(list->items + kept * size, list->items + i * size, size);
        kept += !field;
    }
    *list->count = kept;
}

void kg_suggestions_check(struct kg_suggestions *made)
{
    const struct list lists[] = {
        {&kg_suggestion_record, (char *)made->suggestions, &made->suggestion_count,
         "a suggestion for"},
        {&kg_bound_finding_record, (char *)made->findings, &made->finding_count,
         "the bottleneck of"},
        {&kg_evidence_change_record, (char *)made->changes, &made->change_count, "a change of"},
        {&kg_difference_table_record, (char *)made->differences, &made->difference_count,
         "the profiles of"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list_check(made, &lists[i]);
}
