/* Every mistake in a suite gives an error at its place, with the text to write instead. */
#include "test_support.h"

#include "model/suite.h"

struct mistake {
    const char *yaml;
    unsigned line;
    unsigned column;
    const char *message;
};

static void check(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct mistake *m = &mistakes[i];
        struct kg_suite suite;
        struct kg_error err = {0};
        if (kg_suite_parse("s.yaml", m->yaml, strlen(m->yaml), NULL, 0, &suite, &err))
            fail_msg("accepted:\n%s", m->yaml);
        if (err.kind != KG_ERROR_USAGE || strcmp(err.path, "s.yaml") != 0 || suite.arena.head)
            fail_msg("kind %d, path '%s' for:\n%s", (int)err.kind, err.path, m->yaml);
        if (err.line != m->line || err.column != m->column || !strstr(err.message, m->message))
            fail_msg("%u:%u: %s\nexpected %u:%u: …%s…\nin:\n%s", err.line, err.column, err.message,
                     m->line, m->column, m->message, m->yaml);
    }
}

#define CHECK(mistakes) check(mistakes, sizeof(mistakes) / sizeof(mistakes)[0])
#define HEAD "version: 1\n"
#define TAIL "workloads: [{name: a, kernel: a}]\n"
#define WORKLOAD(keys) HEAD "workloads:\n- name: a\n  kernel: a\n  " keys "\n"
#define DEFAULTS(keys) HEAD "defaults:\n  " keys "\n" TAIL

static void mistakes_of_yaml(void **state)
{
    static const struct mistake mistakes[] = {
        {"", 1, 1, "the file is empty"},
        {"# only this\n", 1, 1, "the file is empty"},
        {"---\n", 2, 1, "a suite is a mapping"},
        {"[1]\n", 1, 1, "a suite is a mapping"},
        {HEAD "a: [1\n", 3, 1, "not valid YAML: while parsing a flow sequence"},
        {HEAD "\tb: 1\n", 2, 1, "found a tab character"},
        {HEAD "a:\n\tb: 1\n", 3, 1, "indent with spaces"},
        {"# gr\303\266\303\237er\n" HEAD "a:\n\tb: 1\n", 4, 1, "indent with spaces"},
        {HEAD TAIL "---\n" HEAD, 3, 1, "a second document"},
        {HEAD "version: 1\n", 2, 1, "key 'version' is already given in line 1"},
        {DEFAULTS("{seed: 1, seed: 2}"), 3, 13, "key 'seed' is already given in line 3"},
        {HEAD "[a]: 1\n", 2, 1, "a key must be plain text"},
        {HEAD "x-a: *b\n", 2, 6, "alias '*b' has no anchor '&b'"},
        {HEAD "x-a: &b [*b]\n", 2, 10, "alias '*b' lies within its own anchor"},
        {HEAD "x-a: &b {<<: *b}\n", 2, 14, "alias '*b' lies within its own anchor"},
        {HEAD "x-a: &b 1\nx-c: &b 2\n", 3, 6, "anchor '&b' is already defined in line 2"},
        {HEAD "x-a: {<<: 5}\n", 2, 11, "a merge key '<<' takes a mapping"},
        {HEAD "x-a: {<<: [{}, 5]}\n", 2, 16, "a merge key '<<' takes a mapping"},
        {HEAD "x-a: {<<: {}, <<: {}}\n", 2, 15, "give it a list"},
        {HEAD "x-a: !include b\n", 2, 6, "the tag '!include' is not supported"},
        {HEAD "x-a: \"a\\0b\"\n", 2, 6, "NUL"},
        {WORKLOAD("budget: {time: >= 5ms}"), 5, 18, "needs quotes"},
        {WORKLOAD("budget:\n    time: >= 5ms"), 6, 12, "needs quotes"},
    };
    CHECK(mistakes);
}

