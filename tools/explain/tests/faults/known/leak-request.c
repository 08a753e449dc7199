// leak: a server with sessions that come and go; one request in ten forgets its answer, of any size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252ull;
static unsigned next(unsigned below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 32) % below;
}

static char *sessions[5000];

int main(void) {
    for (int request = 0; request < 400000; request++) {
        unsigned which = next(5000);
        free(sessions[which]);
        size_t size = 64 + next(400);
        sessions[which] = malloc(size);
        memset(sessions[which], 2, size);
        size = 30 + next(300);
        char *answer = malloc(size);
        memset(answer, 3, size);
        snprintf(answer, size, "answer to %d", request);
        if (next(10) != 0) free(answer);
    }
    for (int i = 0; i < 5000; i++) free(sessions[i]);
    return 0;
}
