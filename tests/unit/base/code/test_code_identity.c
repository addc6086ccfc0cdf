#include "test_support.h"

#include "base/code/code_identity.h"
#include "suite/sources/kernel_file.h"

/* The compiler builds all files: no answer of the dynamic loader is simulated. */

static char *folder;

static int folder_make(void **state)
{
    folder = support_folder();
    return 0;
}

static int folder_remove(void **state)
{
    support_remove(folder);
    return 0;
}

/* Runs a command in the folder. */
static void shell(const char *command)
{
    char line[2048];
    snprintf(line, sizeof line, "cd '%s' && { %s; } >log 2>&1 || { cat log; false; }", folder,
             command);
    if (system(line) != 0)
        fail_msg("%s", command);
}

static const char *in_folder(const char *name)
{
    static char path[8][128];
    static size_t next;
    char *made = path[next++ % 8];
    snprintf(made, sizeof path[0], "%s/%s", folder, name);
    return made;
}

static struct kg_code_owner plugin_owner(void)
{
    return (struct kg_code_owner){.file = in_folder("plugin.so")};
}

static struct kg_code_identity identity(struct kg_arena *arena, struct kg_code_owner owner)
{
    struct kg_code_memory *memory = kg_code_memory_make(arena);
    assert_non_null(memory);
    return kg_code_identify(memory, arena, owner);
}

/* Index of the library with this name; fails if there is none. */
static size_t library(const struct kg_code_identity *code, const char *name)
{
    size_t i = 0;
    while (i < code->library_count && (kg_code_library_name(code->libraries[i]) != strlen(name) ||
                                       strncmp(code->libraries[i], name, strlen(name)) != 0))
        i++;
    if (i == code->library_count)
        fail_msg("%s is not among the %zu libraries", name, i);
    return i;
}

static void deep_make(const char *constant)
{
    char command[256];
    snprintf(command, sizeof command,
             "mkdir -p libraries && echo 'int deep(int x) { return x * %s; }' >deep.c && cc -O2 "
             "-shared -fPIC -Wl,-soname,libdeep.so.1 deep.c -o libraries/libdeep.so.1",
             constant);
    shell(command);
}

/* plugin.so needs libmiddle.so, and libmiddle.so needs libdeep.so.1. The loader finds both by
 * RUNPATH. */
static void plugin_make(void)
{
    deep_make("3");
    shell("echo 'int deep(int); int middle(int x) { return deep(x) + 1; }' >middle.c && cc -O2 "
          "-shared -fPIC -Wl,-soname,libmiddle.so middle.c -o libraries/libmiddle.so "
          "libraries/libdeep.so.1 "
          "-Wl,-rpath,'$ORIGIN'");
    shell("echo 'int middle(int); int call(int x) { return middle(x); }' >plugin.c && cc -O2 "
          "-shared -fPIC plugin.c -o plugin.so libraries/libmiddle.so "
          "-Wl,-rpath,'$ORIGIN/libraries'");
}

static void libraries_of_libraries_are_found_and_sorted(void **state)
{
    struct kg_arena arena = {0};
    plugin_make();
    const struct kg_code_identity code = identity(&arena, plugin_owner());
    assert_non_null(code.hash);
    assert_int_equal(code.scope, KG_CODE_WITH_LIBRARIES);
    library(&code, "libmiddle.so");
    library(&code, "libdeep.so.1");
    for (size_t i = 1; i < code.library_count; i++)
        assert_true(strcmp(code.libraries[i - 1], code.libraries[i]) < 0);
    kg_arena_free(&arena);
}

static void a_changed_library_is_distinguished_from_changed_code(void **state)
{
    struct kg_arena arena = {0};
    plugin_make();
    const struct kg_code_identity before = identity(&arena, plugin_owner());
    const struct kg_code_identity same = identity(&arena, plugin_owner());
    assert_int_equal(kg_code_match(&before, &same), KG_CODE_SAME);
    deep_make("5");
    const struct kg_code_identity after = identity(&arena, plugin_owner());
    assert_string_equal(before.hash, after.hash);
    assert_int_equal(kg_code_match(&before, &after), KG_CODE_OTHER_LIBRARIES);
    assert_string_equal(before.libraries[library(&before, "libmiddle.so")],
                        after.libraries[library(&after, "libmiddle.so")]);
    assert_string_not_equal(before.libraries[library(&before, "libdeep.so.1")],
                            after.libraries[library(&after, "libdeep.so.1")]);
    shell("echo 'int middle(int); int call(int x) { return middle(x) + 2; }' >plugin.c && cc -O2 "
          "-shared -fPIC plugin.c -o plugin.so libraries/libmiddle.so "
          "-Wl,-rpath,'$ORIGIN/libraries'");
    const struct kg_code_identity other = identity(&arena, plugin_owner());
    assert_int_equal(kg_code_match(&after, &other), KG_CODE_OTHER);
    kg_arena_free(&arena);
}