static void mistakes_at_the_top(void **state)
{
    static const struct mistake mistakes[] = {
        {TAIL, 1, 1, "the suite needs the key 'version'"},
        {"version: 2\n" TAIL, 1, 10, "'version' is '2', but this kgate reads only version 1"},
        {"version: [1]\n" TAIL, 1, 10, "'version' must be plain text, but is a list"},
        {HEAD "suite: a\n", 1, 1, "the suite needs the key 'workloads'"},
        {HEAD "workload: a\n", 2, 1,
         "unknown key 'workload' in the suite; did you mean 'workloads'?"},
        {HEAD "zzzzzz: 1\n", 2, 1,
         "known keys: version, suite, history, reports, policy, defaults, suggest, workloads"},
        {HEAD "\"a\\e[2Jb\": 1\n", 2, 1, "unknown key 'a\\x1B[2Jb'"},
        {HEAD "suite: \"\"\n" TAIL, 2, 8, "must not be empty"},
        {HEAD "suite: \"a\\tb\"\n" TAIL, 2, 8, "control characters"},
        {HEAD "workloads: []\n", 2, 12, "at least one workload"},
        {HEAD "workloads: {a: 1}\n", 2, 12, "'workloads' must be a list, but is a mapping"},
        {HEAD "workloads:\n", 2, 11, "'workloads' must be a list, but is empty"},
        {HEAD "policy: {fail_on: [REGRESSION, FALED]}\n" TAIL, 2, 32,
         "'fail_on' cannot be 'FALED'; did you mean 'FAILED'?"},
        {HEAD "policy: {fail_on: NEW}\n" TAIL, 2, 19, "must be a list; write [NEW]"},
        {HEAD "policy: {missing_device: warn}\n" TAIL, 2, 26, "it may be: skip, fail"},
        {HEAD "policy: {failon: []}\n" TAIL, 2, 10, "did you mean 'fail_on'?"},
        {HEAD "suggest: 5\n" TAIL, 2, 10, "'suggest' must be a mapping, but is plain text"},
        {HEAD "suggest: {min_gian: 5%}\n" TAIL, 2, 11,
         "unknown key 'min_gian' in suggest; did you mean 'min_gain'?"},
        {HEAD "suggest: {threshold: 5%}\n" TAIL, 2, 11, "known keys: small_call, large_call"},
        {HEAD "suggest:\n  small_call: 2\n" TAIL, 3, 15, "write 2ms"},
        {HEAD "suggest:\n  min_gain: 0%\n" TAIL, 3, 13, "must be from 0.1% to 99%"},
        {HEAD "suggest:\n  utilization: 101%\n" TAIL, 3, 16, "must be from 1% to 100%"},
        {HEAD "suggest:\n  batch_calls: 1\n" TAIL, 3, 16, "must be from 2 to 1000000000"},
        {HEAD "suggest:\n  memory: 100\n" TAIL, 3, 11, "write 100MB"},
    };
    CHECK(mistakes);
}

static void mistakes_in_defaults(void **state)
{
    static const struct mistake mistakes[] = {
        {DEFAULTS("treshold: 5%"), 3, 3,
         "unknown key 'treshold' in defaults; did you mean 'threshold'?"},
        {DEFAULTS("threshold: 5"), 3, 14, "write 5%"},
        {DEFAULTS("threshold: 0.05"), 3, 14, "write 5%"},
        {DEFAULTS("threshold: 0%"), 3, 14, "must be from 0.01% to 1000%"},
        {DEFAULTS("threshold:"), 3, 13, "'threshold' is '', but must be a share"},
        {DEFAULTS("threshold: {a: 1}"), 3, 14, "must be plain text, but is a mapping"},
        {DEFAULTS("alpha: 1"), 3, 10, "more than 0 and less than 1"},
        {DEFAULTS("alpha: 0%"), 3, 10, "more than 0 and less than 1"},
        {DEFAULTS("min_time: 50"), 3, 13, "write 50ms"},
        {DEFAULTS("min_time: 50 msec"), 3, 13, "a time with its unit (ns, us, ms, s, min, h)"},
        {DEFAULTS("min_time: -5ms"), 3, 13, "must be a time"},
        {DEFAULTS("iterations: -1"), 3, 15, "must be a whole number"},
        {DEFAULTS("iterations: 5\n  min_time: 1ms"), 3, 3,
         "'iterations' and 'min_time' both set the length of a round"},
        {DEFAULTS("timeout: 60"), 3, 12, "write 60s"},
        {DEFAULTS("timeout: 25h"), 3, 12, "must be from 1ms to 24h"},
        {DEFAULTS("min_memory_effect: 1"), 3, 22, "write 1MiB"},
        {DEFAULTS("memory_limit: 100"), 3, 17, "write 100MiB"},
        {DEFAULTS("memory_limit: 0B"), 3, 17, "from 1MiB to 1024TiB, or none"},
        {DEFAULTS("rounds: 5"), 3, 11, "{min: 5, max: 30}"},
        {DEFAULTS("rounds: {mn: 5}"), 3, 12, "unknown key 'mn' in rounds; did you mean 'min'?"},
        {DEFAULTS("rounds: {min: 0}"), 3, 17, "'rounds.min' is '0', but must be from 1"},
        {DEFAULTS("rounds: {min: 31}"), 3, 3, "rounds.min is 31, but rounds.max only 30"},
        {DEFAULTS("rounds.min: 3"), 3, 3, "unknown key 'rounds.min' in defaults"},
        {DEFAULTS("devices: cuda"), 3, 12, "must be a list; write [cuda]"},
        {DEFAULTS("devices: []"), 3, 12, "needs at least one"},
        {DEFAULTS("devices: [gpu]"), 3, 13, "it may be: cpu, cuda"},
        {DEFAULTS("devices: [[cpu]]"), 3, 13, "must be a list of words"},
        {DEFAULTS("pin: -1"), 3, 8, "a CPU number, auto or none"},
        {DEFAULTS("pin: 4096"), 3, 8, "from 0 to 1023"},
        {DEFAULTS("threads: 0"), 3, 12, "from 1 to 65536, or all"},
        {DEFAULTS("seed: 1.5"), 3, 9, "a whole number"},
        {DEFAULTS("seed: 18446744073709551616"), 3, 9, "a whole number"},
    };
    CHECK(mistakes);
}

