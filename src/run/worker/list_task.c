/* Lists the workloads of a plugin. A process of its own loads the plugin. */
#include <stdio.h>

#include "base/text.h"
#include "run/worker/protocol.h"
#include "run/worker/worker.h"
#include "suite/sources/source.h"

int kg_worker_list_main(const char *plugin)
{
    struct kg_text names = {0};
    struct kg_error err = {0};
    const bool good = kg_sources[KG_SOURCE_PLUGIN]->list(plugin, &names, &err) &&
                      dprintf(KG_WORKER_RESPONSE, "%s", kg_text_string(&names)) >= 0;
    if (!good)
        fprintf(stderr, "%s\n", err.message);
    kg_text_free(&names);
    return good ? 0 : 1;
}
