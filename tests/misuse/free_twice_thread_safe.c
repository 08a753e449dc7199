// misuse: a small block freed by the thread that made it and by another, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

static void *release(void *pointer) {
    free(pointer);
    return NULL;
}

int main(void) {
    void *pointer = shown(malloc(200));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, release, pointer) == 0, "pthread_create fails");
    pthread_join(thread, NULL);
    free(hide(pointer));
    return 0;
}
