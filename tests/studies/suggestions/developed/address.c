/* Reads one IPv4 address: a call of some tens of nanoseconds. */
#include "workload.h"

struct work {
    char text[16];
    uint32_t address;
};

static bool read_address(const char *at, uint32_t *address)
{
    uint32_t sum = 0;
    for (int part = 0; part < 4; part++) {
        uint32_t value = 0;
        const char *begin = at;
        while (*at >= '0' && *at <= '9')
            value = 10 * value + (uint32_t)(*at++ - '0');
        if (at == begin || at > begin + 3 || value > 255 || *at++ != (part < 3 ? '.' : '\0'))
            return false;
        sum = sum << 8 | value;
    }
    *address = sum;
    return true;
}

static void run(void *state)
{
    struct work *work = state;
    if (!read_address(work->text, &work->address))
        work->address = 0;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    *work = (struct work){.text = "192.168.17.203"};
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    return workload_wrong(check, work->address != 0xc0a811cbU);
}

WORKLOAD(address, "Reads an IPv4 address.", run);
