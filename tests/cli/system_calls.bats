# The system calls of a call of the workload, seen by ptrace.
load support

bats_require_minimum_version 1.5.0

# Skips where nobody may trace.
needs_ptrace() {
    ! jq -e '.cases[0].hot.system_calls.reason // "" | startswith("ptrace: ")' r.json >/dev/null ||
        skip "$(jq -r '.cases[0].hot.system_calls.reason' r.json)"
}

calls_suite() {
    looked_suite_of 20ms <<YAML
$(for name in "$@"; do
        echo "  - {name: $name, plugin: $PLUGINS/libcalls.so, workload: $name, threads: 2}"
    done)
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    needs_ptrace
}

# A figure of a kind of system calls of the case that begins with $1.
kind() {
    jq --arg case "$1" --arg name "$2" \
        ".cases[] | select(.id | startswith(\$case)).hot.system_calls.kinds[] | select(.name == \$name).$3" r.json
}

@test "reads of one byte are counted, with their bytes and their share of the time" {
    calls_suite bytes computing
    jq -e '.cases[0].hot.system_calls | .reason == null and .calls == 241 and (.kinds | length) == 2' r.json
    jq -e '.cases[1].hot.system_calls | .calls == 0 and (.kinds | length) == 0' r.json
    [ "$(kind bytes read calls)" -eq 240 ]
    [ "$(kind bytes read bytes)" -eq 240 ]
    jq -e '.cases[0] | .hot.system_calls.kinds[0] | .name == "read" and .time_ns > 0' r.json
    run -0 kgate explain bytes r.json
    [[ "$output" == *"system calls per call"*"read          240 of 1 B"*"of its time"*"lseek"* ]]
    run -0 kgate explain computing r.json
    [[ "$output" != *"system calls per call"* ]]
}

# bats test_tags=thorough
@test "what is called so often that nobody watches to the end is told by its reads" {
    calls_suite many
    awk -v reads="$(kind many read calls)" 'BEGIN { exit !(reads > 57000 && reads < 63000) }'
}

# A program that reads or writes 30,000 times: 20 bytes in the first half, 100 in the second. A trace
# ends in the first half.
moving_suite() {
    cat >moving.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    enum { TIMES = 30000 };
    char bytes[100] = "";
    const int reads = !strcmp(argv[1], "reads"), file = open(argv[2], reads ? O_RDONLY : O_WRONLY);
    for (int i = 0; i < TIMES; i++) {
        const size_t size = i < TIMES / 2 ? 20 : 100;
        if ((reads ? read(file, bytes, size) : write(file, bytes, size)) < 0)
            return 1;
    }
    return 0;
}
C
    cc -O1 moving.c -o moving
    looked_suite_of 20ms <<YAML
  - {name: reader, command: [./moving, reads, /dev/zero]}
  - {name: writer, command: [./moving, writes, /dev/null]}
YAML
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    needs_ptrace
}

@test "bytes of small reads and writes are the kernel's count, not an estimate from a part" {
    moving_suite
    jq -e 'all(.cases[].hot.system_calls; .partial)' r.json
    near() { awk -v x="$1" -v y="$2" 'BEGIN { exit !(x > 0.99 * y && x < 1.03 * y) }'; }
    near "$(kind reader read calls)" 30000
    near "$(kind reader read bytes)" 1800000 # and the loader's
    near "$(kind writer write calls)" 30000
    near "$(kind writer write bytes)" 1800000
    # the trace also has the loader's calls, which do not go on
    [ -z "$(kind writer read calls)$(kind writer execve calls)" ]
    run -0 kgate explain writer r.json
    [[ "$output" == *"write "*"k of 60."*" B"* ]]
}

@test "kinds that come after the traced part do not change the number of others, and a note tells of them" {
    cat >phases.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    char bytes[20] = "";
    const int zeros = open("/dev/zero", O_RDONLY), nothing = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 20000; i++)
        if (pread(zeros, bytes, 20, 0) < 0 || (i % 2 && lseek(zeros, 0, SEEK_SET) < 0))
            return 1;
    for (int i = 0; i < 40000; i++)
        if (pwrite(nothing, bytes, 20, 0) < 0)
            return 1;
    return 0;
}
C
    cc -O1 phases.c -o phases
    looked_suite_of 20ms <<<"  - {name: phases, command: [./phases]}"
    kgate run -c one.yaml -o r.json -q
    valid r.json results
    needs_ptrace
    jq -e '.cases[0].hot.system_calls | .partial and .reason == null' r.json
    awk -v n="$(kind phases lseek calls)" 'BEGIN { exit !(n > 9000 && n < 11000) }'
    run -0 kgate explain phases r.json
    [[ "$output" == *"note "*"only a part of a call was traced: other kinds are possible"*"lseek "*"about "* ]]
}

@test "what waits for the disk or sleeps has its time there" {
    calls_suite synced asleep
    [ "$(kind synced fsync calls)" -eq 1 ]
    [ "$(kind synced pwrite64 bytes)" -eq 6 ]
    [ "$(kind asleep clock_nanosleep calls)" -eq 1 ]
    awk -v ns="$(kind asleep clock_nanosleep time_ns)" 'BEGIN { exit !(ns > 1e6) }'
}

@test "a thread that a call starts is followed" {
    calls_suite threads
    awk -v reads="$(kind threads pread64 calls)" 'BEGIN { exit !(reads > 8 && reads < 12) }'
}

@test "of a command all counts from its exec on, and nothing of who starts it" {
    looked_suite_of 20ms <<<"  - {name: program, command: ['true']}"
    kgate run -c one.yaml -o r.json -q
    needs_ptrace
    [ "$(kind program execve calls)" -eq 1 ]
    [ -z "$(kind program wait4 calls)" ]
    [ -z "$(kind program clone calls)" ]
}

@test "a program that fails, or is gone, is FAILED by its rounds; looking at it adds no failure" {
    looked_suite_of 20ms <<<"  - {name: program, command: ['false']}"
    run -3 kgate run -c one.yaml -o r.json
    [[ "$output" != *ptrace* ]]
}

# A program that hangs where it is traced, and says so in a file.
hanging() {
    cat >hanging.sh <<'SH'
grep -q "^TracerPid:.0$" /proc/self/status && exit
touch traced
sleep 100
SH
    looked_suite_of 20ms <<<"  - {name: program, command: ['sh', 'hanging.sh']}"
}

# bats test_tags=thorough
@test "what takes too long while it is traced is left alone, and ends" {
    hanging
    kgate run -c one.yaml -o r.json -q
    needs_ptrace
    [ -e traced ]
    jq -e '.cases[0] | .status == "OK" and (.hot.system_calls | .kinds == null and .system_ns >= 0
           and (.reason | startswith("a call makes too many")))' r.json
    run -0 kgate explain program r.json
    [[ "$output" == *"system calls per call"*"note          a call makes too many"* ]]
}

@test "an interrupt while it is traced ends all of it" {
    looked_suite_of 20ms <<<"  - {name: program, command: [sh, stop.sh]}"
    stop_when INT '! grep -q "^TracerPid:.0$" /proc/self/status'
    stopped run -c one.yaml -o r.json -q
    [ "$status" -ne 0 ] || skip "nobody may trace here"
    [ "$status" -eq 130 ]
    jq -e '.complete == false' r.json
}
