// leak: small blocks of 64–512 B from `parse` (scratch buffer) are never freed, ~1/5 of them; grows linearly to the
// end; unreachable

// A session server: single thread, an event loop; the error path of the header parser forgets a buffer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
#include <stdint.h>
typedef struct {
    char *key, *val;
} hdr;
typedef struct {
    uint32_t id;
    int n;
    hdr h[12];
    char *body;
    size_t blen;
} sess;
#define SLOTS 4096
static sess *slot[SLOTS];
static uint64_t s = 88172645463325252ull;
static size_t leaked;
static uint32_t rnd(void) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s >> 32;
}
static char *dup_n(size_t n) {
    char *p = malloc(n + 1);
    memset(p, 'a' + rnd() % 26, n);
    p[n] = 0;
    return p;
}
static void end_session(sess *x) {
    if (!x) return;
    for (int i = 0; i < x->n; i++) {
        free(x->h[i].key);
        free(x->h[i].val);
    }
    free(x->body);
    free(x);
}
static int parse(sess *x) {
    char *scratch = dup_n(64 + rnd() % 448); // line buffer
    x->n = 3 + rnd() % 9;
    for (int i = 0; i < x->n; i++) {
        x->h[i].key = dup_n(4 + rnd() % 20);
        x->h[i].val = dup_n(8 + rnd() % 100);
    }
    x->blen = rnd() % 2048;
    x->body = dup_n(x->blen);
    if (scratch[0] < 'a' + 5) {
        leaked += 64 + strlen(scratch);
        return -1;
    } // "400 Bad Request": scratch is forgotten
    free(scratch);
    return 0;
}
int main(void) {
    time_t t0 = time(0);
    long req = 0;
    struct timespec ts = {0, 900000};
    while (time(0) - t0 < 20) {
        for (int k = 0; k < 75; k++) {
            sess *x = calloc(1, sizeof *x);
            x->id = req++;
            int r = parse(x);
            if (r < 0) end_session(x);
            else {
                int i = rnd() % SLOTS;
                end_session(slot[i]);
                slot[i] = x;
            }
        }
        nanosleep(&ts, 0);
    }
    printf("%ld requests\n", req);
    return 0;
}