static void the_environment_decides_as_it_does_for_the_loader(void **state)
{
    struct kg_arena arena = {0};
    const char *was = getenv("LD_LIBRARY_PATH");
    char *kept = was ? strdup(was) : NULL;
    plugin_make();
    const struct kg_code_identity before = identity(&arena, plugin_owner());
    shell("mkdir -p other && echo 'int deep(int x) { return x * 9; }' >deep.c && cc -O2 -shared "
          "-fPIC -Wl,-soname,libdeep.so.1 deep.c -o other/libdeep.so.1");
    setenv("LD_LIBRARY_PATH", in_folder("other"), 1);
    const struct kg_code_identity after = identity(&arena, plugin_owner());
    if (kept)
        setenv("LD_LIBRARY_PATH", kept, 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    free(kept);
    assert_int_equal(kg_code_match(&before, &after), KG_CODE_OTHER_LIBRARIES);
    kg_arena_free(&arena);
}

static void without_one_of_its_libraries_they_are_not_known(void **state)
{
    struct kg_arena arena = {0};
    plugin_make();
    const struct kg_code_identity before = identity(&arena, plugin_owner());
    shell("rm libraries/libdeep.so.1");
    const struct kg_code_identity after = identity(&arena, plugin_owner());
    assert_int_equal(after.scope, KG_CODE_FILE_ALONE);
    assert_int_equal(after.library_count, 0);
    assert_int_equal(kg_code_match(&before, &after), KG_CODE_SAME_FILE);
    kg_arena_free(&arena);
}

/* The loader looks for them from the folder on in which the process runs. */
static void libraries_by_a_relative_path_are_not_known(void **state)
{
    static const struct {
        const char *make, *variable, *value;
    } rows[] = {
        {"cc -O2 m.c plug/libw.so -o plug/app", NULL, NULL},
        {"cc -O2 m.c -Lplug -lw -Wl,-rpath,plug -o plug/app", NULL, NULL},
        {"cc -O2 m.c -Lplug -lw -o plug/app", "LD_LIBRARY_PATH", "plug"},
        {"cc -O2 m.c -Lplug -lw -o plug/app && cp plug/libw.so .", "LD_LIBRARY_PATH", ":"},
        {"cc -O2 -Dwork=abs m.c -o plug/app", "LD_PRELOAD", "plug/libw.so"},
        {"cp /lib64/ld-linux-x86-64.so.2 plug/ld.so; cc -O2 -Dwork=abs m.c "
         "-Wl,--dynamic-linker=plug/ld.so -o plug/app",
         NULL, NULL},
    };
    struct kg_arena arena = {0};
    shell("mkdir -p plug && echo 'int work(int x) { return x + 1; }' >w.c && cc -O2 -shared -fPIC "
          "w.c -o plug/libw.so && echo 'int work(int); int main(int n, char **w) { return "
          "(w != 0) - work(n - 1); }' >m.c");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shell(rows[i].make);
        if (rows[i].variable)
            setenv(rows[i].variable, rows[i].value, 1);
        const struct kg_code_identity code = identity(
            &arena, (struct kg_code_owner){
                        .file = in_folder("plug/app"), .directory = folder, .program = true});
        if (rows[i].variable)
            unsetenv(rows[i].variable);
        assert_non_null(code.hash);
        if (code.scope != KG_CODE_FILE_ALONE)
            fail_msg("%s: scope %d", rows[i].make, (int)code.scope);
    }
    kg_arena_free(&arena);
}

/* A program whose main is the body. */
static struct kg_code_identity program(struct kg_arena *arena, const char *body,
                                       const char *options)
{
    char command[512];
    snprintf(command, sizeof command,
             "echo '#include <dlfcn.h>\n#include <unistd.h>\n#include <math.h>\n"
             "int main(int n, char **w) { %s }' >program.c && cc -O2 program.c -o program %s",
             body, options);
    shell(command);
    return identity(arena, (struct kg_code_owner){.file = in_folder("program"), .program = true});
}