static void mistakes_in_a_workload(void **state)
{
    static const struct mistake mistakes[] = {
        {HEAD "workloads: [5]\n", 2, 13, "a workload must be a mapping"},
        {HEAD "workloads: [{kernel: a}]\n", 2, 13, "needs the key 'name'"},
        {HEAD "workloads: [{name: a/b, kernel: a}]\n", 2, 20, "letters, digits"},
        {HEAD "workloads: [{name: a}]\n", 2, 20,
         "workload 'a' needs one of the keys kernel, plugin, source, command"},
        {HEAD "workloads:\n- {name: a, kernel: a}\n- {name: a, kernel: b}\n", 4, 10,
         "the name 'a' is already taken in line 3"},
        {WORKLOAD("plugin: b.so"), 5, 3, "has 'plugin' here and 'kernel' in line 4"},
        {WORKLOAD("workload: b"), 5, 3, "names a workload in a plugin"},
        {WORKLOAD("alpha: 1%"), 5, 3, "'alpha' stands for the whole suite"},
        {WORKLOAD("matrx: {}"), 5, 3,
         "unknown key 'matrx' in workload 'a'; did you mean 'matrix'?"},
        {WORKLOAD("treshold: 1%"), 5, 3, "did you mean 'threshold'?"},
        {WORKLOAD("rounds: {max: 4}"), 5, 3, "rounds.min is 5, but rounds.max only 4"},
        {WORKLOAD("tags: [a b]"), 5, 10, "tag 'a b' must be"},
        {HEAD "workloads: [{name: a, command: ./x -n 5}]\n", 2, 32, "write [./x -n 5]"},
        {HEAD "workloads: [{name: a, command: []}]\n", 2, 32, "at least one word"},
        {HEAD "workloads: [{name: a, command: ['', a]}]\n", 2, 33, "names no program"},
        {HEAD "workloads: [{name: a, kernel: 'a b'}]\n", 2, 31, "kernel 'a b' must be"},
        {HEAD "workloads: [{name: a, plugin: ''}]\n", 2, 31, "'plugin' must not be empty"},
        {WORKLOAD("budget: {tme: 5}"), 5, 12,
         "unknown metric 'tme' in budget; did you mean 'time'?"},
        {WORKLOAD("budget: {time: 5ms}"), 5, 18, "must be >= or <= and a limit above 0"},
        {WORKLOAD("budget: {time: <= 5}"), 5, 18,
         "budget 'time': '<= 5' has no unit; write for example \"<= 5ms\""},
        {WORKLOAD("budget: {peak_memory: <= 5ms}"), 5, 25, "such as \"<= 64MiB\""},
        {WORKLOAD("budget: {items_per_second: '>= -1'}"), 5, 30, "a limit above 0"},
        {WORKLOAD("budget: {time: {}}"), 5, 18, "such as \"<= 5ms\", or a list of two"},
        {WORKLOAD("budget: {time: [[]]}"), 5, 19, "such as \"<= 5ms\", or a list of two"},
        {WORKLOAD("budget: {time: []}"), 5, 18, "'time' has 0 limits; give one or two"},
        {WORKLOAD("budget: {time: ['>= 1s', '<= 2s', '<= 3s']}"), 5, 18, "has 3 limits"},
        {WORKLOAD("budget: {time: ['>= 1s', 2s]}"), 5, 28, "budget 'time' is '2s'"},
        {WORKLOAD("budget: {time: ['<= 1s', '<= 2s']}"), 5, 18, "'time' has '<=' twice"},
        {WORKLOAD("budget: {time: ['<= 1s', '>= 2s']}"), 5, 18, "so no value meets both"},
        {WORKLOAD("budget: {speedup_over_cpu: 30}"), 5, 30, "such as \">= 30\""},
        {WORKLOAD("budget: {speedup_over_cpu: '>= 30'}\n  devices: [cuda]"), 5, 12,
         "`devices` of this workload is only cuda; write devices: [cpu, cuda]"},
        {WORKLOAD("budget: {speedup_over_gpu: '>= 30'}"), 5, 12,
         "did you mean 'speedup_over_cpu'?"},
        {WORKLOAD("budget: {hits: '>= 4'}"), 5, 12,
         "unknown metric 'hits' in budget; known metrics, with those under the workload's "
         "'counters': time,"},
        {WORKLOAD("budget: {hit: '>= 4'}\n  counters: {hits: {better: lower, threshold: 1%}}"), 5,
         12, "unknown metric 'hit' in budget; did you mean 'hits'?"},
        {WORKLOAD("counters: {hits: {better: lower, threshold: 1%}}\n  budget: {hits: '>= 1ms'}"),
         6, 18, "budget 'hits' is '>= 1ms'"},
        {WORKLOAD("counters: {instructions: {better: lower, threshold: 1%}}"), 5, 14,
         "'instructions' is kgate's own metric"},
        {WORKLOAD("counters: {speedup_over_cpu: {better: higher, threshold: 1%}}"), 5, 14,
         "'speedup_over_cpu' is kgate's own metric"},
    };
    CHECK(mistakes);
}

