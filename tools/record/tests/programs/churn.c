// Allocates without an end in sight; says at the end that it got there. `closes`: closes all descriptors first; `drops`:
// and becomes another user.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <fcntl.h>
#include <unistd.h>

int main(int count, char **arguments) {
    int closes = count > 1 && !strcmp(arguments[1], "closes");
    int limits = count > 1 && !strcmp(arguments[1], "limits");
    int drops = count > 1 && !strcmp(arguments[1], "drops");
    if (drops && geteuid() != 0) {
        puts("skipped");
        return 0;
    }
    if (closes || drops) {
        for (int i = 3; i < 2000; i++) close(i);
        for (int i = 0; i < 990; i++) if (open("/dev/null", O_RDWR) < 0) break;
    }
    if (drops && (setgid(65534) || setuid(65534))) return 1;
    if (limits) {
        struct rlimit limit = {1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    unsigned x = 1;
    void *blocks[256] = {0};
    for (int i = 0; i < 400000; i++) {
        x = x * 1103515245 + 12345;
        unsigned k = x >> 16 & 255;
        free(blocks[k]);
        blocks[k] = malloc(16 + (x >> 8) % 500);
    }
    void *volatile last = malloc(98765);
    (void)last;
    puts("the end");
    return 0;
}
