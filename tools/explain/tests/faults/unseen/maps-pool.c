// own-mappings: objects come from a pool that maps a megabyte at a time, as runtimes do it; malloc has the rest.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *at, *end;

static void *object(size_t size) {
    if (at + size > end) {
        at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        end = at + (1 << 20);
    }
    void *result = at;
    at += size;
    return memset(result, 1, size);
}

int main(void) {
    char *names[1000] = {0};
    for (int i = 0; i < 300000; i++) {
        object(64 + i % 128);
        if (i % 3 == 0) {
            int which = i / 3 % 1000;
            free(names[which]);
            names[which] = malloc(30 + i % 100);
            memset(names[which], 2, 30);
        }
        if (i % 3000 == 0) usleep(2000);
    }
    return 0;
}
