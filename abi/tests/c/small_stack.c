// survival: every kind of request from threads with the smallest stack that POSIX allows, PTHREAD_STACK_MIN
// also: glibc
#include <limits.h>

#include "check.h"
#include <malloc.h>
#include <pthread.h>

static void *work(void *argument) {
    void **blocks = argument;
    for (size_t size = 1; size <= 64 * MIB; size = size * 2 + 1) {
        for (int i = 0; i < 200; i++) {
            blocks[i] = malloc(size <= 16 * KIB ? size : 10);
            if (!blocks[i]) return "malloc";
        }
        for (int i = 0; i < 200; i++) free(blocks[i]);
        void *large = malloc(size);
        large = realloc(large, size * 2);
        if (!large) return "realloc";
        free(large);
        free(calloc(1, size));
        free(aligned_alloc(4096, size));
    }
    malloc_trim(0);
    return NULL;
}

int main(void) {
    static void *blocks[200];
    for (int i = 0; i < 5; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0, "a stack of PTHREAD_STACK_MIN is refused");
        pthread_t thread;
        CHECK(pthread_create(&thread, &attributes, work, blocks) == 0, "pthread_create fails");
        void *result;
        pthread_join(thread, &result);
        CHECK(result == NULL, "%s fails on a small stack", (char *)result);
    }
    return 0;
}
