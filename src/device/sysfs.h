/* sysfs.h: small reads from the files of /proc and /sys below a root. Thread-safe. */
#pragma once
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum { KG_TREE_LINE = 512 };

/* The first line of a file, without its end, into `line` (KG_TREE_LINE bytes); what is not
 * printable ASCII becomes '?', so that it can go anywhere.
 * returns 0, or the errno; ENODATA where the file is empty. `line` is then "" */
__attribute__((format(printf, 3, 4))) int kg_tree_line(const char *root, char *line,
                                                       const char *format, ...);

/* The rest of the first line of `path` that begins with `key` and then a colon or white space,
 * after these, as above. ENODATA where there is no such line. */
int kg_tree_value(const char *root, const char *path, const char *key, char *value);

/* How long a thread was ready to run and waited for a CPU since it began: the second number of its
 * schedstat. NaN where that cannot be read. A process that has ended still tells of its first
 * thread, until it is waited for.
 * folder  "/proc/123" or "/proc/self/task/123" */
double kg_tree_wait_ns(const char *root, const char *folder);

/* Whether an errno says that there is no such file. */
bool kg_tree_missing(int code);

/* A decimal number at the start of `text`, after spaces; *rest is behind it.
 * returns false where there is none, or where it is negative or not finite */
bool kg_tree_number(const char *text, double *number, const char **rest);

/* A list of CPUs or nodes as the kernel writes it, "0-3,8"; numbers from CPU_SETSIZE on are left
 * out. An empty text is an empty set. false where it is anything else. */
bool kg_cpu_list_parse(const char *text, cpu_set_t *set);
/* The reverse, cut with "..." where it is longer than KG_TREE_LINE. */
void kg_cpu_list_format(const cpu_set_t *set, char *text);

/* The CPUs that are online, and those that this process may run on (all online ones where that is
 * not told). Empty where nothing is. */
void kg_tree_cpus_online(const char *root, cpu_set_t *online);
void kg_tree_cpus_allowed(const char *root, cpu_set_t *allowed);

/* CPUs' worth of time that control groups allow this process; NaN where they set no limit, or it
 * cannot be read. doctor_cgroup.c */
double kg_tree_quota_cpus(const char *root);
