/* Records ENTRIES scopes of a server's requests into PATH, and prints the bytes that this took: of
 * the file, and of memory at most. profiler_recording ENTRIES PATH */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "kgate/profiler.h"
#include "loops.h"
#include "memory.h"
#include "profiler/record/recording.h"

/* Ten scopes, three deep. */
static void request(void)
{
    KGATE_SCOPE("request");
    {
        KGATE_SCOPE("parse");
        BARRIER();
    }
    {
        KGATE_SCOPE("compute");
        for (int layer = 0; layer < 5; layer++) {
            KGATE_SCOPE_ON("layer", KGATE_DEVICE_CPU, "openblas", 4096);
            BARRIER();
        }
        KGATE_SCOPE("softmax");
        BARRIER();
    }
    KGATE_SCOPE("answer");
    BARRIER();
}

int main(int count, char **arguments)
{
    struct stat file;
    char message[256];
    if (count != 3) {
        fputs("usage: profiler_recording ENTRIES PATH\n", stderr);
        return 2;
    }
    const unsigned long entries = strtoul(arguments[1], NULL, 10);
    const struct kgate_profiler_options options = {.path = arguments[2], .label = "benchmark"};
    if (!kgate_profiler_start(&options, message)) {
        fprintf(stderr, "profiler_recording: %s\n", message);
        return 1;
    }
    for (unsigned long i = 0; i < entries / 10; i++)
        request();
    kgate_profiler_stop();
    if (stat(arguments[2], &file) != 0)
        return 1;
    printf("slot_bytes\t%zu\nfile_bytes\t%lld\nmemory_kib\t%ld\n", sizeof(struct kg_entry),
           (long long)file.st_size, memory_most_kib());
    return 0;
}
