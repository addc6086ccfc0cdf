/* rules_causes.c: causes in the program itself: calls of library functions, and repeated work.
 * causes.c weighs them. Each suggestion names its place. */
#include "why/rules/rule_parts.h"

static const struct kg_rule rules[] = {
    {
        .name = "allocation",
        .cause = KG_CAUSE_ALLOCATION,
        .bound = KG_BOUND_COMPUTE,
        .needs = 0.1,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to the allocator.",
        .hint = "Allocate once and reuse: a buffer outside the loop, an arena, or one array "
                "instead of single objects.",
        .before = "for (...) { char *s = malloc(n); use(s); free(s); }",
        .after = "char *s = malloc(most); for (...) use(s); free(s);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "realloc|libc_realloc|int_realloc",
                 "Let an array grow by doubling, or allocate it once at its final size.",
                 "for (...) { a = realloc(a, (n + 1) * sizeof *a); a[n++] = x; }",
                 "for (...) { if (n == room) a = realloc(a, (room *= 2) * sizeof *a); a[n++] = x; "
                 "}"},
                {KG_BY_FUNCTION, "strdup|strndup",
                 "If the text stays alive, keep a pointer to it. Otherwise copy all texts into one "
                 "block.",
                 "for (...) keys[i] = strdup(word[i]); ... free(keys[i]);",
                 "for (...) keys[i] = word[i]; /* the text itself stays where it was read */"},
                {KG_BY_FUNCTION, "calloc|libc_calloc",
                 "Allocate once. Before reuse, clear only the used part.",
                 "for (...) { int *t = calloc(n, sizeof *t); use(t); free(t); }",
                 "int *t = calloc(n, sizeof *t); for (...) { use(t); memset(t, 0, used * sizeof "
                 "*t); }"},
                {KG_BY_FUNCTION, "Znwm|Znam|Zdl|Zda|operator new|operator delete",
                 "Keep containers and their memory between iterations (`clear`, `reserve`), and "
                 "hold objects by value in one vector instead of by pointers. Pass texts as "
                 "`std::string_view`.",
                 "for (...) { std::vector<T> v; v.push_back(x); use(v); }",
                 "std::vector<T> v; v.reserve(n); for (...) { v.clear(); v.push_back(x); use(v); "
                 "}"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: malloc, free, realloc, new, or functions inside them",
        .assumes = "a tenth of the cost is left",
    },
    {
        .name = "copying",
        .cause = KG_CAUSE_COPYING,
        .bound = KG_BOUND_MEMORY,
        .needs = 0.1,
        .with_caller = true,
        .type = KG_TYPE_MEMORY,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to copying or clearing memory.",
        .hint = "Pass a pointer instead of a copy, let buffers grow by doubling, and clear only "
                "bytes that are read before they are written.",
        .before = "list = realloc(list, (n + 1) * sizeof *list); struct big b = a[i];",
        .after = "if (n == room) list = realloc(list, (room *= 2) * sizeof *list); const struct "
                 "big *b = &a[i];",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "memset|bzero|explicit_bzero",
                 "Clear only bytes that are read before they are written, or that were used since.",
                 "for (...) { memset(buffer, 0, sizeof buffer); n = fill(buffer); use(buffer, n); "
                 "}",
                 "for (...) { n = fill(buffer); use(buffer, n); }"},
                {KG_BY_FUNCTION, "strncpy|stpncpy",
                 "`strncpy` clears the rest of the field behind the text: copy only the bytes of "
                 "the text.",
                 "strncpy(field, name, sizeof field);",
                 "memcpy(field, name, length + 1); /* once it is known to fit */"},
                {KG_BY_FUNCTION, "strcpy|stpcpy",
                 "Keep a pointer to the text instead of a copy, and store its length instead of "
                 "searching for its end.",
                 "strcpy(copy, text); use(copy);",
                 "use(text); /* or memcpy(copy, text, length + 1) */"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: memcpy, memmove, memset, strcpy",
        .assumes = "a tenth of the cost is left; the caller may go too",
    },
    {
        .name = "formatting",
        .cause = KG_CAUSE_FORMATTING,
        .bound = KG_BOUND_COMPUTE,
        .needs = 0.2,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to conversions between numbers and text by the C library.",
        .hint = "Format once and keep the text, write digits with your own loop, or store and "
                "exchange the numbers in binary. Each printf parses its format again.",
        .before = "for (...) n += snprintf(out + n, room, \"%d,\", a[i]);",
        .after = "for (...) n += digits_write(out + n, a[i]);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "sscanf|isoc99_|isoc23_|vsscanf|vfscanf|fscanf",
                 "Read numbers one after the other with `strtol` or your own loop. `sscanf` first "
                 "searches for the end of the whole text, and parses its format each time.",
                 "sscanf(line, \"%d %d\", &a, &b);",
                 "a = strtol(line, &end, 10); b = strtol(end, &end, 10);"},
                {KG_BY_FUNCTION, "strtod|strtof|strtold|atof|str_to_mpn|round_and_return",
                 "Convert once and keep the numbers; store and exchange them in binary.",
                 "for (...) x[i] = strtod(text, &text);",
                 "fread(x, sizeof *x, n, file); /* written so once */"},
                {KG_BY_FUNCTION, "strto|ato",
                 "Convert once and keep the numbers, or read digits with your own loop.",
                 "n = atoi(text);",
                 "for (n = 0; *text >= '0' && *text <= '9'; text++) n = 10 * n + (*text - '0');"},
                {KG_BY_FUNCTION, "strftime|strptime|asctime|offtime|tz|mktime|localtime|gmtime",
                 "Format a time once per second, or once per day, and keep the text: each call "
                 "looks up the time zone.",
                 "for (...) { localtime_r(&t[i], &tm); strftime(text, n, \"%F %T\", &tm); }",
                 "for (...) if (t[i] != last) { last = t[i]; ...; strftime(text, n, \"%F %T\", "
                 "&tm); }"},
                {KG_BY_FUNCTION, "fprintf|printf|vfprintf|vprintf|dprintf", NULL,
                 "for (...) fprintf(file, \"%d\\n\", a[i]);",
                 "for (...) end = digits_write(end, a[i]); fwrite(text, 1, end - text, file);"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: the families of printf, scanf, strtod, strftime",
        .assumes = "a fifth of the cost is left",
    },
    {
        .name = "exceptions",
        .cause = KG_CAUSE_EXCEPTIONS,
        .bound = KG_BOUND_COMPUTE,
        .needs = 0.1,
        .with_caller = true,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to throwing and catching exceptions.",
        .hint = "Return a value for a common outcome (std::optional, an error code, "
                "std::from_chars instead of std::stoi). Throw only for rare ones: each throw "
                "unwinds the stack by tables.",
        .before = "try { n = std::stoi(text); } catch (const std::invalid_argument &) { n = 0; }",
        .after = "if (std::from_chars(text, end, n).ec != std::errc()) n = 0;",
        .evidence = {"time_ns"},
        .when = "stacks: functions that throw, unwind or catch",
        .assumes = "a tenth of the cost is left; the caller may go too",
    },
    {
        .name = "string_scanning",
        .cause = KG_CAUSE_STRING_SCANNING,
        .bound = KG_BOUND_COMPUTE,
        .needs = 0.1,
        .with_caller = true,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "This time goes to searching through strings.",
        .hint =
            "Keep the length, or the end of the last search, instead of searching for it again.",
        .before = "for (i = 0; i < strlen(s); i++) ...; strcat(s, word);",
        .after = "size_t n = strlen(s); for (i = 0; i < n; i++) ...; end = stpcpy(end, word);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "strlen|strnlen",
                 "Ask for the length once and keep it beside the text.",
                 "for (i = 0; i < strlen(s); i++) ...;",
                 "n = strlen(s); for (i = 0; i < n; i++) ...;"},
                {KG_BY_FUNCTION, "strcat|strncat",
                 "Keep a pointer to the end of the text: `strcat` searches for it from the "
                 "beginning each time.",
                 "for (...) strcat(all, word[i]);", "for (...) end = stpcpy(end, word[i]);"},
                {KG_BY_FUNCTION, "strcmp|strncmp|strcasecmp|strncasecmp|memcmp|strcoll",
                 "Convert names to numbers once, and compare the numbers. Compare lengths or first "
                 "letters before texts.",
                 "if (!strcmp(kind, \"circle\")) ...; else if (!strcmp(kind, \"square\")) ...;",
                 "switch (kind) { case CIRCLE: ...; case SQUARE: ...; } /* looked up once */"},
                {KG_BY_FUNCTION, "strchr|strrchr|memchr|rawmemchr",
                 "Continue at the end of the last search, and search for several characters in one "
                 "pass.",
                 "for (i = 0; i < n; i++) { p = line; for (k = 0; k < i; k++) p = strchr(p, ',') + "
                 "1; }",
                 "for (p = line, i = 0; i < n; i++) { field[i] = p; p = strchr(p, ',') + 1; }"},
                {KG_BY_FUNCTION, "strstr|strcasestr|memmem|two_way",
                 "Continue behind the last match, and search for several words in one pass.",
                 "while ((p = strstr(text, word))) memcpy(p, other, n);",
                 "for (p = text; (p = strstr(p, word)); p += n) memcpy(p, other, n);"},
                {KG_BY_FUNCTION, "re_|regexec",
                 "Rule out most texts by a plain search first, or parse simple patterns by hand.",
                 "if (!regexec(&re, line, 0, NULL, 0)) ...;",
                 "if (strstr(line, \"error\") && !regexec(&re, line, 0, NULL, 0)) ...;"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: strlen, strcmp, strchr, strstr, strcat and similar functions",
        .assumes = "a tenth of the cost is left; the caller may go too",
    },
    {
        .name = "linear_search",
        .cause = KG_CAUSE_LINEAR_SEARCH,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_MODELLED,
        .description = "The code compares entries one by one until it finds the right one.",
        .hint = "Use a hash table, or keep the entries sorted and use binary search (`bsearch`).",
        .before = "for (i = 0; i < n; i++) if (!strcmp(a[i].name, name)) return &a[i];",
        .after = "return hash_find(&table, name);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "memcmp", NULL,
                 "for (i = 0; i < n; i++) if (!memcmp(a[i].key, key, sizeof a[i].key)) return "
                 "&a[i];",
                 "return hash_find(&table, key);"},
                {KG_BY_LOOP, NULL, NULL,
                 "for (i = 0; i < n; i++) if (a[i].key == key) return &a[i];",
                 "return bsearch(&key, a, n, sizeof *a, by_key); /* sorted once; or a hash table "
                 "*/"},
                {0}},
        .evidence = {"time_ns"},
        .when = "strcmp or memcmp take a tenth of the samples, with eight calls per call of the "
                "calling function (Callgrind); or, at most, the hottest loop only loads, compares "
                "and branches",
        .assumes = "none",
    },
    {
        .name = "repeated_work",
        .cause = KG_CAUSE_REPEATED_WORK,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "A function does the same work again and again. Ignore this if its result "
                       "also depends on data other than its arguments.",
        .hint = "Keep its results, or move the call out of the loop.",
        .before = "for (...) { make_table(t); use(t, a[i]); }",
        .after = "make_table(t); for (...) use(t, a[i]);",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "regcomp|re_compile",
                 "Compile a pattern once and use it for all texts.",
                 "for (...) { regcomp(&re, pattern, 0); regexec(&re, line, ...); regfree(&re); }",
                 "regcomp(&re, pattern, 0); for (...) regexec(&re, line, ...);"},
                {0}},
        .evidence = {"time_ns"},
        .when =
            "a function of the workload takes 40 % of the time, in eight calls per call, of "
            "200 instructions each; half of its observed calls have the arguments of an earlier "
            "call; no other cause; a call executes more than its flops, bytes or items need",
        .assumes = "the repeated calls cost nothing",
    },
    {
        .name = "quadratic_loop",
        .cause = KG_CAUSE_QUADRATIC_LOOP,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_ALGORITHM,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "The hottest loop runs about once per pair of the {items} items of a call: "
                       "time grows with the square of their number. Ignore this if every pair is "
                       "needed.",
        .hint = "Sort first (`qsort`, a merge, a heap), use a hash table for look-ups, or go "
                "through both lists at once.",
        .before = "for (i = 1; i < n; i++) for (j = i; j && a[j - 1] > a[j]; j--) swap(a, j);",
        .after = "qsort(a, n, sizeof *a, by_key);",
        .evidence = {"time_ns", "items", "bytes"},
        .when = "the hottest loop takes half of the time, with whole numbers alone, no vectors, no "
                "calls and no other cause; by Callgrind it iterates a sixteenth of the squared "
                "number of items per call; 256 items (without items: bytes divided by four)",
        .assumes = "none",
    },
    {
        .name = "call_overhead",
        .cause = KG_CAUSE_CALL_OVERHEAD,
        .bound = KG_BOUND_COMPUTE,
        .type = KG_TYPE_BATCHING,
        .priority = KG_PRIORITY_HIGH,
        .basis = KG_BASIS_AT_MOST,
        .description = "This time goes to very many calls that each do little.",
        .hint = "Put the function where the compiler can inline it (a header, `static inline`, "
                "-flto), or let one call process many elements. Replace `qsort` with a comparison "
                "function by a sort for your own type.",
        .before = "qsort(a, n, sizeof *a, by_pointer_to_function);",
        .after = "sort_ints(a, n); /* the comparison is inlined */",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "msort|qsort|quicksort", NULL, NULL, NULL},
                {KG_BY_FUNCTION, "bsearch",
                 "Write the search for your own type, so that the comparison is inlined.",
                 "hit = bsearch(&key, a, n, sizeof *a, by_key);",
                 "while (n > 1) { half = n / 2; a += a[half - 1].key < key ? half : 0; n -= half; "
                 "}"},
                {KG_BY_FUNCTION, "tls_get_addr",
                 "Take the address of a thread-local variable once, outside of the loop; or build "
                 "the library with -ftls-model=initial-exec.",
                 "static _Thread_local long n; for (...) n++;",
                 "long mine = n; for (...) mine++; n = mine;"},
                {KG_BY_LOOP, NULL,
                 "Put the function where the compiler can inline it (a header, `static inline`, "
                 "-flto), or let one call process many elements.",
                 "for (...) sum += pixel_at(image, x, y); /* of another file */",
                 "for (...) sum += row[x]; /* or static inline, in the header */"},
                {0}},
        .evidence = {"time_ns"},
        .when = "qsort, a similar function, or a hot loop of few instructions with a call takes a "
                "tenth of the samples",
        .assumes = "none",
    },
    {
        .name = "math_library",
        .cause = KG_CAUSE_MATH_LIBRARY,
        .bound = KG_BOUND_COMPUTE,
        .needs = 0.3,
        .type = KG_TYPE_CACHING,
        .priority = KG_PRIORITY_CRITICAL,
        .basis = KG_BASIS_AT_MOST,
        .description = "This time goes to functions of the mathematics library.",
        .hint = "Move calls with constant arguments out of the loop. Use the float versions "
                "(`sinf`), a recurrence or a table, or let the compiler vectorise the calls "
                "(-ffast-math, libmvec).",
        .before = "for (i = 0; i < n; i++) w[i] = 0.5 - 0.5 * cos(2 * M_PI * i / n);",
        .after = "window_make(w, n) once; for (i = 0; i < n; i++) x[i] *= w[i];",
        .sketches =
            (const struct kg_sketch[]){
                {KG_BY_FUNCTION, "pow|ieee754_pow",
                 "Use a table if there are few different inputs, multiplication for small whole "
                 "powers, or the float version.",
                 "y = pow(x, 2);", "y = x * x;"},
                {KG_BY_FUNCTION, "sqrt|hypot|cbrt|ieee754_sqrt|ieee754_hypot",
                 "Compare squares, and take the root only of values that are shown; "
                 "-fno-math-errno makes it one instruction.",
                 "if (hypot(dx, dy) < r) ...;", "if (dx * dx + dy * dy < r * r) ...;"},
                {KG_BY_FUNCTION, "exp|log|ieee754_exp|ieee754_log|erf|lgamma|tgamma",
                 "Use the float version, or let the compiler vectorise it (-O3 -ffast-math, "
                 "libmvec). Take one logarithm of a product instead of one per factor.",
                 "for (...) y[i] = exp(x[i]);",
                 "for (...) y[i] = expf(x[i]); /* x and y of floats */"},
                {KG_BY_FUNCTION, "floor|ceil|round|lround|trunc|rint|nearbyint",
                 "With -msse4.1 it is one instruction; a conversion to a whole number truncates as "
                 "well.",
                 "i = (int)floor(x);", "i = (int)x - (x < (int)x);"},
                {KG_BY_FUNCTION, "fmod", "If the value is off by at most one period, subtract.",
                 "phase = fmod(phase + step, 2 * M_PI);",
                 "phase += step; if (phase >= 2 * M_PI) phase -= 2 * M_PI;"},
                {KG_BY_FUNCTION, "fmax|fmin|fdim",
                 "Compare instead: the function has rules for NaN that keep compilers from "
                 "inlining it.",
                 "most = fmax(most, a[i]);", "most = a[i] > most ? a[i] : most;"},
                {KG_BY_FUNCTION, "rand",
                 "`rand` takes a lock in each call: use a generator of your own, one per thread.",
                 "x = rand() % n;",
                 "s ^= s << 13; s ^= s >> 7; s ^= s << 17; x = s % n; /* uint64_t s, not 0 */"},
                {0}},
        .evidence = {"time_ns"},
        .when = "stacks: sin, cos, exp, log, pow and similar functions; the rest of the loop that "
                "calls them counts too",
        .assumes = "three tenths of the cost are left",
    },
};

const struct kg_rule_family kg_rules_causes = {rules, sizeof rules / sizeof rules[0]};
