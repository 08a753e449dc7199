// Blocks of four sizes that stay, some that are freed while the recording runs, many that were freed before, and threads at work.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *unused) {
    void *volatile blocks[500] = {0};
    for (unsigned i = 0;; i++) {
        unsigned at = i * 2654435761u >> 16;
        free(blocks[at % 500]);
        blocks[at % 500] = malloc(at % 2000);
        if (i % 256 == 0) usleep(200);
    }
    return unused;
}
static void *volatile keeps[4000], *volatile frees[4000], *volatile goes[40000];
int main(void) {
    setbuf(stdout, NULL);
    for (int i = 0; i < 4000; i++) {
        keeps[i] = malloc(i < 3000 ? 1000 : i < 3990 ? 70000 : 40 << 20);
        frees[i] = malloc(1000);
    }
    for (int i = 0; i < 4000; i++) free(frees[i]);
    for (int i = 0; i < 40000; i++) goes[i] = malloc(40);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
    printf("%d\n", getpid());
    for (int i = 0;; i++) {
        free(goes[i % 40000]);
        goes[i % 40000] = malloc(40);
        usleep(50);
    }
}
