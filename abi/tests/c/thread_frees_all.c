// survival: 200 MB in small blocks that one thread allocated and another freed go back when the first goes on with small ones
#include "threads.h"

enum { BLOCKS = 200000, SIZE = 1000, ROUNDS = 200, EACH = 1000 };

static char *blocks[BLOCKS];

static void *free_all(void *argument) {
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    return argument;
}

int main(void) {
    alarm(55);
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    size_t full = resident();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, free_all, NULL) == 0, "pthread_create fails");
    pthread_join(thread, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        static void *small[EACH];
        for (int i = 0; i < EACH; i++) CHECK((small[i] = malloc(64)) != NULL, "malloc(64) is NULL");
        for (int i = 0; i < EACH; i++) free(small[i]);
    }
    size_t left = resident();
    CHECK(left < full / 4, "%zu MiB are resident of %zu, next to none of them live", left / MIB, full / MIB);
    return 0;
}
