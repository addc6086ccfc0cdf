/* doctor_support.h: common code of the doctor's tests: machines made of files, and expected
 * findings. */
#pragma once
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "test_support.h"
#include "why/doctor/doctor.h"

/* A machine of files: the contents of /proc and /sys, below a folder. */
struct machine {
    char root[64];
    struct kg_arena arena;
    struct kg_findings findings;
    int counters_errno;
};

#define CPU "/sys/devices/system/cpu"
#define NODE "/sys/devices/system/node"

static inline void machine_write(const struct machine *machine, const char *path,
                                 const char *content)
{
    char whole[512];
    struct kg_error err;
    snprintf(whole, sizeof whole, "%s%s", machine->root, path);
    char *slash = strrchr(whole, '/');
    *slash = '\0';
    assert_true(kg_directory_make(whole, &err));
    *slash = '/';
    assert_true(kg_file_write(whole, content, strlen(content), &err));
}

/* Makes a folder in the place of a file, so that every read fails, even root's. */
static inline void refuses(const struct machine *machine, const char *path)
{
    char whole[512];
    struct kg_error err;
    snprintf(whole, sizeof whole, "%s%s", machine->root, path);
    assert_true(kg_directory_make(whole, &err));
}

static inline int machine_make(void **state)
{
    struct machine *machine = calloc(1, sizeof *machine);
    assert_non_null(machine);
    snprintf(machine->root, sizeof machine->root, "%s", support_folder());
    machine->findings.arena = &machine->arena;
    *state = machine;
    return 0;
}

/* A machine with CPUs 0 to 3, all allowed. */
static inline int machine_of_four(void **state)
{
    machine_make(state);
    machine_write(*state, CPU "/online", "0-3\n");
    machine_write(*state, "/proc/self/status", "Name:\tkgate\nCpus_allowed_list:\t0-3\n");
    return 0;
}

static inline int machine_remove(void **state)
{
    struct machine *machine = *state;
    support_remove(machine->root);
    kg_arena_free(&machine->arena);
    free(machine);
    return 0;
}

static inline const struct kg_finding *finding_of(const struct kg_findings *findings,
                                                  const char *topic)
{
    for (size_t i = 0; i < findings->count; i++)
        if (!strcmp(findings->items[i].topic, topic))
            return &findings->items[i];
    return NULL;
}

static inline void inspect(struct machine *machine)
{
    const struct kg_doctor doctor = {.root = machine->root,
                                     .path = "/none:/usr/bin::",
                                     .counters_errno = machine->counters_errno};
    kg_doctor_inspect(&doctor, &machine->findings);
}

static inline void expect_of(const struct kg_findings *findings, const char *topic,
                             enum kg_finding_level level, const char *found, const char *remedy)
{
    const struct kg_finding *finding = finding_of(findings, topic);
    if (!finding)
        fail_msg("nothing found on '%s'", topic);
    if (finding->level != level || !strstr(finding->found, found))
        fail_msg("on '%s' expected %s '%s', found %s '%s'", topic, kg_finding_level_names[level],
                 found, kg_finding_level_names[finding->level], finding->found);
    if (!remedy != !finding->remedy || (remedy && !strstr(finding->remedy, remedy)))
        fail_msg("on '%s' expected the remedy '%s', found '%s'", topic, remedy ? remedy : "none",
                 finding->remedy ? finding->remedy : "none");
}

static inline void expect(struct machine *machine, const char *topic, enum kg_finding_level level,
                          const char *found, const char *remedy)
{
    inspect(machine);
    expect_of(&machine->findings, topic, level, found, remedy);
}

static inline void expect_nothing(struct machine *machine, const char *topic)
{
    inspect(machine);
    const struct kg_finding *finding = finding_of(&machine->findings, topic);
    if (finding)
        fail_msg("on '%s' expected nothing, found '%s'", topic, finding->found);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, machine_of_four, machine_remove)
#define EMPTY(function) cmocka_unit_test_setup_teardown(function, machine_make, machine_remove)
