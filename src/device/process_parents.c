#include "device/nvml.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GENERATIONS_MOST = 1000, INIT = 1 };

struct seen {
    long parent;   /* 0 for the first process; -1 if the process is invisible */
    char name[32]; /* name of the program, its first 15 characters */
};

static struct seen process_see(long pid)
{
    struct seen seen = {.parent = -1};
    char path[48], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    /* "PID (NAME) STATE PARENT …", and a name can hold anything */
    const char *name = strchr(text, '('), *name_end = strrchr(text, ')');
    if (!name || !name_end || strlen(name_end) <= 4)
        return seen;
    seen.parent = strtol(name_end + 4, NULL, 10);
    snprintf(seen.name, sizeof seen.name, "%.*s", (int)(name_end - name - 1), name + 1);
    return seen;
}

static bool descends(long pid, long ancestor)
{
    for (int i = 0; i < GENERATIONS_MOST && pid > 0; i++) {
        if (pid == ancestor)
            return true;
        pid = process_see(pid).parent;
    }
    return false;
}

/* Whether the process is MPS's server, whose context serves its clients only. */
static bool serves(const struct seen *process)
{
    static const char service[] = "nvidia-cuda-mps";
    return !strncmp(process->name, service, sizeof service - 1);
}

/* The process that started this one: its descendants belong together. In a container kgate may be the
 * first process; another first process is only a foster parent. */
static long family_head(long self, long parent)
{
    return parent > INIT || !strcmp(process_see(parent).name, process_see(self).name) ? parent
                                                                                      : self;
}

enum kg_kinship kg_kinship(long pid)
{
    const long self = (long)getpid(), parent = (long)getppid();
    const struct seen process = process_see(pid);
    if (pid <= 0 || process.parent < 0)
        return KG_KINSHIP_UNSEEN;
    if (serves(&process))
        return KG_KINSHIP_SERVICE;
    return descends(pid, family_head(self, parent)) || descends(self, pid) ? KG_KINSHIP_OWN
                                                                           : KG_KINSHIP_OTHER;
}
