// glibc mallinfo2(3): what threads keep is not in use, also after the first thread has ended
// also: glibc
#include <malloc.h>

#include "threads.h"

enum { COUNT = 126, LARGEST = 32768 };

static pthread_t main_thread;

static void *work(void *argument) {
    static void *blocks[COUNT];
    for (size_t size = 16; size <= LARGEST; size *= 2)
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < COUNT; i++) CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
            for (int i = 0; i < COUNT; i++) free(blocks[i]);
        }
    size_t before = mallinfo2().uordblks;
    CHECK(pthread_join(main_thread, NULL) == 0, "main cannot be joined");
    size_t after = mallinfo2().uordblks;
    CHECK(after < before + 64 * KIB, "%zu KiB were in use, %zu when main had ended", before / KIB, after / KIB);
    return argument;
}

int main(void) {
    alarm(50);
    main_thread = pthread_self();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0, "pthread_create fails");
    pthread_exit(NULL);
}
