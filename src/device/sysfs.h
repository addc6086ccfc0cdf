/* sysfs.h: small reads from the files of /proc and /sys below a root. Thread-safe. */
#pragma once
#include <sched.h>
#include <stdbool.h>

enum { KG_TREE_LINE = 512 };

/* Reads the first line of a file, without its end, into `line` (KG_TREE_LINE bytes). Bytes outside
 * printable ASCII become '?', so that the line is safe anywhere.
 * returns  0, or the errno; ENODATA if the file is empty. On failure `line` is "" */
__attribute__((format(printf, 3, 4))) int kg_tree_line(const char *root, char *line,
                                                       const char *format, ...);

/* Finds the first line of `path` that begins with `key` and a colon or white space. Reads the rest
 * of this line, as above. ENODATA if there is no such line. */
int kg_tree_value(const char *root, const char *path, const char *key, char *value);

/* Time in which a thread was ready to run and waited for a CPU, since its start, in ns: the second
 * number of its schedstat. NaN if unreadable. After a process has ended, its first thread stays
 * readable until somebody waits for the process.
 * folder  "/proc/123" or "/proc/self/task/123" */
double kg_tree_wait_ns(const char *folder);

/* Whether an errno means that the file is missing. */
bool kg_tree_missing(int code);

/* A decimal number at the start of `text`, after spaces; *rest is behind it.
 * returns  false without a finite number from 0 up */
bool kg_tree_number(const char *text, double *number, const char **rest);

/* A list of CPUs or nodes in the kernel's form, "0-3,8"; numbers from CPU_SETSIZE on are left out.
 * An empty text is an empty set. false for any other text. */
bool kg_cpu_list_parse(const char *text, cpu_set_t *set);
/* The reverse; a text longer than KG_TREE_LINE is cut and ends with "...". */
void kg_cpu_list_format(const cpu_set_t *set, char *text);

/* The online CPUs, and the CPUs that this process may run on (if unknown: all online ones). Empty
 * if both are unknown. */
void kg_tree_cpus_online(const char *root, cpu_set_t *online);
void kg_tree_cpus_allowed(const char *root, cpu_set_t *allowed);

/* CPU time per wall time that control groups allow this process, in CPUs; NaN: no limit, or
 * unreadable. */
double kg_tree_quota_cpus(const char *root);