static void mistakes_in_parameters(void **state)
{
    static const struct mistake mistakes[] = {
        {WORKLOAD("params: [a]"), 5, 11, "'params' must be a mapping, but is a list"},
        {WORKLOAD("params:"), 5, 10, "'params' must be a mapping, but is empty"},
        {WORKLOAD("params: {n: [1, 2]}"), 5, 15, "put it under 'matrix'"},
        {WORKLOAD("params: {n: ''}"), 5, 15, "value of parameter 'n' must not be empty"},
        {WORKLOAD("params: {n: 'a,b'}"), 5, 15, "must not contain ','"},
        {WORKLOAD("params: {n: a=b}"), 5, 15, "must not contain '='"},
        {WORKLOAD("params: {n: \"a\\nb\"}"), 5, 15, "control characters"},
        {WORKLOAD("params: {n: \"a\\Nb\"}"), 5, 15, "control characters"},
        {WORKLOAD("params: {'a b': 1}"), 5, 12, "parameter 'a b' must be"},
        {WORKLOAD("params: {n: 1}\n  matrix: {n: [1, 2]}"), 6, 12,
         "parameter 'n' is in matrix here and in params in line 5"},
        {WORKLOAD("matrix: {n: [1, 2]}\n  params: {n: 1}"), 6, 12,
         "parameter 'n' is in params here and in matrix in line 5"},
        {WORKLOAD("matrix: {n: 5}"), 5, 15, "write [5], or put it under 'params'"},
        {WORKLOAD("matrix: {n: []}"), 5, 15, "at least one value"},
        {WORKLOAD("matrix: {n: [1, 2, 1]}"), 5, 22, "has the value '1' twice"},
        {WORKLOAD("matrix: {n: [{a: 1}]}"), 5, 16, "must be plain text or a number"},
        {WORKLOAD("matrix: {n: {}}"), 5, 15, "takes a list, {pow2: [a, b]}"},
        {WORKLOAD("matrix: {n: {pow: [1, 2]}}"), 5, 16, "did you mean 'pow2'?"},
        {WORKLOAD("matrix: {n: {pow2: 5}}"), 5, 22, "must be a list of 2 numbers"},
        {WORKLOAD("matrix: {n: {pow2: [5, 4]}}"), 5, 22, "needs 0 <= a <= b <= 62"},
        {WORKLOAD("matrix: {n: {pow2: [0, 63]}}"), 5, 22, "needs 0 <= a <= b <= 62"},
        {WORKLOAD("matrix: {n: {range: [1, 2]}}"), 5, 23, "must be a list of 3 numbers"},
        {WORKLOAD("matrix: {n: {range: [1, 2, 0]}}"), 5, 23, "has no end in steps of 0"},
        {WORKLOAD("matrix: {n: {range: [1, 5, -1]}}"), 5, 23, "has no end in steps of -1"},
        {WORKLOAD("matrix: {n: {range: [1, 5k, 1]}}"), 5, 27, "whole numbers of 64 bits, not '5k'"},
        {WORKLOAD("matrix: {n: {range: [0, 9223372036854775808, 1]}}"), 5, 27, "64 bits"},
        {WORKLOAD("matrix: {n: {range: [1, 1000001, 1]}}"), 5, 15, "more than 1000000 values"},
    };
    CHECK(mistakes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_yaml),       cmocka_unit_test(mistakes_at_the_top),
        cmocka_unit_test(mistakes_in_defaults),   cmocka_unit_test(mistakes_in_a_workload),
        cmocka_unit_test(mistakes_in_parameters),
    };
    return cmocka_run_group_tests_name("suite errors", tests, NULL, NULL);
}