static void code_that_can_load_or_start_more_is_open_ended(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_code_identity plain = program(&arena, "(void)w; return n - 1;", "");
    assert_int_equal(plain.scope, KG_CODE_WITH_LIBRARIES);
    assert_true(plain.library_count > 0);
    const struct kg_code_identity loads =
        program(&arena, "(void)n; return dlopen(w[0], RTLD_NOW) == 0;", "");
    assert_int_equal(loads.scope, KG_CODE_OPEN_ENDED);
    const struct kg_code_identity starts = program(&arena, "return execv(w[n - 1], w);", "");
    assert_int_equal(starts.scope, KG_CODE_OPEN_ENDED);
    const struct kg_code_identity fixed = program(&arena, "(void)w; return n - 1;", "-static");
    assert_non_null(fixed.hash);
    assert_int_equal(fixed.scope, KG_CODE_FILE_ALONE);
    kg_arena_free(&arena);
}

static void auditors_may_load_anything(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_code_identity audited =
        program(&arena, "(void)w; return n - 1;", "-Wl,--audit=libaudit-none.so");
    assert_int_equal(audited.scope, KG_CODE_OPEN_ENDED);
    setenv("LD_AUDIT", "/no/such/auditor.so", 1);
    const struct kg_code_identity called = program(&arena, "(void)w; return n - 1;", "");
    unsetenv("LD_AUDIT");
    assert_int_equal(called.scope, KG_CODE_OPEN_ENDED);
    kg_arena_free(&arena);
}

static void the_folder_of_a_programs_libraries_is_that_of_its_file(void **state)
{
    struct kg_arena arena = {0};
    shell(
        "mkdir -p real link && echo 'int work(int x) { return x; }' >w.c && cc -O2 -shared -fPIC "
        "-Wl,-soname,libw.so.1 w.c -o real/libw.so.1 && cp real/libw.so.1 link/ && echo 'int work("
        "int); int main(int n, char **w) { return (w != 0) - work(n); }' >m.c && cc -O2 m.c "
        "real/libw.so.1 -Wl,-rpath,'$ORIGIN' -o real/app && ln -sf ../real/app link/app");
    const struct kg_code_owner owner = {.file = in_folder("link/app"), .program = true};
    const struct kg_code_identity before = identity(&arena, owner);
    shell("echo 'int work(int x) { return x + 5; }' >w.c && cc -O2 -shared -fPIC "
          "-Wl,-soname,libw.so.1 w.c -o real/libw.so.1");
    const struct kg_code_identity after = identity(&arena, owner);
    assert_int_equal(kg_code_match(&before, &after), KG_CODE_OTHER_LIBRARIES);
    kg_arena_free(&arena);
}

/* The CUDA runtime opens the driver so, in every program that uses it. */
static void on_the_gpu_dlopen_is_the_runtimes_own(void **state)
{
    struct kg_arena arena = {0};
    shell("echo '#include <dlfcn.h>\nint call(void) { return dlopen(\"x\", 1) == 0; }' >opens.c "
          "&& cc -O2 -shared -fPIC opens.c -o plugin.so");
    struct kg_code_owner owner = plugin_owner();
    assert_int_equal(identity(&arena, owner).scope, KG_CODE_OPEN_ENDED);
    owner.device = KGATE_DEVICE_CUDA;
    assert_int_equal(identity(&arena, owner).scope, KG_CODE_WITH_LIBRARIES);
    kg_arena_free(&arena);
}

static void a_script_and_what_is_not_there_have_no_code(void **state)
{
    struct kg_arena arena = {0};
    shell("echo '#!/bin/sh' >script && chmod +x script && mkfifo pipe");
    static const char *const names[] = {"script", "nowhere", "pipe", "."};
    for (size_t i = 0; i < 4; i++) {
        const struct kg_code_identity code =
            identity(&arena, (struct kg_code_owner){.file = in_folder(names[i]), .program = true});
        assert_null(code.hash);
        assert_int_equal(kg_code_match(&code, &code), KG_CODE_UNKNOWN);
    }
    kg_arena_free(&arena);
}

/* In a build with CUDA it has the runtime, which loads code and opens files. */
static void a_kernel_of_kgates_own_brings_nothing_unknown(void **state)
{
    struct kg_arena arena = {0};
    struct kg_error err;
    char file[4096];
    assert_true(kg_kernel_file(NULL, "softmax", file, &err));
    const struct kg_code_identity code =
        identity(&arena, (struct kg_code_owner){.file = file, .own = true});
    assert_non_null(code.hash);
    assert_int_equal(code.scope, KG_CODE_WITH_LIBRARIES);
    library(&code, "libm.so.6");
    kg_arena_free(&arena);
}

