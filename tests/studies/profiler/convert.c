/* Makes a report of a recording, and prints how long it took and the memory at most.
 *     profiler_convert RECORDING table|tree|json|trace|folded|csv OUTPUT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "memory.h"
#include "profiler/read/profile.h"

static void table(const struct kg_profile *profile, struct kg_text *text)
{
    kg_profile_table(profile, 0, 0, text);
}

static void tree(const struct kg_profile *profile, struct kg_text *text)
{
    kg_profile_tree(profile, 0, 0, text);
}

static const struct {
    const char *name;
    void (*text)(const struct kg_profile *profile, struct kg_text *text);
    bool (*stream)(int file, const char *path, FILE *output, struct kg_error *err);
} formats[] = {
    {"table", table, NULL},
    {"tree", tree, NULL},
    {"folded", kg_profile_folded, NULL},
    {"json", NULL, kg_profile_json},
    {"trace", NULL, kg_profile_trace},
    {"csv", NULL, kg_profile_csv},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool convert(int format, int file, const char *path, FILE *output, struct kg_error *err)
{
    struct kg_profile profile;
    struct kg_text text = {0};
    if (formats[format].stream)
        return formats[format].stream(file, path, output, err);
    if (!kg_profile_read_file(file, path, &profile, err))
        return false;
    formats[format].text(&profile, &text);
    fputs(kg_text_string(&text), output);
    kg_text_free(&text);
    kg_profile_free(&profile);
    return true;
}

int main(int count, char **arguments)
{
    struct kg_error err;
    int format = 0;
    while (count == 4 && format < FORMATS && strcmp(formats[format].name, arguments[2]))
        format++;
    if (count != 4 || format == FORMATS) {
        fputs("usage: profiler_convert RECORDING FORMAT OUTPUT\n", stderr);
        return 2;
    }
    const int file = open(arguments[1], O_RDONLY | O_CLOEXEC);
    FILE *output = fopen(arguments[3], "w");
    if (file < 0 || !output) {
        perror("profiler_convert");
        return 1;
    }
    const double start = now_ns();
    const bool good = convert(format, file, arguments[1], output, &err);
    if (fclose(output) != 0 || !good) {
        fprintf(stderr, "profiler_convert: %s\n", good ? "cannot write" : err.message);
        return 1;
    }
    printf("seconds\t%.6f\nmemory_kib\t%ld\n", (now_ns() - start) / 1e9, memory_most_kib());
    close(file);
    return 0;
}
