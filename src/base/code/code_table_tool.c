/* code_table_tool.c: at build time: `code_table_tool OUT.c OBJECT...` writes the table of the
 * kernels' code (code_table.h) as a C file. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/code/code_hash.h"
#include "base/code/code_table.h"
#include "base/file.h"

/* The source's name of ".../softmax/softmax_cpu.c.o". */
static const char *source_name(struct kg_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    const char *end = strrchr(file, '.');
    return kg_arena_copy_bytes(arena, file, end ? (size_t)(end - file) : strlen(file));
}

static bool objects_read(struct kg_arena *arena, char **paths, struct kg_code_object *objects,
                         size_t count, struct kg_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct kg_text text = {0};
        bool good = kg_file_read(paths[i], KG_CODE_FILE_MOST, &text, err);
        if (good) {
            objects[i].name = source_name(arena, paths[i]);
            objects[i].bytes = kg_arena_copy_bytes(arena, kg_text_string(&text), text.length);
            objects[i].length = text.length;
            good = objects[i].name && objects[i].bytes ? true : kg_error_memory(err);
        }
        kg_text_free(&text);
        if (!good)
            return false;
    }
    return true;
}

/* Each line of the table as a string of C: it has neither quotes nor backslashes. */
static void source_append(const char *table, struct kg_text *source)
{
    kg_text_append(source, "/* Written by code_table_tool from the kernels' object files. */\n"
                           "#include \"base/code/code_table.h\"\n\n"
                           "__attribute__((section(KG_CODE_TABLE_SECTION), used))\n"
                           "const char kg_code_table[] =");
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1)
        kg_text_printf(source, "\n    \"%.*s\\n\"", (int)strcspn(line, "\n"), line);
    kg_text_append(source, ";\n");
}

static bool table_write(const char *path, const struct kg_code_object *objects, size_t count,
                        struct kg_error *err)
{
    struct kg_text table = {0}, source = {0};
    bool good = kg_code_table_make(objects, count, &table) ? true : kg_error_memory(err);
    if (good) {
        source_append(kg_text_string(&table), &source);
        good = source.failed ? kg_error_memory(err)
                             : kg_file_write(path, source.data, source.length, err);
    }
    kg_text_free(&table);
    kg_text_free(&source);
    return good;
}

int main(int argc, char **argv)
{
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: code_table_tool OUT.c OBJECT...\n");
        return 2;
    }
    const size_t count = (size_t)argc - 2;
    struct kg_code_object *objects = kg_arena_alloc(&arena, count, sizeof *objects);
    const bool good = objects && objects_read(&arena, argv + 2, objects, count, &err) &&
                      table_write(argv[1], objects, count, &err);
    kg_arena_free(&arena);
    if (!objects)
        kg_error_memory(&err);
    if (!good)
        fprintf(stderr, "code_table_tool: %s\n", err.message);
    return good ? 0 : 1;
}
