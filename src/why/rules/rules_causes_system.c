#include "why/rules/rule_parts.h"

/* What the time of a case goes to, as causes.c found it, where that is the kernel, or other
 * threads. */
static const struct kg_rule rules[] = {
    {
        .name = "small_io",
        .is_cause = true,
        .cause = KG_CAUSE_SMALL_IO,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Many small requests to the kernel take that much of a call.",
        .hint = "Read and write in blocks (stdio's buffer, `readv`, 64 KiB at a time), map the "
                "file, and ask once for what does not change.",
        .before = "while (read(fd, &c, 1) == 1) ...",
        .after = "while ((n = read(fd, buffer, sizeof buffer)) > 0) ...",
        .evidence = {"time_ns"},
        .when = "system calls that move less than 4 KiB each, four a call or more, are on a tenth "
                "of the stacks or more",
        .assumes = "it goes away, but for a tenth of it; no figure where that is not "
                   "told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "sync_io",
        .is_cause = true,
        .cause = KG_CAUSE_SYNC_IO,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Waiting until files are on the disk takes that much of a call.",
        .hint = "Write a group of records, then one `fdatasync`; leave out what need not survive a "
                "power cut.",
        .before = "for (...) { write(fd, record, n); fsync(fd); }",
        .after = "for (...) write(fd, record, n); fdatasync(fd);",
        .evidence = {"time_ns", "cpu_ns"},
        .when = "fsync and its like are on a tenth of the stacks or more",
        .assumes = "none: that depends on how many records go to the disk at once",
        .settings = "min_gain",
    },
    {
        .name = "processes",
        .is_cause = true,
        .cause = KG_CAUSE_PROCESSES,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Starting and joining threads or processes takes that much of a call.",
        .hint = "Start them once and hand them work (a pool, a queue); call a library instead of a "
                "program.",
        .before = "for (...) { pthread_create(&t, ...); pthread_join(t, NULL); }",
        .after = "pool_submit(pool, job); pool_wait(pool);",
        .evidence = {"time_ns", "cpu_ns"},
        .when = "clone, fork, exec and waiting for their end are on a tenth of the stacks or more",
        .assumes = "it goes away, but for a tenth of it; no figure where that is not "
                   "told within 1.5 times",
        .settings = "min_gain",
    },
    {
        .name = "linking",
        .is_cause = true,
        .cause = KG_CAUSE_LINKING,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "Finding, mapping and linking shared libraries takes that much of a call.",
        .hint = "Start the program less often, link it with fewer libraries, or statically; load "
                "what is seldom needed when it is (`dlopen`).",
        .before = "cc main.o -lone -ltwo -lthree ...",
        .after = "cc -static main.o -lone -ltwo -lthree ... /* or -Wl,--as-needed */",
        .evidence = {"time_ns", "page_faults"},
        .when =
            "functions of the dynamic linker, but for what it does at the start of any program, "
            "are on a tenth of the stacks or more",
        .assumes = "none: that depends on which libraries are left",
        .settings = "min_gain",
    },
    {
        .name = "waiting",
        .is_cause = true,
        .cause = KG_CAUSE_WAITING,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "It is off the CPU and waits.",
        .hint = "Wait for the event instead of sleeping and looking, ask for several things at "
                "once, or compute meanwhile.",
        .before = "while (!done) usleep(1000);",
        .after = "pthread_cond_wait(&changed, &lock); /* or poll() on the descriptor */",
        .evidence = {"time_ns", "cpu_ns"},
        .when = "sleeps, polls and reads that wait are on a tenth of the stacks or more",
        .assumes = "none: that depends on when the event comes",
        .settings = "min_gain",
    },
    {
        .name = "locks",
        .is_cause = true,
        .cause = KG_CAUSE_LOCKS,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "Taking locks, or waiting for them, takes that much of a call.",
        .hint = "Hold a lock for less, take it once for many elements, or give each thread data of "
                "its own and join them at the end.",
        .before = "for (...) { lock(m); total += a[i]; unlock(m); }",
        .after = "for (...) mine += a[i]; lock(m); total += mine; unlock(m);",
        .evidence = {"time_ns", "alone_ns", "threads", "cores_busy"},
        .when = "functions of mutexes and futex are on a tenth of the stacks or more",
        .assumes = "none: one thread alone takes the lock, too",
        .settings = "min_gain",
    },
    {
        .name = "atomics",
        .is_cause = true,
        .cause = KG_CAUSE_ATOMICS,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hot loop has instructions that lock a cache line: some 20 cycles each, "
                       "and hundreds where threads share the line.",
        .hint = "Count in a local variable and add once at the end; use relaxed loads and stores "
                "where no read-modify-write is needed.",
        .before = "for (...) atomic_fetch_add(&total, a[i]);",
        .after = "for (...) mine += a[i]; atomic_fetch_add(&total, mine);",
        .evidence = {"time_ns", "alone_ns", "threads", "cores_busy"},
        .when = "the hottest loop has locked instructions",
        .assumes = "none: one thread alone has the locked instructions, too",
        .settings = "min_gain",
    },
    {
        .name = "barriers",
        .is_cause = true,
        .cause = KG_CAUSE_BARRIERS,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description =
            "Starting parallel regions, and waiting at their ends, takes that much of a call.",
        .hint = "Put one parallel region around the whole, give each more work, or let small cases "
                "run on one thread (`if(n > 10000)`).",
        .before = "for (...) { #pragma omp parallel for ... }",
        .after = "#pragma omp parallel { for (...) { #pragma omp for ... } }",
        .evidence = {"time_ns", "alone_ns", "threads", "fork_join_ns"},
        .when = "functions of OpenMP's runtime that start and join are on a tenth of the stacks or "
                "more",
        .assumes = "the threads do what one does alone, evenly divided, and half as "
                   "much again at most",
        .settings = "min_gain",
    },
    {
        .name = "oversubscription",
        .is_cause = true,
        .cause = KG_CAUSE_OVERSUBSCRIPTION,
        .type = KG_TYPE_PARALLELIZATION,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "One thread alone takes {alone_ns} where {threads} threads take {time_ns}.",
        .hint = "Run it with one thread (`threads: 1`, OMP_NUM_THREADS=1), or give each thread "
                "larger pieces of its own.",
        .before = "#pragma omp parallel for",
        .after = "#pragma omp parallel for if(n > 100000)",
        .evidence = {"alone_ns", "time_ns", "threads"},
        .when = "the case with one thread is faster by a quarter or more than with "
                "all, by turns, and other programs did not preempt them",
        .assumes = "what one thread was measured to gain",
        .settings = "min_gain",
    },
};

const struct kg_rule_family kg_rules_causes_system = {rules, sizeof rules / sizeof rules[0]};
