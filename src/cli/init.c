#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/file.h"

static const char suite[] =
    "# A suite for kgate. `kgate validate -c FILE` checks it; docs/suite.md explains every key.\n"
    "version: 1\n"
    "suite: example\n"
    "policy:\n"
    "  fail_on: [REGRESSION, FAILED]\n"
    "defaults:\n"
    "  threshold: 5%        # the smallest change that matters\n"
    "  rounds: {min: 5, max: 30}\n"
    "  min_time: 50ms       # measured time a round\n"
    "  threads: 1\n"
    "workloads:\n"
    "  - name: softmax      # a kernel that kgate brings, to see it work\n"
    "    kernel: softmax\n"
    "    params: {rows: 256, cols: 256}\n"
    "  - name: program      # your own program: put its command here\n"
    "    command: [\"true\"]\n"
    "    threshold: 20%     # starting a process is noisy\n";

int kg_cli_init(const struct kg_arguments *arguments)
{
    const char *path = arguments->positional_count ? arguments->positional[0] : "kgate.yaml";
    struct kg_error err;
    if (!arguments->force && access(path, F_OK) == 0) {
        kg_error_set(&err, KG_ERROR_USAGE, "'%.200s' is there already; --force overwrites it",
                     path);
        return kg_fail(&err);
    }
    if (!kg_file_write(path, suite, strlen(suite), &err))
        return kg_fail(&err);
    if (!arguments->quiet)
        printf("wrote %s; next: kgate gate -c %s --update-missing\n", path, path);
    return KG_EXIT_PASS;
}
