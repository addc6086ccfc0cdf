/* A mailbox of a small actor system: senders put messages at the end, the owner takes them from the
 * front in the order in which they came. */
#include <stdlib.h>

#include "workload.h"

enum { BURSTS = 40, BURST = 200 };

struct message {
    struct message *next;
    uint64_t stamp;
    uint32_t sender;
    uint32_t kind;
};

struct mailbox {
    struct message *first;
    struct message **end;
    struct message *spare;
};

struct work {
    struct mailbox box;
    uint64_t handled;
};

static void mailbox_put(struct mailbox *box, struct message *message)
{
    message->next = NULL;
    *box->end = message;
    box->end = &message->next;
}

static struct message *mailbox_take(struct mailbox *box)
{
    struct message *message = box->first;
    box->first = message->next;
    if (!box->first)
        box->end = &box->first;
    return message;
}

static void send_fresh(struct mailbox *box, uint32_t sender, uint64_t stamp)
{
    struct message *message = malloc(sizeof *message);
    if (!message)
        return;
    *message = (struct message){.stamp = stamp, .sender = sender, .kind = sender % 5};
    mailbox_put(box, message);
}

static void send_spare(struct mailbox *box, uint32_t sender, uint64_t stamp)
{
    struct message *message = box->spare;
    if (message)
        box->spare = message->next;
    else if (!(message = malloc(sizeof *message)))
        return;
    *message = (struct message){.stamp = stamp, .sender = sender, .kind = sender % 5};
    mailbox_put(box, message);
}

static uint64_t handle(const struct message *message)
{
    return message->stamp + message->kind * (uint64_t)message->sender;
}

static void run_bad(void *state)
{
    struct work *work = state;
    work->handled = 0;
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        for (uint32_t i = 0; i < BURST; i++)
            send_fresh(&work->box, i, burst);
        while (work->box.first) {
            struct message *message = mailbox_take(&work->box);
            work->handled += handle(message);
            free(message);
        }
    }
}

static void run_good(void *state)
{
    struct work *work = state;
    work->handled = 0;
    for (uint32_t burst = 0; burst < BURSTS; burst++) {
        for (uint32_t i = 0; i < BURST; i++)
            send_spare(&work->box, i, burst);
        while (work->box.first) {
            struct message *message = mailbox_take(&work->box);
            work->handled += handle(message);
            message->next = work->box.spare;
            work->box.spare = message;
        }
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    work->box.end = &work->box.first;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    const struct work *work = state;
    uint64_t expected = 0;
    for (uint64_t burst = 0; burst < BURSTS; burst++)
        for (uint64_t i = 0; i < BURST; i++)
            expected += burst + i * (i % 5);
    return workload_wrong(check, work->handled != expected);
}

PAIR(mailbox, "Sends bursts of messages and handles them.");
