#include "device/relatives.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GENERATIONS_MOST = 1000 };

/* The parent's number, 0 of the first process; -1 where the process cannot be seen. */
static long parent_of(long pid)
{
    char path[48], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    /* "PID (NAME) STATE PARENT …", and a name can hold anything */
    const char *name_end = strrchr(text, ')');
    return name_end && strlen(name_end) > 4 ? strtol(name_end + 4, NULL, 10) : -1;
}

static bool descends(long pid, long ancestor)
{
    for (int i = 0; i < GENERATIONS_MOST && pid > 0; i++) {
        if (pid == ancestor)
            return true;
        pid = parent_of(pid);
    }
    return false;
}

enum kg_kinship kg_kinship(long pid)
{
    const long self = (long)getpid();
    if (pid <= 0 || parent_of(pid) < 0)
        return KG_KINSHIP_UNSEEN;
    return descends(pid, self) || descends(self, pid) ? KG_KINSHIP_OWN : KG_KINSHIP_OTHER;
}
