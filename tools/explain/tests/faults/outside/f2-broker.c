// fragmentation: Small receipts that stay were allocated among messages that went: they hold nearly every
// page: fragmentation; put receipts in a pool of their own.

/* A message broker: while the consumer is down for a while, messages pile up; then it comes back and takes all.
 * FAULT (fragmentation by lifetimes): for each message in nine a receipt (64 to 200 bytes) is kept for the audit, made right after the
 * message came. After the backlog is gone they lie one or more a page all over the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct msg { struct msg *next; unsigned len; char body[]; };
struct receipt { struct receipt *next; unsigned long id; char who[]; };
static struct msg *head, **tail = &head;
static struct receipt *receipts;
static unsigned long seed = 17, id;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }

static void come(void) {
    unsigned len = rnd(20) ? 40 + rnd(400) : 1000 + rnd(3000);
    struct msg *m = malloc(sizeof *m + len);
    m->next = 0; m->len = len;
    memset(m->body, 'm', len);
    *tail = m; tail = &m->next;
    if (++id % 9 == 0) {
        struct receipt *r = malloc(sizeof *r + 48 + rnd(136));
        strcpy(r->who, "consumer-group-7");
        r->id = id; r->next = receipts; receipts = r;
    }
}
static int take(void) {
    struct msg *m = head;
    if (!m) return 0;
    if (!(head = m->next)) tail = &head;
    free(m);
    return 1;
}

int main(void) {
    for (int i = 0; i < 20000; i++) { come(); take(); }
    for (int i = 0; i < 250; i++) { for (int k = 0; k < 1400; k++) { come(); if (k % 7 == 0) take(); } usleep(3000); }  /* the consumer is down */
    for (int i = 0; i < 200; i++) { for (int k = 0; k < 1800; k++) take(); usleep(2000); }                           /* it is back */
    for (int i = 0; i < 1000; i++) { for (int k = 0; k < 40; k++) { come(); take(); } usleep(2000); }               /* as ever */
    unsigned n = 0;
    for (struct receipt *r = receipts; r; r = r->next) n++;
    fprintf(stderr, "%u receipts\n", n);
    return 0;
}
