// A handler that allocates interrupts the malloc and the recorder at any place.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned calls;

static void handler(int signal) {
    (void)signal;
    calls++;
    free(malloc(4321));
}

int main(void) {
    struct itimerval timer = {{0, 50}, {0, 50}};
    void *blocks[64] = {0};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (unsigned i = 0; i < 200000 || (i < 2000000 && calls < 500); i++) {
        free(blocks[i % 64]);
        blocks[i % 64] = malloc(i % 500 + 1);
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%u\n", calls);
    return 0;
}
