// own-mappings: Of 113 MB nearly all is stacks of threads (40 of 16 MB, 3 MB touched each); not malloc's.

/* A rule engine: 40 evaluator threads with stacks of 16 MB; rules nest deeply once (a pathological rule set), each touches some 3 MB of
 * its stack, and a stack never shrinks. The rules' results are small blocks.
 * FAULT (own mappings): thread stacks. */
#include <alloca.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct result { int value; char why[60]; };

static int evaluate(int depth, unsigned long *seed) {
    char frame[900];
    memset(frame, depth, sizeof frame);
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    struct result *r = malloc(sizeof *r);
    r->value = frame[*seed >> 56];
    int v = depth ? evaluate(depth - 1, seed) : 1;
    v += r->value + frame[(*seed >> 50) % 900];
    free(r);
    return v;
}

static void *evaluator(void *arg) {
    unsigned long seed = (unsigned long)arg + 5;
    usleep((unsigned)(unsigned long)arg * 30000);
    int v = evaluate(3000, &seed);
    for (int i = 0; i < 150; i++) { v += evaluate(20, &seed); usleep(15000); }
    return (void *)(long)v;
}

int main(void) {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 16 << 20);
    pthread_t t[40];
    for (long i = 0; i < 40; i++) pthread_create(&t[i], &a, evaluator, (void *)i);
    for (int i = 0; i < 40; i++) pthread_join(t[i], 0);
    return 0;
}
