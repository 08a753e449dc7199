// misuse: a large block freed by the thread that made it and then by another: found at once or when the first passes it on
// expect: ^heapwright: .*\bfree\b.*{ptr}
#include "misuse.h"

static void *release(void *pointer) {
    free(pointer);
    return NULL;
}

int main(void) {
    void *pointer = shown(malloc(100000));
    free(pointer);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, release, hide(pointer)) == 0, "pthread_create fails");
    pthread_join(thread, NULL);
    pass_blocks_on(100000);
    return 0;
}
