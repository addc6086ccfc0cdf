#include "device/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Ends the text at its line break and makes it printable. */
static void clean(char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    for (char *c = text; *c; c++) {
        if (*c == '\t')
            *c = ' ';
        if (*c < ' ' || *c > '~')
            *c = '?';
    }
}

int kg_tree_line(const char *root, char *line, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    line[0] = '\0';
    const int start = snprintf(path, sizeof path, "%s", root);
    if (start < 0 || (size_t)start >= sizeof path)
        return ENAMETOOLONG;
    va_start(arguments, format);
    const int length = vsnprintf(path + start, sizeof path - (size_t)start, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof path - (size_t)start)
        return ENAMETOOLONG;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno;
    errno = 0;
    const bool read = fgets(line, KG_TREE_LINE, file) != NULL;
    const int code = read ? 0 : errno ? errno : ENODATA;
    fclose(file);
    if (!read)
        line[0] = '\0';
    clean(line);
    return code;
}

double kg_tree_wait_ns(const char *folder)
{
    char line[KG_TREE_LINE];
    double ran_ns, wait_ns;
    const char *rest;
    if (kg_tree_line("", line, "%s/schedstat", folder) != 0 ||
        !kg_tree_number(line, &ran_ns, &rest) || !kg_tree_number(rest, &wait_ns, &rest))
        return NAN;
    return wait_ns;
}

/* The text after the key of a line; NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || !strchr(" \t:", line[length]) || !line[length])
        return NULL;
    return line + length + strspn(line + length, " \t:");
}

int kg_tree_value(const char *root, const char *path, const char *key, char *value)
{
    char whole[PATH_MAX];
    char *line = NULL;
    size_t capacity = 0;
    int code = ENODATA;
    value[0] = '\0';
    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
        return ENAMETOOLONG;
    FILE *file = fopen(whole, "re");
    if (!file)
        return errno;
    errno = 0;
    while (code == ENODATA && getline(&line, &capacity, file) >= 0) {
        const char *text = value_of(line, key);
        if (!text)
            continue;
        snprintf(value, KG_TREE_LINE, "%s", text);
        clean(value);
        code = 0;
    }
    if (code && ferror(file) && errno)
        code = errno;
    free(line);
    fclose(file);
    return code;
}

bool kg_tree_missing(int code)
{
    return code == ENOENT || code == ENOTDIR;
}

bool kg_tree_number(const char *text, double *number, const char **rest)
{
    char *end;
    text += strspn(text, " ");
    /* strtod also reads "inf" and hexadecimal: neither is a kernel's */
    if (!isdigit((unsigned char)*text) ||
        (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
        return false;
    const double value = strtod(text, &end);
    if (!isfinite(value))
        return false;
    *number = value;
    if (rest)
        *rest = end;
    return true;
}

static bool index_parse(const char **text, unsigned long *index)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *index = strtoul(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool kg_cpu_list_parse(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    text += strspn(text, " ");
    while (*text) {
        unsigned long first, last;
        if (!index_parse(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!index_parse(&text, &last) || last < first)
                return false;
        }
        for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET(i, set);
        text += strspn(text, " ");
        if (*text && *text++ != ',')
            return false;
    }
    return true;
}

void kg_cpu_list_format(const cpu_set_t *set, char *text)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, set))
            continue;
        size_t last = i;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        if (length + 24 > KG_TREE_LINE) {
            snprintf(text + length, KG_TREE_LINE - length, ",...");
            return;
        }
        const char *comma = length ? "," : "";
        length +=
            (size_t)(last > i ? snprintf(text + length, KG_TREE_LINE - length, "%s%zu-%zu", comma,
                                         i, last)
                              : snprintf(text + length, KG_TREE_LINE - length, "%s%zu", comma, i));
        i = last;
    }
}

void kg_tree_cpus_online(const char *root, cpu_set_t *online)
{
    char line[KG_TREE_LINE];
    if (kg_tree_line(root, line, "/sys/devices/system/cpu/online") != 0 ||
        !kg_cpu_list_parse(line, online))
        CPU_ZERO(online);
}

void kg_tree_cpus_allowed(const char *root, cpu_set_t *allowed)
{
    char line[KG_TREE_LINE];
    if (kg_tree_value(root, "/proc/self/status", "Cpus_allowed_list", line) != 0 ||
        !kg_cpu_list_parse(line, allowed) || CPU_COUNT(allowed) == 0)
        kg_tree_cpus_online(root, allowed);
}
