// Threads one after another, of fifty calls each; the sizes are 1000 and 1001.
#include <pthread.h>
#include <stdlib.h>

static void *work(void *nothing) {
    void *blocks[25];
    for (int i = 0; i < 25; i++) blocks[i] = malloc(1000 + i % 2);
    for (int i = 0; i < 25; i++) free(blocks[i]);
    return nothing;
}

int main(void) {
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, 0, work, 0) != 0) return 1;
        pthread_join(thread, 0);
    }
    return 0;
}