static void answers_are_kept_and_not_mixed_up(void **state)
{
    struct kg_arena arena = {0};
    plugin_make();
    struct kg_code_memory *memory = kg_code_memory_make(&arena);
    const struct kg_code_owner plugin = plugin_owner(), kernel = {.file = "/proc/self/exe"};
    const struct kg_code_identity first = kg_code_identify(memory, &arena, plugin);
    const struct kg_code_identity other = kg_code_identify(memory, &arena, kernel);
    deep_make("7"); /* a file is read once */
    const struct kg_code_identity again = kg_code_identify(memory, &arena, plugin);
    assert_ptr_equal(first.libraries, again.libraries);
    assert_ptr_not_equal(first.libraries, other.libraries);
    kg_arena_free(&arena);
}

static const struct kg_code_search HERE = {0};

static void a_command_is_found_as_exec_finds_it(void **state)
{
    const struct kg_code_search there = {.worker = "there"};
    struct kg_arena arena = {0};
    const char *found = kg_code_program(NULL, &arena, "sh", HERE);
    assert_non_null(found);
    assert_int_equal(found[0], '/');
    assert_string_equal(kg_code_program(NULL, &arena, "./a", there), "there/./a");
    assert_string_equal(kg_code_program(NULL, &arena, "/bin/a", there), "/bin/a");
    assert_string_equal(kg_code_program(NULL, &arena, "b/a", HERE), "b/a");
    assert_null(kg_code_program(NULL, &arena, "no-such-program-anywhere", HERE));
    kg_arena_free(&arena);
}

/* A folder of the program's name is passed over. */
static void relative_folders_of_path_begin_where_the_command_runs(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_code_search search = {
        .worker = folder, .directory = "run", .path = "no:side:bin:"};
    struct kg_code_search empty = search;
    shell("mkdir -p bin run/side/app run/bin && cp /bin/true bin/app && cp /bin/true run/bin/app "
          "&& cp /bin/true run/app");
    assert_string_equal(kg_code_program(NULL, &arena, "app", search), in_folder("run/bin/app"));
    empty.path = "";
    assert_string_equal(kg_code_program(NULL, &arena, "app", empty), in_folder("run/./app"));
    empty.path = "side:";
    assert_string_equal(kg_code_program(NULL, &arena, "app", empty), in_folder("run/./app"));
    kg_arena_free(&arena);
}

static void a_program_is_looked_for_once(void **state)
{
    enum { WORDS = 200 }; /* more than are kept */
    struct kg_arena arena = {0};
    struct kg_code_memory *memory = kg_code_memory_make(&arena);
    const char *path = kg_arena_copy(&arena, getenv("PATH"));
    const char *found = kg_code_program(memory, &arena, "sh", HERE);
    assert_non_null(found);
    setenv("PATH", "", 1);
    assert_ptr_equal(kg_code_program(memory, &arena, "sh", HERE), found);
    assert_null(kg_code_program(NULL, &arena, "sh", HERE));
    for (int i = 0; i < WORDS; i++)
        assert_null(kg_code_program(memory, &arena, kg_arena_printf(&arena, "no-%d", i), HERE));
    setenv("PATH", path, 1);
    assert_string_equal(kg_code_program(memory, &arena, "cat", HERE),
                        kg_code_program(NULL, &arena, "cat", HERE));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_of_libraries_are_found_and_sorted),
        cmocka_unit_test(a_changed_library_is_distinguished_from_changed_code),
        cmocka_unit_test(the_environment_decides_as_it_does_for_the_loader),
        cmocka_unit_test(without_one_of_its_libraries_they_are_not_known),
        cmocka_unit_test(code_that_can_load_or_start_more_is_open_ended),
        cmocka_unit_test(libraries_by_a_relative_path_are_not_known),
        cmocka_unit_test(auditors_may_load_anything),
        cmocka_unit_test(the_folder_of_a_programs_libraries_is_that_of_its_file),
        cmocka_unit_test(on_the_gpu_dlopen_is_the_runtimes_own),
        cmocka_unit_test(a_script_and_what_is_not_there_have_no_code),
        cmocka_unit_test(a_kernel_of_kgates_own_brings_nothing_unknown),
        cmocka_unit_test(answers_are_kept_and_not_mixed_up),
        cmocka_unit_test(a_command_is_found_as_exec_finds_it),
        cmocka_unit_test(relative_folders_of_path_begin_where_the_command_runs),
        cmocka_unit_test(a_program_is_looked_for_once),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
