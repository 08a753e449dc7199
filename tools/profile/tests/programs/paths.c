/* Every way to come by a block and to be rid of it; with an interval of one byte all of them are in the sample. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern void heapwright_mark(const char *) __attribute__((weak));

static void mark(const char *name) {
    if (heapwright_mark) heapwright_mark(name);
}

static void *elsewhere(void *block) {
    free(block);
    return malloc(77);
}

int main(int argc, char **argv) {
    void *blocks[8], *back;
    pthread_t thread;
    mark("allocate");
    blocks[0] = malloc(100);
    blocks[1] = calloc(10, 20);
    blocks[2] = aligned_alloc(64, 640);
    blocks[3] = memalign(32, 333);
    if (posix_memalign(&blocks[4], 128, 444)) return 1;
    blocks[5] = reallocarray(NULL, 5, 100);
    blocks[6] = realloc(NULL, 600);
    blocks[7] = malloc(0);
    mark("resize");
    blocks[0] = realloc(blocks[0], 1000);
    if (realloc(blocks[1], (size_t)1 << 60)) return 2;
    blocks[6] = reallocarray(blocks[6], 7, 100);
    mark("free");
    for (int i = 0; i < 6; i++) free(blocks[i]);
    free(blocks[7]);
    mark("thread");
    if (pthread_create(&thread, NULL, elsewhere, blocks[6])) return 3;
    pthread_join(thread, &back);
    free(back);
    mark("fork");
    back = malloc(4711);
    if (fork() == 0) {
        free(back);
        back = malloc(1234);
        _exit(back == NULL);
    }
    int status;
    wait(&status);
    mark("end");
    (void)argc;
    (void)argv;
    return status;
}
