#include "why/rules/rule_parts.h"

#define PROCESSES_ONCE                                                                             \
    "Start processes once and hand them work, or call a library instead of a program; in a "       \
    "script, use the shell's own commands, or one command for all (`xargs`).",                     \
        "for (...) { if (!(p = fork())) execv(program, arguments[i]); waitpid(p, NULL, 0); }",     \
        "for (...) job_put(queue, i); /* to processes that were started once */"

/* Causes in the kernel or in other threads. causes.c weighs them. */
static const struct kg_rule rules[] = {
    {
        .name = "small_io",
        .cause = KG_CAUSE_SMALL_IO,
        .bound = KG_BOUND_SYSTEM,
        .needs = 0.1,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to many small requests to the kernel.",
        .hint = "Read and write in blocks (stdio's buffer, `readv`, 64 KiB at a time), map the "
                "file, and ask once for values that do not change.",
        .before = "while (read(fd, &c, 1) == 1) ...",
        .after = "while ((n = read(fd, buffer, sizeof buffer)) > 0) ...",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_CALL, "read|readv|pread64|preadv|preadv2", NULL, NULL, NULL},
                {KG_BY_CALL, "write|writev|pwrite64|pwritev|pwritev2",
                 "Collect the output in a buffer (stdio's, or one of 64 KiB), or pass several "
                 "pieces at once (`writev`).",
                 "for (...) write(fd, line[i], n[i]);",
                 "for (...) fwrite(line[i], 1, n[i], file); /* a write for each full buffer */"},
                {KG_BY_CALL, "open|openat|openat2|creat|close|dup|dup2|dup3",
                 "Keep the file open, or open it once for all accesses.",
                 "for (...) { fd = open(path, O_RDONLY); pread(fd, p, n, at[i]); close(fd); }",
                 "fd = open(path, O_RDONLY); for (...) pread(fd, p, n, at[i]); close(fd);"},
                {KG_BY_CALL,
                 "stat|fstat|lstat|newfstatat|statx|access|faccessat|faccessat2|readlink|"
                 "readlinkat|getcwd",
                 "Ask once and keep the answer. Open a file without asking first whether it "
                 "exists.",
                 "for (...) { stat(path, &s); if (s.st_mtime > loaded) load(path); use(); }",
                 "stat(path, &s); if (s.st_mtime > loaded) load(path); for (...) use();"},
                {KG_BY_CALL, "lseek|_llseek",
                 "`pread` needs no position. A file with scattered accesses may be mapped.",
                 "lseek(fd, at, SEEK_SET); read(fd, p, n);", "pread(fd, p, n, at);"},
                {KG_BY_CALL, "getdents64|getdents", "List a directory once and keep its names.",
                 "for (...) { dir = opendir(path); while ((e = readdir(dir))) ...; closedir(dir); "
                 "}",
                 "names = names_read(path); for (...) name_find(names, name[i]);"},
                {KG_BY_CALL, "sendto|sendmsg|sendmmsg",
                 "Put the parts of a message into one buffer, and several messages into one call "
                 "(`sendmmsg`).",
                 "for (...) send(s, part[i], n[i], 0);",
                 "for (...) part_append(&out, part[i], n[i]); send(s, out.bytes, out.length, 0);"},
                {KG_BY_CALL, "recvfrom|recvmsg|recvmmsg",
                 "Receive into a large buffer and split it up in memory; receive several datagrams "
                 "at once (`recvmmsg`).",
                 "while (recv(s, &c, 1, 0) == 1) ...;",
                 "while ((n = recv(s, buffer, sizeof buffer, 0)) > 0) ...;"},
                {KG_BY_CALL,
                 "socket|socketpair|connect|bind|shutdown|setsockopt|getsockopt|accept|accept4",
                 "Keep a connection open for several requests.",
                 "for (...) { s = connection_open(host); request(s, i); close(s); }",
                 "s = connection_open(host); for (...) request(s, i); close(s);"},
                {KG_BY_CALL, "clock_gettime|gettimeofday|time|times|getrusage|clock_getres",
                 "Read the clock once for a group of events; clocks of CPU time always enter the "
                 "kernel.",
                 "for (...) { clock_gettime(clock, &t); event_add(&t, i); }",
                 "clock_gettime(clock, &t); for (...) event_add(&t, i);"},
                {KG_BY_CALL,
                 "getpid|gettid|getppid|getuid|geteuid|getgid|getegid|uname|sysinfo|getcpu|sched_"
                 "getaffinity",
                 "Ask once and keep the answer: it does not change between iterations.",
                 "for (...) line_write(file, {call}(...), i);",
                 "mine = {call}(...); for (...) line_write(file, mine, i);"},
                {KG_BY_CALL, "getrandom",
                 "Ask for many random bytes at once, or for the seed of a generator of your own.",
                 "for (...) getrandom(&x, sizeof x, 0);",
                 "getrandom(pool, sizeof pool, 0); for (...) x = pool[i];"},
                {KG_BY_CALL, "rt_sigprocmask|rt_sigaction|sigaltstack",
                 "Set handlers and masks once, outside of the loop; `sigsetjmp(env, 0)` asks for "
                 "no mask.",
                 "for (...) if (!sigsetjmp(env, 1)) ...;",
                 "for (...) if (!sigsetjmp(env, 0)) ...;"},
                {KG_BY_CALL,
                 "unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|rmdir|ftruncate",
                 "Reuse a file instead of creating a new one, or keep short-lived data in memory.",
                 "for (...) { file = fopen(name, \"w\"); fill(file); fclose(file); unlink(name); }",
                 "for (...) { file = open_memstream(&p, &n); fill(file); fclose(file); free(p); }"},
                {KG_BY_CALL, NULL,
                 "Call {call} less often: ask once for values that do not change, and for more "
                 "data at a time.",
                 "for (...) { {call}(...); use(i); }", "{call}(...); for (...) use(i);"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: system calls of under 4 KiB each, four per call",
        .assumes = "a tenth of the cost is left",
    },
    {
        .name = "sync_io",
        .cause = KG_CAUSE_SYNC_IO,
        .bound = KG_BOUND_SYSTEM,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to waiting until files are on the disk.",
        .hint = "Write a group of records, then one `fdatasync`. Do not sync data that may be lost "
                "in a power cut.",
        .before = "for (...) { write(fd, record, n); fsync(fd); }",
        .after = "for (...) write(fd, record, n); fdatasync(fd);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_CALL, "msync",
                 "Change a group of records, then call `msync` once for their pages.",
                 "for (...) { memcpy(map + at[i], record, n); msync(map, length, MS_SYNC); }",
                 "for (...) memcpy(map + at[i], record, n); msync(map, length, MS_SYNC);"},
                {KG_BY_CALL, "sync|syncfs",
                 "`{call}` waits for the files of every program: sync only this file, once per "
                 "group of records.",
                 "for (...) { write(fd, record, n); {call}(...); }",
                 "for (...) write(fd, record, n); fdatasync(fd);"},
                {0}},
        .evidence = {"time_ns", "cpu_ns"},
        .when = "stacks: fsync and similar calls",
        .assumes = "none",
    },
    {
        .name = "processes",
        .cause = KG_CAUSE_PROCESSES,
        .bound = KG_BOUND_SYSTEM,
        .needs = 0.1,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to starting and joining threads or processes.",
        .hint = "Start them once and hand them work (a pool, a queue); call a library instead of a "
                "program.",
        .before = "for (...) { pthread_create(&t, ...); pthread_join(t, NULL); }",
        .after = "pool_submit(pool, job); pool_wait(pool);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "pthread_create|pthread_join|pthread_clockjoin|pthread_timedjoin",
                 "Start threads once and hand them work (a pool, a queue).",
                 "for (...) { pthread_create(&t, NULL, work, &job[i]); pthread_join(t, NULL); }",
                 "for (...) pool_submit(pool, &job[i]); pool_wait(pool);"},
                {KG_BY_FUNCTION, "system|popen|spawn|posix_spawn",
                 "Call a library instead of a program, or start one program for all of the work.",
                 "for (...) { sprintf(line, \"gzip %s\", name[i]); system(line); }",
                 "for (...) file_compress(name[i]); /* by zlib, in this process */"},
                {KG_BY_FUNCTION, "fork|Fork|vfork", PROCESSES_ONCE},
                {KG_BY_CALL, "fork|vfork|execve|execveat|wait4|waitid|exit|exit_group",
                 PROCESSES_ONCE},
                {0}},
        .evidence = {"time_ns", "cpu_ns"},
        .when = "stacks: clone, fork, exec, waits for their end",
        .assumes = "a tenth of the cost is left",
    },
    {
        .name = "linking",
        .cause = KG_CAUSE_LINKING,
        .bound = KG_BOUND_SYSTEM,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "This time goes to finding, mapping and linking shared libraries.",
        .hint = "Start the program less often, link fewer libraries, or link statically. Load "
                "rarely needed libraries on demand (`dlopen`).",
        .before = "cc main.o -lone -ltwo -lthree ...",
        .after = "cc -static main.o -lone -ltwo -lthree ... /* or -Wl,--as-needed */",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "dlopen|dl_open|dlsym",
                 "Keep the results of `dlopen` and "
                 "`dlsym`.",
                 "for (...) { handle = dlopen(name, RTLD_NOW); ...; dlclose(handle); }",
                 "handle = dlopen(name, RTLD_NOW); for (...) ...;"},
                {KG_BY_FUNCTION,
                 "dl_relocate|dl_lookup|do_lookup|check_match|dl_name_match|dl_fixup|dl_runtime|"
                 "strcmp",
                 "The linker looks up symbols by name at each start. Hide internal symbols, bind a "
                 "library's calls within it (-Bsymbolic), bind at the first call (-Wl,-z,lazy), or "
                 "link statically.",
                 "cc -shared -fPIC one.c -o libone.so",
                 "cc -shared -fPIC -fvisibility=hidden -Wl,-Bsymbolic one.c -o libone.so"},
                {KG_BY_FUNCTION,
                 "dl_map|dl_load|dl_cache|dl_init_paths|open|mmap|read|fstatat|fstat|mprotect|"
                 "munmap",
                 "The linker finds, opens and maps each library at each start: join small "
                 "libraries into one, keep RPATH and LD_LIBRARY_PATH short, or link statically.",
                 "cc main.o -lone -ltwo -lthree ...", "cc main.o one.a two.a three.a ..."},
                {KG_BY_FUNCTION, "call_init|dl_init",
                 "Constructors of libraries run at each start: compute tables when the program is "
                 "built, or at their first use.",
                 "__attribute__((constructor)) static void start(void) { table_make(table); }",
                 "const double *table_get(void) { if (!made) made = table_make(table); return "
                 "table; }"},
                {0}},
        .evidence = {"time_ns", "page_faults"},
        .when = "stacks: the dynamic linker, except its work at the start of a program",
        .assumes = "none",
    },
    {
        .name = "waiting",
        .cause = KG_CAUSE_WAITING,
        .bound = KG_BOUND_WAITING,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "It is off the CPU and waits.",
        .hint = "Wait for the event instead of sleeping and polling, ask for several things at "
                "once, or compute meanwhile.",
        .before = "while (!done) usleep(1000);",
        .after = "pthread_cond_wait(&changed, &lock); /* or poll() on the descriptor */",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_CALL, "nanosleep|clock_nanosleep|pause|sched_yield", NULL, NULL, NULL},
                {KG_BY_CALL,
                 "poll|ppoll|select|pselect6|epoll_wait|epoll_pwait|recvfrom|recvmsg|sendto|"
                 "sendmsg",
                 "Keep several requests in flight instead of waiting for each answer, or compute "
                 "meanwhile.",
                 "for (...) { ask(s, i); answer(s, &a[i]); }",
                 "for (...) ask(s, i); for (...) answer(s, &a[i]);"},
                {KG_BY_CALL, "read|readv|pread64|preadv|preadv2",
                 "Ask for several things at once, read ahead (`posix_fadvise`, a thread that "
                 "reads), or compute meanwhile.",
                 "for (...) { write(to, &ask[i], n); read(from, &answer[i], m); }",
                 "for (...) write(to, &ask[i], n); for (...) read(from, &answer[i], m);"},
                {KG_BY_CALL, "write|writev|pwrite64|pwritev",
                 "It waits until the other end has read the data: make the buffer larger "
                 "(`F_SETPIPE_SZ`, `SO_SNDBUF`), or the other end faster.",
                 "write(pipe, all, n);",
                 "fcntl(pipe, F_SETPIPE_SZ, 1 << 20); write(pipe, all, n);"},
                {KG_BY_CALL, "accept|accept4|connect",
                 "Keep a connection open for several requests.",
                 "for (...) { s = connection_open(host); request(s, i); close(s); }",
                 "s = connection_open(host); for (...) request(s, i); close(s);"},
                {KG_BY_CALL, "flock|fcntl",
                 "Hold the lock on the file for a shorter time: prepare outside of it.",
                 "flock(fd, LOCK_EX); n = prepare(p); write(fd, p, n); flock(fd, LOCK_UN);",
                 "n = prepare(p); flock(fd, LOCK_EX); write(fd, p, n); flock(fd, LOCK_UN);"},
                {0}},
        .evidence = {"time_ns", "cpu_ns"},
        .when = "stacks: sleeps, polls, reads that wait",
        .assumes = "none",
    },
    {
        .name = "locks",
        .cause = KG_CAUSE_LOCKS,
        .bound = KG_BOUND_SYNCHRONISATION,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to taking locks, or to waiting for them.",
        .hint = "Hold a lock for a shorter time or take it once for many elements. Or give each "
                "thread its own data and combine them at the end.",
        .before = "for (...) { lock(m); total += a[i]; unlock(m); }",
        .after = "for (...) mine += a[i]; lock(m); total += mine; unlock(m);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "pthread_rwlock",
                 "Every reader writes to a readers' lock: hold it for many reads, or publish the "
                 "data by an atomic pointer.",
                 "for (...) { pthread_rwlock_rdlock(&l); x = *shared; pthread_rwlock_unlock(&l); "
                 "use(x); }",
                 "pthread_rwlock_rdlock(&l); mine = *shared; pthread_rwlock_unlock(&l); for (...) "
                 "use(mine);"},
                {KG_BY_FUNCTION, "pthread_spin",
                 "A thread that waits for a spinlock keeps a CPU busy: hold it for a few "
                 "instructions, or use a mutex.",
                 "pthread_spin_lock(&l); total += compute(i); pthread_spin_unlock(&l);",
                 "mine = compute(i); pthread_spin_lock(&l); total += mine; "
                 "pthread_spin_unlock(&l);"},
                {KG_BY_FUNCTION, "pthread_cond|sem_|new_sem",
                 "Hand over many elements at a time: each single one wakes a thread.",
                 "for (...) { queue_put(q, item[i]); pthread_cond_signal(&q->filled); }",
                 "queue_put_all(q, item, n); pthread_cond_signal(&q->filled);"},
                {KG_BY_CALL, "sched_yield", "Wait for the event instead of polling and yielding.",
                 "while (!atomic_load(&ready)) sched_yield();",
                 "while (!ready) pthread_cond_wait(&changed, &lock);"},
                {KG_BY_OPENMP, NULL,
                 "Give each thread its own sum and combine the sums at the end (`reduction`), or "
                 "enter the critical section once for many elements.",
                 "#pragma omp parallel for ... { #pragma omp critical ... total += a[i]; }",
                 "#pragma omp parallel for reduction(+ : total) ... total += a[i];"},
                {0}},
        .evidence = {"time_ns", "alone_ns", "threads", "cores_busy"},
        .when = "stacks: mutexes, futex",
        .assumes = "none",
    },
    {
        .name = "atomics",
        .cause = KG_CAUSE_ATOMICS,
        .bound = KG_BOUND_SYNCHRONISATION,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop has instructions that lock a cache line: some 20 cycles each, "
                       "and hundreds if threads share the line.",
        .hint = "Count in a local variable and add once at the end; use relaxed loads and stores "
                "if no read-modify-write is needed.",
        .before = "for (...) atomic_fetch_add(&total, a[i]);",
        .after = "for (...) mine += a[i]; atomic_fetch_add(&total, mine);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_OPENMP, NULL,
                 "Give each thread its own sum and combine the sums at the end (`reduction`).",
                 "#pragma omp parallel for ... { #pragma omp atomic ... total += a[i]; }",
                 "#pragma omp parallel for reduction(+ : total) ... total += a[i];"},
                {0}},
        .evidence = {"time_ns", "alone_ns", "threads", "cores_busy"},
        .when = "the hottest loop has locked instructions",
        .assumes = "none",
    },
    {
        .name = "barriers",
        .cause = KG_CAUSE_BARRIERS,
        .bound = KG_BOUND_SYNCHRONISATION,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to starting parallel regions and to waiting at their ends.",
        .hint = "Put one parallel region around the whole, give each region more work, or let "
                "small cases run on one thread (`if(n > 10000)`).",
        .before = "for (...) { #pragma omp parallel for ... }",
        .after = "#pragma omp parallel { for (...) { #pragma omp for ... } }",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "pthread_barrier",
                 "Give each thread more work between two barriers, or let it wait only for its "
                 "neighbours.",
                 "for (...) { step(part); pthread_barrier_wait(&all); }",
                 "for (...) { steps(part, 8); pthread_barrier_wait(&all); }"},
                {KG_BY_FUNCTION, "GOMP_barrier",
                 "Leave out barriers that no data needs, and give each thread more work between "
                 "two barriers.",
                 "#pragma omp for ... a[i] = f(i); #pragma omp for ... b[i] = g(i);",
                 "#pragma omp for nowait ... a[i] = f(i); #pragma omp for ... b[i] = g(i);"},
                {0}},
        .evidence = {"time_ns", "alone_ns", "threads", "fork_join_ns"},
        .when = "stacks: OpenMP's functions that start and join threads",
        .assumes = "one thread's time, times 1 to 1.5, is divided evenly among threads",
    },
    {
        .name = "oversubscription",
        .cause = KG_CAUSE_OVERSUBSCRIPTION,
        .bound = KG_BOUND_SYNCHRONISATION,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "It takes {alone_ns} with one thread and {time_ns} with {threads} threads.",
        .hint = "Run it with one thread (`threads: 1`, OMP_NUM_THREADS=1), or give each thread "
                "larger pieces of its own.",
        .before = "#pragma omp parallel for",
        .after = "#pragma omp parallel for if(n > 100000)",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_THREADS, NULL,
                 "Run it with one thread, or give each thread larger pieces of its own.",
                 "threads = sysconf(_SC_NPROCESSORS_ONLN);",
                 "threads = n > 100000 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;"},
                {0}},
        .evidence = {"alone_ns", "time_ns", "threads"},
        .when = "in paired rounds, a quarter faster with one thread than with all; not preempted",
        .assumes = "the measured gain",
    },
};

const struct kg_rule_family kg_rules_causes_system = {rules, sizeof rules / sizeof rules[0]};
